//! A ball against the parts of boxes, eight at a time.
//!
//! A part is a box that is flat on one axis (face), two (edge) or three (corner). On its flat axes
//! the kernel requires the ball's centre to come within `radius`; on the others the centre must be
//! between the box's limits. One formula covers all three. Limits are inclusive and the same number
//! on both sides of a seam, so a ray through a seam hits at least one side.

use super::{Found, Met, Round, found};
use crate::lanes::{Lane, Wide};
use bytemuck::{Pod, Zeroable};

#[cfg(test)]
#[path = "block_tests.rs"]
mod tests;

/// Candidates in one block.
pub(crate) const WIDTH: usize = 8;

/// A limit that no box reaches; large, but not so large that a product overflows.
const FAR: f32 = 1e30;

/// One part of a box in each lane.
#[derive(Clone, Copy)]
pub(crate) struct Part<L: Lane> {
    pub(crate) min: [L; 3],
    pub(crate) max: [L; 3],
    pub(crate) flat: [L::Mask; 3],
    pub(crate) radius: L,
    pub(crate) approach: L,
    pub(crate) sign: L,
}

/// Eight candidates, one number of each next to the other. A zeroed lane is never hit.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C, align(16))]
pub(crate) struct Block {
    /// Lower corners by axis.
    pub(crate) min: [[f32; WIDTH]; 3],
    /// Upper corners by axis.
    pub(crate) max: [[f32; WIDTH]; 3],
    /// All bits set on the axes where the box is flat.
    pub(crate) flat: [[u32; WIDTH]; 3],
    /// Distance at which the centre of the moving ball stops.
    pub(crate) radius: [f32; WIDTH],
    /// Approach needed for a hit, as a length: [`LEAN`] times radius for edges and corners, 0 for
    /// faces.
    pub(crate) approach: [f32; WIDTH],
    /// Side from which a face is visible (+1 or -1); 0 for edges and corners.
    pub(crate) sign: [f32; WIDTH],
    /// Highest point along the up axis, in metres from the base cell; not squashed.
    pub(crate) top: [f32; WIDTH],
    /// Coordinate of a face on its axis, in metres from the base cell; not squashed.
    pub(crate) plane: [f32; WIDTH],
}

impl Block {
    /// Reads the parts from a lane on.
    #[inline(always)]
    pub(crate) fn parts<L: Lane>(&self, first: usize) -> Part<L> {
        Part {
            min: [0, 1, 2].map(|axis| L::load(&self.min[axis], first)),
            max: [0, 1, 2].map(|axis| L::load(&self.max[axis], first)),
            flat: [0, 1, 2].map(|axis| L::load_mask(&self.flat[axis], first)),
            radius: L::load(&self.radius, first),
            approach: L::load(&self.approach, first),
            sign: L::load(&self.sign, first),
        }
    }

    /// Sweeps a ball past the first `used` parts.
    #[inline]
    pub(crate) fn sweep(&self, used: usize, ray: &Ray) -> Found<WIDTH> {
        found(used, |first| self.parts::<Wide>(first).enter(ray))
    }

    /// Copies a lane of another block into a lane of this one.
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

/// The motion of a ball's centre.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Ray {
    start: [f32; 3],
    motion: [f32; 3],
    inverse: [f32; 3],
    length: f32,
    /// Hits later than this, as a share of the motion, do not count.
    pub(crate) limit: f32,
}

impl Ray {
    /// Returns the ray of `motion` from `start`.
    #[inline]
    pub(crate) fn new(start: [f32; 3], motion: [f32; 3]) -> Self {
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

/// Returns `1 / value`, kept finite so that no product with it is NaN.
#[inline]
fn inverse(value: f32) -> f32 {
    if value.abs() < 1.0 / FAR {
        FAR
    } else {
        1.0 / value
    }
}

impl<L: Lane> Part<L> {
    /// Returns the time at which the part stops the ball.
    #[inline(always)]
    pub(crate) fn enter(&self, ray: &Ray) -> Met<L> {
        let (zero, far_away) = (L::splat(0.0), L::splat(FAR));
        let (mut m, mut d) = ([zero; 3], [zero; 3]);
        let (mut entry, mut exit) = (zero, far_away);
        for axis in 0..3 {
            let flat = self.flat[axis];
            let (start, inverse) = (L::splat(ray.start[axis]), L::splat(ray.inverse[axis]));
            let (to_min, to_max) = (self.min[axis] - start, self.max[axis] - start);
            m[axis] = L::select(flat, to_min, zero);
            d[axis] = L::select(flat, L::splat(ray.motion[axis]), zero);
            let (one, two) = (to_min * inverse, to_max * inverse);
            entry = L::select(flat, zero, one.lesser(two)).greater(entry);
            exit = L::select(flat, far_away, one.greater(two)).lesser(exit);
        }
        let round = Round::new(&m, &d, self.radius);
        let time = round.touch().greater(entry);
        let facing = self.sign * ((d[0] + d[1]) + d[2]);
        let hit = time.is_within(exit)
            & time.is_within(L::splat(ray.limit))
            & round.meets(time, self.approach, L::splat(ray.length))
            & facing.is_within(zero);
        Met { time, hit }
    }
}

/// Returns a bit for each number of a row that is no farther than `most` from `value`.
#[inline]
pub(crate) fn near(row: &[f32; WIDTH], value: f32, most: f32) -> u32 {
    near_by::<Wide>(row, value, most)
}

#[inline(always)]
fn near_by<L: Lane>(row: &[f32; WIDTH], value: f32, most: f32) -> u32 {
    (0..WIDTH).step_by(L::LANES).fold(0, |bits, first| {
        let off = L::load(row, first) - L::splat(value);
        bits | L::bits(off.greater(-off).is_within(L::splat(most))) << first
    })
}

/// Returns how deep a ball at `point` reaches into each candidate, in metres; negative is the gap.
/// Faces count from their front only.
#[inline]
pub(crate) fn depth(block: &Block, point: [f32; 3]) -> [f32; WIDTH] {
    let mut square = [0.0_f32; WIDTH];
    let mut front = [0.0_f32; WIDTH];
    for axis in 0..3 {
        for lane in 0..WIDTH {
            let below = (block.min[axis][lane] - point[axis]).greater(0.0);
            let above = (point[axis] - block.max[axis][lane]).greater(0.0);
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
