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
    /// The velocity at the end of the tick if nothing is in the way.
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
        build: &Build,
        settings: &Settings,
        seconds: f32,
    ) -> Self {
        let up = build.up;
        let wish = level(intent.velocity, up);
        let jumps = state.ground.is_some() && intent.jump > 0.0;
        let is_lifted = build.gravity.is_some_and(|gravity| gravity.dot(&up) > 0.0);
        if state.ground.is_some() && !jumps && !is_lifted {
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
        let limit = settings.fall_limit.min(MAX_SPEED);
        let drift = Drift::of(state.drift, settings.drift_loss, seconds);
        let (drift, gravity) = match build.gravity {
            None => (drift, settings.gravity),
            Some(gravity) => {
                let aside = level(gravity, up);
                (drift.pulled(aside, limit, seconds), -gravity.dot(&up))
            }
        };
        let rise = if jumps {
            intent.jump
        } else {
            state.velocity.dot(&up)
        };
        let wish = wish + state.drift;
        let (steered, aside) = steer(kept, wish, settings.air_control, seconds);
        let (steered, aside) = drift.carry(steered, aside);
        let (fallen, height) = fall(rise, gravity, limit, seconds);
        Self {
            way: aside + up * height,
            velocity: steered + up * fallen,
            kept,
            drift: drift.after,
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

/// A drift that changes evenly in a tick.
struct Drift {
    after: Vector3<f32>,
    /// The change of its velocity, and that of its displacement, if any.
    change: Option<[Vector3<f32>; 2]>,
}

impl Drift {
    /// Makes a drift that loses speed, down to zero.
    fn of(before: Vector3<f32>, loss: f32, seconds: f32) -> Self {
        let length = before.norm();
        if loss == 0.0 || length == 0.0 {
            let (after, change) = (before, None);
            return Self { after, change };
        }
        let less = loss * seconds;
        let (after, way) = if length <= less {
            (Vector3::zeros(), before * (0.5 * (length / loss)))
        } else {
            let after = before * (1.0 - less / length);
            (after, (before + after) * (0.5 * seconds))
        };
        let change = Some([after - before, way - before * seconds]);
        Self { after, change }
    }

    /// Adds a gravity with a part across, up to a speed.
    fn pulled(self, gravity: Vector3<f32>, limit: f32, seconds: f32) -> Self {
        if gravity == Vector3::zeros() {
            return self;
        }
        let limit = self.after.norm().max(limit);
        let after = (self.after + gravity * seconds).cap_magnitude(limit);
        let gained = after - self.after;
        let [change, farther] = self.change.unwrap_or_default();
        let change = Some([change + gained, farther + gained * (0.5 * seconds)]);
        Self { after, change }
    }

    /// Adds the changes to a velocity and a way.
    fn carry(&self, velocity: Vector3<f32>, way: Vector3<f32>) -> (Vector3<f32>, Vector3<f32>) {
        match self.change {
            Some([change, farther]) => (velocity + change, way + farther),
            None => (velocity, way),
        }
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

/// Computes a fall under even gravity, up to the limit; under gravity that leads up, a rise.
/// Returns the speed upwards after some seconds, and the height gained until then.
fn fall(speed: f32, gravity: f32, limit: f32, seconds: f32) -> (f32, f32) {
    if gravity < 0.0 {
        let (fallen, height) = fall(-speed, -gravity, limit, seconds);
        return (-fallen, -height);
    }
    let fallen = speed - gravity * seconds;
    if fallen >= -limit {
        return (fallen, 0.5 * (speed + fallen) * seconds);
    }
    // Only a fall that was slower before gains height on the limit.
    let slower = speed + limit;
    let faster = match slower > 0.0 {
        true => 0.5 * slower * (slower / gravity),
        false => 0.0,
    };
    (-limit, faster - limit * seconds)
}

/// Returns the part of a vector across the up axis.
#[inline]
pub(crate) fn level(vector: Vector3<f32>, up: Vector3<f32>) -> Vector3<f32> {
    vector - up * vector.dot(&up)
}

/// Takes a character through a tick without obstacles and without events.
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
        let pace = Pace::of(state, intent, self.build, self.settings, self.seconds);
        // Jumping off the ground is an event.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fall_faster_than_its_limit_is_cut_to_it_at_once_under_any_gravity() {
        for gravity in [0.0, -0.0, 1e-20, 10.0] {
            assert_eq!(fall(-5.0, gravity, 2.0, 0.5), (-2.0, -1.0), "{gravity}");
            assert_eq!(fall(-5.0, gravity, 0.0, 0.5), (0.0, 0.0), "{gravity}");
        }
        assert_eq!(fall(5.0, -0.0, 0.0, 0.5), (5.0, 2.5));
    }
}
