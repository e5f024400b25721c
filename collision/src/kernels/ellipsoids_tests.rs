//! The distance of two ellipsoids against a brute-force search, and the depth of overlapping ones.

use super::*;
use crate::mover::test_terrain::{Dice, gap_by_force};
use crate::position::Position;
use crate::sweep::{Ellipsoid, sweep_ellipsoid_ellipsoid};
use nalgebra::Point3;

fn body(x: f64, y: f64, z: f64, across: f32, along: f32, up: Vector3<f32>) -> Body {
    Body {
        position: Position::from_metres(Point3::new(x, y, z)),
        radii: Radii::new(across, along),
        up: up.normalize(),
    }
}

#[test]
fn spheres_are_apart_by_the_distance_of_their_centres() {
    let a = body(0.0, 0.0, 0.0, 0.5, 0.5, Vector3::y());
    let b = body(3.0, 0.0, 4.0, 1.0, 1.0, Vector3::y());
    let gap = separate(&a, &b);
    assert!((gap.distance - 3.5).abs() < 1e-5);
    assert!((gap.normal - Vector3::new(-0.6, 0.0, -0.8)).norm() < 1e-5);
}

#[test]
fn shallow_and_touching_pairs_agree_with_brute_force() {
    let ups = [Vector3::y(), Vector3::new(1.0, 2.0, 0.5), Vector3::x()];
    for (i, up) in ups.into_iter().enumerate() {
        for (dx, dy) in [
            (0.82, 0.1),
            (0.75, 0.4),
            (0.3, 1.55),
            (0.6, -1.2),
            (1.4, 1.0),
        ] {
            for radii in [(0.4, 0.9), (0.3, 0.5), (0.6, 0.3)] {
                let a = body(dx, dy, 0.2 * i as f64, 0.4, 0.9, Vector3::y());
                let b = body(0.0, 0.0, 0.0, radii.0, radii.1, up);
                let (found, exact) = (separate(&a, &b), gap_by_force(&a, &b));
                let error = (f64::from(found.distance) - exact).abs();
                if exact > -0.2 {
                    assert!(error < 2e-4, "{found:?} {exact} {radii:?} {dx} {dy} {up}");
                }
                assert!(f64::from(found.distance) <= exact + 1e-5);
            }
        }
    }
}

#[test]
fn long_and_flat_pairs_agree_with_brute_force_too() {
    let mut dice = Dice(11);
    let mut compared = 0;
    for case in 0..400 {
        let mut any = |from: Vector3<f32>| {
            let up = dice.vector();
            let radii = [0.1 + 0.5 * dice.share(), 0.3 + 4.0 * dice.share()];
            let [across, along] = [radii, [radii[1], radii[0]]][case % 2];
            let at = (from + dice.vector() * 2.0).cast::<f64>();
            body(at.x, at.y, at.z, across, along, up)
        };
        let (a, b) = (any(Vector3::new(2.0, 1.0, -2.0)), any(Vector3::zeros()));
        let (far, exact) = (separate(&a, &b), gap_by_force(&a, &b));
        assert!(f64::from(far.distance) <= exact + 1e-5);
        if exact > 0.0 {
            let least = 0.98 * exact;
            assert!(
                f64::from(far.distance) > least,
                "case {case}: {far:?} for {exact}"
            );
        }
        let way = far.normal * (0.1 * (dice.share() - 0.5) - far.distance);
        let a = moved(&a, way);
        let (near, exact) = (separate(&a, &b), gap_by_force(&a, &b));
        if exact > -0.1 {
            let error = (f64::from(near.distance) - exact).abs();
            assert!(error < 2e-4, "case {case}: {near:?} for {exact}");
            compared += 1;
        }
    }
    assert!(compared > 350, "{compared}");
}

#[test]
fn separate_within_equals_separate_up_to_its_reach() {
    let b = body(0.0, 0.0, 0.0, 0.4, 0.9, Vector3::new(0.2, 1.0, 0.0));
    for step in 0..400 {
        let turn = f64::from(step) * 0.31;
        let (far, high) = (0.5 + f64::from(step % 20) * 0.05, f64::from(step % 7) * 0.3);
        let a = body(
            far * turn.sin(),
            high,
            far * turn.cos(),
            0.3,
            0.8,
            Vector3::y(),
        );
        let found = separate(&a, &b);
        for reach in [-0.05, 0.0, 0.01, 0.3] {
            let near = separate_within(&a, &b, reach);
            assert_eq!(
                near,
                (found.distance < reach).then_some(found),
                "{far} {high}"
            );
        }
    }
}

