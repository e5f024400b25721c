//! Neighbours of another shape than the mover's. Squashed as it is they are no balls, so each is met on its own, in the world, exactly.

use crate::kernels::ellipsoids::Pair;
use crate::mover::{Body, Frame};
use crate::terrain::ObjectId;
use nalgebra::Vector3;

/// A body that stands still.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OtherShape {
    /// In metres from the base cell.
    pub(crate) centre: Vector3<f32>,
    pub(crate) object: ObjectId,
    pair: Pair,
}

/// Points and motions are squashed.
impl OtherShape {
    /// Both with their skins.
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

    /// When the mover is stopped by it.
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

    /// Unit normal of the contact of a mover at `point`.
    #[inline]
    pub(crate) fn normal_at(&self, frame: &Frame, point: Vector3<f32>) -> Vector3<f32> {
        let near = self.pair.nearest(self.offset(frame, point));
        let squashed = frame.unsquashed(near.normal);
        squashed / squashed.norm()
    }

    /// How deep a mover at `point` reaches into it, in metres; not above zero where it does not.
    #[inline]
    pub(crate) fn depth(&self, frame: &Frame, point: Vector3<f32>) -> f32 {
        self.pair.depth(self.offset(frame, point))
    }

    #[inline]
    fn offset(&self, frame: &Frame, point: Vector3<f32>) -> Vector3<f32> {
        frame.unsquashed(point) - self.centre
    }
}
