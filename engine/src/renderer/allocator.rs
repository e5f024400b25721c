//! Allocates ranges of one buffer by two-level segregated fit (Masmano and others, 2004): in
//! constant time, joining freed neighbours, and without allocating memory once the largest number
//! of ranges was reached.

/// A range of a buffer, in units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Range {
    /// First unit.
    pub(crate) start: u32,
    /// Number of units.
    pub(crate) length: u32,
    block: u32,
}

const NONE: u32 = u32::MAX;
/// Classes within each power of two.
const CLASSES: usize = 1 << CLASS_BITS;
const CLASS_BITS: u32 = 4;
const POWERS: usize = 32;

#[derive(Clone, Copy)]
struct Block {
    start: u32,
    length: u32,
    before: u32,
    after: u32,
    /// Neighbours in the free list; `free_before` is `USED` for a used block.
    free_before: u32,
    free_after: u32,
}

const USED: u32 = u32::MAX - 1;

/// Free and used ranges of `0..capacity`.
pub(crate) struct Allocator {
    blocks: Vec<Block>,
    spare: Vec<u32>,
    lists: [[u32; CLASSES]; POWERS],
    powers: u32,
    classes: [u16; POWERS],
    used: u32,
}

impl Allocator {
    pub(crate) fn new(capacity: u32) -> Self {
        let mut allocator = Self {
            blocks: Vec::new(),
            spare: Vec::new(),
            lists: [[NONE; CLASSES]; POWERS],
            powers: 0,
            classes: [0; POWERS],
            used: 0,
        };
        let whole = allocator.new_block(0, capacity, NONE, NONE);
        allocator.set_free(whole);
        allocator
    }

    /// Returns the number of used units.
    pub(crate) fn used(&self) -> u32 {
        self.used
    }

    /// Returns a range of at least `length` units; `None` if no free range is long enough.
    pub(crate) fn allocate(&mut self, length: u32) -> Option<Range> {
        let length = length.max(1);
        let block = self.find(length)?;
        self.unlink(block);
        let found = self.blocks[block as usize];
        if found.length > length {
            let rest = self.new_block(
                found.start + length,
                found.length - length,
                block,
                found.after,
            );
            if found.after != NONE {
                self.blocks[found.after as usize].before = rest;
            }
            self.blocks[block as usize].after = rest;
            self.blocks[block as usize].length = length;
            self.set_free(rest);
        }
        self.blocks[block as usize].free_before = USED;
        self.used += length;
        Some(Range {
            start: found.start,
            length,
            block,
        })
    }

    /// Frees a range.
    pub(crate) fn free(&mut self, range: Range) {
        self.used -= range.length;
        let mut block = range.block;
        let Block { before, after, .. } = self.blocks[block as usize];
        if after != NONE && self.is_free(after) {
            self.unlink(after);
            self.join(block, after);
        }
        if before != NONE && self.is_free(before) {
            self.unlink(before);
            self.join(before, block);
            block = before;
        }
        self.set_free(block);
    }

    fn is_free(&self, block: u32) -> bool {
        self.blocks[block as usize].free_before != USED
    }

    /// Extends `left` over `right`.
    fn join(&mut self, left: u32, right: u32) {
        let Block { length, after, .. } = self.blocks[right as usize];
        self.blocks[left as usize].length += length;
        self.blocks[left as usize].after = after;
        if after != NONE {
            self.blocks[after as usize].before = left;
        }
        self.spare.push(right);
    }

    fn new_block(&mut self, start: u32, length: u32, before: u32, after: u32) -> u32 {
        let block = Block {
            start,
            length,
            before,
            after,
            free_before: USED,
            free_after: NONE,
        };
        match self.spare.pop() {
            Some(index) => {
                self.blocks[index as usize] = block;
                index
            }
            None => {
                self.blocks.push(block);
                (self.blocks.len() - 1) as u32
            }
        }
    }

