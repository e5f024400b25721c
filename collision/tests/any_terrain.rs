//! The representation of a terrain cannot be felt: floors and walls may be cut into any rectangles,
//! and a terrain may return more than the query covers and ignore the memory. The crowd ends with
//! the same bits.
#![allow(clippy::unwrap_used)]

mod tiled;

use collision::mover::{Body, Ground, MoverConfig, Radii, Scratch, walk};
use collision::recovery::{Rescue, recover};
use collision::scene::{Mobility, VoxelGround, VoxelLayer};
use collision::{
    Around, Candidates, Cell, Character, CharacterId, Contents, Crowd, Intent, Memory, Mode,
    ObjectId, Position, Reach, SolidBox, Substance, Terrain,
};
use grounds::SceneGround;
use nalgebra::{Point3, Vector3};
use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};
use tiled::{Cut, Tiled, Voxels};

/// Random-looking numbers that are the same everywhere.
#[derive(Clone)]
struct Dice(u64);

impl Dice {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, count: usize) -> usize {
        (self.bits() % count as u64) as usize
    }

    fn share(&mut self) -> f32 {
        (self.bits() >> 40) as f32 / 16_777_216.0
    }

    fn between(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * self.share()
    }
}

/// Returns the intents of a tick: walkers and flyers, some fast, with occasional jumps.
fn wishes(ids: &[CharacterId], seed: u64, tick: u64) -> Vec<(CharacterId, Intent)> {
    let wish = |(index, id): (usize, &CharacterId)| {
        let mut dice = Dice(seed ^ (index as u64) << 32 ^ (tick / 24));
        let fastest = [6.0, 60.0][dice.below(2)];
        let speed = dice.between(1.0, fastest);
        let way = Vector3::from_fn(|_, _| dice.between(-1.0, 1.0));
        let mode = if index % 4 == 3 {
            Mode::Fly
        } else {
            Mode::Walk
        };
        let jump = if dice.below(4) == 0 { 6.0 } else { 0.0 };
        let intent = Intent {
            velocity: way * speed,
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

/// Returns the state hash after each of some ticks of walkers above a terrain.
fn walked(terrain: &impl Terrain, seed: u64) -> Vec<u64> {
    let mut dice = Dice(seed);
    let side = f64::from(tiled::SIDE);
    let place = |_| {
        Point3::from(Vector3::from_fn(|_, _| {
            f64::from(dice.between(0.1, 0.9)) * side
        }))
    };
    let (mut crowd, ids) = crowd_at((0..12).map(place));
    (0..240)
        .map(|tick| {
            crowd.tick(terrain, &wishes(&ids, seed, tick), 1.0 / 60.0);
            crowd.state_hash()
        })
        .collect()
}

/// Characters in one kind of world.
const ROUNDS: usize = 4_000;

/// Largest lost skin, by axis, in metres.
const LOST: f32 = 1.5e-4;

/// Cases of one kind of world.
const CASES: u32 = 16;

fn cases() -> TestRunner {
    let config = ProptestConfig {
        cases: CASES,
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha))
}

/// Floors, walls and ceilings of the same solid, cut in different places, across and along the
/// borders of chunks.
#[test]
fn any_tiling_of_a_surface_is_walked_with_the_same_bits() {
    let worlds = (any::<u64>(), 0..3_usize, 0..3_usize, any::<u64>());
    cases()
        .run(&worlds, |(seed, size, kind, cuts)| {
            let voxels = Voxels::new(seed, [0.25, 0.5, 1.0][size], [0.02, 0.1, 0.25][kind]);
            let single = walked(&Tiled::new(&voxels, Cut::Single), seed);
            let largest = walked(&Tiled::new(&voxels, Cut::Largest), seed);
            let random = walked(&Tiled::new(&voxels, Cut::Random(cuts)), seed);
            prop_assert_eq!(&single, &largest);
            prop_assert_eq!(&single, &random);
            Ok(())
        })
        .unwrap();
}

/// Returns one move of a body as text, which covers all its bits.
fn moved(terrain: &impl Terrain, body: &Body, ground: Option<Ground>, way: Vector3<f32>) -> String {
    let config = MoverConfig::default();
    let around = Around::terrain(terrain, &config);
    let (mut body, memory) = (*body, &mut Memory::default());
    let scratch = &mut Scratch::default();
    let report = walk(&around, &mut body, way, ground, memory, scratch);
    format!(
        "{:?} {:?} {:?}",
        body.position, report.ground, report.stopped_by
    )
}

/// Calls `each` with bodies that have lost some of their skin, as after an edit, near faces, edges
/// and corners of a terrain.
fn each_without_skin(
    terrain: &Tiled<'_>,
    seed: u64,
    mut each: impl FnMut(&Body, Option<Ground>, Vector3<f32>),
) {
    let mut dice = Dice(seed);
    let config = MoverConfig::default();
    let around = Around::terrain(terrain, &config);
    let (memory, scratch) = (&mut Memory::default(), &mut Scratch::default());
    for _ in 0..ROUNDS {
        let side = f64::from(tiled::SIDE);
        let place = Vector3::from_fn(|_, _| f64::from(dice.between(0.1, 0.9)) * side);
        let mut body = Body {
            position: Position::from_metres(Point3::from(place)),
            radii: Radii::new(0.4, 0.9),
            up: Vector3::y(),
        };
        let mut any = |long: f32| Vector3::from_fn(|_, _| dice.between(-long, long));
        let mut ground = None;
        for _ in 0..4 {
            ground = walk(&around, &mut body, any(1.0), ground, memory, scratch).ground;
        }
        let way = any(0.3);
        let lost = any(LOST);
        if recover(&around, &mut body, memory, scratch).rescue == Rescue::Free {
            body.position = body.position.moved(lost);
            each(&body, ground, way);
            each(&body, None, way);
        }
    }
}

#[test]
fn bodies_that_lack_skin_move_alike_on_any_tiling() {
    for (seed, size, density) in [
        (1, 1.0, 0.1),
        (2, 0.5, 0.1),
        (3, 1.0, 0.25),
        (4, 0.25, 0.02),
    ] {
        let voxels = Voxels::new(seed, size, density);
        let single = Tiled::new(&voxels, Cut::Single);
        let others = [Cut::Largest, Cut::Random(seed), Cut::Random(seed + 9)];
        let others = others.map(|cut| Tiled::new(&voxels, cut));
        let seamed = Tiled::new(&voxels, Cut::Single).with_seams(0.0);
        let mut felt = 0;
        each_without_skin(&single, seed, |body, ground, way| {
            let right = moved(&single, body, ground, way);
            for other in &others {
                let found = moved(other, body, ground, way);
                assert_eq!(right, found, "seed {seed}: {body:?} {ground:?} {way:?}");
            }
            felt += usize::from(moved(&seamed, body, ground, way) != right);
        });
        assert!(
            felt > 0,
            "seed {seed}: edges between tiles would not be felt"
        );
    }
}

/// Proves that the first test can fail: walkers feel edges between tiles that stand a tenth of a
/// millimetre proud, as in careless meshes.
#[test]
fn edges_between_tiles_would_be_felt() {
    let voxels = Voxels::new(5, 0.5, 0.1);
    let right = walked(&Tiled::new(&voxels, Cut::Random(7)), 5);
    let wrong = walked(&Tiled::new(&voxels, Cut::Random(7)).with_seams(1e-4), 5);
    assert_ne!(right, wrong);
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
    let mut ground = SceneGround::lend();
    let layer = VoxelLayer {
        origin: Position::default(),
        size,
        min: Cell::zeros(),
        max: Cell::repeat(WIDE),
        mobility: Mobility::Still,
    };
    ground.add_layer(&layer).unwrap();
    let mut dice = Dice(seed);
    let any = |dice: &mut Dice| Cell::from_fn(|_, _| 1 + dice.below(WIDE as usize - 2) as i32);
    let mut solid = std::collections::BTreeSet::new();
    let rim: Vec<_> = (0..WIDE * WIDE * WIDE)
        .map(|place| Cell::new(place % WIDE, place / WIDE % WIDE, place / (WIDE * WIDE)))
        .filter(|cell| cell.iter().any(|&part| part == 0 || part == WIDE - 1))
        .map(|cell| (cell, Substance::Solid))
        .collect();
    ground.write(0, &rim);
    let side = f64::from(WIDE) * size;
    let place = |dice: &mut Dice| {
        Point3::from(Vector3::from_fn(|_, _| {
            f64::from(dice.between(0.1, 0.9)) * side
        }))
    };
    let places: Vec<_> = (0..60).map(|_| place(&mut dice)).collect();
    let (mut crowd, ids) = crowd_at(places.into_iter());
    (0..150)
        .map(|tick| {
            let count = if tick == 0 { 3_000 } else { 60 };
            let voxels: Vec<_> = (0..count)
                .map(|_| any(&mut dice))
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
