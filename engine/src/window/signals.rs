//! Signals that ask the program to end: Ctrl+C in the terminal, `kill`, the end of the session.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Exit code of a program that was interrupted.
const INTERRUPTED: i32 = 130;

/// Tells if the program was asked to end.
pub(super) struct Signals(Arc<AtomicBool>);

impl Signals {
    /// Takes the signals from here on. A second one ends the program at once, in case the first
    /// is not obeyed.
    pub(super) fn take() -> Self {
        let asked = Arc::new(AtomicBool::new(false));
        let ask = Arc::clone(&asked);
        let handler = move || {
            if ask.swap(true, Ordering::Relaxed) {
                std::process::exit(INTERRUPTED);
            }
        };
        // If they cannot be taken, they end the program as before.
        let _ = ctrlc::set_handler(handler);
        Self(asked)
    }

    pub(super) fn ask_to_end(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
