//! What moves, and what it moves among.

use crate::candidates::Candidates;
use crate::mover::{Contact, ContactListener, Looked, MoverConfig};
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
    /// Radii from the one across and the one along the up axis, in metres.
    #[must_use]
    pub const fn new(across: f32, along: f32) -> Self {
        Self { across, along }
    }

    /// The longer of the two.
    #[must_use]
    pub fn longest(&self) -> f32 {
        self.across.max(self.along)
    }
}

/// An ellipsoid somewhere.
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

/// Another ellipsoid, as it stood when the moves began; it takes part in the move as an obstacle that stands still.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Neighbour {
    /// The other body.
    pub body: Body,
    /// The caller's number for it, found again in contacts.
    pub id: u32,
}

/// Everything a move happens among.
pub struct Around<'a, T: ?Sized> {
    /// The terrain.
    pub terrain: &'a T,
    /// The bodies that could be met; those out of reach do no harm.
    pub others: &'a [Neighbour],
    /// How to move.
    pub config: &'a MoverConfig,
    /// Told of every contact before it counts.
    pub listener: Option<&'a dyn ContactListener>,
}

impl<'a, T: Terrain + ?Sized> Around<'a, T> {
    /// Terrain alone: no others, nobody listens.
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

/// Buffers that moves reuse; one per thread. What is left in them changes nothing about the next move.
#[derive(Default)]
pub struct Scratch {
    /// What is in reach.
    pub candidates: Candidates,
    /// Contacts of the last move, in the order they were made.
    pub contacts: Vec<Contact>,
    /// Objects the body of the last recovery overlapped, in order.
    pub holders: Vec<ObjectId>,
    /// Solid volumes around it.
    pub(crate) nearby: Vec<SolidBox>,
    /// Where it could have gone.
    pub(crate) places: Places,
    pub(crate) spans: Spans,
    /// Where the moves of this tick looked.
    pub(crate) looked: Looked,
}
