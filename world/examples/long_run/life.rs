//! One life of the world, in a process of its own: opens it, compares it with the edits made, and
//! plays until it is killed or told to end.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use collision::{Body, Cell, Character, CharacterId, Crowd, Intent, Position};
use nalgebra::Vector3;
use world::{Author, ChunkPosition, Material, Ray, StreamSettings, Viewer, World};

use crate::acts::{Model, RATE, edit, mix};

const ORDERS: &str = "WORLD_LONG_RUN";
const CROWD: i32 = 5_000;
/// Side of the square of the crowd, in characters, and their distance, in metres.
const SIDE: i32 = 71;
const APART: f64 = 2.4;
/// Distance from the start at which walkers turn back, in metres.
const HOME: f32 = 90.0;
const TICK: Duration = Duration::from_nanos(16_666_667);
/// Edits at most in a tick, after a stall.
const MOST_EDITS: u64 = 200;
/// Edits of a tick that may be in the file although the count of its end is not.
const UNCOUNTED: u64 = 2 * MOST_EDITS;
/// Memory of the history, in bytes.
const HISTORY: usize = 4 << 20;
/// Depth of a character in a solid voxel that counts as a fault, in metres: the limit of the mover
/// and the rounding of this check.
const TOO_DEEP: f64 = 1.1e-4;
/// Ticks between two checks, and between two samples.
const CHECK_EVERY: u64 = 60;
const SAMPLE_EVERY: u64 = 300;
/// Ticks between two reports of the number of edits.
const TELL_EVERY: u64 = 3;

/// The orders of the process that kills.
pub(crate) struct Orders {
    seed: u64,
    promised: u64,
    path: PathBuf,
}

pub(crate) fn orders(path: &Path, seed: u64, promised: u64) -> [(&'static str, String); 1] {
    [(ORDERS, format!("{seed} {promised} {}", path.display()))]
}

impl Orders {
    pub(crate) fn read() -> Option<Self> {
        let orders = std::env::var(ORDERS).ok()?;
        let mut parts = orders.splitn(3, ' ');
        Some(Orders {
            seed: parts.next()?.parse().ok()?,
            promised: parts.next()?.parse().ok()?,
            path: parts.next()?.into(),
        })
    }
}

fn tell(line: &str) {
    let mut out = std::io::stdout().lock();
    // Without a listener the life ends soon.
    let _ = writeln!(out, "{line}").and_then(|()| out.flush());
}

struct Life {
    world: World,
    crowd: Crowd,
    intents: Vec<(CharacterId, Intent)>,
    start: Cell,
    edits: u64,
    tick: u64,
    born: Instant,
    times: Vec<f64>,
    waiting: usize,
    held: usize,
}

pub(crate) fn live(orders: &Orders) -> ExitCode {
    match Life::open(orders).and_then(|life| life.play(&orders.path)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) => {
            tell(&format!("fault {fault}"));
            ExitCode::FAILURE
        }
    }
}

impl Life {
    fn open(orders: &Orders) -> Result<Self, String> {
        let begun = Instant::now();
        let world = World::create(&orders.path, orders.seed).map_err(|it| it.to_string())?;
        let start = world.spawn().ok_or("it has no start")?.cell;
        let mut life = Life {
            world,
            crowd: Crowd::new(),
            intents: Vec::new(),
            start: Cell::from(start),
            edits: 0,
            tick: 0,
            born: Instant::now(),
            times: Vec::new(),
            waiting: 0,
            held: 0,
        };
        let took = begun.elapsed().as_millis();
        life.world.set_history_budget(HISTORY);
        let home = [life.viewers()[0]];
        life.world.stream_wholly(&home, &settings());
        life.compare(orders.promised)?;
        life.gather_crowd()?;
        tell(&format!("opened in {took} ms, with {} edits", life.edits));
        Ok(life)
    }

    /// Compares the world with the edits that it counts, and those that it may hold besides.
    fn compare(&mut self, promised: u64) -> Result<(), String> {
        let damaged = self.world.save_status().damaged;
        if !damaged.is_empty() {
            return Err(format!("damaged: {damaged:?}"));
        }
        let counted = self
            .world
            .kept_bytes("edits")
            .and_then(|it| it.try_into().ok());
        let counted = counted.map_or(0, u64::from_le_bytes);
        let mut model = Model::after(counted, self.start);
        while let Some(cell) = model.differs(|cell| self.world.material(cell)) {
            if model.number == counted + UNCOUNTED {
                return Err(format!("{counted} edits are counted, but {cell} differs"));
            }
            model.step();
        }
        // The last edits may have changed nothing.
        self.edits = model.number;
        while self.edits < promised && model.number < counted + UNCOUNTED {
            model.step();
            if model.differs(|cell| self.world.material(cell)).is_none() {
                self.edits = model.number;
            }
        }
        match self.edits < promised {
            true => Err(format!("{} edits of {promised} are there", self.edits)),
            false => Ok(()),
        }
    }

