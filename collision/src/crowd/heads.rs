//! Characters that leave the head of another: they keep the velocity that they had there.

use crate::character::{LeaveWith, carry, level};
use crate::crowd::context::Call;
use crate::crowd::state::Crowd;
use crate::crowd::vicinity::WAKE_REACH;
use crate::crowd::workspace::LeftHead;
use crate::mover::Feature;
use crate::terrain::Terrain;
use crate::tolerance::MAX_SPEED;
use nalgebra::Vector3;

impl Crowd {
    /// Gives the characters that left a head in their moves the velocity of that head. All are
    /// computed before any is changed, so the order does not matter.
    pub(super) fn leave_heads<T: Terrain + ?Sized>(&mut self, call: &Call<'_, T>) {
        let mut left = std::mem::take(&mut self.ticking.left_heads);
        for workspace in self.workspaces.each() {
            let heads = workspace.left_heads.drain(..);
            left.extend(heads.map(|head| (head, Vector3::zeros())));
        }
        for (head, velocity) in &mut left {
            *velocity = self.velocity_left_on(head, call);
        }
        left.retain(|(_, velocity)| *velocity != Vector3::zeros());
        for (head, velocity) in left.drain(..) {
            let row = head.row as usize;
            let up = self.columns.builds[row].up;
            let state = &mut self.columns.states[row];
            state.velocity += velocity;
            state.drift += level(velocity, up);
        }
        self.ticking.left_heads = left;
    }

    /// Returns the kept part of a head's velocity: that of the rides of the tower below, and on a
    /// jump also the steps of its characters.
    fn velocity_left_on<T: Terrain + ?Sized>(
        &self,
        head: &LeftHead,
        call: &Call<'_, T>,
    ) -> Vector3<f32> {
        let row = head.row as usize;
        let settings = &self.settings.rows()[usize::from(self.columns.settings[row])];
        if settings.leave_with == LeaveWith::Nothing {
            return Vector3::zeros();
        }
        let (mut sum, mut above, mut slot) = (Vector3::zeros(), row, Some(head.bearer));
        // A tower is at most as high as there are characters.
        for _ in 0..self.len() {
            let bearer = slot.and_then(|slot| self.handles.at(slot));
            let Some(below) = bearer.filter(|&bearer| self.bore(bearer, above)) else {
                break;
            };
            let (build, state) = (&self.columns.builds[below], &self.columns.states[below]);
            if head.jumped {
                sum += level(state.velocity, build.up);
            }
            let on_head = state.ground.filter(|it| it.feature == Feature::Body);
            if on_head.is_none() {
                let way = carry(call.terrain, build, state, call.seconds);
                sum += way.unwrap_or_default() / call.seconds;
            }
            (above, slot) = (below, on_head.map(|ground| ground.object.0));
        }
        let sum = sum.map(|part: f32| part.clamp(-MAX_SPEED, MAX_SPEED));
        match settings.leave_with {
            LeaveWith::All => sum,
            _ => level(sum, self.columns.builds[row].up),
        }
    }

    /// Returns whether one may have borne another when the moves began: its slot may have changed
    /// hands since.
    fn bore(&self, below: usize, above: usize) -> bool {
        let [below, above] = [below, above].map(|row| &self.columns.after[row]);
        let apart = above.position.since(&below.position).abs();
        let extent = (below.extent + above.extent).add_scalar(WAKE_REACH);
        (0..3).all(|axis| apart[axis] < extent[axis])
    }
}
