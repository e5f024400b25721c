//! A moving sphere against a solid axis-aligned box: its faces that oppose the motion, its edges
//! and its corners.
//!
//! A mover whose center starts inside is hit at once if it moves deeper, seen from the nearest
//! face; on the way out it is free.

use nalgebra::Vector3;

use super::flat::sweep_sphere_rectangle;
use super::hit::{Feature, SweepHit, earliest};
use super::round::{presses, round_hit, sweep_sphere_corner, sweep_sphere_edge};
use super::shape::{AxisBox, Rectangle, Sphere};

/// Sweeps a sphere against a solid box.
///
/// ```
/// use collision::sweep::{AxisBox, Feature, Sphere, sweep_sphere_box};
/// use nalgebra::Vector3;
///
/// let voxel = AxisBox { min: Vector3::zeros(), max: Vector3::repeat(1.0) };
/// let ball = Sphere { center: Vector3::new(0.5, 3.0, 0.5), radius: 1.0 };
/// let hit = sweep_sphere_box(&ball, &Vector3::new(0.0, -2.0, 0.0), &voxel);
/// let hit = hit.expect("it falls on it");
/// assert_eq!((hit.time, hit.feature), (0.5, Feature::Face(3)));
/// ```
pub fn sweep_sphere_box(
    mover: &Sphere,
    motion: &Vector3<f32>,
    solid: &AxisBox,
) -> Option<SweepHit> {
    let center = &mover.center;
    if solid.min <= *center && *center <= solid.max {
        return leave_box(center, motion, solid);
    }
    let nearest = center.sup(&solid.min).inf(&solid.max);
    if (center - nearest).norm_squared() <= mover.radius * mover.radius {
        return collide_overlap(center, motion, solid, &nearest);
    }
    let faces = solid
        .faces()
        .map(|face| sweep_sphere_rectangle(mover, motion, &face));
    let edges = solid
        .edges()
        .map(|edge| sweep_sphere_edge(mover, motion, &edge));
    let corners = solid
        .corners()
        .map(|it| sweep_sphere_corner(mover, motion, &it));
    let first = |hits: &[Option<SweepHit>], name: fn(u8) -> Feature| {
        let named = hits.iter().enumerate().map(|(index, hit)| {
            let feature = name(index as u8);
            hit.map(|hit| SweepHit { feature, ..hit })
        });
        named.fold(None, |best, hit| earliest(best, hit, motion))
    };
    let rim = earliest(
        first(&edges, Feature::Edge),
        first(&corners, Feature::Corner),
        motion,
    );
    earliest(first(&faces, Feature::Face), rim, motion)
}

/// Returns the hit of a sphere that overlaps the box from outside: only the nearest part counts, so
/// that leaving is free.
fn collide_overlap(
    center: &Vector3<f32>,
    motion: &Vector3<f32>,
    solid: &AxisBox,
    nearest: &Vector3<f32>,
) -> Option<SweepHit> {
    let beside = |axis: usize| center[axis] != nearest[axis];
    let upper = |axis: usize| u8::from(center[axis] > solid.max[axis]);
    let mut outside = (0..3).filter(|&axis| beside(axis));
    let across = Vector3::from_fn(|axis, _| if beside(axis) { motion[axis] } else { 0.0 });
    let offset = center - nearest;
    let feature = match (outside.next(), outside.next(), outside.next()) {
        (Some(axis), None, None) => Feature::Face(axis as u8 * 2 + upper(axis)),
        (Some(_), Some(_), None) => {
            let along = (0..3).find(|&axis| !beside(axis)).unwrap_or(0);
            let (b, c) = ((along + 1) % 3, (along + 2) % 3);
            Feature::Edge(along as u8 * 4 + upper(b) + 2 * upper(c))
        }
        _ => Feature::Corner(upper(0) + 2 * upper(1) + 4 * upper(2)),
    };
    // Across a face there is no direction to glide along, however flat the motion.
    let enters = motion.norm_squared() > 0.0 && presses(&offset, &across);
    enters.then(|| round_hit(center, nearest, 0.0, 0.0, motion, feature))
}

/// Returns the hit of a center inside or on the surface: one on a nearest face, unless the motion
/// leads out through one.
fn leave_box(center: &Vector3<f32>, motion: &Vector3<f32>, solid: &AxisBox) -> Option<SweepHit> {
    let faces = solid.faces();
    let depth = |face: &Rectangle| (face.min[face.axis] - center[face.axis]) * face.sign;
    let inward = |index: usize| -motion[faces[index].axis] * faces[index].sign;
    let least = faces.iter().map(depth).fold(f32::INFINITY, f32::min);
    let nearest = (0..6).filter(|&index| depth(&faces[index]) == least);
    let enters = motion.norm_squared() > 0.0 && nearest.clone().all(|index| inward(index) > 0.0);
    let deepest = nearest.max_by(|&a, &b| inward(a).total_cmp(&inward(b)))?;
    let face = &faces[deepest];
    let mut point = *center;
    point[face.axis] = face.min[face.axis];
    enters.then(|| SweepHit {
        time: 0.0,
        point,
        normal: face.normal(),
        feature: Feature::Face(deepest as u8),
    })
}
