//! The lists of elements by cell, found through a table of pages.
//!
//! A page is a block of four cells a side, there while any of its cells is occupied. What lies together is found
//! together: an area that meets several cells asks the table once, and all the table of a crowded world stays in the
//! nearest cache. Pages and lists that empty are given out again, so that nothing grows but with the most ever held at once.

use super::integer_box::CellRange;
use super::lists::{List, Lists};

/// Binary logarithm of the side of a page, in cells.
const PAGE_SHIFT: u32 = 2;
/// Side of a page, in cells.
const SIDE: i32 = 1 << PAGE_SHIFT;

/// An entry of the table: open addressing.
#[derive(Clone, Copy, Debug)]
struct Entry<const D: usize> {
    page: [i32; D],
    /// Where its lists begin.
    start: u32,
    /// How many of its cells are occupied; 0 marks a free entry.
    occupied: u32,
}

impl<const D: usize> Entry<D> {
    const FREE: Self = Self {
        page: [0; D],
        start: 0,
        occupied: 0,
    };
}

#[derive(Clone, Debug)]
pub(super) struct Cells<const D: usize> {
    /// A power of two of them; at most half are taken.
    table: Vec<Entry<D>>,
    taken: usize,
    /// What leaves the index of an entry of a 64-bit hash.
    shift: u32,
    /// The lists of all cells, page after page.
    cells: Vec<List>,
    free_pages: Vec<u32>,
    lists: Lists,
}

impl<const D: usize> Default for Cells<D> {
    fn default() -> Self {
        Self {
            table: vec![Entry::FREE; 16],
            taken: 0,
            shift: 64 - 4,
            cells: Vec::new(),
            free_pages: Vec::new(),
            lists: Lists::default(),
        }
    }
}

impl<const D: usize> Cells<D> {
    const CELLS_OF_PAGE: usize = 1 << (PAGE_SHIFT as usize * D);

    /// Whether going through all elements is less work than looking for the pages of this range.
    pub(super) fn are_fewer_than(&self, range: &CellRange<D>) -> bool {
        range.cell_count() as usize > self.taken * Self::CELLS_OF_PAGE
    }

    /// Calls `visit` with each occupied cell of a range and its elements.
    #[inline]
    pub(super) fn visit(&self, range: &CellRange<D>, mut visit: impl FnMut([i32; D], &[u32])) {
        range.visit_rows(|mut cell| {
            while cell[0] <= range.high[0] {
                let last = (cell[0] | (SIDE - 1)).min(range.high[0]);
                let entry = &self.table[self.find(cell.map(|c| c >> PAGE_SHIFT))];
                if entry.occupied > 0 {
                    let start = entry.start as usize + Self::place(cell);
                    for list in &self.cells[start..=start + (last - cell[0]) as usize] {
                        visit(cell, self.lists.slice(*list));
                        cell[0] += 1;
                    }
                }
                cell[0] = last + 1;
            }
        });
    }

    /// Enters an element into all cells of a range.
    #[inline(never)]
    pub(super) fn insert(&mut self, range: &CellRange<D>, element: u32) {
        range.visit_rows(|mut cell| {
            for x in range.low[0]..=range.high[0] {
                cell[0] = x;
                self.insert_into(cell, element);
            }
        });
    }

    /// Takes an element out of all cells of a range.
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
        let page = cell.map(|c| c >> PAGE_SHIFT);
        let mut at = self.find(page);
        if self.table[at].occupied == 0 {
            at = self.open(page);
        }
        let entry = &mut self.table[at];
        let list = &mut self.cells[entry.start as usize + Self::place(cell)];
        entry.occupied += u32::from(list.is_empty());
        self.lists.push(list, element);
    }

    #[inline]
    fn remove_from(&mut self, cell: [i32; D], element: u32) {
        let at = self.find(cell.map(|c| c >> PAGE_SHIFT));
        let entry = &mut self.table[at];
        if entry.occupied == 0 {
            return;
        }
        let list = &mut self.cells[entry.start as usize + Self::place(cell)];
        if !self.lists.remove(list, element) || !list.is_empty() {
            return;
        }
        entry.occupied -= 1;
        if entry.occupied == 0 {
            self.free_pages.push(entry.start);
            self.taken -= 1;
            self.close_gap(at);
        }
    }

    /// Place of a cell in its page.
    #[inline]
    fn place(cell: [i32; D]) -> usize {
        (0..D).fold(0, |place, axis| {
            let inside = cell[axis] as usize % (1 << PAGE_SHIFT);
            place | (inside << (PAGE_SHIFT as usize * axis))
        })
    }

    /// The entry of a page, or the free one where it would go.
    #[inline]
    fn find(&self, page: [i32; D]) -> usize {
        let mask = self.table.len() - 1;
        let mut at = self.home(page);
        loop {
            let entry = &self.table[at & mask];
            if entry.occupied == 0 || entry.page == page {
                return at & mask;
            }
            at += 1;
        }
    }

    #[inline]
    fn home(&self, page: [i32; D]) -> usize {
        const FACTORS: [u64; 4] = [
            0x9e37_79b9_7f4a_7c15,
            0xc2b2_ae3d_27d4_eb4f,
            0x1656_67b1_9e37_79f9,
            0xd6e8_feb8_6659_fd93,
        ];
        let mut sum = 0_u64;
        for axis in 0..D {
            sum = sum.wrapping_add((page[axis] as u32 as u64).wrapping_mul(FACTORS[axis % 4]));
        }
        (sum >> self.shift) as usize
    }

    /// Enters a page that is not there, and returns where.
    #[cold]
    fn open(&mut self, page: [i32; D]) -> usize {
        if (self.taken + 1) * 2 > self.table.len() {
            self.grow();
        }
        let start = self.free_pages.pop().unwrap_or_else(|| {
            let end = self.cells.len();
            self.cells.resize(end + Self::CELLS_OF_PAGE, List::EMPTY);
            // So that giving pages back allocates nothing.
            self.free_pages.reserve(end / Self::CELLS_OF_PAGE + 1);
            end as u32
        });
        self.taken += 1;
        let at = self.find(page);
        self.table[at] = Entry {
            page,
            start,
            occupied: 0,
        };
        at
    }

    #[cold]
    /// Moves later entries of a run back over a freed one, so that every page stays findable.
    fn close_gap(&mut self, mut gap: usize) {
        let mask = self.table.len() - 1;
        self.table[gap] = Entry::FREE;
        let mut at = gap;
        loop {
            at = (at + 1) & mask;
            if self.table[at].occupied == 0 {
                return;
            }
            let wanted = self.home(self.table[at].page);
            if (at.wrapping_sub(wanted) & mask) >= (at.wrapping_sub(gap) & mask) {
                self.table[gap] = self.table[at];
                self.table[at] = Entry::FREE;
                gap = at;
            }
        }
    }

    fn grow(&mut self) {
        let doubled = vec![Entry::FREE; self.table.len() * 2];
        let old = std::mem::replace(&mut self.table, doubled);
        self.shift -= 1;
        for entry in old.into_iter().filter(|entry| entry.occupied > 0) {
            let at = self.find(entry.page);
            self.table[at] = entry;
        }
    }
}
