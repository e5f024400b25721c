//! Ray casts against brute force, and against merged quads.
#![allow(clippy::unwrap_used)]

use collision::Position;
use nalgebra::Vector3;
use proptest::prelude::*;
use world::{CellBox, Material, ObjectId, Ray, World};

type Cell = Vector3<i32>;

const LOW: i32 = -32;
const HIGH: i32 = 31;

fn mix(seed: u64) -> u64 {
    let mut x = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x ^ (x >> 29)
}

fn solid(seed: u64, density: u64, cell: Cell) -> bool {
    let at = (cell.x + 64) as u64 | ((cell.y + 64) as u64) << 8 | ((cell.z + 64) as u64) << 16;
    let inside = cell.iter().all(|&c| c > LOW && c < HIGH);
    inside && mix(seed ^ mix(at)) % 1000 < density
}

fn world(seed: u64, density: u64) -> World {
    World::from_voxels(
        CellBox::new(Cell::repeat(LOW), Cell::repeat(HIGH)),
        |cell| {
            if solid(seed, density, cell) {
                Material::STONE
            } else {
                Material::AIR
            }
        },
    )
}

fn start() -> impl Strategy<Value = [f64; 3]> {
    let part = || {
        prop_oneof![
            -40.0..40.0f64,
            (-80..80i32).prop_map(|half| f64::from(half) / 2.0)
        ]
    };
    [part(), part(), part()]
}

/// Makes directions, often diagonals and axes, so that edges and corners are met exactly.
fn direction() -> impl Strategy<Value = [f32; 3]> {
    let part = || prop_oneof![-1.0..1.0f32, Just(0.0), Just(1.0), Just(-1.0), Just(0.5)];
    [part(), part(), part()].prop_filter("a direction", |d| d.iter().any(|c| c.abs() > 0.01))
}

/// Returns the range of the ray within the voxel, by slabs in `f64`. A ray along a face belongs to
/// the voxel above it.
fn inside(cell: Cell, start: Vector3<f64>, direction: Vector3<f64>) -> Option<(f64, f64)> {
    let (mut enter, mut leave) = (0.0_f64, f64::INFINITY);
    for axis in 0..3 {
        let (low, high) = (
            f64::from(cell[axis]) - start[axis],
            f64::from(cell[axis] + 1) - start[axis],
        );
        if direction[axis] == 0.0 {
            if low > 0.0 || high <= 0.0 {
                return None;
            }
        } else {
            let (one, two) = (low / direction[axis], high / direction[axis]);
            enter = enter.max(one.min(two));
            leave = leave.min(one.max(two));
        }
    }
    (enter <= leave).then_some((enter, leave))
}

fn ray(start: [f64; 3], direction: [f32; 3]) -> Ray {
    Ray {
        origin: Position::from_metres(start.into()),
        direction: direction.into(),
    }
}