#[test]
fn swapping_the_two_turns_the_normal_round_to_the_bit() {
    let a = body(0.31, 0.17, -0.4, 0.4, 0.9, Vector3::y());
    let b = body(-0.2, 0.9, 0.1, 0.3, 0.5, Vector3::new(0.3, 1.0, 0.0));
    let (there, back) = (separate(&a, &b), separate(&b, &a));
    assert_eq!(there.distance.to_bits(), back.distance.to_bits());
    assert_eq!(there.normal, -back.normal);
}

#[test]
fn equal_centres_have_no_way_out() {
    let a = body(5.0, 5.0, 5.0, 0.4, 0.9, Vector3::y());
    assert_eq!(separate(&a, &a).normal, Vector3::zeros());
}

/// Returns two bodies of random shapes, and a motion of the first past the second.
fn way_past(dice: &mut Dice, upright: bool) -> (Body, Body, Vector3<f32>) {
    let mut any = |from: Vector3<f32>| {
        let up = if upright { Vector3::y() } else { dice.vector() };
        let radii = [0.15, 0.15].map(|least| least + 1.2 * dice.share());
        let at = (from + dice.vector() * 0.5).cast::<f64>();
        body(at.x, at.y, at.z, radii[0], radii[1], up)
    };
    let (a, b) = (any(Vector3::new(4.0, 1.0, -2.0)), any(Vector3::zeros()));
    let aim = b.position.since(&a.position) + dice.vector() * 1.5;
    (a, b, aim * (0.5 + dice.share()))
}

fn moved(body: &Body, way: Vector3<f32>) -> Body {
    let position = body.position.moved(way);
    Body { position, ..*body }
}

#[test]
fn way_ends_where_the_two_touch() {
    let mut dice = Dice(3);
    let (mut hits, mut misses) = (0, 0);
    for case in 0..300 {
        let (a, b, way) = way_past(&mut dice, case % 3 == 0);
        let pair = Pair::of(&a, &b);
        let time = pair.enter(a.position.since(&b.position), way, 1.0);
        for step in 0..12 {
            let share = time.unwrap_or(1.0) * step as f32 / 12.0;
            let gap = gap_by_force(&moved(&a, way * share), &b);
            assert!(gap > -3e-6, "case {case}: {gap} at {share} of {time:?}");
        }
        if let Some(time) = time {
            let gap = gap_by_force(&moved(&a, way * time), &b);
            assert!(gap.abs() < 6e-6, "case {case}: stopped {gap} before");
            hits += 1;
        } else {
            misses += 1;
        }
    }
    assert!(hits > 100 && misses > 50, "{hits} {misses}");
}

#[test]
fn sweep_of_an_upright_pair_equals_the_public_sweep() {
    let mut dice = Dice(5);
    let mut hits = 0;
    for case in 0..500 {
        let (a, b, way) = way_past(&mut dice, true);
        let offset = a.position.since(&b.position);
        let ellipsoid = |center, radii: Radii| Ellipsoid {
            center,
            radii: Vector3::new(radii.across, radii.along, radii.across),
        };
        let mover = ellipsoid(offset, a.radii);
        let hit = sweep_ellipsoid_ellipsoid(&mover, &way, &ellipsoid(Vector3::zeros(), b.radii));
        match (hit, Pair::of(&a, &b).enter(offset, way, 1.0)) {
            (None, None) => {}
            (Some(hit), Some(time)) => {
                // Differences along the surface at grazing contacts do not count.
                let apart = (hit.time - time).abs() * -way.dot(&hit.normal);
                assert!(apart < 1e-5, "case {case}: {} {time}", hit.time);
                hits += 1;
            }
            (hit, time) => {
                let normal = hit.map(|hit| -hit.normal.dot(&way) / way.norm());
                let grazes = normal.is_some_and(|approach| approach < 2.0 * APPROACH);
                assert!(grazes, "case {case}: {hit:?} {time:?}");
            }
        }
    }
    assert!(hits > 200, "{hits}");
}

#[test]
fn overlap_stops_motion_inwards_and_lets_it_out() {
    let a = body(0.5, 0.2, 0.0, 0.4, 0.9, Vector3::y());
    let b = body(0.0, 0.0, 0.0, 0.3, 0.5, Vector3::new(0.2, 1.0, 0.0));
    let (pair, offset) = (Pair::of(&a, &b), a.position.since(&b.position));
    assert_eq!(pair.enter(offset, -Vector3::x(), 1.0), Some(0.0));
    assert_eq!(pair.enter(offset, Vector3::x(), 1.0), None);
    assert_eq!(pair.enter(Vector3::zeros(), Vector3::x(), 1.0), None);
    assert!((pair.nearest(offset).distance - separate(&a, &b).distance).abs() < 1e-3);
}
