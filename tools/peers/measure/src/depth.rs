//! Penetration depth of a body in solid voxels, by brute force in `f64`, with the same measure for
//! every shape.
//!
//! The depth is that of the deepest solid point: its distance from the surface of the body. All
//! three bodies are widest about their centre, so the deepest point of a voxel is the nearest to
//! the centre on each axis.

use crate::ground::Ground;
use crate::peer::{Body, HALF_HEIGHT, HALF_SEGMENT, RADIUS};

/// Returns the depth in metres; 0 for a free body, infinity for a centre that is not finite.
pub fn depth(ground: &Ground, body: Body, center: [f32; 3]) -> f64 {
    if !center.iter().all(|value| value.is_finite()) {
        return f64::INFINITY;
    }
    let (radius, high) = (f64::from(RADIUS), f64::from(HALF_HEIGHT));
    let solids = ground.solids_near(center.map(f64::from), [radius, high, radius]);
    let of_solid = |solid: [[f64; 2]; 3]| {
        let [x, y, z] = solid.map(beside);
        match body {
            Body::Ellipsoid => in_ellipsoid(x.hypot(z), y),
            Body::Capsule => radius - x.hypot(z).hypot((y - f64::from(HALF_SEGMENT)).max(0.0)),
            Body::Box => (radius - x).min(high - y).min(radius - z),
        }
    };
    solids.map(of_solid).fold(0.0, f64::max)
}

/// Returns the distance of zero from an interval.
fn beside([from, to]: [f64; 2]) -> f64 {
    from.max(-to).max(0.0)
}

/// Returns the depth of a point in the ellipsoid, from its distance to the upright axis and its
/// height from the centre; 0 outside.
///
/// The nearest point of an ellipse is (a² x / s, b² y / (s + b² - a²)) for the one s at which it
/// lies on the ellipse, after Eberly, "Distance from a Point to an Ellipse".
fn in_ellipsoid(across: f64, along: f64) -> f64 {
    const HALVINGS: usize = 64;
    let (a, b) = (f64::from(RADIUS), f64::from(HALF_HEIGHT));
    // On the axis the formula would be 0 / 0.
    let across = across.max(1e-9);
    let nearest = |s: f64| {
        let grown = s + b * b - a * a;
        [a * a * across / s, b * b * along / grown]
    };
    let is_out = |[x, y]: [f64; 2]| (x / a).powi(2) + (y / b).powi(2) > 1.0;
    if is_out([across, along]) {
        return 0.0;
    }
    let (mut low, mut high) = (0.0, a * a);
    for _ in 0..HALVINGS {
        let middle = (low + high) / 2.0;
        if is_out(nearest(middle)) {
            low = middle;
        } else {
            high = middle;
        }
    }
    let [x, y] = nearest(high);
    (x - across).hypot(y - along)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BODIES: [Body; 3] = [Body::Ellipsoid, Body::Capsule, Body::Box];
    const SUNK: f32 = 0.08;

    /// Makes a ground of eight metres each way, solid below `top` and beyond `wall`, in metres.
    fn ground(top: i32, wall: i32) -> Ground {
        Ground::new([8, 8, 8], 1.0, |[x, y, _]| y < top || x >= wall)
    }

    fn check(ground: &Ground, center: [f32; 3], wanted: f64) {
        for body in BODIES {
            let found = depth(ground, body, center);
            assert!(
                (found - wanted).abs() < 1e-5,
                "{body:?} at {center:?}: {found}, not {wanted}"
            );
        }
    }

    #[test]
    fn bodies_sunk_into_a_floor_are_as_deep_as_they_sank() {
        let floor = ground(2, 8);
        check(
            &floor,
            [4.5, 2.0 + HALF_HEIGHT - SUNK, 4.5],
            f64::from(SUNK),
        );
        check(
            &floor,
            [4.0, 2.0 + HALF_HEIGHT - SUNK, 4.0],
            f64::from(SUNK),
        );
        check(&floor, [4.5, 2.0 + HALF_HEIGHT + SUNK, 4.5], 0.0);
    }

    #[test]
    fn bodies_pushed_into_a_wall_are_as_deep_as_they_were_pushed() {
        let wall = ground(0, 6);
        check(&wall, [6.0 - RADIUS + SUNK, 4.5, 4.5], f64::from(SUNK));
        check(&wall, [6.0 - RADIUS - SUNK, 4.5, 4.5], 0.0);
    }

    #[test]
    fn nowhere_is_inside() {
        let air = Ground::new([8, 8, 8], 1.0, |_| false);
        check(&air, [4.0; 3], 0.0);
        let lost = |body| depth(&air, body, [4.0, f32::NAN, 4.0]) == f64::INFINITY;
        assert!(BODIES.into_iter().all(lost));
    }

    #[test]
    fn ellipsoid_depth_is_the_distance_to_the_nearest_of_many_points() {
        let (a, b) = (f64::from(RADIUS), f64::from(HALF_HEIGHT));
        for (across, along) in [(0.0, 0.2), (0.1, 0.0), (0.2, 0.6), (0.05, 0.85), (0.3, 0.5)] {
            let points =
                (0..=100_000).map(|step| f64::from(step) * 1e-5 * std::f64::consts::FRAC_PI_2);
            let nearest = points
                .map(|angle| (a * angle.cos() - across).hypot(b * angle.sin() - along))
                .fold(f64::INFINITY, f64::min);
            let found = in_ellipsoid(across, along);
            assert!((found - nearest).abs() < 1e-8, "{found}, not {nearest}");
        }
    }
}
