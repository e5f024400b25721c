//! Ellipsoid against ellipsoid, exactly: space is squashed until the mover is a sphere, and its center then
//! runs against the resting ellipsoid grown by that sphere.

use nalgebra::Vector3;

use super::hit::{Feature, SweepHit};
use super::offset::enter_offset;
use super::shape::{Ellipsoid, Sphere};
use super::sphere::sweep_point_sphere;
use super::squash::Squash;

/// A moving ellipsoid against a resting one, both along the axes of the frame.
///
/// They stop exactly where they touch: they never overlap by more than rounding, and no gap is left.
///
/// ```
/// use collision::sweep::{Ellipsoid, sweep_ellipsoid_ellipsoid};
/// use nalgebra::Vector3;
///
/// let radii = Vector3::new(0.5, 1.0, 0.5);
/// let standing = Ellipsoid { center: Vector3::zeros(), radii };
/// let walking = Ellipsoid { center: Vector3::new(3.0, 0.0, 0.0), radii };
/// let hit = sweep_ellipsoid_ellipsoid(&walking, &Vector3::new(-4.0, 0.0, 0.0), &standing);
/// let hit = hit.expect("it walks straight at it");
/// assert!((hit.time - 0.5).abs() < 1e-6 && (hit.normal - Vector3::x()).norm() < 1e-6);
/// ```
pub fn sweep_ellipsoid_ellipsoid(
    mover: &Ellipsoid,
    motion: &Vector3<f32>,
    resting: &Ellipsoid,
) -> Option<SweepHit> {
    let squash = Squash::of(&mover.radii);
    let offset = squash.squash(&(mover.center - resting.center));
    let radii = squash.squash(&resting.radii);
    let entry = enter_offset(&offset, &squash.squash(motion), &radii, squash.radius)?;
    Some(SweepHit {
        time: entry.time,
        point: resting.center + squash.unsquash(&entry.point),
        normal: squash.unsquash_normal(&entry.normal),
        feature: Feature::Face(0),
    })
}

/// A moving ellipsoid against a resting sphere.
pub fn sweep_ellipsoid_sphere(
    mover: &Ellipsoid,
    motion: &Vector3<f32>,
    sphere: &Sphere,
) -> Option<SweepHit> {
    sweep_ellipsoid_ellipsoid(mover, motion, &Ellipsoid::from(*sphere))
}

/// A moving sphere against a resting ellipsoid.
pub fn sweep_sphere_ellipsoid(
    mover: &Sphere,
    motion: &Vector3<f32>,
    resting: &Ellipsoid,
) -> Option<SweepHit> {
    let offset = mover.center - resting.center;
    let entry = enter_offset(&offset, motion, &resting.radii, mover.radius)?;
    let point = resting.center + entry.point;
    Some(SweepHit {
        time: entry.time,
        point,
        normal: entry.normal,
        feature: Feature::Face(0),
    })
}

/// A moving point against a resting ellipsoid.
pub fn sweep_point_ellipsoid(
    point: &Vector3<f32>,
    motion: &Vector3<f32>,
    resting: &Ellipsoid,
) -> Option<SweepHit> {
    let squash = Squash::of(&resting.radii);
    let center = squash.squash(&resting.center);
    let ball = Sphere {
        center,
        radius: squash.radius,
    };
    let hit = sweep_point_sphere(&squash.squash(point), &squash.squash(motion), &ball)?;
    Some(squash.unsquash_hit(&hit))
}

impl From<Sphere> for Ellipsoid {
    /// An ellipsoid of equal radii.
    fn from(sphere: Sphere) -> Self {
        Self {
            center: sphere.center,
            radii: Vector3::repeat(sphere.radius),
        }
    }
}
