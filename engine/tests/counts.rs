//! Counts of pictures: nothing is drawn twice, in vain or again; and blinks.

#![allow(clippy::unwrap_used)]

mod stage;

use collision::Cell;
use engine::{Antialiasing, Frame, GraphicsSettings, Overlay, ShadowQuality, Sun, Visibility};
use nalgebra::Vector3;
use world::{Material, World};

const SMALL: [u32; 2] = [160, 90];

#[test]
fn shadow_maps_are_drawn_when_something_changed() {
    let gpu = stage::gpu();
    let mut world = stage::island();
    let mut renderer = stage::renderer(&gpu);
    let mut drawn = |world: &World, camera, characters: &[engine::CharacterInstance]| {
        let mut frame = stage::frame(world, camera);
        frame.characters = characters;
        renderer.capture(&gpu, &frame, SMALL).unwrap();
        renderer.statistics().shadow_maps
    };
    let camera = stage::overview();
    assert_eq!(drawn(&world, camera, &[]), 3, "the first time");
    assert_eq!(drawn(&world, camera, &[]), 0, "nothing changed");
    let mut aside = camera;
    aside.yaw += 1.0;
    assert_eq!(drawn(&world, aside, &[]), 3, "the eye looks elsewhere");
    drawn(&world, camera, &[]);
    let cell = Cell::new(20, stage::ground_at(20, 100) as i32 + 2, 100);
    world.write(|writer| writer.set(cell, Material::GOLD));
    assert!(drawn(&world, camera, &[]) > 0, "a block was placed");
    assert_eq!(drawn(&world, camera, &[]), 0, "and stays");
    let body = engine::CharacterInstance {
        position: stage::position(28.0, 30.0, 100.0),
        radii: stage::radii(),
        heading: 0.0,
        up: nalgebra::Vector3::y(),
        color: engine::Color::RED,
    };
    assert!(drawn(&world, camera, &[body]) > 0, "a body came");
    assert_eq!(drawn(&world, camera, &[body]), 0, "and lies still");
    let mut moved = body;
    moved.position = moved.position.moved(Vector3::new(0.01, 0.0, 0.0));
    assert!(drawn(&world, camera, &[moved]) > 0, "it moves");
    let far = engine::CharacterInstance {
        position: stage::position(120.0, 30.0, 10.0),
        ..body
    };
    drawn(&world, camera, &[moved, far]);
    let mut farther = far;
    farther.heading += 1.0;
    let maps = drawn(&world, camera, &[moved, farther]);
    assert_eq!(maps, 0, "what is in no map changes none");
    assert!(drawn(&world, camera, &[]) > 0, "both are gone");
    assert_eq!(drawn(&world, camera, &[]), 0);
}

/// Returns models of a small tetrahedron at these places.
fn tetrahedra<const N: usize>(places: [[f64; 3]; N]) -> [engine::ModelInstance; N] {
    let [a, b, c, d] = [
        [0.0, 1.0, 0.0],
        [1.0, 0.0, 0.5],
        [-1.0, 0.0, 0.5],
        [0.0, 0.0, -1.0],
    ]
    .map(Vector3::from);
    let mesh = std::sync::Arc::new(engine::Mesh::new([[a, b, c], [a, c, d], [a, d, b]]));
    places.map(|[x, y, z]| engine::ModelInstance {
        mesh: mesh.clone(),
        position: stage::position(x, y, z),
        turn: nalgebra::UnitQuaternion::identity(),
        scale: 1.0,
        color: engine::Color::ORANGE,
    })
}

