//! Which edges and corners of a mesh take part: those that stick out.
//!
//! Flat and concave edges are covered by the faces beside them; testing them as well would let a mover catch on a seam. Edges are found
//! again by the exact bits of their corners, so pieces must share corners exactly, as those of an OBJ file do.

use std::collections::HashMap;

use nalgebra::Vector3;

use crate::candidates::Sides;
use crate::tolerance::{FLAT_EDGE, MOST_ON_AN_EDGE};

/// The exact bits of a corner.
pub(super) type CornerKey = [u64; 3];
/// The two corners of an edge, lower first.
type EdgeKey = [CornerKey; 2];

/// What the table needs to know of a piece.
#[derive(Clone, Copy, Debug)]
pub(super) struct Outline {
    pub(super) corners: [Vector3<f64>; 3],
    pub(super) sides: Sides,
}

impl Outline {
    /// Twice the area, along the normal.
    pub(super) fn area_vector(&self) -> Vector3<f64> {
        let [a, b, c] = self.corners;
        (b - a).cross(&(c - a))
    }
}

/// All edges of a mesh and the pieces that share them.
#[derive(Clone, Debug, Default)]
pub(super) struct EdgeTable {
    pieces_at: HashMap<EdgeKey, Vec<u32>>,
}

/// Negative zero is zero.
pub(super) fn corner_key(corner: &Vector3<f64>) -> CornerKey {
    [0, 1, 2].map(|axis| (corner[axis] + 0.0).to_bits())
}

fn edge_key(outline: &Outline, edge: usize) -> EdgeKey {
    let [a, b] = [edge, (edge + 1) % 3].map(|corner| corner_key(&outline.corners[corner]));
    if a <= b { [a, b] } else { [b, a] }
}

impl EdgeTable {
    pub(super) fn insert(&mut self, piece: u32, outline: &Outline) {
        for edge in 0..3 {
            self.pieces_at
                .entry(edge_key(outline, edge))
                .or_default()
                .push(piece);
        }
    }

    pub(super) fn remove(&mut self, piece: u32, outline: &Outline) {
        for edge in 0..3 {
            let key = edge_key(outline, edge);
            if let Some(pieces) = self.pieces_at.get_mut(&key) {
                pieces.retain(|other| *other != piece);
                if pieces.is_empty() {
                    self.pieces_at.remove(&key);
                }
            }
        }
    }

    /// The pieces that share an edge of this one, itself among them.
    pub(super) fn sharers(&self, outline: &Outline, edge: usize) -> &[u32] {
        self.pieces_at
            .get(&edge_key(outline, edge))
            .map_or(&[], Vec::as_slice)
    }

    /// The edges of a piece that stick out, as bits 0 to 2.
    pub(super) fn active_edges(
        &self,
        piece: u32,
        outline: &Outline,
        outline_of: impl Fn(u32) -> Outline,
    ) -> u8 {
        let mut active = 0;
        for edge in 0..3 {
            let sharers = self.sharers(outline, edge);
            if sharers.len() > MOST_ON_AN_EDGE {
                active |= 1 << edge;
                continue;
            }
            let others = sharers.iter().filter(|other| **other != piece);
            let folds: Vec<Fold> = others
                .map(|other| fold(outline, edge, &outline_of(*other)))
                .collect();
            let covered = folds.contains(&Fold::Flat) || matches!(folds[..], [Fold::Concave]);
            active |= u8::from(!covered) << edge;
        }
        active
    }
}

/// How two pieces meet at an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fold {
    Flat,
    Concave,
    Convex,
}

fn fold(outline: &Outline, edge: usize, other: &Outline) -> Fold {
    let key = edge_key(outline, edge);
    let opposite = other
        .corners
        .iter()
        .find(|corner| !key.contains(&corner_key(corner)));
    let Some(opposite) = opposite else {
        return Fold::Convex;
    };
    let (normal, other_normal) = (outline.area_vector(), other.area_vector());
    let from_edge = opposite - outline.corners[edge];
    let along = outline.corners[(edge + 1) % 3] - outline.corners[edge];
    let inward = normal.cross(&along);
    let height = normal.dot(&from_edge) / (normal.norm() * from_edge.norm());
    let beyond = inward.dot(&from_edge) < 0.0;
    if height.abs() <= FLAT_EDGE && beyond {
        let same_front = normal.dot(&other_normal) > 0.0;
        let both_block = outline.sides == Sides::Both && other.sides == Sides::Both;
        return if same_front || both_block {
            Fold::Flat
        } else {
            Fold::Convex
        };
    }
    let faces_meet =
        other_normal.dot(&(outline.corners[(edge + 2) % 3] - outline.corners[edge])) > 0.0;
    let one_sided = outline.sides == Sides::Front && other.sides == Sides::Front;
    if height > 0.0 && faces_meet && one_sided {
        Fold::Concave
    } else {
        Fold::Convex
    }
}
