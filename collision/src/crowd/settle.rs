//! Before the moves: what the terrain did to those about whom it moved or changed.

use crate::character::{Happenings, Ride, Settings, State, Stepper, carry};
use crate::crowd::CharacterId;
use crate::crowd::advance::wake;
use crate::crowd::columns::{BLOCK, Rows, Shared, Stood};
use crate::crowd::face::Hooks;
use crate::crowd::meet::{Neighbourhood, by_place, grid_cell};
use crate::crowd::push::WAKE_REACH;
use crate::crowd::workspace::Workspace;
use crate::events::Event;
use crate::mover::{Around, Neighbour};
use crate::terrain::{Memory, Terrain};
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
}

impl<T: Terrain + ?Sized> Settle<'_, T> {
    /// Settles those of a block whose memory is no longer true.
    pub(crate) fn block(&self, index: usize, mut rows: Rows<'_>, workspace: &mut Workspace) {
        rows.block.crossed = 0;
        rows.block.pushed = 0;
        let fresh = std::mem::take(&mut rows.block.fresh);
        for place in 0..rows.states.len() {
            let bit = 1 << place;
            if fresh & bit != 0 || !self.terrain.unchanged(&rows.memories[place]) {
                rows.block.awake |= bit;
                self.row(index * BLOCK + place, place, &mut rows, workspace);
            }
        }
    }

    fn row(&self, row: usize, place: usize, rows: &mut Rows<'_>, workspace: &mut Workspace) {
        let build = &self.shared.builds[row];
        let (state, memory) = (&mut rows.states[place], &mut rows.memories[place]);
        let (before, remembered) = (*state, *memory);
        workspace.others.clear();
        let ride = Ride {
            carry: carry(self.terrain, build, &before),
            in_the_way: &[],
        };
        let alone = if before.is_held() {
            None
        } else {
            self.as_stepper(row, memory, workspace, |stepper| {
                stepper.settle_on_ride(state, &ride)
            })
        };
        // Skin is given back among the others.
        let alone = alone.filter(|recovery| recovery.pushed == Vector3::zeros());
        let alone = alone.map(|recovery| recovery.rescue);
        let rescue = alone.unwrap_or_else(|| {
            (*state, *memory) = (before, remembered);
            self.gather_others(row, state, &ride, workspace);
            self.as_stepper(row, memory, workspace, |stepper| {
                stepper.settle(state, &ride)
            })
        });
        rows.block.fresh |= u64::from(!rescue.is_settled()) << place;
        workspace.counts.settled += 1;
        rows.block.pushed |= u64::from(!workspace.kinds.is_empty()) << place;
        self.note_events(row, workspace);
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
            let crowded = &mut workspace.crowded;
            around.visit(row, reach, |near, other, _| {
                wake(woken, near);
                if other.on_somebody {
                    crowded.push(near as u32);
                }
            });
            around.visit_box(&after.position, after.extent + reach, |near, _, _| {
                wake(woken, near)
            });
            rows.after[place] = after;
            if grid_cell(&state.position) != grid_cell(&before.position) {
                rows.block.crossed |= bit;
            }
        }
    }

    /// Makes events of what happened to a row.
    pub(crate) fn note_events(&self, row: usize, workspace: &mut Workspace) {
        let character = self.name(row);
        for kind in workspace.kinds.drain(..) {
            workspace.events.push(Event { character, kind });
        }
    }

    fn name(&self, row: usize) -> CharacterId {
        let slot = self.shared.slots[row];
        let generation = self.generations[slot as usize];
        CharacterId { slot, generation }
    }

    pub(crate) fn settings_of(&self, row: usize) -> &Settings {
        &self.settings[usize::from(self.shared.settings[row])]
    }

    /// Whether two get into each other's way.
    pub(crate) fn meet(&self, row: usize, other: usize) -> bool {
        let stood = self.shared.stood;
        let meets = || self.hooks.meets(|| self.name(row), || self.name(other));
        stood[row].meets(&stood[other]) && meets()
    }

    /// Has one character do something among the others that are listed.
    pub(crate) fn as_stepper<R>(
        &self,
        row: usize,
        memory: &mut Memory,
        workspace: &mut Workspace,
        act: impl FnOnce(&mut Stepper<'_, T>) -> R,
    ) -> R {
        let settings = self.settings_of(row);
        let listener = self.hooks.listener(|| self.name(row));
        workspace.kinds.clear();
        act(&mut Stepper {
            around: Around {
                terrain: self.terrain,
                others: &workspace.others,
                config: &settings.mover,
                listener: listener.as_dyn(),
            },
            seconds: self.seconds,
            build: &self.shared.builds[row],
            settings,
            memory,
            scratch: &mut workspace.scratch,
            happenings: Happenings::new(&mut workspace.kinds, self.generations),
        })
    }

    /// Lists who stands as near as a way out may lead from where a row is carried, in an order that depends on their places only.
    pub(crate) fn gather_others(
        &self,
        row: usize,
        from: &State,
        ride: &Ride<'_>,
        workspace: &mut Workspace,
    ) {
        let own = &self.shared.stood[row];
        let way = ride.carry.unwrap_or_default().norm();
        let reach = own.extent + Vector3::repeat(ESCAPE_REACH * own.radii.longest() + way);
        self.gather_within(row, from, reach, workspace);
    }

    /// Lists all whose box comes into one of half extents `reach` about where a row is, in the same order.
    pub(crate) fn gather_within(
        &self,
        row: usize,
        from: &State,
        reach: Vector3<f32>,
        workspace: &mut Workspace,
    ) {
        let others = &mut workspace.others;
        others.clear();
        let visit = |other_row: usize, other: &Stood, _| {
            if other_row != row && self.meet(row, other_row) {
                others.push(Neighbour {
                    body: other.body(),
                    id: self.shared.slots[other_row],
                });
            }
        };
        self.neighbourhood.visit_box(&from.position, reach, visit);
        let place = |other: &Neighbour| other.body.position.since(&from.position);
        others.sort_unstable_by(|a, b| by_place(&place(a), &place(b)));
    }
}
