//! The voxel that a contact of a character is with, and its material.

use collision::{Position, Touched, tolerance::BEHIND_SURFACE};
use nalgebra::Vector3;

use crate::chunk::SIDE;
use crate::gather::object_of;
use crate::{Material, VoxelObject, World};

impl World {
    /// Returns the voxel at a place on the surface of an object, by the cell of its own lattice.
    /// `None` where there is no such object.
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

    /// Returns the voxel of the terrain, or of an object, that holds a place, if it is solid.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CellBox, Material};
    use collision::{Cell, Character, Crowd, Intent, ObjectId, Other, Piece};
    use nalgebra::Point3;

    #[test]
    fn contacts_of_a_walker_name_the_voxels_of_the_world() {
        let bounds = CellBox::new(Cell::new(-8, -4, -8), Cell::new(8, 8, 8));
        let material = |cell: Cell| match cell {
            cell if cell.y < 0 => Material::DIRT,
            cell if cell.x == 4 && cell.y < 3 => Material::STONE,
            _ => Material::AIR,
        };
        let world = World::from_voxels(bounds, material);
        let mut crowd = Crowd::new();
        let start = Position::from_metres(Point3::new(2.5, 0.91, 1.5));
        let id = crowd.add(Character::at(start));
        assert!(crowd.watch(id).is_ok());
        for _ in 0..60 {
            crowd.tick(
                &world,
                &[(id, Intent::walk(Vector3::x() * 3.0))],
                1.0 / 60.0,
            );
        }
        let mut found: Vec<_> = crowd.contacts_of(id).iter().map(|it| it.touched).collect();
        found.retain(|touched| touched.material != 0);
        let place = |touched: &Touched| match touched.piece {
            Piece::Voxel(cell) => Some((cell, touched.material)),
            _ => None,
        };
        let mut found: Vec<_> = found.iter().filter_map(place).collect();
        found.sort_by_key(|(cell, _)| cell.y);
        let dirt = (Cell::new(3, -1, 1), u32::from(Material::DIRT.0));
        let stone = (Cell::new(4, 0, 1), u32::from(Material::STONE.0));
        assert_eq!(found, [dirt, stone]);
        let is_terrain = |other: Other| matches!(other, Other::Terrain(_));
        assert!(crowd.contacts_of(id).iter().all(|it| is_terrain(it.other)));
        let nothing = world.touched_at(ObjectId(77), &start, &Vector3::y());
        assert_eq!(nothing, None);
    }
}
