//! The layout of all bitmaps and counts of a map: rows of 64-bit words with a margin on both sides,
//! so that a circle at the border needs no case of its own.

/// Tiles of margin left of a row, at least the largest radius.
pub(super) const MARGIN: i32 = 32;

#[derive(Clone, Copy, Debug)]
pub(super) struct Rows {
    pub(super) width: i32,
    pub(super) height: i32,
    /// Words of 64 tiles in a row.
    pub(super) stride: usize,
}

impl Rows {
    pub(super) fn over([width, height]: [usize; 2]) -> Self {
        let stride = (width + 2 * MARGIN as usize).div_ceil(64) + 1;
        Self {
            width: width as i32,
            height: height as i32,
            stride,
        }
    }

    /// Returns the words of a whole bitmap.
    pub(super) fn words(&self) -> usize {
        self.stride * self.height as usize
    }

    pub(super) fn contains(&self, [x, z]: [i32; 2]) -> bool {
        (0..self.width).contains(&x) && (0..self.height).contains(&z)
    }

    /// Reads `count` tiles (fewer than 64) of row `z` from `x` on, the first in bit 0. Rows off the
    /// map are empty.
    #[inline]
    pub(super) fn read(&self, bits: &[u64], x: i32, z: i32, count: u32) -> u64 {
        if z < 0 || z >= self.height {
            return 0;
        }
        let place = (x + MARGIN) as usize;
        let (word, shift) = (z as usize * self.stride + place / 64, place as u32 % 64);
        let pair = (u128::from(bits[word + 1]) << 64) | u128::from(bits[word]);
        (pair >> shift) as u64 & ((1 << count) - 1)
    }

    /// Sets the marked tiles of a row of the map, from `x` on.
    #[inline]
    pub(super) fn mark(&self, bits: &mut [u64], x: i32, z: i32, tiles: u64) {
        let place = (x + MARGIN) as usize;
        let (word, shift) = (z as usize * self.stride + place / 64, place as u32 % 64);
        let pair = u128::from(tiles) << shift;
        bits[word] |= pair as u64;
        bits[word + 1] |= (pair >> 64) as u64;
    }

    /// Replaces 32 tiles of a row of the map, from `x` on; tiles off the map are ignored. Returns
    /// the changed ones.
    pub(super) fn write_32(&self, bits: &mut [u64], x: i32, z: i32, tiles: u32) -> u64 {
        if z < 0 || z >= self.height || x <= -MARGIN || x >= self.width {
            return 0;
        }
        let (first, count) = (-x.min(0), (self.width - x).min(32));
        let inside = ((1 << count) - 1) & !((1 << first) - 1);
        let changed = (self.read(bits, x, z, 32) ^ u64::from(tiles)) & inside;
        let place = (x + MARGIN) as usize;
        let (word, shift) = (z as usize * self.stride + place / 64, place as u32 % 64);
        let pair = u128::from(changed) << shift;
        bits[word] ^= pair as u64;
        bits[word + 1] ^= (pair >> 64) as u64;
        changed
    }

    /// Returns the word and the bit of a tile of the map.
    #[inline]
    pub(super) fn place(&self, [x, z]: [i32; 2]) -> (usize, u32) {
        let place = (x + MARGIN) as usize;
        (z as usize * self.stride + place / 64, place as u32 % 64)
    }
}
