//! Streaming: keeps the terrain about any number of viewers loaded, in the background.
//!
//! The unit of work is a column of chunks: its surface as far as a viewer reaches, and all about a viewer's height close by. Columns are made
//! nearest and in view first, dropped when nobody wants them any more, and the furthest are unloaded when memory runs out. Merging happens as
//! chunks are put into the world, a few a call. Worlds without a generator are wholly loaded: nothing to do.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::chunk::Brick;
use crate::generate::Buffer;
use crate::material::MaterialTable;
use crate::save::Source;
use crate::world::{ChunkPosition, Owner, World, chunk_of};
use collision::Position;
use nalgebra::Vector3;

/// The furthest anyone can see, metres.
pub const MOST_REACH: f32 = 1024.0;
/// Within this distance everything about a viewer's height is loaded, metres.
const NEAR: f32 = 128.0;
/// So many chunks above and below a viewer, near by.
const NEAR_ROWS: i32 = 3;
/// So many chunks above or below the surface, a viewer is far from it.
const FAR_ROWS: i32 = 32;
/// Columns stay loaded this much further than they are wanted, metres.
const SLACK: f32 = 48.0;
/// What is behind a viewer counts as so many times further away.
const BEHIND: f32 = 2.5;
/// Bytes a loaded chunk takes besides its contents.
const CHUNK_BYTES: usize = 512;

/// Someone who looks at the terrain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Viewer {
    /// Where.
    pub position: Position,
    /// In which direction; zero looks everywhere.
    pub look: Vector3<f32>,
    /// How far, metres; at most [`MOST_REACH`].
    pub reach: f32,
}

/// Bounds of streaming.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamSettings {
    /// Memory for terrain, bytes. When it runs out, the furthest columns are not kept.
    pub memory: usize,
    /// Chunks put into the world a call, at least one; each takes some 50 us to merge.
    pub chunks_per_call: usize,
}

impl Default for StreamSettings {
    fn default() -> Self {
        Self {
            memory: 1 << 30,
            chunks_per_call: 48,
        }
    }
}

/// How streaming stands.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StreamReport {
    /// Chunks put into the world by this call.
    pub loaded: usize,
    /// Chunks taken out by this call.
    pub unloaded: usize,
    /// Columns of chunks that are wanted and not there yet.
    pub waiting: usize,
    /// Memory in use for terrain, bytes, about.
    pub memory: usize,
    /// How far columns are kept, metres: less than the viewers' reach when memory ran out.
    pub reach: f32,
}

type ColumnPlace = [i32; 2];

/// What one column should hold.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Wish {
    place: ColumnPlace,
    /// Rows about the viewer, if near.
    rows: Option<[i32; 2]>,
    urgency: f32,
}

#[derive(Default)]
struct Loaded {
    /// The rows that are loaded, and the bytes that each was counted with.
    rows: BTreeMap<i32, usize>,
    /// The surface is loaded, not only what an edit needed.
    surface: bool,
}

impl Loaded {
    fn satisfies(&self, wish: &Wish) -> bool {
        let has = |row: i32| self.rows.contains_key(&row);
        self.surface && wish.rows.is_none_or(|[low, high]| (low..=high).all(has))
    }
}

/// A column that was made.
struct Made {
    place: ColumnPlace,
    bricks: Vec<(ChunkPosition, Brick)>,
}

struct Job {
    /// What it makes is not taken in: nobody wants it, or it may be from before an edit.
    cancelled: Arc<AtomicBool>,
}

/// The state of streaming between calls.
pub(crate) struct Streamer {
    loaded: HashMap<ColumnPlace, Loaded>,
    jobs: HashMap<ColumnPlace, Job>,
    wishes: VecDeque<Wish>,
    /// The viewers the wishes were made for.
    planned: Vec<Viewer>,
    made: VecDeque<Made>,
    sender: Sender<Made>,
    receiver: Mutex<Receiver<Made>>,
    materials: Arc<MaterialTable>,
    memory: usize,
    /// The revision of the world up to which edits are counted.
    counted: u64,
    /// No column further than this is loaded, since memory ran out.
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
            sender,
            receiver: Mutex::new(receiver),
            materials: Arc::default(),
            memory: 0,
            counted: 0,
            limit: f32::MAX,
        }
    }
}

/// Does a job that waits for this very thread, where it is one of the pool's: whether there was one.
fn has_worked() -> bool {
    rayon::yield_now() == Some(rayon::Yield::Executed)
}

impl Drop for Streamer {
    /// Waits for what runs, so that whoever opens the world next finds its store closed.
    fn drop(&mut self) {
        self.cancel(|_| true);
        while !self.jobs.is_empty() {
            if !has_worked() {
                self.wait();
            }
            self.receive();
        }
    }
}

