//! An unbounded 3D grid whose tables are allocated on demand, like pages of memory.
//!
//! Space is cut into cells, cells into sectors of 8 x 8 x 8. A sector's table exists only while the
//! sector holds elements: the first element to arrive takes a table (a spare one if there is one),
//! the last to leave returns it. Coordinates are any `i32`; a box that runs past the ends of `i32`
//! is cut there, it does not wrap.
//!
//! Elements are small integers chosen by the caller (indices of an array). Every operation on one
//! element is O(1) and, once the tables have grown, allocates nothing. Any number of threads may
//! read a `&PagedGrid`.
//!
//! Left out: positions. The grid knows cells only; the caller tests the elements of the cells. A
//! visit meets the elements of one cell in an order that depends on when they came in, so a caller
//! that needs the same bits sorts them.

mod directory;
#[cfg(test)]
mod tests;

use directory::Directory;
use nalgebra::Vector3;

/// Cells along one side of a sector.
pub const SECTOR_SIDE: i32 = 8;
const SECTOR_BITS: u32 = 3;
const CELLS: usize = 512;
const NONE: u32 = u32::MAX;
/// Tables allocated at first.
const FIRST_PAGES: usize = 4;

/// A grid of cells over all of `i32` on three axes that allocates sectors on demand.
#[derive(Clone, Debug, Default)]
pub struct PagedGrid {
    directory: Directory,
    pages: Vec<Page>,
    spare: Vec<u32>,
    nodes: Vec<Node>,
    /// Spare buffer for renumbering the elements.
    other_nodes: Vec<Node>,
    population: usize,
}

/// One sector's table: a bit and the head of a list for every cell.
#[derive(Clone, Debug)]
struct Page {
    sector: Vector3<i32>,
    population: u32,
    /// A word for each layer in y, bit `z * 8 + x`: a reader skips empty cells.
    occupied: [u64; SECTOR_SIDE as usize],
    /// All layers combined: a reader skips empty columns.
    columns: u64,
    heads: Box<[u32; CELLS]>,
}

/// The place of an element: its page and cell, and its neighbours in that cell's list.
#[derive(Clone, Copy, Debug)]
struct Node {
    next: u32,
    previous: u32,
    page: u32,
    cell: u32,
}

const ABSENT: Node = Node {
    next: NONE,
    previous: NONE,
    page: NONE,
    cell: 0,
};

impl PagedGrid {
    /// Makes an empty grid; allocates nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the number of elements in the grid.
    pub fn len(&self) -> usize {
        self.population
    }

    /// Returns whether the grid holds no element.
    pub fn is_empty(&self) -> bool {
        self.population == 0
    }

    /// Returns the number of sectors that have a table now.
    pub fn sectors(&self) -> usize {
        self.pages.len() - self.spare.len()
    }

    /// Calls `visit` with every sector that has a table now, in sectors from the origin, and the
    /// number of its elements.
    pub fn visit_sectors(&self, mut visit: impl FnMut(Vector3<i32>, u32)) {
        for page in self.pages.iter().filter(|page| page.population > 0) {
            visit(page.sector, page.population);
        }
    }

    /// Returns the cell of an element, if it is in the grid.
    pub fn cell_of(&self, element: u32) -> Option<Vector3<i32>> {
        let node = self.nodes.get(element as usize)?;
        let page = self.pages.get(node.page as usize)?;
        Some(join(page.sector, node.cell))
    }

    /// Moves an element into a cell, adding it if it is new. No effect where it is in that cell
    /// already.
    pub fn place(&mut self, element: u32, cell: Vector3<i32>) {
        let (sector, inner) = split(cell);
        if let Some(node) = self.nodes.get(element as usize)
            && let Some(page) = self.pages.get(node.page as usize)
        {
            if page.sector == sector {
                if node.cell != inner {
                    let page = node.page;
                    self.unlink(element);
                    self.link(element, page, inner);
                }
                return;
            }
            self.remove(element);
        }
        if self.nodes.len() <= element as usize {
            self.nodes.resize(element as usize + 1, ABSENT);
        }
        let page = self.page_for(sector);
        self.pages[page as usize].population += 1;
        self.population += 1;
        self.link(element, page, inner);
    }