const NEAR: f64 = 1e-9;

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(256)
    })]

    #[test]
    fn picks_what_brute_force_picks(
        seed in any::<u64>(),
        density in prop_oneof![Just(3u64), Just(100), Just(400)],
        rays in proptest::collection::vec((start(), direction()), 4),
    ) {
        let world = world(seed, density);
        let solids: Vec<Cell> = (LOW..=HIGH)
            .flat_map(|z| (LOW..=HIGH).map(move |y| (y, z)))
            .flat_map(|(y, z)| (LOW..=HIGH).map(move |x| Cell::new(x, y, z)))
            .filter(|&cell| solid(seed, density, cell))
            .collect();
        for (from, towards) in rays {
            let ray = ray(from, towards);
            let start = ray.origin.to_metres().coords;
            let direction = ray.direction.map(f64::from).normalize();
            let pick = world.cast_ray(&ray, 200.0);
            // A voxel that the ray passes through must be hit; one that it only touches may be hit
            // or not.
            let mut first = f64::INFINITY;
            for &cell in &solids {
                if let Some((enter, leave)) = inside(cell, start, direction)
                    && leave - enter > NEAR
                {
                    first = first.min(enter);
                }
            }
            match pick {
                None => prop_assert!(first == f64::INFINITY, "missed a voxel at {first}"),
                Some(pick) => {
                    prop_assert!(solid(seed, density, pick.voxel), "picked air");
                    prop_assert!(pick.distance <= first + NEAR, "passed a voxel at {first}");
                    let at = start + direction * pick.distance;
                    let off = at.zip_map(&pick.voxel, |at, cell| {
                        (at - f64::from(cell) - 0.5).abs() - 0.5
                    });
                    prop_assert!(off.max() < NEAR, "the voxel is not where the ray is");
                    if let Some(face) = pick.face {
                        let along = direction[face.axis()] * f64::from(face.sign());
                        prop_assert!(along < 0.0, "entered from behind");
                        let at = start[face.axis()] + direction[face.axis()] * pick.distance;
                        let beyond = if face.sign() > 0 { 1.0 } else { 0.0 };
                        let plane = f64::from(pick.voxel[face.axis()]) + beyond;
                        prop_assert!((at - plane).abs() < NEAR);
                    } else {
                        prop_assert_eq!(pick.voxel, ray.origin.cell);
                    }
                }
            }
            let walked = world.cast_ray_where(&ray, 200.0, |material| material != Material::AIR);
            prop_assert_eq!(walked, pick);
        }
    }

    #[test]
    fn objects_are_picked_like_terrain(
        seed in any::<u64>(),
        size in prop_oneof![Just(1.0f32), Just(0.25), Just(0.5), Just(2.0)],
        origin in start(),
        rays in proptest::collection::vec((start(), direction()), 4),
    ) {
        let mut world = World::default();
        let extent = Vector3::new(40, 33, 20);
        let origin = Position::from_metres(origin.into());
        let filled = |voxel: Vector3<u32>| {
            let [x, y, z] = voxel.map(u64::from).into();
            mix(seed ^ mix(x | y << 8 | z << 16)).is_multiple_of(10)
        };
        let id = world.add_object(origin, size, extent, |voxel| {
            if filled(voxel) { Material::PLANKS } else { Material::AIR }
        }).unwrap();
        prop_assert_eq!(id, ObjectId(0));
        for (from, towards) in rays {
            let ray = ray(from, towards);
            let pick = world.cast_ray(&ray, 300.0);
            let start = (ray.origin.to_metres() - origin.to_metres()) / f64::from(size);
            let direction = ray.direction.map(f64::from).normalize();
            let mut first = f64::INFINITY;
            for z in 0..extent.z { for y in 0..extent.y { for x in 0..extent.x {
                let voxel = Vector3::new(x, y, z);
                if filled(voxel)
                    && let Some((enter, leave)) = inside(voxel.cast(), start, direction)
                    && leave - enter > NEAR
                {
                    first = first.min(enter);
                }
            }}}
            match pick {
                None => prop_assert!(first == f64::INFINITY),
                Some(pick) => {
                    prop_assert!(filled(pick.voxel.map(|c| c as u32)));
                    prop_assert_eq!(pick.object, Some(id));
                    prop_assert!(pick.distance <= (first + 10.0 * NEAR) * f64::from(size));
                }
            }
            let walked = world.cast_ray_where(&ray, 300.0, |material| material != Material::AIR);
            prop_assert_eq!(walked, pick);
        }
    }
}

#[test]
fn a_kilometre_away_is_exact() {
    let mut world = World::default();
    let cell = Cell::new(1000, 37, -3);
    for x in 0..40 {
        world.insert_brick(Cell::new(x, 1, -1), world::Brick::default());
    }
    world.write(|writer| writer.set(cell, Material::STONE));
    let origin = Position::new(Cell::new(0, 37, -3), Vector3::new(0.25, 0.5, 0.5));
    let pick = world
        .cast_ray(
            &Ray {
                origin,
                direction: Vector3::x(),
            },
            1000.0,
        )
        .unwrap();
    assert_eq!((pick.voxel, pick.distance), (cell, 999.75));
    assert_eq!(pick.face, Some(world::Face::NegativeX));
    let ray = Ray {
        origin,
        direction: Vector3::x(),
    };
    let by_voxel = world.cast_ray_where(&ray, 1000.0, |material| material == Material::STONE);
    assert_eq!(by_voxel, Some(pick));
    assert_eq!(
        world.cast_ray(
            &Ray {
                origin,
                direction: Vector3::x()
            },
            999.5
        ),
        None
    );
}

