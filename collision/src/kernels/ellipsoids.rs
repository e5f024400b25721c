//! How far two ellipsoids are apart, or how deep they are in each other.
//!
//! Method: two convex bodies are apart along a unit normal `n` by `f(n) = n . d - h_a(n) - h_b(n)` with support functions `h`; the
//! signed distance is the largest `f` over all normals. For ellipsoids the supports are square roots of quadratic forms, and a few Newton
//! steps on the sphere find the maximum. Every `f(n)` is a lower bound of the distance, so stopping early errs to the safe side.
//! Swapping the two gives the same distance and the opposite normal, to the bit.

use crate::mover::{Body, Radii};
use crate::tolerance::{
    APPROACH, EXACT, LAST_STEP, REACH_MARGIN, SEPARATION_STEPS, SHORT_STEP, SWEEP_ADVANCES,
    SWEEP_HALVINGS, SWEEP_NEWTON_STEPS, SWEEP_TOUCH,
};
use nalgebra::{Matrix3, Vector3};

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
    let pair = Pair::of(a, b);
    if offset == Vector3::zeros() {
        pair.one_in_the_other()
    } else {
        pair.climb_from(offset, pair.first_guess(offset))
    }
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
    let pair = Pair::of(a, b);
    let found = if offset == Vector3::zeros() {
        pair.one_in_the_other()
    } else {
        let guess = pair.first_guess(offset);
        if pair.forms.gap(offset, guess) >= reach + EXACT {
            return None;
        }
        pair.climb_from(offset, guess)
    };
    (found.distance < reach).then_some(found)
}

/// Two ellipsoids, wherever they are: offsets are from the second centre to the first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Forms<F> {
    pub(crate) a: F,
    pub(crate) b: F,
}

/// Two ellipsoids of revolution.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pair {
    forms: Forms<Revolved>,
    /// Summed radii, and up axes.
    across: f32,
    along: f32,
    axis: Vector3<f32>,
}

impl Pair {
    #[inline]
    pub(crate) fn new([a, b]: [Radii; 2], ups: [Vector3<f32>; 2]) -> Self {
        Self {
            forms: Forms {
                a: Revolved::new(a, ups[0]),
                b: Revolved::new(b, ups[1]),
            },
            across: a.across + b.across,
            along: a.along + b.along,
            axis: ups[0] + ups[1],
        }
    }

    #[inline]
    fn of(a: &Body, b: &Body) -> Self {
        Self::new([a.radii, b.radii], [a.up, b.up])
    }

    /// Of equal centres.
    #[inline]
    fn one_in_the_other(&self) -> Separation {
        Separation {
            distance: -self.across,
            normal: Vector3::zeros(),
        }
    }

    #[inline]
    fn climb_from(&self, offset: Vector3<f32>, guess: Vector3<f32>) -> Separation {
        let (mut normal, mut last) = (guess, 0.0);
        for _ in 0..SEPARATION_STEPS {
            let step = self.forms.way_up(offset, normal);
            last = step.norm_squared();
            if last == 0.0 {
                break;
            }
            let turned = normal + step;
            normal = turned / turned.norm();
        }
        // Long and flat shapes askew take more steps, and some of them lead over the top.
        if last > LAST_STEP * LAST_STEP {
            return self.of_all_tops(offset, self.forms.climb_to_the_top(offset, normal));
        }
        self.of_all_tops(
            offset,
            Separation {
                distance: self.forms.gap(offset, normal),
                normal,
            },
        )
    }

    /// The highest of all tops, by what was found from the first guess: two that are apart have one only, two askew and in each other may
    /// have more.
    #[inline]
    fn of_all_tops(&self, offset: Vector3<f32>, found: Separation) -> Separation {
        if found.distance >= 0.0 || self.forms.a.up == self.forms.b.up {
            return found;
        }
        // Long ones that cross are least deep in each other across both.
        let across = self.forms.a.up.cross(&self.forms.b.up);
        let out = across * across.dot(&offset);
        let starts = [out.try_normalize(0.0), offset.try_normalize(0.0)];
        starts.into_iter().flatten().fold(found, |best, start| {
            let other = self.forms.climb_to_the_top(offset, start);
            if other.distance > best.distance {
                other
            } else {
                best
            }
        })
    }

