//! Post-pass for riders: stops them at characters that do not ride along or were held up, and
//! carries the characters on their heads.
//!
//! Each character first rides as if alone, because those that ride together are not in each other's
//! way; then characters on a head ride like the one below. Then each that was carried into another
//! rides again from its start, among all others at their present places; and so on, in rounds,
//! because each may hold up one behind it.

use crate::character::{Ride, State, carry};
use crate::crowd::columns::{BLOCK, Block, Columns, Stood, bits};
use crate::crowd::context::{Call, PUSHES, Tick};
use crate::crowd::state::Crowd;
use crate::crowd::vicinity::{WAKE_REACH, by_place};
use crate::crowd::workspace::{Resettled, Workspace, wake};
use crate::mover::{Frame, Neighbour};
use crate::terrain::Terrain;
use crate::tolerance::{PUSH_BELOW, RIDE_ROUNDS, RIDE_SLACK};
use nalgebra::Vector3;

impl Crowd {
    /// Ends the rides of characters that were carried into others. `after` holds the earlier
    /// records of those that were shifted.
    pub(super) fn end_rides<T: Terrain + ?Sized>(&mut self, call: &Call<'_, T>) {
        // The characters beside a shifted one that stand on a head.
        self.take_crowded();
        let mut on_heads = true;
        for _ in 0..RIDE_ROUNDS {
            let rides = Rides {
                tick: self.context(call),
                columns: &self.columns,
                on_heads,
            };
            self.for_members(PUSHES, |row, workspace| rides.row(row, workspace));
            self.take_crowded();
            if self.put_resettled() {
                continue;
            }
            if !on_heads {
                break;
            }
            on_heads = false;
            self.take_shifted();
        }
    }

    /// Makes all shifted characters the members of the next round.
    fn take_shifted(&mut self) {
        let members = &mut self.ticking.members;
        members.clear();
        for (index, block) in self.columns.blocks.iter().enumerate() {
            members.extend(bits(block.shifted).map(|place| (index * BLOCK + place) as u32));
        }
    }

    /// Stores the characters that were settled again; returns whether there are any.
    fn put_resettled(&mut self) -> bool {
        let mut workspaces = std::mem::take(&mut self.workspaces);
        let mut farthest = None;
        for workspace in workspaces.each() {
            for again in workspace.resettled.drain(..) {
                let row = again.row as usize;
                let (block, bit) = (&mut self.columns.blocks[row / BLOCK], 1 << (row % BLOCK));
                if block.shifted & bit == 0 {
                    block.shifted |= bit;
                    self.columns.after[row] = self.columns.stood[row];
                }
                block.pushed |= if again.pushed { bit } else { 0 };
                let nearer = self.put(row, again.state);
                farthest = Some(nearer.sup(&farthest.unwrap_or_default()));
            }
        }
        self.workspaces = workspaces;
        self.ticking.drift += farthest.unwrap_or_default();
        self.wake_noted();
        farthest.is_some()
    }
}

/// The inputs of a round.
struct Rides<'a, T: ?Sized> {
    /// With all characters at their present places.
    tick: Tick<'a, T>,
    /// `after` holds the earlier records of the characters that were shifted.
    columns: &'a Columns,
    /// True if only the characters on heads ride.
    on_heads: bool,
}

