//! Boxes wider than all that is loaded, against their cells.
#![allow(clippy::unwrap_used)]

use super::tests::{Dice, body, scattered, stone};
use crate::chunk::{Brick, Voxels};
use crate::material::Material;
use crate::space::ChunkPosition;
use crate::world::World;
use collision::mover::{MoverConfig, Radii, Scratch, slide};
use collision::{Around, Candidates, Cell, Feature, Memory, Position, Reach, SolidBox, Terrain};
use nalgebra::{Point3, Vector3};

/// Makes scattered chunks around a cell, some touching, and an object across one's side.
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
fn wide_boxes_hold_what_their_cells_do() {
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

/// Compares a box with its cells: solids by points, and features with those of small boxes. Returns
/// the numbers of open and of solid points.
fn compare(
    world: &World,
    base: Cell,
    min: Vector3<f32>,
    max: Vector3<f32>,
    dice: &mut Dice,
) -> [u32; 2] {
    let found = solids(world, base, min, max);
    let (mut points, mut some) = (0, [0; 2]);
    while points < 300 {
        let at = dice.vector() * [30.0, 100.0][points % 2];
        let at = at.map(|part| part.floor() + 0.5);
        if (0..3).any(|axis| at[axis] < min[axis] || max[axis] < at[axis]) {
            continue;
        }
        let place = Position::new(base, Vector3::zeros()).moved(at);
        let is_solid = world.contents(&place, &Memory::default()).solid;
        assert_eq!(
            found.iter().any(|solid| holds(solid, &at)),
            is_solid,
            "{at}"
        );
        some[usize::from(is_solid)] += 1;
        points += 1;
    }
    let gathered = |min: Vector3<f32>, max: Vector3<f32>| {
        let reach = Reach {
            base,
            start: min,
            motion: Vector3::zeros(),
            min,
            max,
            half: Vector3::zeros(),
        };
        let mut candidates = Candidates::default();
        world.gather(&reach, &mut Memory::default(), &mut candidates);
        let mut told = Vec::new();
        candidates.visit(|feature, ends| told.push((feature, ends)));
        told
    };
    let whole = gathered(min, max);
    assert!(whole.len() > 1000);
    let mut compared = 0;
    for _ in 0..200 {
        let at = dice.vector() * 40.0;
        let (low, high) = (at - Vector3::repeat(1.5), at + Vector3::repeat(1.5));
        if (0..3).any(|axis| low[axis] < min[axis] || max[axis] < high[axis]) {
            continue;
        }
        for (feature, ends) in gathered(low, high) {
            let is_told = |low: Vector3<f32>, high: Vector3<f32>| {
                let same = |other: &(Feature, [Vector3<f32>; 2])| {
                    let [from, to] = other.1;
                    // Corners were squashed and are rounded.
                    let within = |i: usize| from[i] <= low[i] + 1e-4 && high[i] <= to[i] + 1e-4;
                    other.0 == feature && (0..3).all(within)
                };
                whole.iter().any(same)
            };
            // A small box gives part of an edge that leaves it, and the wide box gives a long edge
            // in pieces: each tenth of a metre (a divisor of all voxel sizes) must be in one of
            // them.
            let long = ends[1] - ends[0];
            let tenths = (long.amax() * 10.0).round() as i32;
            let at = |tenth: i32| ends[0] + long * (tenth as f32 / tenths as f32);
            let in_pieces = || (0..tenths).all(|tenth| is_told(at(tenth), at(tenth + 1)));
            let is_edge = feature == Feature::Edge && tenths > 0;
            assert!(
                is_told(ends[0], ends[1]) || (is_edge && in_pieces()),
                "{feature:?} {ends:?}"
            );
            compared += 1;
        }
    }
    assert!(compared > 100, "{compared}");
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
    // The body is inside terrain that is not loaded, which has no surface to hit.
    let way = Vector3::new(0.5, 0.0, 0.0);
    let report = slide(&around, &mut giant, way, &mut memory, &mut scratch);
    assert!(report.gathers > 0 && giant.position.to_metres().x <= 3.5);
}
