//! Finds the boxes that may overlap another box, sixty-four at once. A search for room repeats this
//! at thousands of places.

use crate::terrain::SolidBox;
use nalgebra::Vector3;

/// Bins of each axis.
const BINS: usize = 32;
/// Boxes in one word, a bit each.
const LANES: usize = 64;

/// Boxes sorted by their ends. Reused buffers.
#[derive(Default)]
pub(crate) struct Spans {
    low: Vector3<f32>,
    bins_a_metre: Vector3<f32>,
    /// Words for one bin of one axis.
    words: usize,
    /// By axis and bin, a bit for each box that begins no later than in this bin.
    begun: Vec<u64>,
    /// By axis and bin, a bit for each box that ends no earlier.
    unended: Vec<u64>,
}

impl Spans {
    /// Sorts boxes into the bins; those outside of the box from `low` to `high` count as at its
    /// sides.
    pub(crate) fn sort(&mut self, solids: &[SolidBox], low: Vector3<f32>, high: Vector3<f32>) {
        self.low = low;
        self.bins_a_metre = (high - low).map(|size| BINS as f32 / size);
        self.words = solids.len().div_ceil(LANES);
        for bits in [&mut self.begun, &mut self.unended] {
            bits.clear();
            bits.resize(3 * BINS * self.words, 0);
        }
        for (number, solid) in solids.iter().enumerate() {
            let (word, bit) = (number / LANES, 1 << (number % LANES));
            for axis in 0..3 {
                let first = self.row(axis, solid.min[axis]);
                let last = self.row(axis, solid.max[axis]);
                self.begun[first + word] |= bit;
                self.unended[last + word] |= bit;
            }
        }
        let words = self.words;
        for axis in 0..3 {
            let bins = axis * BINS * words..(axis + 1) * BINS * words;
            let (begun, unended) = (&mut self.begun[bins.clone()], &mut self.unended[bins]);
            for place in words..BINS * words {
                begun[place] |= begun[place - words];
                let back = BINS * words - 1 - place;
                unended[back] |= unended[back + words];
            }
        }
    }

    /// Returns the index of the first word of the bin of a coordinate.
    fn row(&self, axis: usize, at: f32) -> usize {
        let bin = (at - self.low[axis]) * self.bins_a_metre[axis];
        (axis * BINS + (bin as usize).min(BINS - 1)) * self.words
    }

    /// Returns whether `is` holds for a box that may overlap the box from `low` to `high`. It tests
    /// all boxes that do, and some others.
    pub(crate) fn any(
        &self,
        low: Vector3<f32>,
        high: Vector3<f32>,
        mut is: impl FnMut(usize) -> bool,
    ) -> bool {
        let begun = [0, 1, 2].map(|axis| &self.begun[self.row(axis, high[axis])..]);
        let unended = [0, 1, 2].map(|axis| &self.unended[self.row(axis, low[axis])..]);
        for word in 0..self.words {
            let sets = begun.iter().chain(&unended);
            let mut set = sets.fold(u64::MAX, |set, bits| set & bits[word]);
            while set != 0 {
                if is(word * LANES + set.trailing_zeros() as usize) {
                    return true;
                }
                set &= set - 1;
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mover::test_terrain::Dice;
    use crate::terrain::ObjectId;

    #[test]
    fn boxes_that_reach_into_another_are_asked_about() {
        let mut dice = Dice(9);
        let mut spans = Spans::default();
        let (mut reached, mut left_out) = (0, 0);
        for count in [0, 1, 63, 64, 65, 300] {
            let around = Vector3::repeat(3.0);
            let corner = |dice: &mut Dice| Vector3::from_fn(|_, _| dice.signed() * 4.0);
            let solid = |dice: &mut Dice| {
                let min = corner(dice);
                SolidBox {
                    min,
                    max: min + Vector3::from_fn(|_, _| 2.0 * dice.share()),
                    grain: 1.0,
                    object: ObjectId(0),
                }
            };
            let solids: Vec<SolidBox> = (0..count).map(|_| solid(&mut dice)).collect();
            spans.sort(&solids, -around, around);
            for _ in 0..200 {
                let low = corner(&mut dice);
                let high = low + Vector3::from_fn(|_, _| 2.0 * dice.share());
                let mut asked = vec![false; count];
                let found = spans.any(low, high, |number| {
                    asked[number] = true;
                    false
                });
                assert!(!found);
                for (solid, asked) in solids.iter().zip(asked) {
                    let apart = (0..3)
                        .any(|axis| solid.min[axis] > high[axis] || solid.max[axis] < low[axis]);
                    assert!(apart || asked, "{solid:?} {low} {high}");
                    reached += u32::from(!apart);
                    left_out += u32::from(!asked);
                }
            }
            let all = (-around, around);
            assert_eq!(spans.any(all.0, all.1, |_| true), count > 0);
        }
        assert!(reached > 500 && left_out > 50_000, "{reached} {left_out}");
    }
}
