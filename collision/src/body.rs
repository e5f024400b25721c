//! The body that moves: an ellipsoid at a place.

use crate::position::Position;
use nalgebra::Vector3;

/// Half extents of an ellipsoid of revolution, in metres.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Radii {
    /// Across the up axis, the same all around.
    pub across: f32,
    /// Along the up axis.
    pub along: f32,
}

impl Radii {
    /// Makes radii from the one across and the one along the up axis, in metres.
    #[must_use]
    pub const fn new(across: f32, along: f32) -> Self {
        Self { across, along }
    }

    /// Returns the longer of the two.
    #[must_use]
    pub fn longest(&self) -> f32 {
        self.across.max(self.along)
    }
}

/// An ellipsoid at a place.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Body {
    /// Its centre.
    pub position: Position,
    /// Its half extents.
    pub radii: Radii,
    /// Its unit up axis.
    pub up: Vector3<f32>,
}

/// Another ellipsoid at its place before the moves began: an obstacle that stands still.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Neighbour {
    /// The other body.
    pub body: Body,
    /// The caller's number for it, given back in contacts.
    pub id: u32,
}
