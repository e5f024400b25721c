//! Two processes and one world: the second gets an error, and the world once the first has ended.
#![allow(clippy::unwrap_used)]

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use collision::Cell;
use world::save::{SaveError, StoreError, inspect, salvage};
use world::{CellBox, Material, World};

/// The variable that tells the child what to do.
const CHILD: &str = "WORLD_HOLDING_CHILD";

fn floor() -> World {
    let bounds = CellBox::new(Cell::zeros(), Cell::repeat(31));
    World::from_voxels(bounds, |_| Material::STONE)
}

/// The other process: opens the world, prints that it did, and holds it until it is killed.
#[test]
fn child_holds_until_killed() {
    let Ok(path) = std::env::var(CHILD) else {
        return;
    };
    let mut world = World::open(path).unwrap();
    world.set_voxel(Cell::zeros(), Material::GOLD);
    world.flush().unwrap();
    println!("it is open");
    let mut line = String::new();
    // This ends when the parent does.
    let _ = std::io::stdin().read_line(&mut line);
}

#[test]
fn the_second_process_is_told_that_the_world_is_open() {
    let name = format!("world-processes-{}.world", std::process::id());
    let path = std::env::temp_dir().join(name);
    let _ = std::fs::remove_file(&path);
    floor().save_as(&path).unwrap();
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "child_holds_until_killed", "--nocapture"])
        .env(CHILD, &path)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().contains("it is open")));
    let busy = SaveError::from(StoreError::InUse(path.clone()));
    assert!(busy.to_string().contains("open elsewhere"));
    assert_eq!(World::open(&path).err(), Some(busy.clone()));
    assert_eq!(inspect(&path).err(), Some(busy.clone()));
    let out = path.with_extension("salvaged");
    assert_eq!(salvage(&path, &out).err(), Some(busy));
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(!inspect(&path).unwrap().closed);
    let world = World::open(&path).unwrap();
    assert_eq!(world.material(Cell::zeros()), Some(Material::GOLD));
    drop(world);
    assert!(inspect(&path).unwrap().closed);
    std::fs::remove_file(&path).unwrap();
}
