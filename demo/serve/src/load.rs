//! Measures a server under the load of bots: its ticks, its memory and its share of a core.
//!
//! The server runs in this process, the bots in another one, so that each is measured by itself.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use net::quic::Invite;
use simulation::Role;

use crate::bots::{Traffic, field};
use crate::host::Host;
use crate::run::Clock;
use crate::{Arguments, ServeError};

/// The measured load of a server.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Load {
    /// Times of ticks while all bots played, milliseconds.
    pub ticks: Vec<f64>,
    /// Ticks that were late.
    pub late: u32,
    /// The traffic of the bots.
    pub traffic: Traffic,
    /// Memory beyond that before the server, megabytes; `None` where the system does not tell.
    pub memory: Option<f64>,
    /// Time of processors by time of the clock; `None` where the system does not tell.
    pub cores: Option<f64>,
}

/// Serves a field, lets bots of another process walk about in it, and returns the load. The command
/// of the bots is made from an invite; it has to print the lines of [`crate::bots::run`].
pub fn measure(players: u16, bots: impl FnOnce(&Invite) -> Command) -> Result<Load, ServeError> {
    let before = memory();
    let arguments = Arguments {
        world: PathBuf::new(),
        seed: None,
        listen: Some(([127, 0, 0, 1], 0).into()),
        host: None,
        players,
    };
    let mut host = Host::with(field(), PathBuf::new(), &arguments, &mut |_| {})?;
    let invite = host.invite(Role::Owner, "127.0.0.1")?;
    let child = bots(&invite).stdout(Stdio::piped()).spawn();
    let mut child = child.map_err(|error| ServeError::Bots(error.to_string()))?;
    let load = watch(&mut host, &mut child, usize::from(players));
    let _ = child.kill();
    let _ = child.wait();
    let used = memory().zip(before);
    Ok(Load {
        memory: used.map(|(after, before)| after - before),
        ..load?
    })
}

/// Ticks until the bots have ended, and measures while all of them are there.
fn watch(host: &mut Host, child: &mut Child, players: usize) -> Result<Load, ServeError> {
    let mut load = Load::default();
    let mut begun: Option<(Instant, Option<Duration>)> = None;
    let mut clock = Clock::new();
    loop {
        let tick = Instant::now();
        host.tick(&mut |_| {});
        if host.players() == players {
            begun.get_or_insert_with(|| {
                clock.take_late();
                (Instant::now(), processor_time())
            });
            load.ticks.push(tick.elapsed().as_secs_f64() * 1000.0);
        } else if let Some((begun, spent)) = begun.take() {
            load.late = clock.take_late();
            let spent = processor_time().zip(spent);
            let seconds = begun.elapsed().as_secs_f64();
            load.cores = spent.map(|(now, before)| (now - before).as_secs_f64() / seconds);
        }
        if let Ok(Some(_)) = child.try_wait() {
            break;
        }
        clock.wait();
    }
    let lines = child.stdout.take().map(|out| BufReader::new(out).lines());
    let lines: Vec<String> = lines.into_iter().flatten().map_while(Result::ok).collect();
    load.traffic = Traffic::read(&lines).ok_or_else(|| {
        ServeError::Bots(format!("they end without figures: {}", lines.join(" ")))
    })?;
    Ok(load)
}

/// Returns the memory of this process, megabytes.
fn memory() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    let kilobytes: f64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes / 1024.0)
}

/// Returns the time that processors have spent on this process.
fn processor_time() -> Option<Duration> {
    /// Ticks a second in that file, on every Linux of today.
    const TICKS: u64 = 100;
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    let (_, behind_name) = stat.rsplit_once(')')?;
    let mut fields = behind_name.split_whitespace().skip(11);
    let mut next = || fields.next()?.parse::<u64>().ok();
    Some(Duration::from_millis((next()? + next()?) * 1000 / TICKS))
}
