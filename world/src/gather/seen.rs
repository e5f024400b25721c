//! What a character remembers of the world, and whether it is still so.

use super::level::Clear;
use crate::kd_tree::CellBox;
use crate::object::ObjectId;
use crate::world::{BrickId, World, chunk_of};
use collision::{Cell, Memory};
use nalgebra::Vector3;

/// A memory of more chunks than this along an axis counts as changed: a walk through them all could cost more than to gather again.
const MOST_CHUNKS: i32 = 16;

/// Chunks go round at the ends of the cells: the steps from one to another are counted in these bits.
const LAST_CHUNK: i32 = (u32::MAX >> 5) as i32;

/// The world's revision as others are told it: no two worlds have the same.
#[inline]
pub(super) fn stamp(world: &World) -> u64 {
    marked(world, world.revision)
}

/// Mixes the mark of the world into a revision, or out again.
#[inline]
fn marked(world: &World, revision: u64) -> u64 {
    revision ^ world.mark
}

/// The brick a character was at.
#[inline]
pub(super) fn hint(world: &World, memory: &Memory) -> BrickId {
    Seen::read(world, memory).map_or(BrickId::NOT_LOADED, |seen| seen.brick)
}

/// The free objects that are near, as the sum of their numbers: whichever goes away is missing from it.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Near(u32);

impl Near {
    /// Counts one more.
    #[inline]
    pub(super) fn note(&mut self, id: ObjectId) {
        self.0 = self.0.wrapping_add(id.0.wrapping_add(1));
    }
}

/// What a character remembers, as words of its memory.
#[derive(Clone, Copy)]
pub(super) struct Seen {
    /// Of the world, when it was seen.
    pub(super) revision: u64,
    pub(super) cells: CellBox,
    pub(super) brick: BrickId,
    /// The brick of the floor, where that lies below the seam of two and is known to be clear; else the same.
    pub(super) below: BrickId,
    /// All whose boxes meet the cells, also those that nothing was gathered of.
    pub(super) near: Near,
    pub(super) clear: Clear,
}

impl Seen {
    /// What this very world wrote. The revision of any other terrain lies ahead of the world's, once the mark is out of it.
    #[inline]
    pub(super) fn read(world: &World, memory: &Memory) -> Option<Self> {
        let revision = marked(world, memory.revision);
        let [a, b, c, d, e, f, brick, near, clear, below, ..] = memory.words;
        let cell = |x: u32, y: u32, z: u32| Cell::new(x as i32, y as i32, z as i32);
        (revision <= world.revision).then(|| Self {
            revision,
            cells: CellBox::new(cell(a, b, c), cell(d, e, f)),
            brick: BrickId(brick),
            below: BrickId(below),
            near: Near(near),
            clear: Clear(clear),
        })
    }

    /// Writes it down.
    #[inline]
    pub(super) fn write(&self, world: &World, memory: &mut Memory) {
        memory.revision = marked(world, self.revision);
        for axis in 0..3 {
            memory.words[axis] = self.cells.min[axis] as u32;
            memory.words[axis + 3] = self.cells.max[axis] as u32;
        }
        memory.words[6] = self.brick.0;
        memory.words[7] = self.near.0;
        memory.words[8] = self.clear.0;
        memory.words[9] = self.below.0;
    }

    /// Whether all that was seen is still so.
    pub(super) fn is_so(&self, world: &World) -> bool {
        self.revision == world.revision || (self.is_terrain_so(world) && self.are_objects_so(world))
    }

    /// Whether the terrain is loaded and has not changed. `false` also where it spans more than [`MOST_CHUNKS`] along an axis.
    #[inline]
    fn is_terrain_so(&self, world: &World) -> bool {
        let low = chunk_of(self.cells.min);
        let span = chunk_of(self.cells.max).zip_map(&low, |high, low| (high - low) & LAST_CHUNK);
        if span.max() >= MOST_CHUNKS {
            return false;
        }
        let first = world.brick_near(low, self.brick);
        for z in 0..=span.z {
            for y in 0..=span.y {
                for x in 0..=span.x {
                    let step = Vector3::new(x, y, z);
                    let brick = if x | y | z < 2 {
                        world.beside(first, step)
                    } else {
                        world.brick_at(low + step).unwrap_or(BrickId::NOT_LOADED)
                    };
                    if self.is_older(world, brick) || brick == BrickId::NOT_LOADED {
                        return false;
                    }
                }
            }
        }
        true
    }

    /// Whether the same free objects are near, all at rest and as they were: one that moves carries its riders in every tick.
    fn are_objects_so(&self, world: &World) -> bool {
        let (mut near, mut so) = (Near::default(), true);
        world.each_object(&self.cells, |id, object| {
            near.note(id);
            so &= object.moved_at() <= self.revision && object.displacement() == Vector3::zeros();
            so = so
                && !object
                    .bricks()
                    .iter()
                    .any(|&brick| self.is_older(world, brick));
        });
        so && near == self.near
    }

    /// Whether it was seen before a brick changed last.
    #[inline]
    pub(super) fn is_older(&self, world: &World, brick: BrickId) -> bool {
        world.slots.get(brick).brick.revision() > self.revision
    }
}
