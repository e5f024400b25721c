//! What a character remembers of the world: the tree's answer for the chunks about it, and what it has seen.
//!
//! The answer holds for a block of 2 x 2 x 2 chunks, 64 m a side. It is asked again when a reach leaves the
//! block, or a chunk there was loaded, unloaded, or came into or out of the tree.

use super::look::Clear;
use crate::kd_tree::CellBox;
use crate::object::ObjectId;
use crate::world::{BrickId, ChunkPosition, Found, Owner, World, chunk_of};
use collision::{Cell, Memory};
use nalgebra::Vector3;

/// A memory of more chunks than this along an axis counts as changed: a walk through them all could cost more
/// than another gather.
const MOST_CHUNKS: i32 = 16;

/// Chunks go round at the ends of the cells: the steps from one to another are counted in these bits.
const LAST_CHUNK: i32 = (u32::MAX >> 5) as i32;

/// Cells along a side of a block.
const BLOCK: i32 = 64;

/// A box of more cells than this along an axis may not fit into any block.
const FITS: i32 = 32;

/// The world's revision as it is told to others: no two worlds have the same.
#[inline]
pub(super) fn stamp(world: &World) -> u64 {
    world.revision ^ world.mark
}

/// The free objects near a place, as the sum of their numbers: one that goes away is missing from it.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Near(u32);

impl Near {
    /// Bits that a memory keeps.
    const BITS: u32 = 26;

    #[inline]
    pub(super) fn note(&mut self, id: ObjectId) {
        self.0 = self.0.wrapping_add(id.0.wrapping_add(1)) & (u32::MAX >> (32 - Self::BITS));
    }
}

/// The chunks about a character, as the tree knows them, packed as its memory keeps them: the lowest chunk in
/// three words, the low half of eight brick numbers in four, and in two the rest of each with its mark.
#[derive(Clone, Copy)]
pub(super) struct Block([u32; Self::WORDS]);

impl Block {
    const WORDS: usize = 9;
    const LOW: usize = 3;
    const HIGH: usize = 7;
    /// Bits of the rest of a brick's number; one more marks bricks whose quads can be hit.
    const REST: u32 = 7;

    fn new(corner: ChunkPosition) -> Self {
        let mut words = [0; Self::WORDS];
        for axis in 0..3 {
            words[axis] = corner[axis] as u32;
        }
        Self(words)
    }

    /// Enters a brick at one of the eight places, x fastest, then y. `None` for a number that does not fit.
    fn put(&mut self, place: usize, brick: BrickId, is_hit: bool) -> Option<()> {
        if brick.0 >> (16 + Self::REST) != 0 {
            return None;
        }
        let rest = (brick.0 >> 16) | u32::from(is_hit) << Self::REST;
        self.0[Self::LOW + place / 2] |= (brick.0 & 0xffff) << (16 * (place & 1));
        self.0[Self::HIGH + place / 4] |= rest << (8 * (place & 3));
        Some(())
    }

    /// The lowest chunk.
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

    /// The brick so many steps (0 or 1) from the lowest chunk. All that are loaded have one, in the tree or not:
    /// occupancy also says what is beside a voxel.
    #[inline(always)]
    pub(super) fn brick(&self, step: Vector3<i32>) -> BrickId {
        self.at(((step.x & 1) + 2 * (step.y & 1) + 4 * (step.z & 1)) as usize)
    }

    /// A bit for each brick whose quads can be hit: those that the tree gave, and what is not loaded.
    #[inline]
    pub(super) fn hit(&self) -> u8 {
        // Moves the mark of each of four bytes to the highest: no two meet on the way.
        let four = |word: u32| {
            let marks = word >> Self::REST & 0x0101_0101;
            marks.wrapping_mul(1 << 24 | 1 << 17 | 1 << 10 | 1 << 3) >> 24 & 0xf
        };
        (four(self.0[Self::HIGH]) | four(self.0[Self::HIGH + 1]) << 4) as u8
    }

    /// The lowest cell, counted from another.
    #[inline]
    pub(super) fn lowest(&self, base: Cell) -> Vector3<i32> {
        self.corner()
            .zip_map(&base, |chunk, base| (chunk << 5).wrapping_sub(base))
    }

    /// Whether some cells are all in the block.
    #[inline]
    fn holds(&self, cells: &CellBox) -> bool {
        let [low, high] = offsets(self.corner(), cells);
        (0..3).all(|i| ((low[i] | high[i]) as u32) < BLOCK as u32)
    }

    /// Whether the tree would give the same answer as it did at a revision.
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

/// The corners of a box, counted from the lowest cell of a block.
#[inline]
fn offsets(corner: ChunkPosition, cells: &CellBox) -> [Vector3<i32>; 2] {
    [cells.min, cells.max]
        .map(|cell| cell.zip_map(&corner, |cell, chunk| cell.wrapping_sub(chunk << 5)))
}

/// What a character remembers, as the words of its memory.
#[derive(Clone, Copy)]
pub(super) struct Seen {
    /// The world's, when it was seen.
    pub(super) revision: u64,
    words: [u32; 12],
}

impl Seen {
    /// Set in the last word where there is no block, but the box alone.
    const IS_WIDE: u32 = 1 << 31;

    /// The memory of cells that were seen in a block, with the free objects near.
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

    /// The memory of cells that fit into no block.
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

    /// With what a look found clear.
    pub(super) fn with_clear(mut self, clear: Clear) -> Self {
        self.words[9] = clear.0;
        self
    }

    /// What this very world wrote. The revision of any other terrain lies ahead of the world's, once the mark is
    /// out of it.
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

    /// The block that was asked for; it may be out of date.
    #[inline]
    fn block(&self) -> Option<Block> {
        let mut words = [0; Block::WORDS];
        words.copy_from_slice(&self.words[..Block::WORDS]);
        (!self.is_wide()).then_some(Block(words))
    }

    /// The cells that were seen.
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

    /// The free objects whose boxes meet the cells.
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

    /// Whether all that was seen is still so.
    pub(super) fn is_so(&self, world: &World) -> bool {
        self.revision == world.revision || (self.is_terrain_so(world) && self.are_objects_so(world))
    }

    /// Whether the terrain is loaded and has not changed. `false` also where it spans too many chunks.
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

    /// Whether the same free objects are near, all at rest and as they were: one that moves carries its riders
    /// in every tick.
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
    /// The chunks about some cells: those that are remembered, or else what the tree says. `None` for cells that
    /// no block holds.
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

    /// Asks the tree for the block in whose middle some cells lie.
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

    /// Asks the tree for a block of chunks. `None` where a world holds more bricks than a memory can name.
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

    /// The brick of a chunk, which a character may remember.
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
