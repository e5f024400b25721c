//! Merges exposed voxel faces into rectangles, plane by plane, on 32 x 32 bitmaps.
//!
//! A plane is a layer of voxels and a direction. Its bitmap has one word for each row and one bit
//! for each column: for x the rows are z and the columns y, for y they are z and x, for z they are
//! y and x. Rectangles grow along the columns first, then over the rows, in row order, so that the
//! result depends only on the plane's content.

mod bitmap;
mod bulk;
mod clear;
mod collision;
mod greedy;
mod indexed;
mod layers;
mod opaque;
mod painted;
mod planes;
mod quads;
mod rerun;
mod splice;
mod touch;
mod transparent;
mod turn;

pub use bitmap::Around;
pub use collision::merge_collision;
pub(crate) use layers::Region;
pub use planes::{MergeScratch, PlaneSet};
pub(crate) use touch::{FaceChange, FaceNow, FacePlace, OpaqueFaces, touch_faces};

use crate::surface::{CollisionSurface, RenderSurface};
use bitmap::Kind;

/// Merges the whole render surface of the middle chunk.
pub fn merge_render(around: &Around<'_>, surface: &mut RenderSurface, scratch: &mut MergeScratch) {
    if !around.middle().opaque_grid().is_empty() {
        scratch.bulk.find_faces(around, Kind::Opaque);
    }
    rebuild_render(around, surface, scratch);
}

/// Merges the whole render surface from opaque faces found before.
fn rebuild_render(around: &Around<'_>, surface: &mut RenderSurface, scratch: &mut MergeScratch) {
    let few = scratch.indexed.number(&around.middle().voxels);
    opaque::rebuild(around, few.as_ref(), &mut surface.opaque, scratch);
    transparent::rebuild(around, few.as_ref(), &mut surface.transparent, scratch);
}

/// The parts of a chunk to merge again.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Change {
    pub(crate) collision: PlaneSet,
    pub(crate) opaque: PlaneSet,
    pub(crate) transparent: PlaneSet,
    /// The changed voxels, here and in the first layers of the neighbours.
    pub(crate) region: Region,
}

/// Merges the changed parts again.
pub(crate) fn update(
    around: &Around<'_>,
    change: &Change,
    collision: &mut CollisionSurface,
    render: &mut RenderSurface,
    scratch: &mut MergeScratch,
) {
    scratch.solid.forget();
    scratch.opaque.forget();
    let (all_solid, all_opaque) = (
        change.collision == PlaneSet::ALL,
        change.opaque == PlaneSet::ALL,
    );
    if all_solid {
        merge_collision(around, collision, scratch);
    } else {
        collision::update(around, change, collision, scratch);
    }
    if all_opaque {
        // If all solid voxels are opaque, the faces are the ones just found.
        if !(all_solid && around.all_solids_are_opaque()) {
            scratch.bulk.find_faces(around, Kind::Opaque);
        }
        return rebuild_render(around, render, scratch);
    }
    opaque::update(around, change, &mut render.opaque, scratch);
    let nothing = around.middle().has_no_clear() && render.transparent.quads().is_empty();
    if !(nothing || change.transparent.is_empty()) {
        transparent::update(
            around,
            &change.transparent,
            &mut render.transparent,
            scratch,
        );
    }
}
