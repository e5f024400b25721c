//! The way of a move past its contacts: along all planes at once, flying, falling or on foot.

use crate::mover::falling::Fall;
use crate::mover::footing::{Footing, Kind};
use crate::mover::probe::Stop;
use crate::mover::{Feature, Frame, Ground, MoverConfig, PlaneSet};
use crate::tolerance::BUMP;
use nalgebra::Vector3;

/// The rules by which planes turn a move aside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Gait {
    /// Slides along every plane.
    Free,
    /// Slides along every plane and past steep ones, see [`Fall`].
    Falling,
    /// Walks over slopes, along walls and under ceilings, see [`Footing`].
    OnFoot,
}

/// The wish of a move, and the planes of its contacts.
pub(crate) struct Course<'a> {
    gait: Gait,
    wish: Vector3<f32>,
    /// The level part of the way without steering.
    pub(crate) kept: Vector3<f32>,
    up: Vector3<f32>,
    config: &'a MoverConfig,
    /// The planes met in the air, or the upright walls on foot.
    planes: PlaneSet,
    /// The contacts on foot.
    footing: Footing,
    /// The greatest height of ground that lifts a walker, from the base of the way's start: all
    /// that is known to be higher is a wall, even at an upright contact.
    pub(crate) highest: f32,
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
            footing: Footing::new(frame),
            highest: f32::INFINITY,
        }
    }

    /// Returns whether the course ends at the first ground that bears the body.
    pub(crate) fn lands(&self) -> bool {
        self.gait == Gait::Falling && self.wish.dot(&self.up) <= 0.0
    }

    /// Goes along a known wall before any contact with it.
    pub(crate) fn go_beside(&mut self, wall: Vector3<f32>) {
        self.planes.add(wall);
    }

    /// Returns the way for the whole wish; the caller scales it by the share that is left.
    #[inline]
    pub(crate) fn way(&self) -> Vector3<f32> {
        match self.gait {
            Gait::Free => self.eased(self.planes.project(self.wish)),
            Gait::Falling => self.eased(self.fall().past(&self.planes, self.wish)),
            Gait::OnFoot => {
                let ease = |way| self.eased(way);
                self.footing.way(self.wish, &self.planes, ease)
            }
        }
    }

    fn fall(&self) -> Fall {
        Fall {
            up: self.up,
            least_rise: self.config.walkable_rise(),
            kept: self.kept,
        }
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

    /// Adds the plane of a contact; `false` when the set is full.
    #[inline]
    pub(crate) fn meet(&mut self, stop: &Stop) -> bool {
        match self.gait {
            Gait::Free => self.planes.add(stop.normal),
            Gait::Falling => self.planes.put(stop.normal, self.is_steep(stop)),
            Gait::OnFoot => {
                let kind = self.kind(stop);
                self.footing.meet(stop.normal, kind, &mut self.planes)
            }
        }
    }

    /// Returns the planes by which to clip a velocity after the move.
    pub(crate) fn clipping(&self) -> PlaneSet {
        match self.gait {
            Gait::OnFoot if self.footing.under => self.footing.walls(self.wish, &self.planes),
            _ => self.planes,
        }
    }

    /// Returns the part that a contact plays for a walker.
    fn kind(&self, stop: &Stop) -> Kind {
        if !self.is_walkable(stop) {
            Kind::Wall
        } else if stop.detail.feature != Feature::Face && self.is_upright(stop, BUMP) {
            Kind::Bump
        } else {
            Kind::Slope
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
        let kind = if ground.feature == Feature::Face {
            Kind::Slope
        } else {
            Kind::Bump
        };
        self.footing.start_on(ground.normal, kind);
    }
}

#[cfg(test)]
#[path = "course_tests.rs"]
mod tests;
