//! Measures the characters after each tick, and compares the values with the expectations.

use nalgebra::Vector3;

use super::depth::depth_in;
use super::ground::Stage;
use super::script::{Bound, EventName, Expectation, Fold, Measure, Script};
use collision::crowd::{CharacterId, ContactPhase, Crowd};
use collision::events::EventKind;
use collision::position::Position;
use collision::query::separate;

/// The number of kinds of events that are counted.
const EVENT_KINDS: usize = 12;

/// The runner's record of one character.
#[derive(Clone, Debug)]
pub(super) struct Subject {
    pub(super) id: CharacterId,
    pub(super) actor: usize,
    pub(super) start: Position,
    pub(super) before: Position,
    /// The place to which its platforms would have carried it.
    pub(super) carried: Position,
    counts: [u32; EVENT_KINDS],
}

impl Subject {
    pub(super) fn new(id: CharacterId, actor: usize, start: Position) -> Self {
        Self {
            id,
            actor,
            start,
            before: start,
            carried: start,
            counts: [0; EVENT_KINDS],
        }
    }

    pub(super) fn count(&mut self, kind: &EventKind) {
        let name = match kind {
            EventKind::Landed { .. } => EventName::Landed,
            EventKind::LeftGround => EventName::LeftGround,
            EventKind::Hit { .. } => EventName::Hit,
            EventKind::Stepped { .. } => EventName::Stepped,
            EventKind::Pushed { .. } => EventName::Pushed,
            EventKind::Crushed { .. } => EventName::Crushed,
            EventKind::Embedded => EventName::Embedded,
            EventKind::Rescued => EventName::Rescued,
            EventKind::EnteredLiquid | EventKind::Entered(_) => EventName::Entered,
            EventKind::LeftLiquid | EventKind::Left(_) => EventName::Exited,
            _ => return,
        };
        self.count_one(name);
    }

    pub(super) fn count_contact(&mut self, phase: ContactPhase) {
        match phase {
            ContactPhase::Began => self.count_one(EventName::Touched),
            ContactPhase::Ended => self.count_one(EventName::Parted),
            ContactPhase::Lasts => {}
        }
    }

    fn count_one(&mut self, name: EventName) {
        self.counts[name as usize] += 1;
    }
}

/// The inputs of a measurement.
pub(super) struct Scenery<'a> {
    pub(super) script: &'a Script,
    pub(super) stage: &'a Stage,
    pub(super) crowd: &'a Crowd,
    pub(super) subjects: &'a [Subject],
}

impl Scenery<'_> {
    /// Returns the value of a measure for a character now; NaN for one that was removed.
    pub(super) fn measure(&self, subject: &Subject, measure: Measure) -> f64 {
        let Some(position) = self.crowd.position(subject.id) else {
            return f64::NAN;
        };
        let up: Vector3<f64> = self
            .crowd
            .build(subject.id)
            .map_or(Vector3::y(), |build| build.up.cast());
        let across = |vector: Vector3<f64>| (vector - up * vector.dot(&up)).norm();
        let place = exact_since(
            &position,
            &Position::new(self.stage_origin(), Vector3::zeros()),
        );
        let velocity = exact_since(&position, &subject.before) * self.script.rate;
        match measure {
            Measure::X => place.x,
            Measure::Y => place.y,
            Measure::Z => place.z,
            Measure::VelocityX => velocity.x,
            Measure::VelocityY => velocity.y,
            Measure::VelocityZ => velocity.z,
            Measure::Speed => velocity.norm(),
            Measure::Pace => across(velocity),
            Measure::Travel => across(exact_since(&position, &subject.start)),
            Measure::Grounded => f64::from(u8::from(self.crowd.is_grounded(subject.id))),
            Measure::Upright => self
                .crowd
                .ground(subject.id)
                .map_or(0.0, |ground| ground.normal.cast::<f64>().dot(&up)),
            Measure::Depth => self
                .crowd
                .body(subject.id)
                .map_or(f64::NAN, |body| depth_in(self.stage, &body)),
            Measure::Inside if self.is_held(subject) => 0.0,
            Measure::Inside => self.measure(subject, Measure::Depth),
            Measure::Overlap => self.overlap(subject),
            Measure::Drift => exact_since(&position, &subject.carried).norm(),
            Measure::Height => self
                .crowd
                .body(subject.id)
                .map_or(f64::NAN, |body| f64::from(body.radii.along)),
            Measure::Touches => self.touches(subject) as f64,
            Measure::Lift => f64::from(self.crowd.lift_of(subject.id)),
            Measure::Count(name) => f64::from(subject.counts[name as usize]),
        }
    }

    fn touches(&self, subject: &Subject) -> usize {
        let contacts = self.crowd.contacts_of(subject.id).iter();
        contacts
            .filter(|contact| contact.phase != ContactPhase::Ended)
            .count()
    }

    fn is_held(&self, subject: &Subject) -> bool {
        let state = self.crowd.state(subject.id);
        state.is_some_and(|state| state.is_held())
    }

    fn stage_origin(&self) -> collision::position::Cell {
        self.stage.origin()
    }

    fn overlap(&self, subject: &Subject) -> f64 {
        let Some(body) = self.crowd.body(subject.id) else {
            return f64::NAN;
        };
        let others = self.subjects.iter().filter(|other| other.id != subject.id);
        let bodies = others.filter_map(|other| self.crowd.body(other.id));
        let near = bodies.filter(|other| {
            body.position.since(&other.position).amax()
                < body.radii.longest() + other.radii.longest()
        });
        near.map(|other| -f64::from(separate(&body, &other).distance))
            .fold(0.0, f64::max)
    }
}

