//! A spatial hash for axis-aligned integer boxes, in two or three dimensions.
//!
//! A map from cell (side a power of two) to elements, and back from element to its cells, so that a move
//! touches only the cells that changed. Boxes are half-open, coordinates the whole of `i32`. A query visits
//! each element once without marking anything: an element is reported from the first cell that it shares
//! with the query. So queries need only `&self` and may run on many threads.
//!
//! Left out: payloads. [`ElementId::index`] is dense and meant to index the caller's own arrays.
//!
//! Reading order: [`IntegerBox`], [`SpatialHash`], then `cells` (the table) and `lists` (what a cell holds).

mod cells;
mod integer_box;
mod lists;

#[cfg(test)]
mod tests;

use cells::Cells;
pub use integer_box::IntegerBox;
use integer_box::{CellRange, Change};

/// Cells an element may lie in before it is kept in a list apart: entering more costs longer than asking it always.
const MOST_CELLS: u32 = 4096;

/// Names one element of a [`SpatialHash`] until it is removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ElementId {
    index: u32,
    generation: u32,
}

impl ElementId {
    /// Place in a dense numbering; free places are given out again.
    pub fn index(self) -> usize {
        self.index as usize
    }
}

/// Elements by the cells their boxes meet.
///
/// ```
/// use collision::spatial_hash::{IntegerBox, SpatialHash};
///
/// let mut pickups = SpatialHash::<2>::new(16);
/// let coin = pickups.add(IntegerBox::new([-3, 4], [-1, 6]));
/// pickups.update(coin, IntegerBox::new([40, 4], [42, 6]));
///
/// let mut found = Vec::new();
/// pickups.query(&IntegerBox::new([0, 0], [64, 64]), &mut found);
/// assert_eq!(found, [coin]);
/// assert!(pickups.remove(coin) && pickups.is_empty());
/// ```
#[derive(Clone, Debug)]
pub struct SpatialHash<const D: usize> {
    /// Binary logarithm of the cell side.
    shift: u32,
    cells: Cells<D>,
    bounds: Vec<IntegerBox<D>>,
    /// One an element; odd ones live.
    generations: Vec<u32>,
    free: Vec<u32>,
    /// Elements of more than [`MOST_CELLS`] cells: in no cell, asked by every query.
    huge: Vec<u32>,
}

impl<const D: usize> SpatialHash<D> {
    /// An empty hash with cells of `side`, a power of two up to 2^30.
    ///
    /// # Panics
    /// When `side` is anything else.
    pub fn new(side: u32) -> Self {
        assert!(
            side.is_power_of_two() && side <= 1 << 30,
            "a cell side must be a power of two up to 2^30"
        );
        Self {
            shift: side.trailing_zeros(),
            cells: Cells::default(),
            bounds: Vec::new(),
            generations: Vec::new(),
            free: Vec::new(),
            huge: Vec::new(),
        }
    }

    /// A hash of these boxes; the element of the n-th box has index n.
    ///
    /// # Panics
    /// As [`SpatialHash::new`].
    pub fn from_boxes(side: u32, boxes: impl IntoIterator<Item = IntegerBox<D>>) -> Self {
        let mut hash = Self::new(side);
        for bounds in boxes {
            hash.add(bounds);
        }
        hash
    }

    /// Side of a cell.
    pub fn cell_side(&self) -> u32 {
        1 << self.shift
    }

