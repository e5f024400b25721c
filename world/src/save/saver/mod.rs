//! The background saver: collects changes and commits them several times a second.
//!
//! The first change of a chunk since the last commit copies its voxels; later changes are repeated
//! on the copy. So the saver does not access the world, chunks may be unloaded at any time, and a
//! commit holds chunks and history of the same edits. Changes that could not be written are kept
//! and retried.

mod notebook;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::mem;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use rayon::prelude::*;

use super::codec::{
    MaterialNames, SavedShape, chunk_key, chunk_of_key, decode_chunk, encode_entry, encode_shape,
    object_key, pack_chunk, record_of,
};
use super::contents::{BadRecord, Contents, Progress};
use super::damage::{Damage, Part};
use super::error::{DecodeError, StoreError};
use super::land::Land;
use super::store::{Store, StoreChange, Table};
use crate::background::{Instant, let_ticks_go_first, threads};
use crate::chunk::Voxels;
use crate::history::Entry;
use crate::object::ObjectKey;
use crate::space::{BrickPlace, ChunkPosition};

pub(crate) use notebook::{Notebook, Touched};

/// Time to collect edits before a commit. Together with the commit it must stay below 250 ms.
const COLLECT: Duration = Duration::from_millis(60);
/// From this number of chunks on, encoding uses all threads.
const PARALLEL_CHUNKS: usize = 16;
/// Delay after a failed commit.
const RETRY: Duration = Duration::from_millis(400);

/// The state of saving.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SaveStatus {
    /// Edited chunks that are not on disk yet.
    pub waiting: usize,
    /// Error of the last commit, if it failed; its edits are kept and retried.
    pub error: Option<StoreError>,
    /// Damaged parts, which are set aside.
    pub damaged: Vec<Damage>,
}

/// The origin of a chunk: tells if it may equal the generator's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// An edit: it differs.
    Edit,
    /// Undo or redo: it may equal.
    History,
    /// Copied as loaded, perhaps never edited: it may equal.
    Loaded,
}

/// A chunk that is not written yet.
#[derive(Clone, Debug)]
pub(super) struct DirtyBrick {
    pub(super) voxels: Voxels,
    pub(super) origin: Origin,
}

/// The changes of one commit.
#[derive(Default)]
struct Batch {
    /// Chunks; `None` to remove the record.
    bricks: HashMap<BrickPlace, Option<DirtyBrick>>,
    /// Entries; `None` to remove the record.
    entries: BTreeMap<u64, Option<Entry>>,
    /// Objects; `None` to remove the record.
    objects: BTreeMap<ObjectKey, Option<SavedShape>>,
    /// Records to set aside, if the store still returns the same damaged bytes.
    bad: Vec<BadRecord>,
    others: Vec<StoreChange>,
}

impl Batch {
    fn is_empty(&self) -> bool {
        self.bricks.is_empty()
            && self.entries.is_empty()
            && self.objects.is_empty()
            && self.bad.is_empty()
            && self.others.is_empty()
    }
}

#[derive(Default)]
struct State {
    pending: Batch,
    /// The batch being written; also read when chunks are loaded.
    writing: Arc<Batch>,
    /// Time of the oldest pending change.
    since: Option<Instant>,
    names: Arc<MaterialNames>,
    /// Number of notes; a flush waits until all earlier ones are written.
    noted: u64,
    written: u64,
    attempts: u64,
    flushing: bool,
    closing: bool,
    status: SaveStatus,
    /// The damage of the status, to be told once.
    told: HashSet<Damage>,
    progress: Progress,
    /// Rows of chunks that were ever edited, by column.
    edited: HashMap<[i32; 2], Vec<i32>>,
    /// Chunks with a record in the store.
    stored: HashSet<ChunkPosition>,
}

impl State {
    /// Updates the sets of edited and stored chunks after a commit.
    fn learn_stored(&mut self, changes: &[StoreChange]) {
        for change in changes
            .iter()
            .filter(|change| change.table == Table::Chunks)
        {
            if let Some(chunk) = chunk_of_key(&change.key) {
                if change.value.is_some() {
                    self.remember(chunk);
                    self.stored.insert(chunk);
                } else {
                    self.stored.remove(&chunk);
                }
            }
        }
    }

    fn report(&mut self, damage: Damage) {
        if self.told.insert(damage) {
            self.status.damaged.push(damage);
        }
    }

