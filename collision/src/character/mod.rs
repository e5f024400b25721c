//! One character: what it is, what it wants, and what one tick makes of it.
//!
//! [`Character`] describes it, [`Settings`] say how it moves, an [`Intent`] is what it wants in a tick, [`State`] is all that
//! one tick hands to the next. `Glider` is a tick in which nothing is in the way, `Stepper` any other: platform and recovery where
//! the terrain changed, then crouch, then the mode. They are pure functions: the same state, intent, terrain
//! and neighbours give the same bits.
//!
//! What it leaves out: acceleration, stamina, key bindings. An intent is a velocity; feel is the caller's.

mod crouch;
mod description;
mod happening;
mod intent;
mod pace;
mod ride;
mod settings;
mod state;
mod step;
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
pub(crate) use step::Stepper;
