//! The world: bricks of terrain by chunk, free voxel objects, and the index over both.

mod changes;
mod objects;
mod repeats;
mod slots;
mod touch;
mod write;

pub use changes::Changes;
pub(crate) use objects::ObjectShape;
pub use slots::{BrickId, Owner};
pub use write::{BrickChange, WriteReport, Writer};

use crate::chunk::{Brick, Voxels};
use crate::kd_tree::{CellBox, Frustum, KdTree};
use crate::material::{Material, MaterialTable};
use crate::merge::Around;
use crate::object::{ObjectId, ObjectKey};
use crate::save::Archive;
use collision::Cell;
use nalgebra::Vector3;
use objects::Objects;
use slots::Slots;
use std::sync::atomic::{AtomicU32, Ordering};
use write::WriteScratch;

/// The place of a terrain chunk: the lowest cell of chunk `c` is `32 c`.
pub type ChunkPosition = Vector3<i32>;

/// Where a brick is, in names that stay true when the world is closed and opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BrickPlace {
    /// The free object it is part of; none for terrain.
    pub object: Option<ObjectKey>,
    /// The chunk of terrain, or the place in the object's grid of bricks.
    pub chunk: ChunkPosition,
}

impl BrickPlace {
    /// A chunk of terrain.
    pub fn terrain(chunk: ChunkPosition) -> Self {
        Self {
            object: None,
            chunk,
        }
    }
}

/// What the index finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Found {
    /// A chunk of terrain.
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

/// The next world's mark.
static NEXT_MARK: AtomicU32 = AtomicU32::new(0x574f_524c);

/// Voxels, what follows from them, and where they are.
pub struct World {
    pub(crate) materials: MaterialTable,
    pub(crate) slots: Slots,
    pub(crate) objects: Objects,
    pub(crate) index: KdTree,
    pub(crate) revision: u64,
    /// Tells the memories of characters that this world wrote from those of others: mixed into its revision, it leaves no two alike. What worlds
    /// made one after another differ by stands at the top, where no revision comes.
    pub(crate) mark: u64,
    scratch: WriteScratch,
    pub(crate) archive: Archive,
}

impl Default for World {
    fn default() -> Self {
        Self::new(MaterialTable::standard())
    }
}

/// The chunk a cell belongs to.
#[inline]
pub fn chunk_of(cell: Cell) -> ChunkPosition {
    cell.map(|c| c >> 5)
}

/// Where a cell is inside its chunk.
#[inline]
pub fn place_in_chunk(cell: Cell) -> Vector3<usize> {
    cell.map(|c| (c & 31) as usize)
}

impl World {
    /// What a brick takes besides its heap: its slot, and its share of the index.
    pub const BRICK_BYTES: usize = size_of::<slots::Slot>() + 64;

    /// Nothing loaded.
    pub fn new(materials: MaterialTable) -> Self {
        Self {
            materials,
            slots: Slots::new(),
            objects: Objects::default(),
            index: KdTree::new(),
            revision: 1,
            mark: u64::from(NEXT_MARK.fetch_add(1, Ordering::Relaxed)).reverse_bits(),
            scratch: WriteScratch::default(),
            archive: Archive::default(),
        }
    }

    /// A world of the chunks that meet the bounds; outside the bounds their voxels are air.
    pub fn from_voxels(bounds: CellBox, mut material: impl FnMut(Cell) -> Material) -> Self {
        let mut world = Self::default();
        let (low, high) = (chunk_of(bounds.min), chunk_of(bounds.max));
        let mut bricks = Vec::new();
        for z in low.z..=high.z {
            for y in low.y..=high.y {
                for x in low.x..=high.x {
                    let chunk = ChunkPosition::new(x, y, z);
                    let voxels = Voxels::from_fn(|x, y, z| {
                        let cell = chunk * 32 + Cell::new(x as i32, y as i32, z as i32);
                        if bounds.contains(cell) {
                            material(cell)
                        } else {
                            Material::AIR
                        }
                    });
                    bricks.push((chunk, Brick::new(voxels, &world.materials)));
                }
            }
        }
        world.insert_bricks(bricks);
        world
    }

    /// What materials there are.
    pub fn materials(&self) -> &MaterialTable {
        &self.materials
    }

    /// For adding materials. What an id already in use means must not change. They are saved with the next edit, by [`World::flush`], or when
    /// the world is dropped.
    pub fn materials_mut(&mut self) -> &mut MaterialTable {
        &mut self.materials
    }

    /// Changes whenever anything changes or moves.
    #[inline]
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// The material of a terrain cell; `None` where no terrain is loaded.
    #[inline]
    pub fn material(&self, cell: Cell) -> Option<Material> {
        let place = place_in_chunk(cell);
        let brick = self.brick(self.brick_at(chunk_of(cell))?);
        Some(brick.material(place.x, place.y, place.z))
    }

