//! The state that one tick hands to the next.

use crate::character::Mode;
use crate::mover::Ground;
use crate::position::Position;
use nalgebra::Vector3;

/// The medium at a walker's centre.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(u8)]
pub enum Medium {
    /// Air: it stands or falls.
    #[default]
    Open = 0,
    /// A liquid: it swims.
    Liquid = 1,
    /// A ladder or the like: the walker climbs.
    Ladder = 2,
}

/// The part of a character that changes from tick to tick. With the build, the settings, the
/// terrain, the other characters and the intents it determines all later states.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct State {
    /// The centre.
    pub position: Position,
    /// Velocity in metres a second.
    pub velocity: Vector3<f32>,
    /// The ground it stands on.
    pub ground: Option<Ground>,
    /// In the air, the level velocity that the wish is added to, in metres a second: the velocity
    /// of the ground that was left, of a launch, or the effect of gravity across the up axis. It
    /// decays by [`Settings::drift_loss`](crate::Settings::drift_loss) a second, by the formula of
    /// [`Crowd::launch`](crate::Crowd::launch); a landing ends it.
    pub drift: Vector3<f32>,
    /// The distance that steps led beyond the wish, in metres. The next ticks are shorter for it.
    pub ahead: f32,
    /// The mode of motion.
    pub mode: Mode,
    /// The medium at its centre.
    pub medium: Medium,
    /// True in its crouched shape.
    pub crouched: bool,
    /// True while terrain overlaps it and no free place is near, or other characters stand in all
    /// of them.
    pub embedded: bool,
    /// True while it recovers from an overlap with terrain, which takes more than one tick.
    pub leaving: bool,
    /// True if it pressed against an obstacle at the end of the tick: a hit is reported when this
    /// begins.
    pub touching: bool,
    /// True while it climbs a step: a step is reported when this begins.
    pub stepping: bool,
}

impl State {
    /// Makes a state at rest in the air.
    #[must_use]
    pub fn at(position: Position) -> Self {
        Self {
            position,
            velocity: Vector3::zeros(),
            ground: None,
            drift: Vector3::zeros(),
            ahead: 0.0,
            mode: Mode::Walk,
            medium: Medium::Open,
            crouched: false,
            embedded: false,
            leaving: false,
            touching: false,
            stepping: false,
        }
    }

    /// Returns whether terrain holds it: it does nothing by itself until it is free.
    #[inline]
    #[must_use]
    pub fn is_held(&self) -> bool {
        self.embedded || self.leaving
    }

    /// Returns whether it stands on ground.
    #[must_use]
    pub fn is_grounded(&self) -> bool {
        self.ground.is_some()
    }

    /// Returns whether the two are equal to the last bit (zero differs from negative zero).
    #[inline]
    pub(crate) fn same_bits(&self, other: &Self) -> bool {
        let bits = |vector: &Vector3<f32>| vector.map(f32::to_bits);
        let ground = |state: &Self| {
            state
                .ground
                .map(|ground| (bits(&ground.normal), ground.object, ground.feature))
        };
        self.position.same_bits(&other.position)
            && bits(&self.velocity) == bits(&other.velocity)
            && bits(&self.drift) == bits(&other.drift)
            && self.ahead.to_bits() == other.ahead.to_bits()
            && ground(self) == ground(other)
            && self.flags() == other.flags()
    }

    #[inline]
    fn flags(&self) -> (Mode, Medium, [bool; 5]) {
        let bits = [
            self.crouched,
            self.embedded,
            self.leaving,
            self.touching,
            self.stepping,
        ];
        (self.mode, self.medium, bits)
    }
}
