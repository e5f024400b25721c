//! A crowd that walks, jumps and flies in a random world of voxels, two-sided triangles and a
//! moving box, all of it edited meanwhile.

use nalgebra::{Point3, Vector3};

use super::super::ground::VoxelGround;
use super::super::random::Random;
use super::super::run::VoxelMaker;
use super::oracle::{Gait, Measured, Oracle, SIDE, cell_of, overlap};
use super::{
    Arena, JAM_TICKS, LEAST_MOTION, MOVES_PER_WORLD, SoakReport, TICKS_PER_WISH, TOLERATED,
};
use collision::candidates::Sides;
use collision::character::{Character, Intent, Mode, Settings};
use collision::crowd::{CharacterId, Crowd};
use collision::events::{EventKind, Other};
use collision::position::{Cell, Position};
use collision::shapes::{Shapes, Substance};
use collision::soup::{SoupMotion, TriangleId, TriangleSoup};
use collision::terrain::{ObjectId, Terrain};
use collision::together::Together;

/// Characters of one world.
const CROWD: usize = 24;
/// Triangles of one world.
const TRIANGLES: usize = 24;
/// Ticks between two edits of a few voxels.
const EDIT_EVERY: u64 = 12;
/// Ticks between two exchanged triangles.
const EXCHANGE_EVERY: u64 = 30;
/// Largest overlap of two characters that were apart, in metres: twice what a crowd tolerates at
/// the end of a tick.
const OVERLAP: f64 = 2.5e-3;
/// Ticks before the moving box reverses.
const TURN_EVERY: u64 = 90;

/// One character and its record.
struct Walker {
    id: CharacterId,
    mode: Mode,
    bare: Measured,
    radii: [f64; 2],
    wish: Vector3<f64>,
    before: Point3<f64>,
    rest: u32,
    /// True if terrain held or pushed it in this tick.
    stirred: bool,
}

struct Run<'a> {
    random: Random,
    /// The up axis of all characters.
    up: Vector3<f32>,
    oracle: Oracle,
    ground: Box<dyn VoxelGround + 'a>,
    soup: TriangleSoup,
    ids: Vec<TriangleId>,
    lift: Shapes,
    crowd: Crowd,
    walkers: Vec<Walker>,
    report: SoakReport,
    name: String,
}

/// Soaks one world.
pub(super) fn soak_world(seed: u64, maker: VoxelMaker<'_>) -> SoakReport {
    let mut run = Run::new(seed, maker);
    let ticks = MOVES_PER_WORLD.div_ceil(CROWD as u64);
    let mut intents = Vec::new();
    for tick in 0..ticks {
        run.stir(tick);
        run.choose(tick, &mut intents);
        let parts: [&dyn Terrain; 3] = [run.ground.as_ref(), &run.soup, &run.lift];
        run.crowd.tick(&Together::new(&parts), &intents, 1.0 / 60.0);
        run.check(tick);
    }
    run.report.moves = ticks * CROWD as u64;
    run.report
}

impl<'a> Run<'a> {
    fn new(seed: u64, maker: VoxelMaker<'a>) -> Self {
        let mut random = Random::new(seed);
        let Arena {
            ground,
            oracle,
            report,
            about,
        } = Arena::new(&mut random, maker);
        let up = super::some_up(&mut random);
        let mut run = Self {
            oracle,
            random,
            up,
            ground,
            soup: TriangleSoup::new(ObjectId(0x7000_0000), Position::default()),
            ids: Vec::new(),
            lift: Shapes::from_boxes(ObjectId(0x7000_0001), Position::default(), &[]),
            crowd: Crowd::new(),
            walkers: Vec::new(),
            report,
            name: format!("crowd {seed}, {about}, up {:?}", up.as_slice()),
        };
        run.furnish();
        for index in 0..CROWD {
            run.add_walker(index);
        }
        run
    }

    fn side(&self) -> f64 {
        f64::from(SIDE) * self.oracle.size
    }

