//! The edges and corners of a mesh that stick out and so can stop movers.
//!
//! Flat and concave edges are covered by the faces beside them; testing them as well would let a
//! mover catch on a seam. Edges are found by the exact bits of their corners, so pieces must share
//! corners exactly, as in an OBJ file. All edges of thin pieces can stop movers: in a squashed
//! space such a piece may have no face.

use std::collections::HashMap;

use nalgebra::Vector3;

use crate::candidates::Sides;
use crate::terrain::mixed;
use crate::tolerance::{FLAT_EDGE, MOST_ON_AN_EDGE, MOST_PIECES, NEEDLE, THIN};

/// The exact bits of a corner.
pub(super) type CornerKey = [u64; 3];
/// The two corners of an edge, lower first.
type EdgeKey = [CornerKey; 2];

/// The geometry of a piece.
#[derive(Clone, Copy, Debug)]
pub(super) struct Outline {
    pub(super) corners: [Vector3<f64>; 3],
    pub(super) sides: Sides,
}

impl Outline {
    /// Returns the normal with twice the area as its length.
    pub(super) fn area_vector(&self) -> Vector3<f64> {
        let [a, b, c] = self.corners;
        (b - a).cross(&(c - a))
    }

    /// Returns the longest side, the first of several, and its length.
    pub(super) fn longest_side(&self) -> (usize, f64) {
        let length = |edge: usize| (self.corners[(edge + 1) % 3] - self.corners[edge]).norm();
        (1..3).fold((0, length(0)), |longest, edge| {
            let length = length(edge);
            if length > longest.1 {
                (edge, length)
            } else {
                longest
            }
        })
    }

    /// Returns whether the height is at most this share of the longest side.
    pub(super) fn is_within(&self, share: f64) -> bool {
        let (_, length) = self.longest_side();
        self.area_vector().norm() <= share * length * length
    }
}

/// All edges of a mesh and the pieces that share them. The lists run through the pieces themselves:
/// a mesh has half as many edges again as pieces.
#[derive(Clone, Debug, Default)]
pub(super) struct EdgeTable {
    /// The last side noted for each hash of edge corners.
    last: HashMap<u64, Side>,
    /// For each side of a piece, the side noted before it with the same hash.
    before: Vec<[Side; 3]>,
}

/// A side of a piece: four times the piece plus the number of its side.
type Side = u32;
const NO_SIDE: Side = u32::MAX;
const _: () = assert!(4 * MOST_PIECES < NO_SIDE as usize);

/// Returns the bits of a corner; negative zero counts as zero.
pub(super) fn corner_key(corner: &Vector3<f64>) -> CornerKey {
    [0, 1, 2].map(|axis| (corner[axis] + 0.0).to_bits())
}

fn edge_key(outline: &Outline, edge: usize) -> EdgeKey {
    let [a, b] = [edge, (edge + 1) % 3].map(|corner| corner_key(&outline.corners[corner]));
    if a <= b { [a, b] } else { [b, a] }
}

fn mix(key: &EdgeKey) -> u64 {
    key.iter().flatten().fold(0, |mix, bits| mixed(mix, *bits))
}

impl EdgeTable {
    pub(super) fn insert(&mut self, piece: u32, outline: &Outline) {
        let piece_at = piece as usize;
        if piece_at >= self.before.len() {
            self.before.resize(piece_at + 1, [NO_SIDE; 3]);
        }
        for edge in 0..3 {
            let side = 4 * piece + edge as Side;
            let last = self.last.insert(mix(&edge_key(outline, edge)), side);
            self.before[piece_at][edge] = last.unwrap_or(NO_SIDE);
        }
    }

    pub(super) fn remove(&mut self, piece: u32, outline: &Outline) {
        for edge in 0..3 {
            let (gone, before) = (4 * piece + edge as Side, self.before[piece as usize][edge]);
            let mix = mix(&edge_key(outline, edge));
            let Some(last) = self.last.get_mut(&mix) else {
                continue;
            };
            if *last != gone {
                let mut side = *last;
                while side != NO_SIDE {
                    let link = &mut self.before[side as usize / 4][side as usize % 4];
                    if *link == gone {
                        *link = before;
                        break;
                    }
                    side = *link;
                }
            } else if before == NO_SIDE {
                self.last.remove(&mix);
            } else {
                *last = before;
            }
        }
    }

