//! The figures of the group `world`: merging, editing, the index and memory. On one thread, unless
//! the world itself uses more.

use std::time::Instant;

use collision::Cell;
use collision_scenes::{HEIGHT, ProvingGround, WIDTH};
use world::generate::{Buffer, Generator};
use world::merge::{MergeScratch, merge_collision, merge_render};
use world::{
    Brick, BrickId, CellBox, CollisionSurface, KdTree, Material, RenderSurface, Space, World,
    WriteReport,
};

use super::{Figure, Filter};
use crate::error::Error;

const SEED: u64 = 7;
const MICROSECONDS: f64 = 1e6;

/// Measures the figures of this group that the filter selects.
pub fn run(filter: &Filter) -> Result<Vec<Figure>, Error> {
    let begin = |names: &[&str]| filter.begin("world", names);
    let mut figures = Vec::new();
    if begin(&["world.merge.collision", "world.merge.render"]) {
        figures.extend(merges(&layered()));
    }
    if begin(&["world.edit.one"]) {
        figures.push(single_edits(&mut layered()));
    }
    if begin(&["world.edit.sphere8"]) {
        figures.push(sphere_edits(&mut layered()));
    }
    if begin(&["world.index.sweep", "world.index.move"]) {
        figures.extend(index());
    }
    if begin(&["world.memory.surfaces", "world.memory.chunk"]) {
        figures.extend(memory());
    }
    Ok(figures)
}

/// Returns the proving ground with grass on dirt on stone.
fn layered() -> World {
    let ground = ProvingGround::new(SEED);
    let bounds = CellBox::new(Cell::zeros(), Cell::new(WIDTH - 1, HEIGHT - 1, WIDTH - 1));
    World::from_voxels(bounds, |cell| {
        let solid = |above: i32| {
            let at = (cell + Cell::new(0, above, 0)).map(|part| part as f32 + 0.5);
            ground.is_solid(at.x, at.y, at.z)
        };
        match (0..4).find(|&above| !solid(above)) {
            Some(0) => Material::AIR,
            Some(1) => Material::GRASS,
            Some(_) => Material::DIRT,
            None => Material::STONE,
        }
    })
}

/// Returns the chunks that have a surface.
fn surface_bricks(world: &World) -> Vec<BrickId> {
    world
        .brick_ids()
        .filter(|&id| !world.brick(id).collision_surface().quads().is_empty())
        .collect()
}

fn seconds_of(work: impl FnOnce()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_secs_f64()
}

fn merges(world: &World) -> [Figure; 2] {
    let mut scratch = MergeScratch::default();
    let (mut collision, mut render) = (CollisionSurface::default(), RenderSurface::default());
    let (mut collision_times, mut render_times) = (Vec::new(), Vec::new());
    for _ in 0..20 {
        for id in surface_bricks(world) {
            let around = world.around(id);
            let time = seconds_of(|| merge_collision(&around, &mut collision, &mut scratch));
            collision_times.push(time * MICROSECONDS);
            let time = seconds_of(|| merge_render(&around, &mut render, &mut scratch));
            render_times.push(time * MICROSECONDS);
        }
    }
    [
        Figure::from_samples("world.merge.collision", "us", collision_times),
        Figure::from_samples("world.merge.render", "us", render_times),
    ]
}

/// Returns scattered cells of the open ground.
fn ground_cells(world: &World, count: u64) -> Vec<Cell> {
    let is_air = |cell: Cell| world.material(cell) == Some(Material::AIR);
    (0..count)
        .map(|index| {
            let mixed = index.wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let place = |shift: u64| ((mixed >> shift) % WIDTH as u64) as i32;
            let (x, z) = (place(20), place(40));
            let y = (0..HEIGHT).rev().find(|&y| !is_air(Cell::new(x, y, z)));
            Cell::new(x, y.unwrap_or(0), z)
        })
        .collect()
}

/// Removes single voxels from the ground and puts them back.
fn single_edits(world: &mut World) -> Figure {
    let mut report = WriteReport::default();
    let mut times = Vec::new();
    for cell in ground_cells(world, 5_000) {
        let was = world.material(cell).unwrap_or(Material::STONE);
        for material in [Material::AIR, was] {
            let time =
                seconds_of(|| world.write_into(&mut report, |writer| writer.set(cell, material)));
            times.push(time * MICROSECONDS);
        }
    }
    Figure::from_samples("world.edit.one", "us", times)
}

