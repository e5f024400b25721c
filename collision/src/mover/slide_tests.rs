//! Behaviour of sliding: on floors, along walls, round edges, through gaps, at any place and speed.
#![allow(clippy::unwrap_used)]

use crate::mover::test_terrain::{Dice, Voxels, scattered};
use crate::mover::{Around, Body, MoverConfig, Radii, Report, Scratch, StoppedBy, slide};
use crate::position::{Cell, Position};
use crate::terrain::{Memory, Terrain};
use crate::tolerance::MAX_MOTION;
use nalgebra::{Point3, Vector3};

fn body_at(x: f64, y: f64, z: f64) -> Body {
    Body {
        position: Position::from_metres(Point3::new(x, y, z)),
        radii: Radii::new(0.4, 0.9),
        up: Vector3::y(),
    }
}

fn go(terrain: &impl Terrain, body: &mut Body, motion: [f32; 3], scratch: &mut Scratch) -> Report {
    let config = MoverConfig::default();
    let around = Around::terrain(terrain, &config);
    slide(
        &around,
        body,
        Vector3::from(motion),
        &mut Memory::default(),
        scratch,
    )
}

fn floor(cell: Cell) -> bool {
    cell.y < 0
}

#[test]
fn floor_walk_keeps_its_height_to_the_bit() {
    let (terrain, scratch) = (Voxels::metric(floor), &mut Scratch::default());
    let mut body = body_at(0.5, 1.5, 0.5);
    go(&terrain, &mut body, [0.0, -1.0, 0.0], scratch);
    let height = body.position.offset.y;
    assert!((body.position.to_metres().y - 0.91).abs() < 1e-6);
    for step in 0..10_000 {
        let report = go(&terrain, &mut body, [0.083, -0.003, 0.031], scratch);
        assert_eq!(body.position.offset.y, height, "step {step}");
        assert_eq!(report.moved.y, 0.0);
    }
    let end = body.position.to_metres();
    assert!((end.x - 830.5).abs() < 0.01, "{end}");
}

#[test]
fn wall_slide_keeps_the_way_along_the_wall() {
    let terrain = Voxels::metric(|cell: Cell| cell.x >= 2);
    let mut body = body_at(1.0, 0.0, 0.0);
    for _ in 0..60 {
        go(
            &terrain,
            &mut body,
            [0.05, 0.0, 0.05],
            &mut Scratch::default(),
        );
    }
    let end = body.position.to_metres();
    assert!(
        (end.x - 1.59).abs() < 1e-5 && (end.z - 3.0).abs() < 1e-4,
        "{end}"
    );
}

#[test]
fn walls_are_never_passed_at_any_speed() {
    let terrain = Voxels {
        size: 0.25,
        solid: |cell: Cell| cell.x == 40,
    };
    let mut dice = Dice(7);
    let scratch = &mut Scratch::default();
    for speed in [1.0, 5.0, 60.0, 300.0, 1000.0] {
        for _ in 0..20 {
            let mut body = body_at(8.0, f64::from(dice.signed()), f64::from(dice.signed()));
            for _ in 0..(120.0 / speed) as u32 + 60 {
                let step = speed / 60.0;
                let motion = [step, step * dice.signed(), step * dice.signed()];
                go(&terrain, &mut body, motion, scratch);
                assert!(body.position.to_metres().x < 9.591, "passed at {speed}");
            }
        }
    }
}

#[test]
fn edges_and_corners_are_hit_at_any_offset() {
    // A ball meets the edges and corners of one voxel diagonally, with offsets down to rounding.
    let terrain = Voxels::metric(|cell: Cell| cell == Cell::new(0, 0, 0));
    let mut dice = Dice(3);
    let scratch = &mut Scratch::default();
    for round in 0..100_000 {
        let small = 10.0_f32.powi(-(round % 8));
        let corner = Vector3::new(dice.bits() & 1, dice.bits() & 1, dice.bits() & 1)
            .map(|bit| f64::from(bit as u32));
        let offset = (dice.vector() * small).cast::<f64>() * 0.1;
        let away = (dice.vector()).cast::<f64>();
        let outward = away.zip_map(&corner, |a, c| {
            if c > 0.5 {
                a.abs() + 0.2
            } else {
                -a.abs() - 0.2
            }
        });
        let start = corner + offset + outward.normalize() * 3.0;
        let mut body = body_at(start.x, start.y, start.z);
        let motion = (-outward.normalize() * 3.0).cast::<f32>();
        let report = go(&terrain, &mut body, motion.into(), scratch);
        assert_ne!(
            report.stopped_by,
            StoppedBy::Nothing,
            "missed {round}: {start}"
        );
        assert!(
            deepest(&terrain.solid, &body) < 1e-5,
            "deep in round {round}"
        );
    }
}

