//! Finds all faces of transparent voxels, material by material.

use super::bitmap::Around;
use super::bulk::{Bulk, Shown};
use crate::chunk::{Bits, NO_BITS, ROWS, SIDE};
use crate::material::Material;
use crate::surface::Face;
use std::num::NonZeroU32;

/// Bits of one material, in the chunk and in the adjacent layers of its neighbours.
#[derive(Clone, Debug)]
pub(super) struct Clear {
    rest: Bits,
    own: Bits,
    hiding: Bits,
    beside: [Bits; 6],
}

impl Default for Clear {
    fn default() -> Self {
        Self {
            rest: NO_BITS,
            own: NO_BITS,
            hiding: NO_BITS,
            beside: [NO_BITS; 6],
        }
    }
}

impl Clear {
    /// Finds the faces of all planes, material by material: a voxel hides faces of its own
    /// material.
    pub(super) fn find_faces(&mut self, around: &Around<'_>, bulk: &mut Bulk) {
        let voxels = &around.middle().voxels;
        bulk.clear();
        self.rest = *around.middle().clear_bits();
        for row in 0..ROWS {
            while let Some(first) = NonZeroU32::new(self.rest[row]) {
                let material = voxels.at(row, first.trailing_zeros() as usize);
                self.find_faces_of(material, around, bulk);
            }
        }
    }

    fn find_faces_of(&mut self, material: Material, around: &Around<'_>, bulk: &mut Bulk) {
        let middle = around.middle();
        middle
            .voxels
            .bits_where(|held| held == material, &mut self.own);
        for (rest, own) in self.rest.iter_mut().zip(&self.own) {
            *rest &= !own;
        }
        hide(&mut self.hiding, middle.opaque_bits(), &self.own);
        let mut beside = Face::ALL.map(|face| around.beside(face).opaque_bits());
        for (face, (bits, seen)) in Face::ALL
            .into_iter()
            .zip(self.beside.iter_mut().zip(&mut beside))
        {
            let there = around.beside(face);
            if !there.has_no_clear() {
                let opaque = *seen;
                for row in rows_towards(face) {
                    bits[row] = opaque[row] | there.voxels.holding(row, material);
                }
                *seen = bits;
            }
        }
        bulk.add_faces(&Shown {
            own: &self.own,
            hiding: &self.hiding,
            beside,
        });
    }
}

fn hide(hiding: &mut Bits, opaque: &Bits, alike: &Bits) {
    for (hiding, (opaque, alike)) in hiding.iter_mut().zip(opaque.iter().zip(alike)) {
        *hiding = opaque | alike;
    }
}

/// Returns the rows of a neighbour that may be in front of our faces.
fn rows_towards(face: Face) -> impl Iterator<Item = usize> {
    let (first, step, count) = match face {
        Face::NegativeX | Face::PositiveX => (0, 1, ROWS),
        Face::NegativeY => (SIDE - 1, SIDE, SIDE),
        Face::PositiveY => (0, SIDE, SIDE),
        Face::NegativeZ => (ROWS - SIDE, 1, SIDE),
        Face::PositiveZ => (0, 1, SIDE),
    };
    (0..count).map(move |index| first + index * step)
}
