//! The distance between two ellipsoids, or the depth of their overlap.
//!
//! Method: two convex bodies are apart along a unit normal `n` by `f(n) = n . d - h_a(n) - h_b(n)`
//! with support functions `h`; the signed distance is the largest `f` over all normals. For
//! ellipsoids the supports are square roots of quadratic forms, and a few Newton steps on the
//! sphere find the maximum. Every `f(n)` is a lower bound of the distance, so stopping early errs
//! on the safe side. Swapping the two gives the same distance and the opposite normal, to the bit.

use crate::body::{Body, Radii};
use crate::tolerance::{
    APPROACH, EXACT, LAST_STEP, REACH_MARGIN, SEPARATION_STEPS, SHORT_STEP, SWEEP_ADVANCES,
    SWEEP_HALVINGS, SWEEP_NEWTON_STEPS, SWEEP_TOUCH,
};
use nalgebra::{Matrix3, Vector3};

#[cfg(test)]
#[path = "ellipsoids_tests.rs"]
mod tests;

/// The signed distance of two ellipsoids and the direction that separates them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Separation {
    /// Metres between the surfaces; the negated depth of an overlap.
    pub distance: f32,
    /// Unit normal from the second body to the first: moving the first along it parts them fastest.
    /// Zero for equal centres.
    pub normal: Vector3<f32>,
}

/// Returns the separation of `a` from `b`.
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

/// Returns the separation of `a` from `b` if they are closer than `reach` metres. Bounding spheres
/// or the first guess reject most pairs that are not.
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

/// Two ellipsoids at any places: offsets are from the second centre to the first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Forms<F> {
    pub(crate) a: F,
    pub(crate) b: F,
}

/// Two ellipsoids of revolution.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pair {
    forms: Forms<Revolved>,
    /// Summed radii, and the sum of the up axes.
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

    /// Returns the separation of equal centres.
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
        // Long and flat shapes askew take more steps, and some of those overshoot the maximum.
        if last > LAST_STEP * LAST_STEP {
            return self.highest_maximum(offset, self.forms.climb_to_the_top(offset, normal));
        }
        self.highest_maximum(
            offset,
            Separation {
                distance: self.forms.gap(offset, normal),
                normal,
            },
        )
    }

    /// Returns the highest maximum, given the one that the first guess led to: a separate pair has
    /// one, an overlapping pair askew may have more.
    #[inline]
    fn highest_maximum(&self, offset: Vector3<f32>, found: Separation) -> Separation {
        if found.distance >= 0.0 || self.forms.a.up == self.forms.b.up {
            return found;
        }
        // Long shapes that cross overlap least along the direction at right angles to both.
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

    /// Returns the depth of the overlap; for a separate pair, the negated lower bound of the gap.
    #[inline]
    pub(crate) fn depth(&self, offset: Vector3<f32>) -> f32 {
        let gap = self.forms.gap(offset, self.first_guess(offset));
        if gap > 0.0 {
            -gap
        } else {
            -self.nearest(offset).distance
        }
    }

    /// Returns the separation, as exactly as `f32` allows.
    #[inline]
    pub(crate) fn nearest(&self, offset: Vector3<f32>) -> Separation {
        if offset == Vector3::zeros() {
            return self.one_in_the_other();
        }
        self.highest_maximum(
            offset,
            self.forms
                .climb_to_the_top(offset, self.first_guess(offset)),
        )
    }

    /// Returns whether the plane of the first guess separates the two along a whole motion.
    #[inline]
    pub(crate) fn stays_apart(&self, offset: Vector3<f32>, motion: Vector3<f32>) -> bool {
        let normal = self.first_guess(offset);
        self.forms
            .is_apart_along(normal, offset, motion, REACH_MARGIN)
    }

    /// Returns the time of the contact of [`Forms::enter`].
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

    /// Returns the normal at `offset` on the ellipsoid with summed radii: exact for equal shapes
    /// that touch.
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

/// The contact at which one ellipsoid is stopped by another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Touch {
    /// Share of the motion.
    pub(crate) time: f32,
    /// Unit normal, towards the moving ellipsoid.
    pub(crate) normal: Vector3<f32>,
}

/// The change of the distance along a normal when the normal turns.
struct Slope {
    /// The distance of the two touching points along the normal.
    height: f32,
    /// The unit tangent of the steepest ascent.
    direction: Vector3<f32>,
    /// The ascent along it.
    slope: f32,
}

impl<F: Form> Forms<F> {
    /// Returns the distance along a normal: the `f` of the module header.
    #[inline]
    fn gap(&self, offset: Vector3<f32>, normal: Vector3<f32>) -> f32 {
        normal.dot(&offset) - (self.a.support(normal) + self.b.support(normal))
    }

