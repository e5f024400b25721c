//! Loads a world from a generator and a store, and saves changes to the store.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use rayon::prelude::*;

use super::codec::MaterialNames;
use super::contents::Contents;
use super::damage::Part;
use super::disk::DiskStore;
use super::error::{SaveError, StoreError};
use super::header::{FORMAT, Header, materials_changes};
use super::kept_terrain::KeptTerrain;
use super::objects::Noted;
use super::pages::{View, remove_half_created};
use super::saver::{Notebook, Origin, SaveStatus, Saver, Touched};
use super::store::{MemoryStore, Store, StoreChange};
use crate::chunk::{Brick, Voxels};
use crate::generate::{Generator, Spawn};
use crate::history::{Forgotten, History};
use crate::kd_tree::CellBox;
use crate::material::MaterialTable;
use crate::object::Keeping;
use crate::stream::Streamer;
use crate::world::{BrickId, BrickPlace, ChunkPosition, Owner, World, WriteReport, chunk_of};
use collision::Cell;

/// Largest number of chunks that one call may load.
const MOST_CHUNKS: i64 = 64 << 10;
/// Distance around the spawn within which a new world is loaded, in cells.
const FIRST_VIEW: i32 = 72;

/// Reasons for failing to load chunks.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LoadError {
    /// The box contains too many chunks.
    #[error("{0} chunks are too many at once: load at most {MOST_CHUNKS}, or stream them")]
    TooMany(i64),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Drop for World {
    /// Passes on new materials, which may not be queued yet; dropping the saver writes the rest.
    fn drop(&mut self) {
        self.note(|_| {});
    }
}

/// The purpose of a copy of a world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Copying {
    /// The world continues in the copy.
    ToGoOnWith,
    /// The copy is a backup.
    ToKeep,
}

/// The source of chunks: the store for edited ones, else the generator. Cheap to clone, for loading
/// threads.
#[derive(Clone)]
pub(crate) struct Source {
    pub(crate) generator: Option<Arc<Generator>>,
    pub(super) saver: Arc<Saver>,
}

impl Source {
    /// Returns the saved voxels of a chunk, if it was edited.
    pub(crate) fn saved(&self, chunk: ChunkPosition) -> Result<Option<Voxels>, StoreError> {
        self.saver.read(chunk)
    }

    /// Returns the rows of a column that were ever edited.
    pub(crate) fn edited_rows(&self, x: i32, z: i32) -> Vec<i32> {
        self.saver.edited_rows(x, z)
    }

    fn voxels(&self, chunk: ChunkPosition) -> Result<Option<Voxels>, StoreError> {
        let saved = self.saved(chunk)?;
        Ok(saved.or_else(|| {
            self.generator
                .as_ref()
                .map(|generator| generator.voxels(chunk))
        }))
    }
}

/// The history of a world, and its storage.
#[derive(Default)]
pub(crate) struct Archive {
    // Declared before the source, so that jobs end before the store is closed.
    pub(crate) streamer: Option<Box<Streamer>>,
    pub(crate) source: Option<Source>,
    pub(crate) history: History,
    pub(crate) report: WriteReport,
    pub(crate) forgotten: Forgotten,
    /// Bytes kept for the application, by name.
    pub(crate) kept: BTreeMap<String, Vec<u8>>,
}

/// Reads a file without writing, so that a file that is then refused stays unchanged. Returns
/// `None` if nothing was ever written to it.
pub(super) fn look_first(path: &Path) -> Result<Option<Contents>, SaveError> {
    let view = View::open(path)?;
    if view.is_blank() {
        return Ok(None);
    }
    let contents = Contents::read(&view)?;
    Ok(Some(contents))
}

/// Returns true if there is no file, or an empty one. A pipe or a device has no length and is
/// neither.
fn is_empty(path: &Path) -> bool {
    path.metadata()
        .map_or(true, |data| data.is_file() && data.len() == 0)
}

