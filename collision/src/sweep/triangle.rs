//! Moving point, sphere or ellipsoid against a triangle: a ray against the seven parts of the grown
//! triangle, which are its face moved out by the radius, a cylinder about each edge and a sphere about each
//! corner. The smallest time wins.
//!
//! The face is asked first: where the path enters the moved face, nothing can come earlier. A triangle
//! without area has no face, but its edges and corners still stop the mover.

use nalgebra::Vector3;

use super::cylinder::enter_side;
use super::hit::{Feature, SweepHit, earliest};
use super::shape::{Ellipsoid, Sides, Sphere, Triangle};
use super::sphere::{enter_sphere, round_hit};
use super::squash::Squash;
use crate::tolerance::{SWEEP_FLAT_SQUARED, SWEEP_PARALLEL_SQUARED, SWEEP_SEAM};

/// A moving point against a triangle.
pub fn sweep_point_triangle(
    point: &Vector3<f32>,
    motion: &Vector3<f32>,
    triangle: &Triangle,
) -> Option<SweepHit> {
    sweep_sphere_triangle(
        &Sphere {
            center: *point,
            radius: 0.0,
        },
        motion,
        triangle,
    )
}

/// A moving sphere against a triangle.
///
/// ```
/// use collision::sweep::{Feature, Sides, Sphere, Triangle, sweep_sphere_triangle};
/// use nalgebra::Vector3;
///
/// let floor = Triangle {
///     corners: [Vector3::zeros(), Vector3::new(0.0, 0.0, 4.0), Vector3::new(4.0, 0.0, 0.0)],
///     sides: Sides::Front,
/// };
/// let ball = Sphere { center: Vector3::new(1.0, 3.0, 1.0), radius: 1.0 };
/// let hit = sweep_sphere_triangle(&ball, &Vector3::new(0.0, -4.0, 0.0), &floor).expect("it falls on it");
/// assert_eq!((hit.time, hit.normal, hit.feature), (0.5, Vector3::y(), Feature::Face(0)));
/// ```
pub fn sweep_sphere_triangle(
    mover: &Sphere,
    motion: &Vector3<f32>,
    triangle: &Triangle,
) -> Option<SweepHit> {
    let moves = motion.norm_squared() > 0.0;
    if !moves {
        return None;
    }
    match collide_face(mover, motion, triangle) {
        FaceVerdict::Hit(hit) => Some(hit),
        FaceVerdict::OutOfReach => None,
        FaceVerdict::AskRim => sweep_rim(mover, motion, &triangle.corners),
    }
}

/// A moving ellipsoid against a triangle.
pub fn sweep_ellipsoid_triangle(
    mover: &Ellipsoid,
    motion: &Vector3<f32>,
    triangle: &Triangle,
) -> Option<SweepHit> {
    let squash = Squash::of(&mover.radii);
    let squashed = Triangle {
        corners: triangle.corners.map(|c| squash.squash(&c)),
        ..*triangle
    };
    let hit = sweep_sphere_triangle(&squash.mover(mover), &squash.squash(motion), &squashed)?;
    Some(squash.unsquash_hit(&hit))
}

/// What the face alone can tell.
enum FaceVerdict {
    Hit(SweepHit),
    /// The path ends before the plane, starts behind it, or leaves the face.
    OutOfReach,
    /// The plane is reached beside the face, or there is no plane.
    AskRim,
}

fn collide_face(mover: &Sphere, motion: &Vector3<f32>, triangle: &Triangle) -> FaceVerdict {
    let Some(mut normal) = front_normal(triangle) else {
        return FaceVerdict::AskRim;
    };
    let mut distance = normal.dot(&(mover.center - triangle.corners[0]));
    let mut approach = -normal.dot(motion);
    let behind = distance < 0.0 || (distance == 0.0 && approach < 0.0);
    if triangle.sides == Sides::Both && behind {
        (normal, distance, approach) = (-normal, -distance, -approach);
    }
    let leaves = approach < 0.0 && triangle.sides == Sides::Front;
    let gap = distance - mover.radius;
    if distance < 0.0 || leaves || gap > approach.max(0.0) {
        return FaceVerdict::OutOfReach;
    }
    let approaches = approach > 0.0;
    let time = if approaches {
        (gap / approach).max(0.0)
    } else {
        0.0
    };
    let center = mover.center + motion * time;
    let point = center - normal * normal.dot(&(center - triangle.corners[0]));
    match (covers(triangle, &point), approaches) {
        (true, true) => FaceVerdict::Hit(SweepHit {
            time,
            point,
            normal,
            feature: Feature::Face(0),
        }),
        (true, false) => FaceVerdict::OutOfReach,
        (false, _) => FaceVerdict::AskRim,
    }
}

