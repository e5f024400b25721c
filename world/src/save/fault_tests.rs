//! Stores that fail, misread, or are damaged where it matters most: what is sound stays, and what is not is told.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use collision::Cell;

use super::codec::encode_entry;
use super::contents::Contents;
use super::header::{HEADER_KEY, MATERIALS_KEY};
use super::tests::{ball, spawn_cell};
use super::*;
use crate::Mode;
use crate::history::Author;
use crate::material::{Material, MaterialInfo};
use crate::world::World;

fn change(table: Table, key: &[u8], value: Option<Vec<u8>>) -> StoreChange {
    let key = key.to_vec();
    StoreChange { table, key, value }
}

/// Alters the bytes of every record of a table.
fn alter(store: &dyn Store, table: Table, alter: impl Fn(&mut Vec<u8>)) {
    let mut changes = Vec::new();
    let altered = |key: &[u8], value: &[u8]| {
        let mut value = value.to_vec();
        alter(&mut value);
        change(table, key, Some(value))
    };
    let visit = store.visit(table, &mut |key, value| changes.push(altered(key, value)));
    visit.unwrap();
    assert!(!changes.is_empty());
    store.commit(&changes).unwrap();
}

/// Alters one record.
fn break_record(store: &dyn Store, table: Table, key: &[u8]) {
    let mut value = store.get(table, key).unwrap().unwrap();
    let middle = value.len() / 2;
    value[middle] ^= 1;
    store.commit(&[change(table, key, Some(value))]).unwrap();
}

#[test]
fn the_commit_number_of_a_damaged_record_does_not_count() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
    let mut world = World::create_in(store.clone(), 3).unwrap();
    let cell = spawn_cell(&world);
    world.edit(&ball(cell, 5.0), Mode::Set, Material::BRICK);
    drop(world);
    alter(&*store, Table::Chunks, |value| value[..20].fill(0xff));
    for material in [Material::GOLD, Material::LAMP] {
        let mut world = World::open_store(store.clone()).unwrap();
        world.set_voxel(cell, material);
        assert_eq!(world.flush(), Ok(()));
        drop(world);
        let commits = Contents::read(&*store).unwrap().progress.commits;
        assert!((2..100).contains(&commits), "{commits}");
    }
}

#[test]
fn an_edit_of_the_last_number_is_set_aside() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
    let mut world = World::create_in(store.clone(), 3).unwrap();
    let cell = spawn_cell(&world);
    world.set_voxel(cell, Material::GOLD);
    let mut entry = world.history().entries().next().unwrap().clone();
    entry.sequence = u64::MAX;
    let sealed = encode_entry(&entry, &MaterialNames::of(world.materials()), 1);
    drop(world);
    let last = change(Table::History, &[0xff; 8], Some(sealed));
    store.commit(&[last]).unwrap();
    let mut world = World::open_store(store).unwrap();
    let damaged = world.save_status().damaged;
    assert!(damaged.iter().any(|it| it.part == Part::Edit(u64::MAX)));
    world.set_voxel(cell, Material::LAMP);
    world.set_voxel(cell, Material::BRICK);
    world.undo(Author::default()).unwrap();
    assert_eq!(world.material(cell), Some(Material::LAMP));
    assert_eq!(world.flush(), Ok(()));
}

/// A saved world with a material of its own in one cell.
fn with_jade() -> (Arc<dyn Store>, Cell) {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
    let mut world = World::create_in(store.clone(), 3).unwrap();
    let cell = spawn_cell(&world);
    let jade = MaterialInfo::solid("jade", [0, 160, 90]);
    let jade = world.materials_mut().add(jade).unwrap();
    world.set_voxel(cell, jade);
    (store, cell)
}

fn name_at(world: &World, cell: Cell) -> &str {
    let material = world.material(cell).unwrap();
    &world.materials().info(material).name
}

#[test]
fn a_damaged_copy_of_the_head_is_written_again() {
    for key in [HEADER_KEY, MATERIALS_KEY] {
        for table in [Table::Header, Table::Spare] {
            let (store, cell) = with_jade();
            break_record(&*store, table, key);
            let world = World::open_store(store.clone()).unwrap();
            assert_eq!(name_at(&world, cell), "jade");
            let damaged = world.save_status().damaged;
            assert!(damaged.iter().all(|it| it.part == Part::Header));
            assert_eq!(damaged.len(), 1);
            let copies = [Table::Header, Table::Spare].map(|table| store.get(table, key).unwrap());
            assert!(copies[0] == copies[1], "{table:?}");
            drop(world);
            let world = World::open_store(store).unwrap();
            assert_eq!(world.save_status().damaged, []);
        }
    }
}

#[test]
fn without_any_list_of_materials_they_are_known_by_the_records_that_name_them() {
    let (store, cell) = with_jade();
    for table in [Table::Header, Table::Spare] {
        break_record(&*store, table, MATERIALS_KEY);
    }
    let mut world = World::open_store(store.clone()).unwrap();
    assert_eq!(name_at(&world, cell), "jade");
    assert!(!world.save_status().damaged.is_empty());
    assert!(world.undo(Author::default()).is_some());
    world.redo(Author::default()).unwrap();
    drop(world);
    let world = World::open_store(store).unwrap();
    assert_eq!(name_at(&world, cell), "jade");
    assert_eq!(world.save_status().damaged, []);
}

#[test]
fn a_header_that_is_missing_is_read_from_its_copy() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
    drop(World::create_in(store.clone(), 3).unwrap());
    let missing = change(Table::Header, HEADER_KEY, None);
    store.commit(&[missing]).unwrap();
    let refused = World::create_in(store.clone(), 5).err();
    let (found, wanted) = (3, 5);
    assert_eq!(refused, Some(SaveError::OtherSeed { found, wanted }));
    let world = World::open_store(store.clone()).unwrap();
    assert_eq!(world.seed(), Some(3));
    assert!(store.get(Table::Header, HEADER_KEY).unwrap().is_some());
}
