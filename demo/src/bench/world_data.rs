//! The figures of the group `world` about the generator and the store.

use std::time::Instant;

use collision::Cell;
use world::generate::{Buffer, Generator};
use world::{Author, Brick, CellBox, Material, MaterialTable, World};

use super::{Figure, Filter};
use crate::error::Error;
use crate::session::broken;

const GROUP: &str = "world";
const RUNS: usize = 9;

/// Measures the figures of this group that the filter selects.
pub fn run(filter: &Filter) -> Result<Vec<Figure>, Error> {
    let mut figures = Vec::new();
    if filter.begin(GROUP, &["world.generate"]) {
        figures.push(generate());
    }
    if filter.begin(GROUP, &["world.save"]) {
        figures.push(save()?);
    }
    Ok(figures)
}

/// Measures chunks with surface, generated and merged on one thread, a second.
fn generate() -> Figure {
    let samples = (0..RUNS).map(|run| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
        let measure = || generate_patch(run as i32);
        pool.map_or_else(|_| measure(), |pool| pool.install(measure))
    });
    Figure::from_samples("world.generate", "chunks/s", samples.collect())
}

/// Generates a patch of 8 by 8 columns, another one each run.
fn generate_patch(run: i32) -> f64 {
    let generator = Generator::new(1);
    let materials = MaterialTable::standard();
    let mut buffer = Buffer::default();
    let mut surface = 0;
    let start = Instant::now();
    let mut bricks = Vec::new();
    for index in 0..64 {
        let (x, z) = (run * 8 + index % 8 - 30, index / 8 - 4);
        let column = generator.column(x, z);
        let rows = column.surface_rows();
        for y in rows.lowest..=rows.highest {
            let voxels = generator.voxels_of(&column, y, &mut buffer);
            surface += usize::from(voxels.as_uniform().is_none());
            bricks.push((Cell::new(x, y, z), Brick::new(voxels, &materials)));
        }
    }
    let mut world = World::new(materials);
    world.insert_bricks(bricks);
    surface as f64 / start.elapsed().as_secs_f64()
}

/// Measures the time from 1,000 edited chunks in memory to a file that holds them, milliseconds.
fn save() -> Result<Figure, Error> {
    let path = std::env::temp_dir().join(format!("voxel-bench-{}.world", std::process::id()));
    let samples: Result<Vec<f64>, Error> = (0..RUNS).map(|_| save_once(&path)).collect();
    // The file is removed, also after a failure.
    let _ = std::fs::remove_file(&path);
    Ok(Figure::from_samples("world.save", "ms", samples?))
}

fn save_once(path: &std::path::Path) -> Result<f64, Error> {
    let _ = std::fs::remove_file(path);
    let mut world = World::create(path, 1).map_err(|error| broken(path, &error))?;
    let start = world.spawn().map_or([0; 3], |spawn| spawn.cell);
    let corner = Cell::from(start).map(|part| (part >> 5) * 32) - Cell::repeat(128);
    world
        .load(&CellBox::new(corner, corner.add_scalar(319)))
        .map_err(|error| Error::Failed(error.to_string()))?;
    world.transact(Author::default(), |writer| {
        for index in 0..1000 {
            let chunk = Cell::new(index % 10, index / 10 % 10, index / 100);
            for step in 0..24 {
                let cell = corner + chunk * 32 + Cell::new(step, (step * 7) % 32, (step * 13) % 32);
                writer.set(cell, Material::BRICK);
            }
        }
    });
    let start = Instant::now();
    world.flush().map_err(|error| broken(path, &error))?;
    Ok(start.elapsed().as_secs_f64() * 1e3)
}
