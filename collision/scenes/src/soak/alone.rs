//! One flying character in a random voxel world.

use nalgebra::{Point3, Vector3};

use super::super::ground::VoxelGround;
use super::super::random::Random;
use super::super::run::VoxelMaker;
use super::oracle::{Gait, Measured, Oracle, SIDE, cell_of};
use super::{
    Arena, JAM_TICKS, LEAST_MOTION, MOVES_PER_WORLD, SoakReport, TICKS_PER_WISH, TOLERATED,
};
use collision::mover::{Around, Body, MoverConfig, Radii, Scratch, slide};
use collision::position::{Cell, Position};
use collision::query::sweep_ellipsoid;
use collision::shapes::Substance;
use collision::terrain::Memory;

/// Largest distance between the stop of a sweep and that of the oracle, in metres of gap.
const CONTACT: f64 = 1e-4;
/// Moves between two sweeps without the skin.
const SWEEP_EVERY: u64 = 8;
/// Moves between two edits of a few voxels.
const EDIT_EVERY: u64 = 250;

/// One random world and one character that moves in it.
struct Run<'a> {
    random: Random,
    oracle: Oracle,
    ground: Box<dyn VoxelGround + 'a>,
    measured: Measured,
    up: Vector3<f32>,
    config: MoverConfig,
    report: SoakReport,
    name: String,
}

/// Soaks one world.
pub(super) fn soak_world(seed: u64, maker: VoxelMaker<'_>) -> SoakReport {
    let mut run = Run::new(seed, maker);
    let mut position = run.free_place();
    let (mut memory, mut scratch) = (Memory::default(), Scratch::default());
    let (mut wish, mut rest) = (Vector3::zeros(), 0);
    for tick in 0..MOVES_PER_WORLD {
        if tick.is_multiple_of(TICKS_PER_WISH) {
            wish = run.wish();
            rest = 0;
        }
        if tick % EDIT_EVERY == EDIT_EVERY - 1 {
            run.edit(&position);
        }
        if tick.is_multiple_of(SWEEP_EVERY) {
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
        let Arena {
            mut ground,
            oracle,
            report,
            about,
        } = Arena::new(&mut random, maker);
        let voxels: Vec<(Cell, Substance)> = (0..SIDE * SIDE * SIDE)
            .filter(|place| oracle.solid[*place as usize])
            .map(|place| (cell_of(place), Substance::Solid))
            .collect();
        ground.write(0, &voxels);
        let config = MoverConfig::default();
        let skin = config.skin;
        let radii = Radii::new(0.4 + skin, 0.9 + skin);
        let up = super::some_up(&mut random);
        let body = Body {
            position: Position::default(),
            radii,
            up,
        };
        Self {
            random,
            oracle,
            ground,
            measured: Measured::new(&body),
            up,
            config,
            report,
            name: format!("world {seed}, {about}, up {:?}", up.as_slice()),
        }
    }

    fn body(&self, position: Position) -> Body {
        Body {
            position,
            radii: Radii::new(0.4, 0.9),
            up: self.up,
        }
    }

    /// Returns a random place where the character fits; digs a hole in the middle where there is
    /// none.
    fn free_place(&mut self) -> Position {
        let side = f64::from(SIDE) * self.oracle.size;
        for _ in 0..500 {
            let point = Point3::from(Vector3::from_fn(|_, _| self.random.between(0.0, side)));
            if self.oracle.depth(&self.measured, &point, 0.01) < 0.0 {
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

    /// Returns metres a tick in a random direction, at 5 to 60 m/s; one in four along an axis.
    fn wish(&mut self) -> Vector3<f64> {
        let speed = self.random.between(5.0, 60.0) / 60.0;
        let mut way = Vector3::from_fn(|_, _| self.random.between(-1.0, 1.0));
        if self.random.below(4) == 0 {
            let axis = self.random.below(3);
            way = Vector3::from_fn(|other, _| if other == axis { way[axis] } else { 0.0 });
        }
        way.try_normalize(1e-6).unwrap_or(Vector3::x()) * speed
    }

    /// Toggles some voxels that do not overlap the character.
    fn edit(&mut self, position: &Position) {
        let at = position.to_metres();
        let mut voxels = Vec::new();
        for _ in 0..20 {
            let cell = Cell::from_fn(|_, _| 1 + self.random.below(SIDE as usize - 2) as i32);
            let voxel = self.oracle.voxel(cell);
            let clear = self.measured.depth_in(&voxel, &at, -2e-3) < -1e-3;
            if let Some(place) = Oracle::place(cell).filter(|_| clear) {
                voxels.push((cell, self.oracle.toggle(place)));
            }
        }
        self.ground.write(0, &voxels);
    }

    fn fault(&mut self, fault: String) {
        self.report.fault(&self.name, &fault);
    }

    fn check_end(&mut self, position: &Position, wish: &Vector3<f64>, rest: u32, tick: u64) {
        let at = position.to_metres();
        let depth = self.oracle.depth(&self.measured, &at, 0.0);
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
        let found = rest == JAM_TICKS
            && self
                .oracle
                .finds_way(&self.measured, &at, wish, Gait::Free, &mut self.random);
        if found {
            self.report.jams += 1;
            self.fault(format!(
                "tick {tick}: jammed at {at} on the way along {:?}",
                wish.as_slice()
            ));
        }
    }

    /// Checks a sweep of the character without its skin along the wish.
    fn check_sweep(&mut self, position: &Position, wish: &Vector3<f64>) {
        self.report.sweeps += 1;
        let body = self.body(*position);
        let bare = Measured::new(&body);
        let at = position.to_metres();
        let found = sweep_ellipsoid(self.ground.as_ref(), &body, &wish.cast());
        let depth = |share: f64| self.oracle.depth(&bare, &(at + wish * share), 0.05);
        match found {
            Some(hit) => {
                let gap = depth(f64::from(hit.time)).abs();
                self.report.worst_contact = self.report.worst_contact.max(gap);
                let passed = (0..16)
                    .map(|step| depth(f64::from(hit.time) * f64::from(step) / 16.0))
                    .fold(0.0, f64::max);
                if gap > CONTACT || passed > CONTACT {
                    self.report.bad_contacts += 1;
                    self.fault(format!(
                        "a sweep from {at} along {:?} stops {gap} m off, \
                         {passed} m deep on the way",
                        wish.as_slice()
                    ));
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
