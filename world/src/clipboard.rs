//! Copies of regions: taken from the world, rotated, mirrored, pasted, or made into a free object.

use crate::brush::Axis;
use crate::chunk::row_of;
use crate::edit::{EditError, EditReport};
use crate::history::Author;
use crate::kd_tree::CellBox;
use crate::material::Material;
use crate::object::{ObjectError, ObjectId};
use crate::space::{Writer, chunk_of};
use crate::world::World;
use collision::{Cell, Position};
use nalgebra::Vector3;

/// Largest number of voxels in one copy.
pub const MOST_VOXELS: u64 = 1 << 26;

/// Reasons for refusing a copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum CopyError {
    /// Too many voxels.
    #[error("{0} voxels are too many for one copy, at most {MOST_VOXELS} are possible: copy parts")]
    TooLarge(u64),
    /// Part of the region is not loaded.
    #[error("part of the region is not loaded: load it first")]
    NotLoaded,
}

/// Treatment of air by a paste.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PasteMode {
    /// Air replaces the voxels there.
    All,
    /// Air leaves the voxels there unchanged.
    SkipAir,
}

/// A box of voxels. If one side is zero, all three are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Clipboard {
    size: Vector3<u32>,
    /// Order: x fastest, then y, then z.
    voxels: Vec<Material>,
}

impl Clipboard {
    /// Makes a box of this size, calling `material` for each voxel.
    pub fn from_fn(
        size: Vector3<u32>,
        mut material: impl FnMut(Vector3<u32>) -> Material,
    ) -> Result<Self, CopyError> {
        let sides = size.map(u64::from);
        let count = sides
            .iter()
            .fold(1u64, |count, &side| count.saturating_mul(side));
        if count > MOST_VOXELS {
            return Err(CopyError::TooLarge(count));
        }
        if count == 0 {
            return Ok(Self::default());
        }
        let mut voxels = Vec::with_capacity(count as usize);
        for z in 0..size.z {
            for y in 0..size.y {
                voxels.extend((0..size.x).map(|x| material(Vector3::new(x, y, z))));
            }
        }
        Ok(Self { size, voxels })
    }

    /// Returns the number of voxels along each axis.
    pub fn size(&self) -> Vector3<u32> {
        self.size
    }

    /// Returns the material of one voxel; air outside the box.
    pub fn get(&self, at: Vector3<u32>) -> Material {
        if (0..3).any(|axis| at[axis] >= self.size[axis]) {
            return Material::AIR;
        }
        self.voxels[self.place(at)]
    }

    /// Sets one voxel; does nothing outside the box.
    pub fn set(&mut self, at: Vector3<u32>, material: Material) {
        if (0..3).all(|axis| at[axis] < self.size[axis]) {
            let place = self.place(at);
            self.voxels[place] = material;
        }
    }

    fn place(&self, at: Vector3<u32>) -> usize {
        let [x, y, z] = [at.x, at.y, at.z].map(|part| part as usize);
        (z * self.size.y as usize + y) * self.size.x as usize + x
    }

    fn rearranged(&self, size: Vector3<u32>, from: impl Fn(Vector3<u32>) -> Vector3<u32>) -> Self {
        let mut voxels = Vec::with_capacity(self.voxels.len());
        for z in 0..size.z {
            for y in 0..size.y {
                voxels.extend((0..size.x).map(|x| self.get(from(Vector3::new(x, y, z)))));
            }
        }
        Self { size, voxels }
    }

    /// Returns the box rotated by a quarter turn about an axis, counter-clockwise seen from its
    /// tip.
    #[must_use]
    pub fn rotated(&self, axis: Axis) -> Self {
        let (b, c) = ((axis.index() + 1) % 3, (axis.index() + 2) % 3);
        let mut size = self.size;
        size.swap_rows(b, c);
        self.rearranged(size, |at| {
            // The voxel at (b, c) comes from (c, last - b).
            let mut from = at;
            from[b] = at[c];
            from[c] = self.size[c] - 1 - at[b];
            from
        })
    }

