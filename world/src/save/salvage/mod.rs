//! Salvage: makes a new world file from the readable parts of one that does not open.
//!
//! The file is read without redb and never written to. Readable parts of the newest commit are
//! copied. For keys on damaged pages, the newest sound record anywhere in the file is taken and
//! reported as old: it may have been replaced or removed since, which is unknown once the pages are
//! lost. Records without a stamp (format 3 and before) are equally good for a key. If a commit slot
//! is damaged, it may have named the newest commit, and the commit with the highest number is taken
//! for the newest; it may have been unfinished when the program ended.

mod gather;
mod scan;

use std::path::Path;

use super::codec::{brick_of_key, chunk_of_key};
use super::contents::{Contents, Progress};
use super::damage::{Damage, Part};
use super::disk::DiskStore;
use super::error::SaveError;
use super::header::{FORMAT, HEADER_KEY, Header, MATERIALS_KEY};
use super::kept_bytes::is_kept;
use super::pages::{Commit, FileHeader, PageFile, walking};
use super::store::{Store, StoreChange, Table};
use crate::object::ObjectKey;
use gather::{Age, Found, Gathered, Gathering};

/// Approximate size of one commit to the new file, in bytes.
const BATCH: usize = 16 << 20;

/// The evidence for the newest commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// The file's header names the commit.
    Slot,
    /// The commit was found by searching all pages.
    Search,
    /// Only records were found, no commit.
    Records,
}

/// Counts of saved records of a kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Saved {
    /// Records of the newest commit found.
    pub current: usize,
    /// Records of an older commit, or of an unknown one.
    pub older: usize,
    /// Number of lost records; `None` if unknown.
    pub lost: Option<u64>,
}

/// A part that may have been replaced or removed after this version was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OldPart {
    /// The part.
    pub part: Part,
    /// Number of the commit that wrote it; 0 if unknown.
    pub commit: u64,
}

/// The result of a salvage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Salvage {
    /// Header of the new file.
    pub header: Header,
    /// Evidence for the newest commit.
    pub basis: Basis,
    /// Number of that commit, if any record tells it.
    pub commit: Option<u64>,
    /// Terrain chunks.
    pub chunks: Saved,
    /// Free objects, including removed ones that can be restored.
    pub objects: Saved,
    /// Chunks of free objects.
    pub bricks: Saved,
    /// Edits of the undo history.
    pub edits: Saved,
    /// Parts that may be outdated.
    pub old: Vec<OldPart>,
    /// Parts that the new file lacks or holds damaged.
    pub damaged: Vec<Damage>,
    /// True if every record was read; a hostile file may exceed the time limit.
    pub thorough: bool,
}

/// Writes the readable parts of a world file to a new one; leaves the old file unchanged.
pub fn salvage(path: impl AsRef<Path>, out: impl AsRef<Path>) -> Result<Salvage, SaveError> {
    let (path, out) = (path.as_ref(), out.as_ref());
    if out.symlink_metadata().is_ok() {
        return Err(SaveError::Exists(out.to_owned()));
    }
    let file = PageFile::open(path)?;
    let finds = gather_all(&file);
    let header = finds.header(&file)?;
    let written = finds.write(&file, header, out);
    if written.is_err() {
        // A partial world is useless, and the path was free before.
        let _ = std::fs::remove_file(out);
    }
    written
}

/// Everything found in the file.
struct Finds {
    gathering: Gathering,
    basis: Basis,
    commit: Option<u64>,
    thorough: bool,
}

/// Returns the newest commit, if both slots are sound (a damaged one could be the newest) and its
/// tree of tables is.
fn named_commit(file: &PageFile) -> Option<Commit> {
    let slots = FileHeader::read(file)?.slots;
    let [Some(a), Some(b)] = &slots else {
        return None;
    };
    let newest = if a.transaction > b.transaction { a } else { b };
    let commit = Commit::of_root(file, newest.user.as_ref()?)?;
    // A world has its tables from the first commit on.
    let there = !commit.tables.is_empty();
    there.then(|| commit.numbered(file, &mut walking(file)))
}

fn gather_all(file: &PageFile) -> Finds {
    let mut finds = Finds {
        gathering: Gathering::default(),
        basis: Basis::Records,
        commit: None,
        thorough: true,
    };
    if let Some(commit) = named_commit(file) {
        finds.gathering.take(file, &commit, u64::MAX, Age::Current);
        finds.gathering.close_missing(&commit);
        (finds.basis, finds.commit) = (Basis::Slot, commit.number);
    }
    if finds.gathering.is_open() {
        finds.search(file);
    }
    finds
}

impl Finds {
    /// Searches all pages for unknown keys.
    fn search(&mut self, file: &PageFile) {
        let mut loose = Vec::new();
        let scanned = scan::scan(file, &mut |table, key, found| {
            if self.gathering.wants(table, key, &found) {
                loose.push((table, key.to_vec(), found));
            }
        });
        self.thorough = scanned.thorough;
        for commit in &scanned.commits {
            let mut age = Age::Older;
            if self.basis == Basis::Records && commit.number.is_some() {
                (self.basis, self.commit, age) = (Basis::Search, commit.number, Age::Current);
            }
            let since = commit.number.unwrap_or(0);
            self.gathering.take(file, commit, since, age);
        }
        for (table, key, found) in loose {
            self.gathering.take_loose(table, &key, found);
        }
    }

