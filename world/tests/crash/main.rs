//! Kills an editing process two hundred times at random moments, and opens the remaining file.
//!
//! The process edits terrain and free objects, adds, moves and removes objects, and undoes edits.
//! Act `n` depends only on `n` and the state before, so the state after any number of acts can be
//! computed independently. The state after a kill (terrain, objects and history) must be exactly
//! that after *some* number of acts; only acts younger than a quarter of a second may be missing
//! from the number that the process had reported.
#![allow(clippy::unwrap_used)]

mod acts;
mod model;
mod stalls;

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use acts::{apply, mix};
use model::{Model, Seen, bounds, ground, place_of};
use nalgebra::Vector3;
use stalls::Stalls;
use world::{Author, Brick, World};

const KILLS: u64 = 200;
const LANES: u64 = 4;
/// Age from which on edits must not be lost.
const PROMISE: Duration = Duration::from_millis(250);
/// Largest prolongation of rounds on a machine that stalls.
const MOST_SLACK: Duration = Duration::from_millis(750);
/// Least number of rounds in which a promised edit could have been lost; about fifty do.
const LEAST_TELLING: u64 = 10;
/// The variable that tells the child what to do.
const CHILD: &str = "WORLD_CRASH_CHILD";

/// The other process: edits until it is killed, and reports its acts.
#[test]
fn child_edits_until_killed() {
    let Ok(order) = std::env::var(CHILD) else {
        return;
    };
    let mut parts = order.splitn(3, ' ');
    let [pace, done, path] = [(); 3].map(|()| parts.next().unwrap());
    let mut world = World::open(path).unwrap();
    let mut out = std::io::stdout().lock();
    for number in done.parse::<u64>().unwrap().. {
        apply(&mut world, number);
        writeln!(out, "edit {number}").unwrap();
        out.flush().unwrap();
        match pace {
            // With this pace a kill nearly always hits a commit.
            "flush" => world.flush().unwrap(),
            _ => std::thread::sleep(Duration::from_millis(number % 4)),
        }
    }
}

struct Start {
    pace: &'static str,
    /// Number of acts in the world at the start.
    done: u64,
}

struct Round {
    /// Acts that were reported more than [`PROMISE`] before the kill.
    promised: u64,
    reported: u64,
}

/// Runs a child for a while and kills it.
fn run_and_kill(path: &Path, start: &Start, life: Duration, stalls: &Stalls) -> Round {
    let born = Instant::now();
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "child_edits_until_killed", "--nocapture"])
        .env(
            CHILD,
            format!("{} {} {}", start.pace, start.done, path.display()),
        )
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
    let promise = PROMISE + stalls.between(born, killed);
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

/// Advances the model to the number of acts that is found.
fn check(path: &Path, round: &Round, model: &mut Model) {
    let world = World::open(path).expect("every world opens");
    assert_eq!(world.save_status().damaged, []);
    let seen = Seen::of(&world);
    let (before, promised, reported) = (model.number, round.promised, round.reported);
    let mut fewer = None;
    loop {
        let matches = model.matches(&seen);
        if matches && model.number >= promised {
            break;
        }
        fewer = matches.then_some(model.number).or(fewer);
        // The last act may have been done but not reported yet.
        assert!(
            model.number <= reported,
            "of {reported} acts {promised} were to be kept, {before} were there before; {}",
            match fewer {
                Some(number) => format!("{number} are"),
                None => "what is there was never made".into(),
            }
        );
        model.step();
    }
    check_surfaces(&world, &seen);
}

/// Checks that the surfaces equal those merged from scratch.
fn check_surfaces(world: &World, seen: &Seen) {
    let mut scratch = World::from_voxels(bounds(), |cell| seen.terrain[place_of(cell)]);
    let same = |id, twin: &World, other| {
        let (brick, other): (&Brick, &Brick) = (world.brick(id), twin.brick(other));
        assert_eq!(brick.collision_surface(), other.collision_surface());
        assert_eq!(brick.render_surface(), other.render_surface());
    };
    for (chunk, id) in world.loaded_chunks() {
        same(id, &scratch, scratch.brick_at(chunk).unwrap());
    }
    for (_, object) in world.objects() {
        let voxel = |at: Vector3<u32>| {
            let brick = world.brick(object.bricks()[at.x as usize / 32]);
            brick.material(at.x as usize % 32, at.y as usize, at.z as usize)
        };
        let (size, extent) = (object.voxel_size(), object.extent());
        let twin = scratch.add_object(*object.origin(), size, extent, voxel);
        let twin = scratch.object(twin.unwrap()).unwrap();
        for (&id, &other) in object.bricks().iter().zip(twin.bricks()) {
            same(id, &scratch, other);
        }
    }
}

/// Returns the number of rounds in which a new edit was promised.
fn lane(lane: u64, path: &PathBuf, stalls: &Stalls) -> u64 {
    let mut telling = 0;
    let _ = std::fs::remove_file(path);
    World::from_voxels(bounds(), ground).save_as(path).unwrap();
    let mut model = Model::new();
    for kill in 0..KILLS / LANES {
        let bits = mix(lane * 1000 + kill + 77);
        let pace = if kill % 2 == 0 { "flush" } else { "steady" };
        let done = model.number;
        // A quarter of the rounds are longer than the promise.
        let short = Duration::from_millis(bits % 120);
        let long = PROMISE + short + stalls.longest().min(MOST_SLACK);
        let life = if kill % 4 == 1 { long } else { short };
        let round = run_and_kill(path, &Start { pace, done }, life, stalls);
        telling += u64::from(round.promised > done);
        check(path, &round, &mut model);
        // Short files keep the model short.
        if model.number > 3_000 {
            std::fs::remove_file(path).unwrap();
            World::from_voxels(bounds(), ground).save_as(path).unwrap();
            model = Model::new();
        }
    }
    take_all_back(path, &mut model);
    std::fs::remove_file(path).unwrap();
    telling
}

/// Checks that the history is complete too, including removed objects.
fn take_all_back(path: &Path, model: &mut Model) {
    let mut world = World::open(path).unwrap();
    for who in [0, 1] {
        let undone = std::iter::from_fn(|| world.undo(Author(who)));
        assert_eq!(undone.count(), model.take_back(who));
        assert!(model.matches(&Seen::of(&world)), "author {who}");
    }
}

#[test]
fn killed_at_any_moment_a_world_keeps_all_but_the_last_quarter_second() {
    if std::env::var(CHILD).is_ok() {
        return;
    }
    let folder = std::env::temp_dir();
    let (stalls, done, telling) = (Stalls::default(), AtomicU64::new(0), AtomicU64::new(0));
    std::thread::scope(|scope| {
        scope.spawn(|| stalls.measure(&folder));
        for number in 0..LANES {
            let path = folder.join(format!("world-crash-{}-{number}.world", std::process::id()));
            let (stalls, done, telling) = (&stalls, &done, &telling);
            scope.spawn(move || {
                let result = std::panic::catch_unwind(|| lane(number, &path, stalls));
                if done.fetch_add(1, Ordering::Relaxed) + 1 == LANES {
                    stalls.end();
                }
                telling.fetch_add(result.unwrap(), Ordering::Relaxed);
            });
        }
    });
    let (telling, longest) = (telling.into_inner(), stalls.longest());
    assert!(
        telling >= LEAST_TELLING,
        "only {telling} of {KILLS} lives were long enough to tell: the machine stalled up to \
         {longest:?}"
    );
}
