//! Collide and slide: sweep to the first contact, then go on along the planes of all contacts so
//! far, until the way is used up.

use crate::mover::course::{Course, Gait};
use crate::mover::probe::{Probe, Span, Stop, is_negligible};
use crate::mover::{Around, Body, Feature, Report, Scratch, StoppedBy};
use crate::position::Cell;
use crate::terrain::{Memory, Terrain};
use crate::tolerance::{MAX_MOTION, MAX_REACH, MAX_SWEEPS, VALID_DEPTH};
use nalgebra::Vector3;

/// Moves `body` by `displacement` metres and slides along all obstacles. The bare body never ends
/// deeper in them than it began.
pub fn slide<T: Terrain + ?Sized>(
    around: &Around<'_, T>,
    body: &mut Body,
    displacement: Vector3<f32>,
    memory: &mut Memory,
    scratch: &mut Scratch,
) -> Report {
    scratch.contacts.clear();
    let Some(displacement) = admissible(body, displacement) else {
        return Report::not_finite();
    };
    let mut probe = Probe::new(around, body, memory, scratch);
    let mut course = Course::new(Gait::Free, displacement, &probe.frame, around.config);
    probe.run(&mut course);
    probe.finish(body)
}

/// Moves `body` straight along a way, up to the first obstacle.
pub(crate) fn sink<T: Terrain + ?Sized>(
    around: &Around<'_, T>,
    body: &mut Body,
    way: Vector3<f32>,
    memory: &mut Memory,
    scratch: &mut Scratch,
) {
    let mut probe = Probe::new(around, body, memory, scratch);
    match probe.sweep(way) {
        Some(stop) => probe.advance(way, &stop),
        None => probe.at += way,
    }
    body.position = probe.position();
}

/// Returns the displacement, cut to the longest allowed; `None` when an input is not finite.
#[inline]
pub(crate) fn admissible(body: &Body, mut displacement: Vector3<f32>) -> Option<Vector3<f32>> {
    let mut square = displacement.norm_squared();
    if square == f32::INFINITY {
        // The square of a finite displacement can overflow. The quotient of an infinite one is NaN.
        displacement *= MAX_MOTION / displacement.amax();
        square = displacement.norm_squared();
    }
    let (offset, up, radii) = (&body.position.offset, &body.up, &body.radii);
    // A sum is finite only if all its parts are.
    let sum = square + (offset.x + offset.y + offset.z) + (up.x + up.y + up.z);
    let sound =
        (sum + radii.across + radii.along).is_finite() && radii.across > 0.0 && radii.along > 0.0;
    let cut = if square > MAX_MOTION * MAX_MOTION {
        displacement * (MAX_MOTION / square.sqrt())
    } else {
        displacement
    };
    sound.then_some(cut)
}

/// Returns the share of a motion that one sweep can cover.
#[inline]
fn part_in_reach(motion: Vector3<f32>) -> f32 {
    if motion.norm_squared() <= MAX_REACH * MAX_REACH {
        return 1.0;
    }
    (MAX_REACH / motion.norm()).min(1.0)
}

/// The first wall on the way of a walker.
#[derive(Clone, Copy)]
pub(crate) struct Wall {
    /// Centre of the body at the contact.
    pub(crate) at: Vector3<f32>,
    /// Share of the wish that was left there.
    pub(crate) share: f32,
    /// Lowest known top of all walls met, along the up axis; minus infinity if one is unknown.
    pub(crate) top: f32,
    /// Like `top`, with unknown tops replaced by those of the triangles met: the height a step may
    /// need.
    pub(crate) crest: f32,
    /// Unit world normal of the contact with the first wall.
    pub(crate) normal: Vector3<f32>,
    /// True if all walls met have the normal of the first.
    pub(crate) is_alone: bool,
}

/// The outcome of a course.
#[derive(Default)]
pub(crate) struct Outcome {
    pub(crate) wall: Option<Wall>,
    /// The last contact.
    pub(crate) last: Option<Stop>,
    /// Share of the wish that was left when a fall ended on ground that bears the body.
    pub(crate) landed: Option<f32>,
}

