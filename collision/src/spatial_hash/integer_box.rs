//! Half-open integer boxes and the cells they meet.

/// A half-open box of integers: `min` belongs to it, `max` does not. It is empty where any `min >=
/// max`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct IntegerBox<const D: usize> {
    /// Least coordinates, inside.
    pub min: [i32; D],
    /// Greatest coordinates, the first outside.
    pub max: [i32; D],
}

impl<const D: usize> IntegerBox<D> {
    /// Makes the box from `min` up to, not including, `max`.
    pub const fn new(min: [i32; D], max: [i32; D]) -> Self {
        Self { min, max }
    }

    /// Returns whether the box holds no point.
    pub fn is_empty(&self) -> bool {
        (0..D).any(|axis| self.min[axis] >= self.max[axis])
    }

    /// Returns whether the two share a point. Boxes that only touch do not meet; empty ones meet
    /// nothing.
    #[inline]
    pub fn meets(&self, other: &Self) -> bool {
        // No early return: a branch for each axis costs more than the comparisons.
        (0..D).fold(true, |meets, axis| {
            meets & (self.min[axis].max(other.min[axis]) < self.max[axis].min(other.max[axis]))
        })
    }

    /// Returns the box of the points that lie in both; `None` where they do not meet.
    ///
    /// ```
    /// use collision::spatial_hash::IntegerBox;
    ///
    /// let pond = IntegerBox::new([-4, 0], [6, 5]);
    /// let garden = IntegerBox::new([0, -3], [20, 2]);
    /// assert_eq!(pond.intersection(&garden), Some(IntegerBox::new([0, 0], [6, 2])));
    /// assert_eq!(pond.intersection(&IntegerBox::new([6, 0], [9, 5])), None); // they only touch
    /// ```
    pub fn intersection(&self, other: &Self) -> Option<Self> {
        let shared = Self {
            min: std::array::from_fn(|axis| self.min[axis].max(other.min[axis])),
            max: std::array::from_fn(|axis| self.max[axis].min(other.max[axis])),
        };
        (!shared.is_empty()).then_some(shared)
    }

    /// [`IntegerBox::meets`] for two boxes that are not empty.
    ///
    /// Signs of differences instead of comparisons: the compiler turns each comparison into a
    /// branch, which no processor predicts.
    #[inline]
    pub(super) fn meets_full(&self, other: &Self) -> bool {
        let below = |low: i32, high: i32| i64::from(low) - i64::from(high);
        let signs = (0..D).fold(-1, |signs, axis| {
            signs & below(self.min[axis], other.max[axis]) & below(other.min[axis], self.max[axis])
        });
        signs < 0
    }

    /// Returns whether both meet the same cells of side `2^shift`, without enumerating them. False
    /// if one of them is empty.
    #[inline]
    pub(super) fn meets_same_cells(&self, other: &Self, shift: u32) -> bool {
        let (mut apart, mut full) = (0, true);
        for axis in 0..D {
            apart |= self.min[axis] ^ other.min[axis];
            apart |= self.max[axis].wrapping_sub(1) ^ other.max[axis].wrapping_sub(1);
            full &= (self.min[axis] < self.max[axis]) & (other.min[axis] < other.max[axis]);
        }
        full & (apart >> shift == 0)
    }

    /// Returns the cells of side `2^shift` that the box meets.
    #[inline]
    pub(super) fn cells(&self, shift: u32) -> CellRange<D> {
        if self.is_empty() {
            return CellRange::NONE;
        }
        CellRange {
            low: self.min.map(|c| c >> shift),
            high: self.max.map(|c| (c - 1) >> shift),
        }
    }

    /// Returns the first cell, in each coordinate, shared with a range that begins at `first`.
    #[inline]
    pub(super) fn first_shared_cell(&self, shift: u32, first: &[i32; D]) -> [i32; D] {
        std::array::from_fn(|axis| (self.min[axis] >> shift).max(first[axis]))
    }
}

/// All cells from `low` to `high`, both included.
#[derive(Clone, Copy, Debug)]
pub(super) struct CellRange<const D: usize> {
    pub(super) low: [i32; D],
    pub(super) high: [i32; D],
}

impl<const D: usize> CellRange<D> {
    const NONE: Self = Self {
        low: [0; D],
        high: [-1; D],
    };

    /// Returns the number of cells; saturating.
    #[inline]
    pub(super) fn cell_count(&self) -> u32 {
        (0..D).fold(1, |product: u32, axis| {
            product.saturating_mul(self.side(axis))
        })
    }

    #[inline]
    fn side(&self, axis: usize) -> u32 {
        // No overflow: cells range from those of `i32::MIN` to those of `i32::MAX - 1`.
        self.high[axis].wrapping_sub(self.low[axis]).wrapping_add(1) as u32
    }

    /// Returns the blocks of `2^shift` cells a side that hold the range.
    #[inline]
    pub(super) fn coarser(&self, shift: u32) -> Self {
        Self {
            low: self.low.map(|at| at >> shift),
            high: self.high.map(|at| at >> shift),
        }
    }

    /// Returns all cells, one after another.
    pub(super) fn iter(self) -> impl Iterator<Item = [i32; D]> {
        let first = (self.cell_count() > 0).then_some(self.low);
        std::iter::successors(first, move |cell| {
            let mut next = *cell;
            for axis in 0..D {
                if next[axis] < self.high[axis] {
                    next[axis] += 1;
                    return Some(next);
                }
                next[axis] = self.low[axis];
            }
            None
        })
    }

    /// Returns whether the two share a cell.
    #[inline]
    pub(super) fn meets(&self, other: &Self) -> bool {
        (0..D).all(|axis| self.low[axis] <= other.high[axis] && other.low[axis] <= self.high[axis])
    }

    /// Calls `visit` with the first cell of each row along the first axis. An empty range has none.
    #[inline]
    pub(super) fn visit_rows(&self, mut visit: impl FnMut([i32; D])) {
        if self.high[0] < self.low[0] {
            return;
        }
        let mut row = self.low;
        loop {
            visit(row);
            let mut axis = 1;
            loop {
                if axis >= D {
                    return;
                }
                if row[axis] < self.high[axis] {
                    row[axis] += 1;
                    break;
                }
                row[axis] = self.low[axis];
                axis += 1;
            }
        }
    }

    /// Calls `visit` with blocks of cells that together are the cells of this range that are not in
    /// `after`, and those of `after` that are not in this range. The two must share a cell.
    #[inline]
    pub(super) fn visit_changes(mut self, mut after: Self, mut visit: impl FnMut(Change, &Self)) {
        for axis in 0..D {
            let (low, high) = (self.low[axis], self.high[axis]);
            let (next_low, next_high) = (after.low[axis], after.high[axis]);
            if (low ^ next_low) | (high ^ next_high) == 0 {
                continue;
            }
            if low < next_low {
                self.high[axis] = next_low - 1;
                visit(Change::Left, &self);
                self.high[axis] = high;
            } else if next_low < low {
                after.high[axis] = low - 1;
                visit(Change::Entered, &after);
                after.high[axis] = next_high;
            }
            if next_high < high {
                self.low[axis] = next_high + 1;
                visit(Change::Left, &self);
            } else if high < next_high {
                after.low[axis] = high + 1;
                visit(Change::Entered, &after);
            }
            let shared = (low.max(next_low), high.min(next_high));
            (self.low[axis], self.high[axis]) = shared;
            (after.low[axis], after.high[axis]) = shared;
        }
    }
}

/// The change of a block of cells.
#[derive(Clone, Copy, Debug)]
pub(super) enum Change {
    Left,
    Entered,
}
