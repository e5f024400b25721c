//! Measures figures on this machine: each group has a module of its own; this one holds the shared
//! part.
//!
//! A group is `pub fn run(&Filter) -> Result<Vec<Figure>, Error>` and measures only the figures
//! that the filter selects, or that come with them.

pub mod allocations;
mod bars;
mod card;
pub mod crowd;
mod first;
pub mod frame;
mod gather;
mod meshes;
pub mod net;
pub mod systems;
pub mod world;
pub mod world_data;

use std::time::{Duration, Instant};

use serde::Serialize;

use crate::arguments::BenchArguments;
use crate::error::Error;
use crate::terminal::{complain, say};

use bars::Bar;

/// One measured number.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Figure {
    /// Dotted name, such as `crowd.walk.1000`.
    pub name: String,
    /// Unit of `median` and `p99`.
    pub unit: &'static str,
    /// Median of the runs.
    pub median: f64,
    /// The value that 99 of 100 runs stay below.
    pub p99: f64,
    /// Number of runs.
    pub runs: usize,
    /// The bar that `median` must reach, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bar: Option<f64>,
}

impl Figure {
    /// Sums up samples in `unit`. Without samples, all numbers are zero.
    pub fn from_samples(name: &str, unit: &'static str, mut samples: Vec<f64>) -> Self {
        samples.sort_by(f64::total_cmp);
        let at = |share: f64| {
            let index = (share * samples.len() as f64).ceil() as usize;
            samples.get(index.saturating_sub(1)).copied().unwrap_or(0.0)
        };
        Figure {
            name: name.to_owned(),
            unit,
            median: at(0.5),
            p99: at(0.99),
            runs: samples.len(),
            bar: Bar::of(name).map(Bar::value),
        }
    }

    /// Returns a figure without spread, such as a count of bytes or of allocations.
    pub fn exact(name: &str, unit: &'static str, value: f64) -> Self {
        Figure::from_samples(name, unit, vec![value])
    }
}

/// The selected figures; empty selects all.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    only: Vec<String>,
}

impl Filter {
    /// Selects the groups, names or beginnings of names in `only`; none selects everything.
    pub fn new(only: &[String]) -> Self {
        Filter {
            only: only.to_vec(),
        }
    }

    /// Tells on the stream for errors that figures are measured now, which may take minutes.
    /// Returns false, and tells nothing, if none of them is selected.
    fn begin(&self, group: &str, names: &[&str]) -> bool {
        let selected = names.iter().filter(|name| self.wants(group, name));
        let selected: Vec<&str> = selected.copied().collect();
        if !selected.is_empty() {
            complain!("measuring {} ...", selected.join(", "));
        }
        !selected.is_empty()
    }

    /// Returns whether this figure is named in full.
    fn names(&self, name: &str) -> bool {
        self.only.iter().any(|entry| entry == name)
    }

    /// Returns whether the figure `name` of `group` is selected.
    pub fn wants(&self, group: &str, name: &str) -> bool {
        self.only.is_empty()
            || self
                .only
                .iter()
                .any(|entry| entry_names(entry, group, name))
    }
}

fn graphics(error: engine::GpuError) -> Error {
    Error::Graphics(error.to_string())
}

fn entry_names(entry: &str, group: &str, name: &str) -> bool {
    entry == group
        || name
            .strip_prefix(entry)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('.') || entry.ends_with('.'))
}

/// Calls `work` once unmeasured, then `runs` times, and returns each duration.
pub fn time_runs(runs: usize, mut work: impl FnMut()) -> Vec<Duration> {
    work();
    (0..runs)
        .map(|_| {
            let start = Instant::now();
            work();
            start.elapsed()
        })
        .collect()
}

/// Converts durations to numbers of `unit_seconds` each (1e-6 for microseconds), divided among
/// `shares` parts.
pub fn in_units(durations: &[Duration], unit_seconds: f64, shares: usize) -> Vec<f64> {
    let scale = 1.0 / (unit_seconds * shares.max(1) as f64);
    durations.iter().map(|d| d.as_secs_f64() * scale).collect()
}

type Group = fn(&Filter) -> Result<Vec<Figure>, Error>;

const GROUPS: [(&str, Group); 8] = [
    ("world", world::run),
    ("world", world_data::run),
    ("crowd", crowd::run),
    ("frame", frame::run),
    ("frame", first::run),
    ("frame", card::run),
    ("systems", systems::run),
    ("net", net::run),
];

pub(crate) fn run(arguments: &BenchArguments) -> Result<(), Error> {
    let only: Vec<String> = arguments
        .only
        .iter()
        .map(|e| e.trim().to_owned())
        .filter(|e| !e.is_empty())
        .collect();
    if only.is_empty() && !arguments.only.is_empty() {
        return Err(Error::Usage(
            "--only needs at least one group or figure".to_owned(),
        ));
    }
    let filter = Filter::new(&only);
    let (mut shown, mut failure) = (0, None);
    for (group, measure) in GROUPS {
        match measure(&filter) {
            Ok(mut figures) => {
                figures.retain(|figure| filter.wants(group, &figure.name));
                shown += figures.len();
                for figure in &figures {
                    show(figure, arguments)?;
                }
            }
            // The other groups can still be measured.
            Err(error) => {
                complain!("some figures of {group} are left out: {error}");
                failure.get_or_insert(error);
            }
        }
    }
    if let Some(error) = failure {
        return Err(error);
    }
    if shown == 0 && !only.is_empty() {
        let names = only.join(", ");
        return Err(Error::Usage(format!(
            "no figure is called {names}; groups are world, crowd, frame, systems, net"
        )));
    }
    Ok(())
}

fn show(figure: &Figure, arguments: &BenchArguments) -> Result<(), Error> {
    if arguments.json {
        let line = serde_json::to_string(figure).map_err(|e| Error::Failed(e.to_string()))?;
        say!("{line}")
    } else {
        let Figure {
            name,
            unit,
            median,
            p99,
            runs,
            bar: _,
        } = figure;
        let bar = Bar::of(name).map_or_else(String::new, |bar| {
            let verdict = if bar.holds(*median) { "" } else { "  MISSED" };
            format!("   bar {}{verdict}", bar.value())
        });
        say!("{name:32} {median:>12.4} {unit:<14} p99 {p99:>12.4}   {runs:>5} runs{bar}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_median_and_99th() {
        let figure = Figure::from_samples("a", "us", (1..=100).map(f64::from).rev().collect());
        assert_eq!((figure.median, figure.p99, figure.runs), (50.0, 99.0, 100));
        assert_eq!(Figure::from_samples("a", "us", vec![]).runs, 0);
    }

    #[test]
    fn filters_take_groups_names_and_beginnings() {
        let filter =
            |only: &[&str]| Filter::new(&only.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>());
        assert!(filter(&[]).wants("systems", "fog.still"));
        assert!(filter(&["systems"]).wants("systems", "fog.still"));
        assert!(filter(&["fog"]).wants("systems", "fog.still"));
        assert!(filter(&["fog.still"]).wants("systems", "fog.still"));
        assert!(!filter(&["fo"]).wants("systems", "fog.still"));
        assert!(!filter(&["crowd"]).wants("systems", "fog.still"));
        assert!(filter(&["fog.still"]).begin("systems", &["fog.demo", "fog.still"]));
        assert!(!filter(&["fog.still"]).begin("systems", &["fog.demo"]));
    }
}
