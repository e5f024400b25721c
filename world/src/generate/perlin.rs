//! Gradient noise with the same bits as crate `noise`, but without its calls and branches: the
//! terrain takes some thousand samples per column.
//!
//! The table of a seed is taken from the crate itself; a test compares samples.

use noise::permutationtable::{NoiseHasher, PermutationTable};

/// Scales the sum of two components of an offset to about `[-1, 1]`, in two and three dimensions.
const FLAT_SCALE: f64 = 2.0 / std::f64::consts::SQRT_2;
const SOLID_SCALE: f64 = 1.154_700_538_379_251_5;

/// The noise of one seed. Coordinates must stay within `2^51`.
pub(crate) struct Perlin {
    table: [u8; 256],
}

/// A coordinate between two lattice points.
#[derive(Clone, Copy)]
pub(crate) struct Along {
    /// Table indices of the points before and behind.
    points: [u8; 2],
    /// Distances from these points.
    offsets: [f64; 2],
    /// Fraction of the way, eased at both ends.
    eased: f64,
}

impl Along {
    /// Locates a coordinate. On a lattice point, it counts as just behind the point if positive,
    /// else just before it, as in the crate.
    #[inline(always)]
    pub(crate) fn of(at: f64) -> Self {
        // Adding this number rounds away the fraction and leaves the integer in the lowest bits.
        const WHOLE: f64 = 6_755_399_441_055_744.0;
        let shifted = at + WHOLE;
        let nearest = shifted - WHOLE;
        let beyond = (nearest > at) | ((nearest == at) & (at <= 0.0));
        let before = nearest - f64::from(u8::from(beyond));
        let point = (shifted.to_bits() as u8).wrapping_sub(u8::from(beyond));
        let offset = at - before;
        let x = offset.clamp(0.0, 1.0);
        Self {
            points: [point, point.wrapping_add(1)],
            offsets: [offset, offset - 1.0],
            eased: x * x * x * (x * (x * 6.0 - 15.0) + 10.0),
        }
    }
}

#[inline(always)]
fn linear(from: f64, to: f64, share: f64) -> f64 {
    to * share + from * (1.0 - share)
}

/// Negates a value if the lowest bit is set.
#[inline(always)]
fn turned(value: f64, bit: u64) -> f64 {
    f64::from_bits(value.to_bits() ^ (bit << 63))
}

impl Perlin {
    /// Returns the noise of a seed.
    pub(crate) fn new(seed: u32) -> Self {
        let table = PermutationTable::new(seed);
        Self {
            table: std::array::from_fn(|index| table.hash(&[index as isize]) as u8),
        }
    }

    #[inline(always)]
    fn look(&self, index: u8) -> u8 {
        self.table[usize::from(index)]
    }

    /// Returns the noise at a point of the plane.
    #[inline]
    pub(crate) fn flat(&self, x: f64, y: f64) -> f64 {
        let (x, y) = (Along::of(x), Along::of(y));
        let slope = |column: usize, row: usize| {
            let hash = self.look(self.look(x.points[column]) ^ y.points[row]);
            let bits = u64::from(hash);
            turned(x.offsets[column], bits & 1) + turned(y.offsets[row], bits >> 1 & 1)
        };
        let before = linear(slope(0, 0), slope(0, 1), y.eased);
        let behind = linear(slope(1, 0), slope(1, 1), y.eased);
        (linear(before, behind, x.eased) * FLAT_SCALE).clamp(-1.0, 1.0)
    }

    /// Returns the noise at a point in space.
    #[inline]
    pub(crate) fn solid(&self, x: &Along, y: &Along, z: &Along) -> f64 {
        let edge = |column: usize, row: usize| {
            let hash = self.look(self.look(x.points[column]) ^ y.points[row]);
            let slope = |layer: usize| {
                let hash = self.look(hash ^ z.points[layer]);
                let parts = [x.offsets[column], y.offsets[row], z.offsets[layer]];
                Slope::of(hash).along(parts)
            };
            linear(slope(0), slope(1), z.eased)
        };
        let side = |column: usize| linear(edge(column, 0), edge(column, 1), y.eased);
        (linear(side(0), side(1), x.eased) * SOLID_SCALE).clamp(-1.0, 1.0)
    }
}

/// A gradient in space: the sum of two components of an offset, each with a sign.
#[derive(Clone, Copy)]
struct Slope {
    parts: [u8; 2],
    turned: [u8; 2],
}

impl Slope {
    /// The sixteen gradients; four occur twice.
    const ALL: [Self; 16] = {
        const fn pair(first: u8, second: u8, turns: u8) -> Slope {
            Slope {
                parts: [first, second],
                turned: [turns & 1, turns >> 1],
            }
        }
        [
            pair(0, 1, 0),
            pair(0, 1, 1),
            pair(0, 1, 2),
            pair(0, 1, 3),
            pair(0, 2, 0),
            pair(0, 2, 1),
            pair(0, 2, 2),
            pair(0, 2, 3),
            pair(1, 2, 0),
            pair(1, 2, 1),
            pair(1, 2, 2),
            pair(1, 2, 3),
            pair(0, 1, 0),
            pair(0, 1, 1),
            pair(1, 2, 1),
            pair(1, 2, 3),
        ]
    };

    #[inline(always)]
    fn of(hash: u8) -> Self {
        Self::ALL[usize::from(hash & 15)]
    }

    #[inline(always)]
    fn along(self, offset: [f64; 3]) -> f64 {
        let [first, second] = [0, 1].map(|index| {
            let part = offset[usize::from(self.parts[index]) % 3];
            turned(part, u64::from(self.turned[index]))
        });
        first + second
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use noise::NoiseFn;
    use proptest::prelude::*;

    fn check(seed: u32, at: [f64; 3]) {
        let (ours, theirs) = (Perlin::new(seed), noise::Perlin::new(seed));
        let flat = ours.flat(at[0], at[1]);
        assert_eq!(flat.to_bits(), theirs.get([at[0], at[1]]).to_bits());
        let [x, y, z] = at.map(Along::of);
        assert_eq!(ours.solid(&x, &y, &z).to_bits(), theirs.get(at).to_bits());
    }

    #[test]
    fn lattice_points_have_the_bits_of_the_crate() {
        let special = [
            0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 255.0, 256.0, -256.0, 1e-300, -1e-300, 8e7,
        ];
        for x in special {
            for y in special {
                special.into_iter().for_each(|z| check(7, [x, y, z]));
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn samples_have_the_bits_of_the_crate(
            seed: u32,
            at in prop::array::uniform3(-3e8..3e8),
            near in prop::array::uniform3(-40.0..40.0),
        ) {
            check(seed, at);
            check(seed, near);
        }
    }
}
