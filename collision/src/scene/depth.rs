//! How deep an ellipsoid reaches into solid boxes and triangles, by brute force in `f64`.
//!
//! Written differently from the mover on purpose: no faces, no edges, no sweeps, only closest points in the space where the ellipsoid is
//! a unit ball.

use nalgebra::{Matrix3, Vector3};

use super::ground::Stage;
use crate::mover::Body;
use crate::position::Cell;
use crate::terrain::Terrain;

/// An ellipsoid about the origin.
pub(super) struct Ellipsoid {
    /// Takes the ellipsoid to the unit ball.
    shrink: Matrix3<f64>,
    /// The inverse.
    grow: Matrix3<f64>,
    reach: f64,
}

impl Ellipsoid {
    pub(super) fn of(body: &Body) -> Self {
        let up: Vector3<f64> = body.up.cast();
        let (across, along) = (f64::from(body.radii.across), f64::from(body.radii.along));
        let stretch = |across: f64, along: f64| {
            Matrix3::identity() * across + up * up.transpose() * (along - across)
        };
        Self {
            shrink: stretch(1.0 / across, 1.0 / along),
            grow: stretch(across, along),
            reach: across.max(along),
        }
    }

    /// Half the size of the box around it.
    pub(super) fn half(&self) -> Vector3<f64> {
        Vector3::from_fn(|axis, _| self.grow.row(axis).norm())
    }

    /// Metres by which the ellipsoid reaches past a point, measured along the normal there; negative outside.
    fn depth_at(&self, point: &Vector3<f64>) -> f64 {
        let scaled = self.shrink * point;
        let distance = scaled.norm();
        if distance == 0.0 {
            return self.reach;
        }
        (1.0 - distance) / (self.shrink * (scaled / distance)).norm()
    }

    /// Depth into a solid box.
    pub(super) fn depth_in_box(&self, min: &Vector3<f64>, max: &Vector3<f64>) -> f64 {
        let nearest = Vector3::from_fn(|axis, _| 0.0_f64.clamp(min[axis], max[axis]));
        if nearest == Vector3::zeros() {
            return self.reach;
        }
        if self.shrink.upper_triangle() == self.shrink.lower_triangle() {
            return self.depth_at(&nearest);
        }
        let corner = |choice: usize| {
            Vector3::from_fn(|axis, _| {
                if choice >> axis & 1 == 0 {
                    min[axis]
                } else {
                    max[axis]
                }
            })
        };
        let deepest = BOX_TRIANGLES
            .iter()
            .map(|triangle| self.depth_in_triangle(&triangle.map(corner)));
        deepest.fold(f64::NEG_INFINITY, f64::max)
    }

    /// Depth into a triangle without thickness.
    pub(super) fn depth_in_triangle(&self, corners: &[Vector3<f64>; 3]) -> f64 {
        let scaled = corners.map(|corner| self.shrink * corner);
        self.depth_at(&(self.grow * closest_on_triangle(&scaled)))
    }
}

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

/// The point of a triangle nearest to the origin.
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

/// The deepest reach of a body into anything solid, in metres; 0 where it touches nothing.
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
        deepest = deepest.max(ellipsoid.depth_in_box(&min, &max));
    }
    deepest.max(depth_in_soups(stage, base, &center, &ellipsoid))
}

fn depth_in_soups(stage: &Stage, base: Cell, center: &Vector3<f32>, ellipsoid: &Ellipsoid) -> f64 {
    let mut deepest = 0.0_f64;
    for soup in stage.soups() {
        for corners in soup.blocking_triangles(base, center) {
            let local = corners.map(|corner| corner.cast::<f64>() - center.cast::<f64>());
            deepest = deepest.max(ellipsoid.depth_in_triangle(&local));
        }
    }
    deepest
}
