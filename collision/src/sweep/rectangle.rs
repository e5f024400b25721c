//! Moving sphere or ellipsoid against an axis-aligned rectangle: one division and two interval tests.
//!
//! The scale of a squash is diagonal, so a rectangle stays one and never needs to become triangles. The
//! rectangle alone is solid on one side and has no rim, as on a merged surface whose edges are listed apart;
//! the quad adds its four edges and corners and equals the same surface as two triangles.

use nalgebra::Vector3;

use super::hit::{Feature, SweepHit, earliest};
use super::shape::{Ellipsoid, Rectangle, Sphere};
use super::squash::Squash;
use super::triangle::sweep_rim;

/// When and where the moved-out face is entered, from a mover that starts in front.
fn enter_face(mover: &Sphere, motion: &Vector3<f32>, face: &Rectangle) -> Option<SweepHit> {
    let axis = face.axis;
    let distance = (mover.center[axis] - face.min[axis]) * face.sign;
    let approach = -motion[axis] * face.sign;
    let meets = distance >= 0.0 && approach > 0.0 && motion.norm_squared() > 0.0;
    if !meets {
        return None;
    }
    let mut time = ((distance - mover.radius) / approach).max(0.0);
    // A face may be entered sideways by a mover that is already within reach of its plane.
    let mut leave = (distance / approach).min(1.0);
    for across in [(axis + 1) % 3, (axis + 2) % 3] {
        let start = mover.center[across];
        let (near, far) = (face.min[across] - start, face.max[across] - start);
        let speed = motion[across];
        if speed == 0.0 {
            let beside = near > 0.0 || far < 0.0;
            if beside {
                return None;
            }
            continue;
        }
        let (enter, exit) = if speed > 0.0 {
            (near, far)
        } else {
            (far, near)
        };
        time = time.max(enter / speed);
        leave = leave.min(exit / speed);
    }
    (time <= leave).then(|| face_hit(mover, motion, face, time))
}

fn face_hit(mover: &Sphere, motion: &Vector3<f32>, face: &Rectangle, time: f32) -> SweepHit {
    let center = mover.center + motion * time;
    let mut point = center.sup(&face.min).inf(&face.max);
    point[face.axis] = face.min[face.axis];
    SweepHit {
        time,
        point,
        normal: face.normal(),
        feature: Feature::Face(0),
    }
}

/// A moving sphere against the front of a rectangle, without its rim.
///
/// A mover within reach of the plane that slides in over the rim is hit as its center crosses it.
///
/// ```
/// use collision::sweep::{Rectangle, Sphere, sweep_sphere_rectangle};
/// use nalgebra::Vector3;
///
/// let floor = Rectangle { axis: 1, sign: 1.0, min: Vector3::zeros(), max: Vector3::new(4.0, 0.0, 4.0) };
/// let ball = Sphere { center: Vector3::new(1.0, 3.0, 1.0), radius: 1.0 };
/// let hit = sweep_sphere_rectangle(&ball, &Vector3::new(0.0, -4.0, 0.0), &floor);
/// assert_eq!(hit.map(|hit| hit.time), Some(0.5));
/// ```
pub fn sweep_sphere_rectangle(
    mover: &Sphere,
    motion: &Vector3<f32>,
    face: &Rectangle,
) -> Option<SweepHit> {
    enter_face(mover, motion, face)
}

/// A moving sphere against a rectangle with its rim: nine parts, the smallest time wins.
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
    let face = enter_face(mover, motion, quad);
    if distance <= mover.radius && lies_over(mover, quad) {
        return face;
    }
    earliest(face, sweep_rim(mover, motion, &quad.corners()), motion)
}

/// Whether the center lies straight in front of the rectangle.
fn lies_over(mover: &Sphere, face: &Rectangle) -> bool {
    [(face.axis + 1) % 3, (face.axis + 2) % 3]
        .into_iter()
        .all(|across| (face.min[across]..=face.max[across]).contains(&mover.center[across]))
}

/// A moving ellipsoid against the front of a rectangle, without its rim.
pub fn sweep_ellipsoid_rectangle(
    mover: &Ellipsoid,
    motion: &Vector3<f32>,
    face: &Rectangle,
) -> Option<SweepHit> {
    let squash = Squash::of(&mover.radii);
    let hit = enter_face(
        &squash.mover(mover),
        &squash.squash(motion),
        &squash_face(&squash, face),
    )?;
    Some(squash.unsquash_hit(&hit))
}

/// A moving ellipsoid against a rectangle with its rim.
pub fn sweep_ellipsoid_quad(
    mover: &Ellipsoid,
    motion: &Vector3<f32>,
    quad: &Rectangle,
) -> Option<SweepHit> {
    let squash = Squash::of(&mover.radii);
    let squashed = squash_face(&squash, quad);
    let hit = sweep_sphere_quad(&squash.mover(mover), &squash.squash(motion), &squashed)?;
    Some(squash.unsquash_hit(&hit))
}

fn squash_face(squash: &Squash, face: &Rectangle) -> Rectangle {
    Rectangle {
        min: squash.squash(&face.min),
        max: squash.squash(&face.max),
        ..*face
    }
}
