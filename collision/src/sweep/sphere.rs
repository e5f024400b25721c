//! Moving point or sphere against a resting sphere: the point against a sphere of the summed radius.
//!
//! The discriminant is `a R^2 - |m x d|^2`, the squared miss distance against the squared radius: it keeps
//! its digits where `b^2 - a c` subtracts two large numbers.

use nalgebra::Vector3;

use super::hit::{Feature, SweepHit};
use super::shape::Sphere;
use crate::tolerance::APPROACH;

/// Time at which the point `offset + time * motion` enters a sphere of `radius` about the origin.
/// 0 when it starts inside and approaches the center; `None` when it recedes, glides along or passes by.
pub(super) fn enter_sphere(
    offset: &Vector3<f32>,
    motion: &Vector3<f32>,
    radius: f32,
) -> Option<f32> {
    let approach = -offset.dot(motion);
    let speed_squared = motion.norm_squared();
    let approaches = approach > 0.0 && speed_squared > 0.0;
    if !approaches {
        return None;
    }
    let distance = offset.norm();
    let graze_squared = APPROACH * APPROACH * speed_squared;
    if distance <= radius {
        let digs = approach * approach >= graze_squared * distance * distance;
        return digs.then_some(0.0);
    }
    let gap = (distance - radius) * (distance + radius);
    let reach_squared = radius * radius;
    let discriminant = speed_squared * reach_squared - offset.cross(motion).norm_squared();
    if discriminant >= graze_squared * reach_squared {
        within_motion(gap / (approach + discriminant.sqrt()))
    } else {
        None
    }
}

/// The time if it lies in the motion; NaN does not.
pub(super) fn within_motion(time: f32) -> Option<f32> {
    (0.0..=1.0).contains(&time).then_some(time)
}

/// The hit on a round part whose nearest point to the mover's center at `time` is `middle`, grown by `radius`.
pub(super) fn round_hit(
    center: &Vector3<f32>,
    middle: &Vector3<f32>,
    radius: f32,
    time: f32,
    motion: &Vector3<f32>,
    feature: Feature,
) -> SweepHit {
    let outward = center - middle;
    let length = outward.norm();
    let normal = if length > 0.0 {
        outward / length
    } else {
        -motion / motion.norm()
    };
    SweepHit {
        time,
        point: middle + normal * radius,
        normal,
        feature,
    }
}

/// A moving point against a sphere.
///
/// ```
/// use collision::sweep::{Sphere, sweep_point_sphere};
/// use nalgebra::Vector3;
///
/// let ball = Sphere { center: Vector3::zeros(), radius: 1.0 };
/// let hit = sweep_point_sphere(&Vector3::new(3.0, 0.0, 0.0), &Vector3::new(-4.0, 0.0, 0.0), &ball);
/// let hit = hit.expect("it flies straight at the middle");
/// assert_eq!((hit.time, hit.normal), (0.5, Vector3::x()));
/// ```
pub fn sweep_point_sphere(
    point: &Vector3<f32>,
    motion: &Vector3<f32>,
    sphere: &Sphere,
) -> Option<SweepHit> {
    sweep_sphere_sphere(
        &Sphere {
            center: *point,
            radius: 0.0,
        },
        motion,
        sphere,
    )
}

/// A moving sphere against a resting one.
pub fn sweep_sphere_sphere(
    mover: &Sphere,
    motion: &Vector3<f32>,
    sphere: &Sphere,
) -> Option<SweepHit> {
    let offset = mover.center - sphere.center;
    let time = enter_sphere(&offset, motion, mover.radius + sphere.radius)?;
    let center = mover.center + motion * time;
    Some(round_hit(
        &center,
        &sphere.center,
        sphere.radius,
        time,
        motion,
        Feature::Face(0),
    ))
}
