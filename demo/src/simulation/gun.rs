//! Where the cannon stands, how its barrel is turned, and how fast a ball leaves it.

use collision::Position;
use nalgebra::Vector3;

use super::{Simulation, Wish};

/// From the axle to the mouth, metres.
pub const BARREL: f32 = 1.45;
/// How far ahead of the player the axle is, and how far above the feet, metres.
const AHEAD: f32 = 1.5;
const AXLE: f32 = 0.45;
/// Slowest and fastest ball of a cannon that is charged, metres a second.
const CHARGED: [f32; 2] = [12.0, 75.0];
/// Metres a second for each metre to what the pointer is on, and the slowest and fastest ball of
/// that.
const SPEED_A_METRE: f32 = 2.0;
const BY_DISTANCE: [f32; 2] = [6.0, 120.0];

/// The cannon as it stands.
#[derive(Clone, Copy, Debug)]
pub struct Gun {
    /// The middle of its axle, about which the barrel turns.
    pub axle: Position,
    /// How the carriage stands, radians to the right of -z.
    pub carriage_yaw: f32,
    /// Where the barrel points, radians to the right of -z.
    pub yaw: f32,
    /// Where the barrel points, radians above the horizon.
    pub pitch: f32,
}

impl Gun {
    /// Unit vector along the barrel.
    pub fn direction(&self) -> Vector3<f32> {
        let (yaw, pitch) = (self.yaw, self.pitch);
        let aim = Wish {
            yaw,
            pitch,
            ..Wish::default()
        };
        aim.sight()
    }
}

/// One shot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CannonShot {
    /// Where to, in any length.
    pub direction: Vector3<f32>,
    /// Metres a second.
    pub speed: f32,
}

impl CannonShot {
    /// A shot of a cannon charged so far, 0 to 1.
    pub fn charged(direction: Vector3<f32>, power: f32) -> Self {
        let power = if power.is_finite() {
            power.clamp(0.0, 1.0)
        } else {
            0.0
        };
        let speed = CHARGED[0] + (CHARGED[1] - CHARGED[0]) * power;
        CannonShot { direction, speed }
    }

    /// A shot at something so far away: twice as fast as that is far.
    pub fn at_distance(direction: Vector3<f32>, distance: f32) -> Self {
        let speed = (distance * SPEED_A_METRE).clamp(BY_DISTANCE[0], BY_DISTANCE[1]);
        CannonShot { direction, speed }
    }

    /// The velocity of the ball; nothing wild leaves the barrel.
    pub(super) fn velocity(&self) -> Vector3<f32> {
        let speed = if self.speed.is_finite() {
            self.speed.clamp(0.0, BY_DISTANCE[1])
        } else {
            0.0
        };
        let unit = self.direction.try_normalize(1e-6);
        let unit = unit.filter(|unit| unit.iter().all(|part| part.is_finite()));
        unit.unwrap_or_else(Vector3::y) * speed
    }
}

impl Simulation {
    /// The cannon before the player, its barrel turned to a direction.
    pub fn gun(&self, direction: Vector3<f32>) -> Gun {
        let axle = self.axle();
        let unit = direction.try_normalize(1e-6).unwrap_or_else(Vector3::y);
        Gun {
            axle,
            carriage_yaw: self.player.wish.yaw,
            yaw: unit.x.atan2(-unit.z),
            pitch: unit.y.clamp(-1.0, 1.0).asin(),
        }
    }

    /// The middle of the cannon's axle.
    pub fn axle(&self) -> Position {
        let below = AXLE - self.drawn_player(1.0).radii.y;
        let ahead = self.player.wish.level() * AHEAD;
        self.player_position().moved(ahead + Vector3::y() * below)
    }
}
