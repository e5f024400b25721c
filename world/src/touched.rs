//! The voxel that a contact of a character is with, and its material.

use collision::{Position, Touched, tolerance::BEHIND_SURFACE};
use nalgebra::Vector3;

use crate::chunk::SIDE;
use crate::gather::object_of;
use crate::{Material, VoxelObject, World};

impl World {
    /// The voxel at a place on the surface of an object, by the cell of its own lattice. `None` where
    /// there is no such object.
    pub(crate) fn touched_at(
        &self,
        object: collision::ObjectId,
        at: &Position,
        normal: &Vector3<f32>,
    ) -> Option<Touched> {
        let owner = match object_of(object) {
            Some(id) => Some(self.object(id)?),
            None => None,
        };
        let below = normal * -BEHIND_SURFACE;
        // Rounding may put a place at the rim of a voxel beside it.
        let corner = |index: u32| {
            let side = |bit: u32| if index >> bit & 1 == 0 { -1.0 } else { 1.0 };
            below + Vector3::new(side(0), side(1), side(2)) * BEHIND_SURFACE
        };
        let ways = std::iter::once(below).chain((0..8).map(corner));
        let mut voxels = ways.map(|way| at.moved(way));
        let found = voxels.find_map(|place| self.solid_voxel(owner, &place));
        Some(found.unwrap_or_default())
    }

    /// The voxel of the terrain, or of an object, that holds a place, if it is solid.
    fn solid_voxel(&self, owner: Option<&VoxelObject>, at: &Position) -> Option<Touched> {
        let (cell, material) = match owner {
            None => (at.cell, self.material(at.cell)?),
            Some(object) => {
                let voxel = object.to_voxels(at).cell;
                (voxel, self.material_in(object, voxel)?)
            }
        };
        let solid = self.materials().is_solid(material);
        solid.then(|| Touched::voxel(cell, u32::from(material.0)))
    }

    fn material_in(&self, object: &VoxelObject, voxel: Vector3<i32>) -> Option<Material> {
        let side = SIDE as i32;
        let brick = object.brick_at(voxel.map(|part| part.div_euclid(side)))?;
        let [x, y, z] = voxel.map(|part| part.rem_euclid(side) as usize).into();
        Some(self.brick(brick).material(x, y, z))
    }
}
