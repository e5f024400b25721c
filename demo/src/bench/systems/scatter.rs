//! Random numbers for the scenes of this group, the same in every run.

/// A linear congruential generator, independent of the version of any library.
pub(super) struct Scatter(u64);

impl Scatter {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns a whole number in `0..count`.
    pub(super) fn below(&mut self, count: u32) -> i32 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (((self.0 >> 33) * u64::from(count)) >> 31) as i32
    }

    /// Returns a number in `0.0..most`.
    pub(super) fn upto(&mut self, most: f32) -> f32 {
        most * self.below(1 << 24) as f32 / (1 << 24) as f32
    }
}
