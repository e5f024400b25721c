//! One tick of one character, in two halves: [`Stepper::settle`] after terrain near it moved or
//! changed, [`Stepper::step`] for its own wish.

use crate::character::ride::Ride;
use crate::character::stepper::Stepper;
use crate::character::{Intent, Mode, State};
use crate::mover::Queried;
use crate::recovery::{Recovery, Rescue, give_skin_back};
use crate::terrain::{Memory, Terrain};

impl<T: Terrain + ?Sized> Stepper<'_, T> {
    /// Moves the character with its ride, then out of overlaps, to a place without neighbours. One
    /// that [is not settled](Rescue::is_settled) must be settled again next tick, even on unchanged
    /// terrain.
    pub(crate) fn settle(&mut self, state: &mut State, ride: &Ride<'_>) -> Rescue {
        if state.mode == Mode::NoClip {
            return Rescue::Free;
        }
        let before = state.position;
        self.ride(state, ride);
        if let Some(crossing) = self.crossing(state, &before) {
            self.go_along(state, &crossing);
        }
        self.leave_solids(state)
    }

    /// Settles like [`Self::settle`], for a character that is not held and overlaps no terrain;
    /// `None` where terrain pushes it.
    pub(crate) fn settle_on_ride(
        &mut self,
        state: &mut State,
        ride: &Ride<'_>,
    ) -> Option<Recovery> {
        if state.mode == Mode::NoClip {
            return Some(Recovery::default());
        }
        let before = state.position;
        self.ride(state, ride);
        if self.crossing(state, &before).is_some() {
            return None;
        }
        let mut body = self.body(state);
        let recovery = give_skin_back(&self.around, &mut body, self.scratch)?;
        state.position = body.position;
        Some(recovery)
    }

    /// Carries out the intent, among neighbours at their starting places. Returns whether the
    /// character must be settled in the next tick: one that left no-clip inside of a solid has to
    /// recover, one that grew or lacks skin has to regain it.
    pub(crate) fn step(&mut self, state: &mut State, intent: &Intent) -> bool {
        self.scratch.queried = Queried::default();
        let came_from = std::mem::replace(&mut state.mode, intent.mode);
        let was_crouched = state.crouched;
        state.touching &= !state.is_held();
        if intent.mode == Mode::NoClip {
            self.pass_through(state, intent);
            return false;
        }
        if came_from == Mode::NoClip {
            *self.memory = Memory::default();
            self.come_out(state);
        }
        if state.is_held() {
            return came_from == Mode::NoClip;
        }
        self.change_shape(state, intent);
        let lacks_skin = match intent.mode {
            Mode::Fly => self.fly(state, intent),
            _ => self.go(state, intent),
        };
        lacks_skin || state.crouched != was_crouched
    }
}
