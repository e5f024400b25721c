//! The server's run: from its first line to its last.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use simulation::Role;

use crate::host::{Host, Say};
use crate::{Arguments, ServeError};

/// Time of a tick.
const TICK: Duration = Duration::from_nanos(16_666_667);
/// The most ticks that are made up for; time beyond is let go.
const MOST_LATE: u32 = 4;
/// Time between two lines about the state.
const STATE: Duration = Duration::from_secs(60);
/// The roles that invites are printed for.
const INVITED: [(Role, &str); 3] = [
    (Role::Walk, "to walk about"),
    (Role::Build, "to build and dig"),
    (Role::Owner, "to do everything, for yourself"),
];

/// Serves a world until the process is told to stop, and says what happens.
pub fn run(arguments: &Arguments, say: Say<'_>) -> Result<(), ServeError> {
    let stop = Arc::new(AtomicBool::new(false));
    let told = stop.clone();
    ctrlc::set_handler(move || told.store(true, Ordering::Relaxed))
        .map_err(|error| ServeError::Signals(error.to_string()))?;
    let say: Say<'_> = &mut |words: &str| say(&plain(words));
    let mut host = Host::open(arguments, say)?;
    greet(&host, say)?;
    tick_until(&mut host, &stop, say);
    host.close()?;
    say("the server has stopped, and the world is saved");
    Ok(())
}

/// Ticks 60 times a second until a host is to stop.
pub fn tick_until(host: &mut Host, stop: &AtomicBool, say: Say<'_>) {
    let mut clock = Clock::new();
    while !stop.load(Ordering::Relaxed) {
        host.tick(say);
        clock.wait();
        if let Some(late) = clock.state() {
            let here = host.players();
            if here > 0 {
                say(&format!(
                    "players: {here}; ticks in a minute that were late: {late}"
                ));
            }
        }
    }
}

/// Says what is served, and prints the invites, each in a line of its own.
fn greet(host: &Host, say: Say<'_>) -> Result<(), ServeError> {
    let (path, address) = (host.path().display(), host.address());
    say(&format!(
        "{path} is open at UDP {address}; stop it with Ctrl+C"
    ));
    let hosts = host.hosts();
    let others = hosts.others.iter().map(|name| (name, ""));
    let own = hosts
        .own
        .iter()
        .map(|name| (name, ", for this machine only"));
    for (name, place) in others.chain(own) {
        say("");
        say(&format!("Invites to {name}{place}:"));
        for (role, aim) in INVITED {
            say(&format!("{aim}:"));
            say(&host.invite(role, name)?.to_string());
        }
    }
    say("");
    Ok(())
}

/// Returns words without control characters, whatever a path or a client holds.
fn plain(words: &str) -> String {
    words
        .chars()
        .filter(|letter| !letter.is_control())
        .collect()
}

/// The clock of the ticks.
#[derive(Debug)]
pub(crate) struct Clock {
    due: Instant,
    told: Instant,
    late: u32,
}

impl Clock {
    pub(crate) fn new() -> Self {
        let due = Instant::now();
        Clock {
            due,
            told: due,
            late: 0,
        }
    }

    /// Waits until the next tick is due.
    pub(crate) fn wait(&mut self) {
        let now = Instant::now();
        self.due += TICK;
        if self.due < now {
            self.late += 1;
            let oldest = now.checked_sub(TICK * MOST_LATE);
            self.due = oldest.map_or(self.due, |oldest| self.due.max(oldest));
        }
        std::thread::sleep(self.due.saturating_duration_since(now));
    }

    /// Returns the late ticks since the last state, if it is time to tell one.
    fn state(&mut self) -> Option<u32> {
        let now = Instant::now();
        (now.saturating_duration_since(self.told) >= STATE).then(|| {
            self.told = now;
            self.take_late()
        })
    }

    /// Returns the late ticks since the last call.
    pub(crate) fn take_late(&mut self) -> u32 {
        std::mem::take(&mut self.late)
    }
}
