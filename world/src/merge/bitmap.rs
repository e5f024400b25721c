//! Bitmaps of one layer of voxels, with a margin from the neighbours.

use super::turn::column;
use crate::chunk::{Bits, Brick, SIDE, row_of};
use crate::surface::Face;

/// A brick and its 26 neighbours. Index `(dx + 1) + 3 (dy + 1) + 9 (dz + 1)`.
#[derive(Clone, Copy)]
pub struct Around<'a> {
    bricks: [&'a Brick; 27],
}

/// The bits of a brick a bitmap is made of.
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

/// A layer with a margin of one voxel all round: row `r` at `r + 1`, column `c` at bit `c + 1`.
pub(super) type Padded = [u64; SIDE + 2];
/// A layer without margin.
pub(super) type Bitmap = [u32; SIDE];

impl<'a> Around<'a> {
    /// From the 27 bricks in order.
    pub fn new(bricks: [&'a Brick; 27]) -> Self {
        Self { bricks }
    }

    /// The brick in question.
    #[inline]
    pub fn middle(&self) -> &'a Brick {
        self.bricks[13]
    }

    /// A neighbour; each offset is -1, 0 or 1.
    #[inline]
    pub fn at(&self, dx: i32, dy: i32, dz: i32) -> &'a Brick {
        self.bricks[(13 + dx + 3 * dy + 9 * dz) as usize]
    }

    /// Whether the bits of opaque voxels are those of solid ones, here and in all neighbours.
    pub(super) fn all_solids_are_opaque(&self) -> bool {
        self.bricks.iter().all(|brick| brick.opaque.is_none())
    }

    /// The neighbour a face looks at.
    #[inline]
    pub(super) fn beside(&self, face: Face) -> &'a Brick {
        let step = face.step();
        self.at(step.x, step.y, step.z)
    }

    /// The brick that holds this layer (-1 to 32) and the layer inside it.
    pub(super) fn layer(&self, axis: usize, layer: i32) -> (&'a Brick, usize) {
        let mut offset = [0; 3];
        offset[axis] = layer >> 5;
        (
            self.at(offset[0], offset[1], offset[2]),
            (layer & 31) as usize,
        )
    }

    /// The layer of the middle brick (or, for -1 and 32, of its neighbour).
    pub(super) fn bitmap(&self, kind: Kind, axis: usize, layer: i32, out: &mut Bitmap) {
        let (brick, layer) = self.layer(axis, layer);
        bitmap_of(kind.of(brick), axis, layer, out);
    }

    /// The layer (-1 to 32) with its margin.
    pub(super) fn padded(&self, kind: Kind, axis: usize, layer: i32, out: &mut Padded) {
        let across = layer >> 5;
        let layer = (layer & 31) as usize;
        for part in -1..=1 {
            let brick = |along: i32| {
                kind.of(match axis {
                    0 => self.at(across, along, part),
                    1 => self.at(along, across, part),
                    _ => self.at(along, part, across),
                })
            };
            let (low, middle, high) = (brick(-1), brick(0), brick(1));
            let (rows, first) = match part {
                -1 => (31..32, 0),
                0 => (0..32, 1),
                _ => (0..1, 33),
            };
            for row in rows.clone() {
                let place = &mut out[first + row - rows.start];
                *place = u64::from(bit(low, axis, layer, row, 31))
                    | (u64::from(line(middle, axis, layer, row)) << 1)
                    | (u64::from(bit(high, axis, layer, row, 0)) << 33);
            }
        }
    }
}

/// One row of a layer's bitmap.
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

/// One bit of a row of a layer's bitmap.
#[inline]
fn bit(bits: &Bits, axis: usize, layer: usize, row: usize, at: usize) -> u32 {
    match axis {
        0 => (bits[row_of(at, row)] >> layer) & 1,
        1 => (bits[row_of(layer, row)] >> at) & 1,
        _ => (bits[row_of(row, layer)] >> at) & 1,
    }
}

fn bitmap_of(bits: &Bits, axis: usize, layer: usize, out: &mut Bitmap) {
    for (row, place) in out.iter_mut().enumerate() {
        *place = line(bits, axis, layer, row);
    }
}
