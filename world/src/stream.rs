//! Streaming: keeps the terrain around any number of viewers loaded, in the background.
//!
//! The unit of work is a column of chunks: those at its surface as far as a viewer reaches, close
//! by also those around the viewer's height. Columns are made nearest and in view first; the
//! farthest are unloaded when memory runs out. A few chunks are merged per call.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::background::{Instant, Tasks, threads};
use crate::chunk::Brick;
use crate::material::MaterialTable;
use crate::save::{Land, Source};
use crate::space::{ChunkPosition, Owner, Space, chunk_of};
use collision::Position;
use nalgebra::Vector3;

/// Largest reach of a viewer, in metres.
pub const MOST_REACH: f32 = 1024.0;
/// Distance within which the chunks around a viewer's height are loaded, in metres.
const NEAR: f32 = 128.0;
/// Number of chunks loaded above and below a viewer within [`NEAR`].
const NEAR_ROWS: i32 = 3;
/// A viewer more chunks than this above or below the surface counts as far from it.
const FAR_ROWS: i32 = 32;
/// Columns stay loaded this much beyond the reach, in metres.
const SLACK: f32 = 48.0;
/// Factor on the distance of columns behind a viewer.
const BEHIND: f32 = 2.5;
/// Bytes of a loaded chunk besides its contents.
const CHUNK_BYTES: usize = 512;

/// A camera, or a character, that needs terrain around it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Viewer {
    /// Position of the viewer.
    pub position: Position,
    /// Direction of view; zero looks everywhere.
    pub look: Vector3<f32>,
    /// Reach in metres; at most [`MOST_REACH`].
    pub reach: f32,
}

/// Limits of streaming.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamSettings {
    /// Memory for terrain, in bytes. When it runs out, the farthest columns are unloaded.
    pub memory: usize,
    /// Time that a call may take to merge new chunks. At least one column is merged, however long
    /// that takes; half a millisecond is usual.
    pub time: Duration,
}

impl Default for StreamSettings {
    fn default() -> Self {
        Self {
            memory: 1 << 30,
            time: Duration::from_millis(2),
        }
    }
}

/// The state of streaming after a call.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StreamReport {
    /// Chunks that this call put into the space.
    pub loaded: usize,
    /// Chunks that this call unloaded.
    pub unloaded: usize,
    /// Columns that are wanted and not loaded yet.
    pub waiting: usize,
    /// Memory in use for terrain, in bytes, approximately.
    pub memory: usize,
    /// Distance within which columns are kept, in metres: reduced when memory ran out.
    pub reach: f32,
}

type ColumnPlace = [i32; 2];

/// The desired content of a column.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Wish {
    place: ColumnPlace,
    /// Range of rows around the viewer, if near.
    rows: Option<[i32; 2]>,
    urgency: f32,
}

#[derive(Default)]
struct Loaded {
    /// The loaded rows, each with the bytes that it was counted with.
    rows: BTreeMap<i32, usize>,
    /// True if the whole surface is loaded, not only chunks that an edit needed.
    surface: bool,
}

impl Loaded {
    fn satisfies(&self, wish: &Wish) -> bool {
        let has = |row: i32| self.rows.contains_key(&row);
        self.surface && wish.rows.is_none_or(|[low, high]| (low..=high).all(has))
    }
}

/// A column made by a job.
struct Made {
    place: ColumnPlace,
    bricks: Vec<(ChunkPosition, Brick)>,
}

struct Job {
    /// Set if the result is to be dropped: it is unwanted, or may be older than an edit.
    cancelled: Arc<AtomicBool>,
}

/// The state of streaming between calls.
pub(crate) struct Streamer {
    loaded: HashMap<ColumnPlace, Loaded>,
    jobs: HashMap<ColumnPlace, Job>,
    wishes: VecDeque<Wish>,
    /// The viewers that the wishes were made for.
    planned: Vec<Viewer>,
    made: VecDeque<Made>,
    tasks: Tasks,
    sender: Sender<Made>,
    receiver: Mutex<Receiver<Made>>,
    materials: Arc<MaterialTable>,
    memory: usize,
    /// The space's revision up to which changes of memory are counted.
    counted: u64,
    /// Columns farther than this are not loaded, since memory ran out.
    limit: f32,
}

