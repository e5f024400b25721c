//! Saving and opening of worlds, also of damaged, newer, older and locked ones.
#![allow(clippy::unwrap_used)]

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use collision::{Cell, Position};
use nalgebra::Vector3;

use super::codec::MaterialNames;
use super::contents::Contents;
use super::*;
use crate::chunk::Voxels;
use crate::generate::{GENERATOR_VERSION, Generator};
use crate::history::Author;
use crate::kd_tree::CellBox;
use crate::material::{Material, MaterialInfo};
use crate::space::ChunkPosition;
use crate::world::World;
use crate::world::{Copying, look_first};
use crate::{Brush, Mode};

/// A file that is deleted at the end of its test.
pub(super) struct Scratch(pub(super) PathBuf);

impl Scratch {
    pub(super) fn new(name: &str) -> Self {
        let name = format!("world-test-{}-{name}.world", std::process::id());
        let path = std::env::temp_dir().join(name);
        let _ = std::fs::remove_file(&path);
        Self(path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

pub(super) fn ball(cell: Cell, radius: f32) -> Brush {
    Brush::sphere(Position::new(cell, Vector3::repeat(0.5)), radius)
}

pub(super) fn spawn_cell(world: &World) -> Cell {
    Cell::from(world.spawn().unwrap().cell)
}

/// Returns all materials of the loaded chunks around a cell.
fn picture(world: &mut World, middle: Cell) -> Vec<Material> {
    let reach = Cell::repeat(24);
    world
        .load(&CellBox::new(middle - reach, middle + reach))
        .unwrap();
    let mut all = Vec::new();
    for z in -24..24 {
        for y in -24..24 {
            all.extend((-24..24).map(|x| world.material(middle + Cell::new(x, y, z)).unwrap()));
        }
    }
    all
}

#[test]
fn edits_come_back_with_their_history() {
    let file = Scratch::new("reopen");
    let mut world = World::create(&file.0, 11).unwrap();
    let middle = spawn_cell(&world);
    let before = picture(&mut world, middle);
    world.edit(&ball(middle, 6.0), Mode::Carve, Material::AIR);
    world.edit_as(
        Author(2),
        &ball(middle + Cell::new(3, 0, 0), 4.0),
        Mode::Set,
        Material::BRICK,
    );
    let after = picture(&mut world, middle);
    drop(world);

    let mut world = World::open(&file.0).unwrap();
    assert_eq!(world.seed(), Some(11));
    assert!(picture(&mut world, middle) == after);
    assert!(world.undo(Author(2)).unwrap().voxels > 0);
    assert!(world.undo(Author::default()).unwrap().voxels > 0);
    assert!(picture(&mut world, middle) == before);
    drop(world);

    // An undone chunk equals the generator's and takes no room.
    assert_eq!(inspect(&file.0).unwrap().chunks, 0);
    let mut world = World::open(&file.0).unwrap();
    world.redo(Author::default()).unwrap();
    world.redo(Author(2)).unwrap();
    assert!(picture(&mut world, middle) == after);
}

#[test]
fn own_materials_come_back_by_name() {
    let file = Scratch::new("materials");
    let mut world = World::create(&file.0, 1).unwrap();
    let cell = spawn_cell(&world);
    world
        .materials_mut()
        .add(MaterialInfo::solid("jade", [0, 160, 90]))
        .unwrap();
    let marble = world
        .materials_mut()
        .add(MaterialInfo::solid("marble", [240; 3]))
        .unwrap();
    world.set_voxel(cell, marble);
    drop(world);
    let world = World::open(&file.0).unwrap();
    let found = world.material(cell).unwrap();
    assert_eq!(world.materials().info(found).name, "marble");
    assert_eq!(world.materials().info(found).colour, [240, 240, 240, 255]);
}

#[test]
fn materials_are_saved_without_an_edit() {
    let file = Scratch::new("early-materials");
    let jade = |name: &str| MaterialInfo::solid(name, [0, 160, 90]);
    let mut world = World::create(&file.0, 1).unwrap();
    let first = world.materials_mut().add(jade("my jade")).unwrap();
    world.flush().unwrap();
    let copy = Scratch::new("early-materials-flushed");
    std::fs::copy(&file.0, &copy.0).unwrap();
    // Dropping the world saves without a flush.
    let second = world.materials_mut().add(jade("my moss")).unwrap();
    drop(world);
    for (path, known) in [(&copy.0, 1), (&file.0, 2)] {
        let mut world = World::open(path).unwrap();
        let found = ["my jade", "my moss"].map(|name| world.materials().by_name(name));
        assert_eq!(found, [Some(first), (known == 2).then_some(second)]);
        let cell = spawn_cell(&world);
        world.set_voxel(cell, first);
        assert_eq!(world.material(cell), Some(first));
    }
}

#[test]
fn flush_and_close_write_nothing_where_nothing_is_new() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
    let mut world = World::create_in(store.clone(), 1).unwrap();
    let cell = spawn_cell(&world);
    world.set_voxel(cell, Material::GOLD);
    world.flush().unwrap();
    let commits = || Contents::read(&*store).unwrap().progress.commits;
    let before = commits();
    world.flush().unwrap();
    drop(world);
    assert_eq!(commits(), before);
}

/// A partial copy, left by a killed program, is not taken for a world.
#[test]
fn copy_is_no_world_before_all_of_it_is_written() {
    let file = Scratch::new("copied");
    let mut world = World::create(&file.0, 1).unwrap();
    let cell = spawn_cell(&world);
    world.edit(&ball(cell, 5.0), Mode::Set, Material::BRICK);
    world.flush().unwrap();
    world.set_voxel(cell, Material::GOLD);
    let check_whole = |whole: &World| {
        assert_eq!(whole.material(cell), Some(Material::GOLD));
        assert_eq!(whole.history().entries().count(), 2);
        assert_eq!(whole.save_status().damaged, []);
    };
    for copying in [Copying::ToKeep, Copying::ToGoOnWith] {
        let mut seen = 0;
        for _ in 0..8 {
            let copy = Scratch::new("copy-begun");
            let begun = world.copy_to(&copy.0, copying).unwrap();
            // In the states after a kill.
            while begun.saver.status().waiting > 0 {
                let left = Scratch::new("copy-left");
                if std::fs::copy(&copy.0, &left.0).is_err() {
                    continue;
                }
                match matches!(look_first(&left.0), Ok(Some(_))) {
                    // Written, but not told yet.
                    true => check_whole(&World::open(&left.0).unwrap()),
                    false => seen += 1,
                }
            }
            begun.saver.flush().unwrap();
            drop(begun);
            check_whole(&World::open(&copy.0).unwrap());
        }
        assert!(seen > 0, "{copying:?}");
    }
    // The error names a missing folder.
    let nowhere = std::env::temp_dir().join("no such folder/copy.world");
    let refused = world.backup(&nowhere).unwrap_err();
    assert_eq!(refused, SaveError::from(StoreError::NoFolder(nowhere)));
    // A file of a program killed before it wrote anything, or while it made the file, is
    // overwritten.
    for begun in [None, Some(vec![0; 1 << 20])] {
        let copy = Scratch::new("copy-blank");
        match begun {
            None => drop(DiskStore::create(&copy.0).unwrap()),
            Some(bytes) => std::fs::write(&copy.0, bytes).unwrap(),
        }
        world.backup(&copy.0).unwrap();
        let whole = World::open(&copy.0).unwrap();
        assert_eq!(whole.material(cell), Some(Material::GOLD));
    }
}

#[test]
fn backup_holds_the_world_of_its_beginning() {
    let (file, copy) = (Scratch::new("living"), Scratch::new("backup"));
    let mut world = World::create(&file.0, 1).unwrap();
    let cell = spawn_cell(&world);
    world.edit(&ball(cell, 5.0), Mode::Set, Material::BRICK);
    let backup = world.begin_backup(&copy.0).unwrap();
    world.set_voxel(cell, Material::GOLD);
    world.flush().unwrap();
    while !backup.is_written() {
        std::thread::yield_now();
    }
    backup.wait().unwrap();
    for (path, material) in [(&copy.0, Material::BRICK), (&file.0, Material::GOLD)] {
        drop(std::mem::replace(&mut world, World::generate(1)));
        let kept = World::open(path).unwrap();
        assert_eq!(kept.material(cell), Some(material));
        assert_eq!(kept.save_status().damaged, []);
    }
    let taken = world.begin_backup(&copy.0).map(|_| ()).unwrap_err();
    assert_eq!(taken, SaveError::Exists(copy.0.clone()));
}

#[test]
fn worlds_without_a_generator_come_back_whole() {
    let file = Scratch::new("plain");
    let bounds = CellBox::new(Cell::repeat(0), Cell::new(63, 31, 31));
    let mut world = World::from_voxels(bounds, |cell| match cell.y {
        0..8 => Material::STONE,
        _ => Material::AIR,
    });
    world.save_as(&file.0).unwrap();
    world.set_voxel(Cell::new(5, 9, 5), Material::LAMP);
    drop(world);
    let world = World::open(&file.0).unwrap();
    assert_eq!(world.material(Cell::new(40, 3, 3)), Some(Material::STONE));
    assert_eq!(world.material(Cell::new(5, 9, 5)), Some(Material::LAMP));
    assert_eq!(world.material(Cell::new(5, 9, 50)), None);
}

#[test]
fn opening_fails_with_the_reason() {
    let file = Scratch::new("errors");
    let missing = StoreError::NotFound(file.0.clone());
    assert_eq!(World::open(&file.0).err(), Some(missing.into()));
    std::fs::write(&file.0, b"").unwrap();
    assert!(matches!(
        World::open(&file.0).err(),
        Some(SaveError::Store(StoreError::Damaged(_)))
    ));
    for garbage in [&b"no world at all"[..], &[0xa5; 20_000]] {
        std::fs::write(&file.0, garbage).unwrap();
        assert!(World::open(&file.0).is_err());
    }
    std::fs::remove_file(&file.0).unwrap();
    let world = World::create(&file.0, 4).unwrap();
    assert_eq!(
        World::open(&file.0).err(),
        Some(StoreError::InUse(file.0.clone()).into())
    );
    drop(world);
    let wrong = World::create(&file.0, 5).err();
    assert_eq!(
        wrong,
        Some(SaveError::OtherSeed {
            found: 4,
            wanted: 5
        })
    );
    assert!(World::create(&file.0, 4).is_ok());
}

#[test]
fn formats_are_migrated_or_refused() {
    let header = |format: u32, version: u32| {
        let mut bytes = b"VOXWORLD".to_vec();
        bytes.extend(format.to_le_bytes());
        bytes.extend(version.to_le_bytes());
        bytes.extend(7u64.to_le_bytes());
        bytes.extend(super::bytes::checksum(b"world", &bytes).to_le_bytes());
        let (table, key) = (Table::Header, b"world".to_vec());
        StoreChange {
            table,
            key,
            value: Some(bytes),
        }
    };
    let open = |change: StoreChange| {
        let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
        store.commit(&[change]).unwrap();
        (World::open_store(store.clone()), store)
    };
    let newer = open(header(FORMAT + 1, 1)).0.err();
    assert_eq!(
        newer,
        Some(SaveError::NewerFormat {
            found: FORMAT + 1,
            known: FORMAT
        })
    );
    assert!(newer.unwrap().to_string().contains("newer program"));
    let other = open(header(FORMAT, 99)).0.err();
    assert!(matches!(
        other,
        Some(SaveError::OtherGenerator { found: 99, .. })
    ));
    let (world, store) = open(header(1, 1));
    let mut world = world.unwrap();
    assert_eq!(world.seed(), Some(7));
    assert!(is_land_of(&world, 1) && !is_land_of(&world, GENERATOR_VERSION));
    let copy = Scratch::new("older-land");
    world.save_as(&copy.0).unwrap();
    drop(world);
    let mut copied = World::open(&copy.0).unwrap();
    let beyond = Cell::new(900, 40, 900);
    copied
        .load(&CellBox::new(beyond, beyond + Cell::repeat(31)))
        .unwrap();
    assert!(is_land_of(&copied, 1), "a copy keeps the land, too");
    let migrated = store.get(Table::Header, b"world").unwrap().unwrap();
    assert_eq!(migrated[8..12], FORMAT.to_le_bytes());
    let mut damaged = header(FORMAT, 1);
    damaged.value.as_mut().unwrap()[17] ^= 1;
    assert!(matches!(open(damaged).0.err(), Some(SaveError::Header(_))));
}

/// Returns true if all loaded chunks are as a version of the generator makes them from seed 7.
fn is_land_of(world: &World, version: u32) -> bool {
    let generator = Generator::of_version(7, version);
    let (mut seen, mut made) = (Vec::new(), Vec::new());
    world.loaded_chunks().all(|(chunk, id)| {
        world.brick(id).voxels().read_all(&mut seen);
        generator.voxels(chunk).read_all(&mut made);
        seen == made
    })
}

/// A store that fails while told to.
#[derive(Default)]
struct Faulty {
    inner: MemoryStore,
    failing: AtomicBool,
}

impl Store for Faulty {
    fn get(&self, table: Table, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        self.inner.get(table, key)
    }

    fn visit(&self, table: Table, visit: &mut dyn FnMut(&[u8], &[u8])) -> Result<(), StoreError> {
        self.inner.visit(table, visit)
    }

    fn commit(&self, changes: &[StoreChange]) -> Result<(), StoreError> {
        if self.failing.load(Ordering::SeqCst) {
            return Err(StoreError::Full);
        }
        self.inner.commit(changes)
    }
}

#[test]
fn a_full_disk_loses_nothing() {
    let store = Arc::new(Faulty::default());
    let mut world = World::create_in(store.clone(), 3).unwrap();
    let cell = spawn_cell(&world);
    store.failing.store(true, Ordering::SeqCst);
    world.set_voxel(cell, Material::GOLD);
    let origin = Position::new(cell, Vector3::zeros());
    let object = world
        .add_object(origin, 0.5, Vector3::new(40, 2, 2), |_| Material::BRICK)
        .unwrap();
    world.move_object(object, Vector3::new(2.0, 0.0, 0.0));
    assert_eq!(world.flush(), Err(StoreError::Full.into()));
    assert_eq!(world.save_status().error, Some(StoreError::Full));
    // After unloading and loading the edit is still there.
    world.remove_brick(crate::space::chunk_of(cell)).unwrap();
    world.load(&CellBox::new(cell, cell)).unwrap();
    assert_eq!(world.material(cell), Some(Material::GOLD));
    store.failing.store(false, Ordering::SeqCst);
    world.flush().unwrap();
    assert_eq!(world.save_status().error, None);
    drop(world);
    let world = World::open_store(store).unwrap();
    assert_eq!(world.material(cell), Some(Material::GOLD));
    let (_, object) = world.objects().next().unwrap();
    assert_eq!(*object.origin(), origin.moved(Vector3::new(2.0, 0.0, 0.0)));
    let filled = object.bricks().iter().map(|&brick| {
        let mut all = Vec::new();
        world.brick(brick).voxels().read_all(&mut all);
        all.iter()
            .filter(|&&voxel| voxel == Material::BRICK)
            .count()
    });
    assert_eq!(filled.sum::<usize>(), 160);
}

#[test]
fn files_that_cannot_be_written_are_named() {
    let file = Scratch::new("read-only");
    drop(World::create(&file.0, 3).unwrap());
    let mut permissions = file.0.metadata().unwrap().permissions();
    permissions.set_readonly(true);
    std::fs::set_permissions(&file.0, permissions).unwrap();
    let refused = SaveError::from(StoreError::ReadOnly(file.0.clone()));
    assert_eq!(World::open(&file.0).err(), Some(refused));
    assert!(inspect(&file.0).is_ok(), "looking needs no leave to write");
    // Not even root can make files in the kernel's own directory, where it exists.
    if std::path::Path::new("/sys/kernel").exists() {
        let path = std::path::Path::new("/sys/never.world");
        let refused = SaveError::from(StoreError::ReadOnly(path.to_owned()));
        assert_eq!(World::create(path, 3).err(), Some(refused));
    }
}

#[test]
fn damaged_chunks_are_set_aside_and_made_anew() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
    let mut world = World::create_in(store.clone(), 3).unwrap();
    let middle = spawn_cell(&world);
    let before = picture(&mut world, middle);
    let far = middle + Cell::new(500, 0, 0);
    world.edit(&ball(middle, 5.0), Mode::Set, Material::GOLD);
    world.edit(&ball(far, 3.0), Mode::Set, Material::GOLD);
    drop(world);
    // Flip one bit in every record around the middle.
    let mut changes = Vec::new();
    store
        .visit(Table::Chunks, &mut |key, value| {
            if (chunk_of_key(key).unwrap() * 32 - middle).x.abs() < 100 {
                let mut value = value.to_vec();
                let place = value.len() / 2;
                value[place] ^= 4;
                let (table, key) = (Table::Chunks, key.to_vec());
                changes.push(StoreChange {
                    table,
                    key,
                    value: Some(value),
                });
            }
        })
        .unwrap();
    let damaged = changes.len();
    store.commit(&changes).unwrap();
    let mut world = World::open_store(store.clone()).unwrap();
    assert!(picture(&mut world, middle) == before);
    let status = world.save_status();
    assert_eq!(status.damaged.len(), damaged);
    assert!(
        status
            .damaged
            .iter()
            .all(|damage| damage.error == DecodeError::Checksum)
    );
    world.load(&CellBox::new(far, far)).unwrap();
    assert_eq!(world.material(far), Some(Material::GOLD));
    world.flush().unwrap();
    let mut aside = 0;
    store
        .visit(Table::Quarantine, &mut |_, _| aside += 1)
        .unwrap();
    assert_eq!(aside, damaged);
}

#[test]
fn keys_beyond_the_ends_of_the_world_name_no_chunk() {
    let last = i32::MAX >> 5;
    for part in [last, -last - 1] {
        let chunk = ChunkPosition::repeat(part);
        assert_eq!(chunk_of_key(&chunk_key(chunk)), Some(chunk));
    }
    for part in [last + 1, -last - 2, i32::MAX, i32::MIN] {
        for axis in 0..3 {
            let mut chunk = ChunkPosition::zeros();
            chunk[axis] = part;
            assert_eq!(chunk_of_key(&chunk_key(chunk)), None);
        }
    }
}

#[test]
fn chunks_beyond_the_ends_of_the_world_are_set_aside() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
    let mut world = World::create_in(store.clone(), 3).unwrap();
    world.set_voxel(spawn_cell(&world), Material::GOLD);
    let names = MaterialNames::of(world.materials());
    let edited = world.edited_chunks();
    drop(world);
    let beyond = ChunkPosition::new(i32::MAX, 0, 0);
    let sealed = encode_chunk(
        &chunk_key(beyond),
        &Voxels::uniform(Material::BRICK),
        &names,
    );
    let change = StoreChange {
        table: Table::Chunks,
        key: chunk_key(beyond).to_vec(),
        value: Some(sealed),
    };
    store.commit(&[change]).unwrap();
    let world = World::open_store(store).unwrap();
    // An export takes the edited chunks.
    assert_eq!(world.edited_chunks(), edited);
    let damaged = world.save_status().damaged;
    assert!(damaged.iter().all(|it| it.part == Part::Stray));
    assert_eq!(damaged.len(), 1);
}

#[cfg(unix)]
#[test]
fn a_link_to_nothing_is_left_where_no_world_can_be_made() {
    let link = Scratch::new("link");
    std::os::unix::fs::symlink("/nowhere/at/all.world", &link.0).unwrap();
    let refused = World::create(&link.0, 1).err();
    assert!(refused.is_some());
    assert!(link.0.is_symlink(), "{refused:?}");
}

#[test]
fn a_copy_is_opened_without_a_change_to_the_file() {
    let file = Scratch::new("copy");
    let mut world = World::create(&file.0, 5).unwrap();
    let home = spawn_cell(&world);
    let placed = world.edit(&Brush::voxel(home), Mode::Add, Material::GOLD);
    assert_eq!(placed.voxels, 1);
    drop(world);
    let bytes = std::fs::read(&file.0).unwrap();
    let mut copy = World::open_copy(&file.0).unwrap();
    assert_eq!(copy.material(home), Some(Material::GOLD));
    assert!(
        copy.undo(Author::default())
            .is_some_and(|report| report.voxels == 1)
    );
    copy.flush().unwrap();
    drop(copy);
    assert!(std::fs::read(&file.0).unwrap() == bytes);
}
