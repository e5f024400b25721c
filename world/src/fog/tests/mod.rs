//! Fog equals brute force, tile by tile, under any sequence of changes.
#![allow(clippy::unwrap_used)]

use collision::Position;
use nalgebra::{Point3, Vector3};
use proptest::prelude::*;

mod document;
mod lines;
mod rooms;

use super::*;
use crate::chunk::{Brick, Voxels};
use crate::kd_tree::CellBox;
use crate::material::Material;
use crate::world::World;

const TESTS: [LineTest; 3] = [LineTest::Directions, LineTest::Stepping, LineTest::Exact];

/// Compares a fog with brute force over its units.
fn check(fog: &Fog, units: &[(UnitId, usize)], line_test: LineTest, ever: &mut [Vec<bool>]) {
    let [width, height] = fog.size();
    for (team, ever) in ever.iter_mut().enumerate() {
        let mut now = vec![false; width * height];
        for unit in units
            .iter()
            .filter(|unit| unit.1 == team)
            .filter_map(|unit| fog.unit(unit.0))
        {
            for [x, z] in document::seen_tiles(fog.heights(), &unit, line_test) {
                now[z as usize * width + x as usize] = true;
                ever[z as usize * width + x as usize] = true;
            }
        }
        for index in 0..width * height {
            let tile = [(index % width) as i32, (index / width) as i32];
            let (sight, alpha) = match (now[index], ever[index]) {
                (true, _) => (Sight::Now, 0.0),
                (_, true) => (Sight::Before, 0.65),
                _ => (Sight::Never, 1.0),
            };
            assert_eq!(
                (fog.sight(team, tile), fog.alpha(team)[index]),
                (sight, alpha),
                "team {team}, {tile:?}"
            );
        }
    }
}

#[derive(Clone, Debug)]
enum Change {
    Add(usize, [i32; 2], u32, i32),
    Move(usize, [i32; 2], i32),
    Remove(usize),
    Edit([i32; 2], i32),
    Update,
}

fn any_change() -> impl Strategy<Value = Change> {
    let tile = || prop::array::uniform2(-3..40_i32);
    prop_oneof![
        (0..2_usize, tile(), 0..13_u32, 0..4_i32)
            .prop_map(|(t, at, r, e)| Change::Add(t, at, r, e)),
        (any::<usize>(), tile(), 0..4_i32).prop_map(|(i, at, eye)| Change::Move(i, at, eye)),
        any::<usize>().prop_map(Change::Remove),
        (tile(), -2..9_i32).prop_map(|(at, height)| Change::Edit(at, height)),
        Just(Change::Update),
    ]
}

fn apply(fog: &mut Fog, units: &mut Vec<(UnitId, usize)>, change: &Change) {
    match *change {
        Change::Add(team, tile, radius, eye) => {
            units.push((
                fog.add_unit(Unit {
                    team,
                    tile,
                    radius,
                    eye,
                })
                .unwrap(),
                team,
            ));
        }
        Change::Move(i, tile, eye) if !units.is_empty() => {
            assert!(fog.move_unit(units[i % units.len()].0, tile, eye));
        }
        Change::Remove(i) if !units.is_empty() => {
            let (id, _) = units.swap_remove(i % units.len());
            assert!(fog.remove_unit(id) && !fog.remove_unit(id) && fog.unit(id).is_none());
        }
        Change::Edit(tile, height) => fog.heights_mut().set(tile, height),
        _ => {}
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(40)
    })]

    #[test]
    fn any_changes_equal_brute_force(
        test in 0..3_usize,
        hills in prop::collection::vec((prop::array::uniform2(0..37_i32), 0..9_i32), 0..200),
        changes in prop::collection::vec(any_change(), 1..40),
    ) {
        let mut heights = HeightField::flat([37, 29], 0);
        for (tile, height) in hills {
            heights.set(tile, height);
        }
        let settings = FogSettings { line_test: TESTS[test], ..FogSettings::default() };
        let mut fog = Fog::new(heights, 2, settings);
        let (mut units, mut ever) = (Vec::new(), vec![vec![false; 37 * 29]; 2]);
        for change in &changes {
            apply(&mut fog, &mut units, change);
            if matches!(change, Change::Update) {
                fog.update();
                check(&fog, &units, TESTS[test], &mut ever);
            }
        }
        fog.update();
        check(&fog, &units, TESTS[test], &mut ever);
        prop_assert_eq!(fog.update(), FogReport::default());
    }
}

