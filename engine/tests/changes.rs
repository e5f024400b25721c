//! Effects of changes of the world on the next picture: corners darken, objects keep their lamps
//! and patterns, and nothing remains of removed parts.

#![allow(clippy::unwrap_used)]

mod stage;

use collision::Cell;
use engine::{Camera, Frame, GraphicsSettings, Image, ShadowQuality};
use nalgebra::Vector3;
use world::{Brick, CellBox, Material, Voxels, World};

/// Makes a floor of chunks that meet in the middle of the picture.
fn floor_with(blocks: &[Cell]) -> World {
    let bounds = CellBox::new(Cell::repeat(-32), Cell::repeat(31));
    World::from_voxels(bounds, |cell| {
        if cell.y < 0 || blocks.contains(&cell) {
            Material::STONE
        } else {
            Material::AIR
        }
    })
}

#[test]
fn an_edit_darkens_the_corners_about_it_across_chunks() {
    let gpu = stage::gpu();
    let camera = stage::look([0.2, 9.0, 5.0], [0.0, 0.0, 0.0]);
    let settings = GraphicsSettings {
        shadows: ShadowQuality::Off,
        ..GraphicsSettings::default()
    };
    let draw = |renderer: &mut engine::Renderer, world: &World, generation| {
        let mut frame = Frame::new(camera, settings);
        frame.world = Some(world);
        frame.world_generation = generation;
        renderer.capture(&gpu, &frame, stage::SIZE).unwrap()
    };
    let floor_pixel = |image: &Image, x: f64, z: f64| {
        let [across, down] = camera
            .project(&stage::position(x, 0.0, z), 16.0 / 9.0)
            .unwrap();
        let pixel = image.pixel((across * 320.0) as u32, (down * 180.0) as u32);
        pixel[..3].iter().map(|&part| u32::from(part)).sum::<u32>()
    };
    // Eight chunks meet at the origin: each of these blocks lies in another chunk than the floor
    // that it darkens.
    for block in [
        Cell::new(0, 0, 0),
        Cell::new(-1, 0, 0),
        Cell::new(0, 0, -1),
        Cell::new(-1, 0, -1),
    ] {
        let mut world = floor_with(&[]);
        let mut renderer = stage::renderer(&gpu);
        let before = draw(&mut renderer, &world, 0);
        world.write(|writer| writer.set(block, Material::STONE));
        let after = draw(&mut renderer, &world, 0);
        let fresh = draw(&mut stage::renderer(&gpu), &floor_with(&[block]), 0);
        assert!(after == fresh, "not as a world that was made so: {block:?}");
        // Points near the block on both sides of the border.
        let beside = if block.x == 0 { -0.1 } else { 0.1 };
        let [dark, bright] =
            [&after, &before].map(|image| floor_pixel(image, beside, f64::from(block.z) + 0.5));
        assert!(
            dark + 20 < bright,
            "{dark} beside {block:?}, {bright} before"
        );
        world.write(|writer| writer.set(block, Material::AIR));
        assert!(
            draw(&mut renderer, &world, 0) == before,
            "not as before: {block:?}"
        );
    }
}

/// Draws a world with one renderer before and after a change, and the changed world with a new one.
fn before_and_after(
    world: &mut World,
    settings: GraphicsSettings,
    cameras: [Camera; 2],
    change: impl FnOnce(&mut World),
) -> [Image; 3] {
    let gpu = stage::gpu();
    let draw = |renderer: &mut engine::Renderer, world: &World, camera| {
        let mut frame = Frame::new(camera, settings);
        frame.world = Some(world);
        frame.sun.time_of_day = 0.0;
        renderer.capture(&gpu, &frame, stage::SIZE).unwrap()
    };
    let mut renderer = stage::renderer(&gpu);
    let before = draw(&mut renderer, world, cameras[0]);
    change(world);
    let after = draw(&mut renderer, world, cameras[1]);
    let fresh = draw(&mut stage::renderer(&gpu), world, cameras[1]);
    [before, after, fresh]
}

#[test]
fn lamps_of_an_object_go_where_it_goes() {
    let mut world = floor_with(&[]);
    let place = stage::position(-3.0, 1.0, 0.0);
    let lamp = world.add_object(place, 1.0, Vector3::repeat(1), |_| Material::LAMP);
    let camera = stage::look([0.2, 9.0, 8.0], [0.0, 0.0, 0.0]);
    let settings = GraphicsSettings {
        shadows: ShadowQuality::Off,
        ..GraphicsSettings::default()
    };
    let [before, after, fresh] = before_and_after(&mut world, settings, [camera; 2], |world| {
        world.move_object(lamp.unwrap(), Vector3::new(6.0, 0.0, 0.0));
    });
    assert!(before != after);
    assert!(after == fresh, "the light stayed behind");
}

