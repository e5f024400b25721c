//! How far two ellipsoids are apart, or how deep they are in each other.
//!
//! Method: two convex bodies are apart along a unit normal `n` by `f(n) = n . d - h_a(n) - h_b(n)` with support functions `h`; the
//! signed distance is the largest `f` over all normals. For ellipsoids the supports are square roots of quadratic forms, and a few Newton
//! steps on the sphere find the maximum. Every `f(n)` is a lower bound of the distance, so stopping early errs to the safe side.
//! Swapping the two gives the same distance and the opposite normal, to the bit.

use crate::mover::Body;
use crate::tolerance::{EXACT, SEPARATION_STEPS};
use nalgebra::Vector3;

/// The signed distance of two ellipsoids and the way out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Separation {
    /// Metres between the surfaces; negative is the depth of the overlap.
    pub distance: f32,
    /// Unit normal from the second body to the first: moving the first along it parts them fastest. Zero for equal centres.
    pub normal: Vector3<f32>,
}

/// Separates `a` from `b`.
#[must_use]
pub fn separate(a: &Body, b: &Body) -> Separation {
    let offset = a.position.since(&b.position);
    if offset == Vector3::zeros() {
        let distance = -(a.radii.across + b.radii.across);
        return Separation {
            distance,
            normal: Vector3::zeros(),
        };
    }
    Pair::new(a, b, offset).separate()
}

/// The same for two that are closer than `reach` metres. Of most that are not, the spheres about them or the first guess tell so.
#[inline]
#[must_use]
pub(crate) fn separate_within(a: &Body, b: &Body, reach: f32) -> Option<Separation> {
    let offset = a.position.since(&b.position);
    let least = a.radii.longest() + b.radii.longest() + reach;
    if offset.norm_squared() > least * least {
        return None;
    }
    let found = if offset == Vector3::zeros() {
        separate(a, b)
    } else {
        let pair = Pair::new(a, b, offset);
        if pair.gap(pair.guess) >= reach + EXACT {
            return None;
        }
        pair.separate()
    };
    (found.distance < reach).then_some(found)
}

/// Two ellipsoids whose centres are apart.
struct Pair {
    offset: Vector3<f32>,
    a: Form,
    b: Form,
    guess: Vector3<f32>,
}

impl Pair {
    fn new(a: &Body, b: &Body, offset: Vector3<f32>) -> Self {
        Self {
            offset,
            a: Form::of(a),
            b: Form::of(b),
            guess: first_guess(a, b, offset),
        }
    }

    /// How far apart they are along a normal: the `f` of above.
    fn gap(&self, normal: Vector3<f32>) -> f32 {
        normal.dot(&self.offset) - (self.a.support(normal) + self.b.support(normal))
    }

    fn separate(&self) -> Separation {
        let mut normal = self.guess;
        for _ in 0..SEPARATION_STEPS {
            normal = climb(&self.a, &self.b, self.offset, normal);
        }
        Separation {
            distance: self.gap(normal),
            normal,
        }
    }
}

/// The normal at `offset` on the ellipsoid with summed radii: exact for equal shapes that touch.
fn first_guess(a: &Body, b: &Body, offset: Vector3<f32>) -> Vector3<f32> {
    let across = a.radii.across + b.radii.across;
    let along = a.radii.along + b.radii.along;
    let axis = a.up + b.up;
    let squared = axis.norm_squared();
    if squared == 0.0 {
        return offset / offset.norm();
    }
    let rise = axis * (offset.dot(&axis) / squared);
    let gradient = (offset - rise) / (across * across) + rise / (along * along);
    gradient / gradient.norm()
}

/// One Newton step of `f` along its steepest great circle.
fn climb(a: &Form, b: &Form, offset: Vector3<f32>, normal: Vector3<f32>) -> Vector3<f32> {
    let (touch_a, touch_b) = (a.touch(normal), b.touch(normal));
    let gradient = offset - (touch_a + touch_b);
    let height = normal.dot(&gradient);
    let tangent = gradient - normal * height;
    let slope = tangent.norm();
    if slope == 0.0 {
        return normal;
    }
    let direction = tangent / slope;
    let bend = a.bend(normal, direction) + b.bend(normal, direction);
    // Inside, the height is negative; half the bend keeps the step uphill however deep they are.
    let curvature = (height + bend).max(0.5 * bend);
    let step = (slope / curvature).min(0.5);
    let turned = normal + direction * step;
    turned / turned.norm()
}

/// The quadratic form of an ellipsoid of revolution: `support(n)^2 = across^2 + (along^2 - across^2) (n . up)^2`.
struct Form {
    up: Vector3<f32>,
    across: f32,
    excess: f32,
}

impl Form {
    fn of(body: &Body) -> Self {
        let across = body.radii.across * body.radii.across;
        Self {
            up: body.up,
            across,
            excess: body.radii.along * body.radii.along - across,
        }
    }

    fn support(&self, normal: Vector3<f32>) -> f32 {
        self.between(normal, normal).sqrt()
    }

    /// The point of the surface, from the centre, whose normal this is.
    fn touch(&self, normal: Vector3<f32>) -> Vector3<f32> {
        self.apply(normal) / self.support(normal)
    }

    /// Radius of curvature of the surface at `normal` in the plane of `direction`.
    fn bend(&self, normal: Vector3<f32>, direction: Vector3<f32>) -> f32 {
        let support = self.support(normal);
        let mixed = self.between(normal, direction) / support;
        (self.between(direction, direction) - mixed * mixed) / support
    }

