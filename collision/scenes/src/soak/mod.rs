//! Random moves through random worlds, compared with an `f64` oracle of solid voxels, triangles and
//! boxes: the invariant **Solid**.
//!
//! `alone` is one flying character, compared with the oracle including its skin; `company` is a
//! crowd that walks, jumps and flies among voxels, meshes and a moving box, all edited meanwhile.
//!
//! The report counts moves that end deeper than tolerated, sweeps that miss the oracle's contact or
//! stop elsewhere, characters that move into each other, and *jams*: no motion for many ticks
//! although the oracle finds a free way along the wish.

mod alone;
mod company;
mod oracle;

use nalgebra::Vector3;
use rayon::prelude::*;

use super::ground::{Mobility, PlainVoxels, VoxelGround, VoxelLayer};
use super::random::Random;
use super::run::VoxelMaker;
use collision::position::{Cell, Position};
use oracle::{Oracle, SIDE};

/// Moves in one world.
const MOVES_PER_WORLD: u64 = 20_000;
/// Ticks between changes of direction: more than a jam takes to count.
const TICKS_PER_WISH: u64 = 24;
/// Ticks without motion that make a jam.
const JAM_TICKS: u32 = 15;
/// Shortest displacement in a tick that counts as motion, metres.
const LEAST_MOTION: f64 = 1e-5;
/// Largest depth at the end of a move, metres: the mover's own limit, and the rounding of the
/// oracle's boxes.
const TOLERATED: f64 = 1.1e-4;

/// The findings of a soak.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SoakReport {
    /// Moves made.
    pub moves: u64,
    /// Sweeps without the skin that were compared with the oracle.
    pub sweeps: u64,
    /// Greatest depth of the skin at the end of a move, metres.
    pub deepest: f64,
    /// Moves that ended deeper than tolerated.
    pub deep: u64,
    /// Rests of many ticks despite a free way.
    pub jams: u64,
    /// Sweeps that missed a contact of the oracle.
    pub missed: u64,
    /// Greatest gap or overlap at the stop of a sweep, metres.
    pub worst_contact: f64,
    /// Sweeps that stopped farther from the surface than tolerated.
    pub bad_contacts: u64,
    /// Ticks in which edited or moving terrain held characters of crowds.
    pub held: u64,
    /// Characters reported as embedded for which the oracle finds no overlap.
    pub falsely_held: u64,
    /// Greatest overlap of two characters that were apart before, metres.
    pub deepest_overlap: f64,
    /// Pairs that came to overlap by more than is tolerated.
    pub overlaps: u64,
    /// The first faults, as a start for new scenes.
    pub faults: Vec<String>,
}

/// A random voxel world, once for the mover and once for the oracle.
struct Arena<'a> {
    ground: Box<dyn VoxelGround + 'a>,
    oracle: Oracle,
    /// Empty, or the reason why the ground refused its voxels.
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
    /// Returns whether there were no faults.
    pub fn is_clean(&self) -> bool {
        let collisions = self.deep + self.missed + self.bad_contacts + self.overlaps;
        collisions + self.jams + self.falsely_held == 0
    }

    fn fault(&mut self, world: &str, fault: &str) {
        if self.faults.len() < 10 {
            self.faults.push(format!("{world}: {fault}"));
        }
    }

    /// Returns the sum of two reports.
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

/// Makes at least this many random moves of single flying characters, on all threads. The same seed
/// gives the same report.
pub fn soak(moves: u64, seed: u64, maker: VoxelMaker<'_>) -> SoakReport {
    over_worlds(moves, seed, |seed| alone::soak_world(seed, maker))
}

/// Makes at least this many moves of characters in crowds that walk, jump and fly among voxels,
/// meshes and a moving box, all edited meanwhile.
pub fn soak_crowds(moves: u64, seed: u64, maker: VoxelMaker<'_>) -> SoakReport {
    over_worlds(moves, seed, |seed| company::soak_world(seed, maker))
}

fn over_worlds(moves: u64, seed: u64, world: impl Fn(u64) -> SoakReport + Sync) -> SoakReport {
    let worlds = (0..moves.div_ceil(MOVES_PER_WORLD)).into_par_iter();
    let reports = worlds.map(|index| world(seed.wrapping_add(index)));
    reports.reduce(SoakReport::default, SoakReport::join)
}

/// Returns the up axis of a world: mostly upright, sometimes another axis of the grid, sometimes
/// tilted.
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
