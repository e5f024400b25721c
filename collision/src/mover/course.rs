//! Which way a move goes on after what it has met: along all planes at once, flying or on foot.

use crate::mover::probe::Stop;
use crate::mover::slide::is_nothing;
use crate::mover::{Feature, Frame, Ground, MoverConfig, PlaneSet};
use crate::tolerance::{ASIDE, BUMP, PARALLEL, TURN_OUT};
use nalgebra::Vector3;

/// How planes turn a move aside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Gait {
    /// Along every plane alike.
    Free,
    /// Along every plane, but to the level part of the wish what is steep is an upright wall: see [`PlaneSet::project_falling`].
    Falling,
    /// On foot: what is walkable lifts, everything else is an upright wall.
    OnFoot,
}

/// A floor that lifts a walker.
#[derive(Clone, Copy)]
struct Slope {
    normal: Vector3<f32>,
    /// Whether the length along the slope counts (a face, a steep edge) or the length on the level (a bump).
    keeps_length: bool,
}

impl Slope {
    /// How much a level way rises where it is laid on the slope.
    #[inline]
    fn lift(&self, level: &Vector3<f32>, up: &Vector3<f32>) -> f32 {
        -level.dot(&self.normal) / self.normal.dot(up)
    }
}

/// The way wished for, and what stands in it.
pub(crate) struct Course<'a> {
    gait: Gait,
    wish: Vector3<f32>,
    /// The level part of the way without steering.
    kept: Vector3<f32>,
    up: Vector3<f32>,
    config: &'a MoverConfig,
    pub(crate) planes: PlaneSet,
    slopes: [Option<Slope>; 4],
    /// The normal of the slope stood on, until it is met. Who stands on an edge may touch it at another angle.
    supposed: Option<Vector3<f32>>,
    /// The planes met before one was added that is not met but leads downhill along a wall.
    level: Option<PlaneSet>,
    /// Whether something leans over the way of who is lifted by a slope: between the two there is only the way along both as they are.
    under: bool,
    /// How high what lifts a walker may be, from the base that the way begins at.
    highest: f32,
}

impl<'a> Course<'a> {
    /// A course along `wish`. On foot the wish is level.
    #[inline]
    pub(crate) fn new(
        gait: Gait,
        wish: Vector3<f32>,
        frame: &Frame,
        config: &'a MoverConfig,
    ) -> Self {
        Self {
            gait,
            wish,
            kept: Vector3::zeros(),
            up: frame.up,
            config,
            planes: PlaneSet::of(frame),
            slopes: [None; 4],
            supposed: None,
            level: None,
            under: false,
            highest: f32::INFINITY,
        }
    }

    /// Keeps a slide that would lead so far on the level without steering.
    pub(crate) fn keep(&mut self, kept: Vector3<f32>) {
        self.kept = kept;
    }

    /// Tells whether the course ends at the first ground that bears the body.
    pub(crate) fn lands(&self) -> bool {
        self.gait == Gait::Falling && self.wish.dot(&self.up) <= 0.0
    }

    /// Takes what is known to be higher than `top` for a wall, however upright it is where it is touched.
    pub(crate) fn stay_below(&mut self, top: f32) {
        self.highest = top;
    }

    /// Whether it has to stay below something.
    pub(crate) fn is_low(&self) -> bool {
        self.highest.is_finite()
    }

    /// Goes along walls that are known before they are met.
    pub(crate) fn go_beside(&mut self, walls: &PlaneSet) {
        for &wall in walls.normals() {
            self.planes.add(wall);
        }
    }

    /// The way for the whole wish: scale it by the share that is left.
    #[inline]
    pub(crate) fn way(&self) -> Vector3<f32> {
        match self.gait {
            Gait::Free => self.eased(self.planes.project(self.wish)),
            Gait::Falling => self.eased(self.fall()),
            Gait::OnFoot if self.under => self.eased(self.between()),
            Gait::OnFoot => self.lifted(self.eased(self.planes.project(self.wish))),
        }
    }

    /// The way of a fall. Nobody is thrown back by pressing on, though one may be led aside: who is pressed into a notch over what bears stays
    /// there, and who would go back farther than without pressing falls as if it did not.
    #[inline]
    fn fall(&self) -> Vector3<f32> {
        let least_rise = self.config.walkable_rise();
        let slide = |wish| {
            let planes = &self.planes;
            planes.project_sliding(wish, self.kept, self.up, least_rise)
        };
        let way = slide(self.wish);
        let height = self.up * self.up.dot(&self.wish);
        let level = self.wish - height;
        let forward = way.dot(&level);
        if forward >= 0.0 || -forward <= ASIDE * way.norm() * level.norm() {
            return way;
        }
        if self.planes.bear(self.up, least_rise) && self.is_held_or_climbs(&level) {
            return Vector3::zeros();
        }
        let unpressed = if self.kept == Vector3::zeros() {
            self.planes.project(height)
        } else {
            slide(height)
        };
        if forward < unpressed.dot(&level) {
            unpressed
        } else {
            way
        }
    }

