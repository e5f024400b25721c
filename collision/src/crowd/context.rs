//! The one context of a tick: all that its phases read. They write their own block at most.

use crate::character::Settings;
use crate::crowd::CharacterId;
use crate::crowd::api::{Crowd, Hooks, Listening};
use crate::crowd::columns::{BLOCK, Shared, Writable};
use crate::crowd::handles::Handles;
use crate::crowd::vicinity::Neighbourhood;
use crate::crowd::workspace::Workspaces;

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
        };
        (tick, writable)
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
