//! Moves one ellipsoid through terrain and past other ellipsoids: [`slide`] for anything that flies, swims or falls, [`walk`] for
//! what has feet. Neither knows about velocities, gravity or modes: those are the caller's.

mod body;
mod config;
mod report;
mod slide;
mod walk;

pub use body::{Around, Body, Neighbour, Radii, Scratch};
pub use config::MoverConfig;
pub use report::{
    Contact, ContactListener, ContactResponse, Feature, Ground, PlaneSet, Report, StoppedBy,
};
pub use slide::slide;
pub use walk::walk;
