//! Eight candidates at a time: a masked ray against a ball, with a scalar twin of the same bits.
//!
//! A candidate is a box that is flat on one axis (face), two (edge) or three (corner). On its flat axes the mover is a ball that must
//! come within `radius`; on the others its centre must be between the box's limits. One formula covers all three. The discriminant
//! is `a R^2 - |m x d|^2`, which does not cancel, and limits are inclusive and the same number on both sides of a seam, so a ray
//! through a seam hits at least one side. Only `+ - * / sqrt` and comparisons: the same bits everywhere.

#![allow(unsafe_code)]

use crate::tolerance::{APPROACH, LEAN};
use bytemuck::{Pod, Zeroable};

#[cfg(test)]
mod tests;

/// How many times steeper than its `approach` an edge must be met, measured across the edge only.
const GRAZE: f32 = APPROACH / LEAN;

/// Candidates in one block.
pub const WIDTH: usize = 8;

/// Never reached by a limit of a box; large, but not so large that a product overflows.
const FAR: f32 = 1e30;

/// Eight candidates, one number of each next to the other. A zeroed lane is never hit.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C, align(16))]
pub struct Block {
    /// Lower corners by axis.
    pub min: [[f32; WIDTH]; 3],
    /// Upper corners by axis.
    pub max: [[f32; WIDTH]; 3],
    /// All bits set on the axes where the box is flat.
    pub flat: [[u32; WIDTH]; 3],
    /// How near the centre of the mover may come.
    pub radius: [f32; WIDTH],
    /// Approach needed for a hit, as a length: [`LEAN`] times radius for edges and corners, 0 for faces.
    pub approach: [f32; WIDTH],
    /// Side from which a face is seen (+1 or -1); 0 for edges and corners.
    pub sign: [f32; WIDTH],
    /// Highest point along the up axis, in metres from the base cell; not squashed, as the next.
    pub top: [f32; WIDTH],
    /// For a face: where it lies on its axis, in metres from the base cell.
    pub plane: [f32; WIDTH],
}

impl Block {
    /// Makes a lane the same as one of another block.
    pub(crate) fn copy_lane(&mut self, to: usize, other: &Self, from: usize) {
        for axis in 0..3 {
            self.min[axis][to] = other.min[axis][from];
            self.max[axis][to] = other.max[axis][from];
            self.flat[axis][to] = other.flat[axis][from];
        }
        self.radius[to] = other.radius[from];
        self.approach[to] = other.approach[from];
        self.sign[to] = other.sign[from];
        self.top[to] = other.top[from];
        self.plane[to] = other.plane[from];
    }
}

/// The way of a mover's centre.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ray {
    start: [f32; 3],
    motion: [f32; 3],
    inverse: [f32; 3],
    length: f32,
    /// Hits later than this, as a share of the motion, do not count.
    pub limit: f32,
}

impl Ray {
    /// The way from `start` along `motion`.
    #[inline]
    #[must_use]
    pub fn new(start: [f32; 3], motion: [f32; 3]) -> Self {
        let square = (motion[0] * motion[0] + motion[1] * motion[1]) + motion[2] * motion[2];
        Self {
            start,
            motion,
            inverse: motion.map(inverse),
            length: square.sqrt(),
            limit: 1.0,
        }
    }
}

/// `1 / value`, kept finite so that nothing times it is ever NaN.
#[inline]
fn inverse(value: f32) -> f32 {
    if value.abs() < 1.0 / FAR {
        FAR
    } else {
        1.0 / value
    }
}

/// When, as a share of the motion, each candidate is hit; infinity where it is not.
#[cfg(target_arch = "x86_64")]
#[inline]
#[must_use]
pub fn sweep(block: &Block, ray: &Ray) -> [f32; WIDTH] {
    let mut times = [0.0; WIDTH];
    // SAFETY: SSE2 is part of every x86-64, and both halves are inside.
    unsafe {
        sse2::sweep_four(block, 0, ray, &mut times);
        sse2::sweep_four(block, WIDTH / 2, ray, &mut times);
    }
    times
}

