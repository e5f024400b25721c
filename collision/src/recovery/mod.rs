//! Recovery of bodies that overlap solids: to the nearest free place, preferably upwards, in
//! bounded steps, never through a wall.
//!
//! `search` proposes places: out of the deepest overlap, along the axes, beside the faces around.
//! `room` tests each exactly: no solid overlaps the body there, the centre's path crosses nothing
//! but the solids it starts in, and no other body stands there (unless a short push moves it on).
//! Without such a place near by the body stays.
//!
//! No state is kept: each call searches anew, and finds the same place nearer than before.

mod room;
mod search;

use crate::around::{Around, Scratch};
use crate::body::{Body, Radii};
use crate::candidates::Candidates;
use crate::contact::{Contact, ContactResponse, Feature};
use crate::frame::Frame;
use crate::position::Position;
use crate::terrain::{Memory, ObjectId, Reach, SolidBox, Terrain};
use crate::tolerance::{ESCAPE_REACH, FARTHEST_CROSSING, REACH_MARGIN};
use nalgebra::Vector3;
use room::Room;
pub(crate) use room::closest_to_origin;
use search::Search;

/// The result of a recovery.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rescue {
    /// There was no overlap.
    #[default]
    Free,
    /// Only the skin overlaps, and there is no room to restore it: the body was not moved. Call
    /// again after it has moved.
    Cramped,
    /// The body was pushed and is free now.
    Freed,
    /// The body was pushed as far as one tick allows and still overlaps: call again next tick, and
    /// do nothing else with it until then.
    OnTheWay,
    /// No free place is near: the body was not moved.
    Embedded,
    /// Other bodies occupy every free place near by: the body was not moved. Call again after they
    /// have moved.
    Crowded,
}

impl Rescue {
    /// Returns whether another call has no effect until the terrain about the body changes.
    #[must_use]
    pub fn is_settled(self) -> bool {
        matches!(self, Self::Free | Self::Freed | Self::Embedded)
    }
}

/// The push and the result of a recovery.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Recovery {
    /// The displacement of the body, in metres.
    pub pushed: Vector3<f32>,
    /// The result.
    pub rescue: Rescue,
}

/// Pushes `body` out of the terrain it overlaps, to a place where it has its skin again. One call
/// moves it by at most [`crate::MoverConfig::recovery_step`], plus the motion of moving terrain
/// that it overlaps. A body that only lacks some skin regains it where there is room, and counts as
/// free. A `recovery_share` of 0 turns recovery off. Afterwards `scratch.holders` lists the objects
/// it overlapped.
pub fn recover<T: Terrain + ?Sized>(
    around: &Around<'_, T>,
    body: &mut Body,
    memory: &mut Memory,
    scratch: &mut Scratch,
) -> Recovery {
    match give_skin_back(around, body, scratch) {
        Some(recovery) => recovery,
        None => leave(around, body, memory, scratch),
    }
}

/// Recovers a body of which only the skin overlaps; `None` for a body that has to leave a solid.
pub(crate) fn give_skin_back<T: Terrain + ?Sized>(
    around: &Around<'_, T>,
    body: &mut Body,
    scratch: &mut Scratch,
) -> Option<Recovery> {
    scratch.holders.clear();
    let skin = around.config.skin;
    if around.config.recovery_share == 0.0 {
        return Some(Recovery::default());
    }
    let Scratch {
        candidates, nearby, ..
    } = scratch;
    look(around, body, 2.0 * skin + REACH_MARGIN, candidates, nearby);
    let from = body.position.offset;
    let room = Room::new(body, skin, nearby, candidates.triangles(), around.others);
    if room.is_free(from) {
        return Some(Recovery::default());
    }
    if !room.with_skin(0.0).is_free(from) {
        return None;
    }
    let way = search::out_of_skin(&room, from, 2.0 * skin);
    Some(match way {
        Some(way) => Recovery {
            rescue: Rescue::Free,
            ..push(body, way, 1.0, 2.0 * skin)
        },
        None => stays(Rescue::Cramped),
    })
}