    fn table(&self, table: Table) -> Option<&Gathered> {
        self.gathering.tables.get(&table)
    }

    fn records(&self, table: Table) -> impl Iterator<Item = (&Vec<u8>, &Found)> {
        self.table(table)
            .into_iter()
            .flat_map(|table| &table.records)
    }

    /// Returns a record of the header, from either copy.
    fn of_header(&self, file: &PageFile, key: &[u8]) -> Option<Vec<u8>> {
        let copies = [Table::Header, Table::Spare].map(|table| self.table(table)?.records.get(key));
        let found = copies.into_iter().flatten().next()?;
        file.read(found.at..found.at + found.length)
    }

    fn header(&self, file: &PageFile) -> Result<Header, SaveError> {
        let bytes = self.of_header(file, HEADER_KEY);
        let bytes = bytes.ok_or(SaveError::NothingFound)?;
        let header = Header::decode(&bytes)?;
        header.check_generator()?;
        Ok(header)
    }

    fn write(&self, file: &PageFile, header: Header, out: &Path) -> Result<Salvage, SaveError> {
        let store = DiskStore::create(out)?;
        let mut batch = Vec::new();
        let (mut bytes, mut last) = (0, self.commit.unwrap_or(0));
        for table in Table::ALL {
            if matches!(table, Table::Header | Table::Spare) {
                continue;
            }
            for (key, found) in self.records(table) {
                let Some(value) = file.read(found.at..found.at + found.length) else {
                    continue;
                };
                (bytes, last) = (bytes + value.len(), last.max(found.stamp));
                let (key, value) = (key.clone(), Some(value));
                batch.push(StoreChange { table, key, value });
                if bytes > BATCH {
                    store.commit(&batch)?;
                    batch.clear();
                    bytes = 0;
                }
            }
        }
        // The header comes last: a file without one does not count as a world.
        let format = FORMAT;
        let header = Header { format, ..header };
        batch.extend(header.changes());
        if let Some(materials) = self.of_header(file, MATERIALS_KEY) {
            for table in [Table::Header, Table::Spare] {
                let (key, value) = (MATERIALS_KEY.to_vec(), Some(materials.clone()));
                batch.push(StoreChange { table, key, value });
            }
        }
        for (key, found) in self.records(Table::Header).filter(|(key, _)| is_kept(key)) {
            let value = file.read(found.at..found.at + found.length);
            let (table, key) = (Table::Header, key.clone());
            batch.extend(value.is_some().then_some(StoreChange { table, key, value }));
        }
        let progress = Progress {
            commits: last,
            ..Progress::default()
        };
        batch.push(progress.change());
        store.commit(&batch)?;
        let contents = Contents::read(&store)?;
        // Keys of objects must not be used again.
        store.commit(&[contents.progress.change()])?;
        let damaged = contents.bad.into_iter().map(|bad| bad.damage).collect();
        Ok(self.report(header, damaged))
    }

    fn saved(&self, table: Table) -> Saved {
        let of_age = |age| {
            self.records(table)
                .filter(|(_, found)| found.age == age)
                .count()
        };
        let (current, older) = (of_age(Age::Current), of_age(Age::Older));
        let counted = self.table(table).and_then(|table| table.counted);
        let lost = counted.map(|count| count.saturating_sub((current + older) as u64));
        Saved {
            current,
            older,
            lost,
        }
    }

    fn report(&self, header: Header, damaged: Vec<Damage>) -> Salvage {
        let old = Table::ALL.into_iter().flat_map(|table| {
            let older = self
                .records(table)
                .filter(|(_, found)| found.age == Age::Older);
            older.filter_map(move |(key, found)| {
                let (part, commit) = (part_of(table, key)?, found.stamp);
                Some(OldPart { part, commit })
            })
        });
        Salvage {
            header,
            basis: self.basis,
            commit: self.commit,
            chunks: self.saved(Table::Chunks),
            objects: self.saved(Table::Objects),
            bricks: self.saved(Table::ObjectChunks),
            edits: self.saved(Table::History),
            old: old.collect(),
            damaged,
            thorough: self.thorough,
        }
    }
}

#[cfg(test)]
mod tests;

fn part_of(table: Table, key: &[u8]) -> Option<Part> {
    let number = || key.try_into().ok().map(u64::from_be_bytes);
    match table {
        Table::Chunks => chunk_of_key(key).map(Part::Chunk),
        Table::ObjectChunks => brick_of_key(key).map(|(object, at)| Part::ObjectChunk(object, at)),
        Table::Objects => number().and_then(ObjectKey::from_number).map(Part::Object),
        Table::History => number().map(Part::Edit),
        Table::Header | Table::Spare | Table::Quarantine => None,
    }
}
