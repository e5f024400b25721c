//! The shape of the land: height, warmth and moisture at any point of the ground plane.
//!
//! `Climate` varies slowly and is sampled on a coarse lattice; `Climate::height` adds the finer
//! detail: a warped map of continents carries mountains, hills, terraces (which make cliffs and
//! mesas) and rivers.

use super::fields::{Fields, lerp, octaves, polyline, ridges, smooth};

/// Sea level: voxels below it that are not solid are water.
pub(crate) const SEA_LEVEL: i32 = 0;

/// Height of the land by the continent field alone.
const CONTINENT: [(f64, f64); 9] = [
    (-0.70, -58.0),
    (-0.35, -38.0),
    (-0.16, -16.0),
    (-0.06, -5.0),
    (0.00, 1.5),
    (0.06, 5.0),
    (0.18, 13.0),
    (0.40, 27.0),
    (0.75, 44.0),
];

/// Slowly varying properties of the land; linear between samples.
#[derive(Clone, Copy, Default)]
pub(crate) struct Climate {
    /// Height by continents alone, in metres.
    pub(crate) base: f64,
    /// Strength of mountains, `0..=1`.
    pub(crate) mountains: f64,
    /// Strength of terraces, `0..=1`.
    pub(crate) terraced: f64,
    /// Height of hills, in metres.
    pub(crate) rolling: f64,
    /// Warmth at sea level, from -1 (arctic) to 1 (hot desert).
    pub(crate) warmth: f64,
    /// Moisture, from -1 (dry) to 1 (rain forest).
    pub(crate) moisture: f64,
    /// Above zero, caves may break through the surface.
    pub(crate) mouths: f64,
    /// Displacement of the fine fields, in metres.
    pub(crate) warp: [f64; 2],
}

impl Climate {
    /// Samples the fields at a point.
    pub(crate) fn sample(fields: &Fields, x: f64, z: f64) -> Self {
        let warp = [
            octaves(&fields.warp[0], x, z, 420.0, 2) * 70.0,
            octaves(&fields.warp[1], x, z, 420.0, 2) * 70.0,
        ];
        let continent =
            octaves(&fields.continent, x + warp[0], z + warp[1], 1500.0, 4) * 1.1 + 0.12;
        let inland = smooth(0.02, 0.30, continent);
        let relief = octaves(&fields.relief, x, z, 950.0, 2);
        Self {
            base: polyline(&CONTINENT, continent),
            mountains: smooth(0.02, 0.42, relief) * inland,
            terraced: smooth(0.05, 0.30, octaves(&fields.steps, x, z, 640.0, 2))
                * smooth(-0.10, 0.03, continent),
            rolling: 3.0 + 15.0 * smooth(-0.5, 0.4, relief) * smooth(-0.05, 0.2, continent),
            warmth: octaves(&fields.warmth, x, z, 1300.0, 2) * 1.4,
            moisture: octaves(&fields.moisture, x, z, 1000.0, 2) * 1.4,
            mouths: octaves(&fields.mouths, x, z, 170.0, 2) - 0.1,
            warp,
        }
    }

    /// Interpolates between two samples.
    pub(crate) fn mix(&self, other: &Self, share: f64) -> Self {
        Self {
            base: lerp(self.base, other.base, share),
            mountains: lerp(self.mountains, other.mountains, share),
            terraced: lerp(self.terraced, other.terraced, share),
            rolling: lerp(self.rolling, other.rolling, share),
            warmth: lerp(self.warmth, other.warmth, share),
            moisture: lerp(self.moisture, other.moisture, share),
            mouths: lerp(self.mouths, other.mouths, share),
            warp: [
                lerp(self.warp[0], other.warp[0], share),
                lerp(self.warp[1], other.warp[1], share),
            ],
        }
    }

    /// Returns the height of the land in metres, before lakes, crags and caves.
    pub(crate) fn height(&self, fields: &Fields, x: f64, z: f64) -> f64 {
        let (bent_x, bent_z) = (x + self.warp[0] * 0.4, z + self.warp[1] * 0.4);
        let mut height =
            self.base + octaves(&fields.hills, bent_x, bent_z, 150.0, 3) * self.rolling;
        if self.mountains > 0.0 {
            let crest = ridges(&fields.ridges, bent_x, bent_z, 460.0, 4);
            height += self.mountains * (crest * crest * 190.0 + 4.0);
        }
        let height = self.cut_terraces(height);
        self.cut_river(fields, bent_x, bent_z, height)
    }

    /// Pulls heights towards level steps, with cliffs between them.
    fn cut_terraces(&self, height: f64) -> f64 {
        if self.terraced <= 0.0 {
            return height;
        }
        let step = lerp(13.0, 26.0, self.mountains);
        // Shifted so that no step lies at sea level: a coast is a beach or a cliff, not a puddle.
        let position = (height + 5.0) / step;
        let level = position.floor();
        let within = position - level;
        let cut = (level + smooth(0.36, 0.64, within) * 0.86 + within * 0.14) * step - 5.0;
        lerp(height, cut, self.terraced)
    }

    /// Cuts rivers along the zero line of a field, through low land to below sea level.
    fn cut_river(&self, fields: &Fields, x: f64, z: f64, height: f64) -> f64 {
        let low = smooth(46.0, 18.0, height) * (1.0 - self.mountains);
        if low <= 0.0 || height < -6.0 {
            return height;
        }
        let across = octaves(&fields.rivers, x, z, 760.0, 3).abs();
        let bed = -4.5;
        let bank = lerp(bed, height.min(5.0), smooth(0.012, 0.034, across));
        let valley = lerp(bank, height, smooth(0.024, 0.13, across));
        lerp(height, height.min(valley), low)
    }
}
