//! Collects the record to save for each key, and for missing keys the knowledge that they have
//! none.
//!
//! For sound pages, the newest commit whose tree of tables can be read is the truth: a record
//! missing there was removed. For others, older commits and records found by a scan are used: the
//! one with the newest stamp, unless it is older than a commit known not to contain the key.

use std::collections::BTreeMap;

use super::super::bytes::{is_sound, stamp_of};
use super::super::header::{HEADER_KEY, Header};
use super::super::pages::{Commit, PageFile, Span, Step, Walk, walking};
use super::super::store::Table;

/// The age of a record, compared to the newest commit found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Age {
    Current,
    /// The record may have been replaced or removed since.
    Older,
}

/// A record that can be saved.
#[derive(Clone, Debug)]
pub(super) struct Found {
    /// Offset of its value in the file.
    pub(super) at: u64,
    pub(super) length: u64,
    /// Stamp of the record; 0 if it has none.
    pub(super) stamp: u64,
    pub(super) age: Age,
}

/// A range of keys.
struct Known {
    span: Span,
    /// The commit as of which all records of the range are known; `None` if unknown.
    since: Option<u64>,
}

/// The knowledge about a table.
pub(super) struct Gathered {
    /// Ranges in order that cover all keys.
    known: Vec<Known>,
    pub(super) records: BTreeMap<Vec<u8>, Found>,
    /// Number of records by the newest commit found.
    pub(super) counted: Option<u64>,
}

impl Default for Gathered {
    fn default() -> Self {
        let (span, since) = (Span::all(), None);
        Self {
            known: vec![Known { span, since }],
            records: BTreeMap::new(),
            counted: None,
        }
    }
}

impl Gathered {
    fn since(&self, key: &[u8]) -> Option<u64> {
        let beyond = self
            .known
            .partition_point(|known| known.span.starts_by(key));
        self.known.get(beyond.checked_sub(1)?)?.since
    }

    /// Returns true if there are unknown keys in a range.
    fn is_open(&self, span: &Span) -> bool {
        let start = self
            .known
            .partition_point(|known| known.span.is_before(span));
        let mut meeting = self.known[start..]
            .iter()
            .take_while(|known| known.span.meets(span));
        meeting.any(|known| known.since.is_none())
    }

    fn offer(&mut self, key: &[u8], found: Found) {
        let rank = |found: &Found| (found.stamp, found.length);
        match self.records.get_mut(key) {
            Some(held) if rank(held) >= rank(&found) => {}
            Some(held) => *held = found,
            None => drop(self.records.insert(key.to_vec(), found)),
        }
    }

    /// Marks, after a walk, all unknown keys as known, except in the ranges that it could not read.
    fn learn(&mut self, since: u64, unread: &[Span]) {
        let mut known = Vec::with_capacity(self.known.len());
        for part in self.known.drain(..) {
            if part.since.is_some() {
                known.push(part);
                continue;
            }
            let start = unread.partition_point(|other| other.is_before(&part.span));
            let count = unread[start..]
                .iter()
                .take_while(|other| other.meets(&part.span))
                .count();
            let unread = &unread[start..start + count];
            let read = part.span.without(unread).into_iter().map(|span| {
                let since = Some(since);
                Known { span, since }
            });
            known.extend(read);
            let rest = unread.iter().filter_map(|other| other.cut(&part.span));
            known.extend(rest.map(|span| Known { span, since: None }));
        }
        known.sort_unstable_by(|a, b| a.span.cmp(&b.span));
        self.known = known;
    }
}

/// Returns true if a record of a table is sound. Records set aside earlier are kept unchanged.
fn is_good(table: Table, key: &[u8], value: &[u8]) -> bool {
    match (table, key) {
        (Table::Quarantine, _) => true,
        (Table::Header | Table::Spare, HEADER_KEY) => Header::decode(value).is_ok(),
        _ => is_sound(key, value),
    }
}

/// The knowledge about all tables.
pub(super) struct Gathering {
    pub(super) tables: BTreeMap<Table, Gathered>,
}

impl Default for Gathering {
    fn default() -> Self {
        let tables = Table::ALL.map(|table| (table, Gathered::default()));
        Self {
            tables: tables.into(),
        }
    }
}

impl Gathering {
    /// Returns true if there are unknown keys.
    pub(super) fn is_open(&self) -> bool {
        let mut known = self.tables.values().flat_map(|table| &table.known);
        known.any(|known| known.since.is_none())
    }

    /// Takes the records of a commit for all unknown keys, which are then known as of commit
    /// `since`.
    pub(super) fn take(&mut self, file: &PageFile, commit: &Commit, since: u64, age: Age) {
        let mut budget = walking(file);
        for (&table, entry) in &commit.tables {
            let Some(gathered) = self.tables.get_mut(&table) else {
                continue;
            };
            gathered.counted.get_or_insert(entry.count);
            if !gathered.is_open(&Span::all()) {
                continue;
            }
            let (mut unread, mut records) = (Vec::new(), Vec::new());
            if let Some(root) = entry.root {
                Walk {
                    file,
                    widths: entry.widths,
                    budget: &mut budget,
                    wanted: &|span| gathered.is_open(span),
                    each: &mut |step| match step {
                        Step::Record(key, _, _) if gathered.since(key).is_some() => {}
                        Step::Record(key, value, at) if is_good(table, key, value) => {
                            let (length, stamp) = (value.len() as u64, stamp_of(value));
                            let found = Found {
                                at,
                                length,
                                stamp,
                                age,
                            };
                            records.push((key.to_vec(), found));
                        }
                        Step::Record(key, ..) => unread.push(Span::only(key)),
                        Step::Hole(span, _) => unread.push(span),
                    },
                }
                .run(&root);
            }
            records
                .into_iter()
                .for_each(|(key, found)| gathered.offer(&key, found));
            gathered.learn(since, &unread);
        }
    }

    /// Marks all keys of tables missing in a commit as known to have no records.
    pub(super) fn close_missing(&mut self, commit: &Commit) {
        for (table, gathered) in &mut self.tables {
            if !commit.tables.contains_key(table) {
                gathered.learn(u64::MAX, &[]);
            }
        }
    }

    /// Returns true if a record found by the scan may be newer than the known state.
    pub(super) fn wants(&self, table: Table, key: &[u8], found: &Found) -> bool {
        let since = self.tables.get(&table).and_then(|table| table.since(key));
        since.is_none_or(|since| found.stamp > since)
    }

    /// Takes a record found by the scan.
    pub(super) fn take_loose(&mut self, table: Table, key: &[u8], found: Found) {
        if self.wants(table, key, &found)
            && let Some(gathered) = self.tables.get_mut(&table)
        {
            gathered.offer(key, found);
        }
    }
}
