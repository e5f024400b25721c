//! Free objects of a world: added, moved and removed together with their records.

use super::World;
use crate::material::Material;
use crate::object::{Keeping, ObjectError, ObjectId, VoxelObject};
use collision::Position;
use nalgebra::Vector3;

impl World {
    /// Adds a free object of this extent, calling `material` for each voxel. It is saved with the
    /// world; see [`World::set_keeping`].
    pub fn add_object(
        &mut self,
        origin: Position,
        voxel_size: f32,
        extent: Vector3<u32>,
        material: impl FnMut(Vector3<u32>) -> Material,
    ) -> Result<ObjectId, ObjectError> {
        let id = self.add_passing_object(origin, voxel_size, extent, material)?;
        self.set_keeping(id, Keeping::Kept);
        Ok(id)
    }

    /// Adds a free object like [`World::add_object`], without saving it.
    pub fn add_passing_object(
        &mut self,
        origin: Position,
        voxel_size: f32,
        extent: Vector3<u32>,
        material: impl FnMut(Vector3<u32>) -> Material,
    ) -> Result<ObjectId, ObjectError> {
        self.space.add_object(origin, voxel_size, extent, material)
    }

    /// Sets the keeping of an object. Returns false if there is no such object.
    pub fn set_keeping(&mut self, id: ObjectId, keeping: Keeping) -> bool {
        let Some(before) = self.object(id).map(VoxelObject::keeping) else {
            return false;
        };
        if before != keeping {
            self.space.mark_keeping(id, keeping);
            match keeping {
                Keeping::Kept => self.keep_object(id),
                Keeping::Passing => self.forget_object(id),
            }
        }
        true
    }

    /// Removes an object from the world and the saved world; see [`World::remove_object_as`] for
    /// one that can be undone. Returns false if there is no such object.
    pub fn remove_object(&mut self, id: ObjectId) -> bool {
        if !self.set_keeping(id, Keeping::Passing) {
            return false;
        }
        let taken = self.space.take_object(id);
        if let Some(taken) = &taken {
            self.forget_steps(taken.key);
        }
        taken.is_some()
    }

    /// Moves an object by a displacement. Its riders are carried by it until the next call, so call
    /// it with zero in the tick after the object stops. Returns false if there is no such object or
    /// the displacement is not finite.
    pub fn move_object(&mut self, id: ObjectId, displacement: Vector3<f32>) -> bool {
        let moved = self.space.move_object(id, displacement);
        let object = self.object(id).filter(|_| displacement != Vector3::zeros());
        if moved && object.is_some_and(|object| object.keeping() == Keeping::Kept) {
            self.keep_place(id);
        }
        moved
    }
}
