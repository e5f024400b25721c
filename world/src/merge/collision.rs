//! Merges the collision surface; ignores materials.

use super::Change;
use super::bitmap::{Around, Bitmap, Kind};
use super::bulk::{Alike, Bulk};
use super::greedy::{Plane, take_rectangles, turns_of};
use super::planes::{MergeScratch, ROOM, rebuild_planes, replace_planes};
use super::quads::Quad;
use crate::chunk::SIDE;
use crate::material::Material;
use crate::surface::{CollisionQuad, CollisionSurface};

/// Merges the whole collision surface of the middle chunk.
pub fn merge_collision(
    around: &Around<'_>,
    surface: &mut CollisionSurface,
    scratch: &mut MergeScratch,
) {
    if !around.middle().is_vacant() {
        scratch.bulk.find_faces(around, Kind::Solid);
    }
    rebuild(around, surface, scratch);
}

/// Merges the whole surface from the faces found before.
pub(super) fn rebuild(
    around: &Around<'_>,
    surface: &mut CollisionSurface,
    scratch: &mut MergeScratch,
) {
    let MergeScratch {
        bulk, collision, ..
    } = scratch;
    if around.middle().is_vacant() {
        return rebuild_planes(surface, collision, |_, _, _| 0);
    }
    let bulk: &Bulk = bulk;
    let mut turns = [0; SIDE];
    rebuild_planes(surface, collision, |face, layer, room| {
        if layer == 0 {
            bulk.turns(face, Alike, &mut turns);
        }
        let packing = CollisionQuad::packing(face, layer);
        let mut count = 0;
        bulk.take_rectangles(face, layer, turns[layer], Alike, |rect| {
            room[count % ROOM] = CollisionQuad::pack(&packing, rect, Material::AIR);
            count += 1;
        });
        count
    });
}

/// Merges again those of some planes that have faces or quads in the changed region.
pub(super) fn update(
    around: &Around<'_>,
    change: &Change,
    surface: &mut CollisionSurface,
    scratch: &mut MergeScratch,
) {
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
            if window.holds_face(&faces) || window.holds_quad(old, face.axis()) {
                let plane = Plain(&faces);
                let packing = CollisionQuad::packing(face, layer);
                take_rectangles(&plane, turns_of(&plane), |rect| {
                    out.push(CollisionQuad::pack(&packing, rect, Material::AIR));
                });
            } else {
                out.extend_from_slice(old);
            }
        },
    );
}

/// Faces without materials.
struct Plain<'a>(&'a Bitmap);

impl Plane for Plain<'_> {
    #[inline(always)]
    fn faces(&self, row: usize) -> u32 {
        self.0[row]
    }

    #[inline(always)]
    fn across(&self, _row: usize) -> u32 {
        0
    }

    #[inline(always)]
    fn down(&self, _row: usize) -> u32 {
        0
    }
}
