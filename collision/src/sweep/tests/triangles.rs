//! Triangles: seven parts each.

use super::oracle::{agrees, distance_to_triangle, wide};
use super::*;

fn floor() -> Triangle {
    Triangle {
        corners: [v(0.0, 0.0, 0.0), v(0.0, 0.0, 4.0), v(4.0, 0.0, 0.0)],
        sides: Sides::Front,
    }
}

fn sheet() -> Triangle {
    Triangle {
        sides: Sides::Both,
        ..floor()
    }
}

#[test]
fn triangle_separated_hits_the_face_at_the_closed_form() {
    for height in [0.6, 5.0, 80.0] {
        let hit = sweep_sphere_triangle(
            &ball(v(1.0, height, 1.0), 0.5),
            &v(0.0, -100.0, 0.0),
            &floor(),
        )
        .unwrap();
        let expected = (height - 0.5) / 100.0;
        assert!((hit.time - expected).abs() <= 1e-6 * expected.max(0.01));
        assert_eq!((hit.normal, hit.feature), (Vector3::y(), Feature::Face(0)));
        assert_eq!(hit.point, v(1.0, 0.0, 1.0));
    }
}

#[test]
fn triangle_names_each_edge_and_corner() {
    let fall = |x: f32, z: f32| {
        sweep_sphere_triangle(&ball(v(x, 2.0, z), 0.5), &v(0.0, -4.0, 0.0), &floor())
            .unwrap()
            .feature
    };
    assert_eq!(fall(-0.3, 2.0), Feature::Edge(0));
    assert_eq!(fall(2.2, 2.2), Feature::Edge(1));
    assert_eq!(fall(2.0, -0.3), Feature::Edge(2));
    assert_eq!(fall(-0.2, -0.2), Feature::Corner(0));
    assert_eq!(fall(-0.1, 4.3), Feature::Corner(1));
    assert_eq!(fall(4.3, -0.1), Feature::Corner(2));
}

#[test]
fn triangle_touching_and_overlapping_need_approach() {
    for height in [0.5, 0.3, 0.0] {
        let mover = ball(v(1.0, height, 1.0), 0.5);
        let hit = sweep_sphere_triangle(&mover, &v(1.0, -1.0, 0.0), &floor()).unwrap();
        assert_eq!((hit.time, hit.normal), (0.0, Vector3::y()));
        assert_eq!(
            sweep_sphere_triangle(&mover, &v(0.0, 1.0, 0.0), &floor()),
            None
        );
    }
}

#[test]
fn triangle_parallel_skim_at_the_radius_is_free() {
    for height in [0.5, 0.51, 3.0] {
        let mover = ball(v(1.0, height, 1.0), 0.5);
        assert_eq!(
            sweep_sphere_triangle(&mover, &v(100.0, 0.0, 3.0), &floor()),
            None,
            "{height}"
        );
    }
}

#[test]
fn triangle_graze_at_an_edge() {
    let at = |miss: f32| {
        sweep_sphere_triangle(
            &ball(v(-0.5 - miss, 3.0, 2.0), 0.5),
            &v(0.0, -6.0, 0.0),
            &floor(),
        )
    };
    assert!(at(1e-5).is_none() && at(-1e-5).is_some());
}

#[test]
fn triangle_back_passes_when_one_sided_and_blocks_when_two_sided() {
    let below = ball(v(1.0, -2.0, 1.0), 0.5);
    let up = v(0.0, 4.0, 0.0);
    assert_eq!(sweep_sphere_triangle(&below, &up, &floor()), None);
    let hit = sweep_sphere_triangle(&below, &up, &sheet()).unwrap();
    assert_eq!((hit.time, hit.normal), (0.375, -Vector3::y()));
}

#[test]
fn triangle_thin_sheet_stops_any_speed() {
    for exponent in 0..=20 {
        let speed = 1.5_f32.powi(exponent);
        for start in [0.5, 0.500_001, 0.6] {
            let mover = ball(v(1.0, start + 0.013 * speed, 1.0), 0.5);
            let motion = v(0.0, -speed, 0.0);
            assert!(
                sweep_sphere_triangle(&mover, &motion, &sheet()).is_some(),
                "{speed} from {start}"
            );
        }
    }
}

#[test]
fn triangle_sheet_edge_on_is_hit_while_it_leaves_the_plane() {
    let mover = ball(v(-2.0, 0.1, 2.0), 0.5);
    let hit = sweep_sphere_triangle(&mover, &v(4.0, 0.1, 0.0), &sheet()).unwrap();
    assert_eq!(hit.feature, Feature::Edge(0));
}

#[test]
fn triangle_without_area_still_blocks_and_has_a_normal() {
    let (a, b) = (v(0.0, 0.0, 0.0), v(4.0, 0.0, 0.0));
    for middle in [
        a,
        b,
        v(2.0, 0.0, 0.0),
        v(2.0, 1e-8, 0.0),
        v(2.0, 0.0, 1e-30),
    ] {
        let needle = Triangle {
            corners: [a, b, middle],
            sides: Sides::Front,
        };
        let hit = sweep_sphere_triangle(&ball(v(1.0, 2.0, 0.1), 0.5), &v(0.0, -4.0, 0.0), &needle)
            .unwrap();
        assert!((hit.normal.norm() - 1.0).abs() < 1e-6 && hit.normal.y > 0.9);
    }
    let dot = Triangle {
        corners: [a, a, a],
        sides: Sides::Front,
    };
    let hit =
        sweep_sphere_triangle(&ball(v(0.0, 2.0, 0.0), 0.5), &v(0.0, -4.0, 0.0), &dot).unwrap();
    assert!(matches!(hit.feature, Feature::Corner(_)));
}