    /// Whether pressing on along a level way leads nowhere or, for who does not rise by itself, farther up than on or back.
    fn is_held_or_climbs(&self, level: &Vector3<f32>) -> bool {
        let pressed = self.planes.project(self.wish);
        let falls = self.wish.dot(&self.up) <= 0.0;
        let climbs = pressed.dot(&self.up) * level.norm() > pressed.dot(level).abs();
        pressed == Vector3::zeros() || falls && climbs
    }

    /// Friction and the shrink by the angle turned.
    #[inline]
    fn eased(&self, way: Vector3<f32>) -> Vector3<f32> {
        if (self.config.friction == 0.0 && self.config.shrink == 0.0) || way == self.wish {
            return way;
        }
        let (length, whole) = (way.norm(), self.wish.norm());
        if length == 0.0 {
            return way;
        }
        let lost = self.config.friction * (self.wish - way).norm();
        let turned = 1.0 - way.dot(&self.wish) / (length * whole);
        let kept = (1.0 - lost / length).max(0.0) * (1.0 - self.config.shrink * turned).max(0.0);
        way * kept
    }

    /// A level way, laid on the slopes.
    #[inline]
    fn lifted(&self, level: Vector3<f32>) -> Vector3<f32> {
        let mut slopes = self.slopes.iter().flatten().peekable();
        if slopes.peek().is_none() {
            return level;
        }
        let out = TURN_OUT * level.norm();
        let mut highest: Option<(f32, bool)> = None;
        for slope in slopes {
            let lift = out + slope.lift(&level, &self.up);
            if highest.is_none_or(|(best, _)| lift > best) {
                highest = Some((lift, slope.keeps_length));
            }
        }
        match highest {
            Some((lift, keeps_length)) => {
                let way = level + self.up * lift;
                let length = way.norm();
                let share = if keeps_length && length > 0.0 {
                    level.norm() / length
                } else {
                    1.0
                };
                way * share
            }
            None => level,
        }
    }

    /// The way between slopes and what leans over them.
    fn between(&self) -> Vector3<f32> {
        let mut planes = self.planes;
        for slope in self.slopes.iter().flatten() {
            if !planes.add(slope.normal) {
                return Vector3::zeros();
            }
        }
        planes.project(self.wish)
    }

    /// Takes a contact into account; `false` when there is no room for it.
    #[inline]
    pub(crate) fn meet(&mut self, stop: &Stop) -> bool {
        match self.gait {
            Gait::Free => self.planes.add(stop.normal),
            Gait::Falling => self.planes.put(stop.normal, self.is_steep(stop)),
            Gait::OnFoot if self.is_walkable(stop) => {
                let bump = stop.detail.feature != Feature::Face && self.is_upright(stop, BUMP);
                self.climb(stop.normal, !bump)
            }
            Gait::OnFoot => self.meet_wall(stop.normal, stop.detail.feature),
        }
    }

    /// Whether a contact lifts a walker. Nobody walks up other bodies.
    #[inline]
    pub(crate) fn is_walkable(&self, stop: &Stop) -> bool {
        // Beside the edge of a block there is a wall, however steep a slope may be.
        let of_block = stop.detail.top.is_some() && stop.detail.feature != Feature::Face;
        let low = stop.detail.top.is_none_or(|top| top <= self.highest);
        let least_rise = self.config.walkable_rise();
        let least_rise = if of_block {
            least_rise.max(BUMP)
        } else {
            least_rise
        };
        low && self.is_upright(stop, least_rise)
            && !self.is_steep(stop)
            && stop.detail.feature != Feature::Body
    }

    #[inline]
    fn is_upright(&self, stop: &Stop, least_rise: f32) -> bool {
        stop.normal.dot(&self.up) >= least_rise
    }

    /// Whether what was met is known to have no face that could be stood on, however upright it is where it is touched.
    #[inline]
    fn is_steep(&self, stop: &Stop) -> bool {
        stop.detail.is_uppermost
            && stop.detail.face_normal.dot(&self.up) < self.config.walkable_rise()
    }

    /// Starts from the slope stood on.
    #[inline]
    pub(crate) fn start_on(&mut self, ground: &Ground) {
        self.supposed = Some(ground.normal);
        self.climb(ground.normal, ground.feature == Feature::Face);
    }

    /// Goes on over a walkable plane.
    #[inline]
    fn climb(&mut self, normal: Vector3<f32>, keeps_length: bool) -> bool {
        let slope = Slope {
            normal,
            keeps_length,
        };
        match self.slopes.iter_mut().find(|slot| slot.is_none()) {
            Some(slot) => {
                *slot = Some(slope);
                true
            }
            None => self.forget_lowest(slope),
        }
    }

    /// Makes room for one more slope: that which lifts the way least is behind.
    fn forget_lowest(&mut self, slope: Slope) -> bool {
        let (way, up) = (self.planes.project(self.wish), self.up);
        let lift = |slot: &Option<Slope>| slot.as_ref().map_or(f32::MIN, |it| it.lift(&way, &up));
        let slots = self.slopes.iter_mut();
        let lowest = slots.min_by(|a, b| lift(a).total_cmp(&lift(b)));
        lowest.map(|slot| *slot = Some(slope)).is_some()
    }

