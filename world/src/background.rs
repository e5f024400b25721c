//! Threads for work that no tick waits for: making land, and encoding what is saved. Their clock.
//!
//! They are apart from rayon's common threads. A tick there that waits for its own share would
//! otherwise be handed a long piece of this work.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
pub(crate) use std::time::Instant;

use rayon::{ThreadPool, ThreadPoolBuilder};
// The clock of the standard library panics in a browser.
#[cfg(all(target_family = "wasm", target_os = "unknown"))]
pub(crate) use web_time::Instant;

/// Returns the threads: one fewer than rayon's common ones, so that a tick finds a free core.
/// `None` if the system starts no threads.
pub(crate) fn threads() -> Option<&'static ThreadPool> {
    static THREADS: OnceLock<Option<ThreadPool>> = OnceLock::new();
    let threads = THREADS.get_or_init(|| {
        let count = rayon::current_num_threads().saturating_sub(1).max(1);
        let threads = ThreadPoolBuilder::new().num_threads(count);
        let named = threads.thread_name(|number| format!("world-{number}"));
        named.start_handler(|_| let_ticks_go_first()).build().ok()
    });
    threads.as_ref()
}

/// Lowers the priority of this thread, so that a tick does not wait for milliseconds while all
/// cores are busy. Linux has priorities of single threads; on other systems this does nothing.
pub(crate) fn let_ticks_go_first() {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::setpriority_process;
        // A refusal leaves the priority as it is.
        let _ = setpriority_process(Some(rustix::thread::gettid()), NICENESS);
    }
}

/// Niceness of the threads: they get a tenth of a core that a tick wants as well.
#[cfg(target_os = "linux")]
const NICENESS: i32 = 10;

type Task = Box<dyn FnOnce() + Send>;

/// Tasks for the threads, in order. The owner can do some itself.
#[derive(Clone, Default)]
pub(crate) struct Tasks(Arc<Mutex<VecDeque<Task>>>);

impl Tasks {
    /// Adds a task. Without threads it waits for [`Self::do_one`].
    pub(crate) fn add(&self, task: impl FnOnce() + Send + 'static) {
        let mut tasks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        tasks.push_back(Box::new(task));
        if let Some(threads) = threads() {
            let tasks = self.clone();
            threads.spawn(move || {
                tasks.do_one();
            });
        }
    }

    /// Does a task that waits, on this thread. Returns whether there was one.
    pub(crate) fn do_one(&self) -> bool {
        let task = self
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .pop_front();
        task.map(|task| task()).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;

    #[test]
    fn tasks_are_done_once_each_by_threads_and_owner_together() {
        let (tasks, (sender, receiver)) = (Tasks::default(), channel());
        for number in 0..500 {
            let sender = sender.clone();
            tasks.add(move || {
                let _ = sender.send(number);
            });
            if number % 3 == 0 {
                tasks.do_one();
            }
        }
        drop(sender);
        while tasks.do_one() {}
        let mut done: Vec<u32> = receiver.iter().collect();
        done.sort_unstable();
        assert_eq!(done, (0..500).collect::<Vec<_>>());
    }
}
