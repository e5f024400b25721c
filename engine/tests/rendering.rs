//! Properties of all pictures, whatever they show.

#![allow(clippy::unwrap_used)]

mod stage;

use collision::Cell;
use engine::{
    Antialiasing, Camera, FogView, Frame, Ghost, GhostKind, GpuError, GraphicsSettings, Image,
    Lamps, Overlay, ShadowQuality, Sun, Visibility,
};
use nalgebra::{Point3, Vector3};
use world::{Brick, CellBox, Material, MaterialInfo, MaterialTable, Voxels, World};

const SMALL: [u32; 2] = [160, 90];

/// Makes a black room whose walls alternate between two materials as unevenly as possible, with
/// T-junctions everywhere.
fn black_room() -> World {
    let mut materials = MaterialTable::standard();
    let blacks =
        ["soot", "pitch"].map(|name| materials.add(MaterialInfo::solid(name, [0; 3])).unwrap());
    let mut world = World::new(materials);
    for index in 0..64 {
        let chunk = Cell::new(index % 4 - 2, index / 4 % 4 - 2, index / 16 - 2);
        let voxels = Voxels::from_fn(|x, y, z| {
            let cell = chunk * 32 + Cell::new(x as i32, y as i32, z as i32);
            if cell.iter().all(|c| (-40..40).contains(c)) {
                return Material::AIR;
            }
            let scatter = cell.x.wrapping_mul(73_856_093)
                ^ cell.y.wrapping_mul(19_349_663)
                ^ cell.z.wrapping_mul(83_492_791);
            blacks[usize::from(scatter.rem_euclid(7) == 0)]
        });
        let brick = Brick::new(voxels, world.materials());
        world.insert_brick(chunk, brick);
    }
    world
}

/// Counts the pixels through which a bright sky shows.
fn bright(image: &Image) -> usize {
    image
        .pixels
        .chunks_exact(4)
        .filter(|pixel| pixel[..3].iter().any(|&value| value > 24))
        .count()
}

#[test]
fn no_sky_shows_through_a_closed_wall() {
    let gpu = stage::gpu();
    let mut renderer = stage::renderer(&gpu);
    let world = black_room();
    let settings = GraphicsSettings {
        shadows: ShadowQuality::Off,
        fog: 0.0,
        exposure: 4.0,
        ..GraphicsSettings::default()
    };
    let mut leaks = Vec::new();
    for antialiasing in [Antialiasing::Msaa4, Antialiasing::Off] {
        for step in 0..8 {
            let angle = step as f32 * 0.71;
            let at = 38.9 * f64::from(angle.sin());
            let position = collision::Position::from_metres(Point3::new(
                at,
                -39.3 + f64::from(step) * 9.7,
                -0.37 * at,
            ));
            let camera = Camera::new(position, angle * 2.3, (angle * 3.1).sin() * 1.2);
            let mut frame = Frame::new(
                camera,
                GraphicsSettings {
                    antialiasing,
                    ..settings
                },
            );
            frame.sun = Sun { time_of_day: 0.5 };
            if step == 0 {
                let sky = renderer.capture(&gpu, &frame, SMALL).unwrap();
                assert_eq!(
                    bright(&sky),
                    (SMALL[0] * SMALL[1]) as usize,
                    "the sky itself must be counted"
                );
            }
            frame.world = Some(&world);
            leaks.push(bright(&renderer.capture(&gpu, &frame, [480, 270]).unwrap()));
        }
    }
    assert_eq!(leaks, [0; 16]);
}