/// Searches for a place and pushes the body towards it.
fn leave<T: Terrain + ?Sized>(
    around: &Around<'_, T>,
    body: &mut Body,
    memory: &mut Memory,
    scratch: &mut Scratch,
) -> Recovery {
    let from = body.position.offset;
    // The memory covers all of the search, so that the terrain reports later changes there.
    let longest = body.radii.longest() + around.config.skin;
    let Scratch {
        candidates,
        nearby,
        holders,
        places,
        spans,
        ..
    } = scratch;
    let reach = ESCAPE_REACH * longest + REACH_MARGIN;
    let reach = look(around, body, reach, candidates, nearby);
    candidates.begin_faces(&plain_frame());
    around.terrain.gather(&reach, memory, candidates);
    remove_ignored(around, body, candidates, nearby);
    let triangles = candidates.triangles();
    spans.sort(nearby, reach.min, reach.max);
    let room = Room::new(body, around.config.skin, nearby, triangles, around.others);
    let room = room.with_spans(spans);
    room.with_skin(0.0).holders(from, holders);
    holders.sort_unstable();
    holders.dedup();
    let step = around.config.recovery_step + carried(around, body, holders);
    let found = Search::new(&room, from, step).run(candidates, places);
    match found.way {
        Some(way) => push(body, way, around.config.recovery_share, step),
        None if found.taken => stays(Rescue::Crowded),
        None => stays(Rescue::Embedded),
    }
}

/// Returns a recovery without a push.
fn stays(rescue: Rescue) -> Recovery {
    Recovery {
        pushed: Vector3::zeros(),
        rescue,
    }
}

/// Terrain that moved over the centre of a body.
pub(crate) struct Crossing {
    pub(crate) by: ObjectId,
    /// The way back to the side of it where the body was.
    pub(crate) way: Vector3<f32>,
}

/// Returns the terrain that moved over the centre of a body that was at `before` when the tick
/// began: a surface that was in front of it and is behind it now, or a solid. Of several, the one
/// that moved farthest.
pub(crate) fn crossing<T: Terrain + ?Sized>(
    around: &Around<'_, T>,
    body: &Body,
    before: &Position,
    candidates: &mut Candidates,
    nearby: &mut Vec<SolidBox>,
) -> Option<Crossing> {
    let reach = reach_about(around, body, FARTHEST_CROSSING);
    let terrain = around.terrain;
    if !terrain.moves_near(reach.base, reach.min, reach.max) {
        return None;
    }
    look(around, body, FARTHEST_CROSSING, candidates, nearby);
    let at = body.position.offset;
    // Relative to the moving object, the body came from there.
    let way_of = |object: ObjectId| {
        let carry = terrain.carry(object, before)?;
        let way = before.relative_to(body.position.cell) + carry - at;
        (carry != Vector3::zeros() && way.norm_squared().is_finite()).then_some(way)
    };
    let surfaces = candidates.triangles().iter().filter_map(|triangle| {
        let way = way_of(triangle.object)?;
        room::passes(at + way, -way, triangle).then_some((triangle.object, way))
    });
    let solids = nearby.iter().filter_map(|solid| {
        let way = way_of(solid.object)?;
        let was_in = |solid: &SolidBox| room::holds(solid, at + way);
        let mut same = nearby.iter().filter(|other| other.object == solid.object);
        let crosses = room::goes_into(at + way, -way, solid) && !same.any(was_in);
        crosses.then_some((solid.object, way))
    });
    let size = |found: &(ObjectId, Vector3<f32>)| found.1.norm_squared();
    let farthest = surfaces.chain(solids).max_by(|a, b| {
        let by_size = size(a).total_cmp(&size(b));
        by_size.then(b.0.cmp(&a.0))
    });
    farthest.map(|(by, way)| Crossing { by, way })
}

/// Returns whether a body without its skin has room where its centre came by a straight way: it
/// overlaps nothing, and the way passed through no surface. Notes the search where there is no
/// room.
pub(crate) fn has_room<T: Terrain + ?Sized>(
    around: &Around<'_, T>,
    body: &Body,
    way: Vector3<f32>,
    scratch: &mut Scratch,
) -> bool {
    let Scratch {
        candidates,
        nearby,
        queried,
        ..
    } = scratch;
    let from = body.position.offset - way;
    let through = |triangle| room::passes(from, way, triangle);
    if is_free(around, body, candidates, nearby) && !candidates.triangles().iter().any(through) {
        return true;
    }
    let reach = reach_about(around, body, REACH_MARGIN);
    queried.note(reach.base, reach.min, reach.max);
    queried.note_far();
    false
}

