//! Files altered on disk open with their losses reported, or are refused and left unchanged.
#![allow(clippy::unwrap_used)]

use std::sync::atomic::Ordering;

use collision::Cell;

use super::contents::Contents;
use super::disk::CAUGHT;
use super::pages::View;
use super::tests::{Scratch, ball, spawn_cell};
use super::*;
use crate::Mode;
use crate::chunk::Voxels;
use crate::kd_tree::CellBox;
use crate::material::Material;
use crate::space::ChunkPosition;
use crate::world::World;

/// Returns a saved world of some edits, its bytes, and the contents of its edited chunks.
fn edited_file(file: &Scratch) -> (Vec<u8>, Vec<(ChunkPosition, Voxels)>) {
    let mut world = World::create(&file.0, 6).unwrap();
    let middle = spawn_cell(&world);
    for step in 0..40 {
        let way = Cell::new(step % 8 * 40 - 160, step % 3 * 9, step / 8 * 40 - 100);
        let brush = ball(middle + way, 5.0);
        world
            .load(&CellBox::new(middle + way, middle + way))
            .unwrap();
        world.edit(&brush, Mode::Set, Material::BRICK);
    }
    world.flush().unwrap();
    let held = |chunk| world.brick(world.brick_at(chunk).unwrap()).voxels().clone();
    let chunks = world.edited_chunks();
    let held = chunks
        .into_iter()
        .map(|chunk| (chunk, held(chunk)))
        .collect();
    drop(world);
    (std::fs::read(&file.0).unwrap(), held)
}

#[test]
fn altered_files_open_or_say_why() {
    let file = Scratch::new("altered");
    let (sound, held) = edited_file(&file);
    let (mut opened, mut refused) = (0, 0);
    let mut random = 77u64;
    for round in 0..120 {
        let mut bytes = sound.clone();
        for _ in 0..1 + round % 3 * 10 {
            random = crate::generate::mix(random, 1);
            let place = random as usize % bytes.len();
            bytes[place] ^= (random >> 40) as u8 | 1;
        }
        if round % 10 == 9 {
            bytes.truncate(random as usize % bytes.len());
        }
        std::fs::write(&file.0, &bytes).unwrap();
        let Ok(mut world) = World::open(&file.0) else {
            refused += 1;
            let left = std::fs::read(&file.0).unwrap();
            assert!(
                left == bytes,
                "round {round}: a file that is refused was written to"
            );
            continue;
        };
        opened += 1;
        // Every chunk has its old contents, or a loss is reported.
        let mut all_there = true;
        for (chunk, voxels) in &held {
            let cell = chunk * 32;
            let told = world.load(&CellBox::new(cell, cell)).is_err();
            let brick = world.brick_at(*chunk).map(|id| world.brick(id));
            all_there &= told || brick.is_some_and(|brick| brick.voxels() == voxels);
        }
        let reported = !world.save_status().damaged.is_empty();
        assert!(
            all_there || reported,
            "round {round}: edits are gone and nobody says so"
        );
    }
    assert!(
        opened > 20 && refused > 5,
        "{opened} opened, {refused} refused"
    );
    assert_eq!(CAUGHT.load(Ordering::SeqCst), 0, "redb panicked");
}

/// A disk that wrote a page in the place of another: the losses are named, or the file is refused.
#[test]
fn page_in_the_place_of_another_hides_nothing() {
    const PAGE: usize = 4096;
    let file = Scratch::new("misdirected");
    let (sound, held) = edited_file(&file);
    let pages = sound.len() / PAGE;
    let is_leaf = |page: &usize| sound[page * PAGE] == 1;
    let leaves: Vec<usize> = (1..pages).filter(is_leaf).collect();
    assert!(leaves.len() > 12, "{leaves:?}");
    let (mut whole, mut named, mut refused) = (0, 0, 0);
    for &from in &leaves {
        for &to in leaves.iter().filter(|to| **to != from) {
            let mut bytes = sound.clone();
            bytes.copy_within(from * PAGE..(from + 1) * PAGE, to * PAGE);
            std::fs::write(&file.0, &bytes).unwrap();
            let Ok(contents) = View::open(&file.0)
                .map_err(SaveError::from)
                .and_then(|view| Contents::read(&view))
            else {
                refused += 1;
                continue;
            };
            let blamed: Vec<Part> = contents.bad.iter().map(|bad| bad.damage.part).collect();
            let is_stray = |part: &&Part| **part == Part::Stray;
            let strays = blamed.iter().filter(is_stray).count();
            let told = |chunk: &ChunkPosition| {
                contents.chunks.contains(chunk) || blamed.contains(&Part::Chunk(*chunk))
            };
            let hidden = held.iter().filter(|(chunk, _)| !told(chunk)).count();
            assert!(
                hidden <= strays,
                "{from} over {to}: {hidden} are gone, told is {blamed:?}"
            );
            let mut edits: Vec<u64> = contents.entries.iter().map(|it| it.sequence).collect();
            edits.sort_unstable();
            edits.dedup();
            let told = blamed.iter().filter(|part| matches!(part, Part::Edit(_)));
            let least = 40 - strays;
            assert!(
                (least..=40).contains(&(edits.len() + told.count())),
                "{from} over {to}"
            );
            *(if blamed.is_empty() {
                &mut whole
            } else {
                &mut named
            }) += 1;
        }
    }
    assert!(
        whole > 20 && refused > 20,
        "{whole} whole, {named} named, {refused} refused"
    );
}

