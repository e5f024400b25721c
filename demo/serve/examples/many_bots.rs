//! Serves a field to many bots in another process, and prints what that takes.
//!
//! `cargo run --release -p serve --example many_bots [BOTS [SECONDS]]`

use std::error::Error;
use std::process::Command;

use clap::Parser;
use serve::bots::{self, BotsArguments};
use serve::load;

/// The bots, in a process of their own.
#[derive(Debug, Parser)]
struct Bots {
    #[command(flatten)]
    arguments: BotsArguments,
}

fn main() -> Result<(), Box<dyn Error>> {
    if std::env::args().any(|word| word == "--join") {
        return Ok(bots::run(&Bots::parse().arguments, &mut |words| {
            println!("{words}")
        })?);
    }
    let mut words = std::env::args().skip(1);
    let count = words.next().map_or(Ok(1000), |word| word.parse())?;
    let seconds = words.next().unwrap_or_else(|| "20".to_owned());
    let program = std::env::current_exe()?;
    let mut load = load::measure(count, |invite| {
        let mut command = Command::new(program);
        let invite = invite.to_string();
        command.args(["--join", &invite, "--seconds", &seconds]);
        command.args(["--count", &count.to_string()]);
        command
    })?;
    load.ticks.sort_by(f64::total_cmp);
    let at = |share: usize| load.ticks.get(load.ticks.len() * share / 100).copied();
    println!("ticks: {} ({} late)", load.ticks.len(), load.late);
    println!("tick: median {:.2?} ms, p99 {:.2?} ms", at(50), at(99));
    println!("memory: {:.0?} MB, cores: {:.2?}", load.memory, load.cores);
    println!("{:#?}", load.traffic);
    Ok(())
}
