//! A sleeping character wakes for every edit that changes its next move, even far above it.
#![allow(clippy::unwrap_used)]

use collision::{Cell, Character, CharacterId, Crowd, Intent, Position, Settings};
use nalgebra::{Point3, Vector3};
use world::{Brush, CellBox, Material, Mode, World};

const TICK: f32 = 1.0 / 60.0;

fn world_of(solid: impl Fn(Cell) -> bool) -> World {
    let bounds = CellBox::new(Cell::zeros(), Cell::new(31, 63, 31));
    World::from_voxels(bounds, |cell| match solid(cell) {
        true => Material::STONE,
        false => Material::AIR,
    })
}

fn standing(x: f64, foot: i32, radii: [f32; 2]) -> Character {
    let place = Point3::new(x, f64::from(foot) + f64::from(radii[1]) + 0.05, 16.3);
    Character::at(Position::from_metres(place)).with_radii(radii[0], radii[1])
}

/// Returns the number of awake characters in the last tick.
fn play(crowd: &mut Crowd, world: &World, intent: (CharacterId, Intent), ticks: u32) -> u32 {
    let stepped = |_| crowd.tick(world, &[intent], TICK).stepped;
    (0..ticks).map(stepped).last().unwrap()
}

/// Chunk borders lie between the parts touched and the parts queried.
#[test]
fn step_that_was_barred_from_above_is_taken_once_it_is_free() {
    for floor in 27..32 {
        for before in [true, false] {
            let (wall, block) = (floor + 2, floor + 3);
            // The block is above the character before the wall, or above the wall.
            let columns = if before { 9..16 } else { 16..24 };
            let barred = |cell: Cell| cell.y == block && columns.contains(&cell.x);
            let solid = |cell: Cell| cell.y < floor || cell.x >= 16 && cell.y < wall;
            let mut world = world_of(|cell| solid(cell) || barred(cell));
            let mut settings = Settings::default();
            settings.mover.step_height = 2.0;
            let mut crowd = Crowd::new();
            let id = crowd.add(standing(14.3, floor, [0.4, 0.9]).with_settings(settings));
            let go = (id, Intent::walk(Vector3::x() * 3.0));
            assert_eq!(play(&mut crowd, &world, go, 120), 0);
            let low = crowd.position(id).unwrap();
            // Voxel by voxel: for larger changes everything nearby counts as changed.
            for (x, z) in columns.flat_map(|x| (0..32).map(move |z| (x, z))) {
                world.set_voxel(Cell::new(x, block, z), Material::AIR);
            }
            play(&mut crowd, &world, go, 120);
            let risen = crowd.position(id).unwrap().since(&low);
            assert!(risen.x > 2.0, "floor {floor}, before {before}: {risen}");
        }
    }
}

#[test]
fn character_waiting_for_room_stands_up_once_there_is() {
    for floor in 20..30 {
        let ceiling = floor + 6;
        let lid = Brush::cells(Cell::new(10, ceiling, 10), Cell::new(22, ceiling, 22));
        let mut world = world_of(|cell| cell.y < floor);
        let mut crowd = Crowd::new();
        let id = crowd.add(standing(16.3, floor, [1.0, 3.5]));
        let rest = Intent::walk(Vector3::zeros());
        play(&mut crowd, &world, (id, rest.crouching()), 60);
        world.edit(&lid, Mode::Set, Material::STONE);
        assert_eq!(play(&mut crowd, &world, (id, rest), 60), 0);
        assert!(crowd.is_crouched(id));
        world.edit(&lid, Mode::Carve, Material::AIR);
        play(&mut crowd, &world, (id, rest), 10);
        assert!(!crowd.is_crouched(id), "floor {floor}");
    }
}
