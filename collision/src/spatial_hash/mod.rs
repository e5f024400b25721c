//! A spatial hash for axis-aligned integer boxes, in two or three dimensions.
//!
//! A map from cell (side a power of two) to elements, and back from element to its cells, so that a move
//! touches only the cells that changed. Boxes are half-open, coordinates the whole of `i32`. A query visits
//! each element once without marking anything: an element is reported from the first cell that it shares
//! with the query. So queries need only `&self` and may run on many threads.
//!
//! Left out: payloads. [`ElementId::index`] is dense and meant to index the caller's own arrays.
//!
//! Reading order: [`IntegerBox`], [`SpatialHash`], then `cells` (the table) and `blocks` (long lists).

mod blocks;
mod cells;
mod integer_box;

#[cfg(test)]
mod tests;

use cells::Cells;
pub use integer_box::IntegerBox;

/// Cells an element may lie in before it is kept in a list apart: entering more costs longer than asking it always.
const MOST_CELLS: u64 = 4096;

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

#[derive(Clone, Copy, Debug)]
struct Element<const D: usize> {
    bounds: IntegerBox<D>,
    generation: u32,
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
    /// Odd generations live.
    elements: Vec<Element<D>>,
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
            elements: Vec::new(),
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
        self.elements.len() - self.free.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds an element. One with an empty box is kept but meets nothing.
    pub fn add(&mut self, bounds: IntegerBox<D>) -> ElementId {
        let index = self.free.pop().unwrap_or(self.elements.len() as u32);
        match self.elements.get_mut(index as usize) {
            Some(element) => {
                element.bounds = bounds;
                element.generation = element.generation.wrapping_add(1);
            }
            None => self.elements.push(Element {
                bounds,
                generation: 1,
            }),
        }
        self.place(index, &bounds);
        ElementId {
            index,
            generation: self.elements[index as usize].generation,
        }
    }

    /// Gives an element another box; only cells that it leaves or enters are touched. False when it was removed before.
    pub fn update(&mut self, id: ElementId, bounds: IntegerBox<D>) -> bool {
        let Some(element) = self.live_mut(id) else {
            return false;
        };
        let before = std::mem::replace(&mut element.bounds, bounds);
        let (left, entered) = (before.cells(self.shift), bounds.cells(self.shift));
        if left.same_as(&entered) {
            return true;
        }
        if left.cell_count().max(entered.cell_count()) > MOST_CELLS {
            self.displace(id.index, &before);
            self.place(id.index, &bounds);
            return true;
        }
        for cell in left.clone().filter(|cell| !entered.contains(cell)) {
            self.cells.remove(cell, id.index);
        }
        for cell in entered.filter(|cell| !left.contains(cell)) {
            self.cells.insert(cell, id.index);
        }
        true
    }

    /// Removes an element. False when it was removed before.
    pub fn remove(&mut self, id: ElementId) -> bool {
        let Some(element) = self.live_mut(id) else {
            return false;
        };
        element.generation = element.generation.wrapping_add(1);
        let bounds = element.bounds;
        self.displace(id.index, &bounds);
        self.free.push(id.index);
        true
    }

    /// The box of an element, or `None` when it was removed.
    pub fn bounds(&self, id: ElementId) -> Option<IntegerBox<D>> {
        let element = self.elements.get(id.index())?;
        (element.generation == id.generation).then_some(element.bounds)
    }

    /// Puts all elements that meet `area` into `found`, each once, after clearing it. The order is that of cells.
    pub fn query(&self, area: &IntegerBox<D>, found: &mut Vec<ElementId>) {
        found.clear();
        self.visit(area, |id| found.push(id));
    }

    /// Calls `visit` once for each element that meets `area`.
    pub fn visit(&self, area: &IntegerBox<D>, mut visit: impl FnMut(ElementId)) {
        let range = area.cells(self.shift);
        if range.cell_count() > self.cells.len() as u64 {
            return self.visit_all(area, visit);
        }
        for &index in &self.huge {
            let element = &self.elements[index as usize];
            if element.bounds.meets(area) {
                visit(ElementId {
                    index,
                    generation: element.generation,
                });
            }
        }
        let first = range.first();
        let alone = range.is_single();
        for cell in range {
            for &index in self.cells.elements(cell) {
                let element = &self.elements[index as usize];
                let meets = element.bounds.meets(area);
                if meets && (alone || element.bounds.first_shared_cell(self.shift, &first) == cell)
                {
                    visit(ElementId {
                        index,
                        generation: element.generation,
                    });
                }
            }
        }
    }

    /// The way for areas of more cells than there are: every element is asked.
    fn visit_all(&self, area: &IntegerBox<D>, mut visit: impl FnMut(ElementId)) {
        for (index, element) in self.elements.iter().enumerate() {
            if element.generation % 2 == 1 && element.bounds.meets(area) {
                visit(ElementId {
                    index: index as u32,
                    generation: element.generation,
                });
            }
        }
    }

    /// All elements with their boxes, by index.
    pub fn iter(&self) -> impl Iterator<Item = (ElementId, IntegerBox<D>)> {
        self.elements
            .iter()
            .enumerate()
            .filter(|(_, element)| element.generation % 2 == 1)
            .map(|(index, element)| {
                let id = ElementId {
                    index: index as u32,
                    generation: element.generation,
                };
                (id, element.bounds)
            })
    }

    /// The cells an element lies in, as their least coordinates.
    pub fn cells_of(&self, id: ElementId) -> impl Iterator<Item = [i32; D]> {
        let shift = self.shift;
        let range = self.bounds(id).map(|bounds| bounds.cells(shift));
        range
            .into_iter()
            .flatten()
            .map(move |cell: [i32; D]| cell.map(|c| c << shift))
    }

    fn place(&mut self, index: u32, bounds: &IntegerBox<D>) {
        let range = bounds.cells(self.shift);
        if range.cell_count() > MOST_CELLS {
            return self.huge.push(index);
        }
        for cell in range {
            self.cells.insert(cell, index);
        }
    }

    fn displace(&mut self, index: u32, bounds: &IntegerBox<D>) {
        let range = bounds.cells(self.shift);
        if range.cell_count() > MOST_CELLS {
            return self.huge.retain(|&other| other != index);
        }
        for cell in range {
            self.cells.remove(cell, index);
        }
    }

    fn live_mut(&mut self, id: ElementId) -> Option<&mut Element<D>> {
        self.elements
            .get_mut(id.index())
            .filter(|element| element.generation == id.generation)
    }
}
