//! The way of a body in the air past its contacts, by one principle: seen from above, what is too
//! steep to stand on is an upright wall, and steering turns a fall aside but neither lifts it nor
//! throws it back. The same holds for the velocity that is left.

use crate::mover::PlaneSet;
use crate::tolerance::{ASIDE, PARALLEL, TURN_OUT};
use nalgebra::Vector3;

/// A fall, as long as its contacts do not end it.
#[derive(Clone, Copy)]
pub(crate) struct Fall {
    pub(crate) up: Vector3<f32>,
    /// Cosine of the steepest slope to stand on.
    pub(crate) least_rise: f32,
    /// The level part of the way or velocity without steering.
    pub(crate) kept: Vector3<f32>,
}

impl Fall {
    /// Returns what the planes leave of a wish, a way or a velocity. A body that steering would
    /// lift or throw back stays where it has a foothold, and falls as if it did not steer where it
    /// has none.
    pub(crate) fn past(&self, planes: &PlaneSet, wish: Vector3<f32>) -> Vector3<f32> {
        if planes.normals().is_empty() {
            return wish;
        }
        let way = self.steered(planes, wish);
        let fall = wish.dot(&self.up);
        let height = self.up * fall;
        let level = wish - height;
        let forward = way.dot(&level);
        let thrown_back = forward < -ASIDE * way.norm() * level.norm();
        let has_foothold = planes.bear(self.up, self.least_rise);
        let rounding = 2.0 * TURN_OUT * way.norm();
        let lifted = !has_foothold && way.dot(&self.up) > fall.max(0.0) + rounding;
        if !(thrown_back || lifted) {
            return way;
        }
        if has_foothold && fall <= 0.0 {
            return Vector3::zeros();
        }
        let unsteered = self.steered(planes, height);
        if lifted || forward < unsteered.dot(&level) {
            unsteered
        } else {
            way
        }
    }

    /// Projects a wish onto the planes. Those too steep to stand on act as upright walls on its
    /// level part: a body that presses against the edge of a ledge is held off and falls on; it
    /// neither hangs there nor runs up. The part of `kept` down a steep plane is a slide: it is
    /// limited to the speed of the fall, and no wish cancels it.
    fn steered(&self, planes: &PlaneSet, wish: Vector3<f32>) -> Vector3<f32> {
        let height = wish.dot(&self.up);
        let mut kept = self.kept;
        let mut walls = PlaneSet::default();
        for (normal, rise) in planes.too_steep(self.up, self.least_rise) {
            let level = normal - self.up * rise;
            if rise >= 0.0
                && let Some(upright) = level.try_normalize(PARALLEL)
            {
                walls.add(upright);
                let slide = (-height).max(0.0) * rise / level.norm();
                let faster = kept.dot(&upright) - slide;
                kept -= upright * faster.max(0.0);
            }
        }
        let mut level = wish - self.up * height;
        if !walls.normals().is_empty() && kept != Vector3::zeros() {
            let slid = walls.project(kept);
            level = slid + walls.project(level - slid);
        } else {
            level = walls.project(level);
        }
        planes.project(level + self.up * height)
    }
}

#[cfg(test)]
#[path = "falling_tests.rs"]
mod tests;