/// Returns the displacement from one place to another, without rounding to `f32`.
pub(super) fn exact_since(to: &Position, from: &Position) -> Vector3<f64> {
    Vector3::from_fn(|axis, _| {
        let cells = to.cell[axis].wrapping_sub(from.cell[axis]);
        f64::from(cells) + (f64::from(to.offset[axis]) - f64::from(from.offset[axis]))
    })
}

/// The values of an expectation over one run.
pub(super) struct Watch<'a> {
    expectation: &'a Expectation,
    /// One for each character of the run; others than the actor's stay empty.
    folded: Vec<Folded>,
    fault: Option<String>,
}

#[derive(Clone, Copy)]
struct Folded {
    least: f64,
    most: f64,
    sum: f64,
    count: u32,
    changes: u32,
    last: f64,
}

impl Default for Folded {
    fn default() -> Self {
        Self {
            least: f64::INFINITY,
            most: f64::NEG_INFINITY,
            sum: 0.0,
            count: 0,
            changes: 0,
            last: f64::NAN,
        }
    }
}

impl Folded {
    fn add(&mut self, value: f64) {
        self.least = if value < self.least || value.is_nan() {
            value
        } else {
            self.least
        };
        self.most = if value > self.most || value.is_nan() {
            value
        } else {
            self.most
        };
        self.sum += value;
        self.changes += u32::from(self.count > 0 && value != self.last);
        self.count += 1;
        self.last = value;
    }

    fn result(&self, fold: Fold) -> f64 {
        match fold {
            Fold::Each => self.last,
            Fold::Spread => self.most - self.least,
            Fold::Sum => self.sum,
            Fold::Mean => self.sum / f64::from(self.count),
            Fold::Changes => f64::from(self.changes),
            Fold::Most => self.most,
            Fold::Least => self.least,
        }
    }
}

impl<'a> Watch<'a> {
    pub(super) fn new(expectation: &'a Expectation, subjects: usize) -> Self {
        Self {
            expectation,
            folded: vec![Folded::default(); subjects],
            fault: None,
        }
    }

    /// Measures the state after a tick.
    pub(super) fn look(&mut self, scenery: &Scenery<'_>, tick: u32) {
        if !self.expectation.ticks.contains(&tick) {
            return;
        }
        for (index, subject) in scenery.subjects.iter().enumerate() {
            if self
                .expectation
                .who
                .is_some_and(|actor| actor != subject.actor)
            {
                continue;
            }
            let value = scenery.measure(subject, self.expectation.measure);
            self.folded[index].add(value);
            if self.expectation.fold == Fold::Each && !self.expectation.bound.holds(value) {
                self.fail(index, &format!("at tick {tick}"), value);
            }
        }
    }

    fn fail(&mut self, subject: usize, when: &str, value: f64) {
        let Expectation { line, text, .. } = self.expectation;
        let fault =
            || format!("line {line}: `{text}` does not hold: {value} {when} (character {subject})");
        self.fault.get_or_insert_with(fault);
    }

    /// Returns the fault of the expectation, if it does not hold.
    pub(super) fn finish(mut self) -> Option<String> {
        if self.expectation.fold != Fold::Each {
            for index in 0..self.folded.len() {
                let folded = self.folded[index];
                let value = folded.result(self.expectation.fold);
                if folded.count > 0 && !self.expectation.bound.holds(value) {
                    self.fail(index, "over these ticks", value);
                }
            }
        }
        if self.folded.iter().all(|folded| folded.count == 0) {
            self.fail(0, "(no character was measured)", f64::NAN);
        }
        self.fault
    }
}

/// Returns the expectation with a bound that fails wherever the original one holds.
pub fn opposed(expectation: &Expectation) -> Expectation {
    let bound: Bound = expectation.bound.opposed();
    Expectation {
        bound,
        ..expectation.clone()
    }
}
