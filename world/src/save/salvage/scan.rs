//! Searches all pages of a file for records and trees of tables, whether or not anything links to
//! them.

use super::super::bytes::{is_sound, stamp_of};
use super::super::codec::decode_shape;
use super::super::contents::PROGRESS_KEY;
use super::super::header::{HEADER_KEY, Header, MATERIALS_KEY};
use super::super::pages::{Budget, Commit, Leaf, PAGE, PageFile, Widths};
use super::super::store::Table;
use super::gather::{Age, Found};

/// Budget of the scan, as a multiple of the file's length.
const TIMES: u64 = 16;
/// Largest number of commits whose tables are kept.
const MOST_COMMITS: usize = 8;

/// The result of a scan, besides records.
pub(super) struct Scanned {
    /// Commits found, newest first.
    pub(super) commits: Vec<Commit>,
    /// True if the budget sufficed.
    pub(super) thorough: bool,
}

/// Returns the table of a sound record, which follows from the form of its key and contents.
fn table_of(key: &[u8], sealed: &[u8]) -> Option<Table> {
    match (key, key.len()) {
        (PROGRESS_KEY | MATERIALS_KEY, _) => Some(Table::Header),
        (_, 12) => Some(Table::Chunks),
        (_, 20) => Some(Table::ObjectChunks),
        // Keys of edits and objects look alike, but an object has a length and limits that no edit
        // meets.
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

/// Scans a file. Calls `each` with every sound record, however old.
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
    /// Scans a page; returns the distance to the next one.
    fn page(&mut self, at: u64, bytes: &[u8]) -> u64 {
        let Some(leaf) = Leaf::of(bytes, Widths::default()) else {
            return PAGE;
        };
        let (mut commit, mut sound, mut end) = (Commit::default(), 0, 0);
        for index in 0..leaf.count() {
            let Some(place) = leaf.place(index) else {
                // Lists longer than the page do not belong to a leaf.
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
        // Skip the bytes of sound records: they contain no pages.
        if sound == leaf.count() as u64 {
            end.next_multiple_of(PAGE)
        } else {
            PAGE
        }
    }

    /// Offers a record to `each`; returns false if it is not sound.
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
