//! The collision surface: material is ignored.

use super::bitmap::{Around, Bitmap, Kind};
use super::greedy::take_rectangles;
use super::planes::{MergeScratch, PlaneSet, rebuild_planes, replace_planes};
use super::source::OneMaterial;
use crate::chunk::SIDE;
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

/// Merges some planes again.
pub fn update_collision(
    around: &Around<'_>,
    planes: &PlaneSet,
    surface: &mut CollisionSurface,
    scratch: &mut MergeScratch,
) {
    replace_planes(
        surface,
        planes,
        &mut scratch.collision,
        |face, layer, out| {
            let faces = exposed(around, face, layer);
            merge_bitmap(&faces, face, layer as u32, out);
        },
    );
}

fn exposed(around: &Around<'_>, face: Face, layer: usize) -> Bitmap {
    let (mut own, mut front) = ([0; SIDE], [0; SIDE]);
    around.bitmap(Kind::Solid, face.axis(), layer as i32, &mut own);
    around.bitmap(
        Kind::Solid,
        face.axis(),
        layer as i32 + face.sign(),
        &mut front,
    );
    for (own, front) in own.iter_mut().zip(front) {
        *own &= !front;
    }
    own
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