    /// How many elements there are.
    pub fn len(&self) -> usize {
        self.bounds.len() - self.free.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds an element. One with an empty box is kept but meets nothing.
    pub fn add(&mut self, bounds: IntegerBox<D>) -> ElementId {
        let index = self.free.pop().unwrap_or(self.bounds.len() as u32);
        if index as usize == self.bounds.len() {
            self.bounds.push(bounds);
            self.generations.push(0);
        }
        self.bounds[index as usize] = bounds;
        self.generations[index as usize] = self.generations[index as usize].wrapping_add(1);
        self.place(index, &bounds);
        ElementId {
            index,
            generation: self.generations[index as usize],
        }
    }

    /// Gives an element another box; only cells that it leaves or enters are touched. False when it was removed before.
    #[inline]
    pub fn update(&mut self, id: ElementId, bounds: IntegerBox<D>) -> bool {
        if !self.is_live(id) {
            return false;
        }
        let kept = &mut self.bounds[id.index()];
        if kept.meets_same_cells(&bounds, self.shift) {
            for axis in 0..D {
                (kept.min[axis], kept.max[axis]) = (bounds.min[axis], bounds.max[axis]);
            }
            return true;
        }
        self.change_cells(id.index, bounds);
        true
    }

    /// The way of [`SpatialHash::update`] where cells are left or entered.
    #[inline(never)]
    fn change_cells(&mut self, index: u32, after: IntegerBox<D>) {
        let before = std::mem::replace(&mut self.bounds[index as usize], after);
        let (left, entered) = (before.cells(self.shift), after.cells(self.shift));
        let in_cells = left.cell_count().max(entered.cell_count()) <= MOST_CELLS;
        if in_cells && left.meets(&entered) {
            left.visit_changes(entered, |change, block| match change {
                Change::Left => self.cells.remove(block, index),
                Change::Entered => self.cells.insert(block, index),
            });
        } else {
            self.displace(index, &before);
            self.place(index, &after);
        }
    }

    /// Removes an element. False when it was removed before.
    pub fn remove(&mut self, id: ElementId) -> bool {
        if !self.is_live(id) {
            return false;
        }
        self.generations[id.index()] = id.generation.wrapping_add(1);
        let bounds = self.bounds[id.index()];
        self.displace(id.index, &bounds);
        self.free.push(id.index);
        true
    }

    /// The box of an element, or `None` when it was removed.
    pub fn bounds(&self, id: ElementId) -> Option<IntegerBox<D>> {
        self.is_live(id).then(|| self.bounds[id.index()])
    }

    /// Puts all elements that meet `area` into `found`, each once, after clearing it. The order is that of cells.
    pub fn query(&self, area: &IntegerBox<D>, found: &mut Vec<ElementId>) {
        found.clear();
        self.visit(area, |id| found.push(id));
    }

    /// Calls `visit` once for each element that meets `area`.
    pub fn visit(&self, area: &IntegerBox<D>, mut visit: impl FnMut(ElementId)) {
        let range = area.cells(self.shift);
        if self.cells.are_fewer_than(&range) {
            return self.visit_all(area, visit);
        }
        for &index in &self.huge {
            if self.bounds[index as usize].meets(area) {
                visit(self.id(index));
            }
        }
        self.cells.visit(&range, |cell, elements| {
            for &index in elements {
                let bounds = &self.bounds[index as usize];
                if bounds.meets_full(area)
                    && bounds.first_shared_cell(self.shift, &range.low) == cell
                {
                    visit(self.id(index));
                }
            }
        });
    }

    /// The way for areas of more cells than there are: every element is asked.
    fn visit_all(&self, area: &IntegerBox<D>, mut visit: impl FnMut(ElementId)) {
        for (id, bounds) in self.iter() {
            if bounds.meets(area) {
                visit(id);
            }
        }
    }

    /// All elements with their boxes, by index.
    pub fn iter(&self) -> impl Iterator<Item = (ElementId, IntegerBox<D>)> {
        (0..)
            .zip(self.bounds.iter().zip(&self.generations))
            .filter(|&(_, (_, generation))| generation % 2 == 1)
            .map(|(index, (&bounds, &generation))| (ElementId { index, generation }, bounds))
    }

    /// The cells an element lies in, as their least coordinates.
    pub fn cells_of(&self, id: ElementId) -> impl Iterator<Item = [i32; D]> {
        let shift = self.shift;
        let range = self.bounds(id).map(|bounds| bounds.cells(shift));
        range
            .into_iter()
            .flat_map(CellRange::iter)
            .map(move |cell: [i32; D]| cell.map(|c| c << shift))
    }

    fn place(&mut self, index: u32, bounds: &IntegerBox<D>) {
        let range = bounds.cells(self.shift);
        if range.cell_count() > MOST_CELLS {
            return self.huge.push(index);
        }
        self.cells.insert(&range, index);
    }

    fn displace(&mut self, index: u32, bounds: &IntegerBox<D>) {
        let range = bounds.cells(self.shift);
        if range.cell_count() > MOST_CELLS {
            return self.huge.retain(|&other| other != index);
        }
        self.cells.remove(&range, index);
    }

    #[inline]
    fn is_live(&self, id: ElementId) -> bool {
        self.generations.get(id.index()) == Some(&id.generation)
    }

    #[inline]
    fn id(&self, index: u32) -> ElementId {
        let generation = self.generations[index as usize];
        ElementId { index, generation }
    }
}
