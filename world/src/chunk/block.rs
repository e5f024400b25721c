//! A part of a chunk, 32 x 4 x 4 voxels, stored with as few bits as its content needs.
//!
//! Indices into the block's own palette are stored as *bit planes*: plane `p` holds bit `p` of
//! every index, in one word for each row of 32 voxels. So a few word operations compare, fill or
//! convert a whole row.

use crate::material::Material;

/// Rows of 32 voxels in a block.
pub(super) const BLOCK_ROWS: usize = 16;
/// Blocks in a chunk.
pub(super) const BLOCKS: usize = 64;
/// Width from which on the planes hold material ids without a palette: a palette of 8 bits would
/// not be smaller.
const RAW_BITS: u8 = 16;
/// Largest width of a palette.
const PALETTE_BITS: u8 = 7;

/// Range of a block's words within the chunk's. With zero bits, all voxels are `material`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Block {
    pub(super) start: u32,
    pub(super) material: Material,
    pub(super) bits: u8,
    pub(super) used: u8,
}

/// Returns the number of words of a block of this width.
pub(super) const fn words_of(bits: u8) -> usize {
    palette_words(bits) + BLOCK_ROWS * bits as usize
}

/// Returns the words of the palette; two entries share a word.
const fn palette_words(bits: u8) -> usize {
    if bits == 0 || bits > PALETTE_BITS {
        0
    } else {
        1 << (bits - 1)
    }
}

/// Returns the smallest width for this many materials.
pub(super) fn bits_for(materials: usize) -> u8 {
    let bits = materials.next_power_of_two().trailing_zeros();
    if bits > u32::from(PALETTE_BITS) {
        RAW_BITS
    } else {
        bits as u8
    }
}

impl Block {
    pub(super) fn uniform(material: Material) -> Self {
        Self {
            material,
            ..Self::default()
        }
    }

    pub(super) fn size(&self) -> usize {
        words_of(self.bits)
    }

    pub(super) fn next_width(&self) -> u8 {
        if self.bits >= PALETTE_BITS {
            RAW_BITS
        } else {
            self.bits + 1
        }
    }

    pub(super) fn is_raw(&self) -> bool {
        self.bits == RAW_BITS
    }

    pub(super) fn capacity(&self) -> usize {
        1 << self.bits
    }

    fn planes_at(&self) -> usize {
        self.start as usize + palette_words(self.bits)
    }

    /// Returns the material of a palette entry.
    #[inline]
    pub(super) fn entry(&self, words: &[u32], index: u32) -> Material {
        match self.bits {
            0 => self.material,
            RAW_BITS => Material(index as u16),
            _ => {
                let word = words[self.start as usize + (index as usize >> 1)];
                Material((word >> ((index & 1) * 16)) as u16)
            }
        }
    }

    pub(super) fn set_entry(&self, words: &mut [u32], index: u32, material: Material) {
        let word = &mut words[self.start as usize + (index as usize >> 1)];
        let shift = (index & 1) * 16;
        *word = (*word & !(0xffff << shift)) | (u32::from(material.0) << shift);
    }

    /// Returns the palette entry of a material.
    pub(super) fn find(&self, words: &[u32], material: Material) -> Option<u32> {
        match self.bits {
            0 => (self.material == material).then_some(0),
            RAW_BITS => Some(u32::from(material.0)),
            _ => (0..u32::from(self.used)).find(|&index| self.entry(words, index) == material),
        }
    }

    /// Returns the palette index of one voxel.
    #[inline]
    pub(super) fn index(&self, words: &[u32], row: usize, x: usize) -> u32 {
        let planes = self.planes_at() + row;
        (0..usize::from(self.bits)).fold(0, |index, plane| {
            index | (((words[planes + plane * BLOCK_ROWS] >> x) & 1) << plane)
        })
    }

    /// Returns the voxels of a row with this palette index.
    #[inline]
    pub(super) fn matching(&self, words: &[u32], row: usize, index: u32) -> u32 {
        let planes = self.planes_at() + row;
        (0..usize::from(self.bits)).fold(u32::MAX, |mask, plane| {
            let flip = ((index >> plane) & 1).wrapping_sub(1);
            mask & (words[planes + plane * BLOCK_ROWS] ^ flip)
        })
    }

    /// Returns the voxels of every row with this palette index.
    pub(super) fn matching_all(&self, words: &[u32], index: u32) -> [u32; BLOCK_ROWS] {
        let planes = self.planes_at();
        let mut masks = [u32::MAX; BLOCK_ROWS];
        for plane in 0..usize::from(self.bits) {
            let flip = ((index >> plane) & 1).wrapping_sub(1);
            let words = &words[planes + plane * BLOCK_ROWS..][..BLOCK_ROWS];
            for (mask, word) in masks.iter_mut().zip(words) {
                *mask &= word ^ flip;
            }
        }
        masks
    }

    /// Writes an index to the voxels of the mask.
    pub(super) fn store(&self, words: &mut [u32], row: usize, mask: u32, index: u32) {
        let planes = self.planes_at() + row;
        for plane in 0..usize::from(self.bits) {
            let word = &mut words[planes + plane * BLOCK_ROWS];
            let set = ((index >> plane) & 1).wrapping_neg();
            *word = (*word & !mask) | (set & mask);
        }
    }

    /// Returns the index that all voxels have in common, if any.
    pub(super) fn only_index(&self, words: &[u32]) -> Option<u32> {
        let planes = self.planes_at();
        let mut index = 0;
        for plane in 0..usize::from(self.bits) {
            let rows = &words[planes + plane * BLOCK_ROWS..][..BLOCK_ROWS];
            if rows.iter().any(|&row| row != rows[0]) || (rows[0] != 0 && rows[0] != u32::MAX) {
                return None;
            }
            index |= (rows[0] & 1) << plane;
        }
        Some(index)
    }

    /// Returns a palette entry that no voxel uses any more.
    pub(super) fn dead_entry(&self, words: &[u32]) -> Option<u32> {
        (0..u32::from(self.used))
            .find(|&index| (0..BLOCK_ROWS).all(|row| self.matching(words, row, index) == 0))
    }
}
