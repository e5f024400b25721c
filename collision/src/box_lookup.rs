//! Places of elements and boxes to look them up, all axes at a time, with scalar twins of the same
//! bits.

#[cfg(test)]
mod tests;

#[cfg(target_arch = "x86_64")]
use crate::lanes;
use crate::position::Position;
use nalgebra::Vector3;

pub(crate) use crate::spots::{Bounds, SPOT_BITS, SPOTS, Spot, Surroundings, UNIT_BITS, units};

impl Surroundings {
    /// Returns whether the box of half extents `extent` about `at` meets this one.
    #[inline]
    pub(crate) fn meets(&self, at: &Position, extent: &Vector3<f32>) -> bool {
        #[cfg(target_arch = "x86_64")]
        return lanes::sse2::meets(self, at, extent);
        #[cfg(not(target_arch = "x86_64"))]
        self.meets_scalar(at, extent)
    }
}

impl Bounds {
    /// Returns the box, in units, that holds every place within the half extents `wide` of a
    /// position, without one row. Half extents are not negative.
    #[inline]
    pub(crate) fn about(center: &Position, wide: &Vector3<f32>, but: u32) -> Self {
        #[cfg(target_arch = "x86_64")]
        return lanes::sse2::about(center, wide, but);
        #[cfg(not(target_arch = "x86_64"))]
        Self::about_scalar(center, wide, but)
    }

    /// Returns, for each spot in the box, the lowest of its [`SPOT_BITS`] bits.
    #[inline]
    pub(crate) fn hold(&self, spots: &[Spot; SPOTS]) -> u32 {
        #[cfg(target_arch = "x86_64")]
        return lanes::sse2::hold(self, spots);
        #[cfg(not(target_arch = "x86_64"))]
        self.hold_scalar(spots)
    }
}
