//! Terrain from boxes: its surface, its revisions, and the boxes it refuses.

#![allow(clippy::unwrap_used)]

use super::*;
use crate::mover::{Feature, Frame, Radii};
use std::collections::BTreeSet;

const SIZE: i32 = 5;

fn random_voxels(seed: u32) -> Shapes {
    let count = Vector3::repeat(SIZE as usize);
    let mut shapes = Shapes::from_voxels(ObjectId(1), Position::default(), 1.0, count);
    let mut dice = seed;
    for at in shapes.all_cells() {
        dice = dice.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        if dice >> 16 & 7 < seed % 7 {
            shapes.fill(at, at + Index::repeat(1), Substance::Solid);
        }
    }
    shapes
}

/// Returns the ends of all edges and corners that a body can hit.
fn felt(shapes: &Shapes) -> BTreeSet<[i32; 6]> {
    let reach = Reach {
        base: Cell::zeros(),
        start: Vector3::zeros(),
        motion: Vector3::zeros(),
        min: Vector3::repeat(-1.0),
        max: Vector3::repeat(SIZE as f32 + 1.0),
        half: Vector3::zeros(),
    };
    let mut out = Candidates::default();
    out.begin(&Frame::new(Radii::new(1.0, 1.0), Vector3::y(), 0.0));
    shapes.gather(&reach, &mut Memory::default(), &mut out);
    let mut felt = BTreeSet::new();
    out.visit(|feature, [a, b]| {
        if feature != Feature::Face {
            let twice =
                felt.replace([a.x, a.y, a.z, b.x, b.y, b.z].map(|part| part.round() as i32));
            assert_eq!(twice, None, "given twice");
        }
    });
    felt
}

/// Returns the lattice edges and points with a single solid cell among the four or eight around
/// them.
fn beside_one_cell(shapes: &Shapes) -> BTreeSet<[i32; 6]> {
    let mut found = BTreeSet::new();
    let line = || 0..=SIZE;
    let points = line().flat_map(|z| line().flat_map(move |y| line().map(move |x| [x, y, z])));
    for point in points {
        let a = Index::from(point);
        for along in [Index::x(), Index::y(), Index::z(), Index::zeros()] {
            let around: BTreeSet<[i32; 3]> = (0..8)
                .map(|part| Index::new(part & 1, part >> 1 & 1, part >> 2))
                .map(|step| (a - step.component_mul(&(Index::repeat(1) - along))).into())
                .collect();
            let solid = |cell: &&[i32; 3]| shapes.blocks(Index::from(**cell));
            if around.iter().filter(solid).count() == 1 {
                let b = a + along;
                found.insert([a.x, a.y, a.z, b.x, b.y, b.z]);
            }
        }
    }
    found
}

/// Cells that touch only along an edge or at a corner have faces on both sides of it: a body within
/// its skin must not catch there.
#[test]
fn an_edge_or_corner_is_felt_where_one_cell_alone_is_solid() {
    for seed in 1..=40 {
        let shapes = random_voxels(seed);
        assert_eq!(felt(&shapes), beside_one_cell(&shapes), "seed {seed}");
    }
}

#[test]
fn nan_motion_moves_nothing() {
    let corners = [Point3::new(-5.0, -1.0, -5.0), Point3::new(5.0, 0.0, 5.0)];
    let mut floor = Shapes::from_boxes(ObjectId(1), Position::default(), &[corners]);
    floor.advance(Vector3::repeat(f32::NAN));
    floor.advance(Vector3::zeros());
    let below = Position::from_metres(Point3::new(0.0, -0.5, 0.0));
    assert!(floor.contents(&below, &Memory::default()).solid);
}

#[test]
fn different_shapes_have_different_revisions() {
    let count = Vector3::new(4, 1, 4);
    let air = Shapes::from_voxels(ObjectId(1), Position::default(), 1.0, count);
    let mut full = air.clone();
    full.fill(Index::zeros(), Index::new(4, 1, 4), Substance::Solid);
    assert_ne!(full.cut(0, &[]).revision(), air.cut(0, &[]).revision());
    assert_ne!(full.cut(0, &[]).revision(), air.revision());
    let (mut up, mut down) = (full.clone(), full);
    up.advance(Vector3::y());
    down.advance(-Vector3::y());
    assert_ne!(up.revision(), down.revision());
}

/// Returns unit boxes of which no two share a side.
fn apart(count: usize) -> Vec<[Point3<f64>; 2]> {
    let low = |index: usize| {
        let at = index as f64;
        Point3::new(at * 0.37, at * 0.61, at * 0.83)
    };
    let unit = |index: usize| [low(index), low(index) + Vector3::repeat(1.0)];
    (0..count).map(unit).collect()
}

fn tried(boxes: &[[Point3<f64>; 2]]) -> Result<Shapes, ShapesError> {
    Shapes::try_from_boxes(ObjectId(1), Position::default(), boxes)
}

#[test]
fn boxes_that_would_fill_the_memory_are_refused() {
    assert!(tried(&apart(70)).is_ok());
    for count in [200, 2_000, 50_000] {
        let error = tried(&apart(count)).map(|_| ()).unwrap_err();
        assert!(
            matches!(error, ShapesError::TooMany { .. }),
            "{count}: {error}"
        );
    }
    // As many boxes on one lattice are accepted.
    let cube = |index: u32| {
        let low = Point3::new(f64::from(index % 100), 0.0, f64::from(index / 100));
        [low, low + Vector3::repeat(1.0)]
    };
    let floor: Vec<_> = (0..10_000).map(cube).collect();
    assert!(tried(&floor).is_ok());
}

#[test]
#[should_panic(expected = "cells")]
fn from_boxes_says_why_it_takes_none() {
    let _ = Shapes::from_boxes(ObjectId(1), Position::default(), &apart(200));
}

#[test]
fn boxes_not_finite_or_out_of_reach_are_refused() {
    let wide = |far: f64| tried(&[[Point3::new(-far, -1.0, -far), Point3::new(far, 0.0, far)]]);
    for far in [f64::NAN, f64::INFINITY, -f64::INFINITY] {
        assert_eq!(wide(far).map(|_| ()), Err(ShapesError::NotFinite), "{far}");
    }
    for far in [1e10, -1e10, 1e300] {
        assert_eq!(wide(far).map(|_| ()), Err(ShapesError::TooFar), "{far}");
    }
    let below = Position::from_metres(Point3::new(100.0, -0.5, 100.0));
    for far in [1e9, -1e9, 1e6] {
        assert!(
            wide(far)
                .unwrap()
                .contents(&below, &Memory::default())
                .solid,
            "{far}"
        );
    }
}

#[test]
fn boxes_may_be_reversed_flat_or_none() {
    let (low, high) = (Point3::new(0.0, 0.0, 0.0), Point3::new(2.0, 1.0, 2.0));
    let inside = Position::from_metres(Point3::new(1.0, 0.5, 1.0));
    for corners in [[low, high], [high, low]] {
        assert!(
            tried(&[corners])
                .unwrap()
                .contents(&inside, &Memory::default())
                .solid
        );
    }
    let flat = [low, Point3::new(2.0, 0.0, 2.0)];
    assert!(
        !tried(&[flat])
            .unwrap()
            .contents(&inside, &Memory::default())
            .solid
    );
    assert!(
        !tried(&[])
            .unwrap()
            .contents(&inside, &Memory::default())
            .solid
    );
}
