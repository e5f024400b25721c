//! Rows of figures: how they are gathered and printed.

use serde::Serialize;

/// One figure of one peer.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    pub name: String,
    pub peer: String,
    pub unit: String,
    pub median: f64,
    pub p99: f64,
    pub runs: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moved: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inside: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stuck: Option<usize>,
}

impl Row {
    /// A figure that is only a time or a count.
    pub fn timed(name: &str, peer: &str, unit: &str, times: &mut [f64]) -> Self {
        Self {
            name: name.to_owned(),
            peer: peer.to_owned(),
            unit: unit.to_owned(),
            median: median(times),
            p99: percentile(times, 0.99),
            runs: times.len(),
            moved: None,
            inside: None,
            stuck: None,
        }
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

/// Prints a row as the table shows it; `ours` is the median of our row of the same name.
pub fn print(row: &Row, ours: Option<f64>) {
    let ratio = ours.map_or(String::new(), |ours| format!("{:>8.2}x", row.median / ours));
    let share = row
        .moved
        .map_or(String::new(), |moved| format!("  moved {moved:.3}"));
    let inside = row
        .inside
        .map_or(String::new(), |count| format!("  inside {count}"));
    let stuck = row
        .stuck
        .map_or(String::new(), |count| format!("  stuck {count}"));
    println!(
        "{:<26}{:<24}{:>10.3} {:<5}{:>10.3}{ratio}{share}{inside}{stuck}",
        row.name, row.peer, row.median, row.unit, row.p99
    );
}
