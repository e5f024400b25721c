//! Damaged world files: each is refused and left unchanged, or opens with all its chunks as they
//! were or with its losses named.

use std::sync::OnceLock;

use world::save::{inspect, salvage};
use world::{ChunkPosition, Voxels, World};

use crate::Target;
use crate::bytes::Bytes;
use crate::campaign::noise;
use crate::saved::{self, Scratch};

/// The target.
pub const TARGET: Target = Target {
    name: "files",
    check,
    seeds: || noise(24, 60),
    longest: 128,
};

const PAGE: usize = 4096;
/// Most changes to a file.
const MOST: usize = 24;

struct Sound {
    file: Vec<u8>,
    /// Places of bytes that are not zero: most of a file is empty.
    written: Vec<u32>,
    chunks: Vec<(ChunkPosition, Voxels)>,
}

/// Returns the file that is damaged.
fn sound() -> &'static Sound {
    static SOUND: OnceLock<Sound> = OnceLock::new();
    SOUND.get_or_init(|| {
        let scratch = Scratch::new();
        saved::save(&scratch.0);
        let file = std::fs::read(&scratch.0).expect("it was saved");
        let world = World::open_copy(&scratch.0).expect("it was saved");
        let voxels = |(chunk, id)| (chunk, world.brick(id).voxels().clone());
        let chunks = world.loaded_chunks().map(voxels).collect();
        let written = (0..)
            .zip(&file)
            .filter(|(_, byte)| **byte != 0)
            .map(|(at, _)| at);
        Sound {
            written: written.collect(),
            file,
            chunks,
        }
    })
}

/// Damages a world file as bytes say, and opens it in every way.
pub fn check(data: &[u8]) {
    let sound = sound();
    let file = damaged(sound, &mut Bytes(data));
    let (path, out) = (Scratch::new(), Scratch::new());
    std::fs::write(&path.0, &file).expect("the folder takes files");
    let unchanged = || std::fs::read(&path.0).expect("it is there") == file;
    let _seen = inspect(&path.0);
    assert!(unchanged(), "looking writes");
    if salvage(&path.0, &out.0).is_ok() {
        World::open_copy(&out.0).expect("what was salvaged opens");
    }
    assert!(unchanged(), "salvage writes to the old file");
    let Ok(world) = World::open(&path.0) else {
        assert!(unchanged(), "a file that is refused was written to");
        return;
    };
    let is_there = |(chunk, voxels): &(ChunkPosition, Voxels)| {
        let brick = world.brick_at(*chunk).map(|id| world.brick(id));
        brick.is_some_and(|brick| brick.voxels() == voxels)
    };
    let reported = !world.save_status().damaged.is_empty();
    assert!(
        reported || sound.chunks.iter().all(is_there),
        "chunks are gone without a word"
    );
}

fn damaged(sound: &Sound, bytes: &mut Bytes<'_>) -> Vec<u8> {
    let mut file = sound.file.clone();
    for _ in 0..MOST {
        if bytes.is_empty() || file.is_empty() {
            break;
        }
        let kind = bytes.byte();
        let at = match kind & 3 {
            0 => bytes.word() as usize,
            1 => bytes.short() as usize % 320,
            _ => sound.written[bytes.word() as usize % sound.written.len()] as usize,
        };
        let at = at % file.len();
        match kind >> 2 {
            0..32 => file[at] ^= bytes.byte(),
            32..48 => file[at] = bytes.byte(),
            48..60 => {
                let [from, to] = [
                    at / PAGE,
                    bytes.short() as usize % (file.len() / PAGE).max(1),
                ];
                let end = ((from + 1) * PAGE).min(file.len());
                let count = (end - from * PAGE).min(file.len() - to * PAGE);
                file.copy_within(from * PAGE..from * PAGE + count, to * PAGE);
            }
            60..63 => file[at / PAGE * PAGE..]
                .iter_mut()
                .take(PAGE)
                .for_each(|byte| *byte = 0),
            _ => file.truncate(at),
        }
    }
    file
}
