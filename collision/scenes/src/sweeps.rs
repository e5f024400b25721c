//! The scenes of single sweeps: checked by closed forms and by brute force in `f64`, over many
//! random cases each.

use nalgebra::Vector3;
use rayon::prelude::*;

use super::depth::closest_on_triangle;
use super::random::Random;
use super::run::Verdict;
use collision::candidates::Sides;
use collision::sweep::{
    ConvexEdge, Ellipsoid, Rectangle, Sphere, SweepHit, Triangle, earliest,
    sweep_ellipsoid_triangle, sweep_sphere_edge, sweep_sphere_quad, sweep_sphere_rectangle,
    sweep_sphere_sphere, sweep_sphere_triangle,
};

/// Random cases of the checks with many.
const CASES: u64 = 100_000;
/// Most steps of brute force along one path; motions nearly along a face need thousands.
const MOST_STEPS: usize = 20_000;
/// Random cases of the check of quads against triangles and brute force.
const QUAD_CASES: u64 = 400_000;

const FLOOR: Rectangle = Rectangle {
    axis: 1,
    sign: 1.0,
    min: Vector3::new(-2.0, 0.0, -2.0),
    max: Vector3::new(2.0, 0.0, 2.0),
};

fn ball(x: f32, y: f32, z: f32, radius: f32) -> Sphere {
    Sphere {
        center: Vector3::new(x, y, z),
        radius,
    }
}

fn verdict(faults: Vec<String>) -> Verdict {
    Verdict {
        faults: faults.into_iter().take(5).collect(),
        ..Verdict::default()
    }
}

/// Runs a check with many seeds on all threads, and returns the faults in order.
fn over_seeds(cases: u64, check: impl Fn(&mut Random) -> Result<(), String> + Sync) -> Verdict {
    let one = |seed: u64| {
        check(&mut Random::new(seed))
            .err()
            .map(|fault| format!("case {seed}: {fault}"))
    };
    verdict((0..cases).into_par_iter().filter_map(one).collect())
}

fn ensure(holds: bool, fault: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(fault()) }
}

fn one(check: impl FnOnce() -> Result<(), String>) -> Verdict {
    verdict(check().err().into_iter().collect())
}

fn random_vector(random: &mut Random, size: f64) -> Vector3<f32> {
    Vector3::from_fn(|_, _| random.between(-size, size) as f32)
}

/// Sweeps a ball from five metres before a face: exact in time to a millionth, with the normal of
/// the face.
pub(super) fn face_head_on() -> Verdict {
    over_seeds(CASES / 10, |random| {
        let radius = random.between(0.1, 1.0) as f32;
        let speed = random.between(6.0, 600.0) as f32;
        let across = random.between(-1.0, 1.0) as f32;
        let off_diagonal = random.between(0.01, 0.9) as f32;
        let mover = ball(across, 5.0, across + off_diagonal, radius);
        let motion = Vector3::new(0.0, -speed, 0.0);
        let exact = (5.0 - f64::from(radius)) / f64::from(speed);
        let triangles = FLOOR
            .triangles()
            .map(|triangle| sweep_sphere_triangle(&mover, &motion, &triangle));
        for hit in [
            sweep_sphere_quad(&mover, &motion, &FLOOR),
            earliest(triangles[0], triangles[1], &motion),
        ] {
            let hit = hit.ok_or("missed")?;
            ensure((f64::from(hit.time) - exact).abs() <= 1e-6 * exact, || {
                format!("time {} and not {exact}", hit.time)
            })?;
            ensure((hit.normal - Vector3::y()).norm() < 1e-6, || {
                format!("normal {:?}", hit.normal.as_slice())
            })?;
        }
        Ok(())
    })
}

/// Aims at the seam of two coplanar faces: always a hit, always with the normal of the face.
pub(super) fn edge_exact() -> Verdict {
    over_seeds(CASES, |random| {
        let seam = random.between(-1.0, 1.0) as f32;
        let (mut low, mut high) = (FLOOR, FLOOR);
        low.max.x = seam;
        high.min.x = seam;
        let along = random.between(-1.0, 1.0) as f32;
        aim_at_seam(random, Vector3::new(seam, 0.0, along), &[low, high])
    })
}

