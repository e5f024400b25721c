//! Queries about characters and terrain: rays, overlaps, sweeps, gaps between bodies. They move
//! nothing.

mod characters;
mod terrain;
mod trace;

pub use crate::around::{GatherTrace, TracedCandidate};
pub use crate::kernels::ellipsoids::{Separation, separate};
pub use characters::{CharacterHit, cast_ray_ellipsoid};
pub use terrain::{SweepHit, cast_ray_terrain, sweep_ellipsoid, sweep_ellipsoid_in};
pub use trace::{MoveTrace, trace_slide};

use crate::position::Position;
use nalgebra::Vector3;

/// A straight motion: a ray, or the path of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Motion {
    /// The place at which it starts.
    pub start: Position,
    /// The displacement, in metres.
    pub way: Vector3<f32>,
}