    /// Writes the voxels, scatters triangles and puts the box in the middle.
    fn furnish(&mut self) {
        let cells = (0..SIDE * SIDE * SIDE).map(cell_of);
        let solid = |cell: &Cell| Oracle::place(*cell).is_some_and(|at| self.oracle.solid[at]);
        let voxels = cells.filter(solid).map(|cell| (cell, Substance::Solid));
        let voxels: Vec<_> = voxels.collect();
        self.ground.write(0, &voxels);
        for _ in 0..TRIANGLES {
            self.add_triangle();
        }
        let middle = (0.5 * self.side()).floor();
        let low = Vector3::new(middle, middle, middle);
        let high = low + Vector3::new(2.0, 0.5, 2.0);
        self.oracle.boxes.push([low, high]);
        let corners = [[Point3::from(low), Point3::from(high)]];
        self.lift = Shapes::from_boxes(ObjectId(0x7000_0001), Position::default(), &corners);
    }

    fn add_triangle(&mut self) {
        let side = self.side();
        loop {
            let center = Vector3::from_fn(|_, _| self.random.between(0.0, side));
            // Coordinates that `f32` holds exactly, so that mover and oracle have the same
            // triangle.
            let corners = [0; 3].map(|_| {
                let arm = Vector3::from_fn(|_, _| self.random.between(-2.0, 2.0));
                (center + arm).map(|part| (part * 256.0).round() / 256.0)
            });
            if let Ok(id) = self.soup.insert(corners.map(Point3::from), Sides::Both) {
                self.ids.push(id);
                self.oracle.triangles.push(corners);
                return;
            }
        }
    }

    fn add_walker(&mut self, index: usize) {
        let mode = [Mode::Walk, Mode::Walk, Mode::Fly][index % 3];
        let (across, along) = [(0.4, 0.9), (0.4, 0.9), (0.5, 0.5), (0.3, 0.6)][index % 4];
        let body = collision::mover::Body {
            position: Position::default(),
            radii: collision::mover::Radii::new(across, along),
            up: self.up,
        };
        let bare = Measured::new(&body);
        let point = self.free_place(&bare);
        let mut settings = Settings::default();
        settings.mover.air_step = [0.0, 0.55, 0.0, 1.05, 0.0][index % 5];
        settings.mover.ledge = [0.99, 0.95, 0.77, 0.3][index % 7 % 4];
        settings.mover.step_height = [0.55, 0.55, 0.0, 0.2][index % 11 % 4];
        let character = Character::at(Position::from_metres(point))
            .with_radii(across, along)
            .with_up(self.up)
            .with_settings(settings)
            .with_mode(mode);
        self.walkers.push(Walker {
            id: self.crowd.add(character),
            mode,
            bare,
            radii: [f64::from(across), f64::from(along)],
            wish: Vector3::zeros(),
            before: point,
            rest: 0,
            stirred: true,
        });
    }

    /// Returns a random place where a character fits; digs a hole where it finds none.
    fn free_place(&mut self, bare: &Measured) -> Point3<f64> {
        let side = self.side();
        let mut point = Point3::origin();
        for _ in 0..100 {
            point = Point3::from(Vector3::from_fn(|_, _| {
                self.random.between(1.5, side - 1.5)
            }));
            if self.oracle.depth(bare, &point, 0.02) < -0.015 {
                return point;
            }
        }
        let around = (1.2 / self.oracle.size).ceil() as i32;
        let middle = (point.coords / self.oracle.size).map(|part| part.floor() as i32);
        let inner = |cell: &Cell| {
            let rim = cell.iter().any(|part| *part == 0 || *part == SIDE - 1);
            !rim && (cell - middle).amax() <= around
        };
        let hole = (0..SIDE * SIDE * SIDE).map(cell_of).filter(inner);
        let hole: Vec<_> = hole.map(|cell| (cell, Substance::Air)).collect();
        for at in hole.iter().filter_map(|(cell, _)| Oracle::place(*cell)) {
            self.oracle.solid[at] = false;
        }
        self.ground.write(0, &hole);
        point
    }

