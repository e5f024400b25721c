//! Random moves through random worlds, held against an `f64` oracle that knows solid voxels, triangles and boxes only: the invariant **Solid**.
//!
//! `alone` is one flying body, held against the oracle with its skin; `company` is a crowd that walks, jumps and flies among voxels,
//! meshes and a moving box, all edited under its feet.
//!
//! Counted are moves that end deeper than tolerated, sweeps that miss what the oracle hits or stop elsewhere than it, bodies that come to overlap,
//! and *jams*: no motion for many ticks although the oracle finds a free way along the wish.

mod alone;
mod company;
mod oracle;

use nalgebra::Vector3;
use rayon::prelude::*;

use super::ground::{Mobility, PlainVoxels, VoxelGround, VoxelLayer};
use super::random::Random;
use super::run::VoxelMaker;
use crate::position::{Cell, Position};
use oracle::{Oracle, SIDE};

/// Moves in one world.
const MOVES_PER_WORLD: u64 = 20_000;
/// Ticks for which a direction is kept: longer than a jam takes to count.
const TICKS_PER_WISH: u64 = 24;
/// Ticks without motion that make a jam.
const JAM_TICKS: u32 = 15;
/// Least motion that is one, metres a tick.
const LEAST_MOTION: f64 = 1e-5;
/// Deepest a move may end, metres: what the mover itself validates, and the rounding of the oracle's boxes.
const TOLERATED: f64 = 1.1e-4;

/// What a soak found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SoakReport {
    /// Moves made.
    pub moves: u64,
    /// Bare sweeps held against the oracle.
    pub sweeps: u64,
    /// Deepest a move ended in its skin, metres.
    pub deepest: f64,
    /// Moves that ended deeper than tolerated.
    pub deep: u64,
    /// Rests of many ticks though there was a free way.
    pub jams: u64,
    /// Sweeps that missed what the oracle hits.
    pub missed: u64,
    /// Greatest gap or overlap where a sweep stopped, metres.
    pub worst_contact: f64,
    /// Sweeps that stopped farther from the surface than tolerated.
    pub bad_contacts: u64,
    /// Ticks that characters of crowds were held by terrain that was edited or moved into them.
    pub held: u64,
    /// Characters said to be embedded into which the oracle finds nothing to reach.
    pub falsely_held: u64,
    /// Deepest overlap of two characters that were apart before, metres.
    pub deepest_overlap: f64,
    /// Pairs that came to overlap by more than is let be.
    pub overlaps: u64,
    /// The first faults, so that they can be made a scene.
    pub faults: Vec<String>,
}

/// A random voxel world: as the mover has it and as the oracle has it.
struct Arena<'a> {
    ground: Box<dyn VoxelGround + 'a>,
    oracle: Oracle,
    /// Empty, or that the ground refused its voxels.
    report: SoakReport,
    /// Size of voxels and density, for faults.
    about: String,
}

impl<'a> Arena<'a> {
    fn new(random: &mut Random, maker: VoxelMaker<'a>) -> Self {
        let size: f64 = [0.25, 0.5, 1.0][random.below(3)];
        let density = random.between(0.02, 0.3) * [1.0, size][random.below(2)];
        let mut ground: Box<dyn VoxelGround + 'a> = match maker {
            Some(make) => make(),
            None => Box::new(PlainVoxels::default()),
        };
        let layer = VoxelLayer {
            origin: Position::default(),
            size,
            min: Cell::zeros(),
            max: Cell::repeat(SIDE),
            mobility: Mobility::Still,
        };
        let mut report = SoakReport::default();
        report.faults.extend(ground.add_layer(&layer).err());
        Self {
            oracle: Oracle::new(size, density, random),
            ground,
            report,
            about: format!("voxels of {size} m, density {density:.3}"),
        }
    }
}

impl SoakReport {
    /// Whether nothing was found.
    pub fn is_clean(&self) -> bool {
        let collisions = self.deep + self.missed + self.bad_contacts + self.overlaps;
        collisions + self.jams + self.falsely_held == 0
    }

    fn fault(&mut self, world: &str, fault: &str) {
        if self.faults.len() < 10 {
            self.faults.push(format!("{world}: {fault}"));
        }
    }

    /// Both together.
    #[must_use]
    pub fn join(mut self, other: Self) -> Self {
        self.moves += other.moves;
        self.sweeps += other.sweeps;
        self.deepest = self.deepest.max(other.deepest);
        self.deep += other.deep;
        self.jams += other.jams;
        self.missed += other.missed;
        self.worst_contact = self.worst_contact.max(other.worst_contact);
        self.bad_contacts += other.bad_contacts;
        self.held += other.held;
        self.falsely_held += other.falsely_held;
        self.deepest_overlap = self.deepest_overlap.max(other.deepest_overlap);
        self.overlaps += other.overlaps;
        self.faults.extend(other.faults);
        self.faults.truncate(10);
        self
    }
}

/// Makes at least so many random moves of single flying bodies, on all threads. The same seed finds the same.
pub fn soak(moves: u64, seed: u64, maker: VoxelMaker<'_>) -> SoakReport {
    over_worlds(moves, seed, |seed| alone::soak_world(seed, maker))
}

/// The same of crowds that walk, jump and fly among voxels, meshes and a moving box, all edited under them.
pub fn soak_crowds(moves: u64, seed: u64, maker: VoxelMaker<'_>) -> SoakReport {
    over_worlds(moves, seed, |seed| company::soak_world(seed, maker))
}

fn over_worlds(moves: u64, seed: u64, world: impl Fn(u64) -> SoakReport + Sync) -> SoakReport {
    let worlds = (0..moves.div_ceil(MOVES_PER_WORLD)).into_par_iter();
    let reports = worlds.map(|index| world(seed.wrapping_add(index)));
    reports.reduce(SoakReport::default, SoakReport::join)
}

/// The up axis of a world: mostly upright, sometimes another axis of the grid, sometimes tilted.
fn some_up(random: &mut Random) -> Vector3<f32> {
    match random.below(8) {
        0 => {
            let sign = [1.0, -1.0][random.below(2)];
            let axis = random.below(3);
            Vector3::from_fn(|other, _| if other == axis { sign } else { 0.0 })
        }
        1 | 2 => {
            let way: Vector3<f64> = Vector3::from_fn(|_, _| random.between(-1.0, 1.0));
            way.try_normalize(0.1).unwrap_or(Vector3::y()).cast()
        }
        _ => Vector3::y(),
    }
}