/// Heights from a seed: every third tile or so is a wall.
fn rough(size: usize, seed: u32) -> HeightField {
    let mut heights = HeightField::flat([size, size], 0);
    let mut state = seed;
    for index in 0..size * size {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let wall = state >> 24 < 80;
        heights.set(
            [(index % size) as i32, (index / size) as i32],
            if wall { 5 } else { 0 },
        );
    }
    heights
}

#[test]
fn exact_sight_is_mutual() {
    for seed in 0..8 {
        let heights = rough(24, seed);
        let settings = FogSettings {
            line_test: LineTest::Exact,
            ..FogSettings::default()
        };
        let sees: Vec<Vec<bool>> = (0..24 * 24)
            .map(|index| {
                let mut fog = Fog::new(heights.clone(), 1, settings);
                let tile = [index % 24, index / 24];
                fog.add_unit(Unit {
                    team: 0,
                    tile,
                    radius: 9,
                    eye: 2,
                });
                fog.update();
                fog.alpha(0).iter().map(|&alpha| alpha == 0.0).collect()
            })
            .collect();
        let low = |index: usize| heights.as_slice()[index] == 0;
        for a in (0..sees.len()).filter(|&a| low(a)) {
            for b in (0..a).filter(|&b| low(b)) {
                assert_eq!(sees[a][b], sees[b][a], "seed {seed}: {a} and {b}");
            }
        }
    }
}

#[test]
fn stepping_takes_the_axis_that_is_due() {
    // From the corner to (1, 2): x first, then twice along z.
    for (wall, is_hidden) in [([1, 0], true), ([1, 1], true), ([0, 1], false)] {
        let mut heights = HeightField::flat([4, 4], 0);
        heights.set(wall, 9);
        let mut fog = Fog::new(heights, 1, FogSettings::default());
        let unit = Unit {
            team: 0,
            tile: [0, 0],
            radius: 3,
            eye: 1,
        };
        fog.add_unit(unit).unwrap();
        fog.update();
        assert_eq!(fog.sight(0, [1, 2]) == Sight::Never, is_hidden, "{wall:?}");
    }
}

#[test]
fn revision_changes_with_the_alpha_alone() {
    let mut fog = Fog::new(HeightField::flat([20, 20], 0), 2, FogSettings::default());
    let unit = Unit {
        team: 0,
        tile: [10, 10],
        radius: 4,
        eye: 1,
    };
    let id = fog.add_unit(unit).unwrap();
    fog.update();
    let seen = fog.revision(0);
    assert_ne!(seen, 0);
    // Looking again shows the same, and another team sees its own tiles only.
    assert!(fog.move_unit(id, [10, 10], 2));
    fog.add_unit(Unit { team: 1, ..unit }).unwrap();
    assert_eq!(fog.update().looked, 2);
    assert_eq!(fog.revision(0), seen);
    assert!(fog.move_unit(id, [11, 10], 2));
    fog.update();
    assert_ne!(fog.revision(0), seen);
}

/// Makes a house of stone on a plain, its roof included.
fn house() -> (World, CellBox) {
    let bounds = CellBox::new(Vector3::zeros(), Vector3::new(31, 31, 31));
    let world = World::from_voxels(bounds, |cell| {
        let walls = |at: i32| (10..=20).contains(&at);
        let inside = |at: i32| (11..=19).contains(&at);
        let is_house = walls(cell.x) && walls(cell.z) && cell.y < 8;
        let is_room = inside(cell.x) && inside(cell.z) && (4..7).contains(&cell.y);
        if cell.y < 4 || is_house && !is_room {
            Material::STONE
        } else {
            Material::AIR
        }
    });
    (world, bounds)
}

