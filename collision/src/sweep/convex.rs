//! Moving sphere or ellipsoid against the convex edges and corners of a solid, as merged surfaces list them.
//!
//! Flat and concave edges are no shapes: they can not be touched before a face, and testing them would only
//! let rounding be felt as a seam.

use nalgebra::Vector3;

use super::hit::SweepHit;
use super::shape::{ConvexCorner, ConvexEdge, Ellipsoid, Sphere};
use super::squash::Squash;
use super::triangle::{sweep_corner, sweep_segment};

/// A moving sphere against a convex edge, without its ends.
pub fn sweep_sphere_edge(
    mover: &Sphere,
    motion: &Vector3<f32>,
    edge: &ConvexEdge,
) -> Option<SweepHit> {
    sweep_segment(mover, motion, &edge.min, &edge.max, 0)
}

/// A moving sphere against a convex corner.
///
/// ```
/// use collision::sweep::{ConvexCorner, Sphere, sweep_sphere_corner};
/// use nalgebra::Vector3;
///
/// let ball = Sphere { center: Vector3::new(3.0, 0.0, 0.0), radius: 1.0 };
/// let corner = ConvexCorner { point: Vector3::zeros() };
/// let hit = sweep_sphere_corner(&ball, &Vector3::new(-4.0, 0.0, 0.0), &corner);
/// assert_eq!(hit.map(|hit| hit.time), Some(0.5));
/// ```
pub fn sweep_sphere_corner(
    mover: &Sphere,
    motion: &Vector3<f32>,
    corner: &ConvexCorner,
) -> Option<SweepHit> {
    sweep_corner(mover, motion, &corner.point, 0)
}

/// A moving ellipsoid against a convex edge, without its ends.
pub fn sweep_ellipsoid_edge(
    mover: &Ellipsoid,
    motion: &Vector3<f32>,
    edge: &ConvexEdge,
) -> Option<SweepHit> {
    let squash = Squash::of(&mover.radii);
    let (start, end) = (squash.squash(&edge.min), squash.squash(&edge.max));
    let hit = sweep_segment(
        &squash.mover(mover),
        &squash.squash(motion),
        &start,
        &end,
        0,
    )?;
    Some(squash.unsquash_hit(&hit))
}

/// A moving ellipsoid against a convex corner.
pub fn sweep_ellipsoid_corner(
    mover: &Ellipsoid,
    motion: &Vector3<f32>,
    corner: &ConvexCorner,
) -> Option<SweepHit> {
    let squash = Squash::of(&mover.radii);
    let point = squash.squash(&corner.point);
    let hit = sweep_corner(&squash.mover(mover), &squash.squash(motion), &point, 0)?;
    Some(squash.unsquash_hit(&hit))
}
