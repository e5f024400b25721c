//! A brick of few materials as bit planes of their numbers, laid out as [`super::bulk`] wants them.

use super::turn::transpose;
use crate::chunk::{Bits, SIDE, Voxels};
use crate::material::Material;
use crate::surface::Face;

/// Materials besides air that can be told apart.
const FEW: usize = 16;
/// Bits of their numbers.
const PLANES: usize = 4;

/// The number of each voxel's material, a bit a plane: by rows along x and by rows along y. Air has whatever number: it has no
/// faces.
#[derive(Clone, Debug)]
pub(super) struct Indexed {
    along_x: [Bits; PLANES],
    along_y: [Bits; PLANES],
}

impl Default for Indexed {
    fn default() -> Self {
        let none = [[0; SIDE * SIDE]; PLANES];
        Self {
            along_x: none,
            along_y: none,
        }
    }
}

impl Indexed {
    /// Numbers the voxels of a brick, if it holds few materials.
    pub(super) fn number(&mut self, voxels: &Voxels) -> Option<Few> {
        let few = Few::of(voxels)?;
        self.fill(voxels, &few);
        Some(few)
    }

    fn fill(&mut self, voxels: &Voxels, few: &Few) {
        let planes = few.planes();
        voxels.number(&mut self.along_x[..planes], |material| few.index(material));
        for (turned, plane) in self.along_y.iter_mut().zip(&self.along_x[..planes]) {
            for (turned, slab) in turned.as_chunks_mut().0.iter_mut().zip(plane.as_chunks().0) {
                *turned = *slab;
                transpose(turned);
            }
        }
    }

    /// The bits for planes of this direction.
    #[inline]
    pub(super) fn bits<const N: usize>(&self, face: Face) -> [&Bits; N] {
        let planes = match face.axis() {
            0 => &self.along_y,
            _ => &self.along_x,
        };
        std::array::from_fn(|bit| &planes[bit % PLANES])
    }
}

/// The materials of a brick besides air, if they are few.
pub(super) struct Few {
    materials: [Material; FEW],
    count: usize,
}

impl Few {
    /// `None` when there are many.
    fn of(voxels: &Voxels) -> Option<Self> {
        let mut found = Self {
            materials: [Material::AIR; FEW],
            count: 0,
        };
        let all = voxels.all_materials(|material| {
            if material == Material::AIR || found.materials[..found.count].contains(&material) {
                return true;
            }
            if found.count == FEW {
                return false;
            }
            found.materials[found.count] = material;
            found.count += 1;
            true
        });
        all.then_some(found)
    }

    /// How many bits their numbers take.
    pub(super) fn planes(&self) -> usize {
        self.count.max(1).next_power_of_two().trailing_zeros() as usize
    }

    #[inline]
    pub(super) fn material(&self, number: usize) -> Material {
        self.materials[number % FEW]
    }

    fn index(&self, material: Material) -> usize {
        self.materials[..self.count]
            .iter()
            .position(|&held| held == material)
            .unwrap_or(0)
    }
}
