//! All that one character's tick works with.

use crate::character::happening::Happenings;
use crate::character::{Build, Settings, State};
use crate::mover::{Around, Body, Scratch};
use crate::terrain::Memory;

/// Takes one character through a tick.
pub(crate) struct Stepper<'a, T: ?Sized> {
    /// Terrain, neighbours, listener.
    pub(crate) around: Around<'a, T>,
    /// Length of the tick, in seconds.
    pub(crate) seconds: f32,
    /// Shape and axis.
    pub(crate) build: &'a Build,
    /// The settings of its kind.
    pub(crate) settings: &'a Settings,
    /// The terrain's memory for this character.
    pub(crate) memory: &'a mut Memory,
    /// Buffers of this thread.
    pub(crate) scratch: &'a mut Scratch,
    /// The notes of events.
    pub(crate) happenings: Happenings<'a>,
}

impl<T: ?Sized> Stepper<'_, T> {
    /// Returns the body for the mover.
    pub(super) fn body(&self, state: &State) -> Body {
        Body {
            position: state.position,
            radii: self.build.radii(state.crouched),
            up: self.build.up,
        }
    }
}
