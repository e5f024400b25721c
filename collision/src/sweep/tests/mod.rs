//! The ladder of each shape pair, and random cases against brute force in `f64` that shares no code
//! with the kernels.
#![allow(clippy::unwrap_used)]

mod ellipsoids;
mod flat;
mod needles;
mod oracle;
mod round;
mod triangles;

use nalgebra::Vector3;

use super::*;

pub(super) fn v(x: f32, y: f32, z: f32) -> Vector3<f32> {
    Vector3::new(x, y, z)
}

pub(super) fn ball(center: Vector3<f32>, radius: f32) -> Sphere {
    Sphere { center, radius }
}

/// A small generator of random numbers (splitmix64), so that a seed identifies every case.
pub(super) struct Dice(u64);

impl Dice {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(super) fn within(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * ((self.next() >> 40) as f32 / (1 << 24) as f32)
    }

    pub(super) fn vector(&mut self, reach: f32) -> Vector3<f32> {
        Vector3::from_fn(|_, _| self.within(-reach, reach))
    }

    /// Returns a motion from `start` that passes near `target`, of random length.
    pub(super) fn motion_near(
        &mut self,
        start: &Vector3<f32>,
        target: &Vector3<f32>,
        miss: f32,
    ) -> Vector3<f32> {
        (target + self.vector(miss) - start) * self.within(0.3, 2.5)
    }
}

/// Asserts that a sweep has no hit for zero, tiny and NaN motions.
pub(super) fn ignores_no_motion(sweep: impl Fn(&Vector3<f32>) -> Option<SweepHit>) {
    for length in [0.0, 1e-39, -1e-42, f32::NAN] {
        assert_eq!(sweep(&v(length, 0.0, 0.0)), None, "along x by {length}");
        assert_eq!(sweep(&v(0.0, length, length)), None, "across by {length}");
    }
}
