//! Shows a server without a window: 5,000 characters at 60 Hz on streamed land, 64 of them viewers,
//! 100 edits a second, saved as they are made, and a backup under way. Prints how long its ticks
//! take, and how many are late.
//!
//! `cargo run --release -p world --example server [SECONDS]`

use collision::{Character, CharacterId, Crowd, Intent, Position};
use nalgebra::Vector3;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use world::{Backup, Brush, Material, Mode, Ray, StreamSettings, Viewer, World};

const TICK: Duration = Duration::from_nanos(16_666_667);
const SECONDS: f32 = 1.0 / 60.0;
/// The characters stand in groups about the viewers, a group's members this far apart, in metres.
const GROUPS: u32 = 64;
const MEMBERS: u32 = 78;
const APART: f32 = 2.5;
/// Distance between the groups, in metres.
const BETWEEN: f32 = 60.0;
/// Reach of a viewer, in metres.
const REACH: f32 = 48.0;
/// Edits a second.
const EDITS: u32 = 100;
/// Seconds between two backups.
const BACKUP_EVERY: u32 = 10;

/// The phases of a tick, in order.
const PHASES: [&str; 5] = ["stream", "edit", "wish", "crowd", "backup"];

struct Server {
    world: World,
    crowd: Crowd,
    ids: Vec<CharacterId>,
    intents: Vec<(CharacterId, Intent)>,
    tick: u32,
    edits: u32,
    folder: PathBuf,
    backup: Option<Backup>,
    backups: u32,
}

impl Server {
    fn open(folder: &Path) -> Result<Self, Box<dyn Error>> {
        let world = World::create(folder.join("server.voxels"), 42)?;
        let mut server = Self {
            world,
            crowd: Crowd::new(),
            ids: Vec::new(),
            intents: Vec::new(),
            tick: 0,
            edits: 0,
            folder: folder.to_owned(),
            backup: None,
            backups: 0,
        };
        let start = server.world.spawn().ok_or("the land has no start")?.cell;
        let start = Position::new(start.into(), Vector3::repeat(0.5));
        for group in 0..GROUPS {
            server.settle(group, start)?;
        }
        Ok(server)
    }

    /// Loads the land of a group, and puts its members onto it.
    fn settle(&mut self, group: u32, start: Position) -> Result<(), Box<dyn Error>> {
        let side = (f64::from(GROUPS)).sqrt() as u32;
        let [x, z] = [group % side, group / side].map(|place| place as f32 * BETWEEN);
        let middle = start.moved(Vector3::new(x, 0.0, z));
        let mut viewers = self.viewers();
        viewers.push(viewer(middle));
        self.world
            .stream_wholly(&viewers, &StreamSettings::default());
        for member in 0..MEMBERS {
            let [x, z] = [member % 9, member / 9].map(|place| (place as f32 - 4.0) * APART);
            let above = middle.moved(Vector3::new(x, 150.0, z));
            let down = Ray {
                origin: above,
                direction: -Vector3::y(),
            };
            let hit = self.world.cast_ray(&down, 400.0).ok_or("no ground")?;
            let at = above.moved(Vector3::y() * (0.95 - hit.distance as f32));
            self.ids.push(self.crowd.try_add(Character::at(at))?);
        }
        Ok(())
    }

    /// The first of each group sees.
    fn viewers(&self) -> Vec<Viewer> {
        let first = self.ids.iter().step_by(MEMBERS as usize);
        let places = first.filter_map(|&id| self.crowd.position(id));
        places.map(viewer).collect()
    }

    /// Plays one tick. Returns the seconds of its phases.
    fn step(&mut self) -> Result<[f64; 5], Box<dyn Error>> {
        let mut clock = Clock::default();
        self.world
            .stream(&self.viewers(), &StreamSettings::default());
        clock.lap();
        self.edit();
        clock.lap();
        self.wish();
        clock.lap();
        self.crowd.tick(&self.world, &self.intents, SECONDS);
        clock.lap();
        self.back_up()?;
        clock.lap();
        self.tick += 1;
        Ok(clock.laps)
    }

    /// Members of the groups dig and build near themselves.
    fn edit(&mut self) {
        while self.edits * 60 < self.tick * EDITS {
            self.edits += 1;
            let bits = mixed(self.edits);
            let who = self.ids[bits as usize % self.ids.len()];
            let Some(at) = self.crowd.position(who) else {
                continue;
            };
            let away = Vector3::new(
                (bits >> 8 & 7) as f32 - 3.5,
                -2.0,
                (bits >> 11 & 7) as f32 - 3.5,
            );
            let cell = at.moved(away).cell;
            let brush = Brush::Box {
                from: cell,
                to: cell,
            };
            let material = [Material::AIR, Material::STONE][(bits >> 20 & 1) as usize];
            self.world.edit(&brush, Mode::Set, material);
        }
    }

