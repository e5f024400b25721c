//! Moving points, spheres and ellipsoids against single shapes: a ladder of small pure functions.
//!
//! A moving sphere is a moving *point* against the shape grown by the radius; a moving ellipsoid is a
//! moving sphere in a space squashed along its axes. Each function answers the same question: when does
//! the mover, going `start + time * motion` with `time` in `0..=1`, first touch the shape?
//!
//! - Everything is `f32` in a frame near the mover; only `+ - * /` and `sqrt`, so the bits are the same on
//!   every machine.
//! - A hit needs approach: a mover that already touches and recedes (or glides along) is not hit. One that
//!   already overlaps and approaches is hit at time 0. Round parts are passed by a motion so tangential
//!   ([`crate::tolerance::APPROACH`]) that it digs in less than a micrometre.
//! - Limits are inclusive, so that a path exactly through the seam of two shapes is caught by both.
//! - Motion that is zero, too small to square, or NaN hits nothing.
//!
//! Left out: skins, sliding, several candidates at a time (see `mover` and `lanes`).
//!
//! Reading order: [`shape`], `sphere`, `cylinder`, `triangle`, `rectangle`, `convex`, `axis_box`, then
//! `squash` and `ellipsoid`.

mod axis_box;
mod convex;
mod cylinder;
mod ellipsoid;
mod hit;
mod offset;
mod rectangle;
pub mod shape;
mod sphere;
mod squash;
mod triangle;

#[cfg(test)]
mod tests;

pub use axis_box::{sweep_ellipsoid_box, sweep_point_box, sweep_sphere_box};
pub use convex::{
    sweep_ellipsoid_corner, sweep_ellipsoid_edge, sweep_sphere_corner, sweep_sphere_edge,
};
pub use cylinder::{sweep_ellipsoid_cylinder, sweep_point_cylinder, sweep_sphere_cylinder};
pub use ellipsoid::{
    sweep_ellipsoid_ellipsoid, sweep_ellipsoid_sphere, sweep_point_ellipsoid,
    sweep_sphere_ellipsoid,
};
pub use hit::{Feature, SweepHit, earliest};
pub use rectangle::{
    sweep_ellipsoid_quad, sweep_ellipsoid_rectangle, sweep_sphere_quad, sweep_sphere_rectangle,
};
pub use shape::{
    AxisBox, ConvexCorner, ConvexEdge, Cylinder, Ellipsoid, Rectangle, Sides, Sphere, Triangle,
};
pub use sphere::{sweep_point_sphere, sweep_sphere_sphere};
pub use squash::Squash;
pub use triangle::{sweep_ellipsoid_triangle, sweep_point_triangle, sweep_sphere_triangle};
