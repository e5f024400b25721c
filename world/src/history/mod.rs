//! Undo and redo: a log of what each edit changed, bounded by bytes.
//!
//! The log keeps the order in which edits were made, whoever made them. Taking an edit back gives the world as if it
//! had never been made: where a later edit wrote the same voxel, the voxel stays and the later edit inherits what was
//! there before; everywhere else the old material returns. So authors undo their own edits only, in any order.
//!
//! Adding and removing free objects are edits too. An object is in the world unless an edit in the log keeps it out: its
//! addition that was undone, or a removal that was not. Meanwhile it lies on the log's *shelf* with its voxels and its place, and
//! comes back under the same key as it would be now: what others had done to it is still done, and what they take back or make
//! again meanwhile is done to it on the shelf. It is gone for good once the edit that keeps it out is forgotten. How objects
//! move is not in the log.
//!
//! A step without changes stands for something of the application's own: it has its place in the
//! order, and the application does what is undone or redone.
//! Not here: how changes reach the world (see [`crate::edit`]) and the disk (see [`crate::save`]).

mod entry;
mod shelf;

pub use entry::{Author, Change, Entry, EntryState, ObjectEvent, ObjectStep};
pub(crate) use shelf::Shelved;

use std::collections::{BTreeMap, HashMap, VecDeque};

use crate::material::Material;
use crate::object::ObjectKey;
use crate::world::BrickPlace;
use entry::Content;

/// What the log wants done to the world.
#[derive(Debug, Default)]
pub(crate) struct Restoration {
    /// Materials to write. Taking back: where the voxel holds `new`, write `old`.
    pub(crate) writes: Vec<Change>,
    /// What later edits had found where they had written too.
    pub(crate) settled: Vec<Change>,
    /// Entries whose record changed.
    pub(crate) altered: Vec<u64>,
    /// The entry that was undone or redone.
    pub(crate) sequence: u64,
    /// The free object that it added or removed.
    pub(crate) object: Option<ObjectKey>,
}

/// What the log holds no longer.
#[derive(Debug, Default)]
pub(crate) struct Forgotten {
    /// Edits.
    pub(crate) entries: Vec<u64>,
    /// Free objects that cannot come back.
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
    /// Memory the log may use unless told otherwise, bytes.
    pub const DEFAULT_BUDGET: usize = 64 << 20;

    /// All edits that can be undone or redone, oldest first.
    pub fn entries(&self) -> impl DoubleEndedIterator<Item = &Entry> {
        self.entries.iter()
    }

    /// Bytes in use, with those of removed objects that can come back.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// What the author would take back.
    pub fn next_undo(&self, author: Author) -> Option<&Entry> {
        self.last_done(author).map(|place| &self.entries[place])
    }

    /// What the author would make again.
    pub fn next_redo(&self, author: Author) -> Option<&Entry> {
        self.first_undone(author).map(|place| &self.entries[place])
    }

    /// Bounds the log.
    pub(crate) fn set_budget(&mut self, bytes: usize, forgotten: &mut Forgotten) {
        self.budget = bytes;
        self.shrink(forgotten);
    }

    /// Takes up a saved entry; they must come in order.
    pub(crate) fn restore(&mut self, entry: Entry) {
        self.next = self.next.max(entry.sequence.saturating_add(1));
        self.bytes += entry.bytes();
        self.entries.push_back(entry);
    }

    /// Adds an edit. What the author had undone can no longer be redone. An edit that alone is larger than the log may be is not taken
    /// up: to make room for it all others would be forgotten, and then it itself.
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

    /// Adds a step that changes no voxel: it stands for something of the application's own.
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

    /// The entry of that number.
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

    /// Drops entries without asking what they keep out of the world.
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

    /// Forgets the oldest entries until what is left is within the budget.
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

    /// The edit that was undone last: the author's earliest that is undone after the last one in force.
    fn first_undone(&self, author: Author) -> Option<usize> {
        let after = self.last_done(author).map_or(0, |place| place + 1);
        (after..self.entries.len()).find(|&place| {
            let entry = &self.entries[place];
            entry.author == author && entry.state == EntryState::Undone
        })
    }

    /// Takes the author's last edit out of force.
    pub(crate) fn undo(&mut self, author: Author) -> Option<Restoration> {
        let place = self.last_done(author)?;
        self.entries[place].state = EntryState::Undone;
        // A later edit inherits what this one found.
        Some(
            self.splice(place, |mine, later| match later.old == mine.new {
                true => mine.old,
                // Something else was written past the history between the two.
                false => later.old,
            }),
        )
    }

    /// Puts the author's edit that was undone last in force again, at its old place in the order. What it then finds
    /// in the world must be told with [`History::amend`].
    pub(crate) fn redo(&mut self, author: Author) -> Option<Restoration> {
        let place = self.first_undone(author)?;
        self.entries[place].state = EntryState::Done;
        let restoration = self.splice(place, |mine, _| mine.new);
        self.amend(restoration.sequence, &restoration.settled);
        Some(restoration)
    }

    /// Divides an edit's voxels into those that a later edit in force wrote, which are settled in the log, and the rest,
    /// which must be written to the world.
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

    /// Settles what a later edit shares with the rest, and notes what it had found there.
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

    /// After a redo: what the edit found (as `old`) where it was written again.
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

/// Changes by the row they are in.
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
