//! Place and aim of the cannon, and the speed of its balls.

use collision::Position;
use nalgebra::Vector3;

use crate::trigonometry::angle_of;

use super::{Player, Simulation, Wish};

/// Distance from the axle to the muzzle, metres.
pub const BARREL: f32 = 1.45;
/// Distance of the axle ahead of the player, and above the feet, metres.
const AHEAD: f32 = 1.5;
const AXLE: f32 = 0.45;
/// Lowest and highest speed of a charged shot, metres a second.
const CHARGED: [f32; 2] = [12.0, 75.0];
/// Speed of a shot for each metre to its aim, and its limits, metres a second.
const SPEED_A_METRE: f32 = 2.0;
const BY_DISTANCE: [f32; 2] = [6.0, 120.0];

/// Place and aim of the cannon.
#[derive(Clone, Copy, Debug)]
pub struct Gun {
    /// Centre of the axle, about which the barrel turns.
    pub axle: Position,
    /// Heading of the carriage, radians to the right of -z.
    pub carriage_yaw: f32,
    /// Heading of the barrel, radians to the right of -z.
    pub yaw: f32,
    /// Elevation of the barrel, radians above the horizon.
    pub pitch: f32,
}

impl Gun {
    /// Returns the unit vector along the barrel.
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
    /// Direction, of any length.
    pub direction: Vector3<f32>,
    /// Speed, metres a second.
    pub speed: f32,
}

impl CannonShot {
    /// Returns a shot of a charge from 0 to 1.
    pub fn charged(direction: Vector3<f32>, power: f32) -> Self {
        let power = if power.is_finite() {
            power.clamp(0.0, 1.0)
        } else {
            0.0
        };
        let speed = CHARGED[0] + (CHARGED[1] - CHARGED[0]) * power;
        CannonShot { direction, speed }
    }

    /// Returns a shot at a distance: the speed grows with it, within limits.
    pub fn at_distance(direction: Vector3<f32>, distance: f32) -> Self {
        let speed = (distance * SPEED_A_METRE).clamp(BY_DISTANCE[0], BY_DISTANCE[1]);
        CannonShot { direction, speed }
    }

    /// Returns the velocity of the ball; it is always finite and limited.
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
    /// Returns the cannon in front of the own player, its barrel turned to a direction.
    pub fn gun(&self, direction: Vector3<f32>) -> Gun {
        let unit = direction.try_normalize(1e-6).unwrap_or_else(Vector3::y);
        Gun {
            axle: self.axle(),
            carriage_yaw: self.own().map_or(0.0, |own| own.wish.yaw),
            yaw: angle_of(-unit.z, unit.x),
            pitch: angle_of(unit.xz().norm(), unit.y),
        }
    }

    /// Returns the centre of the axle of the own player's cannon.
    pub fn axle(&self) -> Position {
        self.own().map_or(self.home, |own| self.axle_of(own))
    }

    /// Returns the centre of the axle of a player's cannon.
    pub(super) fn axle_of(&self, player: &Player) -> Position {
        let below = AXLE - self.drawn(player, 1.0).radii.y;
        let ahead = player.wish.level() * AHEAD;
        let at = self.bodies.position_of(player);
        at.moved(ahead + Vector3::y() * below)
    }
}
