//! The wish of a player in a tick, and the feel of the movement that follows it: acceleration and
//! jump height.

use collision::{Intent, Medium, State};
use nalgebra::Vector3;
use serde::{Deserialize, Serialize};
use world::Surface;

use crate::rules::Characters;
use crate::trigonometry::sin_cos;

use super::TICK;
use super::coding::{Coded, ReadError, Reader};
use super::underfoot::{self, Hold};

/// Acceleration of a walker towards the wish on the ground, metres a second squared.
const GROUND_ACCELERATION: f32 = 60.0;
/// Acceleration in the air, metres a second squared.
const AIR_ACCELERATION: f32 = 16.0;
/// Response of a flyer: the share of the difference made up each second.
const FLY_RESPONSE: f32 = 9.0;
/// Walking speed when crouched, as a share.
const CROUCHED_SHARE: f32 = 0.45;
/// Flying speed with the boost held, as a multiple.
const BOOST: f32 = 4.0;
/// Upward speed when swimming or climbing, as a share of walking speed.
const SWIM_SHARE: f32 = 0.7;

/// The player's way of moving.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Travel {
    /// Through the air, stopped by terrain.
    #[default]
    Fly,
    /// On foot.
    Walk,
}

/// The wish of a player's devices in a tick; the simulation takes it as an
/// [`Input`](super::Input).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Wish {
    /// Heading of the view, radians to the right of -z.
    pub yaw: f32,
    /// Elevation of the view, radians above the horizon.
    pub pitch: f32,
    /// Forward, -1 to 1.
    pub forward: f32,
    /// To the right, -1 to 1.
    pub right: f32,
    /// Up, -1 to 1: jump, swim up, fly up; down is crouch.
    pub up: f32,
    /// Sprint or boost.
    pub sprint: bool,
}

impl Wish {
    /// Returns the unit vector of the line of sight.
    pub fn sight(&self) -> Vector3<f32> {
        let (yaw_sin, yaw_cos) = sin_cos(self.yaw);
        let (pitch_sin, pitch_cos) = sin_cos(self.pitch);
        Vector3::new(yaw_sin * pitch_cos, pitch_sin, -yaw_cos * pitch_cos)
    }

    /// Returns the level unit vector ahead.
    pub fn level(&self) -> Vector3<f32> {
        let (sin, cos) = sin_cos(self.yaw);
        Vector3::new(sin, 0.0, -cos)
    }

    /// Returns the level unit vector to the right.
    fn across(&self) -> Vector3<f32> {
        let (sin, cos) = sin_cos(self.yaw);
        Vector3::new(cos, 0.0, sin)
    }
}

/// The state of the player's character, as far as its feel depends on it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Footing {
    pub(crate) grounded: bool,
    /// In a liquid or on a ladder, where up and down count.
    pub(crate) buoyant: bool,
    pub(crate) crouched: bool,
    /// Grip and pace of the surface under the feet.
    pub(crate) hold: Hold,
}

impl Footing {
    fn of(state: &State, surface: Surface) -> Self {
        Footing {
            grounded: state.is_grounded(),
            buoyant: state.medium != Medium::Open,
            crouched: state.crouched,
            hold: underfoot::hold_on(surface),
        }
    }
}

/// The velocity reached by the player.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Feel {
    velocity: Vector3<f32>,
    /// A shove that fades, added to the wish.
    knock: Vector3<f32>,
}

impl Feel {
    /// Returns the intent of a character in a state for one tick, on a surface.
    pub(super) fn intend(
        &mut self,
        wish: &Wish,
        travel: Travel,
        surface: Surface,
        state: &State,
        tuning: &Characters,
    ) -> Intent {
        self.meet(state.velocity);
        self.follow(wish, travel, Footing::of(state, surface), tuning)
    }

    /// Follows the wish for one tick.
    pub(crate) fn follow(
        &mut self,
        wish: &Wish,
        travel: Travel,
        footing: Footing,
        tuning: &Characters,
    ) -> Intent {
        self.knock *= KNOCK_LEFT;
        match travel {
            Travel::Fly => self.fly(wish, tuning),
            Travel::Walk => self.walk(wish, footing, tuning),
        }
    }

    /// Adds a shove, metres a second.
    pub(crate) fn shove(&mut self, velocity: Vector3<f32>) {
        self.knock += velocity;
    }

