//! Recovery of bodies from overlaps.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::mover::test_terrain::{Dice, Voxels, scattered};
use crate::mover::{MoverConfig, Neighbour, Radii};
use crate::position::Cell;
use crate::shapes::Shapes;
use crate::soup::TriangleSoup;
use crate::{ObjMesh, ObjectId, Sides};
use nalgebra::Point3;

fn body_at(x: f64, y: f64, z: f64) -> Body {
    Body {
        position: Position::from_metres(Point3::new(x, y, z)),
        radii: Radii::new(0.4, 0.9),
        up: Vector3::y(),
    }
}

/// Recovers until the result is final; returns it and the ticks it took.
fn rescue_among(terrain: &impl Terrain, body: &mut Body, others: &[Neighbour]) -> (Rescue, u32) {
    let config = MoverConfig::default();
    let around = Around {
        others,
        ..Around::terrain(terrain, &config)
    };
    let (mut memory, mut scratch) = (Memory::default(), Scratch::default());
    for tick in 0..20 {
        let recovery = recover(&around, body, &mut memory, &mut scratch);
        assert!(
            recovery.pushed.norm() <= config.recovery_step + 1e-5,
            "flung"
        );
        if recovery.rescue != Rescue::OnTheWay {
            return (recovery.rescue, tick);
        }
    }
    (Rescue::OnTheWay, 20)
}

fn rescue(terrain: &impl Terrain, body: &mut Body) -> (Rescue, u32) {
    rescue_among(terrain, body, &[])
}

fn overlaps(terrain: &impl Terrain, body: &Body) -> bool {
    let config = MoverConfig::default();
    let around = Around::terrain(terrain, &config);
    let scratch = &mut Scratch::default();
    !is_free(&around, body, &mut scratch.candidates, &mut scratch.nearby)
}

#[test]
fn free_body_is_left_alone() {
    let terrain = Voxels::metric(|cell: Cell| cell.y < 0);
    let mut body = body_at(0.5, 0.91, 0.5);
    let before = body;
    assert_eq!(rescue(&terrain, &mut body), (Rescue::Free, 0));
    assert_eq!(body, before);
}

#[test]
fn block_placed_at_feet_waist_or_head_lets_go_within_ticks() {
    for height in 0..2 {
        for up in [Vector3::y(), Vector3::new(0.3, 1.0, 0.2).normalize()] {
            let terrain =
                Voxels::metric(move |cell: Cell| cell.y < 0 || cell == Cell::new(0, height, 0));
            let mut body = body_at(0.45, 0.95, 0.5);
            body.up = up;
            let (rescue, _) = rescue(&terrain, &mut body);
            assert_eq!(rescue, Rescue::Freed, "{height} {:?}", body.position);
            assert!((body.position.to_metres() - Point3::new(0.45, 0.95, 0.5)).norm() < 1.6);
        }
    }
}

#[test]
fn feet_in_a_low_step_go_up() {
    let terrain = Voxels {
        size: 0.25,
        solid: |cell: Cell| cell.y < 1,
    };
    let mut body = body_at(0.5, 0.91, 0.5);
    assert_eq!(rescue(&terrain, &mut body).0, Rescue::Freed);
    assert!((body.position.to_metres().y - 1.16).abs() < 1e-3);
}

#[test]
fn buried_body_stays_and_says_so() {
    let terrain = Voxels::metric(|cell: Cell| cell.iter().all(|part| (-2..=2).contains(part)));
    let mut body = body_at(0.5, 0.5, 0.5);
    let before = body;
    assert_eq!(rescue(&terrain, &mut body), (Rescue::Embedded, 0));
    assert_eq!(body, before);
}

/// The only free place lies diagonally: no way along one axis leads there.
#[test]
fn room_aslant_is_found() {
    let terrain = Voxels {
        size: 0.5,
        solid: |cell: Cell| {
            !((2..4).contains(&cell.x) && (1..5).contains(&cell.y) && (2..4).contains(&cell.z))
        },
    };
    let mut body = body_at(0.9, 0.8, 0.9);
    assert_eq!(rescue(&terrain, &mut body).0, Rescue::Freed);
    assert!(!overlaps(&terrain, &body));
    assert!((body.position.to_metres() - Point3::new(1.45, 1.45, 1.45)).norm() < 0.3);
}

#[test]
fn recovery_never_leads_through_a_wall() {
    // Between two walls that leave no room, with free space right behind each, under a roof and on
    // a floor.
    let terrain = Voxels {
        size: 0.25,
        solid: |cell: Cell| {
            !(-20..20).contains(&cell.z) || !(0..8).contains(&cell.y) || cell.x == -1 || cell.x == 3
        },
    };
    let mut body = body_at(0.39, 0.95, 0.0);
    let before = body;
    assert_eq!(
        rescue(&terrain, &mut body).0,
        Rescue::Embedded,
        "{}",
        body.position.to_metres()
    );
    assert_eq!(body, before);
}

