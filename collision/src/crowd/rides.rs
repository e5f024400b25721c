//! After the rides: who is carried stops at those who are not, or who were held up.
//!
//! Everybody rides as if alone, for they who ride together are not in each other's way. Then those who came into somebody ride once more from where
//! they were, among all others where these are now; and so on, in rounds, for each may hold up one who is behind.

use crate::character::{State, carry};
use crate::crowd::advance::wake;
use crate::crowd::columns::{BLOCK, Block, Stood};
use crate::crowd::face::{Crowd, Hooks};
use crate::crowd::meet::by_place;
use crate::crowd::push::WAKE_REACH;
use crate::crowd::settle::Settle;
use crate::crowd::tick::LOOKS;
use crate::crowd::workspace::{Resettled, Workspace};
use crate::mover::{Frame, Neighbour};
use crate::terrain::{Memory, Terrain};
use crate::tolerance::{PUSH_BELOW, RIDE_ROUNDS, RIDE_SLACK};
use nalgebra::Vector3;

impl Crowd {
    /// Ends the rides of those who came into somebody. `after` holds where those were that were shifted.
    pub(super) fn end_rides<T: Terrain + ?Sized>(
        &mut self,
        terrain: &T,
        seconds: f32,
        hooks: Hooks<'_>,
    ) {
        self.ticking.settled.fill(0);
        for _ in 0..RIDE_ROUNDS {
            let settle = Settle {
                terrain,
                seconds,
                shared: self.columns.shared(),
                neighbourhood: self.neighbourhood(),
                settings: self.settings.rows(),
                generations: self.handles.generations(),
                hooks,
            };
            let rides = Rides {
                settle,
                states: &self.columns.states,
                memories: &self.columns.memories,
                before: &self.columns.after,
                blocks: &self.columns.blocks,
                pushed: &self.ticking.settled,
            };
            self.for_members(LOOKS, |row, workspace| rides.row(row, workspace));
            self.take_crowded();
            if !self.put_resettled() {
                return;
            }
        }
    }

    /// Puts those who were settled again where they are now; returns whether there are any.
    fn put_resettled(&mut self) -> bool {
        let mut workspaces = std::mem::take(&mut self.workspaces);
        let mut any = false;
        for workspace in workspaces.each() {
            for again in workspace.resettled.drain(..) {
                let row = again.row as usize;
                self.put(row, again.state);
                self.ticking.settled[row / BLOCK] |= u64::from(again.pushed) << (row % BLOCK);
                any = true;
            }
        }
        self.workspaces = workspaces;
        self.wake_noted();
        any
    }
}

/// What a round needs.
struct Rides<'a, T: ?Sized> {
    /// With everybody where they are now.
    settle: Settle<'a, T>,
    states: &'a [State],
    memories: &'a [Memory],
    /// Where those were that were shifted.
    before: &'a [Stood],
    blocks: &'a [Block],
    /// Who was pushed when it rode again, and stays: a word for each block.
    pushed: &'a [u64],
}

impl<T: Terrain + ?Sized> Rides<'_, T> {
    /// Has a row that came into somebody ride again, up to where the others are now; and lists who may come into it there.
    fn row(&self, row: usize, workspace: &mut Workspace) {
        let (settle, from) = (&self.settle, &self.before[row]);
        let now = &settle.shared.stood[row];
        let is_pushed = self.pushed[row / BLOCK] >> (row % BLOCK) & 1 != 0;
        if is_pushed || from.held || now.held {
            return;
        }
        let before = State {
            position: from.position,
            ..self.states[row]
        };
        let Some(carry) = carry(settle.terrain, &settle.shared.builds[row], &before) else {
            return;
        };
        let listed = workspace.crowded.len();
        let mut in_the_way = std::mem::take(&mut workspace.in_the_way);
        let comes = self.comes_into_somebody(row, carry, &mut in_the_way, &mut workspace.crowded);
        let again = comes.then(|| self.settle_again(row, before, &in_the_way, workspace));
        workspace.in_the_way = in_the_way;
        match again.filter(|again| !again.state.same_bits(&self.states[row])) {
            Some(again) => {
                let reach = now.extent + Vector3::repeat(WAKE_REACH);
                let woken = &mut workspace.woken;
                let place = &again.state.position;
                let around = &settle.neighbourhood;
                around.visit_box(place, reach, |near, _, _| wake(woken, near));
                workspace.resettled.push(again);
            }
            None => workspace.crowded.truncate(listed),
        }
    }

    /// Settles a row from where it was.
    fn settle_again(
        &self,
        row: usize,
        before: State,
        in_the_way: &[Neighbour],
        workspace: &mut Workspace,
    ) -> Resettled {
        let (settle, mut state) = (&self.settle, before);
        let mut memory = self.memories[row];
        workspace.others.clear();
        workspace.others.extend_from_slice(in_the_way);
        let rides = settle.as_stepper(row, &mut memory, workspace, |stepper| {
            stepper.settle_on_ride(&mut state, in_the_way)
        });
        if rides.is_none() {
            (state, memory) = (before, self.memories[row]);
            settle.gather_others(row, workspace);
            settle.as_stepper(row, &mut memory, workspace, |stepper| {
                stepper.settle(&mut state, in_the_way)
            });
            settle.note_events(row, workspace);
        }
        Resettled {
            row: row as u32,
            state,
            pushed: rides.is_none(),
        }
    }

    /// Whether a row, on its way here, comes into somebody who does not go along. Lists them, in an order that depends on their places only, and
    /// as crowded all who were shifted too.
    fn comes_into_somebody(
        &self,
        row: usize,
        carry: Vector3<f32>,
        in_the_way: &mut Vec<Neighbour>,
        crowded: &mut Vec<u32>,
    ) -> bool {
        let (settle, from) = (&self.settle, &self.before[row]);
        let went = settle.shared.stood[row].position.since(&from.position);
        let skin = settle.settings_of(row).mover.skin;
        let frame = Frame::of(&from.body(), 0.0);
        let mut comes = false;
        in_the_way.clear();
        let visit = |other_row: usize, other: &Stood, offset: Vector3<f32>| {
            if other_row == row {
                return;
            }
            let shift = self.shift(other_row);
            if shift != Vector3::zeros() {
                crowded.push(other_row as u32);
            }
            let goes_along = other.on_somebody || (shift - carry).norm() < RIDE_SLACK;
            if goes_along || !settle.meet(row, other_row) {
                return;
            }
            let closest = PUSH_BELOW * skin.min(settle.settings_of(other_row).mover.skin);
            let pair = frame.beside(&other.body(), closest);
            comes |= pair.enter(-offset, went, 1.0).is_some();
            in_the_way.push(Neighbour {
                body: other.body(),
                id: settle.shared.slots[other_row],
            });
        };
        let reach = from.extent + Vector3::repeat(carry.norm() + 2.0 * skin);
        let around = &settle.neighbourhood;
        around.visit_box(&from.position, reach, visit);
        let place = |other: &Neighbour| other.body.position.since(&from.position);
        in_the_way.sort_unstable_by(|a, b| by_place(&place(a), &place(b)));
        comes
    }

    /// How far terrain shifted a row in this tick.
    fn shift(&self, row: usize) -> Vector3<f32> {
        if self.blocks[row / BLOCK].shifted >> (row % BLOCK) & 1 == 0 {
            return Vector3::zeros();
        }
        let now = &self.settle.shared.stood[row].position;
        now.since(&self.before[row].position)
    }
}
