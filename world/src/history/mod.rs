//! Undo and redo: a log of the changes of each edit, limited in bytes.
//!
//! The log keeps the edits of all authors in order. Undoing an edit makes the world as if the edit
//! had never happened: a voxel that a later edit wrote keeps its material, and the later edit
//! inherits the older one as `old`; all other voxels return to their old material. So authors undo
//! only their own edits, in any order.
//!
//! Adding and removing free objects are edits too. An object is out of the world while an edit in
//! the log keeps it out: its undone addition, or a removal in force. Meanwhile its voxels and its
//! place are on the log's *shelf*, where undo and redo of other edits still change it. It returns
//! under the same key, with the edits of others in force. Once the edit that keeps it out is
//! forgotten, it cannot return. The log does not record the motion of objects.
//!
//! A step without changes stands for an action of the application: it has its place in the order,
//! and the application undoes or redoes it.
//!
//! Out of scope: how changes reach the world (see [`crate::edit`]) and the disk (see
//! [`crate::save`]).

mod entry;
mod shelf;

pub use entry::{Author, Change, Entry, EntryState, ObjectEvent, ObjectStep};

use std::collections::{BTreeMap, HashMap, VecDeque};

use crate::material::Material;
use crate::object::{ObjectKey, Shelved};
use crate::space::BrickPlace;
use entry::Content;

/// The writes that an undo or redo makes to the world.
#[derive(Debug, Default)]
pub(crate) struct Restoration {
    /// Materials to write. For an undo: `old` to the voxels that hold `new`.
    pub(crate) writes: Vec<Change>,
    /// Changes of later edits, as they were, in voxels that both edits wrote.
    pub(crate) settled: Vec<Change>,
    /// Entries whose record changed.
    pub(crate) altered: Vec<u64>,
    /// Sequence number of the entry that was undone or redone.
    pub(crate) sequence: u64,
    /// The free object that the entry added or removed.
    pub(crate) object: Option<ObjectKey>,
}

/// Contents dropped from the log.
#[derive(Debug, Default)]
pub(crate) struct Forgotten {
    /// Sequence numbers of the entries.
    pub(crate) entries: Vec<u64>,
    /// Free objects that can no longer return.
    pub(crate) objects: Vec<Shelved>,
}

impl Forgotten {
    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty() && self.objects.is_empty()
    }

    pub(crate) fn clear(&mut self) {
        self.entries.clear();
        self.objects.clear();
    }
}

/// The log of edits.
#[derive(Debug)]
pub struct History {
    entries: VecDeque<Entry>,
    /// Free objects that an entry keeps out of the world.
    shelf: BTreeMap<ObjectKey, Shelved>,
    next: u64,
    bytes: usize,
    budget: usize,
}

impl Default for History {
    fn default() -> Self {
        Self {
            entries: VecDeque::new(),
            shelf: BTreeMap::new(),
            next: 1,
            bytes: 0,
            budget: Self::DEFAULT_BUDGET,
        }
    }
}

impl History {
    /// Default limit of the log's memory, in bytes.
    pub const DEFAULT_BUDGET: usize = 64 << 20;

    /// Returns the edits that can be undone or redone, oldest first.
    pub fn entries(&self) -> impl DoubleEndedIterator<Item = &Entry> {
        self.entries.iter()
    }

    /// Returns the bytes in use, including those of shelved objects.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Returns the edit that the author would undo next.
    pub fn next_undo(&self, author: Author) -> Option<&Entry> {
        self.last_done(author).map(|place| &self.entries[place])
    }

    /// Returns the edit that the author would redo next.
    pub fn next_redo(&self, author: Author) -> Option<&Entry> {
        self.first_undone(author).map(|place| &self.entries[place])
    }

    /// Sets the memory limit in bytes and forgets the oldest entries beyond it.
    pub(crate) fn set_budget(&mut self, bytes: usize, forgotten: &mut Forgotten) {
        self.budget = bytes;
        self.shrink(forgotten);
    }

    /// Appends a saved entry; entries must come in order.
    pub(crate) fn restore(&mut self, entry: Entry) {
        self.next = self.next.max(entry.sequence.saturating_add(1));
        self.bytes += entry.bytes();
        self.entries.push_back(entry);
    }

