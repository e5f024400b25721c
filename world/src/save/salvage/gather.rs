//! Which record of each key to save, and what is known of keys that have none.
//!
//! The newest commit whose tree of tables can be read is the truth where its pages are sound: what it does not hold was
//! removed. Where they are not, older commits and records that lie about are asked, and the one of the newest commit is
//! taken, unless it is older than a commit that is known not to hold it.

use std::collections::BTreeMap;

use super::super::bytes::{is_sound, stamp_of};
use super::super::header::{HEADER_KEY, Header};
use super::super::pages::{Commit, PageFile, Span, Step, Walk, walking};
use super::super::store::Table;

/// Whether a record is of the newest commit that was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Age {
    Current,
    /// It may have been replaced or removed since.
    Older,
}

/// A record that can be saved.
#[derive(Clone, Debug)]
pub(super) struct Found {
    /// Where its value lies in the file.
    pub(super) at: u64,
    pub(super) length: u64,
    /// The commit that wrote it; 0 where it does not say.
    pub(super) stamp: u64,
    pub(super) age: Age,
}

/// A range of keys.
struct Known {
    span: Span,
    /// The commit as of which all its records are known; none where nothing is.
    since: Option<u64>,
}

/// What is known of a table.
pub(super) struct Gathered {
    /// Every key is in one of them, in order.
    known: Vec<Known>,
    pub(super) records: BTreeMap<Vec<u8>, Found>,
    /// How many records there were, as the newest commit found says.
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

    /// Whether there are keys in a range of which nothing is known.
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

    /// After a walk: all is known but the ranges that it could not read.
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

/// Whether a record of a table is as it was written. What was set aside before is kept as it is.
fn is_good(table: Table, key: &[u8], value: &[u8]) -> bool {
    match (table, key) {
        (Table::Quarantine, _) => true,
        (Table::Header | Table::Spare, HEADER_KEY) => Header::decode(value).is_ok(),
        _ => is_sound(key, value),
    }
}

/// What is known of all tables.
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
    /// Whether there are keys of which nothing is known.
    pub(super) fn is_open(&self) -> bool {
        let mut known = self.tables.values().flat_map(|table| &table.known);
        known.any(|known| known.since.is_none())
    }

    /// Takes what a commit says of the keys that are not known yet. `since` is the commit as of which they are known then.
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

    /// Takes tables that a commit does not have for empty.
    pub(super) fn close_missing(&mut self, commit: &Commit) {
        for (table, gathered) in &mut self.tables {
            if !commit.tables.contains_key(table) {
                gathered.learn(u64::MAX, &[]);
            }
        }
    }

    /// Whether a record that was found lying about may be newer than what is known.
    pub(super) fn wants(&self, table: Table, key: &[u8], found: &Found) -> bool {
        let since = self.tables.get(&table).and_then(|table| table.since(key));
        since.is_none_or(|since| found.stamp > since)
    }

    /// Takes a record that was found lying about.
    pub(super) fn take_loose(&mut self, table: Table, key: &[u8], found: Found) {
        if self.wants(table, key, &found)
            && let Some(gathered) = self.tables.get_mut(&table)
        {
            gathered.offer(key, found);
        }
    }
}