    /// The terrain brick of a chunk, if it is loaded.
    #[inline]
    pub fn brick_at(&self, chunk: ChunkPosition) -> Option<BrickId> {
        self.slots.by_chunk(chunk)
    }

    /// A brick. An id that is no longer in use gives an empty one.
    #[inline]
    pub fn brick(&self, id: BrickId) -> &Brick {
        &self.slots.get(id).brick
    }

    /// The bricks about one, itself at 13: index `(dx + 1) + 3 (dy + 1) + 9 (dz + 1)`.
    /// [`BrickId::NOT_LOADED`] and [`BrickId::OUTSIDE`] are bricks too: solid the one, empty the other.
    #[inline]
    pub fn bricks_around(&self, id: BrickId) -> &[BrickId; 27] {
        &self.slots.get(id).around
    }

    /// What the brick is part of.
    pub fn owner(&self, id: BrickId) -> Owner {
        self.slots.get(id).owner
    }

    /// Its chunk, or its place in its object's grid of bricks.
    pub fn place_of(&self, id: BrickId) -> Vector3<i32> {
        self.slots.get(id).place
    }

    /// Where a brick is, in names that last; nothing for one that is not in use.
    pub fn brick_place(&self, id: BrickId) -> Option<BrickPlace> {
        let object = match self.owner(id) {
            Owner::Nobody => return None,
            Owner::Terrain => None,
            Owner::Object(object) => Some(self.object(object)?.key()),
        };
        let chunk = self.place_of(id);
        Some(BrickPlace { object, chunk })
    }

    /// The brick at a place, if it is loaded.
    pub fn brick_in(&self, place: &BrickPlace) -> Option<BrickId> {
        match place.object {
            None => self.brick_at(place.chunk),
            Some(key) => self.object(self.object_by_key(key)?)?.brick_at(place.chunk),
        }
    }

    /// All bricks in use, in order of id.
    pub fn brick_ids(&self) -> impl Iterator<Item = BrickId> {
        self.slots.ids()
    }

    /// The chunks that are loaded, in order of brick id.
    pub fn loaded_chunks(&self) -> impl Iterator<Item = (ChunkPosition, BrickId)> {
        self.brick_ids()
            .filter(|&id| self.owner(id) == Owner::Terrain)
            .map(|id| (self.place_of(id), id))
    }

    /// A brick and its neighbours, as merging wants them.
    pub fn around(&self, id: BrickId) -> Around<'_> {
        let around = &self.slots.get(id).around;
        let beside = [12, 14, 10, 16, 4, 22].map(|index| self.brick(around[index]));
        Around::new(self.brick(id), beside)
    }

    /// Puts one chunk into the world; see [`World::insert_bricks`].
    pub fn insert_brick(&mut self, chunk: ChunkPosition, brick: Brick) -> BrickId {
        self.insert_bricks([(chunk, brick)]);
        self.brick_at(chunk).unwrap_or(BrickId::NOT_LOADED)
    }

    /// Unloads a chunk and returns what was there. Where terrain is generated it streams back while a viewer wants it; elsewhere only
    /// [`World::load`] brings back what is saved, and of a world that is kept nowhere it is gone.
    pub fn remove_brick(&mut self, chunk: ChunkPosition) -> Option<Brick> {
        let id = self.brick_at(chunk)?;
        self.revision += 1;
        // Also those at its edges and corners: by the time somebody looks its number may be another brick's, and tell them nothing.
        self.mark_borders(id, 0..27);
        self.index.remove(Found::Terrain(id).key());
        let brick = self.slots.remove(id, self.revision);
        self.merge_pending();
        self.note_unloaded(chunk);
        Some(brick)
    }

    /// Visits the cells of the index, with their level below its root.
    pub fn visit_index(&self, visit: impl FnMut(&CellBox, usize)) {
        self.index.visit_cells(visit);
    }

    /// Visits chunks that have a surface, and objects, that meet a box of cells; where the box goes round at the ends of the cells,
    /// also what lies between them.
    pub fn visit_box(&self, bounds: &CellBox, mut visit: impl FnMut(Found)) {
        self.index
            .visit_box(&bounds.without_ends(), |key| visit(Found::from_key(key)));
    }

    /// Visits chunks that have a surface, and objects, that may meet a frustum.
    pub fn visit_frustum(&self, frustum: &Frustum, mut visit: impl FnMut(Found)) {
        self.index
            .visit_frustum(frustum, |key| visit(Found::from_key(key)));
    }
}
