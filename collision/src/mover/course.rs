//! The way of a move past its contacts: along all planes at once, flying, falling or on foot.

use crate::mover::probe::{Stop, is_negligible};
use crate::mover::{Feature, Frame, Ground, MoverConfig, PlaneSet};
use crate::tolerance::{ASIDE, BUMP, PARALLEL, TURN_OUT};
use nalgebra::Vector3;

/// The rules by which planes turn a move aside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Gait {
    /// Slides along every plane.
    Free,
    /// Slides along every plane; steep planes act as upright walls on the level part of the wish,
    /// see [`PlaneSet::project_falling`].
    Falling,
    /// Walks: walkable planes lift, all others are upright walls.
    OnFoot,
}

/// A walkable plane that lifts a walker.
#[derive(Clone, Copy)]
struct Slope {
    normal: Vector3<f32>,
    /// True if a walker keeps its speed along the slope (a face, a steep edge) or on the level (a
    /// bump).
    keeps_length: bool,
}

impl Slope {
    /// Returns how far a level way rises on the slope.
    #[inline]
    fn lift(&self, level: &Vector3<f32>, up: &Vector3<f32>) -> f32 {
        -level.dot(&self.normal) / self.normal.dot(up)
    }
}

/// The wish of a move, and the planes of its contacts.
pub(crate) struct Course<'a> {
    gait: Gait,
    wish: Vector3<f32>,
    /// The level part of the way without steering.
    kept: Vector3<f32>,
    up: Vector3<f32>,
    config: &'a MoverConfig,
    pub(crate) planes: PlaneSet,
    slopes: [Option<Slope>; 4],
    /// The normal of the slope under the walker, until it is met: an edge may be met at another
    /// angle.
    supposed: Option<Vector3<f32>>,
    /// The planes before the first one was added that no contact has: a way downhill along a wall.
    level: Option<PlaneSet>,
    /// True if something leans over a walker that a slope lifts. The only way then leads between
    /// the two, along both true planes.
    under: bool,
    /// The greatest height of ground that lifts a walker, from the base of the way's start.
    highest: f32,
}

impl<'a> Course<'a> {
    /// Makes a course along `wish`. On foot the wish is level.
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

    /// Keeps a slide with this level motion without steering.
    pub(crate) fn keep(&mut self, kept: Vector3<f32>) {
        self.kept = kept;
    }

    /// Returns whether the course ends at the first ground that bears the body.
    pub(crate) fn lands(&self) -> bool {
        self.gait == Gait::Falling && self.wish.dot(&self.up) <= 0.0
    }

    /// Makes everything known to be higher than `top` a wall, even at an upright contact.
    pub(crate) fn stay_below(&mut self, top: f32) {
        self.highest = top;
    }

    /// Returns whether [`Self::stay_below`] set a limit.
    pub(crate) fn is_low(&self) -> bool {
        self.highest.is_finite()
    }

    /// Goes along known walls before any contact with them.
    pub(crate) fn go_beside(&mut self, walls: &PlaneSet) {
        for &wall in walls.normals() {
            self.planes.add(wall);
        }
    }

    /// Returns the way for the whole wish; the caller scales it by the share that is left.
    #[inline]
    pub(crate) fn way(&self) -> Vector3<f32> {
        match self.gait {
            Gait::Free => self.eased(self.planes.project(self.wish)),
            Gait::Falling => self.eased(self.fall()),
            Gait::OnFoot if self.under => self.eased(self.between()),
            Gait::OnFoot => self.lifted(self.eased(self.planes.project(self.wish))),
        }
    }

    /// Returns the way of a fall. Steering may turn a falling body aside but never throws it back.
    /// A body pressed into a notch above ground that bears it stays there; one that would go back
    /// farther than without steering falls as if it did not steer.
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

    /// Returns whether steering along a level way leads nowhere or, for a body that does not rise
    /// by itself, farther up than along.
    fn is_held_or_climbs(&self, level: &Vector3<f32>) -> bool {
        let pressed = self.planes.project(self.wish);
        let falls = self.wish.dot(&self.up) <= 0.0;
        let climbs = pressed.dot(&self.up) * level.norm() > pressed.dot(level).abs();
        pressed == Vector3::zeros() || falls && climbs
    }

    /// Shortens a turned way by the friction and by the shrink for the angle turned.
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

    /// Lays a level way on the slope that lifts it most.
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

