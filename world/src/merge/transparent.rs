//! Merges the transparent part of the render surface (water, leaves, glass) by material.
//!
//! A face is drawn unless the voxel in front is opaque or of the same material.

use super::bitmap::{Around, Bitmap, Kind};
use super::bulk::{Bulk, Shown};
use super::indexed::Few;
use super::opaque::{merge_stored, rebuild_from};
use super::planes::{MergeScratch, PlaneSet, rebuild_planes, replace_planes};
use crate::chunk::{Bits, NO_BITS, ROWS, SIDE, row_of};
use crate::material::Material;
use crate::surface::{Face, RenderQuad, Surface};
use std::num::NonZeroU32;

/// With more planes to merge than this, all faces are found at once.
const FEW_PLANES: u32 = 12;

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

/// Merges the whole surface.
pub(super) fn rebuild(
    around: &Around<'_>,
    few: Option<&Few>,
    surface: &mut Surface<RenderQuad>,
    scratch: &mut MergeScratch,
) {
    if around.middle().has_no_clear() {
        return rebuild_planes(surface, &mut scratch.render, |_, _, _| 0);
    }
    scratch.clear.find_faces(around, &mut scratch.bulk);
    rebuild_from(&around.middle().voxels, few, surface, scratch);
}

/// Merges some planes again.
pub(super) fn update(
    around: &Around<'_>,
    planes: &PlaneSet,
    surface: &mut Surface<RenderQuad>,
    scratch: &mut MergeScratch,
) {
    let MergeScratch {
        render,
        painted,
        clear,
        bulk,
        ..
    } = scratch;
    let voxels = &around.middle().voxels;
    let many = planes.len() > FEW_PLANES;
    if many {
        clear.find_faces(around, bulk);
    }
    replace_planes(surface, planes, render, |face, layer, _, out| {
        let faces = match many {
            true => bulk.bitmap(face, layer),
            false => exposed(around, face, layer),
        };
        merge_stored(voxels, face, layer, &faces, painted, |quad| out.push(quad));
    });
}

impl Clear {
    /// Finds the faces of all planes, material by material: a voxel hides faces of its own
    /// material.
    fn find_faces(&mut self, around: &Around<'_>, bulk: &mut Bulk) {
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

fn exposed(around: &Around<'_>, face: Face, own: usize) -> Bitmap {
    let (axis, layer) = (face.axis(), own as i32);
    let mut faces = [0; SIDE];
    around.bitmap(Kind::Clear, axis, layer, &mut faces);
    if faces == [0; SIDE] {
        return faces;
    }
    let (mut opaque, mut clear) = ([0; SIDE], [0; SIDE]);
    let next = layer + face.sign();
    around.bitmap(Kind::Opaque, axis, next, &mut opaque);
    around.bitmap(Kind::Clear, axis, next, &mut clear);
    let (neighbour, next) = around.layer(axis, next);
    for row in 0..SIDE {
        faces[row] &= !opaque[row];
        let mut rest = faces[row] & clear[row];
        while rest != 0 {
            let column = rest.trailing_zeros() as usize;
            let (here, there) = match axis {
                0 => ((row_of(column, row), own), (row_of(column, row), next)),
                1 => ((row_of(own, row), column), (row_of(next, row), column)),
                _ => ((row_of(row, own), column), (row_of(row, next), column)),
            };
            if around.middle().voxels.at(here.0, here.1) == neighbour.voxels.at(there.0, there.1) {
                faces[row] &= !(1 << column);
            }
            rest &= rest - 1;
        }
    }
    faces
}
