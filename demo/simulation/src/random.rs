//! Random numbers for walkers, targets and sparks: small, seeded, the same on every machine.

/// A SplitMix64 sequence.
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
}

impl Random {
    /// Returns the sequence of a seed.
    pub fn new(seed: u64) -> Self {
        Random { state: seed }
    }

    /// Returns the seed of the sequence from here on.
    pub(crate) fn state(&self) -> u64 {
        self.state
    }

    /// Returns the next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Returns a number from 0 up to, but not including, 1.
    pub fn unit(&mut self) -> f32 {
        (self.bits() >> 40) as f32 / (1u64 << 24) as f32
    }

    /// Returns a number from `low` up to `high`.
    pub fn between(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * self.unit()
    }

    /// Returns a whole number below `end`; 0 when `end` is 0.
    pub fn below(&mut self, end: u64) -> u64 {
        self.bits().checked_rem(end).unwrap_or(0)
    }

    /// Returns true once in `times` on average.
    pub fn once_in(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stay_in_range() {
        let mut random = Random::new(7);
        for _ in 0..1000 {
            assert!((0.0..1.0).contains(&random.unit()));
            assert!(random.below(3) < 3);
        }
        assert_eq!(random.below(0), 0);
    }
}