#[test]
fn triangle_degenerate_input_is_free() {
    ignores_no_motion(|m| sweep_sphere_triangle(&ball(v(1.0, 0.4, 1.0), 0.5), m, &sheet()));
    let nan = Triangle {
        corners: [v(f32::NAN, 0.0, 0.0); 3],
        sides: Sides::Both,
    };
    assert_eq!(
        sweep_sphere_triangle(&ball(v(1.0, 2.0, 1.0), 0.5), &v(0.0, -4.0, 0.0), &nan),
        None
    );
}

#[test]
fn triangle_seam_is_always_hit_with_the_face_normal() {
    // Two coplanar triangles share a slanted edge; the path ends on it to within an ulp or so.
    let mut dice = Dice::new(5);
    let (a, b) = (v(-3.1, 0.0, -2.3), v(2.9, 0.0, 3.7));
    let halves = [
        Triangle {
            corners: [a, b, v(4.0, 0.0, -3.0)],
            sides: Sides::Front,
        },
        Triangle {
            corners: [b, a, v(-4.0, 0.0, 3.0)],
            sides: Sides::Front,
        },
    ];
    for case in 0..100_000 {
        let target = a + (b - a) * dice.within(0.05, 0.95) + dice.vector(1e-6);
        let normal = Vector3::y();
        let start = v(
            dice.within(-3.0, 3.0),
            dice.within(1.0, 8.0),
            dice.within(-3.0, 3.0),
        ) + target;
        let radius = dice.within(0.0, 0.8);
        let motion = (target + normal * radius - start) * dice.within(1.01, 3.0);
        let hits = halves.map(|half| sweep_sphere_triangle(&ball(start, radius), &motion, &half));
        let hit = earliest(hits[0], hits[1], &motion)
            .unwrap_or_else(|| panic!("case {case} fell through"));
        assert!(
            (hit.normal - normal).norm() < 1e-5,
            "case {case}: {}",
            hit.normal
        );
    }
}

#[test]
fn triangle_random_equals_brute_force() {
    let mut dice = Dice::new(6);
    for case in 0..15_000 {
        let corners = [dice.vector(2.0), dice.vector(2.0), dice.vector(2.0)];
        let mover = ball(dice.vector(6.0), dice.within(0.02, 1.0));
        let middle = (corners[0] + corners[1] + corners[2]) / 3.0;
        let motion = dice.motion_near(&mover.center, &middle, 2.0);
        let hit = sweep_sphere_triangle(
            &mover,
            &motion,
            &Triangle {
                corners,
                sides: Sides::Both,
            },
        );
        let truth = corners.map(|corner| wide(&corner));
        let gap = |t: f64| {
            distance_to_triangle(&(wide(&mover.center) + wide(&motion) * t), &truth)
                - f64::from(mover.radius)
        };
        agrees(hit, gap, 4e-5, &format!("triangle {case}"));
    }
}

#[test]
fn triangle_ellipsoid_normals_are_gradients_at_any_ratio() {
    // On a face the normal is the triangle's own at any radii; the support must just touch it.
    let mut dice = Dice::new(7);
    let mut faces = 0;
    for case in 0..15_000 {
        let corners = [dice.vector(3.0), dice.vector(3.0), dice.vector(3.0)];
        let ratio = dice.within(1.0, 10.0);
        let radii = v(0.4, 0.4 * ratio, 0.4);
        let mover = Ellipsoid {
            center: dice.vector(9.0),
            radii,
        };
        let middle = (corners[0] + corners[1] + corners[2]) / 3.0;
        let motion = dice.motion_near(&mover.center, &middle, 1.0);
        let Some(hit) = sweep_ellipsoid_triangle(
            &mover,
            &motion,
            &Triangle {
                corners,
                sides: Sides::Both,
            },
        ) else {
            continue;
        };
        if hit.time == 0.0 {
            continue;
        }
        let center = wide(&mover.center) + wide(&motion) * f64::from(hit.time);
        let local = wide(&hit.point) - center;
        let squares = wide(&radii).component_mul(&wide(&radii));
        let gradient = -local.component_div(&squares).normalize();
        assert!(
            (gradient - wide(&hit.normal)).norm() < 1e-3,
            "{case}: {gradient} {}",
            hit.normal
        );
        if hit.feature == Feature::Face(0) {
            faces += 1;
            let own = wide(&(corners[1] - corners[0]))
                .cross(&wide(&(corners[2] - corners[0])))
                .normalize();
            assert!(own.dot(&wide(&hit.normal)).abs() > 0.999, "{case}");
        }
    }
    assert!(faces > 1_500, "only {faces}");
}
