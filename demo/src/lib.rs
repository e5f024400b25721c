//! The sandbox: everything that a player sees, presses and reads.
//!
//! It owns feel (acceleration, jump height, key bindings), tools, panels, overlays and the
//! commands. It does not own mechanism: sweeping belongs to `collision`, voxels to `world`,
//! pictures to `engine`, a tick of the game to `simulation`.
//!
//! Read `cli` for the commands, `bench` for the figures.

pub mod arguments;
pub mod bench;
pub mod cli;
pub mod error;
pub mod guest;
pub mod hosting;
pub mod input;
pub mod language;
pub mod play;
pub mod session;
pub mod settings;
pub mod sound;
pub mod ui;

mod blueprints;
mod first_view;
mod models;
mod place;
mod progress;
mod range;
mod saves;
mod scenes;
mod shot;
mod strokes;
mod studio;
mod terminal;
mod tour;
mod view;
