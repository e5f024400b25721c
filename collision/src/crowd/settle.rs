//! Before the moves: what the terrain did to those about whom it moved or changed.

use crate::character::{Happenings, Settings, State, Stepper};
use crate::crowd::CharacterId;
use crate::crowd::advance::wake;
use crate::crowd::columns::{BLOCK, Rows, Shared, Stood};
use crate::crowd::face::Hooks;
use crate::crowd::meet::{Neighbourhood, by_place, grid_cell};
use crate::crowd::push::WAKE_REACH;
use crate::crowd::workspace::{Workspace, Workspaces};
use crate::events::Event;
use crate::mover::{Around, Neighbour};
use crate::terrain::Terrain;
use crate::tolerance::ESCAPE_REACH;
use nalgebra::Vector3;

/// What settling needs.
pub(crate) struct Settle<'a, T: ?Sized> {
    pub(crate) terrain: &'a T,
    pub(crate) seconds: f32,
    pub(crate) shared: Shared<'a>,
    pub(crate) neighbourhood: Neighbourhood<'a>,
    pub(crate) settings: &'a [Settings],
    pub(crate) generations: &'a [u32],
    pub(crate) hooks: Hooks<'a>,
    pub(crate) workspaces: &'a Workspaces,
}

impl<T: Terrain + ?Sized> Settle<'_, T> {
    /// Settles those of a block whose memory is no longer true.
    pub(crate) fn block(&self, index: usize, mut rows: Rows<'_>) {
        rows.block.crossed = 0;
        let fresh = std::mem::take(&mut rows.block.fresh);
        self.workspaces.with(|workspace| {
            for place in 0..rows.states.len() {
                let bit = 1 << place;
                if fresh & bit != 0 || !self.terrain.unchanged(&rows.memories[place]) {
                    rows.block.awake |= bit;
                    self.row(index * BLOCK + place, place, &mut rows, workspace);
                }
            }
        });
    }

    fn row(&self, row: usize, place: usize, rows: &mut Rows<'_>, workspace: &mut Workspace) {
        let build = &self.shared.builds[row];
        let (before, memory) = (rows.states[place], rows.memories[place]);
        workspace.others.clear();
        workspace.left_behind.clear();
        let alone = if before.is_held() {
            None
        } else {
            self.as_stepper(row, place, rows, workspace, |stepper, state, _| {
                stepper.settle_alone(state)
            })
        };
        let rescue = alone.unwrap_or_else(|| {
            (rows.states[place], rows.memories[place]) = (before, memory);
            self.gather_others(row, workspace);
            self.as_stepper(
                row,
                place,
                rows,
                workspace,
                |stepper, state, left_behind| stepper.settle(state, left_behind),
            )
        });
        rows.block.fresh |= u64::from(!rescue.is_settled()) << place;
        workspace.counts.settled += 1;
        let character = self.name(row);
        for kind in workspace.kinds.drain(..) {
            workspace.events.push(Event { character, kind });
        }
        let state = &rows.states[place];
        if !state.same_bits(&before) {
            let bit = 1 << place;
            rows.block.shifted |= bit;
            let after = Stood::new(build, state);
            let nearer = after.nearer_than(&self.shared.stood[row]);
            workspace.farthest = workspace.farthest.sup(&nearer);
            // Who sleeps on what is carried, or beside it, moves in this tick too.
            let reach = Vector3::repeat(WAKE_REACH);
            let woken = &mut workspace.woken;
            let around = &self.neighbourhood;
            around.visit(row, reach, |near, _, _| wake(woken, near));
            around.visit_box(&after.position, after.extent + reach, |near, _, _| {
                wake(woken, near)
            });
            rows.after[place] = after;
            if grid_cell(&state.position) != grid_cell(&before.position) {
                rows.block.crossed |= bit;
            }
        }
    }

    fn name(&self, row: usize) -> CharacterId {
        let slot = self.shared.slots[row];
        let generation = self.generations[slot as usize];
        CharacterId { slot, generation }
    }

    /// Has one character do something among the others that are listed, of whom some are left behind.
    fn as_stepper<R>(
        &self,
        row: usize,
        place: usize,
        rows: &mut Rows<'_>,
        workspace: &mut Workspace,
        act: impl FnOnce(&mut Stepper<'_, T>, &mut State, &[Neighbour]) -> R,
    ) -> R {
        let settings = &self.settings[usize::from(self.shared.settings[row])];
        let listener = self.hooks.listener(|| self.name(row));
        workspace.kinds.clear();
        let mut stepper = Stepper {
            around: Around {
                terrain: self.terrain,
                others: &workspace.others,
                config: &settings.mover,
                listener: listener.as_dyn(),
            },
            seconds: self.seconds,
            build: &self.shared.builds[row],
            settings,
            memory: &mut rows.memories[place],
            scratch: &mut workspace.scratch,
            happenings: Happenings::new(&mut workspace.kinds, self.generations),
        };
        act(
            &mut stepper,
            &mut rows.states[place],
            &workspace.left_behind,
        )
    }

    /// Lists who stands as near as a way out may lead, in an order that depends on their places only.
    fn gather_others(&self, row: usize, workspace: &mut Workspace) {
        let own = &self.shared.stood[row];
        let reach = Vector3::repeat(ESCAPE_REACH * own.radii.longest());
        self.neighbourhood.visit(row, reach, |other_row, other, _| {
            let met =
                own.meets(other) && self.hooks.meets(|| self.name(row), || self.name(other_row));
            if met {
                let neighbour = Neighbour {
                    body: other.body(),
                    id: self.shared.slots[other_row],
                };
                workspace.others.push(neighbour);
                if own.ride.leaves_behind(other.ride) {
                    workspace.left_behind.push(neighbour);
                }
            }
        });
        let place = |other: &Neighbour| other.body.position.since(&own.position);
        for list in [&mut workspace.others, &mut workspace.left_behind] {
            list.sort_unstable_by(|a, b| by_place(&place(a), &place(b)));
        }
    }
}