impl World {
    /// Loads and unloads terrain about viewers; call it every tick or frame.
    pub fn stream(&mut self, viewers: &[Viewer], settings: &StreamSettings) -> StreamReport {
        let Some(source) = self
            .archive
            .source
            .clone()
            .filter(|source| source.generator.is_some())
        else {
            return StreamReport::default();
        };
        let mut report = StreamReport::default();
        let mut streamer = self.archive.streamer.take().unwrap_or_default();
        if streamer.materials.len() != self.materials().len() {
            streamer.materials = Arc::new(self.materials().clone());
        }
        streamer.receive();
        if streamer.needs_plan(viewers) {
            streamer.plan(viewers);
            report.unloaded += streamer.unload_unwanted(self, viewers);
        }
        report.loaded = streamer.take_in(self, settings.chunks_per_call);
        streamer.count_changes(self);
        report.unloaded += streamer.keep_budget(self, viewers, settings.memory);
        streamer.start_jobs(&source);
        report.waiting = streamer.wishes.len() + streamer.jobs.len() + streamer.made.len();
        report.memory = streamer.memory;
        let reach = viewers.iter().map(reach_of).fold(0.0, f32::max);
        report.reach = reach.min(streamer.limit);
        self.archive.streamer = Some(streamer);
        report
    }

    /// As [`World::stream`], but waits until all that the viewers want is there.
    pub fn stream_wholly(&mut self, viewers: &[Viewer], settings: &StreamSettings) -> StreamReport {
        let mut total = StreamReport::default();
        loop {
            let report = self.stream(viewers, settings);
            total = StreamReport {
                loaded: total.loaded + report.loaded,
                unloaded: total.unloaded + report.unloaded,
                ..report
            };
            if report.waiting == 0 {
                return total;
            }
            if report.loaded == 0
                && !has_worked()
                && let Some(streamer) = &mut self.archive.streamer
            {
                streamer.wait();
            }
        }
    }

    /// Counts a chunk that was loaded otherwise.
    pub(crate) fn note_loaded(&mut self, chunk: ChunkPosition) {
        let bytes = bytes_at(self, chunk);
        let streamer = self.archive.streamer.get_or_insert_default();
        streamer.note(chunk, bytes);
    }

    /// Counts a chunk no longer that was unloaded otherwise.
    pub(crate) fn note_unloaded(&mut self, chunk: ChunkPosition) {
        // While it streams, the streamer itself unloads.
        if let Some(streamer) = &mut self.archive.streamer {
            streamer.forget(chunk);
        }
    }
}

/// What a loaded chunk takes.
fn bytes_at(world: &World, chunk: ChunkPosition) -> usize {
    let brick = world.brick_at(chunk).map(|id| world.brick(id));
    CHUNK_BYTES + brick.map_or(0, Brick::heap_bytes)
}

impl Streamer {
    fn note(&mut self, chunk: ChunkPosition, bytes: usize) {
        let column = self.loaded.entry([chunk.x, chunk.z]).or_default();
        if let Entry::Vacant(row) = column.rows.entry(chunk.y) {
            row.insert(bytes);
            self.memory += bytes;
        }
    }

    /// Counts chunks again that changed since they were counted.
    fn count_changes(&mut self, world: &World) {
        for id in world.changes_since(self.counted) {
            let place = world.place_of(id);
            let column = self.loaded.get_mut(&[place.x, place.z]);
            if world.owner(id) == Owner::Terrain
                && let Some(bytes) = column.and_then(|column| column.rows.get_mut(&place.y))
            {
                self.memory -= *bytes;
                *bytes = bytes_at(world, place);
                self.memory += *bytes;
            }
        }
        self.counted = world.revision();
    }

    /// A chunk was unloaded otherwise: what viewers want is planned anew.
    fn forget(&mut self, chunk: ChunkPosition) {
        let place = [chunk.x, chunk.z];
        if let Some(column) = self.loaded.get_mut(&place) {
            column.surface = false;
            self.memory -= column.rows.remove(&chunk.y).unwrap_or(0);
        }
        self.abandon(place);
        self.planned.clear();
    }

    /// Whether viewers moved or turned far enough for another plan.
    fn needs_plan(&self, viewers: &[Viewer]) -> bool {
        let differs = |(now, then): (&Viewer, &Viewer)| {
            let moved = chunk_of(now.position.cell) != chunk_of(then.position.cell);
            let turned =
                direction(now.look).dot(&direction(then.look)) < 0.8 && now.look != then.look;
            moved || turned || reach_of(now) != reach_of(then)
        };
        viewers.len() != self.planned.len() || viewers.iter().zip(&self.planned).any(differs)
    }

