//! One column of chunks: all properties of the terrain that do not depend on height, computed once.

use super::fields::{Fields, mix_cell, share};
use super::ground::{Ground, Layers};
use super::lattice::{Lattice, MARGIN, STEP};
use super::patches::Patches;
use super::trees::{Tree, plant};
use crate::chunk::SIDE;
use crate::material::Material;

/// The look of borders between materials.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Borders {
    /// Voxels of both are mixed.
    Speckled,
    /// Each is in one piece, with patches.
    Patched,
}

/// One column of chunks, ready to be filled at any height.
pub struct Column {
    pub(crate) lattice: Lattice,
    pub(crate) ground: Box<ColumnGround>,
    pub(crate) trees: Vec<Tree>,
    /// All voxels at or above this height are air.
    pub(crate) top: i32,
    /// All voxels below this height are solid, except in caves.
    pub(crate) bottom: i32,
    /// True if there are no crags anywhere in the column.
    pub(crate) smooth: bool,
}

/// The ground by voxel column, at `z * 32 + x`.
pub(crate) struct ColumnGround {
    pub(crate) height: [f32; SIDE * SIDE],
    /// Highest solid voxel, before crags and caves.
    pub(crate) top: [i32; SIDE * SIDE],
    /// Voxels below this height that are not solid are water.
    pub(crate) water: [i32; SIDE * SIDE],
    pub(crate) skin: [Material; SIDE * SIDE],
    pub(crate) soil: [Material; SIDE * SIDE],
    pub(crate) rock: [Material; SIDE * SIDE],
    /// Material of the topmost water voxel.
    pub(crate) surface: [Material; SIDE * SIDE],
}

impl Column {
    /// Computes the column of chunks at `[x, z]`.
    pub(crate) fn new(fields: &Fields, seed: u64, [x, z]: [i32; 2], borders: Borders) -> Self {
        let lattice = Lattice::new(fields, seed, x, z);
        let mut column = Self {
            trees: plant(fields, seed, &lattice),
            lattice,
            ground: Box::new(ColumnGround::empty()),
            top: i32::MIN,
            bottom: i32::MAX,
            smooth: true,
        };
        column.lay_ground(seed, borders);
        column.measure();
        column
    }

    fn lay_ground(&mut self, seed: u64, borders: Borders) {
        let patches = Patches::new(seed, self.lattice.origin);
        for z in 0..SIDE as i32 {
            for x in 0..SIDE as i32 {
                let mut ground = self.lattice.between(x, z);
                let cell = [
                    self.lattice.origin[0].wrapping_add(x),
                    self.lattice.origin[1].wrapping_add(z),
                ];
                let speckle = match borders {
                    Borders::Speckled => share(mix_cell(seed ^ 0x5eed, cell[0], cell[1]), 0),
                    Borders::Patched => patches.at(x as usize, z as usize),
                };
                ground.warmth += (speckle - 0.5) * 0.05;
                ground.moisture += (speckle - 0.5) * 0.05;
                let layers = Layers::of(&ground, speckle);
                self.ground
                    .set((z * SIDE as i32 + x) as usize, &ground, &layers);
            }
        }
    }

    fn measure(&mut self) {
        for index in 0..SIDE * SIDE {
            let top = self.ground.top[index] + 1;
            self.bottom = self.bottom.min(top);
            self.top = self.top.max(top).max(self.ground.water[index]);
        }
        let last = SIDE as i32 + STEP as i32;
        for z in (-MARGIN..=last).step_by(STEP) {
            for x in (-MARGIN..=last).step_by(STEP) {
                let point = *self.lattice.point(x, z);
                // Lower neighbouring land exposes our side of the step.
                self.bottom = self.bottom.min(point.height as i32 - 1);
                if point.crag > 0.0 {
                    self.smooth = false;
                    self.top = self.top.max((point.height + point.crag) as i32 + 2);
                    self.bottom = self.bottom.min((point.height - point.crag) as i32 - 2);
                }
            }
        }
        for tree in &self.trees {
            self.top = self.top.max(tree.top());
        }
    }
}

impl ColumnGround {
    fn empty() -> Self {
        Self {
            height: [0.0; SIDE * SIDE],
            top: [0; SIDE * SIDE],
            water: [0; SIDE * SIDE],
            skin: [Material::AIR; SIDE * SIDE],
            soil: [Material::AIR; SIDE * SIDE],
            rock: [Material::AIR; SIDE * SIDE],
            surface: [Material::AIR; SIDE * SIDE],
        }
    }

    fn set(&mut self, index: usize, ground: &Ground, layers: &Layers) {
        self.height[index] = ground.height as f32;
        self.top[index] = ground.top();
        self.water[index] = ground.water;
        self.skin[index] = layers.skin;
        self.soil[index] = layers.soil;
        self.rock[index] = layers.rock;
        self.surface[index] = layers.surface;
    }
}
