//! Boxes wider than all that is loaded against a walk of all their tiles.
#![allow(clippy::unwrap_used)]

use super::tests::{Dice, body, scattered, stone};
use super::tile::Centres;
use super::{push_solids, wide};
use crate::chunk::{Brick, Voxels};
use crate::material::Material;
use crate::world::{BrickId, ChunkPosition, World};
use collision::mover::{MoverConfig, Radii, Scratch, slide};
use collision::{Around, Candidates, Cell, Memory, Position, Reach, SolidBox, Terrain};
use nalgebra::{Point3, Vector3};

/// Chunks here and there about a cell, some touching, and an object across one's side.
fn islands(middle: Cell) -> World {
    let mut world = World::default();
    let steps = [
        [0, 0, 0],
        [1, 0, 0],
        [0, 1, 1],
        [-2, 0, 1],
        [-1, -2, -2],
        [1, 2, -2],
        [40, 0, 0],
    ];
    for step in steps {
        let chunk =
            (middle.map(|part| part >> 5) + ChunkPosition::from(step)).map(|part| (part << 5) >> 5);
        let voxels = Voxels::from_fn(|x, y, z| {
            let at = Cell::new(x as i32, y as i32, z as i32) + chunk;
            stone(scattered(4, 0.2, at))
        });
        let brick = Brick::new(voxels, world.materials());
        world.insert_brick(chunk, brick);
    }
    let at = Position::new(middle, Vector3::new(0.3, 0.2, 0.1));
    let extent = Vector3::repeat(20);
    world
        .add_object(at, 0.5, extent, |_| Material::GOLD)
        .unwrap();
    world
}

fn solids(world: &World, base: Cell, min: Vector3<f32>, max: Vector3<f32>) -> Vec<SolidBox> {
    let mut found = Vec::new();
    world.gather_solids(base, min, max, &mut found);
    found
}

fn holds(solid: &SolidBox, at: &Vector3<f32>) -> bool {
    (0..3).all(|axis| solid.min[axis] <= at[axis] && at[axis] <= solid.max[axis])
}

#[test]
fn wide_boxes_hold_what_their_tiles_do() {
    for middle in [[0; 3], [5, -900, 77], [i32::MAX, 0, i32::MIN], [-40; 3]] {
        let (middle, mut dice) = (Cell::from(middle), Dice(9));
        let world = islands(middle);
        let mut points = [0; 2];
        for _ in 0..4 {
            let base = middle.map(|part| part.wrapping_add((dice.bits() % 12) as i32));
            let min = dice.vector() * 20.0 - Vector3::new(75.0, 70.0, 20.0);
            let max = dice.vector() * 20.0 + Vector3::new(75.0, 70.0, 70.0);
            let found = compare(&world, base, min, max, &mut dice);
            points = [points[0] + found[0], points[1] + found[1]];
        }
        assert!(points[0] > 50 && points[1] > 50, "{points:?}");
    }
}

/// Compares a box with all its tiles: what is solid by points, what can be hit by every part, in order. How many points were open, how many solid.
fn compare(
    world: &World,
    base: Cell,
    min: Vector3<f32>,
    max: Vector3<f32>,
    dice: &mut Dice,
) -> [u32; 2] {
    assert!(wide::is_wide(&min, &max));
    let mut all = Vec::new();
    let hint = BrickId::NOT_LOADED;
    world.each_tile(base, min, max, hint, |tile| push_solids(tile, &mut all));
    let found = solids(world, base, min, max);
    assert!(found.len() < all.len());
    let (mut points, mut some) = (0, [0; 2]);
    while points < 300 {
        let at = dice.vector() * [30.0, 100.0][points % 2];
        let at = at.map(|part| part.floor() + 0.5);
        if (0..3).any(|axis| at[axis] < min[axis] || max[axis] < at[axis]) {
            continue;
        }
        let is_in = |solids: &[SolidBox]| solids.iter().any(|solid| holds(solid, &at));
        assert_eq!(is_in(&found), is_in(&all), "{at}");
        some[usize::from(is_in(&found))] += 1;
        points += 1;
    }
    let reach = Reach {
        base,
        start: Vector3::zeros(),
        motion: Vector3::zeros(),
        min,
        max,
        half: Vector3::repeat(0.4),
    };
    let [mut whole, mut told] = [const { Vec::new() }; 2];
    let mut candidates = Candidates::default();
    world.gather(&reach, &mut Memory::default(), &mut candidates);
    candidates.visit(|feature, ends| told.push((feature, ends)));
    let centres = Centres {
        min: min + reach.half,
        max: max - reach.half,
    };
    let mut candidates = Candidates::default();
    world.each_tile(base, min, max, hint, |tile| {
        tile.gather(&centres, &mut candidates);
    });
    candidates.visit(|feature, ends| whole.push((feature, ends)));
    assert!(told.len() > 1000 && told == whole);
    some
}

#[test]
fn boxes_far_wider_than_the_world_tell_it_in_no_more_parts() {
    let (world, base) = (islands(Cell::zeros()), Cell::new(3, 4, 5));
    let mut counts = Vec::new();
    for half in [2e3, 3e4, 1e6, 1e9] {
        let half = Vector3::repeat(half);
        let found = solids(&world, base, -half, half);
        let far = half.map(|part| part.min(4e6) - 0.5);
        for at in [far, -far, Vector3::new(far.x, 0.5, 0.5)] {
            assert!(found.iter().any(|solid| holds(solid, &at)), "{at}");
        }
        counts.push(found.len());
    }
    assert!(
        counts[0] > 1000 && counts.iter().all(|&count| count < counts[0] * 2),
        "{counts:?}"
    );
    let none = World::default();
    assert_eq!(
        solids(&none, base, -Vector3::repeat(1e6), Vector3::repeat(1e6)).len(),
        1
    );
}

#[test]
fn a_body_wider_than_the_world_is_looked_after() {
    let world = islands(Cell::zeros());
    let mut giant = body(Point3::new(3.0, 4.0, 5.0));
    giant.radii = Radii::new(3e4, 3e4);
    let config = MoverConfig::default();
    let around = Around::terrain(&world, &config);
    let (mut memory, mut scratch) = (Memory::default(), Scratch::default());
    // It is in all that is not loaded, and of that nothing is met.
    let way = Vector3::new(0.5, 0.0, 0.0);
    let report = slide(&around, &mut giant, way, &mut memory, &mut scratch);
    assert!(report.gathers > 0 && giant.position.to_metres().x <= 3.5);
}
