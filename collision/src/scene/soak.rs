//! Random moves through random worlds, held against an `f64` oracle that knows voxels only: the invariant **Solid**.
//!
//! Counted are moves that end deeper in the skin than tolerated, sweeps that miss what the oracle hits or stop elsewhere than it, and
//! *jams*: no motion for many ticks although the oracle finds a free way along the wish.

use nalgebra::{Point3, Vector3};
use rayon::prelude::*;

use super::depth::Ellipsoid;
use super::ground::{Mobility, PlainVoxels, VoxelGround, VoxelLayer};
use super::random::Random;
use super::run::VoxelMaker;
use crate::mover::{Around, Body, MoverConfig, Radii, Scratch, slide};
use crate::position::{Cell, Position};
use crate::query::sweep_ellipsoid;
use crate::shapes::Substance;
use crate::terrain::Memory;

/// Voxels along each side of a world.
const SIDE: i32 = 40;
/// Moves in one world.
const MOVES_PER_WORLD: u64 = 20_000;
/// Ticks for which a direction is kept: longer than a jam takes to count.
const TICKS_PER_WISH: u64 = 24;
/// Ticks without motion that make a jam.
const JAM_TICKS: u32 = 15;
/// Least motion that is one, metres a tick.
const LEAST_MOTION: f64 = 1e-5;
/// Deepest a move may end in its skin, metres: what the mover itself validates, and the rounding of the oracle's boxes.
const TOLERATED: f64 = 1.1e-4;
/// Farthest a sweep may stop from where the oracle does, metres of gap.
const CONTACT: f64 = 1e-4;
/// Moves between two bare sweeps.
const SWEEP_EVERY: u64 = 8;
/// Moves between two edits of a few voxels.
const EDIT_EVERY: u64 = 250;

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
    /// The first faults, so that they can be made a scene.
    pub faults: Vec<String>,
}

impl SoakReport {
    /// Whether nothing was found.
    pub fn is_clean(&self) -> bool {
        self.deep + self.jams + self.missed + self.bad_contacts == 0
    }

    fn join(mut self, other: Self) -> Self {
        self.moves += other.moves;
        self.sweeps += other.sweeps;
        self.deepest = self.deepest.max(other.deepest);
        self.deep += other.deep;
        self.jams += other.jams;
        self.missed += other.missed;
        self.worst_contact = self.worst_contact.max(other.worst_contact);
        self.bad_contacts += other.bad_contacts;
        self.faults.extend(other.faults);
        self.faults.truncate(10);
        self
    }
}

/// Makes at least so many random moves, on all threads. The same seed finds the same.
pub fn soak(moves: u64, seed: u64, maker: VoxelMaker<'_>) -> SoakReport {
    let worlds = moves.div_ceil(MOVES_PER_WORLD);
    let reports = (0..worlds)
        .into_par_iter()
        .map(|world| soak_world(seed.wrapping_add(world), maker));
    reports.reduce(SoakReport::default, SoakReport::join)
}

/// The voxels as the oracle knows them.
struct Oracle {
    size: f64,
    solid: Vec<bool>,
}

impl Oracle {
    fn place(cell: Cell) -> Option<usize> {
        let inside = cell.iter().all(|part| (0..SIDE).contains(part));
        inside.then(|| ((cell.z * SIDE + cell.y) * SIDE + cell.x) as usize)
    }

    fn is_solid(&self, cell: Cell) -> bool {
        Self::place(cell).is_some_and(|place| self.solid[place])
    }

    /// How deep an ellipsoid about a point reaches into solid voxels; negative is the gap, as far as it is less than `around`.
    fn depth(
        &self,
        ellipsoid: &Ellipsoid,
        half: &Vector3<f64>,
        at: &Point3<f64>,
        around: f64,
    ) -> f64 {
        let reach = half.add_scalar(around);
        let low = ((at.coords - reach) / self.size).map(|part| part.floor() as i32);
        let high = ((at.coords + reach) / self.size).map(|part| part.floor() as i32);
        let mut deepest = -around;
        for z in low.z..=high.z {
            for y in low.y..=high.y {
                for x in low.x..=high.x {
                    let cell = Cell::new(x, y, z);
                    if self.is_solid(cell) {
                        let min = cell.cast::<f64>() * self.size - at.coords;
                        let max = min.add_scalar(self.size);
                        deepest = deepest.max(ellipsoid.depth_in_box(&min, &max));
                    }
                }
            }
        }
        deepest
    }
}

