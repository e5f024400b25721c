//! Rectangles, quads, convex edges and corners, boxes.

use super::oracle::{agrees, distance_to_box, wide};
use super::*;

fn floor() -> Rectangle {
    Rectangle {
        axis: 1,
        sign: 1.0,
        min: v(0.0, 0.0, 0.0),
        max: v(4.0, 0.0, 4.0),
    }
}

fn voxel() -> AxisBox {
    AxisBox {
        min: Vector3::zeros(),
        max: Vector3::repeat(1.0),
    }
}

fn fall(x: f32, z: f32) -> Option<SweepHit> {
    sweep_sphere_rectangle(&ball(v(x, 2.0, z), 0.5), &v(0.0, -4.0, 0.0), &floor())
}

#[test]
fn rectangle_limits_are_inclusive_and_it_has_no_rim() {
    for (x, z) in [(0.0, 0.0), (4.0, 4.0), (0.0, 4.0), (2.0, 0.0)] {
        assert_eq!(
            fall(x, z).map(|hit| (hit.time, hit.normal)),
            Some((0.375, Vector3::y()))
        );
    }
    assert_eq!(fall(-1e-3, 2.0), None);
    assert_eq!(fall(2.0, 4.001), None);
}

#[test]
fn rectangle_entered_sideways_within_reach_of_the_plane() {
    let hit = sweep_sphere_rectangle(&ball(v(-1.0, 0.4, 2.0), 0.5), &v(4.0, -0.01, 0.0), &floor())
        .unwrap();
    assert_eq!(hit.time, 0.25);
}

#[test]
fn rectangle_passed_behind_is_free() {
    // The center sinks below the plane beside the face, then crosses its outline.
    assert_eq!(
        sweep_sphere_rectangle(&ball(v(-1.0, 0.4, 2.0), 0.5), &v(2.0, -2.0, 0.0), &floor()),
        None
    );
}

#[test]
fn rectangle_touching_overlapping_deep_and_receding() {
    for height in [0.5, 0.2, 0.0] {
        let mover = ball(v(1.0, height, 1.0), 0.5);
        assert_eq!(
            sweep_sphere_rectangle(&mover, &v(1.0, -1.0, 0.0), &floor())
                .unwrap()
                .time,
            0.0
        );
        assert_eq!(
            sweep_sphere_rectangle(&mover, &v(1.0, 1.0, 0.0), &floor()),
            None
        );
        assert_eq!(
            sweep_sphere_rectangle(&mover, &v(1.0, 0.0, 0.0), &floor()),
            None
        );
    }
    let behind = ball(v(1.0, -0.1, 1.0), 0.5);
    assert_eq!(
        sweep_sphere_rectangle(&behind, &v(0.0, -1.0, 0.0), &floor()),
        None
    );
}

#[test]
fn rectangle_degenerate_input_is_free() {
    ignores_no_motion(|m| {
        sweep_sphere_quad(&ball(v(1.0, 0.5, 1.0), 0.5), &m.xzy(), &floor())
            .filter(|_| m.y.is_nan() || m.x.is_nan())
    });
    let line = Rectangle {
        max: v(4.0, 0.0, 0.0),
        ..floor()
    };
    assert!(sweep_sphere_quad(&ball(v(1.0, 2.0, 0.0), 0.5), &v(0.0, -4.0, 0.0), &line).is_some());
}

