//! Edits on disk: our store (redb) against plain files: the cost of a save, and the losses by a
//! kill in the middle.
//!
//! Both keep the same chunks in the same encoding. An edit writes one voxel in each of two chunks,
//! so that half an edit is visible. The editing process is this program, started with a variable;
//! it reports each edit and is killed at a random moment.

use crate::random::Random;
use crate::row::{Row, median, percentile};
use collision::Cell;
use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};
use world::save::{MaterialNames, chunk_key, decode_chunk, encode_chunk};
use world::space::{chunk_of, place_in_chunk};
use world::{Author, CellBox, Material, World};

const VICTIM: &str = "PEERS_STORE_VICTIM";
/// Interval at which plain files are written: that of our commits.
const EVERY: Duration = Duration::from_millis(60);
const BETWEEN_EDITS: Duration = Duration::from_micros(400);
/// The two chunks of an edit, by their lowest corners.
const HALVES: [[i32; 3]; 2] = [[0, 0, 0], [64, 0, 32]];
const GROUND: i32 = 4;

#[derive(Clone, Copy, PartialEq)]
enum Keeper {
    Ours,
    /// Overwrites the file, like the simplest save.
    Files,
    /// Writes a new file, syncs, and renames it over the old one.
    Renamed,
}

const KEEPERS: [(Keeper, &str); 3] = [
    (Keeper::Ours, "ours"),
    (Keeper::Files, "plain files"),
    (Keeper::Renamed, "files, synced and renamed"),
];

pub fn rows(quick: bool) -> Vec<Row> {
    let mut rows = saves(if quick { 3 } else { 10 });
    let kills = if quick { 4 } else { 40 };
    rows.extend(KEEPERS.iter().filter_map(|&(keeper, name)| {
        losses(keeper, name, kills)
            .map_err(|error| eprintln!("store, {name}: {error}"))
            .ok()
    }));
    rows
}

fn bounds(side: i32) -> CellBox {
    CellBox::new(Cell::zeros(), Cell::new(side - 1, 31, side - 1))
}

fn world(side: i32) -> World {
    World::from_voxels(bounds(side), |cell| {
        if cell.y < GROUND {
            Material::STONE
        } else {
            Material::AIR
        }
    })
}

/// A folder that is deleted when dropped.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> std::io::Result<Self> {
        let path = std::env::temp_dir().join(format!("peers-{name}-{}", std::process::id()));
        let _old = fs::remove_dir_all(&path);
        fs::create_dir_all(&path)?;
        Ok(Self(path))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _gone = fs::remove_dir_all(&self.0);
    }
}

fn file_of(folder: &Path, chunk: Cell) -> PathBuf {
    folder.join(format!("{}.{}.{}", chunk.x, chunk.y, chunk.z))
}

fn write_file(folder: &Path, chunk: Cell, bytes: &[u8], keeper: Keeper) -> std::io::Result<()> {
    let path = file_of(folder, chunk);
    if keeper == Keeper::Files {
        return fs::write(path, bytes);
    }
    let beside = path.with_extension("new");
    let mut file = fs::File::create(&beside)?;
    file.write_all(bytes)?;
    file.sync_data()?;
    fs::rename(beside, path)
}

fn pack(world: &World, chunk: Cell, names: &MaterialNames) -> Vec<u8> {
    let brick = world.brick_at(chunk).map(|id| world.brick(id));
    brick.map_or(Vec::new(), |brick| {
        encode_chunk(&chunk_key(chunk), brick.voxels(), names)
    })
}

