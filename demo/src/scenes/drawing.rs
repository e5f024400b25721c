//! The paths of a scene from the side and from above, as SVG.

use std::fmt::Write;

use collision_scenes::Trajectory;
use nalgebra::{Vector2, Vector3};

use super::Outcome;
use super::ground::Ground;
use super::page::escape;

/// Size of a drawing, pixels.
const SIZE: Vector2<f64> = Vector2::new(520.0, 260.0);
/// Margin at its edges, pixels.
const MARGIN: f64 = 14.0;
/// Least size that a drawing shows, metres.
const LEAST: f64 = 2.0;
/// The most points drawn of one path.
const MOST_POINTS: usize = 600;
/// The most paths drawn of one scene.
const MOST_WAYS: usize = 60;
const COLORS: [&str; 6] = [
    "#d9822b", "#3f7fbf", "#4b9e5f", "#b05fb0", "#c8503c", "#7a8a2e",
];

/// The two axes of a drawing, the second upwards.
#[derive(Clone, Copy)]
struct Projection {
    across: usize,
    up: usize,
    /// True if the second axis points down: z grows towards the viewer.
    flip: bool,
    words: &'static str,
}

const PROJECTIONS: [Projection; 2] = [
    Projection {
        across: 0,
        up: 1,
        flip: false,
        words: "from the side (x, y)",
    },
    Projection {
        across: 0,
        up: 2,
        flip: true,
        words: "from above (x, z)",
    },
];

/// Returns both drawings; empty for a scene without paths.
pub(super) fn drawing(outcome: &Outcome) -> String {
    let ways = &outcome.verdict.trajectories;
    if ways.iter().all(|way| way.points.is_empty()) {
        return String::new();
    }
    let ground = Ground::of(outcome.scene, ways);
    let mut out = String::from("<div class=\"views\">");
    for projection in PROJECTIONS {
        out.push_str(&view(ways, &ground, projection));
    }
    out.push_str("</div>");
    out
}

fn view(ways: &[Trajectory], ground: &Ground, projection: Projection) -> String {
    let scale = Scale::around(ways, projection);
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = write!(
        out,
        "<figure><svg width=\"{}\" height=\"{}\">",
        SIZE.x, SIZE.y
    );
    ground.draw(&mut out, SIZE, |point| {
        scale.place(project(point, projection))
    });
    grid(&mut out, &scale);
    for (index, way) in ways.iter().take(MOST_WAYS).enumerate() {
        draw_way(
            &mut out,
            way,
            COLORS[index % COLORS.len()],
            &scale,
            projection,
        );
    }
    let _ = write!(
        out,
        "</svg><figcaption>{}, lines every {} m</figcaption></figure>",
        projection.words, scale.step
    );
    out
}

/// The scale from metres to pixels.
struct Scale {
    low: Vector2<f64>,
    high: Vector2<f64>,
    pixels: f64,
    step: f64,
}

fn project(point: &Vector3<f32>, projection: Projection) -> Vector2<f64> {
    let up = f64::from(point[projection.up]);
    Vector2::new(
        f64::from(point[projection.across]),
        if projection.flip { -up } else { up },
    )
}

impl Scale {
    fn around(ways: &[Trajectory], projection: Projection) -> Self {
        let mut low = Vector2::repeat(f64::INFINITY);
        let mut high = Vector2::repeat(f64::NEG_INFINITY);
        for point in ways
            .iter()
            .flat_map(|way| &way.points)
            .filter(|point| point.iter().all(|c| c.is_finite()))
        {
            let at = project(point, projection);
            (low, high) = (low.inf(&at), high.sup(&at));
        }
        let middle = (low + high) / 2.0;
        let half = ((high - low) / 2.0).map(|side| (side * 1.1).max(LEAST / 2.0));
        let room = SIZE - Vector2::repeat(MARGIN * 2.0);
        let pixels = (room.x / (half.x * 2.0)).min(room.y / (half.y * 2.0));
        let visible = room / pixels / 2.0;
        let steps = [0.1, 0.5, 1.0, 5.0, 10.0, 50.0, 100.0, 1000.0, 10_000.0];
        let step = steps
            .into_iter()
            .find(|step| step * pixels > 24.0)
            .unwrap_or(1.0e6);
        Scale {
            low: middle - visible,
            high: middle + visible,
            pixels,
            step,
        }
    }

    fn place(&self, at: Vector2<f64>) -> Vector2<f64> {
        let from_low = (at - self.low) * self.pixels;
        Vector2::new(MARGIN + from_low.x, SIZE.y - MARGIN - from_low.y)
    }
}

fn grid(out: &mut String, scale: &Scale) {
    let lines = |low: f64, high: f64| {
        let first = (low / scale.step).ceil() as i64;
        let last = (high / scale.step).floor() as i64;
        (first..=last).map(|line| line as f64 * scale.step)
    };
    out.push_str("<g stroke=\"#8886\" stroke-width=\"0.5\">");
    for x in lines(scale.low.x, scale.high.x) {
        let at = scale.place(Vector2::new(x, 0.0)).x;
        // Writing to a string cannot fail.
        let _ = write!(out, "<path d=\"M{at:.1} 0V{}\"/>", SIZE.y);
    }
    for y in lines(scale.low.y, scale.high.y) {
        let at = scale.place(Vector2::new(0.0, y)).y;
        let _ = write!(out, "<path d=\"M0 {at:.1}H{}\"/>", SIZE.x);
    }
    out.push_str("</g>");
}

fn draw_way(
    out: &mut String,
    way: &Trajectory,
    color: &str,
    scale: &Scale,
    projection: Projection,
) {
    let stride = way.points.len().div_ceil(MOST_POINTS).max(1);
    let mut path = String::new();
    let mut standing = String::new();
    for (index, point) in way.points.iter().enumerate().step_by(stride) {
        let at = scale.place(project(point, projection));
        let letter = if path.is_empty() { 'M' } else { 'L' };
        // Writing to a string cannot fail.
        let _ = write!(path, "{letter}{:.1} {:.1}", at.x, at.y);
        if way.grounded.get(index).copied().unwrap_or(false) {
            let _ = write!(standing, "M{:.1} {:.1}h0", at.x, at.y);
        }
    }
    let name = escape(&way.name);
    let _ = write!(
        out,
        "<g fill=\"none\" stroke=\"{color}\" stroke-linecap=\"round\"><title>{name}</title>\
         <path d=\"{path}\" stroke-width=\"1.2\"/>\
         <path d=\"{standing}\" stroke-width=\"3.2\"/></g>"
    );
    if let Some(first) = way.points.first() {
        let at = scale.place(project(first, projection));
        let _ = write!(
            out,
            "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"3\" fill=\"{color}\"/>",
            at.x, at.y
        );
    }
}
