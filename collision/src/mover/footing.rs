//! The way of a walker past its contacts, by one principle: seen from above, a slope lifts, what is
//! too steep to walk on is an upright wall, and a floor and what leans over it close on each other
//! along a vertical wall, whose normal is their sum without its height. The level way is the wish
//! projected onto the cone of these walls; its height follows from the floors. The order of the
//! contacts does not matter.

use crate::mover::{Frame, PlaneSet};
use crate::tolerance::{CLEFT, MAX_PLANES, PARALLEL, ROUNDED, TURN_OUT, UPRIGHT};
use nalgebra::Vector3;

/// The part that a contact plays, seen from above.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// Lifts; a walker keeps its speed on the level.
    Bump,
    /// Lifts; a walker keeps its speed along the slope.
    Slope,
    /// Stops: upright, or too steep to walk on.
    Wall,
    /// Leans over the walker.
    Ceiling,
}

/// A contact.
#[derive(Clone, Copy)]
struct Met {
    normal: Vector3<f32>,
    /// The share of the normal along the up axis.
    rise: f32,
    kind: Kind,
}

impl Met {
    fn new(normal: Vector3<f32>, up: &Vector3<f32>, kind: Kind) -> Self {
        let rise = normal.dot(up);
        let leans_over = kind == Kind::Wall && rise < -ROUNDED;
        let kind = if leans_over { Kind::Ceiling } else { kind };
        Self { normal, rise, kind }
    }

    #[inline]
    fn is_floor(&self) -> bool {
        self.kind <= Kind::Slope
    }

    /// Returns whether it is a wall that leans back.
    #[inline]
    fn leans_back(&self) -> bool {
        self.kind == Kind::Wall && self.rise > ROUNDED
    }

    /// Returns whether a body that goes down stops on it.
    #[inline]
    fn is_below(&self) -> bool {
        self.is_floor() || self.leans_back()
    }

    /// Returns how far a level way rises along the plane.
    #[inline]
    fn lift(&self, level: &Vector3<f32>) -> f32 {
        -level.dot(&self.normal) / self.rise
    }

    /// Returns the normal of the vertical wall through the line in which two planes meet: their sum
    /// or difference without its height. `None` for planes that do not meet.
    fn joined(&self, other: &Self, up: &Vector3<f32>) -> Option<Vector3<f32>> {
        let other_share = self.rise * other.rise.signum();
        let joined = self.normal * other.rise.abs() - other.normal * other_share;
        let size = self.rise.abs().max(other.rise.abs());
        (joined - up * joined.dot(up)).try_normalize(PARALLEL * size)
    }
}

/// The contacts of a walker in a move.
#[derive(Clone, Copy)]
pub(crate) struct Footing {
    up: Vector3<f32>,
    met: [Option<Met>; MAX_PLANES],
    /// The slope underfoot when the move begins. It is only supposed: an edge may be met at another
    /// angle.
    supposed: Option<Met>,
    /// True once a floor was met or supposed.
    over: bool,
    /// True once something that leans over the walker was met.
    pub(crate) under: bool,
}

impl Footing {
    #[inline]
    pub(crate) fn new(frame: &Frame) -> Self {
        Self {
            up: frame.up,
            met: [None; MAX_PLANES],
            supposed: None,
            over: false,
            under: false,
        }
    }

    /// Starts on the slope under the walker.
    #[inline]
    pub(crate) fn start_on(&mut self, normal: Vector3<f32>, kind: Kind) {
        self.supposed = Some(Met::new(normal, &self.up, kind));
        self.over = true;
    }

    /// Adds a contact, and its upright wall to those that are known; `false` when there are too
    /// many.
    pub(crate) fn meet(
        &mut self,
        normal: Vector3<f32>,
        kind: Kind,
        upright: &mut PlaneSet,
    ) -> bool {
        let met = Met::new(normal, &self.up, kind);
        self.over |= met.is_floor();
        self.under |= met.kind == Kind::Ceiling;
        if met.kind == Kind::Wall
            && let Some(wall) = (normal - self.up * met.rise).try_normalize(PARALLEL)
            && !upright.contains(wall)
            && !upright.push(wall)
        {
            return false;
        }
        // Both faces beside an edge may bring it.
        let same = |old: &Met| (old.normal - normal).norm_squared() < ROUNDED * ROUNDED;
        let mut slots = self.met.iter_mut();
        let slot = slots.find(|slot| slot.as_ref().is_none_or(same));
        slot.map(|slot| *slot = Some(met)).is_some()
    }

    #[inline]
    fn contacts(&self) -> impl Iterator<Item = &Met> {
        let met = self.met.iter().map_while(Option::as_ref);
        self.supposed.iter().chain(met)
    }

    #[inline]
    fn ceilings(&self) -> impl Iterator<Item = &Met> {
        self.contacts().filter(|met| met.kind == Kind::Ceiling)
    }

