//! Pseudo-random numbers, the same on every machine.

pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_add(1))
    }

    fn next(&mut self) -> u32 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as u32
    }

    /// Returns a number from 0 on, below `limit`.
    pub fn below(&mut self, limit: i32) -> i32 {
        ((u64::from(self.next()) * limit as u64) >> 31) as i32
    }
}
