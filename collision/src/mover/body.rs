//! The body that moves, and its surroundings.

use crate::candidates::Candidates;
use crate::mover::{Contact, ContactListener, MoverConfig, Queried};
use crate::position::Position;
use crate::recovery::{Places, Spans};
use crate::terrain::{ObjectId, SolidBox, Terrain};
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

/// The surroundings of a move.
pub struct Around<'a, T: ?Sized> {
    /// The terrain.
    pub terrain: &'a T,
    /// The bodies that a move can touch; those out of reach do no harm.
    pub others: &'a [Neighbour],
    /// The settings of the move.
    pub config: &'a MoverConfig,
    /// Judges every contact before it counts.
    pub listener: Option<&'a dyn ContactListener>,
}

impl<'a, T: Terrain + ?Sized> Around<'a, T> {
    /// Makes surroundings of terrain alone, without other bodies and without a listener.
    #[must_use]
    pub fn terrain(terrain: &'a T, config: &'a MoverConfig) -> Self {
        Self {
            terrain,
            others: &[],
            config,
            listener: None,
        }
    }
}

/// Buffers that moves reuse, one set for each thread. Old contents do not affect the next move.
#[derive(Default)]
pub struct Scratch {
    /// The features within reach.
    pub candidates: Candidates,
    /// Contacts of the last move, in the order they were made.
    pub contacts: Vec<Contact>,
    /// The objects that the body of the last recovery overlapped, in order.
    pub holders: Vec<ObjectId>,
    /// Solid volumes around that body.
    pub(crate) nearby: Vec<SolidBox>,
    /// The places it could have moved to.
    pub(crate) places: Places,
    pub(crate) spans: Spans,
    /// The boxes that the moves of this tick queried.
    pub(crate) queried: Queried,
}
