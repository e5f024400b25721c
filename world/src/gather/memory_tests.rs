//! A character's memory of the world holds until something near changes, and no longer.
#![allow(clippy::unwrap_used)]

use super::tests::{body, stone};
use crate::chunk::{Brick, Voxels};
use crate::kd_tree::CellBox;
use crate::material::Material;
use crate::object::ObjectId;
use crate::space::ChunkPosition;
use crate::world::World;
use collision::mover::{MoverConfig, Scratch, slide};
use collision::{Around, Candidates, Cell, Character, Crowd, Memory, Position, Reach, Terrain};
use nalgebra::{Point3, Vector3};

/// Returns the memory of a gather around the middle of a cell, `along` metres wide along x.
fn gathered(world: &World, base: Cell, along: f32) -> Memory {
    let reach = Reach {
        base,
        start: Vector3::repeat(0.5),
        motion: Vector3::zeros(),
        min: Vector3::repeat(-0.5),
        max: Vector3::new(along, 1.5, 1.5),
        half: Vector3::repeat(0.4),
    };
    let mut memory = Memory::default();
    world.gather(&reach, &mut memory, &mut Candidates::default());
    memory
}

fn set(world: &mut World, cell: Cell) {
    world.write(|writer| writer.set(cell, Material::STONE));
}

#[test]
fn a_memory_notices_changes_near_and_only_near() {
    let bounds = CellBox::new(Cell::repeat(0), Cell::new(127, 31, 127));
    let mut world = World::from_voxels(bounds, |cell| stone(cell.y < 4));
    let config = MoverConfig::default();
    let (mut memory, mut scratch) = (Memory::default(), Scratch::default());
    let mut walker = body(Point3::new(16.0, 4.91, 16.0));
    let around = Around::terrain(&world, &config);
    let way = Vector3::new(0.01, -0.1, 0.0);
    slide(&around, &mut walker, way, &mut memory, &mut scratch);
    assert!(world.unchanged(&memory));
    world.write(|writer| {
        writer.set(Cell::new(100, 3, 100), Material::AIR);
    });
    assert!(world.unchanged(&memory), "a change far away");
    world.write(|writer| {
        writer.set(Cell::new(16, 3, 16), Material::AIR);
    });
    assert!(!world.unchanged(&memory), "a change underfoot");
}

#[test]
fn a_memory_across_the_ends_of_the_cells_notices_changes() {
    let mut world = World::default();
    for x in [i32::MAX >> 5, i32::MIN >> 5, 0] {
        let brick = Brick::new(Voxels::uniform(Material::AIR), world.materials());
        world.insert_brick(ChunkPosition::new(x, 0, 0), brick);
    }
    for (cell, noticed) in [(0, false), (i32::MIN, true), (i32::MAX, true)] {
        let memory = gathered(&world, Cell::new(i32::MAX, 16, 16), 1.5);
        assert!(world.unchanged(&memory));
        set(&mut world, Cell::new(cell, 16, 16));
        assert_eq!(!world.unchanged(&memory), noticed, "{cell}");
    }
}

#[test]
fn a_memory_of_many_chunks_notices_changes_in_each() {
    let bounds = CellBox::new(Cell::new(0, 0, 0), Cell::new(191, 31, 31));
    let mut world = World::from_voxels(bounds, |_| Material::AIR);
    for chunk in 0..6 {
        let memory = gathered(&world, Cell::new(16, 16, 16), 128.5);
        assert!(world.unchanged(&memory));
        set(&mut world, Cell::new(chunk * 32 + 7, 3, 3));
        assert_eq!(!world.unchanged(&memory), chunk < 5, "chunk {chunk}");
    }
}

#[test]
fn a_memory_of_more_chunks_than_are_looked_at_is_not_trusted() {
    let bounds = CellBox::new(Cell::zeros(), Cell::new(639, 31, 31));
    let mut world = World::from_voxels(bounds, |_| Material::AIR);
    let memory = gathered(&world, Cell::repeat(16), 560.0);
    assert!(world.unchanged(&memory));
    set(&mut world, Cell::new(639, 3, 3));
    assert!(!world.unchanged(&memory));
}

