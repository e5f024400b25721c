//! Moving point, sphere or ellipsoid against the side of a rod.
//!
//! Everything is multiplied with the length of the axis instead of divided by it, so that a short edge
//! loses nothing. The ends are open; whoever wants caps tests the two spheres as well.

use nalgebra::Vector3;

use super::hit::{Feature, SweepHit};
use super::offset::enter_offset;
use super::shape::{Cylinder, Ellipsoid, Sphere};
use super::sphere::{round_hit, within_motion};
use super::squash::Squash;
use super::triangle::sweep_segment;
use crate::tolerance::{APPROACH, SWEEP_PARALLEL_SQUARED};

/// Where a moving point enters the side of a rod.
pub(super) struct SideEntry {
    pub(super) time: f32,
    /// Share of the axis from start to end at which it enters.
    pub(super) along: f32,
}

/// Entry of `offset + time * motion` (offset from the axis' start) into the side of a rod of `radius` about `axis`.
pub(super) fn enter_side(
    offset: &Vector3<f32>,
    motion: &Vector3<f32>,
    axis: &Vector3<f32>,
    radius: f32,
) -> Option<SideEntry> {
    let (from_axis, across) = (offset.cross(axis), motion.cross(axis));
    let approach = -from_axis.dot(&across);
    let across_squared = across.norm_squared();
    let length_squared = axis.norm_squared();
    let crosses = approach > 0.0
        && across_squared > SWEEP_PARALLEL_SQUARED * motion.norm_squared() * length_squared;
    if !crosses {
        return None;
    }
    let length = length_squared.sqrt();
    let (distance, reach) = (from_axis.norm(), radius * length);
    let graze_squared = APPROACH * APPROACH * across_squared;
    let time = if distance <= reach {
        let digs = approach * approach >= graze_squared * distance * distance;
        digs.then_some(0.0)?
    } else {
        let gap = (distance - reach) * (distance + reach);
        let miss = axis.dot(&offset.cross(motion));
        let reach_squared = radius * radius;
        let discriminant = across_squared * reach_squared - miss * miss;
        let meets = discriminant >= graze_squared * reach_squared;
        if !meets {
            return None;
        }
        within_motion(gap / (approach + length * discriminant.sqrt()))?
    };
    let along = (offset + motion * time).dot(axis) / length_squared;
    (0.0..=1.0)
        .contains(&along)
        .then_some(SideEntry { time, along })
}

/// A moving point against the side of a cylinder.
pub fn sweep_point_cylinder(
    point: &Vector3<f32>,
    motion: &Vector3<f32>,
    cylinder: &Cylinder,
) -> Option<SweepHit> {
    sweep_sphere_cylinder(
        &Sphere {
            center: *point,
            radius: 0.0,
        },
        motion,
        cylinder,
    )
}

/// A moving sphere against the side of a cylinder.
///
/// ```
/// use collision::sweep::{Cylinder, Sphere, sweep_sphere_cylinder};
/// use nalgebra::Vector3;
///
/// let pole = Cylinder { start: Vector3::zeros(), end: Vector3::new(0.0, 4.0, 0.0), radius: 0.5 };
/// let ball = Sphere { center: Vector3::new(3.0, 2.0, 0.0), radius: 0.5 };
/// let hit = sweep_sphere_cylinder(&ball, &Vector3::new(-4.0, 0.0, 0.0), &pole);
/// assert_eq!(hit.map(|hit| hit.point), Some(Vector3::new(0.5, 2.0, 0.0)));
/// ```
pub fn sweep_sphere_cylinder(
    mover: &Sphere,
    motion: &Vector3<f32>,
    cylinder: &Cylinder,
) -> Option<SweepHit> {
    let axis = cylinder.end - cylinder.start;
    let offset = mover.center - cylinder.start;
    let entry = enter_side(&offset, motion, &axis, mover.radius + cylinder.radius)?;
    let center = mover.center + motion * entry.time;
    let middle = cylinder.start + axis * entry.along;
    Some(round_hit(
        &center,
        &middle,
        cylinder.radius,
        entry.time,
        motion,
        Feature::Face(0),
    ))
}

