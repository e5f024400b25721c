//! How a body moves: units, defaults, and nothing about feel.

use crate::tolerance::{LEAD_ASIDE, LEDGE_COMING_IN, MOST_BESIDE, PARALLEL};

/// Settings of the mover. The defaults suit a person of 1.8 m on stairs and slopes; to walk up voxels of a metre set
/// `step_height` to a little more, say 1.05.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default))]
pub struct MoverConfig {
    /// Distance kept from everything, in metres, measured along the normal. 0.01 by default. Too small: rounding eats it; too large: visible gaps.
    pub skin: f32,
    /// Highest step walked up without jumping, in metres, from the foot or from the top of the rim stood on; 0.55 by default. 0 turns
    /// stepping off. A body that stands on a rim alone gets over that rim's top whatever the step height, even 0.
    pub step_height: f32,
    /// Highest step climbed in the air by who does not rise, in metres: over a pit, or onto what a jump did not quite reach. 0, the default,
    /// climbs none, so that who jumps against a wall gets as high as the jump.
    pub air_step: f32,
    /// How far the ground may drop away under a walker that stays on it, in metres; 0.5 by default.
    pub snap: f32,
    /// Cosine of the steepest walkable slope. Anything steeper is a wall. That of 50 degrees by default. See [`Self::with_slope_limit`].
    pub least_rise: f32,
    /// Smallest advance of a step, in metres: slow walkers still get past the rim of a stair. 0.03 by default.
    pub step_advance: f32,
    /// How far out over an edge the centre of a body may be that still stands on it, as a share of its radius across (0 to 1; 0.99 by
    /// default). Above a drop the body stays as high as the edge; where ground lies no lower than `snap` it goes down along the edge. Who
    /// climbs onto an edge, as up a step, may be 0.95 out at least.
    pub ledge: f32,
    /// The same for a body that lands from a fall, 0.7 by default: smaller than `ledge`, so that nobody hangs on by a hair and lets go again
    /// (a larger one counts as `ledge`).
    pub landing: f32,
    /// Share of the motion into a surface that is lost from the motion along it: 0, the default, slides freely.
    pub friction: f32,
    /// How strongly a slide is shortened by the angle it turns: its length is multiplied by `1 - shrink * (1 - cos angle)`. 0, the
    /// default, keeps it.
    pub shrink: f32,
    /// Farthest a recovery may push a body in one tick, in metres, beside what moves and holds it moves by itself; 0.25 by default.
    pub recovery_step: f32,
    /// Share of an overlap that one recovery undoes, 0 (no recovery) to 1 (the default; more counts as 1).
    pub recovery_share: f32,
}

impl MoverConfig {
    /// The same with another slope limit, in radians from level (0 to a quarter turn).
    #[must_use]
    pub fn with_slope_limit(mut self, radians: f32) -> Self {
        self.least_rise = cosine(radians.clamp(0.0, std::f32::consts::FRAC_PI_2)).max(0.0);
        self
    }

    /// Cosine of the slope limit. What is upright is never walked up.
    #[inline]
    pub(crate) fn walkable_rise(&self) -> f32 {
        self.least_rise.max(PARALLEL)
    }

    /// How far a step may be led aside in all, in metres, for a body's radius across.
    pub(crate) fn aside(&self, across: f32) -> f32 {
        (MOST_BESIDE + 1) as f32 * LEAD_ASIDE * (across + self.skin)
    }

    /// How far out a body may come down.
    pub(crate) fn landing(&self) -> f32 {
        self.landing.min(self.ledge)
    }

    /// How far out a body may stand at most, as a share of its radius across: so far who comes in over an edge.
    pub(crate) fn farthest_out(&self) -> f32 {
        self.ledge.max(LEDGE_COMING_IN)
    }

    /// How far the foot of a body with its skin may be below the rim that it stands on, in metres, for its radius along its axis.
    pub(crate) fn rim(&self, along: f32) -> f32 {
        let out = self.farthest_out();
        along * (1.0 - (1.0 - out * out).max(0.0).sqrt())
    }
}

/// The cosine by its series, the same bits on every platform; for angles up to a right one.
fn cosine(radians: f32) -> f32 {
    let square = f64::from(radians) * f64::from(radians);
    let (mut term, mut sum) = (1.0, 1.0);
    for step in 1..12 {
        let n = f64::from(2 * step);
        term *= -square / (n * (n - 1.0));
        sum += term;
    }
    sum as f32
}

impl Default for MoverConfig {
    fn default() -> Self {
        Self {
            skin: 0.01,
            step_height: 0.55,
            air_step: 0.0,
            snap: 0.5,
            least_rise: 0.642_787_6,
            landing: 0.7,
            step_advance: 0.03,
            ledge: 0.99,
            friction: 0.0,
            shrink: 0.0,
            recovery_step: 0.25,
            recovery_share: 1.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slope_limit_is_the_cosine() {
        for degrees in 0..=90_u8 {
            let radians = f32::from(degrees).to_radians();
            let ours = MoverConfig::default().with_slope_limit(radians).least_rise;
            assert!((ours - radians.cos()).abs() < 1e-6 && ours >= 0.0);
        }
    }
}
