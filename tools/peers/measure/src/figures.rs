//! Our own figures beside their bars: the output of the demo's `bench`, run as a separate program.

use crate::row::Row;
use serde::Deserialize;
use std::process::{Command, Stdio};

/// Peer name of these rows; `ours` is measured here, beside others.
pub const PEER: &str = "ours, bench";

/// The bar of a figure.
enum Bar {
    AtMost(f64),
    AtLeast(f64),
}

use Bar::{AtLeast, AtMost};

const BARS: &[(&str, Bar)] = &[
    ("world.merge.collision", AtMost(15.0)),
    ("world.merge.render", AtMost(25.0)),
    ("world.edit.one", AtMost(2.5)),
    ("world.edit.sphere8", AtMost(110.0)),
    ("world.generate", AtLeast(5000.0)),
    ("world.index.sweep", AtMost(200.0)),
    ("world.index.move", AtMost(0.3)),
    ("world.memory.surfaces", AtMost(1.0)),
    ("world.memory.chunk", AtMost(18.0)),
    ("world.save", AtMost(40.0)),
    ("crowd.walk.1000", AtMost(0.23)),
    ("crowd.walk.10000", AtMost(0.45)),
    ("crowd.walk.1000.spread", AtMost(1.5)),
    ("crowd.walk.10000.spread", AtMost(1.5)),
    ("crowd.fast.1000", AtMost(0.65)),
    ("crowd.walk.quarter", AtMost(0.85)),
    ("crowd.idle.10000", AtMost(0.01)),
    ("crowd.packed.2000", AtMost(0.5)),
    ("crowd.two_threads", AtLeast(1.8)),
    ("crowd.allocations", AtMost(0.0)),
    ("hash.query", AtMost(70.0)),
    ("hash.update", AtMost(20.0)),
    ("grid.refill", AtMost(0.8)),
    ("hit.swing", AtMost(0.1)),
    ("fog.105.40", AtMost(60.0)),
    ("fog.105.80", AtMost(80.0)),
    ("fog.1000.256", AtMost(600.0)),
    ("fog.still", AtMost(20.0)),
    ("frame.cpu", AtMost(0.25)),
    ("frame.edit", AtMost(1.0)),
    ("frame.first", AtMost(400.0)),
    ("frame.allocations", AtMost(0.0)),
];

/// A line of `bench --json`.
#[derive(Deserialize)]
struct Figure {
    name: String,
    unit: String,
    median: f64,
    p99: f64,
    runs: usize,
}

/// Runs the benchmark like a user would: installs the requirements of drawing first. Reports
/// failures.
pub fn rows() -> Vec<Row> {
    eprintln!("peers: our own figures; the demo is built for them");
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../..");
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    // Its build settings are there, and cargo searches for them from the working directory.
    let output = Command::new(cargo)
        .args(["play", "bench", "--json"])
        .current_dir(root)
        .stderr(Stdio::inherit())
        .output();
    match output {
        Ok(output) if output.status.success() => rows_of(&String::from_utf8_lossy(&output.stdout)),
        Ok(output) => {
            eprintln!(
                "peers: some of our own figures are left out, the demo ended with {}",
                output.status
            );
            rows_of(&String::from_utf8_lossy(&output.stdout))
        }
        Err(error) => {
            eprintln!("peers: our own figures are left out, cargo did not start: {error}");
            Vec::new()
        }
    }
}

fn rows_of(lines: &str) -> Vec<Row> {
    let figures = lines
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok());
    figures
        .flat_map(|figure| [spread(&figure), Some(figure)])
        .flatten()
        .map(row)
        .collect()
}

/// Returns the ratio of the worst ticks of a walk to the median.
fn spread(figure: &Figure) -> Option<Figure> {
    figure.name.starts_with("crowd.walk.").then(|| Figure {
        name: format!("{}.spread", figure.name),
        unit: "p99 / median".into(),
        median: figure.p99 / figure.median,
        p99: figure.p99 / figure.median,
        runs: figure.runs,
    })
}

fn row(figure: Figure) -> Row {
    let bar = BARS.iter().find(|(name, _)| *name == figure.name);
    let (passed, note) = match bar {
        Some((_, AtMost(bar))) => (Some(figure.median <= *bar), Some(format!("at most {bar}"))),
        Some((_, AtLeast(bar))) => (Some(figure.median >= *bar), Some(format!("at least {bar}"))),
        None => (None, None),
    };
    Row {
        median: figure.median,
        p99: figure.p99,
        runs: figure.runs,
        passed: passed.map(|passed| [usize::from(passed), 1]),
        note,
        ..Row::new(&figure.name, PEER, &figure.unit)
    }
}
