//! The contents of points, in terrain and in free objects.
#![allow(clippy::unwrap_used)]

use super::tests::{Dice, body, scattered, stone};
use crate::kd_tree::CellBox;
use crate::material::{Material, MaterialTable};
use crate::world::World;
use collision::mover::{MoverConfig, Scratch, slide};
use collision::{Around, Cell, Contents, Memory, Position, Terrain};
use nalgebra::{Point3, Vector3};

#[test]
fn what_is_solid_is_so_in_a_liquid_too() {
    let bounds = CellBox::new(Cell::zeros(), Cell::repeat(31));
    let mut world = World::from_voxels(bounds, |_| Material::WATER);
    let corner = Position::new(Cell::repeat(8), Vector3::zeros());
    let _added = world.add_object(corner, 1.0, Vector3::repeat(1), |_| Material::STONE);
    for (aside, solid) in [(0.9, true), (1.1, false)] {
        let at = corner.moved(Vector3::new(0.5, 0.5, aside));
        let contents = world.contents(&at, &Memory::default());
        assert_eq!((contents.solid, contents.liquid), (solid, true));
    }
}

#[test]
fn objects_that_overlap_are_the_same_in_any_order() {
    let bounds = CellBox::new(Cell::zeros(), Cell::repeat(31));
    let corner = Position::new(Cell::repeat(8), Vector3::zeros());
    let told = |materials: [Material; 2]| {
        let mut world = World::from_voxels(bounds, |_| Material::AIR);
        for material in materials {
            world
                .add_object(corner, 1.0, Vector3::repeat(2), |_| material)
                .unwrap();
        }
        world.contents(&corner.moved(Vector3::repeat(0.5)), &Memory::default())
    };
    let contents = told([Material::WATER, Material::LADDER]);
    assert!(contents.liquid && contents.climbable && !contents.solid);
    assert_eq!(contents, told([Material::LADDER, Material::WATER]));
}

#[test]
fn what_can_be_swum_or_climbed_in_is_never_missed() {
    let mut dice = Dice(3);
    let bounds = CellBox::new(Cell::repeat(-8), Cell::repeat(71));
    let mut world = World::from_voxels(bounds, |cell| match cell.x {
        32.. if scattered(7, 0.02, cell) => Material::WATER,
        _ => stone(scattered(5, 0.3, cell)),
    });
    let origin = Position::from_metres(Point3::new(3.0, 3.0, 3.0));
    let trough = |cell: Cell| [Material::WATER, Material::AIR][(cell.x & 1) as usize];
    world
        .add_object(origin, 0.5, Vector3::repeat(8), |x| {
            trough(x.map(|part| part as i32))
        })
        .unwrap();
    let palette = [
        Material::AIR,
        Material::STONE,
        Material::WATER,
        Material::LADDER,
    ];
    let mut closed = 0;
    for _ in 0..40 {
        let corner = dice.vector().map(|part| (part * 40.0) as i32 + 32);
        let material = palette[(dice.bits() % 4) as usize];
        world.write(|writer| {
            for index in 0..27 {
                let step = Cell::new(index % 3, index / 3 % 3, index / 9);
                writer.set(corner + step, material);
            }
        });
        // A memory of one place is used at others as well.
        let mut memory = Memory::default();
        for _ in 0..200 {
            let at = (dice.vector() * 42.0).cast::<f64>() + Vector3::repeat(31.5);
            let near = corner.cast::<f64>() + dice.vector().cast::<f64>() * 4.0;
            for point in [at, near] {
                let at = Position::from_metres(point.into());
                let contents = world.contents(&at, &Memory::default());
                assert_eq!(contents, world.contents(&at, &memory), "{at:?}");
                let terrain = world.material(at.cell);
                let voxel = at.since(&origin) / 0.5;
                let inside = voxel.iter().all(|part| (0.0..8.0).contains(part));
                let object = if inside {
                    trough(voxel.map(|part| part as i32))
                } else {
                    Material::AIR
                };
                let of = |is: fn(&MaterialTable, Material) -> bool| {
                    let of = |material| is(world.materials(), material);
                    terrain.is_some_and(|material| of(material) || of(object))
                };
                let right = Contents {
                    loaded: terrain.is_some(),
                    solid: terrain.is_none() || of(MaterialTable::is_solid),
                    liquid: of(MaterialTable::is_liquid),
                    climbable: of(MaterialTable::is_climbable),
                };
                assert_eq!(contents, right, "{at:?}");
                closed += usize::from(right.liquid || right.climbable);
                let config = MoverConfig::default();
                let around = Around::terrain(&world, &config);
                let (mut walker, mut scratch) = (body(point.into()), Scratch::default());
                let way = Vector3::new(0.1, 0.0, 0.0);
                slide(&around, &mut walker, way, &mut memory, &mut scratch);
            }
        }
    }
    assert!(closed > 100, "{closed}");
}

#[test]
fn objects_fill_a_point_together_with_the_terrain() {
    let bounds = CellBox::new(Cell::zeros(), Cell::repeat(31));
    let mut world = World::from_voxels(bounds, |_| Material::WATER);
    let corner = Position::new(Cell::repeat(8), Vector3::zeros());
    let added = world.add_object(corner, 1.0, Vector3::repeat(1), |_| Material::LADDER);
    added.unwrap();
    let contents = |x: f32| {
        let at = corner.moved(Vector3::new(x, 0.5, 0.5));
        world.contents(&at, &Memory::default())
    };
    let inside = contents(0.5);
    assert!(inside.liquid && inside.climbable && !inside.solid);
    let beside = contents(1.5);
    assert!(beside.liquid && !beside.climbable);
}
