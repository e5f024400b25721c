//! Place and aim of a player's cannon.

use collision::Position;
use nalgebra::Vector3;

use crate::trigonometry::angle_of;

use super::{Player, Simulation, Wish};

/// Distance from the axle to the muzzle, metres.
pub const BARREL: f32 = 1.45;
/// Distance of the axle ahead of the player, and above the feet, metres.
const AHEAD: f32 = 1.5;
const AXLE: f32 = 0.45;
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
