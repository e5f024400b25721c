//! A move under way: the place of the body, the features in reach, and the sweeps.

use crate::around::Tracing;
use crate::candidates::{Candidates, Detail, Hit};
use crate::mover::{
    Around, Body, Contact, ContactResponse, Feature, Frame, Ground, Queried, Report, Scratch,
};
use crate::position::{Cell, Position, between};
use crate::recovery::is_free;
use crate::terrain::{Memory, Reach, SolidBox, Terrain};
use crate::tolerance::{EXACT, REACH_MARGIN, SHORTEST_MOTION, TOUCHING};
use nalgebra::Vector3;

/// Gathers for motions up to this long, in metres, extend in all directions: slides then need no
/// second gather.
pub(crate) const SPREAD: f32 = 0.5;

/// Length by which a sweep may leave the gathered box, in metres: a body put onto a plane does.
const ROUNDING: f32 = 0.5 * REACH_MARGIN;

/// Distance from the base cell, in metres, beyond which the base moves along.
const REBASE: f32 = 8.0;

/// A moving body.
pub(crate) struct Probe<'a, 'b, T: ?Sized> {
    pub(crate) around: &'a Around<'b, T>,
    pub(crate) frame: Frame,
    /// The cell that local lengths are measured from.
    pub(crate) base: Cell,
    /// Centre of the body.
    pub(crate) at: Vector3<f32>,
    pub(crate) candidates: &'a mut Candidates,
    pub(crate) contacts: &'a mut Vec<Contact>,
    nearby: &'a mut Vec<SolidBox>,
    pub(crate) queried: &'a mut Queried,
    tracing: &'a mut Tracing,
    body: Body,
    pub(crate) report: Report,
    pub(crate) memory: &'a mut Memory,
    /// True if the way is likely to turn aside: the first gather then extends in all directions.
    pub(crate) turns: bool,
    /// True if the next step waits until the wish has caught up with the last.
    pub(crate) waits: bool,
    /// The sweep down to ground at the end of a walk, included in every gather.
    pub(crate) snap: Vector3<f32>,
    /// The depth of that sweep, in metres.
    pub(crate) snap_depth: f32,
    /// Highest step the body climbs.
    pub(crate) step_height: f32,
    covered: Option<Span>,
}

/// A box of places of the body's centre.
#[derive(Clone, Copy)]
pub(crate) struct Span {
    pub(crate) min: Vector3<f32>,
    pub(crate) max: Vector3<f32>,
}

impl Span {
    /// Returns the box around a straight way.
    #[inline]
    pub(crate) fn along(start: Vector3<f32>, motion: Vector3<f32>) -> Self {
        let end = start + motion;
        Self {
            min: start.inf(&end),
            max: start.sup(&end),
        }
    }

    /// Returns the box around this one and a way.
    #[inline]
    pub(crate) fn and(self, start: Vector3<f32>, motion: Vector3<f32>) -> Self {
        let other = Self::along(start, motion);
        Self {
            min: self.min.inf(&other.min),
            max: self.max.sup(&other.max),
        }
    }

    /// Returns the box around this one and itself moved by a way.
    pub(crate) fn swept(self, way: Vector3<f32>) -> Self {
        Self {
            min: self.min.inf(&(self.min + way)),
            max: self.max.sup(&(self.max + way)),
        }
    }

    /// Returns the box around this one and the ways of a step.
    pub(crate) fn and_step(
        self,
        at: Vector3<f32>,
        rise: Vector3<f32>,
        forward: Vector3<f32>,
        aside: Vector3<f32>,
    ) -> Self {
        let step = Self::along(at, rise).and(at + rise, forward).grown(aside);
        step.and(at, forward).and(self.min, self.max - self.min)
    }

    #[inline]
    pub(crate) fn grown(self, by: Vector3<f32>) -> Self {
        Self {
            min: self.min - by,
            max: self.max + by,
        }
    }

    /// Returns whether the other is inside, but for rounding within the margin of a reach.
    #[inline]
    pub(crate) fn holds(&self, other: &Self) -> bool {
        let inside = |i: usize| {
            self.min[i] <= other.min[i] + ROUNDING && other.max[i] <= self.max[i] + ROUNDING
        };
        inside(0) & inside(1) & inside(2)
    }
}

/// The state of a move before a trial.
pub(crate) struct Mark {
    base: Cell,
    at: Vector3<f32>,
    contacts: usize,
    report: Report,
}

