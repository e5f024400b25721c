//! Kills the sandbox while it plays, and opens the world that it leaves: every stroke older than a
//! quarter of a second is there, and the place, look and tools of the last second.
//!
//! A test kills it a few times; `PLAY_KILLS=200 cargo test --release -p demo --lib killed_while`
//! kills it two hundred times.
#![allow(clippy::unwrap_used)]

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use collision::Cell;
use engine::InputEvent;
use serde::{Deserialize, Serialize};
use simulation::Random;
use world::{CellBox, Material, World};

use super::app::MEMORY_SECONDS;
use super::memory::Tools;
use super::memory::tests::{SMALL, Sandbox, open, state};
use crate::place::Place;

#[path = "../../../world/tests/crash/stalls.rs"]
#[allow(dead_code)]
mod stalls;

use stalls::Stalls;

/// Age from which on strokes must not be lost.
const PROMISE: Duration = Duration::from_millis(250);
/// The variable that tells the child which world to play.
const CHILD: &str = "DEMO_KILL_CHILD";
/// The most pictures before the first stroke.
const MOST_PICTURES: usize = 1_000;
/// Prefix of a report.
const PLAYED: &str = "played ";

/// The report of the child after each picture.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Report {
    place: Place,
    tools: Tools,
    strokes: Strokes,
}

/// The extent of all edits: the last entry of the history, and its voxels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct Strokes {
    next: u64,
    voxels: u64,
}

impl Strokes {
    fn of(world: &World) -> Self {
        world
            .history()
            .entries()
            .last()
            .map_or(Strokes::default(), |entry| {
                let voxels = entry
                    .changes()
                    .iter()
                    .map(|it| u64::from(it.mask.count_ones()));
                Strokes {
                    next: entry.sequence + 1,
                    voxels: voxels.sum(),
                }
            })
    }
}

fn press(sandbox: &mut Sandbox, key: &str, is_down: bool) {
    let key = key.to_owned();
    sandbox.input(&match is_down {
        true => InputEvent::Pressed(key),
        false => InputEvent::Released(key),
    });
}

/// Presses what a player would press before picture `number`.
fn press_something(sandbox: &mut Sandbox, number: u64) {
    if number == 0 {
        // The first click takes the pointer.
        press(sandbox, "MouseLeft", true);
        press(sandbox, "MouseLeft", false);
        sandbox.input(&InputEvent::PointerMotion([0.0, 400.0]));
    }
    sandbox.input(&InputEvent::PointerMotion([17.0, 0.0]));
    let button = ["MouseLeft", "MouseRight"][number as usize / 6 % 2];
    match number % 6 {
        1 => press(sandbox, button, true),
        5 => press(sandbox, button, false),
        _ => {}
    }
    match number % 24 {
        2 => press(sandbox, "KeyW", true),
        14 => press(sandbox, "KeyW", false),
        16 | 17 => {
            let slot = format!("Digit{}", 1 + number / 24 % 9);
            press(sandbox, &slot, number % 24 == 16);
        }
        18 => press(sandbox, "WheelUp", true),
        _ => {}
    }
}

/// The other process: plays until it is killed.
#[test]
fn child_plays_until_killed() {
    let Ok(path) = std::env::var(CHILD) else {
        return;
    };
    let mut sandbox = open(Path::new(&path), SMALL);
    let mut last = Instant::now();
    let report = |sandbox: &Sandbox| {
        let (place, tools) = state(sandbox);
        let strokes = Strokes::of(&sandbox.app().session.simulation.world);
        let report = Report {
            place,
            tools,
            strokes,
        };
        let mut out = std::io::stdout().lock();
        writeln!(out, "\n{PLAYED}{}", serde_json::to_string(&report).unwrap()).unwrap();
        out.flush().unwrap();
    };
    report(&sandbox);
    for number in 0.. {
        press_something(&mut sandbox, number);
        let elapsed = last.elapsed();
        last = Instant::now();
        sandbox.picture(elapsed).unwrap();
        report(&sandbox);
    }
}

