//! The figures of the group `crowd`: microseconds a character and tick, terrain and each other, on one thread unless the name says
//! otherwise. The scene is the proving ground: 256 x 64 x 256 m of noise terrain with caves, pillars and stairs.

use super::allocations::allocations_of;
use super::{Figure, Filter};
use crate::error::Error;
use collision::{Character, CharacterId, Crowd, Intent, Position, Settings};
use nalgebra::{Point3, Vector3};
use std::time::Instant;
use world::proving_ground::ProvingGround;
use world::{CellBox, Material, World};

const TICK: f32 = 1.0 / 60.0;
const SEED: u64 = 1;
/// Ticks of walkers before measuring: falling to the ground, growing buffers. So long as the peers are measured, too.
const WARM_UP: u32 = 60;
const TICKS: u32 = 300;
/// Ticks before those who stand still are measured.
const SETTLING: u32 = 1200;
/// Highest step of the walkers, on the ground and falling, in metres: over a voxel.
const STEP: f32 = 1.05;

/// Measures what the filter wants of this group.
pub fn run(filter: &Filter) -> Result<Vec<Figure>, Error> {
    let mut figures = Vec::new();
    let wants = |name: &str| filter.wants("crowd", name);
    let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let (Ok(one), Ok(two)) = (pool(1), pool(2)) else {
        return Err(Error::Failed("no threads could be started".to_owned()));
    };
    one.install(|| {
        if wants("crowd.walk.1000") {
            figures.push(walk("crowd.walk.1000", Terrain::Metres, 1000, 5.0));
        }
        if wants("crowd.walk.10000") {
            figures.push(walk("crowd.walk.10000", Terrain::Metres, 10_000, 5.0));
        }
        if wants("crowd.fast.1000") {
            figures.push(walk("crowd.fast.1000", Terrain::Metres, 1000, 60.0));
        }
        if wants("crowd.walk.quarter") {
            figures.push(walk("crowd.walk.quarter", Terrain::Quarters, 1000, 5.0));
        }
        if wants("crowd.idle.10000") {
            figures.push(idle());
        }
        if wants("crowd.packed.2000") {
            figures.push(packed());
        }
        if wants("crowd.allocations") {
            figures.push(count_allocations());
        }
    });
    if wants("crowd.two_threads") {
        figures.push(two_threads(&one, &two));
    }
    Ok(figures)
}

/// What the walkers walk on.
#[derive(Clone, Copy)]
enum Terrain {
    Metres,
    Quarters,
}

/// Characters of the proving ground and what they wish.
struct Walkers {
    ground: ProvingGround,
    world: World,
    crowd: Crowd,
    intents: Vec<(CharacterId, Intent)>,
    speed: f32,
    tick: u32,
}

impl Walkers {
    fn new(terrain: Terrain, count: u32, speed: f32) -> Self {
        let ground = ProvingGround::new(SEED);
        let world = match terrain {
            Terrain::Metres => ground.world(),
            Terrain::Quarters => ground.world_of_quarters().unwrap_or_default(),
        };
        let mut settings = Settings::default();
        settings.mover.step_height = STEP;
        settings.mover.air_step = STEP;
        let mut crowd = Crowd::new();
        let intents = (0..count)
            .map(|number| {
                let character = Character::at(ground.spawn(number)).with_settings(settings);
                (crowd.add(character), Intent::default())
            })
            .collect();
        Self {
            ground,
            world,
            crowd,
            intents,
            speed,
            tick: 0,
        }
    }

    /// New directions every second.
    fn wish(&mut self) {
        if self.tick.is_multiple_of(60) {
            for (number, (_, intent)) in self.intents.iter_mut().enumerate() {
                let way = self.ground.wish(number as u32, self.tick / 60);
                *intent = Intent::walk(way * self.speed);
            }
        }
        self.tick += 1;
    }

    /// One tick, in microseconds a character.
    fn timed_tick(&mut self) -> f64 {
        self.wish();
        let begun = Instant::now();
        self.crowd.tick(&self.world, &self.intents, TICK);
        begun.elapsed().as_secs_f64() * 1e6 / self.intents.len() as f64
    }

