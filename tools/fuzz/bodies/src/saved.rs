//! A small saved world with edits, history, free objects and kept bytes, and scratch files.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use collision::{Cell, Position};
use nalgebra::Vector3;
use world::{Author, Brush, CellBox, Material, MaterialInfo, Mode, World};

/// A file that is deleted when this is dropped.
pub(crate) struct Scratch(pub(crate) PathBuf);

impl Scratch {
    pub(crate) fn new() -> Self {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("fuzzed-{}-{number}.world", std::process::id());
        Self(std::env::temp_dir().join(name))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _gone = std::fs::remove_file(&self.0);
    }
}

/// Saves a world to a new file.
pub fn save(path: &Path) {
    let bounds = CellBox::new(Cell::new(-32, -32, -32), Cell::new(63, 31, 31));
    let ground = |cell: Cell| match cell.y {
        ..0 => Material::STONE,
        0 if cell.x % 3 == 0 => Material::WATER,
        _ => Material::AIR,
    };
    let mut world = World::from_voxels(bounds, ground);
    let own = MaterialInfo::solid("of this save", [9, 8, 7]);
    let own = world.materials_mut().add(own).expect("there is room");
    world.save_as(path).expect("the file is free");
    for step in 0..12 {
        let place = Cell::new(step * 7 - 30, step % 4 - 2, 20 - step * 4);
        let center = Position::new(place, Vector3::repeat(0.5));
        let material = if step % 2 == 0 { own } else { Material::BRICK };
        world.edit_as(Author(1), &Brush::sphere(center, 3.0), Mode::Set, material);
    }
    let extent = Vector3::new(40, 3, 5);
    let place = Position::new(Cell::new(4, 8, 4), Vector3::repeat(0.25));
    let added = world.add_object_as(Author(2), place, 0.5, extent, |_| own);
    added.expect("it is an object");
    let gone = world.add_object_as(Author(2), place, 1.0, Vector3::repeat(2), |_| own);
    world.remove_object(gone.expect("it is an object").id);
    world.undo(Author(1));
    world.keep_bytes("player", &[7; 300]).expect("it is short");
    world.flush().expect("it is written");
}
