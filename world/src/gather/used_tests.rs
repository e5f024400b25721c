//! Terrain stops characters, rays and balls by its merged surface, which the tree finds, and by nothing else.
#![allow(clippy::unwrap_used)]

use super::tests::stone;
use crate::kd_tree::CellBox;
use crate::pick::Ray;
use crate::world::{BrickId, Found, World};
use collision::{Body, Cell, Character, Crowd, Position, Radii, sweep_ellipsoid};
use nalgebra::{Point3, Vector3};

/// A floor of one metre at the bottom of a chunk, and the chunk's brick.
fn floor() -> (World, BrickId) {
    let bounds = CellBox::new(Cell::new(0, -32, 0), Cell::new(31, 31, 31));
    let world = World::from_voxels(bounds, |cell| stone(cell.y == 0));
    let brick = world.brick_at(Cell::zeros()).unwrap();
    (world, brick)
}

/// The fate of a character on the floor, and of a ray and a ball from above, after a part of the terrain was taken away.
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
        world.revision += 1;
        let revision = world.revision;
        let brick = &mut world.slots.get_mut(brick).brick;
        brick.collision = Default::default();
        brick.revision = revision;
    });
    assert!(outcome.height < -1.0, "{}", outcome.height);
    assert!(!outcome.ray_hits && !outcome.ball_hits);
}

#[test]
fn chunk_out_of_the_tree_stops_nothing() {
    let outcome = after(|world, brick| {
        world.revision += 1;
        world.index.remove(Found::Terrain(brick).key());
        world.slots.note_index_change(brick, world.revision);
    });
    assert!(outcome.height < -1.0, "{}", outcome.height);
    assert!(!outcome.ray_hits && !outcome.ball_hits);
}
