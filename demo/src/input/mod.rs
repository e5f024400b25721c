//! What the player can ask for, which keys ask for it, and what is held down now.
//!
//! Nothing here knows a window: triggers are names, so that a test can press them.

mod action;
mod bindings;
mod state;

pub use action::{Action, ActionGroup};
pub use bindings::{Bindings, Trigger};
pub use state::InputState;
