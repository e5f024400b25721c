//! Land of an application's own streams, is saved and opened again like that of a seed.
#![allow(clippy::unwrap_used)]

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use collision::{Cell, Position};
use nalgebra::Vector3;
use world::generate::Generator;
use world::land::{ChunkColumn, ChunkSource, Spawn, SurfaceRows};
use world::save::{DiskStore, MemoryStore};
use world::{
    Author, Brush, Material, MaterialTable, Mode, SaveError, StreamSettings, Viewer, Voxels, World,
};

/// Waves of stone with a gold floor, and the number of chunks that were made.
#[derive(Default)]
struct Waves(AtomicUsize);

struct Column<'a>(&'a Waves, [i32; 2]);

/// Returns the material of a cell, written apart from the chunks.
fn material(cell: Cell) -> Material {
    let height = 12 + (cell.x.rem_euclid(40) - 20).abs() - (cell.z.rem_euclid(26) - 13).abs();
    match cell.y {
        y if y < height && y < -16 => Material::GOLD,
        y if y < height => Material::STONE,
        _ => Material::AIR,
    }
}

impl ChunkSource for Waves {
    fn chunk_column(&self, x: i32, z: i32) -> Box<dyn ChunkColumn + '_> {
        Box::new(Column(self, [x, z]))
    }

    fn start(&self) -> Option<Spawn> {
        Some(Spawn {
            cell: [20, 12, 13],
            towards: [1.0, 0.0],
        })
    }
}

impl ChunkColumn for Column<'_> {
    fn surface_rows(&self) -> SurfaceRows {
        SurfaceRows {
            lowest: -1,
            highest: 1,
        }
    }

    fn voxels(&mut self, row: i32) -> Voxels {
        self.0.0.fetch_add(1, Ordering::Relaxed);
        let low = Cell::new(self.1[0], row, self.1[1]) * 32;
        Voxels::from_fn(|x, y, z| material(low + Cell::new(x as i32, y as i32, z as i32)))
    }
}

fn viewer(cell: Cell) -> [Viewer; 1] {
    [Viewer {
        position: Position::new(cell, Vector3::repeat(0.5)),
        look: Vector3::x(),
        reach: 96.0,
    }]
}

fn stream(world: &mut World, cell: Cell) {
    let report = world.stream_wholly(&viewer(cell), &StreamSettings::default());
    assert_eq!(report.waiting, 0);
}

/// Checks voxels about a cell, and returns their number.
fn check_about(world: &World, middle: Cell) -> usize {
    let range = || (-60..=60).step_by(7);
    let mut count = 0;
    for (x, y, z) in
        range().flat_map(|x| range().flat_map(move |y| range().map(move |z| (x, y, z))))
    {
        let cell = middle + Cell::new(x, y, z);
        if let Some(seen) = world.material(cell) {
            assert_eq!(seen, material(cell), "{cell:?}");
            count += 1;
        }
    }
    count
}

fn file(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("own-land-{}-{name}", std::process::id()));
    let _ = std::fs::remove_file(&path);
    path
}

fn carve(world: &mut World, cell: Cell) {
    let brush = Brush::sphere(Position::new(cell, Vector3::repeat(0.5)), 3.0);
    let report = world.edit(&brush, Mode::Carve, Material::AIR);
    assert!(report.refused.is_none() && report.voxels > 0);
}

#[test]
fn own_land_streams_about_viewers_and_edits_survive() {
    let source = Arc::new(Waves::default());
    let mut world = World::from_source(MaterialTable::standard(), source.clone());
    let home = Cell::from(world.spawn().unwrap().cell);
    assert!(world.material(home).is_some(), "the start is loaded");
    assert_eq!(world.seed(), None);
    for away in [home, home + Cell::new(-5000, 0, 900)] {
        stream(&mut world, away);
        assert!(check_about(&world, away) > 1000);
    }
    assert_eq!(world.material(home), None, "it is unloaded");
    let made = source.0.load(Ordering::Relaxed);
    stream(&mut world, home);
    assert!(source.0.load(Ordering::Relaxed) > made, "it is made again");
    let ground = home - Cell::y() * 2;
    carve(&mut world, ground);
    stream(&mut world, home + Cell::new(9000, 0, 0));
    stream(&mut world, home);
    assert_eq!(world.material(ground), Some(Material::AIR));
    world.undo(Author::default());
    assert!(check_about(&world, home) > 1000);
}

/// The generator is a source like any other: its land is the same either way.
#[test]
fn own_source_of_generated_land_gives_the_world_of_the_seed() {
    let mut own = World::from_source(MaterialTable::standard(), Arc::new(Generator::new(9)));
    let mut seeded = World::generate(9);
    let home = Cell::from(seeded.spawn().unwrap().cell);
    assert_eq!(own.spawn(), seeded.spawn());
    for world in [&mut own, &mut seeded] {
        stream(world, home);
    }
    assert_eq!(own.loaded_chunks().count(), seeded.loaded_chunks().count());
    for (chunk, id) in seeded.loaded_chunks() {
        let other = own.brick_at(chunk).unwrap();
        assert_eq!(own.brick(other).voxels(), seeded.brick(id).voxels());
    }
}

#[test]
fn edits_of_own_land_are_all_that_a_file_holds() {
    let (path, copy) = (file("world"), file("backup"));
    let open = |path: &PathBuf| {
        let store = match path.exists() {
            true => DiskStore::open(path),
            false => DiskStore::create(path),
        };
        World::open_with_source(Arc::new(store.unwrap()), Arc::new(Waves::default())).unwrap()
    };
    let mut world = open(&path);
    let ground = Cell::from(world.spawn().unwrap().cell) - Cell::y() * 2;
    stream(&mut world, ground);
    carve(&mut world, ground);
    world.backup(&copy).unwrap();
    let edited = world.edited_chunks();
    assert!((1..=8).contains(&edited.len()), "{edited:?}");
    drop(world);
    for path in [&path, &copy] {
        let mut again = open(path);
        assert_eq!(again.edited_chunks(), edited, "{}", path.display());
        assert_eq!(again.material(ground), Some(Material::AIR));
        again.undo(Author::default());
        stream(&mut again, ground);
        assert!(check_about(&again, ground) > 1000);
        drop(again);
        std::fs::remove_file(path).unwrap();
    }
}

#[test]
fn own_source_for_a_world_of_a_seed_is_refused() {
    let store = Arc::new(MemoryStore::default());
    drop(World::create_in(store.clone(), 3).unwrap());
    let refused = World::open_with_source(store.clone(), Arc::new(Waves::default()));
    assert_eq!(refused.err(), Some(SaveError::Generated));
    let world = World::open_store(store).unwrap();
    assert_eq!(world.seed(), Some(3));
}

/// Makes voxels of a material that no table knows.
struct Nonsense;

impl ChunkSource for Nonsense {
    fn chunk_column(&self, _: i32, _: i32) -> Box<dyn ChunkColumn + '_> {
        Box::new(Nonsense)
    }
}

impl ChunkColumn for Nonsense {
    fn surface_rows(&self) -> SurfaceRows {
        SurfaceRows {
            lowest: 1,
            highest: 0,
        }
    }

    fn voxels(&mut self, _: i32) -> Voxels {
        Voxels::from_fn(|x, _, _| Material(x as u16 * 2000))
    }
}

#[test]
fn unknown_materials_of_a_source_are_air() {
    let mut world = World::from_source(MaterialTable::standard(), Arc::new(Nonsense));
    let cell = Cell::new(5, 5, 5);
    stream(&mut world, cell);
    assert_eq!(world.material(cell), Some(Material::AIR));
}
