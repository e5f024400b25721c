//! The tables of one commit.

use std::collections::BTreeMap;

use super::super::contents::{PROGRESS_KEY, Progress};
use super::super::store::Table;
use super::{Budget, PageFile, Root, Step, TableEntry, Walk};

/// Budget of a walk, as a multiple of the file's length. A sound tree contains every page once.
const WALK: u64 = 2;

/// The tables of one commit.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct Commit {
    pub(in super::super) tables: BTreeMap<Table, TableEntry>,
    /// Number of the commit, if it was looked up and can be read.
    pub(in super::super) number: Option<u64>,
}

/// Returns the budget of one walk.
pub(in super::super) fn walking(file: &PageFile) -> Budget {
    Budget::of(file, WALK)
}

impl Commit {
    /// Adds a table from a record of the tree of tables.
    pub(in super::super) fn take(&mut self, name: &[u8], entry: &[u8]) {
        let table = Table::ALL
            .into_iter()
            .find(|table| table.name().as_bytes() == name);
        if let (Some(table), Some(entry)) = (table, TableEntry::decode(entry)) {
            self.tables.insert(table, entry);
        }
    }

    /// Reads the tables from a commit slot's tree; `None` if it is damaged.
    pub(in super::super) fn of_root(file: &PageFile, root: &Root) -> Option<Self> {
        let (mut commit, mut whole) = (Self::default(), true);
        Walk {
            file,
            widths: Default::default(),
            budget: &mut walking(file),
            wanted: &|_| true,
            each: &mut |step| match step {
                Step::Record(name, entry, _) => commit.take(name, entry),
                Step::Hole(..) => whole = false,
            },
        }
        .run(root);
        whole.then_some(commit)
    }

    /// Looks up the number of the commit.
    pub(in super::super) fn numbered(mut self, file: &PageFile, budget: &mut Budget) -> Self {
        let header = self.tables.get(&Table::Header);
        let Some((entry, root)) = header.and_then(|entry| Some((entry, entry.root?))) else {
            return self;
        };
        let mut number = None;
        Walk {
            file,
            widths: entry.widths,
            budget,
            wanted: &|span| span.contains(PROGRESS_KEY),
            each: &mut |step| {
                if let Step::Record(PROGRESS_KEY, sealed, _) = step {
                    number = Progress::decode(sealed)
                        .ok()
                        .map(|progress| progress.commits);
                }
            },
        }
        .run(&root);
        self.number = number;
        self
    }
}

/// Returns true if all of redb's own tables are sound; redb relies on them.
pub(super) fn is_system_sound(file: &PageFile, root: &Root) -> bool {
    let (mut sound, mut budget) = (true, walking(file));
    let mut entries = Vec::new();
    Walk {
        file,
        widths: Default::default(),
        budget: &mut budget,
        wanted: &|_| true,
        each: &mut |step| match step {
            Step::Record(_, entry, _) => entries.extend(TableEntry::decode(entry)),
            Step::Hole(..) => sound = false,
        },
    }
    .run(root);
    for entry in &entries {
        if let Some(root) = &entry.root {
            Walk {
                file,
                widths: entry.widths,
                budget: &mut budget,
                wanted: &|_| true,
                each: &mut |step| sound &= matches!(step, Step::Record(..)),
            }
            .run(root);
        }
    }
    sound
}
