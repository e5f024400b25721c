//! Streaming: what is wanted comes, what is not goes, and edits survive both.
#![allow(clippy::unwrap_used)]

use collision::{Cell, Position};
use nalgebra::Vector3;
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

/// Whether the top of a voxel is drawn.
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