    /// Changes voxels and triangles, and moves the box, also into characters.
    fn stir(&mut self, tick: u64) {
        let way = if (tick / TURN_EVERY).is_multiple_of(2) {
            1.0
        } else {
            -1.0
        };
        let shift = Vector3::new(way, 0.5 * way, 0.25 * way) / 32.0;
        self.lift.advance(shift.cast());
        for corner in &mut self.oracle.boxes[0] {
            *corner += shift;
        }
        self.ground.advance(&[Vector3::zeros()]);
        self.soup.advance(&SoupMotion::default());
        if tick.is_multiple_of(EDIT_EVERY) {
            self.edit();
        }
        if tick.is_multiple_of(EXCHANGE_EVERY) {
            let place = self.random.below(self.ids.len());
            self.soup.remove(self.ids.swap_remove(place));
            self.oracle.triangles.swap_remove(place);
            self.add_triangle();
        }
    }

    fn edit(&mut self) {
        let mut voxels: Vec<(Cell, Substance)> = Vec::new();
        let near = self.random.below(self.walkers.len());
        let near =
            (self.walkers[near].before.coords / self.oracle.size).map(|part| part.floor() as i32);
        for index in 0..12 {
            let mut cell = Cell::from_fn(|_, _| 1 + self.random.below(SIDE as usize - 2) as i32);
            if index < 3 {
                let about = Cell::from_fn(|_, _| self.random.below(5) as i32 - 2);
                cell = (near + about).map(|part| part.clamp(1, SIDE - 2));
            }
            let Some(place) = Oracle::place(cell) else {
                continue;
            };
            voxels.push((cell, self.oracle.toggle(place)));
        }
        self.ground.write(0, &voxels);
    }

    fn choose(&mut self, tick: u64, intents: &mut Vec<(CharacterId, Intent)>) {
        intents.clear();
        for walker in &mut self.walkers {
            if tick.is_multiple_of(TICKS_PER_WISH) {
                let speed = self.random.between(5.0, 60.0);
                let mut way = Vector3::from_fn(|_, _| self.random.between(-1.0, 1.0));
                if walker.mode == Mode::Walk {
                    let up = self.up.cast();
                    way -= up * up.dot(&way);
                }
                walker.wish = way.try_normalize(1e-6).unwrap_or(Vector3::x()) * speed;
                walker.rest = 0;
            }
            let mut intent = Intent {
                velocity: walker.wish.cast(),
                mode: walker.mode,
                ..Intent::default()
            };
            if walker.mode == Mode::Walk && self.random.below(40) == 0 {
                intent.jump = 6.0;
            }
            intents.push((walker.id, intent));
        }
    }

    fn check(&mut self, tick: u64) {
        for walker in &mut self.walkers {
            walker.stirred = false;
        }
        for event in self.crowd.events() {
            let by_terrain = matches!(
                event.kind,
                EventKind::Pushed {
                    by: Other::Terrain(_),
                    ..
                } | EventKind::Rescued
            );
            let of = |walker: &&mut Walker| walker.id == event.character;
            if by_terrain && let Some(walker) = self.walkers.iter_mut().find(of) {
                walker.stirred = true;
            }
        }
        let places: Vec<Point3<f64>> = self
            .walkers
            .iter()
            .map(|walker| self.place(walker))
            .collect();
        for index in 0..self.walkers.len() {
            self.check_one(index, &places, tick);
        }
        self.check_pairs(&places, tick);
        for (walker, place) in self.walkers.iter_mut().zip(&places) {
            walker.before = *place;
        }
    }

    fn place(&self, walker: &Walker) -> Point3<f64> {
        let position = self.crowd.position(walker.id).unwrap_or_default();
        position.to_metres()
    }

