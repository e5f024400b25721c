//! The modes: walking and falling, swimming, climbing, flying, passing through.

use crate::character::pace::{Pace, level};
use crate::character::stepper::Stepper;
use crate::character::{Intent, LeaveWith, Medium, State, carry};
use crate::events::EventKind;
use crate::mover::{
    Before, Contact, Fall, Feature, Ground, Report, StoppedBy, slide, walk_closely,
};
use crate::position::Position;
use crate::terrain::{Contents, Terrain};
use crate::tolerance::{LONGEST_STEP, MAX_SPEED, PARALLEL, STEP_LEAD, TOUCHING};
use nalgebra::Vector3;

impl<T: Terrain + ?Sized> Stepper<'_, T> {
    /// Moves without collisions (no-clip).
    pub(super) fn pass_through(&mut self, state: &mut State, intent: &Intent) {
        self.sense(state);
        self.stand_on(state, None, 0.0);
        self.let_go(state);
        state.velocity = intent.velocity;
        (state.drift, state.ahead) = (Vector3::zeros(), 0.0);
        state.leaving = false;
        state.touching = false;
        state.position = state.position.moved(intent.velocity * self.seconds);
    }

    /// Flies without gravity, along all obstacles. Returns, like the other modes, whether it lacks
    /// skin.
    pub(super) fn fly(&mut self, state: &mut State, intent: &Intent) -> bool {
        self.sense(state);
        self.stand_on(state, None, 0.0);
        self.slide_along(state, intent.velocity)
    }

    /// Moves according to the medium: on feet, swimming or climbing.
    pub(super) fn go(&mut self, state: &mut State, intent: &Intent) -> bool {
        self.sense(state);
        match state.medium {
            Medium::Liquid => self.swim(state, intent),
            Medium::Ladder if self.climbs(intent) || state.ground.is_none() => {
                self.stand_on(state, None, 0.0);
                let jump = self.build.up * intent.jump;
                self.slide_along(state, intent.velocity + jump)
            }
            _ => self.walk_or_fall(state, intent),
        }
    }

    /// Returns whether an intent leads up or down, by more than the error of a level one where the
    /// up axis is tilted.
    fn climbs(&self, intent: &Intent) -> bool {
        let rise = intent.velocity.dot(&self.build.up);
        intent.jump > 0.0 || rise.abs() > PARALLEL * intent.velocity.norm()
    }

    /// Updates the medium at the centre. A swimmer stays one until it is half out, so that the
    /// surface causes no flicker.
    fn sense(&mut self, state: &mut State) {
        let was = state.medium;
        let contents = self.contents(&state.position);
        if was == Medium::Open && !contents.liquid && !contents.climbable {
            return;
        }
        state.medium = if contents.liquid {
            Medium::Liquid
        } else if contents.climbable {
            Medium::Ladder
        } else if was == Medium::Liquid && self.is_half_in(state) {
            Medium::Liquid
        } else {
            Medium::Open
        };
        match (was, state.medium) {
            (Medium::Liquid, Medium::Liquid) => {}
            (Medium::Liquid, _) => self.happenings.note(EventKind::LeftLiquid),
            (_, Medium::Liquid) => self.happenings.note(EventKind::EnteredLiquid),
            _ => {}
        }
    }

    /// Returns the contents of a place near the character.
    fn contents(&self, at: &Position) -> Contents {
        self.around.terrain.contents(at, self.memory)
    }

    /// Returns whether the point halfway between centre and foot is in a liquid.
    fn is_half_in(&self, state: &State) -> bool {
        let half = self.build.radii(state.crouched).along * 0.5;
        let point = state.position.moved(-self.build.up * half);
        self.contents(&point).liquid
    }

    /// Swims as wished and sinks slowly; only a jump takes it higher than half out.
    fn swim(&mut self, state: &mut State, intent: &Intent) -> bool {
        self.stand_on(state, None, 0.0);
        let up = self.build.up;
        let mut velocity = intent.velocity;
        if intent.jump > 0.0 {
            velocity += up * intent.jump;
        } else if velocity == Vector3::zeros() {
            velocity = up * -self.settings.sink.min(MAX_SPEED);
        }
        let rise = velocity.dot(&up);
        let afloat = !self.contents(&state.position).liquid;
        if afloat && rise > 0.0 && intent.jump == 0.0 {
            velocity -= up * rise;
        }
        self.slide_along(state, velocity)
    }

    /// Slides with a velocity and keeps the part that remains.
    fn slide_along(&mut self, state: &mut State, velocity: Vector3<f32>) -> bool {
        let (mut body, before) = (self.body(state), *state);
        let motion = velocity * self.seconds;
        let report = slide(&self.around, &mut body, motion, self.memory, self.scratch);
        state.position = body.position;
        state.velocity = report.planes.project(velocity);
        (state.drift, state.ahead) = (Vector3::zeros(), 0.0);
        self.meet_contacts(&before, velocity, &report);
        self.note_contacts(state, velocity, &report);
        report.lacks_skin
    }

    /// Walks, jumps or falls among obstacles.
    fn walk_or_fall(&mut self, state: &mut State, intent: &Intent) -> bool {
        let up = self.build.up;
        let before = *state;
        let pace = Pace::of(state, intent, self.build, self.settings, self.seconds);
        // One advance at a time: the next step waits until the wish has caught up with the last.
        let waits = pace.ahead > STEP_LEAD * self.settings.mover.step_advance;
        let set_out = Before {
            ground: pace.before,
            kept: pace.kept * self.seconds,
            touching: state.touching,
            stepping: state.stepping,
            waits,
        };
        let mut body = self.body(state);
        let report = walk_closely(
            &self.around,
            &mut body,
            pace.way,
            set_out,
            self.memory,
            self.scratch,
        );
        state.position = body.position;
        let planes = &report.planes;
        let (mut velocity, mut drift) = (pace.velocity, pace.drift);
        if before.ground.is_some() && report.ground.is_none() {
            // The ground has already carried the body in this tick.
            let left = self.velocity_left(&before);
            velocity += left;
            drift += level(left, up);
        }
        if report.ground.is_some() {
            state.velocity = level(planes.project(velocity), up);
            (state.drift, state.ahead) = (Vector3::zeros(), beyond(&report, pace.way, pace.ahead));
        } else {
            let least_rise = self.settings.mover.walkable_rise();
            let kept = pace.kept;
            let fall = Fall {
                up,
                least_rise,
                kept,
            };
            state.velocity = fall.past(planes, velocity);
            (state.drift, state.ahead) = (level(planes.project(drift), up), 0.0);
        }
        self.meet_contacts(&before, velocity, &report);
        if self.happenings.is_watching() {
            self.happenings.lift(lifted(before.ground, &report, up));
        }
        self.note_contacts(state, velocity, &report);
        self.stand_on(state, report.ground, -velocity.dot(&up));
        if report.stepped > 0.0 && !state.stepping {
            let height = report.stepped;
            self.happenings.note(EventKind::Stepped { height });
        }
        state.stepping = report.stepped > 0.0 || waits && state.stepping;
        report.lacks_skin
    }

    /// Returns the kept part of the ground's velocity, in metres a second.
    fn velocity_left(&self, before: &State) -> Vector3<f32> {
        let Some(way) = carry(self.around.terrain, self.build, before, self.seconds) else {
            return Vector3::zeros();
        };
        let velocity = (way / self.seconds).map(|part| part.clamp(-MAX_SPEED, MAX_SPEED));
        match self.settings.leave_with {
            LeaveWith::Nothing => Vector3::zeros(),
            LeaveWith::Level => level(velocity, self.build.up),
            LeaveWith::All => velocity,
        }
    }

    /// Updates the ground, and notes landing and leaving.
    pub(super) fn stand_on(&mut self, state: &mut State, ground: Option<Ground>, speed: f32) {
        match (state.ground, ground) {
            (None, Some(ground)) => {
                let on = self.happenings.other(ground.feature, ground.object);
                self.happenings.note(EventKind::Landed { speed, on });
            }
            (Some(_), None) => self.happenings.note(EventKind::LeftGround),
            _ => {}
        }
        state.ground = ground;
    }

    /// Notes all contacts of a move of a watched character, except for terrain that was stepped
    /// over. The ground that bore the character takes nothing of its wish.
    fn meet_contacts(&mut self, before: &State, velocity: Vector3<f32>, report: &Report) {
        if !self.happenings.is_watching() {
            return;
        }
        for contact in &self.scratch.contacts {
            if report.stepped > 0.0 && contact.feature != Feature::Body {
                continue;
            }
            let bore = before.ground.is_some_and(|ground| {
                ground.object == contact.object && ground.normal == contact.face_normal
            });
            let speed = if bore {
                0.0
            } else {
                -velocity.dot(&contact.normal)
            };
            let base = before.position.cell;
            self.happenings.meet(base, *contact, speed);
        }
    }

    /// Notes the hardest contact that is neither ground nor stepped over, when a touch begins. A
    /// rim beside the ground's face is ground only where it bears: its side is a wall.
    fn note_contacts(&mut self, state: &mut State, velocity: Vector3<f32>, report: &Report) {
        if report.stopped_by == StoppedBy::Invalid {
            self.happenings.note(EventKind::MoveTakenBack);
        }
        let (up, least_rise) = (self.build.up, self.settings.mover.walkable_rise());
        let bears = |contact: &&Contact| {
            let of_ground = |ground: Ground| {
                let level_with = ground.normal == contact.face_normal;
                let is_wall =
                    ground.feature != contact.feature && contact.normal.dot(&up) < least_rise;
                level_with && !is_wall
            };
            let passed = report.stepped > 0.0 || report.ground.is_some_and(of_ground);
            contact.feature != Feature::Body && passed
        };
        let mut hardest: Option<(f32, Contact)> = None;
        for contact in self.scratch.contacts.iter().filter(|c| !bears(c)) {
            let speed = -velocity.dot(&contact.normal);
            if hardest.is_none_or(|(most, _)| speed > most) {
                hardest = Some((speed, *contact));
            }
        }
        let touched = hardest.is_some();
        if let Some((speed, contact)) = hardest
            && !state.touching
            && speed >= self.settings.hit_speed
        {
            let other = self.happenings.other(contact.feature, contact.object);
            self.happenings.note(EventKind::Hit {
                other,
                normal: contact.normal,
                speed,
                feature: contact.feature,
            });
        }
        state.touching = touched;
    }
}