#[test]
fn four_and_eight_voxels_meeting_let_nothing_through() {
    let solid = |cell: Cell| cell.y < 0;
    let terrain = Voxels::metric(solid);
    let mut dice = Dice(11);
    let scratch = &mut Scratch::default();
    for round in 0..100_000 {
        let small = f64::from(10.0_f32.powi(-(round % 9)));
        let mut at = || small * f64::from(dice.signed());
        let mut body = body_at(at(), 1.5, at());
        let report = go(&terrain, &mut body, [0.0, -1.0, 0.0], scratch);
        assert_eq!(scratch.contacts[0].normal, Vector3::y());
        assert_eq!(report.stopped_by, StoppedBy::Blocked);
        assert!((body.position.to_metres().y - 0.91).abs() < 1e-6);
    }
}

#[test]
fn gap_wider_than_the_body_passes_and_narrower_blocks() {
    let scratch = &mut Scratch::default();
    for (width, passes) in [(4_i32, true), (3, false)] {
        let terrain = Voxels {
            size: 0.25,
            solid: move |cell: Cell| cell.x == 8 && !(0..width).contains(&cell.z),
        };
        let mut body = body_at(1.0, 0.0, f64::from(width) * 0.125);
        for _ in 0..40 {
            go(&terrain, &mut body, [0.08, 0.0, 0.0], scratch);
        }
        assert_eq!(body.position.to_metres().x > 3.0, passes);
    }
}

#[test]
fn outer_corner_is_rounded_without_a_catch() {
    let terrain = Voxels::metric(|cell: Cell| cell.x >= 2 && cell.z >= 0);
    for angle in 0..15 {
        let aside = 0.01 + 0.02 * angle as f32;
        let mut body = body_at(1.0, 0.0, 2.0);
        for _ in 0..120 {
            go(
                &terrain,
                &mut body,
                [aside, 0.0, -0.06],
                &mut Scratch::default(),
            );
        }
        let end = body.position.to_metres();
        assert!(end.z < -4.9, "caught at angle {angle}: {end}");
        assert!(end.x > 1.7, "not round at angle {angle}: {end}");
    }
}

#[test]
fn resting_in_a_corner_is_bit_still() {
    let terrain = Voxels::metric(|cell: Cell| cell.x >= 2 || cell.z >= 2 || cell.y < 0);
    let mut body = body_at(1.0, 1.2, 1.0);
    let scratch = &mut Scratch::default();
    for _ in 0..30 {
        go(&terrain, &mut body, [0.08, -0.05, 0.06], scratch);
    }
    let rest = body.position;
    for _ in 0..300 {
        go(&terrain, &mut body, [0.08, -0.05, 0.06], scratch);
        assert_eq!(body.position, rest);
    }
}

#[test]
fn receding_from_an_overlap_is_free() {
    let terrain = Voxels::metric(floor);
    let mut body = body_at(0.5, 0.9, 0.5);
    let report = go(
        &terrain,
        &mut body,
        [0.0, 0.5, 0.0],
        &mut Scratch::default(),
    );
    assert_eq!(report.stopped_by, StoppedBy::Nothing);
}

#[test]
fn odd_motions_return() {
    let terrain = Voxels::metric(floor);
    for part in [0.0, 1e-39, 1e-45, -1e-38, 1e-7] {
        let mut body = body_at(0.5, 0.91, 0.5);
        go(
            &terrain,
            &mut body,
            [part, -part, part],
            &mut Scratch::default(),
        );
        assert!(body.position.to_metres().y > 0.9099);
    }
    let (mut body, scratch) = (body_at(0.5, 0.91, 0.5), &mut Scratch::default());
    go(&terrain, &mut body, [0.0, -1.0, 0.0], scratch);
    assert!(!scratch.contacts.is_empty());
    let before = body;
    let report = go(&terrain, &mut body, [f32::NAN, 0.0, 0.0], scratch);
    assert_eq!(report.stopped_by, StoppedBy::NotFinite);
    assert_eq!(body, before);
    // The contacts of the move before are none of this one.
    assert!(scratch.contacts.is_empty());
}

#[test]
fn motion_beyond_the_longest_is_cut_to_it() {
    let (terrain, scratch) = (Voxels::metric(floor), &mut Scratch::default());
    for length in [300.0, 1e10, 1e19, 1e20, 1e30, f32::MAX] {
        for way in [[1.0, 0.0, 0.0], [-1.0, 0.5, 1.0], [1.0, 1.0, 1.0]] {
            let mut body = body_at(0.5, 1.5, 0.5);
            let motion = way.map(|part| part * length);
            let report = go(&terrain, &mut body, motion, scratch);
            assert_eq!(report.stopped_by, StoppedBy::Nothing, "{motion:?}");
            let way = Vector3::from(way).normalize() * MAX_MOTION;
            assert!((report.moved - way).norm() < 1e-3, "{motion:?} {report:?}");
        }
        let mut body = body_at(0.5, 1.5, 0.5);
        go(&terrain, &mut body, [0.0, -length, 0.0], scratch);
        assert!(
            (body.position.to_metres().y - 0.91).abs() < 1e-5,
            "{length}"
        );
    }
}

#[test]
fn random_worlds_are_never_entered() {
    for (seed, size, density, step) in [
        (1, 1.0, 0.1, 0.083),
        (2, 1.0, 0.25, 0.3),
        (3, 0.5, 0.05, 0.083),
        (4, 0.5, 0.1, 1.0),
        (5, 0.25, 0.02, 0.083),
        (6, 0.25, 0.05, 1.0),
    ] {
        let terrain = Voxels {
            size,
            solid: scattered(seed, density),
        };
        roam(&terrain, seed, step);
    }
}

