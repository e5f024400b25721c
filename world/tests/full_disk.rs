//! A file that cannot grow: edits stay in memory and are written once there is room, and earlier
//! ones are not harmed. Linux only: there a process without root rights can be forbidden to write
//! beyond a size.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

use std::io::{BufRead, BufReader, Lines, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

use collision::{Cell, Position};
use nalgebra::Vector3;
use world::save::{StoreError, inspect};
use world::{Author, CellBox, ChunkPosition, Material, World};

/// The variables that tell a child what to do.
const CHILD: &str = "WORLD_FULL_DISK_CHILD";
const BEGINNER: &str = "WORLD_FULL_DISK_BEGINNER";
/// Size that the file may not exceed, in bytes.
const ROOM: u64 = 4 << 20;
const SIDE: i32 = 8;
/// Number of edits after the disk was full.
const MORE: u64 = 10;

fn chunk(number: u64) -> ChunkPosition {
    let number = number as i32;
    Cell::new(number % SIDE, 0, number / SIDE % SIDE)
}

fn start() -> World {
    let side = SIDE * 32 - 1;
    World::from_voxels(
        CellBox::new(Cell::zeros(), Cell::new(side, 31, side)),
        |_| Material::STONE,
    )
}

/// Returns the material of a cell after edit `number`: noise that compresses badly.
fn noise(number: u64, cell: Cell) -> Material {
    let at = cell.map(|part| u64::from(part as u32 & 31));
    let bits = (number << 20 | at.z << 10 | at.y << 5 | at.x).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    Material(1 + ((bits ^ bits >> 29).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 59) as u16)
}

fn cells(chunk: ChunkPosition) -> impl Iterator<Item = Cell> {
    let of = move |at: i32| chunk * 32 + Cell::new(at % 32, at / 32 % 32, at / 1024);
    (0..32 * 32 * 32).map(of)
}

fn edit(world: &mut World, number: u64) {
    world.transact(Author(1), |writer| {
        cells(chunk(number)).for_each(|cell| writer.set(cell, noise(number, cell)));
    });
}

/// Returns true if all of edit `number` is present.
fn holds(world: &World, number: u64) -> bool {
    cells(chunk(number)).all(|cell| world.material(cell) == Some(noise(number, cell)))
}

fn origin() -> Position {
    Position::new(Cell::new(0, 50, 0), Vector3::zeros())
}

fn say(line: &str) {
    println!("\nsays {line}");
    std::io::stdout().flush().unwrap();
}

/// The other process: edits until the disk is full, continues, waits for room, and continues.
#[test]
fn child_fills_the_disk() {
    let Ok(path) = std::env::var(CHILD) else {
        return;
    };
    let mut world = World::open(path).unwrap();
    let mut number = 0;
    let error = loop {
        edit(&mut world, number);
        match world.flush() {
            Ok(()) => number += 1,
            Err(error) => break error,
        }
        assert!(number < 1_000, "the disk is never full");
    };
    say(&format!("{number} were written, then: {error}"));
    // It continues with edits and an object, and loads chunks written before.
    for more in number + 1..=number + MORE {
        edit(&mut world, more);
    }
    world
        .add_object_as(Author(1), origin(), 0.5, Vector3::repeat(9), |_| {
            Material::LAMP
        })
        .unwrap();
    assert!(world.flush().is_err());
    assert!(world.save_status().error.is_some() && world.save_status().waiting > 0);
    world.remove_brick(chunk(0)).unwrap();
    let corner = chunk(0) * 32;
    world.load(&CellBox::new(corner, corner)).unwrap();
    assert!(
        (0..=number + MORE)
            .rev()
            .take(64)
            .all(|number| holds(&world, number))
    );
    say("it goes on");
    std::io::stdin().read_line(&mut String::new()).unwrap();
    let written = (0..50).any(|_| {
        std::thread::sleep(Duration::from_millis(100));
        world.flush().is_ok()
    });
    assert!(written && world.save_status().error.is_none());
    edit(&mut world, number + MORE + 1);
    world.flush().unwrap();
    say("all is written");
}

/// The other process: begins worlds where there is not enough room for one.
#[test]
fn child_begins_without_room() {
    let Ok(path) = std::env::var(BEGINNER) else {
        return;
    };
    let mut world = World::open(&path).unwrap();
    let copy = PathBuf::from(path.clone() + ".copy");
    assert_eq!(world.begin_save_as(&copy), Err(StoreError::Full.into()));
    assert!(
        !copy.exists(),
        "a copy that was not begun bars its own path"
    );
    let own = std::process::id().to_string();
    let less = Command::new("prlimit")
        .args(["--pid", &own, "--fsize=65536:"])
        .status();
    assert!(less.unwrap().success());
    assert_eq!(World::create(&copy, 3).err(), Some(StoreError::Full.into()));
    assert!(!copy.exists(), "a world that was not begun is left behind");
    assert!(holds(&world, 1), "play goes on where it was");
    say("nothing is left behind");
}

struct Filled {
    path: PathBuf,
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
    /// Number of edits that were written.
    written: u64,
    error: String,
}

impl Filled {
    fn next(&mut self) -> String {
        next(&mut self.lines)
    }
}

fn next(lines: &mut Lines<BufReader<ChildStdout>>) -> String {
    let mut said = lines.filter_map(|line| Some(line.unwrap().strip_prefix("says ")?.to_owned()));
    said.next().expect("the child goes on")
}

/// Starts a child that may not write files beyond a size.
fn limited(name: &str, variable: &str, path: &Path, room: u64) -> Child {
    // Writes beyond the limit fail instead of ending the process.
    Command::new("sh")
        .args(["-c", "trap '' XFSZ; exec \"$0\" \"$@\"", "prlimit"])
        .arg(format!("--fsize={room}:"))
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", name, "--nocapture"])
        .env(variable, path)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Starts a child on a new world and waits until its disk is full and it has continued.
fn fill(name: &str) -> Filled {
    let name = format!("world-full-{}-{name}.world", std::process::id());
    let path = std::env::temp_dir().join(name);
    let _ = std::fs::remove_file(&path);
    start().save_as(&path).unwrap();
    assert!(path.metadata().unwrap().len() < ROOM);
    let mut child = limited("child_fills_the_disk", CHILD, &path, ROOM);
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let said = next(&mut lines);
    let (written, error) = said.split_once(" were written, then: ").unwrap();
    let filled = Filled {
        path,
        child,
        written: written.parse().unwrap(),
        error: error.to_owned(),
        lines,
    };
    assert!(filled.written > 4 && filled.path.metadata().unwrap().len() <= ROOM);
    filled
}

/// Checks that the file holds the first `edits` edits, later ones over earlier ones.
fn check(path: &Path, edits: u64) {
    let world = World::open(path).unwrap();
    assert_eq!(world.save_status().damaged, []);
    let first = edits.saturating_sub((SIDE * SIDE) as u64);
    assert!(
        (first..edits).all(|number| holds(&world, number)),
        "{edits} edits"
    );
    drop(world);
    assert!(inspect(path).unwrap().sound);
}

#[test]
fn what_could_not_be_begun_is_not_left_behind() {
    if std::env::var(CHILD).is_ok() {
        return;
    }
    let name = format!("world-full-{}-begin.world", std::process::id());
    let path = std::env::temp_dir().join(name);
    let _ = std::fs::remove_file(&path);
    let mut world = start();
    world.save_as(&path).unwrap();
    (0..(SIDE * SIDE) as u64).for_each(|number| edit(&mut world, number));
    world.flush().unwrap();
    drop(world);
    assert!(path.metadata().unwrap().len() > ROOM / 2);
    let mut child = limited("child_begins_without_room", BEGINNER, &path, ROOM / 2);
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert_eq!(next(&mut lines), "nothing is left behind");
    assert!(child.wait().unwrap().success());
    std::fs::remove_file(&path).unwrap();
}

#[test]
fn a_disk_without_room_is_told_and_written_to_once_it_has_some() {
    if std::env::var(CHILD).is_ok() {
        return;
    }
    let mut filled = fill("room");
    assert_eq!(filled.error, StoreError::Full.to_string());
    assert_eq!(filled.next(), "it goes on");
    let room = Command::new("prlimit")
        .args([
            "--pid",
            &filled.child.id().to_string(),
            "--fsize=unlimited:",
        ])
        .status();
    assert!(room.unwrap().success());
    writeln!(filled.child.stdin.as_mut().unwrap(), "there is room").unwrap();
    assert_eq!(filled.next(), "all is written");
    assert!(filled.child.wait().unwrap().success());
    check(&filled.path, filled.written + MORE + 2);
    let mut world = World::open(&filled.path).unwrap();
    assert_eq!(world.objects().count(), 1);
    world.undo(Author(1)).unwrap();
    assert_eq!(world.undo(Author(1)).unwrap().gone.map(|_| ()), Some(()));
    drop(world);
    std::fs::remove_file(&filled.path).unwrap();
}

#[test]
fn killed_while_the_disk_is_full_a_world_keeps_what_was_written() {
    if std::env::var(CHILD).is_ok() {
        return;
    }
    let mut filled = fill("killed");
    assert_eq!(filled.next(), "it goes on");
    filled.child.kill().unwrap();
    filled.child.wait().unwrap();
    check(&filled.path, filled.written);
    std::fs::remove_file(&filled.path).unwrap();
}
