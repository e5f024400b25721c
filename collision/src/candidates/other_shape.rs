//! Neighbours of another shape than the mover's. In its squashed space they are no balls, so each
//! is tested alone, in the world, exactly.

use crate::body::Body;
use crate::frame::Frame;
use crate::kernels::ellipsoids::Pair;
use crate::object::ObjectId;
use nalgebra::Vector3;

/// A neighbour of another shape; it does not move.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OtherShape {
    /// Its centre, in metres from the base cell.
    pub(crate) centre: Vector3<f32>,
    pub(crate) object: ObjectId,
    pair: Pair,
}

/// Points and motions are squashed.
impl OtherShape {
    /// Pairs the shapes of mover and neighbour, both with their skins.
    pub(crate) fn new(
        frame: &Frame,
        other: &Body,
        skin: f32,
        centre: Vector3<f32>,
        object: ObjectId,
    ) -> Self {
        Self {
            centre,
            object,
            pair: frame.beside(other, skin),
        }
    }

    /// Returns the time at which the neighbour stops the mover.
    #[inline]
    pub(crate) fn sweep(
        &self,
        frame: &Frame,
        start: Vector3<f32>,
        motion: Vector3<f32>,
        limit: f32,
    ) -> Option<f32> {
        let motion = frame.unsquashed(motion);
        self.pair.enter(self.offset(frame, start), motion, limit)
    }

    /// Returns the unit normal of the contact of a mover at `point`.
    #[inline]
    pub(crate) fn normal_at(&self, frame: &Frame, point: Vector3<f32>) -> Vector3<f32> {
        let near = self.pair.nearest(self.offset(frame, point));
        let squashed = frame.unsquashed(near.normal);
        squashed / squashed.norm()
    }

    /// Returns how deep a mover at `point` is in the neighbour, in metres; zero or less if they are
    /// apart.
    #[inline]
    pub(crate) fn depth(&self, frame: &Frame, point: Vector3<f32>) -> f32 {
        self.pair.depth(self.offset(frame, point))
    }

    #[inline]
    fn offset(&self, frame: &Frame, point: Vector3<f32>) -> Vector3<f32> {
        frame.unsquashed(point) - self.centre
    }
}
