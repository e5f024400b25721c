//! Light in rooms, holes and caves, and of lamps, as pictures and numbers.

use collision::Cell;
use engine::{Camera, Frame, Image, Renderer, Sun};
use world::{CellBox, Material, World};

use super::{compare, stage, with_studio};

/// Height of the meadow.
const GROUND: i32 = 16;
const NIGHT: Sun = Sun { time_of_day: 0.0 };

/// Makes a meadow with additional voxels.
fn meadow(special: impl Fn(Cell) -> Option<Material>) -> World {
    let bounds = CellBox::new(Cell::new(-64, 0, -64), Cell::new(63, 63, 63));
    World::from_voxels(bounds, |cell| {
        special(cell).unwrap_or(match GROUND - cell.y {
            ..=0 => Material::AIR,
            1 => Material::GRASS,
            2..=4 => Material::DIRT,
            _ => Material::STONE,
        })
    })
}

/// A room of 15 x 6 x 9 m with walls of one voxel, from the corner at x and z of 0.
fn room(cell: Cell) -> Option<Material> {
    let at = cell - Cell::new(0, GROUND - 1, 0);
    let size = [16, 7, 10];
    if !(0..3).all(|axis| (0..=size[axis]).contains(&at[axis])) {
        return None;
    }
    let border = (0..3).any(|axis| at[axis] == 0 || at[axis] == size[axis]);
    Some(match (border, at.y) {
        (false, _) => Material::AIR,
        (true, 0) => Material::SANDSTONE,
        (true, _) => Material::BRICK,
    })
}

/// Looks from one corner of the room to the other.
fn in_room() -> Camera {
    stage::look([1.6, 19.5, 1.6], [15.0, 16.5, 9.0])
}

fn draw(renderer: &mut Renderer, gpu: &engine::Gpu, frame: &Frame<'_>) -> Image {
    renderer.capture(gpu, frame, stage::SIZE).unwrap()
}

/// Draws a picture with a new renderer and compares it with a golden one.
fn picture(name: &str, world: &World, camera: Camera, sun: Sun) -> Image {
    let image = picture_of(world, camera, sun);
    compare(name, &image);
    image
}

fn picture_of(world: &World, camera: Camera, sun: Sun) -> Image {
    let mut taken = None;
    with_studio(|studio| {
        let mut frame = stage::frame(world, camera);
        frame.sun = sun;
        frame.time = 5.0;
        let mut renderer = stage::renderer(&studio.gpu);
        taken = Some(draw(&mut renderer, &studio.gpu, &frame));
    });
    taken.unwrap()
}

/// Returns the linear light of a pixel, 0 to 1.
fn linear(image: &Image, x: u32, y: u32) -> f32 {
    let [red, green, blue, _] = image
        .pixel(x, y)
        .map(|byte| (f32::from(byte) / 255.0).powf(2.2));
    0.3 * red + 0.6 * green + 0.1 * blue
}

fn each_pixel() -> impl Iterator<Item = (u32, u32)> {
    let [wide, high] = stage::SIZE;
    (0..high).flat_map(move |y| (0..wide).map(move |x| (x, y)))
}

fn mean(image: &Image) -> f32 {
    let [wide, high] = stage::SIZE;
    let sum: f32 = each_pixel().map(|(x, y)| linear(image, x, y)).sum();
    sum / (wide * high) as f32
}

fn brightest(image: &Image) -> f32 {
    let all = each_pixel().map(|(x, y)| linear(image, x, y));
    all.fold(0.0, f32::max)
}

/// Returns the mean light around the pixel of a point of the world.
fn around(image: &Image, camera: &Camera, point: [f64; 3]) -> f32 {
    let at = stage::position(point[0], point[1], point[2]);
    let [wide, high] = stage::SIZE;
    let [across, down] = camera.project(&at, wide as f32 / high as f32).unwrap();
    let (x, y) = ((across * wide as f32) as u32, (down * high as f32) as u32);
    let square = (y - 2..=y + 2).flat_map(|y| (x - 2..=x + 2).map(move |x| (x, y)));
    square.map(|(x, y)| linear(image, x, y)).sum::<f32>() / 25.0
}

