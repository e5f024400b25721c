//! Closed boxes of floats, and the cells of a bounded grid that they touch.

/// A closed box in metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span<const D: usize> {
    /// Least coordinates.
    pub min: [f32; D],
    /// Greatest coordinates.
    pub max: [f32; D],
}

impl<const D: usize> Span<D> {
    /// The box of a removed object: it meets nothing, and equals no box that is ever added.
    pub(super) const REMOVED: Self = Self {
        min: [f32::INFINITY; D],
        max: [f32::NAN; D],
    };

    /// Makes the box from `min` to `max`.
    pub const fn new(min: [f32; D], max: [f32; D]) -> Self {
        Self { min, max }
    }

    /// Makes the box of these half-lengths about `center`.
    pub fn about(center: [f32; D], half: [f32; D]) -> Self {
        Self {
            min: std::array::from_fn(|axis| center[axis] - half[axis]),
            max: std::array::from_fn(|axis| center[axis] + half[axis]),
        }
    }

    /// Returns whether the two share a point; touching is enough.
    #[inline]
    pub fn meets(&self, other: &Self) -> bool {
        let mut meets = true;
        for axis in 0..D {
            meets &= self.min[axis] <= other.max[axis] && other.min[axis] <= self.max[axis];
        }
        meets
    }

    /// Returns the least box around both.
    pub fn merge(&self, other: &Self) -> Self {
        Self {
            min: std::array::from_fn(|axis| self.min[axis].min(other.min[axis])),
            max: std::array::from_fn(|axis| self.max[axis].max(other.max[axis])),
        }
    }

    pub(super) fn is_proper(&self) -> bool {
        (0..D).all(|a| {
            self.min[a] <= self.max[a] && self.min[a].is_finite() && self.max[a].is_finite()
        })
    }

    pub(super) fn is_removed(&self) -> bool {
        self.min[0] == f32::INFINITY && self.max[0].is_nan()
    }

    pub(super) fn greatest_side(&self) -> f32 {
        (0..D).fold(0.0, |most: f32, axis| {
            most.max(self.max[axis] - self.min[axis])
        })
    }

    pub(super) fn at_least(&self, side: f32) -> Self {
        let max = std::array::from_fn(|axis| self.max[axis].max(self.min[axis] + side));
        Self { min: self.min, max }
    }
}

/// The division of a bounded grid into cells.
#[derive(Clone, Debug)]
pub(super) struct Cells<const D: usize> {
    min: [f32; D],
    side: f32,
    per_metre: f32,
    /// Cells along each axis.
    counts: [u32; D],
    strides: [u32; D],
}

/// The cells a box touches, clamped to the grid.
#[derive(Clone, Copy, Debug)]
pub(super) struct Touched<const D: usize> {
    pub(super) low: [u32; D],
    pub(super) high: [u32; D],
    strides: [u32; D],
}

impl<const D: usize> Cells<D> {
    pub(super) fn new(bounds: &Span<D>, side: f32, most: f64) -> Self {
        let along = |axis: usize, side: f32| {
            (f64::from(bounds.max[axis] - bounds.min[axis]) / f64::from(side))
                .ceil()
                .max(1.0)
        };
        let total = |side: f32| (0..D).map(|axis| along(axis, side)).product::<f64>();
        let mut side = side;
        while total(side) > most {
            side *= 2.0;
        }
        let counts: [u32; D] = std::array::from_fn(|axis| along(axis, side) as u32);
        let strides = std::array::from_fn(|axis| counts[..axis].iter().product());
        Self {
            min: bounds.min,
            side,
            per_metre: 1.0 / side,
            counts,
            strides,
        }
    }

    pub(super) fn side(&self) -> f32 {
        self.side
    }

    pub(super) fn count(&self) -> usize {
        self.counts.iter().map(|&count| count as usize).product()
    }

    /// Returns the cells that a box touches. Those of the rim stand for everything beyond them; NaN
    /// counts as the first cell.
    #[inline]
    pub(super) fn touched(&self, span: &Span<D>) -> Touched<D> {
        let cell = |axis: usize, at: f32| {
            let cell = (at - self.min[axis]) * self.per_metre;
            (cell as i32).clamp(0, self.counts[axis] as i32 - 1) as u32
        };
        Touched {
            low: std::array::from_fn(|axis| cell(axis, span.min[axis])),
            high: std::array::from_fn(|axis| cell(axis, span.max[axis])),
            strides: self.strides,
        }
    }
}

impl<const D: usize> Touched<D> {
    /// Returns whether this is a single cell, the common case.
    #[inline]
    pub(super) fn is_single(&self) -> bool {
        self.low == self.high
    }

    #[inline]
    pub(super) fn index(&self, cell: &[u32; D]) -> usize {
        (0..D)
            .map(|axis| cell[axis] * self.strides[axis])
            .sum::<u32>() as usize
    }

    /// Returns the first cell, in each coordinate, that is in both.
    #[inline]
    pub(super) fn first_shared(&self, other: &Self) -> [u32; D] {
        std::array::from_fn(|axis| self.low[axis].max(other.low[axis]))
    }

    /// Calls `each` with every cell.
    #[inline]
    pub(super) fn for_each(&self, mut each: impl FnMut(&[u32; D])) {
        let mut cell = self.low;
        loop {
            each(&cell);
            let mut axis = 0;
            loop {
                if axis == D {
                    return;
                }
                if cell[axis] < self.high[axis] {
                    cell[axis] += 1;
                    break;
                }
                cell[axis] = self.low[axis];
                axis += 1;
            }
        }
    }
}
