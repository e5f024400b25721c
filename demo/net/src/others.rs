//! The other players that a client sees: in a few bytes, and where they will be.

use std::collections::BTreeMap;

use collision::{Cell, OtherCharacter, Position};
use nalgebra::Vector3;
use simulation::{Player, PlayerId, PredictedPlayer, Simulation, TICK, coded_parts};

/// Steps of a metre, and of a metre a second.
const PLACE_STEPS: f32 = 256.0;
const SPEED_STEPS: f32 = 32.0;
/// Steps of a turn.
const TURN_STEPS: f32 = 256.0;
/// Bytes of another player.
pub(crate) const BYTES: usize = 16;
/// Ticks after which a player that is not told of any more has gone.
const FORGOTTEN: u64 = 60;
/// The most ticks for which a player is taken to go on as it was seen.
const MOST_AHEAD: u64 = 15;
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

coded_parts! {
    Other { id, place, velocity, heading, crouched }
}

impl Other {
    /// Returns a player as it is written, with its place about a cell.
    pub(crate) fn of(simulation: &Simulation, player: &Player, about: Cell) -> Option<Self> {
        let (crowd, character) = (simulation.crowd(), player.character());
        let corner = Position::new(about, Vector3::zeros());
        let away = crowd.position(character)?.since(&corner);
        let velocity = crowd.velocity(character)?;
        let turn = player.input().wish().yaw / std::f32::consts::TAU;
        Some(Other {
            id: player.id(),
            // Casts keep to the range of the number.
            place: away.map(|part| (part * PLACE_STEPS).round() as i16),
            velocity: velocity.map(|part| (part * SPEED_STEPS).round() as i16),
            heading: (turn * TURN_STEPS).round().rem_euclid(TURN_STEPS) as u8,
            crouched: crowd.is_crouched(character).into(),
        })
    }
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
    fn of(other: &Other, tick: u64, about: Cell) -> Self {
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
