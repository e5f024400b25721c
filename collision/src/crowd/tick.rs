//! One tick of the crowd.

use crate::character::{Intent, State};
use crate::crowd::CharacterId;
use crate::crowd::api::{Crowd, Hooks, Rules};
use crate::crowd::columns::{BLOCK, Stood, bits};
use crate::crowd::context::Call;
use crate::crowd::handles::Handles;
use crate::crowd::heads::LeftHead;
use crate::crowd::plan::Plan;
use crate::crowd::push_totals::Pushes;
use crate::crowd::settle::Change;
use crate::crowd::vicinity::grid_cell;
use crate::crowd::workspace::{Workspace, Workspaces, count, is_worth_spreading};
use crate::events::{Event, EventKind, put_in_order};
use crate::terrain::Terrain;
use crate::tolerance::LONGEST_TICK;
use nalgebra::Vector3;
use rayon::prelude::*;
use thiserror::Error;

/// Intents that are handed out as one job.
const INTENTS: usize = 512;

/// A plan is made when more than one in this many characters moved in the last tick.
const PLANNED_FROM: usize = 8;

/// The farthest move of a character in a tick, in metres along an axis, up to which the plan is
/// used; beyond it the grid is. Larger: one character that is flung makes all queries wide.
const MOST_DRIFT: f32 = 4.0;

/// The reason why a tick did nothing.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum TickError {
    /// The length is not a number, not above zero, or too long.
    #[error("a tick must last more than 0 and at most {LONGEST_TICK} s, not {0}")]
    Length(f32),
}

/// The counts of a tick.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TickReport {
    /// The reason why it did nothing.
    pub error: Option<TickError>,
    /// Characters that were computed; the rest slept.
    pub stepped: u32,
    /// Characters whose place was checked because terrain near them had changed.
    pub settled: u32,
    /// Pushes of characters that had moved into each other, over all rounds.
    pub pushes: u32,
    /// Rounds of pushes.
    pub push_rounds: u32,
    /// Characters that could not be parted and went back to where their moves began.
    pub taken_back: u32,
}

/// Data kept between ticks for speed only; results do not depend on it.
#[derive(Default)]
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
    plan: Plan,
    /// True if the plan was made in this tick.
    pub(crate) is_planned: bool,
    revision: Option<u64>,
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

    fn prepare(&mut self, blocks: usize) {
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
        self.find_contacts(call);
        self.sense();
        self.collect(&mut report);
        report
    }

    fn prepare(&mut self, seconds: f32) {
        self.ticking.prepare(self.columns.blocks.len());
        if seconds.to_bits() != self.ticking.seconds.to_bits() {
            self.ticking.seconds = seconds;
            self.columns.wake_all_but_standing();
        }
        self.find_largest();
        self.reorder();
        self.workspaces.prepare(self.columns.len());
        self.find_watched();
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

    /// Wakes the characters that the threads noted.
    pub(super) fn wake_noted(&mut self) {
        for workspace in self.workspaces.each() {
            for (block, woken) in self.columns.blocks.iter_mut().zip(&mut workspace.woken) {
                block.awake |= std::mem::take(woken);
            }
        }
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

    /// Does `work` for every member, on all threads when there is more than `one_job`.
    pub(super) fn for_members(&self, one_job: usize, work: impl Fn(usize, &mut Workspace) + Sync) {
        let chunk = |rows: &[u32]| {
            self.workspaces.with(|workspace| {
                for &row in rows {
                    work(row as usize, workspace);
                }
            });
        };
        let members = &self.ticking.members;
        if members.len() > one_job && rayon::current_num_threads() > 1 {
            members.par_chunks(one_job).for_each(chunk);
        } else if !members.is_empty() {
            chunk(members);
        }
    }

    /// Puts a character in another state, and returns how much nearer it may have come to others.
    /// It is settled in the next tick, because it may lack room there.
    pub(super) fn put(&mut self, row: usize, state: State) -> Vector3<f32> {
        let stood = Stood::new(&self.columns.builds[row], &state);
        let nearer = stood.nearer_than(&self.columns.stood[row]);
        self.columns.states[row] = state;
        self.columns.stood[row] = stood;
        let (block, bit) = (&mut self.columns.blocks[row / BLOCK], 1 << (row % BLOCK));
        block.awake |= bit;
        block.fresh |= bit;
        self.grid.place(row as u32, grid_cell(&state.position));
        nearer
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
