//! The lists of elements by cell, looked up through tables of blocks.
//!
//! A page is a block of four cells a side that exists while any of its cells is occupied.
//! Neighbouring cells share a page, and the tables of a crowded world stay in the nearest cache.
//! Pages lie in blocks of four pages a side, these again in blocks of four, and so on: a query of a
//! wide area begins at blocks of its own size and descends into occupied ones only. Empty pages and
//! lists are reused, so the memory is bounded by the most elements ever held.

use super::integer_box::CellRange;
use super::lists::{List, Lists};
use super::table::{Block, Table};

/// Binary logarithm of the side of a block, in the blocks of the level below (cells below the
/// pages).
const SHIFT: u32 = 2;
/// Levels of blocks, the pages first. The highest has four blocks along all of `i32`.
const LEVELS: usize = 15;

#[derive(Clone, Debug)]
pub(super) struct Cells<const D: usize> {
    levels: Vec<Table<D>>,
    /// The lists of all cells, page after page.
    cells: Vec<List>,
    free_pages: Vec<u32>,
    lists: Lists,
}

impl<const D: usize> Default for Cells<D> {
    fn default() -> Self {
        const { assert!(D >= 1 && D <= 3, "a block's parts must fit 64 bits") };
        Self {
            levels: vec![Table::default(); LEVELS],
            cells: Vec::new(),
            free_pages: Vec::new(),
            lists: Lists::default(),
        }
    }
}

impl<const D: usize> Cells<D> {
    const CELLS_OF_PAGE: usize = 1 << (SHIFT as usize * D);

    /// Calls `visit` with each occupied cell of a range and its elements.
    #[inline]
    pub(super) fn visit(&self, range: &CellRange<D>, mut visit: impl FnMut([i32; D], &[u32])) {
        if range.high[0] < range.low[0] {
            return;
        }
        let level = level_of(range);
        let blocks = range.coarser(shift_of(level));
        blocks.visit_rows(|mut block| {
            for first in blocks.low[0]..=blocks.high[0] {
                block[0] = first;
                self.visit_block(level, block, range, &mut visit);
            }
        });
    }

    fn visit_block(
        &self,
        level: usize,
        place: [i32; D],
        range: &CellRange<D>,
        visit: &mut impl FnMut([i32; D], &[u32]),
    ) {
        let block = self.levels[level].get(place);
        if block.parts == 0 {
            return;
        }
        let first = place.map(|at| at << SHIFT);
        let mut parts = block.parts & parts_within(&first, &range.coarser(SHIFT * level as u32));
        while parts != 0 {
            let part = parts.trailing_zeros() as usize;
            parts &= parts - 1;
            let inside =
                |axis: usize| (part >> (SHIFT as usize * axis)) as i32 & ((1 << SHIFT) - 1);
            let place = std::array::from_fn(|axis| first[axis] | inside(axis));
            match level {
                0 => visit(
                    place,
                    self.lists.slice(self.cells[block.start as usize + part]),
                ),
                _ => self.visit_block(level - 1, place, range, visit),
            }
        }
    }

    /// Returns the number of blocks and cells that a visit to a range reads.
    #[cfg(test)]
    pub(super) fn blocks_looked_at(&self, range: &CellRange<D>) -> usize {
        let level = level_of(range);
        let mut waiting: Vec<(usize, [i32; D])> = range
            .coarser(shift_of(level))
            .iter()
            .map(|place| (level, place))
            .collect();
        let mut looked = 0;
        while let Some((level, place)) = waiting.pop() {
            looked += 1;
            let first = place.map(|at| at << SHIFT);
            let within = parts_within(&first, &range.coarser(SHIFT * level as u32));
            let parts = self.levels[level].get(place).parts & within;
            if level == 0 {
                looked += parts.count_ones() as usize;
                continue;
            }
            for part in (0..64_usize).filter(|part| parts >> part & 1 == 1) {
                let inside = |axis: usize| (part >> (SHIFT as usize * axis)) as i32 & 3;
                waiting.push((
                    level - 1,
                    std::array::from_fn(|axis| first[axis] | inside(axis)),
                ));
            }
        }
        looked
    }

    /// Adds an element to all cells of a range.
    #[inline(never)]
    pub(super) fn insert(&mut self, range: &CellRange<D>, element: u32) {
        range.visit_rows(|mut cell| {
            for x in range.low[0]..=range.high[0] {
                cell[0] = x;
                self.insert_into(cell, element);
            }
        });
    }

