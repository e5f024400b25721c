//! The conditions of a run: processor, load, compiler, commit.

use serde::{Deserialize, Serialize};
use std::process::Command;

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Machine {
    pub processor: String,
    pub threads: usize,
    pub memory_gigabytes: f64,
    pub system: String,
    pub compiler: String,
    /// Commit of this repository, with `+` if files were changed.
    pub commit: String,
    pub date: String,
    /// Mean number of runnable programs over a minute, before and after. Before, the build counts
    /// too; after, more than one means that other programs ran.
    pub load_before: f64,
    pub load_after: f64,
    pub left_out: Vec<String>,
}

impl Machine {
    pub fn look() -> Self {
        let commit = said("git", &["rev-parse", "--short=10", "HEAD"]);
        let changed = said("git", &["status", "--porcelain", "--untracked-files=no"]);
        let mark = if changed.is_empty() { "" } else { "+" };
        Self {
            processor: field("/proc/cpuinfo", "model name"),
            threads: std::thread::available_parallelism().map_or(0, usize::from),
            memory_gigabytes: field("/proc/meminfo", "MemTotal")
                .trim_end_matches(" kB")
                .parse::<f64>()
                .map_or(0.0, |kilobytes| (kilobytes / 1e5).round() / 10.0),
            system: said("uname", &["-srm"]),
            compiler: said("rustc", &["--version"]),
            commit: format!("{commit}{mark}"),
            date: said("date", &["-u", "+%Y-%m-%d %H:%M UTC"]),
            load_before: load(),
            load_after: 0.0,
            left_out: crate::peers::left_out()
                .into_iter()
                .map(str::to_owned)
                .collect(),
        }
    }

    pub fn after(mut self) -> Self {
        self.load_after = load();
        self
    }
}

/// Returns the output of a program, started in this folder.
fn said(program: &str, arguments: &[&str]) -> String {
    let here = env!("CARGO_MANIFEST_DIR");
    let output = Command::new(program)
        .args(arguments)
        .current_dir(here)
        .output();
    output.map_or(String::new(), |output| {
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    })
}

fn field(file: &str, name: &str) -> String {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let line = text.lines().find(|line| line.starts_with(name));
    line.and_then(|line| line.split_once(':'))
        .map_or(String::new(), |(_, value)| value.trim().to_owned())
}

fn load() -> f64 {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let first = text.split(' ').next().unwrap_or_default();
    first.parse().unwrap_or(0.0)
}
