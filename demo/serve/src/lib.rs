//! The server of a shared world: a world file, its players, and a clock of 60 ticks a second.
//!
//! *In scope*: the arguments of the program, the folder for worlds, invites, the loop that ticks,
//! streams and saves. *Out of scope*: the rules of the game (`simulation`), the protocol and the
//! sockets (`net`), and everything with a window.
//!
//! Read [`run`] first, then [`host`]; [`bots`] try a server out.

mod addresses;
mod arguments;
pub mod bots;
mod error;
pub mod folders;
pub mod host;
mod keys;
mod land;
pub mod load;
mod run;
pub mod threads;

pub use arguments::Arguments;
pub use error::ServeError;
pub use host::Host;
pub use run::{run, tick_until};