/// Returns the direction of a vector of any length; `None` for zero.
#[cold]
fn unit(vector: Vector3<f32>) -> Option<Vector3<f32>> {
    let most = vector.amax();
    let has_length = most > 0.0 && vector.iter().all(|part| part.is_finite());
    has_length.then(|| (vector / most).normalize())
}

/// Returns whether a motion is too short to be swept.
#[inline]
pub(crate) fn is_negligible(motion: Vector3<f32>) -> bool {
    motion.norm_squared() < SHORTEST_MOTION * SHORTEST_MOTION
}

/// A hit that counts.
pub(crate) struct Stop {
    /// Share of the motion before the hit.
    pub(crate) time: f32,
    /// Unit world normal of the contact, after the listener.
    pub(crate) normal: Vector3<f32>,
    /// Rise of the normal in the squashed space: 1 below the centre, 0 at its side.
    pub(crate) rise: f32,
    pub(crate) detail: Detail,
}

impl<'a, 'b, T: Terrain + ?Sized> Probe<'a, 'b, T> {
    pub(crate) fn new(
        around: &'a Around<'b, T>,
        body: &Body,
        memory: &'a mut Memory,
        scratch: &'a mut Scratch,
    ) -> Self {
        scratch.contacts.clear();
        Self {
            around,
            frame: Frame::of(body, around.config.skin),
            base: body.position.cell,
            at: body.position.offset,
            candidates: &mut scratch.candidates,
            contacts: &mut scratch.contacts,
            nearby: &mut scratch.nearby,
            queried: &mut scratch.queried,
            tracing: &mut scratch.tracing,
            body: *body,
            report: Report::default(),
            memory,
            turns: false,
            waits: false,
            snap: Vector3::zeros(),
            snap_depth: 0.0,
            step_height: around.config.step_height,
            covered: None,
        }
    }

    /// Forgets the gathered box.
    pub(crate) fn uncover(&mut self) {
        self.covered = None;
    }

    /// Returns the present place of the body.
    pub(crate) fn position(&self) -> Position {
        Position::from_local(self.base, self.at)
    }

    /// Gathers, unless known, all that a body with its centre in `span` can touch.
    pub(crate) fn cover(&mut self, span: Span, motion: Vector3<f32>) {
        if !self.covers(span) {
            self.gather(span, motion);
        }
    }

    /// Returns whether all that can be touched in `span` is known.
    pub(crate) fn covers(&self, span: Span) -> bool {
        self.covered.is_some_and(|covered| covered.holds(&span))
            && !self
                .candidates
                .cut_off(|plane| plane.cuts(&span.min, &span.max, &self.frame.half))
    }

    fn gather(&mut self, span: Span, motion: Vector3<f32>) {
        let reach = self.reach(span, motion);
        self.queried.note(reach.base, reach.min, reach.max);
        self.candidates.begin_within(&self.frame, &reach);
        self.around
            .terrain
            .gather(&reach, self.memory, self.candidates);
        for (other, centre) in self.around.others_within(&reach) {
            let skin = self.around.config.skin;
            self.candidates.push_neighbour(other, centre, skin);
        }
        self.tracing.note(&reach, self.candidates);
        self.covered = Some(span);
        self.report.gathers += 1;
    }

    fn reach(&self, span: Span, motion: Vector3<f32>) -> Reach {
        let reach = span.grown(self.frame.half + Vector3::repeat(REACH_MARGIN));
        Reach {
            base: self.base,
            start: self.at,
            motion,
            min: reach.min,
            max: reach.max,
            half: self.frame.inset(),
        }
    }

    /// Sweeps the body along `motion` without moving it, through all that the listener ignores.
    pub(crate) fn sweep(&mut self, motion: Vector3<f32>) -> Option<Stop> {
        self.prepare(motion);
        loop {
            let hit = self.raw_sweep(motion)?;
            if let Some(stop) = self.judge(&hit, motion) {
                return Some(stop);
            }
            self.candidates.ignore(hit.which);
        }
    }

    fn prepare(&mut self, motion: Vector3<f32>) {
        self.rebase();
        let span = Span::along(self.at, motion);
        if self.covers(span) {
            return;
        }
        let spread = self.spread(motion.norm());
        let span = span.grown(Vector3::repeat(spread));
        self.gather(span.and(self.at, self.snap), motion);
    }

    /// Returns how far beyond a way of this length to gather, in metres.
    pub(crate) fn spread(&self, length: f32) -> f32 {
        if length <= SPREAD && (self.turns || self.covered.is_some()) {
            length
        } else {
            0.0
        }
    }

