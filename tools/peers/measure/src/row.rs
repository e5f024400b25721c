//! Rows of figures: collecting and printing them.

use serde::{Deserialize, Serialize};
use std::io::Write;

/// One figure of one peer.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Row {
    pub name: String,
    pub peer: String,
    pub unit: String,
    pub median: f64,
    pub p99: f64,
    pub runs: usize,
    /// Median divided by ours, if we have a row of this name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ratio: Option<f64>,
    /// Distance made as a fraction of the wished distance.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moved: Option<f64>,
    /// Number of characters that ended inside a solid.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inside: Option<usize>,
    /// Number of characters that stood still for the last second against their wish.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stuck: Option<usize>,
    /// Mean final height in metres: peers that climb too steep ground get higher.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub height: Option<f64>,
    /// Memory of one character.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kilobytes_each: Option<f64>,
    /// Numbers of passed and of all checks or scenes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub passed: Option<[usize; 2]>,
    /// The state hash at the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
    /// A remark.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

impl Row {
    /// Returns a row without figures.
    pub fn new(name: &str, peer: &str, unit: &str) -> Self {
        Self {
            name: name.to_owned(),
            peer: peer.to_owned(),
            unit: unit.to_owned(),
            ..Self::default()
        }
    }

    /// Returns a row of times.
    pub fn timed(name: &str, peer: &str, unit: &str, times: &mut [f64]) -> Self {
        Self {
            median: median(times),
            p99: percentile(times, 0.99),
            runs: times.len(),
            ..Self::new(name, peer, unit)
        }
    }

    /// Returns a row of a single number.
    pub fn single(name: &str, peer: &str, unit: &str, value: f64) -> Self {
        Self::timed(name, peer, unit, &mut [value])
    }
}

pub fn median(times: &mut [f64]) -> f64 {
    percentile(times, 0.5)
}

pub fn percentile(times: &mut [f64], share: f64) -> f64 {
    times.sort_by(f64::total_cmp);
    let last = times.len().saturating_sub(1);
    times
        .get((last as f64 * share).round() as usize)
        .copied()
        .unwrap_or(f64::NAN)
}

/// Rows in order, printed at once.
pub struct Table {
    json: bool,
    pub rows: Vec<Row>,
}

impl Table {
    pub fn new(json: bool) -> Self {
        Self {
            json,
            rows: Vec::new(),
        }
    }

    /// Adds a row; our row of a name must come first.
    pub fn add(&mut self, mut row: Row) {
        let same = |other: &&Row| other.name == row.name && other.peer == "ours";
        let ours = self.rows.iter().find(same).map(|ours| ours.median);
        row.ratio = ours
            .filter(|ours| *ours > 0.0 && row.peer != "ours")
            .map(|ours| row.median / ours);
        let line = if self.json {
            serde_json::to_string(&row).unwrap_or_default()
        } else {
            line(&row)
        };
        // A closed output does not stop the run: the results are also kept and reported at the end.
        let _gone = writeln!(std::io::stdout(), "{line}");
        self.rows.push(row);
    }
}

fn line(row: &Row) -> String {
    let ratio = row
        .ratio
        .map_or(String::new(), |ratio| format!("{ratio:.2}x"));
    let mut line = format!(
        "{:<27} {:<24}{:>11.3} {:<5}{:>11.3}{ratio:>10}",
        row.name, row.peer, row.median, row.unit, row.p99
    );
    if let Some(moved) = row.moved {
        line += &format!("  moved {moved:.3}");
    }
    for (what, count) in [("inside", row.inside), ("stuck", row.stuck)] {
        if let Some(count) = count {
            line += &format!("  {what} {count}");
        }
    }
    if let Some(height) = row.height {
        line += &format!("  height {height:.2}");
    }
    if let Some([held, all]) = row.passed {
        line += &format!("  {held} of {all} held");
    }
    if let Some(kilobytes) = row.kilobytes_each {
        line += &format!("  {kilobytes:.2} kB each");
    }
    if let Some(note) = &row.note {
        line += &format!("  {note}");
    }
    line
}
