//! The other players that a client sees: in a few bytes, and where they will be.

use std::collections::BTreeMap;

use collision::{Cell, OtherCharacter, Position};
use nalgebra::Vector3;
use simulation::coding::{Coded, ReadError, Reader};
use simulation::{PlayerId, PredictedPlayer, TICK};

use crate::short;

/// Steps of a metre, and of a metre a second.
const PLACE_STEPS: f32 = 256.0;
const SPEED_STEPS: f32 = 32.0;
/// Steps of a turn.
const TURN_STEPS: f32 = 256.0;
/// The most bytes of another player.
pub(crate) const BYTES: usize = 21;
/// Ticks after which a player that is not told of any more has gone.
const FORGOTTEN: u64 = 60;
/// The most ticks for which a player is taken to go on as it was seen.
const MOST_AHEAD: u64 = 30;
/// Players farther from the own one cannot be met in a tick, metres.
const NEAR: f32 = 8.0;

/// Another player in a snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Other {
    /// Its number.
    pub id: PlayerId,
    /// Its centre from the lower corner of a cell, in 256ths of a metre; within 127 m.
    pub place: Vector3<i16>,
    /// Its velocity, in 32nds of a metre a second.
    pub velocity: Vector3<i16>,
    /// Its heading, in 256ths of a turn.
    pub heading: u8,
    /// 1 if it crouches.
    pub crouched: u8,
}

/// Players in a snapshot, in the order of their numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Told(pub Vec<Other>);

/// Bits of the parts of a player that are not nothing.
const CROUCHED: u8 = 1;
const MOVES: u8 = 2;
const RISES: u8 = 4;

/// Their count, then each one by its distance in number from the one before.
impl Coded for Told {
    fn write(&self, to: &mut Vec<u8>) {
        short::write(self.0.len() as u32, to);
        let mut next = 0;
        for other in &self.0 {
            short::write(u32::from(other.id.0).wrapping_sub(next), to);
            next = u32::from(other.id.0) + 1;
            other.write(to);
        }
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, ReadError> {
        let (mut told, mut next) = (Vec::new(), 0u32);
        for _ in 0..short::read(from)? {
            let id = next.checked_add(short::read(from)?);
            let id = id.and_then(|id| u16::try_from(id).ok());
            let id = id.ok_or(from.invalid("number of a player"))?;
            next = u32::from(id) + 1;
            told.push(Other::read(PlayerId(id), from)?);
        }
        Ok(Told(told))
    }
}

impl Other {
    /// Writes all but the number.
    fn write(&self, to: &mut Vec<u8>) {
        let [x, y, z] = self.velocity.into();
        let flag = |is_set: bool, bit: u8| u8::from(is_set) * bit;
        let moves = flag(x != 0 || z != 0, MOVES);
        to.push(flag(self.crouched != 0, CROUCHED) | moves | flag(y != 0, RISES));
        to.push(self.heading);
        self.place.x.write(to);
        self.place.z.write(to);
        short::write_signed(self.place.y, to);
        if moves != 0 {
            short::write_signed(x, to);
            short::write_signed(z, to);
        }
        if y != 0 {
            short::write_signed(y, to);
        }
    }

    fn read(id: PlayerId, from: &mut Reader<'_>) -> Result<Self, ReadError> {
        let [flags, heading] = from.array()?;
        let (x, z) = (i16::read(from)?, i16::read(from)?);
        let place = Vector3::new(x, short::read_signed(from)?, z);
        let mut part = |bit| match flags & bit {
            0 => Ok(0),
            _ => short::read_signed(from),
        };
        let (x, z, y) = (part(MOVES)?, part(MOVES)?, part(RISES)?);
        let is_flag = flags & !(CROUCHED | MOVES | RISES) == 0;
        let is_exact =
            (flags & MOVES == 0) == (x == 0 && z == 0) && (flags & RISES == 0) == (y == 0);
        if !is_flag || !is_exact {
            return Err(from.invalid("motion of a player"));
        }
        Ok(Other {
            id,
            place,
            velocity: Vector3::new(x, y, z),
            heading,
            crouched: flags & CROUCHED,
        })
    }
}

impl Other {}

/// Returns a place from the lower corner of a cell, in steps.
pub(crate) fn place_about(position: &Position, about: Cell) -> Vector3<i16> {
    let away = position.since(&Position::new(about, Vector3::zeros()));
    // Casts keep to the range of the number.
    away.map(|part| (part * PLACE_STEPS).round() as i16)
}

/// Returns a velocity in steps.
pub(crate) fn steps_of(velocity: Vector3<f32>) -> Vector3<i16> {
    velocity.map(|part| (part * SPEED_STEPS).round() as i16)
}

/// Returns a heading, in radians, in steps of a turn.
pub(crate) fn turn_of(heading: f32) -> u8 {
    let turn = heading / std::f32::consts::TAU;
    (turn * TURN_STEPS).round().rem_euclid(TURN_STEPS) as u8
}

/// Another player as a client saw it last.
#[derive(Clone, Copy, Debug)]
pub struct Seen {
    /// The tick after which it was there.
    pub tick: u64,
    /// Its centre.
    pub place: Position,
    /// Its velocity, metres a second.
    pub velocity: Vector3<f32>,
    /// Radians to the right of -z.
    pub heading: f32,
    /// True if it crouches.
    pub crouched: bool,
}

impl Seen {
    pub(crate) fn of(other: &Other, tick: u64, about: Cell) -> Self {
        let away = other.place.map(|steps| f32::from(steps) / PLACE_STEPS);
        Seen {
            tick,
            place: Position::new(about, Vector3::zeros()).moved(away),
            velocity: other.velocity.map(|steps| f32::from(steps) / SPEED_STEPS),
            heading: f32::from(other.heading) / TURN_STEPS * std::f32::consts::TAU,
            crouched: other.crouched != 0,
        }
    }

    /// Returns its centre at the beginning of a tick, if it goes on as it was seen.
    pub fn place_at(&self, tick: u64) -> Position {
        let ticks = tick
            .saturating_sub(self.tick.saturating_add(1))
            .min(MOST_AHEAD);
        self.place.moved(self.velocity * (ticks as f32 * TICK))
    }
}

/// The other players that a client knows.
#[derive(Clone, Debug, Default)]
pub(crate) struct Others(BTreeMap<PlayerId, Seen>);

impl Others {
    /// Takes the players of a snapshot, and forgets those that were not seen for long.
    pub(crate) fn see(&mut self, others: &[Other], tick: u64, about: Cell) {
        for other in others {
            self.0.insert(other.id, Seen::of(other, tick, about));
        }
        self.0
            .retain(|_, seen| seen.tick.saturating_add(FORGOTTEN) > tick);
    }

    /// Forgets a player that has gone.
    pub(crate) fn forget(&mut self, player: PlayerId) {
        self.0.remove(&player);
    }

    /// Lists those that a player may meet in a tick.
    pub(crate) fn near(&self, own: &PredictedPlayer, tick: u64, into: &mut Vec<OtherCharacter>) {
        into.clear();
        for (&id, seen) in &self.0 {
            let place = seen.place_at(tick);
            if place.since(&own.position()).norm() < NEAR {
                into.push(own.other_at(id, place, seen.crouched));
            }
        }
    }

    pub(crate) fn each(&self) -> impl Iterator<Item = (PlayerId, &Seen)> {
        self.0.iter().map(|(&id, seen)| (id, seen))
    }
}
