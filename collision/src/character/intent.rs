//! The wish of a character for one tick.

use crate::tolerance::MAX_SPEED;
use nalgebra::Vector3;

/// The modes of motion. Liquids and ladders decide about swimming and climbing (see
/// [`crate::Medium`]).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(u8)]
pub enum Mode {
    /// On feet: gravity, steps, slopes, jumps; swims in liquids and climbs ladders.
    #[default]
    Walk = 0,
    /// Slides along everything, no gravity.
    Fly = 1,
    /// Passes through terrain and characters; no query finds it.
    NoClip = 2,
}

/// The wish of a character for one tick.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Intent {
    /// Wished velocity in metres a second. A walker's component along its up axis counts only in
    /// liquids and on ladders.
    pub velocity: Vector3<f32>,
    /// Take-off speed in metres a second, 0 for no jump. Counts when on the ground, on a ladder or
    /// in a liquid.
    pub jump: f32,
    /// True to crouch. Standing up again waits for room.
    pub crouch: bool,
    /// The mode of motion.
    pub mode: Mode,
}

impl Intent {
    /// Walks with a velocity in metres a second.
    #[must_use]
    pub fn walk(velocity: Vector3<f32>) -> Self {
        Self {
            velocity,
            ..Self::default()
        }
    }

    /// Flies with a velocity in metres a second.
    #[must_use]
    pub fn fly(velocity: Vector3<f32>) -> Self {
        Self {
            velocity,
            mode: Mode::Fly,
            ..Self::default()
        }
    }

    /// Returns this intent with a jump at a take-off speed in metres a second.
    #[must_use]
    pub fn jumping(self, speed: f32) -> Self {
        Self {
            jump: speed,
            ..self
        }
    }

    /// Returns this intent, crouched.
    #[must_use]
    pub fn crouching(self) -> Self {
        Self {
            crouch: true,
            ..self
        }
    }

    /// Returns whether the intent is valid: finite, and no faster than [`MAX_SPEED`] along any
    /// axis.
    #[inline]
    #[must_use]
    pub fn is_valid(&self) -> bool {
        self.velocity
            .iter()
            .all(|component| component.abs() <= MAX_SPEED)
            && (0.0..=MAX_SPEED).contains(&self.jump)
    }

    /// Returns this intent without negative zeros, so that equal intents have equal bits.
    pub(crate) fn cleaned(&self) -> Self {
        Self {
            velocity: self.velocity.map(|part| part + 0.0),
            jump: self.jump + 0.0,
            ..*self
        }
    }

    /// Returns the intent of a character without one: no motion, in its present mode.
    #[inline]
    pub(crate) fn rest(mode: Mode) -> Self {
        Self {
            mode,
            ..Self::default()
        }
    }
}
