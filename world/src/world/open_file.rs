//! Opens and makes worlds in files.

use std::path::Path;
use std::sync::Arc;

use super::World;
use crate::save::{Contents, DiskStore, MemoryStore, SaveError, View};
#[cfg(feature = "generate")]
use crate::{
    material::MaterialTable,
    save::{GeneratorMark, Header, begin_file, head, is_empty, remove_half_created},
    world::open::check_seed,
};

/// Reads a file without writing, so that a file that is then refused stays unchanged. Returns
/// `None` if nothing was ever written to it.
pub(crate) fn look_first(path: &Path) -> Result<Option<Contents>, SaveError> {
    let view = View::open(path)?;
    if view.is_blank() {
        return Ok(None);
    }
    let contents = Contents::read(&view)?;
    Ok(Some(contents))
}

impl World {
    /// Opens a saved world.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, SaveError> {
        let path = path.as_ref();
        let seen = look_first(path)?;
        Self::open_seen(Arc::new(DiskStore::open(path)?), seen, None)
    }

    /// Opens a copy of a saved world in memory; only reads the file.
    pub fn open_copy(path: impl AsRef<Path>) -> Result<Self, SaveError> {
        let view = View::open(path.as_ref())?;
        let contents = Contents::read(&view)?;
        Self::open_seen(Arc::new(MemoryStore::copy_of(&view)?), Some(contents), None)
    }
}

#[cfg(feature = "generate")]
impl World {
    /// Makes a new world on disk, or opens an existing one of the same seed.
    pub fn create(path: impl AsRef<Path>, seed: u64) -> Result<Self, SaveError> {
        Self::open_or_begin(path.as_ref(), seed, |header| check_seed(header, seed))
    }

    /// Opens an existing world of any seed, or makes a new one from this seed.
    pub fn open_or_create(path: impl AsRef<Path>, seed: u64) -> Result<Self, SaveError> {
        Self::open_or_begin(path.as_ref(), seed, |_| Ok(()))
    }

    fn open_or_begin(
        path: &Path,
        seed: u64,
        check: impl FnOnce(&Header) -> Result<(), SaveError>,
    ) -> Result<Self, SaveError> {
        if !is_empty(path) {
            remove_half_created(path)?;
        }
        if !is_empty(path)
            && let Some(seen) = look_first(path)?
        {
            check(&seen.header)?;
            return Self::open_seen(Arc::new(DiskStore::open(path)?), Some(seen), None);
        }
        let materials = MaterialTable::standard();
        Self::open_store(begin_file(
            path,
            &head(Some(GeneratorMark::new(seed)), &materials),
        )?)
    }
}
