//! How a body moves: units, defaults, and nothing about feel.

/// Settings of the mover. The defaults suit a person of 1.8 m on 1 m voxels.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MoverConfig {
    /// Distance kept from everything, in metres, measured along the normal. Too small: rounding eats it; too large: visible gaps.
    pub skin: f32,
    /// Highest step walked up without jumping, in metres. 0 turns stepping off.
    pub step_height: f32,
    /// How far the ground may drop away under a walker that stays on it, in metres.
    pub snap: f32,
    /// Steepest walkable slope, in radians from level. Anything steeper is a wall.
    pub slope_limit: f32,
    /// Smallest advance of a step, in metres: slow walkers still get past the rim of a stair.
    pub step_advance: f32,
    /// How far the centre of a body may stand out over a ledge, as a share of its radius across (0 to 1).
    pub ledge: f32,
    /// Share of the motion into a surface that is lost from the motion along it: 0 slides freely.
    pub friction: f32,
    /// How strongly a slide is shortened by the angle it turns: its length is multiplied by `1 - shrink * (1 - cos angle)`. 0 keeps it.
    pub shrink: f32,
    /// Farthest a recovery may push a body in one tick, in metres.
    pub recovery_step: f32,
}

impl Default for MoverConfig {
    fn default() -> Self {
        Self {
            skin: 0.01,
            step_height: 0.55,
            snap: 0.5,
            slope_limit: 0.872_664_6,
            step_advance: 0.03,
            ledge: 0.95,
            friction: 0.0,
            shrink: 0.0,
            recovery_step: 0.25,
        }
    }
}
