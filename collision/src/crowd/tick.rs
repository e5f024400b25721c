//! One tick of the crowd.

use crate::character::Intent;
use crate::crowd::CharacterId;
use crate::crowd::columns::{BLOCK, bits};
use crate::crowd::context::Call;
use crate::crowd::report::{TickError, TickReport};
use crate::crowd::rules::{Hooks, Rules};
use crate::crowd::settle::Change;
use crate::crowd::state::Crowd;
use crate::crowd::ticking::Ticking;
use crate::crowd::vicinity::grid_cell;
use crate::crowd::workspace::{Workspace, Workspaces, count, is_worth_spreading};
use crate::events::{Event, EventKind, put_in_order};
use crate::handles::Handles;
use crate::terrain::Terrain;
use crate::tolerance::LONGEST_TICK;
use nalgebra::Vector3;
use rayon::prelude::*;

/// Intents that are handed out as one job.
const INTENTS: usize = 512;

/// A plan is made when more than one in this many characters moved in the last tick.
const PLANNED_FROM: usize = 8;

impl Crowd {
    /// Advances all characters by `seconds`. One without an intent rests in its mode; of several
    /// intents for one the last counts. An invalid length does nothing and is returned in the
    /// report.
    pub fn tick<T: Terrain + ?Sized>(
        &mut self,
        terrain: &T,
        intents: &[(CharacterId, Intent)],
        seconds: f32,
    ) -> TickReport {
        let hooks = Hooks { rules: None };
        let call = Call {
            terrain,
            seconds,
            hooks,
        };
        self.tick_by(&call, intents)
    }

    /// Runs [`Self::tick`] with rules.
    pub fn tick_with<T: Terrain + ?Sized>(
        &mut self,
        terrain: &T,
        intents: &[(CharacterId, Intent)],
        seconds: f32,
        rules: &dyn Rules,
    ) -> TickReport {
        let hooks = Hooks { rules: Some(rules) };
        let call = Call {
            terrain,
            seconds,
            hooks,
        };
        self.tick_by(&call, intents)
    }

    /// Runs the phases in order.
    fn tick_by<T: Terrain + ?Sized>(
        &mut self,
        call: &Call<'_, T>,
        intents: &[(CharacterId, Intent)],
    ) -> TickReport {
        let seconds = call.seconds;
        let mut report = TickReport::default();
        self.events.clear();
        if !(seconds > 0.0 && seconds <= LONGEST_TICK) {
            report.error = Some(TickError::Length(seconds));
            return report;
        }
        self.prepare(seconds);
        self.hand_out(intents);
        self.settle(call);
        self.advance(call);
        self.push_apart(call, &mut report);
        self.keep_gather();
        self.find_contacts(call);
        self.sense();
        self.collect(&mut report);
        report
    }

    /// Advances one character among kinematic others, on this thread: runs the phases of a tick
    /// that need no other's move.
    pub(super) fn tick_one<T: Terrain + ?Sized>(
        &mut self,
        call: &Call<'_, T>,
        given: &(CharacterId, Intent),
    ) {
        self.events.clear();
        self.ticking.prepare(self.columns.blocks.len());
        self.ticking.seconds = call.seconds;
        self.ticking.drift = Vector3::zeros();
        self.workspaces.prepare_for(1, self.columns.len());
        self.give(given);
        // Its neighbours are others in each tick, so it never sleeps.
        for block in &mut self.columns.blocks {
            block.awake = !block.kinematic & block.driven;
        }
        self.settle(call);
        self.advance(call);
        self.collect(&mut TickReport::default());
    }

    /// Finds the members of the sensors.
    fn sense(&mut self) {
        let mut events = std::mem::take(&mut self.events);
        let (sensors, among) = self.sensing();
        sensors.sense(&among, &mut events);
        self.events = events;
    }

    fn prepare(&mut self, seconds: f32) {
        self.ticking.prepare(self.columns.blocks.len());
        if seconds.to_bits() != self.ticking.seconds.to_bits() {
            self.ticking.seconds = seconds;
            self.columns.wake_all_but_standing();
        }
        self.find_largest();
        let (columns, grid) = (&mut self.columns, &mut self.grid);
        self.order.sort(columns, grid, &mut self.handles);
        self.workspaces.prepare(self.columns.len());
        self.watch.prepare(&self.handles, self.columns.blocks.len());
        self.ticking.drift = Vector3::zeros();
        self.ticking.is_planned = self.ticking.many_moved;
        self.events.reserve(self.columns.len() * 2);
    }

    /// Gives all characters their intents; a new one wakes. Also makes the plan, if one is wanted:
    /// that needs no intents, and is no work for several threads by itself.
    fn hand_out(&mut self, intents: &[(CharacterId, Intent)]) {
        let many = is_worth_spreading(intents.len());
        let Ticking {
            plan, is_planned, ..
        } = &mut self.ticking;
        let mut draw = || {
            if *is_planned {
                plan.make(&self.columns.stood);
            }
        };
        if many {
            let (handles, wanted) = (&self.handles, &self.columns.wanted);
            let look = || find_changed(intents, handles, wanted, &self.workspaces);
            rayon::join(draw, look);
        } else {
            draw();
        }
        if !(many && self.take_changed(intents)) {
            for given in intents {
                self.give(given);
            }
        }
    }

    fn give(&mut self, (id, intent): &(CharacterId, Intent)) {
        let Some(row) = self.handles.find(*id) else {
            return;
        };
        let columns = &mut self.columns;
        let (block, bit) = (&mut columns.blocks[row / BLOCK], 1 << (row % BLOCK));
        block.given |= bit;
        block.refused &= !bit;
        let wanted = &mut columns.wanted[row];
        if intent == wanted {
            // Goes on as it did: by far the most do.
        } else if intent.is_valid() {
            *wanted = intent.cleaned();
            block.awake |= bit;
            block.driven |= bit;
        } else {
            block.given &= !bit;
            block.refused |= bit;
            block.driven |= bit;
        }
    }

