//! Salvage: a new world file from whatever can still be read of one that does not open.
//!
//! The file is read without redb, and never written to. What the newest commit still shows is taken as it was. For keys whose
//! pages are damaged, the newest sound record found anywhere in the file is taken, and said to be old: it may have been replaced
//! since, or removed, which a file cannot tell once the pages that knew are gone. Records without the number of their commit
//! (format 3 and before) are as good as any other of their key. If both commit slots are gone, the commit with the highest
//! number is taken for the newest; it may be one that was being written when the program ended. So it is if one of the slots is
//! damaged: it may have named the newest.

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

/// Bytes that go into one commit of the new file, about.
const BATCH: usize = 16 << 20;

/// On what it rests which records were taken for the newest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// The file itself names the commit.
    Slot,
    /// The newest commit that was found by looking at every page.
    Search,
    /// No commit was found, only records.
    Records,
}

/// What became of the records of a kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Saved {
    /// As the newest commit that was found has them.
    pub current: usize,
    /// From an older commit, or from none that can be named.
    pub older: usize,
    /// How many more there were; none where nothing says how many.
    pub lost: Option<u64>,
}

/// A part that may have been replaced or removed after it was written as it is now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OldPart {
    /// Which.
    pub part: Part,
    /// The commit that wrote it; 0 where that is not known.
    pub commit: u64,
}

/// What was saved, and what was not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Salvage {
    /// Of the new file.
    pub header: Header,
    /// How the newest commit was known.
    pub basis: Basis,
    /// Its number, as far as records tell.
    pub commit: Option<u64>,
    /// Chunks of terrain.
    pub chunks: Saved,
    /// Free objects, with those that were removed and can come back.
    pub objects: Saved,
    /// Bricks of free objects.
    pub bricks: Saved,
    /// Edits of the undo history.
    pub edits: Saved,
    /// All that may be older than it was.
    pub old: Vec<OldPart>,
    /// What the new file lacks for it to be whole.
    pub damaged: Vec<Damage>,
    /// Whether every record was looked at: a hostile file can make that take longer than anyone waits.
    pub thorough: bool,
}

/// Writes what can be read of a world file to a new one. The old file is left as it is.
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
        // Half a world helps nobody. It was not there before.
        let _ = std::fs::remove_file(out);
    }
    written
}

/// All that was found.
struct Finds {
    gathering: Gathering,
    basis: Basis,
    commit: Option<u64>,
    thorough: bool,
}

/// The newest commit, if the file's header names it and its tree of tables is sound. If either slot is damaged, nobody can say
/// which of them was the newest.
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
    /// Looks at every page for what is not known yet.
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

    /// A record of the header, wherever it lies.
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
        // The header comes last: a file without one is not taken for a world.
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
        // Keys of objects must not be given again.
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
