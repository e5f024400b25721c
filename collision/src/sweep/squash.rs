//! The space in which an ellipsoid is a sphere.
//!
//! Each axis is shrunk by `shortest / own` radius, so that the mover becomes a sphere of its
//! shortest radius. Times are the same in both spaces; normals come back through the inverse scale,
//! which for a normal means multiplying with the scale once more.

use nalgebra::Vector3;

use super::hit::SweepHit;
use super::shape::{Ellipsoid, Sphere};

/// The scale that turns one ellipsoid into a sphere.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Squash {
    /// Factor along each axis; the greatest is 1.
    pub scale: Vector3<f32>,
    /// The inverse factors: own radius over the shortest.
    pub stretch: Vector3<f32>,
    /// Radius of the sphere.
    pub radius: f32,
}

impl Squash {
    /// Returns the squash for an ellipsoid of these radii (all positive).
    ///
    /// ```
    /// use collision::sweep::Squash;
    /// use nalgebra::Vector3;
    ///
    /// let squash = Squash::of(&Vector3::new(0.5, 1.0, 0.5));
    /// assert_eq!((squash.radius, squash.scale), (0.5, Vector3::new(1.0, 0.5, 1.0)));
    /// ```
    pub fn of(radii: &Vector3<f32>) -> Self {
        let radius = radii.min();
        Self {
            scale: radii.map(|own| radius / own),
            stretch: radii / radius,
            radius,
        }
    }

    /// Returns a point or motion in squashed space.
    pub fn squash(&self, vector: &Vector3<f32>) -> Vector3<f32> {
        vector.component_mul(&self.scale)
    }

    /// Returns a point or motion back in the world.
    pub fn unsquash(&self, vector: &Vector3<f32>) -> Vector3<f32> {
        vector.component_mul(&self.stretch)
    }

    /// Returns the unit normal in the world for one in squashed space.
    pub fn unsquash_normal(&self, normal: &Vector3<f32>) -> Vector3<f32> {
        let world = normal.component_mul(&self.scale);
        world / world.norm()
    }

    /// Returns the sphere that the ellipsoid becomes.
    pub fn mover(&self, mover: &Ellipsoid) -> Sphere {
        Sphere {
            center: self.squash(&mover.center),
            radius: self.radius,
        }
    }

    /// Returns the hit in the world for one in squashed space.
    pub fn unsquash_hit(&self, hit: &SweepHit) -> SweepHit {
        SweepHit {
            point: self.unsquash(&hit.point),
            normal: self.unsquash_normal(&hit.normal),
            ..*hit
        }
    }
}
