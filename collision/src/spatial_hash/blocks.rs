//! Lists too long for their slot: blocks of `2^class` numbers in one array, freed blocks chained by size.

const NONE: u32 = u32::MAX;

#[derive(Clone, Debug)]
pub(super) struct Blocks {
    numbers: Vec<u32>,
    /// The first free block of each size; a free block begins with the next one.
    free: [u32; 32],
}

impl Default for Blocks {
    fn default() -> Self {
        Self {
            numbers: Vec::new(),
            free: [NONE; 32],
        }
    }
}

impl Blocks {
    /// A block of `2^class` numbers.
    pub(super) fn take(&mut self, class: u32) -> u32 {
        let first = self.free[class as usize];
        if first != NONE {
            self.free[class as usize] = self.numbers[first as usize];
            return first;
        }
        let start = self.numbers.len();
        self.numbers.resize(start + (1 << class), 0);
        start as u32
    }

    pub(super) fn give(&mut self, start: u32, class: u32) {
        self.numbers[start as usize] = self.free[class as usize];
        self.free[class as usize] = start;
    }

    #[inline]
    pub(super) fn slice(&self, start: u32, len: u32) -> &[u32] {
        &self.numbers[start as usize..][..len as usize]
    }

    pub(super) fn room_mut(&mut self, start: u32, class: u32) -> &mut [u32] {
        &mut self.numbers[start as usize..][..1 << class]
    }

    pub(super) fn copy(&mut self, from: u32, to: u32, len: u32) {
        let from = from as usize;
        self.numbers
            .copy_within(from..from + len as usize, to as usize);
    }
}