/// Returns the number of commits of the world in a file, read by `View` and by redb.
fn commits(file: &Scratch) -> Result<[u64; 2], SaveError> {
    let seen = Contents::read(&View::open(&file.0)?)?;
    let opened = Contents::read(&DiskStore::open(&file.0)?)?;
    Ok([seen, opened].map(|contents| contents.progress.commits))
}

#[test]
fn no_bit_of_the_header_makes_a_world_older() {
    let file = Scratch::new("header-bits");
    let (sound, _) = edited_file(&file);
    let whole = commits(&file).unwrap();
    assert!(whole[0] > 0 && whole[0] == whole[1]);
    let mut refused = 0;
    for at in 0..320 {
        let mut bytes = sound.clone();
        // The flags are altered bit by bit below, other bytes in one bit each.
        bytes[at] ^= 1 << (at * 5 % 8);
        refused += usize::from(!opens_as_new(&file, &bytes, whole));
    }
    for bit in 0..8 {
        let mut bytes = sound.clone();
        bytes[9] ^= 1 << bit;
        let opens = opens_as_new(&file, &bytes, whole);
        assert!(bit != 0 || !opens, "the older slot was taken");
    }
    // These are the slot in force, redb's magic number, and the sizes of pages and regions.
    assert!(refused > 130, "{refused}");
    assert_eq!(CAUGHT.load(Ordering::SeqCst), 0, "redb panicked");
}

/// Returns true if the file opens in its newest state; otherwise it must be refused with advice and
/// stay unchanged.
fn opens_as_new(file: &Scratch, bytes: &[u8], whole: [u64; 2]) -> bool {
    std::fs::write(&file.0, bytes).unwrap();
    match commits(file) {
        Ok(found) => {
            assert_eq!(found, whole);
            true
        }
        Err(error) => {
            assert!(error.to_string().contains("world salvage"), "{error}");
            assert!(std::fs::read(&file.0).unwrap() == bytes);
            false
        }
    }
}

#[test]
fn looking_leaves_a_file_as_it_is_even_after_a_kill() {
    let (file, killed) = (Scratch::new("look"), Scratch::new("look-killed"));
    let mut world = World::create(&file.0, 6).unwrap();
    let middle = spawn_cell(&world);
    world.edit(&ball(middle, 5.0), Mode::Set, Material::BRICK);
    world.flush().unwrap();
    // The file left behind by a kill: a copy made while it is open.
    std::fs::copy(&file.0, &killed.0).unwrap();
    let chunks = world.edited_chunks().len();
    drop(world);
    for (file, closed) in [(&file, true), (&killed, false)] {
        let before = std::fs::read(&file.0).unwrap();
        let found = inspect(&file.0).unwrap();
        assert_eq!((found.closed, found.sound, found.hidden), (closed, true, 0));
        assert_eq!((found.chunks, found.entries), (chunks, 1));
        assert_eq!(found.damaged, []);
        assert!(std::fs::read(&file.0).unwrap() == before);
    }
    // An altered byte of a record is found by the page's and the record's checksum.
    let mut bytes = std::fs::read(&file.0).unwrap();
    let store = DiskStore::open(&file.0).unwrap();
    let mut record = Vec::new();
    let visit = store.visit(Table::Chunks, &mut |_, sealed| record = sealed.to_vec());
    visit.unwrap();
    drop(store);
    let at = bytes.windows(record.len()).rposition(|part| part == record);
    bytes[at.unwrap() + record.len() / 2] ^= 1;
    std::fs::write(&file.0, &bytes).unwrap();
    let found = inspect(&file.0).unwrap();
    assert!(!found.sound && found.hidden == 0 && found.chunks == chunks);
    assert_eq!(found.damaged.len(), 1);
    assert!(std::fs::read(&file.0).unwrap() == bytes);
}
