//! Settings of a move, with units and defaults. Acceleration and other questions of feel are the
//! caller's.

use crate::tolerance::{LEAD_ASIDE, LEDGE_COMING_IN, MOST_BESIDE, PARALLEL};

/// Settings of the mover. The defaults suit a person of 1.8 m on stairs and slopes; to walk up
/// voxels of one metre, set `step_height` to a little more, say 1.05.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default))]
pub struct MoverConfig {
    /// Distance kept from all surfaces, in metres, along the normal; 0.01 by default. A smaller
    /// skin is lost in rounding, a larger one is a visible gap.
    pub skin: f32,
    /// Highest step climbed without a jump, in metres above the foot, or above the top of a rim
    /// that the body stands on; 0.55 by default. 0 turns stepping off. A body that stands on a rim
    /// alone gets over the top of that rim with any step height, even 0.
    pub step_height: f32,
    /// Highest step climbed in the air by a body that does not rise, in metres: across a pit, or
    /// onto an edge just above the height of a jump. 0, the default, climbs none, so that a jump
    /// against a wall gains the height of the jump only.
    pub air_step: f32,
    /// Deepest drop of the ground that a walker follows, in metres; 0.5 by default.
    pub snap: f32,
    /// Cosine of the steepest walkable slope, that of 50 degrees by default; a steeper face is a
    /// wall. See [`Self::with_slope_limit`].
    pub least_rise: f32,
    /// Shortest advance of a step, in metres: slow walkers still get past the rim of a stair. 0.03
    /// by default.
    pub step_advance: f32,
    /// Farthest that the centre of a standing body may be out over an edge, as a share of its
    /// radius across (0 to 1; 0.99 by default). Above a drop the body stays as high as the edge;
    /// with ground no more than `snap` below, it goes down along the edge. A body that climbs onto
    /// an edge, as on a stair, may always be 0.95 out.
    pub ledge: f32,
    /// The ledge of a body that lands from a fall; 0.7 by default. It is smaller than `ledge` as a
    /// hysteresis, so that a body does not land on an edge and slip off in the next tick. A value
    /// above `ledge` counts as `ledge`.
    pub landing: f32,
    /// Share of the motion into a surface that is taken from the motion along it. 0, the default,
    /// slides freely.
    pub friction: f32,
    /// How strongly a turn shortens a slide: its length is multiplied by `1 - shrink * (1 - cos
    /// angle)`. 0, the default, keeps the length.
    pub shrink: f32,
    /// Longest push of a recovery in one tick, in metres, on top of the motion of an object that
    /// holds the body; 0.25 by default.
    pub recovery_step: f32,
    /// Share of an overlap that one recovery undoes, 0 (no recovery) to 1 (the default; more counts
    /// as 1).
    pub recovery_share: f32,
}

impl MoverConfig {
    /// Sets the slope limit to an angle from level, in radians (0 to a quarter turn).
    #[must_use]
    pub fn with_slope_limit(mut self, radians: f32) -> Self {
        self.least_rise = cosine(radians.clamp(0.0, std::f32::consts::FRAC_PI_2)).max(0.0);
        self
    }

    /// Returns the cosine of the slope limit, which never allows upright faces.
    #[inline]
    pub(crate) fn walkable_rise(&self) -> f32 {
        self.least_rise.max(PARALLEL)
    }

    /// Returns how far a whole step may lead a body of this radius across aside, in metres.
    pub(crate) fn aside(&self, across: f32) -> f32 {
        (MOST_BESIDE + 1) as f32 * LEAD_ASIDE * (across + self.skin)
    }

    /// Returns the ledge of a body that lands.
    pub(crate) fn landing(&self) -> f32 {
        self.landing.min(self.ledge)
    }

    /// Returns the largest ledge, that of a body that comes in over an edge.
    pub(crate) fn farthest_out(&self) -> f32 {
        self.ledge.max(LEDGE_COMING_IN)
    }

    /// Returns how far the foot of a body with its skin may be below the rim that it stands on, in
    /// metres; `along` is its radius along its up axis.
    pub(crate) fn rim(&self, along: f32) -> f32 {
        let out = self.farthest_out();
        along * (1.0 - (1.0 - out * out).max(0.0).sqrt())
    }
}

/// Computes the cosine of an angle up to a right one by its series: the same bits on every
/// platform.
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
