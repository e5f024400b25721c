//! The store on disk: one `redb` file.
//!
//! Commits are durable when they return. After a failed commit the file is reopened, so that a
//! temporarily full disk does no lasting harm. The file is unlocked for that moment: if another
//! program wrote to it then, it is not overwritten.

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::ErrorKind;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockWriteGuard};

use redb::{
    Database, DatabaseError, ReadableDatabase, ReadableTable, ReadableTableMetadata,
    TableDefinition, TableError,
};

use super::contents::PROGRESS_KEY;
use super::error::StoreError;
use super::store::{Store, StoreChange, Table};
use crate::files::is_no_file;

/// Size of redb's page cache, in bytes.
const CACHE: usize = 32 << 20;

/// The access of redb to a file; tests put a disk under it that can fail.
#[cfg(not(test))]
pub(super) type Backend = redb::backends::FileBackend;
#[cfg(test)]
pub(super) use super::failing_disk::{Backend, backend};

#[cfg(not(test))]
pub(super) fn backend(_: &Path, file: std::fs::File) -> Result<Backend, DatabaseError> {
    Backend::new(file)
}

type Definition = TableDefinition<'static, &'static [u8], &'static [u8]>;

fn definition(table: Table) -> Definition {
    TableDefinition::new(table.name())
}

/// A world file.
pub struct DiskStore {
    path: PathBuf,
    /// `None` while it cannot be reopened.
    database: RwLock<Option<Database>>,
    known: Mutex<Known>,
}

/// Identifies a file that was closed for a moment.
#[derive(Default)]
struct Known {
    /// The progress record of the last commit.
    progress: Option<Vec<u8>>,
    /// The changes of a failed commit, which may be in the file all the same.
    failed: Vec<StoreChange>,
    /// True if another program wrote to the file.
    foreign: bool,
}

impl Known {
    /// Remembers the progress record of a commit.
    fn learn(&mut self, changes: &[StoreChange]) {
        let of_progress =
            |change: &&StoreChange| change.table == Table::Header && change.key == PROGRESS_KEY;
        if let Some(change) = changes.iter().rfind(of_progress) {
            self.progress.clone_from(&change.value);
        }
    }

    /// Checks that a reopened file is in the state before or after the failed commit.
    fn meet(&mut self, database: &Database) -> Result<(), redb::Error> {
        let found = get(database, Table::Header, PROGRESS_KEY)?;
        self.foreign |= found != self.progress && !self.is_made(database)?;
        self.progress = found;
        self.failed.clear();
        Ok(())
    }

    /// Returns true if the failed commit is in the file.
    fn is_made(&self, database: &Database) -> Result<bool, redb::Error> {
        // Of two changes of one record the later counts.
        let last: BTreeMap<_, _> = self
            .failed
            .iter()
            .map(|change| ((change.table, &change.key), &change.value))
            .collect();
        for ((table, key), value) in &last {
            if get(database, *table, key)? != **value {
                return Ok(false);
            }
        }
        Ok(!last.is_empty())
    }
}

impl DiskStore {
    /// Opens an existing world file.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        Self::start(path.as_ref(), open(path.as_ref())?)
    }

    /// Opens a world file, or makes an empty one.
    pub fn create(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        let path = path.as_ref();
        refuse_others(path)?;
        let mut options = OpenOptions::new();
        let options = options.read(true).write(true).create(true).truncate(false);
        let database = guard(|| start(path, options));
        let database = database.map_err(|error| match error {
            StoreError::NotFound(path) => StoreError::NoFolder(path),
            other => other,
        })?;
        Self::start(path, database)
    }

    fn start(path: &Path, database: Database) -> Result<Self, StoreError> {
        // Without this record a reopened file is not recognised, and not written to.
        let progress = guard(|| Ok(get(&database, Table::Header, PROGRESS_KEY)));
        let progress = progress?.unwrap_or_default();
        let known = Known {
            progress,
            ..Known::default()
        };
        Ok(Self {
            path: path.to_owned(),
            database: RwLock::new(Some(database)),
            known: Mutex::new(known),
        })
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn locked(&self) -> RwLockWriteGuard<'_, Option<Database>> {
        let place = self.database.write();
        place.unwrap_or_else(PoisonError::into_inner)
    }

    fn reopen(&self, place: &mut Option<Database>) -> Result<(), StoreError> {
        if place.is_none() {
            let database = open(&self.path)?;
            let meet = || self.known().meet(&database);
            guard(|| meet().map_err(|error| redb_error(&self.path, &error)))?;
            *place = Some(database);
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
            self.reopen(&mut self.locked())?;
            place = self.database.read().unwrap_or_else(PoisonError::into_inner);
        }
        let Some(database) = place.as_ref() else {
            return Err(StoreError::Io("the file was closed".to_owned()));
        };
        guard(|| act(database).map_err(|error| redb_error(&self.path, &error)))
    }

    /// Reopens the file after a failed commit, still holding the lock on this store.
    fn recover(&self, changes: &[StoreChange]) {
        let mut place = self.locked();
        if place.is_some() {
            self.known().failed = changes.to_vec();
        }
        close(&mut place);
        // A failure here is retried at the next call.
        let _ = self.reopen(&mut place);
    }
}