    /// Removes an element. Returns whether it was in the grid.
    pub fn remove(&mut self, element: u32) -> bool {
        let Some(node) = self.nodes.get(element as usize).copied() else {
            return false;
        };
        if node.page == NONE {
            return false;
        }
        self.unlink(element);
        self.nodes[element as usize] = ABSENT;
        self.population -= 1;
        let page = &mut self.pages[node.page as usize];
        page.population -= 1;
        if page.population == 0 {
            self.directory.remove(page.sector);
            self.spare.push(node.page);
        }
        true
    }

    /// Removes every element; tables are kept as spares.
    pub fn clear(&mut self) {
        for element in 0..self.nodes.len() as u32 {
            self.remove(element);
        }
    }

    /// Gives every element another number, in the same cell: `numbers` holds the new number of
    /// each, every number below its length once. No element has a number beyond.
    pub(crate) fn renumber(&mut self, numbers: &[u32]) {
        debug_assert!(
            self.nodes
                .iter()
                .skip(numbers.len())
                .all(|n| n.page == NONE)
        );
        let number = |old: u32| numbers.get(old as usize).copied().unwrap_or(NONE);
        self.other_nodes.clear();
        self.other_nodes.resize(numbers.len(), ABSENT);
        for (node, &new) in self.nodes.iter().zip(numbers) {
            if node.previous == NONE
                && let Some(page) = self.pages.get_mut(node.page as usize)
            {
                page.heads[node.cell as usize] = new;
            }
            self.other_nodes[new as usize] = Node {
                next: number(node.next),
                previous: number(node.previous),
                ..*node
            };
        }
        std::mem::swap(&mut self.nodes, &mut self.other_nodes);
    }

    /// Frees the memory of spare tables.
    pub fn release_spare(&mut self) {
        self.spare.sort_unstable();
        while let Some(page) = self.spare.pop() {
            let last = self.pages.len() as u32 - 1;
            self.pages.swap_remove(page as usize);
            if page != last {
                self.move_page(page);
            }
        }
    }

    /// Calls `visit` with every element in the cells from `min` to `max`, both included.
    #[inline]
    pub fn visit(&self, min: Vector3<i32>, max: Vector3<i32>, mut visit: impl FnMut(u32)) {
        let (low, high) = (min.map(sector_of), max.map(sector_of));
        let sectors = self.boxed_sectors(low, high);
        if sectors > self.pages.len() as u64 {
            return self.visit_every_page(min, max, &mut visit);
        }
        if sectors == 0 {
            // A reversed box holds nothing, however long its other sides are.
            return;
        }
        for y in low.y..=high.y {
            for z in low.z..=high.z {
                for x in low.x..=high.x {
                    if let Some(page) = self.directory.find(Vector3::new(x, y, z)) {
                        self.visit_page(&self.pages[page as usize], min, max, &mut visit);
                    }
                }
            }
        }
    }

    /// Returns the number of sectors in a box of sectors, saturating: a box over all of space is
    /// visited page by page instead.
    #[inline]
    fn boxed_sectors(&self, low: Vector3<i32>, high: Vector3<i32>) -> u64 {
        let side = |axis: usize| (i64::from(high[axis]) - i64::from(low[axis]) + 1).max(0) as u64;
        side(0).saturating_mul(side(1)).saturating_mul(side(2))
    }

    #[cold]
    fn visit_every_page(&self, min: Vector3<i32>, max: Vector3<i32>, visit: &mut impl FnMut(u32)) {
        for page in &self.pages {
            let low = page.sector.map(|s| s << SECTOR_BITS);
            let reaches = |axis: usize| {
                low[axis] <= max[axis] && i64::from(low[axis]) + 7 >= i64::from(min[axis])
            };
            if page.population > 0 && (0..3).all(reaches) {
                self.visit_page(page, min, max, visit);
            }
        }
    }

    #[inline]
    fn visit_page(
        &self,
        page: &Page,
        min: Vector3<i32>,
        max: Vector3<i32>,
        visit: &mut impl FnMut(u32),
    ) {
        let first = |axis: usize| within(page.sector[axis], min[axis]);
        let last = |axis: usize| within(page.sector[axis], max[axis]);
        let mask = layer_mask(first(0), last(0), first(2), last(2)) & page.columns;
        if mask == 0 {
            return;
        }
        for layer in first(1)..=last(1) {
            let mut bits = page.occupied[layer as usize] & mask;
            while bits != 0 {
                let cell = layer * 64 + bits.trailing_zeros();
                bits &= bits - 1;
                let mut element = page.heads[cell as usize];
                while element != NONE {
                    let next = self.nodes[element as usize].next;
                    visit(element);
                    element = next;
                }
            }
        }
    }

