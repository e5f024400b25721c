//! Data kept between ticks for speed.

use crate::crowd::columns::BLOCK;
use crate::crowd::plan::Plan;
use crate::crowd::push_totals::Pushes;
use crate::crowd::workspace::LeftHead;
use nalgebra::Vector3;

/// The farthest move of a character in a tick, in metres along an axis, up to which the plan is
/// used; beyond it the grid is. Larger: one character that is flung makes all queries wide.
const MOST_DRIFT: f32 = 4.0;

/// Data kept between ticks for speed only; results do not depend on it.
#[derive(Clone, Default)]
pub(crate) struct Ticking {
    pub(super) crowded: Vec<u64>,
    pub(super) settled: Vec<u64>,
    /// Characters taken back to where their moves began.
    pub(super) went_back: Vec<u64>,
    /// True while the characters taken back are parted from there.
    pub(super) creeps: bool,
    pub(super) members: Vec<u32>,
    /// Overlap of each character when the moves began, in metres, where it was more than is
    /// tolerated; else 0.
    pub(super) depths: Vec<f32>,
    pub(super) pushes: Pushes,
    /// Rows that left the head of another, and the velocity that they keep.
    pub(super) left_heads: Vec<(LeftHead, Vector3<f32>)>,
    pub(crate) near: Vec<u32>,
    /// The farthest that a character can have moved or grown in this tick, in metres by axis.
    pub(super) drift: Vector3<f32>,
    /// Set when enough characters moved in the last tick to make a plan worth drawing.
    pub(crate) many_moved: bool,
    pub(super) plan: Plan,
    /// True if the plan was made in this tick.
    pub(crate) is_planned: bool,
    pub(super) revision: Option<u64>,
    /// Length of the last tick.
    pub(super) seconds: f32,
}

impl Ticking {
    /// Makes the next tick check the terrain memories of all characters.
    pub(crate) fn settle_all(&mut self) {
        self.revision = None;
    }

    /// Returns the plan of this tick, if one was made and still serves, and its largest error.
    pub(super) fn plan(&self) -> Option<(&Plan, Vector3<f32>)> {
        let holds = self.is_planned && self.drift.amax() <= MOST_DRIFT;
        holds.then_some((&self.plan, self.drift))
    }

    /// Begins a tick of `blocks` blocks.
    pub(super) fn prepare(&mut self, blocks: usize) {
        self.crowded.resize(blocks, 0);
        self.settled.resize(blocks, 0);
        self.went_back.clear();
        self.went_back.resize(blocks, 0);
        self.creeps = false;
        self.pushes.prepare(blocks);
        let rows = blocks * BLOCK;
        self.members
            .reserve(rows.saturating_sub(self.members.len()));
        self.depths.clear();
        self.depths.resize(rows, 0.0);
    }
}
