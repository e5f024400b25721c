//! Storage of bytes: a small trait, and a store in memory.
//!
//! A store knows nothing of chunks or formats. It has one obligation: a commit happens completely
//! or not at all.

use std::collections::BTreeMap;
use std::sync::{PoisonError, RwLock};

use super::error::StoreError;

/// The tables of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Table {
    /// Format, seed, materials.
    Header,
    /// Chunks that differ from the generator.
    Chunks,
    /// Undo history, by sequence number.
    History,
    /// Damaged records, set aside for inspection.
    Quarantine,
    /// Free objects: place, size and voxel size.
    Objects,
    /// Chunks of free objects.
    ObjectChunks,
    /// A second copy of the header, in case one is damaged.
    Spare,
}

impl Table {
    /// All tables.
    pub const ALL: [Self; 7] = [
        Self::Header,
        Self::Chunks,
        Self::History,
        Self::Quarantine,
        Self::Objects,
        Self::ObjectChunks,
        Self::Spare,
    ];

    /// Returns the format from which on the table always exists, so that its absence is damage. Up
    /// to format 2 a table existed only once it held something.
    pub(super) fn since(self) -> u32 {
        match self {
            Self::Header | Self::Chunks | Self::History | Self::Quarantine => 3,
            Self::Objects | Self::ObjectChunks | Self::Spare => 4,
        }
    }

    /// Returns the name of the table in stores with named tables.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Header => "header",
            Self::Chunks => "chunks",
            Self::History => "history",
            Self::Quarantine => "quarantine",
            Self::Objects => "objects",
            Self::ObjectChunks => "object chunks",
            Self::Spare => "spare",
        }
    }
}

/// One change of a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreChange {
    /// The table.
    pub table: Table,
    /// The key of the record.
    pub key: Vec<u8>,
    /// The new bytes, or `None` to remove the record.
    pub value: Option<Vec<u8>>,
}

/// Keeps records of bytes in tables. Reads during a commit see the state before or after it.
pub trait Store: Send + Sync {
    /// Returns the record with this key.
    fn get(&self, table: Table, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError>;

    /// Visits all records of a table in order of key.
    fn visit(&self, table: Table, visit: &mut dyn FnMut(&[u8], &[u8])) -> Result<(), StoreError>;

    /// Makes all changes, or none if an error is returned or the process dies.
    fn commit(&self, changes: &[StoreChange]) -> Result<(), StoreError>;

    /// Returns the number of records of a table by the store's own count; `None` if the table is
    /// missing.
    fn count(&self, table: Table) -> Result<Option<u64>, StoreError> {
        let mut count = 0;
        self.visit(table, &mut |_, _| count += 1)?;
        Ok(Some(count))
    }
}

type Records = BTreeMap<(Table, Vec<u8>), Vec<u8>>;

/// A store in memory, lost with the process.
#[derive(Debug, Default)]
pub struct MemoryStore {
    records: RwLock<Records>,
}

#[cfg(feature = "save")]
impl MemoryStore {
    /// Copies all records that another store shows.
    pub(crate) fn copy_of(store: &dyn Store) -> Result<Self, StoreError> {
        let mut records = Records::new();
        for table in Table::ALL {
            store.visit(table, &mut |key, value| {
                records.insert((table, key.to_vec()), value.to_vec());
            })?;
        }
        let records = RwLock::new(records);
        Ok(Self { records })
    }
}

impl Store for MemoryStore {
    fn get(&self, table: Table, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        let records = self.records.read().unwrap_or_else(PoisonError::into_inner);
        Ok(records.get(&(table, key.to_vec())).cloned())
    }

    fn visit(&self, table: Table, visit: &mut dyn FnMut(&[u8], &[u8])) -> Result<(), StoreError> {
        let records = self.records.read().unwrap_or_else(PoisonError::into_inner);
        for ((of, key), value) in records.range((table, Vec::new())..) {
            if *of != table {
                break;
            }
            visit(key, value);
        }
        Ok(())
    }

    fn commit(&self, changes: &[StoreChange]) -> Result<(), StoreError> {
        let mut records = self.records.write().unwrap_or_else(PoisonError::into_inner);
        for change in changes {
            let place = (change.table, change.key.clone());
            match &change.value {
                Some(value) => records.insert(place, value.clone()),
                None => records.remove(&place),
            };
        }
        Ok(())
    }
}
