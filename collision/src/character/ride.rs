//! The effects of moving and changing terrain on a character: rides, pushes, crushing, burial,
//! release.

use crate::character::stepper::Stepper;
use crate::character::{Build, State};
use crate::events::{EventKind, Other};
use crate::mover::{
    Around, Contact, ContactListener, ContactResponse, Feature, Neighbour, Scratch, slide,
};
use crate::position::Position;
use crate::recovery::{self, Crossing, Rescue, give_skin_back, recover};
use crate::terrain::{ObjectId, Terrain};
use nalgebra::Vector3;

/// Lets a rider pass through the object that carries it.
struct Carried<'a> {
    by: ObjectId,
    listener: Option<&'a dyn ContactListener>,
}

impl ContactListener for Carried<'_> {
    fn contact(&self, contact: &Contact) -> ContactResponse {
        if contact.object == self.by && contact.feature != Feature::Body {
            return ContactResponse::Ignore;
        }
        let response = self.listener.map(|listener| listener.contact(contact));
        response.unwrap_or(ContactResponse::Keep)
    }
}

/// The ride of a character in one tick.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Ride<'a> {
    /// Displacement of the ground, if it moved.
    pub(crate) carry: Option<Vector3<f32>>,
    /// The neighbours that do not ride along.
    pub(crate) in_the_way: &'a [Neighbour],
}

/// Returns the displacement by which the ground carries a character in this tick, if any.
pub(crate) fn carry<T: Terrain + ?Sized>(
    terrain: &T,
    build: &Build,
    state: &State,
    seconds: f32,
) -> Option<Vector3<f32>> {
    let ground = state.ground?;
    if ground.feature == Feature::Body {
        return None;
    }
    let along = build.radii(state.crouched).along;
    let foot = state.position.moved(-build.up * along);
    let surface = terrain.surface_velocity(ground.object, &foot);
    let motion = terrain.carry(ground.object, &foot)? + surface * seconds;
    let moves = motion != Vector3::zeros() && motion.iter().all(|part| part.is_finite());
    moves.then_some(motion)
}

/// Returns whether the ground of a character has a surface that moves in its place.
pub(crate) fn is_on_moving_surface<T: Terrain + ?Sized>(
    terrain: &T,
    build: &Build,
    state: &State,
) -> bool {
    let along = build.radii(state.crouched).along;
    state.ground.is_some_and(|ground| {
        let foot = state.position.moved(-build.up * along);
        ground.feature != Feature::Body
            && terrain.surface_velocity(ground.object, &foot) != Vector3::zeros()
    })
}

impl<T: Terrain + ?Sized> Stepper<'_, T> {
    /// Moves the character with its ground. Swept, so that a ride ends at a wall and at neighbours
    /// in the way.
    pub(super) fn ride(&mut self, state: &mut State, ride: &Ride<'_>) {
        let (Some(motion), Some(ground)) = (ride.carry, state.ground) else {
            return;
        };
        let mut body = self.body(state);
        let carried = Carried {
            by: ground.object,
            listener: self.around.listener,
        };
        let mut around = Around {
            others: ride.in_the_way,
            ..self.around
        };
        // An object that moves farther than the body is wide may have passed it already: a thin
        // plate as a whole, or a wall of the object that carries it.
        let rise = motion.dot(&body.up);
        let aside = (motion - body.up * rise).norm();
        if rise.abs() > body.radii.along || aside > body.radii.across {
            around.listener = Some(&carried);
        }
        slide(&around, &mut body, motion, self.memory, self.scratch);
        state.position = body.position;
    }

    /// Returns the terrain that moved over the character's centre in this tick, if any: it was on
    /// the other side before.
    pub(super) fn crossing(&mut self, state: &State, before: &Position) -> Option<Crossing> {
        let body = self.body(state);
        let Scratch {
            candidates, nearby, ..
        } = &mut *self.scratch;
        recovery::crossing(&self.around, &body, before, candidates, nearby)
    }

    /// Moves the character along with an object that moved over it, up to the next obstacle: the
    /// object pushes it and does not pass through it.
    pub(super) fn go_along(&mut self, state: &mut State, crossing: &Crossing) {
        let mut body = self.body(state);
        let pusher = Carried {
            by: crossing.by,
            listener: self.around.listener,
        };
        let around = Around {
            listener: Some(&pusher),
            ..self.around
        };
        slide(&around, &mut body, crossing.way, self.memory, self.scratch);
        let distance = body.position.since(&state.position).norm();
        state.position = body.position;
        if distance > 0.0 {
            let by = Other::Terrain(crossing.by);
            self.happenings.note(EventKind::Pushed { by, distance });
        }
    }

    /// Moves the character out of overlaps, or reports that it cannot. Until it is free it does
    /// nothing else.
    pub(super) fn leave_solids(&mut self, state: &mut State) -> Rescue {
        let mut body = self.body(state);
        let recovery = recover(&self.around, &mut body, self.memory, self.scratch);
        state.position = body.position;
        let distance = recovery.pushed.norm();
        if distance > 0.0 && recovery.rescue != Rescue::Free {
            let by = self.pusher(&body.position).unwrap_or(ObjectId::NONE);
            let by = Other::Terrain(by);
            self.happenings.note(EventKind::Pushed { by, distance });
        }
        match recovery.rescue {
            Rescue::Free | Rescue::Cramped | Rescue::Freed => self.let_go(state),
            Rescue::OnTheWay => self.hold(state),
            Rescue::Embedded | Rescue::Crowded => self.bury(state),
        }
        state.leaving = recovery.rescue == Rescue::OnTheWay;
        recovery.rescue
    }

    /// Makes the character solid again. Inside of a solid it is held, and recovers in the next
    /// tick, among all neighbours.
    pub(super) fn come_out(&mut self, state: &mut State) {
        let mut body = self.body(state);
        match give_skin_back(&self.around, &mut body, self.scratch) {
            Some(_) => state.position = body.position,
            None => {
                self.hold(state);
                state.leaving = true;
            }
        }
    }

    pub(super) fn let_go(&mut self, state: &mut State) {
        if std::mem::take(&mut state.embedded) {
            self.happenings.note(EventKind::Rescued);
        }
    }

    fn hold(&mut self, state: &mut State) {
        state.velocity = Vector3::zeros();
        (state.drift, state.ahead) = (Vector3::zeros(), 0.0);
        self.stand_on(state, None, 0.0);
    }

    fn bury(&mut self, state: &mut State) {
        self.hold(state);
        if !std::mem::replace(&mut state.embedded, true) {
            let kind = match self.pusher(&state.position) {
                Some(by) => EventKind::Crushed { by },
                None => EventKind::Embedded,
            };
            self.happenings.note(kind);
        }
    }

    /// Returns the moving object among those of the last recovery, the lowest number first.
    fn pusher(&self, at: &Position) -> Option<ObjectId> {
        let terrain = self.around.terrain;
        let mut holders = self.scratch.holders.iter().copied();
        let moves = |carry: Vector3<f32>| carry != Vector3::zeros();
        holders.find(|&object| terrain.carry(object, at).is_some_and(moves))
    }
}
