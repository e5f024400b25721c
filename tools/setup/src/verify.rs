//! `cargo verify`: runs all checks of the project and prints a summary.
//!
//! Every step runs even if an earlier one failed, so that one run shows all failures.

use crate::machine;
use std::io::{BufRead, BufReader};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

struct Step {
    name: &'static str,
    arguments: &'static [&'static str],
    environment: &'static [(&'static str, &'static str)],
}

const STEPS: &[Step] = &[
    Step {
        name: "format",
        arguments: &["fmt", "--all", "--check"],
        environment: &[],
    },
    Step {
        name: "lints",
        arguments: &[
            "clippy",
            "--workspace",
            "--all-targets",
            "--features",
            "collision/serde",
            "--",
            "-D",
            "warnings",
        ],
        environment: &[],
    },
    Step {
        name: "lints without features",
        arguments: &[
            "clippy",
            "--package",
            "world",
            "--no-default-features",
            "--",
            "-D",
            "warnings",
        ],
        environment: &[],
    },
    Step {
        name: "tests",
        arguments: &[
            "test",
            "--workspace",
            "--features",
            "collision/serde",
            "--no-fail-fast",
        ],
        environment: &[],
    },
    Step {
        name: "same bits in release",
        arguments: &[
            "test",
            "--release",
            "--package",
            "collision-scenes",
            "--package",
            "world",
            "--test",
            "scenes",
            "--no-fail-fast",
        ],
        environment: &[],
    },
    Step {
        name: "a game in Bevy",
        arguments: &[
            "run",
            "--locked",
            "--manifest-path",
            "tools/bevy/Cargo.toml",
        ],
        environment: &[],
    },
    Step {
        name: "documentation",
        arguments: &["doc", "--workspace", "--no-deps"],
        environment: &[("RUSTDOCFLAGS", "-D warnings")],
    },
];

#[derive(Default)]
struct Outcome {
    succeeded: bool,
    took: Duration,
    passed: u64,
    failed: u64,
    failures: Vec<String>,
}

/// Runs every step and prints the summary. Fails if any step failed.
pub(crate) fn verify() -> Result<ExitCode, String> {
    machine::prepare_to_verify()?;
    let mut outcomes = Vec::new();
    for step in STEPS {
        println!("verify: {} (cargo {})", step.name, step.arguments.join(" "));
        outcomes.push((step.name, run(step)?));
    }
    Ok(summarise(&outcomes))
}

fn run(step: &Step) -> Result<Outcome, String> {
    let begin = Instant::now();
    let mut child = Command::new(env!("CARGO"))
        .args(step.arguments)
        .envs(step.environment.iter().copied())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| format!("verify: could not start cargo: {error}"))?;
    let mut outcome = Outcome::default();
    if let Some(output) = child.stdout.take() {
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            println!("{line}");
            outcome.read(&line);
        }
    }
    let status = child
        .wait()
        .map_err(|error| format!("verify: lost sight of cargo: {error}"))?;
    outcome.succeeded = status.success();
    outcome.took = begin.elapsed();
    Ok(outcome)
}

impl Outcome {
    /// Counts the results of the test runner: `test result: ok. 3 passed; 0 failed; ...`.
    fn read(&mut self, line: &str) {
        if let Some(counts) = line.strip_prefix("test result: ") {
            self.passed += count_before(counts, " passed");
            self.failed += count_before(counts, " failed");
        } else if line.starts_with("test ") && line.ends_with("... FAILED") {
            self.failures.push(line.to_owned());
        }
    }
}

fn count_before(text: &str, word: &str) -> u64 {
    let Some(end) = text.find(word) else { return 0 };
    text[..end]
        .rsplit(' ')
        .next()
        .and_then(|number| number.parse().ok())
        .unwrap_or(0)
}

fn summarise(outcomes: &[(&str, Outcome)]) -> ExitCode {
    println!("\nSummary");
    for (name, outcome) in outcomes {
        let verdict = if outcome.succeeded { "ok" } else { "FAILED" };
        println!("  {name:<24}{verdict:<8}{:>5} s", outcome.took.as_secs());
        for failure in &outcome.failures {
            println!("      {failure}");
        }
    }
    let passed: u64 = outcomes.iter().map(|(_, outcome)| outcome.passed).sum();
    let failed: u64 = outcomes.iter().map(|(_, outcome)| outcome.failed).sum();
    let all_well = outcomes.iter().all(|(_, outcome)| outcome.succeeded);
    println!(
        "{}",
        if all_well {
            "Everything holds."
        } else {
            "Something does not hold; see above."
        }
    );
    println!("{passed} passed, {failed} failed");
    if all_well {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn read_adds_up_what_the_runner_says() {
        let mut outcome = Outcome::default();
        outcome.read("running 3 tests");
        outcome.read("test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out");
        outcome.read("test wall::stops ... FAILED");
        outcome.read(
            "test result: FAILED. 12 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out",
        );
        assert_eq!((outcome.passed, outcome.failed), (15, 2));
        assert_eq!(outcome.failures, ["test wall::stops ... FAILED"]);
    }
}
