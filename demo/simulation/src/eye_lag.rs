//! The lag of the player's eyes behind its steps, so that stairs do not jolt the picture.

use super::TICK;

/// Share of the lag made up each second.
const RATE: f32 = 14.0;
/// The largest lag, metres: eyes stay within the body.
const MOST: f32 = 0.6;

/// The height of the eyes over their place in the body, in the last tick and in the one before it,
/// metres.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct EyeLag {
    before: f32,
    now: f32,
}

impl EyeLag {
    /// Takes over the height of a tick's step, and makes up for a part of all.
    pub(super) fn step(&mut self, lift: f32) {
        let left = (self.now - lift) * (1.0 - RATE * TICK);
        (self.before, self.now) = (self.now, left.clamp(-MOST, MOST));
    }

    /// Returns the lag between the two ticks.
    pub(super) fn between(&self, share: f32) -> f32 {
        self.before + (self.now - self.before) * share
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::super::bodies::Bodies;
    use super::super::{Input, Travel, Wish};
    use super::*;
    use crate::random::Random;
    use crate::rules::Characters;
    use collision::{Cell, Position};
    use nalgebra::Vector3;
    use world::{CellBox, Material, World};

    /// Stairs up along x: each tread is 4 m long and 1 m high.
    fn stairs() -> World {
        let bounds = CellBox::new(Cell::new(-8, -4, -4), Cell::new(40, 12, 4));
        World::from_voxels(bounds, |cell| match cell.y < cell.x.max(0) / 4 {
            true => Material::STONE,
            false => Material::AIR,
        })
    }

    #[test]
    fn eyes_rise_evenly_where_the_body_climbs_stairs() {
        let (world, tuning) = (stairs(), Characters::default());
        let at = Position::new(
            Cell::zeros(),
            Vector3::new(0.5, tuning.half_height + 0.02, 0.5),
        );
        let mut bodies = Bodies::new(&tuning, at);
        bodies.players[0].travel = Travel::Walk;
        bodies.players[0].take(Input::of(&Wish {
            yaw: std::f32::consts::FRAC_PI_2,
            forward: 0.8,
            ..Wish::default()
        }));
        let (mut random, mut heights) = (Random::new(1), Vec::new());
        for _ in 0..400 {
            bodies.tick(&world, &tuning, &mut random);
            let drawn = bodies.drawn_player(&bodies.players[0], 1.0, &tuning);
            let body = drawn.position.to_metres().y;
            heights.push([body, body + f64::from(drawn.eye_lag)]);
        }
        let fastest = |of: usize| {
            let rises = heights.windows(2).map(|pair| pair[1][of] - pair[0][of]);
            rises.fold(0.0, f64::max)
        };
        let [first, last] = [heights[0], heights[heights.len() - 1]];
        assert!(last[0] > first[0] + 3.9, "{first:?} to {last:?}");
        assert!(
            fastest(1) < 0.5 * fastest(0),
            "{} of {}",
            fastest(1),
            fastest(0)
        );
        assert!(
            heights
                .iter()
                .all(|[body, eye]| (eye - body).abs() <= f64::from(MOST))
        );
    }

    #[test]
    fn lag_is_made_up_for_within_half_a_second() {
        let mut lag = EyeLag::default();
        lag.step(0.5);
        assert!(lag.between(1.0) < -0.3 && lag.between(0.0) == 0.0);
        (0..30).for_each(|_| lag.step(0.0));
        assert!(lag.between(1.0).abs() < 1e-3);
    }
}
