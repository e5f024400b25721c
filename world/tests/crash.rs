//! Kills a process that edits, two hundred times at random moments, and opens what is left.
//!
//! Edit `n` is a pure function of `n`, so the state after any number of edits can be worked out independently. What is
//! found after a kill must be the state after *some* number of edits, exactly, and that number may lag behind what the
//! process had reported only by edits younger than a quarter of a second.
#![allow(clippy::unwrap_used)]

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use collision::{Cell, Position};
use nalgebra::Vector3;
use world::{Author, Brush, CellBox, Material, World};

const KILLS: u64 = 200;
const LANES: u64 = 4;
/// Edits that had been made for so long must not be lost.
const PROMISE: Duration = Duration::from_millis(250);
/// How the child knows what to do.
const CHILD: &str = "WORLD_CRASH_CHILD";

fn bounds() -> CellBox {
    CellBox::new(Cell::repeat(0), Cell::new(95, 31, 63))
}

fn ground(cell: Cell) -> Material {
    if cell.y < 12 {
        Material::STONE
    } else {
        Material::AIR
    }
}

fn mix(mut bits: u64) -> u64 {
    for _ in 0..2 {
        bits = (bits ^ (bits >> 31)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
    bits ^ (bits >> 29)
}

struct Edit {
    cell: Cell,
    radius: i32,
    material: Material,
}

/// A voxel that every edit changes, out of reach of the balls.
fn counter(number: u64) -> Material {
    if number.is_multiple_of(2) {
        Material::GOLD
    } else {
        Material::IRON
    }
}

/// The ball of edit `n`.
fn edit(number: u64) -> Edit {
    let bits = mix(number + 1);
    let part = |shift: u32, side: u64| ((bits >> shift & 0xffff) % side) as i32;
    let cell = Cell::new(part(0, 96), 4 + part(16, 28), part(32, 64));
    let radius = if number.is_multiple_of(5) { 3 } else { 0 };
    Edit {
        cell,
        radius,
        material: Material(20 + (number % 16) as u16),
    }
}

fn apply(world: &mut World, number: u64) {
    let edit = edit(number);
    let brush = Brush::sphere(
        Position::new(edit.cell, Vector3::repeat(0.5)),
        edit.radius as f32,
    );
    let chunks = brush.chunks().unwrap();
    world.transact(Author::default(), |writer| {
        writer.set(Cell::zeros(), counter(number));
        for z in chunks.min.z..=chunks.max.z {
            for y in chunks.min.y..=chunks.max.y {
                for x in chunks.min.x..=chunks.max.x {
                    let chunk = Cell::new(x, y, z);
                    brush.visit_chunk(chunk, |row, mask| {
                        writer.fill_chunk_row(chunk, row, mask, edit.material);
                    });
                }
            }
        }
    });
}

/// The state after so many edits, by brute force.
fn expected(edits: u64) -> Vec<Material> {
    let high = bounds().max;
    let mut all = Vec::new();
    for z in 0..=high.z {
        for y in 0..=high.y {
            all.extend((0..=high.x).map(|x| ground(Cell::new(x, y, z))));
        }
    }
    for number in 0..edits {
        all[0] = counter(number);
        let edit = edit(number);
        let low = edit.cell.add_scalar(-edit.radius).sup(&Cell::zeros());
        let top = edit.cell.add_scalar(edit.radius).inf(&high);
        for z in low.z..=top.z {
            for y in low.y..=top.y {
                for x in low.x..=top.x {
                    let way = Cell::new(x, y, z) - edit.cell;
                    if way.dot(&way) <= edit.radius * edit.radius {
                        all[((z * 32 + y) * 96 + x) as usize] = edit.material;
                    }
                }
            }
        }
    }
    all
}

fn found(world: &World) -> Vec<Material> {
    let high = bounds().max;
    let mut all = Vec::new();
    for z in 0..=high.z {
        for y in 0..=high.y {
            all.extend((0..=high.x).map(|x| world.material(Cell::new(x, y, z)).unwrap()));
        }
    }
    all
}

/// How many edits the world holds: its history numbers them from 1.
fn count(world: &World) -> u64 {
    world
        .history()
        .entries()
        .next_back()
        .map_or(0, |entry| entry.sequence)
}

/// The other process: edits until it is killed, and says which edits it has made.
#[test]
fn child_edits_until_killed() {
    let Ok(order) = std::env::var(CHILD) else {
        return;
    };
    let (pace, path) = order.split_once(' ').unwrap();
    let mut world = World::open(path).unwrap();
    let mut out = std::io::stdout().lock();
    for number in count(&world).. {
        apply(&mut world, number);
        writeln!(out, "edit {number}").unwrap();
        out.flush().unwrap();
        match pace {
            // Nearly always in the middle of a commit.
            "flush" => world.flush().unwrap(),
            _ => std::thread::sleep(Duration::from_millis(number % 4)),
        }
    }
}

struct Round {
    /// Edits that were reported more than [`PROMISE`] before the kill.
    promised: u64,
    reported: u64,
}

/// Runs a child for a while and kills it.
fn run_and_kill(path: &Path, pace: &str, life: Duration, slack: &AtomicU64) -> Round {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "child_edits_until_killed", "--nocapture"])
        .env(CHILD, format!("{pace} {}", path.display()))
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let (sender, receiver) = channel();
    let reader = std::thread::spawn(move || {
        for line in lines.map_while(Result::ok) {
            let number = line
                .rsplit_once("edit ")
                .and_then(|(_, number)| number.parse::<u64>().ok());
            if let Some(number) = number {
                let _ = sender.send((Instant::now(), number));
            }
        }
    });
    let first = receiver.recv().expect("the child makes an edit");
    std::thread::sleep(life);
    let killed = Instant::now();
    child.kill().unwrap();
    child.wait().unwrap();
    reader.join().unwrap();
    let promise = PROMISE + Duration::from_millis(slack.load(Ordering::Relaxed).min(750));
    let reports: Vec<_> = std::iter::once(first).chain(receiver.try_iter()).collect();
    let old = reports.iter().filter(|(at, _)| *at + promise < killed);
    Round {
        promised: old.map(|(_, number)| number + 1).max().unwrap_or(0),
        reported: reports
            .iter()
            .map(|(_, number)| number + 1)
            .max()
            .unwrap_or(0),
    }
}

