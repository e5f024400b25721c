//! Moves one ellipsoid through terrain and past other ellipsoids: [`slide`] for bodies that fly,
//! swim or fall, [`walk`] for bodies with feet. Velocities, gravity and modes are the caller's.
//!
//! The compiler instantiates a move in the crate that names the terrain, so the functions called in
//! every tick are `#[inline]`, here, in [`candidates`](crate::candidates) and `kernels`.

mod body;
mod config;
mod course;
mod footing;
mod frame;
mod glide;
#[cfg(test)]
mod others_tests;
mod planes;
mod probe;
mod queried;
#[cfg(test)]
mod reach_tests;
mod report;
mod rim;
mod slide;
#[cfg(test)]
mod slide_tests;
#[cfg(test)]
pub(crate) mod test_terrain;
mod touching;
mod walk;
#[cfg(test)]
mod walk_tests;

pub use body::{Around, Body, Neighbour, Radii, Scratch};
pub use config::MoverConfig;
pub(crate) use frame::Frame;
pub(crate) use glide::{Glided, glide};
pub use planes::PlaneSet;
pub(crate) use probe::Probe;
pub(crate) use queried::Queried;
pub use report::{Contact, ContactListener, ContactResponse, Feature, Ground, Report, StoppedBy};
pub use slide::slide;
pub(crate) use slide::{admissible, sink};
pub(crate) use touching::each_touching;
pub use walk::walk;
pub(crate) use walk::{Before, walk_closely};
