//! The second phase of a tick: rounds of [pushes](super::push), and going back.

use crate::crowd::columns::{BLOCK, bits};
use crate::crowd::context::{Call, PUSHES, rows_of};
use crate::crowd::push::Pushing;
use crate::crowd::report::TickReport;
use crate::crowd::state::Crowd;
use crate::crowd::vicinity::grid_cell;
use crate::events::{Event, EventKind};
use crate::terrain::Terrain;
use crate::tolerance::{MAX_TAKE_BACKS, PUSH_ROUNDS};
use nalgebra::Vector3;

/// Characters of one job in a search for overlaps. Fewer are not worth waking other threads for.
const LOOKS: usize = 128;

impl Crowd {
    /// Runs the second phase.
    pub(super) fn push_apart<T: Terrain + ?Sized>(
        &mut self,
        call: &Call<'_, T>,
        report: &mut TickReport,
    ) {
        self.ticking.members.clear();
        for (index, block) in self.columns.blocks.iter_mut().enumerate() {
            let looking = bits(std::mem::take(&mut block.look));
            let rows = looking.map(|place| (index * BLOCK + place) as u32);
            self.ticking.members.extend(rows);
        }
        self.part(call, report);
        let ticking = &mut self.ticking;
        ticking.members.clear();
        ticking.members.extend(rows_of(&ticking.went_back));
        if !ticking.members.is_empty() {
            ticking.creeps = true;
            self.part(call, report);
            self.ticking.creeps = false;
            self.report_characters_taken_back(report);
        }
        if report.pushes > 0 {
            self.tell_pushes(call);
        }
    }

    /// Reports the pushed characters, once for all rounds.
    pub(super) fn tell_pushes<T: Terrain + ?Sized>(&mut self, call: &Call<'_, T>) {
        let mut pushes = std::mem::take(&mut self.ticking.pushes);
        let mut events = std::mem::take(&mut self.events);
        let tick = self.context(call);
        pushes.drain(|row, pushed| events.extend(tick.tell(row, pushed)));
        (self.ticking.pushes, self.events) = (pushes, events);
    }

    /// Pushes members that overlap others apart, in rounds; takes back those that cannot be parted.
    fn part<T: Terrain + ?Sized>(&mut self, call: &Call<'_, T>, report: &mut TickReport) {
        let tick = self.context(call);
        self.for_members(LOOKS, |row, workspace| tick.look(row, workspace));
        self.take_crowded();
        for _ in 0..PUSH_ROUNDS {
            if self.ticking.members.is_empty() {
                return;
            }
            report.push_rounds += 1;
            let tick = self.context(call);
            let pushing = Pushing {
                memories: &self.columns.memories,
                creeps: self.ticking.creeps,
            };
            self.for_members(PUSHES, |row, workspace| {
                tick.push_row(row, &pushing, workspace);
            });
            report.pushes += self.place_pushed();
            self.take_crowded();
        }
        if !self.ticking.members.is_empty() {
            self.take_back(call);
        }
    }

    /// Reports the characters that were taken back, once each.
    fn report_characters_taken_back(&mut self, report: &mut TickReport) {
        for row in rows_of(&self.ticking.went_back) {
            let character = self.handles.name(self.columns.slots[row as usize]);
            let kind = EventKind::MoveTakenBack;
            self.events.push(Event { character, kind });
            report.taken_back += 1;
        }
    }

    /// Moves the characters that were pushed in a round; returns their number.
    fn place_pushed(&mut self) -> u32 {
        let (mut placed, mut farthest) = (0, Vector3::zeros());
        for workspace in self.workspaces.each() {
            for pushed in workspace.placed.drain(..) {
                let row = pushed.row as usize;
                placed += 1;
                let stood = &mut self.columns.stood[row];
                let (old, new) = (grid_cell(&stood.position), grid_cell(&pushed.position));
                let moved = pushed.position.since(&stood.position);
                farthest = moved.abs().sup(&farthest);
                self.ticking.pushes.note(row, moved, pushed.by);
                stood.position = pushed.position;
                self.columns.states[row].position = pushed.position;
                self.columns.blocks[row / BLOCK].awake |= 1 << (row % BLOCK);
                if old != new {
                    self.grid.place(pushed.row, new);
                }
            }
        }
        self.ticking.drift += farthest;
        placed
    }

    /// Takes characters whose overlap got worse back to the start of their moves, and with them
    /// those that they meet there.
    fn take_back<T: Terrain + ?Sized>(&mut self, call: &Call<'_, T>) {
        self.ticking.settled.fill(0);
        self.note_worse(call);
        for _ in 0..MAX_TAKE_BACKS {
            self.take_crowded();
            self.keep_unsettled();
            if self.ticking.members.is_empty() {
                break;
            }
            let mut farthest = Vector3::zeros();
            for index in 0..self.ticking.members.len() {
                let nearer = self.send_back(self.ticking.members[index] as usize);
                farthest = nearer.sup(&farthest);
            }
            self.ticking.drift += farthest;
            self.note_worse(call);
        }
        self.take_crowded();
        let ticking = &mut self.ticking;
        for (went_back, settled) in ticking.went_back.iter_mut().zip(&ticking.settled) {
            *went_back |= settled;
        }
    }

    fn note_worse<T: Terrain + ?Sized>(&self, call: &Call<'_, T>) {
        let (tick, depths) = (self.context(call), &self.ticking.depths);
        self.for_members(PUSHES, |row, workspace| {
            tick.note_worse(row, depths, workspace);
        });
    }

    /// Drops members that were sent back already and marks the rest.
    fn keep_unsettled(&mut self) {
        let settled = &mut self.ticking.settled;
        self.ticking.members.retain(|&row| {
            let word = &mut settled[row as usize / BLOCK];
            let bit = 1 << (row as usize % BLOCK);
            let new = *word & bit == 0;
            *word |= bit;
            new
        });
    }

    fn send_back(&mut self, row: usize) -> Vector3<f32> {
        let start = self.columns.after[row];
        let build = &self.columns.builds[row];
        let mut state = self.columns.states[row];
        state.position = start.position;
        if state.crouched && start.radii.along == build.standing {
            state.crouched = false;
        } else if !state.crouched && start.radii.along == build.crouched {
            state.crouched = true;
        }
        self.put(row, state)
    }
}