/// Measures milliseconds until an edit in each of 256 chunks is on disk.
fn saves(rounds: usize) -> Vec<Row> {
    const CHUNKS: i32 = 16;
    let mut times = [Vec::new(), Vec::new(), Vec::new()];
    let outcome = (|| -> Result<(), String> {
        let folder = Folder::new("saves").map_err(|error| error.to_string())?;
        let mut world = world(CHUNKS * 32);
        let kept = folder.0.join("ours.world");
        world.save_as(kept).map_err(|error| error.to_string())?;
        world.flush().map_err(|error| error.to_string())?;
        let names = MaterialNames::of(world.materials());
        let chunks: Vec<Cell> = (0..CHUNKS * CHUNKS)
            .map(|index| Cell::new(index % CHUNKS, 0, index / CHUNKS))
            .collect();
        for round in 0..rounds as i32 {
            let cell = Cell::new(round % 32, GROUND + 1 + round / 32, 3);
            world.transact(Author::default(), |writer| {
                chunks
                    .iter()
                    .for_each(|chunk| writer.set(chunk * 32 + cell, Material::LAMP));
            });
            for (index, (keeper, _)) in KEEPERS.iter().enumerate() {
                let begin = Instant::now();
                if *keeper == Keeper::Ours {
                    world.flush().map_err(|error| error.to_string())?;
                } else {
                    for &chunk in &chunks {
                        write_file(&folder.0, chunk, &pack(&world, chunk, &names), *keeper)
                            .map_err(|error| error.to_string())?;
                    }
                }
                times[index].push(begin.elapsed().as_secs_f64() * 1e3);
            }
        }
        Ok(())
    })();
    if let Err(error) = outcome {
        eprintln!("store: {error}");
        return Vec::new();
    }
    let named = KEEPERS.iter().zip(&mut times);
    named
        .map(|((_, name), times)| Row::timed("store.save.256", name, "ms", times))
        .collect()
}

/// Returns the voxel of an edit in one of its chunks.
fn cell_of(edit: u64, half: usize) -> Cell {
    let edit = edit as i32;
    let within = Cell::new(edit % 32, GROUND + 1 + edit / 1024, edit / 32 % 32);
    Cell::from(HALVES[half]) + within
}

const MOST_EDITS: u64 = 26 * 1024;

/// Runs the process to be killed, if the variable asks for it; otherwise returns `None`.
pub fn victim() -> Option<ExitCode> {
    let order = std::env::var(VICTIM).ok()?;
    let (number, folder) = order.split_once(':')?;
    let keeper = KEEPERS.get(number.parse::<usize>().ok()?)?.0;
    Some(match edit_until_killed(keeper, Path::new(folder)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    })
}

fn edit_until_killed(keeper: Keeper, folder: &Path) -> Result<(), String> {
    let mut world = world(96);
    if keeper == Keeper::Ours {
        world
            .save_as(folder.join("ours.world"))
            .map_err(|error| error.to_string())?;
        world.flush().map_err(|error| error.to_string())?;
    }
    let names = MaterialNames::of(world.materials());
    let mut dirty = BTreeSet::new();
    let (start, mut written) = (Instant::now(), Instant::now());
    let mut out = std::io::stdout().lock();
    for edit in 0..MOST_EDITS {
        world.transact(Author::default(), |writer| {
            (0..2).for_each(|half| writer.set(cell_of(edit, half), Material::LAMP));
        });
        for half in 0..2 {
            let chunk = chunk_of(cell_of(edit, half));
            dirty.insert([chunk.x, chunk.y, chunk.z]);
        }
        let told = writeln!(out, "{edit} {}", start.elapsed().as_micros());
        told.and_then(|()| out.flush())
            .map_err(|error| error.to_string())?;
        if keeper != Keeper::Ours && written.elapsed() > EVERY {
            for chunk in std::mem::take(&mut dirty) {
                let chunk = Cell::from(chunk);
                write_file(folder, chunk, &pack(&world, chunk, &names), keeper)
                    .map_err(|error| error.to_string())?;
            }
            written = Instant::now();
        }
        sleep(BETWEEN_EDITS);
    }
    Ok(())
}

/// The losses by a kill.
struct Left {
    /// Milliseconds of lost edits.
    lost: f64,
    /// Edits with only one of their halves present.
    halved: usize,
    /// Files or worlds that cannot be read.
    broken: usize,
}

