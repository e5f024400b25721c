//! The report of a tick.

use crate::tolerance::LONGEST_TICK;
use thiserror::Error;

/// The reason why a tick did nothing.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum TickError {
    /// The length is not a number, not above zero, or too long.
    #[error("a tick must last more than 0 and at most {LONGEST_TICK} s, not {0}")]
    Length(f32),
}

/// The counts of a tick.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TickReport {
    /// The reason why it did nothing.
    pub error: Option<TickError>,
    /// Characters that were computed; the rest slept.
    pub stepped: u32,
    /// Characters whose place was checked because terrain near them had changed.
    pub settled: u32,
    /// Pushes of characters that had moved into each other, over all rounds.
    pub pushes: u32,
    /// Rounds of pushes.
    pub push_rounds: u32,
    /// Characters that could not be parted and went back to where their moves began.
    pub taken_back: u32,
}
