//! The shortcut of a walker: its answers, and the validity of its memory.
#![allow(clippy::unwrap_used)]

use super::TERRAIN;
use super::look::{passage, seen_before};
use super::memory::Seen;
use super::tests::{Dice, scattered, stone};
use crate::chunk::Brick;
use crate::kd_tree::CellBox;
use crate::material::Material;
use crate::object::ObjectId;
use crate::world::World;
use collision::{Cell, Crossing, Memory, Passage, Position};
use nalgebra::Vector3;

const HALF: Vector3<f32> = Vector3::new(0.41, 0.91, 0.41);

/// Heights of floors, in metres: inside a chunk, and between two.
const FLOORS: [i32; 2] = [3, 0];

/// Makes a way along the floor, or down.
fn crossing(start: Position, way: Vector3<f32>) -> Crossing {
    let (at, end) = (start.offset, start.offset + way);
    let margin = Vector3::new(1e-3, if way.y < 0.0 { 1e-3 } else { 0.0 }, 1e-3);
    Crossing {
        start,
        min: at.inf(&end) - HALF - margin,
        max: at.sup(&end) + HALF + Vector3::repeat(1e-3),
        end,
        half: HALF,
        stands: way.y == 0.0,
        from_rim: false,
        ledge: 0.99,
        snap: 0.5,
    }
}

/// Makes a floor with holes, blocks on it, and a small object.
fn ground(seed: u64, floor: i32) -> (World, ObjectId) {
    let bounds = CellBox::new(Cell::new(-32, -32, -32), Cell::new(31, 31, 31));
    let mut world = World::from_voxels(bounds, |cell| {
        let odd = scattered(seed, 0.02, cell);
        stone(if cell.y < floor { !odd } else { odd })
    });
    let far = Position::from_metres([0.0, 20.0, 0.0].into());
    let object = small_object(&mut world, far);
    (world, object)
}

fn small_object(world: &mut World, at: Position) -> ObjectId {
    let object = world.add_object(at, 0.5, Vector3::repeat(2), |_| Material::STONE);
    object.unwrap()
}

/// Changes the world at a cell near a walker, or far away.
fn disturb(world: &mut World, object: &mut ObjectId, near: Cell, dice: &mut Dice) {
    let palette = [
        Material::AIR,
        Material::STONE,
        Material::WATER,
        Material::LADDER,
    ];
    let material = palette[dice.bits() as usize % 4];
    let to = Position::new(near, Vector3::repeat(0.25));
    match (dice.bits() % 3, world.object(*object)) {
        (0, Some(found)) => {
            let step = to.since(found.origin());
            world.move_object(*object, step);
        }
        (0, None) => *object = small_object(world, to),
        (1, _) => {
            world.remove_object(*object);
        }
        _ => {
            world.write(|writer| {
                writer.set(near, material);
            });
        }
    }
}

#[test]
fn body_in_a_ladder_of_an_object_gets_no_passage() {
    let mut world = World::from_voxels(
        CellBox::new(Cell::new(-32, -32, -32), Cell::new(31, 31, 31)),
        |cell| stone(cell.y < 3),
    );
    let start = Position::new(Cell::new(0, 3, 0), Vector3::new(0.5, HALF.y, 0.5));
    let crossing = crossing(start, Vector3::new(0.05, 0.0, 0.0));
    let look = |world: &World| passage(world, &crossing, &mut Memory::default());
    assert_eq!(look(&world), Passage::Level(TERRAIN));
    let corner = Position::new(Cell::new(0, 3, 0), Vector3::zeros());
    let ladder = world.add_object(corner, 0.25, Vector3::repeat(4), |_| Material::LADDER);
    assert_eq!(look(&world), Passage::Unknown);
    // A ladder beside the way is not in it.
    let beside = Position::new(Cell::new(-1, 3, 0), Vector3::zeros());
    world.move_object(ladder.unwrap(), beside.since(&corner));
    assert_eq!(look(&world), Passage::Level(TERRAIN));
}

