//! Sliding along others where nothing else is near: on a floor that is level and clear, or in the open air, all that can be met is the other
//! ellipsoids. In a crowd that is the most frequent way of those who touch something, and it takes no gather.

use crate::candidates::{OtherShape, at_once};
use crate::lanes::sweep_ball;
use crate::mover::course::{Course, Gait};
use crate::mover::probe::{SPREAD, Span, others_within};
use crate::mover::slide::is_nothing;
use crate::mover::{Around, Body, Contact, Feature, Frame, Ground, Report, Scratch, StoppedBy};
use crate::position::{Cell, Position};
use crate::terrain::{Crossing, Memory, ObjectId, Passage, Terrain};
use crate::tolerance::{MAX_SWEEPS, REACH_MARGIN, SHORTEST_MOTION, VALID_DEPTH};
use nalgebra::Vector3;

/// Somebody in the way, with both skins. A neighbour of the mover's shape is a ball where the mover is a point.
#[derive(Clone, Copy)]
enum Shape {
    Ball(Vector3<f32>),
    Other(OtherShape),
}

/// One of those who can be met.
#[derive(Clone, Copy)]
pub(crate) struct Obstacle {
    shape: Shape,
    object: ObjectId,
}

/// The first touch of somebody, where the mover is a ball.
#[derive(Clone, Copy)]
struct Touch {
    time: f32,
    normal: Vector3<f32>,
    object: ObjectId,
}

impl Touch {
    /// Whether it goes before another that was found, by the same rule as among all candidates.
    fn goes_before(&self, other: &Self, motion: Vector3<f32>) -> bool {
        let by_time = self.time.total_cmp(&other.time);
        let by_normal = || at_once(&self.normal, &other.normal, &motion);
        let by_object = || self.object.cmp(&other.object);
        by_time.then_with(by_normal).then_with(by_object).is_lt()
    }
}

/// Goes along `level` from a level face, past others and along them, where the terrain says that there is nothing else but that floor. It is
/// what a walk would come to, to the bit. `None`, and nothing done, where that cannot be told.
pub(crate) fn go_among<T: Terrain + ?Sized>(
    around: &Around<'_, T>,
    body: &mut Body,
    level: Vector3<f32>,
    ground: &Ground,
    memory: &mut Memory,
    scratch: &mut Scratch,
) -> Option<Report> {
    let length = level.norm();
    let applies = !around.others.is_empty()
        && around.listener.is_none()
        && body.up == Vector3::y()
        && ground.is_face_across(body.up)
        && length <= SPREAD;
    if !applies {
        return None;
    }
    let frame = Frame::of(body, around.config.skin);
    let at = body.position.offset;
    // It may be turned to any side.
    let span = Span::along(at, level).grown(Vector3::new(length, 0.0, length));
    let margin = Vector3::repeat(REACH_MARGIN);
    let crossing = Crossing {
        start: body.position,
        min: span.min - frame.half - Vector3::new(REACH_MARGIN, 0.0, REACH_MARGIN),
        max: span.max + frame.half + margin,
        end: at,
        half: frame.half,
        stands: true,
        from_rim: false,
        ledge: 0.0,
        snap: 0.0,
    };
    if !matches!(around.terrain.passage(&crossing, memory), Passage::Level(_)) {
        return None;
    }
    let mut among = Among::new(around, body, frame, span, scratch);
    if length >= SHORTEST_MOTION {
        let course = Course::new(Gait::OnFoot, level, &frame, around.config);
        among.run(course)?;
    }
    let (end, mut report) = (among.at, among.report);
    let there = Crossing { end, ..crossing };
    let Passage::Level(object) = around.terrain.passage(&there, memory) else {
        return None;
    };
    let position = Position::from_local(body.position.cell, end);
    report.ground = Some(Ground { object, ..*ground });
    report.moved = position.since(&body.position);
    body.position = position;
    Some(report)
}

/// Falls along `way` past others and along them, where the terrain says that there is nothing else. It is what a walk would come to, to the bit.
/// `None`, and nothing done, where that cannot be told, and for who may come to stand on somebody.
pub(crate) fn fall_among<T: Terrain + ?Sized>(
    around: &Around<'_, T>,
    body: &mut Body,
    way: Vector3<f32>,
    memory: &mut Memory,
    scratch: &mut Scratch,
) -> Option<Report> {
    let length = way.norm();
    let applies = !around.others.is_empty()
        && around.listener.is_none()
        && body.up == Vector3::y()
        && (SHORTEST_MOTION..=SPREAD).contains(&length);
    if !applies {
        return None;
    }
    let frame = Frame::of(body, around.config.skin);
    let at = body.position.offset;
    // It may be turned to any side.
    let span = Span::along(at, Vector3::zeros()).grown(Vector3::repeat(length));
    let reach = span.grown(frame.half.add_scalar(REACH_MARGIN));
    let crossing = Crossing {
        start: body.position,
        min: reach.min,
        max: reach.max,
        end: at,
        half: frame.half,
        stands: false,
        from_rim: false,
        ledge: 0.0,
        snap: 0.0,
    };
    if around.terrain.passage(&crossing, memory) != Passage::Open {
        return None;
    }
    let mut among = Among::new(around, body, frame, span, scratch);
    among.run(Course::new(Gait::Falling, way, &frame, around.config))?;
    let least_rise = around.config.walkable_rise();
    let may_stand = match among.contacts.as_slice() {
        [] => false,
        [only] => only.normal.dot(&frame.up) >= least_rise,
        _ => true,
    };
    if may_stand && way.y <= 0.0 {
        return None;
    }
    let position = Position::from_local(body.position.cell, among.at);
    let moved = position.since(&body.position);
    body.position = position;
    Some(Report {
        moved,
        ..among.report
    })
}

