//! Stores that fail, misread, or are damaged where it matters most: what is sound stays, and what is not is told.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use super::codec::encode_entry;
use super::contents::Contents;
use super::tests::{ball, spawn_cell};
use super::*;
use crate::Mode;
use crate::history::Author;
use crate::material::Material;
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
