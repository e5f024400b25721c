//! Spheres and cylinders.

use super::oracle::{agrees, distance_to_segment, wide};
use super::*;

fn unit() -> Sphere {
    ball(Vector3::zeros(), 1.0)
}

fn pole() -> Cylinder {
    Cylinder {
        start: v(0.0, -2.0, 0.0),
        end: v(0.0, 2.0, 0.0),
        radius: 0.5,
    }
}

#[test]
fn sphere_separated_hits_at_the_closed_form() {
    for distance in [2.5, 5.0, 40.0, 900.0] {
        let hit = sweep_sphere_sphere(
            &ball(v(distance, 0.0, 0.0), 1.0),
            &v(-1000.0, 0.0, 0.0),
            &unit(),
        )
        .unwrap();
        let expected = (distance - 2.0) / 1000.0;
        assert!(
            (hit.time - expected).abs() <= 1e-6 * expected,
            "{distance}: {}",
            hit.time
        );
        assert_eq!((hit.normal, hit.point), (Vector3::x(), Vector3::x()));
    }
}

#[test]
fn sphere_short_motion_misses() {
    assert_eq!(
        sweep_sphere_sphere(&ball(v(5.0, 0.0, 0.0), 1.0), &v(-2.9, 0.0, 0.0), &unit()),
        None
    );
}

#[test]
fn sphere_touching_is_hit_only_when_it_approaches() {
    let mover = ball(v(2.0, 0.0, 0.0), 1.0);
    assert_eq!(
        sweep_sphere_sphere(&mover, &v(-1.0, 0.0, 0.0), &unit())
            .unwrap()
            .time,
        0.0
    );
    assert_eq!(
        sweep_sphere_sphere(&mover, &v(1.0, 0.0, 0.0), &unit()),
        None
    );
    assert_eq!(
        sweep_sphere_sphere(&mover, &v(0.0, 1.0, 0.0), &unit()),
        None
    );
}

#[test]
fn sphere_graze_turns_at_the_summed_radius() {
    for z in [-1.0, 1.0] {
        let at = |miss: f32| {
            sweep_sphere_sphere(
                &ball(v(5.0, miss, 0.0), 1.0),
                &v(-10.0, 0.0, z * 1e-6),
                &unit(),
            )
        };
        assert!(at(2.0 - 1e-5).is_some() && at(2.0 + 1e-5).is_none());
        assert_eq!(at(2.0).is_some(), at(-2.0).is_some());
    }
}

#[test]
fn sphere_receding_from_an_overlap_is_free() {
    let mover = ball(v(1.9, 0.0, 0.0), 1.0);
    assert_eq!(
        sweep_sphere_sphere(&mover, &v(1.0, 0.0, 0.0), &unit()),
        None
    );
}

#[test]
fn sphere_overlapping_and_deep_hits_at_once() {
    for distance in [1.9, 1.0, 1e-3] {
        let hit = sweep_sphere_sphere(
            &ball(v(distance, 0.0, 0.0), 1.0),
            &v(-1.0, 0.0, 0.0),
            &unit(),
        )
        .unwrap();
        assert_eq!((hit.time, hit.normal), (0.0, Vector3::x()));
    }
}

#[test]
fn sphere_degenerate_input_is_free() {
    ignores_no_motion(|m| sweep_sphere_sphere(&ball(v(1.5, 0.2, 0.1), 1.0), m, &unit()));
    let nan = ball(v(f32::NAN, 0.0, 0.0), 1.0);
    assert_eq!(sweep_sphere_sphere(&nan, &v(-1.0, 0.0, 0.0), &unit()), None);
    let same = ball(Vector3::zeros(), 1.0);
    assert_eq!(
        sweep_sphere_sphere(&same, &v(-1.0, 0.0, 0.0), &unit()),
        None
    );
}