    pub(crate) fn raw_sweep(&mut self, motion: Vector3<f32>) -> Option<Hit> {
        self.report.sweeps += 1;
        let (start, motion) = (self.frame.squashed(self.at), self.frame.squashed(motion));
        self.candidates.sweep(start, motion)
    }

    /// Moves the base cell near the body, so that lengths stay short.
    fn rebase(&mut self) {
        if self.at.amax() < REBASE {
            return;
        }
        let position = self.position();
        self.put(position.cell, position.offset);
    }

    /// Puts the body at a place measured from a base.
    pub(crate) fn put(&mut self, base: Cell, at: Vector3<f32>) {
        if base != self.base {
            self.base = base;
            self.uncover();
        }
        self.at = at;
    }

    /// Returns the place of the body measured from another base.
    pub(crate) fn seen_from(&self, base: Cell) -> Vector3<f32> {
        self.at + between(base, self.base)
    }

    /// Returns how much higher along the up axis the base is than another, in metres.
    pub(crate) fn above(&self, base: Cell) -> f32 {
        self.frame.up.dot(&between(base, self.base))
    }

    /// Records the state before a trial.
    pub(crate) fn mark(&self) -> Mark {
        Mark {
            base: self.base,
            at: self.at,
            contacts: self.contacts.len(),
            report: self.report,
        }
    }

    /// Undoes a trial; its cost stays in the report.
    pub(crate) fn go_back(&mut self, mark: &Mark) {
        self.contacts.truncate(mark.contacts);
        self.put(mark.base, mark.at);
        self.report = Report {
            sweeps: self.report.sweeps,
            gathers: self.report.gathers,
            ..mark.report
        };
    }

    /// Turns a hit into a stop, unless the listener ignores it.
    pub(crate) fn judge(&self, hit: &Hit, motion: Vector3<f32>) -> Option<Stop> {
        let detail = self.candidates.detail(hit);
        let mut normal = match detail.plane {
            Some(_) => hit.normal,
            None => self.frame.world_normal(hit.normal),
        };
        if let Some(listener) = self.around.listener {
            let contact = self.contact(&detail, normal, self.at + motion * hit.time);
            match listener.contact(&contact) {
                ContactResponse::Keep => {}
                ContactResponse::Ignore => return None,
                ContactResponse::Turn(turned) => normal = unit(turned).unwrap_or(normal),
            }
        }
        Some(Stop {
            time: hit.time,
            normal,
            rise: hit.normal.dot(&self.frame.up),
            detail,
        })
    }

    pub(crate) fn contact(
        &self,
        detail: &Detail,
        normal: Vector3<f32>,
        centre: Vector3<f32>,
    ) -> Contact {
        Contact {
            normal,
            face_normal: detail.face_normal,
            point: self.frame.touching_point(centre, normal)
                + between(self.body.position.cell, self.base),
            feature: detail.feature,
            object: detail.object,
        }
    }

    /// Moves the body to a stop of a sweep along `motion`, exactly onto a plane of the grid.
    pub(crate) fn advance(&mut self, motion: Vector3<f32>, stop: &Stop) {
        self.at += motion * stop.time;
        if let (Some(plane), Some(_)) = (stop.detail.plane, self.frame.up_axis) {
            let exact = plane.at + plane.sign * self.frame.half[plane.axis];
            if (self.at[plane.axis] - exact).abs() <= EXACT {
                self.at[plane.axis] = exact;
            }
        }
    }

    /// Records a contact at the present place.
    pub(crate) fn record(&mut self, stop: &Stop) {
        let contact = self.contact(&stop.detail, stop.normal, self.at);
        self.contacts.push(contact);
    }

    /// Returns the height of a contact along the up axis from the base: its top, or the point
    /// touched on a round edge of unknown top.
    pub(crate) fn height_of(&self, stop: &Stop) -> Option<f32> {
        let is_round = matches!(stop.detail.feature, Feature::Edge | Feature::Corner);
        let touched = || self.frame.touching_point(self.at, stop.normal);
        let top = stop.detail.top;
        top.or_else(|| is_round.then(|| self.frame.up.dot(&touched())))
    }

    /// Returns whether a body can stand on a contact below it: walkable, and not too far out.
    pub(crate) fn bears(&self, stop: &Stop, ledge: f32) -> bool {
        stop.detail.face_normal.dot(&self.frame.up) >= self.least_rise()
            && stop.rise >= (1.0 - ledge * ledge).max(0.0).sqrt()
    }

