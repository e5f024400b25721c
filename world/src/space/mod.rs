//! The voxels in memory: terrain chunks, free voxel objects, and the index over both.
//!
//! Out of scope: the generator, files and undo; [`crate::World`] adds them.

mod changes;
mod objects;
mod place;
mod repeats;
mod slots;
mod touch;
mod write;

pub use changes::Changes;
pub use place::{BrickId, ChunkPosition, chunk_of, place_in_chunk};
pub use slots::Owner;
pub use write::{BrickChange, WriteReport, Writer};

use crate::chunk::Brick;
use crate::kd_tree::{CellBox, Frustum, KdTree};
use crate::material::{Material, MaterialTable};
use crate::merge::Around;
use crate::object::{ObjectId, ObjectKey};
use collision::Cell;
use nalgebra::Vector3;
use objects::Objects;
use slots::Slots;
use std::sync::atomic::{AtomicU32, Ordering};
use write::WriteScratch;

/// The place of a chunk in names that stay valid after saving and opening.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BrickPlace {
    /// The free object that it belongs to; `None` for terrain.
    pub object: Option<ObjectKey>,
    /// Place of the terrain chunk, or place in the object's grid of chunks.
    pub chunk: ChunkPosition,
}

impl BrickPlace {
    /// Returns the place of a terrain chunk.
    pub fn terrain(chunk: ChunkPosition) -> Self {
        Self {
            object: None,
            chunk,
        }
    }
}

/// An entry of the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Found {
    /// A terrain chunk.
    Terrain(BrickId),
    /// A free voxel object.
    Object(ObjectId),
}

impl Found {
    pub(crate) fn key(self) -> u32 {
        match self {
            Self::Terrain(brick) => brick.0 << 1,
            Self::Object(object) => (object.0 << 1) | 1,
        }
    }

    pub(crate) fn from_key(key: u32) -> Self {
        if key & 1 == 0 {
            Self::Terrain(BrickId(key >> 1))
        } else {
            Self::Object(ObjectId(key >> 1))
        }
    }
}

/// Mark of the space that is made next.
static NEXT_MARK: AtomicU32 = AtomicU32::new(0x574f_524c);

/// Voxels, the data derived from them, and their index.
pub struct Space {
    pub(crate) materials: MaterialTable,
    pub(crate) slots: Slots,
    pub(crate) objects: Objects,
    pub(crate) index: KdTree,
    pub(crate) revision: u64,
    /// Mixed into the revision, so that memories of characters filled by another space are never
    /// taken as valid. Only the highest bits differ between spaces; revisions never reach them.
    pub(crate) mark: u64,
    scratch: WriteScratch,
}

impl Space {
    /// Bytes of a chunk besides its heap: its slot and its share of the index.
    pub const BRICK_BYTES: usize = size_of::<slots::Slot>() + 64;

    /// Returns a space without any loaded chunk.
    pub(crate) fn new(materials: MaterialTable) -> Self {
        Self {
            materials,
            slots: Slots::new(),
            objects: Objects::default(),
            index: KdTree::new(),
            revision: 1,
            mark: u64::from(NEXT_MARK.fetch_add(1, Ordering::Relaxed)).reverse_bits(),
            scratch: WriteScratch::default(),
        }
    }

    /// Returns the materials.
    pub fn materials(&self) -> &MaterialTable {
        &self.materials
    }

    /// Returns a number that grows with every change or movement.
    #[inline]
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Returns the material of a terrain cell; `None` if its chunk is not loaded.
    #[inline]
    pub fn material(&self, cell: Cell) -> Option<Material> {
        let place = place_in_chunk(cell);
        let brick = self.brick(self.brick_at(chunk_of(cell))?);
        Some(brick.material(place.x, place.y, place.z))
    }

    /// Returns the terrain chunk at a place, if it is loaded.
    #[inline]
    pub fn brick_at(&self, chunk: ChunkPosition) -> Option<BrickId> {
        self.slots.by_chunk(chunk)
    }

