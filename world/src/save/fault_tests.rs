//! Stores that fail, misread, or are damaged at critical places: sound parts stay, losses are
//! reported.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use collision::Cell;
use redb::{Database, TableDefinition};

use super::codec::encode_entry;
use super::contents::{Contents, PROGRESS_KEY};
use super::header::{HEADER_KEY, MATERIALS_KEY};
use super::tests::{Scratch, ball, spawn_cell};
use super::*;
use crate::history::Author;
use crate::kd_tree::CellBox;
use crate::material::{Material, MaterialInfo};
use crate::world::World;
use crate::{Mode, StreamSettings, Viewer};

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

/// Returns a saved world with a custom material in one cell.
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

/// A store that misreads chunks `misreads` times, and cannot read them while `failing`.
#[derive(Default)]
struct Misreading {
    inner: Arc<MemoryStore>,
    misreads: AtomicUsize,
    failing: AtomicBool,
}

impl Store for Misreading {
    fn get(&self, table: Table, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        let mut found = self.inner.get(table, key)?;
        if table != Table::Chunks {
            return Ok(found);
        }
        if self.failing.load(Ordering::SeqCst) {
            return Err(StoreError::Io("the disk is gone".to_owned()));
        }
        if let Some(value) = &mut found
            && self.misreads.load(Ordering::SeqCst) > 0
        {
            self.misreads.fetch_sub(1, Ordering::SeqCst);
            value[9] ^= 1;
        }
        Ok(found)
    }

    fn visit(&self, table: Table, visit: &mut dyn FnMut(&[u8], &[u8])) -> Result<(), StoreError> {
        self.inner.visit(table, visit)
    }

    fn commit(&self, changes: &[StoreChange]) -> Result<(), StoreError> {
        self.inner.commit(changes)
    }
}

/// Saves a world with one edit so far from the spawn that opening does not load it, and returns its
/// cell.
fn edited_afar(store: &Misreading) -> Cell {
    let mut world = World::create_in(store.inner.clone(), 3).unwrap();
    let far = spawn_cell(&world) + Cell::new(500, 0, 0);
    world.load(&CellBox::new(far, far)).unwrap();
    world.set_voxel(far, Material::GOLD);
    far
}

#[test]
fn a_record_that_was_misread_is_not_removed() {
    let store = Arc::new(Misreading::default());
    let far = edited_afar(&store);
    store.misreads.store(1, Ordering::SeqCst);
    let mut world = World::open_store(store.clone()).unwrap();
    world.load(&CellBox::new(far, far)).unwrap();
    assert_eq!(world.save_status().damaged.len(), 1);
    world.flush().unwrap();
    drop(world);
    let mut world = World::open_store(store.inner.clone()).unwrap();
    world.load(&CellBox::new(far, far)).unwrap();
    assert_eq!(world.material(far), Some(Material::GOLD));
    assert_eq!(world.save_status().damaged, []);
}

fn stream_about(world: &mut World, cell: Cell) {
    let viewer = Viewer {
        position: collision::Position::new(cell, nalgebra::Vector3::repeat(0.5)),
        look: nalgebra::Vector3::x(),
        reach: 48.0,
    };
    world.stream_wholly(&[viewer], &StreamSettings::default());
}

#[test]
fn a_chunk_that_the_store_does_not_give_is_told() {
    let store = Arc::new(Misreading::default());
    let far = edited_afar(&store);
    let mut world = World::open_store(store.clone()).unwrap();
    store.failing.store(true, Ordering::SeqCst);
    stream_about(&mut world, far);
    assert_eq!(world.material(far), None);
    let part = Part::Chunk(crate::space::chunk_of(far));
    let damaged = world.save_status().damaged;
    assert!(damaged.iter().any(|it| it.part == part), "{damaged:?}");
}

#[test]
fn one_chunk_that_the_store_does_not_give_leaves_the_rest_about_the_start() {
    let store = Arc::new(Misreading::default());
    let mut world = World::create_in(store.inner.clone(), 3).unwrap();
    let cell = spawn_cell(&world);
    let beside = cell + Cell::new(64, 0, 0);
    world.set_voxel(beside, Material::GOLD);
    drop(world);
    store.failing.store(true, Ordering::SeqCst);
    let world = World::open_store(store).unwrap();
    assert_eq!(world.material(beside), None);
    assert!(world.material(cell).is_some());
    assert_eq!(world.save_status().damaged.len(), 1);
}

/// Returns a file in which every commit fails, because one of its tables has other types.
fn stubborn(file: &Scratch) -> DiskStore {
    let database = Database::create(&file.0).unwrap();
    let other: TableDefinition<u64, u64> = TableDefinition::new(Table::Spare.name());
    let write = database.begin_write().unwrap();
    write.open_table(other).unwrap().insert(1, 1).unwrap();
    write.commit().unwrap();
    drop(database);
    DiskStore::open(&file.0).unwrap()
}

#[test]
fn a_file_stays_locked_when_a_commit_fails() {
    let file = Scratch::new("stays-locked");
    let store = stubborn(&file);
    assert!(store.commit(&[]).is_err());
    let second = DiskStore::open(&file.0).err();
    assert_eq!(second, Some(StoreError::InUse(file.0.clone())));
    assert_eq!(store.get(Table::Chunks, b"none"), Ok(None));
}

#[test]
fn a_file_that_another_program_wrote_to_is_not_written_over() {
    for others in [0, 1] {
        let (file, away) = (Scratch::new("foreign"), Scratch::new("foreign-away"));
        let store = stubborn(&file);
        // The file cannot be reopened at once.
        std::fs::rename(&file.0, &away.0).unwrap();
        assert!(store.commit(&[]).is_err());
        std::fs::rename(&away.0, &file.0).unwrap();
        let database = Database::create(&file.0).unwrap();
        let write = database.begin_write().unwrap();
        let spare: TableDefinition<u64, u64> = TableDefinition::new(Table::Spare.name());
        assert!(write.delete_table(spare).unwrap());
        let header: TableDefinition<&[u8], &[u8]> = TableDefinition::new(Table::Header.name());
        let mut table = write.open_table(header).unwrap();
        for _ in 0..others {
            table.insert(PROGRESS_KEY, &b"of another"[..]).unwrap();
        }
        drop(table);
        write.commit().unwrap();
        drop(database);
        let result = store.commit(&[change(Table::Chunks, b"key", Some(vec![1]))]);
        assert_eq!(result.is_ok(), others == 0, "{result:?}");
        // The contents stay readable, so that they can be saved elsewhere.
        let found = store.get(Table::Chunks, b"key").unwrap();
        assert_eq!(found.is_some(), others == 0);
    }
}

#[test]
fn a_file_that_was_hardly_begun_becomes_a_world() {
    let file = Scratch::new("hardly-begun");
    let store = DiskStore::create(&file.0).unwrap();
    let mut begun = std::fs::read(&file.0).unwrap();
    drop(store);
    // redb writes its magic number last.
    begun[..9].fill(0);
    for bytes in [Vec::new(), vec![0; begun.len()], begun] {
        std::fs::write(&file.0, &bytes).unwrap();
        let world = World::create(&file.0, 3).unwrap();
        assert_eq!(world.seed(), Some(3), "{} bytes", bytes.len());
    }
    // A file that holds something stays unchanged.
    let mut bytes = std::fs::read(&file.0).unwrap();
    bytes[..9].fill(0);
    std::fs::write(&file.0, &bytes).unwrap();
    assert!(World::create(&file.0, 3).is_err());
    assert!(std::fs::read(&file.0).unwrap() == bytes);
}