#[test]
fn sphere_point_against_point_needs_an_exact_aim() {
    let target = ball(Vector3::zeros(), 0.0);
    assert!(
        sweep_sphere_sphere(&ball(v(2.0, 0.0, 0.0), 0.0), &v(-4.0, 0.0, 0.0), &target).is_some()
    );
    assert!(
        sweep_sphere_sphere(&ball(v(2.0, 1e-4, 0.0), 0.0), &v(-4.0, 0.0, 0.0), &target).is_none()
    );
}

#[test]
fn sphere_random_equals_brute_force() {
    let mut dice = Dice::new(1);
    for case in 0..10_000 {
        let target = ball(dice.vector(3.0), dice.within(0.05, 2.0));
        let mover = ball(dice.vector(6.0), dice.within(0.0, 1.5));
        let reach = mover.radius + target.radius;
        let motion = dice.motion_near(&mover.center, &target.center, reach * 1.2);
        let gap = |t: f64| {
            (wide(&mover.center) + wide(&motion) * t - wide(&target.center)).norm()
                - f64::from(reach)
        };
        agrees(
            sweep_sphere_sphere(&mover, &motion, &target),
            gap,
            2e-5,
            &format!("sphere {case}"),
        );
    }
}

#[test]
fn cylinder_separated_hits_at_the_closed_form() {
    let hit =
        sweep_sphere_cylinder(&ball(v(4.0, 1.0, 0.0), 0.5), &v(-6.0, 0.0, 0.0), &pole()).unwrap();
    assert_eq!(
        (hit.time, hit.normal, hit.point),
        (0.5, Vector3::x(), v(0.5, 1.0, 0.0))
    );
}

#[test]
fn cylinder_ends_are_open_and_their_limits_inclusive() {
    let at =
        |y: f32| sweep_sphere_cylinder(&ball(v(4.0, y, 0.0), 0.5), &v(-6.0, 0.0, 0.0), &pole());
    assert!(at(2.0).is_some() && at(-2.0).is_some());
    assert!(at(2.01).is_none() && at(-2.01).is_none());
}

#[test]
fn cylinder_parallel_motion_is_free() {
    for x in [0.2, 0.9, 1.0, 1.1] {
        assert_eq!(
            sweep_sphere_cylinder(&ball(v(x, -5.0, 0.0), 0.5), &v(0.0, 10.0, 0.0), &pole()),
            None
        );
    }
}

#[test]
fn cylinder_touching_overlapping_and_receding() {
    for (x, push, time) in [
        (1.0, -1.0, Some(0.0)),
        (0.8, -1.0, Some(0.0)),
        (1.0, 1.0, None),
        (0.8, 1.0, None),
    ] {
        let hit = sweep_sphere_cylinder(&ball(v(x, 0.0, 0.0), 0.5), &v(push, 0.0, 0.0), &pole());
        assert_eq!(hit.map(|hit| hit.time), time, "from {x} by {push}");
    }
}

#[test]
fn cylinder_degenerate_input_is_free() {
    ignores_no_motion(|m| sweep_sphere_cylinder(&ball(v(0.8, 0.2, 0.1), 0.5), m, &pole()));
    let none = Cylinder {
        start: Vector3::x(),
        end: Vector3::x(),
        radius: 1.0,
    };
    assert_eq!(
        sweep_sphere_cylinder(&ball(v(4.0, 0.0, 0.0), 0.5), &v(-6.0, 0.0, 0.0), &none),
        None
    );
    let round = Ellipsoid {
        center: v(4.0, 0.0, 0.0),
        radii: v(0.5, 1.0, 0.5),
    };
    assert_eq!(
        sweep_ellipsoid_cylinder(&round, &v(-6.0, 0.0, 0.0), &none),
        None
    );
}

