//! The transparent part of the render surface: water, leaves, glass. Merged by material, evenly lit.
//!
//! A face is drawn unless what is in front is opaque or the same material.

use super::bitmap::{Around, Bitmap, Kind};
use super::opaque::{LIT, Plane, Rect};
use super::planes::{MergeScratch, PlaneSet, replace_planes};
use crate::chunk::{SIDE, row_of};
use crate::surface::{RenderQuad, Surface};

pub(super) fn update(
    around: &Around<'_>,
    planes: &PlaneSet,
    surface: &mut Surface<RenderQuad>,
    scratch: &mut MergeScratch,
) {
    replace_planes(surface, planes, &mut scratch.render, |face, layer, out| {
        let plane = Plane {
            voxels: &around.middle().voxels,
            face,
            layer,
        };
        let mut faces = exposed(around, &plane);
        for row in 0..SIDE {
            let mut bits = faces[row];
            while bits != 0 {
                let run = plane.run(row, bits.trailing_zeros(), bits);
                bits &= !run.mask;
                let mut end = row + 1;
                while end < SIDE
                    && faces[end] & run.mask == run.mask
                    && plane.holds(end, run.mask, run.material)
                {
                    faces[end] &= !run.mask;
                    end += 1;
                }
                let rect = Rect {
                    row: row as u32,
                    column: run.mask.trailing_zeros(),
                    rows: (end - row) as u32,
                    columns: run.mask.count_ones(),
                };
                out.push(plane.quad(&rect, run.material, LIT));
            }
        }
    });
}

fn exposed(around: &Around<'_>, plane: &Plane<'_>) -> Bitmap {
    let (axis, layer) = (plane.face.axis(), plane.layer as i32);
    let mut faces = [0; SIDE];
    around.bitmap(Kind::Clear, axis, layer, &mut faces);
    if faces == [0; SIDE] {
        return faces;
    }
    let (mut opaque, mut clear) = ([0; SIDE], [0; SIDE]);
    let next = layer + plane.face.sign();
    around.bitmap(Kind::Opaque, axis, next, &mut opaque);
    around.bitmap(Kind::Clear, axis, next, &mut clear);
    let (neighbour, next) = around.layer(axis, next);
    for row in 0..SIDE {
        faces[row] &= !opaque[row];
        let mut rest = faces[row] & clear[row];
        while rest != 0 {
            let column = rest.trailing_zeros() as usize;
            let (own, there) = match axis {
                0 => (
                    (row_of(column, row), plane.layer),
                    (row_of(column, row), next),
                ),
                1 => (
                    (row_of(plane.layer, row), column),
                    (row_of(next, row), column),
                ),
                _ => (
                    (row_of(row, plane.layer), column),
                    (row_of(row, next), column),
                ),
            };
            if plane.voxels.at(own.0, own.1) == neighbour.voxels.at(there.0, there.1) {
                faces[row] &= !(1 << column);
            }
            rest &= rest - 1;
        }
    }
    faces
}
