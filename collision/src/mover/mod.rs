//! Moves one ellipsoid through terrain and past other ellipsoids: [`slide`] for bodies that fly,
//! swim or fall, [`walk`] for bodies with feet. Velocities, gravity and modes are the caller's.
//!
//! The compiler instantiates a move in the crate that names the terrain, so the functions called in
//! every tick are `#[inline]`, here, in [`candidates`](crate::candidates) and `kernels`.

mod course;
mod falling;
mod footing;
mod glide;
#[cfg(test)]
mod others_tests;
mod planes;
mod probe;
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

pub(crate) use crate::around::Queried;
pub use crate::around::{Around, MoverConfig, Scratch};
pub use crate::body::{Body, Neighbour, Radii};
pub use crate::contact::{Contact, ContactListener, ContactResponse, Feature, Ground};
pub(crate) use crate::frame::Frame;
pub(crate) use falling::Fall;
pub(crate) use glide::{Glided, glide};
pub use planes::PlaneSet;
pub(crate) use probe::Probe;
pub use report::{Report, StoppedBy};
pub use slide::slide;
pub(crate) use slide::{admissible, sink};
pub(crate) use touching::each_touching;
pub use walk::walk;
pub(crate) use walk::{Before, walk_closely};
