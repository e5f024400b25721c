//! What a move did: how far, against what, and why it ended.

use crate::mover::PlaneSet;
use crate::terrain::ObjectId;
use nalgebra::Vector3;

/// Which part of a thing was touched.
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
    /// Unit normal, away from what was touched.
    pub normal: Vector3<f32>,
    /// Unit normal of the face that was touched, or of the most upward face beside the edge or corner that was.
    pub face_normal: Vector3<f32>,
    /// Where the surface was touched, in metres from the corner of the cell the body started in.
    pub point: Vector3<f32>,
    /// The part that was touched.
    pub feature: Feature,
    /// The object of the terrain, or the neighbour's `id` if `feature` is [`Feature::Body`].
    pub object: ObjectId,
}

/// What a listener makes of a contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ContactResponse {
    /// It counts.
    Keep,
    /// The body passes through for the rest of this move.
    Ignore,
    /// It counts with this normal instead; the body still stops where it touches. Of any length: one without direction changes nothing.
    Turn(Vector3<f32>),
}

/// Told of every contact before it counts; by a recovery, of the nearest point of all that is solid near a body. Called from many threads; must
/// answer the same for the same contact.
pub trait ContactListener: Sync {
    /// Judges one contact of the body the caller knows as `body`.
    fn contact(&self, contact: &Contact) -> ContactResponse;
}

/// What a body stands on.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Ground {
    /// Unit normal of the supporting face (of the most upward face beside a supporting edge or corner).
    pub normal: Vector3<f32>,
    /// The object stood on, or a neighbour's `id` if `feature` is [`Feature::Body`].
    pub object: ObjectId,
    /// The part that bears.
    pub feature: Feature,
}

impl Ground {
    /// Whether it is a part of the terrain beside which there is a face whose normal is exactly `up`, or that itself.
    #[inline]
    pub(crate) fn is_level(&self, up: Vector3<f32>) -> bool {
        self.feature != Feature::Body && self.normal == up
    }

    /// Whether it is an edge or a corner of the terrain.
    #[inline]
    pub(crate) fn is_rim(&self) -> bool {
        matches!(self.feature, Feature::Edge | Feature::Corner)
    }
}

/// Why a move ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StoppedBy {
    /// Nothing: the whole way was free.
    #[default]
    Nothing,
    /// The way was turned aside but walked to its end.
    Slid,
    /// Planes left no way to go.
    Blocked,
    /// [`crate::tolerance::MAX_SWEEPS`] was reached, or as many planes were met as are kept. The rest of the way was dropped.
    SweepLimit,
    /// The end was not valid; the body is back at its last good place.
    Invalid,
    /// The input was not finite; nothing was done.
    NotFinite,
}

/// What a move did.
#[derive(Clone, Copy, Debug, Default)]
pub struct Report {
    /// How far the body moved in all, in metres.
    pub moved: Vector3<f32>,
    /// Sweeps it took.
    pub sweeps: u32,
    /// Times the terrain was asked.
    pub gathers: u32,
    /// Planes met; clip a velocity with [`PlaneSet::project`], that of a fall with [`PlaneSet::project_falling`].
    pub planes: PlaneSet,
    /// Why it ended.
    pub stopped_by: StoppedBy,
    /// What the body stands on afterwards ([`crate::mover::walk`] only).
    pub ground: Option<Ground>,
    /// How far a step lifted the body, in metres; 0 without one.
    pub stepped: f32,
    /// Whether terrain still reaches into the skin, no deeper than before: [`crate::recovery::recover`] would make room.
    pub lacks_skin: bool,
}

impl Report {
    /// The report of a move whose input was not finite.
    pub(crate) fn not_finite() -> Self {
        Self {
            stopped_by: StoppedBy::NotFinite,
            ..Self::default()
        }
    }
}
