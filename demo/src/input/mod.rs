//! Actions of the player, the keys bound to them, and the keys held down.
//!
//! Triggers are names, independent of windows, so that tests can press them.

mod action;
mod bindings;
mod state;

pub use action::{Action, ActionGroup};
pub use bindings::{Bindings, Trigger};
pub use state::InputState;