/// What is hit in a block.
pub struct Found {
    /// When, as a share of the motion; infinity where it is not.
    pub times: [f32; WIDTH],
    /// A bit for each lane that is hit.
    pub hits: u32,
}

/// [`sweep`] for a block of which only the first `used` lanes are filled; the others are never hit.
#[inline]
#[must_use]
pub fn sweep_filled(block: &Block, used: usize, ray: &Ray) -> Found {
    let mut times = [f32::INFINITY; WIDTH];
    let mut hits;
    #[cfg(target_arch = "x86_64")]
    // SAFETY: SSE2 is part of every x86-64, and both halves are inside.
    unsafe {
        hits = sse2::sweep_four(block, 0, ray, &mut times);
        if used > WIDTH / 2 {
            hits |= sse2::sweep_four(block, WIDTH / 2, ray, &mut times) << (WIDTH / 2);
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        hits = 0;
        for (lane, time) in times.iter_mut().enumerate().take(used) {
            *time = sweep_lane(block, lane, ray);
            hits |= u32::from(time.is_finite()) << lane;
        }
    }
    hits &= (1 << used) - 1;
    Found { times, hits }
}

/// When, as a share of the motion, each candidate is hit; infinity where it is not.
#[cfg(not(target_arch = "x86_64"))]
#[inline]
#[must_use]
pub fn sweep(block: &Block, ray: &Ray) -> [f32; WIDTH] {
    sweep_scalar(block, ray)
}

/// The scalar twin of [`sweep`].
#[must_use]
pub fn sweep_scalar(block: &Block, ray: &Ray) -> [f32; WIDTH] {
    std::array::from_fn(|lane| sweep_lane(block, lane, ray))
}

fn sweep_lane(block: &Block, lane: usize, ray: &Ray) -> f32 {
    let (mut m, mut d) = ([0.0_f32; 3], [0.0_f32; 3]);
    let (mut entry, mut exit) = (0.0_f32, FAR);
    for axis in 0..3 {
        let flat = block.flat[axis][lane];
        let to_min = block.min[axis][lane] - ray.start[axis];
        let to_max = block.max[axis][lane] - ray.start[axis];
        m[axis] = f32::from_bits(to_min.to_bits() & flat);
        d[axis] = f32::from_bits(ray.motion[axis].to_bits() & flat);
        let (one, two) = (to_min * ray.inverse[axis], to_max * ray.inverse[axis]);
        let near = f32::from_bits(lesser(one, two).to_bits() & !flat);
        let far = f32::from_bits((greater(one, two).to_bits() & !flat) | (FAR.to_bits() & flat));
        entry = greater(near, entry);
        exit = lesser(far, exit);
    }
    let a = (d[0] * d[0] + d[1] * d[1]) + d[2] * d[2];
    let b = (m[0] * d[0] + m[1] * d[1]) + m[2] * d[2];
    let cross = [
        m[1] * d[2] - m[2] * d[1],
        m[2] * d[0] - m[0] * d[2],
        m[0] * d[1] - m[1] * d[0],
    ];
    let aside = (cross[0] * cross[0] + cross[1] * cross[1]) + cross[2] * cross[2];
    let radius = block.radius[lane];
    let discriminant = a * (radius * radius) - aside;
    let time = greater((b - discriminant.sqrt()) / a, entry);
    let facing = block.sign[lane] * ((d[0] + d[1]) + d[2]);
    let approach = b - a * time;
    let graze = block.approach[lane] * GRAZE;
    let hit = discriminant >= 0.0
        && time <= exit
        && time <= ray.limit
        && approach > block.approach[lane] * ray.length
        && approach * approach > a * (graze * graze)
        && facing <= 0.0;
    if hit { time } else { f32::INFINITY }
}

/// The lesser as SSE has it: the second where they do not compare.
#[inline(always)]
pub(crate) fn lesser(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}

/// The greater as SSE has it: the second where they do not compare.
#[inline(always)]
pub(crate) fn greater(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

/// A bit for each number of a row that is no farther than `most` from `value`.
#[inline]
#[must_use]
pub fn near(row: &[f32; WIDTH], value: f32, most: f32) -> u32 {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: SSE2 is part of every x86-64, and both halves are inside.
    unsafe {
        sse2::near_four(row, 0, value, most) | sse2::near_four(row, WIDTH / 2, value, most) << 4
    }
    #[cfg(not(target_arch = "x86_64"))]
    near_scalar(row, value, most)
}

/// The scalar twin of [`near`].
#[must_use]
pub fn near_scalar(row: &[f32; WIDTH], value: f32, most: f32) -> u32 {
    let bit = |lane: usize| u32::from((row[lane] - value).abs() <= most) << lane;
    (0..WIDTH).fold(0, |bits, lane| bits | bit(lane))
}

/// How deep a ball at `point` reaches into each candidate, in metres; negative is the gap. Faces seen from behind do not count.
#[inline]
#[must_use]
pub fn depth(block: &Block, point: [f32; 3]) -> [f32; WIDTH] {
    let mut square = [0.0_f32; WIDTH];
    let mut front = [0.0_f32; WIDTH];
    for axis in 0..3 {
        for lane in 0..WIDTH {
            let below = greater(block.min[axis][lane] - point[axis], 0.0);
            let above = greater(point[axis] - block.max[axis][lane], 0.0);
            let off = below + above;
            square[lane] += off * off;
            let flat = f32::from_bits((above - below).to_bits() & block.flat[axis][lane]);
            front[lane] += flat;
        }
    }
    std::array::from_fn(|lane| {
        if block.sign[lane] * front[lane] < 0.0 {
            -FAR
        } else {
            block.radius[lane] - square[lane].sqrt()
        }
    })
}

#[cfg(target_arch = "x86_64")]
pub(crate) mod sse2 {
    use super::{Block, FAR, GRAZE, Ray, WIDTH};
    use crate::places::{ALL_BUT_ONE, Bounds, SPOTS, Spot, Surroundings, UNIT, UNIT_BITS, WIDEST};
    use crate::position::Position;
    use bytemuck::cast;
    use nalgebra::Vector3;
    use std::arch::x86_64::*;

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

    /// [`Surroundings::meets`].
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

    /// [`Bounds::about`].
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

    /// [`Bounds::hold`].
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

    /// Four lanes of [`super::near`], from `first` on.
    ///
    /// # Safety
    /// `first + 4 <= WIDTH`.
    #[inline]
    pub(super) unsafe fn near_four(row: &[f32; WIDTH], first: usize, value: f32, most: f32) -> u32 {
        debug_assert!(first + 4 <= WIDTH);
        // SAFETY: the load is of four numbers from `first` on, in its unaligned form.
        unsafe {
            let off = _mm_sub_ps(_mm_loadu_ps(row.as_ptr().add(first)), _mm_set1_ps(value));
            let size = _mm_andnot_ps(_mm_set1_ps(-0.0), off);
            _mm_movemask_ps(_mm_cmple_ps(size, _mm_set1_ps(most))) as u32
        }
    }

    /// Four lanes of [`super::sweep`], from `first` on. Returns a bit for each that is hit.
    ///
    /// # Safety
    /// `first + 4 <= WIDTH`.
    #[inline]
    #[allow(clippy::too_many_lines)]
    pub(super) unsafe fn sweep_four(
        block: &Block,
        first: usize,
        ray: &Ray,
        times: &mut [f32; WIDTH],
    ) -> u32 {
        debug_assert!(first + 4 <= WIDTH);
        // SAFETY: all loads and the store are of four numbers from `first` on; unaligned forms are used.
        unsafe {
            let load = |row: &[f32; WIDTH]| _mm_loadu_ps(row.as_ptr().add(first));
            let zero = _mm_setzero_ps();
            let far_away = _mm_set1_ps(FAR);
            let (mut m, mut d) = ([zero; 3], [zero; 3]);
            let (mut entry, mut exit) = (zero, far_away);
            for axis in 0..3 {
                let flat =
                    _mm_castsi128_ps(_mm_loadu_si128(block.flat[axis].as_ptr().add(first).cast()));
                let start = _mm_set1_ps(ray.start[axis]);
                let inverse = _mm_set1_ps(ray.inverse[axis]);
                let to_min = _mm_sub_ps(load(&block.min[axis]), start);
                let to_max = _mm_sub_ps(load(&block.max[axis]), start);
                m[axis] = _mm_and_ps(to_min, flat);
                d[axis] = _mm_and_ps(_mm_set1_ps(ray.motion[axis]), flat);
                let one = _mm_mul_ps(to_min, inverse);
                let two = _mm_mul_ps(to_max, inverse);
                let near = _mm_andnot_ps(flat, _mm_min_ps(one, two));
                let far = _mm_or_ps(
                    _mm_andnot_ps(flat, _mm_max_ps(one, two)),
                    _mm_and_ps(flat, far_away),
                );
                entry = _mm_max_ps(near, entry);
                exit = _mm_min_ps(far, exit);
            }
            let sum = |x: __m128, y: __m128, z: __m128| _mm_add_ps(_mm_add_ps(x, y), z);
            let a = sum(
                _mm_mul_ps(d[0], d[0]),
                _mm_mul_ps(d[1], d[1]),
                _mm_mul_ps(d[2], d[2]),
            );
            let b = sum(
                _mm_mul_ps(m[0], d[0]),
                _mm_mul_ps(m[1], d[1]),
                _mm_mul_ps(m[2], d[2]),
            );
            let minor =
                |i: usize, j: usize| _mm_sub_ps(_mm_mul_ps(m[i], d[j]), _mm_mul_ps(m[j], d[i]));
            let cross = [minor(1, 2), minor(2, 0), minor(0, 1)];
            let aside = sum(
                _mm_mul_ps(cross[0], cross[0]),
                _mm_mul_ps(cross[1], cross[1]),
                _mm_mul_ps(cross[2], cross[2]),
            );
            let radius = load(&block.radius);
            let discriminant = _mm_sub_ps(_mm_mul_ps(a, _mm_mul_ps(radius, radius)), aside);
            let touch = _mm_div_ps(_mm_sub_ps(b, _mm_sqrt_ps(discriminant)), a);
            let time = _mm_max_ps(touch, entry);
            let facing = _mm_mul_ps(load(&block.sign), sum(d[0], d[1], d[2]));
            let least = load(&block.approach);
            let needed = _mm_mul_ps(least, _mm_set1_ps(ray.length));
            let graze = _mm_mul_ps(least, _mm_set1_ps(GRAZE));
            let approach = _mm_sub_ps(b, _mm_mul_ps(a, time));
            let square = _mm_mul_ps(approach, approach);
            let steep = _mm_cmpgt_ps(square, _mm_mul_ps(a, _mm_mul_ps(graze, graze)));
            let inside = _mm_and_ps(
                _mm_cmple_ps(time, exit),
                _mm_cmple_ps(time, _mm_set1_ps(ray.limit)),
            );
            let meets = _mm_and_ps(
                _mm_cmpge_ps(discriminant, zero),
                _mm_cmpgt_ps(approach, needed),
            );
            let turned = _mm_and_ps(steep, _mm_cmple_ps(facing, zero));
            let hit = _mm_and_ps(_mm_and_ps(inside, meets), turned);
            let answer = _mm_or_ps(
                _mm_and_ps(hit, time),
                _mm_andnot_ps(hit, _mm_set1_ps(f32::INFINITY)),
            );
            _mm_storeu_ps(times.as_mut_ptr().add(first), answer);
            _mm_movemask_ps(hit) as u32
        }
    }
}
