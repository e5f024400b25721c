//! The collision surface: material is ignored.

use super::Change;
use super::bitmap::{Around, Bitmap, Kind};
use super::greedy::take_rectangles;
use super::planes::{MergeScratch, PlaneSet, rebuild_planes, replace_planes};
use super::source::OneMaterial;
use crate::surface::{CollisionQuad, CollisionSurface, Face};

/// Merges the whole collision surface of the middle brick.
pub fn merge_collision(
    around: &Around<'_>,
    surface: &mut CollisionSurface,
    scratch: &mut MergeScratch,
) {
    let bulk = &mut scratch.bulk;
    if around.middle().is_vacant() {
        return rebuild_planes(surface, &mut scratch.collision, |_, _, _| {});
    }
    bulk.find_faces(around, Kind::Solid);
    rebuild_planes(surface, &mut scratch.collision, |face, layer, out| {
        merge_bitmap(bulk.faces(face, layer), face, layer as u32, out);
    });
}

/// Merges some planes again, those that show something new or old where something changed.
pub(super) fn update(
    around: &Around<'_>,
    change: &Change,
    surface: &mut CollisionSurface,
    scratch: &mut MergeScratch,
) {
    if change.collision == PlaneSet::ALL {
        return merge_collision(around, surface, scratch);
    }
    let MergeScratch {
        collision, solid, ..
    } = scratch;
    replace_planes(
        surface,
        &change.collision,
        collision,
        |face, layer, old, out| {
            let faces = solid.exposed(around, Kind::Solid, face, layer);
            let window = change.region.window(face.axis());
            if window.holds_face(&faces) || window.holds_quad(old) {
                merge_bitmap(&faces, face, layer as u32, out);
            } else {
                out.extend_from_slice(old);
            }
        },
    );
}

fn merge_bitmap(faces: &Bitmap, face: Face, layer: u32, out: &mut Vec<CollisionQuad>) {
    let turned = face.axis() == 1;
    take_rectangles::<true, true, _>(faces, &OneMaterial, |rect, ()| {
        let (place, size) = ((rect.column, rect.row), (rect.columns, rect.rows));
        out.push(if turned {
            CollisionQuad::new(face, layer, (place.1, place.0), (size.1, size.0))
        } else {
            CollisionQuad::new(face, layer, place, size)
        });
    });
}
