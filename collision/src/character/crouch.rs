//! Shape changes: growing smaller is always possible, growing larger waits for room.

use crate::character::stepper::Stepper;
use crate::character::{Build, Intent, Mode, State};
use crate::kernels::ellipsoids::{Separation, separate};
use crate::mover::{Body, Radii, sink};
use crate::recovery::has_room;
use crate::terrain::Terrain;
use nalgebra::Vector3;

impl<T: Terrain + ?Sized> Stepper<'_, T> {
    /// Takes the shape of the intent where there is room for it.
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

    /// Shrinks: the smaller ellipsoid lies inside the larger one about the same centre, so it
    /// always fits; then the foot goes back down.
    fn shrink(&mut self, state: &mut State, rise: f32) {
        if rise < 0.0 && state.ground.is_some() && state.mode == Mode::Walk {
            let mut body = self.body(state);
            let drop = self.build.up * rise;
            sink(&self.around, &mut body, drop, self.memory, self.scratch);
            state.position = body.position;
        }
    }

    /// Grows where there is room: with the foot in place, then about the centre, then with the head
    /// in place.
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

    /// Takes the radii of another build: smaller ones always, larger ones where there is room with
    /// the foot in place or, in the air, the height kept. Returns whether it did; otherwise nothing
    /// changes.
    pub(crate) fn take_radii(&mut self, state: &mut State, build: &Build) -> bool {
        let old = self.build.radii(state.crouched);
        let new = build.radii(state.crouched);
        let way = self.build.up * self.rise_between(state, old, new);
        let mut body = self.body(state);
        body.radii = new;
        if new.across > old.across || new.along > old.along {
            body.position = body.position.moved(way);
            if state.mode != Mode::NoClip && !self.has_room(&body, way) {
                return false;
            }
        } else if way != Vector3::zeros() && !state.is_held() {
            sink(&self.around, &mut body, way, self.memory, self.scratch);
        }
        state.position = body.position;
        true
    }

    /// Returns the rise of the centre that keeps the foot in place: a round foot on a slope touches
    /// it beside its lowest point.
    fn rise_between(&self, state: &State, old: Radii, new: Radii) -> f32 {
        let grown = [new.across - old.across, new.along - old.along];
        let upright = state
            .ground
            .map_or(0.0, |ground| ground.normal.dot(&self.build.up));
        if upright <= 0.0 {
            return grown[1];
        }
        // Half extent along the normal of the ground.
        let reach = |radii: Radii| {
            let across = radii.across * radii.across;
            let excess = radii.along * radii.along - across;
            (across + excess * (upright * upright)).max(0.0).sqrt()
        };
        let least: f32 = grown.iter().map(|part| part.min(0.0)).sum();
        let most: f32 = grown.iter().map(|part| part.max(0.0)).sum();
        ((reach(new) - reach(old)) / upright).clamp(least, most)
    }

    /// Returns whether neither terrain nor a neighbour overlaps the body, which came there by a
    /// straight way.
    fn has_room(&mut self, body: &Body, way: Vector3<f32>) -> bool {
        let apart = |gap: Separation| gap.distance >= 0.0;
        let free = |other: &Body| apart(separate(body, other));
        if !self.around.others.iter().all(|other| free(&other.body)) {
            return false;
        }
        has_room(&self.around, body, way, self.scratch)
    }
}