#[test]
fn unit_in_a_house_does_not_see_as_from_its_roof() {
    let (world, bounds) = house();
    let field = HeightField::of_world(&world, bounds, TileSide::CELL);
    let mut fog = Fog::new(field, 1, FogSettings::default());
    let unit = Unit {
        team: 0,
        tile: [15, 15],
        radius: 12,
        eye: 5,
    };
    let id = fog.add_unit(unit).unwrap();
    fog.update();
    let seen = |fog: &Fog, tile| fog.sight(0, tile) == Sight::Now;
    assert!(seen(&fog, [15, 15]) && !seen(&fog, [15, 8]) && !seen(&fog, [10, 15]));
    assert!(fog.move_unit(id, [15, 15], 9));
    fog.update();
    assert!(seen(&fog, [15, 8]) && seen(&fog, [10, 15]));
}

#[test]
fn half_tiles_see_what_the_description_says() {
    let bounds = CellBox::new(Vector3::new(-20, 0, -20), Vector3::new(19, 31, 19));
    let world = World::from_voxels(bounds, |cell| {
        let wall = (cell.x * 7 + cell.z * 5).rem_euclid(11) == 0;
        if cell.y < if wall { 9 } else { 4 } {
            Material::STONE
        } else {
            Material::AIR
        }
    });
    let whole = HeightField::of_world(&world, bounds, TileSide::CELL);
    let half = HeightField::of_world(&world, bounds, TileSide::HALF);
    assert_eq!((whole.size(), half.size()), ([40, 40], [80, 80]));
    for index in 0..80 * 80 {
        let tile = [index % 80, index / 80];
        assert_eq!(half.get(tile), whole.get(tile.map(|at| at / 2)));
    }
    let at = Position::new(Vector3::new(3, 5, -7), Vector3::new(0.6, 0.0, 0.4));
    assert_eq!(
        (whole.tile_at(&at), half.tile_at(&at)),
        ([23, 13], [47, 26])
    );
    for (field, radius) in [(whole, 8), (half, 16)] {
        for line_test in TESTS {
            let settings = FogSettings {
                line_test,
                ..FogSettings::default()
            };
            let mut fog = Fog::new(field.clone(), 1, settings);
            let ids: Vec<_> = (0..9)
                .map(|step| {
                    let at = Position::from_metres(Point3::new(
                        f64::from(step) * 4.3 - 18.0,
                        5.0,
                        f64::from(step) * 1.7 - 9.0,
                    ));
                    let tile = fog.heights().tile_at(&at);
                    let unit = Unit {
                        team: 0,
                        tile,
                        radius,
                        eye: 6,
                    };
                    (fog.add_unit(unit).unwrap(), 0)
                })
                .collect();
            fog.update();
            let tiles = field.as_slice().len();
            check(&fog, &ids, line_test, &mut [vec![false; tiles]]);
        }
    }
}

#[test]
fn half_tiles_follow_edits() {
    let (mut world, bounds) = house();
    let mut field = HeightField::of_world(&world, bounds, TileSide::HALF);
    let cell = Vector3::new(15, 7, 12);
    world.write(|writer| writer.set(cell, Material::AIR));
    assert_eq!(field.follow(&world), 4);
    let [x, z] = field.tile_of(cell);
    for tile in [[x, z], [x + 1, z], [x, z + 1], [x + 1, z + 1]] {
        assert_eq!(field.get(tile), Some(4), "{tile:?}");
    }
    assert_eq!(field.get([x + 2, z]), Some(8));
}

#[test]
fn largest_radius_equals_brute_force() {
    for line_test in TESTS {
        let settings = FogSettings {
            line_test,
            ..FogSettings::default()
        };
        let mut fog = Fog::new(rough(90, 7), 1, settings);
        let ids = [[45, 45], [0, 0], [89, 30]].map(|tile| {
            (
                fog.add_unit(Unit {
                    team: 0,
                    tile,
                    radius: 1000,
                    eye: 2,
                })
                .unwrap(),
                0,
            )
        });
        assert_eq!(fog.unit(ids[0].0).unwrap().radius, MOST_RADIUS);
        fog.update();
        check(&fog, &ids, line_test, &mut [vec![false; 90 * 90]]);
    }
}

