//! Where a body could go: pushed off what it reaches into, along the axes, beside the faces around it. The cheapest free place counts.

use crate::candidates::Candidates;
use crate::recovery::room::Room;
use crate::terrain::SolidBox;
use crate::tolerance::{
    COMPANY_COST, ESCAPE_DIRECTIONS_STEP, ESCAPE_PLANES, ESCAPE_REACH, EXACT, MAX_PUSHES,
};
use nalgebra::Vector3;
use std::cmp::Ordering;

/// How much farther a way upwards may be than one aside, and than one downwards.
const SIDE_COST: f32 = 1.4;
const DOWN_COST: f32 = 1.96;

/// Boxes one after another that a way along an axis passes through at most.
const MOST_EXITS: u32 = 64;

/// Planes on an axis among which a face looks for its own, the last first. More: faces on many different planes take longer.
const LATELY_NOTED: usize = 64;

/// A place that might be free, by the way to it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    cost: f32,
    way: Vector3<f32>,
}

/// Rings of places about a body among triangles, however small it is.
const FEWEST_RINGS: f32 = 4.0;

/// Buffers of the search, reused.
#[derive(Default)]
pub(crate) struct Places {
    list: Vec<Place>,
    /// By axis: how far the body must go to touch a face with its side.
    shifts: [Vec<f32>; 3],
}

/// What a search found.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Found {
    /// The way to the cheapest place.
    pub(super) way: Option<Vector3<f32>>,
    /// Whether somebody stands in a place that is otherwise free.
    pub(super) taken: bool,
}

/// The way out of what reaches into no more than the skin; `None` where there is no room within `limit` metres.
pub(super) fn out_of_skin(room: &Room<'_>, from: Vector3<f32>, limit: f32) -> Option<Vector3<f32>> {
    let way = squeeze(room, from)?;
    let free = way.norm() <= limit && room.is_free(from + way) && !room.is_taken(way);
    free.then_some(way)
}

/// Out of the deepest overlap again and again; `None` where the centre is inside of something.
fn squeeze(room: &Room<'_>, from: Vector3<f32>) -> Option<Vector3<f32>> {
    let mut at = from;
    for _ in 0..MAX_PUSHES {
        let Some(overlap) = room.deepest(at) else {
            break;
        };
        if overlap.away == Vector3::zeros() {
            return None;
        }
        at += room.frame.unsquashed(overlap.away * overlap.depth);
    }
    Some(at - from)
}

/// A search under way.
pub(super) struct Search<'a> {
    pub(super) room: &'a Room<'a>,
    pub(super) from: Vector3<f32>,
    /// Longest way that may push somebody else, in metres.
    pub(super) step: f32,
    best: Option<Place>,
    taken: bool,
}

impl<'a> Search<'a> {
    pub(super) fn new(room: &'a Room<'a>, from: Vector3<f32>, step: f32) -> Self {
        Self {
            room,
            from,
            step,
            best: None,
            taken: false,
        }
    }

    /// The cheapest place that is free; `faces` are those of the terrain around.
    pub(super) fn run(mut self, faces: &Candidates, places: &mut Places) -> Found {
        places.list.clear();
        if let Some(way) = squeeze(self.room, self.from) {
            self.offer(way, &mut places.list);
        }
        self.along_axes(&mut places.list);
        self.try_all(&mut places.list);
        let near = self.best.is_some_and(|best| best.way.norm() <= self.step);
        if !near {
            places.list.clear();
            self.beside_faces(faces, places);
            self.around(&mut places.list);
            self.try_all(&mut places.list);
        }
        Found {
            way: self.best.map(|best| best.way),
            taken: self.taken,
        }
    }

    fn limit(&self) -> f32 {
        ESCAPE_REACH * self.room.frame.radii.longest()
    }

    fn cost(&self, way: Vector3<f32>) -> f32 {
        let rise = way.dot(&self.room.frame.up);
        let side = (way - self.room.frame.up * rise).norm() * SIDE_COST;
        let height = if rise < 0.0 { rise * DOWN_COST } else { rise };
        (side * side + height * height).sqrt()
    }

    /// Notes a place, unless it is too far or dearer than the best.
    fn offer(&self, way: Vector3<f32>, list: &mut Vec<Place>) {
        let cost = self.cost(way);
        let dearer = self.best.is_some_and(|best| cost >= best.cost);
        if !dearer && way.norm() <= self.limit() && way != Vector3::zeros() {
            list.push(Place { cost, way });
        }
    }

