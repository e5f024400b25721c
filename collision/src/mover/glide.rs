//! The shortest ways of a tick: level, with nothing in it and the same floor under its end, or through the air with nothing in it. Two
//! thirds of all ticks of a crowd are such, so they take no sweep, no gather and no report.

use crate::mover::probe::Span;
use crate::mover::{Around, Body, Feature, Ground, Neighbour, Radii};
use crate::position::{Cell, Position};
use crate::terrain::{Crossing, Memory, Passage, Terrain};
use crate::tolerance::{MAX_REACH, REACH_MARGIN, SHORTEST_MOTION};
use nalgebra::Vector3;

/// Where a glide ended.
pub(crate) struct Glided {
    pub(crate) position: Position,
    pub(crate) ground: Ground,
}

/// Goes the level part of a way where the terrain says that nothing is in it and the floor stays the same: what all the rest of a walk
/// would come to, to the bit. `None` where that cannot be told.
#[inline]
pub(crate) fn glide<T: Terrain + ?Sized>(
    around: &Around<'_, T>,
    body: &Body,
    displacement: Vector3<f32>,
    ground: Ground,
    memory: &mut Memory,
) -> Option<Glided> {
    let up = body.up;
    let level = displacement - up * up.dot(&displacement);
    let swept = (SHORTEST_MOTION..MAX_REACH).contains(&level.norm());
    let upright = up == Vector3::y() && ground.feature == Feature::Face && ground.normal == up;
    if !(swept && upright) || around.listener.is_some() {
        return None;
    }
    let skin = around.config.skin;
    let radii = Radii::new(body.radii.across + skin, body.radii.along + skin);
    let near = |other: &Neighbour| is_near(body, radii.across, other, skin, level);
    if around.others.iter().any(near) {
        return None;
    }
    let (base, at) = (body.position.cell, body.position.offset);
    let half = Vector3::new(radii.across, radii.along, radii.across);
    let crossing = Crossing {
        // What it stands on begins where its box ends.
        min: Span::along(at, level).grown(half).min - Vector3::new(REACH_MARGIN, 0.0, REACH_MARGIN),
        ..crossing(base, at, level, half)
    };
    match around.terrain.passage(&crossing, memory) {
        Passage::Level(object) => Some(Glided {
            position: Position::from_local(base, crossing.end),
            ground: Ground { object, ..ground },
        }),
        Passage::Open | Passage::Unknown => None,
    }
}

/// Goes a way in the air where the terrain says that nothing is in it.
#[inline]
pub(crate) fn drop_freely<T: Terrain + ?Sized>(
    around: &Around<'_, T>,
    body: &Body,
    displacement: Vector3<f32>,
    memory: &mut Memory,
) -> Option<Position> {
    let swept = (SHORTEST_MOTION..MAX_REACH).contains(&displacement.norm());
    if !swept || body.up != Vector3::y() || !around.others.is_empty() {
        return None;
    }
    let skin = around.config.skin;
    let radii = Radii::new(body.radii.across + skin, body.radii.along + skin);
    let half = Vector3::new(radii.across, radii.along, radii.across);
    let (base, at) = (body.position.cell, body.position.offset);
    let crossing = crossing(base, at, displacement, half);
    let passage = around.terrain.passage(&crossing, memory);
    (passage != Passage::Unknown).then(|| Position::from_local(base, crossing.end))
}

/// The box of a way with the margin of a reach.
#[inline]
fn crossing(base: Cell, at: Vector3<f32>, motion: Vector3<f32>, half: Vector3<f32>) -> Crossing {
    let Span { min, max } = Span::along(at, motion).grown(half);
    Crossing {
        base,
        min: min - Vector3::repeat(REACH_MARGIN),
        max: max + Vector3::repeat(REACH_MARGIN),
        end: at + motion,
        half: half.y,
    }
}

/// Whether a neighbour could be touched on a way, or on the way down at its end.
fn is_near(body: &Body, radius: f32, other: &Neighbour, skin: f32, motion: Vector3<f32>) -> bool {
    let offset = other.body.position.relative_to(body.position.cell) - body.position.offset;
    let (along, square) = (offset.dot(&motion), motion.norm_squared());
    let nearest = offset - motion * (along / square).clamp(0.0, 1.0);
    let reach = radius + other.body.radii.longest() + skin + REACH_MARGIN;
    nearest.x * nearest.x + nearest.z * nearest.z <= reach * reach
}
