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
use super::sphere::{enter_sphere, round_hit};
use super::squash::Squash;
use super::triangle::across_edge;

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
    let nearest = center.sup(&solid.min).inf(&solid.max);
    let overlaps = (center - nearest).norm_squared() <= mover.radius * mover.radius;
    if overlaps {
        return collide_overlap(mover, motion, solid, &nearest);
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

/// The answer for an overlap from outside: only the nearest part counts, so that leaving is free.
fn collide_overlap(
    mover: &Sphere,
    motion: &Vector3<f32>,
    solid: &AxisBox,
    nearest: &Vector3<f32>,
) -> Option<SweepHit> {
    let feature = feature_at(solid, nearest);
    if let Feature::Face(index) = feature {
        // A face is flat, however near the centre is to it, and however flat the motion.
        let face = &solid.faces()[usize::from(index)];
        let mut normal = Vector3::zeros();
        normal[face.axis] = face.sign;
        let enters = motion.dot(&normal) < 0.0 && motion.norm_squared() > 0.0;
        return enters.then_some(SweepHit {
            time: 0.0,
            normal,
            point: *nearest,
            feature,
        });
    }
    if mover.center == *nearest {
        return enter_from_rim(motion, solid, nearest);
    }
    let turned_away = match feature {
        Feature::Edge(index) => {
            let mut axis = Vector3::zeros();
            axis[usize::from(index / 4)] = 1.0;
            across_edge(motion, &axis)?
        }
        _ => *motion,
    };
    enter_sphere(&(mover.center - nearest), &turned_away, mover.radius)?;
    Some(round_hit(&mover.center, nearest, 0.0, 0.0, motion, feature))
}

/// The answer for a centre on an edge or a corner itself: a hit on the face that opposes the motion most, if it leads in through all of them.
fn enter_from_rim(
    motion: &Vector3<f32>,
    solid: &AxisBox,
    center: &Vector3<f32>,
) -> Option<SweepHit> {
    let faces = solid.faces();
    let lies_on = |face: &super::Rectangle| center[face.axis] == face.min[face.axis];
    let inward = |face: &super::Rectangle| -motion[face.axis] * face.sign;
    let met = (0..6).filter(|&index| lies_on(&faces[index]));
    let deepest = met
        .clone()
        .max_by(|&a, &b| inward(&faces[a]).total_cmp(&inward(&faces[b])))?;
    let enters =
        motion.norm_squared() > 0.0 && met.clone().all(|index| inward(&faces[index]) > 0.0);
    enters.then(|| SweepHit {
        time: 0.0,
        point: *center,
        normal: faces[deepest].normal(),
        feature: Feature::Face(deepest as u8),
    })
}

/// The part of the box's surface on which a point lies.
fn feature_at(solid: &AxisBox, point: &Vector3<f32>) -> Feature {
    let at = |axis: usize, level: &Vector3<f32>| point[axis] == level[axis];
    let on: [bool; 3] = std::array::from_fn(|axis| at(axis, &solid.min) || at(axis, &solid.max));
    let upper = |axis: usize| u8::from(at(axis, &solid.max));
    match on.iter().filter(|&&on| on).count() {
        3 => Feature::Corner(upper(0) + 2 * upper(1) + 4 * upper(2)),
        2 => {
            let along = (0..3).find(|&axis| !on[axis]).unwrap_or(0);
            let (b, c) = ((along + 1) % 3, (along + 2) % 3);
            Feature::Edge(along as u8 * 4 + upper(b) + 2 * upper(c))
        }
        _ => {
            let across = (0..3).find(|&axis| on[axis]).unwrap_or(0);
            Feature::Face(across as u8 * 2 + upper(across))
        }
    }
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
    let deeper = motion[face.axis] * face.sign < 0.0 && motion.norm_squared() > 0.0;
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