    /// Returns the box mirrored along an axis.
    #[must_use]
    pub fn mirrored(&self, axis: Axis) -> Self {
        let axis = axis.index();
        self.rearranged(self.size, |at| {
            let mut from = at;
            from[axis] = self.size[axis] - 1 - at[axis];
            from
        })
    }
}

impl World {
    /// Copies a box of cells, loading it if necessary.
    pub fn copy(&mut self, cells: &CellBox) -> Result<Clipboard, CopyError> {
        let size = cells.max.map(i64::from) - cells.min.map(i64::from) + Vector3::repeat(1);
        let size = size.map(|side| u32::try_from(side.max(0)).unwrap_or(u32::MAX));
        let count = size
            .iter()
            .fold(1u64, |count, &side| count.saturating_mul(u64::from(side)));
        if count > MOST_VOXELS {
            return Err(CopyError::TooLarge(count));
        }
        self.load(cells).map_err(|_| CopyError::NotLoaded)?;
        let mut missing = false;
        let copy = Clipboard::from_fn(size, |at| {
            self.material(cells.min + at.cast::<i32>())
                .unwrap_or_else(|| {
                    missing = true;
                    Material::AIR
                })
        })?;
        if missing {
            Err(CopyError::NotLoaded)
        } else {
            Ok(copy)
        }
    }

    /// Pastes a copy with its lowest corner at a cell, as one edit.
    pub fn paste(
        &mut self,
        author: Author,
        clipboard: &Clipboard,
        at: Cell,
        mode: PasteMode,
    ) -> EditReport {
        let last = clipboard.size.map(|side| side.saturating_sub(1) as i32);
        if clipboard.voxels.is_empty() {
            return EditReport::default();
        }
        let end = at.zip_map(&last, i32::checked_add);
        let (Some(x), Some(y), Some(z)) = (end.x, end.y, end.z) else {
            return EditReport {
                refused: Some(EditError::Shape),
                ..EditReport::default()
            };
        };
        if let Err(error) = self.load_for_edit(&CellBox::new(at, Cell::new(x, y, z))) {
            return EditReport {
                refused: Some(error),
                ..EditReport::default()
            };
        }
        let width = clipboard.size.x as usize;
        self.transact_once(author, |writer| {
            for (index, row) in clipboard.voxels.chunks_exact(width).enumerate() {
                let (y, z) = (
                    index as u32 % clipboard.size.y,
                    index as u32 / clipboard.size.y,
                );
                paste_row(writer, at + Cell::new(0, y as i32, z as i32), row, mode);
            }
        })
    }

    /// Makes a free object from a copy.
    pub fn add_object_of(
        &mut self,
        clipboard: &Clipboard,
        origin: Position,
        voxel_size: f32,
    ) -> Result<ObjectId, ObjectError> {
        self.add_object(origin, voxel_size, clipboard.size, |at| clipboard.get(at))
    }
}

/// Writes a row of materials starting at a cell, one run of equal material within a chunk at a
/// time.
fn paste_row(writer: &mut Writer<'_>, start: Cell, row: &[Material], mode: PasteMode) {
    let mut x = 0;
    while x < row.len() {
        let material = row[x];
        let cell = start + Cell::new(x as i32, 0, 0);
        let within = (cell.x & 31) as usize;
        let room = (32 - within).min(row.len() - x);
        let run = row[x..x + room]
            .iter()
            .take_while(|&&next| next == material)
            .count();
        if material != Material::AIR || mode == PasteMode::All {
            let mask = (u32::MAX >> (32 - run)) << within;
            let row = row_of((cell.y & 31) as usize, (cell.z & 31) as usize);
            writer.fill_chunk_row(chunk_of(cell), row, mask, material);
        }
        x += run;
    }
}