/// Moves bodies from free places at random; none may get deep. The soak counts jams.
fn roam(terrain: &Voxels<impl Fn(Cell) -> bool + Sync>, seed: u64, step: f32) {
    let mut dice = Dice(seed);
    let scratch = &mut Scratch::default();
    for _ in 0..60 {
        let mut body = body_at(0.0, 0.0, 0.0);
        let mut tries = 0;
        while deepest_sized(terrain, &body) > -0.011 {
            let at = (dice.vector() * 200.0).cast::<f64>();
            body = body_at(at.x, at.y, at.z);
            tries += 1;
            if tries > 4000 {
                return;
            }
        }
        let mut way = dice.vector();
        for tick in 0..150 {
            if tick % 20 == 0 {
                way = dice.vector().normalize() * step;
            }
            let report = go(terrain, &mut body, way.into(), scratch);
            let deep = deepest_sized(terrain, &body);
            assert!(
                deep < -0.0043,
                "deep {deep} at {:?} {report:?}",
                body.position
            );
            assert_ne!(report.stopped_by, StoppedBy::Invalid);
            assert_ne!(
                report.stopped_by,
                StoppedBy::SweepLimit,
                "{:?}",
                body.position
            );
        }
    }
}

/// Returns how deep the bare ellipsoid reaches into voxels, in squashed metres; in `f64`, by
/// testing every voxel around.
fn deepest_sized(terrain: &Voxels<impl Fn(Cell) -> bool + Sync>, body: &Body) -> f64 {
    let centre = body.position.to_metres();
    let size = f64::from(terrain.size);
    let squash = 0.4 / 0.9;
    let low = (centre - Vector3::new(0.5, 1.0, 0.5)).map(|part| (part / size).floor() as i32);
    let high = (centre + Vector3::new(0.5, 1.0, 0.5)).map(|part| (part / size).floor() as i32);
    let mut nearest = f64::INFINITY;
    for z in low.z..=high.z {
        for y in low.y..=high.y {
            for x in low.x..=high.x {
                if !(terrain.solid)(Cell::new(x, y, z)) {
                    continue;
                }
                let min = Point3::new(x, y, z).map(|part| f64::from(part) * size);
                let gap = Vector3::from_fn(|i, _| {
                    (min[i] - centre[i]).max(centre[i] - min[i] - size).max(0.0)
                });
                let gap = gap.component_mul(&Vector3::new(1.0, squash, 1.0));
                nearest = nearest.min(gap.norm());
            }
        }
    }
    0.4 - nearest
}

fn deepest(solid: &(impl Fn(Cell) -> bool + Sync), body: &Body) -> f64 {
    deepest_sized(&Voxels { size: 1.0, solid }, body)
}

#[test]
fn whole_cells_away_the_bits_are_the_same() {
    let shift = Cell::new(2_000_000_000, -2_000_000_000, i32::MAX - 5);
    let near = Voxels::metric(scattered(9, 0.15));
    let solid = scattered(9, 0.15);
    let far = Voxels::metric(move |cell: Cell| {
        solid(Cell::from_fn(|i, _| cell[i].wrapping_sub(shift[i])))
    });
    let mut dice = Dice(5);
    let scratch = &mut Scratch::default();
    for _ in 0..200 {
        let mut here = body_at(0.5, 0.5, 0.5);
        let start = dice.vector() * 20.0;
        here.position = Position::new(Cell::zeros(), start);
        let mut there = here;
        there.position.cell = Cell::from_fn(|i, _| here.position.cell[i].wrapping_add(shift[i]));
        for _ in 0..20 {
            let way = (dice.vector() * 0.3).into();
            go(&near, &mut here, way, scratch);
            go(&far, &mut there, way, scratch);
            assert_eq!(here.position.offset, there.position.offset);
        }
    }
}

/// The skin is thinner along the body than across it, for the ball of the squashed space: a way
/// along an edge that kept the ball as deep as it began led the bare body into the edge.
#[test]
fn slide_from_deep_in_the_skin_penetrates_nothing() {
    let terrain = Voxels::metric(|cell: Cell| cell.x >= 0 && cell.y < 0);
    let mut body = body_at(-0.401, 0.0, 0.5);
    let mut moved = 0.0;
    for step in 0..400 {
        let report = go(
            &terrain,
            &mut body,
            [0.004, 0.002, 0.0],
            &mut Scratch::default(),
        );
        moved += report.moved.norm();
        // The depth of the edge inside the ellipsoid, nearly.
        let centre = body.position.to_metres();
        let (x, y) = (centre.x / 0.4, centre.y / 0.9);
        let size = x.hypot(y);
        let depth = (1.0 - size) * size / (x / 0.4).hypot(y / 0.9);
        assert!(centre.x > 0.0 || depth < 1.1e-4, "step {step}: {depth} m");
    }
    assert!(moved > 0.1, "{moved}");
}
