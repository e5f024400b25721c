//! A moving ellipsoid against each shape. Space is squashed until the mover is a sphere; spheres
//! and rods stay exact, though squashing turns balls into ellipsoids.

use nalgebra::{Matrix3, Vector3};

use super::axis_box::sweep_sphere_box;
use super::flat::{sweep_sphere_quad, sweep_sphere_rectangle, sweep_sphere_triangle};
use super::hit::{Feature, SweepHit};
use super::round::{sweep_sphere_corner, sweep_sphere_edge};
use super::shape::{
    AxisBox, ConvexCorner, ConvexEdge, Cylinder, Ellipsoid, Rectangle, Sphere, Triangle,
};
use super::squash::Squash;
use crate::kernels::ellipsoids::{Form, Forms};
use crate::tolerance::{MICRON, SWEEP_PARALLEL_SQUARED};

/// Sweeps an ellipsoid against a resting one, both along the axes of the frame.
///
/// They stop exactly where they touch: they never overlap by more than rounding, and no gap is
/// left.
///
/// ```
/// use collision::sweep::{Ellipsoid, sweep_ellipsoid_ellipsoid};
/// use nalgebra::Vector3;
///
/// let radii = Vector3::new(0.5, 1.0, 0.5);
/// let standing = Ellipsoid { center: Vector3::zeros(), radii };
/// let walking = Ellipsoid { center: Vector3::new(3.0, 0.0, 0.0), radii };
/// let hit = sweep_ellipsoid_ellipsoid(&walking, &Vector3::new(-4.0, 0.0, 0.0), &standing);
/// let hit = hit.expect("it walks straight at it");
/// assert!((hit.time - 0.5).abs() < 1e-6 && (hit.normal - Vector3::x()).norm() < 1e-6);
/// ```
pub fn sweep_ellipsoid_ellipsoid(
    mover: &Ellipsoid,
    motion: &Vector3<f32>,
    resting: &Ellipsoid,
) -> Option<SweepHit> {
    let moves = motion.norm_squared() > 0.0;
    if !moves {
        return None;
    }
    squashed(mover, motion, |squash, ball, step| {
        let radii = squash.squash(&resting.radii);
        let forms = Forms {
            a: form_of(&Vector3::repeat(ball.radius)),
            b: form_of(&radii),
        };
        let offset = squash.squash(&(mover.center - resting.center));
        let (time, normal) = if offset == Vector3::zeros() {
            (0.0, -step.normalize())
        } else {
            let summed = radii.add_scalar(ball.radius);
            let guess = offset.component_div(&summed.component_mul(&summed));
            let touch = forms.enter(offset, *step, 1.0, guess.normalize(), summed.min(), 0.0)?;
            (touch.time, touch.normal)
        };
        Some(SweepHit {
            time,
            point: squash.squash(&resting.center) + forms.b.touch(normal),
            normal,
            feature: Feature::Face(0),
        })
    })
}

/// Returns the form of an ellipsoid; a point counts as [`MICRON`] large.
fn form_of(radii: &Vector3<f32>) -> Matrix3<f32> {
    Matrix3::from_diagonal(&radii.map(|radius| radius.max(MICRON).powi(2)))
}

/// Sweeps an ellipsoid against a resting sphere.
pub fn sweep_ellipsoid_sphere(
    mover: &Ellipsoid,
    motion: &Vector3<f32>,
    sphere: &Sphere,
) -> Option<SweepHit> {
    sweep_ellipsoid_ellipsoid(mover, motion, &Ellipsoid::from(*sphere))
}

/// Sweeps a sphere against a resting ellipsoid.
pub fn sweep_sphere_ellipsoid(
    mover: &Sphere,
    motion: &Vector3<f32>,
    resting: &Ellipsoid,
) -> Option<SweepHit> {
    let ball = Sphere {
        radius: mover.radius.max(MICRON),
        ..*mover
    };
    sweep_ellipsoid_ellipsoid(&ball.into(), motion, resting)
}

