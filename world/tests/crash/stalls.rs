//! How long the machine keeps everyone waiting while the test runs: how late a sleeper wakes, and how long the disk takes. What it stalls
//! the saver by is no fault of the saver.

use std::io::Write;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The stalls so far, one after the other.
#[derive(Default)]
pub(crate) struct Stalls {
    found: Mutex<Vec<Stall>>,
    over: AtomicBool,
}

#[derive(Clone, Copy)]
struct Stall {
    begun: Instant,
    ended: Instant,
    /// What a commit may take longer for it.
    delay: Duration,
}

impl Stalls {
    /// Measures until it is over.
    pub(crate) fn measure(&self, folder: &Path) {
        let probe = folder.join(format!("world-crash-{}-probe", std::process::id()));
        while !self.over.load(Ordering::Relaxed) {
            let stall = look(&probe);
            self.found.lock().unwrap().push(stall);
        }
        let _ = std::fs::remove_file(probe);
    }

    /// Nobody asks any more.
    pub(crate) fn end(&self) {
        self.over.store(true, Ordering::Relaxed);
    }

    /// The longest delay of a time that is past. Waits for what was under way at its end.
    pub(crate) fn between(&self, from: Instant, to: Instant) -> Duration {
        loop {
            let found = self.found.lock().unwrap();
            if found.last().is_some_and(|last| last.begun > to) {
                let met = found
                    .iter()
                    .filter(|one| one.ended >= from && one.begun <= to);
                return met.map(|one| one.delay).max().unwrap_or_default();
            }
            drop(found);
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// The longest delay so far.
    pub(crate) fn longest(&self) -> Duration {
        let found = self.found.lock().unwrap();
        found.iter().map(|one| one.delay).max().unwrap_or_default()
    }
}

fn look(probe: &Path) -> Stall {
    const NAP: Duration = Duration::from_millis(5);
    let begun = Instant::now();
    std::thread::sleep(NAP);
    let woken = Instant::now();
    let written = std::fs::File::create(probe)
        .and_then(|mut file| file.write_all(&[0; 4096]).and_then(|()| file.sync_all()));
    let ended = Instant::now();
    // A commit syncs about twice, and may wait for one that runs.
    let synced = written.map_or(Duration::ZERO, |()| (ended - woken) * 4);
    Stall {
        begun,
        ended,
        delay: (woken - begun).saturating_sub(NAP) + synced,
    }
}