/// Returns the height of a step or a snap of a walker along its up axis, in metres, beyond the rise
/// of the slope that it left and of the one it came to. In the air only a step counts.
fn lifted(before: Option<Ground>, report: &Report, up: Vector3<f32>) -> f32 {
    let (Some(before), Some(after)) = (before, report.ground) else {
        return report.stepped;
    };
    let rise = report.moved.dot(&up);
    let level = report.moved - up * rise;
    let along = |ground: Ground| {
        let steepness = ground.normal.dot(&up).max(PARALLEL);
        -level.dot(&ground.normal) / steepness
    };
    let (from, to) = (along(before), along(after));
    let height = rise - rise.clamp(from.min(to), from.max(to));
    if height.abs() > TOUCHING { height } else { 0.0 }
}

/// Returns the distance by which a walker is ahead of its wish after a tick: steps add to it, and
/// obstacles take from it.
fn beyond(report: &Report, way: Vector3<f32>, ahead: f32) -> f32 {
    if report.stepped == 0.0 && ahead == 0.0 {
        return 0.0;
    }
    let length = way.norm();
    let progress = report.moved.dot(&way) / length - length;
    // A way too short for a direction is no progress.
    if progress.is_finite() {
        (ahead + progress).clamp(0.0, LONGEST_STEP)
    } else {
        ahead
    }
}
