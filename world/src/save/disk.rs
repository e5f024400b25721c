//! The store on disk: one `redb` file.
//!
//! Commits are durable when they return. A failed commit closes the file; the next call opens it again, so that a disk
//! that was full for a while does no lasting harm.

use std::io::ErrorKind;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{PoisonError, RwLock};

use redb::{
    Database, DatabaseError, ReadableDatabase, ReadableTable, ReadableTableMetadata,
    TableDefinition, TableError,
};

use super::error::StoreError;
use super::store::{Store, StoreChange, Table};

/// Memory that redb may use to hold pages, bytes.
const CACHE: usize = 32 << 20;

type Definition = TableDefinition<'static, &'static [u8], &'static [u8]>;

fn definition(table: Table) -> Definition {
    TableDefinition::new(table.name())
}

/// A world file.
pub struct DiskStore {
    path: PathBuf,
    database: RwLock<Option<Database>>,
}

impl DiskStore {
    /// Opens a world file that must be there.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        let path = path.as_ref();
        match path.metadata() {
            Ok(data) if data.len() == 0 => {
                return Err(StoreError::Damaged("it is empty".to_owned()));
            }
            Ok(data) if data.permissions().readonly() => {
                return Err(StoreError::ReadOnly(path.to_owned()));
            }
            Ok(_) => {}
            Err(error) => return Err(io_error(path, &error)),
        }
        Self::start(path, |path| {
            redb::Builder::new().set_cache_size(CACHE).open(path)
        })
    }

    /// Opens a world file, or makes an empty one.
    pub fn create(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        Self::start(path.as_ref(), |path| {
            redb::Builder::new().set_cache_size(CACHE).create(path)
        })
    }

    fn start(
        path: &Path,
        open: impl FnOnce(&Path) -> Result<Database, DatabaseError>,
    ) -> Result<Self, StoreError> {
        let database = guard(|| open(path).map_err(|error| database_error(path, error)))?;
        Ok(Self {
            path: path.to_owned(),
            database: RwLock::new(Some(database)),
        })
    }

    fn reopen(&self) -> Result<(), StoreError> {
        let mut place = self
            .database
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        if place.is_none() {
            let again = Self::open(&self.path)?;
            *place = again
                .database
                .write()
                .unwrap_or_else(PoisonError::into_inner)
                .take();
        }
        Ok(())
    }

    fn with<T>(
        &self,
        act: impl FnOnce(&Database) -> Result<T, redb::Error>,
    ) -> Result<T, StoreError> {
        let mut place = self.database.read().unwrap_or_else(PoisonError::into_inner);
        if place.is_none() {
            drop(place);
            self.reopen()?;
            place = self.database.read().unwrap_or_else(PoisonError::into_inner);
        }
        let Some(database) = place.as_ref() else {
            return Err(StoreError::Io("the file was closed".to_owned()));
        };
        guard(|| act(database).map_err(|error| redb_error(&self.path, &error)))
    }
}

fn get(
    database: &impl ReadableDatabase,
    table: Table,
    key: &[u8],
) -> Result<Option<Vec<u8>>, redb::Error> {
    let read = database.begin_read()?;
    let table = match read.open_table(definition(table)) {
        Err(TableError::TableDoesNotExist(_)) => return Ok(None),
        other => other?,
    };
    Ok(table.get(key)?.map(|value| value.value().to_vec()))
}

fn visit(
    database: &impl ReadableDatabase,
    table: Table,
    visit: &mut dyn FnMut(&[u8], &[u8]),
) -> Result<(), redb::Error> {
    let read = database.begin_read()?;
    let table = match read.open_table(definition(table)) {
        Err(TableError::TableDoesNotExist(_)) => return Ok(()),
        other => other?,
    };
    for entry in table.iter()? {
        let (key, value) = entry?;
        visit(key.value(), value.value());
    }
    Ok(())
}

fn count(database: &impl ReadableDatabase, table: Table) -> Result<Option<u64>, redb::Error> {
    let read = database.begin_read()?;
    match read.open_table(definition(table)) {
        Err(TableError::TableDoesNotExist(_)) => Ok(None),
        other => Ok(Some(other?.len()?)),
    }
}

impl Store for DiskStore {
    fn get(&self, table: Table, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        self.with(|database| get(database, table, key))
    }

    fn visit(&self, table: Table, each: &mut dyn FnMut(&[u8], &[u8])) -> Result<(), StoreError> {
        self.with(|database| visit(database, table, each))
    }

    fn commit(&self, changes: &[StoreChange]) -> Result<(), StoreError> {
        let result = self.with(|database| {
            let mut write = database.begin_write()?;
            // A world that was killed opens at once, however large it is.
            write.set_quick_repair(true);
            // Every table is made with the first commit: one that is not there later is damage.
            for kind in Table::ALL {
                let mut table = write.open_table(definition(kind))?;
                for change in changes.iter().filter(|change| change.table == kind) {
                    match &change.value {
                        Some(value) => drop(table.insert(&change.key[..], &value[..])?),
                        None => drop(table.remove(&change.key[..])?),
                    }
                }
            }
            write.commit()?;
            Ok(())
        });
        if result.is_err() {
            *self
                .database
                .write()
                .unwrap_or_else(PoisonError::into_inner) = None;
        }
        result
    }

    fn count(&self, table: Table) -> Result<Option<u64>, StoreError> {
        self.with(|database| count(database, table))
    }
}

impl Drop for DiskStore {
    fn drop(&mut self) {
        close(&self.database);
    }
}

fn close(database: &RwLock<Option<Database>>) {
    let open = database
        .write()
        .unwrap_or_else(PoisonError::into_inner)
        .take();
    // Closing tidies the file up; one that is damaged stays as it is.
    let _ = guard(|| {
        drop(open);
        Ok(())
    });
}

/// redb panics on pages that make no sense. What is looked at before it opens a file keeps such from it; should one come
/// through, it is damage like any other.
fn guard<T>(act: impl FnOnce() -> Result<T, StoreError>) -> Result<T, StoreError> {
    catch_unwind(AssertUnwindSafe(act)).unwrap_or_else(|_| {
        #[cfg(test)]
        CAUGHT.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        Err(StoreError::Damaged("its pages make no sense".to_owned()))
    })
}

/// Panics of redb in all tests of this process.
#[cfg(test)]
pub(super) static CAUGHT: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);

pub(super) fn io_error(path: &Path, error: &std::io::Error) -> StoreError {
    match error.kind() {
        ErrorKind::NotFound => StoreError::NotFound(path.to_owned()),
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
            StoreError::ReadOnly(path.to_owned())
        }
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => {
            StoreError::Full
        }
        ErrorKind::InvalidData | ErrorKind::UnexpectedEof => StoreError::Damaged(error.to_string()),
        _ => StoreError::Io(error.to_string()),
    }
}

fn database_error(path: &Path, error: DatabaseError) -> StoreError {
    match error {
        DatabaseError::UpgradeRequired(_) => StoreError::Damaged("it is of an old kind".to_owned()),
        other => redb_error(path, &other.into()),
    }
}

fn redb_error(path: &Path, error: &redb::Error) -> StoreError {
    match error {
        redb::Error::DatabaseAlreadyOpen => StoreError::InUse(path.to_owned()),
        redb::Error::Io(error) => io_error(path, error),
        redb::Error::Corrupted(what) => StoreError::Damaged(what.clone()),
        redb::Error::TableTypeMismatch { .. } => {
            StoreError::Damaged("its tables are not a world's".to_owned())
        }
        other => StoreError::Io(other.to_string()),
    }
}
