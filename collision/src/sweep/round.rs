//! A moving sphere against round shapes: a sphere, the side of a cylinder, a convex edge or corner.
//!
//! In the kernels, a ball deep in another shape may go on where it presses in by no more than
//! rounding. Against a lone shape an overlap is tested first: it stops the ball unless the ball
//! leaves or glides along.

use nalgebra::Vector3;

use super::hit::{Feature, SweepHit};
use super::shape::{ConvexCorner, ConvexEdge, Cylinder, Sphere};
use crate::kernels::block::{Part, Ray};
use crate::kernels::segment::Line;
use crate::kernels::{Way, enter_ball};
use crate::tolerance::{APPROACH, LEAN, MICRON, RIM, SWEEP_PARALLEL_SQUARED};

/// Returns whether a motion leads farther into an overlap; `offset` is the start from the nearest
/// point.
pub(super) fn presses(offset: &Vector3<f32>, motion: &Vector3<f32>) -> bool {
    let (approach, speed) = (-offset.dot(motion), motion.norm_squared());
    let graze = APPROACH * APPROACH * speed;
    approach > 0.0 && speed > 0.0 && approach * approach >= graze * offset.norm_squared()
}

/// Returns the hit on a round part of `radius` whose axis point nearest to the mover's center at
/// `time` is `middle`.
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

/// Sweeps a sphere against a resting one.
///
/// ```
/// use collision::sweep::{Sphere, sweep_sphere_sphere};
/// use nalgebra::Vector3;
///
/// let resting = Sphere { center: Vector3::zeros(), radius: 0.5 };
/// let ball = Sphere { center: Vector3::new(3.0, 0.0, 0.0), radius: 0.5 };
/// let hit = sweep_sphere_sphere(&ball, &Vector3::new(-4.0, 0.0, 0.0), &resting);
/// let hit = hit.expect("it flies straight at the middle");
/// assert_eq!((hit.time, hit.normal), (0.5, Vector3::x()));
/// ```
pub fn sweep_sphere_sphere(
    mover: &Sphere,
    motion: &Vector3<f32>,
    sphere: &Sphere,
) -> Option<SweepHit> {
    let (offset, reach) = (mover.center - sphere.center, mover.radius + sphere.radius);
    let time = if offset.norm_squared() <= reach * reach {
        presses(&offset, motion).then_some(0.0)?
    } else {
        let (to, reach) = ((-offset).into(), reach.max(MICRON));
        enter_ball(&to, reach, motion.as_ref(), motion.norm(), 1.0).time()?
    };
    let center = mover.center + motion * time;
    let (middle, face) = (&sphere.center, Feature::Face(0));
    Some(round_hit(
        &center,
        middle,
        sphere.radius,
        time,
        motion,
        face,
    ))
}

/// Sweeps a sphere against a convex corner.
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
    let point = Sphere {
        center: corner.point,
        radius: 0.0,
    };
    let feature = Feature::Corner(0);
    sweep_sphere_sphere(mover, motion, &point).map(|hit| SweepHit { feature, ..hit })
}

/// Sweeps a sphere against the side of a cylinder.
///
/// ```
/// use collision::sweep::{Cylinder, Sphere, sweep_sphere_cylinder};
/// use nalgebra::Vector3;
///
/// let pole = Cylinder { start: Vector3::zeros(), end: Vector3::new(0.0, 4.0, 0.0), radius: 0.5 };
/// let ball = Sphere { center: Vector3::new(3.0, 2.0, 0.0), radius: 0.5 };
/// let hit = sweep_sphere_cylinder(&ball, &Vector3::new(-4.0, 0.0, 0.0), &pole);
/// assert_eq!(hit.map(|hit| hit.point), Some(Vector3::new(0.5, 2.0, 0.0)));
/// ```
pub fn sweep_sphere_cylinder(
    mover: &Sphere,
    motion: &Vector3<f32>,
    cylinder: &Cylinder,
) -> Option<SweepHit> {
    let way = Way::new(mover.center.into(), (*motion).into(), mover.radius);
    sweep_side(mover, motion, cylinder, |line, reach| {
        line.enter(&way, reach, 1.0).time()
    })
}

