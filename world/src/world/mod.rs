//! The world: bricks of terrain by chunk, free voxel objects, and the index over both.

mod changes;
mod slots;
mod surroundings;
mod touch;
mod write;

pub use changes::Changes;
pub use slots::{BrickId, Owner};
pub use write::{BrickChange, WriteReport, Writer};

use crate::chunk::{Brick, Voxels};
use crate::kd_tree::{CellBox, Frustum, KdTree};
use crate::material::{Material, MaterialTable};
use crate::merge::Around;
use crate::object::{MAX_EXTENT, ObjectError, ObjectId, VOXEL_SIZES, VoxelObject};
use crate::save::Archive;
use collision::{Cell, Position};
use nalgebra::Vector3;
use slots::Slots;
use surroundings::Surroundings;
use write::WriteScratch;

/// The place of a terrain chunk: the lowest cell of chunk `c` is `32 c`.
pub type ChunkPosition = Vector3<i32>;

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

/// Voxels, what follows from them, and where they are.
pub struct World {
    pub(crate) materials: MaterialTable,
    pub(crate) slots: Slots,
    pub(crate) objects: Vec<Option<VoxelObject>>,
    free_objects: Vec<u32>,
    pub(crate) index: KdTree,
    pub(crate) surroundings: Surroundings,
    pub(crate) revision: u64,
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
            objects: Vec::new(),
            free_objects: Vec::new(),
            index: KdTree::new(),
            surroundings: Surroundings::default(),
            revision: 1,
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

    /// For adding materials. What an id already in use means must not change.
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

    /// Loads one chunk, in place of what was there.
    pub fn insert_brick(&mut self, chunk: ChunkPosition, brick: Brick) -> BrickId {
        self.insert_bricks([(chunk, brick)]);
        self.brick_at(chunk).unwrap_or(BrickId::NOT_LOADED)
    }

    /// Unloads a chunk and returns what was there.
    pub fn remove_brick(&mut self, chunk: ChunkPosition) -> Option<Brick> {
        let id = self.brick_at(chunk)?;
        self.revision += 1;
        self.mark_borders(id);
        self.index.remove(Found::Terrain(id).key());
        let brick = self.slots.remove(id, self.revision);
        self.merge_pending();
        Some(brick)
    }

    /// Adds a free object of so many voxels, asking for the material of each.
    pub fn add_object(
        &mut self,
        origin: Position,
        voxel_size: f32,
        extent: Vector3<u32>,
        mut material: impl FnMut(Vector3<u32>) -> Material,
    ) -> Result<ObjectId, ObjectError> {
        if !VOXEL_SIZES.contains(&voxel_size) {
            return Err(ObjectError::VoxelSize(voxel_size));
        }
        if extent.iter().any(|&side| side == 0 || side > MAX_EXTENT) {
            return Err(ObjectError::Extent(extent.x, extent.y, extent.z));
        }
        let index = self.free_objects.pop().unwrap_or_else(|| {
            self.objects.push(None);
            (self.objects.len() - 1) as u32
        });
        let id = ObjectId(index);
        self.revision += 1;
        let size = extent.map(|voxels| voxels.div_ceil(32));
        let mut bricks = Vec::new();
        for place in 0..size.product() {
            let place = Vector3::new(
                place % size.x,
                place / size.x % size.y,
                place / (size.x * size.y),
            );
            let voxels = Voxels::from_fn(|x, y, z| {
                let voxel = place * 32 + Vector3::new(x as u32, y as u32, z as u32);
                let inside = (0..3).all(|axis| voxel[axis] < extent[axis]);
                if inside {
                    material(voxel)
                } else {
                    Material::AIR
                }
            });
            let brick = Brick::new(voxels, &self.materials);
            bricks.push(
                self.slots
                    .add(brick, place.cast(), Owner::Object(id), self.revision),
            );
        }
        let object = VoxelObject {
            origin,
            voxel_size,
            extent,
            bricks,
            displacement: Vector3::zeros(),
            moved_at: self.revision,
        };
        for &brick in &object.bricks {
            let place = self.place_of(brick);
            let around = std::array::from_fn(|index| {
                let step = slots::step_of(index);
                object.brick_at(place + step).unwrap_or(BrickId::OUTSIDE)
            });
            self.slots.get_mut(brick).around = around;
            self.mark_whole(brick);
        }
        let bounds = object_box(&object);
        self.index
            .insert(Found::Object(id).key(), bounds.without_ends());
        self.surroundings.insert(id, &bounds);
        self.objects[index as usize] = Some(object);
        self.merge_pending();
        Ok(id)
    }

    /// Takes an object out of the world. Whether it was there.
    pub fn remove_object(&mut self, id: ObjectId) -> bool {
        let Some(object) = self.objects.get_mut(id.0 as usize).and_then(Option::take) else {
            return false;
        };
        self.revision += 1;
        self.surroundings.remove(id, &object_box(&object));
        for brick in object.bricks {
            self.slots.remove(brick, self.revision);
        }
        self.index.remove(Found::Object(id).key());
        self.free_objects.push(id.0);
        true
    }

    /// A free object.
    #[inline]
    pub fn object(&self, id: ObjectId) -> Option<&VoxelObject> {
        self.objects.get(id.0 as usize)?.as_ref()
    }

    /// All free objects in order of id.
    pub fn objects(&self) -> impl Iterator<Item = (ObjectId, &VoxelObject)> {
        (0..)
            .map(ObjectId)
            .zip(&self.objects)
            .filter_map(|(id, object)| Some((id, object.as_ref()?)))
    }

    /// Moves an object by a displacement, which its riders are carried along until it is moved again; call once a
    /// tick with zero when it stops. Whether it was there.
    pub fn move_object(&mut self, id: ObjectId, displacement: Vector3<f32>) -> bool {
        let Some(object) = self.objects.get_mut(id.0 as usize).and_then(Option::as_mut) else {
            return false;
        };
        if displacement == Vector3::zeros() && object.displacement == displacement {
            return true;
        }
        self.revision += 1;
        let from = object_box(object);
        object.origin = object.origin.moved(displacement);
        object.displacement = displacement;
        object.moved_at = self.revision;
        let bounds = object_box(object);
        self.index
            .insert(Found::Object(id).key(), bounds.without_ends());
        self.surroundings.moved(id, &from, &bounds);
        true
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

/// The cells an object's box reaches into.
fn object_box(object: &VoxelObject) -> CellBox {
    let size = object
        .extent
        .map(|voxels| voxels as f32 * object.voxel_size);
    CellBox::new(object.origin.cell, object.origin.moved(size).cell)
}