#[test]
fn a_sealed_room_is_dark_by_day() {
    let world = meadow(room);
    let inside = picture("room_sealed", &world, in_room(), Sun::default());
    // The walls of the same room, seen from the meadow.
    let from = stage::look([-9.0, 20.0, -7.0], [8.0, 17.0, 5.0]);
    let outside = mean(&picture_of(&world, from, Sun::default()));
    assert!(
        mean(&inside) < 0.03 * outside,
        "{} of {outside}",
        mean(&inside)
    );
    let most = brightest(&inside);
    assert!(most < 0.03 * outside, "a leak: {most} of {outside}");
    assert!(most > 0.0, "not even the room can be told");
}

#[test]
fn a_room_without_shadow_maps_is_dark_too() {
    let world = meadow(room);
    with_studio(|studio| {
        let mut frame = stage::frame(&world, in_room());
        frame.settings.shadows = engine::ShadowQuality::Off;
        let image = draw(&mut stage::renderer(&studio.gpu), &studio.gpu, &frame);
        assert!(brightest(&image) < 0.001, "{}", brightest(&image));
    });
}

/// Makes the room with a wall across it, optionally a lamp behind it, and a door.
fn halves(lamp: bool, door: bool) -> World {
    meadow(|cell| {
        let at = cell - Cell::new(0, GROUND, 0);
        let wall = at.x == 8 && (0..6).contains(&at.y) && (1..10).contains(&at.z);
        let open = door && (5..8).contains(&at.z) && at.y < 3;
        match cell {
            _ if wall && !open => Some(Material::PLANKS),
            _ if lamp && at == Cell::new(10, 0, 3) => Some(Material::LAMP),
            _ => room(cell),
        }
    })
}

#[test]
fn a_lamp_behind_a_wall_adds_nothing() {
    let lit = picture("lamp_behind_wall", &halves(true, false), in_room(), NIGHT);
    let unlit = picture_of(&halves(false, false), in_room(), NIGHT);
    assert!(lit == unlit, "light passes through the wall");
    let open = picture("lamp_behind_door", &halves(true, true), in_room(), NIGHT);
    assert!(
        mean(&open) > 3.0 * mean(&unlit),
        "{} {}",
        mean(&open),
        mean(&unlit)
    );
}

/// Makes a post with this material on top.
fn post(top: Material) -> World {
    meadow(move |cell| {
        let at = cell - Cell::new(0, GROUND, 0);
        match (at.x, at.y, at.z) {
            (0, 0..3, 0) => Some(Material::WOOD),
            (0, 3, 0) => Some(top),
            _ => None,
        }
    })
}

#[test]
fn a_lamp_lights_its_own_post() {
    let camera = stage::look([4.5, 18.5, 7.5], [0.5, 17.3, 0.5]);
    let lit = picture("lamp_post", &post(Material::LAMP), camera, NIGHT);
    let unlit = picture_of(&post(Material::WOOD), camera, NIGHT);
    // The sides of the post, and the meadow at its foot and farther off.
    let places = [
        [0.5, 18.3, 1.0],
        [1.0, 17.0, 0.5],
        [1.6, 16.0, 2.0],
        [3.5, 16.0, -3.0],
    ];
    for (place, least) in places.into_iter().zip([6.0, 5.0, 5.0, 2.0]) {
        let (with, without) = (around(&lit, &camera, place), around(&unlit, &camera, place));
        assert!(
            with > least * without,
            "{place:?}: {with}, {without} without the lamp"
        );
    }
}

