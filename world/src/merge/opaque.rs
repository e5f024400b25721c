//! Merges the opaque part of the render surface by material. Ambient occlusion never separates
//! quads: it is computed from the bits of opaque voxels when drawn.

use super::Change;
use super::bitmap::{Around, Bitmap, Kind};
use super::bulk::{Alike, Bulk, Differs};
use super::greedy::{Rect, take_rectangles, turns_of};
use super::indexed::Few;
use super::painted::Painted;
use super::planes::{MergeScratch, ROOM, rebuild_planes, replace_planes};
use super::quads::Quad;
use crate::chunk::{SIDE, Voxels, row_of};
use crate::material::Material;
use crate::surface::{Face, RenderQuad, Surface};

/// Merges again those of some planes that have faces or quads in the changed region.
pub(super) fn update(
    around: &Around<'_>,
    change: &Change,
    surface: &mut Surface<RenderQuad>,
    scratch: &mut MergeScratch,
) {
    let voxels = &around.middle().voxels;
    let MergeScratch {
        render,
        solid,
        opaque,
        painted,
        ..
    } = scratch;
    let layers = if around.all_solids_are_opaque() {
        solid
    } else {
        opaque
    };
    replace_planes(surface, &change.opaque, render, |face, layer, old, out| {
        let faces = &layers.exposed(around, Kind::Opaque, face, layer);
        let window = change.region.window(face.axis());
        if window.holds_face(faces) || window.holds_quad(old, face.axis()) {
            merge_stored(voxels, face, layer, faces, painted, |quad| out.push(quad));
        } else {
            out.extend_from_slice(old);
        }
    });
}

/// Merges faces of a plane, reading the materials from the chunk's voxels.
pub(super) fn merge_stored(
    voxels: &Voxels,
    face: Face,
    layer: usize,
    faces: &Bitmap,
    painted: &mut Painted,
    emit: impl FnMut(RenderQuad),
) {
    painted.clear();
    for (row, &faces) in faces.iter().enumerate() {
        let mut rest = faces;
        while rest != 0 {
            let column = rest.trailing_zeros() as usize;
            let (material, alike) = match face.axis() {
                0 => (voxels.at(row_of(column, row), layer), 1 << column),
                1 => voxels.alike(row_of(layer, row), column),
                _ => voxels.alike(row_of(row, layer), column),
            };
            painted.paint(row..row + 1, alike & rest, material);
            rest &= !alike;
        }
    }
    merge_painted(painted, face, layer, emit);
}

/// Merges painted faces.
pub(super) fn merge_painted<Q: Quad>(
    painted: &Painted,
    face: Face,
    layer: usize,
    mut emit: impl FnMut(Q),
) {
    let packing = Q::packing(face, layer);
    take_rectangles(painted, turns_of(painted), |rect| {
        let material = painted.material(rect.row as usize, rect.column);
        emit(Q::pack(&packing, rect, material));
    });
}

/// Merges all planes from faces found before; `few` are the chunk's materials if they are numbered.
pub(super) fn rebuild(
    around: &Around<'_>,
    few: Option<&Few>,
    surface: &mut Surface<RenderQuad>,
    scratch: &mut MergeScratch,
) {
    if around.middle().opaque_grid().is_empty() {
        return rebuild_planes(surface, &mut scratch.render, |_, _, _| 0);
    }
    rebuild_from(&around.middle().voxels, few, surface, scratch);
}

/// Merges all planes of the opaque or transparent surface from faces found before.
pub(super) fn rebuild_from(
    voxels: &Voxels,
    few: Option<&Few>,
    surface: &mut Surface<RenderQuad>,
    scratch: &mut MergeScratch,
) {
    let MergeScratch {
        render,
        bulk,
        indexed,
        painted,
        ..
    } = scratch;
    let Some(few) = few else {
        return rebuild_planes(surface, render, |face, layer, room| {
            let faces = bulk.bitmap(face, layer);
            let mut count = 0;
            merge_stored(voxels, face, layer, &faces, painted, |quad| {
                room[count % ROOM] = quad;
                count += 1;
            });
            count
        });
    };
    if few.planes() == 0 {
        return rebuild_bulk(bulk, |_| Alike, |_, _, _| few.only(), surface, render);
    }
    rebuild_bulk(
        bulk,
        |face| indexed.changes(face),
        |face, layer, rect| {
            let place = [layer, rect.row as usize, rect.column as usize];
            indexed.material(few, face, place)
        },
        surface,
        render,
    );
}

/// Merges all planes from faces found before; `differs` tells which must not be merged, `material`
/// their materials.
#[inline(always)]
fn rebuild_bulk<D: Differs>(
    bulk: &Bulk,
    differs: impl Fn(Face) -> D,
    material: impl Fn(Face, usize, &Rect) -> Material,
    surface: &mut Surface<RenderQuad>,
    buffer: &mut Vec<RenderQuad>,
) {
    let mut turns = [0; SIDE];
    rebuild_planes(surface, buffer, |face, layer, room| {
        let differs = differs(face);
        if layer == 0 {
            bulk.turns(face, differs, &mut turns);
        }
        let packing = RenderQuad::packing(face, layer);
        let mut count = 0;
        bulk.take_rectangles(face, layer, turns[layer], differs, |rect| {
            let material = material(face, layer, rect);
            room[count % ROOM] = RenderQuad::pack(&packing, rect, material);
            count += 1;
        });
        count
    });
}
