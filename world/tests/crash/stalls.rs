//! Measures how long the machine delays all processes during the test: late wake-ups and slow disk
//! writes. Such delays are subtracted from the saver's.

use std::io::Write;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The stalls so far, in order.
#[derive(Default)]
pub(crate) struct Stalls {
    found: Mutex<Vec<Stall>>,
    over: AtomicBool,
}

#[derive(Clone, Copy)]
struct Stall {
    begun: Instant,
    ended: Instant,
    /// Delay of a commit by this stall.
    delay: Duration,
}

impl Stalls {
    /// Measures until [`end`](Self::end) is called.
    pub(crate) fn measure(&self, folder: &Path) {
        let probe = folder.join(format!("world-crash-{}-probe", std::process::id()));
        while !self.over.load(Ordering::Relaxed) {
            let stall = look(&probe);
            self.found.lock().unwrap().push(stall);
        }
        let _ = std::fs::remove_file(probe);
    }

    /// Ends the measurement.
    pub(crate) fn end(&self) {
        self.over.store(true, Ordering::Relaxed);
    }

    /// Returns the longest delay in a past period. Waits for the measurement that was running at
    /// its end.
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

    /// Returns the longest delay so far.
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
    // A commit syncs about twice, and may wait for a running one.
    let synced = written.map_or(Duration::ZERO, |()| (ended - woken) * 4);
    Stall {
        begun,
        ended,
        delay: (woken - begun).saturating_sub(NAP) + synced,
    }
}