    /// Climbs from a nearby normal to the maximum of the distance, as long as it grows.
    #[inline]
    fn climb_to_the_top(&self, offset: Vector3<f32>, guess: Vector3<f32>) -> Separation {
        let at = |normal| Separation {
            distance: self.gap(offset, normal),
            normal,
        };
        let mut best = at(guess);
        for _ in 0..SWEEP_NEWTON_STEPS {
            // With shrinking curvature, a step overshoots the maximum: halve it.
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

    /// Returns whether the distance along a normal stays above `margin` along a whole motion.
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

    /// Returns the contact at which the second ellipsoid stops the first, which moves along
    /// `motion`, no later than `limit`.
    ///
    /// Each normal belongs to a plane between the two. The first can move up to that plane without
    /// passing the true contact; where the motion does not reach it there is no contact. An overlap
    /// at the start stops a motion that leads farther in. `guess` is the first normal; a gap of a
    /// millionth of `size` counts as none, and an approach of no more than `least` is no contact.
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
        // A grazing contact: each advance has halved the rest of the gap.
        (-normal.dot(&motion) > least).then_some(Touch { time, normal })
    }

    /// Returns the slope of `f` at a normal; `None` at a maximum.
    #[inline]
    fn slope(&self, offset: Vector3<f32>, normal: Vector3<f32>) -> Option<Slope> {
        let gradient = offset - (self.a.touch(normal) + self.b.touch(normal));
        let height = normal.dot(&gradient);
        let tangent = gradient - normal * height;
        let slope = tangent.norm();
        (slope != 0.0).then(|| Slope {
            height,
            direction: tangent / slope,
            slope,
        })
    }

    /// Returns one Newton step of `f` along its steepest great circle, not yet bent to the sphere.
    #[inline]
    fn way_up(&self, offset: Vector3<f32>, normal: Vector3<f32>) -> Vector3<f32> {
        let Some(Slope {
            height,
            direction,
            slope,
        }) = self.slope(offset, normal)
        else {
            return Vector3::zeros();
        };
        let bend = self.a.bend(normal, direction) + self.b.bend(normal, direction);
        // In an overlap the height is negative; half the bend keeps the step uphill at any depth.
        let curvature = (height + bend).max(0.5 * bend);
        direction * (slope / curvature).min(LONGEST_STEP)
    }

    /// Returns a whole Newton step, also across the steepest circle: long and flat shapes askew
    /// bend little one way and much the other.
    fn way_to_the_top(&self, offset: Vector3<f32>, normal: Vector3<f32>) -> Vector3<f32> {
        let Some(Slope {
            height,
            direction: along,
            slope,
        }) = self.slope(offset, normal)
        else {
            return Vector3::zeros();
        };
        let (a, b) = (&self.a, &self.b);
        let aside = normal.cross(&along);
        let bend = |p, q| a.bend_between(normal, p, q) + b.bend_between(normal, p, q);
        let (first, mixed, second) = (bend(along, along), bend(along, aside), bend(aside, aside));
        // In an overlap the height is negative; half the least bend keeps the step uphill at any
        // depth.
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

/// The longest step, in radians: farther away the curvature differs.
const LONGEST_STEP: f32 = 0.5;

/// The quadratic form of an ellipsoid: the square of its support function.
pub(crate) trait Form {
    /// Returns the bilinear form of two directions.
    fn between(&self, a: Vector3<f32>, b: Vector3<f32>) -> f32;

    /// Returns half the gradient.
    fn apply(&self, normal: Vector3<f32>) -> Vector3<f32>;

    #[inline]
    fn support(&self, normal: Vector3<f32>) -> f32 {
        self.between(normal, normal).sqrt()
    }

    /// Returns the point of the surface with this normal, from the centre.
    #[inline]
    fn touch(&self, normal: Vector3<f32>) -> Vector3<f32> {
        self.apply(normal) / self.support(normal)
    }

    /// Returns the radius of curvature of the surface at `normal` in the plane of `direction`.
    #[inline]
    fn bend(&self, normal: Vector3<f32>, direction: Vector3<f32>) -> f32 {
        let support = self.support(normal);
        let mixed = self.between(normal, direction) / support;
        (self.between(direction, direction) - mixed * mixed) / support
    }

    /// Returns the curvature form of two directions.
    fn bend_between(&self, normal: Vector3<f32>, p: Vector3<f32>, q: Vector3<f32>) -> f32 {
        let support = self.support(normal);
        let mixed = self.between(normal, p) * self.between(normal, q);
        (self.between(p, q) - mixed / (support * support)) / support
    }
}

/// The form of an ellipsoid of revolution: `support(n)^2 = across^2 + (along^2 - across^2) (n .
/// up)^2`.
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

/// The form of any ellipsoid, disc or ball.
impl Form for Matrix3<f32> {
    fn between(&self, a: Vector3<f32>, b: Vector3<f32>) -> f32 {
        a.dot(&(self * b))
    }

    fn apply(&self, normal: Vector3<f32>) -> Vector3<f32> {
        self * normal
    }
}
