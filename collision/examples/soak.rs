//! Random moves against the oracle, nine of ten by single bodies and one by crowds:
//! `cargo run --release -p collision --example soak -- MOVES [SEED]`.

use collision::scene::{soak, soak_crowds};
use world::SceneGround;

fn main() {
    let mut arguments = std::env::args()
        .skip(1)
        .map(|argument| argument.parse::<u64>().ok());
    let Some(moves) = arguments.next().flatten() else {
        eprintln!("how many moves? for example 10000000");
        std::process::exit(2);
    };
    let seed = arguments.next().flatten().unwrap_or(1);
    let started = std::time::Instant::now();
    let crowds = soak_crowds(moves / 10, seed, Some(&SceneGround::lend));
    println!("crowds: {crowds:#?}\n{:.1?}", started.elapsed());
    let report = soak(moves - moves / 10, seed, Some(&SceneGround::lend)).join(crowds);
    println!("all: {report:#?}\n{:.1?}", started.elapsed());
    std::process::exit(i32::from(!report.is_clean()));
}
