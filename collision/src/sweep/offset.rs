//! A moving point against the surface at a fixed distance from an ellipsoid: what remains of two ellipsoids
//! after one was squashed to a sphere. This is their exact Minkowski sum, not the ellipsoid of summed axes
//! (which lies inside it).
//!
//! Method: at the current point of the path find the closest point of the ellipsoid. The plane through the
//! grown surface there bounds the whole convex sum, so the path can advance to that plane and never beyond
//! the true contact. Repeat until the gap is closed. The closest point is one root of a concave rising
//! function, on which Newton's method from the left never overshoots (the secular equation of trust-region methods).

use nalgebra::Vector3;

use crate::tolerance::{SWEEP_ADVANCES, SWEEP_NEWTON_STEPS, SWEEP_TOUCH};

/// Entry of a path into the grown ellipsoid.
#[derive(Clone, Copy)]
pub(super) struct OffsetEntry {
    pub(super) time: f32,
    /// Outward unit normal there.
    pub(super) normal: Vector3<f32>,
    /// The closest point of the bare ellipsoid, relative to its center.
    pub(super) point: Vector3<f32>,
}

/// What the path sees of the ellipsoid from one of its points.
struct Closest {
    point: Vector3<f32>,
    normal: Vector3<f32>,
    /// Distance to the bare ellipsoid; negative inside.
    distance: f32,
}

/// Entry of `offset + time * motion` into the ellipsoid of `radii` about the origin grown by `reach`.
pub(super) fn enter_offset(
    offset: &Vector3<f32>,
    motion: &Vector3<f32>,
    radii: &Vector3<f32>,
    reach: f32,
) -> Option<OffsetEntry> {
    let mut time = start_time(offset, motion, radii.max() + reach)?;
    let tolerance = SWEEP_TOUCH * (reach + radii.max());
    let mut last = None;
    for _ in 0..SWEEP_ADVANCES {
        let closest = closest_on_ellipsoid(&(offset + motion * time), radii)?;
        let gap = closest.distance - reach;
        let approach = -closest.normal.dot(motion);
        let touch = OffsetEntry {
            time,
            normal: closest.normal,
            point: closest.point,
        };
        let approaches = approach > 0.0;
        if !approaches {
            // Past a plane that bounds everything. Within rounding of the surface it is a graze, not a miss,
            // only if it was still coming closer one advance ago.
            return last.filter(|_| gap <= tolerance);
        }
        if gap <= tolerance {
            return Some(touch);
        }
        time += gap / approach;
        let reaches = time <= 1.0;
        if !reaches {
            return None;
        }
        last = Some(touch);
    }
    last
}

/// Time at which the path enters the ball around everything, 0 when it starts there.
fn start_time(offset: &Vector3<f32>, motion: &Vector3<f32>, radius: f32) -> Option<f32> {
    let speed_squared = motion.norm_squared();
    let moves = speed_squared > 0.0 && offset.norm_squared() < f32::MAX;
    if !moves {
        return None;
    }
    if offset.norm() <= radius {
        return Some(0.0);
    }
    super::sphere::enter_sphere(offset, motion, radius)
}

/// Closest point of an ellipsoid to a point outside; inside, the point's own direction.
fn closest_on_ellipsoid(from: &Vector3<f32>, radii: &Vector3<f32>) -> Option<Closest> {
    let unit = from.component_div(radii);
    let scaled = unit.norm();
    if scaled <= 1.0 {
        return Some(closest_from_inside(&unit, scaled, radii));
    }
    let shift = solve_shift(from, radii);
    let squares = radii.component_mul(radii);
    let away = from.component_div(&squares.add_scalar(shift));
    let length = away.norm();
    let normal = away / length;
    let exists = length > 0.0 && length.is_finite();
    exists.then(|| Closest {
        point: squares.component_mul(&away),
        normal,
        distance: shift * length,
    })
}

/// Inside, only the side matters: the direction in which the ellipsoid is left, straight up from the center.
fn closest_from_inside(unit: &Vector3<f32>, scaled: f32, radii: &Vector3<f32>) -> Closest {
    let direction = if scaled > 0.0 {
        unit / scaled
    } else {
        Vector3::y()
    };
    let away = direction.component_div(radii);
    let normal = away / away.norm();
    let point = direction.component_mul(radii);
    let distance = (scaled - 1.0) * point.dot(&normal);
    Closest {
        point,
        normal,
        distance,
    }
}

/// The shift `s >= 0` for which `radii * from / (radii^2 + s)` has length 1.
fn solve_shift(from: &Vector3<f32>, radii: &Vector3<f32>) -> f32 {
    let squares = radii.component_mul(radii);
    let weighted = radii.component_mul(from);
    let mut shift = 0.0;
    for _ in 0..SWEEP_NEWTON_STEPS {
        // With v = weighted / (squares + shift), solve 1 / |v| = 1, which is concave in the shift.
        let grown = squares.add_scalar(shift);
        let value = weighted.component_div(&grown);
        let length = value.norm();
        let fall = value.dot(&value.component_div(&grown));
        let next = shift + (length - 1.0) * length * length / fall;
        let rises = next > shift;
        if !rises {
            break;
        }
        shift = next;
    }
    shift
}
