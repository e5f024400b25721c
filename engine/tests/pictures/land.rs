//! The land by day: haze before clouds, the snow line, terraces from above, plants near the eye.

use collision::Cell;
use engine::{Camera, CharacterInstance, Color, Image, Sun};
use nalgebra::Vector3;
use world::{CellBox, Material, World};

use super::{compare, stage, with_studio};

/// Draws a picture of a world with a new renderer, whose view is so many metres.
fn picture_of(world: &World, camera: Camera, view: f32, sun: Sun) -> Image {
    let mut taken = None;
    with_studio(|studio| {
        let mut frame = stage::frame(world, camera);
        frame.settings.view_distance = view;
        frame.sun = sun;
        frame.time = 5.0;
        let mut renderer = stage::renderer(&studio.gpu);
        taken = Some(renderer.capture(&studio.gpu, &frame, stage::SIZE).unwrap());
    });
    taken.unwrap()
}

/// Returns the difference of two pixels, 0 to 765.
fn apart(image: &Image, a: [u32; 2], b: [u32; 2]) -> u32 {
    let [a, b] = [a, b].map(|[x, y]| image.pixel(x, y));
    (0..3)
        .map(|part| u32::from(a[part].abs_diff(b[part])))
        .sum()
}

/// A plain with a wall of stone 40 m high, 200 m to the north of the origin.
fn wall() -> World {
    let bounds = CellBox::new(Cell::new(-160, 0, -220), Cell::new(159, 47, 31));
    World::from_voxels(bounds, |cell| match (cell.y, cell.z) {
        (0..4, _) => Material::GRASS,
        (4..44, -206..-200) => Material::STONE,
        _ => Material::AIR,
    })
}

#[test]
fn a_hill_in_haze_does_not_cut_the_cloud_behind_it() {
    let world = wall();
    let camera = stage::look([0.5, 6.0, 0.5], [0.5, 44.0, -200.0]);
    let sun = Sun::default();
    // The view ends a little behind the wall, so that it is all haze.
    let image = picture_of(&world, camera, 206.0, sun);
    compare("haze_cloud", &image);
    let sky = picture_of(&World::default(), camera, 206.0, sun);
    let [wide, high] = stage::SIZE;
    // The upper edge of the wall is at the middle of the picture.
    let (above, below) = (high / 2 - 4, high / 2 + 4);
    let jump = |image: &Image| -> u32 {
        (0..wide)
            .map(|x| apart(image, [x, above], [x, below]))
            .sum()
    };
    let clouds = (0..wide).map(|x| sky.pixel(x, above)[0]);
    let spread = clouds.clone().max().unwrap() - clouds.min().unwrap();
    assert!(spread > 25, "there is no cloud to cut: {spread}");
    let (with, without) = (jump(&image), jump(&sky));
    assert!(
        with < without + 6 * wide,
        "{with} across the edge, {without} in the sky"
    );
}

/// Slopes up to a peak, with snow from a height on.
fn peak() -> World {
    let bounds = CellBox::new(Cell::new(-96, 0, -128), Cell::new(95, 79, 31));
    World::from_voxels(bounds, |cell| {
        let away = f64::from(cell.x).hypot(f64::from(cell.z + 70));
        let rough = (f64::from(cell.x) * 0.19).sin() * 2.0 + (f64::from(cell.z) * 0.23).cos() * 2.0;
        let top = (70.0 - away * 0.75 + rough).max(5.0) as i32;
        match top - cell.y {
            ..=0 => Material::AIR,
            1 if cell.y > 38 => Material::SNOW,
            1 if cell.y > 26 => Material::MOSS,
            1 => Material::GRASS,
            _ => Material::STONE,
        }
    })
}

#[test]
fn snow_line() {
    let camera = stage::look([-6.0, 16.0, 24.0], [0.0, 36.0, -60.0]);
    let image = picture_of(&peak(), camera, 400.0, Sun::default());
    compare("snow_line", &image);
}

#[test]
fn dusk_over_the_land() {
    let camera = stage::look([30.0, 24.0, 28.0], [-20.0, 22.0, -60.0]);
    let image = picture_of(&peak(), camera, 400.0, Sun { time_of_day: 0.735 });
    compare("land_dusk", &image);
}

