//! Straight paths of upright bodies past solids: a short answer in place of a gather.

use crate::contact::Feature;
use crate::object::ObjectId;
use crate::position::Position;
use crate::tolerance::{RIM_SHARE, TOUCHING};
use nalgebra::Vector3;
use std::ops::Range;

/// A straight path of a body whose up axis is +y, or several paths from one place. Lengths are in
/// metres from the corner of the cell of `start`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crossing {
    /// Centre of the body at the start.
    pub start: Position,
    /// Lower corner of the box that holds the body, skin included, along its path.
    pub min: Vector3<f32>,
    /// Upper corner of that box.
    pub max: Vector3<f32>,
    /// Centre of the body at the end.
    pub end: Vector3<f32>,
    /// Half extents of the body, skin included: the centre stays at least that far inside the box.
    pub half: Vector3<f32>,
    /// True for a standing body: its path is level, and ground that it touches to the bit is
    /// outside of the box. For a falling body the ground is inside.
    pub stands: bool,
    /// True for a body that starts on a rim: it may have sunk over that, and then touches no ground
    /// to the bit.
    pub from_rim: bool,
    /// Farthest that a standing body may be out over a rim, as a share of its half extent across.
    pub ledge: f32,
    /// Farthest that the ground may lie below a body on a rim and draw it down, in metres.
    pub snap: f32,
}

impl Crossing {
    /// Returns whether the body may touch a solid box somewhere along its path: being round, it
    /// does not fill its own box.
    #[inline]
    #[must_use]
    pub fn touches(&self, min: &Vector3<f32>, max: &Vector3<f32>) -> bool {
        let share = |axis: usize| {
            let half = self.half[axis];
            let above = min[axis] - (self.max[axis] - half);
            let below = (self.min[axis] + half) - max[axis];
            above.max(below).max(0.0) / half
        };
        let (x, y, z) = (share(0), share(1), share(2));
        x * x + y * y + z * z <= 1.0
    }

    /// Returns the distances, in metres, at which a body may stand out from a rim level with its
    /// foot and keep its height. Farther out the rim does not support it, or lies deeper in the
    /// body than the snap; nearer, the body is all but on the face. Empty where there is no such
    /// distance.
    #[inline]
    #[must_use]
    pub fn out_on_rim(&self) -> Range<f32> {
        let (across, along) = (self.half.x, self.half.y);
        let left = (1.0 - (self.snap - 2.0 * TOUCHING) / along).max(0.0);
        let out = (1.0 - left * left).max(0.0).sqrt().min(self.ledge);
        across * (4.0 * TOUCHING / along).sqrt()..across * (out - RIM_SHARE)
    }
}

/// The result of [`Terrain::passage`](crate::Terrain::passage) along a [`Crossing`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passage {
    /// A solid may be in the way, or the body starts in liquid or on something climbable.
    Unknown,
    /// No solid in the box that the body [touches](Crossing::touches).
    Open,
    /// Open, and at the end the body stands, to the bit, on the inside of an upward face of this
    /// object.
    Level(ObjectId),
    /// Open, and at the end the body stands [out over](Crossing::out_on_rim) this edge or corner of
    /// an upward face of an object, level with it to the bit. No other feature is as near, and
    /// there is no ground below the body within the snap.
    Rim(ObjectId, Feature),
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mover::test_terrain::Dice;
    use crate::position::Cell;

    /// Returns the least `x^2 + y^2 + z^2`, in shares of the radii, between points all over a box
    /// and points all along a path.
    fn nearest(
        way: [Vector3<f64>; 2],
        radii: Vector3<f64>,
        min: Vector3<f64>,
        max: Vector3<f64>,
    ) -> f64 {
        let mut least = f64::INFINITY;
        for step in 0..=64 {
            let centre = way[0].lerp(&way[1], f64::from(step) / 64.0);
            // The nearest point of a box is the nearest one along each axis.
            let near = centre.sup(&min).inf(&max);
            least = least.min((near - centre).component_div(&radii).norm_squared());
        }
        least
    }

    #[test]
    fn crossing_touches_what_the_round_body_touches() {
        let mut dice = Dice(8);
        let (mut touched, mut passed) = (0, 0);
        for _ in 0..40_000 {
            let half = Vector3::new(0.41, 0.91, 0.41);
            let start = Vector3::repeat(0.5) + dice.vector() * 0.5;
            let mut motion = Vector3::zeros();
            motion[(dice.bits() % 3) as usize] = dice.signed();
            let end = start + motion;
            let crossing = Crossing {
                start: Position::new(Cell::new(5, -7, 9), start),
                min: start.inf(&end) - half,
                max: start.sup(&end) + half,
                end,
                half,
                stands: motion.y == 0.0,
                from_rim: false,
                ledge: 0.0,
                snap: 0.0,
            };
            let min = start + dice.vector() * 1.5;
            let max = min + dice.vector().abs() * 0.5;
            let way = [start.cast(), end.cast()];
            let squared = nearest(way, half.cast(), min.cast(), max.cast());
            let touches = crossing.touches(&min, &max);
            // Between the sampled points it may be nearer.
            if squared < 1.0 - 1e-5 {
                assert!(touches, "{crossing:?} {min} {max}");
            } else if squared > 1.02 {
                assert!(!touches, "{crossing:?} {min} {max}");
            }
            touched += u32::from(touches);
            let in_box = (0..3).all(|i| min[i] <= crossing.max[i] && crossing.min[i] <= max[i]);
            passed += u32::from(in_box && !touches);
        }
        assert!(touched > 3000 && passed > 1000, "{touched} {passed}");
    }
}
