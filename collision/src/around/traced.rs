//! A copy of what a move gathered, for pictures and for debugging.

use crate::candidates::Candidates;
use crate::contact::Feature;
use crate::reach::{Plane, Reach};
use nalgebra::Vector3;

/// A feature that a move could hit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TracedCandidate {
    /// The kind of feature.
    pub feature: Feature,
    /// Its lower corner, in metres from the corner of the trace's base.
    pub min: Vector3<f32>,
    /// Its upper corner.
    pub max: Vector3<f32>,
}

/// The features that a move gathered.
#[derive(Clone, Debug)]
pub struct GatherTrace {
    /// The reach of the move; all lengths are measured from its `base`.
    pub reach: Reach,
    /// The six planes around the move. Nothing behind one of them was gathered.
    pub planes: [Plane; 6],
    /// Faces, edges and corners of the terrain, and other bodies.
    pub candidates: Vec<TracedCandidate>,
    /// Triangles.
    pub triangles: Vec<[Vector3<f32>; 3]>,
}

impl GatherTrace {
    /// Copies the features that were gathered in a reach.
    pub(crate) fn of(reach: &Reach, gathered: &Candidates) -> Self {
        let triangles = gathered.triangles().iter();
        let mut trace = Self {
            reach: *reach,
            planes: reach.planes(),
            candidates: Vec::new(),
            triangles: triangles.map(|triangle| triangle.corners).collect(),
        };
        gathered.visit(|feature, [min, max]| {
            trace.candidates.push(TracedCandidate { feature, min, max });
        });
        trace
    }
}

/// The trace of the moves of a thread: on for the traced character only.
#[derive(Default)]
pub(crate) struct Tracing {
    pub(crate) is_on: bool,
    pub(crate) last: Option<Box<GatherTrace>>,
}

impl Tracing {
    /// Copies a gather if moves are traced.
    #[inline]
    pub(crate) fn note(&mut self, reach: &Reach, gathered: &Candidates) {
        if self.is_on {
            self.last = Some(Box::new(GatherTrace::of(reach, gathered)));
        }
    }
}