#[test]
fn vertex_of_four_faces_stops_every_path() {
    // Four unit faces around one point, aimed at it to within an ulp, by face tests alone.
    let mut dice = Dice::new(8);
    let faces = [(-1.0, -1.0), (0.0, -1.0), (-1.0, 0.0), (0.0, 0.0)].map(|(x, z)| Rectangle {
        axis: 1,
        sign: 1.0,
        min: v(x, 0.0, z),
        max: v(x + 1.0, 0.0, z + 1.0),
    });
    for case in 0..100_000 {
        let aim = dice.vector(1.5e-7);
        let radius = dice.within(0.1, 0.6);
        let start = v(
            dice.within(-2.0, 2.0),
            dice.within(1.0, 4.0),
            dice.within(-2.0, 2.0),
        );
        let motion = (aim + v(0.0, radius, 0.0) - start) * dice.within(1.01, 2.0);
        let hit = faces.iter().fold(None, |best, face| {
            earliest(
                best,
                sweep_sphere_rectangle(&ball(start, radius), &motion, face),
                &motion,
            )
        });
        assert_eq!(hit.map(|hit| hit.normal), Some(Vector3::y()), "case {case}");
    }
}

#[test]
fn quad_equals_its_two_triangles() {
    let mut dice = Dice::new(9);
    let mut hits = 0;
    for case in 0..2_000_000_u32 {
        let axis = (case % 3) as usize;
        let sign = if case % 2 == 0 { 1.0 } else { -1.0 };
        let size = dice.vector(2.0).abs();
        let mut quad = Rectangle {
            axis,
            sign,
            min: -size,
            max: size,
        };
        quad.min[axis] = 0.0;
        quad.max[axis] = 0.0;
        let mut start = dice.vector(4.0);
        start[axis] = start[axis].abs() * sign;
        let mover = ball(start, dice.within(0.05, 1.0));
        let motion = dice.motion_near(&start, &Vector3::zeros(), 2.5);
        let nearest = start.sup(&quad.min).inf(&quad.max);
        if (start - nearest).norm() <= mover.radius {
            continue; // A start inside is tested shape by shape.
        }
        let whole = sweep_sphere_quad(&mover, &motion, &quad);
        let halves = quad
            .triangles()
            .map(|half| sweep_sphere_triangle(&mover, &motion, &half));
        let split = earliest(halves[0], halves[1], &motion);
        match (whole, split) {
            (Some(a), Some(b)) => {
                hits += 1;
                let way = (a.time - b.time).abs() * motion.norm();
                assert!(way < 2e-3, "case {case}: {a:?} {b:?}");
            }
            (None, None) => {}
            (lone, other) => {
                // The results may differ only for a graze or at the very end of the motion.
                let hit = lone.or(other).unwrap();
                let slow = hit.normal.dot(&motion).abs() < 3e-3 * motion.norm();
                let graze = slow || hit.time > 0.9999;
                assert!(
                    graze,
                    "case {case}: {lone:?} {other:?} {quad:?} {mover:?} {motion:?}"
                );
            }
        }
    }
    assert!(hits > 400_000, "only {hits}");
}

#[test]
fn quad_random_equals_brute_force() {
    let mut dice = Dice::new(10);
    for case in 0..15_000 {
        let size = dice.vector(2.0).abs();
        let quad = Rectangle {
            axis: 1,
            sign: 1.0,
            min: v(-size.x, 0.0, -size.z),
            max: v(size.x, 0.0, size.z),
        };
        let mut start = dice.vector(5.0);
        start.y = start.y.abs();
        let mover = ball(start, dice.within(0.05, 1.0));
        let motion = dice.motion_near(&start, &Vector3::zeros(), 2.0);
        let falls = motion.y <= 0.0;
        if !falls {
            continue;
        }
        let (min, max) = (wide(&quad.min), wide(&quad.max));
        let gap = |t: f64| {
            distance_to_box(&(wide(&start) + wide(&motion) * t), &min, &max)
                - f64::from(mover.radius)
        };
        agrees(
            sweep_sphere_quad(&mover, &motion, &quad),
            gap,
            4e-5,
            &format!("quad {case}"),
        );
    }
}