#[test]
fn floor_that_is_loaded_later_is_not_remembered() {
    let bounds = CellBox::new(Cell::zeros(), Cell::repeat(31));
    let mut world = World::from_voxels(bounds, |_| Material::AIR);
    let start = Position::new(Cell::new(8, 0, 8), Vector3::new(0.5, HALF.y, 0.5));
    let crossing = crossing(start, Vector3::new(0.05, 0.0, 0.0));
    let mut memory = Memory::default();
    // Terrain that is not loaded is solid.
    let before = passage(&world, &crossing, &mut memory);
    assert_eq!(before, Passage::Level(TERRAIN));
    world.insert_brick(Cell::new(0, -1, 0), Brick::default());
    assert_eq!(passage(&world, &crossing, &mut memory), Passage::Open);
}

#[test]
fn what_the_round_body_does_not_touch_is_in_nobodys_way() {
    let bounds = CellBox::new(Cell::new(-32, -32, -32), Cell::new(31, 31, 31));
    for floor in FLOORS {
        let world = World::from_voxels(bounds, |cell| {
            stone(cell.y < floor || (cell.x > 0 && cell.z > 0))
        });
        let look = |aside: f32| {
            let start = Position::new(Cell::new(0, floor, 0), Vector3::new(aside, HALF.y, aside));
            let way = Vector3::new(0.01, 0.0, -0.01);
            passage(&world, &crossing(start, way), &mut Memory::default())
        };
        // Once far enough that only the margin of the box reaches over the block's edge, and once
        // nearer.
        assert_eq!(look(0.69), Passage::Level(TERRAIN));
        assert_eq!(look(0.73), Passage::Unknown);
    }
}

#[test]
fn what_is_remembered_answers_as_a_fresh_look_does() {
    let (mut known, mut answered) = ([[0; 2]; 2], 0);
    for seed in 0..40 {
        let mut dice = Dice(seed);
        let floor = FLOORS[seed as usize % 2];
        let grounds = [ground(seed, floor), ground(seed + 1000, floor)];
        let mut objects = grounds.each_ref().map(|(_, object)| *object);
        let mut worlds = grounds.map(|(world, _)| world);
        let mut here = 0;
        let mut memory = Memory::default();
        let mut start = Position::new(Cell::new(0, floor, 0), Vector3::new(0.5, HALF.y, 0.5));
        let mut way = Vector3::zeros();
        for step in 0..1000 {
            if dice.bits().is_multiple_of(16) {
                way = Vector3::new(dice.signed(), 0.0, dice.signed()) * 0.15;
            }
            way.y = if step % 32 < 4 { -0.05 } else { 0.0 };
            let above = Vector3::y() * if way.y < 0.0 { 0.5 } else { 0.0 };
            let crossing = crossing(start.moved(above), way);
            let world = &worlds[here];
            let fresh = passage(world, &crossing, &mut Memory::default());
            let seen = Seen::read(world, &memory);
            let remembered = seen.and_then(|seen| seen_before(world, &crossing, &seen));
            known[usize::from(crossing.stands)][seed as usize % 2] +=
                u32::from(remembered.is_some());
            answered += u32::from(fresh != Passage::Unknown);
            assert_eq!(
                passage(world, &crossing, &mut memory),
                fresh,
                "{crossing:?}"
            );
            match fresh {
                Passage::Level(_) | Passage::Rim(..) => {
                    start = Position::from_local(start.cell, crossing.end);
                }
                _ => way = -way,
            }
            if dice.bits().is_multiple_of(24) {
                let aside = dice.vector() * 2.0;
                let far = if dice.bits().is_multiple_of(4) {
                    12.0
                } else {
                    1.0
                };
                let near = start.moved(aside * far).cell;
                disturb(&mut worlds[here], &mut objects[here], near, &mut dice);
            }
            if dice.bits().is_multiple_of(128) {
                here = 1 - here;
            }
        }
    }
    let of: u32 = known.iter().flatten().sum();
    let each = known.iter().flatten().all(|&known| known > 100);
    assert!(of * 4 > answered && each, "{known:?} of {answered}");
}