impl<T: Terrain + ?Sized> Rides<'_, T> {
    /// Lets a character that was carried into another ride again, up to the others' present places,
    /// and lists those that may be carried into it there. One that terrain pushed stays: the others
    /// are pushed in turn.
    fn row(&self, row: usize, workspace: &mut Workspace) {
        let (tick, from) = (&self.tick, self.from(row));
        let now = &tick.shared.stood[row];
        if self.has(|block| block.pushed, row) || from.held || now.held {
            return;
        }
        let before = State {
            position: from.position,
            ..self.columns.states[row]
        };
        let Some(carry) = self.carry(row, &before) else {
            return;
        };
        let listed = workspace.crowded.len();
        let mut in_the_way = std::mem::take(&mut workspace.in_the_way);
        let lags = now.on_somebody && (self.shift(row) - carry).norm() >= RIDE_SLACK;
        let comes =
            self.rider_overlaps_a_character(row, &before, carry, &mut in_the_way, workspace);
        let again = (comes || lags).then(|| {
            let ride = Ride {
                carry: Some(carry),
                in_the_way: &in_the_way,
            };
            self.settle_again(row, before, &ride, workspace)
        });
        workspace.in_the_way = in_the_way;
        let is_news =
            |again: &Resettled| again.pushed || !again.state.same_bits(&self.columns.states[row]);
        match again.filter(is_news) {
            Some(again) => {
                let reach = now.extent + Vector3::repeat(WAKE_REACH);
                let woken = &mut workspace.woken;
                let place = &again.state.position;
                let around = &tick.around;
                around.visit_box(place, reach, |near, _, _| wake(woken, near));
                workspace.resettled.push(again);
            }
            None => workspace.crowded.truncate(listed),
        }
    }

    /// Returns the displacement of the ground or character below.
    fn carry(&self, row: usize, before: &State) -> Option<Vector3<f32>> {
        let own = &self.tick.shared.stood[row];
        if !own.on_somebody {
            let builds = self.tick.shared.builds;
            let call = self.tick.call;
            let way = carry(call.terrain, &builds[row], before, call.seconds);
            return way.filter(|_| !self.on_heads);
        }
        let bearer = self.tick.handles.at(before.ground?.object.0)?;
        let apart = self.from(bearer).position.since(&before.position).abs();
        let extent = (own.extent + self.from(bearer).extent).add_scalar(WAKE_REACH);
        let carry = self.shift(bearer);
        // The slot may have been given to another character since.
        let bears = self.tick.meet(row, bearer) && (0..3).all(|axis| apart[axis] < extent[axis]);
        (bears && carry != Vector3::zeros()).then_some(carry)
    }

    /// Settles a row from where it was.
    fn settle_again(
        &self,
        row: usize,
        before: State,
        ride: &Ride<'_>,
        workspace: &mut Workspace,
    ) -> Resettled {
        let (tick, mut state) = (&self.tick, before);
        let mut memory = self.columns.memories[row];
        tick.gather_others(row, &before, ride, workspace);
        let rides = tick.as_stepper(row, &mut memory, workspace, |stepper| {
            stepper.settle_on_ride(&mut state, ride)
        });
        if rides.is_none() {
            (state, memory) = (before, self.columns.memories[row]);
            tick.as_stepper(row, &mut memory, workspace, |stepper| {
                stepper.settle(&mut state, ride)
            });
            tick.note_events(row, workspace);
        }
        Resettled {
            row: row as u32,
            state,
            pushed: rides.is_none(),
        }
    }

    /// Returns whether a ride leads into a character that does not ride along. Lists those, in an
    /// order that depends on their places only, and lists as crowded all that were shifted too, or
    /// stand on another.
    fn rider_overlaps_a_character(
        &self,
        row: usize,
        before: &State,
        carry: Vector3<f32>,
        in_the_way: &mut Vec<Neighbour>,
        workspace: &mut Workspace,
    ) -> bool {
        let (tick, from) = (&self.tick, self.from(row));
        let went = self.shift(row);
        let skin = tick.settings_of(row).mover.skin;
        let frame = Frame::of(&from.body(), 0.0);
        let mut comes = false;
        in_the_way.clear();
        let visit = |other_row: usize, other: &Stood, offset: Vector3<f32>| {
            if other_row == row {
                return;
            }
            if self.has(|block| block.shifted, other_row) || other.on_somebody {
                workspace.crowded.push(other_row as u32);
            }
            if self.goes_along(other_row, before, carry) || !tick.meet(row, other_row) {
                return;
            }
            let closest = PUSH_BELOW * skin.min(tick.settings_of(other_row).mover.skin);
            let pair = frame.beside(&other.body(), closest);
            comes |= pair.enter(-offset, went, 1.0).is_some();
            in_the_way.push(Neighbour {
                body: other.body(),
                id: tick.shared.slots[other_row],
            });
        };
        let reach = from.extent + Vector3::repeat(carry.norm() + 2.0 * skin);
        let around = &tick.around;
        around.visit_box(&from.position, reach, visit);
        let place = |other: &Neighbour| other.body.position.since(&from.position);
        in_the_way.sort_unstable_by(|a, b| by_place(&place(a), &place(b)));
        comes
    }

    /// Returns whether another character was displaced like the rider by the rider's ground.
    /// Terrain may turn, so the displacement depends on the place.
    fn goes_along(&self, other: usize, rider: &State, carried: Vector3<f32>) -> bool {
        let went = self.shift(other);
        if went == Vector3::zeros() {
            // A character on a head that rides now will ride in the next round.
            return self.on_heads && self.tick.shared.stood[other].on_somebody;
        }
        let builds = self.tick.shared.builds;
        let there = State {
            position: self.from(other).position,
            ground: rider.ground,
            ..self.columns.states[other]
        };
        let call = self.tick.call;
        let there = carry(call.terrain, &builds[other], &there, call.seconds);
        (went - there.unwrap_or(carried)).norm() < RIDE_SLACK
    }

    /// Returns the displacement of a character by the terrain.
    fn shift(&self, row: usize) -> Vector3<f32> {
        let now = &self.tick.shared.stood[row].position;
        now.since(&self.from(row).position)
    }

    /// Returns the state of a row before it was shifted.
    fn from(&self, row: usize) -> &Stood {
        if self.has(|block| block.shifted, row) {
            &self.columns.after[row]
        } else {
            &self.tick.shared.stood[row]
        }
    }

    fn has(&self, word: impl Fn(&Block) -> u64, row: usize) -> bool {
        word(&self.columns.blocks[row / BLOCK]) >> (row % BLOCK) & 1 != 0
    }
}
