//! The collision surface: material is ignored.

use super::bitmap::{Around, Bitmap, Kind};
use super::planes::{MergeScratch, PlaneSet, replace_planes};
use crate::chunk::SIDE;
use crate::surface::{CollisionQuad, CollisionSurface, Face};

/// Merges the whole collision surface of the middle brick.
pub fn merge_collision(
    around: &Around<'_>,
    surface: &mut CollisionSurface,
    scratch: &mut MergeScratch,
) {
    update_collision(around, &PlaneSet::ALL, surface, scratch);
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
            let mut faces = exposed(around, face, layer);
            merge_bitmap(&mut faces, face, layer as u32, out);
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

/// Takes rectangles off the bitmap until nothing is left.
fn merge_bitmap(faces: &mut Bitmap, face: Face, layer: u32, out: &mut Vec<CollisionQuad>) {
    let turned = face.axis() == 1;
    for row in 0..SIDE {
        let mut bits = faces[row];
        while bits != 0 {
            let column = bits.trailing_zeros();
            let length = (bits >> column).trailing_ones();
            let mask = (u32::MAX >> (32 - length)) << column;
            bits &= !mask;
            let mut end = row + 1;
            while end < SIDE && faces[end] & mask == mask {
                faces[end] &= !mask;
                end += 1;
            }
            let (row, rows) = (row as u32, (end - row) as u32);
            out.push(if turned {
                CollisionQuad::new(face, layer, (row, column), (rows, length))
            } else {
                CollisionQuad::new(face, layer, (column, row), (length, rows))
            });
        }
    }
}
