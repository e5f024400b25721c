//! The region that an edit of many voxels changed, and its layers, computed once and shared by the
//! planes that need them.

use super::bitmap::{Around, Bitmap, Kind};
use super::quads::Quad;
use crate::chunk::SIDE;
use crate::surface::Face;

/// The changed region: for each axis a bit for each layer, layer -1 at bit 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Region(pub(crate) [u64; 3]);

impl Region {
    /// The whole chunk.
    pub(crate) const ALL: Self = Self([u64::MAX; 3]);

    pub(crate) fn add(&mut self, other: &Self) {
        for (ours, theirs) in self.0.iter_mut().zip(other.0) {
            *ours |= theirs;
        }
    }

    /// Returns the rows and columns of a plane's bitmap.
    #[inline]
    pub(super) fn window(&self, axis: usize) -> Window {
        let [x, y, z] = self.0.map(|layers| (layers >> 1) as u32);
        match axis {
            0 => Window {
                rows: z,
                columns: y,
            },
            1 => Window {
                rows: z,
                columns: x,
            },
            _ => Window {
                rows: y,
                columns: x,
            },
        }
    }
}

/// A part of a plane's bitmap.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    rows: u32,
    columns: u32,
}

impl Window {
    /// Returns true if the window contains a face.
    #[inline]
    pub(super) fn holds_face(&self, faces: &Bitmap) -> bool {
        let mut rest = self.rows;
        while rest != 0 {
            if faces[rest.trailing_zeros() as usize] & self.columns != 0 {
                return true;
            }
            rest &= rest - 1;
        }
        false
    }

    /// Returns true if a quad reaches into the window.
    #[inline]
    pub(super) fn holds_quad(&self, quads: &[impl Quad], axis: usize) -> bool {
        let span = |first: u32, length: u32| (u32::MAX >> (32 - length)) << first;
        quads.iter().any(|quad| {
            let place = quad.place(axis);
            span(place.row, place.rows) & self.rows != 0
                && span(place.column, place.columns) & self.columns != 0
        })
    }
}

/// The layers of a chunk, computed on first use.
#[derive(Clone, Debug)]
pub(super) struct Layers {
    known: [u64; 3],
    layers: [[Bitmap; SIDE + 2]; 3],
}

impl Default for Layers {
    fn default() -> Self {
        Self {
            known: [0; 3],
            layers: [[[0; SIDE]; SIDE + 2]; 3],
        }
    }
}

impl Layers {
    /// Clears the layers, for another chunk.
    pub(super) fn forget(&mut self) {
        self.known = [0; 3];
    }

    /// Returns the exposed faces of a plane.
    #[inline]
    pub(super) fn exposed(
        &mut self,
        around: &Around<'_>,
        kind: Kind,
        face: Face,
        layer: usize,
    ) -> Bitmap {
        let axis = face.axis();
        let (own, front) = (layer + 1, (layer as i32 + 1 + face.sign()) as usize);
        self.find(around, kind, axis, own);
        self.find(around, kind, axis, front);
        let (own, front) = (&self.layers[axis][own], &self.layers[axis][front]);
        std::array::from_fn(|row| own[row] & !front[row])
    }

    #[inline]
    fn find(&mut self, around: &Around<'_>, kind: Kind, axis: usize, layer: usize) {
        if (self.known[axis] >> layer) & 1 == 0 {
            self.known[axis] |= 1 << layer;
            around.bitmap(kind, axis, layer as i32 - 1, &mut self.layers[axis][layer]);
        }
    }
}