    fn plan(&mut self, viewers: &[Viewer]) {
        self.planned = viewers.to_vec();
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
        // What is made waits to be taken in: more of it would only be made for a place that is left by then.
        while self.jobs.len() + self.made.len() < most
            && let Some(wish) = self.wishes.pop_front()
        {
            if self.jobs.contains_key(&wish.place) {
                // What runs may hold too little or be cancelled: ask again when it is done.
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
            rayon::spawn(move || {
                let made = make(&wish, &have, &source, &materials, &cancelled);
                drop(source);
                // Nobody listens once the world is gone.
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

    /// Keeps what a job made until it is taken in.
    fn arrive(&mut self, made: Made) {
        let job = self.jobs.remove(&made.place);
        if job.is_some_and(|job| !job.cancelled.load(Ordering::Relaxed)) {
            self.made.push_back(made);
        }
    }

    /// Drops what is made of a column: of what is unloaded meanwhile it may hold what was there before an edit.
    fn abandon(&mut self, place: ColumnPlace) {
        if let Some(job) = self.jobs.get(&place) {
            job.cancelled.store(true, Ordering::Relaxed);
        }
        self.made.retain(|made| made.place != place);
    }

    /// Sleeps until a column is made.
    fn wait(&mut self) {
        let made = {
            let receiver = self.receiver.lock().unwrap_or_else(PoisonError::into_inner);
            receiver.recv_timeout(Duration::from_millis(100))
        };
        if let Ok(made) = made {
            self.arrive(made);
        }
    }

    /// Puts made columns into the world, at least one and about `most` chunks.
    fn take_in(&mut self, world: &mut World, most: usize) -> usize {
        let mut batch = Vec::new();
        while batch.len() < most.max(1)
            && let Some(made) = self.made.pop_front()
        {
            let column = self.loaded.entry(made.place).or_default();
            column.surface = true;
            // What was loaded meanwhile may have been edited: it stays. Nothing was unloaded since the job began.
            let fresh = made.bricks.into_iter();
            batch.extend(fresh.filter(|(chunk, _)| world.brick_at(*chunk).is_none()));
        }
        let chunks: Vec<ChunkPosition> = batch.iter().map(|(chunk, _)| *chunk).collect();
        if !batch.is_empty() {
            world.put_bricks(batch);
        }
        for &chunk in &chunks {
            self.note(chunk, bytes_at(world, chunk));
        }
        chunks.len()
    }

    fn unload_unwanted(&mut self, world: &mut World, viewers: &[Viewer]) -> usize {
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
            .map(|place| self.unload(world, place))
            .sum()
    }

    fn unload(&mut self, world: &mut World, place: ColumnPlace) -> usize {
        let Some(column) = self.loaded.remove(&place) else {
            return 0;
        };
        self.memory -= column.rows.values().sum::<usize>();
        self.abandon(place);
        for &row in column.rows.keys() {
            world.remove_brick(ChunkPosition::new(place[0], row, place[1]));
        }
        column.rows.len()
    }

    /// Unloads the furthest columns while there is too much, and keeps further ones from coming back.
    fn keep_budget(&mut self, world: &mut World, viewers: &[Viewer], budget: usize) -> usize {
        if self.memory <= budget {
            // Room again: let the reach grow back with the next plan.
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
            unloaded += self.unload(world, place);
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

/// From a viewer to the middle of a column, on the ground plane, metres.
fn distance(viewer: &Viewer, place: ColumnPlace) -> f32 {
    towards(viewer, place).norm()
}

fn towards(viewer: &Viewer, place: ColumnPlace) -> Vector3<f32> {
    let middle = |chunk: i32, cell: i32| (i64::from(chunk) * 32 + 16 - i64::from(cell)) as f32;
    let cell = viewer.position.cell;
    Vector3::new(middle(place[0], cell.x), 0.0, middle(place[1], cell.z))
}

/// How far a viewer sees; one whose reach is no number sees nothing.
fn reach_of(viewer: &Viewer) -> f32 {
    if viewer.reach > 0.0 {
        viewer.reach.min(MOST_REACH)
    } else {
        0.0
    }
}

/// What a viewer wants of a column, if it is in reach.
fn wish(viewer: &Viewer, place: ColumnPlace, reach: f32) -> Option<Wish> {
    let way = towards(viewer, place);
    let distance = way.norm();
    // Beyond the ends of the cells there is nothing to load.
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

/// Makes the chunks of a column that are not there yet; not all of them if it is cancelled. Runs on any thread.
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
    let Some(generator) = source
        .generator
        .as_ref()
        .filter(|_| !cancelled.load(Ordering::Relaxed))
    else {
        return made;
    };
    let column = generator.column(x, z);
    let surface = column.surface_rows();
    let near = wish.rows.unwrap_or([surface.lowest, surface.highest]);
    let (mut low, mut high) = (near[0], near[1]);
    // Whoever is near the surface has all that lies between.
    if low <= surface.highest + FAR_ROWS && high >= surface.lowest - FAR_ROWS {
        (low, high) = (low.min(surface.lowest), high.max(surface.highest));
    }
    let mut rows: Vec<i32> = (surface.lowest..=surface.highest).collect();
    rows.extend(low..=high);
    rows.extend(source.edited_rows(x, z));
    rows.sort_unstable();
    rows.dedup();
    let mut buffer = Buffer::default();
    for row in rows.into_iter().rev().filter(|row| !have.contains(row)) {
        if cancelled.load(Ordering::Relaxed) {
            return made;
        }
        let chunk = ChunkPosition::new(x, row, z);
        // The status tells what a store fails to give; an edited chunk is then better missing than wrong.
        let Ok(saved) = source.saved(chunk) else {
            continue;
        };
        let voxels = saved.unwrap_or_else(|| generator.voxels_of(&column, row, &mut buffer));
        made.bricks.push((chunk, Brick::new(voxels, materials)));
    }
    made
}
