//! A world that lives long: 5,000 characters, streaming viewers, 1,000 edits a second and saves,
//! killed and opened again and again: `cargo run --release -p world --example long_run --
//! --minutes 10 [--seed N] [--csv FILE]`.
//!
//! This process starts another one that plays, and kills it. Each life begins with a comparison of
//! the saved world with the edits that were made; while it plays, every character is checked to be
//! at a place that is a number and outside of solid voxels. Memory and open handles are sampled and
//! must not grow. A fault is printed, and the exit code is 1.

mod acts;
mod figures;
mod life;
#[path = "../../tests/crash/stalls.rs"]
#[allow(clippy::unwrap_used, dead_code)]
mod stalls;

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use figures::{Figures, Sample};
use stalls::Stalls;

/// Age from which on edits must not be lost.
const PROMISE: Duration = Duration::from_millis(250);
/// Lives in a run.
const LIVES: u32 = 8;
/// Shortest and longest life, in seconds.
const LIFE: [u64; 2] = [20, 120];
/// Longest silence of the other process.
const SILENCE: Duration = Duration::from_secs(300);

struct Options {
    minutes: f64,
    seed: u64,
    csv: Option<PathBuf>,
}

impl Options {
    fn read() -> Option<Self> {
        let mut options = Options {
            minutes: 0.0,
            seed: 1,
            csv: None,
        };
        let mut words = std::env::args().skip(1);
        while let Some(word) = words.next() {
            let value = words.next()?;
            match word.as_str() {
                "--minutes" => options.minutes = value.parse().ok()?,
                "--seed" => options.seed = value.parse().ok()?,
                "--csv" => options.csv = Some(value.into()),
                _ => return None,
            }
        }
        (options.minutes > 0.0).then_some(options)
    }
}

fn main() -> ExitCode {
    if let Some(orders) = life::Orders::read() {
        return life::live(&orders);
    }
    let Some(options) = Options::read() else {
        eprintln!("how long? for example --minutes 10");
        return ExitCode::from(2);
    };
    let name = format!("world-long-run-{}.world", std::process::id());
    let path = std::env::temp_dir().join(name);
    let (mut run, stalls) = (Run::new(&path, &options), Stalls::default());
    std::thread::scope(|scope| {
        scope.spawn(|| stalls.measure(&std::env::temp_dir()));
        run.play(&stalls);
        stalls.end();
    });
    let _ = std::fs::remove_file(&path);
    run.figures.judge(&mut run.faults);
    if let Some(csv) = &options.csv
        && let Err(error) = std::fs::write(csv, run.figures.csv())
    {
        run.faults.push(format!("{}: {error}", csv.display()));
    }
    for fault in &run.faults {
        println!("FAULT: {fault}");
    }
    println!("{} kills, {} faults", run.kills, run.faults.len());
    ExitCode::from(u8::from(!run.faults.is_empty()))
}

struct Run<'a> {
    path: &'a Path,
    options: &'a Options,
    begun: Instant,
    figures: Figures,
    kills: u32,
    /// Edits that must be in the file.
    promised: u64,
    faults: Vec<String>,
}

impl<'a> Run<'a> {
    fn new(path: &'a Path, options: &'a Options) -> Self {
        Run {
            path,
            options,
            begun: Instant::now(),
            figures: Figures::default(),
            kills: 0,
            promised: 0,
            faults: Vec::new(),
        }
    }

    /// Plays until the time is over; the last life ends in order.
    fn play(&mut self, stalls: &Stalls) {
        let all = Duration::from_secs_f64(self.options.minutes * 60.0);
        let mean = (all / LIVES).as_secs().clamp(LIFE[0], LIFE[1]);
        println!("{}", Sample::HEAD);
        while self.faults.is_empty() {
            let rest = all.saturating_sub(self.begun.elapsed());
            let bits = acts::mix(self.options.seed << 32 | u64::from(self.kills));
            let life = Duration::from_millis(mean * 500 + bits % (mean * 1_000));
            let is_last = rest <= life;
            self.live(if is_last { rest } else { life }, is_last, stalls);
            if is_last {
                return;
            }
        }
    }

    /// Starts a life, listens to it, and ends it: the last one in order, others by a kill.
    fn live(&mut self, life: Duration, is_last: bool, stalls: &Stalls) {
        let born = Instant::now();
        let (mut child, heard) = self.start();
        let mut edits = Vec::new();
        let mut ends = None;
        loop {
            let wait = ends.map_or(SILENCE, |ends: Instant| {
                ends.saturating_duration_since(Instant::now())
            });
            match heard.recv_timeout(wait) {
                Ok((at, line)) => self.hear(&line, at, &mut edits, || {
                    ends.get_or_insert(Instant::now() + life);
                }),
                Err(RecvTimeoutError::Timeout) if ends.is_some() => break,
                Err(error) => {
                    self.faults.push(format!("the other process: {error}"));
                    break;
                }
            }
        }
        let killed = Instant::now();
        if is_last {
            self.end(&mut child, &heard);
            return;
        }
        let _ = child.kill();
        let _ = child.wait();
        self.kills += 1;
        let promise = PROMISE + stalls.between(born, killed);
        let old = edits.iter().filter(|(at, _)| *at + promise < killed);
        let promised = old.map(|(_, number)| *number).max();
        self.promised = self.promised.max(promised.unwrap_or(0));
    }

    fn start(&self) -> (Child, Receiver<(Instant, String)>) {
        let mut child = Command::new(std::env::current_exe().expect("this program has a path"))
            .envs(life::orders(self.path, self.options.seed, self.promised))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("another process can be started");
        let (sender, receiver) = channel();
        let lines = child.stdout.take().map(|out| BufReader::new(out).lines());
        std::thread::spawn(move || {
            for line in lines.into_iter().flatten().map_while(Result::ok) {
                let _ = sender.send((Instant::now(), line));
            }
        });
        (child, receiver)
    }

    fn hear(
        &mut self,
        line: &str,
        at: Instant,
        edits: &mut Vec<(Instant, u64)>,
        mut opened: impl FnMut(),
    ) {
        let Some((kind, rest)) = line.split_once(' ') else {
            return;
        };
        match kind {
            "opened" => {
                println!("{:>5} s: {rest}", self.begun.elapsed().as_secs());
                opened();
            }
            "edits" => edits.extend(rest.parse().ok().map(|number: u64| (at, number))),
            "sample" => {
                if let Some(mut sample) = Sample::parse(rest) {
                    sample.at = self.begun.elapsed().as_secs_f64();
                    println!("{}", sample.row());
                    self.figures.samples.push(sample);
                }
            }
            "fault" => self.faults.push(rest.to_owned()),
            _ => {}
        }
    }

    /// Asks the last life to end, and waits for it.
    fn end(&mut self, child: &mut Child, heard: &Receiver<(Instant, String)>) {
        if let Some(mut orders) = child.stdin.take() {
            let _ = writeln!(orders, "end");
        }
        while let Ok((at, line)) = heard.recv_timeout(SILENCE) {
            self.hear(&line, at, &mut Vec::new(), || {});
        }
        let _ = child.kill();
        match child.wait() {
            Ok(status) if status.success() => {}
            ended => self.faults.push(format!("the last life: {ended:?}")),
        }
    }
}