    /// Appends an edit; edits that the author had undone can no longer be redone. An edit that is
    /// larger than the whole budget is not recorded, since making room for it would forget all
    /// others and then the edit itself.
    pub(crate) fn record(
        &mut self,
        author: Author,
        changes: impl Iterator<Item = Change>,
        forgotten: &mut Forgotten,
    ) -> Option<&Entry> {
        let mut changes = changes.peekable();
        let first = changes.next()?;
        let content = match changes.peek() {
            None => Content::One([first]),
            Some(_) => {
                let mut many: Vec<Change> = std::iter::once(first).chain(changes).collect();
                many.shrink_to_fit();
                Content::Many(many)
            }
        };
        self.append(author, content, forgotten)
    }

    /// Adds a step that changes no voxel and stands for an action of the application.
    pub(crate) fn record_step(
        &mut self,
        author: Author,
        forgotten: &mut Forgotten,
    ) -> Option<&Entry> {
        self.append(author, Content::Many(Vec::new()), forgotten)
    }

    fn append(
        &mut self,
        author: Author,
        content: Content,
        forgotten: &mut Forgotten,
    ) -> Option<&Entry> {
        self.drop_undone(author, forgotten);
        let entry = Entry {
            sequence: self.next,
            author,
            state: EntryState::Done,
            content,
        };
        if entry.bytes() > self.budget {
            return None;
        }
        self.next += 1;
        self.bytes += entry.bytes();
        self.entries.push_back(entry);
        self.shrink(forgotten);
        self.entries.back()
    }

    /// Returns the entry with this sequence number.
    pub(crate) fn entry(&self, sequence: u64) -> Option<&Entry> {
        self.place(sequence).map(|place| &self.entries[place])
    }

    fn place(&self, sequence: u64) -> Option<usize> {
        self.entries
            .binary_search_by_key(&sequence, |entry| entry.sequence)
            .ok()
    }

    fn drop_undone(&mut self, author: Author, forgotten: &mut Forgotten) {
        if self.first_undone(author).is_none() {
            return;
        }
        let mut lost = Vec::new();
        self.forget(forgotten, |entry| {
            let undone = entry.author == author && entry.state == EntryState::Undone;
            if undone {
                lost.extend(entry.withheld());
            }
            undone
        });
        for object in lost {
            self.lose(object, forgotten);
        }
    }

    /// Drops entries, whether or not they keep objects out of the world.
    fn forget(&mut self, forgotten: &mut Forgotten, mut which: impl FnMut(&Entry) -> bool) {
        let bytes = &mut self.bytes;
        self.entries.retain(|entry| {
            let drop = which(entry);
            if drop {
                *bytes -= entry.bytes();
                forgotten.entries.push(entry.sequence);
            }
            !drop
        });
    }

    /// Forgets the oldest entries until the rest is within the budget.
    pub(crate) fn shrink(&mut self, forgotten: &mut Forgotten) {
        while self.bytes > self.budget
            && let Some(oldest) = self.entries.pop_front()
        {
            self.bytes -= oldest.bytes();
            forgotten.entries.push(oldest.sequence);
            if let Some(object) = oldest.withheld() {
                self.lose(object, forgotten);
            }
        }
    }

    fn last_done(&self, author: Author) -> Option<usize> {
        self.entries
            .iter()
            .rposition(|entry| entry.author == author && entry.state == EntryState::Done)
    }

    /// Returns the edit that was undone last: the author's first undone one after the last in
    /// force.
    fn first_undone(&self, author: Author) -> Option<usize> {
        let after = self.last_done(author).map_or(0, |place| place + 1);
        (after..self.entries.len()).find(|&place| {
            let entry = &self.entries[place];
            entry.author == author && entry.state == EntryState::Undone
        })
    }

    /// Undoes the author's last edit in force.
    pub(crate) fn undo(&mut self, author: Author) -> Option<Restoration> {
        let place = self.last_done(author)?;
        self.entries[place].state = EntryState::Undone;
        // A later edit inherits the material before this one.
        Some(
            self.splice(place, |mine, later| match later.old == mine.new {
                true => mine.old,
                // Between the two, something was written without the history.
                false => later.old,
            }),
        )
    }

