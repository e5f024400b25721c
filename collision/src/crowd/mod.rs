//! Many characters: handles, columns, neighbours, and the tick on all threads.
//!
//! A tick begins with the effects of moved or changed terrain on the characters near it: they are
//! carried, pushed, crushed. Then it has two phases. First every character moves among the others
//! *at their places at that moment*, in parallel. Neighbours come from a
//! [`PagedGrid`](crate::PagedGrid) of the start positions or, where many move, from a plan of all
//! positions that is made for the tick. Then characters that moved into each other are pushed
//! apart, symmetrically, in a few rounds that sweep the terrain too; a character that cannot be
//! parted goes back to where its move began. Sums over neighbours run in the order of their
//! relative places, so neither the number of threads nor the order of insertion changes a bit.
//!
//! A character whose tick changed nothing sleeps: the same tick would change nothing again. It
//! wakes when its intent changes, when a character near it changes, or when the terrain in its
//! memory does. Sleep is never visible in the result.
//!
//! Reading order, each module on those before it: `columns` (the characters), `plan`, `vicinity`,
//! `contact`, `workspace`; `order`, `sensor`, `watch` and `ticking`, all of them in the `state` of
//! a crowd; `api` (the public face) and `save`; the `context` of a tick with its phases `settle`,
//! `rides`, `advance`, `heads`, `push`, `push_rounds` and `touching`; `reshape`, and the whole
//! `tick`; last `predicted`, a tick of one character for clients.

mod advance;
mod api;
pub(crate) mod columns;
mod contact;
mod context;
mod heads;
mod order;
mod plan;
mod predicted;
mod push;
mod push_rounds;
mod push_totals;
mod report;
mod reshape;
mod rides;
mod rules;
pub(crate) mod save;
mod sensor;
mod settle;
mod state;
mod tick;
mod ticking;
mod touching;
mod vicinity;
mod watch;
mod workspace;

pub use crate::handles::{CharacterId, SensorId};
pub use contact::{CharacterContact, ContactPhase};
pub use predicted::{OtherCharacter, PredictError, Predicted, predict};
pub use report::{TickError, TickReport};
pub use rules::Rules;
pub use sensor::Sensor;
pub use state::Crowd;

#[cfg(test)]
mod tests;
