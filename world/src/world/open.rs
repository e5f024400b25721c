//! Makes worlds: in memory, and in any store.

use std::sync::Arc;

use super::World;
#[cfg(feature = "generate")]
use crate::generate::Generator;
use crate::land::ChunkSource;
use crate::material::MaterialTable;
#[cfg(feature = "generate")]
use crate::save::GeneratorMark;
use crate::save::{Contents, Header, Land, MemoryStore, SaveError, Source, Store, head};

#[cfg(feature = "generate")]
pub(super) fn check_seed(header: &Header, seed: u64) -> Result<(), SaveError> {
    match header.generator {
        Some(mark) if mark.seed == seed => Ok(()),
        mark => Err(SaveError::OtherSeed {
            found: mark.map_or(0, |mark| mark.seed),
            wanted: seed,
        }),
    }
}

#[cfg(feature = "generate")]
impl World {
    /// Generates a new world from a seed, with the chunks around the spawn loaded. Edits are kept
    /// in memory; use [`World::create_in`] to keep them in a store.
    pub fn generate(seed: u64) -> Self {
        let mut world = Self::default();
        let land = world.land_of(Some(GeneratorMark::new(seed)));
        world.begin_in_memory(land);
        world
    }

    /// Makes a new world in any store, or opens an existing one of the same seed.
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

    /// Makes the generator of a header, and returns its land.
    fn land_of(&mut self, mark: Option<GeneratorMark>) -> Option<Land> {
        let generator: Arc<Generator> = Arc::new(mark?.generator());
        self.generator = Some(generator.clone());
        let chunks = generator;
        Some(Land { chunks, mark })
    }
}

impl World {
    /// Makes a world whose unedited terrain is of the application's own; see [`crate::land`]. Edits
    /// are kept in memory; use [`World::open_with_source`] to keep them in a store.
    pub fn from_source(materials: MaterialTable, chunks: Arc<dyn ChunkSource>) -> Self {
        let mut world = Self::new(materials);
        world.begin_in_memory(Some(Land::own(chunks)));
        world
    }

    fn begin_in_memory(&mut self, land: Option<Land>) {
        let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
        let mark = land.as_ref().and_then(|land| land.mark);
        let mut contents = Contents::empty(Header::new(mark));
        self.source = Some(Source::new(store, land, &self.materials, &mut contents));
        self.load_spawn();
    }

    /// Opens a world from any store.
    pub fn open_store(store: Arc<dyn Store>) -> Result<Self, SaveError> {
        Self::open_seen(store, None, None)
    }

    /// Opens a world from any store, or makes a new one there, whose unedited terrain is of the
    /// application's own. The store holds only edited chunks: always open it with the same source.
    pub fn open_with_source(
        store: Arc<dyn Store>,
        chunks: Arc<dyn ChunkSource>,
    ) -> Result<Self, SaveError> {
        if Header::read(&*store)?.is_none() {
            store.commit(&head(None, &MaterialTable::standard()))?;
        }
        Self::open_seen(store, None, Some(chunks))
    }

    /// Opens a world, with these contents if they are still those of the store.
    pub(super) fn open_seen(
        store: Arc<dyn Store>,
        seen: Option<Contents>,
        chunks: Option<Arc<dyn ChunkSource>>,
    ) -> Result<Self, SaveError> {
        // The contents read before locking are valid if the file was not written since.
        let mut contents = match seen {
            Some(seen) if seen.is_of(&*store)? => seen,
            _ => Contents::read(&*store)?,
        };
        let mark = contents.header.generator;
        if mark.is_some() && chunks.is_some() {
            return Err(SaveError::Generated);
        }
        contents.mend(&*store)?;
        let mut world = Self::new(std::mem::take(&mut contents.materials));
        world.kept = std::mem::take(&mut contents.kept);
        let entries = std::mem::take(&mut contents.entries);
        entries
            .into_iter()
            .for_each(|entry| world.history.restore(entry));
        let mut forgotten = world.restore_objects(&mut contents);
        let land = chunks.map(Land::own);
        #[cfg(feature = "generate")]
        let land = land.or_else(|| world.land_of(mark));
        let streams = land.is_some();
        world.source = Some(Source::new(store, land, &world.materials, &mut contents));
        if !forgotten.is_empty() {
            world.note(|notebook| world.note_forgotten(&mut forgotten, notebook));
        }
        if streams {
            world.load_spawn();
        } else {
            world.load_all_saved()?;
        }
        Ok(world)
    }
}
