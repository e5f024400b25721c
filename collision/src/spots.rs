//! Places of elements and boxes as they lie in memory, with the scalar twins of all lookups.

use crate::position::Position;
use bytemuck::{Pod, Zeroable};
use nalgebra::Vector3;

/// A box tested against many others: the cell of its centre, the offset in that cell, and half
/// extents. The fourth numbers are 0.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(16))]
pub(crate) struct Surroundings {
    pub(crate) cell: [i32; 4],
    pub(crate) offset: [f32; 4],
    pub(crate) extent: [f32; 4],
}

impl Surroundings {
    /// Makes the box of half extents `extent` about `at`.
    #[inline]
    pub(crate) fn new(at: &Position, extent: Vector3<f32>) -> Self {
        Self {
            cell: [at.cell.x, at.cell.y, at.cell.z, 0],
            offset: [at.offset.x, at.offset.y, at.offset.z, 0.0],
            extent: [extent.x, extent.y, extent.z, 0.0],
        }
    }

    /// The scalar twin of [`Surroundings::meets`].
    #[cfg(any(test, not(target_arch = "x86_64")))]
    pub(crate) fn meets_scalar(&self, at: &Position, extent: &Vector3<f32>) -> bool {
        (0..3).all(|axis| {
            let cells = at.cell[axis].wrapping_sub(self.cell[axis]) as f32;
            let apart = cells + (at.offset[axis] - self.offset[axis]);
            apart.abs() <= self.extent[axis] + extent[axis]
        })
    }
}

/// Spots that are tested together.
pub(crate) const SPOTS: usize = 4;

/// Bits of the result for each spot.
pub(crate) const SPOT_BITS: usize = 4;

/// The place of an element, in whole numbers that wrap, and its row.
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
#[repr(C, align(16))]
pub(crate) struct Spot {
    pub(crate) at: [i32; 3],
    pub(crate) row: u32,
}

impl Spot {
    /// An empty spot.
    pub(crate) const EMPTY: Self = Self { at: [0; 3], row: 0 };

    /// Makes the spot of a row.
    #[inline]
    pub(crate) fn new(at: [i32; 3], row: u32) -> Self {
        Self { at, row }
    }

    /// Returns the row of the element.
    #[inline]
    pub(crate) fn row(&self) -> usize {
        self.row as usize
    }
}

/// Units in a metre, as a power of two.
pub(crate) const UNIT_BITS: u32 = 10;

/// Units in a metre.
pub(crate) const UNIT: f32 = (1 << UNIT_BITS) as f32;

/// Half width, in units, from which a box holds every place.
pub(crate) const WIDEST: f32 = (1 << 30) as f32;

/// Returns a position in units, rounded down.
#[inline]
pub(crate) fn units(at: &Position) -> [i32; 3] {
    [0, 1, 2].map(|axis| at.cell[axis] << UNIT_BITS | (at.offset[axis] * UNIT) as i32)
}

/// The size of an interval of all values except the one before its least, with the highest bit
/// flipped.
pub(crate) const ALL_BUT_ONE: i32 = i32::MAX - 1;

/// A box of whole numbers that wrap: its least value and size on each axis, with the highest bit
/// flipped, so that signed comparisons work. The fourth axis holds all rows but one.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(16))]
pub(crate) struct Bounds {
    pub(crate) least: [i32; 4],
    pub(crate) size: [i32; 4],
}

impl Bounds {
    /// Makes the box of a least corner and sizes, without one row.
    #[cfg(any(test, not(target_arch = "x86_64")))]
    pub(crate) fn new(least: [i32; 3], size: [u32; 3], but: u32) -> Self {
        let [x, y, z] = least.map(|least| least ^ i32::MIN);
        let [long, high, wide] = size.map(|size| size as i32 ^ i32::MIN);
        Self {
            least: [x, y, z, Self::after(but)],
            size: [long, high, wide, ALL_BUT_ONE],
        }
    }

    /// Returns the row after one, with the highest bit flipped.
    #[inline]
    pub(crate) fn after(row: u32) -> i32 {
        row.wrapping_add(1) as i32 ^ i32::MIN
    }

    /// The scalar twin of [`Self::about`].
    #[cfg(any(test, not(target_arch = "x86_64")))]
    pub(crate) fn about_scalar(center: &Position, wide: &Vector3<f32>, but: u32) -> Self {
        let center = units(center);
        let half = |axis: usize| (wide[axis] * UNIT).min(WIDEST) as i32 + 2;
        let size = |axis: usize| {
            if wide[axis] * UNIT >= WIDEST {
                u32::MAX
            } else {
                2 * half(axis) as u32
            }
        };
        let least = [0, 1, 2].map(|axis| center[axis].wrapping_sub(half(axis)));
        Self::new(least, [0, 1, 2].map(size), but)
    }

    /// Returns the least value on each axis.
    #[inline]
    pub(crate) fn least(&self) -> [u32; 3] {
        [0, 1, 2].map(|axis| (self.least[axis] ^ i32::MIN) as u32)
    }

    /// Returns the size on each axis.
    #[inline]
    pub(crate) fn size(&self) -> [u32; 3] {
        [0, 1, 2].map(|axis| (self.size[axis] ^ i32::MIN) as u32)
    }

    /// The scalar twin of [`Self::hold`].
    #[cfg(any(test, not(target_arch = "x86_64")))]
    pub(crate) fn hold_scalar(&self, spots: &[Spot; SPOTS]) -> u32 {
        let inside = |spot: &Spot| {
            let [x, y, z] = spot.at;
            let mut axes = [x, y, z, spot.row as i32].into_iter().enumerate();
            axes.all(|(axis, at)| at.wrapping_sub(self.least[axis]) <= self.size[axis])
        };
        let bit = |number: usize| u32::from(inside(&spots[number])) << (number * SPOT_BITS);
        (0..SPOTS).fold(0, |bits, number| bits | bit(number))
    }
}