/// Returns the chunks that intersect a box of cells.
fn chunks_in(cells: &CellBox) -> Result<Vec<ChunkPosition>, LoadError> {
    let (low, high) = (chunk_of(cells.min), chunk_of(cells.max));
    let sides = (high - low).map(|side| i64::from(side) + 1);
    let count = sides
        .iter()
        .fold(1i64, |count, &side| count.saturating_mul(side));
    if sides.iter().any(|&side| side <= 0) {
        return Ok(Vec::new());
    }
    if count > MOST_CHUNKS {
        return Err(LoadError::TooMany(count));
    }
    let mut chunks = Vec::new();
    for z in low.z..=high.z {
        for x in low.x..=high.x {
            chunks.extend((low.y..=high.y).map(|y| ChunkPosition::new(x, y, z)));
        }
    }
    Ok(chunks)
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

/// Returns the records of a new world's header. A file without them does not count as a world.
fn head(seed: Option<u64>, materials: &MaterialTable) -> Vec<StoreChange> {
    let mut changes = Header::new(seed).changes().to_vec();
    changes.extend(materials_changes(materials));
    changes
}

/// Makes a file and writes the first records of a world. On failure the file is removed: it would
/// block its own path.
fn begin_file(path: &Path, changes: &[StoreChange]) -> Result<Arc<dyn Store>, SaveError> {
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
    Ok(Arc::new(store))
}

impl Contents {
    /// Upgrades a store of an older format, and rewrites a damaged header.
    fn mend(&mut self, store: &dyn Store) -> Result<(), StoreError> {
        let blamed = self.bad.iter().any(|bad| bad.damage.part == Part::Header);
        if self.header.format < FORMAT || blamed {
            self.header.format = FORMAT;
            let mut changes = self.header.changes().to_vec();
            changes.extend(materials_changes(&self.materials));
            changes.push(self.progress.change());
            store.commit(&changes)?;
        }
        Ok(())
    }
}

impl World {
    /// Generates a new world from a seed, with the chunks around the spawn loaded. Edits are kept
    /// in memory; use [`World::create`] to keep them on disk.
    pub fn generate(seed: u64) -> Self {
        let mut world = Self::default();
        let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
        let generator = Some(Arc::new(Generator::new(seed)));
        world.attach(store, generator, Contents::empty(Header::new(Some(seed))));
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
        Self::open_store(begin_file(path, &head(Some(seed), &materials))?)
    }

    /// Creates or opens a world like [`World::create`], in any store.
    pub fn create_in(store: Arc<dyn Store>, seed: u64) -> Result<Self, SaveError> {
        if let Some((header, _)) = Header::read(&*store)? {
            check_seed(&header, seed)?;
            return Self::open_store(store);
        }
        store.commit(&head(Some(seed), &MaterialTable::standard()))?;
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
        world.archive.kept = std::mem::take(&mut contents.kept);
        let entries = std::mem::take(&mut contents.entries);
        entries
            .into_iter()
            .for_each(|entry| world.archive.history.restore(entry));
        let mut forgotten = world.restore_objects(&mut contents);
        let mark = contents.header.generator;
        let generator = mark.map(|mark| Arc::new(Generator::new(mark.seed)));
        let generated = generator.is_some();
        world.attach(store, generator, contents);
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

    /// Saves the whole world, loaded or not, to a new file, and continues to save there. Changes
    /// nothing if the file cannot be begun.
    pub fn save_as(&mut self, path: impl AsRef<Path>) -> Result<(), SaveError> {
        self.begin_save_as(path)?;
        self.flush()
    }

    /// Saves like [`World::save_as`], but writes loaded chunks in the background:
    /// [`World::save_status`] shows the progress.
    pub fn begin_save_as(&mut self, path: impl AsRef<Path>) -> Result<(), SaveError> {
        let copy = self.copy_to(path.as_ref(), Copying::ToGoOnWith)?;
        self.archive.source = Some(copy);
        Ok(())
    }

    /// Writes the whole present world with its history to a new file, and continues to save to the
    /// old one. On failure no file is left. If the program is killed meanwhile, the file is not a
    /// world, and the next backup overwrites it.
    pub fn backup(&self, path: impl AsRef<Path>) -> Result<(), SaveError> {
        let path = path.as_ref();
        let copy = self.copy_to(path, Copying::ToKeep)?;
        let written = copy.saver.flush();
        drop(copy);
        Ok(written.inspect_err(|_| {
            // If it cannot be removed, it still does not open as a world, since everything is
            // written in one commit.
            let _ = std::fs::remove_file(path);
        })?)
    }

    /// Begins a new file and queues all contents, the header and the rest in one commit.
    pub(super) fn copy_to(&self, path: &Path, copying: Copying) -> Result<Source, SaveError> {
        if !is_empty(path) {
            // A file that holds anything is not cleared, and refused below.
            let _ = remove_half_created(path);
        }
        let is_blank = || View::open(path).is_ok_and(|view| view.is_blank());
        if !(is_empty(path) || is_blank()) {
            return Err(SaveError::Exists(path.to_owned()));
        }
        let source = self.archive.source.as_ref();
        let mut kept = match source {
            Some(source) => KeptTerrain::of(&source.saver)?,
            None => KeptTerrain::default(),
        };
        let generator = source.and_then(|source| source.generator.clone());
        let seed = generator.as_ref().map(|generator| generator.seed());
        let mut contents = Contents::empty(Header::new(seed));
        (contents.chunks, contents.progress) = (kept.chunks(), kept.progress);
        let mut records = std::mem::take(&mut kept.records);
        let mut first = Vec::new();
        if copying == Copying::ToGoOnWith {
            // The world reads from this store before the rest is written.
            std::mem::swap(&mut first, &mut records);
        }
        let store = begin_file(path, &first)?;
        let copy = self.source_of(store, generator, &mut contents);
        let head = head(seed, &self.materials);
        copy.saver.note(|notebook| {
            let records = head.into_iter().chain(records);
            notebook.put_records(records.chain(self.kept_changes()));
            self.note_all(&copy, &kept, notebook);
        });
        Ok(copy)
    }

    /// Queues everything except the terrain records.
    fn note_all(&self, source: &Source, kept: &KeptTerrain, notebook: &mut Notebook<'_>) {
        let loaded = match source.generator {
            Some(_) => Origin::Loaded,
            None => Origin::Edit,
        };
        kept.note_unwritten(notebook);
        for (chunk, id) in self.loaded_chunks() {
            let (place, voxels) = (BrickPlace::terrain(chunk), self.brick(id).voxels());
            notebook.put(Touched { place, voxels }, loaded);
        }
        let objects = self.objects().map(|(_, object)| object.key());
        let shelved = self.archive.history.shelf().map(|shelved| shelved.key);
        for object in objects.chain(shelved) {
            self.note_object(object, Noted::Voxels, notebook);
        }
        let entries = self.archive.history.entries();
        entries.for_each(|entry| self.note_entry(entry, notebook));
    }

    /// Returns the seed of the generator, if the world has one.
    pub fn seed(&self) -> Option<u64> {
        Some(self.generator()?.seed())
    }

    /// Returns the generator of unedited terrain.
    pub fn generator(&self) -> Option<&Generator> {
        self.archive.source.as_ref()?.generator.as_deref()
    }

    /// Returns a good place to start, if the world is generated.
    pub fn spawn(&self) -> Option<Spawn> {
        Some(self.generator()?.spawn())
    }

    /// Returns the chunks that differ from the generator or were ever edited, in a fixed order;
    /// none for a world without a store.
    pub fn edited_chunks(&self) -> Vec<ChunkPosition> {
        let source = self.archive.source.as_ref();
        source.map_or_else(Vec::new, |source| source.saver.edited_chunks())
    }

    /// Loads all missing chunks that intersect a box of cells. Returns their number.
    pub fn load(&mut self, cells: &CellBox) -> Result<usize, LoadError> {
        self.load_chunks(chunks_in(cells)?)
    }

    /// Loads those of the chunks that are missing.
    pub(crate) fn load_chunks(
        &mut self,
        mut wanted: Vec<ChunkPosition>,
    ) -> Result<usize, LoadError> {
        let Some(source) = self.archive.source.clone() else {
            return Ok(0);
        };
        wanted.retain(|&chunk| self.brick_at(chunk).is_none());
        let materials = &self.materials;
        let loaded: Result<Vec<_>, StoreError> = wanted
            .into_par_iter()
            .map(|chunk| {
                let voxels = source.voxels(chunk)?;
                Ok(voxels.map(|voxels| (chunk, Brick::new(voxels, materials))))
            })
            .collect();
        let bricks: Vec<_> = loaded?.into_iter().flatten().collect();
        let count = bricks.len();
        if count > 0 {
            let chunks: Vec<ChunkPosition> = bricks.iter().map(|(chunk, _)| *chunk).collect();
            self.put_bricks(bricks);
            chunks.into_iter().for_each(|chunk| self.note_loaded(chunk));
        }
        Ok(count)
    }

    /// Waits until all edits and new materials are on disk.
    pub fn flush(&self) -> Result<(), SaveError> {
        // New materials are queued together with any note, even an empty one.
        self.note(|_| {});
        match &self.archive.source {
            Some(source) => Ok(source.saver.flush()?),
            None => Ok(()),
        }
    }

    /// Returns the state of saving; poll it and show errors to the player.
    pub fn save_status(&self) -> SaveStatus {
        let source = self.archive.source.as_ref();
        source.map_or_else(SaveStatus::default, |source| source.saver.status())
    }

    fn attach(
        &mut self,
        store: Arc<dyn Store>,
        generator: Option<Arc<Generator>>,
        mut contents: Contents,
    ) {
        self.archive.source = Some(self.source_of(store, generator, &mut contents));
    }

    fn source_of(
        &self,
        store: Arc<dyn Store>,
        generator: Option<Arc<Generator>>,
        contents: &mut Contents,
    ) -> Source {
        let names = MaterialNames::of(&self.materials);
        let saver = Saver::new(store, generator.clone(), names, contents);
        let saver = Arc::new(saver);
        Source { generator, saver }
    }

    fn load_spawn(&mut self) {
        if let Some(spawn) = self.spawn() {
            let reach = Cell::new(FIRST_VIEW, 40, FIRST_VIEW);
            let at = Cell::from(spawn.cell);
            let chunks = chunks_in(&CellBox::new(at - reach, at + reach)).unwrap_or_default();
            // If the store fails for one chunk, load the others one by one; the status names the
            // failed one.
            if self.load_chunks(chunks.clone()).is_err() {
                for chunk in chunks {
                    let _ = self.load_chunks(vec![chunk]);
                }
            }
        }
    }

    fn load_all_saved(&mut self) -> Result<(), SaveError> {
        let Some(source) = self.archive.source.clone() else {
            return Ok(());
        };
        match self.load_chunks(source.saver.edited_chunks()) {
            Err(LoadError::Store(error)) => Err(error.into()),
            _ => Ok(()),
        }
    }

    /// Queues changes other than edits for saving.
    pub(crate) fn note(&self, write: impl FnOnce(&mut Notebook<'_>)) {
        self.keep(&WriteReport::default(), Origin::Edit, write);
    }

    /// Queues changes for saving; `write` adds to the same commit.
    pub(crate) fn keep(
        &self,
        report: &WriteReport,
        origin: Origin,
        write: impl FnOnce(&mut Notebook<'_>),
    ) {
        let Some(source) = &self.archive.source else {
            return;
        };
        source.saver.note(|notebook| {
            if notebook.known_materials() != self.materials.len() {
                let names = MaterialNames::of(&self.materials);
                notebook.learn_materials(names, materials_changes(&self.materials));
            }
            self.keep_chunks(report, origin, notebook);
            write(notebook);
        });
    }

    /// Saves whole terrain chunks that were put into the world, and counts them as loaded.
    pub(crate) fn keep_whole(&mut self, bricks: &[BrickId]) {
        if self.archive.source.is_none() {
            return;
        }
        self.note(|notebook| {
            for &id in bricks {
                if let Some(place) = self.brick_place(id) {
                    let voxels = self.brick(id).voxels();
                    notebook.put(Touched { place, voxels }, Origin::Edit);
                }
            }
        });
        for &id in bricks {
            self.note_loaded(self.place_of(id));
        }
    }

    /// Returns the place of a chunk, if it is saved.
    fn kept_place(&self, id: BrickId) -> Option<BrickPlace> {
        match self.owner(id) {
            Owner::Object(object) if self.object(object)?.keeping() == Keeping::Passing => None,
            _ => self.brick_place(id),
        }
    }

    fn keep_chunks(&self, report: &WriteReport, origin: Origin, notebook: &mut Notebook<'_>) {
        /// From this number of changes on, a copy of the chunk is cheaper than repeating them.
        const MANY: usize = 64;
        let many = report.changes.len() > MANY;
        let mut copied = Vec::new();
        for &id in &report.touched {
            let Some(place) = self.kept_place(id) else {
                continue;
            };
            if many || !notebook.holds(&place) {
                let voxels = self.brick(id).voxels();
                notebook.put(Touched { place, voxels }, origin);
                copied.push(id);
            }
        }
        // With many changes all chunks were copied and none is repeated.
        for change in report.changes.iter().filter(|_| !many) {
            if !copied.contains(&change.brick)
                && let Some(place) = self.kept_place(change.brick)
            {
                notebook.repeat(&place, &change.change, origin);
            }
        }
    }
}
