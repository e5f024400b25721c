//! All planes of a brick at once: what a merge from nothing begins with.
//!
//! Faces lie as voxels do: slab by slab of equal z, so that what is found for one plane is found for its neighbours with the
//! same instructions. Only planes across x need their bits turned.

use super::bitmap::{Around, Bitmap, Kind};
use super::greedy::{Plane, turns};
use super::turn::{column, transpose};
use crate::chunk::{ALL_BITS, Bits, NO_BITS, SIDE};
use crate::surface::Face;

/// The exposed faces of all 192 planes, by direction. Across x: word `z * 32 + x`, bit y; else word `z * 32 + y`, bit x.
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

/// The 32 words of a slab of equal z.
#[inline]
pub(super) fn slab(bits: &Bits, z: usize) -> &[u32; SIDE] {
    bits.as_chunks().0[..SIDE].get(z).unwrap_or(&[0; SIDE])
}

#[inline]
fn slab_mut(bits: &mut Bits, z: usize) -> &mut [u32; SIDE] {
    &mut bits.as_chunks_mut().0[z]
}

/// A column of a slab; most bricks at the surface have neighbours that are all alike.
#[inline]
fn column_of(bits: &Bits, z: usize, at: usize) -> u32 {
    if std::ptr::eq(bits, &NO_BITS) {
        0
    } else if std::ptr::eq(bits, &ALL_BITS) {
        u32::MAX
    } else {
        column(slab(bits, z), at)
    }
}

/// Bits that have no hiding one before or behind them along a row of words.
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

/// The bits whose faces are sought, and those that hide a face behind them: in the middle brick and in its neighbours.
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
    /// Finds all exposed faces: bits with a clear bit in front.
    pub(super) fn find_faces(&mut self, around: &Around<'_>, kind: Kind) {
        self.find(&Shown::of(around, kind), |place, faces| *place = faces);
    }

    /// Forgets all faces.
    pub(super) fn clear(&mut self) {
        self.faces = [[0; SIDE * SIDE]; 6];
    }

    /// Finds more faces.
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
                [column_of(left, z, SIDE - 1), column_of(right, z, 0)],
                [slab_mut(minus_x, z), slab_mut(plus_x, z)],
                &put,
            );
        }
    }

    /// The rows of every plane of a direction that must be looked at. Keys are told apart by `index`, laid out as the faces are.
    pub(super) fn turns<const N: usize>(
        &self,
        face: Face,
        index: [&Bits; N],
        turns: &mut [u32; SIDE],
    ) {
        let faces = &self.faces[face as usize];
        if face.axis() == 2 {
            turns_of_slabs(faces, index, turns);
        } else {
            turns_across_slabs(faces, index, turns);
        }
    }

    /// The faces of one plane.
    pub(super) fn bitmap(&self, face: Face, layer: usize) -> Bitmap {
        let plane = self.plane(face, layer, []);
        std::array::from_fn(|row| plane.faces(row))
    }

    /// One plane.
    #[inline]
    pub(super) fn plane<'a, const N: usize>(
        &'a self,
        face: Face,
        layer: usize,
        index: [&'a Bits; N],
    ) -> BulkPlane<'a, N> {
        let (base, stride) = match face.axis() {
            2 => (layer * SIDE, 1),
            _ => (layer, SIDE),
        };
        BulkPlane {
            faces: &self.faces[face as usize],
            index,
            base,
            stride,
        }
    }
}

/// A slab is a plane, its words are rows.
fn turns_of_slabs<const N: usize>(faces: &Bits, index: [&Bits; N], found: &mut [u32; SIDE]) {
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
        let words = slab(faces, z);
        let index = index.map(|bits| slab(bits, z));
        *found = u32::from(words[0] != 0);
        for row in 1..SIDE {
            let differs = index
                .iter()
                .fold(0, |differs, words| differs | (words[row] ^ words[row - 1]));
            let turned = turns(words[row], words[row - 1], differs);
            *found |= if turned { BIT[row] } else { 0 };
        }
    }
}

/// A slab has a row of each plane.
fn turns_across_slabs<const N: usize>(faces: &Bits, index: [&Bits; N], found: &mut [u32; SIDE]) {
    for (found, &first) in found.iter_mut().zip(slab(faces, 0)) {
        *found = u32::from(first != 0);
    }
    for z in 1..SIDE {
        let (words, above) = (slab(faces, z), slab(faces, z - 1));
        let index = index.map(|bits| [slab(bits, z), slab(bits, z - 1)]);
        for layer in 0..SIDE {
            let differs = index.iter().fold(0, |differs, [words, above]| {
                differs | (words[layer] ^ above[layer])
            });
            let turned = turns(words[layer], above[layer], differs);
            found[layer] |= u32::from(turned) << z;
        }
    }
}

/// One plane of a [`Bulk`], with the bits of the numbers of its keys.
pub(super) struct BulkPlane<'a, const N: usize> {
    faces: &'a Bits,
    index: [&'a Bits; N],
    base: usize,
    stride: usize,
}

impl<const N: usize> BulkPlane<'_, N> {
    #[inline(always)]
    fn at(&self, row: usize) -> usize {
        self.base.wrapping_add(row.wrapping_mul(self.stride)) % (SIDE * SIDE)
    }
}

impl<const N: usize> Plane for BulkPlane<'_, N> {
    type Key = usize;

    #[inline(always)]
    fn faces(&self, row: usize) -> u32 {
        self.faces[self.at(row)]
    }

    #[inline(always)]
    fn along(&self, row: usize) -> u32 {
        let at = self.at(row);
        !self
            .index
            .iter()
            .fold(0, |differs, bits| differs | (bits[at] ^ (bits[at] >> 1)))
    }

    #[inline(always)]
    fn down(&self, row: usize) -> u32 {
        let (at, above) = (self.at(row), self.at(row.wrapping_sub(1)));
        !self
            .index
            .iter()
            .fold(0, |differs, bits| differs | (bits[at] ^ bits[above]))
    }

    #[inline(always)]
    fn key(&self, row: usize, column: u32) -> usize {
        let at = self.at(row);
        self.index.iter().enumerate().fold(0, |key, (bit, bits)| {
            key | ((((bits[at] >> column) & 1) as usize) << bit)
        })
    }
}