/// Carves balls of radius 8 out of the ground and fills them again.
fn sphere_edits(world: &mut World) -> Figure {
    let (mut carved, mut restored) = (WriteReport::default(), WriteReport::default());
    let mut times = Vec::new();
    for centre in ground_cells(world, 500) {
        let carve = || world.write_into(&mut carved, |writer| carve_ball(writer, centre));
        times.push(seconds_of(carve) * MICROSECONDS);
        world.write_into(&mut restored, |writer| {
            for changed in carved.changes.iter().rev() {
                let change = changed.change;
                writer.fill_row(changed.brick, change.row.into(), change.mask, change.old);
            }
        });
    }
    Figure::from_samples("world.edit.sphere8", "us", times)
}

/// Carves a ball of radius 8 by rows, chunk by chunk.
fn carve_ball(writer: &mut world::Writer<'_>, centre: Cell) {
    for z in -8..=8_i32 {
        for y in -8..=8_i32 {
            let Some(half) = (0..=8).rev().find(|x| x * x + y * y + z * z <= 64) else {
                continue;
            };
            let (low, high) = (centre.x - half, centre.x + half);
            let (y, z) = (centre.y + y, centre.z + z);
            for chunk in low >> 5..=high >> 5 {
                let first = (low - chunk * 32).max(0);
                let last = (high - chunk * 32).min(31);
                let mask = (u32::MAX >> (31 - (last - first))) << first;
                let row = ((z & 31) * 32 + (y & 31)) as usize;
                writer.fill_chunk_row(Cell::new(chunk, y >> 5, z >> 5), row, mask, Material::AIR);
            }
        }
    }
}

/// Measures an index of 10,000 chunk boxes: the query of a mover, and moving a box.
fn index() -> [Figure; 2] {
    let boxes: Vec<CellBox> = (0..10_000)
        .map(|index| Cell::new(index % 50, index / 50 % 4, index / 200) * 32)
        .map(|low| CellBox::new(low, low.add_scalar(31)))
        .collect();
    let mut tree = KdTree::build((0..).zip(boxes.iter().copied()));
    let mixed = |index: u64| index.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mut found = 0_u64;
    let sweeps = batches(1e9, |index| {
        let part = |shift: u64, limit: u64| ((mixed(index) >> shift) % limit) as i32;
        let base = Cell::new(part(10, 1600), part(30, 128), part(40, 1600));
        // The block of chunks that a gather about this cell queries.
        let lowest = base.map(|part| (part - 16) & !31);
        let block = CellBox::new(lowest, lowest.add_scalar(63));
        tree.visit_box(&block, |_| found += 1);
    });
    std::hint::black_box(found);
    let moves = batches(MICROSECONDS, |index| {
        let item = (mixed(index) >> 30) % 10_000;
        let low = boxes[item as usize].min + Cell::new((mixed(index) >> 50) as i32 & 63, 0, 0);
        tree.insert(item as u32, CellBox::new(low, low.add_scalar(31)));
    });
    [
        Figure::from_samples("world.index.sweep", "ns", sweeps),
        Figure::from_samples("world.index.move", "us", moves),
    ]
}

/// Times work in batches of 100 and returns the time of one, in `scale` parts of a second.
fn batches(scale: f64, mut work: impl FnMut(u64)) -> Vec<f64> {
    (0..400)
        .map(|batch| {
            let time = seconds_of(|| (0..100).for_each(|index| work(batch * 100 + index)));
            time * scale / 100.0
        })
        .collect()
}

/// Measures the memory of surfaces on the proving ground, and of a whole chunk of generated land.
fn memory() -> [Figure; 2] {
    let ground = ProvingGround::new(SEED).world();
    let surfaces: usize = ground
        .brick_ids()
        .map(|id| ground.brick(id))
        .map(Brick::collision_bytes)
        .sum();
    let generator = Generator::new(SEED);
    let mut buffer = Buffer::default();
    let mut bricks = Vec::new();
    let mut world = World::default();
    for (x, z) in (0..10).flat_map(|x| (0..10).map(move |z| (x, z))) {
        let column = generator.column(x, z);
        let rows = column.surface_rows();
        for y in rows.lowest..=rows.highest {
            let brick = Brick::new(
                generator.voxels_of(&column, y, &mut buffer),
                world.materials(),
            );
            bricks.push((Cell::new(x, y, z), brick));
        }
    }
    world.insert_bricks(bricks);
    let chunks = surface_bricks(&world)
        .into_iter()
        .map(|id| (world.brick(id).heap_bytes() + Space::BRICK_BYTES) as f64 / 1024.0)
        .collect();
    [
        Figure::exact("world.memory.surfaces", "MB", surfaces as f64 / 1e6),
        Figure::from_samples("world.memory.chunk", "KB", chunks),
    ]
}
