//! Fog of war: units of radius 8 on rolling ground with walls, one team.

use std::hint::black_box;

use world::fog::{Fog, FogSettings, HeightField, Unit, UnitId};

use super::super::{Figure, in_units, time_runs};
use super::scatter::Scatter;

const RUNS: usize = 200;

struct Scene {
    fog: Fog,
    units: Vec<(UnitId, [i32; 2])>,
    size: i32,
}

impl Scene {
    fn new(units: usize, size: i32) -> Self {
        let mut scatter = Scatter::new(5);
        let mut fog = Fog::new(ground(size, &mut scatter), 1, FogSettings::default());
        let units = (0..units)
            .filter_map(|_| {
                let tile = [scatter.below(size as u32), scatter.below(size as u32)];
                let id = fog.add_unit(Unit {
                    team: 0,
                    tile,
                    radius: 8,
                    eye: 2,
                })?;
                Some((id, tile))
            })
            .collect();
        fog.update();
        Self { fog, units, size }
    }

    /// Moves every `stride`-th unit by a tile, round and round.
    fn step(&mut self, turn: i32, stride: usize) {
        let first = turn as usize % stride;
        for (id, tile) in self.units.iter_mut().skip(first).step_by(stride) {
            let ways = [[1, 0], [0, 1], [-1, 0], [0, -1]];
            let way = ways[(turn as usize / stride) % 4];
            *tile = [0, 1].map(|axis| (tile[axis] + way[axis]).clamp(0, self.size - 1));
            self.fog.move_unit(*id, *tile);
        }
    }
}

/// Slopes of a few steps, with a wall on one tile of twelve.
fn ground(size: i32, scatter: &mut Scatter) -> HeightField {
    let mut heights = HeightField::flat([size as usize; 2], 0);
    for z in 0..size {
        for x in 0..size {
            let wave = (x as f32 * 0.21).sin() * 3.0 + (z as f32 * 0.17).cos() * 3.0;
            let wall = if scatter.below(12) == 0 { 4 } else { 0 };
            heights.set([x, z], wave.round() as i32 + wall);
        }
    }
    heights
}

fn measure(name: &str, units: usize, size: i32, stride: usize) -> Figure {
    let mut scene = Scene::new(units, size);
    let mut turn = 0;
    let times = time_runs(RUNS, || {
        scene.step(turn, stride);
        turn += 1;
        black_box(scene.fog.update());
    });
    Figure::from_samples(name, "us", in_units(&times, 1e-6, 1))
}

pub(super) fn small(name: &str) -> Figure {
    measure(name, 105, 40, 1)
}

pub(super) fn middle(name: &str) -> Figure {
    measure(name, 105, 80, 1)
}

pub(super) fn large(name: &str) -> Figure {
    measure(name, 1000, 256, 1)
}

pub(super) fn still(name: &str) -> Figure {
    measure(name, 1000, 256, 100)
}