impl<T: Terrain + ?Sized> Probe<'_, '_, T> {
    /// Follows a course to its end.
    pub(crate) fn run(&mut self, course: &mut Course<'_>) -> Outcome {
        let mut outcome = Outcome::default();
        let (from, from_base) = (self.at, self.base);
        let mut share = 1.0_f32;
        let mut stops = 0;
        self.report.stopped_by = StoppedBy::Nothing;
        while share > 0.0 {
            let motion = course.way() * share;
            if is_negligible(motion) {
                if stops > 0 {
                    self.report.stopped_by = StoppedBy::Blocked;
                }
                break;
            }
            let part = part_in_reach(motion);
            let motion = motion * part;
            let Some(mut stop) = self.sweep(motion) else {
                self.at += motion;
                share *= 1.0 - part;
                continue;
            };
            self.advance(motion, &stop);
            self.measure_tops(&mut stop, course, from_base);
            share *= 1.0 - part * stop.time;
            self.record(&stop);
            self.note_wall(course, &stop, share, &mut outcome);
            stops += 1;
            let landed = course.lands() && self.bears(&stop, self.around.config.landing());
            let is_last = landed || stops >= MAX_SWEEPS || !course.meet(&stop);
            self.report.stopped_by = if is_last && !landed {
                StoppedBy::SweepLimit
            } else {
                StoppedBy::Slid
            };
            outcome.landed = landed.then_some(share);
            outcome.last = Some(stop);
            if is_last {
                break;
            }
        }
        self.report.planes = course.clipping();
        if stops > 0 {
            self.validate(from, from_base);
        }
        outcome
    }

    /// Measures the tops of a stop from the base of the course's start. Under a limit of height a
    /// round edge of unknown top is as high as the point touched.
    fn measure_tops(&self, stop: &mut Stop, course: &Course<'_>, from_base: Cell) {
        if course.highest.is_finite() {
            stop.detail.top = self.height_of(stop);
        }
        if self.base != from_base {
            let moved = self.above(from_base);
            stop.detail.top = stop.detail.top.map(|top| top + moved);
            stop.detail.crest = stop.detail.crest.map(|crest| crest + moved);
        }
    }

    fn note_wall(&self, course: &Course<'_>, stop: &Stop, share: f32, outcome: &mut Outcome) {
        if course.is_walkable(stop) || stop.detail.feature == Feature::Body {
            return;
        }
        let top = stop.detail.top.unwrap_or(f32::NEG_INFINITY);
        let crest = stop.detail.top.or(stop.detail.crest).unwrap_or(top);
        match &mut outcome.wall {
            Some(wall) => {
                wall.top = wall.top.min(top);
                wall.crest = wall.crest.min(crest);
                wall.is_alone &= stop.normal == wall.normal;
            }
            None => {
                outcome.wall = Some(Wall {
                    at: self.at,
                    share,
                    top,
                    crest,
                    normal: stop.normal,
                    is_alone: true,
                });
            }
        }
    }

    /// Takes the move back if it ended deeper than allowed, and deeper than it began. In the
    /// squashed space the skin is thinner along the up axis than across it, so a body that slides
    /// on as deep in its skin as it began may push its bare body into terrain; a second test checks
    /// the bare body. With a listener, ignored solids may be anywhere in reach: then only the bare
    /// body counts against terrain, and the listener judges each overlap.
    fn validate(&mut self, from: Vector3<f32>, from_base: Cell) {
        let depth = self.depth(self.at, VALID_DEPTH);
        if depth <= VALID_DEPTH {
            return;
        }
        let (at, base) = (self.at, self.base);
        let point = self.frame.squashed(at);
        let in_skin = self.candidates.depth_in_terrain(point, VALID_DEPTH) > VALID_DEPTH;
        let listened = self.around.listener.is_some();
        let depth = if listened {
            self.depth_in_others(at, VALID_DEPTH)
        } else {
            depth
        };
        self.put(from_base, from);
        let known = base == from_base;
        if !known {
            self.uncover();
        }
        self.cover(Span::along(from, Vector3::zeros()), Vector3::zeros());
        let before = if listened {
            self.depth_in_others(from, 0.0)
        } else {
            self.depth(from, f32::NEG_INFINITY)
        };
        let good = depth <= before + VALID_DEPTH;
        if !known {
            self.uncover();
        }
        let good = good && (!in_skin || self.is_free(base, at) || !self.is_free(from_base, from));
        if good {
            self.put(base, at);
            self.report.lacks_skin = in_skin;
        } else {
            self.report.stopped_by = StoppedBy::Invalid;
        }
    }

    /// Moves the body to the end of the move and returns the report.
    pub(crate) fn finish(&mut self, body: &mut Body) -> Report {
        let position = self.position();
        self.report.moved = position.since(&body.position);
        body.position = position;
        self.report
    }
}