    fn page_for(&mut self, sector: Vector3<i32>) -> u32 {
        if let Some(page) = self.directory.find(sector) {
            return page;
        }
        if self.spare.is_empty() {
            self.add_spares();
        }
        let page = self.spare.pop().unwrap_or_default();
        self.pages[page as usize].sector = sector;
        self.directory.insert(sector, page);
        page
    }

    /// Adds half as many tables as there are: a crowd that spreads out soon stops allocating.
    fn add_spares(&mut self) {
        let old = self.pages.len();
        let new = old + (old / 2).max(FIRST_PAGES);
        self.pages.resize_with(new, Page::empty);
        // A spare list as long as the pages never grows later, when a page is returned.
        self.spare.reserve(new);
        self.spare.extend((old..new).rev().map(|page| page as u32));
    }

    fn link(&mut self, element: u32, page: u32, cell: u32) {
        let table = &mut self.pages[page as usize];
        let head = std::mem::replace(&mut table.heads[cell as usize], element);
        table.occupied[(cell / 64) as usize] |= 1 << (cell % 64);
        table.columns |= 1 << (cell % 64);
        if head != NONE {
            self.nodes[head as usize].previous = element;
        }
        self.nodes[element as usize] = Node {
            next: head,
            previous: NONE,
            page,
            cell,
        };
    }

    fn unlink(&mut self, element: u32) {
        let node = self.nodes[element as usize];
        if node.next != NONE {
            self.nodes[node.next as usize].previous = node.previous;
        }
        if node.previous != NONE {
            self.nodes[node.previous as usize].next = node.next;
            return;
        }
        let table = &mut self.pages[node.page as usize];
        table.heads[node.cell as usize] = node.next;
        if node.next == NONE {
            table.occupied[(node.cell / 64) as usize] &= !(1 << (node.cell % 64));
            table.columns = table.occupied.iter().fold(0, |all, layer| all | layer);
        }
    }

    /// Updates the elements and the directory after a page moved to a new number.
    fn move_page(&mut self, page: u32) {
        let table = &self.pages[page as usize];
        for &head in table.heads.iter().filter(|&&head| head != NONE) {
            let mut element = head;
            while element != NONE {
                self.nodes[element as usize].page = page;
                element = self.nodes[element as usize].next;
            }
        }
        self.directory.insert(table.sector, page);
    }
}

impl Page {
    fn empty() -> Self {
        Self {
            sector: Vector3::zeros(),
            population: 0,
            occupied: [0; SECTOR_SIDE as usize],
            columns: 0,
            heads: Box::new([NONE; CELLS]),
        }
    }
}

#[inline]
fn sector_of(cell: i32) -> i32 {
    cell >> SECTOR_BITS
}

#[inline]
fn split(cell: Vector3<i32>) -> (Vector3<i32>, u32) {
    let inner = cell.map(|c| (c & (SECTOR_SIDE - 1)) as u32);
    (cell.map(sector_of), inner.y * 64 + inner.z * 8 + inner.x)
}

fn join(sector: Vector3<i32>, cell: u32) -> Vector3<i32> {
    let inner = Vector3::new(cell % 8, cell / 64, cell / 8 % 8).map(|c| c as i32);
    sector.map(|s| s << SECTOR_BITS) + inner
}

/// Returns a cell coordinate inside a sector, clamped to it.
#[inline]
fn within(sector: i32, cell: i32) -> u32 {
    match sector_of(cell).cmp(&sector) {
        std::cmp::Ordering::Less => 0,
        std::cmp::Ordering::Equal => (cell & (SECTOR_SIDE - 1)) as u32,
        std::cmp::Ordering::Greater => SECTOR_SIDE as u32 - 1,
    }
}

/// Returns the bits of one layer with x and z inside the given ranges.
#[inline]
fn layer_mask(x_first: u32, x_last: u32, z_first: u32, z_last: u32) -> u64 {
    let row = (0xff_u64 << x_first) & (0xff >> (7 - x_last));
    let rows = (u64::MAX << (z_first * 8)) & (u64::MAX >> ((7 - z_last) * 8));
    (row * 0x0101_0101_0101_0101) & rows
}