    /// Groups walk away from each other and back, their members in zigzags.
    fn wish(&mut self) {
        self.intents.clear();
        let half_minutes = self.tick / 1_800;
        for (number, &id) in (0..).zip(&self.ids) {
            let group = mixed(number / MEMBERS) as f32;
            let own = mixed(number + self.tick / 60 * 7_919) as f32;
            let turn =
                group + (own % 100.0 - 50.0) / 50.0 + half_minutes as f32 * std::f32::consts::PI;
            let way = Vector3::new(turn.cos(), 0.0, turn.sin()) * 4.0;
            let jump = if (own as u32).is_multiple_of(16) {
                5.0
            } else {
                0.0
            };
            self.intents.push((id, Intent::walk(way).jumping(jump)));
        }
    }

    /// Begins a backup now and then, and drops the one before when it is written.
    fn back_up(&mut self) -> Result<(), Box<dyn Error>> {
        if self.backup.as_ref().is_some_and(Backup::is_written)
            && let Some(backup) = self.backup.take()
        {
            backup.wait()?;
            self.backups += 1;
        }
        if self.backup.is_none() && self.tick % (BACKUP_EVERY * 60) == BACKUP_EVERY * 30 {
            let path = self.folder.join(format!("backup-{}.voxels", self.backups));
            self.backup = Some(self.world.begin_backup(path)?);
        }
        Ok(())
    }

    /// Waits until all is on the disk.
    fn close(&mut self) -> Result<(), Box<dyn Error>> {
        if let Some(backup) = self.backup.take() {
            backup.wait()?;
            self.backups += 1;
        }
        Ok(self.world.flush()?)
    }
}

fn viewer(position: Position) -> Viewer {
    Viewer {
        position,
        look: Vector3::zeros(),
        reach: REACH,
    }
}

/// Returns 24 bits that look random.
fn mixed(number: u32) -> u32 {
    let bits = (number ^ 0x5bd1).wrapping_mul(0x9e37_79b1);
    (bits ^ bits >> 15).wrapping_mul(0x85eb_ca77) >> 8
}

/// Measures the phases of a tick.
struct Clock {
    last: Instant,
    laps: [f64; 5],
    next: usize,
}

impl Default for Clock {
    fn default() -> Self {
        Self {
            last: Instant::now(),
            laps: [0.0; 5],
            next: 0,
        }
    }
}

impl Clock {
    fn lap(&mut self) {
        self.laps[self.next] = self.last.elapsed().as_secs_f64();
        self.last = Instant::now();
        self.next += 1;
    }
}

/// Prints the median, the 99th percentile and the longest of some times, in milliseconds.
fn tell(name: &str, mut times: Vec<f64>) {
    times.sort_unstable_by(f64::total_cmp);
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize] * 1e3;
    let (middle, late, most) = (at(0.5), at(0.99), at(1.0));
    println!("{name:8} p50 {middle:7.2} ms   p99 {late:7.2} ms   max {most:7.2} ms");
}

fn main() -> Result<(), Box<dyn Error>> {
    let seconds = std::env::args().nth(1);
    let seconds: u32 = seconds.map_or(Ok(60), |word| word.parse())?;
    let folder = std::env::temp_dir().join(format!("server-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let played = play(&folder, seconds);
    std::fs::remove_dir_all(&folder)?;
    played
}

fn play(folder: &Path, seconds: u32) -> Result<(), Box<dyn Error>> {
    let mut server = Server::open(folder)?;
    println!(
        "{} characters, {GROUPS} viewers, {EDITS} edits a second, {} chunks",
        server.crowd.len(),
        server.world.loaded_chunks().count()
    );
    let (mut ticks, mut due) = (Vec::new(), Instant::now());
    for _ in 0..seconds.max(1) * 60 {
        ticks.push(server.step()?);
        due = (due + TICK).max(Instant::now());
        std::thread::sleep(due.saturating_duration_since(Instant::now()));
    }
    for (phase, name) in PHASES.into_iter().enumerate() {
        tell(name, ticks.iter().map(|laps| laps[phase]).collect());
    }
    let whole: Vec<f64> = ticks.iter().map(|laps| laps.iter().sum()).collect();
    let late = whole
        .iter()
        .filter(|&&took| took > TICK.as_secs_f64())
        .count();
    tell("tick", whole);
    server.close()?;
    println!(
        "{late} of {} ticks late, {} edits, {} backups",
        ticks.len(),
        server.edits,
        server.backups
    );
    Ok(())
}