impl Default for Streamer {
    fn default() -> Self {
        let (sender, receiver) = channel();
        Self {
            loaded: HashMap::new(),
            jobs: HashMap::new(),
            wishes: VecDeque::new(),
            planned: Vec::new(),
            made: VecDeque::new(),
            tasks: Tasks::default(),
            sender,
            receiver: Mutex::new(receiver),
            materials: Arc::default(),
            memory: 0,
            counted: 0,
            limit: f32::MAX,
        }
    }
}

impl Drop for Streamer {
    /// Waits for the running jobs, so that the store is closed before the world is opened again.
    fn drop(&mut self) {
        self.cancel(|_| true);
        while !self.jobs.is_empty() {
            self.work_or_wait();
            self.receive();
        }
    }
}

/// Returns the memory of a loaded chunk, in bytes.
fn bytes_at(space: &Space, chunk: ChunkPosition) -> usize {
    let brick = space.brick_at(chunk).map(|id| space.brick(id));
    CHUNK_BYTES + brick.map_or(0, Brick::heap_bytes)
}

impl Streamer {
    /// Loads and unloads terrain around viewers.
    pub(crate) fn step(
        &mut self,
        space: &mut Space,
        source: &Source,
        viewers: &[Viewer],
        settings: &StreamSettings,
    ) -> StreamReport {
        let mut report = StreamReport::default();
        if self.materials.len() != space.materials().len() {
            self.materials = Arc::new(space.materials().clone());
        }
        self.receive();
        if self.needs_plan(viewers) {
            self.planned = viewers.to_vec();
            let places = all_places(viewers);
            self.plan(&places);
            report.unloaded += self.unload_unwanted(space, &places);
        }
        report.loaded = self.take_in(space, settings.time);
        self.count_changes(space);
        report.unloaded += self.keep_budget(space, viewers, settings.memory);
        self.start_jobs(source);
        if threads().is_none() {
            self.tasks.do_one();
        }
        report.waiting = self.wishes.len() + self.jobs.len() + self.made.len();
        report.memory = self.memory;
        let reach = viewers.iter().map(reach_of).fold(0.0, f32::max);
        report.reach = reach.min(self.limit);
        report
    }

    /// Works on a column, or waits until one is made, at most 0.1 s.
    pub(crate) fn work_or_wait(&mut self) {
        if !self.tasks.do_one() {
            self.wait();
        }
    }

    /// Counts a chunk that was loaded by other means.
    pub(crate) fn note_loaded(&mut self, space: &Space, chunk: ChunkPosition) {
        self.note(chunk, bytes_at(space, chunk));
    }

    fn note(&mut self, chunk: ChunkPosition, bytes: usize) {
        let column = self.loaded.entry([chunk.x, chunk.z]).or_default();
        if let Entry::Vacant(row) = column.rows.entry(chunk.y) {
            row.insert(bytes);
            self.memory += bytes;
        }
    }

    /// Updates the memory of chunks that changed since they were counted.
    fn count_changes(&mut self, space: &Space) {
        for id in space.changes_since(self.counted) {
            let place = space.place_of(id);
            let column = self.loaded.get_mut(&[place.x, place.z]);
            if space.owner(id) == Owner::Terrain
                && let Some(bytes) = column.and_then(|column| column.rows.get_mut(&place.y))
            {
                self.memory -= *bytes;
                *bytes = bytes_at(space, place);
                self.memory += *bytes;
            }
        }
        self.counted = space.revision();
    }

    /// Handles a chunk unloaded by other means: the wishes are planned again.
    pub(crate) fn forget(&mut self, chunk: ChunkPosition) {
        let place = [chunk.x, chunk.z];
        if let Some(column) = self.loaded.get_mut(&place) {
            column.surface = false;
            self.memory -= column.rows.remove(&chunk.y).unwrap_or(0);
        }
        self.abandon(place);
        self.planned.clear();
    }