#[test]
fn shadow_maps_stay_while_models_and_gems_lie_still_and_time_passes() {
    let gpu = stage::gpu();
    let world = stage::island();
    let mut renderer = stage::renderer(&gpu);
    let gems = [engine::CharacterInstance {
        position: stage::position(34.0, 30.0, 96.0),
        radii: stage::radii(),
        heading: 0.0,
        up: Vector3::y(),
        color: engine::Color::CYAN,
    }];
    let mut time = 0.0;
    let mut drawn = |models: &[engine::ModelInstance], sun: Sun| {
        let mut frame = stage::frame(&world, stage::overview());
        (frame.gems, frame.models, frame.sun) = (&gems, models, sun);
        time += 0.1;
        frame.time = time;
        renderer.capture(&gpu, &frame, SMALL).unwrap();
        renderer.statistics().shadow_maps
    };
    let sun = Sun::default();
    let mut models = tetrahedra([[28.0, 30.0, 100.0], [900.0, 30.0, 10.0]]);
    assert_eq!(drawn(&models, sun), 3, "the first time");
    assert_eq!(drawn(&models, sun), 0, "gems turn, but not their shadows");
    models[0].position = models[0].position.moved(Vector3::new(0.1, 0.0, 0.0));
    let near = drawn(&models, sun);
    assert!((1..=3).contains(&near), "a model near the eye moves");
    assert_eq!(drawn(&models, sun), 0, "and lies still");
    models[1].position = models[1].position.moved(Vector3::new(0.1, 0.0, 0.0));
    assert_eq!(drawn(&models, sun), 0, "a model in no map moves");
    // A day of ten minutes: 60 pictures are one second.
    let maps = (0..60).map(|picture| {
        let time_of_day = sun.time_of_day + picture as f32 / 36_000.0;
        drawn(&models, Sun { time_of_day })
    });
    let maps: Vec<_> = maps.collect();
    assert!(maps.iter().all(|&maps| maps <= 1), "{maps:?}");
    assert!((6..=9).contains(&maps.iter().sum::<u32>()), "{maps:?}");
}

#[test]
fn samples_are_drawn_in_two_passes_and_only_what_is_in_sight() {
    let gpu = stage::gpu();
    let world = stage::island();
    let mut renderer = stage::renderer(&gpu);
    let bodies = [-6.0, 6.0].map(|ahead| engine::CharacterInstance {
        position: stage::position(52.0 - ahead, 17.0 - 0.4 * ahead, 92.0 - ahead),
        radii: stage::radii(),
        heading: 0.0,
        up: Vector3::y(),
        color: engine::Color::RED,
    });
    let mut lines = Overlay::new(Visibility::Through);
    lines.line(
        &stage::position(40.0, 12.0, 80.0),
        &stage::position(44.0, 14.0, 80.0),
        engine::Color::YELLOW,
    );
    let overlays = [lines];
    let models = tetrahedra([[40.0, 12.0, 80.0], [60.0, 18.0, 100.0]]);
    let mut counts = |world, antialiasing| {
        let camera = stage::look([52.0, 17.0, 92.0], [34.0, 8.0, 66.0]);
        let mut frame = Frame::new(camera, stage::settings());
        frame.world = world;
        frame.settings.antialiasing = antialiasing;
        frame.bodies = &bodies;
        frame.overlays = &overlays;
        frame.models = &models;
        renderer.capture(&gpu, &frame, SMALL).unwrap();
        let statistics = renderer.statistics();
        assert_eq!((statistics.characters, statistics.models), (1, 1));
        statistics.sample_passes
    };
    for antialiasing in [Antialiasing::Msaa4, Antialiasing::Off] {
        assert_eq!(counts(Some(&world), antialiasing), 2);
        assert_eq!(counts(None, antialiasing), 1, "without water");
    }
}

/// The sky, three passes of bloom, and the conversion for the display.
const DRAWS_OF_NOTHING: u32 = 5;

#[test]
fn draws_of_all_passes_are_counted() {
    let gpu = stage::gpu();
    let mut renderer = stage::renderer(&gpu);
    let places = [[34.0, 8.0, 66.0], [36.0, 8.0, 66.0]];
    let models = tetrahedra(places);
    let bodies = places.map(|[x, y, z]| engine::CharacterInstance {
        position: stage::position(x, y, z),
        radii: stage::radii(),
        heading: 0.0,
        up: Vector3::y(),
        color: engine::Color::RED,
    });
    let world = stage::island();
    let mut draws = |bodies, models, world| {
        let camera = stage::look([52.0, 17.0, 92.0], [34.0, 8.0, 66.0]);
        let mut frame = Frame::new(camera, GraphicsSettings::modest());
        frame.settings.shadows = ShadowQuality::Off;
        (frame.bodies, frame.models, frame.world) = (bodies, models, world);
        renderer.capture(&gpu, &frame, SMALL).unwrap();
        renderer.statistics().clone()
    };
    let nothing = draws(&[], &[], None);
    assert_eq!(nothing.draws, DRAWS_OF_NOTHING);
    let things = draws(&bodies, &models, None);
    assert_eq!(
        things.draws,
        DRAWS_OF_NOTHING + 2,
        "one draw a mesh and a sphere"
    );
    let land = draws(&[], &[], Some(&world));
    assert!(land.draws >= DRAWS_OF_NOTHING + land.bricks, "{land:?}");
}

