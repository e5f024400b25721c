//! Proposes places for a body: out of overlaps, along the axes, beside the faces around it. The
//! cheapest free place is chosen.

use crate::around::{Place, Places};
use crate::candidates::Candidates;
use crate::recovery::room::Room;
use crate::terrain::SolidBox;
use crate::tolerance::{
    COMPANY_COST, ESCAPE_DIRECTIONS_STEP, ESCAPE_PLANES, ESCAPE_REACH, EXACT, MAX_PUSHES,
};
use nalgebra::Vector3;
use std::cmp::Ordering;

/// Cost of a metre sideways and of one downwards, relative to one upwards.
const SIDE_COST: f32 = 1.4;
const DOWN_COST: f32 = 1.96;

/// Most consecutive boxes that a way along an axis passes through.
const MOST_EXITS: u32 = 64;

/// Number of planes of an axis, the latest first, that a face is compared with. More: faces on many
/// different planes take longer.
const LATELY_NOTED: usize = 64;

/// Fewest and most rings of places about a body among triangles, however small or large it is.
const RINGS: [f32; 2] = [4.0, 256.0];

/// The result of a search.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Found {
    /// The way to the cheapest place.
    pub(super) way: Option<Vector3<f32>>,
    /// True if another body stands in a place that is otherwise free.
    pub(super) taken: bool,
}

/// Returns the way out of overlaps of the skin alone; `None` where there is no room within `limit`
/// metres.
pub(super) fn out_of_skin(room: &Room<'_>, from: Vector3<f32>, limit: f32) -> Option<Vector3<f32>> {
    let way = squeeze(room, from)?;
    let free = way.norm() <= limit && room.is_free(from + way) && !room.is_taken(way);
    free.then_some(way)
}

/// Moves out of the deepest overlap repeatedly and returns the whole way; `None` where the centre
/// is inside of a solid.
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

/// A search in progress.
pub(super) struct Search<'a> {
    pub(super) room: &'a Room<'a>,
    pub(super) from: Vector3<f32>,
    /// Longest way that may push another body, in metres.
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

    /// Returns the way to the cheapest free place; `faces` are those of the terrain around.
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

    /// Lists a place, unless it is too far or costs no less than the best.
    fn offer(&self, way: Vector3<f32>, list: &mut Vec<Place>) {
        let cost = self.cost(way);
        let dearer = self.best.is_some_and(|best| cost >= best.cost);
        if !dearer && way.norm() <= self.limit() && way != Vector3::zeros() {
            list.push(Place { cost, way });
        }
    }

    /// Tests the listed places, the cheapest first, until one is free.
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
                // A short push may push other bodies on.
                place.cost += COMPANY_COST;
            }
            if self.best.is_none_or(|best| place.cost < best.cost) {
                self.best = Some(place);
            }
        }
    }

    /// Lists the places along each axis where the boxes end.
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

    /// Returns the coordinate on an axis where the body has left all boxes; `None` where that is
    /// too far.
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

    /// Returns the coordinate on an axis where the body leaves a box that it overlaps.
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

    /// Lists the places where the body's sides touch faces, on one, two or three axes.
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
            // Of thousands of faces most lie on planes listed just before: the sort below then has
            // little to do.
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

    /// Lists places in rings all around, among triangles, which have no boxes to lie beside.
    fn around(&self, list: &mut Vec<Place>) {
        if self.room.triangles.is_empty() {
            return;
        }
        let [fewest, most] = RINGS;
        let widest = self.limit() / fewest;
        let apart = ESCAPE_DIRECTIONS_STEP.max(self.limit() / most).min(widest);
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
