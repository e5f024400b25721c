//! The opaque part of the render surface: merged by material and ambient occlusion.

use super::Change;
use super::bitmap::{Around, Bitmap, Kind, Padded};
use super::bulk::Bulk;
use super::greedy::{Lines, take_rectangles};
use super::light::{LIT, classify, even_light, light_of};
use super::planes::{MergeScratch, PlaneSet, rebuild_planes, replace_planes};
use super::source::{Few, OneMaterial, Rect, Stored, pack};
use crate::chunk::SIDE;
use crate::material::Material;
use crate::surface::{Face, RenderQuad, Surface};

/// Merges some planes again, those that show something new or old near where something changed.
pub(super) fn update(
    around: &Around<'_>,
    change: &Change,
    surface: &mut Surface<RenderQuad>,
    scratch: &mut MergeScratch,
) {
    if change.opaque == PlaneSet::ALL {
        return rebuild(around, surface, scratch);
    }
    let voxels = &around.middle().voxels;
    let MergeScratch {
        render,
        solid,
        opaque,
        ..
    } = scratch;
    let layers = if around.all_solids_are_opaque() {
        solid
    } else {
        opaque
    };
    let near = change.region.grown();
    replace_planes(surface, &change.opaque, render, |face, layer, old, out| {
        let faces = &layers.exposed(around, Kind::Opaque, face, layer);
        let lit = change.lit.contains(face, layer);
        let window = if lit { near } else { change.region }.window(face.axis());
        if window.holds_face(faces) || window.holds_quad(old) {
            let plane = Plane {
                face,
                layer,
                faces,
                front: layers.front(face, layer),
            };
            merge_plane(
                &plane,
                &Stored::new(voxels, face, layer),
                |material| material,
                out,
            );
        } else {
            out.extend_from_slice(old);
        }
    });
}

/// Merges all planes.
pub(super) fn rebuild(
    around: &Around<'_>,
    surface: &mut Surface<RenderQuad>,
    scratch: &mut MergeScratch,
) {
    let MergeScratch {
        render,
        bulk,
        indexed,
        ..
    } = scratch;
    if around.middle().opaque_grid().is_empty() {
        return rebuild_planes(surface, render, |_, _, _| {});
    }
    bulk.find_faces(around, Kind::Opaque);
    bulk.find_margins(around, Kind::Opaque);
    let bulk = &*bulk;
    let voxels = &around.middle().voxels;
    match Few::of(voxels) {
        Some(few) if few.count <= 1 => rebuild_planes(surface, render, |face, layer, out| {
            let merge =
                |plane: &Plane<'_>| merge_plane(plane, &OneMaterial, |()| few.materials[0], out);
            with_plane(around, bulk, face, layer, merge);
        }),
        Some(few) => {
            indexed.fill(voxels, &few);
            rebuild_planes(surface, render, |face, layer, out| {
                let lines = indexed.plane(face, layer);
                let merge = |plane: &Plane<'_>| {
                    merge_plane(plane, &lines, |key| indexed.material(key), out)
                };
                with_plane(around, bulk, face, layer, merge);
            });
        }
        None => rebuild_planes(surface, render, |face, layer, out| {
            let lines = Stored::new(voxels, face, layer);
            let merge = |plane: &Plane<'_>| merge_plane(plane, &lines, |material| material, out);
            with_plane(around, bulk, face, layer, merge);
        }),
    }
}

/// Exposed faces of a plane, and the layer in front of them.
struct Plane<'a> {
    face: Face,
    layer: usize,
    faces: &'a Bitmap,
    front: &'a Padded,
}

/// Merges a plane if it has faces.
#[inline(always)]
fn with_plane(
    around: &Around<'_>,
    bulk: &Bulk,
    face: Face,
    layer: usize,
    merge: impl FnOnce(&Plane<'_>),
) {
    let faces = bulk.faces(face, layer);
    if faces.iter().fold(0, |any, row| any | row) != 0 {
        let mut buffer = [0; SIDE + 2];
        let front = bulk.front(around, Kind::Opaque, face, layer, &mut buffer);
        merge(&Plane {
            face,
            layer,
            faces,
            front,
        });
    }
}

/// Takes the rectangles of each class.
#[inline]
fn merge_plane<L: Lines>(
    plane: &Plane<'_>,
    lines: &L,
    material: impl Fn(L::Key) -> Material,
    out: &mut Vec<RenderQuad>,
) {
    let Plane {
        face, layer, front, ..
    } = *plane;
    if front.iter().fold(0, |any, row| any | row) == 0 {
        take_rectangles::<true, true, L>(plane.faces, lines, |rect, key| {
            out.push(pack(face, layer, rect, material(key), LIT));
        });
        return;
    }
    let classes = classify(plane.faces, front);
    take_rectangles::<true, true, L>(&classes.flat, lines, |rect, key| {
        out.push(pack(
            face,
            layer,
            rect,
            material(key),
            even_light(front, rect),
        ));
    });
    if !classes.is_uneven() {
        return;
    }
    let mut lit = |rect: &Rect, key: L::Key| {
        out.push(pack(
            face,
            layer,
            rect,
            material(key),
            light_of(face, front, rect),
        ));
    };
    take_rectangles::<true, false, L>(&classes.along, lines, &mut lit);
    take_rectangles::<false, true, L>(&classes.across, lines, &mut lit);
    take_rectangles::<false, false, L>(&classes.single, lines, &mut lit);
}
