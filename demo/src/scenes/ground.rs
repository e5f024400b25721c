//! The solids about the ways of a scene, as grey shapes.

use std::collections::BTreeSet;
use std::fmt::Write;

use collision_scenes::{Listed, Trajectory};
use nalgebra::{Vector2, Vector3};

use super::recording::ground_of;

/// Distance from the ways up to which solids are drawn, metres.
const ABOUT: f32 = 2.0;
/// Distance from the ways beyond which they are not even gathered, metres.
const FARTHEST: f32 = 400.0;
/// The most shapes of a drawing.
const MOST: usize = 6_000;

/// The solids about the ways of a scene, as corners of flat and box-shaped pieces.
pub(super) struct Ground {
    triangles: Vec<[Vector3<f32>; 3]>,
    /// Lowest and highest corners.
    boxes: Vec<[Vector3<f32>; 2]>,
}

impl Ground {
    /// Returns the solids about all ways.
    pub(super) fn of(scene: Listed, ways: &[Trajectory]) -> Self {
        let points = ways.iter().flat_map(|way| &way.points);
        let points = points.filter(|point| point.iter().all(|part| part.abs() < FARTHEST));
        let (mut low, mut high) = (Vector3::repeat(f32::MAX), Vector3::repeat(f32::MIN));
        for point in points {
            (low, high) = (low.inf(point), high.sup(point));
        }
        if low.x > high.x {
            return Ground {
                triangles: Vec::new(),
                boxes: Vec::new(),
            };
        }
        (low, high) = (low.add_scalar(-ABOUT), high.add_scalar(ABOUT));
        let solids = ground_of(scene, low, high);
        let origin = solids.origin;
        let boxes = solids.boxes.iter().map(|(corner, sides)| {
            let corner = corner.relative_to(origin);
            [corner.sup(&low), (corner + sides).inf(&high)]
        });
        let triangles = solids.triangles.iter();
        Ground {
            triangles: triangles
                .map(|triangle| triangle.each_ref().map(|corner| corner.relative_to(origin)))
                .collect(),
            boxes: boxes
                .filter(|[low, high]| low.zip_map(high, |a, b| a < b).iter().all(|&is| is))
                .collect(),
        }
    }

    /// Draws all shapes, each as often as it looks different.
    pub(super) fn draw(
        &self,
        out: &mut String,
        size: Vector2<f64>,
        place: impl Fn(&Vector3<f32>) -> Vector2<f64>,
    ) {
        let mut shapes = BTreeSet::new();
        let within = |at: Vector2<f64>| at.sup(&Vector2::zeros()).inf(&size);
        for [low, high] in &self.boxes {
            let [a, b] = [low, high].map(|corner| within(place(corner)));
            let path = format!("M{:.1} {:.1}H{:.1}V{:.1}H{:.1}z", a.x, a.y, b.x, b.y, a.x);
            shapes.insert(path);
        }
        for triangle in &self.triangles {
            let [a, b, c] = triangle.each_ref().map(&place);
            let is_seen = |at: &Vector2<f64>| {
                (0.0..=size.x).contains(&at.x) && (0.0..=size.y).contains(&at.y)
            };
            if [a, b, c].iter().any(is_seen) {
                let corners = [a.x, a.y, b.x, b.y, c.x, c.y].map(|part| format!("{part:.1}"));
                shapes.insert(format!("M{}z", corners.join(" ")));
            }
        }
        out.push_str(
            "<g class=\"ground\" fill=\"#888\" fill-opacity=\"0.22\" stroke=\"#888\" \
             stroke-width=\"0.6\" stroke-opacity=\"0.5\">",
        );
        for shape in shapes.iter().take(MOST) {
            // Writing to a string cannot fail.
            let _ = write!(out, "<path d=\"{shape}\"/>");
        }
        out.push_str("</g>");
    }
}
