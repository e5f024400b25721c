//! The figures of the group `crowd`: microseconds a character and tick, with terrain and with each
//! other, on one thread unless the name says otherwise. The scene is the proving ground: 256 x 64 x
//! 256 m of noise terrain with caves, pillars and stairs.

use super::allocations::allocations_of;
use super::{Figure, Filter, gather, meshes};
use crate::error::Error;
use collision::{
    Character, CharacterId, Crowd, Intent, ObjectId, PartIndex, Position, Predicted, Settings,
    Shapes, Sides, SoupMotion, Terrain, TriangleSoup, predict,
};
use collision_scenes::{HEIGHT, ProvingGround, WIDTH};
use nalgebra::{Point3, Vector3};
use std::time::Instant;
use world::{CellBox, Material, World};

const TICK: f32 = 1.0 / 60.0;
const SEED: u64 = 1;
/// Ticks of walkers before measuring, in which they fall to the ground and buffers grow, and
/// measured ticks; as many as the peers are measured with.
const WARM_UP: u32 = 60;
const TICKS: u32 = 300;
/// Ticks before standing characters are measured.
const SETTLING: u32 = 1200;
/// Highest step of the walkers, on the ground and falling, in metres: over a voxel.
const STEP: f32 = 1.05;
/// Radius of the largest walkers, in metres.
const GIANT: f32 = 5.0;
/// Ticks that a client predicts again with each answer of the server.
const REPLAYED: u32 = 10;
/// Distance of the others that a client knows of, in metres.
const NEAR: f32 = 5.0;
/// First object id of platforms.
const FIRST_PLATFORM: u32 = 1 << 20;

/// Measures the figures of this group that the filter selects.
pub fn run(filter: &Filter) -> Result<Vec<Figure>, Error> {
    let mut figures = Vec::new();
    let begin = |names: &[&str]| filter.begin("crowd", names);
    let pool = |threads| rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let (Ok(one), Ok(two)) = (pool(1), pool(2)) else {
        return Err(Error::Failed("no threads could be started".to_owned()));
    };
    one.install(|| {
        if begin(&["crowd.walk.1000"]) {
            figures.push(walk("crowd.walk.1000", Voxels::Metres, 1000, 5.0));
        }
        if begin(&["crowd.walk.10000"]) {
            figures.push(walk("crowd.walk.10000", Voxels::Metres, 10_000, 5.0));
        }
        if begin(&["crowd.fast.1000"]) {
            figures.push(walk("crowd.fast.1000", Voxels::Metres, 1000, 60.0));
        }
        if begin(&["crowd.walk.quarter"]) {
            figures.push(walk("crowd.walk.quarter", Voxels::Quarters, 1000, 5.0));
        }
        if begin(&["crowd.walk.eighth"]) {
            figures.push(walk("crowd.walk.eighth", Voxels::Eighths, 1000, 5.0));
        }
        for (name, voxels) in [
            ("crowd.gather.1", Voxels::Metres),
            ("crowd.gather.quarter", Voxels::Quarters),
            ("crowd.gather.eighth", Voxels::Eighths),
        ] {
            if begin(&[name, &format!("{name}.candidates")]) {
                figures.extend(gather::figures(name, voxels));
            }
        }
        if begin(&["crowd.giant"]) {
            figures.push(giant());
        }
        if begin(&["crowd.together.100"]) {
            figures.push(together());
        }
        if begin(&["crowd.mesh"]) {
            figures.extend(meshes::open_ground());
        }
        if begin(&["crowd.interior"]) {
            figures.extend(meshes::furnished());
        }
        if begin(&["crowd.idle.10000"]) {
            figures.push(idle());
        }
        if begin(&["crowd.packed.2000"]) {
            figures.push(packed());
        }
        if begin(&["crowd.predict"]) {
            figures.push(prediction());
        }
        if begin(&["crowd.allocations"]) {
            figures.push(count_allocations());
        }
    });
    if begin(&["crowd.two_threads"]) {
        figures.push(two_threads(&one, &two));
    }
    Ok(figures)
}

/// The voxels of the ground.
#[derive(Clone, Copy)]
pub(super) enum Voxels {
    Metres,
    Quarters,
    /// On a quarter of the area: eight times the voxels to the same volume.
    Eighths,
}

impl Voxels {
    /// Returns the width in metres.
    fn width(self) -> i32 {
        match self {
            Self::Metres | Self::Quarters => WIDTH,
            Self::Eighths => WIDTH / 2,
        }
    }

    fn world(self, ground: &ProvingGround) -> World {
        let objects = |fineness| ground.world_of_objects(fineness, self.width());
        match self {
            Self::Metres => ground.world(),
            Self::Quarters => objects(4).unwrap_or_default(),
            Self::Eighths => objects(8).unwrap_or_default(),
        }
    }
}