fn check(path: &Path, round: &Round) -> u64 {
    let world = World::open(path).expect("every world opens");
    assert_eq!(world.save_status().damaged, []);
    let edits = count(&world);
    assert!(
        edits >= round.promised,
        "{edits} edits, {} were promised",
        round.promised
    );
    // The last edit may have been made, but not yet reported.
    assert!(
        edits <= round.reported + 1,
        "{edits} edits, {} were reported",
        round.reported
    );
    let state = found(&world);
    assert!(
        state == expected(edits),
        "not the state after {edits} edits"
    );
    let at = |cell: Cell| state[((cell.z * 32 + cell.y) * 96 + cell.x) as usize];
    let scratch = World::from_voxels(bounds(), at);
    for (chunk, id) in world.loaded_chunks() {
        let twin = scratch.brick(scratch.brick_at(chunk).unwrap());
        assert_eq!(
            world.brick(id).collision_surface(),
            twin.collision_surface()
        );
        assert_eq!(world.brick(id).render_surface(), twin.render_surface());
    }
    edits
}

/// A machine under load stalls everyone; what it stalls us by is no fault of the saver. Measures how late a sleeper
/// wakes and how long the disk takes, in milliseconds.
fn measure_stalls(folder: &Path, slack: &AtomicU64, done: &AtomicU64) {
    let probe = folder.join(format!("world-crash-{}-probe", std::process::id()));
    while done.load(Ordering::Relaxed) < LANES {
        let start = Instant::now();
        std::thread::sleep(Duration::from_millis(5));
        let mut late = start.elapsed().as_millis() as u64 - 5;
        if let Ok(mut file) = std::fs::File::create(&probe) {
            let start = Instant::now();
            let written = file.write_all(&[0; 4096]).and_then(|()| file.sync_all());
            // A commit syncs about twice, and may wait for one that runs.
            late += written.map_or(0, |()| start.elapsed().as_millis() as u64 * 4);
        }
        slack.fetch_max(late, Ordering::Relaxed);
    }
    let _ = std::fs::remove_file(probe);
}

fn lane(lane: u64, path: &PathBuf, slack: &AtomicU64) {
    let _ = std::fs::remove_file(path);
    let mut world = World::from_voxels(bounds(), ground);
    world.save_as(path).unwrap();
    drop(world);
    for kill in 0..KILLS / LANES {
        let bits = mix(lane * 1000 + kill + 77);
        let pace = if kill % 2 == 0 { "flush" } else { "steady" };
        // A quarter of the lives are longer than the promise.
        let short = Duration::from_millis(bits % 120);
        let long = PROMISE + short + Duration::from_millis(slack.load(Ordering::Relaxed).min(750));
        let life = if kill % 4 == 1 { long } else { short };
        let round = run_and_kill(path, pace, life, slack);
        let edits = check(path, &round);
        // Short files keep the brute force short.
        if edits > 3_000 {
            std::fs::remove_file(path).unwrap();
            World::from_voxels(bounds(), ground).save_as(path).unwrap();
        }
    }
    // What was undone after all of this is gone as well.
    let mut world = World::open(path).unwrap();
    let edits = count(&world);
    if edits > 0 {
        world.undo(Author::default()).unwrap();
        assert!(found(&world) == expected(edits - 1));
    }
    drop(world);
    std::fs::remove_file(path).unwrap();
}

#[test]
fn killed_at_any_moment_a_world_keeps_all_but_the_last_quarter_second() {
    if std::env::var(CHILD).is_ok() {
        return;
    }
    let folder = std::env::temp_dir();
    let (slack, done) = (AtomicU64::new(0), AtomicU64::new(0));
    std::thread::scope(|scope| {
        scope.spawn(|| measure_stalls(&folder, &slack, &done));
        for number in 0..LANES {
            let path = folder.join(format!("world-crash-{}-{number}.world", std::process::id()));
            let (slack, done) = (&slack, &done);
            scope.spawn(move || {
                let result = std::panic::catch_unwind(|| lane(number, &path, slack));
                done.fetch_add(1, Ordering::Relaxed);
                result.unwrap();
            });
        }
    });
}