#[test]
fn pattern_of_an_object_goes_with_it() {
    let mut world = World::default();
    let place = stage::position(0.25, 0.0, 0.0);
    let object = world.add_object(place, 1.0, Vector3::repeat(6), |_| Material::STONE);
    let way = Vector3::new(1.0, 0.0, 0.0);
    let cameras = [0.0, 1.0].map(|by| stage::look([3.0 + by, 3.0, 9.0], [3.0 + by, 3.0, 0.0]));
    let settings = GraphicsSettings {
        shadows: ShadowQuality::Off,
        exposure: 6.0,
        ..GraphicsSettings::default()
    };
    let [before, after, _] = before_and_after(&mut world, settings, cameras, |world| {
        world.move_object(object.unwrap(), way);
    });
    // The object fills the middle; around it is sky.
    let [wide, high] = stage::SIZE;
    let mut shades = std::collections::BTreeSet::new();
    for y in high / 2 - 20..high / 2 + 20 {
        for x in wide / 2 - 20..wide / 2 + 20 {
            let (a, b) = (before.pixel(x, y), after.pixel(x, y));
            let near = (0..3).all(|part| a[part].abs_diff(b[part]) <= 3);
            assert!(near, "{a:?} became {b:?} at {x}, {y}");
            shades.insert(a);
        }
    }
    assert!(shades.len() > 8, "nothing to see: {}", shades.len());
}

#[test]
fn brick_in_the_place_of_another_that_is_gone_is_darkened_as_ever() {
    let chunk = |x: i32, z: i32| Cell::new(x, -1, z);
    let put = |world: &mut World, at: Cell, height: usize| {
        let voxels = Voxels::from_fn(|x, y, _| {
            let hole = x == 31 && y == 0;
            [Material::STONE, Material::AIR][usize::from(y >= height || hole)]
        });
        let brick = Brick::new(voxels, world.materials());
        world.insert_brick(at, brick);
    };
    // A floor and a wall to the east of it.
    let (floor, wall) = (chunk(0, 0), chunk(1, 0));
    let mut plain = World::default();
    put(&mut plain, wall, 32);
    put(&mut plain, floor, 30);
    // The same floor and wall; but the floor takes the slot of the second of two neighbouring
    // chunks that were just removed.
    let (first, second) = (chunk(40, 40), chunk(39, 40));
    let mut world = World::default();
    put(&mut world, wall, 32);
    put(&mut world, first, 30);
    put(&mut world, second, 30);
    let camera = stage::look([20.0, 10.0, 16.0], [31.0, -2.0, 16.0]);
    let settings = GraphicsSettings {
        shadows: ShadowQuality::Off,
        exposure: 6.0,
        ..GraphicsSettings::default()
    };
    let [_, made_so, _] = before_and_after(&mut plain, settings, [camera; 2], |_| {});
    let [_, after, fresh] = before_and_after(&mut world, settings, [camera; 2], |world| {
        world.remove_brick(first);
        world.remove_brick(second);
        put(world, floor, 30);
    });
    assert!(fresh == made_so, "a new renderer draws it as it came to be");
    assert!(after == made_so, "not as a world that was made so");
}

#[test]
fn brick_that_comes_across_an_edge_darkens_the_floor_beside_it() {
    let mut world = World::default();
    let put = |world: &mut World, chunk: Cell, material: Material| {
        let brick = Brick::new(Voxels::uniform(material), world.materials());
        world.insert_brick(chunk, brick);
    };
    // Two floors and air above the first. The new chunk shares an edge with that floor and no face.
    put(&mut world, Cell::new(0, -1, 0), Material::STONE);
    put(&mut world, Cell::new(1, -1, 0), Material::STONE);
    put(&mut world, Cell::zeros(), Material::AIR);
    let camera = stage::look([20.0, 10.0, 16.0], [31.0, -2.0, 16.0]);
    let settings = GraphicsSettings {
        shadows: ShadowQuality::Off,
        exposure: 6.0,
        ..GraphicsSettings::default()
    };
    for material in [Material::AIR, Material::STONE] {
        let [before, after, fresh] = before_and_after(&mut world, settings, [camera; 2], |world| {
            put(world, Cell::new(1, 0, 0), material);
        });
        assert!(after == fresh, "{material:?}");
        assert!(after != before, "{material:?}");
    }
}
