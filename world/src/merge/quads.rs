//! Between rectangles of a plane and the quads of the two surfaces.

use super::greedy::Rect;
use crate::material::Material;
use crate::surface::{CollisionQuad, Face, RenderQuad};

/// A rectangle of a plane in the form that a surface keeps.
pub(super) trait Quad: Copy {
    /// Whether quads are kept apart by what they are made of.
    const HAS_MATERIAL: bool;
    /// Packs a rectangle of a plane.
    fn pack(face: Face, layer: usize, rect: &Rect, material: Material) -> Self;
    /// Where it is on its plane's bitmap, if it looks along this axis.
    fn place(self, axis: usize) -> Rect;
    /// What it is made of; one and the same where material plays no part.
    fn material(self) -> Material;
}

impl Quad for CollisionQuad {
    const HAS_MATERIAL: bool = false;

    #[inline(always)]
    fn pack(face: Face, layer: usize, rect: &Rect, _material: Material) -> Self {
        let (place, size) = ((rect.column, rect.row), (rect.columns, rect.rows));
        match face.axis() {
            1 => Self::new(face, layer as u32, (place.1, place.0), (size.1, size.0)),
            _ => Self::new(face, layer as u32, place, size),
        }
    }

    #[inline(always)]
    fn place(self, axis: usize) -> Rect {
        let (row, column, rows, columns) = (self.v(), self.u(), self.height(), self.width());
        match axis {
            1 => Rect {
                row: column,
                column: row,
                rows: columns,
                columns: rows,
            },
            _ => Rect {
                row,
                column,
                rows,
                columns,
            },
        }
    }

    #[inline]
    fn material(self) -> Material {
        Material::AIR
    }
}

impl Quad for RenderQuad {
    const HAS_MATERIAL: bool = true;

    #[inline(always)]
    fn pack(face: Face, layer: usize, rect: &Rect, material: Material) -> Self {
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
        Self([place | size | ((face as u32) << 28), u32::from(material.0)])
    }

    #[inline(always)]
    fn place(self, axis: usize) -> Rect {
        let [x, y, z] = self.voxel();
        let (row, column, rows, columns) = match axis {
            0 => (z, y, self.height(), self.width()),
            1 => (z, x, self.width(), self.height()),
            _ => (y, x, self.height(), self.width()),
        };
        Rect {
            row,
            column,
            rows,
            columns,
        }
    }

    #[inline]
    fn material(self) -> Material {
        RenderQuad::material(self)
    }
}
