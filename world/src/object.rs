//! Voxel objects that are not terrain: any origin, any voxel size, moved by translation.
//!
//! An object is saved with its world unless it is marked as passing: what an application makes anew each time, and what
//! moves all the time, need not be written several times a second.

use std::num::NonZeroU32;

use crate::chunk::SIDE;
use crate::world::BrickId;
use collision::Position;
use nalgebra::Vector3;

/// A free voxel object by its number. Numbers of removed objects are used again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectId(pub u32);

/// Names a free object for good: the same after it was saved and opened, and never used twice in a world. Only the key of one that
/// was never saved may come again once the world was closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectKey {
    // In two halves, so that the many changes of the undo history stay small.
    high: u32,
    low: NonZeroU32,
}

impl ObjectKey {
    /// The first of a world.
    pub(crate) const FIRST: Self = Self {
        high: 0,
        low: NonZeroU32::MIN,
    };

    /// The key of that number; there is none whose lower 32 bits are 0.
    pub fn from_number(number: u64) -> Option<Self> {
        let low = NonZeroU32::new(number as u32)?;
        let high = (number >> 32) as u32;
        Some(Self { high, low })
    }

    /// Its number, to be written down.
    pub fn number(self) -> u64 {
        u64::from(self.high) << 32 | u64::from(self.low.get())
    }

    pub(crate) fn next(self) -> Self {
        match self.low.checked_add(1) {
            Some(low) => Self { low, ..self },
            None => Self {
                high: self.high.wrapping_add(1),
                low: NonZeroU32::MIN,
            },
        }
    }
}

/// Whether an object is saved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Keeping {
    /// With the world: its voxels, and where it is.
    #[default]
    Kept,
    /// Not at all: it is gone when the world is closed.
    Passing,
}

/// Why an object was refused.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum ObjectError {
    /// The voxel size is out of range or not a number.
    #[error("voxels of {0} m: a voxel object's voxels measure 0.05 to 4 m")]
    VoxelSize(f32),
    /// It lies nowhere.
    #[error("the origin is no place: its offset must be numbers from 0 to below 1")]
    Place,
    /// Too large, or empty.
    #[error("{0} x {1} x {2} voxels: a voxel object has 1 to 256 voxels a side")]
    Extent(u32, u32, u32),
}

/// Smallest and largest voxel of an object, in metres.
pub const VOXEL_SIZES: std::ops::RangeInclusive<f32> = 0.05..=4.0;
/// Most voxels along one side of an object.
pub const MAX_EXTENT: u32 = 256;

/// A free voxel object. Outside its bricks there is nothing, and that is known.
#[derive(Clone, Debug)]
pub struct VoxelObject {
    pub(crate) key: ObjectKey,
    pub(crate) keeping: Keeping,
    pub(crate) origin: Position,
    pub(crate) voxel_size: f32,
    pub(crate) extent: Vector3<u32>,
    pub(crate) bricks: Vec<BrickId>,
    pub(crate) displacement: Vector3<f32>,
    pub(crate) moved_at: u64,
}

impl VoxelObject {
    /// What names it for good.
    pub fn key(&self) -> ObjectKey {
        self.key
    }

    /// Whether it is saved.
    pub fn keeping(&self) -> Keeping {
        self.keeping
    }

    /// Where the lowest corner of its lowest voxel is.
    pub fn origin(&self) -> &Position {
        &self.origin
    }

    /// Side of its voxels, in metres.
    pub fn voxel_size(&self) -> f32 {
        self.voxel_size
    }

    /// Voxels along each axis.
    pub fn extent(&self) -> Vector3<u32> {
        self.extent
    }

    /// Bricks along each axis, 1 to 8.
    pub fn extent_in_bricks(&self) -> Vector3<u32> {
        self.extent.map(|voxels| voxels.div_ceil(32))
    }

    /// Its bricks, x fastest, then y, then z.
    pub fn bricks(&self) -> &[BrickId] {
        &self.bricks
    }

    /// The brick at a place in its grid of bricks.
    #[inline]
    pub fn brick_at(&self, place: Vector3<i32>) -> Option<BrickId> {
        let size = self.extent_in_bricks().map(|bricks| bricks as i32);
        let inside = (0..3).all(|axis| (0..size[axis]).contains(&place[axis]));
        inside.then(|| self.bricks[(place.x + size.x * (place.y + size.y * place.z)) as usize])
    }

    /// Where a place in the world is among its voxels, in voxels: the cell is that of the voxel there.
    pub fn to_voxels(&self, at: &Position) -> Position {
        let from_origin = at.relative_to(self.origin.cell) - self.origin.offset;
        Position::default().moved(from_origin / self.voxel_size)
    }

    /// The columns within its extent of a row of the brick at a place.
    pub(crate) fn columns(&self, place: Vector3<i32>, row: usize) -> u32 {
        let left = self.extent.map(|voxels| voxels as i32) - place * SIDE as i32;
        let [y, z] = [row % SIDE, row / SIDE].map(|part| part as i32);
        if y < left.y && z < left.z {
            u32::MAX.unbounded_shr((SIDE as i32 - left.x).max(0) as u32)
        } else {
            0
        }
    }

    /// How far it moves in this tick, in metres.
    pub fn displacement(&self) -> Vector3<f32> {
        self.displacement
    }

    /// The world's revision when it moved last.
    pub fn moved_at(&self) -> u64 {
        self.moved_at
    }
}