/// Aims at the point where four faces meet, exactly or off by single bits: always a hit.
pub(super) fn vertex_exact() -> Verdict {
    over_seeds(CASES, |random| {
        let point = Vector3::new(
            random.between(-1.0, 1.0) as f32,
            0.0,
            random.between(-1.0, 1.0) as f32,
        );
        let mut quarters = [FLOOR; 4];
        for (index, face) in quarters.iter_mut().enumerate() {
            if index & 1 == 0 {
                face.max.x = point.x
            } else {
                face.min.x = point.x
            }
            if index & 2 == 0 {
                face.max.z = point.z
            } else {
                face.min.z = point.z
            }
        }
        aim_at_seam(random, point, &quarters)
    })
}

fn aim_at_seam(
    random: &mut Random,
    point: Vector3<f32>,
    faces: &[Rectangle],
) -> Result<(), String> {
    let radius = random.between(0.1, 1.0) as f32;
    let slant = Vector3::new(
        random.between(-2.0, 2.0) as f32,
        3.0,
        random.between(-2.0, 2.0) as f32,
    );
    let off = [0.0, 1e-7, -1e-7, 6e-8, 1e-5][random.below(5)];
    let mover = Sphere {
        center: point + slant + Vector3::new(off, radius, -off),
        radius,
    };
    let motion = slant * -1.5;
    let merge = |best: Option<SweepHit>, next: Option<SweepHit>| earliest(best, next, &motion);
    let as_faces = faces
        .iter()
        .map(|face| sweep_sphere_rectangle(&mover, &motion, face))
        .reduce(merge)
        .flatten();
    let as_triangles = faces
        .iter()
        .flat_map(Rectangle::triangles)
        .map(|triangle| sweep_sphere_triangle(&mover, &motion, &triangle));
    for hit in [as_faces, as_triangles.reduce(merge).flatten()] {
        let hit = hit.ok_or("fell through the seam")?;
        ensure(hit.normal.y > 1.0 - 1e-6, || {
            format!("normal {} at a flat seam", hit.normal)
        })?;
        ensure((hit.time - 2.0 / 3.0).abs() < 1e-5, || {
            format!("time {}", hit.time)
        })?;
    }
    Ok(())
}

/// Passes an edge or a ball at nearly the radius: a hit for a hundredth of a millimetre less, a
/// miss for as much more, on both sides alike.
pub(super) fn graze() -> Verdict {
    over_seeds(CASES / 10, |random| {
        let radius = random.between(0.2, 1.0) as f32;
        let edge = ConvexEdge {
            axis: 2,
            min: Vector3::new(0.0, 0.0, -5.0),
            max: Vector3::new(0.0, 0.0, 5.0),
        };
        let still = ball(0.0, 0.0, 0.0, 0.5);
        let motion = Vector3::new(random.between(3.0, 30.0) as f32, 0.0, 0.0);
        for side in [-1.0_f32, 1.0] {
            for (gap, hits) in [(1e-5, false), (-1e-5, true)] {
                let over_edge = ball(-2.0, side * (radius + gap), 0.0, radius);
                let over_ball = ball(-2.0, side * (radius + 0.5 + gap), 0.0, radius);
                let found = [
                    sweep_sphere_edge(&over_edge, &motion, &edge),
                    sweep_sphere_sphere(&over_ball, &motion, &still),
                ];
                ensure(found.iter().all(|hit| hit.is_some() == hits), || {
                    format!("side {side} gap {gap}: {found:?}")
                })?;
            }
        }
        Ok(())
    })
}

/// Moves along a wall at exactly its skin: no hit at any speed.
pub(super) fn parallel_skim() -> Verdict {
    over_seeds(CASES / 10, |random| {
        let mover = ball(
            random.between(-1.0, 1.0) as f32,
            0.41,
            random.between(-1.0, 1.0) as f32,
            0.4,
        );
        let motion = Vector3::new(
            random.between(-20.0, 20.0) as f32,
            0.0,
            random.between(-20.0, 20.0) as f32,
        );
        let touching = Sphere {
            radius: 0.41,
            ..mover
        };
        let triangles = FLOOR
            .triangles()
            .map(|triangle| sweep_sphere_triangle(&mover, &motion, &triangle));
        let face = sweep_sphere_rectangle(&touching, &motion, &FLOOR);
        let hits = [face, triangles[0], triangles[1]];
        ensure(hits.iter().all(Option::is_none), || format!("{hits:?}"))?;
        Ok(())
    })
}