/// Characters of the proving ground with their intents.
pub(super) struct Walkers {
    ground: ProvingGround,
    world: World,
    crowd: Crowd,
    intents: Vec<(CharacterId, Intent)>,
    speed: f32,
    tick: u32,
}

impl Walkers {
    pub(super) fn new(voxels: Voxels, count: u32, speed: f32) -> Self {
        Self::shaped(voxels, count, speed, |character| character)
    }

    /// Makes walkers of another shape or at other places.
    fn shaped(
        voxels: Voxels,
        count: u32,
        speed: f32,
        shape: impl Fn(Character) -> Character,
    ) -> Self {
        let ground = ProvingGround::new(SEED);
        let world = voxels.world(&ground);
        let settings = walker_settings();
        let mut crowd = Crowd::new();
        let intents = (0..count)
            .map(|number| {
                let place = ground.spawn_within(number, voxels.width());
                let character = Character::at(place).with_settings(settings);
                (crowd.add(shape(character)), Intent::default())
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

    /// Changes the directions once a second.
    fn wish(&mut self) {
        if self.tick.is_multiple_of(60) {
            for (number, (_, intent)) in self.intents.iter_mut().enumerate() {
                let way = self.ground.wish(number as u32, self.tick / 60);
                *intent = Intent::walk(way * self.speed);
            }
        }
        self.tick += 1;
    }

    /// Runs a tick; returns microseconds a character.
    fn timed_tick(&mut self) -> f64 {
        self.wish();
        let begun = Instant::now();
        self.crowd.tick(&self.world, &self.intents, TICK);
        begun.elapsed().as_secs_f64() * 1e6 / self.intents.len() as f64
    }

    /// Runs a tick with platforms as further parts of the terrain, and the index over them.
    fn timed_tick_among(&mut self, platforms: &mut Platforms) -> f64 {
        self.wish();
        platforms.advance(self.tick);
        let boxes = platforms.boxes.iter().map(|part| part as &dyn Terrain);
        let sheets = platforms.sheets.iter().map(|part| part as &dyn Terrain);
        let main = [&self.world as &dyn Terrain];
        let parts: Vec<&dyn Terrain> = main.into_iter().chain(boxes).chain(sheets).collect();
        let begun = Instant::now();
        let terrain = platforms.index.over(&parts);
        self.crowd.tick(&terrain, &self.intents, TICK);
        begun.elapsed().as_secs_f64() * 1e6 / self.intents.len() as f64
    }

    /// Runs a tick on a terrain in front of the world, and returns that terrain.
    pub(super) fn tick_before<'w, T: Terrain>(&'w mut self, put: impl Fn(&'w World) -> T) -> T {
        self.wish();
        let terrain = put(&self.world);
        self.crowd.tick(&terrain, &self.intents, TICK);
        terrain
    }

    pub(super) fn warm_up(&mut self) {
        for _ in 0..WARM_UP {
            self.timed_tick();
        }
    }
}

fn walker_settings() -> Settings {
    let mut settings = Settings::default();
    settings.mover.step_height = STEP;
    settings.mover.air_step = STEP;
    settings
}

/// Platforms that move all the time: half of them boxes, half of them triangles.
#[derive(Default)]
struct Platforms {
    boxes: Vec<Shapes>,
    sheets: Vec<TriangleSoup>,
    index: PartIndex,
}

impl Platforms {
    /// Makes platforms of 3 x 3 m, in rows a kilometre away from the walkers.
    fn new(count: u32) -> Self {
        let mut platforms = Self::default();
        for number in 0..count {
            let (x, z) = (f64::from(number % 10), f64::from(number / 10));
            let low = Point3::new(1256.0 + 20.0 * x, 20.0, 20.0 * z);
            let object = ObjectId(FIRST_PLATFORM + number);
            if number.is_multiple_of(2) {
                let corners = [low, low + Vector3::new(3.0, 0.5, 3.0)];
                let shapes = Shapes::from_boxes(object, Position::default(), &[corners]);
                platforms.boxes.push(shapes);
                continue;
            }
            let corner = |x: f64, z: f64| low + Vector3::new(x, 0.0, z);
            let mut sheet = TriangleSoup::new(object, Position::default());
            for corners in [
                [(0.0, 0.0), (0.0, 3.0), (3.0, 3.0)],
                [(0.0, 0.0), (3.0, 3.0), (3.0, 0.0)],
            ] {
                // None of them is refused: they are small and near.
                let _ = sheet.insert(corners.map(|(x, z)| corner(x, z)), Sides::Both);
            }
            platforms.sheets.push(sheet);
        }
        platforms
    }

    /// Moves them to and fro, turning every second.
    fn advance(&mut self, tick: u32) {
        let way = if (tick / 60).is_multiple_of(2) {
            0.05
        } else {
            -0.05
        };
        for shapes in &mut self.boxes {
            shapes.advance(Vector3::new(way, 0.0, 0.0));
        }
        let motion = SoupMotion {
            shift: Vector3::new(f64::from(way), 0.0, 0.0),
            ..SoupMotion::default()
        };
        for sheet in &mut self.sheets {
            sheet.advance(&motion);
        }
    }
}

/// Measures the extra time of a tick with moving platforms elsewhere, in turns with one without.
fn together() -> Figure {
    let mut alone = Walkers::new(Voxels::Metres, 1000, 5.0);
    let mut among = Walkers::new(Voxels::Metres, 1000, 5.0);
    let mut platforms = Platforms::new(100);
    for _ in 0..WARM_UP {
        alone.timed_tick();
        among.timed_tick_among(&mut platforms);
    }
    let mut samples = Vec::new();
    for _ in 0..TICKS / 5 {
        let fast: f64 = (0..10).map(|_| alone.timed_tick()).sum();
        let slow: f64 = (0..10)
            .map(|_| among.timed_tick_among(&mut platforms))
            .sum();
        samples.push(slow / fast);
    }
    Figure::from_samples("crowd.together.100", "times", samples)
}

/// Measures large characters that many voxels reach into at once.
fn giant() -> Figure {
    let high = |character: Character| {
        let mut place = character.position.to_metres();
        // Above everything that they could overlap at the start.
        place.y = f64::from(HEIGHT) + 2.0 * f64::from(GIANT);
        Character {
            position: Position::from_metres(place),
            ..character
        }
        .with_radii(GIANT, GIANT)
    };
    let mut giants = Walkers::shaped(Voxels::Metres, 100, 5.0, high);
    // They are pushed apart, and fall.
    for _ in 0..8 * WARM_UP {
        giants.timed_tick();
    }
    let samples = (0..TICKS).map(|_| giants.timed_tick()).collect();
    Figure::from_samples("crowd.giant", "us", samples)
}

fn walk(name: &str, voxels: Voxels, count: u32, speed: f32) -> Figure {
    let mut walkers = Walkers::new(voxels, count, speed);
    walkers.warm_up();
    let samples = (0..TICKS).map(|_| walkers.timed_tick()).collect();
    Figure::from_samples(name, "us", samples)
}

/// Measures a tick predicted again: a client puts one of a thousand walkers right, and predicts it
/// by ten ticks among those near it.
fn prediction() -> Figure {
    let mut walkers = Walkers::new(Voxels::Metres, 1000, 5.0);
    walkers.warm_up();
    let somewhere = Character::at(Position::default()).with_settings(walker_settings());
    let Ok(mut predicted) = Predicted::new(somewhere) else {
        return Figure::from_samples("crowd.predict", "us", Vec::new());
    };
    let (mut bytes, mut others) = (Vec::new(), Vec::new());
    let mut samples = Vec::new();
    for tick in 0..WARM_UP + TICKS {
        walkers.timed_tick();
        for &(id, intent) in walkers.intents.iter().step_by(50) {
            walkers.crowd.save_character_into(id, &mut bytes);
            walkers.crowd.others_near(id, NEAR, &mut others);
            let begun = Instant::now();
            let mut sound = predicted.put_right(&bytes).is_ok();
            for _ in 0..REPLAYED {
                let world = &walkers.world;
                sound &= predict(&mut predicted, world, &others, &[intent], TICK).is_ok();
            }
            let took = begun.elapsed().as_secs_f64() * 1e6 / f64::from(REPLAYED);
            if sound && tick >= WARM_UP {
                samples.push(took);
            }
        }
    }
    Figure::from_samples("crowd.predict", "us", samples)
}

fn idle() -> Figure {
    let mut walkers = Walkers::new(Voxels::Metres, 10_000, 0.0);
    for _ in 0..SETTLING {
        walkers.crowd.tick(&walkers.world, &walkers.intents, TICK);
    }
    let samples = (0..TICKS).map(|_| walkers.timed_tick()).collect();
    Figure::from_samples("crowd.idle.10000", "us", samples)
}

/// Measures two thousand characters in an arena of 40 x 40 m, all walking to its middle.
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

/// Measures the speed-up by two threads, in turns, so that disturbances of the machine count for
/// both.
fn two_threads(one: &rayon::ThreadPool, two: &rayon::ThreadPool) -> Figure {
    let mut alone = Walkers::new(Voxels::Metres, 10_000, 5.0);
    let mut together = Walkers::new(Voxels::Metres, 10_000, 5.0);
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

/// Counts allocations of a tick in steady state: the most of all ticks.
fn count_allocations() -> Figure {
    let mut walkers = Walkers::new(Voxels::Metres, 1000, 5.0);
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
