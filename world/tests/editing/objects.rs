//! Edits of free objects: every mode voxel by voxel, with undo, and no changes beyond their extent.

use collision::{Cell, Position};
use nalgebra::{Point3, Vector3};
use proptest::prelude::*;
use world::{Author, Brush, EditError, Material, Mode, ObjectId, World};

use crate::modes::{about, becomes, blob, mode};
use crate::shapes::{brush, oracle};

/// Several chunks, the last of them partly used.
const EXTENT: [u32; 3] = [70, 40, 33];

/// Makes an object whose voxel coordinates the test's brushes use.
fn object_of(world: &mut World, seed: u64) -> ObjectId {
    let extent = Vector3::from(EXTENT);
    let origin = Position::new(Cell::new(5, -3, 800), Vector3::new(0.5, 0.25, 0.125));
    let blob = |at: Vector3<u32>| blob(seed, at.cast());
    world.add_object(origin, 0.5, extent, blob).unwrap()
}

fn inside(cell: Cell) -> bool {
    (0..3).all(|axis| (0..EXTENT[axis] as i32).contains(&cell[axis]))
}

fn voxel(world: &World, id: ObjectId, cell: Cell) -> Material {
    let object = world.object(id).unwrap();
    let brick = object.brick_at(cell.map(|part| part >> 5)).unwrap();
    let [x, y, z] = [cell.x, cell.y, cell.z].map(|part| (part & 31) as usize);
    world.brick(brick).material(x, y, z)
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(128)
    })]

    #[test]
    fn every_mode_does_to_each_voxel_of_an_object_what_it_says(
        brush in brush(),
        mode in mode(),
        what in 1u16..6,
        seed: u64,
    ) {
        let what = Material(what);
        let mut world = World::default();
        let id = object_of(&mut world, seed);
        let was = |cell: Cell| if inside(cell) { blob(seed, cell) } else { Material::AIR };
        let report = world.edit_object_as(Author(1), id, &brush, mode, what);
        prop_assert_eq!(&report.refused, &None);
        let mut changed = 0;
        for index in 0..EXTENT.iter().product() {
            let [width, height, _] = EXTENT;
            let (x, rest) = (index % width, index / width);
            let cell = Vector3::new(x, rest % height, rest / height).cast();
            let (within, slack) = oracle(&brush, cell);
            let within = if slack <= 1e-4 { brush.contains(cell) } else { within };
            let near = || about(cell).map(was).collect();
            let wanted = if within { becomes(mode, what, was(cell), near) } else { was(cell) };
            let is = voxel(&world, id, cell);
            changed += u64::from(was(cell) != is);
            prop_assert_eq!(is, wanted, "{:?} was {:?}", cell, was(cell));
        }
        prop_assert_eq!(report.voxels, changed);
        prop_assert_eq!(report.objects.len(), usize::from(changed > 0));
        prop_assert!(report.chunks.is_empty());
        world.undo(Author(1));
        for index in 0..EXTENT.iter().product() {
            let [width, height, _] = EXTENT;
            let (x, rest) = (index % width, index / width);
            let cell = Vector3::new(x, rest % height, rest / height).cast();
            prop_assert_eq!(voxel(&world, id, cell), was(cell));
        }
    }
}

#[test]
fn places_in_the_world_are_found_among_the_voxels() {
    let mut world = World::default();
    let id = object_of(&mut world, 1);
    world.move_object(id, Vector3::new(1.0, 0.0, 0.0));
    // The centre of voxel (3, 1, 4), which is half a metre wide.
    let middle = Point3::new(5.5 + 1.0 + 1.75, -2.75 + 0.75, 800.125 + 2.25);
    let at = world
        .object(id)
        .unwrap()
        .to_voxels(&Position::from_metres(middle));
    assert_eq!(at, Position::new(Cell::new(3, 1, 4), Vector3::repeat(0.5)));
}

#[test]
fn what_is_no_object_and_what_is_no_brush_is_refused() {
    let mut world = World::default();
    let id = object_of(&mut world, 1);
    let author = Author(1);
    let nowhere = Brush::sphere(Position::default(), f32::NAN);
    let refused = world.edit_object_as(author, id, &nowhere, Mode::Carve, Material::AIR);
    assert_eq!(refused.refused, Some(EditError::Shape));
    // This brush is larger than any edit of terrain may be.
    let all = Brush::cells(Cell::repeat(i32::MIN), Cell::repeat(i32::MAX));
    let carved = world.edit_object_as(author, id, &all, Mode::Set, Material::GOLD);
    assert_eq!((carved.refused, carved.missed > 0), (None, true));
    assert!(world.remove_object(id));
    let gone = world.edit_object_as(author, id, &all, Mode::Carve, Material::AIR);
    assert_eq!(gone.refused, Some(EditError::NoObject));
}
