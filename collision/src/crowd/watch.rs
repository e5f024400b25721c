//! Watched characters, with their contacts and the heights of their steps in the last tick.

use crate::around::GatherTrace;
use crate::character::Met;
use crate::crowd::columns::BLOCK;
use crate::crowd::contact::{CharacterContact, ContactPhase};
use crate::handles::{CharacterId, Handles};

/// The watched characters, and the findings about them.
#[derive(Clone, Default)]
pub(crate) struct Watch {
    /// In the order of handles.
    pub(super) ids: Vec<CharacterId>,
    /// The rows of those in this tick: a word for each block, empty if none is watched.
    pub(super) words: Vec<u64>,
    /// Heights of steps and snaps in this tick, by character.
    pub(super) lifts: Vec<(CharacterId, f32)>,
    /// The contacts of the moves of this tick, by row.
    pub(super) met: Vec<Met>,
    /// By character, in the order of [`CharacterContact::order`].
    pub(super) contacts: Vec<CharacterContact>,
    /// Those of the tick before.
    pub(super) before: Vec<CharacterContact>,
    /// The character whose gathers are traced.
    pub(super) traced: Option<CharacterId>,
    /// Its last gather.
    pub(super) gather: Option<Box<GatherTrace>>,
}

impl Watch {
    /// Returns the rows that are watched in this tick.
    pub(crate) fn words(&self) -> &[u64] {
        &self.words
    }

    /// Returns the row whose gathers are traced.
    pub(crate) fn traced_row(&self, handles: &Handles) -> Option<usize> {
        self.traced.and_then(|id| handles.find(id))
    }

    /// Forgets all contacts, so that those of the next tick count as new.
    pub(crate) fn forget_contacts(&mut self) {
        self.contacts.clear();
        self.lifts.clear();
    }

    /// Begins a tick of `blocks` blocks; drops removed characters.
    pub(super) fn prepare(&mut self, handles: &Handles, blocks: usize) {
        std::mem::swap(&mut self.contacts, &mut self.before);
        self.contacts.clear();
        self.words.clear();
        self.lifts.clear();
        if self.ids.is_empty() {
            return;
        }
        self.words.resize(blocks, 0);
        let words = &mut self.words;
        self.ids.retain(|&id| {
            let row = handles.find(id);
            row.inspect(|row| words[row / BLOCK] |= 1 << (row % BLOCK))
                .is_some()
        });
    }

    /// Returns the contacts of the moves of a row.
    pub(super) fn met_by(&self, row: usize) -> &[Met] {
        let part = |after: bool| {
            let row = row as u32 + u32::from(after);
            self.met.partition_point(|met| met.row < row)
        };
        &self.met[part(false)..part(true)]
    }

    /// Marks new contacts, and lists the ended ones. All are in order, and each thing is touched
    /// once.
    pub(super) fn compare(&mut self) {
        let (now, before) = (&mut self.contacts, &mut self.before);
        before.retain(|contact| contact.phase != ContactPhase::Ended);
        for contact in now.iter_mut() {
            let known = before.binary_search_by(|other| other.order(contact));
            contact.phase = match known {
                Ok(_) => ContactPhase::Lasts,
                Err(_) => ContactPhase::Began,
            };
        }
        let found = now.len();
        for gone in before.iter() {
            let is_there = now[..found].binary_search_by(|other| other.order(gone));
            let is_watched = self.ids.binary_search(&gone.character).is_ok();
            if is_there.is_err() && is_watched {
                now.push(CharacterContact {
                    phase: ContactPhase::Ended,
                    ..*gone
                });
            }
        }
        now.sort_unstable_by(CharacterContact::order);
    }
}

/// Returns the contacts of a character in an ordered list.
pub(super) fn of_character(contacts: &[CharacterContact], id: CharacterId) -> &[CharacterContact] {
    let from = contacts.partition_point(|contact| contact.character < id);
    let to = contacts.partition_point(|contact| contact.character <= id);
    &contacts[from..to]
}