    /// Returns the pieces that share an edge of this one, itself included.
    pub(super) fn sharers<'a>(
        &'a self,
        outline: &Outline,
        edge: usize,
        outline_of: impl Fn(u32) -> Outline + 'a,
    ) -> impl Iterator<Item = u32> + 'a {
        let key = edge_key(outline, edge);
        let before = |side: &Side| {
            let before = self.before[*side as usize / 4][*side as usize % 4];
            (before != NO_SIDE).then_some(before)
        };
        std::iter::successors(self.last.get(&mix(&key)).copied(), before)
            .filter(move |side| edge_key(&outline_of(side / 4), *side as usize % 4) == key)
            .map(|side| side / 4)
    }

    /// Frees reserved capacity.
    pub(super) fn shrink(&mut self) {
        self.last.shrink_to_fit();
        self.before.shrink_to_fit();
    }

    /// Judges the edges of a piece.
    pub(super) fn edges_of(
        &self,
        piece: u32,
        outline: &Outline,
        outline_of: impl Fn(u32) -> Outline,
    ) -> Edges {
        let mut edges = Edges::default();
        if outline.is_within(THIN) {
            return Edges::ALL;
        }
        for edge in 0..3 {
            let sharers = self.sharers(outline, edge, &outline_of);
            let sharers: Vec<u32> = sharers.take(MOST_ON_AN_EDGE + 1).collect();
            let bit = 1 << edge;
            if sharers.len() > MOST_ON_AN_EDGE {
                edges.active |= bit;
                edges.open |= bit;
                continue;
            }
            let others = sharers.iter().filter(|other| **other != piece);
            // A needle has no face that could cover an edge.
            let faces = others
                .map(|other| outline_of(*other))
                .filter(|other| !other.is_within(NEEDLE));
            let folds: Vec<Fold> = faces.map(|other| fold(outline, edge, &other)).collect();
            let covered = folds.contains(&Fold::Flat) || matches!(folds[..], [Fold::Concave]);
            edges.active |= u16::from(!covered) << edge;
            edges.open |= u16::from(folds.is_empty()) << edge;
        }
        edges
    }
}

/// The edges of a piece, as bits 0 to 2.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Edges {
    /// The edges that stick out.
    active: u16,
    /// The edges without a face on their other side; also all of thin pieces, and edges of too
    /// many pieces to compare.
    open: u16,
}

impl Edges {
    const ALL: Self = Self {
        active: 0b111,
        open: 0b111,
    };

    /// Returns the edges that stick out and the corners on them, in the order of
    /// [`CandidateTriangle::parts`](crate::CandidateTriangle::parts).
    pub(super) fn active_parts(self) -> u16 {
        with_corners(self.active)
    }

    /// Returns the edges at the border and the corners on them, in the same order.
    pub(super) fn open_parts(self) -> u16 {
        with_corners(self.open)
    }
}

/// Returns edges and the corners at their ends.
fn with_corners(edges: u16) -> u16 {
    let at_start = |corner: u16| (edges >> corner | edges >> ((corner + 2) % 3)) & 1;
    (0..3).fold(edges, |parts, corner| {
        parts | at_start(corner) << (3 + corner)
    })
}

/// The kinds of edge between two pieces.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn outline(shift: f64) -> Outline {
        let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 1.0], [1.0, 0.0, 0.0]];
        Outline {
            corners: corners.map(|corner| Vector3::from(corner).add_scalar(shift)),
            sides: Sides::Front,
        }
    }

    #[test]
    fn edges_that_mix_alike_are_told_apart() {
        let outlines = [outline(0.0), outline(5.0), outline(0.0)];
        let outline_of = |piece: u32| outlines[piece as usize];
        let mut table = EdgeTable::default();
        for piece in [0, 1] {
            table.insert(piece, &outline_of(piece));
        }
        // Pretends that the first edges of both have the same hash.
        let [one, other] = [0, 1].map(|piece| mix(&edge_key(&outline_of(piece), 0)));
        table.before[1][0] = 0;
        table.last.insert(one, 4);
        table.last.insert(other, 4);
        table.insert(2, &outline_of(2));
        let sharers = |table: &EdgeTable, piece: u32| {
            let sharers = table.sharers(&outline_of(piece), 0, outline_of);
            sharers.collect::<Vec<_>>()
        };
        assert_eq!(sharers(&table, 0), [2, 0]);
        assert_eq!(sharers(&table, 1), [1]);
        table.remove(2, &outline_of(2));
        assert_eq!(sharers(&table, 0), [0]);
        table.remove(0, &outline_of(0));
        assert!(sharers(&table, 0).is_empty());
        assert_eq!(sharers(&table, 1), [1]);
    }
}
