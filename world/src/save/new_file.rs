//! Begins the file of a new world.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::disk::DiskStore;
use super::error::{SaveError, StoreError};
use super::header::Header;
use super::store::{Store, StoreChange, Table};
use crate::files::keep_name;

/// Returns true if there is no file, or an empty one. A pipe or a device has no length and is
/// neither.
pub(crate) fn is_empty(path: &Path) -> bool {
    path.metadata()
        .map_or(true, |data| data.is_file() && data.len() == 0)
}

/// Makes a file and writes the first records of a world. On failure the file is removed: it would
/// block its own path.
pub(crate) fn begin_file(
    path: &Path,
    changes: &[StoreChange],
) -> Result<Arc<dyn Store>, SaveError> {
    // A dangling link is kept.
    let is_new = path.symlink_metadata().is_err();
    let empty = is_new || path.is_file() && is_empty(path);
    let discard = |error: StoreError| {
        let others = matches!(error, StoreError::InUse(_) | StoreError::ReadOnly(_));
        if empty && !others {
            // If it cannot be removed, it is later recognised as hardly begun.
            let _ = std::fs::remove_file(path);
        }
        SaveError::from(error)
    };
    let store = DiskStore::create(path).map_err(discard)?;
    // Another program may have been faster.
    if Header::read(&store)?.is_some() {
        return Err(SaveError::Exists(path.to_owned()));
    }
    if let Err(error) = store.commit(changes) {
        drop(store);
        return Err(discard(error));
    }
    keep_name(path);
    Ok(Arc::new(store))
}

/// A file that the first commit makes: making one takes some 20 ms, which a tick cannot wait for.
pub(crate) struct LaterFile {
    path: PathBuf,
    made: Mutex<Option<Arc<dyn Store>>>,
}

impl LaterFile {
    pub(crate) fn at(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            made: Mutex::new(None),
        }
    }

    fn store(&self) -> Option<Arc<dyn Store>> {
        let made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        made.clone()
    }
}

impl Store for LaterFile {
    fn get(&self, table: Table, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        self.store().map_or(Ok(None), |store| store.get(table, key))
    }

    fn visit(&self, table: Table, visit: &mut dyn FnMut(&[u8], &[u8])) -> Result<(), StoreError> {
        let store = self.store();
        store.map_or(Ok(()), |store| store.visit(table, visit))
    }

    fn commit(&self, changes: &[StoreChange]) -> Result<(), StoreError> {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if made.is_none() {
            let begun = begin_file(&self.path, &[]);
            *made = Some(begun.map_err(|error| match error {
                SaveError::Store(error) => error,
                other => StoreError::Io(other.to_string()),
            })?);
        }
        made.as_ref().map_or(Ok(()), |store| store.commit(changes))
    }
}