    /// Removes an element from all cells of a range.
    #[inline(never)]
    pub(super) fn remove(&mut self, range: &CellRange<D>, element: u32) {
        range.visit_rows(|mut cell| {
            for x in range.low[0]..=range.high[0] {
                cell[0] = x;
                self.remove_from(cell, element);
            }
        });
    }

    #[inline]
    fn insert_into(&mut self, cell: [i32; D], element: u32) {
        let part = part_of(cell);
        let page = self.levels[0].get_mut(cell.map(|c| c >> SHIFT));
        let start = if page.parts == 0 {
            self.open(cell)
        } else {
            page.parts |= 1 << part;
            page.start
        };
        let list = &mut self.cells[start as usize + part];
        self.lists.push(list, element);
    }

    #[inline]
    fn remove_from(&mut self, cell: [i32; D], element: u32) {
        let part = part_of(cell);
        let page = self.levels[0].get_mut(cell.map(|c| c >> SHIFT));
        if page.parts == 0 {
            return;
        }
        let list = &mut self.cells[page.start as usize + part];
        if !self.lists.remove(list, element) || !list.is_empty() {
            return;
        }
        if page.parts == 1 << part {
            self.free_pages.push(page.start);
            self.close(cell);
        } else {
            page.parts &= !(1 << part);
        }
    }

    /// Adds the page of a cell, and the blocks around it that do not exist; returns the index of
    /// its first list.
    #[cold]
    fn open(&mut self, cell: [i32; D]) -> u32 {
        let start = self.free_pages.pop().unwrap_or_else(|| {
            let end = self.cells.len();
            self.cells.resize(end + Self::CELLS_OF_PAGE, List::EMPTY);
            // Reserved here so that freeing pages allocates nothing.
            self.free_pages.reserve(end / Self::CELLS_OF_PAGE + 1);
            end as u32
        });
        let mut part = cell;
        for table in &mut self.levels {
            let parts = 1 << part_of(part);
            let place = part.map(|at| at >> SHIFT);
            let block = table.get_mut(place);
            if block.parts != 0 {
                block.parts |= parts;
                break;
            }
            table.insert(Block {
                place,
                start,
                parts,
            });
            part = place;
        }
        start
    }

    /// Removes the page of a cell, and the blocks that hold nothing else.
    #[cold]
    fn close(&mut self, cell: [i32; D]) {
        let mut part = cell;
        for table in &mut self.levels {
            let parts = 1 << part_of(part);
            let place = part.map(|at| at >> SHIFT);
            let block = table.get_mut(place);
            if block.parts != parts {
                block.parts &= !parts;
                break;
            }
            table.remove(place);
            part = place;
        }
    }
}

/// Returns the lowest level at which two blocks along each axis hold a range.
fn level_of<const D: usize>(range: &CellRange<D>) -> usize {
    let longest = (0..D).fold(0, |bits, axis| {
        bits | range.high[axis].wrapping_sub(range.low[axis]) as u32
    });
    let digits = u32::BITS - longest.leading_zeros();
    (digits.saturating_sub(1) / SHIFT).min(LEVELS as u32 - 1) as usize
}

/// Returns the binary logarithm of a block's side in cells.
fn shift_of(level: usize) -> u32 {
    SHIFT * (level as u32 + 1)
}

/// Returns the number of a part in its block.
#[inline]
fn part_of<const D: usize>(part: [i32; D]) -> usize {
    (0..D).fold(0, |number, axis| {
        let inside = part[axis] as usize % (1 << SHIFT);
        number | (inside << (SHIFT as usize * axis))
    })
}

/// Returns the parts, within a range, of the block with the given first part.
#[inline]
fn parts_within<const D: usize>(first: &[i32; D], range: &CellRange<D>) -> u64 {
    let mut parts = 1_u64;
    for axis in 0..D {
        let low = range.low[axis].max(first[axis]) - first[axis];
        let high = range.high[axis].min(first[axis] | ((1 << SHIFT) - 1)) - first[axis];
        let row = parts;
        parts = 0;
        for step in low..=high {
            parts |= row << (step << (SHIFT as usize * axis));
        }
    }
    parts
}