fn losses(keeper: Keeper, name: &str, kills: usize) -> Result<Row, String> {
    let mut random = Random::new(9);
    let mut lost = Vec::new();
    let (mut halved, mut broken, mut whole) = (0, 0, 0);
    for _ in 0..kills {
        let left = kill_once(
            keeper,
            Duration::from_millis(random.below(250) as u64 + 250),
        )?;
        lost.push(left.lost);
        halved += usize::from(left.halved > 0);
        broken += usize::from(left.broken > 0);
        whole += usize::from(left.halved == 0 && left.broken == 0);
    }
    Ok(Row {
        median: median(&mut lost),
        p99: percentile(&mut lost, 0.99),
        runs: kills,
        passed: Some([whole, kills]),
        note: Some(format!(
            "lost at most {:.0} ms; {halved} kills left half an edit, {broken} an unreadable file",
            percentile(&mut lost, 1.0)
        )),
        ..Row::new("store.kill.lost", name, "ms")
    })
}

fn kill_once(keeper: Keeper, after: Duration) -> Result<Left, String> {
    let text = |error: std::io::Error| error.to_string();
    let folder = Folder::new("kill").map_err(text)?;
    let number = KEEPERS
        .iter()
        .position(|(other, _)| *other == keeper)
        .unwrap_or(0);
    let mut child = Command::new(std::env::current_exe().map_err(text)?)
        .env(VICTIM, format!("{number}:{}", folder.0.display()))
        .stdout(Stdio::piped())
        .spawn()
        .map_err(text)?;
    let told = listen(&mut child, after)?;
    let edits = found(keeper, &folder.0);
    let last = edits.whole;
    let end = told.last().copied().unwrap_or(0);
    let kept = if last == 0 {
        0
    } else {
        told.get(last - 1).copied().unwrap_or(end)
    };
    Ok(Left {
        lost: (end - kept) as f64 / 1e3,
        halved: edits.halved,
        broken: edits.broken,
    })
}

/// Reads the child's reports for a while, kills it, and returns the time of each edit in
/// microseconds.
fn listen(child: &mut Child, after: Duration) -> Result<Vec<u64>, String> {
    let out = child.stdout.take().ok_or("the child has no output")?;
    let reader = std::thread::spawn(move || {
        let lines = BufReader::new(out).lines().map_while(Result::ok);
        let time = |line: String| line.split_once(' ')?.1.parse::<u64>().ok();
        lines.filter_map(time).collect::<Vec<u64>>()
    });
    sleep(after);
    child.kill().map_err(|error| error.to_string())?;
    child.wait().map_err(|error| error.to_string())?;
    reader
        .join()
        .map_err(|_| "the listening thread failed".to_owned())
}

struct Edits {
    /// Number of edits that are completely present, from the first on.
    whole: usize,
    halved: usize,
    broken: usize,
}

fn found(keeper: Keeper, folder: &Path) -> Edits {
    let mut broken = 0;
    let mut holds: Box<dyn FnMut(Cell) -> bool> = if keeper == Keeper::Ours {
        match World::open(folder.join("ours.world")) {
            Ok(world) => Box::new(move |cell| world.material(cell) == Some(Material::LAMP)),
            Err(_) => {
                broken += 1;
                Box::new(|_| false)
            }
        }
    } else {
        let names = MaterialNames::of(world(32).materials());
        let mut chunks = Vec::new();
        for half in 0..2 {
            let chunk = chunk_of(cell_of(0, half));
            let kept = fs::read(file_of(folder, chunk)).ok();
            let read = kept.map(|bytes| decode_chunk(&chunk_key(chunk), &bytes, &names));
            broken += usize::from(matches!(read, Some(Err(_))));
            chunks.push(read.and_then(Result::ok));
        }
        Box::new(move |cell| {
            let half = usize::from(chunk_of(cell) == chunk_of(cell_of(0, 1)));
            let [x, y, z] = place_in_chunk(cell).into();
            chunks[half]
                .as_ref()
                .is_some_and(|voxels| voxels.get(x, y, z) == Material::LAMP)
        })
    };
    let mut edits = Edits {
        whole: 0,
        halved: 0,
        broken,
    };
    for edit in 0..MOST_EDITS {
        match (holds(cell_of(edit, 0)), holds(cell_of(edit, 1))) {
            (true, true) if edits.whole as u64 == edit => edits.whole += 1,
            (one, other) => edits.halved += usize::from(one != other),
        }
    }
    edits
}
