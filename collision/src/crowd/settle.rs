//! Before the moves: effects on characters whose terrain moved or changed.

use crate::character::{Happenings, Ride, State, Stepper, carry, is_on_moving_surface};
use crate::crowd::columns::{BLOCK, Rows, Stood, bits};
use crate::crowd::context::Tick;
use crate::crowd::vicinity::{WAKE_REACH, by_place, grid_cell};
use crate::crowd::workspace::{Workspace, wake};
use crate::events::Event;
use crate::mover::{Around, Neighbour};
use crate::terrain::{Memory, Terrain};
use crate::tolerance::ESCAPE_REACH;
use nalgebra::Vector3;

/// Why characters are settled in a tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// The terrain changed, or characters were put elsewhere.
    OfTerrain,
    /// Surfaces move in their places, and nothing else changed.
    OfSurfaces,
}

impl<T: Terrain + ?Sized> Tick<'_, T> {
    /// Settles those of a block whose memory is no longer true, and those on surfaces that move.
    pub(crate) fn settle_block(
        &self,
        index: usize,
        change: Change,
        mut rows: Rows<'_>,
        workspace: &mut Workspace,
    ) {
        rows.block.crossed = 0;
        rows.block.pushed = 0;
        let fresh = std::mem::take(&mut rows.block.fresh);
        let terrain = self.call.terrain;
        let belts = terrain.has_moving_surfaces();
        // A sleeper came to no other surface, and one that starts or stops to move is a change.
        let all = u64::MAX >> (BLOCK - rows.states.len());
        let looked_at = match change {
            Change::OfTerrain => all,
            Change::OfSurfaces => rows.block.awake | rows.block.on_belt,
        };
        for place in bits(looked_at & !rows.block.kinematic) {
            let (row, bit) = (index * BLOCK + place, 1 << place);
            let build = &self.shared.builds[row];
            let carried = belts && is_on_moving_surface(terrain, build, &rows.states[place]);
            rows.block.on_belt = rows.block.on_belt & !bit | u64::from(carried) << place;
            let changed =
                || change == Change::OfTerrain && !terrain.unchanged(&rows.memories[place]);
            if fresh & bit != 0 || carried || changed() {
                rows.block.awake |= bit;
                self.settle_row(row, place, &mut rows, workspace);
            }
        }
    }

    fn settle_row(&self, row: usize, place: usize, rows: &mut Rows<'_>, workspace: &mut Workspace) {
        let build = &self.shared.builds[row];
        let (state, memory) = (&mut rows.states[place], &mut rows.memories[place]);
        let (before, remembered) = (*state, *memory);
        workspace.others.clear();
        let ride = Ride {
            carry: carry(self.call.terrain, build, &before, self.call.seconds),
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
            // Characters asleep on a carried one, or beside it, move in this tick too.
            let reach = Vector3::repeat(WAKE_REACH);
            let woken = &mut workspace.woken;
            let around = &self.around;
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

    /// Calls `act` with the stepper of one character among the others that are listed.
    pub(crate) fn as_stepper<R>(
        &self,
        row: usize,
        memory: &mut Memory,
        workspace: &mut Workspace,
        act: impl FnOnce(&mut Stepper<'_, T>) -> R,
    ) -> R {
        let settings = self.settings_of(row);
        let listener = self.listener(row);
        workspace.kinds.clear();
        act(&mut Stepper {
            around: Around {
                terrain: self.call.terrain,
                others: &workspace.others,
                config: &settings.mover,
                listener: listener.as_dyn(),
            },
            seconds: self.call.seconds,
            build: &self.shared.builds[row],
            settings,
            memory,
            scratch: &mut workspace.scratch,
            happenings: Happenings::new(&mut workspace.kinds, self.handles.generations()),
        })
    }

    /// Lists the characters as near as a recovery may lead from where a character is carried, in an
    /// order that depends on their places only.
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

    /// Lists the characters whose boxes meet one of half extents `reach` about a character, in the
    /// same order.
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
        self.around.visit_box(&from.position, reach, visit);
        let place = |other: &Neighbour| other.body.position.since(&from.position);
        others.sort_unstable_by(|a, b| by_place(&place(a), &place(b)));
    }
}
