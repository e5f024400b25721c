//! The table of occupied cells: open addressing, with short lists of elements in the slots themselves.
//!
//! A cell that loses its last element leaves the table at once (later slots move back), so the table grows
//! only with the greatest number of cells occupied at one time and never has to be swept.

use super::blocks::Blocks;

/// Elements a slot holds itself; more go to a block.
const INLINE: usize = 4;

#[derive(Clone, Copy, Debug)]
struct Slot<const D: usize> {
    cell: [i32; D],
    /// Elements in the cell; 0 marks a free slot.
    len: u32,
    /// Binary logarithm of the block's size, or 0 when the elements are in `inline`.
    class: u32,
    /// The elements, or the start of their block.
    inline: [u32; INLINE],
}

impl<const D: usize> Slot<D> {
    const FREE: Self = Self {
        cell: [0; D],
        len: 0,
        class: 0,
        inline: [0; INLINE],
    };

    fn room(&self) -> usize {
        if self.class == 0 {
            INLINE
        } else {
            1 << self.class
        }
    }
}

#[derive(Clone, Debug)]
pub(super) struct Cells<const D: usize> {
    /// A power of two of them; at most half are taken.
    slots: Vec<Slot<D>>,
    taken: usize,
    blocks: Blocks,
}

impl<const D: usize> Default for Cells<D> {
    fn default() -> Self {
        Self {
            slots: vec![Slot::FREE; 16],
            taken: 0,
            blocks: Blocks::default(),
        }
    }
}

impl<const D: usize> Cells<D> {
    /// How many cells are occupied.
    pub(super) fn len(&self) -> usize {
        self.taken
    }

    /// The elements of a cell.
    #[inline]
    pub(super) fn elements(&self, cell: [i32; D]) -> &[u32] {
        let slot = &self.slots[self.find(cell)];
        if slot.class == 0 {
            &slot.inline[..(slot.len as usize).min(INLINE)]
        } else {
            self.blocks.slice(slot.inline[0], slot.len)
        }
    }

    pub(super) fn insert(&mut self, cell: [i32; D], element: u32) {
        if (self.taken + 1) * 2 > self.slots.len() {
            self.grow();
        }
        let at = self.find(cell);
        let slot = &mut self.slots[at];
        if slot.len == 0 {
            slot.cell = cell;
            self.taken += 1;
        }
        if slot.len as usize == slot.room() {
            Self::enlarge(slot, &mut self.blocks);
        }
        let len = slot.len as usize;
        if slot.class == 0 {
            slot.inline[len] = element;
        } else {
            self.blocks.room_mut(slot.inline[0], slot.class)[len] = element;
        }
        slot.len += 1;
    }

    pub(super) fn remove(&mut self, cell: [i32; D], element: u32) {
        let at = self.find(cell);
        let slot = &mut self.slots[at];
        let len = slot.len as usize;
        let list = if slot.class == 0 {
            &mut slot.inline[..len]
        } else {
            &mut self.blocks.room_mut(slot.inline[0], slot.class)[..len]
        };
        let Some(place) = list.iter().position(|&other| other == element) else {
            return;
        };
        list[place] = list[len - 1];
        slot.len -= 1;
        if slot.class != 0 && slot.len as usize <= INLINE / 2 {
            Self::bring_inline(slot, &mut self.blocks);
        }
        if slot.len == 0 {
            self.taken -= 1;
            self.close_gap(at);
        }
    }

    /// The slot of a cell, or the free one where it would go.
    #[inline]
    fn find(&self, cell: [i32; D]) -> usize {
        let mask = self.slots.len() - 1;
        let mut at = self.home(cell);
        loop {
            let slot = &self.slots[at & mask];
            if slot.len == 0 || slot.cell == cell {
                return at & mask;
            }
            at += 1;
        }
    }

    #[inline]
    fn home(&self, cell: [i32; D]) -> usize {
        const FACTORS: [u64; 4] = [
            0x9e37_79b9_7f4a_7c15,
            0xc2b2_ae3d_27d4_eb4f,
            0x1656_67b1_9e37_79f9,
            0xd6e8_feb8_6659_fd93,
        ];
        let mut sum = 0_u64;
        for axis in 0..D {
            sum = sum.wrapping_add((cell[axis] as u32 as u64).wrapping_mul(FACTORS[axis % 4]));
        }
        let mixed = (sum ^ (sum >> 29)).wrapping_mul(FACTORS[0]);
        (mixed >> (64 - self.slots.len().trailing_zeros())) as usize
    }

    /// Moves later slots of a run back over a freed one, so that every cell stays findable.
    fn close_gap(&mut self, mut gap: usize) {
        let mask = self.slots.len() - 1;
        self.slots[gap] = Slot::FREE;
        let mut at = gap;
        loop {
            at = (at + 1) & mask;
            if self.slots[at].len == 0 {
                return;
            }
            let wanted = self.home(self.slots[at].cell);
            if (at.wrapping_sub(wanted) & mask) >= (at.wrapping_sub(gap) & mask) {
                self.slots[gap] = self.slots[at];
                self.slots[at] = Slot::FREE;
                gap = at;
            }
        }
    }

    fn grow(&mut self) {
        let doubled = vec![Slot::FREE; self.slots.len() * 2];
        let old = std::mem::replace(&mut self.slots, doubled);
        for slot in old.into_iter().filter(|slot| slot.len > 0) {
            let at = self.find(slot.cell);
            self.slots[at] = slot;
        }
    }

    fn enlarge(slot: &mut Slot<D>, blocks: &mut Blocks) {
        let class = if slot.class == 0 {
            INLINE.ilog2() + 1
        } else {
            slot.class + 1
        };
        let start = blocks.take(class);
        if slot.class == 0 {
            blocks.room_mut(start, class)[..INLINE].copy_from_slice(&slot.inline);
        } else {
            blocks.copy(slot.inline[0], start, slot.len);
            blocks.give(slot.inline[0], slot.class);
        }
        slot.class = class;
        slot.inline[0] = start;
    }

    fn bring_inline(slot: &mut Slot<D>, blocks: &mut Blocks) {
        let (start, class) = (slot.inline[0], slot.class);
        let len = slot.len as usize;
        slot.inline[..len].copy_from_slice(&blocks.slice(start, slot.len)[..len]);
        slot.class = 0;
        blocks.give(start, class);
    }
}