/// Returns whether a body without its skin overlaps no terrain. Uses the buffers.
pub(crate) fn is_free<T: Terrain + ?Sized>(
    around: &Around<'_, T>,
    body: &Body,
    candidates: &mut Candidates,
    nearby: &mut Vec<SolidBox>,
) -> bool {
    look(around, body, REACH_MARGIN, candidates, nearby);
    let room = Room::new(body, 0.0, nearby, candidates.triangles(), &[]);
    room.is_free(body.position.offset)
}

/// Gathers solids and triangles within `reach` metres of a body, and returns the box. A character's
/// memory stores what it stands among; this query leaves it alone.
fn look<T: Terrain + ?Sized>(
    around: &Around<'_, T>,
    body: &Body,
    reach: f32,
    candidates: &mut Candidates,
    nearby: &mut Vec<SolidBox>,
) -> Reach {
    let reach = reach_about(around, body, reach);
    nearby.clear();
    around
        .terrain
        .gather_solids(reach.base, reach.min, reach.max, nearby);
    candidates.begin_triangles(&plain_frame());
    around
        .terrain
        .gather(&reach, &mut Memory::default(), candidates);
    remove_ignored(around, body, candidates, nearby);
    reach
}

/// Returns the box `reach` metres about a body.
fn reach_about<T: Terrain + ?Sized>(around: &Around<'_, T>, body: &Body, reach: f32) -> Reach {
    let half = Frame::of(body, around.config.skin).half + Vector3::repeat(reach);
    let Position { cell, offset } = body.position;
    Reach {
        base: cell,
        start: offset,
        motion: Vector3::zeros(),
        min: offset - half,
        max: offset + half,
        half: Vector3::zeros(),
    }
}

/// Removes the solids and triangles that the listener ignores. The listener sees the point of each
/// that is nearest to the centre, with a normal straight up where that is inside.
fn remove_ignored<T: Terrain + ?Sized>(
    around: &Around<'_, T>,
    body: &Body,
    candidates: &mut Candidates,
    nearby: &mut Vec<SolidBox>,
) {
    let Some(listener) = around.listener else {
        return;
    };
    let at = body.position.offset;
    let counts = |point: Vector3<f32>, object: ObjectId| {
        let normal = (at - point).try_normalize(0.0).unwrap_or(body.up);
        let contact = Contact {
            normal,
            face_normal: normal,
            point,
            feature: Feature::Face,
            object,
        };
        listener.contact(&contact) != ContactResponse::Ignore
    };
    nearby.retain(|solid| counts(at.sup(&solid.min).inf(&solid.max), solid.object));
    candidates.retain_triangles(|triangle| {
        counts(room::nearest_of_triangle(at, triangle), triangle.object)
    });
}

/// Returns a frame that leaves faces as they are in the world, at any shape of the body.
fn plain_frame() -> Frame {
    Frame::new(Radii::new(1.0, 1.0), Vector3::y(), 0.0)
}

/// Returns the length of the fastest motion of some objects in this tick at the body, in metres.
fn carried<T: Terrain + ?Sized>(
    around: &Around<'_, T>,
    body: &Body,
    holders: &[crate::ObjectId],
) -> f32 {
    let carry = |&object| around.terrain.carry(object, &body.position);
    let finite = holders
        .iter()
        .filter_map(carry)
        .map(|carry| carry.norm())
        .filter(|length| length.is_finite());
    finite.fold(0.0, f32::max)
}

/// Moves a body along its way out, as far as one call may.
fn push(body: &mut Body, way: Vector3<f32>, share: f32, step: f32) -> Recovery {
    let whole = way.norm();
    let length = (whole * share).min(step);
    let before = body.position;
    let way = if length >= whole {
        way
    } else {
        way * (length / whole)
    };
    body.position = Position::from_local(before.cell, before.offset + way);
    Recovery {
        pushed: body.position.since(&before),
        rescue: if length >= whole {
            Rescue::Freed
        } else {
            Rescue::OnTheWay
        },
    }
}

#[cfg(test)]
mod tests;
