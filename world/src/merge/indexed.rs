//! A chunk of few materials, as bit planes of material numbers and of the changes between
//! neighbouring voxels, in the layout of [`super::bulk`].

use super::bulk::{Differs, slab, slab_mut};
use super::turn::transpose;
use crate::chunk::{Bits, NO_BITS, SIDE, Voxels, row_of};
use crate::material::Material;
use crate::surface::Face;

/// Largest number of materials, air not counted.
const FEW: usize = 16;
/// Bits of a material number.
const PLANES: usize = 4;

/// The number of each voxel's material, one bit per plane. The number of air is arbitrary: it has
/// no faces.
#[derive(Clone, Debug)]
pub(super) struct Indexed {
    numbers: [Bits; PLANES],
    /// Voxels whose number differs from the voxel before, along x, y and z; rows along x.
    changes: [Bits; 3],
    /// Voxels whose number differs from the voxel before, along y and z; rows along y.
    turned: [Bits; 2],
}

impl Default for Indexed {
    fn default() -> Self {
        Self {
            numbers: [NO_BITS; PLANES],
            changes: [NO_BITS; 3],
            turned: [NO_BITS; 2],
        }
    }
}

/// The material changes in the planes of a direction: from the column before and from the row
/// above.
#[derive(Clone, Copy)]
pub(super) struct Changes<'a> {
    across: &'a Bits,
    down: &'a Bits,
}

impl Differs for Changes<'_> {
    #[inline(always)]
    fn across(self, at: usize) -> u32 {
        self.across[at]
    }

    #[inline(always)]
    fn down(self, at: usize) -> u32 {
        self.down[at]
    }

    #[inline(always)]
    fn down_slab(&self, z: usize) -> &[u32; SIDE] {
        slab(self.down, z)
    }
}

impl Indexed {
    /// Numbers the voxels of a chunk, if it has few materials.
    pub(super) fn number(&mut self, voxels: &Voxels) -> Option<Few> {
        let few = Few::of(voxels)?;
        if few.planes() > 0 {
            voxels.number(&mut self.numbers[..few.planes()], |material| {
                few.index(material)
            });
            self.find_changes(few.planes());
        }
        Some(few)
    }

    fn find_changes(&mut self, planes: usize) {
        let Self {
            numbers,
            changes: [along_x, along_y, along_z],
            turned: [turned_y, turned_z],
        } = self;
        for z in 0..SIDE {
            let (mut x, mut y, mut behind) = ([0; SIDE], [0; SIDE], [0; SIDE]);
            for plane in &numbers[..planes] {
                let (here, before) = (slab(plane, z), slab(plane, z.max(1) - 1));
                for row in 0..SIDE {
                    x[row] |= here[row] ^ (here[row] << 1);
                    behind[row] |= here[row] ^ before[row];
                }
                for row in 1..SIDE {
                    y[row] |= here[row] ^ here[row - 1];
                }
            }
            *slab_mut(along_x, z) = x;
            *slab_mut(along_y, z) = y;
            *slab_mut(along_z, z) = behind;
            transpose(&mut y);
            transpose(&mut behind);
            *slab_mut(turned_y, z) = y;
            *slab_mut(turned_z, z) = behind;
        }
    }

    /// Returns the changes of numbers in the planes of this direction.
    #[inline]
    pub(super) fn changes(&self, face: Face) -> Changes<'_> {
        let [x, y, z] = &self.changes;
        let (across, down) = match face.axis() {
            0 => (&self.turned[0], &self.turned[1]),
            1 => (x, z),
            _ => (x, y),
        };
        Changes { across, down }
    }

    /// Returns the material of a face.
    #[inline(always)]
    pub(super) fn material(
        &self,
        few: &Few,
        face: Face,
        [layer, row, column]: [usize; 3],
    ) -> Material {
        let (at, bit) = match face.axis() {
            0 => (row_of(column, row), layer),
            1 => (row_of(layer, row), column),
            _ => (row_of(row, layer), column),
        };
        let number = (0..PLANES).fold(0, |number, plane| {
            number | ((((self.numbers[plane][at] >> bit) & 1) as usize) << plane)
        });
        // The higher planes hold bits of another chunk.
        few.materials[number & few.last_number()]
    }
}

/// Slots of the hash table for material numbers.
const SLOTS: usize = 64;

/// The materials of a chunk, air not counted, if they are few.
pub(super) struct Few {
    materials: [Material; FEW],
    count: usize,
    /// The number of each material, in the first free slot from its id on. Air is an empty slot.
    slots: [(Material, u8); SLOTS],
}

impl Few {
    /// Returns `None` if there are too many materials.
    fn of(voxels: &Voxels) -> Option<Self> {
        let mut found = Self {
            materials: [Material::AIR; FEW],
            count: 0,
            slots: [(Material::AIR, 0); SLOTS],
        };
        let all = voxels.all_materials(|material| found.add(material));
        all.then_some(found)
    }

    /// Returns the slot of a material, or the one it would take.
    #[inline(always)]
    fn slot(&self, material: Material) -> usize {
        let mut slot = usize::from(material.0) % SLOTS;
        while self.slots[slot].0 != material && self.slots[slot].0 != Material::AIR {
            slot = (slot + 1) % SLOTS;
        }
        slot
    }

    /// Adds a material. Returns false if there is no room.
    #[inline(always)]
    fn add(&mut self, material: Material) -> bool {
        let slot = self.slot(material);
        if self.slots[slot].0 == material {
            return true;
        }
        if self.count == FEW {
            return false;
        }
        self.slots[slot] = (material, self.count as u8);
        self.materials[self.count] = material;
        self.count += 1;
        true
    }

    /// Returns the number of bits of the material numbers.
    pub(super) fn planes(&self) -> usize {
        self.count.max(1).next_power_of_two().trailing_zeros() as usize
    }

    fn last_number(&self) -> usize {
        ((1 << self.planes()) - 1) % FEW
    }

    /// Returns the material of a chunk that needs no numbers.
    pub(super) fn only(&self) -> Material {
        self.materials[0]
    }

    #[inline(always)]
    fn index(&self, material: Material) -> usize {
        usize::from(self.slots[self.slot(material)].1)
    }
}
