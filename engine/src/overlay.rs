//! Lines and translucent solids that visualise the simulation. Rebuilt for each picture in reused
//! buffers.

use collision::{Cell, Position};
use nalgebra::Vector3;

use crate::Color;

/// The depth test of an overlay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visibility {
    /// Terrain in front hides it.
    Occluded,
    /// It is always visible.
    Through,
    /// Terrain in front hides it, and it hides what is behind it; must precede the overlays that it
    /// hides. Its colours should be opaque.
    Solid,
}

/// A corner of a line or triangle, relative to the overlay's base cell.
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct OverlayVertex {
    /// Metres from the base.
    pub position: [f32; 3],
    /// Colour in sRGB, with alpha.
    pub color: Color,
}

/// A list of shapes. Positions are stored relative to a base cell, which should be near the camera.
#[derive(Clone, Debug)]
pub struct Overlay {
    /// Cell that all vertices are relative to.
    pub base: Cell,
    /// The depth test.
    pub visibility: Visibility,
    pub(crate) lines: Vec<OverlayVertex>,
    pub(crate) triangles: Vec<OverlayVertex>,
}

impl Overlay {
    /// Returns an empty overlay.
    #[must_use]
    pub fn new(visibility: Visibility) -> Self {
        Self {
            base: Cell::zeros(),
            visibility,
            lines: Vec::new(),
            triangles: Vec::new(),
        }
    }

    /// Clears it, keeping its memory, for shapes near `base`.
    pub fn clear(&mut self, base: Cell) {
        self.base = base;
        self.lines.clear();
        self.triangles.clear();
    }

    /// Returns true if there is nothing to draw.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty() && self.triangles.is_empty()
    }

    /// Adds a line between two positions.
    pub fn line(&mut self, from: &Position, to: &Position, color: Color) {
        let (from, to) = (from.relative_to(self.base), to.relative_to(self.base));
        self.local_line(from, to, color);
    }

    /// Adds a line between two points relative to the base.
    pub fn local_line(&mut self, from: Vector3<f32>, to: Vector3<f32>, color: Color) {
        self.lines.push(vertex(from, color));
        self.lines.push(vertex(to, color));
    }

    /// Adds a line with a head at its end.
    pub fn arrow(&mut self, from: &Position, vector: Vector3<f32>, color: Color) {
        let start = from.relative_to(self.base);
        let end = start + vector;
        self.local_line(start, end, color);
        let length = vector.norm();
        if length <= f32::EPSILON {
            return;
        }
        let side = across(&vector) * (length * 0.08);
        let back = vector * 0.18;
        self.local_line(end, end - back + side, color);
        self.local_line(end, end - back - side, color);
    }

    /// Adds the twelve edges of a box.
    pub fn box_edges(&mut self, min: &Position, size: Vector3<f32>, color: Color) {
        let min = min.relative_to(self.base);
        self.local_box_edges(min, min + size, color);
    }

    /// Adds the twelve edges of a box relative to the base.
    pub fn local_box_edges(&mut self, min: Vector3<f32>, max: Vector3<f32>, color: Color) {
        for (a, b) in BOX_EDGES {
            self.local_line(corner(a, min, max), corner(b, min, max), color);
        }
    }

    /// Adds a filled box; the colour should have an alpha.
    pub fn box_solid(&mut self, min: &Position, size: Vector3<f32>, color: Color) {
        let min = min.relative_to(self.base);
        let max = min + size;
        for [a, b, c, d] in BOX_FACES {
            self.local_quad([a, b, c, d].map(|i| corner(i, min, max)), color);
        }
    }

    /// Adds a filled quad with corners in order, relative to the base, visible from both sides.
    pub fn local_quad(&mut self, corners: [Vector3<f32>; 4], color: Color) {
        let [a, b, c, d] = corners;
        self.local_triangle([a, b, c], color);
        self.local_triangle([a, c, d], color);
    }

    /// Adds a filled triangle relative to the base, visible from both sides.
    pub fn local_triangle(&mut self, corners: [Vector3<f32>; 3], color: Color) {
        self.triangles
            .extend(corners.map(|corner| vertex(corner, color)));
    }

    /// Adds a filled triangle.
    pub fn triangle(&mut self, corners: [&Position; 3], color: Color) {
        let base = self.base;
        self.local_triangle(corners.map(|corner| corner.relative_to(base)), color);
    }

    /// Adds three rings of an axis-aligned ellipsoid.
    pub fn ellipsoid(&mut self, center: &Position, radii: Vector3<f32>, color: Color) {
        const PIECES: u32 = 24;
        let center = center.relative_to(self.base);
        for axis in 0..3 {
            let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
            let at = |piece: u32| {
                let angle = piece as f32 / PIECES as f32 * std::f32::consts::TAU;
                let mut point = center;
                point[u] += angle.cos() * radii[u];
                point[v] += angle.sin() * radii[v];
                point
            };
            for piece in 0..PIECES {
                self.local_line(at(piece), at(piece + 1), color);
            }
        }
    }

    /// Adds a ring about a point, perpendicular to a normal, for example for a contact.
    pub fn ring(&mut self, center: &Position, normal: Vector3<f32>, radius: f32, color: Color) {
        const PIECES: u32 = 16;
        let center = center.relative_to(self.base);
        let u = across(&normal);
        let v = normal.cross(&u).try_normalize(f32::EPSILON).unwrap_or(u);
        let at = |piece: u32| {
            let angle = piece as f32 / PIECES as f32 * std::f32::consts::TAU;
            center + u * (angle.cos() * radius) + v * (angle.sin() * radius)
        };
        for piece in 0..PIECES {
            self.local_line(at(piece), at(piece + 1), color);
        }
    }

    /// Adds a path through positions.
    pub fn path<'a>(&mut self, positions: impl IntoIterator<Item = &'a Position>, color: Color) {
        let mut before: Option<Vector3<f32>> = None;
        for position in positions {
            let here = position.relative_to(self.base);
            if let Some(before) = before {
                self.local_line(before, here, color);
            }
            before = Some(here);
        }
    }
}

/// Pairs of corners; bit 0 of a corner is x, bit 1 y, bit 2 z.
const BOX_EDGES: [(u8, u8); 12] = [
    (0, 1),
    (2, 3),
    (4, 5),
    (6, 7),
    (0, 2),
    (1, 3),
    (4, 6),
    (5, 7),
    (0, 4),
    (1, 5),
    (2, 6),
    (3, 7),
];
const BOX_FACES: [[u8; 4]; 6] = [
    [0, 2, 6, 4],
    [1, 5, 7, 3],
    [0, 4, 5, 1],
    [2, 3, 7, 6],
    [0, 1, 3, 2],
    [4, 6, 7, 5],
];

fn corner(index: u8, min: Vector3<f32>, max: Vector3<f32>) -> Vector3<f32> {
    let pick = |axis: usize| {
        if index >> axis & 1 == 1 {
            max[axis]
        } else {
            min[axis]
        }
    };
    Vector3::new(pick(0), pick(1), pick(2))
}

fn vertex(position: Vector3<f32>, color: Color) -> OverlayVertex {
    OverlayVertex {
        position: position.into(),
        color,
    }
}

/// Returns a unit vector perpendicular to another.
fn across(vector: &Vector3<f32>) -> Vector3<f32> {
    let other = if vector.y.abs() < vector.norm() * 0.9 {
        Vector3::y()
    } else {
        Vector3::x()
    };
    vector
        .cross(&other)
        .try_normalize(f32::EPSILON)
        .unwrap_or_else(Vector3::x)
}