/// Sweeps a sphere against a convex edge, without its ends.
pub fn sweep_sphere_edge(
    mover: &Sphere,
    motion: &Vector3<f32>,
    edge: &ConvexEdge,
) -> Option<SweepHit> {
    let rod = Cylinder {
        start: edge.min,
        end: edge.max,
        radius: 0.0,
    };
    let ray = Ray::new(mover.center.into(), (*motion).into());
    let hit = sweep_side(mover, motion, &rod, |_, reach| {
        let flat = [0, 1, 2].map(|axis| axis != edge.axis);
        let part = Part {
            radius: reach,
            approach: LEAN * reach,
            ..part_between(&edge.min, &edge.max, flat, motion)
        };
        part.enter(&ray).time()
    })?;
    let feature = Feature::Edge(0);
    Some(SweepHit { feature, ..hit })
}

/// Makes a part of no radius. Without motion along an axis its limits there are [`RIM`] wider, so
/// that they include points on them.
pub(super) fn part_between(
    min: &Vector3<f32>,
    max: &Vector3<f32>,
    flat: [bool; 3],
    motion: &Vector3<f32>,
) -> Part<f32> {
    let rim = [0, 1, 2].map(|axis| {
        let rests = !flat[axis] && motion[axis] == 0.0;
        if rests { RIM } else { 0.0 }
    });
    Part {
        min: (min - Vector3::from(rim)).into(),
        max: (max + Vector3::from(rim)).into(),
        flat,
        radius: 0.0,
        approach: 0.0,
        sign: 0.0,
    }
}

/// Returns the hit on a rod; `enter` gives the time for a mover that starts outside.
fn sweep_side(
    mover: &Sphere,
    motion: &Vector3<f32>,
    rod: &Cylinder,
    enter: impl Fn(&Line<f32>, f32) -> Option<f32>,
) -> Option<SweepHit> {
    let line = Line::new([rod.start, rod.end])?;
    let (aside, reach) = (line.aside(&mover.center), mover.radius + rod.radius);
    let overlaps = aside.norm_squared() <= reach * reach && line.is_beside(&mover.center);
    let time = if overlaps {
        let across = motion - line.along() * line.along().dot(motion);
        let crosses = across.norm_squared() > SWEEP_PARALLEL_SQUARED * motion.norm_squared();
        (crosses && presses(&aside, &across)).then_some(0.0)?
    } else {
        enter(&line, reach.max(MICRON))?
    };
    let center = mover.center + motion * time;
    let middle = center - line.aside(&center);
    let face = Feature::Face(0);
    Some(round_hit(&center, &middle, rod.radius, time, motion, face))
}

/// Sweeps a sphere against the round parts of a flat shape with these corners in turn: a cylinder
/// for each edge and a sphere for each corner. For an overlap at the start the nearest part alone
/// counts, so that leaving is free.
pub(super) fn sweep_rim<const N: usize>(
    mover: &Sphere,
    motion: &Vector3<f32>,
    corners: &[Vector3<f32>; N],
) -> Option<SweepHit> {
    let sweep = |part: Feature| {
        let hit = match part {
            Feature::Edge(index) => {
                let start = usize::from(index);
                let rod = Cylinder {
                    start: corners[start],
                    end: corners[(start + 1) % N],
                    radius: 0.0,
                };
                sweep_sphere_cylinder(mover, motion, &rod)
            }
            Feature::Corner(index) | Feature::Face(index) => {
                let point = corners[usize::from(index)];
                sweep_sphere_corner(mover, motion, &ConvexCorner { point })
            }
        };
        hit.map(|hit| SweepHit {
            feature: part,
            ..hit
        })
    };
    let (nearest, distance_squared) = nearest_part(&mover.center, corners);
    if distance_squared <= mover.radius * mover.radius {
        return sweep(nearest);
    }
    (0..N as u8)
        .flat_map(|index| [Feature::Edge(index), Feature::Corner(index)])
        .fold(None, |best, part| {
            super::earliest(best, sweep(part), motion)
        })
}

/// Returns the edge or corner nearest to a point, and the square of its distance.
fn nearest_part<const N: usize>(to: &Vector3<f32>, corners: &[Vector3<f32>; N]) -> (Feature, f32) {
    let mut best = (Feature::Corner(0), (to - corners[0]).norm_squared());
    for index in 0..N {
        let (start, end) = (corners[index], corners[(index + 1) % N]);
        let line = Line::new([start, end]).filter(|line| line.is_beside(to));
        let found = line.map_or(
            (Feature::Corner(index as u8), (to - start).norm_squared()),
            |line| {
                let aside = line.aside(to);
                (Feature::Edge(index as u8), aside.norm_squared())
            },
        );
        if found.1 < best.1 {
            best = found;
        }
    }
    best
}
