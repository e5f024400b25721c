//! Free objects are saved, restored, undone, removed, and reported if damaged.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use collision::{Cell, Position};
use nalgebra::Vector3;

use super::*;
use crate::history::Author;
use crate::material::Material;
use crate::object::{ObjectId, ObjectKey};
use crate::world::World;

const EXTENT: Vector3<u32> = Vector3::new(40, 3, 5);

fn origin() -> Position {
    Position::new(Cell::new(-9, 4, 1 << 30), Vector3::new(0.25, 0.5, 0.75))
}

fn pattern(at: Vector3<u32>) -> Material {
    Material(((at.x * 7 + at.y * 3 + at.z) % 5) as u16)
}

fn picture(world: &World, id: ObjectId) -> Vec<Material> {
    let bricks = world.object(id).unwrap().bricks().iter();
    let (mut all, mut one) = (Vec::new(), Vec::new());
    for &brick in bricks {
        world.brick(brick).voxels().read_all(&mut one);
        all.append(&mut one);
    }
    all
}

/// Returns a store with one object that was edited once, its key, and its voxels before and after
/// the edit.
fn saved() -> (Arc<dyn Store>, ObjectKey, [Vec<Material>; 2]) {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
    let mut world = World::create_in(store.clone(), 3).unwrap();
    world
        .add_passing_object(origin(), 1.0, EXTENT, pattern)
        .unwrap();
    let id = world.add_object(origin(), 0.05, EXTENT, pattern).unwrap();
    let before = picture(&world, id);
    let report = world.transact(Author(1), |writer| {
        writer.set_in_object(id, Vector3::new(39, 2, 4), Material::LAMP);
        writer.set(Cell::new(0, 3, 0), Material::GOLD);
    });
    assert_eq!(report.objects, [id]);
    assert!(world.move_object(id, Vector3::new(1.5, 0.0, 0.0)));
    let (after, key) = (picture(&world, id), world.object(id).unwrap().key());
    drop(world);
    (store, key, [before, after])
}

#[test]
fn objects_come_back_and_edits_in_them_are_undone() {
    let (store, key, [before, after]) = saved();
    let mut world = World::open_store(store.clone()).unwrap();
    assert_eq!(world.objects().count(), 1, "the passing one is gone");
    let id = world.object_by_key(key).unwrap();
    let object = world.object(id).unwrap();
    let moved = origin().moved(Vector3::new(1.5, 0.0, 0.0));
    assert_eq!((*object.origin(), object.voxel_size()), (moved, 0.05));
    assert_eq!(object.extent(), EXTENT);
    assert!(picture(&world, id) == after);
    let terrain = Cell::new(0, 3, 0);
    assert_eq!(world.material(terrain), Some(Material::GOLD));
    assert_eq!(world.undo(Author(1)).unwrap().voxels, 2);
    assert!(picture(&world, id) == before);
    drop(world);
    let mut world = World::open_store(store.clone()).unwrap();
    let id = world.object_by_key(key).unwrap();
    assert!(picture(&world, id) == before);
    world.redo(Author(1)).unwrap();
    assert!(picture(&world, id) == after);
    // A removed object is lost for good: undo finds nothing, and its key is not used again.
    assert!(world.remove_object(id));
    drop(world);
    for table in [Table::Objects, Table::ObjectChunks] {
        assert_eq!(store.count(table), Ok(Some(0)));
    }
    let mut world = World::open_store(store).unwrap();
    let other = world.add_object(origin(), 1.0, EXTENT, pattern).unwrap();
    assert!(world.object(other).unwrap().key() > key);
    let undone = world.undo(Author(1)).unwrap();
    assert_eq!((undone.voxels, undone.missed), (1, 1));
    assert!(picture(&world, other) == before);
}

#[test]
fn damaged_objects_are_reported_and_the_rest_opens() {
    for table in [Table::Objects, Table::ObjectChunks] {
        let (store, key, [_, after]) = saved();
        let mut first = None;
        store
            .visit(table, &mut |key, sealed| {
                first.get_or_insert((key.to_vec(), sealed.to_vec()));
            })
            .unwrap();
        let (record, mut sealed) = first.unwrap();
        *sealed.last_mut().unwrap() ^= 8;
        let value = Some(sealed);
        let change = StoreChange {
            table,
            key: record,
            value,
        };
        store.commit(&[change]).unwrap();
        let world = World::open_store(store).unwrap();
        let damaged = world.save_status().damaged;
        let found = world.object_by_key(key);
        if table == Table::Objects {
            assert_eq!(found, None);
            assert_eq!(damaged[0].part, Part::Object(key));
        } else {
            let part = Part::ObjectChunk(key, Cell::zeros());
            assert_eq!(damaged[0].part, part);
            let seen = picture(&world, found.unwrap());
            assert!(seen[..32768].iter().all(|&voxel| voxel == Material::AIR));
            assert!(seen[32768..] == after[32768..]);
        }
        assert_eq!(world.material(Cell::new(0, 3, 0)), Some(Material::GOLD));
    }
}

#[test]
fn edits_in_a_passing_object_are_not_saved_until_it_is_kept() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
    let mut world = World::create_in(store.clone(), 3).unwrap();
    let passing = world
        .add_passing_object(origin(), 1.0, EXTENT, pattern)
        .unwrap();
    let edit = |world: &mut World, terrain: bool| {
        world.transact(Author(1), |writer| {
            writer.set_in_object(passing, Vector3::new(1, 1, 1), Material::LAMP);
            writer.set_in_object(
                passing,
                Vector3::new(2, 2, 2),
                Material(20 + u16::from(terrain)),
            );
            if terrain {
                writer.set(Cell::new(0, 3, 0), Material::GOLD);
            }
        });
        world.flush().unwrap();
    };
    edit(&mut world, false);
    assert_eq!(store.count(Table::History), Ok(Some(0)));
    edit(&mut world, true);
    let saved = World::open_store(store.clone()).unwrap();
    let entries: Vec<_> = saved.history().entries().collect();
    assert_eq!((entries.len(), entries[0].changes().len()), (1, 1));
    assert_eq!(entries[0].changes()[0].place.object, None);
    drop(saved);
    // When the object is kept again, its history is saved too.
    let key = world.object(passing).unwrap().key();
    world.set_keeping(passing, crate::object::Keeping::Kept);
    world.flush().unwrap();
    let mut saved = World::open_store(store).unwrap();
    assert_eq!(saved.history().entries().count(), 2);
    while saved.undo(Author(1)).is_some() {}
    let mut fresh = World::default();
    let twin = fresh
        .add_passing_object(origin(), 1.0, EXTENT, pattern)
        .unwrap();
    let found = saved.object_by_key(key).unwrap();
    assert!(picture(&saved, found) == picture(&fresh, twin));
}

#[test]
fn keys_are_never_given_twice() {
    let last = ObjectKey::from_number(u64::from(u32::MAX)).unwrap();
    assert_eq!(last.next().number(), (1 << 32) + 1);
    assert!(last.next() > last);
    assert_eq!(ObjectKey::from_number(1 << 32), None);
}
