//! The file chooser of the system, and the file that it is asked for.

use std::path::PathBuf;
use std::sync::mpsc::Receiver;
use std::time::Instant;

use crate::ui::Choice;

/// The file chooser; tests have none.
#[derive(Default)]
pub(super) struct Chooser {
    pub(super) is_offered: bool,
    pub(super) open: Option<Open>,
}

/// A chooser that is open.
pub(super) struct Open {
    pub(super) choice: Choice,
    pub(super) begun: Instant,
    pub(super) answer: Receiver<Option<PathBuf>>,
}

impl Chooser {
    /// Returns the chooser of the system.
    pub(super) fn of_system() -> Self {
        Chooser {
            is_offered: true,
            open: None,
        }
    }
}
