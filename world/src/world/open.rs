//! Makes worlds: new ones from a seed, saved ones from their store.

use std::path::Path;
use std::sync::Arc;

use super::World;
use crate::generate::Generator;
use crate::material::MaterialTable;
use crate::save::{
    Contents, DiskStore, GeneratorMark, Header, MemoryStore, SaveError, Source, Store, View,
    begin_file, head, is_empty, remove_half_created,
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

fn check_seed(header: &Header, seed: u64) -> Result<(), SaveError> {
    match header.generator {
        Some(mark) if mark.seed == seed => Ok(()),
        mark => Err(SaveError::OtherSeed {
            found: mark.map_or(0, |mark| mark.seed),
            wanted: seed,
        }),
    }
}

impl World {
    /// Generates a new world from a seed, with the chunks around the spawn loaded. Edits are kept
    /// in memory; use [`World::create`] to keep them on disk.
    pub fn generate(seed: u64) -> Self {
        let mut world = Self::default();
        let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
        let generator = Some(Arc::new(Generator::new(seed)));
        let mut contents = Contents::empty(Header::new(Some(GeneratorMark::new(seed))));
        world.source = Some(Source::new(
            store,
            generator,
            &world.materials,
            &mut contents,
        ));
        world.load_spawn();
        world
    }

    /// Opens a saved world.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, SaveError> {
        let path = path.as_ref();
        let seen = look_first(path)?;
        Self::open_seen(Arc::new(DiskStore::open(path)?), seen)
    }

    /// Opens a copy of a saved world in memory; only reads the file.
    pub fn open_copy(path: impl AsRef<Path>) -> Result<Self, SaveError> {
        let view = View::open(path.as_ref())?;
        let contents = Contents::read(&view)?;
        Self::open_seen(Arc::new(MemoryStore::copy_of(&view)?), Some(contents))
    }

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
            return Self::open_seen(Arc::new(DiskStore::open(path)?), Some(seen));
        }
        let materials = MaterialTable::standard();
        Self::open_store(begin_file(
            path,
            &head(Some(GeneratorMark::new(seed)), &materials),
        )?)
    }

    /// Creates or opens a world like [`World::create`], in any store.
    pub fn create_in(store: Arc<dyn Store>, seed: u64) -> Result<Self, SaveError> {
        if let Some((header, _)) = Header::read(&*store)? {
            check_seed(&header, seed)?;
            return Self::open_store(store);
        }
        store.commit(&head(
            Some(GeneratorMark::new(seed)),
            &MaterialTable::standard(),
        ))?;
        Self::open_store(store)
    }

    /// Opens a world from any store.
    pub fn open_store(store: Arc<dyn Store>) -> Result<Self, SaveError> {
        Self::open_seen(store, None)
    }

    fn open_seen(store: Arc<dyn Store>, seen: Option<Contents>) -> Result<Self, SaveError> {
        // The contents read before locking are valid if the file was not written since.
        let mut contents = match seen {
            Some(seen) if seen.is_of(&*store)? => seen,
            _ => Contents::read(&*store)?,
        };
        contents.mend(&*store)?;
        let mut world = Self::new(std::mem::take(&mut contents.materials));
        world.kept = std::mem::take(&mut contents.kept);
        let entries = std::mem::take(&mut contents.entries);
        entries
            .into_iter()
            .for_each(|entry| world.history.restore(entry));
        let mut forgotten = world.restore_objects(&mut contents);
        let mark = contents.header.generator;
        let generator = mark.map(|mark| Arc::new(mark.generator()));
        let generated = generator.is_some();
        world.source = Some(Source::new(
            store,
            generator,
            &world.materials,
            &mut contents,
        ));
        if !forgotten.is_empty() {
            world.note(|notebook| world.note_forgotten(&mut forgotten, notebook));
        }
        if generated {
            world.load_spawn();
        } else {
            world.load_all_saved()?;
        }
        Ok(world)
    }
}
