//! The record through which a terrain finds a neighbourhood again, and the revisions in it.

use crate::object::ObjectId;
use crate::position::{Cell, Position};
use bytemuck::{Pod, Zeroable};
use nalgebra::Vector3;

/// Mixes a change into a revision, or the revision of a part into that of the whole. Terrains built
/// by the same changes get the same revision, so that characters asleep on one stay asleep on the
/// other; others get different ones.
#[must_use]
pub fn mixed(revision: u64, change: u64) -> u64 {
    (revision ^ change)
        .wrapping_mul(0x9e37_79b9_7f4a_7c15)
        .rotate_left(31)
        .wrapping_add(change)
}

/// Returns the first revision of an object of shapes.
pub(crate) fn revision_of(object: ObjectId, origin: &Position) -> u64 {
    let cells = origin.cell.iter().map(|&part| u64::from(part as u32));
    let offsets = origin.offset.iter().map(|part| u64::from(part.to_bits()));
    cells.chain(offsets).fold(u64::from(object.0), mixed)
}

/// A box of cells, both ends inside. Cells wrap at the ends of `i32`, and so may a box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Lowest cell.
    pub min: Cell,
    /// Highest cell.
    pub max: Cell,
}

impl Bounds {
    /// Farthest reach of a box from its base, in metres.
    const FARTHEST: f32 = (1 << 30) as f32;

    /// Returns the cells that a box reaches into, and at least one more on every side. Lengths in
    /// metres from the corner of `base`.
    #[inline]
    #[must_use]
    pub fn about(base: Cell, min: Vector3<f32>, max: Vector3<f32>) -> Self {
        let near = |part: f32| part.clamp(-Self::FARTHEST, Self::FARTHEST) as i32;
        // `as` rounds towards zero, which is inwards on one side.
        Self {
            min: base.zip_map(&min, |cell, part| cell.wrapping_add(near(part) - 2)),
            max: base.zip_map(&max, |cell, part| cell.wrapping_add(near(part) + 2)),
        }
    }

    /// Returns the box of a single cell.
    #[must_use]
    pub fn of(cell: Cell) -> Self {
        Self {
            min: cell,
            max: cell,
        }
    }

    /// Returns the box with `by` more cells on every side.
    #[must_use]
    pub fn grown(&self, by: i32) -> Self {
        Self {
            min: self.min.map(|part| part.wrapping_sub(by)),
            max: self.max.map(|part| part.wrapping_add(by)),
        }
    }
}

/// A small record that a character keeps between ticks so that a terrain finds its neighbourhood
/// again. Plain bytes; a terrain may use `words` freely and must accept any content (a restored or
/// foreign memory is as good as an empty one).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Memory {
    /// Revision of the terrain at the last query.
    pub revision: u64,
    /// Revisions of further terrains, where several are layered.
    pub others: u64,
    /// Free for the terrain's own use.
    pub words: [u32; 12],
}

impl Memory {
    /// Stores a revision and, in the first six words, the box of cells that was queried: enough for
    /// a terrain of one object.
    pub fn note(&mut self, revision: u64, cells: Bounds) {
        self.revision = revision;
        for axis in 0..3 {
            self.words[axis] = cells.min[axis] as u32;
            self.words[axis + 3] = cells.max[axis] as u32;
        }
    }

    /// Returns the box stored by [`Self::note`].
    #[must_use]
    pub fn noted(&self) -> Bounds {
        let cell = |first: usize| Cell::from_fn(|axis, _| self.words[first + axis] as i32);
        Bounds {
            min: cell(0),
            max: cell(3),
        }
    }
}