/// Moves away from contact or a slight overlap: no hit at the start.
pub(super) fn receding_start() -> Verdict {
    over_seeds(CASES / 10, |random| {
        let inside = [0.0, 1e-6, 1e-3, 0.1][random.below(4)];
        let mover = ball(
            random.between(-1.0, 1.0) as f32,
            0.4 - inside,
            random.between(-1.0, 1.0) as f32,
            0.4,
        );
        let mut motion = random_vector(random, 2.0);
        motion.y = random.between(0.01, 5.0) as f32;
        let triangles = FLOOR
            .triangles()
            .map(|triangle| sweep_sphere_triangle(&mover, &motion, &triangle));
        let hits = [
            sweep_sphere_quad(&mover, &motion, &FLOOR),
            triangles[0],
            triangles[1],
        ];
        ensure(hits.iter().all(Option::is_none), || format!("{hits:?}"))
    })
}

/// Sweeps zero, denormal and NaN motions: a valid result, and never a hit from NaN.
pub(super) fn zero_and_tiny_motion() -> Verdict {
    one(|| {
        let mover = ball(0.0, 0.4, 0.0, 0.4);
        for size in [
            0.0,
            1e-39,
            -1e-39,
            f32::MIN_POSITIVE,
            f32::NAN,
            f32::INFINITY,
        ] {
            for motion in [Vector3::new(0.0, -size, 0.0), Vector3::repeat(size)] {
                let triangle = FLOOR.triangles()[0];
                let hits = [
                    sweep_sphere_quad(&mover, &motion, &FLOOR),
                    sweep_sphere_triangle(&mover, &motion, &triangle),
                ];
                let sound = |hit: &SweepHit| {
                    (0.0..=1.0).contains(&hit.time)
                        && hit.normal.iter().all(|part| part.is_finite())
                };
                ensure(hits.iter().flatten().all(sound), || {
                    format!("{size}: {hits:?}")
                })?;
                let nothing = size == 0.0 || size.is_nan();
                ensure(!nothing || hits.iter().all(Option::is_none), || {
                    format!("{size}: {hits:?}")
                })?;
            }
        }
        Ok(())
    })
}

/// Sweeps against triangles without area and needles: every normal is a unit vector, and the
/// neighbours still block.
pub(super) fn degenerate_tri() -> Verdict {
    over_seeds(CASES / 10, |random| {
        let (a, b) = (random_vector(random, 2.0), random_vector(random, 2.0));
        let c = [
            a,
            a + (b - a) * 0.3,
            a + (b - a) * 0.3 + random_vector(random, 1e-7),
        ][random.below(3)];
        let sides = [Sides::Front, Sides::Both][random.below(2)];
        let mover = ball(0.0, 3.0, 0.0, random.between(0.1, 1.0) as f32);
        let motion = Vector3::new(0.0, -6.0, 0.0) + random_vector(random, 1.0);
        let thin = sweep_sphere_triangle(
            &mover,
            &motion,
            &Triangle {
                corners: [a, b, c],
                sides,
            },
        );
        if let Some(hit) = thin {
            ensure((hit.normal.norm() - 1.0).abs() < 1e-3, || {
                format!("normal {:?}", hit.normal.as_slice())
            })?;
        }
        let floor = FLOOR
            .triangles()
            .map(|triangle| sweep_sphere_triangle(&mover, &motion, &triangle));
        let both = earliest(thin, earliest(floor[0], floor[1], &motion), &motion);
        ensure(both.is_some(), || "the floor no longer blocks".to_owned())
    })
}

/// Approaches from behind or inside: a one-sided face lets the ball pass, a two-sided one blocks.
pub(super) fn back_face() -> Verdict {
    over_seeds(CASES / 10, |random| {
        let radius = random.between(0.1, 0.5) as f32;
        let mover = ball(
            random.between(-0.5, 0.5) as f32,
            -2.0,
            random.between(-1.5, -0.6) as f32,
            radius,
        );
        let motion = Vector3::new(0.0, 4.0, 0.0);
        ensure(
            sweep_sphere_rectangle(&mover, &motion, &FLOOR).is_none(),
            || "a face blocks from behind".to_owned(),
        )?;
        let triangles = FLOOR.triangles();
        let with = |sides| {
            let hits = triangles.map(|triangle| {
                sweep_sphere_triangle(&mover, &motion, &Triangle { sides, ..triangle })
            });
            earliest(hits[0], hits[1], &motion)
        };
        ensure(
            with(Sides::Both).is_some_and(|hit| hit.normal.y < -0.99),
            || "two-sided lets pass".to_owned(),
        )?;
        ensure(with(Sides::Front).is_none(), || {
            "one-sided blocks from behind".to_owned()
        })
    })
}

