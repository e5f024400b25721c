//! Streaming: wanted columns are loaded, others unloaded, and edits survive both.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::time::Duration;

use collision::{Cell, Position};
use nalgebra::Vector3;
use world::space::chunk_of;
use world::{Face, Material, Ray, RenderQuad, StreamSettings, Viewer, World};

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
fn what_edits_take_counts_as_memory() {
    let mut world = World::generate(5);
    let home = Cell::from(world.spawn().unwrap().cell);
    let there = [viewer(home, 200.0)];
    let settings = StreamSettings {
        memory: 24 << 20,
        ..StreamSettings::default()
    };
    let before = world.stream_wholly(&there, &settings).memory;
    let all: Vec<Cell> = world.loaded_chunks().map(|(chunk, _)| chunk).collect();
    for chunk in all {
        world.write(|writer| {
            for cell in 0..1 << 15 {
                let at = chunk * 32 + Cell::new(cell & 31, cell >> 5 & 31, cell >> 10);
                let noise = (cell as u32).wrapping_mul(0x9e37_79b9) >> 28;
                writer.set(at, Material(noise as u16 % 12 + 1));
            }
        });
        let report = world.stream(&there, &settings);
        assert!(report.memory <= settings.memory, "{report:?}");
        let chunks = world.loaded_chunks();
        let held: usize = chunks.map(|(_, id)| world.brick(id).heap_bytes()).sum();
        assert!(report.memory >= held, "{report:?} holds {held}");
    }
    let after = world.stream(&there, &settings);
    assert!(
        after.memory > 2 * before && after.reach < 200.0,
        "{after:?}"
    );
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

/// Returns true if the top of a voxel is drawn.
fn shows_its_top(world: &World, voxel: Cell) -> bool {
    let Some(brick) = world.brick_at(voxel.map(|c| c.div_euclid(32))) else {
        return false;
    };
    let [x, y, z] = [0, 1, 2].map(|axis| voxel[axis].rem_euclid(32) as u32);
    let covers = |quad: &RenderQuad| {
        let [low_x, layer, low_z] = quad.voxel();
        let (along_z, along_x) = (low_z..low_z + quad.width(), low_x..low_x + quad.height());
        quad.face() == Face::PositiveY && layer == y && along_x.contains(&x) && along_z.contains(&z)
    };
    let surface = world.brick(brick).render_surface();
    let mut quads = surface
        .opaque
        .quads()
        .iter()
        .chain(surface.transparent.quads());
    quads.any(covers)
}

#[test]
fn land_and_sea_show_far_away() {
    let mut world = World::generate(4);
    let home = Cell::from(world.spawn().unwrap().cell);
    let from = Cell::new(home.x, 200, home.z);
    world.stream_wholly(&[viewer(from, 300.0)], &StreamSettings::default());
    let mut waters = 0;
    for step in 0..60 * 60 {
        let aside = Cell::new(step % 60 * 7 - 210, 0, step / 60 * 7 - 210);
        let ray = Ray {
            origin: Position::new(from + aside, Vector3::repeat(0.5)),
            direction: -Vector3::y(),
        };
        let met = world.cast_ray_where(&ray, 400.0, |material| material != Material::AIR);
        let pick = met.unwrap_or_else(|| panic!("nothing below {aside:?}"));
        waters += usize::from(pick.material == Material::WATER);
        assert!(shows_its_top(&world, pick.voxel), "{pick:?}");
    }
    assert!(waters > 300, "{waters}");
}

/// Returns the columns with any loaded chunk.
fn columns(world: &World) -> BTreeSet<[i32; 2]> {
    let chunks = world.loaded_chunks();
    chunks.map(|(chunk, _)| [chunk.x, chunk.z]).collect()
}

/// Returns the largest number of columns made at once.
fn in_the_making() -> usize {
    2 * rayon::current_num_threads()
}

const ALL_AT_ONCE: StreamSettings = StreamSettings {
    memory: 1 << 30,
    time: Duration::MAX,
};

#[test]
fn the_nearest_comes_first_and_what_is_in_view_before_what_is_behind() {
    let mut world = World::generate(5);
    let here = Cell::new(5_000, 40, -3_000);
    let looking = viewer(here, 400.0);
    let way = |column: &[i32; 2]| {
        let middle = column.map(|part| part * 32 + 16);
        Vector3::new(
            f64::from(middle[0] - here.x),
            0.0,
            f64::from(middle[1] - here.z),
        )
    };
    let ahead = |column: &[i32; 2]| way(column).x > 0.6 * way(column).norm();
    let behind = |column: &[i32; 2]| way(column).x < 0.0 && way(column).norm() > 100.0;
    let mut history = Vec::new();
    let before = columns(&world);
    while world.stream(&[looking], &ALL_AT_ONCE).waiting > 0 {
        let now: BTreeSet<_> = columns(&world).difference(&before).copied().collect();
        if history.last() != Some(&now) {
            history.push(now);
        }
        std::thread::yield_now();
    }
    let all: BTreeSet<_> = columns(&world).difference(&before).copied().collect();
    assert!(history.len() > 10 && all.len() > 300);
    for now in &history {
        let missing = |than: &[i32; 2], of: &dyn Fn(&[i32; 2]) -> bool| {
            let nearer = all.difference(now).filter(|other| of(other));
            nearer
                .filter(|other| way(other).norm() < way(than).norm())
                .count()
        };
        for column in now.iter().filter(|column| ahead(column)) {
            assert!(missing(column, &ahead) <= in_the_making(), "{column:?}");
        }
        for column in now.iter().filter(|column| behind(column)) {
            assert!(missing(column, &|other| ahead(other) || behind(other)) <= in_the_making());
            let further =
                |other: &&[i32; 2]| ahead(other) && way(other).norm() < 1.5 * way(column).norm();
            let waiting = all.difference(now).filter(further).count();
            assert!(
                waiting <= in_the_making(),
                "{column:?} came before {waiting} that are in view"
            );
        }
    }
}

#[test]
fn unwanted_columns_are_not_made() {
    let mut world = World::generate(5);
    let left = Cell::new(20_000, 40, 0);
    world.stream(&[viewer(left, 900.0)], &ALL_AT_ONCE);
    let there = viewer(Cell::new(-20_000, 40, 0), 60.0);
    world.stream_wholly(&[there], &ALL_AT_ONCE);
    let about = |middle: Cell| {
        let near = |column: &[i32; 2]| (column[0] * 32 - middle.x).abs() < 2_000;
        columns(&world).iter().filter(|column| near(column)).count()
    };
    assert!(about(there.position.cell) > 4);
    assert!(about(left) <= in_the_making(), "{}", about(left));
}

/// Makes a world in which the column of a cell was made but not taken in before the cell was set to
/// gold.
fn edited_while_streaming(cell: Cell) -> World {
    let mut world = World::generate(7);
    let alone = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    alone.unwrap().install(|| {
        world.stream(&[viewer(cell, 40.0)], &ALL_AT_ONCE);
        while rayon::yield_now() == Some(rayon::Yield::Executed) {}
    });
    assert_eq!(world.set_voxel(cell, Material::GOLD).voxels, 1);
    world
}

#[test]
fn an_edit_made_while_its_column_streams_in_survives() {
    let cell = Cell::new(10_000, 100, 16);
    let mut world = edited_while_streaming(cell);
    let away = cell + Cell::new(10_000, 0, 0);
    world.stream(&[viewer(away, 40.0)], &ALL_AT_ONCE);
    assert_eq!(world.material(cell), None);
    world.stream_wholly(&[viewer(cell, 40.0)], &ALL_AT_ONCE);
    assert_eq!(world.material(cell), Some(Material::GOLD));
}

#[test]
fn a_chunk_that_was_removed_streams_back() {
    let mut world = World::generate(5);
    let home = Cell::from(world.spawn().unwrap().cell);
    let settings = StreamSettings::default();
    let memory = world.stream_wholly(&[viewer(home, 96.0)], &settings).memory;
    let brick = world.remove_brick(chunk_of(home)).unwrap();
    let report = world.stream_wholly(&[viewer(home, 96.0)], &settings);
    assert_eq!((report.loaded, report.memory), (1, memory));
    assert!(world.material(home).is_some());
    let back = world.brick(world.brick_at(chunk_of(home)).unwrap());
    assert!(back.voxels() == brick.voxels());
    world.remove_brick(chunk_of(home)).unwrap();
    world.stream_wholly(&[viewer(home + Cell::new(32, 0, 0), 96.0)], &settings);
    assert!(world.material(home).is_some());
}

#[test]
fn an_edit_of_a_chunk_that_is_removed_while_its_column_streams_in_survives() {
    let cell = Cell::new(10_000, 100, 16);
    let mut world = edited_while_streaming(cell);
    world.remove_brick(chunk_of(cell)).unwrap();
    world.stream_wholly(&[viewer(cell, 40.0)], &ALL_AT_ONCE);
    assert_eq!(world.material(cell), Some(Material::GOLD));
}

#[test]
fn a_call_takes_in_something_at_least() {
    let mut world = World::generate(5);
    let home = Cell::from(world.spawn().unwrap().cell);
    world.remove_brick(chunk_of(home));
    let settings = StreamSettings {
        time: Duration::ZERO,
        ..StreamSettings::default()
    };
    let loads = (0..4000).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(5));
        world.stream(&[viewer(home, 64.0)], &settings).loaded > 0
    });
    assert!(loads);
}

