//! Bitmaps of one layer of voxels.

use super::turn::column;
use crate::chunk::{Bits, Brick, SIDE, row_of};
use crate::surface::Face;

/// A chunk and its six face neighbours.
#[derive(Clone, Copy)]
pub struct Around<'a> {
    middle: &'a Brick,
    beside: [&'a Brick; 6],
}

/// The bits of a chunk that a bitmap is made of.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Solid,
    Opaque,
    Clear,
}

impl Kind {
    #[inline]
    pub(super) fn of(self, brick: &Brick) -> &Bits {
        match self {
            Self::Solid => brick.occupancy(),
            Self::Opaque => brick.opaque_bits(),
            Self::Clear => brick.clear_bits(),
        }
    }
}

/// One layer: a word for each row.
pub(super) type Bitmap = [u32; SIDE];

impl<'a> Around<'a> {
    /// Makes it from a chunk and its neighbours, in the order of [`Face`].
    pub fn new(middle: &'a Brick, beside: [&'a Brick; 6]) -> Self {
        Self { middle, beside }
    }

    /// Returns the chunk in the middle.
    #[inline]
    pub fn middle(&self) -> &'a Brick {
        self.middle
    }

    /// Returns the neighbour in front of a face.
    #[inline]
    pub fn beside(&self, face: Face) -> &'a Brick {
        self.beside[face as usize]
    }

    /// Returns true if opaque and solid voxels are identical in the chunk and its neighbours.
    pub(super) fn all_solids_are_opaque(&self) -> bool {
        self.middle.opaque.is_none() && self.beside.iter().all(|brick| brick.opaque.is_none())
    }

    /// Returns the chunk that holds this layer (-1 to 32) and the layer within it.
    pub(super) fn layer(&self, axis: usize, layer: i32) -> (&'a Brick, usize) {
        let brick = match layer {
            ..0 => self.beside[2 * axis],
            0..32 => self.middle,
            _ => self.beside[2 * axis + 1],
        };
        (brick, (layer & 31) as usize)
    }

    /// Computes the bitmap of a layer of the middle chunk (or, for -1 and 32, of a neighbour).
    pub(super) fn bitmap(&self, kind: Kind, axis: usize, layer: i32, out: &mut Bitmap) {
        let (brick, layer) = self.layer(axis, layer);
        let bits = kind.of(brick);
        for (row, place) in out.iter_mut().enumerate() {
            *place = line(bits, axis, layer, row);
        }
    }
}

/// Returns one row of a layer's bitmap.
#[inline]
fn line(bits: &Bits, axis: usize, layer: usize, row: usize) -> u32 {
    match axis {
        0 => bits[row * SIDE..][..SIDE]
            .try_into()
            .map_or(0, |words| column(words, layer)),
        1 => bits[row_of(layer, row)],
        _ => bits[row_of(row, layer)],
    }
}
