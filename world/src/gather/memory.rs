//! A character's memory of the world: the chunks around it, as the tree gave them, and the cells
//! that it queried.
//!
//! The chunks form a block of 2 x 2 x 2, 64 m a side. The tree is queried again when a reach leaves
//! the block, or when a chunk there was loaded, unloaded, added to the tree or removed from it.

use super::clear::Clear;
use crate::kd_tree::CellBox;
use crate::object::ObjectId;
use crate::space::{BrickId, ChunkPosition, Found, Owner, chunk_of};
use crate::world::World;
use collision::{Cell, Memory};
use nalgebra::Vector3;

/// Most chunks of a remembered box along an axis. A larger box counts as changed: testing all its
/// chunks could cost more than another gather.
const MOST_CHUNKS: i32 = 16;

/// Chunk numbers wrap around at the ends of the cells: steps between them are counted in these
/// bits.
const LAST_CHUNK: i32 = (u32::MAX >> 5) as i32;

/// Cells along a side of a block.
const BLOCK: i32 = 64;

/// A box of at most this many cells along each axis fits into a block.
const FITS: i32 = 32;

/// Returns the world's revision as shown to others; it differs for any two worlds.
#[inline]
pub(super) fn stamp(world: &World) -> u64 {
    world.revision ^ world.mark
}

/// The free objects near a place, as the sum of their numbers: a removal changes the sum.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Near(u32);

impl Near {
    /// The number of bits that a memory keeps.
    const BITS: u32 = 26;

    #[inline]
    pub(super) fn note(&mut self, id: ObjectId) {
        self.0 = self.0.wrapping_add(id.0.wrapping_add(1)) & (u32::MAX >> (32 - Self::BITS));
    }
}

/// The chunks around a character, packed as in its memory: the lowest chunk in three words, the low
/// halves of eight brick numbers in four, and the rest of each, with its mark, in two.
#[derive(Clone, Copy)]
pub(super) struct Block([u32; Self::WORDS]);

impl Block {
    const WORDS: usize = 9;
    const LOW: usize = 3;
    const HIGH: usize = 7;
    /// Bits of the rest of a brick's number; one more marks bricks with quads that can be hit.
    const REST: u32 = 7;

    fn new(corner: ChunkPosition) -> Self {
        let mut words = [0; Self::WORDS];
        for axis in 0..3 {
            words[axis] = corner[axis] as u32;
        }
        Self(words)
    }

    /// Enters a brick at one of the eight places, x fastest, then y. `None` for a number that does
    /// not fit.
    fn put(&mut self, place: usize, brick: BrickId, is_hit: bool) -> Option<()> {
        if brick.0 >> (16 + Self::REST) != 0 {
            return None;
        }
        let rest = (brick.0 >> 16) | u32::from(is_hit) << Self::REST;
        self.0[Self::LOW + place / 2] |= (brick.0 & 0xffff) << (16 * (place & 1));
        self.0[Self::HIGH + place / 4] |= rest << (8 * (place & 3));
        Some(())
    }

    /// Returns the lowest chunk.
    #[inline]
    pub(super) fn corner(&self) -> ChunkPosition {
        ChunkPosition::from_fn(|axis, _| self.0[axis] as i32)
    }

    #[inline(always)]
    fn at(&self, place: usize) -> BrickId {
        let low = self.0[Self::LOW + place / 2] >> (16 * (place & 1)) & 0xffff;
        let rest = self.0[Self::HIGH + place / 4] >> (8 * (place & 3)) & ((1 << Self::REST) - 1);
        BrickId(low | rest << 16)
    }

    /// Returns the brick `step` (0 or 1 along each axis) from the lowest chunk. Every loaded chunk
    /// has one, in the tree or not, since occupancy also shows what is beside a voxel.
    #[inline(always)]
    pub(super) fn brick(&self, step: Vector3<i32>) -> BrickId {
        self.at(((step.x & 1) + 2 * (step.y & 1) + 4 * (step.z & 1)) as usize)
    }

    /// Returns a bit for each brick with quads that can be hit: those in the tree, and those not
    /// loaded.
    #[inline]
    pub(super) fn hit(&self) -> u8 {
        // Moves the marks of four bytes into the highest byte without overlap.
        let four = |word: u32| {
            let marks = word >> Self::REST & 0x0101_0101;
            marks.wrapping_mul(1 << 24 | 1 << 17 | 1 << 10 | 1 << 3) >> 24 & 0xf
        };
        (four(self.0[Self::HIGH]) | four(self.0[Self::HIGH + 1]) << 4) as u8
    }

    /// Returns the lowest cell, counted from the base.
    #[inline]
    pub(super) fn lowest(&self, base: Cell) -> Vector3<i32> {
        self.corner()
            .zip_map(&base, |chunk, base| (chunk << 5).wrapping_sub(base))
    }

    /// Returns whether all cells are in the block.
    #[inline]
    fn holds(&self, cells: &CellBox) -> bool {
        let [low, high] = offsets(self.corner(), cells);
        (0..3).all(|i| ((low[i] | high[i]) as u32) < BLOCK as u32)
    }

