//! The threads of the thread pool: as many as there are cores, or as the system allows.

use std::sync::Mutex;
use std::thread::Builder;

use rayon::ThreadPoolBuilder;

/// The most threads, however many are requested.
const MOST: usize = 256;
/// Threads that are left for saving, opening files and the graphics driver.
const OTHERS: usize = 4;

/// Starts the threads. Without any, work runs on the calling thread.
pub fn start() {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let asked = std::env::var("RAYON_NUM_THREADS").ok();
    let asked = asked.and_then(|text| text.parse().ok());
    let wanted = asked.filter(|&count| count > 0).unwrap_or(cores).min(MOST);
    let threads = startable(wanted + OTHERS).saturating_sub(OTHERS);
    let pool = match threads {
        0 => ThreadPoolBuilder::new().num_threads(1).use_current_thread(),
        _ => ThreadPoolBuilder::new().num_threads(threads),
    };
    // A test that runs several commands has started it already.
    let _ = pool.build_global();
}

/// Returns the number of threads that can run at once, up to a limit. The pool itself cannot be
/// tried: it fails once and for all.
fn startable(most: usize) -> usize {
    let gate = Mutex::new(());
    std::thread::scope(|scope| {
        let _closed = gate.lock();
        let wait = || drop(gate.lock());
        let start = |_: &usize| Builder::new().spawn_scoped(scope, wait).is_ok();
        (0..most).take_while(start).count()
    })
}
