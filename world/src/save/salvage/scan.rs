//! Looks at every page of a file for records and for trees of tables, without asking whether anything leads there.

use super::super::bytes::{is_sound, stamp_of};
use super::super::codec::decode_shape;
use super::super::contents::PROGRESS_KEY;
use super::super::header::{HEADER_KEY, Header, MATERIALS_KEY};
use super::super::pages::{Budget, Commit, Leaf, PAGE, PageFile, Widths};
use super::super::store::Table;
use super::gather::{Age, Found};

/// How often as many bytes as the file has may be looked at.
const TIMES: u64 = 16;
/// Of so many commits the tables are kept.
const MOST_COMMITS: usize = 8;

/// What a scan found besides records.
pub(super) struct Scanned {
    /// The newest first.
    pub(super) commits: Vec<Commit>,
    /// Whether there was time for everything.
    pub(super) thorough: bool,
}

/// The table a sound record is of. Nothing says so but the form of its key, and what it holds.
fn table_of(key: &[u8], sealed: &[u8]) -> Option<Table> {
    match (key, key.len()) {
        (PROGRESS_KEY | MATERIALS_KEY, _) => Some(Table::Header),
        (_, 12) => Some(Table::Chunks),
        (_, 20) => Some(Table::ObjectChunks),
        // The numbers of edits and of objects look alike. What an object holds has a length and limits that no edit meets.
        (_, 8) if decode_shape(key, sealed).is_ok() => Some(Table::Objects),
        (_, 8) => Some(Table::History),
        _ => None,
    }
}

fn sound_table(key: &[u8], value: &[u8]) -> Option<Table> {
    if key == HEADER_KEY {
        return Header::decode(value).is_ok().then_some(Table::Header);
    }
    is_sound(key, value).then(|| table_of(key, value)).flatten()
}

/// Scans a file. `each` is given every sound record, however old.
pub(super) fn scan(file: &PageFile, each: &mut dyn FnMut(Table, &[u8], Found)) -> Scanned {
    let mut scan = Scan {
        file,
        budget: Budget::of(file, TIMES),
        commits: Vec::new(),
        thorough: true,
        each,
    };
    let mut at = PAGE;
    while at < file.length() {
        let bytes = file.read(at..file.length().min(at + PAGE));
        at += bytes.map_or(PAGE, |bytes| scan.page(at, &bytes));
    }
    let (commits, thorough) = (scan.commits, scan.thorough);
    Scanned { commits, thorough }
}

struct Scan<'a> {
    file: &'a PageFile,
    budget: Budget,
    commits: Vec<Commit>,
    thorough: bool,
    each: &'a mut dyn FnMut(Table, &[u8], Found),
}

impl Scan<'_> {
    /// Looks at a page; how far it is to the next.
    fn page(&mut self, at: u64, bytes: &[u8]) -> u64 {
        let Some(leaf) = Leaf::of(bytes, Widths::default()) else {
            return PAGE;
        };
        let (mut commit, mut sound, mut end) = (Commit::default(), 0, 0);
        for index in 0..leaf.count() {
            let Some(place) = leaf.place(index) else {
                // Lists that go on beyond the page are no leaf's.
                if 4 + 8 * index > bytes.len() {
                    break;
                }
                continue;
            };
            let Some(key) = leaf.bytes(place.key).filter(|key| key.len() <= 24) else {
                continue;
            };
            let (start, length) = (at + place.value.start as u64, place.value.len() as u64);
            end = place.value.end as u64;
            match leaf.bytes(place.value) {
                Some(value) => {
                    commit.take(key, value);
                    sound += u64::from(self.record(key, value, start));
                }
                None if start + length > self.file.length() => {}
                None if !self.budget.take(length) => self.thorough = false,
                None => {
                    let value = self.file.read(start..start + length).unwrap_or_default();
                    sound += u64::from(self.record(key, &value, start));
                }
            }
        }
        self.keep(commit);
        // Bytes of a sound record are no pages.
        if sound == leaf.count() as u64 {
            end.next_multiple_of(PAGE)
        } else {
            PAGE
        }
    }

    /// Whether it is a sound record.
    fn record(&mut self, key: &[u8], value: &[u8], at: u64) -> bool {
        let table = sound_table(key, value);
        if let Some(table) = table {
            let (length, stamp) = (value.len() as u64, stamp_of(value));
            let age = Age::Older;
            let found = Found {
                at,
                length,
                stamp,
                age,
            };
            (self.each)(table, key, found);
        }
        table.is_some()
    }

    fn keep(&mut self, commit: Commit) {
        if commit.tables.is_empty() {
            return;
        }
        let commit = commit.numbered(self.file, &mut self.budget);
        let newer = self
            .commits
            .partition_point(|other| other.number >= commit.number);
        self.commits.insert(newer, commit);
        self.commits.truncate(MOST_COMMITS);
    }
}
