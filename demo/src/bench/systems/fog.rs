//! Fog of war: units of radius 8 on rolling ground with walls, one team; and an update of the
//! sandbox.

use std::hint::black_box;
use std::time::{Duration, Instant};

use collision::{Cell, Position};
use nalgebra::Vector3;
use simulation::{FogChoice, FogOfWar};
use world::fog::{Fog, FogSettings, FogStage, HeightField, LineTest, Unit, UnitId};
use world::{CellBox, Material, World};

use super::super::{Figure, in_units, time_runs};
use super::scatter::Scatter;

const RUNS: usize = 200;

struct Scene {
    fog: Fog,
    units: Vec<(UnitId, [i32; 2])>,
    size: i32,
}

impl Scene {
    fn new(units: usize, size: i32, line_test: LineTest) -> Self {
        let mut scatter = Scatter::new(5);
        let settings = FogSettings {
            line_test,
            ..FogSettings::default()
        };
        let mut fog = Fog::new(ground(size, &mut scatter), 1, settings);
        let units = (0..units)
            .filter_map(|_| {
                let tile = [scatter.below(size as u32), scatter.below(size as u32)];
                let id = fog.add_unit(Unit {
                    team: 0,
                    tile,
                    radius: 8,
                    eye: eye_at(&fog, tile),
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
            let eye = eye_at(&self.fog, *tile);
            self.fog.move_unit(*id, *tile, eye);
        }
    }
}

/// Returns the height of an eye: two cells above the ground.
fn eye_at(fog: &Fog, tile: [i32; 2]) -> i32 {
    fog.heights().get(tile).unwrap_or(0) + 2
}

/// Returns slopes of a few steps, with a wall on one tile of twelve.
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
    measure_by(LineTest::default(), name, units, size, stride)
}

fn measure_by(line_test: LineTest, name: &str, units: usize, size: i32, stride: usize) -> Figure {
    let mut scene = Scene::new(units, size, line_test);
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

/// Measures the scene of `small` with the test by directions.
pub(super) fn directions(name: &str) -> Figure {
    measure_by(LineTest::Directions, name, 105, 40, 1)
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

/// The fog of the sandbox: 400 walkers and the player, of radius 20, all moved by a metre before
/// each update, on generated land with walls.
struct Sandbox {
    world: World,
    fog: FogOfWar,
    /// The tiles of the player and the walkers.
    places: Vec<[i32; 2]>,
    walls: Vec<i32>,
    turn: usize,
}

impl Sandbox {
    const WALKERS: usize = 400;

    fn new() -> Self {
        let mut scatter = Scatter::new(6);
        let bounds = CellBox::new(Cell::new(-128, 0, -128), Cell::new(127, 63, 127));
        let walls: Vec<i32> = (0..256 * 256)
            .map(|_| if scatter.below(40) == 0 { 6 } else { 0 })
            .collect();
        let world = World::from_voxels(bounds, |cell| {
            if cell.y < top(&walls, [cell.x, cell.z]) {
                Material::STONE
            } else {
                Material::AIR
            }
        });
        let places = (0..=Self::WALKERS)
            .map(|_| [scatter.below(250) - 125, scatter.below(250) - 125])
            .collect();
        let fog = FogOfWar::new(&world, &Position::default(), &FogChoice::default());
        Self {
            world,
            fog,
            places,
            walls,
            turn: 0,
        }
    }

    fn step(&mut self) {
        let way = [[1, 0], [0, 1], [-1, 0], [0, -1]][self.turn % 4];
        self.turn += 1;
        for place in &mut self.places {
            *place = [place[0] + way[0], place[1] + way[1]];
        }
    }

    fn update(&mut self, ended: impl FnMut(FogStage)) {
        let eyes = |&place: &[i32; 2]| eyes_at(&self.walls, place);
        let player = eyes(&self.places[0]);
        let walkers = self.places[1..].iter().map(eyes);
        self.fog
            .update_in_stages(&self.world, &player, walkers, ended);
        black_box(self.fog.revision());
    }
}

fn top(walls: &[i32], [x, z]: [i32; 2]) -> i32 {
    let wave = (x as f32 * 0.11).sin() * 5.0 + (z as f32 * 0.09).cos() * 5.0;
    24 + wave.round() as i32 + walls[((z + 128) * 256 + x + 128) as usize]
}

fn eyes_at(walls: &[i32], place: [i32; 2]) -> Position {
    Position::new(
        Cell::new(place[0], top(walls, place) + 1, place[1]),
        Vector3::new(0.5, 0.575, 0.5),
    )
}

/// Measures a whole update of the sandbox's fog.
pub(super) fn sandbox(name: &str) -> Figure {
    let mut sandbox = Sandbox::new();
    let times = time_runs(RUNS, || {
        sandbox.step();
        sandbox.update(|_| ());
    });
    Figure::from_samples(name, "us", in_units(&times, 1e-6, 1))
}

/// Measures a stage of the sandbox's update, with a voxel edited before each.
fn stage(name: &str, of: FogStage) -> Figure {
    let mut sandbox = Sandbox::new();
    sandbox.update(|_| ());
    let samples = (0..RUNS).map(|_| {
        sandbox.step();
        let material = [Material::BRICK, Material::AIR][sandbox.turn % 2];
        let cell = Cell::new(5, top(&sandbox.walls, [5, 5]), 5);
        sandbox.world.write(|writer| writer.set(cell, material));
        let mut taken = Duration::ZERO;
        let mut last = Instant::now();
        sandbox.update(|stage| {
            let now = Instant::now();
            if stage == of {
                taken = now - last;
            }
            last = now;
        });
        taken.as_secs_f64() * 1e6
    });
    Figure::from_samples(name, "us", samples.collect())
}

pub(super) fn obstacles(name: &str) -> Figure {
    stage(name, FogStage::Obstacles)
}

pub(super) fn tiles(name: &str) -> Figure {
    stage(name, FogStage::Tiles)
}

pub(super) fn colours(name: &str) -> Figure {
    stage(name, FogStage::Colours)
}
