//! A visit in a shared world, between pictures.

use std::collections::VecDeque;

/// Lines of talk that are kept.
const MOST_LINES: usize = 100;

/// The state of a visit.
#[derive(Debug, Default)]
pub(super) struct Visit {
    pub(super) lines: VecDeque<String>,
    /// Tries to join again since the last success.
    pub(super) tries: u32,
    /// True once the end of the visit was acted on.
    pub(super) is_over: bool,
}

impl Visit {
    pub(super) fn keep(&mut self, line: String) {
        if self.lines.len() == MOST_LINES {
            self.lines.pop_front();
        }
        self.lines.push_back(line);
    }
}
