//! A moving sphere against flat shapes: a rectangle along the axes, alone or with its rim, and a
//! triangle.
//!
//! The rectangle alone is solid on one side and has no rim, as on a merged surface whose edges are
//! listed apart; the quad adds its four edges and corners and equals the same surface as two
//! triangles. A needle (a triangle no higher than [`crate::tolerance::NEEDLE`] of its longest side)
//! has no face, but its edges and corners still stop, from all sides.

use nalgebra::Vector3;

use super::hit::{Feature, SweepHit, earliest};
use super::round::{part_between, sweep_rim};
use super::shape::{Rectangle, Sides, Sphere, Triangle};
use crate::kernels::Way;
use crate::kernels::block::{Part, Ray};
use crate::kernels::facet::Face;

/// Sweeps a sphere against the front of a rectangle, without its rim.
///
/// A mover within reach of the plane that slides in over the rim is hit as its center crosses it.
///
/// ```
/// use collision::sweep::{Rectangle, Sphere, sweep_sphere_rectangle};
/// use nalgebra::Vector3;
///
/// let (min, max) = (Vector3::zeros(), Vector3::new(4.0, 0.0, 4.0));
/// let floor = Rectangle { axis: 1, sign: 1.0, min, max };
/// let ball = Sphere { center: Vector3::new(1.0, 3.0, 1.0), radius: 1.0 };
/// let hit = sweep_sphere_rectangle(&ball, &Vector3::new(0.0, -4.0, 0.0), &floor);
/// assert_eq!(hit.map(|hit| hit.time), Some(0.5));
/// ```
pub fn sweep_sphere_rectangle(
    mover: &Sphere,
    motion: &Vector3<f32>,
    face: &Rectangle,
) -> Option<SweepHit> {
    let time = if overlaps(mover, face) {
        let enters = motion[face.axis] * face.sign < 0.0 && motion.norm_squared() > 0.0;
        enters.then_some(0.0)?
    } else {
        let flat = [0, 1, 2].map(|axis| axis == face.axis);
        let part = Part {
            radius: mover.radius,
            approach: 0.0,
            sign: face.sign,
            ..part_between(&face.min, &face.max, flat, motion)
        };
        let ray = Ray::new(mover.center.into(), (*motion).into());
        part.enter(&ray).time()?
    };
    let mut point = (mover.center + motion * time).sup(&face.min).inf(&face.max);
    point[face.axis] = face.min[face.axis];
    Some(SweepHit {
        time,
        point,
        normal: face.normal(),
        feature: Feature::Face(0),
    })
}

/// Returns whether a sphere overlaps a face from straight in front of it.
fn overlaps(mover: &Sphere, face: &Rectangle) -> bool {
    let distance = (mover.center[face.axis] - face.min[face.axis]) * face.sign;
    let over =
        |across: usize| (face.min[across]..=face.max[across]).contains(&mover.center[across]);
    (0.0..=mover.radius).contains(&distance)
        && over((face.axis + 1) % 3)
        && over((face.axis + 2) % 3)
}

/// Sweeps a sphere against a rectangle with its rim: nine parts, the earliest hit counts.
pub fn sweep_sphere_quad(
    mover: &Sphere,
    motion: &Vector3<f32>,
    quad: &Rectangle,
) -> Option<SweepHit> {
    let distance = (mover.center[quad.axis] - quad.min[quad.axis]) * quad.sign;
    let approach = -motion[quad.axis] * quad.sign;
    let reaches = distance >= 0.0 && approach >= 0.0 && distance - mover.radius <= approach;
    if !reaches {
        return None;
    }
    let face = sweep_sphere_rectangle(mover, motion, quad);
    if overlaps(mover, quad) {
        return face;
    }
    earliest(face, sweep_rim(mover, motion, &quad.corners()), motion)
}

/// Sweeps a sphere against a triangle: its face and, where that is not hit first, its three edges
/// and corners.
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
/// let hit = sweep_sphere_triangle(&ball, &Vector3::new(0.0, -4.0, 0.0), &floor);
/// let hit = hit.expect("it falls on it");
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
    let rim = || sweep_rim(mover, motion, &triangle.corners);
    let Some(mut face) = Face::new(triangle.corners) else {
        return rim();
    };
    let (height, leaving) = (face.height(&mover.center), face.normal().dot(motion) > 0.0);
    let behind = height < 0.0 || (height == 0.0 && leaving);
    if triangle.sides == Sides::Both && behind {
        face = face.turned_over(triangle.corners);
    }
    let (height, approach) = (face.height(&mover.center), -face.normal().dot(motion));
    let leaves = approach < 0.0 && triangle.sides == Sides::Front;
    let gap = height - mover.radius;
    if height < 0.0 || leaves || gap > approach.max(0.0) {
        return None;
    }
    let way = Way::new(mover.center.into(), (*motion).into(), mover.radius);
    let Some(time) = face.enter(&way, 1.0).time() else {
        let over = face.depth(&mover.center, mover.radius) >= 0.0;
        return if over { None } else { rim() };
    };
    let center = mover.center + motion * time;
    let hit = Some(SweepHit {
        time,
        point: center - face.normal() * face.height(&center),
        normal: face.normal(),
        feature: Feature::Face(0),
    });
    // No part is hit before the plane moved out by the radius; a ball that enters over a side has
    // met the rim there.
    if time <= (gap / approach).max(0.0) {
        hit
    } else {
        earliest(hit, rim(), motion)
    }
}
