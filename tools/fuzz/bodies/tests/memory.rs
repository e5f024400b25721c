//! Readers of input from outside use no more memory than they state, whatever the input says. Alone
//! in its file, because the count covers the whole program.
#![allow(clippy::unwrap_used)]

use std::fmt::Write;

use collision::{Crowd, ObjMesh};
use collision_scenes::load;
use fuzz_bodies::{TARGETS, campaign};
use peak_alloc::PeakAlloc;
use world::{MaterialTable, World, read_vox};

#[global_allocator]
static COUNTED: PeakAlloc = PeakAlloc;

const KB: usize = 1 << 10;
const MB: usize = 1 << 20;

/// Damaged inputs of each reader.
const RUNS: usize = 200;

/// Returns the most bytes in use during an act, beyond those before.
fn peak<T>(act: impl FnOnce() -> T) -> usize {
    let before = COUNTED.current_usage();
    COUNTED.reset_peak_usage();
    let done = act();
    let most = COUNTED.peak_usage();
    drop(done);
    most - before
}

/// Reads the seeds of a target, damaged ones, and some more inputs.
fn judge<T>(name: &str, more: &[Vec<u8>], bound: fn(usize) -> usize, read: impl Fn(&[u8]) -> T) {
    let target = TARGETS.iter().find(|target| target.name == name).unwrap();
    let seeds = (target.seeds)();
    let mut random = collision_scenes::Random::new(3);
    let damaged: Vec<_> = (0..RUNS)
        .map(|_| campaign::damaged(&seeds, &mut random))
        .collect();
    let mut closest = 0.0_f64;
    for bytes in seeds.iter().chain(&damaged).chain(more) {
        let (used, most) = (peak(|| read(bytes)), bound(bytes.len()));
        assert!(
            used <= most,
            "{name}: {used} bytes for {}, at most {most}",
            bytes.len()
        );
        closest = closest.max(used as f64 / most as f64);
    }
    println!("{name}: at most {:.0} % of the bound", closest * 100.0);
}

/// All readers in turn: tests that run beside each other would count each other's memory. The
/// bounds are those that the documents of the readers state.
#[test]
fn readers_keep_to_the_memory_they_state() {
    judge(
        "obj",
        &long_obj(),
        |length| 32 * length + KB,
        |bytes| ObjMesh::parse(&String::from_utf8_lossy(bytes)).ok(),
    );
    judge(
        "snapshots",
        &long_snapshots(),
        |length| 32 * length + 16 * KB,
        |bytes| {
            let mut crowd = Crowd::new();
            crowd.restore(bytes).map(|()| crowd).ok()
        },
    );
    judge(
        "vox",
        &[],
        |length| 32 * length + 300 * MB,
        |bytes| read_vox(bytes, &mut MaterialTable::standard()).ok(),
    );
    judge(
        "scenes",
        &long_scenes(),
        |_| 256 * MB,
        |bytes| load("fuzzed.scene", &String::from_utf8_lossy(bytes)).ok(),
    );
    judge_saves();
}

/// Opens a sound save and damaged ones.
fn judge_saves() {
    let path = std::env::temp_dir().join(format!("memory-{}.world", std::process::id()));
    fuzz_bodies::saved::save(&path);
    let sound = std::fs::read(&path).unwrap();
    let mut random = collision_scenes::Random::new(4);
    for round in 0..RUNS {
        let mut bytes = sound.clone();
        for _ in 0..round % 20 {
            let at = random.below(bytes.len());
            bytes[at] = random.bits() as u8;
        }
        std::fs::write(&path, &bytes).unwrap();
        let used = peak(|| World::open(&path).ok());
        assert!(
            used <= 256 * bytes.len() + 64 * MB,
            "save: {used} bytes for {}",
            bytes.len()
        );
    }
    std::fs::remove_file(&path).unwrap();
}

fn long_obj() -> Vec<Vec<u8>> {
    let mut fan = "v 0 0 0\n".to_owned() + "f";
    fan.push_str(&" 1".repeat(100_000));
    vec!["v 0 0 0\n".repeat(50_000).into_bytes(), fan.into_bytes()]
}

fn long_snapshots() -> Vec<Vec<u8>> {
    let mut crowd = Crowd::new();
    for _ in 0..2_000 {
        crowd.add(collision::Character::at(collision::Position::default()));
    }
    vec![crowd.save()]
}

fn long_scenes() -> Vec<Vec<u8>> {
    let mut scene = "scene x\nabout y\nticks 9\nvoxels 1\n".to_owned();
    let _ = write!(
        scene,
        "repeat i 0 100000\nfill 0 0 0 1 1 1\nend\ncharacter a 0 1 0\n"
    );
    scene.push_str("expect a y finally at-least 0\n");
    let values: String = (0..500).map(|value| format!(" {value}")).collect();
    let varied = format!("vary v{values}\n{}", scene.replace("100000", "1900"));
    vec![scene.into_bytes(), varied.into_bytes()]
}
