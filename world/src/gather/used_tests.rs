//! Terrain stops characters, rays and balls by its merged surface, which the tree finds, and by
//! nothing else.
#![allow(clippy::unwrap_used)]

use super::tests::{Dice, scattered, stone};
use crate::kd_tree::CellBox;
use crate::pick::Ray;
use crate::space::{BrickId, Found};
use crate::world::World;
use collision::mover::MoverConfig;
use collision::{
    Body, Candidates, Cell, Character, Crowd, Memory, Position, Radii, Reach, Terrain,
    sweep_ellipsoid, trace_slide,
};
use nalgebra::{Point3, Vector3};

/// Makes a floor of one metre at the bottom of a chunk, and the chunk's brick.
fn floor() -> (World, BrickId) {
    let bounds = CellBox::new(Cell::new(0, -32, 0), Cell::new(31, 31, 31));
    let world = World::from_voxels(bounds, |cell| stone(cell.y == 0));
    let brick = world.brick_at(Cell::zeros()).unwrap();
    (world, brick)
}

/// The fate of a character on the floor, and of a ray and a ball from above, after a part of the
/// terrain was taken away.
struct Outcome {
    height: f64,
    ray_hits: bool,
    ball_hits: bool,
}

fn after(take: impl FnOnce(&mut World, BrickId)) -> Outcome {
    let (mut world, brick) = floor();
    let mut crowd = Crowd::new();
    let at = Position::from_metres(Point3::new(16.5, 1.95, 16.5));
    let name = crowd.add(Character::at(at));
    for _ in 0..60 {
        crowd.tick(&world, &[], 1.0 / 60.0);
    }
    assert!(crowd.is_grounded(name));
    take(&mut world, brick);
    for _ in 0..60 {
        crowd.tick(&world, &[], 1.0 / 60.0);
    }
    let origin = Position::from_metres(Point3::new(8.5, 6.0, 8.5));
    let down = Ray {
        origin,
        direction: -Vector3::y(),
    };
    let ball = Body {
        position: origin,
        radii: Radii::new(0.2, 0.2),
        up: Vector3::y(),
    };
    Outcome {
        height: crowd.position(name).unwrap().to_metres().y,
        ray_hits: world.cast_ray(&down, 12.0).is_some(),
        ball_hits: sweep_ellipsoid(&world, &ball, &(-Vector3::y() * 12.0)).is_some(),
    }
}

#[test]
fn surface_stops_character_ray_and_ball() {
    let outcome = after(|_, _| ());
    assert!((outcome.height - 1.91).abs() < 0.02, "{}", outcome.height);
    assert!(outcome.ray_hits && outcome.ball_hits);
}

#[test]
fn emptied_surface_stops_nothing() {
    let outcome = after(|world, brick| {
        world.space.revision += 1;
        let revision = world.revision;
        let brick = &mut world.space.slots.get_mut(brick).brick;
        brick.collision = Default::default();
        brick.revision = revision;
    });
    assert!(outcome.height < -1.0, "{}", outcome.height);
    assert!(!outcome.ray_hits && !outcome.ball_hits);
}

#[test]
fn chunk_out_of_the_tree_stops_nothing() {
    let outcome = after(|world, brick| {
        world.space.revision += 1;
        world.space.index.remove(Found::Terrain(brick).key());
        let revision = world.revision;
        world.space.slots.note_index_change(brick, revision);
    });
    assert!(outcome.height < -1.0, "{}", outcome.height);
    assert!(!outcome.ray_hits && !outcome.ball_hits);
}

#[test]
fn no_candidate_lies_behind_one_of_the_six_planes_of_its_move() {
    let mut dice = Dice(7);
    let bounds = CellBox::new(Vector3::zeros(), Vector3::repeat(63));
    let world = World::from_voxels(bounds, |cell| stone(scattered(7, 0.06, cell)));
    let config = MoverConfig::default();
    let (mut candidates, mut aside) = (0, 0);
    for number in 0..3000 {
        let at = dice.vector() * 20.0 + Vector3::repeat(32.0);
        let body = Body {
            position: Position::from_metres(Point3::from(at.map(f64::from))),
            radii: Radii::new(0.4, 0.9),
            up: Vector3::y(),
        };
        // From 1 to 200 m/s, at 60 ticks a second.
        let speed = 200_f32.powf(number as f32 / 3000.0);
        let way = dice.vector().normalize() * (speed / 60.0);
        let trace = trace_slide(&world, &body, way, &config).gather;
        // The end of a body with nothing in its way.
        let half = Vector3::new(0.4, 0.9, 0.4);
        for plane in &trace.planes {
            for centre in [trace.reach.start, trace.reach.start + way] {
                let nearest = plane.normal.dot(&centre) - plane.normal.component_mul(&half).norm();
                assert!(nearest >= plane.distance, "{plane:?} cuts the body off");
            }
        }
        for candidate in &trace.candidates {
            let corner = |side: usize| {
                Vector3::from_fn(|axis, _| match side >> axis & 1 {
                    0 => candidate.min[axis],
                    _ => candidate.max[axis],
                })
            };
            for plane in &trace.planes {
                let farthest = (0..8)
                    .map(|side| plane.normal.dot(&corner(side)))
                    .fold(f32::NEG_INFINITY, f32::max);
                assert!(farthest >= plane.distance - 1e-3, "{way:?} {candidate:?}");
            }
            candidates += 1;
        }
        // The planes leave out a part of the box.
        let whole = Reach {
            motion: Vector3::zeros(),
            ..trace.reach
        };
        aside += gathered(&world, &whole).saturating_sub(trace.candidates.len());
    }
    assert!(candidates > 5000 && aside > 500, "{candidates} {aside}");
}

/// Returns the number of features in a reach.
fn gathered(world: &World, reach: &Reach) -> usize {
    let mut candidates = Candidates::default();
    world.gather(reach, &mut Memory::default(), &mut candidates);
    candidates.len()
}
