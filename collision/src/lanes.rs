//! Numbers of several candidates side by side. Kernels are written over a [`Lane`] type: [`f32`] is
//! one lane, [`Wide`] as many as the machine has.
//!
//! The operations are `+ - * / sqrt` and comparisons, which round alike everywhere, so every lane
//! type gives the same bits.

#![allow(unsafe_code)]

use std::fmt::Debug;
use std::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Sub};

/// One number for each of several candidates.
pub(crate) trait Lane:
    Copy
    + Debug
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    /// The number of candidates.
    const LANES: usize;
    /// A boolean for each candidate.
    type Mask: Copy + BitAnd<Output = Self::Mask> + BitOr<Output = Self::Mask>;

    /// Reads numbers from a row, starting at `first`.
    fn load(row: &[f32], first: usize) -> Self;
    /// Reads true (all bits) or false (no bit) from a row, starting at `first`.
    fn load_mask(row: &[u32], first: usize) -> Self::Mask;
    /// Writes the numbers into a row, starting at `first`.
    fn store(self, row: &mut [f32], first: usize);
    /// Returns the same number for each candidate.
    fn splat(value: f32) -> Self;
    fn sqrt(self) -> Self;
    /// Returns the lesser; like SSE, the second where the two do not compare.
    fn lesser(self, other: Self) -> Self;
    /// Returns the greater; like SSE, the second where the two do not compare.
    fn greater(self, other: Self) -> Self;
    /// Returns whether this is less than another.
    fn is_below(self, other: Self) -> Self::Mask;
    /// Returns whether this is no more than another.
    fn is_within(self, other: Self) -> Self::Mask;
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self;
    /// Returns a bit for each candidate.
    fn bits(mask: Self::Mask) -> u32;
}

impl Lane for f32 {
    const LANES: usize = 1;
    type Mask = bool;

    #[inline(always)]
    fn load(row: &[f32], first: usize) -> Self {
        row[first]
    }

    #[inline(always)]
    fn load_mask(row: &[u32], first: usize) -> bool {
        row[first] != 0
    }

    #[inline(always)]
    fn store(self, row: &mut [f32], first: usize) {
        row[first] = self;
    }

    #[inline(always)]
    fn splat(value: f32) -> Self {
        value
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        self.sqrt()
    }

    #[inline(always)]
    fn lesser(self, other: Self) -> Self {
        if self < other { self } else { other }
    }

    #[inline(always)]
    fn greater(self, other: Self) -> Self {
        if self > other { self } else { other }
    }

    #[inline(always)]
    fn is_below(self, other: Self) -> bool {
        self < other
    }

    #[inline(always)]
    fn is_within(self, other: Self) -> bool {
        self <= other
    }

    #[inline(always)]
    fn select(mask: bool, yes: Self, no: Self) -> Self {
        if mask { yes } else { no }
    }

    #[inline(always)]
    fn bits(mask: bool) -> u32 {
        u32::from(mask)
    }
}

/// As many lanes as the machine has.
#[cfg(target_arch = "x86_64")]
pub(crate) type Wide = sse2::Four;

/// As many lanes as the machine has.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) type Wide = f32;

#[cfg(target_arch = "x86_64")]
pub(crate) mod sse2 {
    use super::{Add, BitAnd, BitOr, Div, Lane, Mul, Neg, Sub};
    use crate::position::Position;
    use crate::spots::{ALL_BUT_ONE, Bounds, SPOTS, Spot, Surroundings, UNIT, UNIT_BITS, WIDEST};
    use bytemuck::cast;
    use nalgebra::Vector3;
    use std::arch::x86_64::*;

    /// Four lanes.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct Four(__m128);

    /// True (all bits) or false (none) for each of four.
    #[derive(Clone, Copy)]
    pub(crate) struct Bits(__m128);

    /// Implements binary operators that are one instruction each.
    macro_rules! each {
        ($($name:ident: $kind:ident::$function:ident = $instruction:ident;)*) => {$(
            impl $kind for $name {
                type Output = Self;

                #[inline(always)]
                fn $function(self, other: Self) -> Self {
                    // SAFETY: SSE2 is part of every x86-64.
                    Self(unsafe { $instruction(self.0, other.0) })
                }
            }
        )*};
    }

    each! {
        Four: Add::add = _mm_add_ps;
        Four: Sub::sub = _mm_sub_ps;
        Four: Mul::mul = _mm_mul_ps;
        Four: Div::div = _mm_div_ps;
        Bits: BitAnd::bitand = _mm_and_ps;
        Bits: BitOr::bitor = _mm_or_ps;
    }

    impl Neg for Four {
        type Output = Self;

        #[inline(always)]
        fn neg(self) -> Self {
            // SAFETY: SSE2 is part of every x86-64.
            Self(unsafe { _mm_xor_ps(self.0, _mm_set1_ps(-0.0)) })
        }
    }

    impl Lane for Four {
        const LANES: usize = 4;
        type Mask = Bits;

        #[inline(always)]
        fn load(row: &[f32], first: usize) -> Self {
            let four = &row[first..first + 4];
            // SAFETY: SSE2 is part of every x86-64; the slice has four numbers; no alignment
            // needed.
            Self(unsafe { _mm_loadu_ps(four.as_ptr()) })
        }

        #[inline(always)]
        fn load_mask(row: &[u32], first: usize) -> Bits {
            let four = &row[first..first + 4];
            // SAFETY: SSE2 is part of every x86-64; the slice has four numbers; no alignment
            // needed.
            Bits(unsafe { _mm_castsi128_ps(_mm_loadu_si128(four.as_ptr().cast())) })
        }

