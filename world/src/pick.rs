//! Rays against voxels: which voxel, which face, how far.

use crate::material::Material;
use crate::object::ObjectId;
use crate::surface::Face;
use crate::world::{World, chunk_of, place_in_chunk};
use collision::{Cell, Position};
use nalgebra::Vector3;

/// A ray. The direction need not be a unit vector; zero or not finite hits nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ray {
    /// Where it starts.
    pub origin: Position,
    /// Where it goes.
    pub direction: Vector3<f32>,
}

/// What a ray met first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pick {
    /// The free object it belongs to, or terrain.
    pub object: Option<ObjectId>,
    /// The terrain cell, or the voxel of the object.
    pub voxel: Vector3<i32>,
    /// The face it was entered through; `None` when the ray starts inside.
    pub face: Option<Face>,
    /// How far from the origin, in metres.
    pub distance: f64,
    /// What it is made of.
    pub material: Material,
}

impl World {
    /// The first voxel that is not air within reach (metres), of terrain or free objects.
    pub fn cast_ray(&self, ray: &Ray, reach: f32) -> Option<Pick> {
        let direction = ray.direction.map(f64::from);
        let length = direction.norm();
        if !(length.is_finite() && length > 0.0 && reach >= 0.0) {
            return None;
        }
        let direction = direction / length;
        let start = ray.origin.offset.map(f64::from);
        let mut cell = Vector3::<i32>::zeros();
        let mut face = None;
        let mut distance = 0.0;
        while distance <= f64::from(reach) {
            let at: Cell = ray.origin.cell.zip_map(&cell, i32::wrapping_add);
            if let Some(brick) = self.brick_at(chunk_of(at)) {
                let place = place_in_chunk(at);
                let material = self.brick(brick).material(place.x, place.y, place.z);
                if material != Material::AIR {
                    return Some(Pick {
                        object: None,
                        voxel: at,
                        face,
                        distance,
                        material,
                    });
                }
            }
            let mut next = (f64::INFINITY, 0);
            for axis in 0..3 {
                let step = direction[axis];
                if step != 0.0 {
                    let edge = f64::from(cell[axis]) + if step > 0.0 { 1.0 } else { 0.0 };
                    let at = (edge - start[axis]) / step;
                    if at < next.0 {
                        next = (at, axis);
                    }
                }
            }
            let (at, axis) = next;
            let sign = if direction[axis] > 0.0 { 1 } else { -1 };
            cell[axis] += sign;
            distance = at.max(distance);
            face = Some(Face::new(axis, -sign));
        }
        None
    }
}