#[test]
fn an_edit_is_in_the_next_picture_at_its_place() {
    let gpu = stage::gpu();
    let mut renderer = stage::renderer(&gpu);
    let mut world = stage::island();
    let camera = stage::overview();
    let cell = Cell::new(60, stage::ground_at(60, 62) as i32 + 1, 62);
    let before = renderer
        .capture(&gpu, &stage::frame(&world, camera), stage::SIZE)
        .unwrap();
    world.write(|writer| {
        for offset in 0..27 {
            writer.set(
                cell + Cell::new(offset % 3, offset / 3 % 3, offset / 9),
                Material::GOLD,
            );
        }
    });
    let after = renderer
        .capture(&gpu, &stage::frame(&world, camera), stage::SIZE)
        .unwrap();
    let uploaded = renderer.statistics().uploaded_bricks;
    assert!(
        (1..=27).contains(&uploaded),
        "{uploaded} bricks were uploaded"
    );
    let middle = collision::Position::new(cell, nalgebra::Vector3::repeat(1.5));
    let [across, down] = camera.project(&middle, 16.0 / 9.0).unwrap();
    let (x, y) = ((across * 320.0) as u32, (down * 180.0) as u32);
    assert_ne!(
        before.pixel(x, y),
        after.pixel(x, y),
        "nothing changed at {x}, {y}"
    );
    let far = before.pixel(300, 20);
    assert_eq!(far, after.pixel(300, 20), "the sky changed");
    renderer
        .capture(&gpu, &stage::frame(&world, camera), SMALL)
        .unwrap();
    assert_eq!(
        renderer.statistics().uploaded_bricks,
        0,
        "an unchanged world is not uploaded again"
    );
}

/// Without indirect draws, as on DX12: no draw begins at another vertex or instance than 0.
#[test]
fn draws_one_by_one_give_the_same_pictures_as_indirect_ones() {
    let mut gpu = stage::gpu();
    assert!(gpu.capabilities.indirect, "the software driver can");
    let mut world = stage::island();
    let [x, y, z] = stage::door();
    let place = stage::position(x - 1.3, y + 1.0, z + 3.7);
    world
        .add_object(place, 0.25, Vector3::repeat(9), |_| Material::GLASS)
        .unwrap();
    // At distances for every level of detail.
    let bodies = [2.0, 9.0, 60.0].map(|away: f64| engine::CharacterInstance {
        position: stage::position(x + away * 0.4, y + 0.5, z + 12.0 - away),
        radii: stage::radii(),
        heading: 1.0,
        up: Vector3::y(),
        color: engine::Color::ORANGE,
    });
    let cameras = [
        stage::overview(),
        stage::look([x + 2.0, y + 2.0, z + 14.0], [x, y, z]),
        stage::look([52.0, 17.0, 92.0], [34.0, 8.0, 66.0]),
    ];
    let pictures = |gpu: &engine::Gpu| {
        let mut renderer = stage::renderer(gpu);
        cameras.map(|camera| {
            let mut frame = stage::frame(&world, camera);
            frame.characters = &bodies;
            renderer.capture(gpu, &frame, SMALL).unwrap()
        })
    };
    let indirect = pictures(&gpu);
    gpu.capabilities.indirect = false;
    for (number, (one, other)) in indirect.iter().zip(&pictures(&gpu)).enumerate() {
        assert!(one == other, "picture {number}");
    }
}

#[test]
fn what_is_kept_from_picture_to_picture_shows_in_none() {
    let gpu = stage::gpu();
    let mut world = stage::island();
    let mut renderer = stage::renderer(&gpu);
    let mut camera = stage::overview();
    for step in 0..12 {
        // Small moves within the reach of kept lists, edits in view, and now and then another
        // direction.
        camera.position = camera
            .position
            .moved(nalgebra::Vector3::new(0.4, 0.03, -0.7));
        camera.yaw += if step % 5 == 4 { 0.4 } else { 0.01 };
        let (x, z) = (50 + step * 3, 60 - step * 2);
        if step % 3 == 1 {
            let cell = Cell::new(x, stage::ground_at(x, z) as i32 + 1, z);
            world.write(|writer| writer.set(cell, Material::BRICK));
        }
        let frame = stage::frame(&world, camera);
        let kept = renderer.capture(&gpu, &frame, SMALL).unwrap();
        let anew = stage::renderer(&gpu).capture(&gpu, &frame, SMALL).unwrap();
        let difference = kept.compare(&anew);
        // A reused shadow map differs by less than a texel from a new one.
        assert!(difference.mean < 0.002, "step {step}: {difference:?}");
    }
}