    /// Continues at a velocity that something gave the character.
    pub(crate) fn carry(&mut self, velocity: Vector3<f32>) {
        self.velocity = velocity;
    }

    /// Adds all that decides what it does next.
    pub(super) fn write_state(&self, to: &mut Vec<u8>) {
        self.velocity.write(to);
        self.knock.write(to);
    }

    /// Reads the bytes of [`Self::write_state`].
    pub(super) fn read(from: &mut Reader<'_>) -> Result<Self, ReadError> {
        let (velocity, knock) = (Vector3::read(from)?, Vector3::read(from)?);
        Ok(Feel { velocity, knock })
    }

    /// Stops dead, as after a teleport.
    pub(crate) fn stop(&mut self) {
        *self = Feel::default();
    }

    /// Halves the velocity on each level axis along which the world stopped the character.
    pub(crate) fn meet(&mut self, actual: Vector3<f32>) {
        for axis in [0, 2] {
            let (wished, done) = (self.velocity[axis], actual[axis]);
            if wished * done <= 0.0 || done.abs() < wished.abs() * 0.5 {
                self.velocity[axis] = wished * 0.5;
            }
        }
    }

    fn fly(&mut self, wish: &Wish, tuning: &Characters) -> Intent {
        let across = wish.across();
        let aim = wish.sight() * wish.forward + across * wish.right + Vector3::y() * wish.up;
        let speed = tuning.fly_speed * if wish.sprint { BOOST } else { 1.0 };
        let goal = aim.cap_magnitude(1.0) * speed.min(MOST_SPEED);
        self.velocity += (goal - self.velocity) * (FLY_RESPONSE * TICK).min(1.0);
        Intent::fly(self.velocity + self.knock)
    }

    fn walk(&mut self, wish: &Wish, footing: Footing, tuning: &Characters) -> Intent {
        let across = wish.across();
        let aim = (wish.level() * wish.forward + across * wish.right).cap_magnitude(1.0);
        let full = if wish.sprint {
            tuning.sprint_speed
        } else {
            tuning.walk_speed
        };
        let mut speed = full;
        if footing.crouched {
            speed *= CROUCHED_SHARE;
        }
        if footing.grounded {
            speed *= footing.hold.pace;
        }
        let mut goal = aim * speed;
        if footing.buoyant {
            goal.y =
                (wish.up + wish.sight().y * wish.forward).clamp(-1.0, 1.0) * speed * SWIM_SHARE;
        }
        let acceleration = match (footing.buoyant, footing.grounded) {
            (true, _) => GROUND_ACCELERATION,
            (_, true) => GROUND_ACCELERATION * footing.hold.grip,
            _ => AIR_ACCELERATION,
        };
        let difference = goal - self.velocity;
        self.velocity += difference.cap_magnitude(acceleration * TICK);
        let mut intent = Intent::walk(self.velocity + self.knock);
        intent.crouch = wish.up < -0.5 && !footing.buoyant;
        if wish.up > 0.5 && !footing.buoyant {
            intent.jump = jump_speed(tuning.jump_height);
        }
        intent
    }
}

/// Share of a shove that is left after one tick.
const KNOCK_LEFT: f32 = 0.93;
/// Highest speed of the player, metres a second, below the limit of the crowd.
const MOST_SPEED: f32 = 900.0;
/// Gravity of every character here, metres a second squared.
pub(crate) const GRAVITY: f32 = 22.0;

/// Returns the take-off speed for a jump of this height.
pub(crate) fn jump_speed(height: f32) -> f32 {
    (2.0 * GRAVITY * height).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn walking_reaches_full_speed_and_stops() {
        let tuning = Characters::default();
        let mut feel = Feel::default();
        let footing = Footing {
            grounded: true,
            ..Footing::default()
        };
        let ahead = Wish {
            forward: 1.0,
            ..Wish::default()
        };
        for _ in 0..30 {
            feel.follow(&ahead, Travel::Walk, footing, &tuning);
        }
        assert!((feel.velocity.norm() - tuning.walk_speed).abs() < 0.01);
        for _ in 0..30 {
            feel.follow(&Wish::default(), Travel::Walk, footing, &tuning);
        }
        assert!(feel.velocity.norm() < 0.01);
    }
}