#[test]
fn a_picture_of_what_is_known_writes_its_uniforms_only() {
    let gpu = stage::gpu();
    let mut renderer = stage::renderer(&gpu);
    let mut world = stage::island();
    let mut written = |world: &World| {
        let frame = stage::frame(world, stage::overview());
        renderer.capture(&gpu, &frame, SMALL).unwrap();
        let statistics = renderer.statistics();
        (statistics.written_bytes, statistics.uploaded_bytes)
    };
    let (first, uploaded) = written(&world);
    assert!(
        first > uploaded && uploaded > 100_000,
        "{uploaded} of {first}"
    );
    let (again, uploaded) = written(&world);
    assert_eq!(uploaded, 0);
    assert!((500..2500).contains(&again), "{again} bytes");
    assert_eq!(written(&world), (again, 0));
    let cell = Cell::new(60, stage::ground_at(60, 62) as i32 + 1, 62);
    world.write(|writer| writer.set(cell, Material::GOLD));
    let (edited, uploaded) = written(&world);
    assert!(
        uploaded > 0 && edited >= again + uploaded,
        "{uploaded} of {edited}"
    );
}

#[test]
fn a_scene_drawn_smaller_fills_the_same_picture() {
    let gpu = stage::gpu();
    let mut renderer = stage::renderer(&gpu);
    let world = stage::island();
    let mut picture = |render_scale| {
        let mut frame = stage::frame(&world, stage::overview());
        frame.settings.render_scale = render_scale;
        let image = renderer.capture(&gpu, &frame, stage::SIZE).unwrap();
        let statistics = renderer.statistics();
        (image, statistics.scene_size, statistics.target_bytes)
    };
    let (whole, size, bytes) = picture(1.0);
    assert_eq!(size, stage::SIZE);
    for (scale, scene) in [(0.75, [240, 135]), (0.5, [160, 90]), (0.1, [160, 90])] {
        let (scaled, size, fewer) = picture(scale);
        assert_eq!(([scaled.width, scaled.height], size), (stage::SIZE, scene));
        assert!(fewer < bytes);
        let difference = whole.compare(&scaled);
        assert!(
            (0.001..0.06).contains(&difference.mean),
            "{scale}: {difference:?}"
        );
    }
    assert!(picture(f32::NAN).0 == whole, "the standard one");
}

/// Returns the times, in steps of a twentieth of a second, at which a body has its eyes closed.
fn closed_eyes(gpu: &engine::Gpu, color: engine::Color) -> Vec<usize> {
    let mut renderer = stage::renderer(gpu);
    let camera = stage::look([0.0, 0.4, -2.0], [0.0, 0.4, 0.0]);
    // A place in a pupil on the face, below its glint and the lash of the closed eye.
    let pupil = stage::position(0.1215, 0.342, -0.398);
    let [across, down] = camera.project(&pupil, 16.0 / 9.0).unwrap();
    let characters = [engine::CharacterInstance {
        position: stage::position(0.0, 0.0, 0.0),
        radii: Vector3::new(0.45, 0.9, 0.45),
        heading: 0.0,
        up: Vector3::y(),
        color,
    }];
    let mut is_closed = |step: &usize| {
        let mut frame = Frame::new(camera, GraphicsSettings::modest());
        frame.characters = &characters;
        frame.time = *step as f32 * 0.05;
        let image = renderer.capture(gpu, &frame, stage::SIZE).unwrap();
        let pixel = image.pixel((across * 320.0) as u32, (down * 180.0) as u32);
        pixel[..3].iter().any(|&part| part > 90)
    };
    (0..74).filter(|step| is_closed(step)).collect()
}

#[test]
fn eyes_blink_for_a_moment_and_not_together() {
    let gpu = stage::gpu();
    let blinks = [engine::Color::ORANGE, engine::Color::CYAN].map(|it| closed_eyes(&gpu, it));
    for blink in &blinks {
        assert!((1..=4).contains(&blink.len()), "{blinks:?}");
    }
    assert!(
        blinks[0].iter().all(|step| !blinks[1].contains(step)),
        "{blinks:?}"
    );
}