    /// Returns whether a query of the tree would still give this block, known at a revision.
    #[inline]
    fn is_current(&self, world: &World, revision: u64) -> bool {
        let loaded = (0..8)
            .map(|place| self.at(place))
            .find(|&brick| brick != BrickId::NOT_LOADED);
        let changed = match loaded {
            Some(brick) => world.slots.get(brick).around_changed,
            None => world.slots.index_changed,
        };
        changed <= revision
    }
}

/// Returns the corners of a box, counted from the lowest cell of a block.
#[inline]
fn offsets(corner: ChunkPosition, cells: &CellBox) -> [Vector3<i32>; 2] {
    [cells.min, cells.max]
        .map(|cell| cell.zip_map(&corner, |cell, chunk| cell.wrapping_sub(chunk << 5)))
}

/// A character's memory, as words.
#[derive(Clone, Copy)]
pub(super) struct Seen {
    /// Revision of the world at the time of the query.
    pub(super) revision: u64,
    words: [u32; 12],
}

impl Seen {
    /// Set in the last word of a memory that holds a box without a block.
    const IS_WIDE: u32 = 1 << 31;

    /// Makes the memory of a query within a block, with the free objects near.
    #[inline]
    pub(super) fn in_block(world: &World, block: &Block, cells: &CellBox, near: Near) -> Self {
        let mut words = [0; 12];
        words[..Block::WORDS].copy_from_slice(&block.0);
        let packed = |part: Vector3<i32>| (part.x | part.y << 6 | part.z << 12) as u32;
        let [low, high] = offsets(block.corner(), cells).map(packed);
        words[10] = low | near.0 << 18;
        words[11] = high | (near.0 >> 14) << 18;
        Self {
            revision: world.revision,
            words,
        }
    }

    /// Makes the memory of a query that fits into no block.
    pub(super) fn in_box(world: &World, cells: &CellBox, near: Near) -> Self {
        let mut words = [0; 12];
        for axis in 0..3 {
            (words[axis], words[axis + 3]) = (cells.min[axis] as u32, cells.max[axis] as u32);
        }
        words[6] = near.0;
        words[11] = Self::IS_WIDE;
        Self {
            revision: world.revision,
            words,
        }
    }

    /// Adds the clear space that a look found.
    pub(super) fn with_clear(mut self, clear: Clear) -> Self {
        self.words[9] = clear.0;
        self
    }

    /// Reads a memory that this very world wrote. Without the world's mark, the revision of any
    /// other terrain is higher than the world's.
    #[inline]
    pub(super) fn read(world: &World, memory: &Memory) -> Option<Self> {
        let revision = memory.revision ^ world.mark;
        let words = memory.words;
        (revision <= world.revision).then_some(Self { revision, words })
    }

    #[inline]
    pub(super) fn write(&self, world: &World, memory: &mut Memory) {
        memory.revision = self.revision ^ world.mark;
        memory.words = self.words;
    }

    #[inline]
    fn is_wide(&self) -> bool {
        self.words[11] & Self::IS_WIDE != 0
    }

    /// Returns the remembered block, which may be out of date.
    #[inline]
    fn block(&self) -> Option<Block> {
        let mut words = [0; Block::WORDS];
        words.copy_from_slice(&self.words[..Block::WORDS]);
        (!self.is_wide()).then_some(Block(words))
    }

    /// Returns the queried cells.
    #[inline]
    pub(super) fn cells(&self) -> CellBox {
        let cell = |first: usize| Cell::from_fn(|axis, _| self.words[first + axis] as i32);
        if self.is_wide() {
            return CellBox::new(cell(0), cell(3));
        }
        let corner = [0, 1, 2].map(|axis: usize| self.words[axis] as i32);
        let [min, max] = [10, 11].map(|word: usize| {
            let packed = self.words[word];
            Cell::from_fn(|axis, _| {
                let part = packed >> (6 * axis) & (BLOCK as u32 - 1);
                (corner[axis] << 5).wrapping_add(part as i32)
            })
        });
        CellBox::new(min, max)
    }

    /// Returns the free objects near the cells.
    #[inline]
    fn near(&self) -> Near {
        if self.is_wide() {
            Near(self.words[6])
        } else {
            Near(self.words[10] >> 18 | (self.words[11] >> 18 & 0xfff) << 14)
        }
    }

    #[inline]
    pub(super) fn clear(&self) -> Clear {
        Clear(self.words[9])
    }

    /// Returns whether all that was queried is unchanged.
    pub(super) fn is_so(&self, world: &World) -> bool {
        self.revision == world.revision || (self.is_terrain_so(world) && self.are_objects_so(world))
    }

