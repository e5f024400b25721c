//! Shape changes: crouching is always possible, standing up waits for room.

use crate::character::step::Stepper;
use crate::character::{Intent, Mode, State};
use crate::crowd::separation::{Separation, separate};
use crate::mover::{Body, slide};
use crate::recovery::is_free;
use crate::terrain::Terrain;
use nalgebra::Vector3;

impl<T: Terrain + ?Sized> Stepper<'_, T> {
    /// Takes the shape the intent wants, where there is room for it.
    pub(super) fn change_shape(&mut self, state: &mut State, intent: &Intent) {
        if intent.crouch == state.crouched || self.build.standing == self.build.crouched {
            state.crouched = intent.crouch;
        } else if intent.crouch {
            self.crouch(state);
        } else {
            self.stand_up(state);
        }
    }

    /// The crouched ellipsoid lies inside the standing one about the same centre, so it always fits; then the feet go back down.
    fn crouch(&mut self, state: &mut State) {
        state.crouched = true;
        let mut body = self.body(state);
        if state.ground.is_some() && state.mode == Mode::Walk {
            let drop = -self.build.up * (self.build.standing - self.build.crouched).max(0.0);
            slide(&self.around, &mut body, drop, self.memory, self.scratch);
            let sunk = body.position.since(&state.position);
            let straight = self.build.up * sunk.dot(&self.build.up);
            if (sunk - straight).norm_squared() == 0.0 {
                state.position = body.position;
            }
        }
    }

    /// Tries to grow with the feet where they are, then about the centre, then with the head where it is.
    fn stand_up(&mut self, state: &mut State) {
        let rise = self.build.up * (self.build.standing - self.build.crouched);
        let tries = match state.ground {
            Some(_) => [rise, rise, rise],
            None => [Vector3::zeros(), rise, -rise],
        };
        for offset in tries {
            let mut body = self.body(state);
            body.radii = self.build.radii(false);
            body.position = body.position.moved(offset);
            if self.has_room(&body) {
                state.crouched = false;
                state.position = body.position;
                return;
            }
            if state.ground.is_some() {
                return;
            }
        }
    }

    /// Whether neither terrain nor a neighbour reaches into the body.
    fn has_room(&mut self, body: &Body) -> bool {
        let apart = |gap: Separation| gap.distance >= 0.0;
        let free = |other: &Body| apart(separate(body, other));
        if !self.around.others.iter().all(|other| free(&other.body)) {
            return false;
        }
        is_free(
            &self.around,
            body,
            &mut self.scratch.candidates,
            &mut self.scratch.nearby,
        )
    }
}
