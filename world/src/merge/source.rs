//! Where a merge learns what its faces are made of.

use super::greedy::Lines;
use super::turn::transpose;
use crate::chunk::{Bits, SIDE, Voxels, row_of};
use crate::material::Material;
use crate::surface::{Face, RenderQuad};

/// One material everywhere: nothing keeps faces apart.
pub(super) struct OneMaterial;

impl Lines for OneMaterial {
    type Key = ();

    #[inline(always)]
    fn key(&self, _row: usize, _column: u32) {}

    #[inline(always)]
    fn alike(&self, _row: usize, _key: (), _within: u32) -> u32 {
        u32::MAX
    }
}

/// The materials of a plane, asked of the brick's own storage.
pub(super) struct Stored<'a> {
    voxels: &'a Voxels,
    face: Face,
    layer: usize,
}

impl<'a> Stored<'a> {
    pub(super) fn new(voxels: &'a Voxels, face: Face, layer: usize) -> Self {
        Self {
            voxels,
            face,
            layer,
        }
    }
}

impl Lines for Stored<'_> {
    type Key = Material;

    #[inline]
    fn key(&self, row: usize, column: u32) -> Material {
        let column = column as usize;
        match self.face.axis() {
            0 => self.voxels.at(row_of(column, row), self.layer),
            1 => self.voxels.at(row_of(self.layer, row), column),
            _ => self.voxels.at(row_of(row, self.layer), column),
        }
    }

    #[inline]
    fn alike(&self, row: usize, key: Material, within: u32) -> u32 {
        if within & within.wrapping_sub(1) == 0 {
            let alone = within != 0 && self.key(row, within.trailing_zeros()) == key;
            return if alone { within } else { 0 };
        }
        match self.face.axis() {
            0 => {
                let (mut rest, mut alike) = (within, 0);
                while rest != 0 {
                    let bit = rest & rest.wrapping_neg();
                    rest &= !bit;
                    if self.key(row, bit.trailing_zeros()) == key {
                        alike |= bit;
                    }
                }
                alike
            }
            1 => self.voxels.holding(row_of(self.layer, row), key),
            _ => self.voxels.holding(row_of(row, self.layer), key),
        }
    }

    #[inline]
    fn covers(&self, row: usize, key: Material, there: u32, mask: u32) -> bool {
        there & mask == mask && self.alike(row, key, mask) & mask == mask
    }
}

/// Materials besides air that [`Indexed`] can tell apart: what most terrain has.
const FEW: usize = 4;

/// A brick of few materials as two bit planes of indices, by rows along x and by rows along y. Air has whatever index: it
/// has no faces.
#[derive(Clone, Debug)]
pub(super) struct Indexed {
    materials: [Material; FEW],
    along_x: [Bits; 2],
    along_y: [Bits; 2],
}

impl Default for Indexed {
    fn default() -> Self {
        let none = [[0; SIDE * SIDE]; 2];
        Self {
            materials: [Material::AIR; FEW],
            along_x: none,
            along_y: none,
        }
    }
}

impl Indexed {
    /// Takes over the voxels of a brick that holds few materials.
    pub(super) fn fill(&mut self, voxels: &Voxels, found: &Few) {
        self.materials = found.materials;
        voxels.each_material(|rows, material, masks| {
            let index = found.index(material);
            for (bit, plane) in self.along_x.iter_mut().enumerate() {
                let set = ((index >> bit) as u32 & 1).wrapping_neg();
                for (&row, &mask) in rows.iter().zip(masks) {
                    let word = &mut plane[usize::from(row)];
                    *word = (*word & !mask) | (set & mask);
                }
            }
        });
        for (turned, plane) in self.along_y.iter_mut().zip(&self.along_x) {
            for (turned, slab) in turned.as_chunks_mut().0.iter_mut().zip(plane.as_chunks().0) {
                *turned = *slab;
                transpose(turned);
            }
        }
    }

    pub(super) fn material(&self, key: u32) -> Material {
        self.materials[key as usize & (FEW - 1)]
    }

    /// The lines of one plane.
    #[inline]
    pub(super) fn plane(&self, face: Face, layer: usize) -> IndexedPlane<'_> {
        let (planes, base, stride) = match face.axis() {
            0 => (&self.along_y, layer, SIDE),
            1 => (&self.along_x, layer, SIDE),
            _ => (&self.along_x, layer * SIDE, 1),
        };
        IndexedPlane {
            low: &planes[0],
            high: &planes[1],
            base,
            stride,
        }
    }
}

/// One plane of an [`Indexed`] brick.
pub(super) struct IndexedPlane<'a> {
    low: &'a Bits,
    high: &'a Bits,
    base: usize,
    stride: usize,
}

impl IndexedPlane<'_> {
    #[inline(always)]
    fn words(&self, row: usize) -> (u32, u32) {
        let at = (self.base + row * self.stride) & (SIDE * SIDE - 1);
        (self.low[at], self.high[at])
    }
}

impl Lines for IndexedPlane<'_> {
    type Key = u32;

    #[inline(always)]
    fn key(&self, row: usize, column: u32) -> u32 {
        let (low, high) = self.words(row);
        ((low >> column) & 1) | (((high >> column) & 1) << 1)
    }

    #[inline(always)]
    fn alike(&self, row: usize, key: u32, _within: u32) -> u32 {
        let (low, high) = self.words(row);
        let flip = |bit: u32| (bit & 1).wrapping_sub(1);
        (low ^ flip(key)) & (high ^ flip(key >> 1))
    }
}

/// The materials of a brick besides air, if they are few.
pub(super) struct Few {
    pub(super) materials: [Material; FEW],
    pub(super) count: usize,
}

impl Few {
    /// `None` when there are many.
    pub(super) fn of(voxels: &Voxels) -> Option<Self> {
        let mut found = Self {
            materials: [Material::AIR; FEW],
            count: 0,
        };
        let all = voxels.all_materials(|material| {
            if material == Material::AIR || found.materials[..found.count].contains(&material) {
                return true;
            }
            if found.count == FEW {
                return false;
            }
            found.materials[found.count] = material;
            found.count += 1;
            true
        });
        all.then_some(found)
    }

    fn index(&self, material: Material) -> usize {
        self.materials[..self.count]
            .iter()
            .position(|&held| held == material)
            .unwrap_or(0)
    }
}

/// A rectangle of a bitmap.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rect {
    pub(super) row: u32,
    pub(super) column: u32,
    pub(super) rows: u32,
    pub(super) columns: u32,
}

/// Packs a rectangle of a plane and the light of its corners.
#[inline]
pub(super) fn pack(
    face: Face,
    layer: usize,
    rect: &Rect,
    material: Material,
    light: u32,
) -> RenderQuad {
    let Rect {
        row,
        column,
        rows,
        columns,
    } = *rect;
    let layer = layer as u32;
    let ([x, y, z], width, height) = match face.axis() {
        0 => ([layer, column, row], columns, rows),
        1 => ([column, layer, row], rows, columns),
        _ => ([column, row, layer], columns, rows),
    };
    let place = x | (y << 6) | (z << 12);
    let size = ((width - 1) << 18) | ((height - 1) << 23);
    RenderQuad([
        place | size | ((face as u32) << 28),
        u32::from(material.0) | (light << 16),
    ])
}