#[test]
fn a_picture_far_out_is_the_same_as_at_the_origin() {
    let gpu = stage::gpu();
    let picture = |base: Cell| {
        let bounds = CellBox::new(base, base + Cell::new(31, 31, 31));
        let world = World::from_voxels(bounds, |cell| {
            let at = cell - base;
            let ground = 4 + (at.x * 3 + at.z * 5) % 7;
            if at.y < ground {
                Material::STONE
            } else {
                Material::AIR
            }
        });
        let position = collision::Position::new(
            base + Cell::new(-4, 20, 38),
            nalgebra::Vector3::new(0.25, 0.5, 0.125),
        );
        let mut frame = Frame::new(Camera::new(position, 0.6, -0.5), stage::settings());
        frame.settings.detail = 0.0;
        frame.world = Some(&world);
        stage::renderer(&gpu).capture(&gpu, &frame, SMALL).unwrap()
    };
    let near = picture(Cell::zeros());
    for base in [
        Cell::new(1 << 30, 0, -(1 << 30)),
        Cell::new(i32::MIN + 64, 64, 1 << 20),
    ] {
        let difference = near.compare(&picture(base));
        // The clouds drift with the eye; the land must not.
        assert!(difference.mean < 0.02, "{difference:?}");
    }
}

#[test]
fn every_combination_of_settings_draws() {
    let gpu = stage::gpu();
    let mut renderer = stage::renderer(&gpu);
    let world = stage::island();
    for shadows in [ShadowQuality::Off, ShadowQuality::Low] {
        for antialiasing in [Antialiasing::Off, Antialiasing::Msaa4] {
            for (view_distance, lamps) in [
                (16.0, Lamps::On),
                (1000.0, Lamps::Off),
                (f32::NAN, Lamps::On),
            ] {
                let mut frame = stage::frame(&world, stage::overview());
                frame.settings = GraphicsSettings {
                    shadows,
                    antialiasing,
                    view_distance,
                    lamps,
                    ..frame.settings
                };
                for size in [[1, 1], [33, 7]] {
                    renderer.capture(&gpu, &frame, size).unwrap();
                }
            }
        }
    }
    assert_eq!(gpu.take_errors(), Vec::<String>::new());
}

#[test]
fn nothing_and_nonsense_draw_too() {
    let gpu = stage::gpu();
    let mut renderer = stage::renderer(&gpu);
    let empty = World::default();
    let mut frame = Frame::new(stage::overview(), GraphicsSettings::default());
    renderer.capture(&gpu, &frame, SMALL).unwrap();
    frame.world = Some(&empty);
    let broken = [engine::CharacterInstance {
        position: collision::Position::default(),
        radii: nalgebra::Vector3::new(f32::NAN, 0.0, -1.0),
        heading: f32::INFINITY,
        up: nalgebra::Vector3::zeros(),
        color: engine::Color::RED,
    }];
    frame.characters = &broken;
    frame.time = f32::NAN;
    frame.sun = Sun { time_of_day: 1e9 };
    renderer.capture(&gpu, &frame, [0, 0]).unwrap();
}

