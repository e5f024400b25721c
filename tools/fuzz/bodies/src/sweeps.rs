//! Sweeps of single shapes: any numbers are survived; of sound ones the hit is where an `f64`
//! measure of the depth says.

use collision::Body;
use collision::Radii;
use collision::sweep::{
    AxisBox, ConvexCorner, ConvexEdge, Cylinder, Ellipsoid, Rectangle, Sides, Sphere, SweepHit,
    Triangle, sweep_ellipsoid_box, sweep_ellipsoid_corner, sweep_ellipsoid_cylinder,
    sweep_ellipsoid_edge, sweep_ellipsoid_ellipsoid, sweep_ellipsoid_quad,
    sweep_ellipsoid_rectangle, sweep_ellipsoid_sphere, sweep_ellipsoid_triangle, sweep_sphere_box,
    sweep_sphere_corner, sweep_sphere_cylinder, sweep_sphere_edge, sweep_sphere_ellipsoid,
    sweep_sphere_quad, sweep_sphere_rectangle, sweep_sphere_sphere, sweep_sphere_triangle,
};
use collision_scenes::depth;
use nalgebra::Vector3;

use crate::Target;
use crate::bytes::{Bytes, is_finite};
use crate::campaign::noise;

/// The target.
pub const TARGET: Target = Target {
    name: "sweeps",
    check,
    seeds: || noise(24, 160),
    longest: 256,
};

/// Largest depth on the way to a hit, and largest gap at it, in metres: faces reach beyond their
/// sides by less than that.
const SLACK: f64 = 1e-3;
/// Least height of a triangle that is compared, as a share of its longest side: flatter ones have
/// no face.
const LEAST_HEIGHT: f32 = 1e-3;

/// Sweeps shapes made of bytes.
pub fn check(data: &[u8]) {
    let mut bytes = Bytes(data);
    if bytes.once_in(2) {
        check_hostile(&mut bytes);
    } else {
        check_sound(&mut bytes);
    }
}

fn check_hostile(bytes: &mut Bytes<'_>) {
    let ball = Sphere {
        center: bytes.numbers(),
        radius: bytes.number().abs(),
    };
    let mover = Ellipsoid {
        center: ball.center,
        radii: bytes.numbers().abs(),
    };
    let motion = bytes.numbers();
    let other = Ellipsoid {
        center: bytes.numbers(),
        radii: bytes.numbers().abs(),
    };
    let rest = Sphere {
        center: other.center,
        radius: other.radii.x,
    };
    let corners = [bytes.numbers(), bytes.numbers(), bytes.numbers()];
    let sides = bytes.one_of(&[Sides::Front, Sides::Both]);
    let triangle = Triangle { corners, sides };
    let [low, high, _] = corners;
    let (min, max, axis) = (low.inf(&high), low.sup(&high), bytes.below(3));
    let face = Rectangle {
        axis,
        sign: bytes.one_of(&[1.0, -1.0]),
        min,
        max: flat(axis, min, max),
    };
    let edge = ConvexEdge {
        axis,
        min,
        max: along(axis, min, max),
    };
    let (solid, corner) = (AxisBox { min, max }, ConvexCorner { point: low });
    let rod = Cylinder {
        start: low,
        end: high,
        radius: ball.radius,
    };
    let hits = [
        sweep_sphere_sphere(&ball, &motion, &rest),
        sweep_sphere_triangle(&ball, &motion, &triangle),
        sweep_sphere_rectangle(&ball, &motion, &face),
        sweep_sphere_quad(&ball, &motion, &face),
        sweep_sphere_box(&ball, &motion, &solid),
        sweep_sphere_edge(&ball, &motion, &edge),
        sweep_sphere_corner(&ball, &motion, &corner),
        sweep_sphere_cylinder(&ball, &motion, &rod),
        sweep_sphere_ellipsoid(&ball, &motion, &other),
        sweep_ellipsoid_sphere(&mover, &motion, &rest),
        sweep_ellipsoid_ellipsoid(&mover, &motion, &other),
        sweep_ellipsoid_triangle(&mover, &motion, &triangle),
        sweep_ellipsoid_rectangle(&mover, &motion, &face),
        sweep_ellipsoid_quad(&mover, &motion, &face),
        sweep_ellipsoid_box(&mover, &motion, &solid),
        sweep_ellipsoid_edge(&mover, &motion, &edge),
        sweep_ellipsoid_corner(&mover, &motion, &corner),
        sweep_ellipsoid_cylinder(&mover, &motion, &rod),
    ];
    for (index, hit) in hits.iter().enumerate() {
        if let Some(hit) = hit {
            assert!((0.0..=1.0).contains(&hit.time), "sweep {index}: {hit:?}");
        }
    }
}

/// Returns the upper corner of a rectangle across an axis.
fn flat(axis: usize, min: Vector3<f32>, mut max: Vector3<f32>) -> Vector3<f32> {
    max[axis] = min[axis];
    max
}

/// Returns the upper end of an edge along an axis.
fn along(axis: usize, mut min: Vector3<f32>, max: Vector3<f32>) -> Vector3<f32> {
    min[axis] = max[axis];
    min
}

fn check_sound(bytes: &mut Bytes<'_>) {
    let radii = Radii::new(bytes.between(0.05, 2.0), bytes.between(0.05, 2.0));
    let up = Vector3::y();
    let body = Body {
        position: Default::default(),
        radii,
        up,
    };
    let measured = depth::Ellipsoid::of(&body);
    let center = bytes.within(-4.0, 4.0);
    let radii = Vector3::new(radii.across, radii.along, radii.across);
    let (mover, motion) = (Ellipsoid { center, radii }, bytes.within(-8.0, 8.0));
    let about = |share: f64| center.cast::<f64>() + motion.cast::<f64>() * share;
    let corners = [(); 3].map(|()| bytes.within(-4.0, 4.0));
    if is_thick(&corners) {
        let triangle = Triangle {
            corners,
            sides: Sides::Both,
        };
        judge(
            sweep_ellipsoid_triangle(&mover, &motion, &triangle),
            |share| {
                let local = corners.map(|corner| corner.cast() - about(share));
                measured.depth_in_triangle(&local, -1.0)
            },
        );
    }
    let (min, size) = (corners[0], bytes.within(0.01, 4.0));
    let solid = AxisBox {
        min,
        max: min + size,
    };
    judge(sweep_ellipsoid_box(&mover, &motion, &solid), |share| {
        let [low, high] = [solid.min, solid.max].map(|corner| corner.cast() - about(share));
        measured.depth_in_box(&low, &high, -1.0)
    });
}

fn is_thick(&[a, b, c]: &[Vector3<f32>; 3]) -> bool {
    let longest = (b - a).norm().max((c - b).norm()).max((a - c).norm());
    (b - a).cross(&(c - a)).norm() > longest * longest * LEAST_HEIGHT
}

/// Compares a hit with the depth of the mover at shares of the way.
fn judge(hit: Option<SweepHit>, depth: impl Fn(f64) -> f64) {
    if depth(0.0) > -SLACK {
        return;
    }
    let end = hit.map_or(1.0, |hit| f64::from(hit.time));
    let deepest = (0..=32)
        .map(|step| depth(end * f64::from(step) / 32.0))
        .fold(-1.0, f64::max);
    assert!(deepest < SLACK, "{deepest} m deep on the way to {hit:?}");
    let Some(hit) = hit else { return };
    let gap = -depth(end);
    assert!(gap < SLACK, "{gap} m before {hit:?}");
    assert!(
        is_finite(&hit.point) && (hit.normal.norm() - 1.0).abs() < 1e-4,
        "{hit:?}"
    );
}