    /// Returns the ledge for a way along `level`: larger for a body that comes in over an edge than
    /// for one that leaves or stays.
    pub(crate) fn ledge(&self, stop: &Stop, level: Vector3<f32>) -> f32 {
        let config = self.around.config;
        if stop.normal.dot(&level) < -SHORTEST_MOTION {
            config.farthest_out()
        } else {
            config.ledge
        }
    }

    /// Returns the cosine of the slope limit.
    pub(crate) fn least_rise(&self) -> f32 {
        self.around.config.walkable_rise()
    }

    /// Returns the ground at a stop.
    pub(crate) fn ground(stop: &Stop) -> Ground {
        Ground {
            normal: stop.detail.face_normal,
            object: stop.detail.object,
            feature: stop.detail.feature,
        }
    }

    /// Returns the ground that bears the body best, among all contacts of a way down within
    /// rounding of the first.
    pub(crate) fn bearing_near(
        &self,
        motion: Vector3<f32>,
        first: &Stop,
        level: Vector3<f32>,
    ) -> Option<Ground> {
        let (start, squashed) = (self.frame.squashed(self.at), self.frame.squashed(motion));
        let limit = first.time + TOUCHING / motion.norm();
        let mut best: Option<(f32, Ground)> = None;
        self.candidates.each_hit(start, squashed, limit, |hit| {
            let Some(stop) = self.judge(hit, motion) else {
                return;
            };
            let ground = Self::ground(&stop);
            let better = best.is_none_or(|(rise, other)| {
                stop.rise > rise || (stop.rise == rise && comes_first(&ground, &other))
            });
            if better && self.bears(&stop, self.ledge(&stop, level)) {
                best = Some((stop.rise, ground));
            }
        });
        best.map(|(_, ground)| ground)
    }

    /// Returns the highest known top, lower than a limit, among all that would bear the body on a
    /// way down from its place, along the up axis from the base.
    pub(crate) fn top_below(&self, down: Vector3<f32>, limit: f32) -> Option<f32> {
        let (start, squashed) = (self.frame.squashed(self.at), self.frame.squashed(down));
        let farthest = self.around.config.farthest_out();
        let mut highest: Option<f32> = None;
        self.candidates.each_hit(start, squashed, 1.0, |hit| {
            if let Some(stop) = self.judge(hit, down)
                && let Some(top) = stop.detail.top.filter(|&top| top < limit)
                && self.bears(&stop, farthest)
            {
                highest = Some(highest.map_or(top, |highest| highest.max(top)));
            }
        });
        highest
    }

    /// Returns whether the bare body is free of terrain at a place. Forgets the gathered box.
    pub(crate) fn is_free(&mut self, base: Cell, at: Vector3<f32>) -> bool {
        self.uncover();
        let body = Body {
            position: Position::from_local(base, at),
            ..self.body
        };
        is_free(self.around, &body, self.candidates, self.nearby)
    }

    /// Returns how deep the body is in its surroundings at a place, in metres, or `least` if no
    /// deeper.
    pub(crate) fn depth(&self, at: Vector3<f32>, least: f32) -> f32 {
        self.candidates.depth(self.frame.squashed(at), least)
    }

    /// Returns how deep the body is in neighbours alone, or `least`.
    pub(crate) fn depth_in_others(&self, at: Vector3<f32>, least: f32) -> f32 {
        let point = self.frame.squashed(at);
        self.candidates.depth_in_others(point, least)
    }
}

/// Returns whether `a` comes first of two grounds that bear a body equally, in any order of search.
fn comes_first(a: &Ground, b: &Ground) -> bool {
    let bits = |normal: Vector3<f32>| <[f32; 3]>::from(normal).map(f32::to_bits);
    let key = |ground: &Ground| (ground.object, ground.feature, bits(ground.normal));
    key(a) < key(b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terrain::ObjectId;

    #[test]
    fn of_two_grounds_one_comes_first_in_either_order() {
        let ground = |object: u32, feature: Feature, normal: [f32; 3]| Ground {
            object: ObjectId(object),
            feature,
            normal: normal.into(),
        };
        let all = [
            ground(1, Feature::Face, [0.0, 1.0, 0.0]),
            ground(1, Feature::Edge, [0.0, 0.8, 0.6]),
            ground(1, Feature::Edge, [0.6, 0.8, 0.0]),
            ground(1, Feature::Corner, [0.0, 1.0, 0.0]),
            ground(2, Feature::Face, [0.0, 1.0, 0.0]),
        ];
        for (i, a) in all.iter().enumerate() {
            for (j, b) in all.iter().enumerate() {
                assert_eq!(comes_first(a, b), i < j, "{a:?} {b:?}");
            }
        }
    }
}
