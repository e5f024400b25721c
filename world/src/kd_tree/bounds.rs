//! Boxes of whole cells, and tests against frusta and rays.

use super::images::{FARTHEST_VIEW, images};
use collision::{Cell, Plane};
use nalgebra::Vector3;

/// A box of whole cells of one metre, both corners inside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellBox {
    /// Lowest cell.
    pub min: Cell,
    /// Highest cell, inside the box.
    pub max: Cell,
}

/// Six half spaces; a point is inside if it is in front of all. In metres from the corner of
/// `base`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frustum {
    /// The cell that all lengths are measured from.
    pub base: Cell,
    /// The planes, normals inwards.
    pub planes: [Plane; 6],
}

/// A frustum whose base may lie beyond the ends of the cell coordinates.
pub(super) struct FarFrustum<'a> {
    pub(super) base: Vector3<f64>,
    pub(super) planes: &'a [Plane; 6],
}

/// A ray, in metres from the corner of `base`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct LocalRay {
    pub(crate) base: Cell,
    pub(crate) start: Vector3<f64>,
    pub(crate) direction: Vector3<f64>,
}

/// Bits of all six planes of a frustum.
pub(super) const ALL_PLANES: u32 = 0b11_1111;

impl CellBox {
    /// Intersects nothing; a union with it changes nothing.
    pub(super) const NOTHING: Self = Self {
        min: Vector3::new(i32::MAX, i32::MAX, i32::MAX),
        max: Vector3::new(i32::MIN, i32::MIN, i32::MIN),
    };

    /// Makes a box from its lowest and highest cell, both inside.
    pub fn new(min: Cell, max: Cell) -> Self {
        Self { min, max }
    }

    /// Returns the box, extended to a whole axis wherever it wraps around at the ends of the
    /// coordinates; the tree has no wrapped boxes.
    #[must_use]
    #[inline]
    pub fn without_ends(&self) -> Self {
        let mut whole = *self;
        for axis in 0..3 {
            if self.min[axis] > self.max[axis] {
                (whole.min[axis], whole.max[axis]) = (i32::MIN, i32::MAX);
            }
        }
        whole
    }

    /// Returns true if the cell is inside.
    pub fn contains(&self, cell: Cell) -> bool {
        (0..3).all(|axis| self.min[axis] <= cell[axis] && cell[axis] <= self.max[axis])
    }

    /// Returns true if the boxes share a cell.
    #[inline]
    pub fn meets(&self, other: &Self) -> bool {
        let apart = (0..3).fold(0, |apart, axis| {
            apart
                | u8::from(self.min[axis] > other.max[axis])
                | u8::from(other.min[axis] > self.max[axis])
        });
        apart == 0
    }

    /// Returns the smallest box around both.
    #[must_use]
    #[inline]
    pub fn union(&self, other: &Self) -> Self {
        Self {
            min: self.min.inf(&other.min),
            max: self.max.sup(&other.max),
        }
    }

    /// Returns the centre along an axis, rounded down.
    #[inline]
    pub(super) fn centre(&self, axis: usize) -> i32 {
        let (low, high) = (self.min[axis], self.max[axis]);
        (low & high) + ((low ^ high) >> 1)
    }

    /// Returns the lower and upper corner, in metres from the corner of `base`.
    #[inline]
    fn local(&self, base: Vector3<f64>) -> (Vector3<f32>, Vector3<f32>) {
        let low = self.min.zip_map(&base, |a, b| (f64::from(a) - b) as f32);
        let high = self
            .max
            .zip_map(&base, |a, b| (f64::from(a) + 1.0 - b) as f32);
        (low, high)
    }

    /// Returns false only if the box is wholly behind a plane of the frustum. A frustum continues
    /// beyond the ends of the cell coordinates.
    #[inline]
    pub fn may_meet(&self, frustum: &Frustum) -> bool {
        self.may_meet_here(frustum) || self.may_meet_beyond(frustum)
    }

    /// Tests a frustum that does not reach beyond the ends.
    #[inline]
    fn may_meet_here(&self, frustum: &Frustum) -> bool {
        self.may_meet_from(frustum.base.map(f64::from), frustum)
    }

    /// Tests only the part of a frustum beyond the ends.
    #[cold]
    fn may_meet_beyond(&self, frustum: &Frustum) -> bool {
        images(frustum.base, FARTHEST_VIEW)
            .skip(1)
            .any(|off| self.may_meet_from(frustum.base.map(f64::from) + off, frustum))
    }

    #[inline]
    fn may_meet_from(&self, base: Vector3<f64>, frustum: &Frustum) -> bool {
        let (low, high) = self.local(base);
        frustum.planes.iter().all(|plane| {
            let far =
                |axis: usize| (plane.normal[axis] * low[axis]).max(plane.normal[axis] * high[axis]);
            far(0) + far(1) + far(2) >= plane.distance
        })
    }

    /// Tests against some of the planes, given as bits. Returns those that cut the box, or `None`
    /// if the box is behind one.
    #[inline]
    pub(super) fn meets_planes(&self, frustum: &FarFrustum<'_>, planes: u32) -> Option<u32> {
        if planes == 0 {
            return Some(0);
        }
        let (low, high) = self.local(frustum.base);
        let mut cut = 0;
        for (index, plane) in frustum.planes.iter().enumerate() {
            if (planes >> index) & 1 == 0 {
                continue;
            }
            let ends = |axis: usize| {
                [
                    plane.normal[axis] * low[axis],
                    plane.normal[axis] * high[axis],
                ]
            };
            let [x, y, z] = [ends(0), ends(1), ends(2)];
            let near = x[0].min(x[1]) + y[0].min(y[1]) + z[0].min(z[1]);
            let far = x[0].max(x[1]) + y[0].max(y[1]) + z[0].max(z[1]);
            if near >= plane.distance {
                continue;
            } else if far >= plane.distance {
                cut |= 1 << index;
            } else {
                return None;
            }
        }
        Some(cut)
    }

    /// Returns the squared distance from a point given in metres from the corner of `base`.
    #[inline]
    pub(super) fn distance_squared(&self, base: Vector3<f64>, point: Vector3<f32>) -> f32 {
        let (low, high) = self.local(base);
        (point - point.sup(&low).inf(&high)).norm_squared()
    }

    /// Returns the entry of a ray into the box, in lengths of its direction; 0 if it starts inside.
    #[inline]
    pub(super) fn cast(&self, ray: &LocalRay) -> Option<f64> {
        let (mut enter, mut leave) = (0.0_f64, f64::INFINITY);
        for axis in 0..3 {
            let from = f64::from(ray.base[axis]) + ray.start[axis];
            let low = f64::from(self.min[axis]) - from;
            let high = f64::from(self.max[axis]) + 1.0 - from;
            if ray.direction[axis] == 0.0 {
                if low > 0.0 || high < 0.0 {
                    return None;
                }
            } else {
                let (near, far) = (low / ray.direction[axis], high / ray.direction[axis]);
                enter = enter.max(near.min(far));
                leave = leave.min(near.max(far));
            }
        }
        // Adding zero turns a negative zero into a positive one.
        (enter <= leave).then_some(enter + 0.0)
    }
}
