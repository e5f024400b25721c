//! A spatial hash for axis-aligned integer boxes, in one to three dimensions.
//!
//! A map from cells (with a power of two as side) to elements, and back from each element to its
//! cells, so that a move touches only the cells that changed. Boxes are half-open, with coordinates
//! in all of `i32`. A query visits each element once without marking anything: an element is
//! reported from the first cell that it shares with the query. So queries need only `&self` and may
//! run on many threads. A query costs no more than the elements that share its cells, however many
//! cells it covers: blocks as large as the query skip empty land.
//!
//! An element is the caller's own value, identified by its `Eq` and `Hash`: an index, a handle, or
//! a struct that compares by one and carries more.
//!
//! Left out: shapes other than boxes, and queries by distance.
//!
//! Reading order: [`IntegerBox`], [`SpatialHash`], then `cells` (blocks of cells), `table` and
//! `lists` (the contents of cells).

mod cells;
mod integer_box;
mod keys;
mod lists;
mod table;

#[cfg(test)]
mod tests;

use std::hash::Hash;

use cells::Cells;
pub use integer_box::IntegerBox;
use integer_box::{CellRange, Change};
use keys::Keys;

/// Most cells of an element before it goes to a separate list: adding it to more costs more than
/// testing it in every query.
const MOST_CELLS: u32 = 4096;

/// Elements by the cells their boxes meet.
///
/// ```
/// use collision::spatial_hash::{IntegerBox, SpatialHash};
///
/// let mut animals = SpatialHash::<2, &str>::new(16);
/// assert!(animals.add("hare", IntegerBox::new([-3, 4], [-1, 6])));
/// assert!(!animals.add("hare", IntegerBox::new([-3, 4], [-1, 6]))); // known already
/// animals.update("hare", IntegerBox::new([40, 4], [42, 6]));
///
/// let mut found = Vec::new();
/// animals.query(&IntegerBox::new([0, 0], [64, 64]), &mut found);
/// assert_eq!(found, ["hare"]);
/// assert!(animals.remove(&"hare") && animals.is_empty());
/// ```
#[derive(Clone, Debug)]
pub struct SpatialHash<const D: usize, E> {
    /// Binary logarithm of the cell side.
    shift: u32,
    cells: Cells<D>,
    /// Index of each element in the lists below.
    places: Keys<E>,
    bounds: Vec<IntegerBox<D>>,
    elements: Vec<Option<E>>,
    free: Vec<u32>,
    /// Elements of more than [`MOST_CELLS`] cells: in no cell, tested in every query.
    huge: Vec<u32>,
}

impl<const D: usize, E: Eq + Hash + Clone> SpatialHash<D, E> {
    /// Makes an empty hash with cells of `side`, a power of two up to 2^30.
    ///
    /// ```
    /// use collision::spatial_hash::SpatialHash;
    ///
    /// let hash = SpatialHash::<3, u32>::new(8);
    /// assert_eq!((hash.cell_side(), hash.len()), (8, 0));
    /// ```
    ///
    /// # Panics
    /// If `side` is anything else.
    pub fn new(side: u32) -> Self {
        assert!(
            side.is_power_of_two() && side <= 1 << 30,
            "a cell side must be a power of two up to 2^30"
        );
        Self {
            shift: side.trailing_zeros(),
            cells: Cells::default(),
            places: Keys::default(),
            bounds: Vec::new(),
            elements: Vec::new(),
            free: Vec::new(),
            huge: Vec::new(),
        }
    }

    /// Makes a hash of these elements. Of equal elements the last box counts.
    ///
    /// ```
    /// use collision::spatial_hash::{IntegerBox, SpatialHash};
    ///
    /// let posts = (0..9).map(|post| (post, IntegerBox::new([post * 5, 0], [post * 5 + 1, 1])));
    /// let fence = SpatialHash::from_elements(8, posts);
    /// assert_eq!(fence.len(), 9);
    /// assert_eq!(fence.bounds(&2), Some(IntegerBox::new([10, 0], [11, 1])));
    /// ```
    ///
    /// # Panics
    /// As [`SpatialHash::new`].
    pub fn from_elements(
        side: u32,
        elements: impl IntoIterator<Item = (E, IntegerBox<D>)>,
    ) -> Self {
        let mut hash = Self::new(side);
        hash.extend(elements);
        hash
    }

    /// Side of a cell.
    pub fn cell_side(&self) -> u32 {
        1 << self.shift
    }

    /// Returns the number of elements.
    pub fn len(&self) -> usize {
        self.bounds.len() - self.free.len()
    }

    /// Returns whether the hash holds no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns whether an element is in the hash.
    pub fn contains(&self, element: &E) -> bool {
        self.places.get(element).is_some()
    }

    /// Adds an element. Returns false, without a change, where it is in the hash already. An
    /// element with an empty box is kept but meets nothing.
    pub fn add(&mut self, element: E, bounds: IntegerBox<D>) -> bool {
        let is_new = !self.contains(&element);
        if is_new {
            self.enter(element, bounds);
        }
        is_new
    }

