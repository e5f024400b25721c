//! Converts between rectangles of a plane and the quads of the two surfaces.

use super::greedy::Rect;
use crate::material::Material;
use crate::surface::{CollisionQuad, Face, RenderQuad};

/// The packing of a plane's rectangles into words: a sum of products, so that directions differ in
/// factors and not in code.
#[derive(Clone, Copy, Debug)]
pub(super) struct Packing {
    base: u32,
    first_row: u32,
    end_row: u32,
    first_column: u32,
    end_column: u32,
}

impl Packing {
    /// Makes the packing of words that hold first rows and columns, and 31 less the last ones.
    #[inline]
    fn by_ends(base: u32, [row, column, last_row, last_column]: [u32; 4]) -> Self {
        Self {
            base: base.wrapping_add(32 * (last_row + last_column)),
            first_row: row,
            end_row: last_row.wrapping_neg(),
            first_column: column,
            end_column: last_column.wrapping_neg(),
        }
    }

    /// Makes the packing of words that hold first rows and columns, and sizes less one.
    #[inline]
    fn by_sizes(base: u32, [row, column, rows, columns]: [u32; 4]) -> Self {
        Self {
            base: base.wrapping_sub(rows + columns),
            first_row: row.wrapping_sub(rows),
            end_row: rows,
            first_column: column.wrapping_sub(columns),
            end_column: columns,
        }
    }

    #[inline(always)]
    fn word(&self, rect: &Rect) -> u32 {
        // The part that all rectangles with the same end share comes first.
        let rows = self
            .base
            .wrapping_add((rect.row + rect.rows).wrapping_mul(self.end_row));
        let first = rect.row.wrapping_mul(self.first_row);
        let columns = (rect.column + rect.columns).wrapping_mul(self.end_column);
        let column = rect.column.wrapping_mul(self.first_column);
        rows.wrapping_add(first)
            .wrapping_add(columns)
            .wrapping_add(column)
    }
}

/// A rectangle of a plane in the form stored by a surface.
pub(super) trait Quad: Copy {
    /// True if quads of different materials are separate.
    const HAS_MATERIAL: bool;
    /// Returns the packing of a plane's rectangles.
    fn packing(face: Face, layer: usize) -> Packing;
    /// Packs a rectangle.
    fn pack(packing: &Packing, rect: &Rect, material: Material) -> Self;
    /// Returns the quad's rectangle on its plane's bitmap; the quad must face along this axis.
    fn place(self, axis: usize) -> Rect;
    /// Returns the material; a constant for surfaces without materials.
    fn material(self) -> Material;
}

impl Quad for CollisionQuad {
    const HAS_MATERIAL: bool = false;

    #[inline]
    fn packing(face: Face, layer: usize) -> Packing {
        let base = ((layer as u32) << Self::LAYER) | ((face as u32) << Self::FACE);
        const U: [u32; 2] = [1, 1 << CollisionQuad::LAST_U];
        const V: [u32; 2] = [1 << CollisionQuad::FIRST_V, 1 << CollisionQuad::LAST_V];
        let [row, column] = if face.axis() == 1 { [U, V] } else { [V, U] };
        Packing::by_ends(base, [row[0], column[0], row[1], column[1]])
    }

    #[inline(always)]
    fn pack(packing: &Packing, rect: &Rect, _material: Material) -> Self {
        Self(packing.word(rect))
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

    #[inline]
    fn packing(face: Face, layer: usize) -> Packing {
        let base = ((layer as u32) << (6 * face.axis())) | ((face as u32) << 28);
        const FACTORS: [[u32; 4]; 3] = [
            [1 << 12, 1 << 6, 1 << 23, 1 << 18],
            [1 << 12, 1, 1 << 18, 1 << 23],
            [1 << 6, 1, 1 << 23, 1 << 18],
        ];
        Packing::by_sizes(base, FACTORS[face.axis()])
    }

    #[inline(always)]
    fn pack(packing: &Packing, rect: &Rect, material: Material) -> Self {
        Self([packing.word(rect), u32::from(material.0)])
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