    /// How deep they are in each other; of those that are not, no more than that.
    #[inline]
    pub(crate) fn depth(&self, offset: Vector3<f32>) -> f32 {
        let gap = self.forms.gap(offset, self.first_guess(offset));
        if gap > 0.0 {
            -gap
        } else {
            -self.nearest(offset).distance
        }
    }

    /// How they are apart, or in each other, as exactly as can be told.
    #[inline]
    pub(crate) fn nearest(&self, offset: Vector3<f32>) -> Separation {
        if offset == Vector3::zeros() {
            return self.one_in_the_other();
        }
        self.of_all_tops(
            offset,
            self.forms
                .climb_to_the_top(offset, self.first_guess(offset)),
        )
    }

    /// Whether the first is far from the second all along a way, as far as can be told at a guess.
    #[inline]
    pub(crate) fn stays_apart(&self, offset: Vector3<f32>, motion: Vector3<f32>) -> bool {
        let normal = self.first_guess(offset);
        self.forms
            .is_apart_along(normal, offset, motion, REACH_MARGIN)
    }

    /// [`Forms::enter`] of the two.
    #[inline]
    pub(crate) fn enter(
        &self,
        offset: Vector3<f32>,
        motion: Vector3<f32>,
        limit: f32,
    ) -> Option<f32> {
        if offset == Vector3::zeros() {
            return None;
        }
        let (guess, least) = (self.first_guess(offset), APPROACH * motion.norm());
        let size = 1.0 + self.across + self.along;
        let touch = self
            .forms
            .enter(offset, motion, limit, guess, size, least)?;
        Some(touch.time)
    }

    /// The normal at `offset` on the ellipsoid with summed radii: exact for equal shapes that touch.
    #[inline]
    fn first_guess(&self, offset: Vector3<f32>) -> Vector3<f32> {
        let (across, along) = (self.across, self.along);
        let squared = self.axis.norm_squared();
        if squared == 0.0 {
            return offset / offset.norm();
        }
        let rise = self.axis * (offset.dot(&self.axis) / squared);
        let gradient = (offset - rise) / (across * across) + rise / (along * along);
        gradient / gradient.norm()
    }
}

/// Where one ellipsoid is stopped by another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Touch {
    /// Share of the motion.
    pub(crate) time: f32,
    /// Unit normal, towards the one that moves.
    pub(crate) normal: Vector3<f32>,
}

impl<F: Form> Forms<F> {
    /// How far apart they are along a normal: the `f` of above.
    #[inline]
    fn gap(&self, offset: Vector3<f32>, normal: Vector3<f32>) -> f32 {
        normal.dot(&offset) - (self.a.support(normal) + self.b.support(normal))
    }

    /// The same for as long as it gets better, from a normal that may be near.
    #[inline]
    fn climb_to_the_top(&self, offset: Vector3<f32>, guess: Vector3<f32>) -> Separation {
        let at = |normal| Separation {
            distance: self.gap(offset, normal),
            normal,
        };
        let mut best = at(guess);
        for _ in 0..SWEEP_NEWTON_STEPS {
            // Where it bends less than it does here, a step leads over the top: then half as far.
            let mut step = self.way_to_the_top(offset, best.normal);
            let last = step.norm_squared() < SHORT_STEP * SHORT_STEP;
            let higher = (0..SWEEP_HALVINGS).find_map(|_| {
                let next = at((best.normal + step).normalize());
                step *= 0.5;
                (next.distance > best.distance).then_some(next)
            });
            let Some(higher) = higher else {
                break;
            };
            best = higher;
            if last {
                break;
            }
        }
        best
    }

    /// Whether the plane of a normal between the two is farther than `margin` all along a way.
    #[inline]
    fn is_apart_along(
        &self,
        normal: Vector3<f32>,
        offset: Vector3<f32>,
        motion: Vector3<f32>,
        margin: f32,
    ) -> bool {
        self.gap(offset, normal) > (-normal.dot(&motion)).max(0.0) + margin
    }

