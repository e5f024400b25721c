//! The shortest ways of a tick: level, with nothing in it and the same floor under its end, or through the air with nothing in it. Two
//! thirds of all ticks of a crowd are such, so they take no sweep, no gather and no report.

use crate::mover::probe::Span;
use crate::mover::{Around, Body, Feature, Ground, Neighbour, Radii};
use crate::position::Position;
use crate::terrain::{Crossing, Memory, Passage, Terrain};
use crate::tolerance::{MAX_REACH, REACH_MARGIN, SHORTEST_MOTION};
use nalgebra::Vector3;

/// Where such a way ended.
pub(crate) struct Glided {
    pub(crate) position: Position,
    pub(crate) ground: Option<Ground>,
}

/// Goes a way where the terrain says that nothing is in it: the level part where it begins on ground that stays the same, all of it in the
/// air. It is what all the rest of a walk would come to, to the bit. `None` where that cannot be told.
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
    let skin = around.config.skin;
    let radii = Radii::new(body.radii.across + skin, body.radii.along + skin);
    let (motion, below) = match ground {
        // What it stands on begins where its box ends.
        Some(_) => (Vector3::new(displacement.x, 0.0, displacement.z), 0.0),
        None => (displacement, REACH_MARGIN),
    };
    let swept = (SHORTEST_MOTION..MAX_REACH).contains(&motion.norm());
    let near = |other: &Neighbour| is_near(body, radii.across, other, skin, motion);
    let clear = match ground {
        Some(ground) => {
            let flat = ground.feature == Feature::Face && ground.normal == body.up;
            flat && around.listener.is_none() && !around.others.iter().any(near)
        }
        None => around.others.is_empty(),
    };
    if !(swept && clear) {
        return None;
    }
    let (base, at) = (body.position.cell, body.position.offset);
    let half = Vector3::new(radii.across, radii.along, radii.across);
    let Span { min, max } = Span::along(at, motion).grown(half);
    let crossing = Crossing {
        base,
        min: min - Vector3::new(REACH_MARGIN, below, REACH_MARGIN),
        max: max + Vector3::repeat(REACH_MARGIN),
        end: at + motion,
        half: half.y,
    };
    let ground = match (around.terrain.passage(&crossing, memory), ground) {
        (Passage::Level(object), Some(ground)) => Some(Ground { object, ..ground }),
        (Passage::Level(_) | Passage::Open, None) => None,
        _ => return None,
    };
    Some(Glided {
        position: Position::from_local(base, crossing.end),
        ground,
    })
}

/// Whether a neighbour could be touched on a way, or on the way down at its end.
fn is_near(body: &Body, radius: f32, other: &Neighbour, skin: f32, motion: Vector3<f32>) -> bool {
    let offset = other.body.position.relative_to(body.position.cell) - body.position.offset;
    let (along, square) = (offset.dot(&motion), motion.norm_squared());
    let nearest = offset - motion * (along / square).clamp(0.0, 1.0);
    let reach = radius + other.body.radii.longest() + skin + REACH_MARGIN;
    nearest.x * nearest.x + nearest.z * nearest.z <= reach * reach
}
