//! Shape changes: growing smaller is always possible, growing larger waits for room.

use crate::character::step::Stepper;
use crate::character::{Intent, Mode, State};
use crate::crowd::separation::{Separation, separate};
use crate::mover::{Body, sink};
use crate::recovery::has_room;
use crate::terrain::Terrain;
use nalgebra::Vector3;

impl<T: Terrain + ?Sized> Stepper<'_, T> {
    /// Takes the shape the intent wants, where there is room for it.
    pub(super) fn change_shape(&mut self, state: &mut State, intent: &Intent) {
        let along = |crouched| self.build.radii(crouched).along;
        let rise = along(intent.crouch) - along(state.crouched);
        if rise > 0.0 {
            self.grow(state, intent.crouch, rise);
        } else {
            state.crouched = intent.crouch;
            self.shrink(state, rise);
        }
    }

    /// The smaller ellipsoid lies inside the larger one about the same centre, so it always fits; then the feet go back down.
    fn shrink(&mut self, state: &mut State, rise: f32) {
        if rise < 0.0 && state.ground.is_some() && state.mode == Mode::Walk {
            let mut body = self.body(state);
            let drop = self.build.up * rise;
            sink(&self.around, &mut body, drop, self.memory, self.scratch);
            state.position = body.position;
        }
    }

    /// Tries to grow with the feet where they are, then about the centre, then with the head where it is.
    fn grow(&mut self, state: &mut State, crouched: bool, rise: f32) {
        let rise = self.build.up * rise;
        let tries = match state.ground {
            Some(_) => [rise, rise, rise],
            None => [Vector3::zeros(), rise, -rise],
        };
        for offset in tries {
            let mut body = self.body(state);
            body.radii = self.build.radii(crouched);
            body.position = body.position.moved(offset);
            if self.has_room(&body, offset) {
                state.crouched = crouched;
                state.position = body.position;
                return;
            }
            if state.ground.is_some() {
                return;
            }
        }
    }

    /// Whether neither terrain nor a neighbour reaches into the body, which came there by a straight way.
    fn has_room(&mut self, body: &Body, way: Vector3<f32>) -> bool {
        let apart = |gap: Separation| gap.distance >= 0.0;
        let free = |other: &Body| apart(separate(body, other));
        if !self.around.others.iter().all(|other| free(&other.body)) {
            return false;
        }
        let has_room = has_room(
            &self.around,
            body,
            way,
            &mut self.scratch.candidates,
            &mut self.scratch.nearby,
        );
        self.looked_far |= !has_room;
        has_room
    }
}
