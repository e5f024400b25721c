//! The description of a character that is added to a crowd.

use crate::character::{Mode, Settings};
use crate::mover::Radii;
use crate::position::{OFFSET_OUTSIDE, Position};
use crate::tolerance::{
    LARGEST_GRAVITY, LARGEST_RADIUS, LARGEST_SENSOR, SMALLEST_RADIUS, UNIT_SLACK,
};
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
    #[error("{OFFSET_OUTSIDE}")]
    Position,
    /// The up axis is not a unit vector.
    #[error("the up axis must be a unit vector")]
    Up,
    /// The gravity is not finite or too strong.
    #[error("a gravity must be finite, and at most {LARGEST_GRAVITY} m/s^2 along each axis")]
    Gravity,
    /// The mass is not a number, or not above zero.
    #[error("a mass of {0} kg is not above zero; an infinite one is never pushed")]
    Mass(f32),
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
    #[error("unknown character: it was removed or belongs to another crowd")]
    Gone,
}

/// The properties that no tick changes: shape, up axis, layers, mass, gravity.
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
    /// Its layers, a bit each.
    pub layers: u16,
    /// The layers that it collides with. Two characters meet when each meets a layer of the other.
    pub meets: u16,
    /// Mass in kilograms; [`Self::USUAL_MASS`] by default. It decides the impulse of a
    /// [contact](crate::CharacterContact). Infinite: nothing gives way to less.
    #[cfg_attr(
        feature = "serde",
        serde(with = "mass_as_text", default = "usual_mass")
    )]
    pub mass: f32,
    /// Gravity of its own, in metres a second squared, in any direction: in a zone, a wind tunnel,
    /// near a planet. `None`, the default, for [`Settings::gravity`] against the up axis.
    ///
    /// The part along the up axis makes it fall, or rise, up to [`Settings::fall_limit`]; one that
    /// leads up lifts it off the ground. The part across adds to
    /// [`State::drift`](crate::State::drift) in the air, up to the same limit. On the ground its
    /// feet hold it, whatever leads aside.
    #[cfg_attr(feature = "serde", serde(default))]
    pub gravity: Option<Vector3<f32>>,
}

/// Writes an infinite mass as none: text has no infinite numbers.
#[cfg(feature = "serde")]
pub(crate) mod mass_as_text {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(crate) fn serialize<S: Serializer>(mass: &f32, to: S) -> Result<S::Ok, S::Error> {
        mass.is_finite().then_some(*mass).serialize(to)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<f32, D::Error> {
        Ok(Option::deserialize(from)?.unwrap_or(f32::INFINITY))
    }
}

/// Returns the mass of a character from text older than masses.
#[cfg(feature = "serde")]
fn usual_mass() -> f32 {
    Build::USUAL_MASS
}

impl Build {
    /// The mass of a person, in kilograms.
    pub const USUAL_MASS: f32 = 80.0;

    /// Returns the ellipsoid, standing or crouched.
    #[must_use]
    pub(crate) fn radii(&self, crouched: bool) -> Radii {
        let along = if crouched {
            self.crouched
        } else {
            self.standing
        };
        Radii::new(self.across, along)
    }

    /// Returns the gravity that acts on it, in metres a second squared.
    pub(crate) fn pull(&self, settings: &Settings) -> Vector3<f32> {
        let usual = || self.up * -settings.gravity;
        self.gravity.unwrap_or_else(usual)
    }

    /// Returns whether the layers of both let them meet.
    #[inline]
    #[must_use]
    pub fn meets(&self, other: &Self) -> bool {
        self.layers & other.meets != 0 && other.layers & self.meets != 0
    }

    /// Checks all values from outside.
    pub(crate) fn validate(&self) -> Result<(), CharacterError> {
        for radius in [self.across, self.standing, self.crouched] {
            if !(SMALLEST_RADIUS..=LARGEST_RADIUS).contains(&radius) {
                return Err(CharacterError::Radius(radius));
            }
        }
        validate_gravity(self.gravity)?;
        if self.mass.is_nan() || self.mass <= 0.0 {
            return Err(CharacterError::Mass(self.mass));
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

/// Checks a gravity.
pub(crate) fn validate_gravity(gravity: Option<Vector3<f32>>) -> Result<(), CharacterError> {
    let sound = |gravity: Vector3<f32>| gravity.iter().all(|part| part.abs() <= LARGEST_GRAVITY);
    if gravity.is_none_or(sound) {
        Ok(())
    } else {
        Err(CharacterError::Gravity)
    }
}

/// Checks a position that may not have come from a constructor.
pub(crate) fn validate_position(position: &Position) -> Result<(), CharacterError> {
    position
        .is_sound()
        .then_some(())
        .ok_or(CharacterError::Position)
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
    /// Shape, up axis, layers, mass, gravity.
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
                mass: Build::USUAL_MASS,
                gravity: None,
            },
            settings: Settings::default(),
        }
    }

    /// Sets the half extents across and along the up axis, in metres; the crouched height is five
    /// ninths.
    #[must_use]
    pub fn with_radii(mut self, across: f32, along: f32) -> Self {
        self.build.across = across;
        self.build.standing = along;
        self.build.crouched = along * (5.0 / 9.0);
        self
    }

    /// Sets the half extent along the up axis when crouched, in metres.
    #[must_use]
    pub fn with_crouched(mut self, along: f32) -> Self {
        self.build.crouched = along;
        self
    }

    /// Sets the unit up axis.
    #[must_use]
    pub fn with_up(mut self, up: Vector3<f32>) -> Self {
        self.build.up = up;
        self
    }

    /// Sets its layers and the layers it meets.
    #[must_use]
    pub fn with_layers(mut self, layers: u16, meets: u16) -> Self {
        self.build.layers = layers;
        self.build.meets = meets;
        self
    }

    /// Sets the mass, in kilograms; nothing pushes an infinite one.
    #[must_use]
    pub fn with_mass(mut self, mass: f32) -> Self {
        self.build.mass = mass;
        self
    }

    /// Sets a gravity of its own, in metres a second squared; see [`Build::gravity`].
    #[must_use]
    pub fn with_gravity(mut self, gravity: Vector3<f32>) -> Self {
        self.build.gravity = Some(gravity);
        self
    }

    /// Sets the first velocity, in metres a second.
    #[must_use]
    pub fn with_velocity(mut self, velocity: Vector3<f32>) -> Self {
        self.velocity = velocity;
        self
    }

    /// Sets the first mode.
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

    /// Checks all values from outside.
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
