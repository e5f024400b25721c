//! Materials of the ground: skin, soil and rock, by climate, slope and water nearby.

use crate::material::Material;

use super::fields::smooth;
use super::shape::SEA_LEVEL;

/// The ground at one voxel column.
pub(crate) struct Ground {
    pub(crate) height: f64,
    pub(crate) slope: f64,
    pub(crate) crag: f64,
    pub(crate) warmth: f64,
    pub(crate) moisture: f64,
    pub(crate) mouths: f64,
    pub(crate) mountains: f64,
    pub(crate) terraced: f64,
    pub(crate) water: i32,
}

/// The landscapes that differ in ground and plants.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Biome {
    Desert,
    Savanna,
    Meadow,
    Forest,
    Taiga,
    Snow,
    Alpine,
}

/// Materials from the surface down.
pub(crate) struct Layers {
    pub(crate) skin: Material,
    pub(crate) soil: Material,
    pub(crate) rock: Material,
    /// Topmost voxel of water.
    pub(crate) surface: Material,
}

impl Ground {
    /// Returns the highest solid voxel.
    pub(crate) fn top(&self) -> i32 {
        (self.height - 0.5).floor() as i32
    }

    /// Returns the warmth at this height. It falls with altitude, which makes snow lines.
    pub(crate) fn local_warmth(&self) -> f64 {
        self.warmth - (self.height - 28.0).max(0.0) / 88.0
    }

    pub(crate) fn biome(&self) -> Biome {
        let warmth = self.local_warmth();
        if warmth < -0.62 {
            Biome::Snow
        } else if self.height > 78.0 && self.mountains > 0.3 {
            Biome::Alpine
        } else if warmth < -0.28 {
            Biome::Taiga
        } else if warmth > 0.22 && self.moisture < -0.02 {
            Biome::Desert
        } else if warmth > 0.12 && self.moisture < 0.14 {
            Biome::Savanna
        } else if self.moisture > 0.02 {
            Biome::Forest
        } else {
            Biome::Meadow
        }
    }

    /// Returns true in terraced desert, where the hills have coloured bands.
    fn is_banded(&self, biome: Biome) -> bool {
        biome == Biome::Desert && self.terraced > 0.2
    }
}

/// Placeholder for rock whose colour depends on height; replaced when voxels are written.
pub(crate) const BANDED: Material = Material(u16::MAX);

/// Returns the colour of banded rock at a height.
pub(crate) fn band(y: i32) -> Material {
    const BANDS: [Material; 16] = {
        let (red, pale, dark) = (
            Material::RED_SAND,
            Material::SANDSTONE,
            Material::TERRACOTTA,
        );
        [
            red, red, dark, red, pale, red, red, dark, dark, red, pale, pale, red, dark, red, red,
        ]
    };
    BANDS[y.rem_euclid(16) as usize]
}

impl Layers {
    pub(crate) fn of(ground: &Ground, speckle: f64) -> Self {
        let biome = ground.biome();
        let mut layers = Self::by_biome(biome, ground, speckle);
        if ground.is_banded(biome) {
            layers.rock = BANDED;
        }
        let above = ground.height - f64::from(ground.water);
        let beach = if ground.water == SEA_LEVEL { 2.6 } else { 1.2 };
        if above < beach {
            layers.lay_shore(ground, biome, above, speckle);
        } else if ground.slope > 1.15 + 0.3 * speckle {
            layers.skin = layers.rock;
            layers.soil = layers.rock;
        } else if ground.slope > 0.95 + 0.3 * speckle && biome != Biome::Desert {
            layers.skin = if speckle < 0.4 {
                Material::GRAVEL
            } else {
                layers.soil
            };
        }
        if ground.local_warmth() < -0.66 {
            layers.surface = Material::ICE;
        }
        layers
    }

    fn by_biome(biome: Biome, ground: &Ground, speckle: f64) -> Self {
        let (skin, soil, rock) = match biome {
            Biome::Desert if ground.is_banded(biome) => {
                (Material::RED_SAND, Material::RED_SAND, Material::STONE)
            }
            Biome::Desert => (Material::SAND, Material::SAND, Material::SANDSTONE),
            Biome::Savanna => (Material::DRY_GRASS, Material::DIRT, Material::STONE),
            Biome::Meadow => (Material::GRASS, Material::DIRT, Material::STONE),
            Biome::Forest => (Material::LUSH_GRASS, Material::DIRT, Material::STONE),
            Biome::Taiga => {
                // Snow thins out with increasing warmth.
                let snowy = smooth(-0.34, -0.6, ground.local_warmth());
                let skin = if speckle < snowy {
                    Material::SNOW
                } else {
                    Material::MOSS
                };
                (skin, Material::DIRT, Material::STONE)
            }
            Biome::Snow => (Material::SNOW, Material::SNOW, Material::STONE),
            Biome::Alpine if speckle < 0.35 => (Material::GRAVEL, Material::STONE, Material::STONE),
            Biome::Alpine if ground.slope < 0.7 => {
                (Material::GRASS, Material::DIRT, Material::STONE)
            }
            Biome::Alpine => (Material::STONE, Material::STONE, Material::STONE),
        };
        Self {
            skin,
            soil,
            rock,
            surface: Material::WATER,
        }
    }

    fn lay_shore(&mut self, ground: &Ground, biome: Biome, above: f64, speckle: f64) {
        let cold = matches!(biome, Biome::Snow | Biome::Taiga | Biome::Alpine);
        let fine = if cold {
            Material::GRAVEL
        } else {
            Material::SAND
        };
        if above > -9.0 - 6.0 * speckle {
            if ground.slope < 1.3 {
                (self.skin, self.soil) = (fine, fine);
            }
        } else {
            let deep = if speckle < 0.3 {
                Material::CLAY
            } else {
                Material::GRAVEL
            };
            (self.skin, self.soil) = (deep, Material::GRAVEL);
        }
    }
}