    /// Returns the way between slopes and the planes that lean over them.
    fn between(&self) -> Vector3<f32> {
        let mut planes = self.planes;
        for slope in self.slopes.iter().flatten() {
            if !planes.add(slope.normal) {
                return Vector3::zeros();
            }
        }
        planes.project(self.wish)
    }

    /// Adds the plane of a contact; `false` when the set is full.
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

    /// Returns whether a contact lifts a walker. Other bodies never do.
    #[inline]
    pub(crate) fn is_walkable(&self, stop: &Stop) -> bool {
        // The edge of a block borders an upright wall: with any slope limit, only a contact as
        // upright as a bump lifts.
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

    /// Returns whether a contact is known to have no face to stand on, however upright its normal.
    #[inline]
    fn is_steep(&self, stop: &Stop) -> bool {
        stop.detail.is_uppermost
            && stop.detail.face_normal.dot(&self.up) < self.config.walkable_rise()
    }

    /// Starts on the slope under the walker.
    #[inline]
    pub(crate) fn start_on(&mut self, ground: &Ground) {
        self.supposed = Some(ground.normal);
        self.climb(ground.normal, ground.feature == Feature::Face);
    }

    /// Adds a slope to walk over.
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

    /// Replaces the slope that lifts the way least, as one that is behind.
    fn forget_lowest(&mut self, slope: Slope) -> bool {
        let (way, up) = (self.planes.project(self.wish), self.up);
        let lift = |slot: &Option<Slope>| slot.as_ref().map_or(f32::MIN, |it| it.lift(&way, &up));
        let slots = self.slopes.iter_mut();
        let lowest = slots.min_by(|a, b| lift(a).total_cmp(&lift(b)));
        lowest.map(|slot| *slot = Some(slope)).is_some()
    }

    /// Adds a plane that is too steep to walk on.
    /// - A walker meets a wall the first time: the wall stops it as if upright.
    /// - It meets the wall again, because that leans under or over the lifted way: the plane then
    ///   also lifts, or stops.
    /// - It meets a ceiling on a supposed slope: it drops that slope first, and slides along the
    ///   ceiling if they meet again.
    /// - A ceiling that was taken for a wall leaves no way as both: it stays a ceiling only.
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
        // Edges and corners that lean back are climbed; all but upright ones cannot be.
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
            // The way is level over a slope that leads downhill, so close under the plane that
            // there is no room above the slope.
            self.under = true;
            return self.planes.add(normal);
        }
        let way = self.planes.project(self.wish);
        let length = way.norm();
        length > 0.0 && self.planes.add(-way / length)
    }

    /// Turns a way downhill beside a wall that leans back. Laid on the slope, the way leads into
    /// the wall again; the walker goes along the common line of slope and wall, if that leads at
    /// least half as far. (Otherwise it goes level, and leaves the slope.)
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

    /// Adds a wall met after a turn downhill beside another. If no way downhill is left, the walker
    /// goes level: slopes and the turn are dropped.
    fn goes_downhill_or_level(&mut self, upright: Vector3<f32>) -> bool {
        let Some(level) = self.level else {
            return true;
        };
        if !is_negligible(self.way()) {
            return true;
        }
        self.level = None;
        self.slopes = [None; 4];
        self.planes = level;
        self.planes.contains(upright) || self.planes.add(upright)
    }

    /// Handles a ceiling that was first taken for an upright wall: if plane and wall leave no way,
    /// drops the wall. The walls of the slopes below go likewise: two edges leave a way between
    /// their planes, but not between the upright walls that both were taken for.
    fn pass_under(&mut self, level: Vector3<f32>) {
        self.drop_closed_wall(level);
        for slope in self.slopes.into_iter().flatten() {
            self.drop_closed_wall(slope.normal - self.up * slope.normal.dot(&self.up));
        }
    }

    /// Drops the upright wall with this level normal if there is no way.
    fn drop_closed_wall(&mut self, level: Vector3<f32>) {
        let wall = level.try_normalize(PARALLEL);
        if let Some(wall) = wall.filter(|wall| self.planes.contains(*wall))
            && is_negligible(self.way())
        {
            self.planes = self.planes.without(wall);
        }
    }

    /// Drops the slope under the walker; a contact adds it again if it is in the way.
    fn drop_supposed(&mut self) {
        let supposed = self.supposed.take();
        for slot in &mut self.slopes {
            if slot.map(|slope| slope.normal) == supposed {
                *slot = None;
            }
        }
    }

    /// Returns the normal of the slope that lifts the level way most.
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
