//! The figures `crowd.gather.*`: the time of a gather, and the candidates it finds, in ticks of a
//! crowd.
//!
//! A terrain in front of the world forwards all queries of a tick, and times those to `gather`.

use super::Figure;
use super::crowd::{Voxels, Walkers};
use collision::{
    Bounds, Candidates, Cell, Contents, Crossing, Memory, ObjectId, Passage, Position, Reach,
    SolidBox, Terrain,
};
use nalgebra::Vector3;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};
use world::World;

/// Number of timed ticks.
const TICKS: u32 = 300;
/// Calls of the clock that measure its own cost.
const CALLS: u32 = 10_000;

/// A world whose gathers are counted and timed.
struct Watched<'w> {
    world: &'w World,
    nanoseconds: AtomicU64,
    gathers: AtomicU64,
    candidates: AtomicU64,
}

impl Terrain for Watched<'_> {
    fn revision(&self) -> u64 {
        self.world.revision()
    }

    fn unchanged(&self, memory: &Memory) -> bool {
        self.world.unchanged(memory)
    }

    fn gather(&self, reach: &Reach, memory: &mut Memory, out: &mut Candidates) {
        let before = out.len();
        let begun = Instant::now();
        self.world.gather(reach, memory, out);
        let took = begun.elapsed().as_nanos() as u64;
        self.nanoseconds.fetch_add(took, Relaxed);
        self.gathers.fetch_add(1, Relaxed);
        self.candidates
            .fetch_add((out.len() - before) as u64, Relaxed);
    }

    fn seen(&self, memory: &Memory) -> Option<Bounds> {
        self.world.seen(memory)
    }

    fn gather_solids(
        &self,
        base: Cell,
        min: Vector3<f32>,
        max: Vector3<f32>,
        out: &mut Vec<SolidBox>,
    ) {
        self.world.gather_solids(base, min, max, out);
    }

    fn passage(&self, crossing: &Crossing, memory: &mut Memory) -> Passage {
        self.world.passage(crossing, memory)
    }

    fn contents(&self, at: &Position, memory: &Memory) -> Contents {
        self.world.contents(at, memory)
    }

    fn moves_near(&self, base: Cell, min: Vector3<f32>, max: Vector3<f32>) -> bool {
        self.world.moves_near(base, min, max)
    }

    fn carry(&self, object: ObjectId, at: &Position) -> Option<Vector3<f32>> {
        self.world.carry(object, at)
    }

    fn bounds(&self) -> Option<Bounds> {
        self.world.bounds()
    }
}

/// Returns the cost of the clock itself, in nanoseconds.
fn clock() -> f64 {
    let nothing: Duration = (0..CALLS).map(|_| Instant::now().elapsed()).sum();
    nothing.as_secs_f64() * 1e9 / f64::from(CALLS)
}

/// Measures nanoseconds and candidates a gather, of a thousand walkers.
pub(super) fn figures(name: &str, voxels: Voxels) -> [Figure; 2] {
    let mut walkers = Walkers::new(voxels, 1000, 5.0);
    walkers.warm_up();
    let clock = clock();
    let (mut times, mut candidates) = (Vec::new(), Vec::new());
    for _ in 0..TICKS {
        let counted = walkers.tick_before(|world| Watched {
            world,
            nanoseconds: AtomicU64::new(0),
            gathers: AtomicU64::new(0),
            candidates: AtomicU64::new(0),
        });
        let gathers = counted.gathers.into_inner() as f64;
        if gathers > 0.0 {
            times.push(counted.nanoseconds.into_inner() as f64 / gathers - clock);
            candidates.push(counted.candidates.into_inner() as f64 / gathers);
        }
    }
    [
        Figure::from_samples(name, "ns", times),
        Figure::from_samples(&format!("{name}.candidates"), "candidates", candidates),
    ]
}
