//! The one context of a tick: all that its phases read, and the work that several of them share.
//! They write their own block at most.

use crate::character::{Settings, State};
use crate::crowd::CharacterId;
use crate::crowd::columns::{BLOCK, Shared, Stood, Writable, bits};
use crate::crowd::rules::{Hooks, Listening};
use crate::crowd::state::Crowd;
use crate::crowd::vicinity::{Neighbourhood, grid_cell};
use crate::crowd::workspace::{Workspace, Workspaces};
use crate::handles::Handles;
use nalgebra::Vector3;
use rayon::prelude::*;

/// Overlapping characters of one job: each of them sweeps.
pub(super) const PUSHES: usize = 16;

/// The arguments of a tick, as its caller gave them.
pub(crate) struct Call<'a, T: ?Sized> {
    pub(crate) terrain: &'a T,
    /// Length of the tick, in seconds.
    pub(crate) seconds: f32,
    pub(crate) hooks: Hooks<'a>,
}

/// A call, and the crowd as it stands in the present phase. A phase is an `impl` in its own file.
pub(crate) struct Tick<'a, T: ?Sized> {
    pub(crate) call: &'a Call<'a, T>,
    pub(crate) shared: Shared<'a>,
    pub(crate) around: Neighbourhood<'a>,
    pub(crate) settings: &'a [Settings],
    pub(crate) handles: &'a Handles,
    pub(crate) workspaces: &'a Workspaces,
    /// The rows that are watched: a word for each block, or none at all.
    pub(crate) watched: &'a [u64],
    /// The row whose gathers are traced.
    pub(crate) traced: Option<usize>,
}

impl Crowd {
    /// Returns the context of a phase that writes nothing.
    pub(super) fn context<'a, T: ?Sized>(&'a self, call: &'a Call<'a, T>) -> Tick<'a, T> {
        Tick {
            call,
            shared: self.columns.shared(),
            around: Neighbourhood {
                plan: self.ticking.plan(),
                ..self.neighbourhood()
            },
            settings: self.settings.rows(),
            handles: &self.handles,
            workspaces: &self.workspaces,
            watched: self.watch.words(),
            traced: self.watch.traced_row(&self.handles),
        }
    }

    /// Returns the context of a phase, and the columns that its blocks write.
    pub(super) fn split<'a, T: ?Sized>(
        &'a mut self,
        call: &'a Call<'a, T>,
    ) -> (Tick<'a, T>, Writable<'a>) {
        let (shared, writable) = self.columns.split();
        let around = Neighbourhood {
            grid: &self.grid,
            stood: shared.stood,
            largest: self.largest,
            plan: self.ticking.plan(),
        };
        let tick = Tick {
            call,
            shared,
            around,
            settings: self.settings.rows(),
            handles: &self.handles,
            workspaces: &self.workspaces,
            watched: self.watch.words(),
            traced: self.watch.traced_row(&self.handles),
        };
        (tick, writable)
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

    /// Wakes the characters that the threads noted.
    pub(super) fn wake_noted(&mut self) {
        for workspace in self.workspaces.each() {
            for (block, woken) in self.columns.blocks.iter_mut().zip(&mut workspace.woken) {
                block.awake |= std::mem::take(woken) & !block.kinematic;
            }
        }
    }

    /// Makes the characters noted as crowded the members of the next round, each once, in the order
    /// of rows.
    pub(super) fn take_crowded(&mut self) {
        let ticking = &mut self.ticking;
        for workspace in self.workspaces.each() {
            for row in workspace.crowded.drain(..) {
                ticking.crowded[row as usize / BLOCK] |= 1 << (row as usize % BLOCK);
            }
        }
        ticking.members.clear();
        ticking.members.extend(rows_of(&ticking.crowded));
        ticking.crowded.fill(0);
    }
}

impl<T: ?Sized> Tick<'_, T> {
    #[inline]
    pub(crate) fn name(&self, row: usize) -> CharacterId {
        self.handles.name(self.shared.slots[row])
    }

    #[inline]
    pub(crate) fn is_watched(&self, row: usize) -> bool {
        let word = self.watched.get(row / BLOCK);
        word.is_some_and(|word| word >> (row % BLOCK) & 1 != 0)
    }

    #[inline]
    pub(crate) fn settings_of(&self, row: usize) -> &Settings {
        &self.settings[usize::from(self.shared.settings[row])]
    }

    #[inline]
    pub(crate) fn listener(&self, row: usize) -> Listening<'_> {
        self.call.hooks.listener(|| self.name(row))
    }

    /// Returns whether two characters collide: by their layers, and by the rules.
    #[inline]
    pub(crate) fn meet(&self, row: usize, other: usize) -> bool {
        let stood = self.shared.stood;
        stood[row].meets(&stood[other]) && self.rules_let_meet(row, other)
    }

    /// Returns whether the rules let two characters collide, regardless of their layers.
    #[inline]
    pub(crate) fn rules_let_meet(&self, row: usize, other: usize) -> bool {
        let hooks = &self.call.hooks;
        hooks.meets(|| self.name(row), || self.name(other))
    }
}

/// Returns the rows whose bits are set.
pub(super) fn rows_of(words: &[u64]) -> impl Iterator<Item = u32> {
    let blocks = words.iter().enumerate();
    blocks.flat_map(|(index, word)| bits(*word).map(move |place| (index * BLOCK + place) as u32))
}
