//! Which free objects come near a place, by blocks of 64 m: what a mover asks every tick, where a walk through the index would cost more
//! than the rest of its tick. A block that holds many leaves the answer to the index.

use super::slots::ChunkHasher;
use crate::kd_tree::CellBox;
use crate::object::ObjectId;
use nalgebra::Vector3;
use std::collections::HashMap;
use std::hash::BuildHasherDefault;

/// Blocks are `2^BITS` cells wide.
const BITS: u32 = 6;

/// More objects in one block than this are better asked of the index.
const FEW: usize = 8;

type Block = Vector3<i32>;

/// Free objects by the blocks that their boxes meet.
#[derive(Default)]
pub(crate) struct Surroundings {
    blocks: HashMap<Block, Vec<Near>, BuildHasherDefault<ChunkHasher>>,
}

/// An object and its box.
#[derive(Clone, Copy)]
struct Near {
    id: ObjectId,
    cells: CellBox,
}

impl Near {
    /// Whether the box meets another; one that goes round at the ends of the cells always may.
    #[inline]
    fn meets(&self, other: &CellBox) -> bool {
        let (a, b) = (&self.cells, other);
        (0..3).all(|i| {
            let round = a.min[i] > a.max[i] || b.min[i] > b.max[i];
            round || (a.min[i] <= b.max[i] && b.min[i] <= a.max[i])
        })
    }
}

impl Surroundings {
    /// Whether there are no free objects at all.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// The objects whose boxes meet a box of cells; `None` where the index has to say.
    #[inline]
    pub(crate) fn near(&self, cells: CellBox) -> Option<impl Iterator<Item = ObjectId>> {
        let block = block_of(cells.min);
        if block != block_of(cells.max) {
            return None;
        }
        let few: &[Near] = self.blocks.get(&block).map_or(&[], Vec::as_slice);
        let meeting = few.iter().filter(move |near| near.meets(&cells));
        (few.len() <= FEW).then(|| meeting.map(|near| near.id))
    }

    /// Notes an object with its box.
    pub(crate) fn insert(&mut self, id: ObjectId, cells: &CellBox) {
        let near = Near { id, cells: *cells };
        each_block(cells, |block| {
            self.blocks.entry(block).or_default().push(near)
        });
    }

    /// Forgets an object that was noted with this box.
    pub(crate) fn remove(&mut self, id: ObjectId, cells: &CellBox) {
        each_block(cells, |block| {
            if let Some(list) = self.blocks.get_mut(&block) {
                list.retain(|near| near.id != id);
                if list.is_empty() {
                    self.blocks.remove(&block);
                }
            }
        });
    }

    /// Notes that an object went from one box to another.
    pub(crate) fn moved(&mut self, id: ObjectId, from: &CellBox, to: &CellBox) {
        let blocks = |cells: &CellBox| (block_of(cells.min), block_of(cells.max));
        if blocks(from) != blocks(to) {
            self.remove(id, from);
            self.insert(id, to);
        } else if from != to {
            each_block(to, |block| {
                let list = self.blocks.get_mut(&block).into_iter().flatten();
                for near in list.filter(|near| near.id == id) {
                    near.cells = *to;
                }
            });
        }
    }
}

fn block_of(cell: Vector3<i32>) -> Block {
    cell.map(|part| part >> BITS)
}

/// Calls `each` with the blocks that a box meets; the ends of the cells meet.
fn each_block(cells: &CellBox, mut each: impl FnMut(Block)) {
    let (low, high) = (block_of(cells.min), block_of(cells.max));
    let wrapped = |part: i32| (part << BITS) >> BITS;
    let count = high.zip_map(&low, |h, l| {
        (h.wrapping_sub(l) & (u32::MAX >> BITS) as i32) + 1
    });
    for z in 0..count.z {
        for y in 0..count.y {
            for x in 0..count.x {
                each(Vector3::new(low.x + x, low.y + y, low.z + z).map(wrapped));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn cells(low: [i32; 3], high: [i32; 3]) -> CellBox {
        CellBox::new(Vector3::from(low), Vector3::from(high))
    }

    fn at(surroundings: &Surroundings, cell: [i32; 3]) -> Vec<u32> {
        let found = surroundings.near(cells(cell, cell)).unwrap();
        found.map(|id| id.0).collect()
    }

    #[test]
    fn objects_are_found_where_they_are_and_not_where_they_were() {
        let mut surroundings = Surroundings::default();
        let first = cells([-70, 0, 0], [5, 3, 3]);
        surroundings.insert(ObjectId(1), &first);
        surroundings.insert(ObjectId(2), &cells([1, 1, 1], [2, 2, 2]));
        assert_eq!(at(&surroundings, [-70, 1, 1]), [1]);
        assert_eq!(at(&surroundings, [2, 1, 1]), [1, 2]);
        assert_eq!(at(&surroundings, [3, 1, 1]), [1]);
        surroundings.moved(ObjectId(1), &first, &cells([64, 0, 0], [90, 3, 3]));
        assert_eq!(at(&surroundings, [-70, 1, 1]), [0_u32; 0]);
        assert_eq!(at(&surroundings, [70, 1, 1]), [1]);
        let last = cells([80, 0, 0], [91, 3, 3]);
        surroundings.moved(ObjectId(1), &cells([64, 0, 0], [90, 3, 3]), &last);
        assert_eq!(at(&surroundings, [70, 1, 1]), [0_u32; 0]);
        assert_eq!(at(&surroundings, [91, 1, 1]), [1]);
        assert_eq!(at(&surroundings, [2, 1, 1]), [2]);
        surroundings.remove(ObjectId(2), &cells([1, 1, 1], [2, 2, 2]));
        assert_eq!(at(&surroundings, [2, 1, 1]), [0_u32; 0]);
    }

    #[test]
    fn boxes_go_round_at_the_ends_of_the_cells() {
        let mut surroundings = Surroundings::default();
        let ends = cells([i32::MAX - 3, 0, 0], [i32::MIN + 3, 1, 1]);
        surroundings.insert(ObjectId(7), &ends);
        assert_eq!(surroundings.blocks.len(), 2);
        assert_eq!(at(&surroundings, [i32::MAX, 0, 0]), [7]);
        assert_eq!(at(&surroundings, [i32::MIN, 0, 0]), [7]);
        surroundings.remove(ObjectId(7), &ends);
        assert!(surroundings.blocks.is_empty());
    }

    #[test]
    fn crowded_blocks_and_boxes_across_blocks_ask_the_index() {
        let mut surroundings = Surroundings::default();
        for id in 0..9 {
            surroundings.insert(ObjectId(id), &cells([0, 0, 0], [1, 1, 1]));
        }
        let inside = cells([1, 1, 1], [2, 2, 2]);
        assert!(surroundings.near(inside).is_none());
        assert!(surroundings.near(cells([63, 0, 0], [64, 0, 0])).is_none());
        surroundings.remove(ObjectId(0), &cells([0, 0, 0], [1, 1, 1]));
        assert_eq!(surroundings.near(inside).map(Iterator::count), Some(8));
    }
}