    /// Returns whether the terrain is loaded and unchanged. `false` also for too many chunks.
    #[inline]
    pub(super) fn is_terrain_so(&self, world: &World) -> bool {
        let cells = self.cells();
        let low = chunk_of(cells.min);
        let steps = chunk_of(cells.max).zip_map(&low, |high, low| (high - low) & LAST_CHUNK);
        let block = self.block();
        let is_current = |block: &Block| block.is_current(world, self.revision);
        if steps.max() >= MOST_CHUNKS || !block.as_ref().is_none_or(is_current) {
            return false;
        }
        for z in 0..=steps.z {
            for y in 0..=steps.y {
                for x in 0..=steps.x {
                    let chunk = low + Vector3::new(x, y, z);
                    let brick = match &block {
                        Some(block) => block.brick(chunk - block.corner()),
                        None => world.brick_at(chunk).unwrap_or(BrickId::NOT_LOADED),
                    };
                    let changed = world.slots.get(brick).brick.revision();
                    if brick == BrickId::NOT_LOADED || changed > self.revision {
                        return false;
                    }
                }
            }
        }
        true
    }

    /// Returns whether the same free objects are near, at rest and unchanged: a moving one carries
    /// its riders in every tick.
    fn are_objects_so(&self, world: &World) -> bool {
        let (mut near, mut so) = (Near::default(), true);
        let is_older = |brick| world.slots.get(brick).brick.revision() <= self.revision;
        world.each_object(&self.cells(), |id, object| {
            near.note(id);
            so &= object.moved_at() <= self.revision && object.displacement() == Vector3::zeros();
            so = so && object.bricks().iter().all(|&brick| is_older(brick));
        });
        so && near == self.near()
    }
}

impl World {
    /// Returns the block around some cells, from the memory or else from the tree. `None` for cells
    /// that no block holds.
    #[inline]
    pub(super) fn block_about(&self, cells: &CellBox, seen: Option<&Seen>) -> Option<Block> {
        let known = seen.and_then(|seen| {
            let block = seen.block().filter(|block| block.holds(cells))?;
            let is_current =
                seen.revision == self.revision || block.is_current(self, seen.revision);
            is_current.then_some(block)
        });
        known.or_else(|| self.ask_block(cells))
    }

    /// Queries the tree for a block with the cells near its middle.
    #[inline(never)]
    fn ask_block(&self, cells: &CellBox) -> Option<Block> {
        let span = cells
            .max
            .zip_map(&cells.min, |max, min| max.wrapping_sub(min));
        if (0..3).any(|axis| !(0..FITS).contains(&span[axis])) {
            return None;
        }
        let corner = cells.min.zip_map(&span, |min, span| {
            min.wrapping_add((span + 1) / 2 - BLOCK / 4) >> 5
        });
        self.block_at(corner)
    }

    /// Queries the tree for the block at a corner. `None` if the world holds more bricks than a
    /// memory can name.
    fn block_at(&self, corner: ChunkPosition) -> Option<Block> {
        let lowest = corner.map(|part| part << 5);
        let cells = CellBox::new(lowest, lowest.map(|part| part.wrapping_add(BLOCK - 1)));
        let mut given = [None; 8];
        self.visit_box(&cells, |found| {
            if let Found::Terrain(brick) = found {
                let step = self.place_of(brick) - corner;
                let step = step.map(|part| part & LAST_CHUNK);
                if (step.x | step.y | step.z) <= 1 {
                    given[(step.x + 2 * step.y + 4 * step.z) as usize] = Some(brick);
                }
            }
        });
        let mut block = Block::new(corner);
        for (place, given) in given.into_iter().enumerate() {
            let step = Vector3::new(place & 1, place >> 1 & 1, place >> 2).map(|part| part as i32);
            let brick = given.or_else(|| self.brick_at(corner + step));
            let is_hit = given.is_some() || brick.is_none();
            block.put(place, brick.unwrap_or(BrickId::NOT_LOADED), is_hit)?;
        }
        Some(block)
    }

    /// Returns the brick of a chunk, which a character may remember.
    #[inline]
    pub(super) fn brick_near(&self, chunk: ChunkPosition, seen: Option<&Seen>) -> BrickId {
        let known = seen.and_then(|seen| {
            let block = seen.block()?;
            let brick = block.brick(chunk - block.corner());
            let slot = self.slots.get(brick);
            (slot.place == chunk && slot.owner == Owner::Terrain).then_some(brick)
        });
        known
            .or_else(|| self.brick_at(chunk))
            .unwrap_or(BrickId::NOT_LOADED)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn block_gives_back_the_bricks_and_marks_that_were_put() {
        let bricks = [0, 1, 0xffff, 0x1_0000, 0x12_3456, 0x7f_ffff, 77, 0x40_0001].map(BrickId);
        for hit in [0, 0b1010_0110, u8::MAX, 0b1000_0000, 1] {
            let mut block = Block::new(ChunkPosition::new(-3, 1 << 26, 5));
            for (place, brick) in bricks.into_iter().enumerate() {
                block.put(place, brick, hit >> place & 1 != 0).unwrap();
            }
            assert_eq!(block.hit(), hit);
            assert_eq!(block.corner(), ChunkPosition::new(-3, 1 << 26, 5));
            for (place, brick) in bricks.into_iter().enumerate() {
                let step = Vector3::new(place & 1, place >> 1 & 1, place >> 2);
                assert_eq!(block.brick(step.map(|part| part as i32)), brick);
            }
        }
        let mut block = Block::new(ChunkPosition::zeros());
        assert!(block.put(3, BrickId(0x80_0000), true).is_none());
    }
}
