//! Free voxel objects in a space: adding, moving, removing.

use std::collections::HashMap;

use super::slots::{Owner, step_of};
use super::{BrickId, Found, Space};
use crate::chunk::{Brick, Voxels};
use crate::kd_tree::CellBox;
use crate::material::Material;
use crate::object::{Keeping, ObjectError, ObjectId, ObjectKey, ObjectShape, Shelved, VoxelObject};
use collision::Position;
use nalgebra::Vector3;

/// All free objects, by number and by key.
pub(crate) struct Objects {
    pub(crate) slots: Vec<Option<VoxelObject>>,
    free: Vec<u32>,
    keys: HashMap<ObjectKey, ObjectId>,
    pub(crate) next_key: ObjectKey,
}

impl Default for Objects {
    fn default() -> Self {
        Self {
            slots: Vec::new(),
            free: Vec::new(),
            keys: HashMap::new(),
            next_key: ObjectKey::FIRST,
        }
    }
}

impl Objects {
    /// Returns true if there are no objects.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    pub(crate) fn holds(&self, key: ObjectKey) -> bool {
        self.keys.contains_key(&key)
    }
}

impl Space {
    /// Adds a passing object of this extent, calling `material` for each voxel.
    pub(crate) fn add_object(
        &mut self,
        origin: Position,
        voxel_size: f32,
        extent: Vector3<u32>,
        mut material: impl FnMut(Vector3<u32>) -> Material,
    ) -> Result<ObjectId, ObjectError> {
        let shape = ObjectShape {
            origin,
            voxel_size,
            extent,
        };
        shape.check()?;
        let voxels = |place: Vector3<i32>| {
            let low = place.map(|part| part as u32 * 32);
            Voxels::from_fn(|x, y, z| {
                let voxel = low + Vector3::new(x as u32, y as u32, z as u32);
                let inside = (0..3).all(|axis| voxel[axis] < extent[axis]);
                if inside {
                    material(voxel)
                } else {
                    Material::AIR
                }
            })
        };
        let bricks: Vec<Voxels> = shape.places().map(voxels).collect();
        let key = self.objects.next_key;
        Ok(self.insert_object(key, &shape, bricks))
    }

    /// Adds a passing object of a checked shape, with the voxels of all its chunks.
    pub(crate) fn insert_object(
        &mut self,
        key: ObjectKey,
        shape: &ObjectShape,
        bricks: Vec<Voxels>,
    ) -> ObjectId {
        self.revision += 1;
        let id = self.objects.free.pop().unwrap_or_else(|| {
            self.objects.slots.push(None);
            (self.objects.slots.len() - 1) as u32
        });
        let id = ObjectId(id);
        let bricks = bricks.into_iter().zip(shape.places());
        let bricks: Vec<BrickId> = bricks
            .map(|(voxels, place)| {
                let brick = Brick::new(voxels, &self.materials);
                self.slots
                    .add(brick, place, Owner::Object(id), self.revision)
            })
            .collect();
        let object = VoxelObject {
            key,
            keeping: Keeping::Passing,
            origin: shape.origin,
            voxel_size: shape.voxel_size,
            extent: shape.extent,
            bricks,
            displacement: Vector3::zeros(),
            moved_at: self.revision,
        };
        for &brick in &object.bricks {
            let place = self.place_of(brick);
            let around = std::array::from_fn(|index| {
                let step = step_of(index);
                object.brick_at(place + step).unwrap_or(BrickId::OUTSIDE)
            });
            self.slots.get_mut(brick).around = around;
            self.mark_whole(brick);
        }
        let bounds = object_box(&object);
        self.index
            .insert(Found::Object(id).key(), bounds.without_ends());
        self.objects.slots[id.0 as usize] = Some(object);
        self.objects.keys.insert(key, id);
        self.objects.next_key = self.objects.next_key.max(key.next());
        self.merge_pending();
        id
    }

    /// Sets the keeping of an object.
    pub(crate) fn mark_keeping(&mut self, id: ObjectId, keeping: Keeping) {
        if let Some(object) = self.object_mut(id) {
            object.keeping = keeping;
        }
    }

    /// Reserves all keys before this one.
    pub(crate) fn reserve_keys(&mut self, next: ObjectKey) {
        self.objects.next_key = self.objects.next_key.max(next);
    }

    /// Takes an object out.
    pub(crate) fn take_object(&mut self, id: ObjectId) -> Option<Shelved> {
        let object = self.objects.slots.get_mut(id.0 as usize)?.take()?;
        self.revision += 1;
        let shape = object.shape();
        let (slots, revision) = (&mut self.slots, self.revision);
        let taken = object.bricks.iter();
        let bricks = taken.map(|&brick| slots.remove(brick, revision).voxels);
        let bricks = bricks.collect();
        self.index.remove(Found::Object(id).key());
        self.objects.keys.remove(&object.key);
        self.objects.free.push(id.0);
        Some(Shelved {
            key: object.key,
            keeping: object.keeping,
            shape,
            bricks,
        })
    }

    /// Puts back an object that was taken out.
    pub(crate) fn return_object(&mut self, shelved: Shelved) -> ObjectId {
        let id = self.insert_object(shelved.key, &shelved.shape, shelved.bricks);
        self.mark_keeping(id, shelved.keeping);
        id
    }

    /// Returns a free object.
    #[inline]
    pub fn object(&self, id: ObjectId) -> Option<&VoxelObject> {
        self.objects.slots.get(id.0 as usize)?.as_ref()
    }

    fn object_mut(&mut self, id: ObjectId) -> Option<&mut VoxelObject> {
        self.objects.slots.get_mut(id.0 as usize)?.as_mut()
    }

    /// Returns the free object with this key.
    pub fn object_by_key(&self, key: ObjectKey) -> Option<ObjectId> {
        self.objects.keys.get(&key).copied()
    }

    /// Returns all free objects in order of id.
    pub fn objects(&self) -> impl Iterator<Item = (ObjectId, &VoxelObject)> {
        (0..)
            .map(ObjectId)
            .zip(&self.objects.slots)
            .filter_map(|(id, object)| Some((id, object.as_ref()?)))
    }

    /// Moves an object by a displacement. Returns false if there is no such object or the
    /// displacement is not finite.
    pub(crate) fn move_object(&mut self, id: ObjectId, displacement: Vector3<f32>) -> bool {
        let revision = self.revision + 1;
        let finite = displacement.iter().all(|part| part.is_finite());
        let Some(object) = self.object_mut(id).filter(|_| finite) else {
            return false;
        };
        if displacement == Vector3::zeros() && object.displacement == displacement {
            return true;
        }
        object.origin = object.origin.moved(displacement);
        object.displacement = displacement;
        object.moved_at = revision;
        let bounds = object_box(object);
        self.revision = revision;
        self.index
            .insert(Found::Object(id).key(), bounds.without_ends());
        true
    }
}

/// Returns the cells that an object's box reaches into.
fn object_box(object: &VoxelObject) -> CellBox {
    let size = object
        .extent
        .map(|voxels| voxels as f32 * object.voxel_size);
    CellBox::new(object.origin.cell, object.origin.moved(size).cell)
}
