//! The state of a player's tools that belongs to the game: its copy, and its edits that can be
//! continued.

use std::sync::Arc;

use world::Clipboard;

use super::Joins;
use super::coding::Coded;

/// A direction through the history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    Back,
    Forth,
}

/// The kinds of edits that are joined into one stroke.
#[derive(Clone, Copy, Debug)]
pub(super) enum Going {
    Drag,
    Model,
}

/// A player's copy, and its edits that can be continued.
#[derive(Clone, Debug, Default)]
pub(super) struct Hand {
    /// Direction in which the edits of a stroke are being undone or redone.
    pub(super) moving: Option<Way>,
    /// The last edit of each kind that can be continued, once it changed anything.
    last: [Option<u64>; 2],
    pub(super) copied: Option<Arc<Clipboard>>,
    /// Number of copies so far.
    pub(super) copies: u64,
}

impl Hand {
    /// Adds all that decides what its next edits do.
    pub(super) fn write_state(&self, to: &mut Vec<u8>) {
        to.push(self.moving.map_or(0, |way| way as u8 + 1));
        for last in self.last {
            last.unwrap_or(u64::MAX).write(to);
        }
        self.copies.write(to);
        if let Some(copied) = &self.copied {
            copied.write(to);
        }
    }

    /// Takes an edit as the last one of its kind. Returns whether it belongs to the one `before`
    /// it. A drag whose first stroke changed nothing begins with the next one that does; so does a
    /// drag after another edit came between.
    pub(super) fn joins(
        &mut self,
        going: Going,
        joins: Joins,
        before: Option<u64>,
        sequence: Option<u64>,
    ) -> bool {
        let last = &mut self.last[going as usize];
        let continues = joins == Joins::Before && last.is_some() && *last == before;
        match (joins, sequence) {
            (Joins::Nothing, _) | (Joins::Before, Some(_)) => *last = sequence,
            (Joins::Before, None) => {}
        }
        continues && sequence.is_some()
    }
}
