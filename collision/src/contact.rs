//! Contacts of a body with surfaces, and the ground that it stands on.

use crate::object::ObjectId;
use nalgebra::Vector3;

/// The part of a surface that a body touched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Feature {
    /// The inside of a face.
    Face,
    /// A convex edge.
    Edge,
    /// A convex corner.
    Corner,
    /// Another character.
    Body,
}

/// One contact of a move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// Unit normal, away from the surface.
    pub normal: Vector3<f32>,
    /// Unit normal of the face, or of the most upward face beside the edge or corner.
    pub face_normal: Vector3<f32>,
    /// The point touched, in metres from the corner of the cell that the body started in.
    pub point: Vector3<f32>,
    /// The part that was touched.
    pub feature: Feature,
    /// The object of the terrain, or the neighbour's `id` if `feature` is [`Feature::Body`].
    pub object: ObjectId,
}

/// The answer of a listener to a contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ContactResponse {
    /// The contact counts.
    Keep,
    /// The body passes through for the rest of this move.
    Ignore,
    /// The contact counts with this normal, of any finite length but zero; the body still stops at
    /// the place of the contact. Other vectors change nothing.
    Turn(Vector3<f32>),
}

/// Judges contacts before they count; in a recovery, the nearest point of each solid near the body.
/// Called from many threads: equal contacts must get equal answers.
pub trait ContactListener: Sync {
    /// Judges one contact of the body the caller knows as `body`.
    fn contact(&self, contact: &Contact) -> ContactResponse;
}

/// The support of a standing body.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Ground {
    /// Unit normal of the supporting face, or of the most upward face beside a supporting edge or
    /// corner.
    pub normal: Vector3<f32>,
    /// The supporting object, or the neighbour's `id` if `feature` is [`Feature::Body`].
    pub object: ObjectId,
    /// The supporting part.
    pub feature: Feature,
}

impl Ground {
    /// Returns whether the body stands on terrain with the face normal exactly `up`: on such a
    /// face, or on an edge or corner beside one.
    #[inline]
    pub(crate) fn is_level(&self, up: Vector3<f32>) -> bool {
        self.feature != Feature::Body && self.normal == up
    }

    /// Returns whether the body stands on an edge or a corner of the terrain.
    #[inline]
    pub(crate) fn is_rim(&self) -> bool {
        matches!(self.feature, Feature::Edge | Feature::Corner)
    }
}
