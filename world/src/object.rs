//! Free voxel objects: any origin, any voxel size, moved by translation.
//!
//! An object is saved with its world unless it is marked as passing: objects that an application
//! makes anew each time, or that move all the time, need not be written several times a second.

use std::num::NonZeroU32;

use crate::chunk::{SIDE, Voxels};
use crate::space::BrickId;
use collision::Position;
use nalgebra::Vector3;

/// The number of a free voxel object. Numbers of removed objects are used again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectId(pub u32);

/// The permanent key of a free object: kept when the world is saved and opened, never used twice in
/// a world. Only the key of an object that was never saved may be used again after the world was
/// closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectKey {
    // In two halves, so that the many changes of the undo history stay small.
    high: u32,
    low: NonZeroU32,
}

impl ObjectKey {
    /// The first key of a world.
    pub(crate) const FIRST: Self = Self {
        high: 0,
        low: NonZeroU32::MIN,
    };

    /// Returns the key with this number; none if the lower 32 bits are 0.
    pub fn from_number(number: u64) -> Option<Self> {
        let low = NonZeroU32::new(number as u32)?;
        let high = (number >> 32) as u32;
        Some(Self { high, low })
    }

    /// Returns the number of the key, for saving.
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

/// Decides if an object is saved with its world.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Keeping {
    /// Saves the voxels and the place.
    #[default]
    Kept,
    /// Does not save the object: it is gone when the world is closed.
    Passing,
}

/// Reasons for refusing an object.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum ObjectError {
    /// The voxel size is out of range or not a number.
    #[error("voxels of {0} m: a voxel object's voxels measure 0.05 to 4 m")]
    VoxelSize(f32),
    /// The origin is not a valid position.
    #[error("the origin is invalid: each part of its offset must be from 0 to below 1")]
    Place,
    /// The object is too large, or empty.
    #[error("{0} x {1} x {2} voxels: a voxel object has 1 to 256 voxels a side")]
    Extent(u32, u32, u32),
}

/// Range of voxel sizes of an object, in metres.
pub const VOXEL_SIZES: std::ops::RangeInclusive<f32> = 0.05..=4.0;
/// Largest number of voxels along one side of an object.
pub const MAX_EXTENT: u32 = 256;

/// A free voxel object. The space outside its chunks is empty, and counts as loaded.
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
    /// Returns the permanent key.
    pub fn key(&self) -> ObjectKey {
        self.key
    }

    /// Tells if the object is saved.
    pub fn keeping(&self) -> Keeping {
        self.keeping
    }

    /// Returns the lowest corner of the lowest voxel.
    pub fn origin(&self) -> &Position {
        &self.origin
    }

    /// Returns the side of a voxel, in metres.
    pub fn voxel_size(&self) -> f32 {
        self.voxel_size
    }

    /// Returns the number of voxels along each axis.
    pub fn extent(&self) -> Vector3<u32> {
        self.extent
    }

    /// Returns the number of chunks along each axis, 1 to 8.
    pub fn extent_in_bricks(&self) -> Vector3<u32> {
        self.extent.map(|voxels| voxels.div_ceil(32))
    }

    /// Returns the chunks, x fastest, then y, then z.
    pub fn bricks(&self) -> &[BrickId] {
        &self.bricks
    }

    /// Returns the chunk at a place in the object's grid of chunks.
    #[inline]
    pub fn brick_at(&self, place: Vector3<i32>) -> Option<BrickId> {
        let size = self.extent_in_bricks().map(|bricks| bricks as i32);
        let inside = (0..3).all(|axis| (0..size[axis]).contains(&place[axis]));
        inside.then(|| self.bricks[(place.x + size.x * (place.y + size.y * place.z)) as usize])
    }

    /// Converts a world position to the object's voxel coordinates.
    pub fn to_voxels(&self, at: &Position) -> Position {
        let from_origin = at.relative_to(self.origin.cell) - self.origin.offset;
        Position::default().moved(from_origin / self.voxel_size)
    }

    /// Returns the mask of x in a row of the chunk at a place that lie within the object's extent.
    pub(crate) fn columns(&self, place: Vector3<i32>, row: usize) -> u32 {
        let left = self.extent.map(|voxels| voxels as i32) - place * SIDE as i32;
        let [y, z] = [row % SIDE, row / SIDE].map(|part| part as i32);
        if y < left.y && z < left.z {
            u32::MAX.unbounded_shr((SIDE as i32 - left.x).max(0) as u32)
        } else {
            0
        }
    }

    /// Returns the displacement in this tick, in metres.
    pub fn displacement(&self) -> Vector3<f32> {
        self.displacement
    }

    /// Returns the world's revision at the object's last move.
    pub fn moved_at(&self) -> u64 {
        self.moved_at
    }
}

impl VoxelObject {
    pub(crate) fn shape(&self) -> ObjectShape {
        ObjectShape {
            origin: self.origin,
            voxel_size: self.voxel_size,
            extent: self.extent,
        }
    }
}

/// The place, voxel size and extent of an object.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ObjectShape {
    pub(crate) origin: Position,
    pub(crate) voxel_size: f32,
    pub(crate) extent: Vector3<u32>,
}

impl ObjectShape {
    pub(crate) fn check(&self) -> Result<(), ObjectError> {
        let extent = self.extent;
        let offset = self.origin.offset;
        if !offset.iter().all(|part| (0.0..1.0).contains(part)) {
            return Err(ObjectError::Place);
        }
        if !VOXEL_SIZES.contains(&self.voxel_size) {
            return Err(ObjectError::VoxelSize(self.voxel_size));
        }
        if extent.iter().any(|&side| side == 0 || side > MAX_EXTENT) {
            return Err(ObjectError::Extent(extent.x, extent.y, extent.z));
        }
        Ok(())
    }

    /// Returns the index of the chunk at a place.
    pub(crate) fn index_of(&self, place: Vector3<i32>) -> Option<usize> {
        let size = self.extent.map(|voxels| voxels.div_ceil(32) as i32);
        let inside = (0..3).all(|axis| (0..size[axis]).contains(&place[axis]));
        inside.then(|| (place.x + size.x * (place.y + size.y * place.z)) as usize)
    }

    /// Returns the places of the chunks, x fastest, then y, then z.
    pub(crate) fn places(&self) -> impl Iterator<Item = Vector3<i32>> + use<> {
        let size = self.extent.map(|voxels| voxels.div_ceil(32) as i32);
        (0..size.product()).map(move |place| {
            Vector3::new(
                place % size.x,
                place / size.x % size.y,
                place / (size.x * size.y),
            )
        })
    }
}

/// A free object that is not in the world and may return.
#[derive(Clone, Debug)]
pub(crate) struct Shelved {
    pub(crate) key: ObjectKey,
    pub(crate) keeping: Keeping,
    pub(crate) shape: ObjectShape,
    /// Voxels of each of its chunks.
    pub(crate) bricks: Vec<Voxels>,
}

impl Shelved {
    pub(crate) fn bytes(&self) -> usize {
        let heap: usize = self.bricks.iter().map(Voxels::heap_bytes).sum();
        size_of::<Self>() + self.bricks.capacity() * size_of::<Voxels>() + heap
    }
}
