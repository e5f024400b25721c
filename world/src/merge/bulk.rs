//! All planes of a chunk at once: the first step of a full merge.
//!
//! Faces are stored like voxels, in slabs of equal z, so that the same instructions handle
//! neighbouring planes. Only planes across x need their bits transposed.

use super::bitmap::{Around, Bitmap, Kind};
use super::greedy::{Plane, Rect, take_rectangles, turns};
use super::turn::{first_column, last_column, transpose};
use crate::chunk::{ALL_BITS, Bits, NO_BITS, SIDE};
use crate::surface::Face;

/// The exposed faces of all 192 planes, by direction. Across x: word `z * 32 + x`, bit y; else word
/// `z * 32 + y`, bit x.
#[derive(Clone, Debug)]
pub(super) struct Bulk {
    faces: [Bits; 6],
}

impl Default for Bulk {
    fn default() -> Self {
        Self {
            faces: [[0; SIDE * SIDE]; 6],
        }
    }
}

/// Returns the 32 words of a slab of equal z.
#[inline]
pub(super) fn slab(bits: &Bits, z: usize) -> &[u32; SIDE] {
    bits.as_chunks().0[..SIDE].get(z).unwrap_or(&[0; SIDE])
}

#[inline]
pub(super) fn slab_mut(bits: &mut Bits, z: usize) -> &mut [u32; SIDE] {
    &mut bits.as_chunks_mut().0[z]
}

/// Returns a column of a slab. Shortcut for uniform neighbours, which most chunks at the surface
/// have.
#[inline]
fn column_of(bits: &Bits, z: usize, column: impl Fn(&[u32; SIDE]) -> u32) -> u32 {
    if std::ptr::eq(bits, &NO_BITS) {
        0
    } else if std::ptr::eq(bits, &ALL_BITS) {
        u32::MAX
    } else {
        column(slab(bits, z))
    }
}

/// Finds bits without a hiding bit before or behind them along a row of words.
#[inline(always)]
fn expose(
    [words, hiding]: [&[u32; SIDE]; 2],
    [before, behind]: [u32; 2],
    [low, high]: [&mut [u32; SIDE]; 2],
    put: impl Fn(&mut u32, u32),
) {
    put(&mut low[0], words[0] & !before);
    put(&mut high[SIDE - 1], words[SIDE - 1] & !behind);
    for at in 1..SIDE {
        put(&mut low[at], words[at] & !hiding[at - 1]);
        put(&mut high[at - 1], words[at - 1] & !hiding[at]);
    }
}

/// The bits whose faces are wanted, and those that hide faces: in the middle chunk and its
/// neighbours.
#[derive(Clone, Copy)]
pub(super) struct Shown<'a> {
    pub(super) own: &'a Bits,
    pub(super) hiding: &'a Bits,
    pub(super) beside: [&'a Bits; 6],
}

impl<'a> Shown<'a> {
    /// Bits of one kind, which hide each other.
    fn of(around: &Around<'a>, kind: Kind) -> Self {
        let own = kind.of(around.middle());
        Self {
            own,
            hiding: own,
            beside: Face::ALL.map(|face| kind.of(around.beside(face))),
        }
    }
}

impl Bulk {
    /// Finds all exposed faces: set bits with a clear bit in front.
    pub(super) fn find_faces(&mut self, around: &Around<'_>, kind: Kind) {
        self.find(&Shown::of(around, kind), |place, faces| *place = faces);
    }

    /// Clears all faces.
    pub(super) fn clear(&mut self) {
        self.faces = [[0; SIDE * SIDE]; 6];
    }

    /// Adds faces to those found before.
    pub(super) fn add_faces(&mut self, shown: &Shown<'_>) {
        self.find(shown, |place, faces| *place |= faces);
    }

    #[inline(always)]
    fn find(&mut self, shown: &Shown<'_>, put: impl Fn(&mut u32, u32)) {
        let Shown {
            own,
            hiding,
            beside,
        } = *shown;
        let [left, right, below, above, back, fore] = beside;
        let [minus_x, plus_x, minus_y, plus_y, minus_z, plus_z] = &mut self.faces;
        let alike = std::ptr::eq(own, hiding);
        for z in 0..SIDE {
            let (rows, covers) = (slab(own, z), slab(hiding, z));
            let behind = match z {
                0 => slab(back, SIDE - 1),
                _ => slab(hiding, z - 1),
            };
            let before = match z {
                31 => slab(fore, 0),
                _ => slab(hiding, z + 1),
            };
            let (low, high) = (slab_mut(minus_z, z), slab_mut(plus_z, z));
            for y in 0..SIDE {
                put(&mut low[y], rows[y] & !behind[y]);
                put(&mut high[y], rows[y] & !before[y]);
            }
            expose(
                [rows, covers],
                [slab(below, z)[SIDE - 1], slab(above, z)[0]],
                [slab_mut(minus_y, z), slab_mut(plus_y, z)],
                &put,
            );
            let (mut columns, mut covers) = (*rows, *covers);
            transpose(&mut columns);
            if alike {
                covers = columns;
            } else {
                transpose(&mut covers);
            }
            expose(
                [&columns, &covers],
                [
                    column_of(left, z, last_column),
                    column_of(right, z, first_column),
                ],
                [slab_mut(minus_x, z), slab_mut(plus_x, z)],
                &put,
            );
        }
    }

