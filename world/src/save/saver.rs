//! The background saver: collects what changed and commits it several times a second.
//!
//! The first change of a chunk since the last commit copies its voxels; later ones are repeated on the copy. So the
//! saver needs nothing of the world, chunks may be unloaded at any time, and a commit holds chunks and undo history of
//! the same edits. What could not be written is kept and tried again.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::mem;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rayon::prelude::*;

use super::bytes::is_sound;
use super::codec::{
    MaterialNames, chunk_key, chunk_of_key, decode_chunk, encode_chunk, encode_entry,
};
use super::error::{DecodeError, StoreError};
use super::store::{Store, StoreChange, Table};
use crate::chunk::{RowChange, Voxels};
use crate::generate::Generator;
use crate::history::Entry;
use crate::world::ChunkPosition;

/// How long edits are collected before they are committed. With the commit itself this must stay below 250 ms.
const COLLECT: Duration = Duration::from_millis(60);
/// From so many chunks on, they are packed on all threads.
const PARALLEL_CHUNKS: usize = 16;
/// How long to wait after a commit that failed.
const RETRY: Duration = Duration::from_millis(400);

/// A chunk that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// Which.
    pub chunk: ChunkPosition,
    /// Why.
    pub error: DecodeError,
}

/// How saving stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SaveStatus {
    /// Chunks with edits that are not yet on disk.
    pub waiting: usize,
    /// Why the last commit failed; edits are kept and tried again.
    pub error: Option<StoreError>,
    /// Chunks that were damaged: set aside, and generated anew.
    pub damaged: Vec<Damage>,
}

/// Whether a chunk may have returned to what the generator makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// An edit: it differs.
    Edit,
    /// Undo or redo: it may not.
    History,
}

#[derive(Debug)]
struct DirtyChunk {
    voxels: Voxels,
    origin: Origin,
}

/// What is to be written in one commit.
#[derive(Default)]
struct Batch {
    chunks: HashMap<ChunkPosition, DirtyChunk>,
    /// Removed where there is no entry.
    entries: BTreeMap<u64, Option<Entry>>,
    others: Vec<StoreChange>,
}

impl Batch {
    fn is_empty(&self) -> bool {
        self.chunks.is_empty() && self.entries.is_empty() && self.others.is_empty()
    }
}

#[derive(Default)]
struct State {
    pending: Batch,
    /// Being written; read by whoever loads a chunk meanwhile.
    writing: Arc<Batch>,
    /// When the oldest pending change was noted.
    since: Option<Instant>,
    names: Arc<MaterialNames>,
    /// Counts notes; a flush waits until the ones before it are written.
    noted: u64,
    written: u64,
    attempts: u64,
    flushing: bool,
    closing: bool,
    status: SaveStatus,
    /// Rows of chunks that were ever edited, by column.
    edited: HashMap<[i32; 2], Vec<i32>>,
    /// Chunks of which the store has a record.
    stored: HashSet<ChunkPosition>,
}

impl State {
    /// After a commit.
    fn learn_stored(&mut self, changes: &[StoreChange]) {
        for change in changes
            .iter()
            .filter(|change| change.table == Table::Chunks)
        {
            if let Some(chunk) = chunk_of_key(&change.key) {
                match change.value {
                    Some(_) => self.stored.insert(chunk),
                    None => self.stored.remove(&chunk),
                };
            }
        }
    }

    fn report(&mut self, damage: Damage) {
        if !self.status.damaged.contains(&damage) {
            self.status.damaged.push(damage);
        }
    }

    fn set_aside(&mut self, damage: Damage, key: &[u8], sealed: Vec<u8>) {
        self.stored.remove(&damage.chunk);
        self.report(damage);
        for (table, value) in [(Table::Quarantine, Some(sealed)), (Table::Chunks, None)] {
            let key = key.to_vec();
            self.pending.others.push(StoreChange { table, key, value });
        }
    }

    fn remember(&mut self, chunk: ChunkPosition) {
        let rows = self.edited.entry([chunk.x, chunk.z]).or_default();
        if !rows.contains(&chunk.y) {
            rows.push(chunk.y);
        }
    }
}

struct Shared {
    store: Arc<dyn Store>,
    generator: Option<Arc<Generator>>,
    state: Mutex<State>,
    wake: Condvar,
    done: Condvar,
}

/// Writes edits to a store from a thread of its own.
pub(crate) struct Saver {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

/// A chunk as it is noted.
pub(crate) struct Touched<'a> {
    pub(crate) chunk: ChunkPosition,
    pub(crate) voxels: &'a Voxels,
}

