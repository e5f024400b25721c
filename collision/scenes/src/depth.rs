//! The depth of an ellipsoid in solid boxes and triangles, by brute force in `f64`.
//!
//! Written differently from the mover on purpose: no faces, no edges, no sweeps, only closest
//! points in the space where the ellipsoid is a unit ball.

use nalgebra::{Matrix3, Vector3};

use super::ground::Stage;
use collision::candidates::Sides;
use collision::mover::Body;
use collision::position::Cell;
use collision::soup::TriangleSoup;
use collision::terrain::Terrain;

/// An ellipsoid about the origin, prepared for measuring.
pub struct Ellipsoid {
    /// Maps the ellipsoid to the unit ball.
    shrink: Matrix3<f64>,
    /// The inverse.
    grow: Matrix3<f64>,
    /// The greatest and the least of its radii.
    reach: f64,
    thin: f64,
    /// True where its axes are parallel to those of boxes.
    upright: bool,
}

impl Ellipsoid {
    /// Makes the ellipsoid of a body, about the origin.
    pub fn of(body: &Body) -> Self {
        let up: Vector3<f64> = body.up.cast();
        let (across, along) = (f64::from(body.radii.across), f64::from(body.radii.along));
        let stretch = |across: f64, along: f64| {
            Matrix3::identity() * across + up * up.transpose() * (along - across)
        };
        let shrink = stretch(1.0 / across, 1.0 / along);
        Self {
            shrink,
            grow: stretch(across, along),
            reach: across.max(along),
            thin: across.min(along),
            upright: shrink.upper_triangle() == shrink.lower_triangle(),
        }
    }

    /// Returns half the size of the box around it.
    pub fn half(&self) -> Vector3<f64> {
        Vector3::from_fn(|axis, _| self.grow.row(axis).norm())
    }

    /// Returns the least distance from the unit ball's centre at which no point is as deep as
    /// `least`.
    fn far(&self, least: f64) -> f64 {
        let radius = if least < 0.0 { self.thin } else { self.reach };
        (1.0 - least / radius).max(0.0)
    }

    /// Returns the depth of a point of the unit ball's space, in metres along the normal there;
    /// negative outside.
    fn depth_at(&self, scaled: &Vector3<f64>, least: f64) -> f64 {
        let (square, far) = (scaled.norm_squared(), self.far(least));
        if square > far * far {
            return least;
        }
        let distance = square.sqrt();
        if distance == 0.0 {
            return self.reach;
        }
        (1.0 - distance) / (self.shrink * (scaled / distance)).norm()
    }

    /// Returns the depth in a solid box, or `least` if that is deeper.
    pub fn depth_in_box(&self, min: &Vector3<f64>, max: &Vector3<f64>, least: f64) -> f64 {
        let nearest = Vector3::from_fn(|axis, _| 0.0_f64.clamp(min[axis], max[axis]));
        if nearest == Vector3::zeros() {
            return self.reach;
        }
        if self.upright {
            return self.depth_at(&(self.shrink * nearest), least).max(least);
        }
        // The box lies behind the plane through its nearest point; the ellipsoid may not reach that
        // plane.
        if nearest.norm_squared() > (self.grow * nearest).norm() * self.far(least) {
            return least;
        }
        let corner =
            |choice: usize| Vector3::from_fn(|axis, _| [min, max][choice >> axis & 1][axis]);
        BOX_TRIANGLES.iter().fold(least, |deepest, triangle| {
            self.depth_in_triangle(&triangle.map(corner), deepest)
        })
    }

    /// Returns the depth in a triangle without thickness, or `least` if that is deeper.
    pub fn depth_in_triangle(&self, corners: &[Vector3<f64>; 3], least: f64) -> f64 {
        let scaled = corners.map(|corner| self.shrink * corner);
        let [a, b, c] = scaled;
        let (normal, far) = ((b - a).cross(&(c - a)), self.far(least));
        if normal.dot(&a).powi(2) > normal.norm_squared() * far * far {
            return least;
        }
        let depth = self.depth_at(&closest_on_triangle(&scaled), least);
        depth.max(least)
    }
}

/// Corners of the triangles around a box; bits choose the upper end of an axis.
const BOX_TRIANGLES: [[usize; 3]; 12] = [
    [0, 1, 3],
    [0, 3, 2],
    [4, 5, 7],
    [4, 7, 6],
    [0, 1, 5],
    [0, 5, 4],
    [2, 3, 7],
    [2, 7, 6],
    [0, 2, 6],
    [0, 6, 4],
    [1, 3, 7],
    [1, 7, 5],
];

