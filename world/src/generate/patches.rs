//! Smooth noise of a few metres. It bends the borders of materials and puts patches on either side
//! of them; noise of single voxels would look like confetti.

use super::fields::{lerp, mix_cell, share, smooth};
use crate::chunk::SIDE;

/// Metres from corner to corner of the coarse and the fine noise. They divide a chunk.
const WAVES: [usize; 2] = [8, 4];
/// Share of the coarse noise.
const COARSE: f64 = 0.65;
/// Most corners along a chunk.
const MOST: usize = SIDE / WAVES[1] + 1;
/// The noise is stretched about its middle by this much and cut off, so that its values are spread
/// about as evenly as those of a hash.
const STRETCH: f64 = 1.7;

/// The noise over one column of chunks.
pub(crate) struct Patches {
    waves: [[[f64; MOST]; MOST]; 2],
}

impl Patches {
    /// Computes the noise of a column of chunks with this first cell.
    pub(crate) fn new(seed: u64, origin: [i32; 2]) -> Self {
        let corners = |wave: usize| {
            let first = origin.map(|along| along.div_euclid(WAVES[wave] as i32));
            let corner = |x: usize, z: usize| {
                let [x, z] = [first[0] + x as i32, first[1] + z as i32];
                share(mix_cell(seed ^ 0xb0de, x, z), wave as u32)
            };
            std::array::from_fn(|z| std::array::from_fn(|x| corner(x, z)))
        };
        Self {
            waves: [corners(0), corners(1)],
        }
    }

    /// Returns the noise at a voxel of the column, 0 to 1.
    pub(crate) fn at(&self, x: usize, z: usize) -> f64 {
        let [coarse, fine] = [0, 1].map(|wave| {
            let side = WAVES[wave];
            let corners = &self.waves[wave];
            let within = |along: usize| smooth(0.0, 1.0, (along % side) as f64 / side as f64);
            let (west, north) = (x / side, z / side);
            let row = |z: usize| lerp(corners[z][west], corners[z][west + 1], within(x));
            lerp(row(north), row(north + 1), within(z))
        });
        let noise = lerp(fine, coarse, COARSE);
        ((noise - 0.5) * STRETCH + 0.5).clamp(0.0, 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_is_smooth_across_columns_and_spread_evenly() {
        let side = SIDE as i32;
        let columns = [0, 1, 2].map(|x| Patches::new(7, [(x - 1) * side, 64]));
        let at = |x: usize, z: usize| columns[x / SIDE].at(x % SIDE, z);
        let mut below = [0; 4];
        for z in 0..SIDE {
            for x in 0..3 * SIDE {
                let here = at(x, z);
                assert!((0.0..=1.0).contains(&here));
                below[(here * 4.0).min(3.0) as usize] += 1;
                if x > 0 {
                    let step = (here - at(x - 1, z)).abs();
                    assert!(step < 0.5, "a step of {step} at {x}, {z}");
                }
            }
        }
        let all = 3 * SIDE * SIDE;
        for quarter in below {
            assert!((all / 8..all / 2).contains(&quarter), "{below:?} of {all}");
        }
    }
}
