//! Boxes of whole cells.

use super::Frustum;
use collision::Cell;
use nalgebra::Vector3;

/// A box of whole cells of one metre, both corners inside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellBox {
    /// Lowest cell.
    pub min: Cell,
    /// Highest cell, inside the box.
    pub max: Cell,
}

impl CellBox {
    /// From the lowest and the highest cell, both inside.
    pub fn new(min: Cell, max: Cell) -> Self {
        Self { min, max }
    }

    /// Whether the cell is inside.
    pub fn contains(&self, cell: Cell) -> bool {
        (0..3).all(|axis| self.min[axis] <= cell[axis] && cell[axis] <= self.max[axis])
    }

    /// Whether the boxes share a cell.
    #[inline]
    pub fn meets(&self, other: &Self) -> bool {
        (0..3).all(|axis| self.min[axis] <= other.max[axis] && other.min[axis] <= self.max[axis])
    }

    /// The smallest box around both.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        Self {
            min: self.min.inf(&other.min),
            max: self.max.sup(&other.max),
        }
    }

    /// Whether no plane of the frustum has all of the box behind it.
    #[inline]
    pub fn may_meet(&self, frustum: &Frustum) -> bool {
        let low = self
            .min
            .zip_map(&frustum.base, |a, b| (f64::from(a) - f64::from(b)) as f32);
        let high = self.max.zip_map(&frustum.base, |a, b| {
            (f64::from(a) + 1.0 - f64::from(b)) as f32
        });
        frustum.planes.iter().all(|plane| {
            let far =
                |axis: usize| (plane.normal[axis] * low[axis]).max(plane.normal[axis] * high[axis]);
            far(0) + far(1) + far(2) >= plane.distance
        })
    }

    /// Where a ray enters the box, in lengths of its direction; 0 when it starts inside.
    #[inline]
    pub fn cast(&self, base: Cell, start: Vector3<f64>, direction: Vector3<f64>) -> Option<f64> {
        let (mut enter, mut leave) = (0.0_f64, f64::INFINITY);
        for axis in 0..3 {
            let low = f64::from(self.min[axis]) - f64::from(base[axis]) - start[axis];
            let high = f64::from(self.max[axis]) + 1.0 - f64::from(base[axis]) - start[axis];
            if direction[axis] == 0.0 {
                if low > 0.0 || high < 0.0 {
                    return None;
                }
            } else {
                let (near, far) = (low / direction[axis], high / direction[axis]);
                enter = enter.max(near.min(far));
                leave = leave.min(near.max(far));
            }
        }
        (enter <= leave).then_some(enter)
    }
}