/// Makes ground below a height. Worlds of all heights have the same revision.
fn ground_below(height: i32) -> World {
    let bounds = CellBox::new(Cell::zeros(), Cell::repeat(31));
    World::from_voxels(bounds, |cell| stone(cell.y < height))
}

#[test]
fn sleeper_of_one_world_wakes_in_another() {
    let mut crowd = Crowd::new();
    let at = Position::from_metres(Point3::new(16.5, 8.95, 16.5));
    let name = crowd.add(Character::at(at));
    for world in [8, 4].map(ground_below) {
        for _ in 0..180 {
            crowd.tick(&world, &[], 1.0 / 60.0);
        }
    }
    let height = crowd.state(name).unwrap().position.to_metres().y;
    assert!(height < 5.5, "{height}");
}

#[test]
fn a_revision_that_another_terrain_wrote_is_not_trusted() {
    let mut world = ground_below(8);
    let mut memory = gathered(&world, Cell::repeat(16), 1.5);
    memory.revision = u64::MAX;
    set(&mut world, Cell::repeat(16));
    assert!(!world.unchanged(&memory));
}

/// Adds an object of one metre.
fn add_at(world: &mut World, cell: Cell) -> ObjectId {
    let at = Position::new(cell, Vector3::zeros());
    let added = world.add_object(at, 0.5, Vector3::repeat(2), |_| Material::STONE);
    added.unwrap()
}

#[test]
fn a_memory_beside_objects_notices_changes_of_those_near() {
    let mut world = ground_below(8);
    // The first is among the queried cells, though no part of it is in reach.
    let [near, far] = [18, 26].map(|x| add_at(&mut world, Cell::new(x, 16, 16)));
    let memory = |world: &World| gathered(world, Cell::repeat(16), 1.5);
    let mut seen = memory(&world);
    let step = Vector3::new(0.125, 0.0, 0.0);
    world.move_object(far, step);
    assert!(world.unchanged(&seen), "one far away moved");
    world.move_object(near, step);
    assert!(!world.unchanged(&seen), "one near moved");
    seen = memory(&world);
    world.move_object(far, step);
    assert!(!world.unchanged(&seen), "one near still carries");
    world.move_object(near, Vector3::zeros());
    seen = memory(&world);
    world.move_object(far, step);
    assert!(world.unchanged(&seen), "one near stopped before");
    world.write(|writer| writer.set_in_object(near, Vector3::zeros(), Material::AIR));
    assert!(!world.unchanged(&seen), "a voxel of one near");
    seen = memory(&world);
    world.remove_object(near);
    assert!(!world.unchanged(&seen), "one near is gone");
    seen = memory(&world);
    world.move_object(far, Vector3::new(-7.5, 0.0, 0.0));
    assert!(!world.unchanged(&seen), "one came near");
}

#[test]
fn character_at_rest_on_an_object_sleeps_while_others_move() {
    let mut world = ground_below(8);
    let [under, far] = [16, 26].map(|x| add_at(&mut world, Cell::new(x, 8, 16)));
    let mut crowd = Crowd::new();
    let at = Position::from_metres(Point3::new(16.5, 9.95, 16.5));
    let name = crowd.add(Character::at(at));
    let mut step = |world: &mut World, moved: ObjectId, by: Vector3<f32>| {
        world.move_object(moved, by);
        let report = crowd.tick(world, &[], 1.0 / 60.0);
        let place = crowd.state(name).unwrap().position.to_metres();
        (report.settled + report.stepped, place)
    };
    let (up, along) = (Vector3::y() * 0.01, Vector3::new(0.01, 0.0, 0.0));
    let mut rested = 0;
    for _ in 0..60 {
        rested = step(&mut world, far, up).0;
    }
    assert_eq!(rested, 0);
    let (settled, start) = step(&mut world, under, along);
    assert!(settled > 0);
    for _ in 0..60 {
        step(&mut world, under, along);
    }
    let way = step(&mut world, under, Vector3::zeros()).1 - start;
    assert!((way.x - 0.6).abs() < 1e-3, "{way}");
    step(&mut world, far, up);
    assert_eq!(step(&mut world, far, up).0, 0);
}
