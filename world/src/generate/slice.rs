//! A slice of voxel columns of a chunk, in narrow integers that vectorise well.

use super::column::Column;
use super::ground::{BANDED, band};
use super::{ROCK_DEPTH, SOIL_DEPTH};
use crate::chunk::SIDE;
use crate::material::Material;

/// The inputs for painting a slice of equal z; heights count from the bottom of the chunk.
pub(super) struct Slice {
    bottom: i32,
    top: [i16; SIDE],
    water: [i16; SIDE],
    skin: [Material; SIDE],
    soil: [Material; SIDE],
    rock: [Material; SIDE],
    surface: [Material; SIDE],
    /// True if some colours depend on height.
    is_banded: bool,
}

impl Slice {
    pub(super) fn of(column: &Column, bottom: i32, z: usize) -> Self {
        let ground = &column.ground;
        let row = z * SIDE..(z + 1) * SIDE;
        let materials = |of: &[Material]| {
            let mut out = [Material::AIR; SIDE];
            out.copy_from_slice(&of[row.clone()]);
            out
        };
        let heights = |of: &[i32]| {
            let mut out = [0; SIDE];
            for (out, height) in out.iter_mut().zip(&of[row.clone()]) {
                // Beyond a few chunks, only above or below matters.
                *out = (height - bottom).clamp(-4096, 4096) as i16;
            }
            out
        };
        let mut slice = Self {
            bottom,
            top: heights(&ground.top),
            water: heights(&ground.water),
            skin: materials(&ground.skin),
            soil: materials(&ground.soil),
            rock: materials(&ground.rock),
            surface: materials(&ground.surface),
            is_banded: false,
        };
        let grounds = [&slice.skin, &slice.soil, &slice.rock];
        slice.is_banded = grounds.iter().any(|ground| ground.contains(&BANDED));
        slice
    }

    /// Returns the lowest top, and the highest voxel that is not air.
    pub(super) fn range(&self) -> (i16, i16) {
        let lowest = self.top.iter().fold(i16::MAX, |low, &top| low.min(top));
        let highest = self.top.iter().fold(i16::MIN, |high, &top| high.max(top));
        let water = self.water.iter().fold(i16::MIN, |high, &top| high.max(top));
        (lowest, highest.max(water - 1))
    }

    /// Returns the depth of the voxels of a height below the tops; negative above them.
    pub(super) fn depth(&self, height: i16) -> [i16; SIDE] {
        self.top.map(|top| top - height)
    }

    /// Paints the voxels of a height, given their depth below open air.
    pub(super) fn paint(&self, depth: &[i16; SIDE], height: i16, out: &mut [Material; SIDE]) {
        let (mut rock, mut soil, mut skin) = (self.rock, self.soil, self.skin);
        if self.is_banded {
            let banded = band(self.bottom + i32::from(height));
            for ground in [&mut rock, &mut soil, &mut skin] {
                *ground = put(*ground, ground, &[banded; SIDE], |material| {
                    material == BANDED
                });
            }
        }
        let under = self.depth(height);
        let mut water = [0; SIDE];
        for x in 0..SIDE {
            let above = self.water[x] - height;
            water[x] = if depth[x] < 0 { above } else { 0 };
        }
        let ground = put([Material::STONE; SIDE], &under, &rock, |depth| {
            depth <= ROCK_DEPTH
        });
        let ground = put(ground, depth, &soil, |depth| depth <= SOIL_DEPTH);
        let ground = put(ground, depth, &skin, |depth| depth <= 0);
        let ground = put(ground, depth, &[Material::AIR; SIDE], |depth| depth < 0);
        let ground = put(ground, &water, &self.surface, |above| above > 0);
        *out = put(ground, &water, &[Material::WATER; SIDE], |above| above > 1);
    }
}

/// Replaces materials wherever a value passes; without branches, so that it is vectorised.
#[inline(always)]
fn put<T: Copy>(
    materials: [Material; SIDE],
    values: &[T; SIDE],
    by: &[Material; SIDE],
    pass: impl Fn(T) -> bool,
) -> [Material; SIDE] {
    let mut out = materials;
    for x in 0..SIDE {
        let (kept, other) = (materials[x].0, by[x].0);
        out[x] = Material(if pass(values[x]) { other } else { kept });
    }
    out
}