#[test]
fn cylinder_with_round_ends_equals_brute_force() {
    let mut dice = Dice::new(2);
    for case in 0..10_000 {
        let (start, end) = (dice.vector(2.0), dice.vector(2.0));
        let rod = Cylinder {
            start,
            end,
            radius: dice.within(0.0, 0.5),
        };
        let mover = ball(dice.vector(6.0), dice.within(0.05, 1.5));
        let reach = mover.radius + rod.radius;
        let motion = dice.motion_near(&mover.center, &((start + end) * 0.5), 1.5 * reach);
        let side = sweep_sphere_cylinder(&mover, &motion, &rod);
        let caps =
            [start, end].map(|end| sweep_sphere_sphere(&mover, &motion, &ball(end, rod.radius)));
        let hit = earliest(earliest(side, caps[0], &motion), caps[1], &motion);
        let gap = |t: f64| {
            let center = wide(&mover.center) + wide(&motion) * t;
            distance_to_segment(&center, &wide(&start), &wide(&end)) - f64::from(reach)
        };
        agrees(hit, gap, 3e-5, &format!("rod {case}"));
    }
}

#[test]
fn cylinder_ellipsoid_of_equal_radii_is_a_sphere() {
    let mut dice = Dice::new(3);
    let mut hits = 0;
    for _ in 0..5_000 {
        let (start, end) = (dice.vector(2.0), dice.vector(2.0));
        let rod = Cylinder {
            start,
            end,
            radius: dice.within(0.05, 0.5),
        };
        let mover = ball(dice.vector(6.0) + v(9.0, 0.0, 0.0), dice.within(0.05, 1.5));
        let motion = dice.motion_near(&mover.center, &((start + end) * 0.5), 1.0);
        let sphere = sweep_sphere_cylinder(&mover, &motion, &rod);
        let ellipsoid = sweep_ellipsoid_cylinder(&mover.into(), &motion, &rod);
        if let (Some(a), Some(b)) = (sphere, ellipsoid) {
            assert!((a.time - b.time).abs() < 1e-4 && (a.normal - b.normal).norm() < 2e-3);
            hits += 1;
        }
    }
    assert!(hits > 1_000, "only {hits}");
}

#[test]
fn cylinder_ellipsoid_rests_exactly_on_the_side() {
    // At the contact the supports of both along the normal must meet, without any overlap before.
    let mut dice = Dice::new(4);
    let mut hits = 0;
    for case in 0..5_000 {
        let (start, end) = (dice.vector(2.0), dice.vector(2.0));
        let rod = Cylinder {
            start,
            end,
            radius: dice.within(0.05, 0.8),
        };
        let radii = Vector3::from_fn(|_, _| dice.within(0.2, 1.5));
        let mover = Ellipsoid {
            center: dice.vector(3.0) + v(9.0, 0.0, 0.0),
            radii,
        };
        let motion = dice.motion_near(&mover.center, &((start + end) * 0.5), 1.0);
        let Some(hit) = sweep_ellipsoid_cylinder(&mover, &motion, &rod) else {
            continue;
        };
        hits += 1;
        let normal = wide(&hit.normal);
        let axis = wide(&(end - start)).normalize();
        assert!(normal.dot(&axis).abs() < 1e-4, "{case}: {normal}");
        let center = wide(&mover.center) + wide(&motion) * f64::from(hit.time);
        let support = normal.component_mul(&wide(&radii)).norm() + f64::from(rod.radius);
        let apart = normal.dot(&(center - wide(&start))) - support;
        assert!(apart.abs() < 1e-4, "{case}: {apart} apart");
    }
    assert!(hits > 1_000, "only {hits}");
}

#[test]
fn cylinder_ellipsoid_that_goes_along_is_free() {
    let mut dice = Dice::new(5);
    for case in 0..1_000 {
        let (start, end) = (dice.vector(2.0), dice.vector(2.0) + v(6.0, 0.0, 0.0));
        let axis = end - start;
        let rod = Cylinder {
            start,
            end,
            radius: 0.5,
        };
        let aside = axis.cross(&dice.vector(1.0)).normalize();
        let mover = Ellipsoid {
            center: start + axis * 0.3 + aside * 0.8,
            radii: v(0.4, 0.9, 0.5),
        };
        let hit = sweep_ellipsoid_cylinder(&mover, &(axis * 0.5), &rod);
        assert_eq!(hit, None, "case {case}");
    }
}
