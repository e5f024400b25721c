//! Getting a body out of what it overlaps: bounded, to the nearest free side, up preferred, never flung.
//!
//! Solid boxes are left along the world axis on which the nearest free place lies; triangles, which have no inside, along their normals.
//! Nothing is remembered: each call looks anew, and finds the same side nearer than before.

use crate::candidates::Candidates;
use crate::mover::{Around, Body, Frame, Scratch};
use crate::position::Position;
use crate::terrain::{Memory, Reach, SolidBox, Terrain};
use crate::tolerance::{
    CLOSEST_ROUNDS, ESCAPE_FINENESS, ESCAPE_REACH, MAX_PUSHES, REACH_MARGIN, VALID_DEPTH,
};
use nalgebra::Vector3;

/// How much farther a side way out may be than one upwards, and one downwards than a side way.
const SIDE_COST: f32 = 1.4;

/// How a recovery ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rescue {
    /// Nothing overlapped.
    #[default]
    Free,
    /// It was pushed and is free now.
    Freed,
    /// It was pushed as far as one tick allows and still overlaps: call again next tick.
    OnTheWay,
    /// No free place is near: it was not moved.
    Embedded,
}

/// What a recovery did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Recovery {
    /// How far the body was pushed, in metres.
    pub pushed: Vector3<f32>,
    /// How it ended.
    pub rescue: Rescue,
}

/// Pushes `body` out of the terrain it overlaps, at most [`crate::MoverConfig::recovery_step`] in one call. Neighbours are ignored.
/// Afterwards `scratch.solids` holds the solid volumes it overlapped.
pub fn recover<T: Terrain + ?Sized>(
    around: &Around<'_, T>,
    body: &mut Body,
    memory: &mut Memory,
    scratch: &mut Scratch,
) -> Recovery {
    let shape = Shape::of(body);
    let at = body.position.offset;
    let box_around = shape.frame.half + Vector3::repeat(REACH_MARGIN);
    let (min, max) = (at - box_around, at + box_around);
    let base = body.position.cell;
    scratch.solids.clear();
    let solids = &mut scratch.solids;
    around.terrain.gather_solids(base, min, max, solids);
    solids.retain(|solid| shape.overlaps(at, solid));
    if solids.is_empty() {
        return leave_triangles(around, body, &shape, memory, scratch);
    }
    let reach = box_around + Vector3::repeat(ESCAPE_REACH * shape.frame.radii.longest());
    scratch.nearby.clear();
    let nearby = &mut scratch.nearby;
    around
        .terrain
        .gather_solids(base, at - reach, at + reach, nearby);
    let Some(way) = shape.way_out(at, nearby) else {
        return Recovery {
            pushed: Vector3::zeros(),
            rescue: Rescue::Embedded,
        };
    };
    let config = around.config;
    let whole = way.norm();
    let length = (whole * config.recovery_share).min(config.recovery_step);
    push(body, way * (length / whole), length >= whole)
}

fn push(body: &mut Body, way: Vector3<f32>, freed: bool) -> Recovery {
    let before = body.position;
    body.position = Position::from_local(before.cell, before.offset + way);
    Recovery {
        pushed: body.position.since(&before),
        rescue: if freed {
            Rescue::Freed
        } else {
            Rescue::OnTheWay
        },
    }
}

/// Moves out of the fronts of triangles along their normals, deepest first.
fn leave_triangles<T: Terrain + ?Sized>(
    around: &Around<'_, T>,
    body: &mut Body,
    shape: &Shape,
    memory: &mut Memory,
    scratch: &mut Scratch,
) -> Recovery {
    let from = body.position.offset;
    let limit = around.config.recovery_step;
    let grown = shape.frame.half + Vector3::repeat(REACH_MARGIN + limit);
    let reach = Reach {
        base: body.position.cell,
        start: from,
        motion: Vector3::zeros(),
        min: from - grown,
        max: from + grown,
    };
    scratch.candidates.begin(&shape.frame);
    // The memory is for what the body stands among now; a look from here must not narrow it.
    let mut looked = *memory;
    around
        .terrain
        .gather(&reach, &mut looked, &mut scratch.candidates);
    if scratch.candidates.triangles().is_empty() {
        return Recovery::default();
    }
    let (at, free) = shape.leave_fronts(from, &scratch.candidates);
    let way = (at - from) * around.config.recovery_share;
    let length = way.norm();
    if free && length == 0.0 {
        return Recovery::default();
    }
    if length == 0.0 {
        return Recovery {
            pushed: way,
            rescue: Rescue::Embedded,
        };
    }
    let cut = if length > limit { limit / length } else { 1.0 };
    push(
        body,
        way * cut,
        free && cut == 1.0 && around.config.recovery_share >= 1.0,
    )
}

