//! Notes of the events of one character's step.

use crate::crowd::CharacterId;
use crate::events::{EventKind, Other};
use crate::mover::Feature;
use crate::terrain::ObjectId;

/// Notes of one character's step, turned into events afterwards. Reused.
pub(crate) struct Happenings<'a> {
    kinds: &'a mut Vec<EventKind>,
    generations: &'a [u32],
}

impl<'a> Happenings<'a> {
    /// Notes into a list; `generations` turns a neighbour's slot into its handle.
    pub(crate) fn new(kinds: &'a mut Vec<EventKind>, generations: &'a [u32]) -> Self {
        Self { kinds, generations }
    }

    /// Notes an event.
    pub(crate) fn note(&mut self, kind: EventKind) {
        self.kinds.push(kind);
    }

    /// Returns the terrain or character of a contact.
    pub(crate) fn other(&self, feature: Feature, object: ObjectId) -> Other {
        match feature {
            Feature::Body => Other::Character(CharacterId {
                slot: object.0,
                generation: self
                    .generations
                    .get(object.0 as usize)
                    .copied()
                    .unwrap_or_default(),
            }),
            _ => Other::Terrain(object),
        }
    }
}