/// A moving ellipsoid against the side of a cylinder, exactly.
///
/// Squashed space makes the rod's section an ellipse. Seen along the rod, the mover is a disc running
/// against that ellipse grown by its radius.
pub fn sweep_ellipsoid_cylinder(
    mover: &Ellipsoid,
    motion: &Vector3<f32>,
    cylinder: &Cylinder,
) -> Option<SweepHit> {
    let squash = Squash::of(&mover.radii);
    let ball = squash.mover(mover);
    let start = squash.squash(&cylinder.start);
    let end = squash.squash(&cylinder.end);
    let step = squash.squash(motion);
    if cylinder.radius <= 0.0 {
        let hit = sweep_segment(&ball, &step, &start, &end, 0)?;
        return Some(SweepHit {
            feature: Feature::Face(0),
            ..squash.unsquash_hit(&hit)
        });
    }
    let section = Section::across(&(end - start), &(squash.scale * cylinder.radius))?;
    let flat = section.flatten(&step);
    // Along the rod nothing is left but rounding.
    if flat.norm_squared() <= SWEEP_PARALLEL_SQUARED * step.norm_squared() {
        return None;
    }
    let entry = enter_offset(
        &section.flatten(&(ball.center - start)),
        &flat,
        &section.radii,
        ball.radius,
    )?;
    let flat_normal = section.raise(&entry.normal);
    let touch = ball.center + step * entry.time - flat_normal * ball.radius;
    let point = squash.unsquash(&touch);
    let axis = cylinder.end - cylinder.start;
    let along = (point - cylinder.start).dot(&axis) / axis.norm_squared();
    (0.0..=1.0).contains(&along).then(|| SweepHit {
        time: entry.time,
        point,
        normal: squash.unsquash_normal(&flat_normal),
        feature: Feature::Face(0),
    })
}

/// The shadow of an ellipsoid along a direction: an ellipse in the plane of `u` and `v`, its own axes.
struct Section {
    u: Vector3<f32>,
    v: Vector3<f32>,
    /// Half-lengths along `u` and `v`; the third is that of a disc no higher than wide.
    radii: Vector3<f32>,
}

impl Section {
    fn across(axis: &Vector3<f32>, radii: &Vector3<f32>) -> Option<Self> {
        let length = axis.norm();
        let exists = length > 0.0;
        if !exists {
            return None;
        }
        let axis = axis / length;
        let mut helper = Vector3::zeros();
        helper[axis.iamin()] = 1.0;
        let u = axis.cross(&helper).normalize();
        let v = axis.cross(&u);
        let (ru, rv) = (u.component_mul(radii), v.component_mul(radii));
        let (uu, uv, vv) = (ru.norm_squared(), ru.dot(&rv), rv.norm_squared());
        // Principal axes of [[uu, uv], [uv, vv]]: one Jacobi rotation.
        let half = (uu - vv) * 0.5;
        let root = (half * half + uv * uv).sqrt();
        let pull = if half >= 0.0 {
            half + root
        } else {
            half - root
        };
        let tangent = if pull == 0.0 { 0.0 } else { uv / pull };
        let cosine = 1.0 / (1.0 + tangent * tangent).sqrt();
        let sine = cosine * tangent;
        let (long, short) = (uu + tangent * uv, vv - tangent * uv);
        let flat = Vector3::new(long.sqrt(), short.max(0.0).sqrt(), 0.0);
        let radii = Vector3::new(flat.x, flat.y, flat.max());
        Some(Self {
            u: u * cosine + v * sine,
            v: v * cosine - u * sine,
            radii,
        })
    }

    fn flatten(&self, vector: &Vector3<f32>) -> Vector3<f32> {
        Vector3::new(self.u.dot(vector), self.v.dot(vector), 0.0)
    }

    fn raise(&self, flat: &Vector3<f32>) -> Vector3<f32> {
        self.u * flat.x + self.v * flat.y
    }
}
