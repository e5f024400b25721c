//! Features beyond the reach of a move, or facing away from all of it, make no difference: a
//! terrain may give more than a query needs.

use crate::candidates::Candidates;
use crate::mover::test_terrain::{Dice, Voxels, scattered};
use crate::mover::{Around, Body, Ground, MoverConfig, Radii, Scratch, slide, walk};
use crate::position::{Cell, Position};
use crate::terrain::{Contents, Memory, Reach, SolidBox, Terrain};
use nalgebra::Vector3;

/// A terrain that gives all features within a margin around a query.
struct Generous<'a, T> {
    terrain: &'a T,
    more: f32,
}

impl<T: Terrain> Terrain for Generous<'_, T> {
    fn revision(&self) -> u64 {
        self.terrain.revision()
    }

    fn gather(&self, reach: &Reach, memory: &mut Memory, out: &mut Candidates) {
        out.take_all();
        let reach = Reach {
            min: reach.min.add_scalar(-self.more),
            max: reach.max.add_scalar(self.more),
            half: Vector3::zeros(),
            ..*reach
        };
        self.terrain.gather(&reach, memory, out);
    }

    fn gather_solids(
        &self,
        base: Cell,
        min: Vector3<f32>,
        max: Vector3<f32>,
        out: &mut Vec<SolidBox>,
    ) {
        let (min, max) = (min.add_scalar(-self.more), max.add_scalar(self.more));
        self.terrain.gather_solids(base, min, max, out);
    }

    fn contents(&self, at: &Position, memory: &Memory) -> Contents {
        self.terrain.contents(at, memory)
    }
}

/// A body and its way.
#[derive(Clone, Copy)]
struct Mover {
    body: Body,
    ground: Option<Ground>,
    walks: bool,
}

/// Makes one move and returns its result as text, with all its bits.
fn go(
    terrain: &impl Terrain,
    mover: &mut Mover,
    way: Vector3<f32>,
    scratch: &mut Scratch,
) -> String {
    let config = MoverConfig::default();
    let around = Around::terrain(terrain, &config);
    let memory = &mut Memory::default();
    let body = &mut mover.body;
    let report = if mover.walks {
        walk(&around, body, way, mover.ground, memory, scratch)
    } else {
        slide(&around, body, way, memory, scratch)
    };
    mover.ground = report.ground;
    let (position, stepped) = (body.position, report.stepped);
    let (ground, stopped) = (report.ground, report.stopped_by);
    format!(
        "{position:?} {ground:?} {stopped:?} {stepped} {:?}",
        scratch.contacts
    )
}

/// Moves from random places, in the open, in the skin of solids and inside them, and compares each
/// move with that of the generous terrain.
fn compare(seed: u64, terrain: &Voxels<impl Fn(Cell) -> bool + Sync>) {
    let mut dice = Dice(seed);
    let scratch = &mut Scratch::default();
    for round in 0..40 {
        let (across, along) = [(0.4, 0.9), (0.3, 0.6), (0.2, 1.6), (1.2, 3.0)][round % 4];
        let ups = [
            Vector3::y(),
            Vector3::y(),
            Vector3::x(),
            -Vector3::y(),
            dice.vector(),
        ];
        let mut mover = Mover {
            body: Body {
                position: Position::from_local(Cell::zeros(), dice.vector() * 100.0),
                radii: Radii::new(across, along),
                up: ups[dice.bits() as usize % 5].normalize(),
            },
            ground: None,
            walks: dice.share() < 0.7,
        };
        let mut way = Vector3::zeros();
        for tick in 0..32 {
            if tick % 8 == 0 {
                way = dice.vector() * [0.05, 0.2, 1.0, 6.0][dice.bits() as usize % 4];
            }
            if mover.walks {
                way -= mover.body.up * 0.05;
            }
            let before = mover;
            let mut generous = mover;
            let plain = go(terrain, &mut mover, way, scratch);
            let more = Generous {
                terrain,
                more: dice.share() * 2.0,
            };
            let other = go(&more, &mut generous, way, scratch);
            let Body {
                position,
                radii,
                up,
            } = before.body;
            assert_eq!(
                plain, other,
                "seed {seed}, round {round}, tick {tick}: {position:?}, {radii:?}, {up:?}, \
                 {way:?}, on {:?}",
                before.ground
            );
        }
    }
}

#[test]
fn what_lies_beyond_the_reach_changes_no_bit() {
    for (seed, size, density) in [(1, 1.0, 0.1), (2, 1.0, 0.3), (3, 0.5, 0.1), (4, 0.25, 0.03)] {
        compare(
            seed,
            &Voxels {
                size,
                solid: scattered(seed, density),
            },
        );
    }
}
