//! Storage of chunks: slots by number, by place, and in order of their last change.

use super::place::{BrickId, ChunkPosition};
use crate::chunk::{Brick, Voxels};
use crate::material::{Material, MaterialTable};
use crate::merge::{Around, MergeScratch, merge_collision};
use crate::object::ObjectId;
use crate::surface::CollisionSurface;
use nalgebra::Vector3;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// The owner of a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// None: the slot is unused.
    Unused,
    /// The terrain.
    Terrain,
    /// A free object.
    Object(ObjectId),
}

pub(crate) struct Slot {
    pub(crate) brick: Brick,
    pub(crate) place: Vector3<i32>,
    pub(crate) owner: Owner,
    pub(crate) around: [BrickId; 27],
    /// Its entry in the list of chunks to merge again, or [`NONE`].
    pub(super) pending: u32,
    /// True if it is in the index.
    pub(crate) indexed: bool,
    /// The space's revision at which this chunk or a neighbour was last loaded, unloaded, or added
    /// to or removed from the index.
    pub(crate) around_changed: u64,
    newer: u32,
    older: u32,
}

pub(super) const NONE: u32 = u32::MAX;

pub(crate) struct Slots {
    slots: Vec<Slot>,
    free: Vec<u32>,
    chunks: HashMap<ChunkPosition, BrickId, BuildHasherDefault<ChunkHasher>>,
    newest: u32,
    /// The space's revision at which any chunk was last loaded, unloaded, or added to or removed
    /// from the index.
    pub(crate) index_changed: u64,
}

/// Returns the offset of entry `index` of [`Slot::around`].
pub(super) fn step_of(index: usize) -> Vector3<i32> {
    let index = index as i32;
    Vector3::new(index % 3 - 1, index / 3 % 3 - 1, index / 9 - 1)
}

/// Wraps a chunk position onto the torus of cells: 27 bits per axis.
fn wrap(chunk: ChunkPosition) -> ChunkPosition {
    chunk.map(|c| (c << 5) >> 5)
}

impl Slots {
    pub(super) fn new() -> Self {
        let mut slots = Self {
            slots: Vec::new(),
            free: Vec::new(),
            chunks: HashMap::default(),
            newest: NONE,
            index_changed: 0,
        };
        let materials = MaterialTable::standard();
        for material in [Material::STONE, Material::AIR] {
            let brick = Brick::new(Voxels::uniform(material), &materials);
            slots
                .slots
                .push(Slot::new(brick, Vector3::zeros(), Owner::Unused));
        }
        slots.slots[0].around = [BrickId::NOT_LOADED; 27];
        slots.slots[1].around = [BrickId::OUTSIDE; 27];
        // The solid chunk gets the plain sides that face any chunk loaded beside it.
        let (solid, open) = (slots.slots[0].brick.clone(), &slots.slots[1].brick);
        let around = Around::new(&solid, [open; 6]);
        let surface = &mut CollisionSurface::default();
        merge_collision(&around, surface, &mut MergeScratch::default());
        slots.slots[0].brick.collision = std::mem::take(surface);
        slots
    }

    /// Records a change of the index, or of the loaded chunks, at a chunk.
    pub(crate) fn note_index_change(&mut self, id: BrickId, revision: u64) {
        self.index_changed = revision;
        let around = self.slots[id.0 as usize].around;
        for there in around.into_iter().chain([id]) {
            self.slots[there.0 as usize].around_changed = revision;
        }
    }

    #[inline]
    pub(crate) fn get(&self, id: BrickId) -> &Slot {
        self.slots.get(id.0 as usize).unwrap_or(&self.slots[0])
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, id: BrickId) -> &mut Slot {
        &mut self.slots[id.0 as usize]
    }

    #[inline]
    pub(crate) fn by_chunk(&self, chunk: ChunkPosition) -> Option<BrickId> {
        self.chunks.get(&wrap(chunk)).copied()
    }

    pub(super) fn ids(&self) -> impl Iterator<Item = BrickId> {
        (0..)
            .map(BrickId)
            .zip(&self.slots)
            .filter(|(_, slot)| slot.owner != Owner::Unused)
            .map(|(id, _)| id)
    }