#[test]
fn units_that_stay_cost_nothing_and_edits_wake_only_the_near() {
    let mut fog = Fog::new(HeightField::flat([80, 80], 0), 1, FogSettings::default());
    for x in [10, 40, 70] {
        fog.add_unit(Unit {
            team: 0,
            tile: [x, 40],
            radius: 8,
            eye: 1,
        });
    }
    assert_eq!(fog.update().looked, 3);
    assert_eq!(fog.update().looked, 0);
    fog.heights_mut().set([44, 42], 0);
    assert_eq!(fog.update().looked, 0);
    fog.heights_mut().set([44, 42], 5);
    assert_eq!(fog.update().looked, 1);
    fog.heights_mut().set([25, 5], 5);
    assert_eq!(fog.update().looked, 0);
}

#[test]
fn many_levels_share_the_planes() {
    let mut heights = HeightField::flat([200, 3], 0);
    for x in 0..200 {
        heights.set([x, 1], x * 3);
    }
    let mut fog = Fog::new(heights, 1, FogSettings::default());
    let ids: Vec<_> = (0..200)
        .map(|x| {
            (
                fog.add_unit(Unit {
                    team: 0,
                    tile: [x, 1],
                    radius: 4,
                    eye: x * 3 + 1,
                })
                .unwrap(),
                0,
            )
        })
        .collect();
    fog.update();
    check(&fog, &ids, LineTest::Stepping, &mut [vec![false; 600]]);
}

#[test]
fn unknown_teams_and_tiles_are_never_seen() {
    let mut fog = Fog::new(HeightField::flat([4, 4], 0), 1, FogSettings::default());
    assert_eq!(
        fog.add_unit(Unit {
            team: 1,
            tile: [0, 0],
            radius: 2,
            eye: 1
        }),
        None
    );
    assert_eq!(
        (fog.sight(1, [0, 0]), fog.sight(0, [-1, 9])),
        (Sight::Never, Sight::Never)
    );
}

#[test]
fn heights_follow_every_edit_of_the_world() {
    let bounds = CellBox::new(Vector3::new(-40, 0, -40), Vector3::new(39, 63, 39));
    let stone = Material(1);
    let mut world = World::from_voxels(
        bounds,
        |cell| if cell.y < 10 { stone } else { Material::AIR },
    );
    let mut field = HeightField::of_world(&world, bounds, TileSide::CELL);
    assert_eq!(
        (field.size(), field.get([0, 0]), field.get([80, 0])),
        ([80, 80], Some(10), None)
    );
    let cells = [[-40, 50, -40], [39, 63, 39], [0, 9, 0], [5, 40, 5]].map(Vector3::from);
    for (step, cell) in cells.into_iter().enumerate() {
        let material = if cell.y == 9 { Material::AIR } else { stone };
        world.write(|writer| writer.set(cell, material));
        assert_eq!(field.follow(&world), 1, "step {step}");
        let expected = if cell.y == 9 { 9 } else { cell.y + 1 };
        assert_eq!(field.get(field.tile_of(cell)), Some(expected));
    }
    assert_eq!(field.follow(&world), 0);
    let fresh = HeightField::of_world(&world, bounds, TileSide::CELL);
    assert_eq!(fresh.as_slice(), field.as_slice());
    world.remove_brick(Vector3::new(0, 0, 0));
    world.remove_brick(Vector3::new(0, 1, 0));
    assert!(field.follow(&world) > 0);
    assert_eq!(field.get(field.tile_of(Vector3::new(3, 0, 3))), Some(0));
}

