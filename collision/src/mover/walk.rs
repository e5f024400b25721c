//! Walking: slide along the ground, climb steps, follow ground that drops away, stop at steep
//! faces.

use crate::mover::course::{Course, Gait};
use crate::mover::glide::glide;
use crate::mover::probe::{Probe, SPREAD, Span, Stop};
use crate::mover::slide::{Wall, admissible};
use crate::mover::{Around, Body, Feature, Ground, PlaneSet, Report, Scratch, StoppedBy};
use crate::position::{Cell, Position};
use crate::terrain::{Memory, Terrain};
use crate::tolerance::{
    EXACT, LEAD_ASIDE, MAX_REACH, MOST_BESIDE, PARALLEL, RIM_DROP, SHORTEST_MOTION, TOUCHING,
    UPRIGHT,
};
use nalgebra::Vector3;

/// Moves `body` by `displacement` metres on its feet. `ground` is the ground before the move:
/// `None` in a fall or a jump. In the air a body neither snaps to ground nor climbs steps, except
/// for an [`air_step`](crate::MoverConfig::air_step) while it does not rise. On the ground only the
/// level part of the displacement counts; its length is kept along walkable slopes.
pub fn walk<T: Terrain + ?Sized>(
    around: &Around<'_, T>,
    body: &mut Body,
    displacement: Vector3<f32>,
    ground: Option<Ground>,
    memory: &mut Memory,
    scratch: &mut Scratch,
) -> Report {
    scratch.contacts.clear();
    let Some(displacement) = admissible(body, displacement) else {
        return Report::not_finite();
    };
    if let Some(glided) = glide(around, body, displacement, ground, memory) {
        let moved = glided.position.since(&body.position);
        body.position = glided.position;
        return Report {
            moved,
            ground: glided.ground,
            ..Report::default()
        };
    }
    let before = Before {
        ground,
        ..Before::default()
    };
    walk_closely(around, body, displacement, before, memory, scratch)
}

/// State of a walker from its last tick. It is likely to repeat, so the first gather covers its
/// needs.
#[derive(Clone, Copy, Default)]
pub(crate) struct Before {
    /// The ground under it.
    pub(crate) ground: Option<Ground>,
    /// The level part of a way through the air without steering.
    pub(crate) kept: Vector3<f32>,
    /// True if it pressed against something, and may be turned aside.
    pub(crate) touching: bool,
    /// True if it was climbing a step.
    pub(crate) stepping: bool,
    /// True if it is ahead of its wish after a step, and takes none until the wish has caught up.
    pub(crate) waits: bool,
}

/// Walks as [`walk`] does, without trying to [`glide`] first.
pub(crate) fn walk_closely<T: Terrain + ?Sized>(
    around: &Around<'_, T>,
    body: &mut Body,
    displacement: Vector3<f32>,
    before: Before,
    memory: &mut Memory,
    scratch: &mut Scratch,
) -> Report {
    scratch.contacts.clear();
    let Some(displacement) = admissible(body, displacement) else {
        return Report::not_finite();
    };
    let mut probe = Probe::new(around, body, memory, scratch);
    probe.turns = before.touching || !around.others.is_empty();
    match before.ground {
        Some(ground) => {
            probe.waits = before.waits;
            // A body that pressed against something is likely to try a step.
            let may_step = before.stepping || before.touching;
            probe.walk_on(ground, displacement, may_step, around.config.snap);
        }
        None => probe.fall(displacement, before.kept),
    }
    probe.finish(body)
}

/// The limits of a step: heights along the up axis, from a base.
struct Rung {
    base: Cell,
    /// Lowest point of the body before the step.
    feet: f32,
    /// Lowest known top of the walls met; minus infinity if one is unknown.
    wall: f32,
    /// Highest end of the step.
    top: f32,
    /// True if something leaned over the way forward.
    under: bool,
    /// The box of places that the step may lead to.
    span: Span,
}

/// The end of a step's way down.
enum Landing {
    /// On ground that bears the body.
    Borne,
    /// On something that does not bear or is too high, with its level direction out.
    OnRim(Vector3<f32>),
    /// On nothing to stand on.
    Nowhere,
}