/// Terraces of stone, each a metre above the last and five metres wide.
fn terraces() -> World {
    let bounds = CellBox::new(Cell::new(-48, 0, -48), Cell::new(47, 31, 47));
    World::from_voxels(bounds, |cell| {
        if cell.y <= 6 + cell.x.div_euclid(5) {
            Material::SANDSTONE
        } else {
            Material::AIR
        }
    })
}

#[test]
fn steps_can_be_told_from_above() {
    let mut camera = stage::look([0.5, 50.0, 0.5], [0.5, 0.0, 0.5]);
    camera.pitch = -1.55;
    // At noon the sides of steps throw next to no shadow.
    let noon = Sun { time_of_day: 0.5 };
    compare("terraces", &picture_of(&terraces(), camera, 200.0, noon));
    let mut frames = Vec::new();
    with_studio(|studio| {
        for occlusion in [0.0, 1.0] {
            let world = terraces();
            let mut frame = stage::frame(&world, camera);
            frame.sun = noon;
            frame.settings.shadows = engine::ShadowQuality::Off;
            frame.settings.occlusion = occlusion;
            frame.settings.detail = 0.0;
            let mut renderer = stage::renderer(&studio.gpu);
            frames.push(renderer.capture(&studio.gpu, &frame, stage::SIZE).unwrap());
        }
    });
    // Along a row of the right half of the picture, where the sides of steps face away from the
    // eye, steps are lines that are brighter than the level ground.
    let [wide, high] = stage::SIZE;
    let lines = |image: &Image| {
        let row: Vec<i32> = (wide / 2 + 10..wide * 7 / 10)
            .map(|x| i32::from(image.pixel(x, high / 2)[1]))
            .collect();
        row.windows(3)
            .filter(|three| three[1] > three[0].max(three[2]) + 2)
            .count()
    };
    assert!(lines(&frames[1]) >= 2, "{} lines", lines(&frames[1]));
    assert_eq!(lines(&frames[0]), 0, "without occlusion nothing is told");
}

#[test]
fn plants_grow_near_the_eye() {
    let bounds = CellBox::new(Cell::new(-48, 0, -48), Cell::new(47, 15, 47));
    let meadow = World::from_voxels(bounds, |cell| match cell.y {
        ..4 => Material::GRASS,
        _ => Material::AIR,
    });
    let camera = stage::look([0.5, 6.4, 12.5], [-2.0, 4.0, 2.0]);
    let image = picture_of(&meadow, camera, 160.0, Sun::default());
    compare("meadow", &image);
    // Flowers are of other colours than grass.
    let [wide, high] = stage::SIZE;
    let bright = |x: u32, y: u32| {
        let [red, green, blue, _] = image.pixel(x, y);
        red > green || blue > green
    };
    let flowers = (high * 2 / 3..high)
        .flat_map(|y| (0..wide).map(move |x| (x, y)))
        .filter(|&(x, y)| bright(x, y))
        .count();
    assert!(flowers > 60, "{flowers} pixels of flowers");
}

#[test]
fn pieces_of_voxels_have_flat_sides() {
    let bounds = CellBox::new(Cell::new(-16, 0, -16), Cell::new(15, 7, 15));
    let floor = World::from_voxels(bounds, |cell| match cell.y {
        ..2 => Material::SANDSTONE,
        _ => Material::AIR,
    });
    let pieces: Vec<CharacterInstance> = (0..7)
        .map(|index| {
            let turn = index as f32 * 0.9;
            CharacterInstance {
                position: stage::position(-2.4 + 0.8 * f64::from(index), 2.3, 0.5),
                radii: Vector3::new(0.26, 0.2, 0.24),
                heading: turn,
                up: Vector3::new(turn.sin() * 0.7, 1.0, turn.cos() * 0.7).normalize(),
                color: [Color::ORANGE, Color([125, 127, 131, 255])][index as usize % 2],
            }
        })
        .collect();
    with_studio(|studio| {
        let mut frame = stage::frame(&floor, stage::look([0.0, 3.6, 4.6], [0.0, 2.2, 0.4]));
        frame.pieces = &pieces;
        let mut renderer = stage::renderer(&studio.gpu);
        let image = renderer.capture(&studio.gpu, &frame, stage::SIZE).unwrap();
        compare("pieces", &image);
    });
}
