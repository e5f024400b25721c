//! Random moves compared with the oracle, nine of ten by single characters and one by crowds, on
//! all threads: `cargo run --release -p collision-scenes --features world --example soak --
//! MOVES [SEED [TENTHS]]`, where TENTHS of ten moves are those of crowds, 1 by default.
//!
//! Every five million moves it prints the faults and the progress. The world of a fault runs
//! again from its seed: `soak -- 20000 SEED`.

use collision_scenes::{SoakReport, WorldGround, soak, soak_crowds};

/// Moves between two lines of progress, and the seeds reserved for their worlds.
const MOVES_A_LINE: u64 = 5_000_000;
const SEEDS_A_LINE: u64 = 250;

fn main() {
    let mut arguments = std::env::args()
        .skip(1)
        .map(|argument| argument.parse::<u64>().ok());
    let Some(moves) = arguments.next().flatten() else {
        eprintln!("how many moves? for example 10000000");
        std::process::exit(2);
    };
    let seed = arguments.next().flatten().unwrap_or(1);
    let tenths = arguments.next().flatten().unwrap_or(1).min(10);
    let started = std::time::Instant::now();
    let (mut alone, mut crowds) = (SoakReport::default(), SoakReport::default());
    for line in 0..moves.div_ceil(MOVES_A_LINE) {
        let now = MOVES_A_LINE.min(moves - line * MOVES_A_LINE);
        let seed = seed.wrapping_add(line * SEEDS_A_LINE);
        let of_crowds = soak_crowds(now / 10 * tenths, seed, Some(&WorldGround::lend));
        let of_bodies = soak(now - now / 10 * tenths, seed, Some(&WorldGround::lend));
        for fault in of_bodies.faults.iter().chain(&of_crowds.faults) {
            println!("{fault}");
        }
        (alone, crowds) = (alone.join(of_bodies), crowds.join(of_crowds));
        let (made, took) = (alone.moves + crowds.moves, started.elapsed());
        println!("{} million moves in {took:.1?}", made / 1_000_000);
    }
    println!("alone: {alone:#?}\ncrowds: {crowds:#?}");
    std::process::exit(i32::from(!(alone.is_clean() && crowds.is_clean())));
}
