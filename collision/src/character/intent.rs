//! What a character wants in one tick.

use crate::tolerance::MAX_SPEED;
use nalgebra::Vector3;

/// How a character moves. Swimming and climbing are not chosen: liquids and ladders decide (see [`crate::Medium`]).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(u8)]
pub enum Mode {
    /// On feet: gravity, steps, slopes, jumps; swims in liquids and climbs ladders.
    #[default]
    Walk = 0,
    /// Slides along everything, no gravity.
    Fly = 1,
    /// Passes through everything, and everybody through it; no query finds it.
    NoClip = 2,
}

/// What a character wants in one tick.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Intent {
    /// Wished velocity in metres a second. A walker's part along its up axis counts only in liquids and on ladders.
    pub velocity: Vector3<f32>,
    /// Take-off speed in metres a second, 0 for no jump. Counts when on the ground, on a ladder or in a liquid.
    pub jump: f32,
    /// Whether to crouch. Standing up again waits for room.
    pub crouch: bool,
    /// How to move.
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

    /// The same, and jumps with a take-off speed in metres a second.
    #[must_use]
    pub fn jumping(self, speed: f32) -> Self {
        Self {
            jump: speed,
            ..self
        }
    }

    /// The same, crouched.
    #[must_use]
    pub fn crouching(self) -> Self {
        Self {
            crouch: true,
            ..self
        }
    }

    /// Whether it can be obeyed: finite, and no faster than [`MAX_SPEED`] along any axis.
    #[inline]
    #[must_use]
    pub fn is_valid(&self) -> bool {
        self.velocity
            .iter()
            .all(|component| component.abs() <= MAX_SPEED)
            && (0.0..=MAX_SPEED).contains(&self.jump)
    }

    /// The same without negative zeros, so that equal intents have equal bits.
    pub(crate) fn cleaned(&self) -> Self {
        Self {
            velocity: self.velocity.map(|part| part + 0.0),
            jump: self.jump + 0.0,
            ..*self
        }
    }

    /// What a character does that was given no intent: nothing, in the mode it is in.
    #[inline]
    pub(crate) fn rest(mode: Mode) -> Self {
        Self {
            mode,
            ..Self::default()
        }
    }
}
