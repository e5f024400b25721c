//! What a walk or a fall wants of a tick, and the ticks in which nothing is in its way.

use crate::character::{Build, Intent, Medium, Mode, Settings, State};
use crate::mover::{Around, Body, Glided, Ground, glide};
use crate::position::Position;
use crate::terrain::{Memory, Terrain};
use crate::tolerance::MAX_SPEED;
use nalgebra::Vector3;

/// How a walk or a fall sets out.
pub(super) struct Pace {
    pub(super) velocity: Vector3<f32>,
    /// The part of it along the up axis.
    pub(super) rise: f32,
    /// The ground it keeps to.
    pub(super) before: Option<Ground>,
}

impl Pace {
    #[inline]
    pub(super) fn of(
        state: &State,
        intent: &Intent,
        up: Vector3<f32>,
        settings: &Settings,
        seconds: f32,
    ) -> Self {
        let wish = level(intent.velocity, up);
        let jumps = state.ground.is_some() && intent.jump > 0.0;
        let rise = if jumps {
            intent.jump
        } else if state.ground.is_some() {
            0.0
        } else {
            let falling = state.velocity.dot(&up) - settings.gravity * seconds;
            falling.max(-settings.fall_limit.min(MAX_SPEED))
        };
        let before = if jumps { None } else { state.ground };
        let pace = match before {
            Some(_) => wish,
            None => steer(
                level(state.velocity, up),
                wish,
                settings.air_control * seconds,
            ),
        };
        Self {
            velocity: pace + up * rise,
            rise,
            before,
        }
    }
}

/// Turns a level velocity towards the wished one, by no more than a limit.
fn steer(velocity: Vector3<f32>, wish: Vector3<f32>, limit: f32) -> Vector3<f32> {
    let change = wish - velocity;
    let length = change.norm();
    if length <= limit {
        wish
    } else {
        velocity + change * (limit / length)
    }
}

/// The part of a vector across the up axis.
#[inline]
pub(super) fn level(vector: Vector3<f32>, up: Vector3<f32>) -> Vector3<f32> {
    vector - up * vector.dot(&up)
}

/// Takes a character through a tick in which nothing is in its way and nothing happens.
pub(crate) struct Glider<'a, T: ?Sized> {
    /// Terrain, neighbours, listener.
    pub(crate) around: Around<'a, T>,
    /// Length of the tick, in seconds.
    pub(crate) seconds: f32,
    /// Shape and axis.
    pub(crate) build: &'a Build,
    /// How its kind moves.
    pub(crate) settings: &'a Settings,
}

/// What such a tick changed.
pub(crate) struct Glide {
    position: Position,
    velocity: Vector3<f32>,
    ground: Option<Ground>,
}

impl Glide {
    #[inline]
    pub(crate) fn put_into(&self, state: &mut State) {
        state.position = self.position;
        state.velocity = self.velocity;
        state.ground = self.ground;
        (state.touching, state.stepping) = (false, false);
    }
}

impl<T: Terrain + ?Sized> Glider<'_, T> {
    /// What a [`Stepper`](super::Stepper) would do, to the bit, if that is to walk or fall freely; if not, nothing.
    #[inline]
    pub(crate) fn glide(
        &self,
        state: &State,
        intent: &Intent,
        memory: &mut Memory,
    ) -> Option<Glide> {
        let walks = state.mode == Mode::Walk && intent.mode == Mode::Walk && !state.is_held();
        let as_before = state.crouched == intent.crouch && state.medium == Medium::Open;
        if !(walks && as_before) {
            return None;
        }
        let up = self.build.up;
        let pace = Pace::of(state, intent, up, self.settings, self.seconds);
        // Who jumps leaves the ground, and that is told.
        if pace.before.is_none() && state.ground.is_some() {
            return None;
        }
        let body = Body {
            position: state.position,
            radii: self.build.radii(state.crouched),
            up,
        };
        let way = pace.velocity * self.seconds;
        let Glided { position, ground } = glide(&self.around, &body, way, pace.before, memory)?;
        let velocity = match ground {
            Some(_) => level(pace.velocity, up),
            None => pace.velocity,
        };
        Some(Glide {
            position,
            velocity,
            ground,
        })
    }
}
