//! Ellipsoid against ellipsoid: the exact sum.

use super::oracle::{Point, agrees, distance_to_ellipsoid, wide};
use super::*;

fn person(center: Vector3<f32>) -> Ellipsoid {
    Ellipsoid {
        center,
        radii: v(0.4, 0.9, 0.4),
    }
}

#[test]
fn ellipsoid_separated_stops_at_the_summed_radii() {
    for (away, reach) in [
        (Vector3::x(), 0.8),
        (Vector3::y(), 1.8),
        (-Vector3::z(), 0.8),
    ] {
        let hit = sweep_ellipsoid_ellipsoid(
            &person(away * 5.0),
            &(away * -10.0),
            &person(Vector3::zeros()),
        )
        .unwrap();
        assert!((hit.time - (5.0 - reach) / 10.0).abs() < 1e-6);
        assert!(
            (hit.normal - away).norm() < 1e-5 && (hit.point - away * (reach / 2.0)).norm() < 1e-5
        );
    }
}

#[test]
fn ellipsoid_at_600_metres_a_second_stops_at_the_other() {
    let motion = v(10.0, 0.0, 0.0);
    let hit = sweep_ellipsoid_ellipsoid(
        &person(v(-4.3, 0.0, 0.0)),
        &motion,
        &person(Vector3::zeros()),
    )
    .unwrap();
    assert!((-4.3 + motion.x * hit.time + 0.8).abs() < 1e-5);
}

#[test]
fn ellipsoid_touching_and_overlapping_need_approach() {
    for distance in [0.8, 0.7, 0.1] {
        let mover = person(v(distance, 0.0, 0.0));
        let rest = person(Vector3::zeros());
        assert_eq!(
            sweep_ellipsoid_ellipsoid(&mover, &v(-1.0, 0.0, 0.0), &rest)
                .unwrap()
                .time,
            0.0
        );
        assert_eq!(
            sweep_ellipsoid_ellipsoid(&mover, &v(1.0, 0.0, 0.0), &rest),
            None
        );
        assert_eq!(
            sweep_ellipsoid_ellipsoid(&mover, &v(0.0, 0.0, 1.0), &rest),
            None
        );
    }
}

#[test]
fn ellipsoid_graze_turns_at_the_summed_radius() {
    let at = |miss: f32| {
        sweep_ellipsoid_ellipsoid(
            &person(v(5.0, 0.0, miss)),
            &v(-10.0, 0.0, 0.0),
            &person(Vector3::zeros()),
        )
    };
    assert!(at(0.8 - 1e-5).is_some() && at(0.8 + 1e-5).is_none());
    assert_eq!(at(0.8).is_some(), at(-0.8).is_some());
}

#[test]
fn ellipsoid_same_center_and_no_motion_return() {
    let rest = person(Vector3::zeros());
    ignores_no_motion(|m| sweep_ellipsoid_ellipsoid(&person(v(0.7, 0.1, 0.0)), m, &rest));
    ignores_no_motion(|m| sweep_ellipsoid_ellipsoid(&rest, m, &rest));
    let hit = sweep_ellipsoid_ellipsoid(&rest, &v(0.0, -1.0, 0.0), &rest);
    assert_eq!(
        hit.map(|hit| (hit.time, hit.normal)),
        Some((0.0, Vector3::y()))
    );
    let nan = person(v(f32::NAN, 0.0, 0.0));
    assert_eq!(
        sweep_ellipsoid_ellipsoid(&nan, &v(1.0, 0.0, 0.0), &rest),
        None
    );
    assert_eq!(
        sweep_ellipsoid_ellipsoid(&rest, &v(1.0, 0.0, 0.0), &nan),
        None
    );
}

/// Returns the gap between two ellipsoids in the space where the mover is a unit sphere, scaled to
/// metres.
fn gap_at(mover: &Ellipsoid, motion: &Vector3<f32>, rest: &Ellipsoid, t: f64) -> f64 {
    let radii = wide(&mover.radii);
    let offset: Point = wide(&mover.center) + wide(motion) * t - wide(&rest.center);
    let squashed = offset.component_div(&radii);
    (distance_to_ellipsoid(&squashed, &wide(&rest.radii).component_div(&radii)) - 1.0) * radii.min()
}

#[test]
fn ellipsoid_random_equals_brute_force() {
    let mut dice = Dice::new(13);
    for case in 0..3_000 {
        let radii = |dice: &mut Dice| Vector3::from_fn(|_, _| dice.within(0.15, 1.5));
        let mover = Ellipsoid {
            center: dice.vector(6.0),
            radii: radii(&mut dice),
        };
        let rest = Ellipsoid {
            center: dice.vector(1.0),
            radii: radii(&mut dice),
        };
        let motion = dice.motion_near(&mover.center, &rest.center, 2.5);
        let hit = sweep_ellipsoid_ellipsoid(&mover, &motion, &rest);
        agrees(
            hit,
            |t| gap_at(&mover, &motion, &rest, t),
            1e-5,
            &format!("pair {case}"),
        );
    }
}