    /// Queues a damaged record for the quarantine, so that the rest of the world opens.
    fn set_aside(&mut self, bad: BadRecord) {
        self.report(bad.damage);
        let known = |it: &BadRecord| (it.table, &it.key) == (bad.table, &bad.key);
        if bad.sealed.is_some() && !self.pending.bad.iter().any(known) {
            self.pending.bad.push(bad);
        }
    }

    fn remember(&mut self, chunk: ChunkPosition) {
        let rows = self.edited.entry([chunk.x, chunk.z]).or_default();
        if !rows.contains(&chunk.y) {
            rows.push(chunk.y);
        }
    }
}

/// Returns the key in the quarantine: a chunk's own key, else the table's name and the key.
fn quarantine_key(table: Table, key: &[u8]) -> Vec<u8> {
    match table {
        Table::Chunks => key.to_vec(),
        other => [other.name().as_bytes(), b" ", key].concat(),
    }
}

struct Shared {
    store: Arc<dyn Store>,
    land: Option<Land>,
    state: Mutex<State>,
    wake: Condvar,
    done: Condvar,
}

/// Writes edits to a store on a thread of its own.
pub(crate) struct Saver {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

impl Saver {
    pub(super) fn new(
        store: Arc<dyn Store>,
        land: Option<Land>,
        names: MaterialNames,
        contents: &mut Contents,
    ) -> Self {
        let mut state = State {
            names: Arc::new(names),
            progress: contents.progress,
            ..State::default()
        };
        for chunk in mem::take(&mut contents.chunks) {
            state.remember(chunk);
            state.stored.insert(chunk);
        }
        for bad in mem::take(&mut contents.bad) {
            state.set_aside(bad);
        }
        if !state.pending.is_empty() {
            (state.since, state.noted) = (Some(Instant::now()), 1);
        }
        let shared = Arc::new(Shared {
            store,
            land,
            state: Mutex::new(state),
            wake: Condvar::new(),
            done: Condvar::new(),
        });
        let worker = shared.clone();
        let thread = std::thread::Builder::new()
            .name("world saver".to_owned())
            .spawn(move || {
                let_ticks_go_first();
                worker.run();
            })
            .ok();
        Self { shared, thread }
    }