    /// Returns true if the viewers moved or turned far enough to plan again.
    fn needs_plan(&self, viewers: &[Viewer]) -> bool {
        let differs = |(now, then): (&Viewer, &Viewer)| {
            let moved = chunk_of(now.position.cell) != chunk_of(then.position.cell);
            moved || has_turned(now, then) || reach_of(now) != reach_of(then)
        };
        viewers.len() != self.planned.len() || viewers.iter().zip(&self.planned).any(differs)
    }

    fn plan(&mut self, viewers: &[Viewer]) {
        let mut wishes: HashMap<ColumnPlace, Wish> = HashMap::new();
        for viewer in viewers {
            let here = chunk_of(viewer.position.cell);
            let reach = reach_of(viewer).min(self.limit);
            let across = (reach / 32.0).ceil() as i32;
            for z in here.z - across..=here.z + across {
                for x in here.x - across..=here.x + across {
                    if let Some(wish) = wish(viewer, [x, z], reach) {
                        wishes
                            .entry([x, z])
                            .and_modify(|old| old.join(&wish))
                            .or_insert(wish);
                    }
                }
            }
        }
        self.cancel(|place| !wishes.contains_key(place));
        self.made.retain(|made| wishes.contains_key(&made.place));
        let loaded = &self.loaded;
        wishes.retain(|place, wish| {
            !loaded
                .get(place)
                .is_some_and(|column| column.satisfies(wish))
        });
        let mut order: Vec<Wish> = wishes.into_values().collect();
        order.sort_unstable_by(|a, b| a.urgency.total_cmp(&b.urgency).then(a.place.cmp(&b.place)));
        self.wishes = order.into();
    }

    fn cancel(&self, unwanted: impl Fn(&ColumnPlace) -> bool) {
        for (_, job) in self.jobs.iter().filter(|(place, _)| unwanted(place)) {
            job.cancelled.store(true, Ordering::Relaxed);
        }
    }

    fn start_jobs(&mut self, source: &Source) {
        let most = rayon::current_num_threads() * 2;
        let mut later = Vec::new();
        // Made columns wait to be taken in; too many would be outdated before they are used.
        while self.jobs.len() + self.made.len() < most
            && let Some(wish) = self.wishes.pop_front()
        {
            if self.jobs.contains_key(&wish.place) {
                // The running job may make too little or be cancelled: ask again when it is done.
                later.push(wish);
                continue;
            }
            let have = self.loaded.get(&wish.place);
            if have.is_some_and(|column| column.satisfies(&wish)) {
                continue;
            }
            let have = have.map_or_else(Vec::new, |column| column.rows.keys().copied().collect());
            let cancelled = Arc::new(AtomicBool::new(false));
            self.jobs.insert(
                wish.place,
                Job {
                    cancelled: cancelled.clone(),
                },
            );
            let (sender, source) = (self.sender.clone(), source.clone());
            let materials = self.materials.clone();
            self.tasks.add(move || {
                let made = make(&wish, &have, &source, &materials, &cancelled);
                drop(source);
                // The receiver is gone if the world was dropped.
                let _ = sender.send(made);
            });
        }
        later
            .into_iter()
            .rev()
            .for_each(|wish| self.wishes.push_front(wish));
    }

    fn receive(&mut self) {
        let made: Vec<Made> = {
            let receiver = self.receiver.lock().unwrap_or_else(PoisonError::into_inner);
            receiver.try_iter().collect()
        };
        made.into_iter().for_each(|made| self.arrive(made));
    }

    /// Queues a made column, unless its job was cancelled.
    fn arrive(&mut self, made: Made) {
        let job = self.jobs.remove(&made.place);
        if job.is_some_and(|job| !job.cancelled.load(Ordering::Relaxed)) {
            self.made.push_back(made);
        }
    }

    /// Drops the pending results of a column that is unloaded: they may be older than an edit.
    fn abandon(&mut self, place: ColumnPlace) {
        if let Some(job) = self.jobs.get(&place) {
            job.cancelled.store(true, Ordering::Relaxed);
        }
        self.made.retain(|made| made.place != place);
    }

