//! The shortcut of undisturbed ticks: a level way over the same floor or to its rim, or a way
//! through free air. Most ticks of a crowd are such; they need no sweep, no gather and no report.

use crate::mover::probe::Span;
use crate::mover::{Around, Body, Feature, Frame, Ground, Neighbour};
use crate::position::Position;
use crate::terrain::{Crossing, Memory, ObjectId, Passage, Terrain};
use crate::tolerance::{MAX_REACH, REACH_MARGIN, SHORTEST_MOTION, SQUARE_SLACK};
use nalgebra::Vector3;
use std::ops::Range;

/// Squared lengths of ways that one sweep covers, with room for rounding of the length.
const SWEPT: Range<f32> = SHORTEST_MOTION * SHORTEST_MOTION * (1.0 + SQUARE_SLACK)
    ..MAX_REACH * MAX_REACH * (1.0 - SQUARE_SLACK);

/// The end of such a way.
pub(crate) struct Glided {
    pub(crate) position: Position,
    pub(crate) ground: Option<Ground>,
}

/// Moves along a way that the terrain reports as free: the level part over unchanged ground, or the
/// whole way in the air. The result equals that of the full walk to the bit. `None` where the
/// terrain cannot tell, and inside liquids and climbable solids.
#[inline]
pub(crate) fn glide<T: Terrain + ?Sized>(
    around: &Around<'_, T>,
    body: &Body,
    displacement: Vector3<f32>,
    ground: Option<Ground>,
    memory: &mut Memory,
) -> Option<Glided> {
    if body.up != Vector3::y() {
        return None;
    }
    // The ground lies just below the box of a body that stands.
    let (motion, below) = match ground {
        Some(_) => (Vector3::new(displacement.x, 0.0, displacement.z), 0.0),
        None => (displacement, REACH_MARGIN),
    };
    let swept = SWEPT.contains(&motion.norm_squared());
    let level = ground.is_none_or(|ground| ground.is_level(body.up) && around.listener.is_none());
    let near = |other: &Neighbour| {
        let frame = Frame::of(body, around.config.skin);
        is_near(&frame, body, other, around.config.skin, motion)
    };
    if !(swept && level) || around.others.iter().any(near) {
        return None;
    }
    let crossing = crossing(around, body, motion, below, ground);
    let (object, feature) = match (around.terrain.passage(&crossing, memory), ground) {
        (Passage::Level(object), Some(_)) => (object, Feature::Face),
        (Passage::Rim(object, feature), Some(_))
            if !is_neighbour_below(around, body, &crossing) =>
        {
            (object, feature)
        }
        (Passage::Open, None) => (ObjectId::default(), Feature::Face),
        _ => return None,
    };
    Some(Glided {
        position: Position::from_local(body.position.cell, crossing.end),
        ground: ground.map(|_| Ground {
            normal: body.up,
            object,
            feature,
        }),
    })
}

/// Returns the question to the terrain about a way.
#[inline]
fn crossing<T: ?Sized>(
    around: &Around<'_, T>,
    body: &Body,
    motion: Vector3<f32>,
    below: f32,
    ground: Option<Ground>,
) -> Crossing {
    let (config, at) = (around.config, body.position.offset);
    let (across, along) = (
        body.radii.across + config.skin,
        body.radii.along + config.skin,
    );
    let half = Vector3::new(across, along, across);
    let Span { min, max } = Span::along(at, motion).grown(half);
    Crossing {
        start: body.position,
        min: min - Vector3::new(REACH_MARGIN, below, REACH_MARGIN),
        max: max + Vector3::repeat(REACH_MARGIN),
        end: at + motion,
        half,
        stands: ground.is_some(),
        from_rim: ground.is_some_and(|ground| ground.is_rim()),
        ledge: config.ledge,
        snap: config.snap,
    }
}

/// Returns whether a body that ends on a rim could touch a neighbour on its sweep down to ground.
#[inline(never)]
fn is_neighbour_below<T: ?Sized>(around: &Around<'_, T>, body: &Body, crossing: &Crossing) -> bool {
    let skin = around.config.skin;
    let (frame, down) = (Frame::of(body, skin), body.up * -crossing.snap);
    let there = Body {
        position: Position::from_local(body.position.cell, crossing.end),
        ..*body
    };
    let mut others = around.others.iter();
    others.any(|other| is_near(&frame, &there, other, skin, down))
}

/// Returns whether a neighbour could be touched on a way. One of the same shape cannot when the way
/// leads off; the flank of another shape can.
#[inline]
fn is_near(frame: &Frame, body: &Body, other: &Neighbour, skin: f32, motion: Vector3<f32>) -> bool {
    let offset = other.body.position.relative_to(body.position.cell) - body.position.offset;
    let (to_other, way) = (frame.squashed(offset), frame.squashed(motion));
    let along = to_other.dot(&way);
    let alike = frame.is_alike(&other.body, skin);
    if along <= 0.0 && alike {
        return false;
    }
    let nearest = to_other - way * (along / way.norm_squared()).clamp(0.0, 1.0);
    let reach = frame.reach_to(&other.body, skin) + REACH_MARGIN;
    let in_reach = nearest.norm_squared() <= reach * reach;
    in_reach && (alike || !frame.beside(&other.body, skin).stays_apart(-offset, motion))
}