    /// When the first, on its way along `motion`, is stopped by the second: as a share of the motion, no later than `limit`.
    ///
    /// Each normal is that of a plane between the two: the first can go up to it and never beyond the true contact, and if it does not get
    /// there it gets nowhere. One that is in the other already is stopped where it presses farther in. The first plane is that of a guess; a
    /// millionth of `size` is no gap, and an approach of no more than `least` no touch.
    #[inline]
    pub(crate) fn enter(
        &self,
        offset: Vector3<f32>,
        motion: Vector3<f32>,
        limit: f32,
        guess: Vector3<f32>,
        size: f32,
        least: f32,
    ) -> Option<Touch> {
        let touch = SWEEP_TOUCH * size;
        let mut normal = guess;
        let mut time = 0.0;
        for _ in 0..SWEEP_ADVANCES {
            let here = offset + motion * time;
            if self.is_apart_along(normal, here, motion * (limit - time), 0.0) {
                return None;
            }
            let near = self.climb_to_the_top(here, normal);
            normal = near.normal;
            let approach = -normal.dot(&motion);
            if near.distance <= touch {
                return (approach > least).then_some(Touch { time, normal });
            }
            let approaches = approach > 0.0;
            if !approaches {
                return None;
            }
            time = (time + near.distance / approach).min(limit);
        }
        // It grazes: what is left to the contact has been halved as many times.
        (-normal.dot(&motion) > least).then_some(Touch { time, normal })
    }

    /// One Newton step of `f` along its steepest great circle, before it is bent to the sphere.
    #[inline]
    fn way_up(&self, offset: Vector3<f32>, normal: Vector3<f32>) -> Vector3<f32> {
        let (a, b) = (&self.a, &self.b);
        let (touch_a, touch_b) = (a.touch(normal), b.touch(normal));
        let gradient = offset - (touch_a + touch_b);
        let height = normal.dot(&gradient);
        let tangent = gradient - normal * height;
        let slope = tangent.norm();
        if slope == 0.0 {
            return Vector3::zeros();
        }
        let direction = tangent / slope;
        let bend = a.bend(normal, direction) + b.bend(normal, direction);
        // Inside, the height is negative; half the bend keeps the step uphill however deep they are.
        let curvature = (height + bend).max(0.5 * bend);
        direction * (slope / curvature).min(LONGEST_STEP)
    }

    /// A whole Newton step, also across the steepest circle: long and flat shapes askew bend little one way and much the other.
    fn way_to_the_top(&self, offset: Vector3<f32>, normal: Vector3<f32>) -> Vector3<f32> {
        let (a, b) = (&self.a, &self.b);
        let gradient = offset - (a.touch(normal) + b.touch(normal));
        let height = normal.dot(&gradient);
        let tangent = gradient - normal * height;
        let slope = tangent.norm();
        if slope == 0.0 {
            return Vector3::zeros();
        }
        let along = tangent / slope;
        let aside = normal.cross(&along);
        let bend = |p, q| a.bend_between(normal, p, q) + b.bend_between(normal, p, q);
        let (first, mixed, second) = (bend(along, along), bend(along, aside), bend(aside, aside));
        // Inside, the height is negative; half the least bend keeps the step uphill however deep they are.
        let half = 0.5 * (first - second);
        let least = 0.5 * (first + second) - (half * half + mixed * mixed).sqrt();
        let height = height.max(-0.5 * least);
        let (first, second) = (first + height, second + height);
        let share = slope / (first * second - mixed * mixed);
        let step = along * (share * second) - aside * (share * mixed);
        let length = step.norm();
        if length.is_finite() {
            step * (LONGEST_STEP / length.max(LONGEST_STEP))
        } else {
            self.way_up(offset, normal)
        }
    }
}

/// The longest step, in radians: farther away the bend is another.
const LONGEST_STEP: f32 = 0.5;

/// The quadratic form of an ellipsoid: the square of its support function.
pub(crate) trait Form {
    /// The form of two directions.
    fn between(&self, a: Vector3<f32>, b: Vector3<f32>) -> f32;

    /// Half the gradient.
    fn apply(&self, normal: Vector3<f32>) -> Vector3<f32>;

    #[inline]
    fn support(&self, normal: Vector3<f32>) -> f32 {
        self.between(normal, normal).sqrt()
    }