impl Saver {
    pub(crate) fn new(
        store: Arc<dyn Store>,
        generator: Option<Arc<Generator>>,
        names: MaterialNames,
    ) -> Self {
        let mut state = State {
            names: Arc::new(names),
            ..State::default()
        };
        // A store that cannot be read reports so when a chunk is asked for.
        let _ = store.visit(Table::Chunks, &mut |key, sealed| {
            let Some(chunk) = chunk_of_key(key) else {
                return;
            };
            if is_sound(key, sealed) {
                state.remember(chunk);
                state.stored.insert(chunk);
            } else {
                let error = DecodeError::Checksum;
                state.set_aside(Damage { chunk, error }, key, sealed.to_vec());
            }
        });
        if !state.pending.is_empty() {
            (state.since, state.noted) = (Some(Instant::now()), 1);
        }
        let shared = Arc::new(Shared {
            store,
            generator,
            state: Mutex::new(state),
            wake: Condvar::new(),
            done: Condvar::new(),
        });
        let worker = shared.clone();
        let thread = std::thread::Builder::new()
            .name("world saver".to_owned())
            .spawn(move || worker.run())
            .ok();
        Self { shared, thread }
    }

    /// Takes changes in for the next commit. All that is done with one notebook is committed together.
    pub(crate) fn note(&self, write: impl FnOnce(&mut Notebook<'_>)) {
        let mut state = self.shared.lock();
        write(&mut Notebook { state: &mut state });
        state.noted += 1;
        if state.since.is_none() && !state.pending.is_empty() {
            state.since = Some(Instant::now());
            self.shared.wake.notify_one();
        }
    }

    /// The chunk as it was edited last; nothing if it never was.
    pub(crate) fn read(&self, chunk: ChunkPosition) -> Result<Option<Voxels>, StoreError> {
        let names = {
            let state = self.shared.lock();
            let rows = state.edited.get(&[chunk.x, chunk.z]);
            if !rows.is_some_and(|rows| rows.contains(&chunk.y)) {
                return Ok(None);
            }
            let dirty = state
                .pending
                .chunks
                .get(&chunk)
                .or(state.writing.chunks.get(&chunk));
            if let Some(dirty) = dirty {
                return Ok(Some(dirty.voxels.clone()));
            }
            state.names.clone()
        };
        let key = chunk_key(chunk);
        let Some(sealed) = self.shared.store.get(Table::Chunks, &key)? else {
            let mut state = self.shared.lock();
            if state.stored.remove(&chunk) {
                let error = DecodeError::Missing;
                state.report(Damage { chunk, error });
            }
            return Ok(None);
        };
        match decode_chunk(&key, &sealed, &names) {
            Ok(voxels) => Ok(Some(voxels)),
            Err(error) => {
                self.set_aside(Damage { chunk, error }, &key, sealed);
                Ok(None)
            }
        }
    }

    /// The rows of a column of chunks that were ever edited.
    pub(crate) fn edited_rows(&self, x: i32, z: i32) -> Vec<i32> {
        self.shared
            .lock()
            .edited
            .get(&[x, z])
            .cloned()
            .unwrap_or_default()
    }

    /// All chunks that were ever edited.
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

    /// A damaged chunk goes to the quarantine: the rest of the world must open.
    fn set_aside(&self, damage: Damage, key: &[u8], sealed: Vec<u8>) {
        self.note(|notebook| notebook.state.set_aside(damage, key, sealed));
    }

    pub(crate) fn status(&self) -> SaveStatus {
        let state = self.shared.lock();
        SaveStatus {
            waiting: state.pending.chunks.len() + state.writing.chunks.len(),
            ..state.status.clone()
        }
    }

    /// Waits until all that was noted is written, or an attempt fails.
    pub(crate) fn flush(&self) -> Result<(), StoreError> {
        let mut state = self.shared.lock();
        let (wanted, attempts) = (state.noted, state.attempts);
        while state.written < wanted {
            if state.attempts > attempts
                && let Some(error) = &state.status.error
            {
                return Err(error.clone());
            }
            if self.thread.as_ref().is_none_or(JoinHandle::is_finished) {
                return Err(StoreError::Io("the saving thread is gone".to_owned()));
            }
            state.flushing = true;
            self.shared.wake.notify_one();
            let wait = self.shared.done.wait_timeout(state, COLLECT);
            state = wait.unwrap_or_else(PoisonError::into_inner).0;
        }
        Ok(())
    }
}

impl Drop for Saver {
    fn drop(&mut self) {
        self.shared.lock().closing = true;
        self.shared.wake.notify_one();
        if let Some(thread) = self.thread.take() {
            // A panic there was reported when it happened; there is nothing left to do.
            let _ = thread.join();
        }
    }
}

/// What goes into one commit.
pub(crate) struct Notebook<'a> {
    state: &'a mut State,
}

