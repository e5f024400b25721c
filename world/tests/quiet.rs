//! Edits of single voxels allocate nothing in steady state, as counted by the allocator. Alone in
//! its file, because the count is for the whole process.

use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use std::alloc::System;
use world::{CellBox, Material, World, WriteReport};

type Cell = nalgebra::Vector3<i32>;

#[global_allocator]
static COUNTED: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Makes hills of grass on dirt on stone.
fn hills() -> World {
    let height = |x: i32, z: i32| 28 + (x * 7 + z * 3) % 11 - (x / 5 - z / 4) % 9;
    World::from_voxels(
        CellBox::new(Cell::zeros(), Cell::new(63, 63, 63)),
        |cell| match height(cell.x, cell.z) - cell.y {
            ..0 => Material::AIR,
            0 => Material::GRASS,
            1..4 => Material::DIRT,
            _ => Material::STONE,
        },
    )
}

/// Removes voxels near the ground, adds others and restores them; returns the number of
/// allocations.
fn allocations(world: &mut World, report: &mut WriteReport) -> usize {
    let mut sum = 0;
    for index in 0..400_i32 {
        let cell = Cell::new(index * 37 % 64, 24 + index * 11 % 14, index * 23 % 64);
        let was = world.material(cell).unwrap_or(Material::STONE);
        for material in [Material::AIR, Material::SAND, was] {
            let region = Region::new(COUNTED);
            world.write_into(report, |writer| writer.set(cell, material));
            let change = region.change();
            sum += change.allocations + change.reallocations + change.deallocations;
        }
    }
    sum
}

#[test]
fn single_voxel_edits_allocate_nothing_in_steady_state() {
    let (mut world, mut report) = (hills(), WriteReport::default());
    for _ in 0..2 {
        allocations(&mut world, &mut report);
    }
    assert_eq!(allocations(&mut world, &mut report), 0);
}
