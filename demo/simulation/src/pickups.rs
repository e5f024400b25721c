//! Pick-ups, debris, and zones that act on the characters inside.
//!
//! All of them lie in one spatial hash of whole cells, and all may move: flying objects and riding
//! zones are moved in the hash every tick, and a character queries the cells around it.

use std::collections::BTreeMap;

use collision::spatial_hash::{IntegerBox, SpatialHash};
use collision::{Position, Scratch, Terrain};
use nalgebra::Vector3;
use world::{ObjectId, World};

use crate::random::Random;
use crate::trigonometry::sin_cos;

use super::bodies::Bodies;
use super::cannon::MissileHit;
use super::coding::Coded;
use super::loose::{Loose, LooseKind};
use super::noises::Noise;
use super::walkers::way;
use super::{Simulation, land};

/// Number of pick-ups laid out.
const COUNT: u32 = 24;
/// Ticks until a taken pick-up is back.
const BACK_AFTER: u32 = 60 * 20;
/// Reach of a character beyond its radius, metres.
const REACH: f32 = 0.8;
/// Height above a place at which the search for land begins, and its depth from there, cells.
const SEARCH_ABOVE: i32 = 64;
const SEARCH_DOWN: i32 = 200;
/// Upward speed of the spring zone, metres a second.
const SPRING: f32 = 15.0;
/// Radius of a pick-up and of the largest debris, metres.
const PICKUP_RADIUS: f32 = 0.25;
const DEBRIS_RADIUS: f32 = 0.16;
const PICKUP_COLOR: [u8; 3] = [92, 224, 255];
/// Speed of a thrown pick-up, metres a second.
const THROW: f32 = 14.0;
/// Share of its level speed that a thrown pick-up passes on, and upward speed, metres a second.
const PUSH: f32 = 0.4;
const PUSH_UP: f32 = 2.5;
/// Pieces of a crater, the most pieces in all, and their lifetime in ticks.
const PIECES: u32 = 14;
const MOST_DEBRIS: usize = 300;
const DEBRIS_TICKS: u64 = 60 * 6;
const MOST_PICKUPS: usize = 400;
/// Speed of debris that is kicked aside, metres a second.
const KICK: f32 = 2.5;
/// The most pick-ups that a walker carries.
const MOST_CARRIED: u8 = 3;
/// Offset of a zone on a platform, and its sides, metres.
const ON_PLATFORM: [f32; 3] = [1.25, 0.5, 1.25];
const PLATFORM_ZONE: [f32; 3] = [1.5, 1.5, 1.5];

/// A box that throws the characters inside into the air.
#[derive(Clone, Copy, Debug)]
pub struct Zone {
    /// Lowest corner.
    pub min: Position,
    /// Sides, metres.
    pub size: Vector3<f32>,
    /// Number of characters inside.
    pub occupants: u32,
    /// The platform under it.
    rides: Option<ObjectId>,
}

/// Side of the hash's cells, metres.
const HASH_SIDE: u32 = 8;

/// An element of the hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Thing {
    Loose(u32),
    Zone(u32),
}

/// All pick-ups, debris and zones.
#[derive(Clone, Debug)]
pub struct Pickups {
    loose: BTreeMap<u32, Loose>,
    zones: BTreeMap<u32, Zone>,
    /// Positions of pick-ups that were taken, with the ticks until each is back.
    absent: Vec<(Position, u32)>,
    hash: SpatialHash<3, Thing>,
    next: u32,
    found: Vec<Thing>,
}

impl Default for Pickups {
    fn default() -> Self {
        Pickups {
            loose: BTreeMap::new(),
            zones: BTreeMap::new(),
            absent: Vec::new(),
            hash: SpatialHash::new(HASH_SIDE),
            next: 0,
            found: Vec::new(),
        }
    }
}

impl Pickups {
    /// Returns every loose object: pick-ups and debris.
    pub fn loose(&self) -> impl Iterator<Item = &Loose> {
        self.loose.values()
    }

    /// Returns the pick-ups that lie or fly about.
    pub fn waiting(&self) -> impl Iterator<Item = &Loose> {
        self.loose
            .values()
            .filter(|it| it.kind == LooseKind::Pickup)
    }

