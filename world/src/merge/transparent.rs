//! Merges the transparent part of the render surface (water, leaves, glass) by material.
//!
//! A face is drawn unless the voxel in front is opaque or of the same material.

use super::bitmap::{Around, Bitmap, Kind};
use super::indexed::Few;
use super::opaque::{merge_stored, rebuild_from};
use super::planes::{MergeScratch, PlaneSet, rebuild_planes, replace_planes};
use crate::chunk::{SIDE, row_of};
use crate::surface::{Face, RenderQuad, Surface};

/// With more planes to merge than this, all faces are found at once.
const FEW_PLANES: u32 = 12;

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
