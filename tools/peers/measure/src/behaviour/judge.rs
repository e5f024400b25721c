//! Judges a peer by the expectations of a scene, with tolerances for another body and another skin.
//!
//! Differences to the judgement of ours: the first ticks are ignored, since a library may need to
//! find its ground first; lengths may be off by five centimetres plus a thousandth, speeds by five
//! per cent plus ten centimetres a second; measures that only ours has (events, normals, overlaps)
//! are skipped.

use super::solids::Stage;
use super::suits::can_be_measured;
use crate::peer::Body;
use crate::walk::INSIDE;
use collision_scenes::script::{Bound, Expectation, Fold, Measure, Script};
use nalgebra::{Point3, Vector3};

const GRACE: u32 = 10;
/// Tolerance of lengths, in metres.
const LENGTH_OFF: f64 = 0.05;
/// Tolerance as a fraction of a speed, and of at least two metres a second.
const SPEED_OFF: f64 = 0.05;

/// The observed state of a character after a tick.
pub struct Seen {
    pub center: [f32; 3],
    pub grounded: bool,
}

pub struct Judge<'a> {
    rate: f64,
    watched: Vec<Watched<'a>>,
    people: Vec<Person>,
}

struct Person {
    actor: usize,
    start: Point3<f64>,
    before: Point3<f64>,
}

/// An expectation and the folded values of each character.
struct Watched<'a> {
    wanted: &'a Expectation,
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

impl<'a> Judge<'a> {
    /// Characters are identified by their actor and their start.
    pub fn new(script: &'a Script, people: impl Iterator<Item = (usize, Point3<f64>)>) -> Self {
        let person = |(actor, start)| Person {
            actor,
            start,
            before: start,
        };
        let people: Vec<Person> = people.map(person).collect();
        let nothing = Folded {
            least: f64::INFINITY,
            most: f64::NEG_INFINITY,
            sum: 0.0,
            count: 0,
            changes: 0,
            last: f64::NAN,
        };
        let can = |wanted: &&Expectation| can_be_measured(wanted.measure);
        let watched = script
            .expectations
            .iter()
            .filter(can)
            .map(|wanted| Watched {
                wanted,
                folded: vec![nothing; people.len()],
                fault: None,
            });
        Self {
            rate: script.rate,
            watched: watched.collect(),
            people,
        }
    }

    pub fn look(&mut self, stage: &Stage, body: Body, tick: u32, seen: impl Fn(usize) -> Seen) {
        for (index, person) in self.people.iter_mut().enumerate() {
            let Seen { center, grounded } = seen(index);
            let place = stage.place(center);
            let start = person.start;
            let velocity = (place - person.before) * self.rate;
            person.before = place;
            for watched in &mut self.watched {
                let wanted = watched.wanted;
                let mine = wanted.who.is_none_or(|who| who == person.actor);
                let summed = matches!(wanted.fold, Fold::Spread | Fold::Sum);
                if mine && (summed || tick >= GRACE) && wanted.ticks.contains(&tick) {
                    let value = match wanted.measure {
                        Measure::Grounded => f64::from(u8::from(grounded)),
                        Measure::Depth => stage.depth(body, place),
                        measure => of_motion(measure, place, start, velocity),
                    };
                    watched.take(index, tick, value);
                }
            }
        }
    }

    /// Returns the first expectation that does not hold, if any.
    pub fn verdict(self) -> Option<String> {
        self.watched.into_iter().find_map(Watched::verdict)
    }
}

fn of_motion(
    measure: Measure,
    place: Point3<f64>,
    start: Point3<f64>,
    velocity: Vector3<f64>,
) -> f64 {
    let across = |vector: Vector3<f64>| vector.x.hypot(vector.z);
    match measure {
        Measure::X => place.x,
        Measure::Y => place.y,
        Measure::Z => place.z,
        Measure::VelocityX => velocity.x,
        Measure::VelocityY => velocity.y,
        Measure::VelocityZ => velocity.z,
        Measure::Speed => velocity.norm(),
        Measure::Pace => across(velocity),
        Measure::Travel => across(place - start),
        _ => f64::NAN,
    }
}

impl Watched<'_> {
    fn take(&mut self, person: usize, tick: u32, value: f64) {
        let folded = &mut self.folded[person];
        folded.least = folded.least.min(value);
        folded.most = folded.most.max(value);
        folded.sum += value;
        folded.changes += u32::from(folded.count > 0 && value != folded.last);
        folded.count += 1;
        folded.last = value;
        if self.wanted.fold == Fold::Each && !self.holds(value) {
            let text = &self.wanted.text;
            self.fault
                .get_or_insert_with(|| format!("`{text}` was {value:.4} at tick {tick}"));
        }
    }

    fn holds(&self, value: f64) -> bool {
        let wanted = self.wanted;
        let limit = match wanted.bound {
            Bound::Is { value, .. } | Bound::AtMost(value) | Bound::AtLeast(value) => value,
        };
        let off = match (wanted.fold, wanted.measure) {
            (Fold::Changes, _) | (_, Measure::Grounded) => 0.0,
            (_, Measure::Depth) => INSIDE,
            (_, Measure::X | Measure::Y | Measure::Z | Measure::Travel) => {
                LENGTH_OFF.max(limit.abs() * 1e-3)
            }
            _ => SPEED_OFF * limit.abs().max(2.0),
        };
        match wanted.bound {
            Bound::Is { value: is, within } => (value - is).abs() <= within + off,
            Bound::AtMost(most) => value <= most + off,
            Bound::AtLeast(least) => value >= least - off,
        }
    }

    fn verdict(mut self) -> Option<String> {
        let fold = self.wanted.fold;
        for folded in self.folded.clone() {
            let value = match fold {
                Fold::Each => continue,
                Fold::Spread => folded.most - folded.least,
                Fold::Sum => folded.sum,
                Fold::Mean => folded.sum / f64::from(folded.count),
                Fold::Changes => f64::from(folded.changes),
                Fold::Most => folded.most,
                Fold::Least => folded.least,
            };
            if folded.count > 0 && !self.holds(value) {
                let text = &self.wanted.text;
                self.fault
                    .get_or_insert_with(|| format!("`{text}` was {value:.4}"));
            }
        }
        self.fault
    }
}