#[test]
fn heights_between_the_ends_of_the_cells_look_at_loaded_chunks_alone() {
    let ground = CellBox::new(Vector3::zeros(), Vector3::new(255, 63, 255));
    let height = |cell: Vector3<i32>| 1 + (cell.x * 7 + cell.z * 3) % 40;
    let mut world = World::from_voxels(ground, |cell| {
        if cell.y < height(cell) {
            Material::STONE
        } else {
            Material::AIR
        }
    });
    let (low, high) = (Vector3::y() * i32::MIN, Vector3::new(255, i32::MAX, 255));
    let bounds = CellBox::new(low, high);
    let mut field = HeightField::of_world(&world, bounds, TileSide::CELL);
    let bounded = HeightField::of_world(&world, ground, TileSide::CELL);
    assert_eq!(field.as_slice(), bounded.as_slice());
    let mut flat = HeightField::flat([300, 256], -1);
    assert_eq!(flat.follow(&world), 300 * 256);
    assert_eq!(
        (flat.get([9, 9]), flat.get([270, 9])),
        (field.get([9, 9]), Some(i32::MIN))
    );
    // Two chunks of a known column, and one of another, far up.
    for (x, y) in [(0, i32::MAX >> 5), (0, 90), (1, 91)] {
        let brick = Brick::new(Voxels::uniform(Material::STONE), world.materials());
        world.insert_brick(Vector3::new(x, y, 0), brick);
    }
    assert_eq!(field.follow(&world), 2 * 32 * 32);
    assert_eq!(
        (field.get([5, 5]), field.get([40, 5])),
        (Some(i32::MAX), Some(92 * 32))
    );
    world.remove_brick(Vector3::new(0, i32::MAX >> 5, 0));
    assert_eq!(
        (field.follow(&world), field.get([5, 5])),
        (32 * 32, Some(91 * 32))
    );
    world.remove_brick(Vector3::new(0, 90, 0));
    world.remove_brick(Vector3::new(1, 91, 0));
    assert_eq!(
        (field.follow(&world), field.as_slice()),
        (2 * 32 * 32, bounded.as_slice())
    );
}

#[test]
fn as_many_units_as_are_taken_see_what_one_sees() {
    let mut fog = Fog::new(HeightField::flat([8, 8], 0), 1, FogSettings::default());
    let unit = Unit {
        team: 0,
        tile: [2, 0],
        radius: 0,
        eye: 1,
    };
    let ids: Vec<_> = (0..=MOST_UNITS + 1)
        .filter_map(|_| fog.add_unit(unit))
        .collect();
    assert_eq!(ids.len(), MOST_UNITS as usize);
    fog.update();
    let seen = [[2, 0], [3, 0]].map(|tile| fog.sight(0, tile));
    assert_eq!(seen, [Sight::Now, Sight::Never]);
    assert!(fog.remove_unit(ids[0]) && fog.add_unit(unit).is_some());
}

#[test]
fn remembered_alpha_is_always_a_number() {
    let settings = FogSettings {
        remembered: f32::NAN,
        ..FogSettings::default()
    };
    let mut fog = Fog::new(HeightField::flat([8, 8], 0), 1, settings);
    let unit = Unit {
        team: 0,
        tile: [2, 2],
        radius: 1,
        eye: 1,
    };
    let id = fog.add_unit(unit).unwrap();
    fog.update();
    fog.remove_unit(id);
    fog.update();
    let alpha = fog.alpha(0);
    assert!(alpha.iter().all(|alpha| (0.0..=1.0).contains(alpha)));
}

#[test]
fn recalled_tiles_were_seen_before_and_those_seen_now_stay_so() {
    let mut fog = Fog::new(HeightField::flat([70, 9], 0), 1, FogSettings::default());
    let unit = Unit {
        team: 0,
        tile: [2, 2],
        radius: 2,
        eye: 1,
    };
    fog.add_unit(unit).unwrap();
    fog.update();
    let revision = fog.revision(0);
    let tiles = [[2, 2], [69, 8], [70, 8], [-1, 0], [i32::MAX, i32::MIN]];
    fog.recall(0, tiles);
    let seen = tiles.map(|tile| fog.sight(0, tile));
    let never = Sight::Never;
    assert_eq!(seen, [Sight::Now, Sight::Before, never, never, never]);
    assert_eq!(fog.alpha(0)[8 * 70 + 69], 0.65);
    assert_eq!(fog.revision(0), revision + 1);
    fog.recall(0, tiles);
    assert_eq!(fog.revision(0), revision + 1);
}
