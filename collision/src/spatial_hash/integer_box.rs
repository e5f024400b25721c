//! Half-open integer boxes and the cells they meet.

/// A half-open box of integers: `min` belongs to it, `max` does not. Where any `min >= max` it is empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct IntegerBox<const D: usize> {
    /// Least coordinates, inside.
    pub min: [i32; D],
    /// Greatest coordinates, the first outside.
    pub max: [i32; D],
}

impl<const D: usize> IntegerBox<D> {
    /// The box from `min` up to, not including, `max`.
    pub const fn new(min: [i32; D], max: [i32; D]) -> Self {
        Self { min, max }
    }

    /// Whether no point lies in it.
    pub fn is_empty(&self) -> bool {
        (0..D).any(|axis| self.min[axis] >= self.max[axis])
    }

    /// Whether the two share a point. Boxes that only touch do not meet; empty ones meet nothing.
    #[inline]
    pub fn meets(&self, other: &Self) -> bool {
        // No early way out: a branch an axis costs more than the comparisons.
        (0..D).fold(true, |meets, axis| {
            meets & (self.min[axis].max(other.min[axis]) < self.max[axis].min(other.max[axis]))
        })
    }

    /// The cells of side `2^shift` that it meets.
    #[inline]
    pub(super) fn cells(&self, shift: u32) -> CellRange<D> {
        if self.is_empty() {
            return CellRange {
                low: [0; D],
                high: [-1; D],
                next: None,
            };
        }
        let low = self.min.map(|c| c >> shift);
        let high = self.max.map(|c| (c - 1) >> shift);
        CellRange {
            low,
            high,
            next: Some(low),
        }
    }

    /// The first cell, in each coordinate, shared with a range that begins at `first`.
    #[inline]
    pub(super) fn first_shared_cell(&self, shift: u32, first: &[i32; D]) -> [i32; D] {
        std::array::from_fn(|axis| (self.min[axis] >> shift).max(first[axis]))
    }
}

/// All cells from `low` to `high`, both included.
#[derive(Clone, Debug)]
pub(super) struct CellRange<const D: usize> {
    low: [i32; D],
    high: [i32; D],
    next: Option<[i32; D]>,
}

impl<const D: usize> CellRange<D> {
    pub(super) fn first(&self) -> [i32; D] {
        self.low
    }

    /// How many cells there are; saturating.
    pub(super) fn cell_count(&self) -> u64 {
        (0..D).fold(1, |product: u64, axis| {
            let side = i64::from(self.high[axis]) - i64::from(self.low[axis]) + 1;
            product.saturating_mul(side as u64)
        })
    }

    pub(super) fn is_single(&self) -> bool {
        self.low == self.high
    }

    #[inline]
    pub(super) fn contains(&self, cell: &[i32; D]) -> bool {
        (0..D).all(|axis| self.low[axis] <= cell[axis] && cell[axis] <= self.high[axis])
    }

    #[inline]
    pub(super) fn same_as(&self, other: &Self) -> bool {
        self.low == other.low && self.high == other.high
    }
}

impl<const D: usize> Iterator for CellRange<D> {
    type Item = [i32; D];

    #[inline]
    fn next(&mut self) -> Option<[i32; D]> {
        let cell = self.next?;
        let mut after = cell;
        self.next = None;
        for axis in 0..D {
            if after[axis] < self.high[axis] {
                after[axis] += 1;
                self.next = Some(after);
                break;
            }
            after[axis] = self.low[axis];
        }
        Some(cell)
    }
}
