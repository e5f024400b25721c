//! A short campaign against a target: damages its seeds, always in the same way.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use collision_scenes::Random;

use crate::Target;

/// Bytes and numbers that often cause faults, as text and as little-endian integers.
const PIECES: [&[u8]; 24] = [
    &[0],
    &[0xff],
    &[0x7f],
    &[0x80],
    &[0, 0, 0, 0],
    &[0xff, 0xff, 0xff, 0xff],
    &[0xff, 0xff, 0xff, 0x7f],
    &[0, 0, 0, 0x80],
    &[0, 0, 0xc0, 0x7f],
    &[0, 0, 0x80, 0x7f],
    &[0, 0, 0x80, 0xff],
    &[0xff, 0xff, 0x7f, 0x7f],
    &[1, 0, 0, 0],
    b"-1",
    b"1e999",
    b"nan",
    b"1e30",
    b"4294967296",
    b"9223372036854775807",
    b"\n",
    b" ",
    b"{",
    b"}",
    b"\xc3\xa9",
];

/// Runs a target on its seeds, then on damaged ones. A fault is printed with the bytes that repeat
/// it.
pub fn run(target: &Target, runs: usize) {
    let seeds = (target.seeds)();
    assert!(!seeds.is_empty(), "{}: nothing to damage", target.name);
    for seed in &seeds {
        check(target, seed);
    }
    let mut random = Random::new(0x5eed);
    for _ in 0..runs {
        check(target, &damaged(&seeds, &mut random));
    }
}

/// Returns the bytes that the campaign of a target makes after its seeds.
pub fn damaged(seeds: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let mut bytes = seeds[random.below(seeds.len())].clone();
    for _ in 0..1 + random.below(6) {
        damage(&mut bytes, seeds, random);
    }
    bytes
}

fn check(target: &Target, bytes: &[u8]) {
    if let Err(panic) = catch_unwind(AssertUnwindSafe(|| (target.check)(bytes))) {
        eprintln!("{}: the fault of {bytes:?}", target.name);
        resume_unwind(panic);
    }
}

/// Alters some bytes in one of seven ways.
fn damage(bytes: &mut Vec<u8>, seeds: &[Vec<u8>], random: &mut Random) {
    let at = random.below(bytes.len() + 1);
    let some = 1 + random.below(8);
    let end = (at + some).min(bytes.len());
    match random.below(7) {
        0 => bytes.truncate(at),
        1 => drop(bytes.drain(at..end)),
        2 => (bytes[at..end].iter_mut()).for_each(|byte| *byte = random.bits() as u8),
        3 => (bytes[at..end].iter_mut().take(1)).for_each(|byte| *byte ^= 1 << random.below(8)),
        4 => {
            let piece = PIECES[random.below(PIECES.len())];
            let replaced = if random.below(2) == 0 { at } else { end };
            bytes.splice(at..replaced, piece.iter().copied());
        }
        5 => {
            let other = &seeds[random.below(seeds.len())];
            let from = random.below(other.len() + 1);
            let to = (from + random.below(64)).min(other.len());
            bytes.splice(at..end, other[from..to].iter().copied());
        }
        _ => {
            let copy = bytes[at..end].to_vec();
            let place = random.below(bytes.len() + 1);
            bytes.splice(place..place, copy);
        }
    }
}

/// Returns random bytes, for targets whose input has no format.
pub fn noise(count: usize, longest: usize) -> Vec<Vec<u8>> {
    let mut random = Random::new(1);
    let one = |_| {
        let length = longest / 4 + random.below(longest * 3 / 4);
        (0..length).map(|_| random.bits() as u8).collect()
    };
    (0..count).map(one).collect()
}