/// One random world and one who moves in it.
struct Run<'a> {
    random: Random,
    oracle: Oracle,
    ground: Box<dyn VoxelGround + 'a>,
    ellipsoid: Ellipsoid,
    half: Vector3<f64>,
    config: MoverConfig,
    report: SoakReport,
    name: String,
}

fn soak_world(seed: u64, maker: VoxelMaker<'_>) -> SoakReport {
    let mut run = Run::new(seed, maker);
    let mut position = run.free_place();
    let (mut memory, mut scratch) = (Memory::default(), Scratch::default());
    let (mut wish, mut rest) = (Vector3::zeros(), 0);
    for tick in 0..MOVES_PER_WORLD {
        if tick % TICKS_PER_WISH == 0 {
            wish = run.wish();
            rest = 0;
        }
        if tick % EDIT_EVERY == EDIT_EVERY - 1 {
            run.edit(&position);
        }
        if tick % SWEEP_EVERY == 0 {
            run.check_sweep(&position, &wish);
        }
        let mut body = run.body(position);
        let around = Around::terrain(run.ground.as_ref(), &run.config);
        slide(&around, &mut body, wish.cast(), &mut memory, &mut scratch);
        let moved = body.position.to_metres() - position.to_metres();
        position = body.position;
        rest = if moved.norm() < LEAST_MOTION {
            rest + 1
        } else {
            0
        };
        run.check_end(&position, &wish, rest, tick);
    }
    run.report.moves = MOVES_PER_WORLD;
    run.report
}

impl<'a> Run<'a> {
    fn new(seed: u64, maker: VoxelMaker<'a>) -> Self {
        let mut random = Random::new(seed);
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
        let refused = ground.add_layer(&layer).err();
        let solid: Vec<bool> = (0..SIDE * SIDE * SIDE)
            .map(|place| is_rim(cell_of(place)) || random.share() < density)
            .collect();
        let voxels: Vec<(Cell, Substance)> = (0..SIDE * SIDE * SIDE)
            .filter(|place| solid[*place as usize])
            .map(|place| (cell_of(place), Substance::Solid))
            .collect();
        ground.write(0, &voxels);
        let config = MoverConfig::default();
        let skin = config.skin;
        let radii = Radii::new(0.4 + skin, 0.9 + skin);
        let body = Body {
            position: Position::default(),
            radii,
            up: Vector3::y(),
        };
        let mut report = SoakReport::default();
        report.faults.extend(refused);
        Self {
            random,
            oracle: Oracle { size, solid },
            ground,
            ellipsoid: Ellipsoid::of(&body),
            half: Vector3::new(radii.across, radii.along, radii.across).cast(),
            config,
            report,
            name: format!("world {seed}, voxels of {size} m, density {density:.3}"),
        }
    }

    fn body(&self, position: Position) -> Body {
        Body {
            position,
            radii: Radii::new(0.4, 0.9),
            up: Vector3::y(),
        }
    }

    /// A random place where the body fits; a hole is dug in the middle where there is none.
    fn free_place(&mut self) -> Position {
        let side = f64::from(SIDE) * self.oracle.size;
        for _ in 0..500 {
            let point = Point3::from(Vector3::from_fn(|_, _| self.random.between(0.0, side)));
            if self.oracle.depth(&self.ellipsoid, &self.half, &point, 0.01) < 0.0 {
                return Position::from_metres(point);
            }
        }
        let around = (1.5 / self.oracle.size).ceil() as i32;
        let cells = (0..SIDE * SIDE * SIDE).map(cell_of);
        let near = cells.filter(|cell| cell.add_scalar(-SIDE / 2).amax() <= around);
        let hole: Vec<(Cell, Substance)> = near.map(|cell| (cell, Substance::Air)).collect();
        for place in hole.iter().filter_map(|(cell, _)| Oracle::place(*cell)) {
            self.oracle.solid[place] = false;
        }
        self.ground.write(0, &hole);
        Position::from_metres(Point3::from(Vector3::repeat(0.5 * side)))
    }

    /// Metres a tick in a random direction, at 5 to 60 m/s; one in four along an axis.
    fn wish(&mut self) -> Vector3<f64> {
        let speed = self.random.between(5.0, 60.0) / 60.0;
        let mut way = Vector3::from_fn(|_, _| self.random.between(-1.0, 1.0));
        if self.random.below(4) == 0 {
            let axis = self.random.below(3);
            way = Vector3::from_fn(|other, _| if other == axis { way[axis] } else { 0.0 });
        }
        way.try_normalize(1e-6).unwrap_or(Vector3::x()) * speed
    }