    /// Returns every zone.
    pub fn zones(&self) -> impl Iterator<Item = &Zone> {
        self.zones.values()
    }

    /// Adds all that decides what becomes of them.
    pub(super) fn write_state(&self, to: &mut Vec<u8>) {
        for (number, loose) in &self.loose {
            number.write(to);
            loose.write_state(to);
        }
        for zone in self.zones.values() {
            zone.min.write(to);
        }
        for (place, ticks) in &self.absent {
            place.write(to);
            ticks.write(to);
        }
    }

    fn number(&mut self) -> u32 {
        self.next = self.next.wrapping_add(1);
        self.next
    }

    /// Adds a loose object; at the limit the oldest debris is removed, and pick-ups are not added.
    fn add(&mut self, thing: Loose) {
        let same = self.loose.iter().filter(|(_, it)| it.kind == thing.kind);
        let count = same.clone().count();
        let oldest = same.map(|(&number, _)| number).next();
        match (thing.kind, oldest) {
            (LooseKind::Pickup, _) if count >= MOST_PICKUPS => return,
            (LooseKind::Debris, Some(oldest)) if count >= MOST_DEBRIS => self.remove(oldest),
            _ => {}
        }
        let number = self.number();
        self.hash.update(Thing::Loose(number), thing.bounds());
        self.loose.insert(number, thing);
    }

    fn remove(&mut self, number: u32) {
        self.loose.remove(&number);
        self.hash.remove(&Thing::Loose(number));
    }

    fn add_pickup(&mut self, position: Position) {
        let nothing = Vector3::zeros();
        let kind = LooseKind::Pickup;
        let thing = Loose::thrown(kind, position, nothing, PICKUP_RADIUS, PICKUP_COLOR);
        self.add(thing.resting());
    }

    fn add_zone(&mut self, zone: Zone) {
        let number = self.number();
        self.hash.update(Thing::Zone(number), zone.bounds());
        self.zones.insert(number, zone);
    }

    /// Puts a zone onto a platform, if there is one.
    pub(super) fn ride(&mut self, world: &World, platform: Option<ObjectId>) {
        self.get_off();
        if let Some(object) = platform.and_then(|platform| world.object(platform)) {
            self.add_zone(Zone {
                min: object.origin().moved(ON_PLATFORM.into()),
                size: PLATFORM_ZONE.into(),
                occupants: 0,
                rides: platform,
            });
        }
    }

    /// Removes the zones on platforms.
    pub(super) fn get_off(&mut self) {
        let hash = &mut self.hash;
        self.zones.retain(|&number, zone| {
            let stays = zone.rides.is_none();
            if !stays {
                hash.remove(&Thing::Zone(number));
            }
            stays
        });
    }

    /// Moves zones with their platforms, and every loose object. Returns the strikes of thrown
    /// objects.
    fn move_all<T: Terrain + ?Sized>(
        &mut self,
        world: &World,
        land: &T,
        bodies: &Bodies,
    ) -> Vec<MissileHit> {
        for (&number, zone) in &mut self.zones {
            zone.occupants = 0;
            if let Some(object) = zone.rides.and_then(|platform| world.object(platform)) {
                zone.min = object.origin().moved(ON_PLATFORM.into());
                self.hash.update(Thing::Zone(number), zone.bounds());
            }
        }
        let mut scratch = Scratch::default();
        let (mut over, mut hits) = (Vec::new(), Vec::new());
        for (&number, thing) in &mut self.loose {
            if thing.tick(number, &mut scratch, land) {
                self.hash.update(Thing::Loose(number), thing.bounds());
                thing.strike(bodies, &mut hits);
            }
            if thing.is_over() || world.material(thing.position.cell).is_none() {
                over.push(number);
            }
        }
        over.into_iter().for_each(|number| self.remove(number));
        hits
    }

    /// Lays taken pick-ups out again when their time is over.
    fn bring_back(&mut self) {
        let mut back = Vec::new();
        self.absent.retain_mut(|(position, ticks)| {
            *ticks -= 1;
            if *ticks == 0 {
                back.push(*position);
            }
            *ticks > 0
        });
        back.into_iter().for_each(|at| self.add_pickup(at));
    }