/// A bare ellipsoid, without its skin.
struct Shape {
    frame: Frame,
}

impl Shape {
    fn of(body: &Body) -> Self {
        Self {
            frame: Frame::of(body, 0.0),
        }
    }

    /// The gap between the centre and a box where the body is a ball, less its radius.
    fn gap(&self, at: Vector3<f32>, solid: &SolidBox) -> f32 {
        let nearest = self.nearest(at, solid);
        self.frame.squashed(nearest - at).norm() - self.frame.radius
    }

    fn overlaps(&self, at: Vector3<f32>, solid: &SolidBox) -> bool {
        self.gap(at, solid) < -VALID_DEPTH
    }

    /// The point of a box that is nearest to the centre where the body is a ball.
    fn nearest(&self, at: Vector3<f32>, solid: &SolidBox) -> Vector3<f32> {
        let mut point = at.sup(&solid.min).inf(&solid.max);
        if self.frame.up_axis.is_some() {
            return point;
        }
        // Tilted: one coordinate at a time, each exactly, until they settle.
        let up = self.frame.up;
        let stretch = self.frame.squash * self.frame.squash - 1.0;
        for _ in 0..CLOSEST_ROUNDS {
            for axis in 0..3 {
                let off = point - at;
                let rest = up.dot(&off) - up[axis] * off[axis];
                let best = -stretch * up[axis] * rest / (1.0 + stretch * up[axis] * up[axis]);
                point[axis] = (at[axis] + best).max(solid.min[axis]).min(solid.max[axis]);
            }
        }
        point
    }

    /// The cheapest way along a world axis to a place that is free of all boxes.
    fn way_out(&self, at: Vector3<f32>, solids: &[SolidBox]) -> Option<Vector3<f32>> {
        let mut best: Option<(f32, Vector3<f32>)> = None;
        for axis in 0..3 {
            for sign in [1.0, -1.0] {
                let mut direction = Vector3::zeros();
                direction[axis] = sign;
                let Some(length) = self.free_after(at, direction, solids) else {
                    continue;
                };
                let cost = length * self.cost(direction);
                if best.is_none_or(|(least, _)| cost < least) {
                    best = Some((cost, direction * length));
                }
            }
        }
        best.map(|(_, way)| way)
    }

    fn cost(&self, direction: Vector3<f32>) -> f32 {
        let rise = direction.dot(&self.frame.up);
        if rise > 0.7 {
            1.0
        } else if rise > -0.7 {
            SIDE_COST
        } else {
            SIDE_COST * SIDE_COST
        }
    }

    /// How far along a world direction the body must go to be free of all boxes; `None` when that is too far.
    fn free_after(
        &self,
        at: Vector3<f32>,
        direction: Vector3<f32>,
        solids: &[SolidBox],
    ) -> Option<f32> {
        let limit = ESCAPE_REACH * self.frame.radii.longest();
        let mut length = 0.0_f32;
        while length <= limit {
            let place = at + direction * length;
            let leave = |solid: &SolidBox| self.exit(place, direction, solid);
            let farther = solids.iter().map(leave).fold(0.0, f32::max);
            if farther == 0.0 {
                return Some(length);
            }
            length += farther.max(ESCAPE_FINENESS);
        }
        None
    }

    /// How far the body must go to leave one box; 0 when it does not overlap it.
    fn exit(&self, at: Vector3<f32>, direction: Vector3<f32>, solid: &SolidBox) -> f32 {
        if !self.overlaps(at, solid) {
            return 0.0;
        }
        let axis = direction.iamax();
        if self.frame.up_axis.is_none() {
            return ESCAPE_FINENESS;
        }
        let mut aside = self.nearest(at, solid) - at;
        aside[axis] = 0.0;
        let aside = self.frame.squashed(aside).norm_squared();
        let radius = self.frame.radius;
        let clear = (radius * radius - aside).max(0.0).sqrt();
        let clear = if self.frame.up_axis == Some(axis) {
            clear / self.frame.squash
        } else {
            clear
        };
        if direction[axis] > 0.0 {
            solid.max[axis] + clear - at[axis]
        } else {
            at[axis] + clear - solid.min[axis]
        }
    }