    fn between(&self, a: Vector3<f32>, b: Vector3<f32>) -> f32 {
        self.across * a.dot(&b) + self.excess * (a.dot(&self.up) * b.dot(&self.up))
    }

    fn apply(&self, normal: Vector3<f32>) -> Vector3<f32> {
        normal * self.across + self.up * (self.excess * normal.dot(&self.up))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mover::Radii;
    use crate::position::Position;
    use nalgebra::Point3;

    fn body(x: f64, y: f64, z: f64, across: f32, along: f32, up: Vector3<f32>) -> Body {
        Body {
            position: Position::from_metres(Point3::new(x, y, z)),
            radii: Radii::new(across, along),
            up: up.normalize(),
        }
    }

    /// The largest `f` over a fine net of normals, in `f64`.
    fn brute_force(a: &Body, b: &Body) -> f64 {
        let offset = (a.position.to_metres() - b.position.to_metres()).map(|c| c);
        let support = |body: &Body, n: Vector3<f64>| {
            let along = n.dot(&body.up.cast());
            let radii = (f64::from(body.radii.across), f64::from(body.radii.along));
            (radii.0.powi(2) * (1.0 - along * along) + radii.1.powi(2) * along * along).sqrt()
        };
        let value = |n: Vector3<f64>| n.dot(&offset) - support(a, n) - support(b, n);
        let mut best = (f64::MIN, Vector3::zeros());
        for i in 0..=200 {
            for j in 0..400 {
                let (u, v) = (f64::from(i) / 200.0, f64::from(j) / 400.0);
                let (polar, turn) = (u * std::f64::consts::PI, v * std::f64::consts::TAU);
                let n = Vector3::new(
                    polar.sin() * turn.cos(),
                    polar.cos(),
                    polar.sin() * turn.sin(),
                );
                if value(n) > best.0 {
                    best = (value(n), n);
                }
            }
        }
        for size in [1e-2, 1e-3, 1e-4, 1e-5] {
            for _ in 0..40 {
                for axis in 0..3 {
                    for sign in [-size, size] {
                        let mut n = best.1;
                        n[axis] += sign;
                        let n = n.normalize();
                        if value(n) > best.0 {
                            best = (value(n), n);
                        }
                    }
                }
            }
        }
        best.0
    }

    #[test]
    fn spheres_are_apart_by_the_distance_of_their_centres() {
        let a = body(0.0, 0.0, 0.0, 0.5, 0.5, Vector3::y());
        let b = body(3.0, 0.0, 4.0, 1.0, 1.0, Vector3::y());
        let gap = separate(&a, &b);
        assert!((gap.distance - 3.5).abs() < 1e-5);
        assert!((gap.normal - Vector3::new(-0.6, 0.0, -0.8)).norm() < 1e-5);
    }

    #[test]
    fn shallow_and_touching_pairs_agree_with_brute_force() {
        let ups = [Vector3::y(), Vector3::new(1.0, 2.0, 0.5), Vector3::x()];
        for (i, up) in ups.into_iter().enumerate() {
            for (dx, dy) in [
                (0.82, 0.1),
                (0.75, 0.4),
                (0.3, 1.55),
                (0.6, -1.2),
                (1.4, 1.0),
            ] {
                for radii in [(0.4, 0.9), (0.3, 0.5), (0.6, 0.3)] {
                    let a = body(dx, dy, 0.2 * i as f64, 0.4, 0.9, Vector3::y());
                    let b = body(0.0, 0.0, 0.0, radii.0, radii.1, up);
                    let (found, exact) = (separate(&a, &b), brute_force(&a, &b));
                    let error = (f64::from(found.distance) - exact).abs();
                    if exact > -0.2 {
                        assert!(error < 2e-4, "{found:?} {exact} {radii:?} {dx} {dy} {up}");
                    }
                    assert!(f64::from(found.distance) <= exact + 1e-5);
                }
            }
        }
    }

    #[test]
    fn who_is_not_within_reach_is_found_nowhere_nearer() {
        let b = body(0.0, 0.0, 0.0, 0.4, 0.9, Vector3::new(0.2, 1.0, 0.0));
        for step in 0..400 {
            let turn = f64::from(step) * 0.31;
            let (far, high) = (0.5 + f64::from(step % 20) * 0.05, f64::from(step % 7) * 0.3);
            let a = body(
                far * turn.sin(),
                high,
                far * turn.cos(),
                0.3,
                0.8,
                Vector3::y(),
            );
            let found = separate(&a, &b);
            for reach in [-0.05, 0.0, 0.01, 0.3] {
                let near = separate_within(&a, &b, reach);
                assert_eq!(
                    near,
                    (found.distance < reach).then_some(found),
                    "{far} {high}"
                );
            }
        }
    }

    #[test]
    fn swapping_the_two_turns_the_normal_round_to_the_bit() {
        let a = body(0.31, 0.17, -0.4, 0.4, 0.9, Vector3::y());
        let b = body(-0.2, 0.9, 0.1, 0.3, 0.5, Vector3::new(0.3, 1.0, 0.0));
        let (there, back) = (separate(&a, &b), separate(&b, &a));
        assert_eq!(there.distance.to_bits(), back.distance.to_bits());
        assert_eq!(there.normal, -back.normal);
    }

    #[test]
    fn equal_centres_have_no_way_out() {
        let a = body(5.0, 5.0, 5.0, 0.4, 0.9, Vector3::y());
        assert_eq!(separate(&a, &a).normal, Vector3::zeros());
    }
}