    fn set_free(&mut self, block: u32) {
        let (power, class) = class_of(self.blocks[block as usize].length);
        let first = self.lists[power][class];
        if first != NONE {
            self.blocks[first as usize].free_before = block;
        }
        self.blocks[block as usize].free_before = NONE;
        self.blocks[block as usize].free_after = first;
        self.lists[power][class] = block;
        self.powers |= 1 << power;
        self.classes[power] |= 1 << class;
    }

    fn unlink(&mut self, block: u32) {
        let Block {
            length,
            free_before,
            free_after,
            ..
        } = self.blocks[block as usize];
        if free_after != NONE {
            self.blocks[free_after as usize].free_before = free_before;
        }
        if free_before != NONE {
            self.blocks[free_before as usize].free_after = free_after;
            return;
        }
        let (power, class) = class_of(length);
        self.lists[power][class] = free_after;
        if free_after == NONE {
            self.classes[power] &= !(1 << class);
            if self.classes[power] == 0 {
                self.powers &= !(1 << power);
            }
        }
    }

    /// Returns the head of the first list whose blocks are all long enough, or else a fitting block
    /// of the list that may hold one.
    fn find(&self, length: u32) -> Option<u32> {
        let (power, class) = class_of(length);
        let mut block = self.lists[power][class];
        for _ in 0..8 {
            if block == NONE {
                break;
            }
            if self.blocks[block as usize].length >= length {
                return Some(block);
            }
            block = self.blocks[block as usize].free_after;
        }
        let above = u32::from(self.classes[power]) & (!1u32).wrapping_shl(class as u32);
        if above != 0 {
            return Some(self.lists[power][above.trailing_zeros() as usize]);
        }
        let powers = if power + 1 < POWERS {
            self.powers & (!0u32 << (power + 1))
        } else {
            0
        };
        if powers == 0 {
            return None;
        }
        let power = powers.trailing_zeros() as usize;
        Some(self.lists[power][self.classes[power].trailing_zeros() as usize])
    }
}

/// Returns the class of a length: its power of two and the bits after the first.
fn class_of(length: u32) -> (usize, usize) {
    let power = 31 - length.max(1).leading_zeros();
    let class = if power >= CLASS_BITS {
        length >> (power - CLASS_BITS)
    } else {
        length << (CLASS_BITS - power)
    };
    (power as usize, (class as usize) & (CLASSES - 1))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn gives_all_back_as_one() {
        let mut allocator = Allocator::new(1000);
        let ranges: Vec<_> = (1..20)
            .map(|length| allocator.allocate(length).unwrap())
            .collect();
        assert_eq!(allocator.used(), (1..20).sum::<u32>());
        for range in ranges
            .iter()
            .step_by(2)
            .chain(ranges.iter().skip(1).step_by(2))
        {
            allocator.free(*range);
        }
        assert_eq!(allocator.allocate(1000).unwrap().start, 0);
        assert_eq!(allocator.allocate(1), None);
    }

    /// Returns a cheap pseudo-random number, the same on every run.
    fn random(state: &mut u64) -> u32 {
        *state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (*state >> 33) as u32
    }

    #[test]
    fn never_hands_out_a_unit_twice() {
        const CAPACITY: u32 = 1 << 16;
        let mut allocator = Allocator::new(CAPACITY);
        let mut owners = vec![false; CAPACITY as usize];
        let mut held: Vec<Range> = Vec::new();
        let mut state = 1;
        for _ in 0..20_000 {
            if random(&mut state) % 5 < 3 {
                let length = random(&mut state) % 700 + 1;
                let Some(range) = allocator.allocate(length) else {
                    continue;
                };
                let units = range.start as usize..(range.start + range.length) as usize;
                assert!(owners[units.clone()].iter().all(|owned| !owned));
                owners[units].fill(true);
                held.push(range);
            } else if !held.is_empty() {
                let range = held.swap_remove(random(&mut state) as usize % held.len());
                owners[range.start as usize..(range.start + range.length) as usize].fill(false);
                allocator.free(range);
            }
        }
        assert_eq!(
            allocator.used() as usize,
            owners.iter().filter(|owned| **owned).count()
        );
    }
}