#[test]
fn place_where_another_stands_is_not_taken() {
    // A shaft with a niche on either side; the nearer one is occupied.
    let terrain = Voxels::metric(|cell: Cell| {
        !((0..2).contains(&cell.y) && cell.z == 0 && [-1, 1].contains(&cell.x))
    });
    let mut body = body_at(0.45, 0.95, 0.5);
    let standing = |x: f64| Neighbour {
        body: body_at(x, 0.95, 0.5),
        id: 7,
    };
    let alone = &mut body.clone();
    assert_eq!(rescue(&terrain, alone).0, Rescue::Freed);
    assert!(alone.position.to_metres().x < 0.0);
    let beside = &mut body.clone();
    assert_eq!(
        rescue_among(&terrain, beside, &[standing(-0.5)]).0,
        Rescue::Freed
    );
    assert!(beside.position.to_metres().x > 1.0);
    let others = [standing(-0.5), standing(1.5)];
    let before = body;
    assert_eq!(
        rescue_among(&terrain, &mut body, &others).0,
        Rescue::Crowded
    );
    assert_eq!(body, before);
}

/// In random worlds of many densities, a body reported free overlaps nothing, and a body reported
/// embedded still overlaps.
#[test]
fn body_reported_free_is_free() {
    let mut dice = Dice(5);
    let mut ends = [0; 2];
    for seed in 0..300 {
        let size = [0.25, 0.5, 1.0][seed as usize % 3];
        let terrain = Voxels {
            size,
            solid: scattered(seed, 0.05 + 0.6 * dice.share() * size),
        };
        let at = (dice.vector() * 50.0).cast::<f64>();
        let mut body = body_at(at.x, at.y, at.z);
        if seed % 5 == 0 {
            body.up = dice.vector().normalize();
        }
        match rescue(&terrain, &mut body).0 {
            Rescue::Free | Rescue::Freed => {
                ends[0] += 1;
                assert!(!overlaps(&terrain, &body), "{seed}: {:?}", body.position);
            }
            Rescue::Embedded => {
                ends[1] += 1;
                assert!(overlaps(&terrain, &body));
            }
            other => panic!("{seed}: {other:?} after twenty calls"),
        }
    }
    assert!(ends[0] > 50 && ends[1] > 10, "{ends:?}");
}

#[test]
fn sheet_lets_go_on_the_side_of_the_centre() {
    let mesh = "v -5 0 -5\nv -5 0 5\nv 5 0 5\nv 5 0 -5\nf 1 2 3 4\n";
    let mesh = ObjMesh::parse(mesh).expect("four corners and a face");
    for sides in [Sides::Front, Sides::Both] {
        let terrain = TriangleSoup::from_obj(ObjectId(3), Position::default(), &mesh, sides)
            .expect("two triangles");
        let mut body = body_at(0.3, 0.1, 0.2);
        assert_eq!(rescue(&terrain, &mut body).0, Rescue::Freed);
        assert!((body.position.to_metres() - Point3::new(0.3, 0.91, 0.2)).norm() < 1e-3);
        let mut under = body_at(0.3, -0.1, 0.2);
        let end = rescue(&terrain, &mut under).0;
        if sides == Sides::Both {
            assert_eq!(end, Rescue::Freed);
            assert!((under.position.to_metres().y + 0.91).abs() < 1e-3);
        } else {
            assert_eq!(end, Rescue::Free);
        }
    }
}

#[test]
fn share_of_the_overlap_is_undone() {
    let terrain = Voxels::metric(|cell: Cell| cell.y < 0);
    for share in [0.0, 0.5, 0.75, 1.0] {
        let config = MoverConfig {
            recovery_share: share,
            ..MoverConfig::default()
        };
        let mut body = body_at(0.5, 0.8, 0.5);
        let around = Around::terrain(&terrain, &config);
        let (mut memory, mut scratch) = (Memory::default(), Scratch::default());
        recover(&around, &mut body, &mut memory, &mut scratch);
        let height = body.position.to_metres().y;
        assert!(
            (height - 0.8 - 0.11 * f64::from(share)).abs() < 1e-5,
            "{height}"
        );
    }
}

#[test]
fn body_without_room_for_its_skin_is_cramped() {
    let walls = |wide: f64| {
        let wall =
            |low: f64, high: f64| [Point3::new(low, -3.0, -3.0), Point3::new(high, 3.0, 3.0)];
        let boxes = [wall(-2.0, -wide), wall(wide, 2.0)];
        Shapes::from_boxes(ObjectId(1), Position::default(), &boxes)
    };
    for (wide, expected) in [
        (0.5, Rescue::Free),
        (0.41, Rescue::Free),
        (0.405, Rescue::Cramped),
    ] {
        let mut body = body_at(0.0, 0.0, 0.0);
        let before = body;
        assert_eq!(rescue(&walls(wide), &mut body), (expected, 0), "{wide}");
        assert_eq!(body, before);
        assert_eq!(expected.is_settled(), expected == Rescue::Free);
    }
}

/// A body of any size has a bounded number of places to try.
#[test]
fn search_of_a_huge_body_among_triangles_takes_little_memory() {
    for radius in [1e4, 1e30, f32::MAX] {
        let mut soup = TriangleSoup::new(ObjectId(1), Position::default());
        let corners = [[-1.0, 0.0, -1.0], [0.0, 0.0, 1.0], [1.0, 0.0, -1.0]].map(Point3::from);
        soup.insert(corners, Sides::Both).unwrap();
        let mut body = body_at(0.0, 0.5, 0.0);
        body.radii = Radii::new(radius, radius);
        let config = MoverConfig::default();
        let around = Around::terrain(&soup, &config);
        let (mut memory, mut scratch) = (Memory::default(), Scratch::default());
        recover(&around, &mut body, &mut memory, &mut scratch);
        let places = scratch.places.list.capacity();
        assert!(places < 20_000, "{places} for {radius}");
    }
}