#[test]
fn ellipsoid_people_of_many_sizes_equal_brute_force() {
    let mut dice = Dice::new(14);
    for case in 0..3_000 {
        let size = |dice: &mut Dice| {
            let wide = dice.within(0.2, 0.6);
            v(wide, dice.within(0.5, 1.5), wide)
        };
        let mover = Ellipsoid {
            center: dice.vector(3.0),
            radii: size(&mut dice),
        };
        let rest = Ellipsoid {
            center: Vector3::zeros(),
            radii: size(&mut dice),
        };
        let motion = dice.motion_near(&mover.center, &rest.center, 1.0);
        let hit = sweep_ellipsoid_ellipsoid(&mover, &motion, &rest);
        agrees(
            hit,
            |t| gap_at(&mover, &motion, &rest, t),
            1e-5,
            &format!("people {case}"),
        );
    }
}

#[test]
fn ellipsoid_extreme_ratios_equal_brute_force() {
    let mut dice = Dice::new(15);
    for case in 0..3_000 {
        let thin = |dice: &mut Dice| {
            let mut radii = Vector3::repeat(1.0);
            radii[(dice.next() % 3) as usize] = dice.within(0.1, 10.0);
            radii * dice.within(0.2, 1.0)
        };
        let mover = Ellipsoid {
            center: dice.vector(8.0),
            radii: thin(&mut dice),
        };
        let rest = Ellipsoid {
            center: Vector3::zeros(),
            radii: thin(&mut dice),
        };
        let motion = dice.motion_near(&mover.center, &rest.center, 2.0);
        let hit = sweep_ellipsoid_ellipsoid(&mover, &motion, &rest);
        agrees(
            hit,
            |t| gap_at(&mover, &motion, &rest, t),
            3e-5,
            &format!("thin {case}"),
        );
    }
}

#[test]
fn ellipsoid_sum_is_exact_where_summed_axes_overlap() {
    // Tall against flat: the ellipsoid of summed axes lies inside the true sum, by a third of a
    // metre here.
    let tall = v(0.2, 2.0, 0.2);
    let flat = v(2.0, 0.2, 2.0);
    let direction = v(1.0, 1.0, 0.0).normalize();
    let mover = Ellipsoid {
        center: direction * 6.0,
        radii: tall,
    };
    let rest = Ellipsoid {
        center: Vector3::zeros(),
        radii: flat,
    };
    let motion = direction * -6.0;
    let hit = sweep_ellipsoid_ellipsoid(&mover, &motion, &rest).unwrap();
    let stop = 6.0 * (1.0 - hit.time);
    let summed = 2.2;
    assert!(stop > summed + 0.3, "stops {stop} away");
    assert!(gap_at(&mover, &motion, &rest, f64::from(hit.time)).abs() < 1e-6);
}

#[test]
fn ellipsoid_with_spheres_agrees_with_spheres() {
    let mut dice = Dice::new(16);
    for case in 0..3_000 {
        let mover = ball(dice.vector(5.0), dice.within(0.1, 1.0));
        let rest = ball(Vector3::zeros(), dice.within(0.1, 1.0));
        let motion = dice.motion_near(&mover.center, &rest.center, 1.5);
        let expected = sweep_sphere_sphere(&mover, &motion, &rest);
        let answers = [
            sweep_ellipsoid_sphere(&mover.into(), &motion, &rest),
            sweep_sphere_ellipsoid(&mover, &motion, &rest.into()),
        ];
        for answer in answers {
            match (expected, answer) {
                (Some(a), Some(b)) => {
                    let close = (a.time - b.time).abs() * motion.norm() < 5e-3;
                    assert!(close, "{case}: {a:?} {b:?}");
                }
                (None, None) => {}
                (a, b) => {
                    let hit = a.or(b).unwrap();
                    assert!(
                        hit.normal.dot(&motion).abs() < 3e-3 * motion.norm(),
                        "{case}: {hit:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn point_against_ellipsoid_is_the_scaled_sphere() {
    let rest = Ellipsoid {
        center: v(0.0, 1.0, 0.0),
        radii: v(1.0, 2.0, 1.0),
    };
    let hit =
        sweep_sphere_ellipsoid(&ball(v(0.0, 6.0, 0.0), 0.0), &v(0.0, -6.0, 0.0), &rest).unwrap();
    assert!((hit.time - 0.5).abs() < 1e-6 && (hit.normal - Vector3::y()).norm() < 1e-6);
    assert_eq!(
        sweep_sphere_ellipsoid(&ball(v(1.01, 6.0, 0.0), 0.0), &v(0.0, -6.0, 0.0), &rest),
        None
    );
}
