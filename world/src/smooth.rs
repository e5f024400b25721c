//! Smoothing: sets a voxel to the majority of the 27 voxels around and including it.
//!
//! Counting bits of 32 voxels at a time finds those that change; in solid ground and open air there
//! are none. Only for those are the materials around them read. A missing voxel counts like the one
//! beside it; the space around an object is air.

use crate::chunk::{SIDE, row_of};
use crate::material::Material;
use crate::space::{BrickId, Space};

/// With more solid voxels than this among the 27, the middle one becomes solid, else open.
const HALF: u32 = 13;

/// A chunk and its 26 neighbours.
pub(crate) struct Smoother<'a> {
    space: &'a Space,
    around: &'a [BrickId; 27],
}

/// A row with its two neighbours, 34 voxels: bit `x + 1`.
#[derive(Clone, Copy, Default)]
struct Strip {
    solid: u64,
    /// Voxels of chunks that are not loaded.
    unknown: u64,
}

impl<'a> Smoother<'a> {
    pub(crate) fn new(space: &'a Space, brick: BrickId) -> Self {
        let around = space.bricks_around(brick);
        Self { space, around }
    }

    /// Calls `change` with the voxels of a row that change, by material.
    pub(crate) fn row(&self, row: usize, mask: u32, mut change: impl FnMut(u32, Material)) {
        let (y, z) = ((row % SIDE) as i32, (row / SIDE) as i32);
        let strips: [Strip; 9] = std::array::from_fn(|index| {
            self.strip(y + index as i32 % 3 - 1, z + index as i32 / 3 - 1)
        });
        let here = (strips[4].solid >> 1) as u32;
        let mut changing = mask & Self::mixed(&strips);
        let mut changed: Vec<(Material, u32)> = Vec::new();
        while changing != 0 {
            let x = changing.trailing_zeros();
            changing &= changing - 1;
            let is_solid = here >> x & 1 != 0;
            let filled: u32 = strips
                .iter()
                .map(|strip| {
                    let solid = strip.solid | if is_solid { strip.unknown } else { 0 };
                    (solid >> x & 7).count_ones()
                })
                .sum();
            if is_solid == (filled > HALF) {
                continue;
            }
            let material = self.commonest([x as i32, y, z], !is_solid);
            match changed.iter_mut().find(|(known, _)| *known == material) {
                Some((_, voxels)) => *voxels |= 1 << x,
                None => changed.push((material, 1 << x)),
            }
        }
        for (material, voxels) in changed {
            change(voxels, material);
        }
    }

    /// Returns the voxels with both solid and open neighbours; all others stay.
    fn mixed(strips: &[Strip; 9]) -> u32 {
        let any = |bits: u64| bits | bits >> 1 | bits >> 2;
        let (solid, open) = strips.iter().fold((0, 0), |(solid, open), strip| {
            let empty = !(strip.solid | strip.unknown);
            (solid | any(strip.solid), open | any(empty))
        });
        (solid & open) as u32
    }

    /// Returns the row at `y` and `z`, each -1 to 32, in coordinates of the middle chunk.
    fn strip(&self, y: i32, z: i32) -> Strip {
        let row = row_of((y & 31) as usize, (z & 31) as usize);
        let part = |step: i32| {
            let id = self.beside(step, y, z);
            match id == BrickId::NOT_LOADED {
                true => (0, u64::from(u32::MAX)),
                false => (u64::from(self.space.brick(id).occupancy()[row]), 0),
            }
        };
        let (before, middle, after) = (part(-1), part(0), part(1));
        let joined = |a: u64, b: u64, c: u64| a >> 31 | b << 1 | (c & 1) << 33;
        Strip {
            solid: joined(before.0, middle.0, after.0),
            unknown: joined(before.1, middle.1, after.1),
        }
    }

    /// Returns the chunk of a row, `step` chunks along x from the middle one.
    fn beside(&self, step: i32, y: i32, z: i32) -> BrickId {
        self.around[((step + 1) + 3 * ((y >> 5) + 1) + 9 * ((z >> 5) + 1)) as usize]
    }

    /// Returns the most frequent solid, or open, material around a voxel; of equals the lowest id.
    fn commonest(&self, [x, y, z]: [i32; 3], solid: bool) -> Material {
        let mut tally = Tally::default();
        for index in 0..27 {
            let [x, y, z] = [x + index % 3 - 1, y + index / 3 % 3 - 1, z + index / 9 - 1];
            let id = self.beside(x >> 5, y, z);
            let brick = self.space.brick(id);
            let [x, y, z] = [x, y, z].map(|part| (part & 31) as usize);
            let is_solid = brick.occupancy()[row_of(y, z)] >> x & 1 != 0;
            if id != BrickId::NOT_LOADED && is_solid == solid {
                tally.add(brick.material(x, y, z));
            }
        }
        tally.most()
    }
}

/// Counts materials, at most 27 of them.
#[derive(Default)]
struct Tally {
    counts: [(Material, u8); 27],
    used: usize,
}

impl Tally {
    fn add(&mut self, material: Material) {
        let known = &mut self.counts[..self.used];
        match known.iter_mut().find(|(known, _)| *known == material) {
            Some((_, count)) => *count += 1,
            None => {
                self.counts[self.used] = (material, 1);
                self.used += 1;
            }
        }
    }

    fn most(&self) -> Material {
        let counts = self.counts[..self.used].iter();
        let best = counts.min_by_key(|(material, count)| (u8::MAX - count, material.0));
        best.map_or(Material::AIR, |(material, _)| *material)
    }
}
