//! Moving point, sphere or ellipsoid against a solid axis-aligned box: its faces that oppose the motion, its
//! edges and its corners.
//!
//! A mover whose center starts inside is hit at once if it moves deeper, seen from the nearest face; on the
//! way out it is free.

use nalgebra::Vector3;

use super::convex::{sweep_sphere_corner, sweep_sphere_edge};
use super::hit::{Feature, SweepHit, earliest};
use super::rectangle::sweep_sphere_rectangle;
use super::shape::{AxisBox, Ellipsoid, Sphere};
use super::squash::Squash;

/// A moving point against a solid box.
pub fn sweep_point_box(
    point: &Vector3<f32>,
    motion: &Vector3<f32>,
    solid: &AxisBox,
) -> Option<SweepHit> {
    sweep_sphere_box(
        &Sphere {
            center: *point,
            radius: 0.0,
        },
        motion,
        solid,
    )
}

/// A moving sphere against a solid box.
///
/// ```
/// use collision::sweep::{AxisBox, Feature, Sphere, sweep_sphere_box};
/// use nalgebra::Vector3;
///
/// let voxel = AxisBox { min: Vector3::zeros(), max: Vector3::repeat(1.0) };
/// let ball = Sphere { center: Vector3::new(0.5, 3.0, 0.5), radius: 1.0 };
/// let hit = sweep_sphere_box(&ball, &Vector3::new(0.0, -2.0, 0.0), &voxel).expect("it falls on it");
/// assert_eq!((hit.time, hit.feature), (0.5, Feature::Face(3)));
/// ```
pub fn sweep_sphere_box(
    mover: &Sphere,
    motion: &Vector3<f32>,
    solid: &AxisBox,
) -> Option<SweepHit> {
    let center = &mover.center;
    if solid.min < *center && *center < solid.max {
        return leave_box(mover, motion, solid);
    }
    let mut best = None;
    for (index, face) in solid.faces().iter().enumerate() {
        let hit = sweep_sphere_rectangle(mover, motion, face);
        best = earliest(best, tagged(hit, Feature::Face(index as u8)), motion);
    }
    for (index, edge) in solid.edges().iter().enumerate() {
        let hit = sweep_sphere_edge(mover, motion, edge);
        best = earliest(best, tagged(hit, Feature::Edge(index as u8)), motion);
    }
    for (index, corner) in solid.corners().iter().enumerate() {
        let hit = sweep_sphere_corner(mover, motion, corner);
        best = earliest(best, tagged(hit, Feature::Corner(index as u8)), motion);
    }
    best
}

/// A moving ellipsoid against a solid box.
pub fn sweep_ellipsoid_box(
    mover: &Ellipsoid,
    motion: &Vector3<f32>,
    solid: &AxisBox,
) -> Option<SweepHit> {
    let squash = Squash::of(&mover.radii);
    let squashed = AxisBox {
        min: squash.squash(&solid.min),
        max: squash.squash(&solid.max),
    };
    let hit = sweep_sphere_box(&squash.mover(mover), &squash.squash(motion), &squashed)?;
    Some(squash.unsquash_hit(&hit))
}

fn tagged(hit: Option<SweepHit>, feature: Feature) -> Option<SweepHit> {
    hit.map(|hit| SweepHit { feature, ..hit })
}

/// The answer for a center inside: a hit on the nearest face unless the motion leads out through it.
fn leave_box(mover: &Sphere, motion: &Vector3<f32>, solid: &AxisBox) -> Option<SweepHit> {
    let depth =
        |face: &super::Rectangle| (face.min[face.axis] - mover.center[face.axis]) * face.sign;
    let faces = solid.faces();
    let nearest = (0..6).min_by(|&a, &b| depth(&faces[a]).total_cmp(&depth(&faces[b])))?;
    let face = &faces[nearest];
    let deeper = motion[face.axis] * face.sign < 0.0;
    deeper.then(|| {
        let mut point = mover.center;
        point[face.axis] = face.min[face.axis];
        SweepHit {
            time: 0.0,
            point,
            normal: face.normal(),
            feature: Feature::Face(nearest as u8),
        }
    })
}
