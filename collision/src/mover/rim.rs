//! Rules of standing on a rim: how low the body may sink over it, and how high it may step from it.

use crate::mover::Feature;
use crate::mover::probe::{Probe, Span, Stop};
use crate::mover::slide::Wall;
use crate::terrain::Terrain;
use crate::tolerance::{EXACT, LIP, PARALLEL, RIM_DROP, TOUCHING};
use nalgebra::Vector3;

/// The support of a body below a rim.
struct Below {
    /// Height lost by standing there, in metres.
    drop: f32,
    /// Height of the support along the up axis; `None` for a slope.
    height: Option<f32>,
}

impl<T: Terrain + ?Sized> Probe<'_, '_, T> {
    /// Returns the place at which a body that came down from `before` onto a rim stays. At the
    /// border of a drop the body would sink over the rim until its foot is below the floor it
    /// walked on, so it stays level with the rim. `None` lets it go down, as where ground goes on
    /// below, no lower than the snap.
    pub(crate) fn kept_up(&mut self, before: Vector3<f32>, stop: &Stop) -> Option<Vector3<f32>> {
        if !matches!(stop.detail.feature, Feature::Edge | Feature::Corner) {
            return None;
        }
        let (up, along) = (self.frame.up, self.frame.radii.along);
        let rim = self.frame.touching_point(self.at, stop.normal);
        let known = stop.detail.top;
        let above = up.dot(&before) - along - known.unwrap_or(up.dot(&rim));
        let kept = if above > EXACT {
            before - up * above
        } else {
            before
        };
        if up.dot(&(kept - self.at)) <= TOUCHING {
            return None;
        }
        let snap = self.snap_depth;
        let (lowest, foot) = (up.dot(&before) - along - snap, up.dot(&kept) - along);
        // A listener may ignore any floor.
        let told = known.filter(|_| self.around.listener.is_none());
        let floor = told.and_then(|_| {
            let candidates = &self.candidates;
            candidates.floor_between(kept, lowest, foot - TOUCHING)
        });
        let drops = match floor {
            Some(floor) => !floor,
            None => {
                let below = self.below_rim(kept, rim, stop.normal, snap);
                let lower = |height: f32| height < foot - LIP;
                below.is_none_or(|below| !below.height.is_none_or(lower))
            }
        };
        drops.then_some(kept)
    }

    /// Returns how high a body at `place` may step over a wall while it stands on a rim. A foot
    /// below the top of the rim adds the difference, as if the step began at that top, unless the
    /// body also stands on something lower; a foot above the top subtracts it. With a step height
    /// of 0 a body that meets the wall at once may still climb the top of its own rim.
    pub(crate) fn step_from_rim(
        &mut self,
        place: Vector3<f32>,
        wall: &Wall,
        level: Vector3<f32>,
    ) -> f32 {
        let (config, step) = (self.around.config, self.step_height);
        let (mark, farthest) = (self.mark(), config.farthest_out());
        self.at = place;
        let stop = self.sweep(self.frame.up * -TOUCHING);
        self.go_back(&mark);
        let Some(stop) = stop.filter(|stop| self.bears(stop, farthest)) else {
            return step;
        };
        let (up, along) = (self.frame.up, self.frame.radii.along);
        let rim = self.frame.touching_point(place, stop.normal);
        let height = up.dot(&(rim - wall.at)) + along;
        if height <= 0.0 {
            return (step + height).max(0.0);
        }
        if height <= TOUCHING || self.stands_on_more(place, rim, stop.normal) {
            return step;
        }
        let at_once = (1.0 - wall.share) * level.norm() <= TOUCHING;
        if step > 0.0 {
            step + height
        } else if at_once && height <= config.rim(along) {
            height
        } else {
            step
        }
    }

    /// Returns whether a body at `place` that touches a rim at one point also stands on something
    /// lower: a floor just below its foot, or another rim no lower than that. It may be far out
    /// over that rim, and would sink far before touching it.
    fn stands_on_more(
        &mut self,
        place: Vector3<f32>,
        rim: Vector3<f32>,
        normal: Vector3<f32>,
    ) -> bool {
        let (up, along) = (self.frame.up, self.frame.radii.along);
        let foot = up.dot(&place) - along;
        let deepest = self.around.config.rim(along).max(RIM_DROP);
        let Some(below) = self.below_rim(place, rim, normal, deepest) else {
            return false;
        };
        let Some(height) = below.height else {
            return below.drop <= RIM_DROP;
        };
        let near = below.drop <= RIM_DROP || height >= foot - RIM_DROP;
        near && height < up.dot(&rim) - TOUCHING
    }

    /// Finds the support of a body at `place`, down to `deepest` below, once moved off the rim that
    /// it touches at a point.
    fn below_rim(
        &mut self,
        place: Vector3<f32>,
        rim: Vector3<f32>,
        normal: Vector3<f32>,
        deepest: f32,
    ) -> Option<Below> {
        let up = self.frame.up;
        let out = (normal - up * up.dot(&normal)).try_normalize(PARALLEL)?;
        // The half width of the body at the rim's height once it is lower.
        let radii = self.frame.radii;
        let to_rim = rim - place;
        let above = ((up.dot(&to_rim) + deepest) / radii.along).min(0.0);
        let wide = radii.across * (1.0 - above * above).max(0.0).sqrt();
        let (aside, down) = (out * (wide + out.dot(&to_rim) + TOUCHING), up * -deepest);
        let (mark, base) = (self.mark(), self.base);
        self.at = place;
        self.cover(Span::along(place, aside).swept(down), aside);
        let free = self.sweep(aside).map_or(1.0, |stop| stop.time);
        self.at += aside * free;
        let farthest = self.around.config.farthest_out();
        let stop = self.sweep(down).filter(|stop| self.bears(stop, farthest));
        let below = stop.map(|stop| {
            self.at += down * stop.time;
            Below {
                drop: deepest * stop.time,
                height: self
                    .height_of(&stop)
                    .map(|height| height + self.above(base)),
            }
        });
        self.go_back(&mark);
        below
    }
}