/// Compares a swept quad with its two triangles and with brute force.
pub(super) fn quad_equals_tris() -> Verdict {
    over_seeds(QUAD_CASES, |random| {
        let mut quad = FLOOR;
        quad.axis = random.below(3);
        quad.sign = if random.below(2) == 0 { 1.0 } else { -1.0 };
        quad.min = random_vector(random, 1.0);
        quad.max = quad.min + Vector3::from_fn(|_, _| random.between(0.05, 3.0) as f32);
        quad.max[quad.axis] = quad.min[quad.axis];
        let mover = Sphere {
            center: random_vector(random, 3.0),
            radius: random.between(0.05, 1.0) as f32,
        };
        let motion = random_vector(random, 6.0);
        let ahead = (mover.center[quad.axis] - quad.min[quad.axis]) * quad.sign;
        let exact = brute_force(&mover, &motion, &quad);
        let faces_away = motion[quad.axis] * quad.sign >= 0.0;
        if faces_away || ahead < 1e-3 || exact.start < 1e-3 {
            return Ok(());
        }
        let triangles = quad
            .triangles()
            .map(|triangle| sweep_sphere_triangle(&mover, &motion, &triangle));
        for hit in [
            sweep_sphere_quad(&mover, &motion, &quad),
            earliest(triangles[0], triangles[1], &motion),
        ] {
            match (hit, exact.time) {
                (Some(hit), Some(time)) => {
                    let apart = (f64::from(hit.time) - time).abs() * f64::from(motion.norm());
                    let along = exact.approach.max(1e-3);
                    ensure(apart * along < 1e-4, || {
                        format!("{apart} m too far: {mover:?} {motion:?} {quad:?}")
                    })?;
                }
                (None, Some(_)) => ensure(exact.nearest > -1e-5, || {
                    format!("missed: {mover:?} {motion:?} {quad:?}")
                })?,
                (Some(_), None) => ensure(exact.nearest < 1e-5, || {
                    format!("hit nothing: {mover:?} {motion:?} {quad:?}")
                })?,
                (None, None) => {}
            }
        }
        Ok(())
    })
}

/// The result of brute force for a sweep.
struct Exact {
    /// Gap at the start, metres.
    start: f64,
    time: Option<f64>,
    /// Least gap along the path, metres; negative in an overlap.
    nearest: f64,
    /// Cosine of the approach at the hit, 0 to 1.
    approach: f64,
}

/// Steps along the path by the gap, which never jumps over a contact.
fn brute_force(mover: &Sphere, motion: &Vector3<f32>, quad: &Rectangle) -> Exact {
    let triangles = quad
        .triangles()
        .map(|triangle| triangle.corners.map(|corner| corner.cast::<f64>()));
    let (center, way): (Vector3<f64>, Vector3<f64>) = (mover.center.cast(), motion.cast());
    let radius = f64::from(mover.radius);
    let toward = |time: f64| {
        let at = center + way * time;
        let points =
            triangles.map(|corners| closest_on_triangle(&corners.map(|corner| corner - at)));
        if points[0].norm_squared() < points[1].norm_squared() {
            points[0]
        } else {
            points[1]
        }
    };
    let (length, start) = (way.norm(), toward(0.0).norm() - radius);
    let mut exact = Exact {
        start,
        time: None,
        nearest: start,
        approach: 0.0,
    };
    let mut time = 0.0;
    for _ in 0..MOST_STEPS {
        let nearest = toward(time);
        let gap = nearest.norm() - radius;
        exact.nearest = exact.nearest.min(gap);
        if gap < 1e-9 {
            exact.time = Some(time);
            exact.approach = nearest.dot(&way) / (nearest.norm() * length);
            exact.nearest = -(0..64)
                .map(|step| radius - toward(time + (1.0 - time) * f64::from(step) / 64.0).norm())
                .fold(0.0, f64::max);
            return exact;
        }
        time += gap / length;
        if time > 1.0 {
            return exact;
        }
    }
    exact
}

