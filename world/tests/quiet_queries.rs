//! Queries of a world allocate nothing, as counted by the allocator. Alone in its file, because the
//! count is for the whole process.
#![allow(clippy::unwrap_used)]

use collision::{Cell, Plane, Position};
use nalgebra::Vector3;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use std::alloc::System;
use world::{CellBox, Frustum, Material, Ray, World};

#[global_allocator]
static COUNTED: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

fn hills() -> World {
    let bounds = CellBox::new(Cell::zeros(), Cell::new(255, 31, 255));
    let mut world = World::from_voxels(bounds, |cell| {
        match 12 + (cell.x * 7 + cell.z * 3) % 11 - cell.y {
            ..0 => Material::AIR,
            _ => Material::STONE,
        }
    });
    for at in 0..40 {
        let origin = Position::new(Cell::new(at * 6, 26, at * 5), Vector3::zeros());
        let extent = Vector3::new(6, 4, 6);
        world
            .add_object(origin, 0.5, extent, |_| Material::BRICK)
            .unwrap();
    }
    world
}

/// Makes all kinds of queries at many places; returns the number of results.
fn ask(world: &World) -> usize {
    let mut found = 0;
    for step in 0..200_i32 {
        let cell = Cell::new(step * 37 % 256, 24, step * 23 % 256);
        world.visit_box(&CellBox::new(cell, cell + Cell::repeat(40)), |_| found += 1);
        let sides = [
            Vector3::x(),
            -Vector3::x(),
            Vector3::y(),
            -Vector3::y(),
            Vector3::z(),
            -Vector3::z(),
        ];
        let planes = sides.map(|normal| Plane {
            normal,
            distance: -50.0,
        });
        world.visit_frustum(&Frustum { base: cell, planes }, |_| found += 1);
        let ray = Ray {
            origin: Position::new(cell + Cell::y() * 20, Vector3::repeat(0.5)),
            direction: Vector3::new((step % 7) as f32 - 3.0, -1.0, (step % 5) as f32 - 2.0),
        };
        found += usize::from(world.cast_ray(&ray, 1_000.0).is_some());
        found += usize::from(
            world
                .cast_ray_where(&ray, 1_000.0, |material| material == Material::STONE)
                .is_some(),
        );
        found += usize::from(world.material(cell).is_some());
    }
    found
}

#[test]
fn queries_allocate_nothing() {
    let world = hills();
    let found = ask(&world);
    assert!(found > 1_000, "{found}");
    let region = Region::new(COUNTED);
    assert_eq!(ask(&world), found);
    let change = region.change();
    assert_eq!(
        change.allocations + change.reallocations + change.deallocations,
        0
    );
}