#[test]
fn bad_rays_hit_nothing() {
    let world = world(1, 400);
    for direction in [
        Vector3::zeros(),
        Vector3::repeat(f32::NAN),
        Vector3::new(f32::INFINITY, 0.0, 0.0),
    ] {
        assert_eq!(
            world.cast_ray(
                &Ray {
                    origin: Position::default(),
                    direction
                },
                100.0
            ),
            None
        );
    }
    assert_eq!(
        world.cast_ray(
            &Ray {
                origin: Position::default(),
                direction: Vector3::x()
            },
            f32::NAN
        ),
        None
    );
}

#[test]
fn rays_cross_the_ends_of_the_world() {
    let mut world = World::default();
    let chunk = (i32::MIN) >> 5;
    world.insert_brick(Cell::new(chunk, 0, 0), world::Brick::default());
    world.write(|writer| writer.set(Cell::new(i32::MIN + 5, 0, 0), Material::STONE));
    let origin = Position::new(Cell::new(i32::MAX - 3, 0, 0), Vector3::repeat(0.5));
    let pick = world
        .cast_ray(
            &Ray {
                origin,
                direction: Vector3::x(),
            },
            100.0,
        )
        .unwrap();
    assert_eq!((pick.voxel.x, pick.distance), (i32::MIN + 5, 8.5));
}

#[test]
fn objects_are_hit_across_the_ends_of_the_world() {
    for flip in [1, -1] {
        let mut world = World::default();
        let end = if flip > 0 { i32::MAX } else { i32::MIN };
        let at = |x: i32| Cell::new(end.wrapping_add(x * flip), 0, 0);
        // One object beyond the end, and one on both sides of it.
        for (x, y) in [(6, 0), (-1, 2)] {
            let low = if flip > 0 { at(x) } else { at(x + 3) };
            let origin = Position::new(low + Cell::new(0, y, 0), Vector3::zeros());
            world
                .add_object(origin, 1.0, Vector3::new(4, 1, 1), |_| Material::PLANKS)
                .unwrap();
        }
        let direction = Vector3::x() * flip as f32;
        let cast = |y: i32| {
            let origin = Position::new(at(-8) + Cell::new(0, y, 0), Vector3::repeat(0.5));
            world
                .cast_ray(&Ray { origin, direction }, 100.0)
                .unwrap()
                .distance
        };
        assert_eq!((cast(0), cast(2)), (13.5, 6.5));
    }
}

#[test]
fn what_has_no_surface_is_picked_before_what_has_one() {
    let ladder = (1..u16::MAX)
        .map(Material)
        .find(|&material| {
            let table = World::default().materials().clone();
            table.is_climbable(material) && !table.is_solid(material)
        })
        .unwrap();
    let mut world = World::default();
    world.insert_brick(Cell::zeros(), world::Brick::default());
    world.write(|writer| {
        writer.set(Cell::new(5, 1, 1), ladder);
        writer.set(Cell::new(9, 1, 1), Material::STONE);
    });
    let cast = |x: i32| {
        let origin = Position::new(Cell::new(x, 1, 1), Vector3::repeat(0.5));
        let direction = Vector3::x();
        world.cast_ray(&Ray { origin, direction }, 50.0).unwrap()
    };
    let (before, inside, behind) = (cast(2), cast(5), cast(6));
    assert_eq!((before.voxel.x, before.distance), (5, 2.5));
    assert_eq!(before.material, ladder);
    assert_eq!((inside.voxel.x, inside.face), (5, None));
    assert_eq!((behind.voxel.x, behind.distance), (9, 2.5));
}

#[test]
fn ray_from_a_missing_chunk_hits_the_side() {
    let mut world = World::default();
    world.insert_brick(Cell::zeros(), world::Brick::default());
    world.write(|writer| {
        for y in 0..4 {
            writer.set(Cell::new(0, y, 3), Material::STONE);
        }
    });
    let origin = Position::new(Cell::new(-8, 2, 3), Vector3::repeat(0.5));
    let direction = Vector3::x();
    let pick = world.cast_ray(&Ray { origin, direction }, 50.0).unwrap();
    assert_eq!((pick.voxel, pick.distance), (Cell::new(0, 2, 3), 7.5));
    assert_eq!(pick.face, Some(world::Face::NegativeX));
}
