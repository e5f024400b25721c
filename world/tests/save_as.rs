//! A copy of a world holds all of it, loaded or not, and becomes the saved world.
#![allow(clippy::unwrap_used)]

use std::path::PathBuf;

use collision::{Cell, Position};
use nalgebra::Vector3;
use world::save::StoreError;
use world::space::chunk_of;
use world::{Author, Brick, CellBox, Material, SaveError, StreamSettings, Viewer, Voxels, World};

/// A file that is deleted at the end of its test.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let name = format!("world-save-as-{}-{name}.world", std::process::id());
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

fn home_of(world: &World) -> Cell {
    Cell::from(world.spawn().unwrap().cell)
}

/// Streams far away, so that the chunks at home are unloaded.
fn leave(world: &mut World, home: Cell) {
    let away = home + Cell::new(700, 0, 0);
    let viewer = Viewer {
        position: Position::new(away, Vector3::repeat(0.5)),
        look: Vector3::x(),
        reach: 96.0,
    };
    world.stream_wholly(&[viewer], &StreamSettings::default());
    assert_eq!(world.material(home), None);
}

fn load(world: &mut World, cell: Cell) -> Material {
    world.load(&CellBox::new(cell, cell)).unwrap();
    world.material(cell).unwrap()
}

#[test]
fn what_was_built_out_of_view_is_copied() {
    let file = Scratch::new("unloaded");
    let mut world = World::generate(5);
    let home = home_of(&world);
    world.set_voxel(home, Material::GOLD);
    leave(&mut world, home);
    world.save_as(&file.0).unwrap();
    assert_eq!(load(&mut world, home), Material::GOLD);
    drop(world);
    let mut world = World::open(&file.0).unwrap();
    assert_eq!(world.material(home), Some(Material::GOLD));
    assert!(world.undo(Author::default()).unwrap().voxels > 0);
    assert_ne!(world.material(home), Some(Material::GOLD));
}

#[test]
fn what_was_not_written_yet_is_copied() {
    let files = [Scratch::new("first"), Scratch::new("second")];
    let mut world = World::create(&files[0].0, 5).unwrap();
    let home = home_of(&world);
    let cells = [0, 200, 400].map(|x| home + Cell::new(x, 0, 0));
    world.set_voxel(cells[0], Material::BRICK);
    world.flush().unwrap();
    for cell in cells {
        world.set_voxel(cell, Material::GOLD);
        world.remove_brick(chunk_of(cell)).unwrap();
    }
    world.begin_save_as(&files[1].0).unwrap();
    let before = cells.map(|cell| load(&mut world, cell));
    drop(world);
    let mut world = World::open(&files[1].0).unwrap();
    assert_eq!(
        [before, cells.map(|cell| load(&mut world, cell))],
        [[Material::GOLD; 3]; 2]
    );
    assert!(world.save_status().damaged.is_empty());
}

#[test]
fn a_copy_counts_as_edited_only_what_is() {
    let file = Scratch::new("edited");
    let mut world = World::generate(5);
    let home = home_of(&world);
    let cells = [0, 200].map(|x| home + Cell::new(x, 0, 0));
    for cell in cells {
        world.set_voxel(cell, Material::GOLD);
    }
    leave(&mut world, home);
    let edited = world.edited_chunks();
    assert_eq!(edited.len(), 2);
    world.begin_save_as(&file.0).unwrap();
    assert_eq!(world.edited_chunks(), edited);
    world.flush().unwrap();
    assert_eq!(world.edited_chunks(), edited);
    drop(world);
    assert_eq!(World::open(&file.0).unwrap().edited_chunks(), edited);
}

/// Copies a chunk that was neither edited nor generated.
#[test]
fn what_was_put_in_is_copied() {
    let file = Scratch::new("inserted");
    let mut world = World::generate(5);
    let home = home_of(&world);
    let chunk = chunk_of(home);
    let brick = Brick::new(Voxels::uniform(Material::BRICK), world.materials());
    world.insert_brick(chunk, brick);
    world.begin_save_as(&file.0).unwrap();
    world.set_voxel(home, Material::GOLD);
    assert_eq!(world.edited_chunks(), [chunk]);
    world.remove_brick(chunk).unwrap();
    assert_eq!(load(&mut world, home), Material::GOLD);
    drop(world);
    let world = World::open(&file.0).unwrap();
    assert_eq!(world.material(home), Some(Material::GOLD));
    assert_eq!(world.material(chunk * 32), Some(Material::BRICK));
    assert_eq!(world.edited_chunks(), [chunk]);
}

