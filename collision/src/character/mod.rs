//! One character: its description, its intents, and its ticks.
//!
//! [`Character`] describes it, [`Settings`] hold its numbers, an [`Intent`] is its wish for a tick,
//! and [`State`] is all that one tick hands to the next. `Glider` computes a tick without
//! obstacles, `Stepper` any other: rides and recovery where the terrain changed, then crouching,
//! then the mode. They are pure functions: the same state, intent, terrain and neighbours give the
//! same bits.
//!
//! Left out: acceleration, stamina, key bindings. An intent is a velocity; feel is up to the
//! caller.

mod crouch;
mod description;
mod happening;
mod intent;
mod pace;
mod ride;
mod settings;
mod state;
mod step;
mod stepper;
mod travel;

pub use description::{Build, Character, CharacterError};
pub use intent::{Intent, Mode};
pub use settings::{LeaveWith, Settings};
pub use state::{Medium, State};

#[cfg(feature = "serde")]
pub(crate) use description::mass_as_text;
pub(crate) use description::{validate_gravity, validate_position, validate_up};
pub(crate) use happening::{Happenings, Lift, Met, Watching, named};
pub(crate) use pace::{Glider, level};
pub(crate) use ride::{Ride, carry, is_on_moving_surface};
pub(crate) use stepper::Stepper;