    /// Sleeps until a column is made, at most 0.1 s.
    fn wait(&mut self) {
        let made = {
            let receiver = self.receiver.lock().unwrap_or_else(PoisonError::into_inner);
            receiver.recv_timeout(Duration::from_millis(100))
        };
        if let Ok(made) = made {
            self.arrive(made);
        }
    }

    /// Puts made columns into the world: at least one, and more while there is time.
    fn take_in(&mut self, space: &mut Space, time: Duration) -> usize {
        let (begun, mut taken) = (Instant::now(), 0);
        while let Some(made) = self.made.pop_front() {
            let column = self.loaded.entry(made.place).or_default();
            column.surface = true;
            // Chunks loaded meanwhile may have been edited and stay. None was unloaded meanwhile.
            let fresh = made.bricks.into_iter();
            let fresh = fresh.filter(|(chunk, _)| space.brick_at(*chunk).is_none());
            let fresh: Vec<_> = fresh.collect();
            let chunks: Vec<ChunkPosition> = fresh.iter().map(|(chunk, _)| *chunk).collect();
            if !chunks.is_empty() {
                space.put_bricks(fresh);
            }
            for &chunk in &chunks {
                self.note(chunk, bytes_at(space, chunk));
            }
            taken += chunks.len();
            if begun.elapsed() >= time {
                break;
            }
        }
        taken
    }

    fn unload_unwanted(&mut self, space: &mut Space, viewers: &[Viewer]) -> usize {
        let limit = self.limit;
        let wanted = |place: &ColumnPlace| {
            viewers
                .iter()
                .any(|viewer| distance(viewer, *place) <= reach_of(viewer).min(limit) + SLACK)
        };
        let gone: Vec<ColumnPlace> = self
            .loaded
            .keys()
            .filter(|place| !wanted(place))
            .copied()
            .collect();
        gone.into_iter()
            .map(|place| self.unload(space, place))
            .sum()
    }

    fn unload(&mut self, space: &mut Space, place: ColumnPlace) -> usize {
        let Some(column) = self.loaded.remove(&place) else {
            return 0;
        };
        self.memory -= column.rows.values().sum::<usize>();
        self.abandon(place);
        for &row in column.rows.keys() {
            space.take_brick(ChunkPosition::new(place[0], row, place[1]));
        }
        column.rows.len()
    }

    /// Unloads the farthest columns while memory exceeds the budget, and lowers the limit.
    fn keep_budget(&mut self, space: &mut Space, viewers: &[Viewer], budget: usize) -> usize {
        if self.memory <= budget {
            // With memory free again, the reach grows back at the next plan.
            if self.memory < budget / 10 * 8 {
                self.limit = f32::MAX;
            }
            return 0;
        }
        let nearest = |place: ColumnPlace| {
            viewers
                .iter()
                .map(|viewer| distance(viewer, place))
                .fold(f32::MAX, f32::min)
        };
        let mut order: Vec<(f32, ColumnPlace)> = self
            .loaded
            .keys()
            .map(|&place| (nearest(place), place))
            .collect();
        order.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let mut unloaded = 0;
        for (distance, place) in order {
            if self.memory <= budget / 10 * 9 {
                break;
            }
            self.limit = self.limit.min((distance - SLACK).max(NEAR));
            unloaded += self.unload(space, place);
        }
        let limit = self.limit;
        self.wishes.retain(|wish| nearest(wish.place) <= limit);
        self.cancel(|place| nearest(*place) > limit);
        unloaded
    }
}

impl Wish {
    fn join(&mut self, other: &Self) {
        self.urgency = self.urgency.min(other.urgency);
        self.rows = match (self.rows, other.rows) {
            (Some(a), Some(b)) => Some([a[0].min(b[0]), a[1].max(b[1])]),
            (a, b) => a.or(b),
        };
    }
}

fn direction(look: Vector3<f32>) -> Vector3<f32> {
    look.try_normalize(1e-6).unwrap_or_default()
}

/// Returns the horizontal distance from a viewer to the centre of a column, in metres.
fn distance(viewer: &Viewer, place: ColumnPlace) -> f32 {
    towards(viewer, place).norm()
}