#[test]
fn a_hole_in_a_roof_lights_the_floor_within_two_frames() {
    let mut world = meadow(room);
    let camera = in_room();
    let floor = [9.0, 16.0, 5.0];
    with_studio(|studio| {
        let mut renderer = stage::renderer(&studio.gpu);
        let mut frame_of = |world: &World| {
            let mut frame = stage::frame(world, camera);
            frame.world_generation = 41;
            draw(&mut renderer, &studio.gpu, &frame)
        };
        let dark = frame_of(&world);
        world.write(|writer| {
            for (x, z) in [(8, 4), (9, 4), (8, 5), (9, 5)] {
                writer.set(Cell::new(x, GROUND + 6, z), Material::AIR);
            }
        });
        frame_of(&world);
        let lit = frame_of(&world);
        compare("room_holed", &lit);
        let (before, after) = (around(&dark, &camera, floor), around(&lit, &camera, floor));
        assert!(
            after > 20.0 * before && after > 0.03,
            "{before} became {after}"
        );
        // Darkness returns.
        world.write(|writer| {
            for (x, z) in [(8, 4), (9, 4), (8, 5), (9, 5)] {
                writer.set(Cell::new(x, GROUND + 6, z), Material::BRICK);
            }
        });
        frame_of(&world);
        let closed = frame_of(&world);
        assert!(closed == dark, "light stays in a closed room");
    });
}

#[test]
fn a_window_throws_light_in() {
    let world = meadow(|cell| {
        let at = cell - Cell::new(0, GROUND, 0);
        let window = at.x == 16 && (3..8).contains(&at.z) && (1..4).contains(&at.y);
        if window {
            Some(Material::GLASS)
        } else {
            room(cell)
        }
    });
    let image = picture("room_window", &world, in_room(), Sun { time_of_day: 0.36 });
    let sealed = picture_of(&meadow(room), in_room(), Sun { time_of_day: 0.36 });
    assert!(
        mean(&image) > 8.0 * mean(&sealed),
        "{} {}",
        mean(&image),
        mean(&sealed)
    );
}

/// A hill with a cave that turns twice, and a lamp at its end.
fn hill(cell: Cell) -> Option<Material> {
    let at = cell - Cell::new(0, GROUND, 0);
    let (x, y, z) = (at.x, at.y, at.z);
    let rough = ((x * 5 + z * 3 + y * 7).rem_euclid(11) - 5) / 5;
    let along =
        |a: i32, b: i32, high: i32| a * a + (b - 2) * (b - 2) < 9 + 3 * rough && b >= 0 && b < high;
    let entrance = (-16..=13).contains(&z) && along(x, y, 5);
    let cross = (-2..=22).contains(&x) && along(z + 14, y, 5);
    let hall = (x - 24).pow(2) + 2 * (y - 2).pow(2) + (z + 20).pow(2) < 80 && y >= 0;
    if (x, y, z) == (24, 0, -24) {
        return Some(Material::LAMP);
    }
    if entrance || cross || hall {
        return Some(Material::AIR);
    }
    let top = 34 - ((x - 12).pow(2) + (z + 18).pow(2)) / 26;
    (y >= 0 && y < top).then_some(if y + 1 == top {
        Material::MOSS
    } else {
        Material::STONE
    })
}

#[test]
fn a_cave_is_dark_but_for_its_mouth_and_its_lamp() {
    let world = meadow(hill);
    let camera = stage::look([2.6, 18.6, 17.0], [0.2, 17.4, -2.0]);
    let image = picture("cave_mouth", &world, camera, Sun::default());
    let (mouth, deep) = ([0.5, 16.0, 9.0], [0.0, 16.0, -13.0]);
    let (mouth, deep) = (
        around(&image, &camera, mouth),
        around(&image, &camera, deep),
    );
    assert!(
        deep < 0.1 * mouth,
        "{deep} deep inside, {mouth} at the mouth"
    );
    let end = stage::look([18.0, 18.6, -14.0], [25.0, 16.6, -23.0]);
    picture("cave_lamp", &world, end, Sun::default());
}
