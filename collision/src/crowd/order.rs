//! Keeps characters that are near each other near each other in memory. Results never depend on it.

use crate::crowd::api::Crowd;
use crate::crowd::columns::{BLOCK, Columns};
use crate::crowd::vicinity::grid_cell;
use nalgebra::Vector3;

/// Changed cells per character since the last sort that cause the next one. Ten thousand walkers
/// miss the first cache 2 % more often after each has crossed three cells, and twice as often if
/// they were never sorted.
const CHANGES_BEFORE_SORT: usize = 6;

/// The countdown to the next sort, and its buffers.
#[derive(Default)]
pub(crate) struct Order {
    changes: usize,
    keys: Vec<(u64, u32)>,
    /// The new number of every row.
    numbers: Vec<u32>,
    spare: Columns,
}

impl Order {
    /// Counts a character that moved into another cell.
    #[inline]
    pub(crate) fn note_change(&mut self) {
        self.changes += 1;
    }
}

impl Crowd {
    /// Sorts the rows along a curve through space, when enough of them have moved.
    pub(crate) fn reorder(&mut self) {
        let rows = self.columns.len();
        if rows <= BLOCK || self.order.changes < rows * CHANGES_BEFORE_SORT {
            return;
        }
        self.order.changes = 0;
        let mut keys = std::mem::take(&mut self.order.keys);
        keys.clear();
        let stood = self.columns.stood.iter().enumerate();
        keys.extend(stood.map(|(row, s)| (curve(grid_cell(&s.position)), row as u32)));
        keys.sort_unstable();
        self.permute(&keys);
        self.order.keys = keys;
    }

    fn permute(&mut self, keys: &[(u64, u32)]) {
        let mut spare = std::mem::take(&mut self.order.spare);
        spare.take_in_order(&self.columns, keys);
        std::mem::swap(&mut self.columns, &mut spare);
        self.order.spare = spare;
        let numbers = &mut self.order.numbers;
        numbers.resize(keys.len(), 0);
        for (new, &(_, old)) in keys.iter().enumerate() {
            numbers[old as usize] = new as u32;
        }
        self.grid.renumber(numbers);
        for (row, &slot) in self.columns.slots.iter().enumerate() {
            self.handles.moved(slot, row as u32);
        }
    }
}

/// Returns a place on the Morton curve through 2^20 cells a side; beyond that the curve repeats.
fn curve(cell: Vector3<i32>) -> u64 {
    spread(cell.x) | spread(cell.z) << 1 | spread(cell.y) << 2
}

/// Returns the low 20 bits, two zeros between each.
fn spread(value: i32) -> u64 {
    let mut bits = u64::from(value as u32 & 0xf_ffff);
    for (shift, mask) in [
        (32, 0x001f_0000_0000_ffff),
        (16, 0x001f_0000_ff00_00ff),
        (8, 0x100f_00f0_0f00_f00f),
        (4, 0x10c3_0c30_c30c_30c3),
        (2, 0x1249_2492_4924_9249),
    ] {
        bits = (bits | bits << shift) & mask;
    }
    bits
}