/// Unit normal of the front, or `None` when the triangle is so thin that rounding decides its direction.
fn front_normal(triangle: &Triangle) -> Option<Vector3<f32>> {
    let [a, b, c] = triangle.corners;
    let (ab, ac, bc) = (b - a, c - a, c - b);
    let normal = ab.cross(&ac);
    let longest = ab
        .norm_squared()
        .max(ac.norm_squared())
        .max(bc.norm_squared());
    let area_squared = normal.norm_squared();
    let has_area = area_squared > SWEEP_FLAT_SQUARED * longest * longest && area_squared > 0.0;
    has_area.then(|| normal / area_squared.sqrt())
}

/// Whether a point of the plane lies on the face, its rim and a sliver beyond it included.
fn covers(triangle: &Triangle, point: &Vector3<f32>) -> bool {
    let [a, b, c] = triangle.corners;
    let normal = (b - a).cross(&(c - a));
    let slack = -SWEEP_SEAM * normal.norm_squared();
    [(a, b), (b, c), (c, a)]
        .iter()
        .all(|(start, end)| normal.dot(&(end - start).cross(&(point - start))) >= slack)
}

/// The round parts of a flat shape with these corners in turn: a cylinder an edge and a sphere a corner.
/// One that overlaps from the start is judged by its nearest part alone, so that leaving it is free.
pub(super) fn sweep_rim<const N: usize>(
    mover: &Sphere,
    motion: &Vector3<f32>,
    corners: &[Vector3<f32>; N],
) -> Option<SweepHit> {
    let nearest = closest_on_rim(&mover.center, corners);
    if (mover.center - nearest.point).norm_squared() <= mover.radius * mover.radius {
        let turned_away = match nearest.feature {
            Feature::Edge(index) => {
                let index = usize::from(index);
                across_edge(motion, &(corners[(index + 1) % N] - corners[index]))?
            }
            _ => *motion,
        };
        enter_sphere(&(mover.center - nearest.point), &turned_away, mover.radius)?;
        return Some(round_hit(
            &mover.center,
            &nearest.point,
            0.0,
            0.0,
            motion,
            nearest.feature,
        ));
    }
    (0..N).fold(None, |best, index| {
        let (start, end) = (&corners[index], &corners[(index + 1) % N]);
        let corner = sweep_corner(mover, motion, start, index as u8);
        let edge = sweep_segment(mover, motion, start, end, index as u8);
        earliest(earliest(best, edge, motion), corner, motion)
    })
}

/// The part of a motion that an edge can turn away; `None` where it runs along the edge but for rounding.
pub(super) fn across_edge(motion: &Vector3<f32>, axis: &Vector3<f32>) -> Option<Vector3<f32>> {
    let along = axis * (motion.dot(axis) / axis.norm_squared());
    let across = motion - along;
    let crosses = across.norm_squared() > SWEEP_PARALLEL_SQUARED * motion.norm_squared();
    crosses.then_some(across)
}

struct RimPoint {
    point: Vector3<f32>,
    feature: Feature,
}

fn closest_on_rim<const N: usize>(to: &Vector3<f32>, corners: &[Vector3<f32>; N]) -> RimPoint {
    let mut best = RimPoint {
        point: corners[0],
        feature: Feature::Corner(0),
    };
    let mut least = (to - best.point).norm_squared();
    for index in 0..N {
        let (start, end) = (corners[index], corners[(index + 1) % N]);
        let axis = end - start;
        let (along, length_squared) = ((to - start).dot(&axis), axis.norm_squared());
        let found = if 0.0 < along && along < length_squared {
            let point = start + axis * (along / length_squared);
            RimPoint {
                point,
                feature: Feature::Edge(index as u8),
            }
        } else {
            RimPoint {
                point: start,
                feature: Feature::Corner(index as u8),
            }
        };
        let distance = (to - found.point).norm_squared();
        if distance < least {
            (best, least) = (found, distance);
        }
    }
    best
}

/// Moving sphere against an edge without its ends.
pub(super) fn sweep_segment(
    mover: &Sphere,
    motion: &Vector3<f32>,
    start: &Vector3<f32>,
    end: &Vector3<f32>,
    index: u8,
) -> Option<SweepHit> {
    let axis = end - start;
    let entry = enter_side(&(mover.center - start), motion, &axis, mover.radius)?;
    let center = mover.center + motion * entry.time;
    let middle = start + axis * entry.along;
    Some(round_hit(
        &center,
        &middle,
        0.0,
        entry.time,
        motion,
        Feature::Edge(index),
    ))
}

/// Moving sphere against a single point.
pub(super) fn sweep_corner(
    mover: &Sphere,
    motion: &Vector3<f32>,
    corner: &Vector3<f32>,
    index: u8,
) -> Option<SweepHit> {
    let time = enter_sphere(&(mover.center - corner), motion, mover.radius)?;
    let center = mover.center + motion * time;
    Some(round_hit(
        &center,
        corner,
        0.0,
        time,
        motion,
        Feature::Corner(index),
    ))
}
