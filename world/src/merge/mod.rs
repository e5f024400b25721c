//! Merging exposed voxel faces into rectangles, plane by plane, on 32 x 32 bitmaps.
//!
//! A plane is a layer of voxels and a direction. Its bitmap has a word a row and a bit a column: for x the rows are
//! z and the columns y, for y they are z and x, for z they are y and x. Rectangles grow along the columns first,
//! then over the rows, in row order: what comes out depends on nothing but the plane's content.

mod bitmap;
mod bulk;
mod collision;
mod greedy;
mod light;
mod opaque;
mod planes;
mod source;
mod transparent;
mod turn;

pub use bitmap::Around;
pub use collision::{merge_collision, update_collision};
pub use planes::{MergeScratch, PlaneSet};

use crate::surface::RenderSurface;

/// Merges the whole render surface of the middle brick.
pub fn merge_render(around: &Around<'_>, surface: &mut RenderSurface, scratch: &mut MergeScratch) {
    update_opaque(around, &PlaneSet::ALL, surface, scratch);
    update_transparent(around, &PlaneSet::ALL, surface, scratch);
}

pub(crate) fn update_opaque(
    around: &Around<'_>,
    planes: &PlaneSet,
    surface: &mut RenderSurface,
    scratch: &mut MergeScratch,
) {
    if *planes == PlaneSet::ALL {
        return opaque::rebuild(around, &mut surface.opaque, scratch);
    }
    opaque::update(around, planes, &mut surface.opaque, scratch);
}

pub(crate) fn update_transparent(
    around: &Around<'_>,
    planes: &PlaneSet,
    surface: &mut RenderSurface,
    scratch: &mut MergeScratch,
) {
    if around.middle().has_no_clear() && surface.transparent.quads.is_empty() {
        return;
    }
    transparent::update(around, planes, &mut surface.transparent, scratch);
}
