//! A single plane whose faces are set one by one: the form in which an edit merges planes again.

use super::greedy::Plane;
use crate::chunk::SIDE;
use crate::material::Material;

/// Largest number of materials that are numbered; with more, their ids are stored.
const FEW: usize = 4;
/// Bits of a material id.
const ID_BITS: usize = 16;

/// The faces of one plane with their materials.
#[derive(Clone, Debug)]
pub(super) struct Painted {
    faces: [u32; SIDE],
    /// Bits of each face's number: an index into `materials`, or an id.
    numbers: [[u32; SIDE]; ID_BITS],
    bits: usize,
    materials: [Material; FEW],
    count: usize,
}

impl Default for Painted {
    fn default() -> Self {
        Self {
            faces: [0; SIDE],
            numbers: [[0; SIDE]; ID_BITS],
            bits: 0,
            materials: [Material::AIR; FEW],
            count: 0,
        }
    }
}

impl Painted {
    /// Removes all faces.
    pub(super) fn clear(&mut self) {
        self.faces = [0; SIDE];
        self.numbers[..self.bits].fill([0; SIDE]);
        (self.bits, self.count) = (0, 0);
    }

    /// Removes faces of a row.
    pub(super) fn erase(&mut self, row: usize, mask: u32) {
        self.faces[row % SIDE] &= !mask;
    }

    /// Adds faces of a material to some rows.
    pub(super) fn paint(&mut self, rows: std::ops::Range<usize>, mask: u32, material: Material) {
        let number = self.number_of(material);
        for faces in &mut self.faces[rows.clone()] {
            *faces |= mask;
        }
        for (bit, numbers) in self.numbers[..self.bits].iter_mut().enumerate() {
            let set = ((number >> bit) & 1).wrapping_neg() & mask;
            for word in &mut numbers[rows.clone()] {
                *word = (*word & !mask) | set;
            }
        }
    }

    /// Returns the material of a face.
    #[inline]
    pub(super) fn material(&self, row: usize, column: u32) -> Material {
        let number = self.numbers[..self.bits]
            .iter()
            .enumerate()
            .fold(0, |key, (bit, words)| {
                key | (((words[row % SIDE] >> column) & 1) << bit)
            });
        if self.bits == ID_BITS {
            Material(number as u16)
        } else {
            self.materials[number as usize % FEW]
        }
    }

    /// Returns the number of a material, adding it if necessary.
    fn number_of(&mut self, material: Material) -> u32 {
        if self.bits == ID_BITS {
            return u32::from(material.0);
        }
        let known = self.materials[..self.count]
            .iter()
            .position(|&held| held == material);
        if let Some(known) = known {
            return known as u32;
        }
        if self.count == FEW {
            self.number_by_id();
            return u32::from(material.0);
        }
        self.materials[self.count] = material;
        self.count += 1;
        let bits = self.count.next_power_of_two().trailing_zeros() as usize;
        self.numbers[self.bits..bits].fill([0; SIDE]);
        self.bits = bits;
        self.count as u32 - 1
    }

    /// Replaces indices by ids.
    fn number_by_id(&mut self) {
        let [low, high] = [self.numbers[0], self.numbers[1]];
        for (bit, numbers) in self.numbers.iter_mut().enumerate() {
            for (row, word) in numbers.iter_mut().enumerate() {
                let of =
                    |index: usize| u32::from(self.materials[index].0 >> bit & 1).wrapping_neg();
                let (low, high) = (low[row], high[row]);
                *word = (of(0) & !low & !high)
                    | (of(1) & low & !high)
                    | (of(2) & !low & high)
                    | (of(3) & low & high);
            }
        }
        self.bits = ID_BITS;
    }
}

impl Plane for Painted {
    #[inline]
    fn faces(&self, row: usize) -> u32 {
        self.faces[row]
    }

    #[inline]
    fn across(&self, row: usize) -> u32 {
        self.numbers[..self.bits].iter().fold(0, |differs, words| {
            differs | (words[row] ^ (words[row] << 1))
        })
    }

    #[inline]
    fn down(&self, row: usize) -> u32 {
        let above = row.saturating_sub(1);
        self.numbers[..self.bits]
            .iter()
            .fold(0, |differs, words| differs | (words[row] ^ words[above]))
    }
}
