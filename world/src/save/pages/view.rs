//! A world file as it is, looked at without redb and without writing: the commit that redb would show.
//!
//! A file is looked at so before redb opens it. What redb takes on trust is held against its checksums first: it panics on
//! pages that make no sense, and shows an older commit without a word where the slot of the newest is damaged.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use super::super::error::StoreError;
use super::super::store::{Store, StoreChange, Table};
use super::commit::{Commit, is_system_sound, walking};
use super::{FileHeader, PageFile, Slot, Span, Step, Torn, Walk};

/// A world file that is looked at and left as it is.
pub(in super::super) struct View {
    path: PathBuf,
    file: PageFile,
    header: FileHeader,
    commit: Commit,
    /// Pages met that are not as they were written.
    altered: AtomicU64,
}

fn damaged(what: &str) -> StoreError {
    StoreError::Damaged(what.to_owned())
}

/// The commit that redb would show.
fn slot_in_force(header: &FileHeader) -> Result<&Slot, StoreError> {
    let primary = header.slots[header.primary].as_ref();
    let other = header.slots[1 - header.primary].as_ref();
    match (primary, other) {
        (None, _) => Err(damaged("its newest commit cannot be read")),
        (Some(slot), Some(other)) if other.transaction > slot.transaction => {
            // The other is newer while it is being written, and never again.
            if header.closed {
                return Err(damaged("it names another commit than its newest"));
            }
            Ok(if header.two_phase { slot } else { other })
        }
        (Some(slot), _) => Ok(slot),
    }
}

impl View {
    /// Opens a file whose structure redb can be trusted with.
    pub(in super::super) fn open(path: &Path) -> Result<Self, StoreError> {
        let file = PageFile::open(path)?;
        if file.length() == 0 {
            return Err(damaged("it is empty"));
        }
        let header = FileHeader::read(&file).filter(|header| header.named);
        let header = header.ok_or_else(|| damaged("it does not begin as one"))?;
        let slot = slot_in_force(&header)?;
        let system = slot.system.as_ref();
        if !system.is_none_or(|root| is_system_sound(&file, root)) {
            return Err(damaged("its own book-keeping is altered"));
        }
        let commit = match &slot.user {
            Some(root) => Commit::of_root(&file, root),
            None => Some(Commit::default()),
        };
        let commit = commit.ok_or_else(|| damaged("its list of tables is altered"))?;
        Ok(Self {
            path: path.to_owned(),
            file,
            header,
            commit,
            altered: AtomicU64::new(0),
        })
    }

    /// Whether nothing was ever written to it.
    pub(in super::super) fn is_blank(&self) -> bool {
        self.commit.tables.is_empty()
    }

    /// Whether it was closed in order.
    pub(in super::super) fn is_closed(&self) -> bool {
        self.header.closed
    }

    /// Whether all that was looked at so far is as it was written.
    pub(in super::super) fn is_sound(&self) -> bool {
        self.altered.load(Ordering::Relaxed) == 0
    }

    /// Visits the records of a table in the ranges of keys that are wanted, those of torn leaves too. What is altered is counted.
    fn walk(
        &self,
        table: Table,
        wanted: &dyn Fn(&Span) -> bool,
        each: &mut dyn FnMut(&[u8], &[u8]),
    ) {
        let Some(entry) = self.commit.tables.get(&table) else {
            return;
        };
        let Some(root) = &entry.root else {
            return;
        };
        Walk {
            file: &self.file,
            widths: entry.widths,
            budget: &mut walking(&self.file),
            wanted,
            each: &mut |step| match step {
                Step::Record(key, value, _) => each(key, value),
                Step::Hole(span, torn) => {
                    self.altered.fetch_add(1, Ordering::Relaxed);
                    // Records carry their own checksums. One that belongs elsewhere was not lost here: the whole page may.
                    if let Torn::Leaf(leaf) = torn {
                        let records = leaf.records().filter(|(key, _)| span.contains(key));
                        records.for_each(|(key, value)| each(key, value));
                    }
                }
            },
        }
        .run(root);
    }
}

impl Store for View {
    fn get(&self, table: Table, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        let mut found = None;
        self.walk(table, &|span| span.contains(key), &mut |other, value| {
            if other == key {
                found = Some(value.to_vec());
            }
        });
        Ok(found)
    }

    fn visit(&self, table: Table, each: &mut dyn FnMut(&[u8], &[u8])) -> Result<(), StoreError> {
        self.walk(table, &|_| true, each);
        Ok(())
    }

    fn commit(&self, _changes: &[StoreChange]) -> Result<(), StoreError> {
        Err(StoreError::ReadOnly(self.path.clone()))
    }

    fn count(&self, table: Table) -> Result<Option<u64>, StoreError> {
        Ok(self.commit.tables.get(&table).map(|entry| entry.count))
    }
}