    fn check_one(&mut self, index: usize, places: &[Point3<f64>], tick: u64) {
        let (at, side) = (places[index], self.side());
        let walker = &mut self.walkers[index];
        let Some(state) = self.crowd.state(walker.id) else {
            return self.report.fault(&self.name, "a character is gone");
        };
        let inside = at.coords.iter().all(|part| (0.0..side).contains(part));
        let depth = self.oracle.depth(&walker.bare, &at, 1e-3);
        if state.is_held() {
            self.report.held += 1;
            walker.rest = 0;
            walker.stirred = true;
            if state.embedded && !state.leaving && depth <= 0.0 {
                self.report.falsely_held += 1;
                let fault = format!("tick {tick}: {index} is held at {at}, but nothing reaches in");
                self.report.fault(&self.name, &fault);
            }
            if inside {
                return;
            }
        }
        self.report.deepest = self.report.deepest.max(depth);
        if depth.is_nan() || depth > TOLERATED || !inside {
            self.report.deep += 1;
            let fault = format!("tick {tick}: {index} is {depth} m deep at {at}");
            self.report.fault(&self.name, &fault);
        }
        let still = (at - walker.before).norm() < LEAST_MOTION;
        walker.rest = if still { walker.rest + 1 } else { 0 };
        let company = places.iter().enumerate();
        let mut company = company.filter(|(other, _)| *other != index);
        if walker.rest == JAM_TICKS && !company.any(|(_, other)| (other - at).norm() < 4.0) {
            self.check_jam(index, &at, tick);
        }
    }

    fn check_jam(&mut self, index: usize, at: &Point3<f64>, tick: u64) {
        let walker = &self.walkers[index];
        let gait = if walker.mode == Mode::Walk {
            Gait::Level(self.up.cast())
        } else {
            Gait::Free
        };
        let (across, along) = (walker.radii[0] + 0.01, walker.radii[1] + 0.01);
        let with_skin = Measured::new(&collision::mover::Body {
            position: Position::default(),
            radii: collision::mover::Radii::new(across as f32, along as f32),
            up: self.up,
        });
        let wish = walker.wish;
        if self
            .oracle
            .finds_way(&with_skin, at, &wish, gait, &mut self.random)
        {
            self.report.jams += 1;
            let mode = self.walkers[index].mode;
            let fault = format!(
                "tick {tick}: {index} ({mode:?}) is jammed at {at} on the way along {:?}",
                wish.as_slice()
            );
            self.report.fault(&self.name, &fault);
        }
    }

    /// Marks characters whose overlap was beyond the tolerance when the tick began: they had no
    /// room, and may continue without.
    fn note_crowded(&mut self) {
        for a in 0..self.walkers.len() {
            for b in 0..a {
                let (one, two) = (&self.walkers[a], &self.walkers[b]);
                let offset = one.before - two.before;
                if offset.norm() < 2.0
                    && overlap(&offset, &self.up.cast(), one.radii, two.radii) > 0.5 * OVERLAP
                {
                    self.walkers[a].stirred = true;
                    self.walkers[b].stirred = true;
                }
            }
        }
        // Characters beside one that terrain moved had no room either.
        let moved = self.walkers.iter().filter(|walker| walker.stirred);
        let moved: Vec<Point3<f64>> = moved.map(|walker| walker.before).collect();
        for walker in &mut self.walkers {
            let beside = |place: &Point3<f64>| (place - walker.before).norm() < 2.5;
            walker.stirred |= moved.iter().any(beside);
        }
    }

    /// Checks that no character that was apart from all others, and left alone by terrain, moved
    /// into another.
    fn check_pairs(&mut self, places: &[Point3<f64>], tick: u64) {
        self.note_crowded();
        for a in 0..places.len() {
            for b in 0..a {
                let (one, two) = (&self.walkers[a], &self.walkers[b]);
                let offset = places[a] - places[b];
                if offset.norm() > 2.0 || one.stirred || two.stirred {
                    continue;
                }
                let now = overlap(&offset, &self.up.cast(), one.radii, two.radii);
                self.report.deepest_overlap = self.report.deepest_overlap.max(now);
                if now > OVERLAP {
                    self.report.overlaps += 1;
                    let fault = format!(
                        "tick {tick}: {a} and {b} overlap by {now} m at {}",
                        places[a]
                    );
                    self.report.fault(&self.name, &fault);
                }
            }
        }
    }
}
