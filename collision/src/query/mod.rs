//! Questions about characters and terrain: rays, overlaps, sweeps. Nothing is moved.

mod characters;
mod terrain;
mod trace;

pub use characters::{CharacterHit, cast_ray_ellipsoid};
pub use terrain::{SweepHit, cast_ray_terrain, sweep_ellipsoid, sweep_ellipsoid_in};
pub use trace::{MoveTrace, TracedCandidate, trace_slide};

use crate::position::Position;
use nalgebra::Vector3;

/// A ray, or the way of something that moves straight.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Motion {
    /// Where it begins.
    pub start: Position,
    /// How far it goes, in metres.
    pub way: Vector3<f32>,
}