/// Sweeps an ellipsoid against the side of a cylinder, exactly: seen along the rod, an ellipse
/// moves against a disc.
pub fn sweep_ellipsoid_cylinder(
    mover: &Ellipsoid,
    motion: &Vector3<f32>,
    cylinder: &Cylinder,
) -> Option<SweepHit> {
    let axis = cylinder.end - cylinder.start;
    let length = axis.norm();
    let along = axis.try_normalize(0.0)?;
    let flatten = Matrix3::identity() - along * along.transpose();
    let (offset, step) = (flatten * (mover.center - cylinder.start), flatten * motion);
    // Rounding is all that is left of a motion along the rod.
    let crosses = step.norm_squared() > SWEEP_PARALLEL_SQUARED * motion.norm_squared();
    if !crosses {
        return None;
    }
    let whole = form_of(&mover.radii);
    let radius = cylinder.radius.max(MICRON);
    let (size, square) = (mover.radii.max() + radius, radius * radius);
    // The disc is a long body: otherwise a normal that leans along the rod would lead out sooner.
    let forms = Forms {
        a: flatten * whole * flatten,
        b: flatten * square + along * along.transpose() * (4.0 * size * size),
    };
    let guess = offset.try_normalize(0.0)?;
    let touch = forms.enter(offset, step, 1.0, guess, size, 0.0)?;
    let point = mover.center + motion * touch.time - whole.touch(touch.normal);
    let at = along.dot(&(point - cylinder.start));
    (0.0..=length).contains(&at).then_some(SweepHit {
        time: touch.time,
        point,
        normal: touch.normal,
        feature: Feature::Face(0),
    })
}

/// Sweeps an ellipsoid as a sphere in squashed space.
fn squashed(
    mover: &Ellipsoid,
    motion: &Vector3<f32>,
    sweep: impl FnOnce(&Squash, &Sphere, &Vector3<f32>) -> Option<SweepHit>,
) -> Option<SweepHit> {
    let squash = Squash::of(&mover.radii);
    let hit = sweep(&squash, &squash.mover(mover), &squash.squash(motion))?;
    Some(squash.unsquash_hit(&hit))
}

macro_rules! squashed_sweeps {
    ($($(#[$about:meta])* $name:ident: $sweep:ident of $shape:ident { $($part:ident),* };)*) => {$(
        $(#[$about])*
        pub fn $name(
            mover: &Ellipsoid,
            motion: &Vector3<f32>,
            shape: &$shape,
        ) -> Option<SweepHit> {
            squashed(mover, motion, |squash, ball, step| {
                let mut shape = *shape;
                $(shape.$part = squash.squash(&shape.$part);)*
                $sweep(ball, step, &shape)
            })
        }
    )*};
}

squashed_sweeps! {
    /// Sweeps an ellipsoid against the front of a rectangle, without its rim.
    sweep_ellipsoid_rectangle: sweep_sphere_rectangle of Rectangle { min, max };
    /// Sweeps an ellipsoid against a rectangle with its rim.
    sweep_ellipsoid_quad: sweep_sphere_quad of Rectangle { min, max };
    /// Sweeps an ellipsoid against a convex edge, without its ends.
    sweep_ellipsoid_edge: sweep_sphere_edge of ConvexEdge { min, max };
    /// Sweeps an ellipsoid against a convex corner.
    sweep_ellipsoid_corner: sweep_sphere_corner of ConvexCorner { point };
    /// Sweeps an ellipsoid against a solid box.
    sweep_ellipsoid_box: sweep_sphere_box of AxisBox { min, max };
}

/// Sweeps an ellipsoid against a triangle.
pub fn sweep_ellipsoid_triangle(
    mover: &Ellipsoid,
    motion: &Vector3<f32>,
    triangle: &Triangle,
) -> Option<SweepHit> {
    squashed(mover, motion, |squash, ball, step| {
        let corners = triangle.corners.map(|corner| squash.squash(&corner));
        sweep_sphere_triangle(
            ball,
            step,
            &Triangle {
                corners,
                ..*triangle
            },
        )
    })
}

impl From<Sphere> for Ellipsoid {
    /// Returns the ellipsoid of equal radii.
    fn from(sphere: Sphere) -> Self {
        Self {
            center: sphere.center,
            radii: Vector3::repeat(sphere.radius),
        }
    }
}