        #[inline(always)]
        fn store(self, row: &mut [f32], first: usize) {
            let four = &mut row[first..first + 4];
            // SAFETY: SSE2 is part of every x86-64; the slice has four numbers; no alignment
            // needed.
            unsafe { _mm_storeu_ps(four.as_mut_ptr(), self.0) }
        }

        #[inline(always)]
        fn splat(value: f32) -> Self {
            // SAFETY: SSE2 is part of every x86-64.
            Self(unsafe { _mm_set1_ps(value) })
        }

        #[inline(always)]
        fn sqrt(self) -> Self {
            // SAFETY: SSE2 is part of every x86-64.
            Self(unsafe { _mm_sqrt_ps(self.0) })
        }

        #[inline(always)]
        fn lesser(self, other: Self) -> Self {
            // SAFETY: SSE2 is part of every x86-64.
            Self(unsafe { _mm_min_ps(self.0, other.0) })
        }

        #[inline(always)]
        fn greater(self, other: Self) -> Self {
            // SAFETY: SSE2 is part of every x86-64.
            Self(unsafe { _mm_max_ps(self.0, other.0) })
        }

        #[inline(always)]
        fn is_below(self, other: Self) -> Bits {
            // SAFETY: SSE2 is part of every x86-64.
            Bits(unsafe { _mm_cmplt_ps(self.0, other.0) })
        }

        #[inline(always)]
        fn is_within(self, other: Self) -> Bits {
            // SAFETY: SSE2 is part of every x86-64.
            Bits(unsafe { _mm_cmple_ps(self.0, other.0) })
        }

        #[inline(always)]
        fn select(Bits(mask): Bits, yes: Self, no: Self) -> Self {
            // SAFETY: SSE2 is part of every x86-64.
            Self(unsafe { _mm_or_ps(_mm_and_ps(mask, yes.0), _mm_andnot_ps(mask, no.0)) })
        }

        #[inline(always)]
        fn bits(Bits(mask): Bits) -> u32 {
            // SAFETY: SSE2 is part of every x86-64.
            (unsafe { _mm_movemask_ps(mask) }) as u32
        }
    }

    #[inline]
    fn three(v: &Vector3<f32>) -> __m128 {
        // SAFETY: SSE2 is part of every x86-64.
        unsafe { _mm_set_ps(0.0, v.z, v.y, v.x) }
    }

    #[inline]
    fn cells(at: &Position) -> __m128i {
        // SAFETY: SSE2 is part of every x86-64.
        unsafe { _mm_set_epi32(0, at.cell.z, at.cell.y, at.cell.x) }
    }

    /// The SSE2 twin of [`Surroundings::meets`].
    #[inline]
    pub(crate) fn meets(own: &Surroundings, at: &Position, extent: &Vector3<f32>) -> bool {
        // SAFETY: SSE2 is part of every x86-64.
        unsafe {
            let cells = _mm_sub_epi32(cells(at), cast(own.cell));
            let offsets = _mm_sub_ps(three(&at.offset), cast(own.offset));
            let apart = _mm_add_ps(_mm_cvtepi32_ps(cells), offsets);
            let allowed = _mm_add_ps(cast(own.extent), three(extent));
            let size = _mm_andnot_ps(_mm_set1_ps(-0.0), apart);
            _mm_movemask_ps(_mm_cmple_ps(size, allowed)) == 0b1111
        }
    }

    /// The SSE2 twin of [`Bounds::about`].
    #[inline]
    pub(crate) fn about(center: &Position, wide: &Vector3<f32>, but: u32) -> Bounds {
        // SAFETY: SSE2 is part of every x86-64.
        let [least, size]: [[i32; 4]; 2] = unsafe {
            let unit = _mm_set1_ps(UNIT);
            let inside = _mm_cvttps_epi32(_mm_mul_ps(three(&center.offset), unit));
            let whole = _mm_slli_epi32::<{ UNIT_BITS as i32 }>(cells(center));
            let (wide, widest) = (_mm_mul_ps(three(wide), unit), _mm_set1_ps(WIDEST));
            let half = _mm_cvttps_epi32(_mm_min_ps(wide, widest));
            let half = _mm_add_epi32(half, _mm_set1_epi32(2));
            let least = _mm_sub_epi32(_mm_or_si128(whole, inside), half);
            let all = _mm_castps_si128(_mm_cmpge_ps(wide, widest));
            let size = _mm_or_si128(_mm_add_epi32(half, half), all);
            [least, size].map(|v| cast(_mm_xor_si128(v, _mm_set1_epi32(i32::MIN))))
        };
        Bounds {
            least: [least[0], least[1], least[2], Bounds::after(but)],
            size: [size[0], size[1], size[2], ALL_BUT_ONE],
        }
    }

    /// The SSE2 twin of [`Bounds::hold`].
    #[inline]
    pub(crate) fn hold(bounds: &Bounds, spots: &[Spot; SPOTS]) -> u32 {
        // SAFETY: SSE2 is part of every x86-64.
        unsafe {
            let (least, size) = (cast(bounds.least), cast(bounds.size));
            let outside =
                |number: usize| _mm_cmpgt_epi32(_mm_sub_epi32(cast(spots[number]), least), size);
            let low = _mm_packs_epi32(outside(0), outside(1));
            let high = _mm_packs_epi32(outside(2), outside(3));
            let axes = _mm_movemask_epi8(_mm_packs_epi16(low, high)) as u32;
            let pairs = axes | axes >> 1;
            !(pairs | pairs >> 2) & 0x1111
        }
    }
}
