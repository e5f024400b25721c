//! Bitmaps of the layers about an edit, found once and shared by the planes that need them.

use super::bitmap::{Around, Bitmap, Kind, Padded};
use crate::chunk::SIDE;
use crate::surface::{CollisionQuad, Face, RenderQuad};

/// Where something changed: for each axis a bit a layer, layer -1 at bit 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Region(pub(crate) [u64; 3]);

impl Region {
    /// Everywhere.
    pub(crate) const ALL: Self = Self([u64::MAX; 3]);

    pub(crate) fn add(&mut self, other: &Self) {
        for (ours, theirs) in self.0.iter_mut().zip(other.0) {
            *ours |= theirs;
        }
    }

    /// With one voxel more on every side.
    pub(super) fn grown(&self) -> Self {
        Self(self.0.map(|layers| layers | (layers << 1) | (layers >> 1)))
    }

    /// Rows and columns of a plane's bitmap.
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

/// A quad that can tell where it is on its plane's bitmap.
pub(super) trait OnPlane {
    /// First row and column, rows, columns.
    fn place(&self) -> [u32; 4];
}

impl OnPlane for CollisionQuad {
    #[inline]
    fn place(&self) -> [u32; 4] {
        match self.face().axis() {
            1 => [self.u(), self.v(), self.width(), self.height()],
            _ => [self.v(), self.u(), self.height(), self.width()],
        }
    }
}

impl OnPlane for RenderQuad {
    #[inline]
    fn place(&self) -> [u32; 4] {
        let [x, y, z] = self.voxel();
        match self.face().axis() {
            0 => [z, y, self.height(), self.width()],
            1 => [z, x, self.width(), self.height()],
            _ => [y, x, self.height(), self.width()],
        }
    }
}

impl Window {
    /// Whether a face is in it.
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

    /// Whether a quad reaches into it.
    #[inline]
    pub(super) fn holds_quad(&self, quads: &[impl OnPlane]) -> bool {
        let span = |first: u32, length: u32| (u32::MAX >> (32 - length)) << first;
        quads.iter().any(|quad| {
            let [row, column, rows, columns] = quad.place();
            span(row, rows) & self.rows != 0 && span(column, columns) & self.columns != 0
        })
    }
}

/// The layers of a brick, found when first asked for.
#[derive(Clone, Debug)]
pub(super) struct Layers {
    known: [u64; 3],
    layers: [[Padded; SIDE + 2]; 3],
}

impl Default for Layers {
    fn default() -> Self {
        Self {
            known: [0; 3],
            layers: [[[0; SIDE + 2]; SIDE + 2]; 3],
        }
    }
}

impl Layers {
    /// Begins with another brick.
    pub(super) fn forget(&mut self) {
        self.known = [0; 3];
    }

    /// Exposed faces of a plane.
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
        std::array::from_fn(|row| ((own[row + 1] & !front[row + 1]) >> 1) as u32)
    }

    /// The layer in front of a plane whose exposed faces were asked for.
    #[inline]
    pub(super) fn front(&self, face: Face, layer: usize) -> &Padded {
        &self.layers[face.axis()][(layer as i32 + 1 + face.sign()) as usize]
    }

    #[inline]
    fn find(&mut self, around: &Around<'_>, kind: Kind, axis: usize, layer: usize) {
        if (self.known[axis] >> layer) & 1 == 0 {
            self.known[axis] |= 1 << layer;
            around.padded(kind, axis, layer as i32 - 1, &mut self.layers[axis][layer]);
        }
    }
}
