//! A bounded grid of cells, each with a list of still and a list of moving objects.
//!
//! Moving objects are cleared and added again every tick; still ones stay until they are changed.
//! Potential colliders come from the cells that an object's box touches (at most 4 in 2D and 8 in
//! 3D while objects are smaller than cells), each once, without marks and without allocation.
//! Objects outside of the bounds are kept in the cells of the rim, so queries find them all the
//! same.
//!
//! Left out: exact shapes. The grid compares boxes, the rest is up to the caller.

mod cell;
mod span;

#[cfg(test)]
mod tests;

use cell::Layer;
use span::Cells;
pub use span::Span;

/// Side of a cell, in sides of the largest object that collides.
const CELL_PER_OBJECT: f32 = 5.0;

/// Most cells of a grid; beyond that its cells become larger. 2^20 cells are 80 MB.
const MOST_CELLS: f64 = (1 << 20) as f64;

/// The handle of an object of a [`HashGrid`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GridId {
    /// A still object; valid until it is removed.
    Still(u32),
    /// A moving object, numbered from 0 in the order of this tick's insertions; valid until the
    /// next clearing.
    Moving(u32),
}

/// Still and moving boxes in a bounded grid.
///
/// ```
/// use collision::hash_grid::{GridId, HashGrid, Span};
///
/// let mut grid = HashGrid::<2>::new(Span::new([0.0, 0.0], [100.0, 100.0]), 5.0);
/// let target = grid.insert_still(Span::new([50.0, 50.0], [51.0, 51.0]));
/// for tick in 0..60 {
///     grid.clear_moving();
///     let x = tick as f32;
///     grid.insert_moving(Span::new([x, 50.2], [x + 0.5, 50.7]));
///     let mut hits = 0;
///     grid.visit_colliders(GridId::Moving(0), |_| hits += 1);
///     assert_eq!(hits, usize::from((50..=51).contains(&tick)));
/// }
/// assert!(grid.remove(target));
/// ```
#[derive(Clone, Debug)]
pub struct HashGrid<const D: usize> {
    bounds: Span<D>,
    cells: Cells<D>,
    still: Layer<D>,
    free_still: Vec<u32>,
    moving: Layer<D>,
}

impl<const D: usize> HashGrid<D> {
    /// Makes an empty grid over `bounds` with cells of `side` (larger where there would be too
    /// many).
    ///
    /// # Panics
    /// If `side` or the bounds are not positive and finite.
    pub fn new(bounds: Span<D>, side: f32) -> Self {
        assert!(
            side > 0.0 && side.is_finite() && bounds.is_proper(),
            "a grid needs finite bounds and a positive side"
        );
        let cells = Cells::new(&bounds, side, MOST_CELLS);
        let count = cells.count();
        Self {
            bounds,
            cells,
            still: Layer::new(count),
            free_still: Vec::new(),
            moving: Layer::new(count),
        }
    }

    /// Makes a grid around these still objects, with cells five times the size of the largest, so
    /// that none touches more than four cells in 2D, eight in 3D. Moving objects should be no
    /// larger.
    ///
    /// The bounds are those of the objects; without objects the grid has one cell.
    ///
    /// ```
    /// use collision::hash_grid::{HashGrid, Span};
    ///
    /// let pebbles = (0..50).map(|at| Span::about([at as f32, 3.0], [0.1, 0.1]));
    /// let house = Span::new([10.0, 0.0], [20.0, 8.0]);
    /// let objects: Vec<Span<2>> = pebbles.chain([house]).collect();
    /// assert_eq!(HashGrid::fitted(&objects).cell_side(), 50.0);
    /// ```
    pub fn fitted(objects: &[Span<D>]) -> Self {
        let proper = || objects.iter().filter(|span| span.is_proper());
        let bounds = proper()
            .copied()
            .reduce(|a, b| a.merge(&b))
            .unwrap_or(Span::new([0.0; D], [1.0; D]));
        let mut grid = Self::new(
            bounds.at_least(1.0),
            (CELL_PER_OBJECT * largest_size(proper())).min(f32::MAX),
        );
        for span in objects {
            grid.insert_still(*span);
        }
        grid
    }

    /// Returns the bounds of the grid. Objects outside are found too, but share the cells of the
    /// rim.
    pub fn bounds(&self) -> Span<D> {
        self.bounds
    }

    /// Returns the side of a cell.
    pub fn cell_side(&self) -> f32 {
        self.cells.side()
    }

    /// Adds a still object. One with NaN coordinates is kept but meets nothing.
    pub fn insert_still(&mut self, span: Span<D>) -> GridId {
        let index = match self.free_still.pop() {
            Some(index) => {
                self.still.spans[index as usize] = span;
                index
            }
            None => {
                self.still.spans.push(span);
                self.still.spans.len() as u32 - 1
            }
        };
        self.still.enter(&self.cells, index);
        GridId::Still(index)
    }

    /// Adds a moving object for this tick.
    pub fn insert_moving(&mut self, span: Span<D>) -> GridId {
        let index = self.moving.spans.len() as u32;
        self.moving.spans.push(span);
        self.moving.enter(&self.cells, index);
        GridId::Moving(index)
    }

    /// Removes all moving objects; their lists keep their memory.
    pub fn clear_moving(&mut self) {
        self.moving.clear(&self.cells);
    }

    /// Replaces the moving objects.
    pub fn refill(&mut self, spans: impl IntoIterator<Item = Span<D>>) {
        self.clear_moving();
        for span in spans {
            self.insert_moving(span);
        }
    }

    /// Removes an object early (a target that was hit). False where it is absent.
    pub fn remove(&mut self, id: GridId) -> bool {
        let (layer, index) = match id {
            GridId::Still(index) => (&mut self.still, index),
            GridId::Moving(index) => (&mut self.moving, index),
        };
        let removed = layer.remove(&self.cells, index);
        if let (true, GridId::Still(index)) = (removed, id) {
            self.free_still.push(index);
        }
        removed
    }

    /// Returns the box of an object, or `None` where it is absent.
    pub fn span(&self, id: GridId) -> Option<Span<D>> {
        let (layer, index) = self.layer(id);
        layer
            .spans
            .get(index as usize)
            .copied()
            .filter(|span| !span.is_removed())
    }

    /// Calls `visit` once for each object whose box meets `span`; boxes that only touch meet.
    #[inline]
    pub fn visit(&self, span: &Span<D>, mut visit: impl FnMut(GridId)) {
        self.still
            .visit(&self.cells, span, |index| visit(GridId::Still(index)));
        self.moving
            .visit(&self.cells, span, |index| visit(GridId::Moving(index)));
    }

    /// Calls `visit` once for each other object whose box meets that of `id`.
    #[inline]
    pub fn visit_colliders(&self, id: GridId, mut visit: impl FnMut(GridId)) {
        let (layer, index) = self.layer(id);
        if let Some(span) = layer.spans.get(index as usize) {
            self.visit(span, |other| {
                if other != id {
                    visit(other);
                }
            });
        }
    }

    fn layer(&self, id: GridId) -> (&Layer<D>, u32) {
        match id {
            GridId::Still(index) => (&self.still, index),
            GridId::Moving(index) => (&self.moving, index),
        }
    }
}

/// Returns the greatest side of any of the objects; 1 where none is positive.
fn largest_size<'a, const D: usize>(spans: impl Iterator<Item = &'a Span<D>>) -> f32 {
    let largest = spans.map(Span::greatest_side).fold(0.0, f32::max);
    if largest > 0.0 { largest } else { 1.0 }
}
