//! Measures a server with 1,000 bots, which are another process, over the network of this machine.

use std::path::Path;
use std::process::Command;

use net::quic::Invite;
use serve::load::{self, Load};

use crate::error::Error;

use super::{Figure, Filter};

/// The bots, all in one field of 256 m.
const BOTS: u16 = 1000;
/// Seconds that are measured.
const SECONDS: u32 = 20;
/// Bytes of a kilobyte.
const KILO: f64 = 1000.0;

const NAMES: [&str; 5] = ["net.tick", "net.down", "net.up", "net.memory", "net.core"];

/// Measures the group.
pub fn run(filter: &Filter) -> Result<Vec<Figure>, Error> {
    if !filter.begin("net", &NAMES) {
        return Ok(Vec::new());
    }
    let program = std::env::current_exe().map_err(|error| Error::Failed(error.to_string()))?;
    let load = load::measure(BOTS, |invite| bots(behind(&program), invite))?;
    if load.traffic.bots < usize::from(BOTS) {
        let bots = load.traffic.bots;
        return Err(Error::Failed(format!(
            "only {bots} of {BOTS} bots played to the end: close other programs, and try again"
        )));
    }
    Ok(figures(load))
}

/// Returns the command of a program that leaves the processors to others: bots are elsewhere when
/// people play.
fn behind(program: &Path) -> Command {
    if cfg!(unix) {
        let mut command = Command::new("nice");
        command.args(["-n", "10"]).arg(program);
        command
    } else {
        Command::new(program)
    }
}

fn bots(mut program: Command, invite: &Invite) -> Command {
    program.args(["bots", "--join", &invite.to_string()]);
    program.args(["--count", &BOTS.to_string()]);
    program.args(["--seconds", &SECONDS.to_string()]);
    program
}

fn figures(load: Load) -> Vec<Figure> {
    // The bar is for the slowest of a hundred.
    let ticks = Figure::from_samples("net.tick", "ms, p99", load.ticks);
    let mut figures = vec![
        Figure {
            median: ticks.p99,
            ..ticks
        },
        Figure::exact("net.down", "KB/s", load.traffic.down / KILO),
        Figure::exact("net.up", "KB/s", load.traffic.up / KILO),
    ];
    // Not every system tells these.
    let memory = load.memory.map(|it| Figure::exact("net.memory", "MB", it));
    figures.extend(memory);
    figures.extend(load.cores.map(|it| Figure::exact("net.core", "cores", it)));
    figures
}

#[cfg(test)]
mod tests {
    use serve::bots::Traffic;

    use super::*;

    #[test]
    fn the_tick_of_the_bar_is_the_slowest_of_a_hundred() {
        let load = Load {
            ticks: (1..=100).map(f64::from).collect(),
            traffic: Traffic {
                down: 7400.0,
                ..Traffic::default()
            },
            memory: Some(90.0),
            ..Load::default()
        };
        let figures = figures(load);
        let numbers: Vec<_> = figures
            .iter()
            .map(|it| (it.name.as_str(), it.median))
            .collect();
        let expected = [
            ("net.tick", 99.0),
            ("net.down", 7.4),
            ("net.up", 0.0),
            ("net.memory", 90.0),
        ];
        assert_eq!(numbers, expected);
    }
}