    /// Changes some voxels that do not reach into the mover.
    fn edit(&mut self, position: &Position) {
        let at = position.to_metres();
        let mut voxels = Vec::new();
        for _ in 0..20 {
            let cell = Cell::from_fn(|_, _| 1 + self.random.below(SIDE as usize - 2) as i32);
            let min = cell.cast::<f64>() * self.oracle.size - at.coords;
            let clear = self
                .ellipsoid
                .depth_in_box(&min, &min.add_scalar(self.oracle.size))
                < -1e-3;
            if let Some(place) = Oracle::place(cell).filter(|_| clear) {
                self.oracle.solid[place] ^= true;
                let substance = if self.oracle.solid[place] {
                    Substance::Solid
                } else {
                    Substance::Air
                };
                voxels.push((cell, substance));
            }
        }
        self.ground.write(0, &voxels);
    }

    fn fault(&mut self, fault: String) {
        if self.report.faults.len() < 10 {
            let fault = format!("{}: {fault}", self.name);
            self.report.faults.push(fault);
        }
    }

    fn check_end(&mut self, position: &Position, wish: &Vector3<f64>, rest: u32, tick: u64) {
        let at = position.to_metres();
        let depth = self.oracle.depth(&self.ellipsoid, &self.half, &at, 0.0);
        self.report.deepest = self.report.deepest.max(depth);
        let lost = depth.is_nan()
            || !at
                .coords
                .iter()
                .all(|part| (0.0..f64::from(SIDE) * self.oracle.size).contains(part));
        if depth > TOLERATED || lost {
            self.report.deep += 1;
            self.fault(format!("tick {tick}: {depth} m deep at {at}"));
        }
        if rest == JAM_TICKS && self.finds_way(&at, wish) {
            self.report.jams += 1;
            self.fault(format!(
                "tick {tick}: jammed at {at} on the way along {:?}",
                wish.as_slice()
            ));
        }
    }

    /// Whether a millimetre in some direction along the wish is free, tested exactly.
    fn finds_way(&mut self, at: &Point3<f64>, wish: &Vector3<f64>) -> bool {
        let along = wish.normalize();
        let now = self
            .oracle
            .depth(&self.ellipsoid, &self.half, at, 1e-3)
            .max(0.0);
        for _ in 0..120 {
            let way = Vector3::from_fn(|_, _| self.random.between(-1.0, 1.0)).normalize();
            let free = |share: f64| {
                self.oracle.depth(
                    &self.ellipsoid,
                    &self.half,
                    &(at + way * (1e-3 * share)),
                    1e-3,
                ) <= now + 1e-6
            };
            if way.dot(&along) > 0.2 && [0.25, 0.5, 1.0].into_iter().all(free) {
                return true;
            }
        }
        false
    }

    /// A bare sweep of the body without its skin along the wish.
    fn check_sweep(&mut self, position: &Position, wish: &Vector3<f64>) {
        self.report.sweeps += 1;
        let body = self.body(*position);
        let bare = Ellipsoid::of(&body);
        let half = Vector3::new(0.4_f32, 0.9, 0.4).cast::<f64>();
        let at = position.to_metres();
        let found = sweep_ellipsoid(self.ground.as_ref(), &body, &wish.cast());
        let depth = |share: f64| self.oracle.depth(&bare, &half, &(at + wish * share), 0.05);
        match found {
            Some(hit) => {
                let gap = depth(f64::from(hit.time)).abs();
                self.report.worst_contact = self.report.worst_contact.max(gap);
                let passed = (0..16)
                    .map(|step| depth(f64::from(hit.time) * f64::from(step) / 16.0))
                    .fold(0.0, f64::max);
                if gap > CONTACT || passed > CONTACT {
                    self.report.bad_contacts += 1;
                    self.fault(format!("a sweep from {at} along {:?} stops {gap} m off, {passed} m deep on the way", wish.as_slice()));
                }
            }
            None => {
                let deepest = (0..=32)
                    .map(|step| depth(f64::from(step) / 32.0))
                    .fold(0.0, f64::max);
                if deepest > CONTACT {
                    self.report.missed += 1;
                    self.fault(format!(
                        "a sweep from {at} along {:?} misses {deepest} m",
                        wish.as_slice()
                    ));
                }
            }
        }
    }
}

fn cell_of(place: i32) -> Cell {
    Cell::new(place % SIDE, place / SIDE % SIDE, place / (SIDE * SIDE))
}

fn is_rim(cell: Cell) -> bool {
    cell.iter().any(|part| *part == 0 || *part == SIDE - 1)
}