    /// A plane too steep to walk on stops as an upright wall does. Met again, it leans over or under the way: then it also lifts, or stops.
    /// Under a ceiling, a slope that is only supposed to go on underfoot is given up before the ceiling is slid along. What was taken for a
    /// wall before the way was lifted, and leaves none as both, is a ceiling only.
    #[inline]
    pub(crate) fn meet_wall(&mut self, normal: Vector3<f32>, feature: Feature) -> bool {
        let rise = normal.dot(&self.up);
        let level = normal - self.up * rise;
        let size = level.norm();
        let ceiling = -rise > size && self.lifting().is_some();
        if size > PARALLEL && !ceiling {
            let upright = level / size;
            if !self.planes.contains(upright) {
                return self.planes.add(upright) && self.goes_downhill_or_level(upright);
            }
        }
        // An edge or a corner that leans back is climbed, one that is all but upright cannot be.
        let leads_down = feature == Feature::Face || rise <= PARALLEL;
        if leads_down && self.go_downhill_beside(normal) {
            return true;
        }
        if rise > PARALLEL {
            return self.climb(normal, false);
        }
        if let Some(slope) = self.lifting() {
            if self.supposed == Some(slope) {
                self.drop_supposed();
                return true;
            }
            if !self.under || !self.planes.contains(normal) {
                self.drop_supposed();
                self.under = true;
                let added = self.planes.add(normal);
                self.pass_under(level);
                return added;
            }
        } else if rise < 0.0 && !self.under && self.slopes.iter().any(Option::is_some) {
            // Level over what leads downhill, and so close under it that there is no room to be held off the slopes.
            self.under = true;
            return self.planes.add(normal);
        }
        let way = self.planes.project(self.wish);
        let length = way.norm();
        length > 0.0 && self.planes.add(-way / length)
    }

    /// Downhill along a wall that leans back the way laid on the slope leads into the wall again: goes where the two run along each other, if
    /// that leads at least half as far. (Else it goes level, and leaves the slope.)
    fn go_downhill_beside(&mut self, normal: Vector3<f32>) -> bool {
        let way = self.planes.project(self.wish);
        let lift = |slope: &Slope| slope.lift(&way, &self.up);
        let slopes = self.slopes.iter().flatten();
        let Some(highest) = slopes.max_by(|a, b| lift(a).total_cmp(&lift(b))) else {
            return false;
        };
        let rise = normal.dot(&self.up);
        let beside = normal - highest.normal * (rise / highest.normal.dot(&self.up));
        let level = beside - self.up * beside.dot(&self.up);
        let downhill = rise > 0.0 && lift(highest) < 0.0;
        let Some(beside) = level.try_normalize(PARALLEL).filter(|_| downhill) else {
            return false;
        };
        let mut planes = self.planes;
        let leads = !planes.contains(beside)
            && planes.add(beside)
            && planes.project(self.wish).norm() >= 0.5 * way.norm();
        if leads {
            self.level.get_or_insert(self.planes);
            self.planes = planes;
        }
        leads
    }

    /// Where a wall that was just met leaves no way downhill beside another, there may still be one on the level.
    fn goes_downhill_or_level(&mut self, upright: Vector3<f32>) -> bool {
        let Some(level) = self.level else {
            return true;
        };
        if !is_nothing(self.way()) {
            return true;
        }
        self.level = None;
        self.slopes = [None; 4];
        self.planes = level;
        self.planes.contains(upright) || self.planes.add(upright)
    }

    /// Where a ceiling that was just met leaves no way as it leans and as the wall that it was taken for, it is no wall. Nor then are the slopes
    /// below it: between two edges along each other there is a way, but not between the upright walls that both were taken for.
    fn pass_under(&mut self, level: Vector3<f32>) {
        self.be_no_wall(level);
        for slope in self.slopes.into_iter().flatten() {
            self.be_no_wall(slope.normal - self.up * slope.normal.dot(&self.up));
        }
    }

    /// Forgets the wall that something was taken for, as far as it is out on the level, if there is no way.
    fn be_no_wall(&mut self, level: Vector3<f32>) {
        let wall = level.try_normalize(PARALLEL);
        if let Some(wall) = wall.filter(|wall| self.planes.contains(*wall))
            && is_nothing(self.way())
        {
            self.planes = self.planes.without(wall);
        }
    }

    /// Forgets the slope stood on: where it is in the way, it is met as it is touched.
    fn drop_supposed(&mut self) {
        let supposed = self.supposed.take();
        for slot in &mut self.slopes {
            if slot.map(|slope| slope.normal) == supposed {
                *slot = None;
            }
        }
    }

    /// The normal of the slope that lifts the level way most.
    #[inline]
    fn lifting(&self) -> Option<Vector3<f32>> {
        let way = self.planes.project(self.wish);
        let mut most = 0.0;
        let mut lifting = None;
        for slope in self.slopes.iter().flatten() {
            let lift = slope.lift(&way, &self.up);
            if lift > most {
                most = lift;
                lifting = Some(slope.normal);
            }
        }
        lifting
    }
}

#[cfg(test)]
#[path = "course_tests.rs"]
mod tests;
