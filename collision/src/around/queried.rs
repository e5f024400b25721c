//! The union of the boxes that a tick queried. [`Memory`] stores only the last query; a sleeping
//! character must wake on changes in any of them.

use crate::body::Radii;
use crate::candidates::Candidates;
use crate::frame::Frame;
use crate::position::{Cell, between};
use crate::terrain::{Memory, Reach, Terrain};
use nalgebra::Vector3;

/// The box around the queries of a tick.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Queried {
    looks: u8,
    far: bool,
    base: Cell,
    min: Vector3<f32>,
    max: Vector3<f32>,
}

impl Queried {
    /// Adds a box, in metres from the corner of `base`.
    #[inline]
    pub(crate) fn note(&mut self, base: Cell, min: Vector3<f32>, max: Vector3<f32>) {
        self.looks = self.looks.saturating_add(1);
        if self.looks == 1 {
            (self.base, self.min, self.max) = (base, min, max);
        } else {
            let shift = between(self.base, base);
            self.min = self.min.inf(&(min + shift));
            self.max = self.max.sup(&(max + shift));
        }
    }

    /// Notes a query beyond the path of the body, for room to step or to stand up.
    pub(crate) fn note_far(&mut self) {
        self.far = true;
    }

    /// Returns whether a character may change the outcome of the tick without coming near the path
    /// of the body.
    pub(crate) fn is_far(&self) -> bool {
        self.far
    }

    /// Makes the memory store all queries; `candidates` is a buffer.
    #[cold]
    pub(crate) fn remember<T: Terrain + ?Sized>(
        &self,
        terrain: &T,
        memory: &mut Memory,
        candidates: &mut Candidates,
    ) {
        if self.looks < 2 {
            return;
        }
        let reach = Reach {
            base: self.base,
            start: self.min,
            motion: Vector3::zeros(),
            min: self.min,
            max: self.max,
            half: Vector3::zeros(),
        };
        let ball = Frame::new(Radii::new(1.0, 1.0), Vector3::y(), 0.0);
        candidates.begin_within(&ball, &reach);
        terrain.gather(&reach, memory, candidates);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_box_holds_all_looks_whatever_cells_they_are_measured_from() {
        let mut queried = Queried::default();
        let one = Vector3::repeat(1.0);
        queried.note(Cell::new(i32::MAX, 5, 0), -one, one);
        assert_eq!((queried.min, queried.max), (-one, one));
        queried.note(Cell::new(i32::MIN, 3, 0), Vector3::zeros(), one * 2.0);
        assert_eq!(queried.min, Vector3::new(-1.0, -2.0, -1.0));
        assert_eq!(queried.max, Vector3::new(3.0, 1.0, 2.0));
        for _ in 0..300 {
            queried.note(queried.base, -one, one);
        }
        assert_eq!(queried.max, Vector3::new(3.0, 1.0, 2.0));
    }
}