impl<T: Terrain + ?Sized> Probe<'_, '_, T> {
    /// Walks one tick on the ground.
    fn walk_on(&mut self, ground: Ground, displacement: Vector3<f32>, may_step: bool, snap: f32) {
        let up = self.frame.up;
        let level = displacement - up * up.dot(&displacement);
        (self.snap, self.snap_depth) = (up * -snap.max(TOUCHING), snap);
        let length = level.norm();
        let aside = up.map(|part| self.spread(length) * (1.0 - part.abs()));
        let flat = Span::along(self.at, level).grown(aside);
        self.cover(self.span_of_stride(&ground, level, flat, may_step), level);
        let upright = ground.normal == up || ground.feature == Feature::Body;
        if length < SHORTEST_MOTION {
            // The way is too short to be swept.
        } else if upright && length <= MAX_REACH && self.candidates.only_level_faces() {
            // Only floors and ceilings are in reach: a level motion cannot hit them.
            self.at += level;
        } else {
            self.stride(ground, level);
        }
        // A step already found its ground.
        if self.report.stepped == 0.0 {
            self.report.ground = self.settle(level);
        }
    }

    /// Returns the box that a stride is likely to need: `flat` on the level, the ground below it,
    /// and the rise over slopes and over a step where one may follow.
    fn span_of_stride(
        &self,
        ground: &Ground,
        level: Vector3<f32>,
        flat: Span,
        may_step: bool,
    ) -> Span {
        let (length, up) = (level.norm(), self.frame.up);
        // A body on a slope or on a round edge is likely to go up or down with it.
        let is_level = ground.feature == Feature::Face && ground.normal == up;
        let rise = up * if is_level { 0.0 } else { length };
        let span = flat.swept(self.snap - rise).and(self.at, rise);
        if may_step && (SHORTEST_MOTION..=SPREAD).contains(&length) {
            let ahead = level * (1.0 + self.advance_of_step(length) / length);
            span.and_step(self.at, self.rise_of_step(), ahead, self.aside())
        } else {
            span
        }
    }

    /// Walks the level part of a tick on the ground, and steps if that leads farther.
    fn stride(&mut self, ground: Ground, level: Vector3<f32>) {
        let config = self.around.config;
        let mut course = Course::new(Gait::OnFoot, level, &self.frame, config);
        // After a turn of the up axis the ground may be a wall.
        let bears = ground.normal.dot(&self.frame.up) >= self.least_rise();
        if bears && ground.normal != self.frame.up && ground.feature != Feature::Body {
            course.start_on(&ground);
        }
        let (base, from) = (self.base, self.at);
        let outcome = self.run(&mut course);
        let Some(wall) = outcome.wall.as_ref().filter(|_| !self.waits) else {
            return;
        };
        if !ground.is_rim() || self.base != base {
            self.step_over(wall, level, base);
            return;
        }
        let rise = self.frame.up.dot(&(wall.at - from));
        let risen = rise > TOUCHING;
        let height = self.step_height;
        if !risen {
            // A body that cannot set out may stand on the rim of the very wall it meets: it steps
            // from the ground below that rim, if there is some.
            if wall.share == 1.0 {
                self.step_height = self.step_from_below(wall);
            }
            if self.step_over(wall, level, base) {
                return;
            }
            self.step_height = height;
        }
        // No rim allows a higher step than this.
        let highest = height + config.rim(self.frame.radii.along) - rise.min(0.0);
        if !risen && !self.is_within(wall, highest) {
            return;
        }
        self.step_height = self.step_from_rim(from, wall, level);
        if risen || self.step_height > height {
            self.step_over(wall, level, base);
        }
    }

    /// Returns the height of a step over the rim of a wall that the body already touches: counted
    /// from other ground that bears it, if that is not far below its foot.
    fn step_from_below(&mut self, wall: &Wall) -> f32 {
        let down = self.frame.up * -RIM_DROP;
        let slid = std::mem::replace(&mut self.at, wall.at);
        let highest = self.top_below(down, wall.top - TOUCHING);
        self.at = slid;
        let feet = self.frame.up.dot(&wall.at) - self.frame.radii.along;
        let lower = highest.map_or(0.0, |highest| (feet - highest).max(0.0));
        (self.step_height - lower).max(0.0)
    }

    /// Steps over the wall that a way along `level` from around `base` met, if that leads farther;
    /// returns whether it did.
    fn step_over(&mut self, wall: &Wall, level: Vector3<f32>, base: Cell) -> bool {
        let known = self.step_height > 0.0 && self.base == base;
        if !(known && self.is_within(wall, self.step_height)) {
            return false;
        }
        self.queried.note_far();
        self.has_headroom(wall) && !self.goes_on_above(wall) && self.step(level, wall)
    }