    /// The point of the surface, from the centre, whose normal this is.
    #[inline]
    fn touch(&self, normal: Vector3<f32>) -> Vector3<f32> {
        self.apply(normal) / self.support(normal)
    }

    /// Radius of curvature of the surface at `normal` in the plane of `direction`.
    #[inline]
    fn bend(&self, normal: Vector3<f32>, direction: Vector3<f32>) -> f32 {
        let support = self.support(normal);
        let mixed = self.between(normal, direction) / support;
        (self.between(direction, direction) - mixed * mixed) / support
    }

    /// The same as a form of two directions.
    fn bend_between(&self, normal: Vector3<f32>, p: Vector3<f32>, q: Vector3<f32>) -> f32 {
        let support = self.support(normal);
        let mixed = self.between(normal, p) * self.between(normal, q);
        (self.between(p, q) - mixed / (support * support)) / support
    }
}

/// Of an ellipsoid of revolution: `support(n)^2 = across^2 + (along^2 - across^2) (n . up)^2`.
#[derive(Clone, Copy, Debug)]
struct Revolved {
    up: Vector3<f32>,
    across: f32,
    excess: f32,
}

impl Revolved {
    #[inline]
    fn new(radii: Radii, up: Vector3<f32>) -> Self {
        let across = radii.across * radii.across;
        Self {
            up,
            across,
            excess: radii.along * radii.along - across,
        }
    }
}

impl Form for Revolved {
    #[inline]
    fn between(&self, a: Vector3<f32>, b: Vector3<f32>) -> f32 {
        self.across * a.dot(&b) + self.excess * (a.dot(&self.up) * b.dot(&self.up))
    }

    #[inline]
    fn apply(&self, normal: Vector3<f32>) -> Vector3<f32> {
        normal * self.across + self.up * (self.excess * normal.dot(&self.up))
    }
}

/// Of any ellipsoid, disc or ball.
impl Form for Matrix3<f32> {
    fn between(&self, a: Vector3<f32>, b: Vector3<f32>) -> f32 {
        a.dot(&(self * b))
    }