    /// Takes the crowd that the world keeps, or scatters a new one about the start.
    fn gather_crowd(&mut self) -> Result<(), String> {
        if let Some(kept) = self.world.kept_bytes("crowd") {
            return self.crowd.restore(kept).map_err(|it| it.to_string());
        }
        for number in 0..CROWD {
            let place = [number % SIDE, number / SIDE];
            let [x, z] = place.map(|at| f64::from(at - SIDE / 2) * APART);
            let start = Position::new(self.start, Vector3::repeat(0.5)).to_metres();
            let above = Position::from_metres(start + Vector3::new(x, 120.0, z));
            let down = Ray {
                origin: above,
                direction: -Vector3::y(),
            };
            let fall = self
                .world
                .cast_ray(&down, 400.0)
                .map_or(0.0, |hit| hit.distance);
            let at = above.moved(Vector3::new(0.0, 0.95 - fall as f32, 0.0));
            let character = Character::at(at).with_radii(0.4, 0.9);
            self.crowd.try_add(character).map_err(|it| it.to_string())?;
        }
        Ok(())
    }

    fn play(mut self, path: &Path) -> Result<(), String> {
        let ended = Arc::new(AtomicBool::new(false));
        let end = ended.clone();
        std::thread::spawn(move || {
            let _ = std::io::stdin().read_line(&mut String::new());
            end.store(true, Ordering::Relaxed);
        });
        self.born = Instant::now();
        let (first, mut due) = (self.edits, Instant::now());
        while !ended.load(Ordering::Relaxed) {
            let wanted = first + self.born.elapsed().as_millis() as u64 * RATE / 1_000;
            self.write(wanted.min(self.edits + MOST_EDITS))?;
            self.step();
            self.check(path)?;
            due = (due + TICK).max(Instant::now() - TICK);
            std::thread::sleep(due.saturating_duration_since(Instant::now()));
        }
        self.end(path)
    }

    fn write(&mut self, wanted: u64) -> Result<(), String> {
        for number in self.edits..wanted {
            let edit = edit(number, self.start);
            let report = self.world.transact(Author::default(), |writer| {
                edit.cells()
                    .for_each(|cell| writer.set(cell, edit.material));
            });
            if report.missed > 0 {
                return Err(format!("edit {number} was dropped"));
            }
        }
        self.edits = wanted;
        let kept = self.world.keep_bytes("edits", &wanted.to_le_bytes());
        kept.map_err(|error| error.to_string())
    }

    /// One tick: streaming, wishes and the crowd.
    fn step(&mut self) {
        let viewers = self.viewers();
        self.waiting = self.world.stream(&viewers, &settings()).waiting;
        self.choose();
        let begun = Instant::now();
        self.crowd.tick(&self.world, &self.intents, 1.0 / 60.0);
        self.times.push(begun.elapsed().as_secs_f64() * 1e6);
        self.tick += 1;
    }

    /// The first viewer stays at the start, the others fly about it.
    fn viewers(&self) -> [Viewer; 4] {
        let start = Position::new(self.start, Vector3::repeat(0.5));
        std::array::from_fn(|number| {
            let radius = 160.0 * number as f32;
            let speed = 25.0 / radius.max(1.0);
            let angle = self.tick as f32 / 60.0 * speed + 2.0 * number as f32;
            let [x, z] = [angle.cos(), angle.sin()].map(|share| radius * share);
            Viewer {
                position: start.moved(Vector3::new(x, 10.0, z)),
                look: Vector3::new(-z, 0.0, x),
                reach: if number == 0 { 150.0 } else { 90.0 },
            }
        })
    }

    /// Chooses the wishes of the tick: another way every second, and back home from afar.
    fn choose(&mut self) {
        self.intents.clear();
        let start = Position::new(self.start, Vector3::zeros());
        for (number, (id, body)) in self.crowd.bodies().enumerate() {
            let bits = mix(((number as u64) << 32) | ((self.tick + number as u64) / 60));
            let angle = (bits % 6_283) as f32 / 1_000.0;
            let away = body.position.since(&start);
            let mut way = Vector3::new(angle.cos(), 0.0, angle.sin());
            if away.xz().norm() > HOME {
                way = -Vector3::new(away.x, 0.0, away.z).normalize();
            }
            let intent = Intent::walk(way * (2.0 + (bits >> 20 & 3) as f32));
            let jumps = bits >> 30 & 15 == 0;
            self.intents
                .push((id, intent.jumping(if jumps { 6.0 } else { 0.0 })));
        }
    }

    fn check(&mut self, path: &Path) -> Result<(), String> {
        if self.tick.is_multiple_of(TELL_EVERY) {
            tell(&format!("edits {}", self.edits));
        }
        if self.tick.is_multiple_of(CHECK_EVERY) {
            self.check_crowd()?;
            let kept = self.world.keep_bytes("crowd", &self.crowd.save());
            kept.map_err(|error| error.to_string())?;
            if let Some(error) = self.world.save_status().error {
                return Err(format!("saving: {error}"));
            }
        }
        if self.tick.is_multiple_of(SAMPLE_EVERY) {
            self.sample(path);
        }
        Ok(())
    }

