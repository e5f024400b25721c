//! One kernel for each pair of shapes, written over a lane type. Characters use the wide instance
//! where candidates come by the dozen, and the scalar instance elsewhere, like the sweeps of
//! [`crate::sweep`].
//!
//! A moving ball is a moving point against shapes grown by the radius of the ball. All kernels
//! follow the same rules: a face stops from its front only, limits are inclusive, a hit needs
//! approach, and entering sideways while already near is a hit.

use crate::lanes::Lane;
use crate::tolerance::{APPROACH, LEAN};

pub(crate) mod block;
pub(crate) mod ellipsoids;
pub(crate) mod facet;
pub(crate) mod segment;

/// Ratio of the least approach measured across the edge only to the `approach` of the edge.
const GRAZE: f32 = APPROACH / LEAN;

/// The time of a hit, as a share of the motion, with a mask of the lanes that hit.
#[derive(Clone, Copy)]
pub(crate) struct Met<L: Lane> {
    pub(crate) time: L,
    pub(crate) hit: L::Mask,
}

impl<L: Lane> Met<L> {
    /// Returns a miss.
    #[inline(always)]
    fn nothing() -> Self {
        let time = L::splat(f32::INFINITY);
        let hit = time.is_below(time);
        Self { time, hit }
    }
}

impl Met<f32> {
    #[inline(always)]
    pub(crate) fn time(self) -> Option<f32> {
        self.hit.then_some(self.time)
    }
}

/// The hits among several candidates.
pub(crate) struct Found<const N: usize> {
    /// Times as shares of the motion; infinity for a miss.
    pub(crate) times: [f32; N],
    /// A bit for each hit.
    pub(crate) hits: u32,
}

/// Collects the hits among the first `used` candidates; `enter` takes the first lane of a group.
#[inline(always)]
fn found<L: Lane, const N: usize>(used: usize, enter: impl Fn(usize) -> Met<L>) -> Found<N> {
    let (mut times, mut hits) = ([f32::INFINITY; N], 0);
    for first in (0..N).step_by(L::LANES) {
        if first == 0 || first < used {
            let Met { time, hit } = enter(first);
            let bits = L::bits(hit);
            if bits != 0 {
                L::select(hit, time, L::splat(f32::INFINITY)).store(&mut times, first);
                hits |= bits << first;
            }
        }
    }
    if used < N {
        hits &= (1 << used) - 1;
    }
    Found { times, hits }
}

/// A moving point against a ball or, with the components along the axis left out, a cylinder.
struct Round<L> {
    /// Square of the length of the motion.
    a: L,
    /// Dot product of the motion and the offset to the centre.
    b: L,
    discriminant: L,
}

impl<L: Lane> Round<L> {
    /// Makes the test for a centre `m` away from the start of the motion `d`. The discriminant is
    /// `a R^2 - |m x d|^2`, which does not cancel.
    #[inline(always)]
    fn new(m: &[L; 3], d: &[L; 3], radius: L) -> Self {
        let (a, aside) = (dot(d, d), cross(m, d));
        Self {
            a,
            b: dot(m, d),
            discriminant: a * (radius * radius) - dot(&aside, &aside),
        }
    }

    /// Returns the time of the first contact of the endless line of the motion.
    #[inline(always)]
    fn touch(&self) -> L {
        (self.b - self.discriminant.sqrt()) / self.a
    }

    #[inline(always)]
    fn approach(&self, time: L) -> L {
        self.b - self.a * time
    }

    /// Returns whether the surface is reached, and approached by more than `least` times the length
    /// of the whole motion.
    #[inline(always)]
    fn meets(&self, time: L, least: L, length: L) -> L::Mask {
        let (approach, graze) = (self.approach(time), least * L::splat(GRAZE));
        L::splat(0.0).is_within(self.discriminant)
            & (least * length).is_below(approach)
            & (self.a * (graze * graze)).is_below(approach * approach)
    }
}

/// Sweeps a moving point against a ball whose centre is `to` away from the start. The motion is
/// `length` long; hits later than `limit` do not count.
#[inline(always)]
pub(crate) fn enter_ball<L: Lane>(
    to: &[L; 3],
    radius: L,
    motion: &[L; 3],
    length: L,
    limit: L,
) -> Met<L> {
    let zero = L::splat(0.0);
    // Most motions lead away.
    if L::bits(zero.is_below(dot(to, motion))) == 0 {
        return Met::nothing();
    }
    let round = Round::new(to, motion, radius);
    let time = round.touch().greater(zero);
    let hit = round.meets(time, L::splat(LEAN) * radius, length) & time.is_within(limit);
    Met { time, hit }
}

#[inline(always)]
fn dot<L: Lane>(a: &[L; 3], b: &[L; 3]) -> L {
    (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2]
}

#[inline(always)]
fn cross<L: Lane>(a: &[L; 3], b: &[L; 3]) -> [L; 3] {
    let minor = |i: usize, j: usize| a[i] * b[j] - a[j] * b[i];
    [minor(1, 2), minor(2, 0), minor(0, 1)]
}

/// Returns `a - b * share`.
#[inline(always)]
fn less<L: Lane>(a: &[L; 3], b: &[L; 3], share: L) -> [L; 3] {
    [0, 1, 2].map(|axis| a[axis] - b[axis] * share)
}

/// Reads vectors of rows, from the lane `first` on.
#[inline(always)]
fn load<L: Lane, const N: usize>(rows: &[[f32; N]; 3], first: usize) -> [L; 3] {
    [0, 1, 2].map(|axis| L::load(&rows[axis], first))
}

/// Writes a vector into a lane of rows.
#[inline(always)]
fn put<const N: usize>(rows: &mut [[f32; N]; 3], lane: usize, vector: &[f32; 3]) {
    for axis in 0..3 {
        rows[axis][lane] = vector[axis];
    }
}

/// The motion of a ball's centre past slanted parts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Way {
    start: [f32; 3],
    motion: [f32; 3],
    pub(crate) radius: f32,
    length: f32,
}

impl Way {
    #[inline]
    pub(crate) fn new(start: [f32; 3], motion: [f32; 3], radius: f32) -> Self {
        let length = dot(&motion, &motion).sqrt();
        Self {
            start,
            motion,
            radius,
            length,
        }
    }

    /// Returns the offset from a point to the start.
    #[inline(always)]
    fn from<L: Lane>(&self, point: &[L; 3]) -> [L; 3] {
        [0, 1, 2].map(|axis| L::splat(self.start[axis]) - point[axis])
    }
}

/// The part of a motion between two times, with a mask of the lanes where any of it is left.
#[derive(Clone, Copy)]
struct Span<L: Lane> {
    entry: L,
    exit: L,
    is_left: L::Mask,
}

impl<L: Lane> Span<L> {
    /// Keeps the times with `at + rate * time >= 0`.
    #[inline(always)]
    fn clipped(self, at: L, rate: L) -> Self {
        let (zero, time) = (L::splat(0.0), -at / rate);
        let (enters, leaves) = (zero.is_below(rate), rate.is_below(zero));
        Self {
            entry: L::select(enters, time.greater(self.entry), self.entry),
            exit: L::select(leaves, time.lesser(self.exit), self.exit),
            is_left: self.is_left & (enters | leaves | zero.is_within(at)),
        }
    }

    #[inline(always)]
    fn is_some(self) -> L::Mask {
        self.is_left & self.entry.is_within(self.exit)
    }
}