#[test]
fn jumping_viewer_does_not_wait_for_columns_of_its_old_place() {
    let mut world = World::generate(5);
    let slowly = StreamSettings {
        time: Duration::ZERO,
        ..StreamSettings::default()
    };
    let (left, there) = (Cell::new(20_000, 100, 16), Cell::new(-20_000, 100, 16));
    // More columns are made than are taken in.
    for _ in 0..120 {
        world.stream(&[viewer(left, 400.0)], &slowly);
        std::thread::sleep(Duration::from_millis(2));
    }
    let mut taken = 0;
    let arrives = (0..4000).any(|_| {
        let report = world.stream(&[viewer(there, 400.0)], &slowly);
        taken += u32::from(report.loaded > 0);
        std::thread::sleep(Duration::from_millis(1));
        world.material(there).is_some()
    });
    assert!(arrives && taken <= 10, "{taken} columns came first");
}

#[test]
fn waiting_on_a_thread_of_a_pool_lets_the_land_be_made() {
    let (send, receive) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let alone = rayon::ThreadPoolBuilder::new().num_threads(1).build();
        let waiting = alone.unwrap().install(|| {
            let mut world = World::generate(5);
            let away = [viewer(Cell::new(20_000, 40, 0), 40.0)];
            let report = world.stream_wholly(&away, &StreamSettings::default());
            report.waiting
        });
        let _ = send.send(waiting);
    });
    let patience = std::time::Duration::from_secs(120);
    assert_eq!(receive.recv_timeout(patience), Ok(0));
}