#[test]
fn a_ghost_shows_beside_any_number_of_overlays() {
    let gpu = stage::gpu();
    let mut renderer = stage::renderer(&gpu);
    let room = black_room();
    let mut frame = stage::frame(&room, stage::look([0.0; 3], [0.0, 0.0, -10.0]));
    // Behind the eye, so that only the ghost is in the picture.
    let mut behind = Overlay::new(Visibility::Through);
    let color = engine::Color::RED;
    behind.line(
        &stage::position(0.0, 0.0, 5.0),
        &stage::position(1.0, 0.0, 5.0),
        color,
    );
    let overlays = vec![behind; 100];
    frame.overlays = &overlays;
    let without = renderer.capture(&gpu, &frame, SMALL).unwrap();
    let cells = [Cell::new(0, 0, -10)];
    let kind = GhostKind::Place;
    frame.ghost = Some(Ghost {
        cells: &cells,
        kind,
    });
    let with = renderer.capture(&gpu, &frame, SMALL).unwrap();
    assert!(with != without);
    frame.overlays = &[];
    assert!(with == renderer.capture(&gpu, &frame, SMALL).unwrap());
}

#[test]
fn another_world_replaces_the_first() {
    let gpu = stage::gpu();
    let mut renderer = stage::renderer(&gpu);
    let (island, room) = (stage::island(), black_room());
    let mut frame = stage::frame(&island, stage::overview());
    let first = renderer.capture(&gpu, &frame, SMALL).unwrap();
    frame.world = Some(&room);
    frame.world_generation = 1;
    let second = renderer.capture(&gpu, &frame, SMALL).unwrap();
    frame.world = Some(&island);
    frame.world_generation = 2;
    let again = renderer.capture(&gpu, &frame, SMALL).unwrap();
    assert!(first != second);
    assert!(first == again);
}

#[test]
fn a_lost_device_is_an_error_and_a_new_one_draws_on() {
    let gpu = stage::gpu();
    let world = stage::island();
    let frame = stage::frame(&world, stage::overview());
    let mut renderer = stage::renderer(&gpu);
    let before = renderer.capture(&gpu, &frame, SMALL).unwrap();
    gpu.lose();
    assert!(matches!(
        renderer.capture(&gpu, &frame, SMALL),
        Err(GpuError::Lost { .. })
    ));
    let gpu = stage::gpu();
    let after = stage::renderer(&gpu).capture(&gpu, &frame, SMALL).unwrap();
    assert!(before == after);
}

/// Level ground with a wall of one voxel along x = 16, where only the western side is visible to
/// the units.
#[test]
fn fog_of_war_does_not_leak_through_a_wall_of_one_tile() {
    let gpu = stage::gpu();
    let mut renderer = stage::renderer(&gpu);
    let bounds = CellBox::new(Cell::new(0, -8, 0), Cell::new(31, 23, 31));
    let world = World::from_voxels(bounds, |cell| match (cell.x, cell.y) {
        (_, ..0) | (16, 0..3) => Material::STONE,
        _ => Material::AIR,
    });
    let heights: Vec<f32> = (0..32 * 32)
        .map(|tile| if tile % 32 == 16 { 3.0 } else { 0.0 })
        .collect();
    let mut shown = |unseen_from: usize, revision: u64| {
        let alpha: Vec<f32> = (0..32 * 32)
            .map(|tile| if tile % 32 >= unseen_from { 1.0 } else { 0.0 })
            .collect();
        let mut camera = stage::look([12.0, 4.0, 16.0], [12.0, 0.0, 15.9]);
        camera.field_of_view = 0.9;
        let mut frame = stage::frame(&world, camera);
        frame.fog = Some(FogView {
            origin: [0, 0],
            size: [32, 32],
            tile: 1.0,
            alpha: &alpha,
            heights: &heights,
            revision,
        });
        // By the second picture the fog has blended into the new state.
        renderer.capture(&gpu, &frame, SMALL).unwrap();
        frame.time = 60.0;
        renderer.capture(&gpu, &frame, SMALL).unwrap()
    };
    let open = shown(32, 1);
    let walled = shown(17, 2);
    assert_eq!(open.compare(&walled).differing, 0.0);
    let beside = shown(15, 3);
    assert!(open.compare(&beside).differing > 0.05, "fog shows at all");
}
