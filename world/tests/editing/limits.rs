//! Impossible edits change nothing partially, and lose no edits of others.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};

use collision::{Cell, Position};
use nalgebra::Vector3;
use world::{
    Author, Brush, CellBox, Clipboard, EditError, Face, Material, MaterialInfo, Mode, PasteMode,
    Ray, World,
};

fn flat() -> World {
    let bounds = CellBox::new(Cell::repeat(-32), Cell::repeat(31));
    World::from_voxels(bounds, |cell| match cell.y < 0 {
        true => Material::STONE,
        false => Material::AIR,
    })
}

#[test]
fn edit_larger_than_the_history_leaves_the_others_in_it() {
    let mut world = flat();
    world.set_history_budget(4 << 10);
    for x in 0..5 {
        let cell = Cell::new(x, 3, 0);
        world.edit_as(Author(2), &Brush::voxel(cell), Mode::Set, Material::GOLD);
    }
    let all = Brush::cells(Cell::repeat(-20), Cell::new(20, 3, 20));
    let large = world.edit_as(Author(1), &all, Mode::Set, Material::GLASS);
    assert_eq!(
        (large.voxels, large.sequence, &large.refused),
        (41 * 24 * 41, None, &None)
    );
    assert!(world.undo(Author(1)).is_none());
    assert_eq!(world.history().entries().count(), 5);
    // Overwritten voxels stay, the rest is undone.
    world.set_voxel(Cell::new(4, 3, 0), Material::GOLD);
    for _ in 0..5 {
        assert!(world.undo(Author(2)).is_some());
    }
    let row = (0..5).map(|x| world.material(Cell::new(x, 3, 0)).unwrap());
    let glass = [Material::GLASS; 4];
    assert_eq!(
        row.collect::<Vec<_>>(),
        [&glass[..], &[Material::GOLD]].concat()
    );
    assert!(world.history().bytes() <= 4 << 10);
}

#[test]
fn materials_that_the_world_does_not_have_are_refused() {
    let mut world = flat();
    let next = Material(world.materials().len() as u16);
    let cell = Cell::new(0, 3, 0);
    let refused = Some(EditError::Material(next.0));
    assert_eq!(world.set_voxel(cell, next).refused, refused);
    let flood = world.flood_fill(Author(1), cell, next, 100);
    assert_eq!((flood.refused, flood.voxels), (refused, 0));
    let mixed = Clipboard::from_fn(Vector3::new(2, 1, 1), |at| {
        [next, Material::GOLD][at.x as usize]
    });
    let pasted = world.paste(Author(1), &mixed.unwrap(), cell, PasteMode::All);
    assert_eq!((pasted.voxels, pasted.missed), (1, 1));
    let written = world.write(|writer| writer.set(cell, next));
    assert_eq!((written.voxels, written.missed), (0, 1));
    assert_eq!(world.material(cell), Some(Material::AIR));
    let object = world.add_object(Position::default(), 0.5, Vector3::repeat(2), |_| next);
    let object = world.object(object.unwrap()).unwrap();
    assert_eq!(
        world.brick(object.bricks()[0]).material(0, 0, 0),
        Material::AIR
    );
    // Carving needs no known material.
    let carved = world.edit(&Brush::voxel(Cell::new(0, -1, 0)), Mode::Carve, next);
    assert_eq!(carved.voxels, 1);
    let marble = world
        .materials_mut()
        .add(MaterialInfo::solid("marble", [250; 3]));
    assert_eq!(marble.unwrap(), next);
    assert_eq!(world.set_voxel(cell, next).voxels, 1);
    let down = Ray {
        origin: Position::new(cell + Cell::new(0, 9, 0), Vector3::repeat(0.5)),
        direction: -Vector3::y(),
    };
    assert_eq!(world.cast_ray(&down, 99.0).unwrap().voxel, cell);
}

#[test]
fn writes_that_panic_are_taken_back() {
    for many in [3, 60] {
        let mut world = flat();
        let fresh = flat();
        let panics = catch_unwind(AssertUnwindSafe(|| {
            world.transact(Author(1), |writer| {
                for x in 0..many {
                    writer.set(Cell::new(x - 30, 5, 0), Material::STONE);
                    writer.set(Cell::new(x - 30, 5, 0), Material::GOLD);
                    writer.set(Cell::new(x - 30, -1, 0), Material::AIR);
                }
                std::panic::resume_unwind(Box::new("on purpose"));
            });
        }));
        assert_eq!(panics.unwrap_err().downcast_ref(), Some(&"on purpose"));
        assert_eq!(world.history().entries().count(), 0);
        for ((chunk, id), (_, other)) in world.loaded_chunks().zip(fresh.loaded_chunks()) {
            let (brick, untouched) = (world.brick(id), fresh.brick(other));
            assert_eq!(brick.voxels(), untouched.voxels(), "{chunk}");
            for face in Face::ALL {
                let quads = |brick: &world::Brick| {
                    let quads = brick.collision_surface().facing(face).iter();
                    let places = quads.map(|quad| {
                        (
                            quad.layer(),
                            quad.u(),
                            quad.v(),
                            quad.width(),
                            quad.height(),
                        )
                    });
                    places.collect::<BTreeSet<_>>()
                };
                assert_eq!(quads(brick), quads(untouched), "{chunk} {face:?}");
            }
        }
        // The world can still be edited.
        assert_eq!(
            world
                .set_voxel(Cell::new(-20, 5, 0), Material::STONE)
                .voxels,
            1
        );
    }
}