    fn check_crowd(&mut self) -> Result<(), String> {
        if self.crowd.len() != CROWD as usize {
            return Err(format!("{} characters are left", self.crowd.len()));
        }
        self.held = 0;
        for (id, body) in self.crowd.bodies() {
            let offset = body.position.offset;
            if !offset.iter().all(|part| part.is_finite()) {
                return Err(format!("{id:?} is at {offset}"));
            }
            if self.crowd.state(id).is_none_or(|state| state.is_held()) {
                self.held += 1;
                continue;
            }
            let depth = self.depth(&body);
            if depth > TOO_DEEP {
                let at = body.position.to_metres();
                return Err(format!("{id:?} is {depth} m inside a solid at {at}"));
            }
        }
        Ok(())
    }

    /// Returns the depth of an upright body in solid voxels, by brute force.
    fn depth(&self, body: &Body) -> f64 {
        let radii = Vector3::new(body.radii.across, body.radii.along, body.radii.across);
        let radii: Vector3<f64> = radii.cast();
        let offset: Vector3<f64> = body.position.offset.cast();
        let low = (offset - radii).map(|part| part.floor() as i32);
        let high = (offset + radii).map(|part| part.floor() as i32);
        let mut deepest = 0.0_f64;
        for (x, y, z) in (low.x..=high.x).flat_map(|x| {
            (low.y..=high.y).flat_map(move |y| (low.z..=high.z).map(move |z| (x, y, z)))
        }) {
            let cell = Cell::new(x, y, z);
            if self.is_solid(body.position.cell + cell) {
                let corner: Vector3<f64> = cell.cast::<f64>() - offset;
                let nearest =
                    Vector3::from_fn(|axis, _| 0.0_f64.clamp(corner[axis], corner[axis] + 1.0));
                deepest = deepest.max(depth_at(&nearest, &radii));
            }
        }
        deepest
    }

    fn is_solid(&self, cell: Cell) -> bool {
        let material = self.world.material(cell);
        material.is_some_and(|material| self.world.materials().info(material).solid)
    }

    fn sample(&mut self, path: &Path) {
        self.times.sort_by(f64::total_cmp);
        let at = |share: usize| self.times[(self.times.len() - 1) * share / 100];
        let (median, p99) = (at(50), at(99));
        self.times.clear();
        let handles = std::fs::read_dir("/proc/self/fd").map_or(0, Iterator::count);
        let file = path.metadata().map_or(0, |data| data.len() >> 10);
        tell(&format!(
            "sample {:.1} {} {} {handles} {file} {} {} {} {median:.0} {p99:.0}",
            self.born.elapsed().as_secs_f64(),
            self.edits,
            memory_kb(),
            self.world.loaded_chunks().count(),
            self.waiting,
            self.held,
        ));
    }

    /// Closes the world and opens it again: the file holds what was in memory.
    fn end(self, path: &Path) -> Result<(), String> {
        let chunks = self.world.edited_chunks();
        let kept = |world: &World| world.kept_bytes("crowd").map(<[u8]>::to_vec);
        let before = (digest(&self.world, &chunks), kept(&self.world));
        self.world.flush().map_err(|error| error.to_string())?;
        drop(self.world);
        let mut world = World::open(path).map_err(|error| error.to_string())?;
        for &chunk in &chunks {
            let corner = chunk * 32;
            let loaded = world.load(&world::CellBox::new(corner, corner));
            loaded.map_err(|error| error.to_string())?;
        }
        let after = (digest(&world, &chunks), kept(&world));
        match before == after {
            true => Ok(()),
            false => Err("the file differs from what was in memory".to_owned()),
        }
    }
}

fn settings() -> StreamSettings {
    StreamSettings {
        memory: 256 << 20,
        ..StreamSettings::default()
    }
}

/// Returns the depth of an ellipsoid about the origin at a point, along the normal there.
fn depth_at(point: &Vector3<f64>, radii: &Vector3<f64>) -> f64 {
    let scaled = point.component_div(radii);
    let distance = scaled.norm();
    if distance == 0.0 {
        return radii.min();
    }
    (1.0 - distance) / (scaled / distance).component_div(radii).norm()
}

/// Returns a hash of the loaded ones of some chunks.
fn digest(world: &World, chunks: &[ChunkPosition]) -> u64 {
    let (mut hash, mut all) = (DefaultHasher::new(), Vec::<Material>::new());
    for &chunk in chunks {
        if let Some(id) = world.brick_at(chunk) {
            all.clear();
            world.brick(id).voxels().read_all(&mut all);
            (
                chunk.as_slice(),
                all.iter().map(|it| it.0).collect::<Vec<_>>(),
            )
                .hash(&mut hash);
        }
    }
    hash.finish()
}

/// Returns the resident memory of this process; 0 where the system does not tell.
fn memory_kb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let word = line.and_then(|line| line.split_whitespace().next());
    word.and_then(|word| word.parse().ok()).unwrap_or(0)
}