    /// Returns the way for a level wish, beside upright walls; `ease` shortens a level way that was
    /// turned. The slope underfoot is only supposed: without a way on it under a ceiling, it does
    /// not count until it is met.
    #[inline]
    pub(crate) fn way(
        &self,
        wish: Vector3<f32>,
        upright: &PlaneSet,
        ease: impl Fn(Vector3<f32>) -> Vector3<f32>,
    ) -> Vector3<f32> {
        let way = self.over_floors(wish, upright, &ease);
        if leads(way, wish) || !self.under {
            return way;
        }
        let sure = Self {
            supposed: None,
            ..*self
        };
        let way = sure.over_floors(wish, upright, &ease);
        if leads(way, wish) {
            way
        } else {
            ease(sure.between(wish, upright))
        }
    }

    /// Returns the vertical walls that turn a level wish aside: upright ones, and those along which
    /// floors and ceilings close. Without any other floor the walker is on level ground.
    pub(crate) fn walls(&self, wish: Vector3<f32>, upright: &PlaneSet) -> PlaneSet {
        let mut walls = *upright;
        self.add_closing(&mut walls, wish, None);
        walls
    }

    /// Adds vertical walls, the one that the way leads into most first, until the way leads into
    /// none: those along which floors and ceilings close, and the lines of a floor with the walls
    /// that lean back over it.
    fn add_closing(&self, walls: &mut PlaneSet, wish: Vector3<f32>, floor: Option<&Met>) {
        for _ in 0..MAX_PLANES {
            let way = walls.project(wish);
            let mut least = TURN_OUT * way.norm();
            let mut next = None;
            self.each_closing(floor, |wall| {
                let out = wall.dot(&way);
                if out < least && !walls.contains(wall) {
                    (least, next) = (out, Some(wall));
                }
            });
            if !next.is_some_and(|wall| walls.push(wall)) {
                return;
            }
        }
    }

    /// Calls `each` with the walls of [`Self::add_closing`].
    fn each_closing(&self, floor: Option<&Met>, mut each: impl FnMut(Vector3<f32>)) {
        let mut join = |below: &Met, other: &Met| below.joined(other, &self.up).map(&mut each);
        let level = Met::new(self.up, &self.up, Kind::Slope);
        let level = (!self.contacts().any(Met::is_floor)).then_some(&level);
        for ceiling in self.ceilings() {
            let below = self.contacts().filter(|met| met.is_below());
            for below in below.chain(level) {
                join(below, ceiling);
            }
        }
        for wall in self.contacts().filter(|met| met.leans_back()) {
            floor.and_then(|floor| join(wall, floor));
        }
    }

    /// Returns the way along the walls, on the floor that lifts it most. Downhill beside walls that
    /// lean back, a walker stays on the floor and follows their lines with it, if that leads at
    /// least half as far as leaving the floor.
    #[inline]
    fn over_floors(
        &self,
        wish: Vector3<f32>,
        upright: &PlaneSet,
        ease: impl Fn(Vector3<f32>) -> Vector3<f32>,
    ) -> Vector3<f32> {
        let level = if self.under {
            self.walls(wish, upright).project(wish)
        } else {
            upright.project(wish)
        };
        if !self.over {
            return ease(level);
        }
        let floors = self.contacts().filter(|met| met.is_floor());
        let Some(floor) = floors.max_by(|a, b| a.lift(&level).total_cmp(&b.lift(&level))) else {
            return ease(level);
        };
        let downhill = floor.lift(&level) < 0.0;
        if !(downhill && self.contacts().any(Met::leans_back)) {
            return self.lifted(ease(level));
        }
        let mut walls = *upright;
        self.add_closing(&mut walls, wish, Some(floor));
        let beside = walls.project(wish);
        let leads = beside.norm() >= 0.5 * level.norm();
        self.lifted(ease(if leads { beside } else { level }))
    }

    /// Lays a level way on the plane that lifts it most, a little off but not closer to a ceiling.
    #[inline]
    fn lifted(&self, level: Vector3<f32>) -> Vector3<f32> {
        let below = self.contacts().filter(|met| met.is_below());
        let lifts = below.map(|met| (met.lift(&level), met.kind));
        let most = lifts.max_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let Some((lift, kind)) = most else {
            return level;
        };
        let room = self.ceilings().map(|met| met.lift(&level) - lift);
        let room = room.fold(f32::INFINITY, f32::min).max(0.0);
        let out = (TURN_OUT * level.norm()).min(0.5 * room);
        let way = level + self.up * (out + lift);
        let length = way.norm();
        if kind == Kind::Slope && length > 0.0 {
            way * (level.norm() / length)
        } else {
            way
        }
    }

    /// Returns the way of a walker under a ceiling that, seen from above, has none: along the
    /// planes as they are, if it is all but level. Two edges, one below and one above, may run
    /// nearly level where the upright walls that they are taken for leave only a cleft.
    #[cold]
    fn between(&self, wish: Vector3<f32>, upright: &PlaneSet) -> Vector3<f32> {
        let mut planes = upright.emptied();
        for met in self.contacts() {
            planes.add(met.normal);
        }
        let way = planes.project(wish);
        if way.dot(&self.up) > UPRIGHT * way.norm() {
            return Vector3::zeros();
        }
        way
    }
}

/// Returns whether a way leads anywhere, and is not the rounding of a wish into a cleft.
#[inline]
fn leads(way: Vector3<f32>, wish: Vector3<f32>) -> bool {
    way.norm_squared() > CLEFT * CLEFT * wish.norm_squared()
}

#[cfg(test)]
#[path = "footing_tests.rs"]
mod tests;