/// Sweeps ellipsoids of ratios up to ten to one against tilted triangles: the normal is that of the
/// ellipsoid's surface.
pub(super) fn ellipsoid_ratio() -> Verdict {
    over_seeds(CASES / 2, |random| {
        let long = random.between(1.0, 10.0) as f32 * 0.3;
        let mut radii = Vector3::repeat(0.3);
        radii[random.below(3)] = long;
        let corners = [(); 3].map(|()| random_vector(random, 4.0));
        let mover = Ellipsoid {
            center: random_vector(random, 6.0),
            radii,
        };
        let motion = (corners[0] + corners[1] + corners[2]) / 3.0 - mover.center;
        let Some(hit) = sweep_ellipsoid_triangle(
            &mover,
            &(motion * 1.2),
            &Triangle {
                corners,
                sides: Sides::Both,
            },
        ) else {
            return Ok(());
        };
        if hit.time <= 0.0 {
            return Ok(());
        }
        let at: Vector3<f64> =
            mover.center.cast::<f64>() + motion.cast::<f64>() * 1.2 * f64::from(hit.time);
        let arm = hit.point.cast::<f64>() - at;
        let squares = radii.cast::<f64>().component_mul(&radii.cast());
        let gradient = -arm.component_div(&squares).normalize();
        let level = arm.component_div(&radii.cast()).norm();
        ensure((level - 1.0).abs() < 1e-3, || {
            format!("the point is not on the ellipsoid: {level}")
        })?;
        let apart = (gradient - hit.normal.cast::<f64>()).norm();
        ensure(apart < 5e-3, || {
            format!("normal off by {apart}: {mover:?} {corners:?}")
        })
    })
}

/// Sweeps against one voxel of wall and a sheet without thickness at 1 to 1000 m/s: never passed.
pub(super) fn ccd_thin_wall() -> Verdict {
    over_seeds(CASES / 10, |random| {
        let speed = random.between(1.0, 1000.0) as f32;
        let slant = random_vector(random, 0.3);
        let motion = Vector3::new(slant.x, -1.0, slant.z) * (speed / 60.0);
        let crossing = Vector3::new(
            random.between(-1.0, 1.0) as f32,
            0.0,
            random.between(-1.0, 1.0) as f32,
        );
        let mover = Sphere {
            center: crossing - motion * random.share() as f32,
            radius: 0.4,
        };
        if mover.center.y < 0.4 {
            return Ok(());
        }
        let hits = FLOOR.triangles().map(|triangle| {
            let sheet = Triangle {
                sides: Sides::Both,
                ..triangle
            };
            sweep_sphere_triangle(&mover, &motion, &sheet)
        });
        let wall = sweep_sphere_rectangle(&mover, &motion, &FLOOR);
        let found = earliest(hits[0], hits[1], &motion).is_some() && wall.is_some();
        ensure(found, || {
            format!("passed at {speed} m/s: {mover:?} {motion:?}")
        })
    })
}

/// Compares two hits at the same time: the winner does not depend on the order in which they are
/// found.
pub(super) fn opposed_features() -> Verdict {
    over_seeds(CASES / 10, |random| {
        let motion = random_vector(random, 4.0);
        let mover = ball(0.0, 0.0, 0.0, 0.5);
        let mirrored = |axis: usize| {
            let mut quad = FLOOR;
            quad.axis = axis;
            quad.sign = -motion[axis].signum();
            quad.min = Vector3::repeat(-3.0);
            quad.max = Vector3::repeat(3.0);
            let at = motion[axis] * 0.5 + 0.5 * motion[axis].signum();
            quad.min[axis] = at;
            quad.max[axis] = at;
            sweep_sphere_quad(&mover, &motion, &quad)
        };
        let hits = [mirrored(0), mirrored(1), mirrored(2)];
        let pick = |order: [usize; 3]| {
            order
                .iter()
                .fold(None, |best, index| earliest(best, hits[*index], &motion))
        };
        let first = pick([0, 1, 2]);
        ensure(first.is_some(), || "nothing was hit".to_owned())?;
        let orders = [[0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
        ensure(orders.iter().all(|order| pick(*order) == first), || {
            format!("{hits:?}")
        })
    })
}
