//! The events of a tick.

use crate::contact::Feature;
use crate::handles::{CharacterId, SensorId};
use crate::terrain::ObjectId;
use nalgebra::Vector3;
use std::cmp::Ordering;

/// The terrain or the character that touched or moved a character.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Other {
    /// A part of the terrain.
    Terrain(ObjectId),
    /// Another character.
    Character(CharacterId),
}

/// An event of a character in the last tick.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Event {
    /// The affected character.
    pub character: CharacterId,
    /// The kind of event.
    pub kind: EventKind,
}

/// The kinds of events.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum EventKind {
    /// The character came to stand.
    Landed {
        /// Speed into the ground, in metres a second.
        speed: f32,
        /// The ground or character that it stands on.
        on: Other,
    },
    /// The character stopped standing: it jumped, walked off, or the ground went away.
    LeftGround,
    /// The character ran into something that is not its ground. Reported when the contact begins.
    Hit {
        /// The terrain or character that it ran into.
        other: Other,
        /// Unit normal at the contact, towards the character.
        normal: Vector3<f32>,
        /// Speed into it, in metres a second.
        speed: f32,
        /// The kind of feature that was hit.
        feature: Feature,
    },
    /// The character began to climb a step.
    Stepped {
        /// Height gained in this tick, in metres; a round foot takes a few ticks to roll over a
        /// rim.
        height: f32,
    },
    /// The character was moved by a platform or a placed block, or by another character faster than
    /// `hit_speed` of the settings.
    Pushed {
        /// The terrain or character that pushed; of several characters the one with the longest
        /// single push, and of equals the first.
        by: Other,
        /// Distance pushed in this tick, in metres, by all of them together. Characters push in
        /// small parts; all of them count.
        distance: f32,
    },
    /// Moving terrain overlaps the character and leaves no free place near. Reported when it
    /// begins.
    Crushed {
        /// The object that overlaps it.
        by: ObjectId,
    },
    /// Terrain overlaps the character and no free place is near, or other characters stand there:
    /// it waits. Reported when it begins.
    Embedded,
    /// The character is free again after being crushed or embedded.
    Rescued,
    /// The centre of the character entered a liquid.
    EnteredLiquid,
    /// The centre of the character left a liquid.
    LeftLiquid,
    /// The centre of the character entered a sensor.
    Entered(SensorId),
    /// The centre of the character left a sensor.
    Left(SensorId),
    /// The intent of the character was not finite or too fast and was ignored.
    IntentRefused,
    /// A move ended without a valid place, or among other characters without room, and was taken
    /// back.
    MoveTakenBack,
}

/// Sorts the events of a tick by character and then by [`EventKind::rank`], and merges pushes that
/// came in parts. The result does not depend on the order in which threads noted them.
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
    /// Merges the next event into this one if both are the same event, or parts of one push.
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
    /// Orders two pushes by distance; all other kinds are equal.
    fn compare_pushes(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Pushed { by: a, distance: x }, Self::Pushed { by: b, distance: y }) => {
                x.total_cmp(y).then(a.cmp(b))
            }
            _ => Ordering::Equal,
        }
    }

    /// Returns the place of a kind among the events of one character. Sensors are ordered by
    /// number.
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