    /// Applies the intents that were found to be new. Returns false, having changed nothing, where
    /// a character has several intents, because the last must count.
    fn take_changed(&mut self, intents: &[(CharacterId, Intent)]) -> bool {
        let mut twice = false;
        for workspace in self.workspaces.each() {
            twice |= std::mem::take(&mut workspace.given_twice);
            for (block, given) in self.columns.blocks.iter_mut().zip(&mut workspace.given) {
                twice |= block.given & *given != 0;
                block.given |= std::mem::take(given);
            }
        }
        let mut workspaces = std::mem::take(&mut self.workspaces);
        for workspace in workspaces.each() {
            for place in workspace.changed.drain(..) {
                if !twice {
                    self.give(&intents[place]);
                }
            }
        }
        self.workspaces = workspaces;
        !twice
    }

    /// Applies the effects of changed terrain.
    fn settle<T: Terrain + ?Sized>(&mut self, call: &Call<'_, T>) {
        let revision = Some(call.terrain.revision());
        let fresh = self.columns.blocks.iter().any(|block| block.fresh != 0);
        let change = if self.ticking.revision != revision || fresh {
            Change::OfTerrain
        } else if call.terrain.has_moving_surfaces() {
            Change::OfSurfaces
        } else {
            return;
        };
        self.ticking.revision = revision;
        let many = is_worth_spreading(self.columns.len());
        let (tick, writable) = self.split(call);
        writable.for_each(many, |index, rows| {
            let settle = |workspace: &mut Workspace| {
                tick.settle_block(index, change, rows, workspace);
            };
            tick.workspaces.with(settle);
        });
        let columns = &mut self.columns;
        for (index, block) in columns.blocks.iter().enumerate() {
            for place in bits(block.shifted) {
                let row = index * BLOCK + place;
                std::mem::swap(&mut columns.stood[row], &mut columns.after[row]);
            }
        }
        self.wake_noted();
        self.note_drift();
        self.regrid();
        self.end_rides(call);
    }

    /// Runs the first phase. Afterwards `stood` holds the ends of the moves and `after` their
    /// starts.
    fn advance<T: Terrain + ?Sized>(&mut self, call: &Call<'_, T>) {
        let moving = count(&self.columns.blocks, |b| b.awake | b.driven);
        let many = is_worth_spreading(moving);
        let (tick, writable) = self.split(call);
        writable.for_each(many, |index, rows| tick.advance_block(index, rows));
        std::mem::swap(&mut self.columns.stood, &mut self.columns.after);
        for workspace in self.workspaces.each() {
            for (row, depth) in workspace.crammed.drain(..) {
                self.ticking.depths[row as usize] = depth;
            }
        }
        self.leave_heads(call);
        self.note_drift();
        self.regrid();
    }

    /// Adds the farthest move of a phase to the drift.
    fn note_drift(&mut self) {
        let each = self.workspaces.each();
        let farthest = each.map(|workspace| std::mem::take(&mut workspace.farthest));
        let farthest = farthest.fold(Vector3::zeros(), |a, b| a.sup(&b));
        self.ticking.drift += farthest;
    }

    /// Updates the grid for characters that moved into other cells.
    fn regrid(&mut self) {
        for (index, block) in self.columns.blocks.iter_mut().enumerate() {
            for place in bits(std::mem::take(&mut block.crossed)) {
                let row = index * BLOCK + place;
                let cell = grid_cell(&self.columns.states[row].position);
                self.grid.place(row as u32, cell);
                self.order.note_change();
            }
        }
    }

    /// Reports the characters that were taken off the ground since the last tick.
    fn report_characters_that_left_ground(&mut self) {
        for (index, block) in self.columns.blocks.iter_mut().enumerate() {
            for place in bits(std::mem::take(&mut block.left_ground)) {
                let slot = self.columns.slots[index * BLOCK + place];
                self.events.push(Event {
                    character: self.handles.name(slot),
                    kind: EventKind::LeftGround,
                });
            }
        }
    }

    /// Gathers the notes of the threads: all events, by character, and the characters to be awake
    /// in the next tick.
    fn collect(&mut self, report: &mut TickReport) {
        self.wake_noted();
        for workspace in self.workspaces.each() {
            self.events.append(&mut workspace.events);
            report.stepped += workspace.counts.stepped;
            report.settled += workspace.counts.settled;
            workspace.counts = Default::default();
        }
        self.report_characters_that_left_ground();
        self.ticking.many_moved = report.stepped as usize * PLANNED_FROM > self.columns.len();
        put_in_order(&mut self.events);
    }
}

/// Finds the changed intents, on all threads; they are few.
fn find_changed(
    intents: &[(CharacterId, Intent)],
    handles: &Handles,
    wanted: &[Intent],
    workspaces: &Workspaces,
) {
    let look = |(part, intents): (usize, &[(CharacterId, Intent)])| {
        workspaces.with(|workspace| {
            for (place, (id, intent)) in intents.iter().enumerate() {
                let Some(row) = handles.find(*id) else {
                    continue;
                };
                let (word, bit) = (&mut workspace.given[row / BLOCK], 1 << (row % BLOCK));
                workspace.given_twice |= *word & bit != 0;
                *word |= bit;
                if *intent != wanted[row] {
                    workspace.changed.push(part * INTENTS + place);
                }
            }
        });
    };
    intents.par_chunks(INTENTS).enumerate().for_each(look);
}
