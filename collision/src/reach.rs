//! The space that a move can touch: the query of a gather.

use crate::position::Cell;
use nalgebra::Vector3;

/// A half space: points `p` with `normal . p >= distance` are in front.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plane {
    /// Unit normal.
    pub normal: Vector3<f32>,
    /// Distance of the plane from the origin along the normal, in metres.
    pub distance: f32,
}

impl Plane {
    /// Returns whether a whole box is behind the plane.
    #[inline]
    pub(crate) fn hides(&self, min: &Vector3<f32>, max: &Vector3<f32>) -> bool {
        let farthest = |i: usize| (self.normal[i] * min[i]).max(self.normal[i] * max[i]);
        farthest(0) + farthest(1) + farthest(2) < self.distance
    }

    /// Returns whether part of a body of this half size, with its centre in a box, can be behind
    /// the plane.
    pub(crate) fn cuts(&self, min: &Vector3<f32>, max: &Vector3<f32>, half: &Vector3<f32>) -> bool {
        let nearest = |i: usize| {
            let end = (self.normal[i] * min[i]).min(self.normal[i] * max[i]);
            end - self.normal[i].abs() * half[i]
        };
        nearest(0) + nearest(1) + nearest(2) < self.distance
    }
}

/// The space that a move can touch, in metres from the corner of `base`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reach {
    /// The cell that all lengths are measured from.
    pub base: Cell,
    /// Centre of the body before the move.
    pub start: Vector3<f32>,
    /// The longest motion of the move; contacts may turn it aside, within the box.
    pub motion: Vector3<f32>,
    /// Lower corner of the box that holds every place of the body during the move.
    pub min: Vector3<f32>,
    /// Upper corner of that box.
    pub max: Vector3<f32>,
    /// Half size of the box around the body: the centre stays at least that far inside, and faces
    /// that no such place can see may be left out. Zero where nothing is known.
    pub half: Vector3<f32>,
}

impl Reach {
    /// Length of a motion, in metres, above which the planes follow it: most of its box is far from
    /// its path.
    const LONG: f32 = 2.0;

    /// Returns whether the planes follow the motion. They then hold the straight move, without
    /// turns.
    #[inline]
    pub(crate) fn is_long(&self) -> bool {
        self.motion.norm_squared() > Self::LONG * Self::LONG
    }

    /// Returns the six planes of the move, in pairs that face each other. The move cannot touch
    /// anything behind one of them. They are the sides of the box; for a long motion, two are
    /// across it and four along it.
    #[must_use]
    pub fn planes(&self) -> [Plane; 6] {
        let end = self.start + self.motion;
        let (low, high) = (self.start.inf(&end), self.start.sup(&end));
        // Extent of the body beyond its path, on each axis.
        let pad = (low - self.min).sup(&(self.max - high));
        let along = self.motion.try_normalize(0.0).filter(|_| self.is_long());
        let Some(along) = along else {
            let plane = |side: usize| {
                let mut normal = Vector3::zeros();
                let axis = side / 2;
                let (sign, at) = match side % 2 {
                    0 => (1.0, self.min[axis]),
                    _ => (-1.0, -self.max[axis]),
                };
                normal[axis] = sign;
                Plane {
                    normal,
                    distance: at,
                }
            };
            return [0, 1, 2, 3, 4, 5].map(plane);
        };
        let mut helper = Vector3::zeros();
        helper[along.iamin()] = 1.0;
        let side = along.cross(&helper).normalize();
        let rise = side.cross(&along);
        let plane = |normal: Vector3<f32>, at: Vector3<f32>| Plane {
            normal,
            distance: normal.dot(&at) - normal.abs().dot(&pad),
        };
        [
            plane(along, self.start),
            plane(-along, end),
            plane(side, self.start),
            plane(-side, self.start),
            plane(rise, self.start),
            plane(-rise, self.start),
        ]
    }
}
