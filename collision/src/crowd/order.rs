//! Keeps characters that are near each other near each other in memory. Results never depend on it.

use crate::crowd::columns::{BLOCK, Columns};
use crate::crowd::vicinity::grid_cell;
use crate::handles::Handles;
use crate::paged_grid::PagedGrid;
use nalgebra::Vector3;

/// Changed cells per character since the last sort that cause the next one. Ten thousand walkers
/// miss the first cache 2 % more often after each has crossed three cells, and twice as often if
/// they were never sorted.
const CHANGES_BEFORE_SORT: usize = 6;

/// The countdown to the next sort, and its buffers.
#[derive(Clone, Default)]
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

    /// Sorts the rows along a curve through space, when enough of them have moved.
    pub(crate) fn sort(
        &mut self,
        columns: &mut Columns,
        grid: &mut PagedGrid,
        handles: &mut Handles,
    ) {
        let rows = columns.len();
        if rows <= BLOCK || self.changes < rows * CHANGES_BEFORE_SORT {
            return;
        }
        self.changes = 0;
        self.keys.clear();
        let stood = columns.stood.iter().enumerate();
        let keys = stood.map(|(row, s)| (curve(grid_cell(&s.position)), row as u32));
        self.keys.extend(keys);
        self.keys.sort_unstable();
        self.spare.take_in_order(columns, &self.keys);
        std::mem::swap(columns, &mut self.spare);
        self.numbers.resize(self.keys.len(), 0);
        for (new, &(_, old)) in self.keys.iter().enumerate() {
            self.numbers[old as usize] = new as u32;
        }
        grid.renumber(&self.numbers);
        for (row, &slot) in columns.slots.iter().enumerate() {
            handles.moved(slot, row as u32);
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
