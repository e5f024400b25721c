//! Streaming: what is wanted comes, what is not goes, and edits survive both.
#![allow(clippy::unwrap_used)]

use collision::{Cell, Position};
use nalgebra::Vector3;
use world::{Material, StreamSettings, Viewer, World};

fn viewer(cell: Cell, reach: f32) -> Viewer {
    Viewer {
        position: Position::new(cell, Vector3::repeat(0.5)),
        look: Vector3::x(),
        reach,
    }
}

#[test]
fn terrain_follows_viewers_and_edits_survive() {
    let mut world = World::generate(5);
    let home = Cell::from(world.spawn().unwrap().cell);
    world.set_voxel(home, Material::GOLD);
    let settings = StreamSettings::default();
    let away = home + Cell::new(700, 0, 0);
    let there = [viewer(away, 96.0)];
    assert_eq!(world.stream_wholly(&there, &settings).waiting, 0);
    assert_eq!(world.material(home), None);
    assert!((-90..=90).all(|x| world.material(away + Cell::new(x, 0, 0)).is_some()));
    let both = [viewer(away, 96.0), viewer(home, 64.0)];
    world.stream_wholly(&both, &settings);
    assert_eq!(world.material(home), Some(Material::GOLD));
    assert!(world.material(away).is_some());
}

#[test]
fn memory_stays_within_its_budget() {
    let mut world = World::generate(5);
    let home = Cell::from(world.spawn().unwrap().cell);
    let settings = StreamSettings {
        memory: 3 << 20,
        ..StreamSettings::default()
    };
    for step in 0..6 {
        let viewers = [viewer(home + Cell::new(step * 40, 0, 0), 300.0)];
        for _ in 0..40 {
            let report = world.stream(&viewers, &settings);
            assert!(report.memory <= settings.memory, "{report:?}");
        }
    }
}

#[test]
fn closing_waits_for_what_runs() {
    let path = std::env::temp_dir().join(format!("world-stream-{}.world", std::process::id()));
    let _ = std::fs::remove_file(&path);
    for _ in 0..5 {
        let mut world = World::create(&path, 8).unwrap();
        world.stream(&[viewer(Cell::zeros(), 500.0)], &StreamSettings::default());
        drop(world);
    }
    std::fs::remove_file(&path).unwrap();
}
