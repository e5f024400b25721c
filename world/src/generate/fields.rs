//! The seeded noise fields of the terrain, and exact arithmetic on them.
//!
//! Only `+ - * /`, comparisons and rounding to whole numbers are used, so that a field has the same
//! bits on every machine. The meaning of the fields is in `shape`; `column` and `solid` sample
//! them.

use super::perlin::Perlin;

/// One noise function for each property of the terrain.
pub(crate) struct Fields {
    pub(crate) warp: [Perlin; 2],
    pub(crate) continent: Perlin,
    pub(crate) relief: Perlin,
    pub(crate) ridges: Perlin,
    pub(crate) hills: Perlin,
    pub(crate) steps: Perlin,
    pub(crate) rivers: Perlin,
    pub(crate) warmth: Perlin,
    pub(crate) moisture: Perlin,
    pub(crate) mouths: Perlin,
    pub(crate) groves: Perlin,
    pub(crate) crags: Perlin,
    pub(crate) tunnels: [Perlin; 2],
    pub(crate) caverns: Perlin,
}

impl Fields {
    /// Returns the fields of a seed; different seeds are independent.
    pub(crate) fn new(seed: u64) -> Self {
        let noise = |field: u64| Perlin::new(mix(seed, field) as u32);
        Self {
            warp: [noise(1), noise(2)],
            continent: noise(3),
            relief: noise(4),
            ridges: noise(5),
            hills: noise(6),
            steps: noise(7),
            rivers: noise(8),
            warmth: noise(9),
            moisture: noise(10),
            mouths: noise(11),
            groves: noise(12),
            crags: noise(13),
            tunnels: [noise(14), noise(15)],
            caverns: noise(16),
        }
    }
}

/// Hashes a seed and a number; derives seeds and scatters objects.
pub(crate) fn mix(seed: u64, value: u64) -> u64 {
    let mut bits = seed ^ value.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

/// Hashes a seed and a place on the ground.
pub(crate) fn mix_cell(seed: u64, x: i32, z: i32) -> u64 {
    mix(seed, u64::from(x as u32) | u64::from(z as u32) << 32)
}

/// Returns the `index`-th group of 12 bits as a number in `[0, 1)`.
pub(crate) fn share(bits: u64, index: u32) -> f64 {
    ((bits >> (index * 12)) & 0xfff) as f64 / 4096.0
}

/// Sums octaves of one noise, each half as strong, twice as fine and rotated against the last;
/// about `[-1, 1]`.
pub(crate) fn octaves(noise: &Perlin, x: f64, z: f64, wavelength: f64, count: u32) -> f64 {
    let mut sum = 0.0;
    walk_octaves(noise, x, z, wavelength, count, |value, weight| {
        sum += value * weight
    });
    sum
}

/// Sums octaves folded at zero, so that zero lines become crests; about `[0, 1]`.
pub(crate) fn ridges(noise: &Perlin, x: f64, z: f64, wavelength: f64, count: u32) -> f64 {
    let (mut sum, mut crest, mut total) = (0.0, 1.0, 0.0);
    walk_octaves(noise, x, z, wavelength, count, |value, weight| {
        let fold = 1.0 - value.abs();
        sum += fold * fold * crest * weight;
        total += weight;
        // Fine ridges only appear on the flanks of coarse ones, so that valleys stay smooth.
        crest = fold;
    });
    sum / total
}

fn walk_octaves(
    noise: &Perlin,
    x: f64,
    z: f64,
    wavelength: f64,
    count: u32,
    mut visit: impl FnMut(f64, f64),
) {
    let (mut x, mut z, mut weight) = (x / wavelength, z / wavelength, 1.0);
    for _ in 0..count {
        visit(noise.flat(x, z), weight);
        (x, z) = (1.6 * x - 1.2 * z + 0.371, 1.2 * x + 1.6 * z + 0.713);
        weight *= 0.5;
    }
}

/// Returns 0 below `from`, 1 above `to`, and a smooth step between.
pub(crate) fn smooth(from: f64, to: f64, value: f64) -> f64 {
    let t = ((value - from) / (to - from)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

pub(crate) fn lerp(from: f64, to: f64, share: f64) -> f64 {
    from + (to - from) * share
}

/// Interpolates linearly between `(position, value)` points in rising order; constant outside.
pub(crate) fn polyline(points: &[(f64, f64)], position: f64) -> f64 {
    let mut last = points[0];
    for &next in points {
        if position < next.0 {
            if next.0 <= last.0 {
                return next.1;
            }
            return lerp(
                last.1,
                next.1,
                ((position - last.0) / (next.0 - last.0)).clamp(0.0, 1.0),
            );
        }
        last = next;
    }
    last.1
}