    /// Looks at the places noted, the cheapest first, until one is free.
    fn try_all(&mut self, list: &mut [Place]) {
        let by_way = |a: &Place, b: &Place| {
            let parts = a.way.iter().zip(b.way.iter());
            let mut orders = parts.map(|(a, b)| a.total_cmp(b));
            orders
                .find(|order| order.is_ne())
                .unwrap_or(Ordering::Equal)
        };
        list.sort_unstable_by(|a, b| a.cost.total_cmp(&b.cost).then_with(|| by_way(a, b)));
        for place in list.iter() {
            if self.best.is_some_and(|best| place.cost >= best.cost) {
                return;
            }
            let free = self.room.is_free(self.from + place.way)
                && self.room.is_open_way(self.from, place.way);
            if !free {
                continue;
            }
            let mut place = *place;
            if self.room.is_taken(place.way) {
                self.taken = true;
                if place.way.norm() > self.step {
                    continue;
                }
                // A short push may push on others.
                place.cost += COMPANY_COST;
            }
            if self.best.is_none_or(|best| place.cost < best.cost) {
                self.best = Some(place);
            }
        }
    }

    /// Along each axis to where the boxes end.
    fn along_axes(&self, list: &mut Vec<Place>) {
        if self.room.frame.up_axis.is_none() {
            return;
        }
        for axis in 0..3 {
            for sign in [1.0, -1.0] {
                if let Some(coordinate) = self.end_of_solids(axis, sign) {
                    let mut way = Vector3::zeros();
                    way[axis] = coordinate - self.from[axis];
                    self.offer(way, list);
                }
            }
        }
    }

    /// Where on an axis the body has left all boxes; `None` when that is too far.
    fn end_of_solids(&self, axis: usize, sign: f32) -> Option<f32> {
        let mut at = self.from;
        for _ in 0..MOST_EXITS {
            let mut farthest = at[axis];
            self.room.each_reached(at, |solid| {
                let exit = self.exit(at, axis, sign, solid);
                if (exit - farthest) * sign > 0.0 {
                    farthest = exit;
                }
            });
            if farthest == at[axis] {
                return Some(farthest);
            }
            if (farthest - self.from[axis]).abs() > self.limit() {
                return None;
            }
            at[axis] = farthest;
        }
        None
    }

    /// Where on an axis the body leaves a box that it reaches into.
    fn exit(&self, at: Vector3<f32>, axis: usize, sign: f32, solid: &SolidBox) -> f32 {
        let room = self.room;
        let mut aside = room.nearest(at, solid) - at;
        aside[axis] = 0.0;
        let aside = room.frame.squashed(aside).norm_squared();
        let radius = room.frame.radius;
        let clear = (radius * radius - aside).max(0.0).sqrt();
        let clear = if room.frame.up_axis == Some(axis) {
            clear / room.frame.squash
        } else {
            clear
        };
        if sign > 0.0 {
            solid.max[axis] + clear
        } else {
            solid.min[axis] - clear
        }
    }

    /// Every place where the body's sides touch faces, on one, two or three axes.
    fn beside_faces(&self, faces: &Candidates, places: &mut Places) {
        let reach = self.room.frame.half + Vector3::repeat(self.limit());
        let (low, high) = (self.from - reach, self.from + reach);
        places.shifts.iter_mut().for_each(|shifts| {
            shifts.clear();
            shifts.push(0.0);
        });
        faces.each_face(|axis, sign, min, max| {
            let shift = min[axis] + sign * self.room.frame.half[axis] - self.from[axis];
            let near = (0..3).all(|other| min[other] < high[other] && max[other] > low[other]);
            // Of the thousands of faces about, most lie on planes just noted: the sort below then has little to do.
            let shifts = &mut places.shifts[axis];
            let noted = || shifts.iter().rev().take(LATELY_NOTED).any(|&s| s == shift);
            if near && shift.abs() <= self.limit() && !noted() {
                shifts.push(shift);
            }
        });
        for shifts in &mut places.shifts {
            shifts.sort_unstable_by(|a, b| a.abs().total_cmp(&b.abs()).then(b.total_cmp(a)));
            shifts.dedup_by(|a, b| (*a - *b).abs() <= EXACT);
            shifts.truncate(ESCAPE_PLANES);
        }
        let Places { list, shifts } = places;
        for &x in &shifts[0] {
            for &y in &shifts[1] {
                for &z in &shifts[2] {
                    self.offer(Vector3::new(x, y, z), list);
                }
            }
        }
    }

    /// Among triangles, which have no boxes to lie beside: all around, nearer and farther.
    fn around(&self, list: &mut Vec<Place>) {
        if self.room.triangles.is_empty() {
            return;
        }
        let apart = ESCAPE_DIRECTIONS_STEP.min(self.limit() / FEWEST_RINGS);
        let rings = (self.limit() / apart) as u32;
        for ring in 1..=rings {
            let length = ring as f32 * apart;
            for index in 0..27_u32 {
                let part = |place: u32| (index / place % 3) as f32 - 1.0;
                let direction = Vector3::new(part(1), part(3), part(9));
                let size = direction.norm();
                if size > 0.0 {
                    self.offer(direction * (length / size), list);
                }
            }
        }
    }
}
