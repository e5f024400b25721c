//! Changing single faces of a surface: only quads of their plane that the change can reach are merged again.
//!
//! The quads of a plane tile its faces, so nothing else need be read to know them.

use super::opaque::merge_painted;
use super::painted::Painted;
use super::planes::{MergeScratch, replace_quads};
use super::quads::Quad;
use super::rerun::{Rerun, mask_of};
use crate::chunk::Brick;
use crate::material::Material;
use crate::surface::{Face, RenderSurface, Surface};

/// One face of a voxel of a brick: its plane, and its place on the plane's bitmap.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FacePlace {
    face: Face,
    layer: usize,
    row: u32,
    column: u32,
}

impl FacePlace {
    /// The face of a voxel (coordinates 0 to 31).
    #[inline]
    pub(crate) fn of(voxel: [usize; 3], face: Face) -> Self {
        let [x, y, z] = voxel;
        let (layer, row, column) = match face.axis() {
            0 => (x, z, y),
            1 => (y, z, x),
            _ => (z, y, x),
        };
        Self {
            face,
            layer,
            row: row as u32,
            column: column as u32,
        }
    }
}

/// Of what material a face is in each of the surfaces, if it is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FaceNow {
    pub(crate) solid: Option<Material>,
    pub(crate) opaque: Option<Material>,
    pub(crate) clear: Option<Material>,
}

/// Makes one face of a brick true in all its surfaces. Whether anything changed.
pub(crate) fn touch_face(
    brick: &mut Brick,
    place: FacePlace,
    now: FaceNow,
    scratch: &mut MergeScratch,
) -> bool {
    let MergeScratch {
        rerun,
        collision,
        render,
        ..
    } = scratch;
    let mut changed = set_face(&mut brick.collision, place, now.solid, rerun, collision);
    let RenderSurface {
        opaque,
        transparent,
    } = &mut brick.render;
    changed |= set_face(opaque, place, now.opaque, rerun, render);
    if now.clear.is_some() || !transparent.quads.is_empty() {
        changed |= set_face(transparent, place, now.clear, rerun, render);
    }
    changed
}

/// Makes a face of a surface be of a material, or not there. Whether that changed anything.
fn set_face<Q: Quad>(
    surface: &mut Surface<Q>,
    place: FacePlace,
    now: Option<Material>,
    run: &mut Rerun,
    fresh: &mut Vec<Q>,
) -> bool {
    let FacePlace {
        face,
        layer,
        row,
        column,
    } = place;
    let quads = surface.plane(face, layer);
    // Quads come in order of their last row: those that end above the face stay as they are.
    let kept = quads.partition_point(|quad| {
        let place = quad.place();
        place.row + place.rows < row
    });
    if !run.read(&quads[kept..], now) {
        return repaint(surface, place, now, fresh);
    }
    if run.material_at(row, column) == now {
        return false;
    }
    fresh.clear();
    let replaced = run.merge(row, column, now, |rect, material| {
        fresh.push(Q::pack(face, layer, rect, material));
    });
    replace_quads(surface, face, layer, kept..kept + replaced, fresh);
    true
}

/// Merges a plane of many materials anew.
fn repaint<Q: Quad>(
    surface: &mut Surface<Q>,
    place: FacePlace,
    now: Option<Material>,
    fresh: &mut Vec<Q>,
) -> bool {
    let FacePlace {
        face,
        layer,
        row,
        column,
    } = place;
    let mut painted = Painted::default();
    let quads = surface.plane(face, layer);
    for quad in quads {
        let place = quad.place();
        let rows = place.row as usize..(place.row + place.rows) as usize;
        painted.paint(rows, mask_of(&place), quad.material());
    }
    match now {
        Some(material) => painted.paint(row as usize..row as usize + 1, 1 << column, material),
        None => painted.erase(row as usize, 1 << column),
    }
    fresh.clear();
    merge_painted(&painted, face, layer, fresh);
    let all = 0..quads.len();
    replace_quads(surface, face, layer, all, fresh);
    true
}