#[test]
fn edge_and_corner_match_their_closed_forms() {
    let edge = ConvexEdge {
        axis: 2,
        min: v(0.0, 0.0, 0.0),
        max: v(0.0, 0.0, 4.0),
    };
    let hit = sweep_sphere_edge(&ball(v(0.3, 2.0, 1.0), 0.5), &v(0.0, -2.0, 0.0), &edge).unwrap();
    assert!((hit.time - 0.8).abs() < 1e-6 && (hit.normal - v(0.6, 0.8, 0.0)).norm() < 1e-6);
    assert_eq!(
        sweep_sphere_edge(&ball(v(0.3, 2.0, 4.1), 0.5), &v(0.0, -2.0, 0.0), &edge),
        None
    );
    let corner = ConvexCorner {
        point: Vector3::zeros(),
    };
    let hit =
        sweep_sphere_corner(&ball(v(0.3, 2.0, 0.0), 0.5), &v(0.0, -2.0, 0.0), &corner).unwrap();
    assert!((hit.time - 0.8).abs() < 1e-6 && (hit.normal - v(0.6, 0.8, 0.0)).norm() < 1e-6);
}

#[test]
fn edge_of_an_ellipsoid_has_its_gradient_as_normal() {
    let edge = ConvexEdge {
        axis: 2,
        min: v(0.0, 0.0, -4.0),
        max: v(0.0, 0.0, 4.0),
    };
    let mover = Ellipsoid {
        center: v(0.24, 3.0, 0.0),
        radii: v(0.4, 0.9, 0.4),
    };
    let hit = sweep_ellipsoid_edge(&mover, &v(0.0, -4.0, 0.0), &edge).unwrap();
    // 0.24 / 0.4 = 0.6, so the contact is 0.8 * 0.9 above the edge.
    assert!((hit.time - (3.0 - 0.72) / 4.0).abs() < 1e-6);
    let gradient = v(0.24 / 0.16, 0.72 / 0.81, 0.0).normalize();
    assert!((hit.normal - gradient).norm() < 1e-5);
}

#[test]
fn box_names_every_face() {
    for axis in 0..3 {
        for (side, index) in [(-1.0, 0), (1.0, 1)] {
            let mut away = Vector3::zeros();
            away[axis] = side;
            let hit = sweep_sphere_box(
                &ball(v(0.5, 0.5, 0.5) + away * 3.0, 0.5),
                &(away * -4.0),
                &voxel(),
            )
            .unwrap();
            assert_eq!((hit.time, hit.normal), (0.5, away));
            assert_eq!(hit.feature, Feature::Face(axis as u8 * 2 + index));
        }
    }
}

#[test]
fn box_from_inside_blocks_only_the_way_deeper() {
    let mover = ball(v(0.9, 0.5, 0.5), 0.3);
    assert_eq!(sweep_sphere_box(&mover, &v(1.0, 0.0, 0.0), &voxel()), None);
    assert_eq!(
        sweep_sphere_box(&mover, &v(-1.0, 0.0, 0.0), &voxel())
            .unwrap()
            .normal,
        Vector3::x()
    );
}

#[test]
fn box_degenerate_motion_is_free() {
    ignores_no_motion(|m| sweep_sphere_box(&ball(v(0.5, 1.4, 0.5), 0.5), m, &voxel()));
    ignores_no_motion(|m| sweep_sphere_box(&ball(v(0.5, 0.4, 0.5), 0.0), m, &voxel()));
}

#[test]
fn box_one_voxel_wall_is_never_passed() {
    let mut dice = Dice::new(11);
    let wall = AxisBox {
        min: v(0.0, -50.0, -50.0),
        max: v(0.01, 50.0, 50.0),
    };
    for case in 0..10_000 {
        let radius = dice.within(0.05, 0.5);
        let start = v(
            -radius - dice.within(0.0, 3.0),
            dice.within(-5.0, 5.0),
            dice.within(-5.0, 5.0),
        );
        let motion = v(
            dice.within(3.6, 1000.0),
            dice.within(-30.0, 30.0),
            dice.within(-30.0, 30.0),
        );
        let hit = sweep_sphere_box(&ball(start, radius), &motion, &wall)
            .unwrap_or_else(|| panic!("{case}"));
        assert!(
            start.x + motion.x * hit.time <= -radius + 1e-4,
            "case {case}"
        );
    }
}

