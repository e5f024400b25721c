//! Reads a world file without redb and without writing: the commit that redb would show.
//!
//! Every file is checked this way before redb opens it, by the checksums of everything that redb
//! relies on: it panics on malformed pages, and silently shows an older commit if the slot of the
//! newest is damaged.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use super::super::error::StoreError;
use super::super::store::{Store, StoreChange, Table};
use super::commit::{Commit, is_system_sound, walking};
use super::{FileHeader, PageFile, Slot, Span, Step, Torn, Walk};

/// A read-only view of a world file.
pub(crate) struct View {
    path: PathBuf,
    file: PageFile,
    header: FileHeader,
    commit: Commit,
    /// Number of damaged pages met.
    altered: AtomicU64,
}

fn damaged(what: &str) -> StoreError {
    StoreError::Damaged(what.to_owned())
}

/// Returns the slot of the commit that redb would show.
fn slot_in_force(header: &FileHeader) -> Result<&Slot, StoreError> {
    let primary = header.slots[header.primary].as_ref();
    let other = header.slots[1 - header.primary].as_ref();
    match (primary, other) {
        (None, _) => Err(damaged("its newest commit cannot be read")),
        (Some(slot), Some(other)) if other.transaction > slot.transaction => {
            // The other slot is newer only while a commit is being written.
            if header.closed {
                return Err(damaged("it names another commit than its newest"));
            }
            Ok(if header.two_phase { slot } else { other })
        }
        (Some(slot), _) => Ok(slot),
    }
}

/// Reads the header and the list of tables, and checks everything that redb relies on.
fn look(file: &PageFile) -> Result<(FileHeader, Commit), StoreError> {
    if file.length() == 0 {
        return Err(damaged("it is empty"));
    }
    let header = FileHeader::read(file).filter(|header| header.named);
    let header = header.ok_or_else(|| damaged("it does not begin as one"))?;
    let slot = slot_in_force(&header)?;
    let system = slot.system.as_ref();
    if !system.is_none_or(|root| is_system_sound(file, root)) {
        return Err(damaged("its own book-keeping is altered"));
    }
    let commit = match &slot.user {
        Some(root) => Commit::of_root(file, root),
        None => Some(Commit::default()),
    };
    let commit = commit.ok_or_else(|| damaged("its list of tables is altered"))?;
    Ok((header, commit))
}

impl View {
    /// Opens a file after checking everything that redb relies on.
    pub(crate) fn open(path: &Path) -> Result<Self, StoreError> {
        let file = PageFile::open(path)?;
        let found = look(&file);
        // Bytes that could not be read look damaged.
        file.check(path)?;
        let (header, commit) = found?;
        Ok(Self {
            path: path.to_owned(),
            file,
            header,
            commit,
            altered: AtomicU64::new(0),
        })
    }

    /// Returns true if it holds no record: its program was killed before the first one.
    pub(crate) fn is_blank(&self) -> bool {
        self.commit.tables.values().all(|entry| entry.count == 0)
    }

    /// Returns true if it was closed properly.
    pub(crate) fn is_closed(&self) -> bool {
        self.header.closed
    }

    /// Returns true if no damaged page was met so far.
    pub(crate) fn is_sound(&self) -> bool {
        self.altered.load(Ordering::Relaxed) == 0
    }

    /// Visits the records of a table in the wanted ranges of keys, including those of damaged
    /// leaves. Counts damaged pages.
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
                    // Records have checksums of their own. Keys outside the span belong to another
                    // page, written here by mistake.
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
        self.file.check(&self.path)?;
        Ok(found)
    }

    fn visit(&self, table: Table, each: &mut dyn FnMut(&[u8], &[u8])) -> Result<(), StoreError> {
        self.walk(table, &|_| true, each);
        self.file.check(&self.path)
    }

    fn commit(&self, _changes: &[StoreChange]) -> Result<(), StoreError> {
        Err(StoreError::ReadOnly(self.path.clone()))
    }

    fn count(&self, table: Table) -> Result<Option<u64>, StoreError> {
        Ok(self.commit.tables.get(&table).map(|entry| entry.count))
    }
}