    fn apply(&self, normal: Vector3<f32>) -> Vector3<f32> {
        self * normal
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mover::trial::{Dice, gap_by_force};
    use crate::position::Position;
    use crate::sweep::{Ellipsoid, sweep_ellipsoid_ellipsoid};
    use nalgebra::Point3;

    fn body(x: f64, y: f64, z: f64, across: f32, along: f32, up: Vector3<f32>) -> Body {
        Body {
            position: Position::from_metres(Point3::new(x, y, z)),
            radii: Radii::new(across, along),
            up: up.normalize(),
        }
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
                    let (found, exact) = (separate(&a, &b), gap_by_force(&a, &b));
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
    fn long_and_flat_pairs_agree_with_brute_force_too() {
        let mut dice = Dice(11);
        let mut compared = 0;
        for case in 0..400 {
            let mut any = |from: Vector3<f32>| {
                let up = dice.vector();
                let radii = [0.1 + 0.5 * dice.share(), 0.3 + 4.0 * dice.share()];
                let [across, along] = [radii, [radii[1], radii[0]]][case % 2];
                let at = (from + dice.vector() * 2.0).cast::<f64>();
                body(at.x, at.y, at.z, across, along, up)
            };
            let (a, b) = (any(Vector3::new(2.0, 1.0, -2.0)), any(Vector3::zeros()));
            let (far, exact) = (separate(&a, &b), gap_by_force(&a, &b));
            assert!(f64::from(far.distance) <= exact + 1e-5);
            if exact > 0.0 {
                let least = 0.98 * exact;
                assert!(
                    f64::from(far.distance) > least,
                    "case {case}: {far:?} for {exact}"
                );
            }
            let way = far.normal * (0.1 * (dice.share() - 0.5) - far.distance);
            let a = moved(&a, way);
            let (near, exact) = (separate(&a, &b), gap_by_force(&a, &b));
            if exact > -0.1 {
                let error = (f64::from(near.distance) - exact).abs();
                assert!(error < 2e-4, "case {case}: {near:?} for {exact}");
                compared += 1;
            }
        }
        assert!(compared > 350, "{compared}");
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

    /// Two of random shapes, the first on a way past the second.
    fn way_past(dice: &mut Dice, upright: bool) -> (Body, Body, Vector3<f32>) {
        let mut any = |from: Vector3<f32>| {
            let up = if upright { Vector3::y() } else { dice.vector() };
            let radii = [0.15, 0.15].map(|least| least + 1.2 * dice.share());
            let at = (from + dice.vector() * 0.5).cast::<f64>();
            body(at.x, at.y, at.z, radii[0], radii[1], up)
        };
        let (a, b) = (any(Vector3::new(4.0, 1.0, -2.0)), any(Vector3::zeros()));
        let aim = b.position.since(&a.position) + dice.vector() * 1.5;
        (a, b, aim * (0.5 + dice.share()))
    }

    fn moved(body: &Body, way: Vector3<f32>) -> Body {
        let position = body.position.moved(way);
        Body { position, ..*body }
    }

    #[test]
    fn way_ends_where_the_two_touch() {
        let mut dice = Dice(3);
        let (mut hits, mut misses) = (0, 0);
        for case in 0..300 {
            let (a, b, way) = way_past(&mut dice, case % 3 == 0);
            let pair = Pair::of(&a, &b);
            let time = pair.enter(a.position.since(&b.position), way, 1.0);
            for step in 0..12 {
                let share = time.unwrap_or(1.0) * step as f32 / 12.0;
                let gap = gap_by_force(&moved(&a, way * share), &b);
                assert!(gap > -3e-6, "case {case}: {gap} at {share} of {time:?}");
            }
            if let Some(time) = time {
                let gap = gap_by_force(&moved(&a, way * time), &b);
                assert!(gap.abs() < 6e-6, "case {case}: stopped {gap} before");
                hits += 1;
            } else {
                misses += 1;
            }
        }
        assert!(hits > 100 && misses > 50, "{hits} {misses}");
    }

    #[test]
    fn way_of_upright_ones_is_that_of_the_sweep() {
        let mut dice = Dice(5);
        let mut hits = 0;
        for case in 0..500 {
            let (a, b, way) = way_past(&mut dice, true);
            let offset = a.position.since(&b.position);
            let ellipsoid = |center, radii: Radii| Ellipsoid {
                center,
                radii: Vector3::new(radii.across, radii.along, radii.across),
            };
            let mover = ellipsoid(offset, a.radii);
            let hit =
                sweep_ellipsoid_ellipsoid(&mover, &way, &ellipsoid(Vector3::zeros(), b.radii));
            match (hit, Pair::of(&a, &b).enter(offset, way, 1.0)) {
                (None, None) => {}
                (Some(hit), Some(time)) => {
                    // What lies between two times of a grazing way is no depth.
                    let apart = (hit.time - time).abs() * -way.dot(&hit.normal);
                    assert!(apart < 1e-5, "case {case}: {} {time}", hit.time);
                    hits += 1;
                }
                (hit, time) => {
                    let normal = hit.map(|hit| -hit.normal.dot(&way) / way.norm());
                    let grazes = normal.is_some_and(|approach| approach < 2.0 * APPROACH);
                    assert!(grazes, "case {case}: {hit:?} {time:?}");
                }
            }
        }
        assert!(hits > 200, "{hits}");
    }

    #[test]
    fn who_is_inside_is_stopped_going_in_and_let_out() {
        let a = body(0.5, 0.2, 0.0, 0.4, 0.9, Vector3::y());
        let b = body(0.0, 0.0, 0.0, 0.3, 0.5, Vector3::new(0.2, 1.0, 0.0));
        let (pair, offset) = (Pair::of(&a, &b), a.position.since(&b.position));
        assert_eq!(pair.enter(offset, -Vector3::x(), 1.0), Some(0.0));
        assert_eq!(pair.enter(offset, Vector3::x(), 1.0), None);
        assert_eq!(pair.enter(Vector3::zeros(), Vector3::x(), 1.0), None);
        assert!((pair.nearest(offset).distance - separate(&a, &b).distance).abs() < 1e-3);
    }
}