    /// Returns whether a wall is at most `height` above the foot, or of unknown height.
    fn is_within(&self, wall: &Wall, height: f32) -> bool {
        let feet = self.frame.up.dot(&wall.at) - self.frame.radii.along;
        wall.top <= feet + height + TOUCHING
    }

    /// Returns whether the place straight above, where a step needs room, is free of solids: one
    /// query that saves the sweeps of a hopeless step.
    fn has_headroom(&mut self, wall: &Wall) -> bool {
        let (up, along) = (self.frame.up, self.frame.radii.along);
        let rise = wall.top - (up.dot(&wall.at) - along) - 2.0 * TOUCHING;
        let top = wall.at + up * (along + rise.max(0.0));
        self.around.listener.is_some() || !self.is_solid(top)
    }

    /// Returns whether a wall met near the waist also stops a body that a step has raised: solid
    /// lies beside or just above its waist there, so no window lets it through. Saves the sweeps of
    /// a step that leads no farther.
    fn goes_on_above(&mut self, wall: &Wall) -> bool {
        let (up, radii, height) = (self.frame.up, self.frame.radii, self.step_height);
        let feet = up.dot(&wall.at) - radii.along;
        let no_door = wall.top - feet + radii.along >= height;
        let rise = wall.normal.dot(&up);
        if !(wall.is_alone && no_door && rise.abs() <= UPRIGHT) || self.around.listener.is_some() {
            return false;
        }
        let out = (wall.normal - up * rise) / (1.0 - rise * rise).sqrt();
        let beside = wall.at - out * (radii.across + TOUCHING) + up * height;
        self.is_solid(beside) || self.is_solid(beside + up * (UPRIGHT * radii.along))
    }

    /// Returns whether no solid lies beside the waist of a body raised by `rise` before a wall:
    /// there may be a window.
    #[cold]
    fn is_open(&mut self, wall: &Wall, ahead: Vector3<f32>, rise: f32) -> bool {
        let waist = wall.at + ahead * (self.frame.radii.across + TOUCHING) + self.frame.up * rise;
        !self.is_solid(waist)
    }

    /// Returns whether a place, in metres from the base, is in a solid.
    fn is_solid(&mut self, place: Vector3<f32>) -> bool {
        self.queried.note(self.base, place, place);
        let place = Position::from_local(self.base, place);
        self.around.terrain.contents(&place, self.memory).solid
    }

    /// Returns how far forward a step goes for a wish of this length, in metres.
    fn advance_of_step(&self, length: f32) -> f32 {
        length.max(self.around.config.step_advance)
    }

    /// Returns the way up of a step.
    fn rise_of_step(&self) -> Vector3<f32> {
        self.frame.up * (self.step_height + TOUCHING)
    }

    /// Returns how far the body may be led aside, in metres along each axis.
    fn aside(&self) -> Vector3<f32> {
        let most = LEAD_ASIDE * self.frame.radii.across;
        self.frame.up.map(|part| most * (1.0 - part.abs()))
    }

    /// Steps up, forward and down again from the wall. The step is kept if it leads farther than
    /// sliding did and ends on ground that bears.
    fn step(&mut self, level: Vector3<f32>, wall: &Wall) -> bool {
        let up = self.frame.up;
        let wish = level * wall.share;
        let length = wish.norm();
        let ahead = level / level.norm();
        let forward = ahead * self.advance_of_step(length);
        let (slid, mark) = (self.at, self.mark());
        let rise = self.rise_of_step();
        let span = Span::along(slid, self.snap);
        let span = span.and_step(wall.at, rise, forward, self.aside());
        let feet = up.dot(&wall.at) - self.frame.radii.along;
        let mut rung = Rung {
            base: self.base,
            feet,
            wall: wall.top,
            top: feet + self.step_height + TOUCHING,
            under: false,
            span,
        };
        let least = wall.crest - feet + TOUCHING;
        for rise in [rise, up * least] {
            self.at = wall.at;
            self.cover(span, forward);
            let landed = self.lift(rise, forward, &mut rung);
            let at = self.seen_from(rung.base);
            let (progress, gained) = ((at - slid).dot(&ahead), up.dot(&(at - wall.at)));
            if landed && progress > EXACT && gained > TOUCHING {
                self.report.stepped = gained;
                self.report.stopped_by = StoppedBy::Slid;
                return true;
            }
            self.go_back(&mark);
            // A body raised by the whole step may be too high for a door or window that it fits
            // through when raised to the sill only: try that rise as well.
            if least <= TOUCHING || least >= self.step_height {
                return false;
            }
            let farther = self.step_height - least > UPRIGHT * self.frame.radii.along;
            if !(rung.under || farther && self.is_open(wall, ahead, least)) {
                return false;
            }
        }
        false
    }

