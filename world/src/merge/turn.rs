//! Transposes 32 x 32 bits and extracts single columns.

/// Swaps rows and columns: bit `c` of word `r` becomes bit `r` of word `c`.
pub(super) fn transpose(words: &mut [u32; 32]) {
    swap_blocks::<16>(words, 0x0000_ffff);
    swap_blocks::<8>(words, 0x00ff_00ff);
    swap_blocks::<4>(words, 0x0f0f_0f0f);
    for four in words.as_chunks_mut().0 {
        *four = swap_lanes::<1>(swap_lanes::<2>(*four, 0x3333_3333), 0x5555_5555);
    }
}

#[inline(always)]
fn swap_blocks<const SIZE: usize>(words: &mut [u32; 32], mask: u32) {
    for base in (0..32).step_by(2 * SIZE) {
        for row in base..base + SIZE {
            let swapped = ((words[row] >> SIZE) ^ words[row + SIZE]) & mask;
            words[row] ^= swapped << SIZE;
            words[row + SIZE] ^= swapped;
        }
    }
}

/// Swaps blocks within one register: compiled to shuffles.
#[inline(always)]
fn swap_lanes<const SIZE: usize>(four: [u32; 4], mask: u32) -> [u32; 4] {
    std::array::from_fn(|lane| {
        let (own, other) = (four[lane], four[lane ^ SIZE]);
        if lane & SIZE == 0 {
            (own & mask) | ((other & mask) << SIZE)
        } else {
            (own & !mask) | ((other >> SIZE) & mask)
        }
    })
}

/// Returns bit `column` of each of 32 words as one word; four lanes fit one register.
#[inline]
pub(super) fn column(words: &[u32; 32], column: usize) -> u32 {
    let mut lanes = [0_u32; 4];
    for step in 0..8 {
        for lane in 0..4 {
            lanes[lane] |= ((words[4 * step + lane] >> column) & 1) << (4 * step);
        }
    }
    lanes[0] | (lanes[1] << 1) | (lanes[2] << 2) | (lanes[3] << 3)
}

/// Returns bit 31 of each of 32 words.
#[inline]
pub(super) fn last_column(words: &[u32; 32]) -> u32 {
    let lanes = words.as_chunks().0.iter().fold([0; 4], |bits, four| {
        let next: [u32; 4] = *four;
        std::array::from_fn(|lane| (bits[lane] >> 4) | (next[lane] & (1 << 31)))
    });
    (lanes[0] >> 3) | (lanes[1] >> 2) | (lanes[2] >> 1) | lanes[3]
}

/// Returns bit 0 of each of 32 words.
#[inline]
pub(super) fn first_column(words: &[u32; 32]) -> u32 {
    let lanes = words.as_chunks().0.iter().rfold([0; 4], |bits, four| {
        let next: [u32; 4] = *four;
        std::array::from_fn(|lane| (bits[lane] << 4) | (next[lane] & 1))
    });
    lanes[0] | (lanes[1] << 1) | (lanes[2] << 2) | (lanes[3] << 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transpose_and_column_agree_with_single_bits() {
        let mut state = 1_u32;
        let words: [u32; 32] = std::array::from_fn(|_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state ^ (state >> 15)
        });
        let mut turned = words;
        transpose(&mut turned);
        for (at, turned) in turned.iter().enumerate() {
            let by_hand = (0..32).fold(0, |bits, row| bits | (((words[row] >> at) & 1) << row));
            assert_eq!((*turned, column(&words, at)), (by_hand, by_hand));
        }
        assert_eq!(first_column(&words), turned[0]);
        assert_eq!(last_column(&words), turned[31]);
    }
}
