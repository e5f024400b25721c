//! Brute force in `f64`: all shapes are convex, so the distance along a straight path is a convex
//! function of time. Thirds bracket its minimum, halves the first contact.

use nalgebra::Vector3;

use super::super::SweepHit;

pub(super) type Point = Vector3<f64>;

pub(super) fn wide(vector: &Vector3<f32>) -> Point {
    vector.map(f64::from)
}

/// Returns the distance from a point to a triangle, by its barycentric regions.
pub(super) fn distance_to_triangle(p: &Point, [a, b, c]: &[Point; 3]) -> f64 {
    let normal = (b - a).cross(&(c - a));
    let rim = [(a, b), (b, c), (c, a)].map(|(s, e)| distance_to_segment(p, s, e));
    let rim = rim.into_iter().fold(f64::MAX, f64::min);
    if normal.norm() < 1e-12 {
        return rim;
    }
    let inside = [(a, b), (b, c), (c, a)]
        .iter()
        .all(|(s, e)| normal.dot(&(*e - *s).cross(&(p - *s))) >= 0.0);
    if inside {
        rim.min(((p - a).dot(&normal) / normal.norm()).abs())
    } else {
        rim
    }
}

pub(super) fn distance_to_segment(p: &Point, start: &Point, end: &Point) -> f64 {
    let axis = end - start;
    let share = if axis.norm_squared() > 0.0 {
        (p - start).dot(&axis) / axis.norm_squared()
    } else {
        0.0
    };
    (p - start - axis * share.clamp(0.0, 1.0)).norm()
}

pub(super) fn distance_to_box(p: &Point, min: &Point, max: &Point) -> f64 {
    (p - p.sup(min).inf(max)).norm()
}

/// Returns the distance from a point to a solid ellipsoid about the origin: bisection for the
/// multiplier.
pub(super) fn distance_to_ellipsoid(p: &Point, radii: &Point) -> f64 {
    let inside = p.component_div(radii).norm() <= 1.0;
    if inside {
        return 0.0;
    }
    let (mut low, mut high) = (0.0, p.norm() * radii.max());
    for _ in 0..90 {
        let middle = (low + high) * 0.5;
        let sum: f64 = (0..3)
            .map(|i| (radii[i] * p[i] / (radii[i] * radii[i] + middle)).powi(2))
            .sum();
        if sum > 1.0 {
            low = middle
        } else {
            high = middle
        }
    }
    let nearest = Point::from_fn(|i, _| radii[i] * radii[i] * p[i] / (radii[i] * radii[i] + low));
    (p - nearest).norm()
}

/// Returns the time in `0..=1` of the least value of a convex function.
pub(super) fn closest_time(distance: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..70 {
        let (a, b) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
        if distance(a) <= distance(b) {
            high = b
        } else {
            low = a
        }
    }
    (low + high) * 0.5
}

/// Compares a hit with the truth: no hit where the shape is missed by more than `slack`, no miss
/// where it is hit deeper than `slack`, and a contact distance right to `slack`. `gap` is distance
/// minus radius over time.
pub(super) fn agrees(hit: Option<SweepHit>, gap: impl Fn(f64) -> f64, slack: f64, case: &str) {
    let nearest = closest_time(&gap);
    let depth = -gap(nearest);
    match hit {
        None => {
            let free = depth <= slack || gap(0.0) <= slack && nearest < 1e-6;
            assert!(
                free,
                "{case}: missed by the sweep, {depth} deep at {nearest}, starts {} away",
                gap(0.0)
            );
        }
        Some(hit) => {
            let time = f64::from(hit.time);
            assert!(
                depth >= -slack,
                "{case}: hit at {time}, but it passes {} away",
                -depth
            );
            let starts_inside = gap(0.0) <= slack;
            let at = gap(time);
            assert!(
                at.abs() <= slack || starts_inside,
                "{case}: touches at {time} with a gap of {at}"
            );
            assert!(
                time <= nearest + slack || starts_inside,
                "{case}: hit at {time}, after the closest approach at {nearest}"
            );
            assert!(
                (hit.normal.norm() - 1.0).abs() < 1e-5,
                "{case}: normal {}",
                hit.normal
            );
        }
    }
}
