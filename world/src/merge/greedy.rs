//! Taking rectangles off a bitmap: along a row first, then over the rows below.
//!
//! Most rectangles are low, so whether the next three rows go on is found without branches; guessing wrong would cost
//! more than the work.

use super::bitmap::Bitmap;
use super::source::Rect;
use crate::chunk::SIDE;

/// What keeps faces apart besides gaps.
pub(super) trait Lines {
    /// What faces must share to grow together.
    type Key: Copy;
    /// The key of a face.
    fn key(&self, row: usize, column: u32) -> Self::Key;
    /// The places of a row that have this key; places outside of `within` may be left out.
    fn alike(&self, row: usize, key: Self::Key, within: u32) -> u32;
    /// Whether the faces of a row take in the mask, all with this key.
    #[inline(always)]
    fn covers(&self, row: usize, key: Self::Key, there: u32, mask: u32) -> bool {
        there & self.alike(row, key, mask) & mask == mask
    }
}

/// Rows looked at without branches.
const AHEAD: usize = 3;

/// Takes rectangles in row order until nothing is left. With `COLUMNS` off they are one column wide, with `ROWS` off
/// one row high.
#[inline(always)]
pub(super) fn take_rectangles<const COLUMNS: bool, const ROWS: bool, L: Lines>(
    faces: &Bitmap,
    lines: &L,
    mut emit: impl FnMut(&Rect, L::Key),
) {
    let mut rows = [0_u32; SIDE + AHEAD];
    rows[..SIDE].copy_from_slice(faces);
    let mut open = open_rows(faces);
    while open != 0 {
        let row = open.trailing_zeros() as usize;
        let bits = rows[row];
        let column = bits.trailing_zeros();
        let key = lines.key(row, column);
        let first = bits & bits.wrapping_neg();
        let mask = if COLUMNS {
            let alike = bits & lines.alike(row, key, bits);
            alike & !alike.wrapping_add(first)
        } else {
            first
        };
        rows[row] = bits ^ mask;
        open &= !(u64::from(rows[row] == 0) << row);
        let mut height = 1;
        if ROWS {
            let mut goes_on = 1;
            for next in row + 1..=row + AHEAD {
                let there = rows[next];
                goes_on &= u32::from(lines.covers(next & 31, key, there, mask));
                rows[next] = there & !(mask & goes_on.wrapping_neg());
                open &= !(u64::from(rows[next] == 0) << next);
                height += goes_on;
            }
            if goes_on != 0 {
                let mut next = row + 1 + AHEAD;
                while next < SIDE && lines.covers(next, key, rows[next], mask) {
                    rows[next] &= !mask;
                    open &= !(u64::from(rows[next] == 0) << next);
                    next += 1;
                }
                height = (next - row) as u32;
            }
        }
        let columns = (mask >> column).trailing_ones();
        emit(
            &Rect {
                row: row as u32,
                column,
                rows: height,
                columns,
            },
            key,
        );
    }
}

/// A bit for each row that is not empty.
#[inline(always)]
fn open_rows(faces: &Bitmap) -> u64 {
    let mut lanes = [0_u32; 4];
    for step in 0..SIDE / 4 {
        for lane in 0..4 {
            lanes[lane] |= u32::from(faces[4 * step + lane] != 0) << (4 * step);
        }
    }
    u64::from(lanes[0] | (lanes[1] << 1) | (lanes[2] << 2) | (lanes[3] << 3))
}