    /// Calls `visit` for everything that shares a cell with a character, or a neighbouring cell.
    fn near(&mut self, at: &Position, mut visit: impl FnMut(&mut Self, Thing)) {
        let mut found = std::mem::take(&mut self.found);
        let (low, high) = (at.cell.add_scalar(-1), at.cell.add_scalar(2));
        self.hash
            .query(&IntegerBox::new(low.into(), high.into()), &mut found);
        for &thing in &found {
            visit(self, thing);
        }
        self.found = found;
    }

    /// Takes the first pick-up in reach of a character, kicks debris aside, and counts the
    /// character in its zone.
    fn meet(&mut self, at: &Position, reach: f32, takes: Takes) -> Met {
        let mut met = Met::default();
        self.near(at, |pickups, thing| match thing {
            Thing::Zone(number) => {
                if let Some(zone) = pickups.zones.get_mut(&number)
                    && zone.holds(at)
                {
                    zone.occupants += 1;
                    met.in_zone = true;
                }
            }
            Thing::Loose(number) => {
                let Some(it) = pickups.loose.get_mut(&number) else {
                    return;
                };
                let away = way(at, &it.position);
                let is_near = away.norm() < reach;
                match it.kind {
                    LooseKind::Debris if is_near => {
                        let aside = Vector3::new(away.x, 0.0, away.z);
                        let aside = aside.try_normalize(1e-3).unwrap_or_else(Vector3::x);
                        it.push(aside * KICK + Vector3::y());
                    }
                    LooseKind::Pickup
                        if is_near
                            && takes == Takes::Pickup
                            && met.taken.is_none()
                            && it.is_ready() =>
                    {
                        met.taken = Some(it.position);
                        pickups
                            .absent
                            .extend(it.home.map(|home| (home, BACK_AFTER)));
                        pickups.remove(number);
                    }
                    _ => {}
                }
            }
        });
        met
    }
}

/// The things that a character takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Takes {
    Pickup,
    Nothing,
}

/// The objects that a character met.
#[derive(Clone, Copy, Debug, Default)]
struct Met {
    /// Position of the pick-up that it took.
    taken: Option<Position>,
    in_zone: bool,
}

impl Zone {
    fn holds(&self, position: &Position) -> bool {
        let local = way(&self.min, position);
        (0..3).all(|axis| (0.0..self.size[axis]).contains(&local[axis]))
    }

    fn bounds(&self) -> IntegerBox<3> {
        let end = self.min.moved(self.size).cell.add_scalar(1);
        IntegerBox::new(self.min.cell.into(), end.into())
    }
}

fn thrown_pickup(from: Position, velocity: Vector3<f32>) -> Loose {
    let kind = LooseKind::Pickup;
    Loose::thrown(kind, from, velocity, PICKUP_RADIUS, PICKUP_COLOR)
}

impl Simulation {
    /// Lays pick-ups and zones out about a position, in place of the last ones.
    pub fn lay_out_pickups(&mut self, about: Position) {
        self.pickups = Pickups::default();
        let mut random = Random::new(77);
        let top = about.cell.y.saturating_add(SEARCH_ABOVE);
        for _ in 0..COUNT {
            let angle = random.between(0.0, std::f32::consts::TAU);
            let distance = random.between(6.0, 60.0);
            let (sin, cos) = sin_cos(angle);
            let aside = Vector3::new(cos * distance, 0.0, sin * distance);
            let spot = about.moved(aside).cell;
            if let Some(feet) = land::dry_ground(&self.world, [spot.x, spot.z], top, SEARCH_DOWN) {
                self.pickups.add_pickup(land::standing_in(feet, 0.6));
            }
        }
        for [x, z] in [[9, 9], [-14, 5], [16, -12]] {
            let column = [about.cell.x.wrapping_add(x), about.cell.z.wrapping_add(z)];
            if let Some(feet) = land::dry_ground(&self.world, column, top, SEARCH_DOWN) {
                self.pickups.add_zone(Zone {
                    min: Position::new(feet, Vector3::zeros()),
                    size: Vector3::new(3.0, 2.0, 3.0),
                    occupants: 0,
                    rides: None,
                });
            }
        }
        self.pickups.ride(&self.world, self.platforms.lift());
    }

