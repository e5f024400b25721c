//! The sight of one team: the number of its units that see each tile, and the resulting alpha.
//!
//! Counts are 16 bits wide, four to a word, so that a row of a unit's picture is added a few words
//! at a time.

use super::Sight;
use super::rows::{MARGIN, Rows};
use super::sight::for_each_row;
use super::units::Seen;

/// Tiles to a word of counts.
const LANES: usize = 4;
/// The lowest bit of every lane.
const ONES: u64 = 0x0001_0001_0001_0001;

pub(super) struct Team {
    rows: Rows,
    remembered: f32,
    counts: Vec<u64>,
    /// Tiles whose counts changed since the last settling.
    touched: Vec<u64>,
    now: Vec<u64>,
    ever: Vec<u64>,
    alpha: Vec<f32>,
}

impl Team {
    pub(super) fn new(rows: Rows, remembered: f32) -> Self {
        let words = rows.words();
        Self {
            rows,
            remembered,
            counts: vec![0; words * 64 / LANES],
            touched: vec![0; words],
            now: vec![0; words],
            ever: vec![0; words],
            alpha: vec![1.0; (rows.width * rows.height) as usize],
        }
    }

    pub(super) fn alpha(&self) -> &[f32] {
        &self.alpha
    }

    pub(super) fn sight(&self, tile: [i32; 2]) -> Sight {
        if !self.rows.contains(tile) {
            return Sight::Never;
        }
        let (word, bit) = self.rows.place(tile);
        match (self.now[word] >> bit & 1, self.ever[word] >> bit & 1) {
            (1, _) => Sight::Now,
            (_, 1) => Sight::Before,
            _ => Sight::Never,
        }
    }

    /// Marks a tile as seen before; `false` if that changes nothing.
    pub(super) fn recall(&mut self, tile: [i32; 2]) -> bool {
        let is_new = self.sight(tile) == Sight::Never && self.rows.contains(tile);
        if is_new {
            let (word, bit) = self.rows.place(tile);
            self.ever[word] |= 1 << bit;
            let [x, z] = tile.map(|part| part as usize);
            self.alpha[z * self.rows.width as usize + x] = self.remembered;
        }
        is_new
    }

    /// Counts one more unit with this picture.
    pub(super) fn learn(&mut self, seen: &Seen, picture: &[u64]) {
        self.count(seen, picture, |count, ones| {
            *count = count.wrapping_add(ones)
        });
    }

    /// Subtracts a counted picture.
    pub(super) fn forget(&mut self, seen: &Seen, picture: &[u64]) {
        self.count(seen, picture, |count, ones| {
            *count = count.wrapping_sub(ones)
        });
    }

    #[inline]
    fn count(&mut self, seen: &Seen, picture: &[u64], change: impl Fn(&mut u64, u64)) {
        let x = seen.tile[0] - seen.radius;
        let z = seen.tile[1] - seen.radius;
        let place = (x + MARGIN) as usize;
        for_each_row(picture, seen.radius, |row, bits| {
            self.rows.mark(&mut self.touched, x, z + row, bits);
            let mut word = (z + row) as usize * self.rows.stride * (64 / LANES) + place / LANES;
            let mut rest = bits << (place % LANES);
            while rest != 0 {
                change(&mut self.counts[word], spread(rest & 15));
                rest >>= LANES;
                word += 1;
            }
        });
    }

    /// Updates the visible tiles and the alpha from the counts; returns the number of changed
    /// tiles.
    pub(super) fn settle(&mut self) -> usize {
        let mut changed = 0;
        for word in 0..self.touched.len() {
            if std::mem::take(&mut self.touched[word]) == 0 {
                continue;
            }
            let counts = &self.counts[word * (64 / LANES)..][..64 / LANES];
            let now = counts.iter().enumerate().fold(0, |bits, (nibble, &count)| {
                bits | (gather(count) << (nibble * LANES))
            });
            let differs = now ^ std::mem::replace(&mut self.now[word], now);
            self.ever[word] |= now;
            if differs != 0 {
                self.write_alpha(word, differs, now);
                changed += differs.count_ones() as usize;
            }
        }
        changed
    }

    fn write_alpha(&mut self, word: usize, mut differs: u64, now: u64) {
        let (z, first) = (word / self.rows.stride, word % self.rows.stride * 64);
        let row = z * self.rows.width as usize;
        while differs != 0 {
            let bit = differs.trailing_zeros();
            differs &= differs - 1;
            let x = first + bit as usize - MARGIN as usize;
            self.alpha[row + x] = if now >> bit & 1 == 1 {
                0.0
            } else {
                self.remembered
            };
        }
    }
}

/// Spreads four bits, one to the bottom of each lane.
#[inline]
fn spread(bits: u64) -> u64 {
    bits.wrapping_mul(1 | 1 << 15 | 1 << 30 | 1 << 45) & ONES
}

/// Returns a bit for each nonzero lane.
#[inline]
fn gather(count: u64) -> u64 {
    const LOW: u64 = ONES * 0x7fff;
    let high = ((count & LOW) + LOW) | count;
    (high >> 15 & ONES).wrapping_mul(1 << 48 | 1 << 33 | 1 << 18 | 1 << 3) >> 48 & 15
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spreading_and_gathering_are_inverse() {
        for bits in 0..16 {
            for weight in [1, 2, 0x7fff, 0x8000, 0xffff] {
                assert_eq!(gather(spread(bits) * weight), bits);
            }
        }
    }
}