    /// Tries the three ways of a step, up, forward and down. The body must have room to rise to the
    /// top of the wall. If its foot comes down on the rim of another wall, the way forward is tried
    /// again along that wall.
    fn lift(&mut self, rise: Vector3<f32>, forward: Vector3<f32>, rung: &mut Rung) -> bool {
        let risen = self.rise(rise);
        if risen < TOUCHING.max(rung.wall - rung.feet - TOUCHING) {
            return false;
        }
        let mark = self.mark();
        let mut walls = PlaneSet::default();
        for _ in 0..=MOST_BESIDE {
            match self.come_down(forward, risen, rung, &walls) {
                Landing::Borne => return true,
                Landing::Nowhere => return false,
                Landing::OnRim(upright) => walls.add(upright),
            };
            self.go_back(&mark);
        }
        false
    }

    /// Goes forward along `walls` and down onto ground that bears, no higher than the top of the
    /// rung; anything higher is a wall.
    fn come_down(
        &mut self,
        forward: Vector3<f32>,
        risen: f32,
        rung: &mut Rung,
        walls: &PlaneSet,
    ) -> Landing {
        let config = self.around.config;
        let mut course = Course::new(Gait::OnFoot, forward, &self.frame, config);
        for &wall in walls.normals() {
            course.go_beside(wall);
        }
        course.highest = rung.top - self.above(rung.base);
        let outcome = self.run(&mut course);
        let leans = |wall: Wall| wall.normal.dot(&self.frame.up) < -UPRIGHT;
        rung.under |= outcome.wall.is_some_and(leans);
        let mut down = self.frame.up * -risen;
        let mut backed = false;
        loop {
            let Some(stop) = self.sweep(down) else {
                return Landing::Nowhere;
            };
            self.advance(down, &stop);
            let top = rung.top - self.above(rung.base);
            let low = self.height_of(&stop).is_none_or(|height| height <= top);
            if stop.detail.feature == Feature::Body {
                return Landing::Nowhere;
            }
            if low && self.bears(&stop, self.ledge(&stop, forward)) {
                self.report.ground = Some(Self::ground(&stop));
                return Landing::Borne;
            }
            let Some(upright) = self.upright(&stop) else {
                return Landing::Nowhere;
            };
            if backed || !self.back_off(&stop, upright, rung) {
                return Landing::OnRim(upright);
            }
            backed = true;
            down *= 1.0 - stop.time;
        }
    }

    /// Moves off a rim met on the way down, until the widest part of the body is past it; `false`
    /// if something is in the way, or the place is beyond the reach of the step.
    fn back_off(&mut self, stop: &Stop, upright: Vector3<f32>, rung: &Rung) -> bool {
        let inset = 1.0 - (1.0 - stop.rise * stop.rise).max(0.0).sqrt();
        let way = upright * (inset * self.frame.radii.across + EXACT);
        let within = rung
            .span
            .holds(&Span::along(self.seen_from(rung.base), way));
        let free = within && stop.rise > 0.0 && self.sweep(way).is_none();
        if free {
            self.at += way;
        }
        free
    }

    /// Raises the body and returns how far. An obstacle that leans over the body near its waist
    /// leads it aside.
    fn rise(&mut self, rise: Vector3<f32>) -> f32 {
        let mut risen = 0.0;
        for _ in 0..=MOST_BESIDE {
            let left = rise * (1.0 - risen);
            let Some(stop) = self.sweep(left) else {
                self.at += left;
                return rise.norm();
            };
            self.advance(left, &stop);
            risen += (1.0 - risen) * stop.time;
            let Some(upright) = self.upright(&stop) else {
                break;
            };
            // The body is this much narrower at the contact than at its waist.
            let across = self.frame.radii.across;
            let inset = 1.0 - (1.0 - stop.rise * stop.rise).max(0.0).sqrt();
            let way = upright * (inset * across + EXACT);
            if stop.rise > 0.0 || inset > LEAD_ASIDE || self.sweep(way).is_some() {
                break;
            }
            self.at += way;
        }
        rise.norm() * risen
    }

    /// Returns the level direction away from a contact, unless it is a floor or a ceiling.
    fn upright(&self, stop: &Stop) -> Option<Vector3<f32>> {
        let up = self.frame.up;
        (stop.normal - up * up.dot(&stop.normal)).try_normalize(PARALLEL)
    }