    /// Lays one pick-up down.
    pub fn put_pickup(&mut self, at: Position) {
        self.pickups.add_pickup(at);
    }

    /// Throws one of a player's pick-ups.
    pub(super) fn throw_pickup(&mut self, player: usize) {
        let from = self.eye_of(player);
        let thrower = &mut self.bodies.players[player];
        if thrower.pickups > 0 {
            thrower.pickups -= 1;
            let pickup = thrown_pickup(from, thrower.sight() * THROW + Vector3::y() * 2.0);
            let missile = pickup.thrown_by(thrower.id, thrower.character);
            self.pickups.add(missile);
            self.sound_of(player, Noise::Throw, from, 0.6);
        }
    }

    /// Drops the pick-ups of a walker that was hit.
    pub(super) fn drop_carried(&mut self, walker: usize) {
        let dropped = std::mem::take(&mut self.bodies.walkers[walker].carries);
        let Some(at) = self.bodies.walker_position(walker) else {
            return;
        };
        for _ in 0..dropped {
            let [x, z] = [0, 1].map(|_| self.random.between(-3.0, 3.0));
            self.pickups.add(thrown_pickup(at, Vector3::new(x, 6.0, z)));
        }
    }

    /// Scatters pieces of the land where a ball landed.
    pub(super) fn scatter_debris(&mut self, at: Position, color: [u8; 3]) {
        for _ in 0..PIECES {
            let random = &mut self.random;
            let [x, z] = [0, 1].map(|_| random.between(-5.0, 5.0));
            let velocity = Vector3::new(x, random.between(4.0, 10.0), z);
            let radius = DEBRIS_RADIUS * random.between(0.5, 1.0);
            let ticks = DEBRIS_TICKS + random.below(DEBRIS_TICKS / 2);
            let mut piece = Loose::thrown(LooseKind::Debris, at, velocity, radius, color);
            piece.lives = Some(ticks as u32);
            self.pickups.add(piece);
        }
    }

    pub(super) fn tick_pickups(&mut self) {
        self.pickups.bring_back();
        if self.pickups.hash.is_empty() {
            return;
        }
        let (world, bodies, pickups) = (&self.world, &self.bodies, &mut self.pickups);
        let hits = self
            .props
            .with_land(world, |land| pickups.move_all(world, land, bodies));
        for hit in hits {
            let level = Vector3::new(hit.velocity.x, 0.0, hit.velocity.z);
            self.hit_by_missile(&hit, level * PUSH + Vector3::y() * PUSH_UP);
        }
        let reach = REACH + self.tuning.radius;
        for player in 0..self.bodies.players.len() {
            self.player_meets(player, reach);
        }
        for walker in 0..self.bodies.walkers.len() {
            self.walker_meets(walker, reach);
        }
    }

    fn player_meets(&mut self, player: usize, reach: f32) {
        let at = self.place_of(player);
        let met = self.pickups.meet(&at, reach, Takes::Pickup);
        if let Some(taken) = met.taken {
            self.bodies.players[player].pickups += 1;
            self.effect(taken, 24, 4.0, [120, 230, 255]);
            self.sound_of(player, Noise::PickUp, taken, 0.8);
        }
        if self.bodies.players[player].travel == super::Travel::Walk && met.in_zone {
            self.shove_player(player, Vector3::y() * SPRING);
            self.sound_of(player, Noise::Spring, at, 0.8);
        }
    }

    fn walker_meets(&mut self, walker: usize, reach: f32) {
        let Some(at) = self.bodies.walker_position(walker) else {
            return;
        };
        let takes = match self.bodies.walkers[walker].carries {
            ..MOST_CARRIED => Takes::Pickup,
            _ => Takes::Nothing,
        };
        let met = self.pickups.meet(&at, reach, takes);
        self.bodies.walkers[walker].carries += u8::from(met.taken.is_some());
        if met.in_zone {
            self.bodies.throw(walker, Vector3::y() * SPRING);
            self.sound(Noise::Spring, at, 0.8);
        }
    }
}

#[cfg(test)]
#[path = "pickups_tests.rs"]
mod tests;