/// A way among others.
struct Among<'a> {
    frame: Frame,
    /// Centre of the body, from the cell it starts in.
    at: Vector3<f32>,
    /// Where it may be.
    span: Span,
    obstacles: &'a mut Vec<Obstacle>,
    contacts: &'a mut Vec<Contact>,
    report: Report,
}

impl<'a> Among<'a> {
    /// A way in `span`.
    fn new<T: Terrain + ?Sized>(
        around: &Around<'_, T>,
        body: &Body,
        frame: Frame,
        span: Span,
        scratch: &'a mut Scratch,
    ) -> Self {
        scratch.contacts.clear();
        let mut among = Self {
            frame,
            at: body.position.offset,
            span,
            obstacles: &mut scratch.obstacles,
            contacts: &mut scratch.contacts,
            report: Report::default(),
        };
        among.gather(around, body.position.cell);
        among
    }

    /// Takes note of all that can be met where the body may be.
    fn gather<T: Terrain + ?Sized>(&mut self, around: &Around<'_, T>, base: Cell) {
        let (frame, skin) = (&self.frame, around.config.skin);
        let reach = self.span.grown(frame.half.add_scalar(REACH_MARGIN));
        let others = others_within(around, base, reach).map(|(other, centre)| {
            let object = ObjectId(other.id);
            let shape = if frame.is_alike(&other.body, skin) {
                Shape::Ball(frame.squashed(centre))
            } else {
                Shape::Other(OtherShape::new(frame, &other.body, skin, centre, object))
            };
            Obstacle { shape, object }
        });
        self.obstacles.clear();
        self.obstacles.extend(others);
    }

    /// Follows a course to its end; `None` where something more than planes beside the way comes of it.
    fn run(&mut self, mut course: Course<'_>) -> Option<()> {
        let from = self.at;
        let mut share = 1.0_f32;
        while share > 0.0 {
            let motion = course.way() * share;
            if is_nothing(motion) {
                if !self.contacts.is_empty() {
                    self.report.stopped_by = StoppedBy::Blocked;
                }
                break;
            }
            // On foot it stays on its floor.
            let leaves = motion.y != 0.0 && self.span.min.y == self.span.max.y;
            if leaves || !self.span.holds(&Span::along(self.at, motion)) {
                return None;
            }
            self.report.sweeps += 1;
            let Some(touch) = self.first_touch(motion) else {
                self.at += motion;
                break;
            };
            self.at += motion * touch.time;
            share *= 1.0 - touch.time;
            let normal = self.record(&touch);
            if self.contacts.len() as u32 >= MAX_SWEEPS || !course.meet_body(normal) {
                return None;
            }
            self.report.stopped_by = StoppedBy::Slid;
        }
        self.report.planes = course.planes;
        let valid = self.contacts.is_empty() || {
            let depth = self.depth(self.at);
            depth <= VALID_DEPTH || depth <= self.depth(from) + VALID_DEPTH
        };
        valid.then_some(())
    }

    /// Who is touched first on a way.
    fn first_touch(&self, motion: Vector3<f32>) -> Option<Touch> {
        let frame = &self.frame;
        let (start, motion) = (frame.squashed(self.at), frame.squashed(motion));
        let (length, radius) = (motion.norm(), 2.0 * frame.radius);
        let mut first: Option<Touch> = None;
        for obstacle in self.obstacles.iter() {
            let limit = first.as_ref().map_or(1.0, |first| first.time);
            let time = match &obstacle.shape {
                Shape::Ball(centre) => {
                    let to = centre - start;
                    sweep_ball(to.into(), radius, motion.into(), length, limit)
                }
                Shape::Other(other) => other.sweep(frame, start, motion, limit),
            };
            let Some(time) = time else {
                continue;
            };
            let point = start + motion * time;
            let normal = match &obstacle.shape {
                Shape::Ball(centre) => {
                    let away = point - centre;
                    away / away.norm()
                }
                Shape::Other(other) => other.normal_at(frame, point),
            };
            let touch = Touch {
                time,
                normal,
                object: obstacle.object,
            };
            if first.is_none_or(|first| touch.goes_before(&first, motion)) {
                first = Some(touch);
            }
        }
        first
    }

    /// Writes a touch at the present place down; returns its normal in the world.
    fn record(&mut self, touch: &Touch) -> Vector3<f32> {
        let normal = self.frame.world_normal(touch.normal);
        self.contacts.push(Contact {
            normal,
            face_normal: normal,
            point: self.frame.touching_point(self.at, normal),
            feature: Feature::Body,
            object: touch.object,
        });
        normal
    }

    /// How deep the body reaches at a place into the skin of anybody, in metres.
    fn depth(&self, at: Vector3<f32>) -> f32 {
        let (frame, point) = (&self.frame, self.frame.squashed(at));
        let depths = self.obstacles.iter().map(|obstacle| match &obstacle.shape {
            Shape::Ball(centre) => 2.0 * frame.radius - (centre - point).norm(),
            Shape::Other(other) => other.depth(frame, point),
        });
        depths.fold(f32::NEG_INFINITY, f32::max)
    }
}