fn open(path: &Path) -> Result<Database, StoreError> {
    refuse_others(path)?;
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
    guard(|| start(path, OpenOptions::new().read(true).write(true)))
}

fn start(path: &Path, options: &OpenOptions) -> Result<Database, StoreError> {
    let file = options.open(path).map_err(|error| io_error(path, &error))?;
    let database = backend(path, file).and_then(|backend| {
        let mut builder = redb::Builder::new();
        builder.set_cache_size(CACHE).create_with_backend(backend)
    });
    database.map_err(|error| database_error(path, error))
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
            if self.known().foreign {
                return Ok(false);
            }
            let mut write = database.begin_write()?;
            // A world that was killed then opens at once, however large it is.
            write.set_quick_repair(true);
            // The first commit makes all tables: a table missing later is damage.
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
            Ok(true)
        });
        match result {
            Ok(true) => {
                self.known().learn(changes);
                Ok(())
            }
            Ok(false) => Err(StoreError::Foreign(self.path.clone())),
            Err(error) => {
                self.recover(changes);
                Err(error)
            }
        }
    }

    fn count(&self, table: Table) -> Result<Option<u64>, StoreError> {
        self.with(|database| count(database, table))
    }
}

impl Drop for DiskStore {
    fn drop(&mut self) {
        close(&mut self.locked());
    }
}

fn close(database: &mut Option<Database>) {
    let open = database.take();
    // Closing tidies up the file; a damaged one stays unchanged.
    let _ = guard(|| {
        drop(open);
        Ok(())
    });
}

/// Converts a panic into an error. redb panics on malformed pages; the checks before opening should
/// find them all, the rest counts as damage.
fn guard<T>(act: impl FnOnce() -> Result<T, StoreError>) -> Result<T, StoreError> {
    catch_unwind(AssertUnwindSafe(act)).unwrap_or_else(|_| {
        #[cfg(test)]
        CAUGHT.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        Err(StoreError::Damaged("its pages make no sense".to_owned()))
    })
}

/// Panics of redb caught in all tests of this process.
#[cfg(test)]
pub(super) static CAUGHT: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);

/// Refuses paths to other things than files: opening them could block, or replace them.
pub(super) fn refuse_others(path: &Path) -> Result<(), StoreError> {
    match is_no_file(path) {
        true => Err(StoreError::NotAFile(path.to_owned())),
        false => Ok(()),
    }
}

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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::super::tests::Scratch;
    use super::*;

    fn change(table: Table, key: &[u8], value: Option<&[u8]>) -> StoreChange {
        StoreChange {
            table,
            key: key.to_vec(),
            value: value.map(<[u8]>::to_vec),
        }
    }

    #[test]
    fn a_file_is_known_by_what_was_written_even_if_that_was_said_to_have_failed() {
        let file = Scratch::new("known");
        let store = DiskStore::create(&file.0).unwrap();
        let changes = [
            change(Table::Chunks, b"chunk", None),
            change(Table::Chunks, b"chunk", Some(b"new")),
            change(Table::Header, PROGRESS_KEY, Some(b"2")),
        ];
        store.commit(&changes).unwrap();
        let database = store.database.read().unwrap();
        let foreign = |progress: &[u8], failed: &[StoreChange]| {
            let mut known = Known {
                progress: Some(progress.to_vec()),
                failed: failed.to_vec(),
                foreign: false,
            };
            known.meet(database.as_ref().unwrap()).unwrap();
            known.foreign
        };
        assert!(!foreign(b"2", &[]), "as it was left");
        assert!(!foreign(b"1", &changes), "the commit got through");
        assert!(foreign(b"1", &[]));
        let others = change(Table::Chunks, b"chunk", Some(b"old"));
        assert!(foreign(b"1", &[others, changes[2].clone()]));
    }
}
