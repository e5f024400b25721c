//! A table of blocks by their place, with open addressing.

/// A block with occupied parts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block<const D: usize> {
    pub(super) place: [i32; D],
    /// For a page: the index of its first list.
    pub(super) start: u32,
    /// A bit for each occupied part; zero marks a free entry.
    pub(super) parts: u64,
}

impl<const D: usize> Block<D> {
    const FREE: Self = Self {
        place: [0; D],
        start: 0,
        parts: 0,
    };
}

#[derive(Clone, Debug)]
pub(super) struct Table<const D: usize> {
    /// A power of two in number; at most half are in use.
    entries: Vec<Block<D>>,
    taken: usize,
    /// Right shift that turns a 64-bit hash into the index of an entry.
    shift: u32,
}

impl<const D: usize> Default for Table<D> {
    fn default() -> Self {
        Self {
            entries: vec![Block::FREE; 16],
            taken: 0,
            shift: 64 - 4,
        }
    }
}

impl<const D: usize> Table<D> {
    #[inline]
    pub(super) fn get(&self, place: [i32; D]) -> &Block<D> {
        &self.entries[self.find(place)]
    }

    /// Returns the block of a place, or the free entry for it.
    #[inline]
    pub(super) fn get_mut(&mut self, place: [i32; D]) -> &mut Block<D> {
        let at = self.find(place);
        &mut self.entries[at]
    }

    /// Adds a block that is not in the table.
    #[cold]
    pub(super) fn insert(&mut self, block: Block<D>) {
        if (self.taken + 1) * 2 > self.entries.len() {
            self.grow();
        }
        self.taken += 1;
        *self.get_mut(block.place) = block;
    }

    /// Removes a block, and moves later entries of a run back over the gap, so that each can still
    /// be found.
    #[cold]
    pub(super) fn remove(&mut self, place: [i32; D]) {
        let mask = self.entries.len() - 1;
        let mut gap = self.find(place);
        let mut at = gap;
        self.entries[gap] = Block::FREE;
        self.taken -= 1;
        loop {
            at = (at + 1) & mask;
            if self.entries[at].parts == 0 {
                return;
            }
            let wanted = self.home(self.entries[at].place);
            if (at.wrapping_sub(wanted) & mask) >= (at.wrapping_sub(gap) & mask) {
                self.entries[gap] = self.entries[at];
                self.entries[at] = Block::FREE;
                gap = at;
            }
        }
    }

    #[inline]
    fn find(&self, place: [i32; D]) -> usize {
        let mask = self.entries.len() - 1;
        let mut at = self.home(place);
        loop {
            let entry = &self.entries[at & mask];
            if entry.parts == 0 || entry.place == place {
                return at & mask;
            }
            at += 1;
        }
    }

    #[inline]
    fn home(&self, place: [i32; D]) -> usize {
        const FACTORS: [u64; 3] = [
            0x9e37_79b9_7f4a_7c15,
            0xc2b2_ae3d_27d4_eb4f,
            0x1656_67b1_9e37_79f9,
        ];
        let mut sum = 0_u64;
        for axis in 0..D {
            sum = sum.wrapping_add((place[axis] as u32 as u64).wrapping_mul(FACTORS[axis]));
        }
        (sum >> self.shift) as usize
    }

    fn grow(&mut self) {
        let doubled = vec![Block::FREE; self.entries.len() * 2];
        let old = std::mem::replace(&mut self.entries, doubled);
        self.shift -= 1;
        for entry in old.into_iter().filter(|entry| entry.parts != 0) {
            *self.get_mut(entry.place) = entry;
        }
    }
}
