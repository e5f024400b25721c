//! The three line tests on random maps and behind random walls.

use super::document::seen_tiles;
use super::*;

/// A linear congruential generator.
struct Dice(u64);

impl Dice {
    fn below(&mut self, count: i32) -> i32 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as i32).rem_euclid(count)
    }
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    /// A wall on one tile of twenty.
    Sparse,
    /// A wall on two tiles of five.
    Dense,
    /// Straight walls with doors.
    Rooms,
    /// Diagonal walls with gaps.
    Diagonals,
    /// Any height on every tile.
    Slopes,
}

const KINDS: [Kind; 5] = [
    Kind::Sparse,
    Kind::Dense,
    Kind::Rooms,
    Kind::Diagonals,
    Kind::Slopes,
];

fn any_map(kind: Kind, size: [i32; 2], dice: &mut Dice) -> HeightField {
    let mut heights = HeightField::flat(size.map(|side| side as usize), 0);
    let turn = 3 + dice.below(4);
    for z in 0..size[1] {
        for x in 0..size[0] {
            let gap = dice.below(7) == 0;
            let height = match kind {
                Kind::Sparse => 5 * i32::from(dice.below(20) == 0),
                Kind::Dense => 5 * i32::from(dice.below(5) < 2),
                Kind::Rooms => 5 * i32::from((x % turn == 0 || z % turn == 1) && !gap),
                Kind::Diagonals => {
                    let wall = (x + z) % (turn + 2) == 0 || (x - z).rem_euclid(turn + 4) == 1;
                    5 * i32::from(wall && !gap)
                }
                Kind::Slopes => (x + z) / 3 % 7 + dice.below(4),
            };
            heights.set([x, z], height);
        }
    }
    heights
}

fn any_unit(team: usize, size: [i32; 2], dice: &mut Dice) -> Unit {
    Unit {
        team,
        tile: size.map(|side| dice.below(side)),
        radius: 1 + dice.below(13) as u32,
        eye: 1 + dice.below(7),
    }
}

#[test]
fn line_tests_equal_their_description_on_random_maps() {
    const TEAMS: usize = 3;
    let mut dice = Dice(3);
    for kind in KINDS {
        for map in 0..400 {
            let size = [9, 9].map(|side| side + dice.below(24));
            let heights = any_map(kind, size, &mut dice);
            let units: Vec<Unit> = (0..TEAMS)
                .map(|team| any_unit(team, size, &mut dice))
                .collect();
            for line_test in TESTS {
                let settings = FogSettings {
                    line_test,
                    ..FogSettings::default()
                };
                let mut fog = Fog::new(heights.clone(), TEAMS, settings);
                for unit in &units {
                    fog.add_unit(*unit).unwrap();
                }
                fog.update();
                for unit in &units {
                    let mut expected = vec![1.0; heights.as_slice().len()];
                    for [x, z] in seen_tiles(&heights, unit, line_test) {
                        expected[(z * size[0] + x) as usize] = 0.0;
                    }
                    assert_eq!(
                        fog.alpha(unit.team),
                        expected,
                        "{line_test:?}, {kind:?} {map}: {unit:?}"
                    );
                }
            }
        }
    }
}

const SIDE: i32 = 25;

/// Returns a room without a gap: the tiles inside, the unit's first.
fn any_room(dice: &mut Dice) -> Vec<[i32; 2]> {
    let middle = [SIDE / 2; 2];
    let (width, height) = (dice.below(6), dice.below(6));
    let shape = dice.below(4);
    if shape == 0 {
        let mut room = vec![middle];
        for _ in 0..dice.below(60) {
            let [x, z] = room[dice.below(room.len() as i32) as usize];
            let next = [[x + 1, z], [x - 1, z], [x, z + 1], [x, z - 1]][dice.below(4) as usize];
            let near = next.iter().all(|&at| (3..SIDE - 3).contains(&at));
            if near && !room.contains(&next) {
                room.push(next);
            }
        }
        let unit = dice.below(room.len() as i32) as usize;
        room.swap(0, unit);
        return room;
    }
    let inside = |[x, z]: [i32; 2]| match shape {
        1 => x.abs() <= width && z.abs() <= height,
        2 => x.abs() + z.abs() <= width + height / 2,
        _ => x * x + z * z <= width * width + height,
    };
    let mut room: Vec<[i32; 2]> = (0..SIDE * SIDE)
        .map(|index| [index % SIDE, index / SIDE])
        .filter(|&[x, z]| inside([x - middle[0], z - middle[1]]))
        .collect();
    let unit = dice.below(room.len() as i32) as usize;
    room.swap(0, unit);
    room
}

#[test]
fn nothing_is_seen_through_a_closed_wall() {
    let mut dice = Dice(8);
    let unit = Unit {
        team: 0,
        tile: [0, 0],
        radius: 9,
        eye: 2,
    };
    let mut fogs = TESTS.map(|line_test| {
        let settings = FogSettings {
            line_test,
            ..FogSettings::default()
        };
        Fog::new(HeightField::flat([SIDE as usize; 2], 0), 1, settings)
    });
    let mut ids = fogs.each_mut().map(|fog| fog.add_unit(unit).unwrap());
    let mut built: Vec<[i32; 2]> = Vec::new();
    for ring in 0..100_000 {
        let room = any_room(&mut dice);
        let beside = |&[x, z]: &[i32; 2]| [[x + 1, z], [x - 1, z], [x, z + 1], [x, z - 1]];
        let wall: Vec<[i32; 2]> = room
            .iter()
            .flat_map(beside)
            .filter(|tile| !room.contains(tile))
            .collect();
        for ((fog, id), line_test) in fogs.iter_mut().zip(&mut ids).zip(TESTS) {
            for tile in &built {
                fog.heights_mut().set(*tile, 0);
            }
            for tile in &wall {
                fog.heights_mut().set(*tile, 3);
            }
            fog.move_unit(*id, room[0], 2);
            fog.update();
            let mut seen = 0;
            for index in 0..SIDE * SIDE {
                if fog.alpha(0)[index as usize] == 0.0 {
                    let tile = [index % SIDE, index / SIDE];
                    assert!(
                        room.contains(&tile),
                        "{line_test:?}, {ring}: {tile:?} from {:?}",
                        room[0]
                    );
                    seen += 1;
                }
            }
            assert!(seen > 0, "a unit sees its own tile");
        }
        built = wall;
    }
}