    /// Computes, for every plane of a direction, the rows that must be processed.
    pub(super) fn turns(&self, face: Face, differs: impl Differs, turns: &mut [u32; SIDE]) {
        let faces = &self.faces[face as usize];
        if face.axis() == 2 {
            turns_of_slabs(faces, differs, turns);
        } else {
            turns_across_slabs(faces, differs, turns);
        }
    }

    /// Returns the faces of one plane.
    pub(super) fn bitmap(&self, face: Face, layer: usize) -> Bitmap {
        let words = &self.faces[face as usize];
        match face.axis() {
            2 => *slab(words, layer),
            _ => std::array::from_fn(|row| words[row * SIDE + layer]),
        }
    }

    /// Emits the rectangles of one plane.
    #[inline(always)]
    pub(super) fn take_rectangles(
        &self,
        face: Face,
        layer: usize,
        turns: u32,
        differs: impl Differs,
        emit: impl FnMut(&Rect),
    ) {
        let faces = &self.faces[face as usize];
        match face.axis() {
            2 => take_rectangles(
                &BulkPlane::<1, _>::new(faces, differs, layer * SIDE),
                turns,
                emit,
            ),
            _ => take_rectangles(
                &BulkPlane::<SIDE, _>::new(faces, differs, layer),
                turns,
                emit,
            ),
        }
    }
}

/// The places at which faces of a direction must not be merged, word by word in the layout of the
/// faces.
pub(super) trait Differs: Copy {
    /// Returns the faces that differ from the column before.
    fn across(self, at: usize) -> u32;
    /// Returns the faces that differ from the row above.
    fn down(self, at: usize) -> u32;
    /// Returns the faces that differ from the row above, for a slab of equal z.
    fn down_slab(&self, z: usize) -> &[u32; SIDE];
}

/// No faces differ: all may be merged.
#[derive(Clone, Copy)]
pub(super) struct Alike;

impl Differs for Alike {
    #[inline(always)]
    fn across(self, _at: usize) -> u32 {
        0
    }

    #[inline(always)]
    fn down(self, _at: usize) -> u32 {
        0
    }

    #[inline(always)]
    fn down_slab(&self, _z: usize) -> &[u32; SIDE] {
        &[0; SIDE]
    }
}

/// Handles planes across z: a slab is a plane, its words are rows.
fn turns_of_slabs(faces: &Bits, differs: impl Differs, found: &mut [u32; SIDE]) {
    const BIT: [u32; SIDE] = {
        let mut bits = [0; SIDE];
        let mut row = 0;
        while row < SIDE {
            bits[row] = 1 << row;
            row += 1;
        }
        bits
    };
    for (z, found) in found.iter_mut().enumerate() {
        let (words, down) = (slab(faces, z), differs.down_slab(z));
        *found = u32::from(words[0] != 0);
        for row in 1..SIDE {
            let turned = turns(words[row], words[row - 1], down[row]);
            *found |= if turned { BIT[row] } else { 0 };
        }
    }
}

/// Handles planes across x and y: a slab holds one row of each plane.
fn turns_across_slabs(faces: &Bits, differs: impl Differs, found: &mut [u32; SIDE]) {
    for (found, &first) in found.iter_mut().zip(slab(faces, 0)) {
        *found = u32::from(first != 0);
    }
    for z in 1..SIDE {
        let (words, above) = (slab(faces, z), slab(faces, z - 1));
        let down = differs.down_slab(z);
        for layer in 0..SIDE {
            let turned = turns(words[layer], above[layer], down[layer]);
            found[layer] |= u32::from(turned) << z;
        }
    }
}

/// One plane of a [`Bulk`], with rows `STRIDE` words apart.
struct BulkPlane<'a, const STRIDE: usize, D> {
    faces: &'a Bits,
    differs: D,
    base: usize,
}

impl<'a, const STRIDE: usize, D> BulkPlane<'a, STRIDE, D> {
    fn new(faces: &'a Bits, differs: D, base: usize) -> Self {
        Self {
            faces,
            differs,
            base,
        }
    }

    #[inline(always)]
    fn at(&self, row: usize) -> usize {
        (self.base + row * STRIDE) % (SIDE * SIDE)
    }
}

impl<const STRIDE: usize, D: Differs> Plane for BulkPlane<'_, STRIDE, D> {
    #[inline(always)]
    fn faces(&self, row: usize) -> u32 {
        self.faces[self.at(row)]
    }

    #[inline(always)]
    fn across(&self, row: usize) -> u32 {
        self.differs.across(self.at(row))
    }

    #[inline(always)]
    fn down(&self, row: usize) -> u32 {
        self.differs.down(self.at(row))
    }
}