    /// Finds ground no farther below than the snap and moves down to it, after a way along `level`.
    fn settle(&mut self, level: Vector3<f32>) -> Option<Ground> {
        let down = self.snap;
        if let Some(ground) = self.resting(down) {
            return Some(ground);
        }
        let stop = self.sweep(down)?;
        let ground = if self.bears(&stop, self.ledge(&stop, level)) {
            Some(Self::ground(&stop))
        } else {
            self.bearing_near(down, &stop, level)
                .or_else(|| self.wedged(down, &stop))
        };
        if ground.is_some() {
            let before = self.at;
            self.advance(down, &stop);
            if let Some(kept) = self.kept_up(before, &stop) {
                self.at = kept;
            }
        }
        ground
    }

    /// Returns the face that a body stands on to the bit as its ground, whatever else it touches.
    fn resting(&self, down: Vector3<f32>) -> Option<Ground> {
        let known = self.around.listener.is_none() && self.covers(Span::along(self.at, down));
        let object = self.candidates.floor_at(self.at).filter(|_| known)?;
        Some(Ground {
            normal: self.frame.up,
            object,
            feature: Feature::Face,
        })
    }

    /// Returns the ground of a wedged body: several contacts that do not bear it alone hold it if
    /// it cannot slide down between them.
    fn wedged(&mut self, down: Vector3<f32>, stop: &Stop) -> Option<Ground> {
        if stop.time * down.norm() > TOUCHING {
            return None;
        }
        let (mark, from) = (self.mark(), self.position());
        let mut course = Course::new(Gait::Free, down, &self.frame, self.around.config);
        self.run(&mut course);
        let moved = self.position().since(&from);
        self.go_back(&mark);
        // On a sweep shorter than the tolerance, half of the sweep decides.
        (moved.norm() < TOUCHING.min(0.5 * down.norm())).then(|| Self::ground(stop))
    }

    /// Moves one tick in the air.
    fn fall(&mut self, displacement: Vector3<f32>, kept: Vector3<f32>) {
        let config = self.around.config;
        let mut course = Course::new(Gait::Falling, displacement, &self.frame, config);
        course.kept = kept;
        let base = self.base;
        let outcome = self.run(&mut course);
        if displacement.dot(&self.frame.up) > 0.0 {
            return;
        }
        if let (Some(share), Some(stop)) = (outcome.landed, &outcome.last) {
            return self.land(Self::ground(stop), displacement * share);
        }
        if outcome.last.is_some() && self.contacts.len() > 1 {
            self.report.ground = self.held(displacement);
        }
        if let Some(wall) = &outcome.wall {
            self.step_in_the_air(wall, displacement, base);
        }
    }

    /// Walks the rest of a tick in which a fall ends on the ground. The walk takes no step up or
    /// down: neighbours are known only as far as a fall leads. A body that walks off the ground in
    /// the same tick has landed all the same.
    fn land(&mut self, ground: Ground, rest: Vector3<f32>) {
        if self.report.stopped_by == StoppedBy::Invalid {
            self.report.ground = Some(ground);
            return;
        }
        self.step_height = 0.0;
        // The report holds the planes of the walk, also when it meets none.
        self.report.planes = PlaneSet::of(&self.frame);
        self.walk_on(ground, rest, false, 0.0);
        self.report.ground = self.report.ground.or(Some(ground));
        if self.report.stopped_by == StoppedBy::Nothing {
            self.report.stopped_by = StoppedBy::Slid;
        }
    }

    /// Steps onto a wall met in a fall that is no higher than the step in the air.
    fn step_in_the_air(&mut self, wall: &Wall, displacement: Vector3<f32>, base: Cell) {
        let (up, config) = (self.frame.up, self.around.config);
        let level = displacement - up * up.dot(&displacement);
        if level.norm() < SHORTEST_MOTION {
            return;
        }
        self.step_height = config.air_step;
        self.step_over(wall, level, base);
    }

    /// Returns the ground after a fall against several contacts, if one of them bears or all
    /// together hold the body.
    fn held(&mut self, displacement: Vector3<f32>) -> Option<Ground> {
        let fallen = -displacement.dot(&self.frame.up);
        let down = self.frame.up * -fallen.max(TOUCHING);
        let stop = self.sweep(down)?;
        if stop.time * down.norm() > TOUCHING {
            return None;
        }
        if self.bears(&stop, self.around.config.landing()) {
            return Some(Self::ground(&stop));
        }
        self.wedged(down, &stop)
    }
}
