//! Notes of the events of one character's step.

use crate::events::{EventKind, Other};
use crate::handles::CharacterId;
use crate::mover::{Contact, Feature};
use crate::position::Cell;
use crate::terrain::ObjectId;

/// A contact of the moves of a watched character.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Met {
    /// The row of the character.
    pub(crate) row: u32,
    /// The cell that the point of the contact is measured from.
    pub(crate) base: Cell,
    pub(crate) contact: Contact,
    /// The speed into it, in metres a second.
    pub(crate) speed: f32,
}

/// The height of a step or a snap of a watched character along its up axis.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lift {
    /// The row of the character.
    pub(crate) row: u32,
    /// Upwards, in metres.
    pub(crate) height: f32,
}

/// The notes about a watched character.
pub(crate) struct Watching<'a> {
    pub(crate) row: u32,
    pub(crate) met: &'a mut Vec<Met>,
    pub(crate) lifts: &'a mut Vec<Lift>,
}

/// Notes of one character's step, turned into events afterwards. Reused.
pub(crate) struct Happenings<'a> {
    kinds: &'a mut Vec<EventKind>,
    generations: &'a [u32],
    watching: Option<Watching<'a>>,
}

impl<'a> Happenings<'a> {
    /// Notes into a list; `generations` turns a neighbour's slot into its handle.
    pub(crate) fn new(kinds: &'a mut Vec<EventKind>, generations: &'a [u32]) -> Self {
        Self {
            kinds,
            generations,
            watching: None,
        }
    }

    /// Adds notes of contacts for a watched character.
    pub(crate) fn watching(self, watching: Option<Watching<'a>>) -> Self {
        Self { watching, ..self }
    }

    /// Returns whether contacts are noted.
    pub(crate) fn is_watching(&self) -> bool {
        self.watching.is_some()
    }

    /// Notes an event.
    pub(crate) fn note(&mut self, kind: EventKind) {
        self.kinds.push(kind);
    }

    /// Notes a contact with its speed.
    pub(crate) fn meet(&mut self, base: Cell, contact: Contact, speed: f32) {
        if let Some(watching) = &mut self.watching {
            watching.met.push(Met {
                row: watching.row,
                base,
                contact,
                speed: speed.max(0.0),
            });
        }
    }

    /// Notes the height of a step or a snap, in metres upwards.
    pub(crate) fn lift(&mut self, height: f32) {
        if let Some(watching) = &mut self.watching
            && height != 0.0
        {
            let row = watching.row;
            watching.lifts.push(Lift { row, height });
        }
    }

    /// Returns the other side of a contact.
    pub(crate) fn other(&self, feature: Feature, object: ObjectId) -> Other {
        named(self.generations, feature, object)
    }
}

/// Returns the other side of a contact; `generations` turns a neighbour's slot into its handle.
pub(crate) fn named(generations: &[u32], feature: Feature, object: ObjectId) -> Other {
    let generation = generations.get(object.0 as usize).copied();
    match feature {
        Feature::Body => Other::Character(CharacterId {
            slot: object.0,
            generation: generation.unwrap_or_default(),
        }),
        _ => Other::Terrain(object),
    }
}
