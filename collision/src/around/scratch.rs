//! Buffers that moves and recoveries reuse.

use crate::around::queried::Queried;
use crate::around::spans::Spans;
use crate::around::traced::Tracing;
use crate::candidates::Candidates;
use crate::contact::Contact;
use crate::terrain::{ObjectId, SolidBox};
use nalgebra::Vector3;

/// The way to a place that might be free, and its cost.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub(crate) cost: f32,
    pub(crate) way: Vector3<f32>,
}

/// Reused buffers of a search for places.
#[derive(Default)]
pub(crate) struct Places {
    pub(crate) list: Vec<Place>,
    /// By axis: displacements of the body that bring its side in contact with a face.
    pub(crate) shifts: [Vec<f32>; 3],
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
    pub(crate) tracing: Tracing,
}