    /// Gives an element another box, or adds the element. Only cells that it leaves or enters are
    /// touched.
    ///
    /// ```
    /// use collision::spatial_hash::{IntegerBox, SpatialHash};
    ///
    /// let mut hash = SpatialHash::<2, u8>::new(4);
    /// hash.update(7, IntegerBox::new([0, 0], [2, 2])); // adds it
    /// hash.update(7, IntegerBox::new([5, 0], [7, 2])); // moves it
    /// assert_eq!(hash.len(), 1);
    /// assert_eq!(hash.bounds(&7), Some(IntegerBox::new([5, 0], [7, 2])));
    /// ```
    #[inline]
    pub fn update(&mut self, element: E, bounds: IntegerBox<D>) {
        let Some(place) = self.places.get(&element) else {
            return self.enter(element, bounds);
        };
        let kept = &mut self.bounds[place as usize];
        if kept.meets_same_cells(&bounds, self.shift) {
            for axis in 0..D {
                (kept.min[axis], kept.max[axis]) = (bounds.min[axis], bounds.max[axis]);
            }
            return;
        }
        self.change_cells(place, bounds);
    }

    /// Adds an element that is not in the hash.
    #[inline(never)]
    fn enter(&mut self, element: E, bounds: IntegerBox<D>) {
        let place = self.free.pop().unwrap_or(self.bounds.len() as u32);
        if place as usize == self.bounds.len() {
            self.bounds.push(bounds);
            self.elements.push(None);
        }
        self.places.insert(element.clone(), place);
        self.bounds[place as usize] = bounds;
        self.elements[place as usize] = Some(element);
        self.place(place, &bounds);
    }

    /// The part of [`SpatialHash::update`] for an element that leaves or enters cells.
    #[inline(never)]
    fn change_cells(&mut self, place: u32, after: IntegerBox<D>) {
        let before = std::mem::replace(&mut self.bounds[place as usize], after);
        let (left, entered) = (before.cells(self.shift), after.cells(self.shift));
        let in_cells = left.cell_count().max(entered.cell_count()) <= MOST_CELLS;
        if in_cells && left.meets(&entered) {
            left.visit_changes(entered, |change, block| match change {
                Change::Left => self.cells.remove(block, place),
                Change::Entered => self.cells.insert(block, place),
            });
        } else {
            self.displace(place, &before);
            self.place(place, &after);
        }
    }

    /// Removes an element. False where it is absent.
    pub fn remove(&mut self, element: &E) -> bool {
        let Some(place) = self.places.remove(element) else {
            return false;
        };
        self.elements[place as usize] = None;
        let bounds = self.bounds[place as usize];
        self.displace(place, &bounds);
        self.free.push(place);
        true
    }

    /// Returns the box of an element, or `None` where it is absent.
    pub fn bounds(&self, element: &E) -> Option<IntegerBox<D>> {
        let place = self.places.get(element)?;
        Some(self.bounds[place as usize])
    }

    /// Lists all elements that meet `area` in `found`, which is cleared first, each once, in the
    /// order of blocks of cells.
    ///
    /// ```
    /// use collision::spatial_hash::{IntegerBox, SpatialHash};
    ///
    /// let mut hash = SpatialHash::<2, char>::new(4);
    /// hash.add('a', IntegerBox::new([0, 0], [9, 9]));
    /// hash.add('b', IntegerBox::new([9, 0], [12, 3]));
    /// let mut found = Vec::new();
    /// hash.query(&IntegerBox::new([8, 0], [9, 3]), &mut found);
    /// assert_eq!(found, ['a']); // boxes are half-open
    /// ```
    pub fn query(&self, area: &IntegerBox<D>, found: &mut Vec<E>) {
        found.clear();
        self.visit(area, |element| found.push(element.clone()));
    }

    /// Calls `visit` once for each element that meets `area`.
    pub fn visit(&self, area: &IntegerBox<D>, mut visit: impl FnMut(&E)) {
        let range = area.cells(self.shift);
        let mut report = |place: u32| {
            if let Some(element) = &self.elements[place as usize] {
                visit(element);
            }
        };
        for &place in &self.huge {
            if self.bounds[place as usize].meets(area) {
                report(place);
            }
        }
        self.cells.visit(&range, |cell, places| {
            for &place in places {
                let bounds = &self.bounds[place as usize];
                if bounds.meets_full(area)
                    && bounds.first_shared_cell(self.shift, &range.low) == cell
                {
                    report(place);
                }
            }
        });
    }

    /// Returns all elements with their boxes, in the order of their indices.
    pub fn iter(&self) -> impl Iterator<Item = (&E, IntegerBox<D>)> {
        let all = self.elements.iter().zip(&self.bounds);
        all.filter_map(|(element, &bounds)| Some((element.as_ref()?, bounds)))
    }

    /// Returns the cells of an element, as their least coordinates.
    pub fn cells_of(&self, element: &E) -> impl Iterator<Item = [i32; D]> {
        let shift = self.shift;
        let range = self.bounds(element).map(|bounds| bounds.cells(shift));
        range
            .into_iter()
            .flat_map(CellRange::iter)
            .map(move |cell: [i32; D]| cell.map(|c| c << shift))
    }

    fn place(&mut self, place: u32, bounds: &IntegerBox<D>) {
        let range = bounds.cells(self.shift);
        if range.cell_count() > MOST_CELLS {
            return self.huge.push(place);
        }
        self.cells.insert(&range, place);
    }

    fn displace(&mut self, place: u32, bounds: &IntegerBox<D>) {
        let range = bounds.cells(self.shift);
        if range.cell_count() > MOST_CELLS {
            return self.huge.retain(|&other| other != place);
        }
        self.cells.remove(&range, place);
    }
}

impl<const D: usize, E: Eq + Hash + Clone> Extend<(E, IntegerBox<D>)> for SpatialHash<D, E> {
    fn extend<I: IntoIterator<Item = (E, IntegerBox<D>)>>(&mut self, elements: I) {
        for (element, bounds) in elements {
            self.update(element, bounds);
        }
    }
}
