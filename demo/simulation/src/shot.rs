//! One shot of a cannon: its direction and its speed.

use nalgebra::Vector3;

/// Lowest and highest speed of a charged shot, metres a second.
const CHARGED: [f32; 2] = [12.0, 75.0];
/// Speed of a shot for each metre to its aim, and its limits, metres a second.
const SPEED_A_METRE: f32 = 2.0;
const BY_DISTANCE: [f32; 2] = [6.0, 120.0];

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