    /// Queues changes for the next commit. All changes of one notebook are committed together.
    pub(crate) fn note(&self, write: impl FnOnce(&mut Notebook<'_>)) {
        let mut state = self.shared.lock();
        write(&mut Notebook { state: &mut state });
        state.noted += 1;
        if state.since.is_none() && !state.pending.is_empty() {
            state.since = Some(Instant::now());
            self.shared.wake.notify_one();
        }
    }

    /// Returns the chunk after its last edit; `None` if it was never edited.
    pub(crate) fn read(&self, chunk: ChunkPosition) -> Result<Option<Voxels>, StoreError> {
        {
            let state = self.shared.lock();
            let place = BrickPlace::terrain(chunk);
            let dirty = state
                .pending
                .bricks
                .get(&place)
                .or(state.writing.bricks.get(&place));
            if let Some(Some(dirty)) = dirty {
                return Ok(Some(dirty.voxels.clone()));
            }
            let rows = state.edited.get(&[chunk.x, chunk.z]);
            if !rows.is_some_and(|rows| rows.contains(&chunk.y)) {
                return Ok(None);
            }
        }
        let (table, key, part) = (Table::Chunks, chunk_key(chunk), Part::Chunk(chunk));
        let found = self.shared.store.get(table, &key);
        let mut state = self.shared.lock();
        let sealed = match found {
            Ok(Some(sealed)) => sealed,
            Ok(None) => {
                if state.stored.remove(&chunk) {
                    let error = DecodeError::Missing;
                    state.report(Damage { part, error });
                }
                return Ok(None);
            }
            Err(failure) => {
                let error = DecodeError::Unread;
                state.report(Damage { part, error });
                return Err(failure);
            }
        };
        // Taken after the bytes were read, so that it knows every material in them.
        let names = state.names.clone();
        drop(state);
        match decode_chunk(&key, &sealed, &names) {
            Ok(voxels) => Ok(Some(voxels)),
            Err(error) => {
                let (damage, key) = (Damage { part, error }, key.to_vec());
                let sealed = Some(sealed);
                let bad = BadRecord {
                    damage,
                    table,
                    key,
                    sealed,
                };
                self.note(|notebook| notebook.state.set_aside(bad));
                Ok(None)
            }
        }
    }

    /// Returns the rows of a column of chunks that were ever edited.
    pub(crate) fn edited_rows(&self, x: i32, z: i32) -> Vec<i32> {
        self.shared
            .lock()
            .edited
            .get(&[x, z])
            .cloned()
            .unwrap_or_default()
    }

    /// Returns all chunks that were ever edited.
    pub(crate) fn edited_chunks(&self) -> Vec<ChunkPosition> {
        let state = self.shared.lock();
        let of_column = |([x, z], rows): (&[i32; 2], &Vec<i32>)| {
            let (x, z) = (*x, *z);
            rows.iter()
                .map(move |&y| ChunkPosition::new(x, y, z))
                .collect::<Vec<_>>()
        };
        let mut chunks: Vec<_> = state.edited.iter().flat_map(of_column).collect();
        chunks.sort_unstable_by_key(|chunk| (chunk.z, chunk.x, chunk.y));
        chunks
    }

    pub(crate) fn status(&self) -> SaveStatus {
        let state = self.shared.lock();
        SaveStatus {
            waiting: state.pending.bricks.len() + state.writing.bricks.len(),
            ..state.status.clone()
        }
    }

    /// Waits until everything queued is written, or an attempt fails.
    pub(crate) fn flush(&self) -> Result<(), StoreError> {
        let mut state = self.shared.lock();
        let (wanted, attempts) = (state.noted, state.attempts);
        if self.thread.is_none() {
            drop(state);
            self.write_all();
            state = self.shared.lock();
        }
        while state.written < wanted {
            if state.attempts > attempts
                && let Some(error) = &state.status.error
            {
                return Err(error.clone());
            }
            if self.thread.as_ref().is_none_or(JoinHandle::is_finished) {
                return Err(StoreError::thread_gone());
            }
            state.flushing = true;
            self.shared.wake.notify_one();
            let wait = self.shared.done.wait_timeout(state, COLLECT);
            state = wait.unwrap_or_else(PoisonError::into_inner).0;
        }
        Ok(())
    }
}

impl Saver {
    /// Writes everything queued on this thread, if the system could not start another.
    fn write_all(&self) {
        self.shared.lock().closing = true;
        self.shared.run();
        self.shared.lock().closing = false;
    }
}

impl Drop for Saver {
    fn drop(&mut self) {
        if self.thread.is_none() {
            return self.write_all();
        }
        self.shared.lock().closing = true;
        self.shared.wake.notify_one();
        if let Some(thread) = self.thread.take() {
            // A panic of the thread was reported when it happened; there is nothing left to do.
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn run(&self) {
        while let Some((batch, names, noted)) = self.next_batch() {
            let progress = {
                let mut state = self.lock();
                state.progress.commits = state.progress.commits.saturating_add(1);
                state.progress
            };
            let result = self.write(&batch, &names, progress);
            let mut state = self.lock();
            state.attempts += 1;
            state.writing = Arc::default();
            match result {
                Ok(changes) => {
                    state.written = noted;
                    state.status.error = None;
                    state.learn_stored(&changes);
                }
                Err(error) => {
                    state.status.error = Some(error);
                    give_back(&mut state, batch);
                }
            }
            let (failed, closing) = (state.status.error.is_some(), state.closing);
            self.done.notify_all();
            if failed && closing {
                return;
            }
            if failed {
                let wait = self.wake.wait_timeout(state, RETRY);
                drop(wait);
            }
        }
    }

    /// Commits a batch; returns the changes.
    fn write(
        &self,
        batch: &Batch,
        names: &MaterialNames,
        progress: Progress,
    ) -> Result<Vec<StoreChange>, StoreError> {
        // Removals come first, so that edits made since a record was set aside stay.
        let mut changes = self.put_aside(&batch.bad);
        changes.extend(batch.others.iter().cloned());
        changes.extend(self.encode(batch, names, progress.commits));
        changes.push(progress.change());
        self.store.commit(&changes)?;
        Ok(changes)
    }

    /// Moves damaged records to the quarantine. If the bytes differ by now, the record was misread
    /// or rewritten, and stays; a record that cannot be read again must not block the rest.
    fn put_aside(&self, records: &[BadRecord]) -> Vec<StoreChange> {
        let mut changes = Vec::new();
        for BadRecord {
            table, key, sealed, ..
        } in records
        {
            let found = self.store.get(*table, key);
            if found.is_ok_and(|found| found == *sealed) {
                changes.push(StoreChange {
                    table: Table::Quarantine,
                    key: quarantine_key(*table, key),
                    value: sealed.clone(),
                });
                let (table, key, value) = (*table, key.clone(), None);
                changes.push(StoreChange { table, key, value });
            }
        }
        changes
    }

    /// Waits for work; returns `None` when the world closes and everything is written.
    fn next_batch(&self) -> Option<(Arc<Batch>, Arc<MaterialNames>, u64)> {
        let mut state = self.lock();
        loop {
            if state.pending.is_empty() {
                state.written = state.noted;
                state.flushing = false;
                self.done.notify_all();
                if state.closing {
                    return None;
                }
                state = self
                    .wake
                    .wait(state)
                    .unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            let age = state.since.map_or(COLLECT, |since| since.elapsed());
            if age >= COLLECT || state.flushing || state.closing {
                break;
            }
            let wait = self.wake.wait_timeout(state, COLLECT - age);
            state = wait.unwrap_or_else(PoisonError::into_inner).0;
        }
        let batch = Arc::new(mem::take(&mut state.pending));
        state.writing = batch.clone();
        state.since = None;
        Some((batch, state.names.clone(), state.noted))
    }

    fn encode(&self, batch: &Batch, names: &MaterialNames, stamp: u64) -> Vec<StoreChange> {
        let encode = |(place, dirty): (&BrickPlace, &Option<DirtyBrick>)| {
            let (table, key) = record_of(place);
            let differs = dirty.as_ref().filter(|dirty| {
                dirty.origin == Origin::Edit || !self.is_generated(place, &dirty.voxels)
            });
            let value = differs.map(|dirty| pack_chunk(&key, &dirty.voxels, names, stamp));
            StoreChange { table, key, value }
        };
        let threads = threads().filter(|_| batch.bricks.len() >= PARALLEL_CHUNKS);
        let mut changes: Vec<StoreChange> = match threads {
            Some(threads) => threads.install(|| batch.bricks.par_iter().map(encode).collect()),
            None => batch.bricks.iter().map(encode).collect(),
        };
        changes.sort_unstable_by(|a, b| a.key.cmp(&b.key));
        changes.extend(batch.entries.iter().map(|(sequence, entry)| {
            StoreChange {
                table: Table::History,
                key: sequence.to_be_bytes().to_vec(),
                value: entry
                    .as_ref()
                    .map(|entry| encode_entry(entry, names, stamp)),
            }
        }));
        changes.extend(batch.objects.iter().map(|(object, shape)| {
            let key = object_key(*object).to_vec();
            let value = shape.map(|shape| encode_shape(&key, &shape, stamp));
            let table = Table::Objects;
            StoreChange { table, key, value }
        }));
        changes
    }

    fn is_generated(&self, place: &BrickPlace, voxels: &Voxels) -> bool {
        let land = self.land.as_ref().filter(|_| place.object.is_none());
        land.is_some_and(|land| land.voxels(place.chunk) == *voxels)
    }
}

/// Access for copies of a world.
#[cfg(feature = "save")]
impl Saver {
    /// Returns the terrain that is queued or being written.
    pub(super) fn unwritten(&self) -> HashMap<ChunkPosition, DirtyBrick> {
        let state = self.shared.lock();
        let batches = [&state.writing.bricks, &state.pending.bricks];
        let bricks = batches.into_iter().flatten();
        let terrain = bricks.filter(|(place, _)| place.object.is_none());
        terrain
            .filter_map(|(place, dirty)| Some((place.chunk, dirty.clone()?)))
            .collect()
    }

    /// Returns the store.
    pub(super) fn store(&self) -> &dyn Store {
        &*self.shared.store
    }

    /// Returns the progress of the store.
    pub(super) fn progress(&self) -> Progress {
        self.shared.lock().progress
    }
}

/// Queues the unwritten changes of a failed commit again, unless newer ones exist.
fn give_back(state: &mut State, batch: Arc<Batch>) {
    let Some(batch) = Arc::into_inner(batch) else {
        return;
    };
    for (place, dirty) in batch.bricks {
        state.pending.bricks.entry(place).or_insert(dirty);
    }
    for (object, shape) in batch.objects {
        state.pending.objects.entry(object).or_insert(shape);
    }
    for (sequence, entry) in batch.entries {
        state.pending.entries.entry(sequence).or_insert(entry);
    }
    state.pending.bad.extend(batch.bad);
    let newer = mem::replace(&mut state.pending.others, batch.others);
    state.pending.others.extend(newer);
    state.since.get_or_insert_with(Instant::now);
}