    /// Puts a chunk into a slot, without neighbours.
    pub(super) fn add(
        &mut self,
        brick: Brick,
        place: Vector3<i32>,
        owner: Owner,
        revision: u64,
    ) -> BrickId {
        let id = match self.free.pop() {
            Some(index) => {
                self.unlink(index);
                self.slots[index as usize] = Slot::new(brick, place, owner);
                BrickId(index)
            }
            None => {
                self.slots.push(Slot::new(brick, place, owner));
                BrickId((self.slots.len() - 1) as u32)
            }
        };
        self.link(id.0);
        self.slots[id.0 as usize].brick.revision = revision;
        id
    }

    /// Puts a terrain chunk at its place and links it with its neighbours.
    pub(super) fn add_terrain(
        &mut self,
        brick: Brick,
        chunk: ChunkPosition,
        revision: u64,
    ) -> BrickId {
        let chunk = wrap(chunk);
        if let Some(&id) = self.chunks.get(&chunk) {
            self.slots[id.0 as usize].brick = brick;
            self.touch(id, revision);
            return id;
        }
        let id = self.add(brick, chunk, Owner::Terrain, revision);
        self.chunks.insert(chunk, id);
        for index in 0..27 {
            let there = if index == 13 {
                Some(id)
            } else {
                self.by_chunk(chunk + step_of(index))
            };
            if let Some(there) = there {
                self.slots[id.0 as usize].around[index] = there;
                self.slots[there.0 as usize].around[26 - index] = id;
            }
        }
        self.note_index_change(id, revision);
        id
    }

    /// Empties a slot; its number is used again.
    pub(super) fn remove(&mut self, id: BrickId, revision: u64) -> Brick {
        let slot = &self.slots[id.0 as usize];
        let (around, place, owner) = (slot.around, slot.place, slot.owner);
        if owner == Owner::Terrain {
            self.note_index_change(id, revision);
            self.chunks.remove(&place);
            for (index, there) in around.into_iter().enumerate() {
                if there != BrickId::NOT_LOADED {
                    self.slots[there.0 as usize].around[26 - index] = BrickId::NOT_LOADED;
                }
            }
        }
        self.touch(id, revision);
        let slot = &mut self.slots[id.0 as usize];
        slot.owner = Owner::Unused;
        slot.indexed = false;
        let brick = std::mem::take(&mut slot.brick);
        slot.brick.revision = revision;
        self.free.push(id.0);
        brick
    }

    /// Makes the chunk the latest changed one.
    pub(super) fn touch(&mut self, id: BrickId, revision: u64) {
        self.slots[id.0 as usize].brick.revision = revision;
        if self.newest != id.0 {
            self.unlink(id.0);
            self.link(id.0);
        }
    }

    pub(super) fn newest(&self) -> u32 {
        self.newest
    }

    pub(super) fn older(&self, index: u32) -> u32 {
        self.slots[index as usize].older
    }

    fn link(&mut self, index: u32) {
        let newest = self.newest;
        if newest != NONE {
            self.slots[newest as usize].newer = index;
        }
        let slot = &mut self.slots[index as usize];
        (slot.older, slot.newer) = (newest, NONE);
        self.newest = index;
    }

    fn unlink(&mut self, index: u32) {
        let Slot { newer, older, .. } = self.slots[index as usize];
        if newer == NONE {
            self.newest = older;
        } else {
            self.slots[newer as usize].older = older;
        }
        if older != NONE {
            self.slots[older as usize].newer = newer;
        }
    }
}

impl Slot {
    fn new(brick: Brick, place: Vector3<i32>, owner: Owner) -> Self {
        Self {
            brick,
            place,
            owner,
            around: [BrickId::NOT_LOADED; 27],
            pending: NONE,
            indexed: false,
            around_changed: 0,
            newer: NONE,
            older: NONE,
        }
    }
}

/// Hashes the three numbers of a chunk position, identically on every run.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ChunkHasher(u64);

impl Hasher for ChunkHasher {
    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 29)
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }

    fn write_i32(&mut self, value: i32) {
        self.write_u64(u64::from(value as u32));
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = (self.0.rotate_left(21) ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}