    fn warm_up(&mut self) {
        for _ in 0..WARM_UP {
            self.timed_tick();
        }
    }
}

fn walk(name: &str, terrain: Terrain, count: u32, speed: f32) -> Figure {
    let mut walkers = Walkers::new(terrain, count, speed);
    walkers.warm_up();
    let samples = (0..TICKS).map(|_| walkers.timed_tick()).collect();
    Figure::from_samples(name, "us", samples)
}

fn idle() -> Figure {
    let mut walkers = Walkers::new(Terrain::Metres, 10_000, 0.0);
    for _ in 0..SETTLING {
        walkers.crowd.tick(&walkers.world, &walkers.intents, TICK);
    }
    let samples = (0..TICKS).map(|_| walkers.timed_tick()).collect();
    Figure::from_samples("crowd.idle.10000", "us", samples)
}

/// Two thousand in an arena of 40 x 40 m, all walking to its middle.
fn packed() -> Figure {
    let arena = |cell: Vector3<i32>| {
        let inside = (0..40).contains(&cell.x) && (0..40).contains(&cell.z) && cell.y >= 0;
        if inside { Material::AIR } else { Material(1) }
    };
    let bounds = CellBox::new(Vector3::new(-32, -32, -32), Vector3::new(63, 31, 63));
    let world = World::from_voxels(bounds, arena);
    let mut crowd = Crowd::new();
    let mut ids = Vec::new();
    for number in 0..2000 {
        let (x, z) = (number % 45, number / 45);
        let place = Point3::new(0.6 + f64::from(x) * 0.87, 0.92, 0.6 + f64::from(z) * 0.87);
        ids.push(crowd.add(Character::at(Position::from_metres(place))));
    }
    let middle = Point3::new(20.0, 0.92, 20.0);
    let mut intents = Vec::with_capacity(ids.len());
    let mut samples = Vec::new();
    for tick in 0..2 * (WARM_UP + TICKS) {
        intents.clear();
        for &id in &ids {
            let Some(place) = crowd.position(id) else {
                continue;
            };
            let way = (middle - place.to_metres()).cast::<f32>();
            let wish = Vector3::new(way.x, 0.0, way.z) * (5.0 / way.norm().max(0.5));
            intents.push((id, Intent::walk(wish)));
        }
        let begun = Instant::now();
        crowd.tick(&world, &intents, TICK);
        if tick >= 2 * WARM_UP {
            samples.push(begun.elapsed().as_secs_f64() * 1e6 / ids.len() as f64);
        }
    }
    Figure::from_samples("crowd.packed.2000", "us", samples)
}

/// How much sooner two threads are done than one, in turns so that the machine's mood counts for both.
fn two_threads(one: &rayon::ThreadPool, two: &rayon::ThreadPool) -> Figure {
    let mut alone = Walkers::new(Terrain::Metres, 10_000, 5.0);
    let mut together = Walkers::new(Terrain::Metres, 10_000, 5.0);
    one.install(|| alone.warm_up());
    two.install(|| together.warm_up());
    let mut samples = Vec::new();
    for _ in 0..2 * TICKS / 10 {
        let slow: f64 = one.install(|| (0..10).map(|_| alone.timed_tick()).sum());
        let fast: f64 = two.install(|| (0..10).map(|_| together.timed_tick()).sum());
        samples.push(slow / fast);
    }
    Figure::from_samples("crowd.two_threads", "times", samples)
}

/// Allocations of a tick in steady state: the most that any of the ticks made.
fn count_allocations() -> Figure {
    let mut walkers = Walkers::new(Terrain::Metres, 1000, 5.0);
    for _ in 0..8 * WARM_UP {
        walkers.timed_tick();
    }
    let samples = (0..TICKS)
        .map(|_| {
            walkers.wish();
            allocations_of(|| {
                walkers.crowd.tick(&walkers.world, &walkers.intents, TICK);
            }) as f64
        })
        .collect();
    Figure::from_samples("crowd.allocations", "allocations", samples)
}
