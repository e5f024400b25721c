//! The transparent part of the render surface: water, leaves, glass. Merged by material.
//!
//! A face is drawn unless what is in front is opaque or the same material.

use super::bitmap::{Around, Bitmap, Kind};
use super::opaque::merge_stored;
use super::planes::{MergeScratch, PlaneSet, replace_planes};
use crate::chunk::{SIDE, row_of};
use crate::surface::{Face, RenderQuad, Surface};

pub(super) fn update(
    around: &Around<'_>,
    planes: &PlaneSet,
    surface: &mut Surface<RenderQuad>,
    scratch: &mut MergeScratch,
) {
    let MergeScratch {
        render, painted, ..
    } = scratch;
    let voxels = &around.middle().voxels;
    replace_planes(surface, planes, render, |face, layer, _, out| {
        let faces = exposed(around, face, layer);
        merge_stored(voxels, face, layer, &faces, painted, out);
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
