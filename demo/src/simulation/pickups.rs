//! Things to pick up, and zones that do something to whoever enters.
//!
//! Both lie in one spatial hash of whole cells: a body asks it once a tick what its own cells hold.

use collision::spatial_hash::{IntegerBox, SpatialHash};
use collision::{Cell, Position};
use nalgebra::Vector3;

use crate::random::Random;

use super::walkers::way;
use super::{Simulation, land};

/// How many pick-ups lie about.
const COUNT: u32 = 24;
/// Ticks until a taken one is back.
const BACK_AFTER: u32 = 60 * 20;
/// How near a body's centre must come, metres beyond its radius.
const REACH: f32 = 0.8;
/// How far above a place the land is searched, and how far down from there, cells.
const SEARCH_ABOVE: i32 = 64;
const SEARCH_DOWN: i32 = 200;
/// Upward speed of the spring zone, metres a second.
const SPRING: f32 = 15.0;

/// One thing to pick up.
#[derive(Clone, Copy, Debug)]
pub struct Pickup {
    /// Where it lies.
    pub position: Position,
    absent: u32,
}

/// A box that throws whoever enters into the air.
#[derive(Clone, Copy, Debug)]
pub struct Zone {
    /// Lowest corner.
    pub min: Position,
    /// Sides, metres.
    pub size: Vector3<f32>,
    /// How many are inside now.
    pub occupants: u32,
}

/// Side of the hash's cells, metres.
const HASH_SIDE: u32 = 8;

/// An element of the hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Thing {
    Pickup(usize),
    Zone(usize),
}

/// All pick-ups and zones.
#[derive(Clone, Debug)]
pub struct Pickups {
    list: Vec<Pickup>,
    zones: Vec<Zone>,
    hash: SpatialHash<3, Thing>,
    found: Vec<Thing>,
    /// How many the player has taken.
    pub taken: u32,
}

impl Default for Pickups {
    fn default() -> Self {
        Pickups {
            list: Vec::new(),
            zones: Vec::new(),
            hash: SpatialHash::new(HASH_SIDE),
            found: Vec::new(),
            taken: 0,
        }
    }
}

impl Pickups {
    /// Those that lie there now.
    pub fn waiting(&self) -> impl Iterator<Item = &Pickup> {
        self.list.iter().filter(|pickup| pickup.absent == 0)
    }

    /// Every zone.
    pub fn zones(&self) -> &[Zone] {
        &self.zones
    }

    fn clear(&mut self) {
        *self = Pickups {
            taken: self.taken,
            ..Pickups::default()
        };
    }

    fn add_pickup(&mut self, position: Position) {
        self.enter(
            Thing::Pickup(self.list.len()),
            position.cell.add_scalar(-1),
            position.cell.add_scalar(2),
        );
        self.list.push(Pickup {
            position,
            absent: 0,
        });
    }

    fn add_zone(&mut self, zone: Zone) {
        let end = zone.min.moved(zone.size).cell.add_scalar(1);
        self.enter(Thing::Zone(self.zones.len()), zone.min.cell, end);
        self.zones.push(zone);
    }

    fn enter(&mut self, thing: Thing, min: Cell, end: Cell) {
        self.hash
            .add(thing, IntegerBox::new(min.into(), end.into()));
    }

    /// Calls `visit` for everything that shares a cell with a body.
    fn near(&mut self, at: &Position, mut visit: impl FnMut(&mut Self, Thing)) {
        let mut found = std::mem::take(&mut self.found);
        let area = IntegerBox::new(at.cell.into(), at.cell.add_scalar(1).into());
        self.hash.query(&area, &mut found);
        for &thing in &found {
            visit(self, thing);
        }
        self.found = found;
    }
}

impl Zone {
    fn holds(&self, position: &Position) -> bool {
        let local = way(&self.min, position);
        (0..3).all(|axis| (0.0..self.size[axis]).contains(&local[axis]))
    }
}

impl Simulation {
    /// Lays pick-ups and zones out about a place, in place of those that were.
    pub fn lay_out_pickups(&mut self, about: Position) {
        self.pickups.clear();
        let mut random = Random::new(77);
        let top = about.cell.y.saturating_add(SEARCH_ABOVE);
        for _ in 0..COUNT {
            let angle = random.between(0.0, std::f32::consts::TAU);
            let distance = random.between(6.0, 60.0);
            let spot = about
                .moved(Vector3::new(
                    angle.cos() * distance,
                    0.0,
                    angle.sin() * distance,
                ))
                .cell;
            if let Some(feet) = land::dry_ground(&self.world, [spot.x, spot.z], top, SEARCH_DOWN) {
                self.pickups.add_pickup(land::standing_in(feet, 0.6));
            }
        }
        for offset in [[9, 9], [-14, 5], [16, -12]] {
            let column = [
                about.cell.x.wrapping_add(offset[0]),
                about.cell.z.wrapping_add(offset[1]),
            ];
            if let Some(feet) = land::dry_ground(&self.world, column, top, SEARCH_DOWN) {
                let min = Position::new(feet, Vector3::zeros());
                self.pickups.add_zone(Zone {
                    min,
                    size: Vector3::new(3.0, 2.0, 3.0),
                    occupants: 0,
                });
            }
        }
    }

    pub(super) fn tick_pickups(&mut self) {
        if self.pickups.hash.is_empty() {
            return;
        }
        for pickup in &mut self.pickups.list {
            pickup.absent = pickup.absent.saturating_sub(1);
        }
        for zone in &mut self.pickups.zones {
            zone.occupants = 0;
        }
        self.visit_things_at_player();
        for walker in 0..self.bodies.walkers.len() {
            if let Some(at) = self.bodies.walker_position(walker)
                && self.pickups.step_into_zone(&at)
            {
                self.bodies.throw(walker, Vector3::y() * SPRING);
            }
        }
    }

    fn visit_things_at_player(&mut self) {
        let at = self.player_position();
        let reach = REACH + self.tuning.radius;
        let mut found = None;
        self.pickups.near(&at, |pickups, thing| {
            let Thing::Pickup(index) = thing else {
                return;
            };
            let pickup = &mut pickups.list[index];
            if pickup.absent == 0 && way(&pickup.position, &at).norm() < reach {
                pickup.absent = BACK_AFTER;
                pickups.taken += 1;
                found = Some(pickup.position);
            }
        });
        if let Some(at) = found {
            self.effect(at, 24, 4.0, [120, 230, 255]);
        }
        if self.player.travel == super::Travel::Walk && self.pickups.step_into_zone(&at) {
            self.shove_player(Vector3::y() * SPRING);
        }
    }
}

impl Pickups {
    /// Counts a body in the zone it is in, if it is in one.
    fn step_into_zone(&mut self, at: &Position) -> bool {
        let mut inside = false;
        self.near(at, |pickups, thing| {
            if let Thing::Zone(index) = thing
                && pickups.zones[index].holds(at)
            {
                pickups.zones[index].occupants += 1;
                inside = true;
            }
        });
        inside
    }
}
