//! A small random sequence with the same numbers everywhere, and random numbers that depend only on
//! a place.

use collision::position::Cell;

/// A sequence of random numbers (splitmix64).
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
}

impl Random {
    /// Makes the sequence of a seed.
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// Returns the next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.state)
    }

    /// Returns the next number in `[0, 1)`.
    pub fn share(&mut self) -> f64 {
        to_share(self.bits())
    }

    /// Returns the next number in a range.
    pub fn between(&mut self, least: f64, most: f64) -> f64 {
        least + (most - least) * self.share()
    }

    /// Returns the next whole number below a limit, 0 where the limit is 0.
    pub fn below(&mut self, limit: usize) -> usize {
        ((u128::from(self.bits()) * limit as u128) >> 64) as usize
    }
}

/// Returns a number in `[0, 1)` that depends only on a seed and a place.
pub(crate) fn share_at(seed: u64, cell: Cell) -> f64 {
    let mut state = seed;
    for axis in 0..3 {
        state = mix(state.wrapping_add(0x9e37_79b9_7f4a_7c15) ^ u64::from(cell[axis] as u32));
    }
    to_share(state)
}

fn to_share(bits: u64) -> f64 {
    (bits >> 11) as f64 / (1_u64 << 53) as f64
}

fn mix(value: u64) -> u64 {
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}
