//! Results of a move: its distance, the planes it met, and why it ended.

use crate::contact::Ground;
use crate::mover::planes::PlaneSet;
use nalgebra::Vector3;

/// Why a move ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StoppedBy {
    /// Nothing: the whole way was free.
    #[default]
    Nothing,
    /// The way was turned aside, and followed to its end.
    Slid,
    /// The planes of the contacts left no way.
    Blocked,
    /// The move reached [`crate::tolerance::MAX_SWEEPS`] or met more planes than a [`PlaneSet`]
    /// holds. The rest of the way was dropped.
    SweepLimit,
    /// The end of the move was too deep in solids; the body is back at its last good place.
    Invalid,
    /// The input was not finite; nothing was done.
    NotFinite,
}

/// The result of a move.
#[derive(Clone, Copy, Debug, Default)]
pub struct Report {
    /// The displacement of the body, in metres.
    pub moved: Vector3<f32>,
    /// The number of sweeps.
    pub sweeps: u32,
    /// The number of times the terrain was queried.
    pub gathers: u32,
    /// The planes met. Clip a velocity with [`PlaneSet::project`], that of a fall with
    /// [`PlaneSet::project_falling`].
    pub planes: PlaneSet,
    /// Why it ended.
    pub stopped_by: StoppedBy,
    /// The ground under the body afterwards ([`crate::mover::walk`] only).
    pub ground: Option<Ground>,
    /// The height that a step lifted the body, in metres; 0 without a step.
    pub stepped: f32,
    /// True if terrain still reaches into the skin, no deeper than before;
    /// [`crate::recovery::recover`] makes room.
    pub lacks_skin: bool,
}

impl Report {
    /// Returns the report of a move whose input was not finite.
    pub(crate) fn not_finite() -> Self {
        Self {
            stopped_by: StoppedBy::NotFinite,
            ..Self::default()
        }
    }
}