fn towards(viewer: &Viewer, place: ColumnPlace) -> Vector3<f32> {
    let middle = |chunk: i32, cell: i32| (i64::from(chunk) * 32 + 16 - i64::from(cell)) as f32;
    let cell = viewer.position.cell;
    Vector3::new(middle(place[0], cell.x), 0.0, middle(place[1], cell.z))
}

/// Returns one of the viewers of each chunk that look the same way, equally far.
fn all_places(viewers: &[Viewer]) -> Vec<Viewer> {
    let key = |viewer: &Viewer| {
        let chunk = chunk_of(viewer.position.cell);
        (chunk.z, chunk.x, chunk.y, reach_of(viewer).to_bits())
    };
    let mut places = viewers.to_vec();
    places.sort_by_key(key);
    places.dedup_by(|next, kept| key(next) == key(kept) && !has_turned(next, kept));
    places
}

/// Returns whether two viewers look clearly different ways.
fn has_turned(now: &Viewer, then: &Viewer) -> bool {
    now.look != then.look && direction(now.look).dot(&direction(then.look)) < 0.8
}

/// Returns the effective reach of a viewer; zero if its reach is not a number.
fn reach_of(viewer: &Viewer) -> f32 {
    if viewer.reach > 0.0 {
        viewer.reach.min(MOST_REACH)
    } else {
        0.0
    }
}

/// Returns a viewer's wish for a column, if the column is in reach.
fn wish(viewer: &Viewer, place: ColumnPlace, reach: f32) -> Option<Wish> {
    let way = towards(viewer, place);
    let distance = way.norm();
    // No chunks exist beyond the ends of the cell coordinates.
    let ends = i32::MIN >> 5..=i32::MAX >> 5;
    if distance > reach + 23.0 || !place.iter().all(|part| ends.contains(part)) {
        return None;
    }
    let near = distance <= NEAR.min(reach) + 23.0;
    let row = chunk_of(viewer.position.cell).y;
    let look = direction(Vector3::new(viewer.look.x, 0.0, viewer.look.z));
    let ahead = look == Vector3::zeros() || distance < 64.0 || look.dot(&way) > 0.5 * distance;
    Some(Wish {
        place,
        rows: near.then_some([
            (row - NEAR_ROWS).max(*ends.start()),
            (row + NEAR_ROWS).min(*ends.end()),
        ]),
        urgency: if ahead { distance } else { distance * BEHIND },
    })
}

/// Makes the missing chunks of a column, or only some if it is cancelled. Runs on any thread.
fn make(
    wish: &Wish,
    have: &[i32],
    source: &Source,
    materials: &MaterialTable,
    cancelled: &AtomicBool,
) -> Made {
    let [x, z] = wish.place;
    let mut made = Made {
        place: wish.place,
        bricks: Vec::new(),
    };
    let wanted = |_: &&Land| !cancelled.load(Ordering::Relaxed);
    let Some(land) = source.land.as_ref().filter(wanted) else {
        return made;
    };
    let mut column = land.chunks.chunk_column(x, z);
    let surface = column.surface_rows();
    let near = wish.rows.unwrap_or([surface.lowest, surface.highest]);
    let (mut low, mut high) = (near[0], near[1]);
    // A viewer near the surface gets all chunks between.
    if low <= surface.highest + FAR_ROWS && high >= surface.lowest - FAR_ROWS {
        (low, high) = (low.min(surface.lowest), high.max(surface.highest));
    }
    let mut rows: Vec<i32> = (surface.lowest..=surface.highest).collect();
    rows.extend(low..=high);
    rows.extend(source.edited_rows(x, z));
    rows.sort_unstable();
    rows.dedup();
    for row in rows.into_iter().rev().filter(|row| !have.contains(row)) {
        if cancelled.load(Ordering::Relaxed) {
            return made;
        }
        let chunk = ChunkPosition::new(x, row, z);
        // If the store fails (its status says so), a missing chunk is better than a wrong one.
        let Ok(saved) = source.saved(chunk) else {
            continue;
        };
        let voxels = saved.unwrap_or_else(|| column.voxels(row));
        made.bricks.push((chunk, Brick::new(voxels, materials)));
    }
    made
}
