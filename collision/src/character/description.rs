//! The description of a character that is added to a crowd.

use crate::character::{Mode, Settings};
use crate::mover::Radii;
use crate::position::Position;
use crate::tolerance::{LARGEST_RADIUS, LARGEST_SENSOR, SMALLEST_RADIUS, UNIT_SLACK};
use nalgebra::Vector3;
use thiserror::Error;

/// The reason why a character cannot be added or changed.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum CharacterError {
    /// A radius is not a number, too small or too large.
    #[error("a radius of {0} m is outside {SMALLEST_RADIUS} to {LARGEST_RADIUS} m")]
    Radius(f32),
    /// The half size of a sensor is not a number, negative or too large.
    #[error("a sensor's half size of {0} m is outside 0 to {LARGEST_SENSOR} m")]
    Extent(f32),
    /// The position's offset is not inside its cell.
    #[error(
        "the offset of a position must be finite and inside its cell; build it with Position::new"
    )]
    Position,
    /// The up axis is not a unit vector.
    #[error("the up axis must be a unit vector")]
    Up,
    /// The velocity is not finite or too fast.
    #[error("a velocity must be finite and below the speed limit")]
    Velocity,
    /// A setting is not finite, negative, or the skin is zero or too wide.
    #[error(
        "every setting must be finite and not negative, and the skin above zero and at most 0.35 m"
    )]
    Settings,
    /// Something is in the way of a larger shape.
    #[error("there is no room for a larger shape")]
    NoRoom,
    /// No more characters can be added, or no more different settings.
    #[error("the crowd is full")]
    Full,
    /// The handle's character was removed.
    #[error("no such character")]
    Gone,
}

/// The properties that a tick does not change: shape, up axis, layers.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Build {
    /// Half extent across the up axis, in metres.
    pub across: f32,
    /// Half extent along the up axis when standing, in metres.
    pub standing: f32,
    /// Half extent along the up axis when crouched, in metres.
    pub crouched: f32,
    /// Unit up axis.
    pub up: Vector3<f32>,
    /// The layers it is in, a bit each.
    pub layers: u16,
    /// The layers it meets. Two characters meet when each meets a layer of the other.
    pub meets: u16,
}

impl Build {
    /// The ellipsoid, standing or crouched.
    #[must_use]
    pub(crate) fn radii(&self, crouched: bool) -> Radii {
        let along = if crouched {
            self.crouched
        } else {
            self.standing
        };
        Radii::new(self.across, along)
    }

    /// Returns whether the layers of the two let them collide.
    #[inline]
    #[must_use]
    pub fn meets(&self, other: &Self) -> bool {
        self.layers & other.meets != 0 && other.layers & self.meets != 0
    }

    /// Checks everything that could come from outside.
    pub(crate) fn validate(&self) -> Result<(), CharacterError> {
        for radius in [self.across, self.standing, self.crouched] {
            if !(SMALLEST_RADIUS..=LARGEST_RADIUS).contains(&radius) {
                return Err(CharacterError::Radius(radius));
            }
        }
        validate_up(self.up)
    }
}

/// Checks a unit up axis.
pub(crate) fn validate_up(up: Vector3<f32>) -> Result<(), CharacterError> {
    if (up.norm_squared() - 1.0).abs() <= UNIT_SLACK {
        Ok(())
    } else {
        Err(CharacterError::Up)
    }
}

/// Checks a position that may not have come from a constructor.
pub(crate) fn validate_position(position: &Position) -> Result<(), CharacterError> {
    let inside = |offset: &f32| (0.0..1.0).contains(offset);
    if position.offset.iter().all(inside) {
        Ok(())
    } else {
        Err(CharacterError::Position)
    }
}

/// A character to be added to a crowd: an ellipsoid with one radius across and another along its up
/// axis.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Character {
    /// Its centre.
    pub position: Position,
    /// Its first velocity, in metres a second.
    pub velocity: Vector3<f32>,
    /// The mode until the first intent.
    pub mode: Mode,
    /// Shape, up axis, layers.
    pub build: Build,
    /// The settings of its kind.
    pub settings: Settings,
}

impl Character {
    /// Describes a person of 1.8 m with the centre at `position`, y up, that collides with every
    /// other.
    #[must_use]
    pub fn at(position: Position) -> Self {
        Self {
            position,
            velocity: Vector3::zeros(),
            mode: Mode::Walk,
            build: Build {
                across: 0.4,
                standing: 0.9,
                crouched: 0.5,
                up: Vector3::y(),
                layers: 1,
                meets: u16::MAX,
            },
            settings: Settings::default(),
        }
    }

    /// Half extents across and along the up axis, in metres; crouched it is five ninths as tall.
    #[must_use]
    pub fn with_radii(mut self, across: f32, along: f32) -> Self {
        self.build.across = across;
        self.build.standing = along;
        self.build.crouched = along * (5.0 / 9.0);
        self
    }

    /// Half extent along the up axis when crouched, in metres.
    #[must_use]
    pub fn with_crouched(mut self, along: f32) -> Self {
        self.build.crouched = along;
        self
    }

    /// Another unit up axis.
    #[must_use]
    pub fn with_up(mut self, up: Vector3<f32>) -> Self {
        self.build.up = up;
        self
    }

    /// The layers it is in and the layers it meets.
    #[must_use]
    pub fn with_layers(mut self, layers: u16, meets: u16) -> Self {
        self.build.layers = layers;
        self.build.meets = meets;
        self
    }

    /// A first velocity, in metres a second.
    #[must_use]
    pub fn with_velocity(mut self, velocity: Vector3<f32>) -> Self {
        self.velocity = velocity;
        self
    }

    /// A first mode.
    #[must_use]
    pub fn with_mode(mut self, mode: Mode) -> Self {
        self.mode = mode;
        self
    }

    /// Sets the settings of its kind.
    #[must_use]
    pub fn with_settings(mut self, settings: Settings) -> Self {
        self.settings = settings;
        self
    }

    /// Checks everything that could come from outside.
    pub(crate) fn validate(&self) -> Result<(), CharacterError> {
        validate_position(&self.position)?;
        self.build.validate()?;
        if !self.settings.is_valid() {
            return Err(CharacterError::Settings);
        }
        let velocity = crate::character::Intent::walk(self.velocity);
        if !velocity.is_valid() {
            return Err(CharacterError::Velocity);
        }
        Ok(())
    }
}