fn start(path: &Path) -> Child {
    let name = "play::kill_tests::child_plays_until_killed";
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", name, "--nocapture"])
        .env(CHILD, path)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// One life of the child.
struct Life {
    /// Reports by the time of their arrival.
    reports: Vec<(Instant, Report)>,
    killed: Instant,
    /// Delay of the disk by the machine.
    stalled: Duration,
}

fn play_and_kill(path: &Path, life: Duration, stalls: &Stalls) -> Life {
    let born = Instant::now();
    let mut child = start(path);
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let (sender, receiver) = channel();
    let reader = std::thread::spawn(move || {
        let said = lines.map_while(Result::ok);
        for line in said.filter_map(|line| line.strip_prefix(PLAYED).map(str::to_owned)) {
            // The last line may be cut.
            if let Ok(report) = serde_json::from_str(&line) {
                let _ = sender.send((Instant::now(), report));
            }
        }
    });
    let mut reports: Vec<(Instant, Report)> = vec![receiver.recv().unwrap()];
    // Until the first stroke nothing can be lost.
    while reports.last().unwrap().1.strokes == reports[0].1.strokes {
        assert!(reports.len() < MOST_PICTURES, "no stroke was drawn");
        reports.push(receiver.recv().unwrap());
    }
    std::thread::sleep(life);
    let killed = Instant::now();
    child.kill().unwrap();
    child.wait().unwrap();
    reader.join().unwrap();
    reports.extend(receiver.try_iter());
    Life {
        reports,
        killed,
        stalled: stalls.between(born, killed),
    }
}

impl Life {
    fn longest_picture(&self) -> Duration {
        let pairs = self.reports.windows(2);
        let gaps = pairs.map(|pair| pair[1].0 - pair[0].0);
        gaps.max().unwrap_or_default()
    }

    /// Checks the world that this life left. Returns true if a stroke of it was promised.
    fn check(&self, path: &Path) -> bool {
        let mut world = World::open(path).expect("every world opens");
        assert_eq!(world.save_status().damaged, []);
        let found = Strokes::of(&world);
        let promise = PROMISE + self.stalled;
        let old = |(at, _): &&(Instant, Report)| *at + promise < self.killed;
        let promised = self.reports.iter().filter(old);
        let promised = promised.map(|(_, report)| report.strokes).max();
        assert!(Some(found) >= promised, "{found:?} of {promised:?}");
        check_voxels(&mut world);
        self.check_memory(&world, promise);
        promised > Some(self.reports[0].1.strokes)
    }

    /// Checks that the kept place and tools are at most a second, a picture and the promise old.
    fn check_memory(&self, world: &World, promise: Duration) {
        let since = match Place::kept_in(world).zip(Tools::kept_in(world)) {
            Some((place, tools)) => self
                .reports
                .iter()
                .rposition(|(_, report)| (&report.place, &report.tools) == (&place, &tools)),
            // A new world keeps nothing at first.
            None => Some(0),
        };
        // A memory of the last picture was not reported.
        let Some(since) = since else {
            return;
        };
        let oldest = Duration::from_secs_f64(MEMORY_SECONDS) + 2 * self.longest_picture() + promise;
        let age = self.killed - self.reports[since].0;
        assert!(age < oldest, "kept {age:?} before the end, not {oldest:?}");
    }
}

/// Checks that each voxel is as the last edit in the history left it.
fn check_voxels(world: &mut World) {
    let mut last: HashMap<[i32; 3], Material> = HashMap::new();
    for change in world.history().entries().flat_map(|entry| entry.changes()) {
        let corner = change.place.chunk * 32;
        let row = Cell::new(0, i32::from(change.row) % 32, i32::from(change.row) / 32);
        for x in (0..32).filter(|x| change.mask >> x & 1 != 0) {
            let cell = corner + row + Cell::new(x, 0, 0);
            last.insert(cell.into(), change.new);
        }
    }
    for (cell, material) in last {
        let cell = Cell::from(cell);
        world.load(&CellBox::new(cell, cell)).unwrap();
        assert_eq!(world.material(cell), Some(material), "{cell}");
    }
}

#[test]
fn killed_while_it_plays_the_sandbox_loses_at_most_a_quarter_second() {
    if std::env::var(CHILD).is_ok() {
        return;
    }
    let kills = std::env::var("PLAY_KILLS").map_or(8, |text| text.parse().unwrap());
    let name = format!("demo-kills-{}.voxels", std::process::id());
    let path = std::env::temp_dir().join(name);
    let _ = std::fs::remove_file(&path);
    let (stalls, mut random) = (Stalls::default(), Random::new(5));
    let mut telling = 0;
    std::thread::scope(|scope| {
        scope.spawn(|| stalls.measure(&std::env::temp_dir()));
        let played = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            for kill in 0..kills {
                let most = if kill % 4 == 1 { 2_500 } else { 600 };
                let life = Duration::from_millis(random.below(most));
                let life = play_and_kill(&path, life, &stalls);
                telling += u64::from(life.check(&path));
                if std::env::var("PLAY_KILLS").is_ok() {
                    println!("kill {kill}: {} pictures", life.reports.len());
                }
            }
        }));
        stalls.end();
        played.unwrap();
    });
    println!("{kills} kills, in {telling} of them a stroke was promised");
    std::fs::remove_file(&path).unwrap();
}
