//! The motion of a soup as a whole in one tick.

use crate::position::Position;
use crate::tolerance::UNIT_SLACK;
use nalgebra::{UnitQuaternion, Vector3};

/// The motion of a soup in one tick: a turn about a pivot, then a shift.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SoupMotion {
    /// The turn.
    pub turn: UnitQuaternion<f64>,
    /// The point that the turn leaves in place.
    pub pivot: Position,
    /// The shift in metres.
    pub shift: Vector3<f64>,
}

impl SoupMotion {
    /// Returns whether all of it is finite and the turn is a unit quaternion.
    pub(super) fn is_sound(&self) -> bool {
        (self.turn.coords.norm_squared() - 1.0).abs() <= f64::from(UNIT_SLACK)
            && self.shift.iter().all(|part| part.is_finite())
            && self.pivot.offset.iter().all(|part| part.is_finite())
    }

    /// Returns whether it leaves everything in place.
    pub(super) fn is_identity(&self) -> bool {
        self.turn == UnitQuaternion::identity() && self.shift == Vector3::zeros()
    }
}

impl Default for SoupMotion {
    fn default() -> Self {
        Self {
            turn: UnitQuaternion::identity(),
            pivot: Position::default(),
            shift: Vector3::zeros(),
        }
    }
}
