//! Standing on a rim: how low the body may sink over it, and what a step from it is measured from.

use crate::mover::Feature;
use crate::mover::probe::{Probe, Stop};
use crate::mover::slide::Wall;
use crate::terrain::Terrain;
use crate::tolerance::{EXACT, PARALLEL, RIM_DROP, TOUCHING};
use nalgebra::Vector3;

impl<T: Terrain + ?Sized> Probe<'_, '_, T> {
    /// Where a body stays that would sink over the rim of a drop, its foot below what it walked on; it came down on the rim from `before`. Where
    /// ground goes on below, no lower than the snap, it goes down.
    pub(crate) fn kept_up(&mut self, before: Vector3<f32>, stop: &Stop) -> Option<Vector3<f32>> {
        let (up, along) = (self.frame.up, self.frame.radii.along);
        let rim = self.frame.touching_point(self.at, stop.normal);
        let top = stop.detail.top.unwrap_or(up.dot(&rim));
        let above = up.dot(&before) - along - top;
        let kept = if above > EXACT {
            before - up * above
        } else {
            before
        };
        let on_rim = matches!(stop.detail.feature, Feature::Edge | Feature::Corner);
        if !on_rim || up.dot(&(kept - self.at)) <= TOUCHING {
            return None;
        }
        let snap = self.around.config.snap;
        let lowest = up.dot(&before) - along - snap;
        let known = stop.detail.top;
        let floor =
            known.and_then(|top| self.candidates.floor_between(kept, lowest, top - TOUCHING));
        let drops = match floor {
            Some(floor) => !floor,
            None => self.stands_alone(kept, rim, stop.normal, snap),
        };
        drops.then_some(kept)
    }

    /// Who stands on a rim at a place steps as high as from its top: no higher where it has risen above that, and from below only if it stands
    /// on nothing else. Onto the top itself it steps then however low its steps are, if it meets the rim at once.
    pub(crate) fn measure_from_rim(
        &mut self,
        place: Vector3<f32>,
        wall: &Wall,
        level: Vector3<f32>,
    ) {
        let mark = self.mark();
        self.at = place;
        let stop = self.sweep(self.frame.up * -TOUCHING);
        self.go_back(&mark);
        let farthest = self.around.config.farthest_out();
        let Some(stop) = stop.filter(|stop| self.bears(stop, farthest)) else {
            return;
        };
        let (up, along) = (self.frame.up, self.frame.radii.along);
        let rim = self.frame.touching_point(place, stop.normal);
        let height = up.dot(&(rim - wall.at)) + along;
        if height <= 0.0 {
            self.step_height = (self.step_height + height).max(0.0);
        }
        if height <= TOUCHING || !self.stands_alone(place, rim, stop.normal, RIM_DROP) {
            return;
        }
        let at_once = (1.0 - wall.share) * level.norm() <= TOUCHING;
        if self.step_height > 0.0 {
            self.step_height += height;
        } else if at_once && height <= self.around.config.rim(along) {
            self.step_height = height;
        }
    }

    /// Whether nothing down to `drop` below would bear the body at a place if it were off a rim that it touches at a point; others as high do
    /// not count.
    fn stands_alone(
        &mut self,
        place: Vector3<f32>,
        rim: Vector3<f32>,
        normal: Vector3<f32>,
        drop: f32,
    ) -> bool {
        let up = self.frame.up;
        let Some(out) = (normal - up * up.dot(&normal)).try_normalize(PARALLEL) else {
            return false;
        };
        // So wide is the body at the rim once it is lower.
        let radii = self.frame.radii;
        let to_rim = rim - place;
        let above = ((up.dot(&to_rim) + drop) / radii.along).min(0.0);
        let wide = radii.across * (1.0 - above * above).max(0.0).sqrt();
        let (aside, down) = (out * (wide + out.dot(&to_rim) + TOUCHING), up * -drop);
        let mark = self.mark();
        self.at = place;
        let free = self.sweep(aside).map_or(1.0, |stop| stop.time);
        self.at += aside * free;
        let farthest = self.around.config.farthest_out();
        let below = self.sweep(down);
        let borne = below.is_some_and(|stop| {
            let lower = |top: f32| top < up.dot(&rim) - TOUCHING;
            stop.detail.top.is_none_or(lower) && self.bears(&stop, farthest)
        });
        self.go_back(&mark);
        !borne
    }
}