#[test]
fn box_random_equals_brute_force() {
    let mut dice = Dice::new(12);
    for case in 0..10_000 {
        let size = dice.vector(1.5).abs();
        let solid = AxisBox {
            min: -size,
            max: size,
        };
        let mover = ball(dice.vector(5.0), dice.within(0.02, 1.0));
        let inside = solid.min <= mover.center && mover.center <= solid.max;
        if inside {
            continue;
        }
        let motion = dice.motion_near(&mover.center, &Vector3::zeros(), 2.0);
        let (min, max) = (wide(&solid.min), wide(&solid.max));
        let gap = |t: f64| {
            distance_to_box(&(wide(&mover.center) + wide(&motion) * t), &min, &max)
                - f64::from(mover.radius)
        };
        agrees(
            sweep_sphere_box(&mover, &motion, &solid),
            gap,
            4e-5,
            &format!("box {case}"),
        );
    }
}

#[test]
fn box_stops_a_ball_at_rest_on_it_at_any_slant() {
    let floor = AxisBox {
        min: v(-200.0, -1.0, -200.0),
        max: v(200.0, 0.0, 200.0),
    };
    let down = sweep_sphere_box(&ball(v(0.0, 0.0, 0.0), 0.0), &v(0.0, -0.5, 0.0), &floor);
    assert_eq!(down.map(|hit| hit.time), Some(0.0));
    let up = sweep_sphere_box(&ball(v(0.0, 0.0, 0.0), 0.0), &v(0.0, 0.5, 0.0), &floor);
    assert_eq!(up.map(|hit| hit.time), None);
    let resting = ball(v(0.0, 0.5, 0.0), 0.5);
    let flat = sweep_sphere_box(&resting, &v(100.0, -0.05, 0.0), &floor);
    assert_eq!(flat.map(|hit| hit.normal), Some(v(0.0, 1.0, 0.0)));
    assert!(sweep_sphere_box(&resting, &v(100.0, 0.0, 0.0), &floor).is_none());
}

#[test]
fn ball_that_touches_a_long_edge_does_not_sink_through_it() {
    let solid = AxisBox {
        min: Vector3::zeros(),
        max: v(200.0, 1.0, 1.0),
    };
    let motion = v(100.0, -0.054, -0.072);
    let hit = sweep_sphere_box(&ball(v(10.0, 1.029, 1.039), 0.05), &motion, &solid);
    assert_eq!(hit.map(|hit| hit.time), Some(0.0));
    let floor = Triangle {
        corners: [v(0.0, 0.0, 0.0), v(200.0, 0.0, 0.0), v(0.0, 0.0, -100.0)],
        sides: Sides::Front,
    };
    let mover = ball(v(10.0, 0.029, 0.039), 0.05);
    assert!(sweep_sphere_triangle(&mover, &motion, &floor).is_some());
}

#[test]
fn point_on_the_rim_of_a_box_cannot_go_in() {
    for start in [v(1.0, 1.0, 0.5), v(1.0, 1.0, 1.0), v(0.0, 0.0, 0.0)] {
        let inward = v(0.5, 0.5, 0.5) - start;
        let hit = sweep_sphere_box(&ball(start, 0.0), &inward, &voxel());
        assert_eq!(hit.map(|hit| hit.time), Some(0.0), "{start}");
        assert_eq!(
            sweep_sphere_box(&ball(start, 0.0), &-inward, &voxel()),
            None
        );
        assert!(sweep_sphere_box(&ball(start, 0.3), &inward, &voxel()).is_some());
    }
    // Motion along one face and out over another is free.
    let out = v(-1.0, 1.0, 0.0);
    assert_eq!(
        sweep_sphere_box(&ball(v(1.0, 1.0, 0.5), 0.0), &out, &voxel()),
        None
    );
}