impl Notebook<'_> {
    /// Whether a copy of the chunk waits to be written, so that it is enough to repeat changes on it.
    pub(crate) fn holds(&self, chunk: ChunkPosition) -> bool {
        self.state.pending.chunks.contains_key(&chunk)
    }

    /// Copies a chunk.
    pub(crate) fn put(&mut self, touched: Touched<'_>, origin: Origin) {
        let voxels = touched.voxels.clone();
        self.state.remember(touched.chunk);
        self.state
            .pending
            .chunks
            .insert(touched.chunk, DirtyChunk { voxels, origin });
    }

    /// Repeats a change on a chunk that is held.
    pub(crate) fn repeat(&mut self, chunk: ChunkPosition, change: &RowChange, origin: Origin) {
        if let Some(dirty) = self.state.pending.chunks.get_mut(&chunk) {
            dirty
                .voxels
                .fill_row(usize::from(change.row), change.mask, change.new, |_| {});
            dirty.origin = origin;
        }
    }

    /// Writes a history entry.
    pub(crate) fn put_entry(&mut self, entry: &Entry) {
        self.state
            .pending
            .entries
            .insert(entry.sequence, Some(entry.clone()));
    }

    /// Removes a history entry.
    pub(crate) fn remove_entry(&mut self, sequence: u64) {
        self.state.pending.entries.insert(sequence, None);
    }

    /// How many materials the saver knows by name.
    pub(crate) fn known_materials(&self) -> usize {
        self.state.names.len()
    }

    /// Learns names; `saved` writes them to the store.
    pub(crate) fn learn_materials(&mut self, names: MaterialNames, saved: StoreChange) {
        self.state.names = Arc::new(names);
        self.state.pending.others.push(saved);
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn run(&self) {
        while let Some((batch, names, noted)) = self.next_batch() {
            let changes = self.encode(&batch, &names);
            let result = self.store.commit(&changes);
            let mut state = self.lock();
            state.attempts += 1;
            state.writing = Arc::default();
            match result {
                Ok(()) => {
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

    /// Waits for work; nothing when the world closes and all is written.
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

    fn encode(&self, batch: &Batch, names: &MaterialNames) -> Vec<StoreChange> {
        let encode = |(&chunk, dirty): (&ChunkPosition, &DirtyChunk)| {
            let key = chunk_key(chunk);
            let same = dirty.origin == Origin::History && self.is_generated(chunk, &dirty.voxels);
            StoreChange {
                table: Table::Chunks,
                key: key.to_vec(),
                value: (!same).then(|| encode_chunk(&key, &dirty.voxels, names)),
            }
        };
        let mut changes: Vec<StoreChange> = if batch.chunks.len() < PARALLEL_CHUNKS {
            batch.chunks.iter().map(encode).collect()
        } else {
            batch.chunks.par_iter().map(encode).collect()
        };
        changes.sort_unstable_by(|a, b| a.key.cmp(&b.key));
        changes.extend(batch.entries.iter().map(|(sequence, entry)| StoreChange {
            table: Table::History,
            key: sequence.to_be_bytes().to_vec(),
            value: entry.as_ref().map(|entry| encode_entry(entry, names)),
        }));
        // A chunk edited since it was set aside must stay: removals come first.
        let mut all = batch.others.clone();
        all.append(&mut changes);
        all
    }

    fn is_generated(&self, chunk: ChunkPosition, voxels: &Voxels) -> bool {
        self.generator
            .as_ref()
            .is_some_and(|generator| generator.voxels(chunk) == *voxels)
    }
}

/// After a failed commit: what was not written waits again, unless it changed since.
fn give_back(state: &mut State, batch: Arc<Batch>) {
    let Some(batch) = Arc::into_inner(batch) else {
        return;
    };
    for (chunk, dirty) in batch.chunks {
        state.pending.chunks.entry(chunk).or_insert(dirty);
    }
    for (sequence, entry) in batch.entries {
        state.pending.entries.entry(sequence).or_insert(entry);
    }
    let newer = mem::replace(&mut state.pending.others, batch.others);
    state.pending.others.extend(newer);
    state.since.get_or_insert_with(Instant::now);
}