/// Returns the point of a triangle nearest to the origin.
pub(super) fn closest_on_triangle(corners: &[Vector3<f64>; 3]) -> Vector3<f64> {
    let [a, b, c] = *corners;
    let normal = (b - a).cross(&(c - a));
    let square = normal.norm_squared();
    if square > 0.0 {
        let foot = normal * (normal.dot(&a) / square);
        let inside = |from: &Vector3<f64>, to: &Vector3<f64>| {
            (to - from).cross(&(foot - from)).dot(&normal) >= 0.0
        };
        if inside(&a, &b) && inside(&b, &c) && inside(&c, &a) {
            return foot;
        }
    }
    let candidates = [
        closest_on_segment(&a, &b),
        closest_on_segment(&b, &c),
        closest_on_segment(&c, &a),
    ];
    let nearer = |best: Vector3<f64>, next: Vector3<f64>| {
        if next.norm_squared() < best.norm_squared() {
            next
        } else {
            best
        }
    };
    candidates.into_iter().reduce(nearer).unwrap_or(a)
}

fn closest_on_segment(a: &Vector3<f64>, b: &Vector3<f64>) -> Vector3<f64> {
    let along = b - a;
    let square = along.norm_squared();
    if square == 0.0 {
        return *a;
    }
    a + along * (-a.dot(&along) / square).clamp(0.0, 1.0)
}

/// Returns the greatest depth of a body in any solid, in metres; 0 where it touches none.
pub(super) fn depth_in(stage: &Stage, body: &Body) -> f64 {
    let ellipsoid = Ellipsoid::of(body);
    let base = body.position.cell;
    let center = body.position.offset;
    let reach = Vector3::repeat(ellipsoid.reach as f32);
    let mut deepest = 0.0_f64;
    let mut boxes = Vec::new();
    for shapes in stage.boxes() {
        shapes.gather_solids(base, center - reach, center + reach, &mut boxes);
    }
    for solid in &boxes {
        let [min, max] = [solid.min, solid.max].map(|corner| corner.cast::<f64>() - center.cast());
        deepest = ellipsoid.depth_in_box(&min, &max, deepest);
    }
    deepest.max(depth_in_soups(stage, base, &center, &ellipsoid))
}

/// Returns the triangles that block a body centred at a point, from the corner of `base`: all
/// two-sided ones and those facing the point.
fn blocking_triangles(
    soup: &TriangleSoup,
    sides: Sides,
    base: Cell,
    center: &Vector3<f32>,
) -> impl Iterator<Item = [Vector3<f32>; 3]> {
    let placed = soup.placed_triangles();
    let local = placed.map(move |corners| corners.map(|corner| corner.relative_to(base)));
    local.filter(move |[a, b, c]| {
        sides == Sides::Both || (b - a).cross(&(c - a)).dot(&(center - a)) > 0.0
    })
}

fn depth_in_soups(stage: &Stage, base: Cell, center: &Vector3<f32>, ellipsoid: &Ellipsoid) -> f64 {
    let mut deepest = 0.0_f64;
    for (soup, sides) in stage.soups() {
        for corners in blocking_triangles(soup, sides, base, center) {
            let local = corners.map(|corner| corner.cast::<f64>() - center.cast::<f64>());
            deepest = ellipsoid.depth_in_triangle(&local, deepest);
        }
    }
    deepest
}

#[cfg(test)]
mod tests {
    use super::super::random::Random;
    use super::*;
    use collision::mover::Radii;
    use collision::position::Position;

    /// Boxes rejected early because they are less deep than `least` change no result.
    #[test]
    fn depths_that_are_asked_for_are_measured() {
        let mut random = Random::new(5);
        let (mut touched, mut left_out) = (0, 0);
        for case in 0..20_000 {
            let up = Vector3::from_fn(|_, _| random.between(-1.0, 1.0)).normalize();
            let body = Body {
                position: Position::default(),
                radii: Radii::new(
                    random.between(0.3, 0.9) as f32,
                    random.between(0.3, 0.9) as f32,
                ),
                up: [up.cast(), Vector3::y()][usize::from(case % 4 == 0)],
            };
            let ellipsoid = Ellipsoid::of(&body);
            let min = Vector3::from_fn(|_, _| random.between(-1.5, 1.0));
            let max = min.map(|low| low + random.between(0.1, 1.0));
            if (0..3).all(|axis| min[axis] <= 0.0 && max[axis] >= 0.0) {
                assert_eq!(ellipsoid.depth_in_box(&min, &max, 0.0), ellipsoid.reach);
                continue;
            }
            let deepest = ellipsoid.depth_in_box(&min, &max, f64::NEG_INFINITY);
            for least in [-0.05, 0.0, 0.05] {
                let depth = ellipsoid.depth_in_box(&min, &max, least);
                assert!(
                    (depth - deepest.max(least)).abs() < 1e-12,
                    "{depth} {deepest} {least}"
                );
            }
            touched += u32::from(deepest > 0.0);
            left_out += u32::from(deepest < -0.05);
        }
        assert!(touched > 2_000 && left_out > 2_000, "{touched} {left_out}");
    }
}
