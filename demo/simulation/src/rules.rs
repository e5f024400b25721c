//! The rules that players choose: shape and movement of characters, and the fog of war.

use serde::{Deserialize, Serialize};

/// Shape and movement of the player's character and the walkers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Characters {
    /// Horizontal radius, metres.
    pub radius: f32,
    /// Vertical radius, metres: half the height.
    pub half_height: f32,
    /// The highest step taken without a jump, metres.
    pub step_height: f32,
    /// The highest step taken while falling, metres.
    pub air_step: f32,
    /// Steepest slope to stand on, degrees.
    pub slope_degrees: f32,
    /// Share of the motion into a wall that is lost from the motion along it.
    pub friction: f32,
    /// Share of a slide that is lost by the angle it turns, 0 to 1.
    pub shrink: f32,
    /// Walking speed, metres a second.
    pub walk_speed: f32,
    /// Sprinting speed, metres a second.
    pub sprint_speed: f32,
    /// Flying speed, metres a second.
    pub fly_speed: f32,
    /// Height of a jump, metres.
    pub jump_height: f32,
    /// Number of walkers.
    pub crowd: u32,
}

impl Default for Characters {
    fn default() -> Self {
        Characters {
            radius: 0.4,
            half_height: 0.9,
            step_height: 1.05,
            air_step: 0.0,
            slope_degrees: 50.0,
            friction: 0.0,
            shrink: 0.0,
            walk_speed: 5.0,
            sprint_speed: 8.5,
            fly_speed: 18.0,
            jump_height: 1.35,
            crowd: 40,
        }
    }
}

/// Settings of the fog of war.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct FogChoice {
    /// Test for obstacles.
    pub line: SightLine,
    /// Sight radius of a unit, tiles.
    pub radius: u32,
    /// Side of a tile.
    pub tile: FogTile,
}

/// Side of a tile of the fog of war.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FogTile {
    /// A metre.
    #[default]
    Metre,
    /// Half a metre.
    HalfMetre,
}

impl FogTile {
    /// All sides.
    pub const ALL: [Self; 2] = [FogTile::Metre, FogTile::HalfMetre];

    /// Returns the number of tiles along a metre.
    pub fn per_metre(self) -> u32 {
        match self {
            FogTile::Metre => 1,
            FogTile::HalfMetre => 2,
        }
    }

    /// Returns its label in panels.
    pub fn words(self) -> &'static str {
        match self {
            FogTile::Metre => "1 m",
            FogTile::HalfMetre => "0.5 m",
        }
    }
}

/// The test for obstacles between a unit and a tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SightLine {
    /// By their direction.
    Directions,
    /// By steps towards the tile, one axis at a time.
    Stepping,
    /// Exactly, and symmetrically.
    Exact,
}

impl SightLine {
    /// All tests.
    pub const ALL: [Self; 3] = [SightLine::Directions, SightLine::Stepping, SightLine::Exact];

    /// Returns its label in panels.
    pub fn words(self) -> &'static str {
        match self {
            SightLine::Directions => "directions",
            SightLine::Stepping => "stepping",
            SightLine::Exact => "exact",
        }
    }
}

impl Default for FogChoice {
    fn default() -> Self {
        FogChoice {
            line: SightLine::Stepping,
            radius: 20,
            tile: FogTile::Metre,
        }
    }
}

impl Characters {
    /// Clamps every number to the range of its slider; one that is not finite becomes the default.
    pub fn within_limits(mut self) -> Self {
        let (c, d) = (&mut self, Characters::default());
        limit(&mut c.radius, d.radius, 0.15, 2.0);
        limit(&mut c.half_height, d.half_height, 0.2, 4.0);
        limit(&mut c.step_height, d.step_height, 0.0, 2.0);
        limit(&mut c.air_step, d.air_step, 0.0, 2.0);
        limit(&mut c.slope_degrees, d.slope_degrees, 5.0, 85.0);
        limit(&mut c.friction, d.friction, 0.0, 1.0);
        limit(&mut c.shrink, d.shrink, 0.0, 1.0);
        limit(&mut c.walk_speed, d.walk_speed, 0.5, 60.0);
        limit(&mut c.sprint_speed, d.sprint_speed, 0.5, 120.0);
        limit(&mut c.fly_speed, d.fly_speed, 0.5, 500.0);
        limit(&mut c.jump_height, d.jump_height, 0.1, 20.0);
        c.crowd = c.crowd.min(10_000);
        self
    }
}

impl FogChoice {
    /// Clamps the radius to the range of its slider.
    pub fn within_limits(mut self) -> Self {
        self.radius = self.radius.clamp(1, world::fog::MOST_RADIUS);
        self
    }
}

/// Clamps a number to a range; one that is not finite becomes the standard.
pub fn limit(value: &mut f32, standard: f32, low: f32, high: f32) {
    *value = if value.is_finite() {
        value.clamp(low, high)
    } else {
        standard
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_hold_for_any_number() {
        for wild in [f32::NAN, f32::INFINITY, -1e30, 1e30] {
            let mut rules = Characters::default();
            (rules.radius, rules.fly_speed) = (wild, wild);
            let rules = rules.within_limits();
            assert!((0.15..=2.0).contains(&rules.radius));
            assert!((0.5..=500.0).contains(&rules.fly_speed));
        }
    }

    #[test]
    fn defaults_are_within_limits() {
        let (rules, fog) = (Characters::default(), FogChoice::default());
        assert_eq!(rules.clone().within_limits(), rules);
        assert_eq!(fog.clone().within_limits(), fog);
    }
}