    /// Returns the contents of a chunk; an empty chunk for an unused id.
    #[inline]
    pub fn brick(&self, id: BrickId) -> &Brick {
        &self.slots.get(id).brick
    }

    /// Returns a chunk and its neighbours: index `(dx + 1) + 3 (dy + 1) + 9 (dz + 1)`, itself at
    /// 13. [`BrickId::NOT_LOADED`] is a solid chunk, [`BrickId::OUTSIDE`] an empty one.
    #[inline]
    pub fn bricks_around(&self, id: BrickId) -> &[BrickId; 27] {
        &self.slots.get(id).around
    }

    /// Returns the owner of a chunk.
    pub fn owner(&self, id: BrickId) -> Owner {
        self.slots.get(id).owner
    }

    /// Returns the place of a chunk in the terrain, or in its object's grid of chunks.
    pub fn place_of(&self, id: BrickId) -> Vector3<i32> {
        self.slots.get(id).place
    }

    /// Returns the lasting place of a chunk; `None` for an unused id.
    pub fn brick_place(&self, id: BrickId) -> Option<BrickPlace> {
        let object = match self.owner(id) {
            Owner::Unused => return None,
            Owner::Terrain => None,
            Owner::Object(object) => Some(self.object(object)?.key()),
        };
        let chunk = self.place_of(id);
        Some(BrickPlace { object, chunk })
    }

    /// Returns the chunk at a place, if it is loaded.
    pub fn brick_in(&self, place: &BrickPlace) -> Option<BrickId> {
        match place.object {
            None => self.brick_at(place.chunk),
            Some(key) => self.object(self.object_by_key(key)?)?.brick_at(place.chunk),
        }
    }

    /// Returns all chunks in use, in order of id.
    pub fn brick_ids(&self) -> impl Iterator<Item = BrickId> {
        self.slots.ids()
    }

    /// Returns the loaded terrain chunks, in order of id.
    pub fn loaded_chunks(&self) -> impl Iterator<Item = (ChunkPosition, BrickId)> {
        self.brick_ids()
            .filter(|&id| self.owner(id) == Owner::Terrain)
            .map(|id| (self.place_of(id), id))
    }

    /// Returns a chunk and its six neighbours, as input of merging.
    pub fn around(&self, id: BrickId) -> Around<'_> {
        let around = &self.slots.get(id).around;
        let beside = [12, 14, 10, 16, 4, 22].map(|index| self.brick(around[index]));
        Around::new(self.brick(id), beside)
    }

    /// Takes a terrain chunk out and returns it.
    pub(crate) fn take_brick(&mut self, chunk: ChunkPosition) -> Option<Brick> {
        let id = self.brick_at(chunk)?;
        self.revision += 1;
        // Includes neighbours at edges and corners: until a renderer reads the changes, the id may
        // belong to another chunk.
        self.mark_borders(id, 0..27);
        self.index.remove(Found::Terrain(id).key());
        let brick = self.slots.remove(id, self.revision);
        self.merge_pending();
        Some(brick)
    }

    /// Visits the cells of the index with their depth.
    pub fn visit_index(&self, visit: impl FnMut(&CellBox, usize)) {
        self.index.visit_cells(visit);
    }

    /// Visits terrain chunks with a surface and objects that intersect a box of cells; if the box
    /// wraps around at the ends of the coordinates, also everything between them.
    pub fn visit_box(&self, bounds: &CellBox, mut visit: impl FnMut(Found)) {
        self.index
            .visit_box(&bounds.without_ends(), |key| visit(Found::from_key(key)));
    }

    /// Visits terrain chunks with a surface and objects that may intersect a frustum.
    pub fn visit_frustum(&self, frustum: &Frustum, mut visit: impl FnMut(Found)) {
        self.index
            .visit_frustum(frustum, |key| visit(Found::from_key(key)));
    }
}
