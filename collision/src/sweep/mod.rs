//! Moving spheres and ellipsoids against single shapes: the scalar instances of the kernels that
//! characters run on, and around them the cases that only a lone shape has (an overlap from the
//! start, back sides, rims).
//!
//! A moving sphere is a moving *point* against the shape grown by the radius; a moving ellipsoid is
//! a moving sphere in a space squashed along its axes. Each function returns the first contact of
//! the mover, at `start + time * motion` with `time` in `0..=1`, with the shape.
//!
//! - All numbers are `f32` in a frame near the mover; only `+ - * /` and `sqrt`, so the bits are
//!   the same on every machine.
//! - A hit needs approach: a mover that already touches and recedes (or glides along) is not hit.
//!   One that already overlaps and approaches is hit at time 0. Round parts do not stop a motion so
//!   tangential ([`crate::tolerance::APPROACH`]) that it digs in less than a micrometre.
//! - Limits are inclusive, so that a path exactly through the seam of two shapes is caught by both.
//! - Motion that is zero, too small to square, or NaN hits nothing.
//!
//! Left out: skins, sliding, several candidates at a time (see `mover` and `kernels`).
//!
//! Reading order: [`shape`], `round`, `flat`, `axis_box`, then `squash` and `ellipsoid`.

mod axis_box;
mod ellipsoid;
mod flat;
mod hit;
mod round;
pub mod shape;
mod squash;

#[cfg(test)]
mod tests;

pub use axis_box::sweep_sphere_box;
pub use ellipsoid::{
    sweep_ellipsoid_box, sweep_ellipsoid_corner, sweep_ellipsoid_cylinder, sweep_ellipsoid_edge,
    sweep_ellipsoid_ellipsoid, sweep_ellipsoid_quad, sweep_ellipsoid_rectangle,
    sweep_ellipsoid_sphere, sweep_ellipsoid_triangle, sweep_sphere_ellipsoid,
};
pub use flat::{sweep_sphere_quad, sweep_sphere_rectangle, sweep_sphere_triangle};
pub use hit::{Feature, SweepHit, earliest};
pub use round::{
    sweep_sphere_corner, sweep_sphere_cylinder, sweep_sphere_edge, sweep_sphere_sphere,
};
pub use shape::{
    AxisBox, ConvexCorner, ConvexEdge, Cylinder, Ellipsoid, Rectangle, Sides, Sphere, Triangle,
};
pub use squash::Squash;

pub use crate::kernels::ellipsoids::{Separation, separate};
