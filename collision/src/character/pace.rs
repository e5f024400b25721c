//! The wished motion of a walk or a fall, and the ticks without obstacles.

use crate::character::settings::AT_ONCE;
use crate::character::{Build, Intent, Medium, Mode, Settings, State};
use crate::mover::{Around, Body, Glided, Ground, glide};
use crate::position::Position;
use crate::terrain::{Memory, Terrain};
use crate::tolerance::MAX_SPEED;
use nalgebra::Vector3;

/// The start of a walk or a fall.
pub(super) struct Pace {
    /// The wished displacement in this tick, in metres.
    pub(super) way: Vector3<f32>,
    /// The velocity at the end of the tick where nothing is met.
    pub(super) velocity: Vector3<f32>,
    /// The level part of the velocity before it was steered.
    pub(super) kept: Vector3<f32>,
    /// See [`State::drift`].
    pub(super) drift: Vector3<f32>,
    /// See [`State::ahead`].
    pub(super) ahead: f32,
    /// The ground that a walk keeps to; none in the air.
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
        if state.ground.is_some() && !jumps {
            let (way, ahead) = fall_back(wish * seconds, state.ahead);
            return Self {
                way,
                velocity: wish,
                kept: Vector3::zeros(),
                drift: Vector3::zeros(),
                ahead,
                before: state.ground,
            };
        }
        let kept = level(state.velocity, up);
        let drift = shortened(state.drift, settings.drift_loss * seconds);
        let rise = if jumps {
            intent.jump
        } else {
            state.velocity.dot(&up)
        };
        let (steered, aside) = steer(kept, wish + drift, settings.air_control, seconds);
        let limit = settings.fall_limit.min(MAX_SPEED);
        let (fallen, height) = fall(rise, settings.gravity, limit, seconds);
        Self {
            way: aside + up * height,
            velocity: steered + up * fallen,
            kept,
            drift,
            ahead: 0.0,
            before: None,
        }
    }
}

/// Shortens a way on foot by the distance that the body is ahead, at most by half. Returns the way
/// and the distance that is left.
fn fall_back(way: Vector3<f32>, ahead: f32) -> (Vector3<f32>, f32) {
    if ahead == 0.0 {
        return (way, 0.0);
    }
    let length = way.norm();
    if length == 0.0 {
        return (way, 0.0);
    }
    let less = ahead.min(0.5 * length);
    (way * (1.0 - less / length), ahead - less)
}

/// A vector, shorter by a length.
fn shortened(vector: Vector3<f32>, by: f32) -> Vector3<f32> {
    if by == 0.0 {
        return vector;
    }
    let length = vector.norm();
    if length <= by {
        Vector3::zeros()
    } else {
        vector * (1.0 - by / length)
    }
}

/// Turns a level velocity evenly towards the wished one. Returns the velocity after some seconds,
/// and the displacement until then.
fn steer(
    velocity: Vector3<f32>,
    wish: Vector3<f32>,
    acceleration: f32,
    seconds: f32,
) -> (Vector3<f32>, Vector3<f32>) {
    let change = wish - velocity;
    let length = change.norm();
    if length <= acceleration * seconds {
        // The average of the turn is half the change.
        let turning = if length > 0.0 && acceleration < AT_ONCE {
            0.5 * length / acceleration
        } else {
            0.0
        };
        return (wish, wish * seconds - change * turning);
    }
    let steered = velocity + change * (acceleration * seconds / length);
    (steered, (velocity + steered) * (0.5 * seconds))
}

/// A fall under even gravity, down to the fastest. Returns the speed upwards after some seconds,
/// and the height gained until then.
fn fall(speed: f32, gravity: f32, limit: f32, seconds: f32) -> (f32, f32) {
    let fallen = speed - gravity * seconds;
    if fallen >= -limit {
        return (fallen, 0.5 * (speed + fallen) * seconds);
    }
    // The time until the limit is reached.
    let until = (speed + limit).max(0.0) / gravity;
    let faster = 0.5 * (speed + limit).max(0.0) * until;
    (-limit, faster - limit * seconds)
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
    /// The settings of its kind.
    pub(crate) settings: &'a Settings,
}

/// The changes of such a tick.
pub(crate) struct Glide {
    position: Position,
    velocity: Vector3<f32>,
    ground: Option<Ground>,
    drift: Vector3<f32>,
    ahead: f32,
}

impl Glide {
    #[inline]
    pub(crate) fn put_into(&self, state: &mut State) {
        state.position = self.position;
        state.velocity = self.velocity;
        state.ground = self.ground;
        (state.drift, state.ahead) = (self.drift, self.ahead);
        (state.touching, state.stepping) = (false, false);
    }
}

impl<T: Terrain + ?Sized> Glider<'_, T> {
    /// Returns the changes a [`Stepper`](super::Stepper) would make, to the bit, in a free walk or
    /// fall; otherwise `None`.
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
        // A jump leaves the ground, which is an event.
        if pace.before.is_none() && state.ground.is_some() {
            return None;
        }
        let body = Body {
            position: state.position,
            radii: self.build.radii(state.crouched),
            up,
        };
        let Glided { position, ground } =
            glide(&self.around, &body, pace.way, pace.before, memory)?;
        let velocity = match ground {
            Some(_) => level(pace.velocity, up),
            None => pace.velocity,
        };
        Some(Glide {
            position,
            velocity,
            ground,
            drift: pace.drift,
            ahead: pace.ahead,
        })
    }
}
