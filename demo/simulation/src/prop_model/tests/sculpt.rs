//! The props that ship with the sandbox, made by this code: a ramp, a rock and a statue, as OBJ
//! text.

use std::fmt::Write;

/// A point, metres: x, up, z.
type Point = [f64; 3];

/// A mesh in the making: points, and faces by index from 0.
#[derive(Default)]
struct Clay {
    points: Vec<Point>,
    faces: Vec<Vec<usize>>,
}

impl Clay {
    fn point(&mut self, point: Point) -> usize {
        self.points.push(point);
        self.points.len() - 1
    }

    /// Adds a box about the axis from one height to another; the top may be narrower.
    fn block(&mut self, heights: [f64; 2], low: [f64; 2], high: [f64; 2]) {
        let mut ring = |height: f64, [x, z]: [f64; 2]| {
            [[-x, -z], [-x, z], [x, z], [x, -z]]
                .map(|[x, z]| self.point([x, height, z]))
                .to_vec()
        };
        let (bottom, top) = (ring(heights[0], low), ring(heights[1], high));
        self.close(&bottom, &top);
        self.faces.push(top);
        self.faces.push(bottom.into_iter().rev().collect());
    }

    /// Adds four-sided faces between two rings that go round the same way.
    fn close(&mut self, below: &[usize], above: &[usize]) {
        for side in 0..below.len() {
            let next = (side + 1) % below.len();
            let face = [below[side], below[next], above[next], above[side]];
            self.faces.push(face.to_vec());
        }
    }

    /// Adds the surface of a profile, of radius and height, that turns about an upright axis.
    fn turn_about(&mut self, axis: [f64; 2], profile: &[[f64; 2]], sides: usize) {
        let mut rings = Vec::new();
        for &[radius, height] in profile {
            let ring: Vec<usize> = (0..sides)
                .map(|side| {
                    let angle = side as f64 / sides as f64 * std::f64::consts::TAU;
                    let [x, z] = [angle.sin() * radius, angle.cos() * radius];
                    self.point([axis[0] + x, height, axis[1] + z])
                })
                .collect();
            rings.push(ring);
        }
        for pair in rings.windows(2) {
            self.close(&pair[0], &pair[1]);
        }
        let [first, last] = [&rings[0], &rings[rings.len() - 1]];
        self.faces.push(first.iter().rev().copied().collect());
        self.faces.push(last.clone());
    }

    fn text(&self, about: &str) -> String {
        let mut text = format!("# {about}\n");
        for [x, y, z] in &self.points {
            // Avoids negative zeros in the text.
            let [x, y, z] = [x, y, z].map(|part| (part * 1e4).round() / 1e4 + 0.0);
            let _ = writeln!(text, "v {x} {y} {z}");
        }
        for face in &self.faces {
            let corners: Vec<String> = face.iter().map(|at| (at + 1).to_string()).collect();
            let _ = writeln!(text, "f {}", corners.join(" "));
        }
        text
    }
}

/// Returns a wedge: 5 m long, 2.4 m wide, 2 m high.
pub(super) fn ramp() -> String {
    let mut clay = Clay::default();
    let [back, front, side] = [-2.5, 2.5, 1.2];
    let [a, b] = [-side, side].map(|x| clay.point([x, 0.0, front]));
    let [c, d] = [side, -side].map(|x| clay.point([x, 0.0, back]));
    let [e, f] = [side, -side].map(|x| clay.point([x, 2.0, back]));
    clay.faces = vec![
        vec![a, b, e, f],
        vec![d, c, b, a],
        vec![c, d, f, e],
        vec![b, c, e],
        vec![d, a, f],
    ];
    clay.text("A ramp")
}

/// Returns a boulder some 3 m across, flat below.
pub(super) fn rock() -> String {
    let mut clay = Clay::default();
    let rings: Vec<[f64; 2]> = (0..9)
        .map(|ring| {
            let angle = (f64::from(ring) / 8.0 - 0.5) * std::f64::consts::PI;
            [angle.cos().max(0.04), angle.sin()]
        })
        .collect();
    clay.turn_about([0.0, 0.0], &rings, 14);
    for [x, y, z] in &mut clay.points {
        let rough = (*x * 3.1 + *z * 1.7).sin() * 0.10
            + (*y * 4.3 - *z * 2.9).sin() * 0.09
            + (*x * 5.7 - *y * 2.3).cos() * 0.06;
        let size = 1.45 + rough * 1.6;
        [*x, *y, *z] = [
            *x * size * 1.1,
            (*y * size * 0.9 + 0.75).max(0.0),
            *z * size,
        ];
    }
    clay.text("A rock")
}

/// Returns a robed figure on a pedestal, 3.6 m high.
pub(super) fn statue() -> String {
    let mut clay = Clay::default();
    clay.block([0.0, 0.25], [0.95, 0.95], [0.95, 0.95]);
    clay.block([0.25, 1.1], [0.7, 0.7], [0.62, 0.62]);
    clay.block([1.1, 1.25], [0.78, 0.78], [0.78, 0.78]);
    let figure = [
        [0.52, 1.25],
        [0.42, 1.7],
        [0.33, 2.2],
        [0.36, 2.55],
        [0.42, 2.85],
        [0.30, 3.0],
        [0.12, 3.06],
        [0.11, 3.16],
        [0.20, 3.26],
        [0.23, 3.4],
        [0.17, 3.54],
        [0.05, 3.6],
    ];
    clay.turn_about([0.0, 0.0], &figure, 12);
    let arm = [
        [0.06, 2.0],
        [0.11, 2.15],
        [0.10, 2.5],
        [0.14, 2.8],
        [0.06, 2.92],
    ];
    for side in [-0.46, 0.46] {
        clay.turn_about([side, 0.06], &arm, 8);
    }
    clay.text("A statue")
}