#[test]
fn what_was_put_in_is_saved() {
    let file = Scratch::new("put");
    let mut world = World::create(&file.0, 5).unwrap();
    let chunk = chunk_of(home_of(&world)) + Cell::new(40, 0, 0);
    let brick = Brick::new(Voxels::uniform(Material::BRICK), world.materials());
    world.insert_brick(chunk, brick);
    assert_eq!(world.edited_chunks(), [chunk]);
    // No viewer reaches this place.
    let home = home_of(&world);
    leave(&mut world, home + Cell::new(5000, 0, 0));
    assert_eq!(world.brick_at(chunk), None);
    assert_eq!(load(&mut world, chunk * 32), Material::BRICK);
    world.flush().unwrap();
    drop(world);
    let mut world = World::open(&file.0).unwrap();
    assert_eq!(load(&mut world, chunk * 32), Material::BRICK);
}

#[test]
fn backup_holds_the_moment_and_the_world_goes_on_where_it_was_saved() {
    for generated in [true, false] {
        let (file, copy) = (Scratch::new("backed"), Scratch::new("backup"));
        let mut world = match generated {
            true => World::create(&file.0, 5).unwrap(),
            false => World::from_voxels(CellBox::new(Cell::repeat(-32), Cell::repeat(31)), |_| {
                Material::STONE
            }),
        };
        let home = world
            .spawn()
            .map_or(Cell::zeros(), |spawn| Cell::from(spawn.cell));
        if !generated {
            world.save_as(&file.0).unwrap();
        }
        world.set_voxel(home, Material::GOLD);
        let object = world.add_object(Position::default(), 0.5, Vector3::repeat(3), |_| {
            Material::BRICK
        });
        let key = world.object(object.unwrap()).unwrap().key();
        if generated {
            leave(&mut world, home);
        }
        world.backup(&copy.0).unwrap();
        assert!(world.backup(&copy.0).is_err());
        assert_eq!(load(&mut world, home), Material::GOLD);
        world.set_voxel(home, Material::BRICK);
        world.flush().unwrap();
        drop(world);
        let mut world = World::open(&file.0).unwrap();
        assert_eq!(load(&mut world, home), Material::BRICK);
        let mut world = World::open(&copy.0).unwrap();
        assert_eq!(load(&mut world, home), Material::GOLD);
        assert!(world.object_by_key(key).is_some());
        assert_eq!(world.undo(Author::default()).unwrap().voxels, 1);
        assert_ne!(load(&mut world, home), Material::GOLD);
    }
}

#[cfg(unix)]
#[test]
fn what_is_no_file_is_refused_and_left_alone() {
    let pipe = Scratch::new("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe.0).status();
    assert!(made.unwrap().success());
    for path in [pipe.0.as_path(), std::env::temp_dir().as_path()] {
        let refused = |error: SaveError| {
            let other = StoreError::NotAFile(path.to_owned());
            assert_eq!(error.to_string(), other.to_string());
        };
        refused(World::open(path).err().unwrap());
        refused(World::create(path, 5).err().unwrap());
        refused(World::open_or_create(path, 5).err().unwrap());
        assert!(World::generate(5).save_as(path).is_err());
        assert!(world::save::inspect(path).is_err());
        assert!(world::save::salvage(path, pipe.0.with_extension("out")).is_err());
        assert!(std::fs::symlink_metadata(path).is_ok_and(|data| !data.is_file()));
    }
}

#[test]
fn a_copy_that_cannot_be_begun_changes_nothing() {
    let file = Scratch::new("taken");
    drop(World::create(&file.0, 9).unwrap());
    let mut world = World::generate(5);
    let home = home_of(&world);
    world.set_voxel(home, Material::GOLD);
    assert!(world.save_as(&file.0).is_err());
    leave(&mut world, home);
    assert_eq!(load(&mut world, home), Material::GOLD);
}