    /// Moves a centre out of the deepest front again and again; whether it is free in the end.
    fn leave_fronts(&self, from: Vector3<f32>, candidates: &Candidates) -> (Vector3<f32>, bool) {
        let mut at = from;
        for _ in 0..MAX_PUSHES {
            let Some((depth, normal)) = candidates.deepest_slanted(self.frame.squashed(at)) else {
                return (at, true);
            };
            if depth <= VALID_DEPTH {
                return (at, true);
            }
            at += self.frame.unsquashed(normal * depth);
        }
        let left = candidates.deepest_slanted(self.frame.squashed(at));
        (at, left.is_none_or(|(depth, _)| depth <= VALID_DEPTH))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mover::trial::Voxels;
    use crate::mover::{MoverConfig, Radii};
    use crate::position::Cell;
    use nalgebra::Point3;

    fn body_at(x: f64, y: f64, z: f64) -> Body {
        Body {
            position: Position::from_metres(Point3::new(x, y, z)),
            radii: Radii::new(0.4, 0.9),
            up: Vector3::y(),
        }
    }

    /// Recovers until something settles; returns the last answer and the ticks it took.
    fn rescue(terrain: &impl Terrain, body: &mut Body) -> (Rescue, u32) {
        let config = MoverConfig::default();
        let around = Around::terrain(terrain, &config);
        let (mut memory, mut scratch) = (Memory::default(), Scratch::default());
        for tick in 0..20 {
            let recovery = recover(&around, body, &mut memory, &mut scratch);
            assert!(
                recovery.pushed.norm() <= config.recovery_step + 1e-5,
                "flung"
            );
            if recovery.rescue != Rescue::OnTheWay {
                return (recovery.rescue, tick);
            }
        }
        (Rescue::OnTheWay, 20)
    }

    #[test]
    fn free_body_is_left_alone() {
        let terrain = Voxels::metric(|cell: Cell| cell.y < 0);
        let mut body = body_at(0.5, 0.91, 0.5);
        let before = body;
        assert_eq!(rescue(&terrain, &mut body), (Rescue::Free, 0));
        assert_eq!(body, before);
    }

    #[test]
    fn block_placed_at_feet_waist_or_head_lets_go_within_ticks() {
        for height in 0..2 {
            for up in [Vector3::y(), Vector3::new(0.3, 1.0, 0.2).normalize()] {
                let terrain =
                    Voxels::metric(move |cell: Cell| cell.y < 0 || cell == Cell::new(0, height, 0));
                let mut body = body_at(0.45, 0.95, 0.5);
                body.up = up;
                let (rescue, _) = rescue(&terrain, &mut body);
                assert_eq!(rescue, Rescue::Freed, "{height} {:?}", body.position);
                assert!((body.position.to_metres() - Point3::new(0.45, 0.95, 0.5)).norm() < 1.6);
            }
        }
    }

    #[test]
    fn feet_in_a_low_step_go_up() {
        let terrain = Voxels {
            size: 0.25,
            solid: |cell: Cell| cell.y < 1,
        };
        let mut body = body_at(0.5, 0.91, 0.5);
        assert_eq!(rescue(&terrain, &mut body).0, Rescue::Freed);
        assert!((body.position.to_metres().y - 1.15).abs() < 1e-3);
    }

    #[test]
    fn buried_body_stays_and_says_so() {
        let terrain = Voxels::metric(|cell: Cell| cell.iter().all(|part| (-2..=2).contains(part)));
        let mut body = body_at(0.5, 0.5, 0.5);
        let before = body;
        assert_eq!(rescue(&terrain, &mut body), (Rescue::Embedded, 0));
        assert_eq!(body, before);
    }

    #[test]
    fn share_of_the_overlap_is_undone() {
        let terrain = Voxels::metric(|cell: Cell| cell.y < 0);
        for share in [0.5, 0.75, 1.0] {
            let config = MoverConfig {
                recovery_share: share,
                ..MoverConfig::default()
            };
            let mut body = body_at(0.5, 0.8, 0.5);
            let around = Around::terrain(&terrain, &config);
            let (mut memory, mut scratch) = (Memory::default(), Scratch::default());
            recover(&around, &mut body, &mut memory, &mut scratch);
            let height = body.position.to_metres().y;
            assert!(
                (height - 0.8 - 0.1 * f64::from(share)).abs() < 1e-5,
                "{height}"
            );
        }
    }
}
