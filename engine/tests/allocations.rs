//! A picture in steady state makes no allocation in our code.
//!
//! Every allocation of some pictures is recorded with its call stack. It counts as ours if the
//! nearest caller outside the standard library is in one of our files. Allocations of wgpu and the
//! driver are reported, but we cannot change them.

#![allow(clippy::unwrap_used)]

mod stage;

use std::collections::HashSet;
use std::path::Path;

use collision::Cell;
use engine::{CharacterInstance, Color, Overlay, Visibility};
use nalgebra::Vector3;
use world::{Material, World};

#[global_allocator]
static ALLOCATOR: dhat::Alloc = dhat::Alloc;

/// Symbols of the standard library and of the recording itself.
const STANDARD: [&str; 8] = [
    "alloc::",
    "core::",
    "std::",
    "backtrace::",
    "dhat::",
    "hashbrown::",
    "__rust",
    "_",
];
/// End of a frame compiled without line numbers, as other crates are.
const NO_LINE: &str = "(???:0:0)";
/// Debug builds check the shader files now and then; wgpu boxes the callback for reading pass
/// times.
const EXCUSED: [&str; 2] = ["src/renderer/reload.rs", "src/renderer/timing.rs"];
const PICTURES: usize = 12;

/// Counts of blocks.
#[derive(Debug, Default)]
struct Counted {
    /// Places of our allocations, with their numbers.
    ours: Vec<(String, u64)>,
    others: u64,
}

/// Records every allocation during some work.
fn count(work: impl FnOnce()) -> Counted {
    let file = std::env::temp_dir().join(format!("allocations-{}.json", std::process::id()));
    let profiler = dhat::Profiler::builder()
        .file_name(&file)
        .trim_backtraces(None)
        .build();
    work();
    drop(profiler);
    let text = std::fs::read_to_string(&file).unwrap();
    let _ = std::fs::remove_file(&file);
    sort(&serde_json::from_str(&text).unwrap())
}

fn sort(profile: &serde_json::Value) -> Counted {
    let frames = profile["ftbl"].as_array().unwrap();
    let files = files();
    let mut counted = Counted::default();
    for point in profile["pps"].as_array().unwrap() {
        let blocks = point["tbk"].as_u64().unwrap();
        let stack = point["fs"].as_array().unwrap().iter();
        let stack = stack.map(|frame| frames[frame.as_u64().unwrap() as usize].as_str().unwrap());
        let mut owned = stack.filter_map(|frame| Some((frame, owner(frame, &files)?)));
        match owned.next() {
            Some((frame, Owner::Ours)) => counted.ours.push((frame.to_owned(), blocks)),
            _ => counted.others += blocks,
        }
    }
    counted
}

#[derive(Debug, PartialEq)]
enum Owner {
    Ours,
    Others,
}

/// Returns the owner of a frame "0x1234: function (file:line:column)"; `None` for the standard
/// library.
fn owner(frame: &str, files: &HashSet<String>) -> Option<Owner> {
    let (_, rest) = frame.split_once(": ")?;
    let (function, place) = rest.rsplit_once(" (")?;
    let file = place.split(':').next()?;
    let function = function.trim_start_matches(['<', '&', '[']);
    if STANDARD.iter().any(|prefix| function.starts_with(prefix)) {
        return None;
    }
    if files.contains(file) {
        let excused = EXCUSED.iter().any(|excused| place.starts_with(excused));
        return Some(if excused { Owner::Others } else { Owner::Ours });
    }
    frame.ends_with(NO_LINE).then_some(Owner::Others)
}

/// Returns our source files as frames name them: by the last three parts of their path.
fn files() -> HashSet<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut open: Vec<_> = ["engine", "world", "collision", "shaders"]
        .map(|of| root.join(of))
        .to_vec();
    let mut files = HashSet::new();
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(path.read_dir().unwrap().map(|entry| entry.unwrap().path()));
        } else {
            let parts: Vec<_> = path
                .iter()
                .rev()
                .take(3)
                .map(|part| part.to_string_lossy())
                .collect();
            files.insert(
                parts
                    .iter()
                    .rev()
                    .map(|part| &**part)
                    .collect::<Vec<_>>()
                    .join("/"),
            );
        }
    }
    files
}

fn crowd() -> Vec<CharacterInstance> {
    let one = |index: i32| CharacterInstance {
        position: stage::position(f64::from(20 + index), 30.0, 80.0),
        radii: stage::radii(),
        heading: index as f32,
        up: Vector3::y(),
        color: Color::RED,
    };
    (0..40).map(one).collect()
}

#[test]
fn a_picture_in_steady_state_allocates_nothing_of_ours() {
    let gpu = stage::gpu();
    let mut renderer = stage::renderer(&gpu);
    let canvas = renderer.canvas(&gpu, [160, 90]);
    let mut world = stage::island();
    let characters = crowd();
    let mut lines = Overlay::new(Visibility::Through);
    lines.line(
        &stage::position(30.0, 20.0, 80.0),
        &stage::position(34.0, 24.0, 80.0),
        Color::YELLOW,
    );
    let overlays = [lines];
    let mut draw = |world: &World, step: usize| {
        let mut camera = stage::overview();
        camera.yaw += (step as f32 * 0.9).sin() * 0.3;
        let mut frame = stage::frame(world, camera);
        frame.characters = &characters;
        frame.overlays = &overlays;
        frame.time = step as f32;
        renderer.draw_on(&gpu, &frame, &canvas).unwrap();
        gpu.wait().unwrap();
    };
    let cell = Cell::new(60, stage::ground_at(60, 62) as i32 + 1, 62);
    let edit = |world: &mut World, step: usize| {
        let material = [Material::GOLD, Material::AIR][step % 2];
        world.write(|writer| writer.set(cell, material));
    };
    let first = count(|| draw(&world, 0));
    assert_ne!(
        first.ours,
        [],
        "the first picture makes room, and that is seen"
    );
    for step in 0..2 * PICTURES {
        edit(&mut world, step);
        draw(&world, step);
    }
    let looking = count(|| (0..PICTURES).for_each(|step| draw(&world, step)));
    println!(
        "a picture: {} blocks of wgpu and the driver",
        looking.others / PICTURES as u64
    );
    assert_eq!(looking.ours, [], "pictures that look about");
    for step in 0..4 {
        edit(&mut world, step);
        let shown = count(|| draw(&world, step));
        assert_eq!(shown.ours, [], "a picture that shows an edit");
    }
}

#[test]
fn the_nearest_owner_of_an_allocation_is_told() {
    let of = |frame: &str| owner(frame, &files());
    assert_eq!(
        of("0x1: <alloc::vec::Vec<T> as core::clone::Clone>::clone (???:0:0)"),
        None
    );
    assert_eq!(
        of("0x1: alloc::alloc::alloc (alloc/src/alloc.rs:95:9)"),
        None
    );
    assert_eq!(
        of("0x1: wgpu_core::device::create (???:0:0)"),
        Some(Owner::Others)
    );
    assert_eq!(
        of("0x1: {closure#0} (src/renderer/draws.rs:1:2)"),
        Some(Owner::Ours)
    );
}