    /// Redoes the author's edit that was undone last, at its old place in the order. The caller
    /// reports the materials that it overwrites with [`History::amend`].
    pub(crate) fn redo(&mut self, author: Author) -> Option<Restoration> {
        let place = self.first_undone(author)?;
        self.entries[place].state = EntryState::Done;
        let restoration = self.splice(place, |mine, _| mine.new);
        self.amend(restoration.sequence, &restoration.settled);
        Some(restoration)
    }

    /// Divides an edit's voxels into those that a later edit in force wrote, which change only in
    /// the log, and the rest, which must be written to the world.
    fn splice(
        &mut self,
        place: usize,
        inherited: impl Fn(&Change, &Change) -> Material,
    ) -> Restoration {
        let mut rest: Vec<Change> = self.entries[place].changes().to_vec();
        let mut restoration = Restoration {
            sequence: self.entries[place].sequence,
            altered: vec![self.entries[place].sequence],
            object: self.entries[place].object().map(|event| event.object),
            ..Restoration::default()
        };
        if !rest.is_empty()
            && self
                .entries
                .range(place + 1..)
                .any(|later| later.state == EntryState::Done)
        {
            let rows = by_row(&rest);
            for later in place + 1..self.entries.len() {
                if self.entries[later].state == EntryState::Undone {
                    continue;
                }
                let before = restoration.settled.len();
                self.settle(
                    later,
                    &rows,
                    &mut rest,
                    &inherited,
                    &mut restoration.settled,
                );
                if restoration.settled.len() > before {
                    restoration.altered.push(self.entries[later].sequence);
                }
            }
        }
        rest.retain(|change| change.mask != 0);
        restoration.writes = rest;
        restoration
    }

    /// Removes from the rest the voxels that a later edit also wrote, sets their inherited
    /// material, and records the one that it had before.
    fn settle(
        &mut self,
        later: usize,
        rows: &Rows,
        rest: &mut [Change],
        inherited: &impl Fn(&Change, &Change) -> Material,
        settled: &mut Vec<Change>,
    ) {
        let noted = settled.len();
        let entry = &self.entries[later];
        let mut rewritten = Vec::with_capacity(entry.changes().len() + 1);
        for change in entry.changes() {
            let mut untouched = change.mask;
            for &index in rows.get(&(change.place, change.row)).into_iter().flatten() {
                let mine = &mut rest[index];
                let shared = mine.mask & untouched;
                if shared != 0 {
                    settled.push(Change {
                        mask: shared,
                        ..*change
                    });
                    rewritten.push(Change {
                        mask: shared,
                        old: inherited(mine, change),
                        ..*change
                    });
                    untouched &= !shared;
                    mine.mask &= !shared;
                }
            }
            if untouched != 0 {
                rewritten.push(Change {
                    mask: untouched,
                    ..*change
                });
            }
        }
        if settled.len() > noted {
            self.rewrite(later, rewritten);
        }
    }

    /// Sets, after a redo, the materials (as `old`) that the edit overwrote this time.
    pub(crate) fn amend(&mut self, sequence: u64, found: &[Change]) {
        let Some(place) = self.place(sequence).filter(|_| !found.is_empty()) else {
            return;
        };
        let rows = by_row(found);
        let mut amended = Vec::new();
        for change in self.entries[place].changes() {
            let mut untouched = change.mask;
            for &index in rows.get(&(change.place, change.row)).into_iter().flatten() {
                let shared = found[index].mask & untouched;
                if shared != 0 && found[index].old != change.old {
                    amended.push(Change {
                        mask: shared,
                        old: found[index].old,
                        ..*change
                    });
                    untouched &= !shared;
                }
            }
            if untouched != 0 {
                amended.push(Change {
                    mask: untouched,
                    ..*change
                });
            }
        }
        self.rewrite(place, amended);
    }

    fn rewrite(&mut self, place: usize, changes: Vec<Change>) {
        let entry = &mut self.entries[place];
        self.bytes -= entry.bytes();
        *entry = Entry::new(entry.sequence, entry.author, entry.state, changes);
        self.bytes += entry.bytes();
    }
}

/// Indices of changes by row.
type Rows = HashMap<(BrickPlace, u16), Vec<usize>>;

fn by_row(changes: &[Change]) -> Rows {
    let mut rows = Rows::new();
    for (index, change) in changes.iter().enumerate() {
        rows.entry((change.place, change.row))
            .or_default()
            .push(index);
    }
    rows
}
