//! A terrain may return more than the query covers and ignore the memory: the crowd ends with the
//! same bits as on the world itself, edited in every tick.
#![allow(clippy::unwrap_used)]

use collision::{
    Candidates, Cell, Character, CharacterId, Contents, Crowd, Intent, Memory, Mode, ObjectId,
    Position, Reach, SolidBox, Substance, Terrain,
};
use collision_scenes::{Mobility, Random, VoxelGround, VoxelLayer, WorldGround};
use nalgebra::{Point3, Vector3};

/// Returns the intents of a tick: walkers and flyers, some fast, with occasional jumps.
fn wishes(ids: &[CharacterId], seed: u64, tick: u64) -> Vec<(CharacterId, Intent)> {
    let wish = |(index, id): (usize, &CharacterId)| {
        let mut random = Random::new(seed ^ (index as u64) << 32 ^ (tick / 24));
        let fastest = [6.0, 60.0][random.below(2)];
        let speed = random.between(1.0, fastest);
        let way: Vector3<f64> = Vector3::from_fn(|_, _| random.between(-1.0, 1.0));
        let mode = if index % 4 == 3 {
            Mode::Fly
        } else {
            Mode::Walk
        };
        let jump = if random.below(4) == 0 { 6.0 } else { 0.0 };
        let intent = Intent {
            velocity: (way * speed).cast(),
            mode,
            jump: if tick.is_multiple_of(24) { jump } else { 0.0 },
            ..Intent::default()
        };
        (*id, intent)
    };
    ids.iter().enumerate().map(wish).collect()
}

fn crowd_at(places: impl Iterator<Item = Point3<f64>>) -> (Crowd, Vec<CharacterId>) {
    let mut crowd = Crowd::new();
    let ids = places
        .enumerate()
        .map(|(index, place)| {
            let (across, along) = [(0.4, 0.9), (0.3, 0.6), (0.4, 0.9), (0.45, 0.5)][index % 4];
            crowd.add(Character::at(Position::from_metres(place)).with_radii(across, along))
        })
        .collect();
    (crowd, ids)
}

/// A terrain that returns more than the query covers, and ignores the memory.
struct Careless<'a>(&'a dyn VoxelGround, f32);

impl Terrain for Careless<'_> {
    fn revision(&self) -> u64 {
        self.0.revision()
    }

    fn unchanged(&self, _: &Memory) -> bool {
        false
    }

    fn gather(&self, reach: &Reach, _: &mut Memory, out: &mut Candidates) {
        let reach = Reach {
            min: reach.min.add_scalar(-self.1),
            max: reach.max.add_scalar(self.1),
            half: Vector3::zeros(),
            ..*reach
        };
        self.0.gather(&reach, &mut Memory::default(), out);
    }

    fn gather_solids(
        &self,
        base: Cell,
        min: Vector3<f32>,
        max: Vector3<f32>,
        out: &mut Vec<SolidBox>,
    ) {
        let (min, max) = (min.add_scalar(-self.1), max.add_scalar(self.1));
        self.0.gather_solids(base, min, max, out);
    }

    fn contents(&self, at: &Position, memory: &Memory) -> Contents {
        self.0.contents(at, memory)
    }

    fn carry(&self, object: ObjectId, at: &Position) -> Option<Vector3<f32>> {
        self.0.carry(object, at)
    }
}

/// Margin, in metres, that a careless terrain adds to a query.
const MORE: f32 = 1.0;
/// Voxels across the world of edits.
const WIDE: i32 = 32;

/// Returns the state hash after each of some ticks among voxels that change below, beside and
/// inside the characters.
fn edited(seed: u64, size: f64, careless: Option<f32>) -> Vec<u64> {
    let mut ground = WorldGround::lend();
    let layer = VoxelLayer {
        origin: Position::default(),
        size,
        min: Cell::zeros(),
        max: Cell::repeat(WIDE),
        mobility: Mobility::Still,
    };
    ground.add_layer(&layer).unwrap();
    let mut random = Random::new(seed);
    let any =
        |random: &mut Random| Cell::from_fn(|_, _| 1 + random.below(WIDE as usize - 2) as i32);
    let mut solid = std::collections::BTreeSet::new();
    let rim: Vec<_> = (0..WIDE * WIDE * WIDE)
        .map(|place| Cell::new(place % WIDE, place / WIDE % WIDE, place / (WIDE * WIDE)))
        .filter(|cell| cell.iter().any(|&part| part == 0 || part == WIDE - 1))
        .map(|cell| (cell, Substance::Solid))
        .collect();
    ground.write(0, &rim);
    let side = f64::from(WIDE) * size;
    let place = |random: &mut Random| {
        Point3::from(Vector3::from_fn(|_, _| random.between(0.1, 0.9) * side))
    };
    let places: Vec<_> = (0..60).map(|_| place(&mut random)).collect();
    let (mut crowd, ids) = crowd_at(places.into_iter());
    (0..150)
        .map(|tick| {
            let count = if tick == 0 { 3_000 } else { 60 };
            let voxels: Vec<_> = (0..count)
                .map(|_| any(&mut random))
                .map(|cell| {
                    let key = [cell.x, cell.y, cell.z];
                    let fill = if solid.remove(&key) {
                        Substance::Air
                    } else {
                        Substance::Solid
                    };
                    if fill == Substance::Solid {
                        solid.insert(key);
                    }
                    (cell, fill)
                })
                .collect();
            ground.write(0, &voxels);
            let wishes = wishes(&ids, seed, tick);
            match careless {
                None => crowd.tick(ground.as_ref(), &wishes, 1.0 / 60.0),
                Some(more) => crowd.tick(&Careless(ground.as_ref(), more), &wishes, 1.0 / 60.0),
            };
            crowd.state_hash()
        })
        .collect()
}

#[test]
fn a_terrain_that_gives_more_and_forgets_all_is_walked_with_the_same_bits() {
    for (seed, size) in [(1, 1.0), (2, 0.5), (3, 0.25)] {
        let (right, other) = (edited(seed, size, None), edited(seed, size, Some(MORE)));
        let first = right.iter().zip(&other).position(|(a, b)| a != b);
        assert_eq!(
            first, None,
            "first tick that differs: seed {seed}, voxels of {size} m"
        );
    }
}
