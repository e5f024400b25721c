//! What happened in a tick, told once each.

use crate::crowd::{CharacterId, SensorId};
use crate::mover::Feature;
use crate::terrain::ObjectId;
use nalgebra::Vector3;
use std::cmp::Ordering;

/// Who touched or moved a character.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Other {
    /// A part of the terrain.
    Terrain(ObjectId),
    /// Another character.
    Character(CharacterId),
}

/// Something that happened to a character in the last tick.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Event {
    /// To whom.
    pub character: CharacterId,
    /// What.
    pub kind: EventKind,
}

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum EventKind {
    /// It came to stand.
    Landed {
        /// Speed into the ground, in metres a second.
        speed: f32,
        /// What it stands on.
        on: Other,
    },
    /// It stands no more: jumped, walked off, or the ground went.
    LeftGround,
    /// It ran into something that is not its ground. Told when the touch begins.
    Hit {
        /// What it ran into.
        other: Other,
        /// Unit normal at the contact, towards the character.
        normal: Vector3<f32>,
        /// Speed into it, in metres a second.
        speed: f32,
        /// The part that was hit.
        feature: Feature,
    },
    /// It began to climb a step.
    Stepped {
        /// How high it came in this tick, in metres; a round foot takes a few ticks to roll over a rim.
        height: f32,
    },
    /// Something moved it: a platform, a placed block, or another character faster than the settings' `hit_speed`.
    Pushed {
        /// By whom; of several characters by the one that pushed farthest at once, the first of those that pushed as far.
        by: Other,
        /// How far in this tick, in metres: by all of them together. Characters push in small parts; all of those count.
        distance: f32,
    },
    /// Moving terrain holds it and leaves no free place near. Told when it begins.
    Crushed {
        /// By which part of the terrain.
        by: ObjectId,
    },
    /// Terrain holds it and no free place is near, or others stand there: it waits. Told when it begins.
    Embedded,
    /// It is free again after being crushed or embedded.
    Rescued,
    /// Its centre came into a liquid.
    EnteredLiquid,
    /// Its centre left a liquid.
    LeftLiquid,
    /// Its centre came into a sensor.
    Entered(SensorId),
    /// Its centre left a sensor.
    Left(SensorId),
    /// Its intent was not finite or too fast and was ignored.
    IntentRefused,
    /// A move ended without a valid place, or among others without room, and was taken back.
    MoveTakenBack,
}

/// Puts the events of a tick in order, by character and then by [`EventKind::rank`], and makes one of pushes that came in parts. They may come in
/// any order: which thread noted them does not show.
pub(crate) fn put_in_order(events: &mut Vec<Event>) {
    events.sort_unstable_by(|a, b| {
        let by_character = a.character.slot.cmp(&b.character.slot);
        by_character
            .then_with(|| a.kind.rank().cmp(&b.kind.rank()))
            .then_with(|| b.kind.compare_pushes(&a.kind))
    });
    events.dedup_by(|next, first| first.absorbs(next));
}

impl Event {
    /// Takes in the next one if it tells more of the same.
    fn absorbs(&mut self, next: &Event) -> bool {
        if self.character != next.character || self.kind.rank() != next.kind.rank() {
            return false;
        }
        match (&mut self.kind, next.kind) {
            (EventKind::Pushed { distance, .. }, EventKind::Pushed { distance: more, .. }) => {
                *distance += more;
                true
            }
            (kind, next) => *kind == next,
        }
    }
}

impl EventKind {
    /// The farther of two pushes is the greater; all else is the same.
    fn compare_pushes(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Pushed { by: a, distance: x }, Self::Pushed { by: b, distance: y }) => {
                x.total_cmp(y).then(a.cmp(b))
            }
            _ => Ordering::Equal,
        }
    }

    /// The order of events of one character: enum order. Sensors by their number.
    pub(crate) fn rank(&self) -> u32 {
        match self {
            Self::IntentRefused => 0,
            Self::Pushed {
                by: Other::Terrain(_),
                ..
            } => 1,
            Self::Crushed { .. } => 2,
            Self::Embedded => 3,
            Self::Rescued => 4,
            Self::EnteredLiquid => 5,
            Self::LeftLiquid => 6,
            Self::LeftGround => 7,
            Self::Hit { .. } => 8,
            Self::Stepped { .. } => 9,
            Self::Landed { .. } => 10,
            Self::Pushed { .. } => 11,
            Self::MoveTakenBack => 12,
            Self::Left(sensor) => 13_u32.saturating_add(sensor.0.saturating_mul(2)),
            Self::Entered(sensor) => 14_u32.saturating_add(sensor.0.saturating_mul(2)),
        }
    }
}
