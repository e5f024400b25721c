//! Changing single faces of a surface: only quads of their plane that the change can reach are merged again.
//!
//! The quads of a plane tile its faces, so nothing else need be read to know them.

use super::opaque::merge_painted;
use super::painted::Painted;
use super::planes::MergeScratch;
use super::quads::Quad;
use super::rerun::{Merged, Rerun, Wanted, mask_of};
use super::splice::{Splice, splice};
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

/// A face that may have changed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FaceChange {
    pub(crate) place: FacePlace,
    pub(crate) now: FaceNow,
}

/// Makes some faces of a brick true in all its surfaces: in order of their planes, one a plane at most. Whether anything changed.
pub(crate) fn touch_faces(
    brick: &mut Brick,
    changes: &[FaceChange],
    scratch: &mut MergeScratch,
) -> bool {
    let MergeScratch {
        rerun,
        splices,
        collision,
        render,
        ..
    } = scratch;
    let RenderSurface {
        opaque,
        transparent,
    } = &mut brick.render;
    let mut changed = false;
    let solid = |now: &FaceNow| now.solid;
    set_faces(
        &mut brick.collision,
        changes,
        solid,
        rerun,
        splices,
        collision,
    );
    changed |= !splices.is_empty();
    set_faces(opaque, changes, |now| now.opaque, rerun, splices, render);
    changed |= !splices.is_empty();
    if changes.iter().any(|change| change.now.clear.is_some()) || !transparent.quads.is_empty() {
        set_faces(
            transparent,
            changes,
            |now| now.clear,
            rerun,
            splices,
            render,
        );
        changed |= !splices.is_empty();
    }
    changed
}

/// Makes faces of a surface be of a material, or not there.
fn set_faces<Q: Quad>(
    surface: &mut Surface<Q>,
    changes: &[FaceChange],
    of: impl Fn(&FaceNow) -> Option<Material>,
    run: &mut Rerun,
    splices: &mut Vec<Splice>,
    fresh: &mut Vec<Q>,
) {
    splices.clear();
    fresh.clear();
    for FaceChange { place, now } in changes {
        let (place, now) = (*place, of(now));
        splices.extend(match place.face.axis() {
            0 => set_face::<Q, 0>(surface, place, now, run, fresh),
            1 => set_face::<Q, 1>(surface, place, now, run, fresh),
            _ => set_face::<Q, 2>(surface, place, now, run, fresh),
        });
    }
    splice(surface, splices, fresh);
}

/// What has to be replaced so that a face across an axis is of a material, or not there.
fn set_face<Q: Quad, const AXIS: usize>(
    surface: &Surface<Q>,
    place: FacePlace,
    now: Option<Material>,
    run: &mut Rerun,
    fresh: &mut Vec<Q>,
) -> Option<Splice> {
    let FacePlace {
        face,
        layer,
        row,
        column,
    } = place;
    let plane = surface.plane_range(face, layer);
    let quads = &surface.quads[plane.clone()];
    // Quads come in order of their last row: those that end above the face stay as they are.
    let kept = quads.partition_point(|quad| {
        let place = quad.place(AXIS);
        place.row + place.rows < row
    });
    let first = fresh.len();
    let wanted = Wanted { row, column, now };
    let merged = run.merge(&quads[kept..], AXIS, wanted, |rect, material| {
        fresh.push(Q::pack(face, layer, rect, material));
    });
    let begin = plane.start + kept;
    let old = match merged {
        Merged::AsBefore => return None,
        Merged::Replaced(count) => begin..begin + count,
        Merged::TooMany => {
            fresh.truncate(first);
            repaint(quads, place, now, fresh);
            plane
        }
    };
    let fresh = first..fresh.len();
    Some(Splice {
        face,
        layer,
        old,
        fresh,
    })
}

/// Merges a plane of many materials anew.
#[cold]
fn repaint<Q: Quad>(quads: &[Q], place: FacePlace, now: Option<Material>, fresh: &mut Vec<Q>) {
    let FacePlace {
        face,
        layer,
        row,
        column,
    } = place;
    let mut painted = Painted::default();
    for quad in quads {
        let place = quad.place(face.axis());
        let rows = place.row as usize..(place.row + place.rows) as usize;
        painted.paint(rows, mask_of(&place), quad.material());
    }
    match now {
        Some(material) => painted.paint(row as usize..row as usize + 1, 1 << column, material),
        None => painted.erase(row as usize, 1 << column),
    }
    merge_painted(&painted, face, layer, fresh);
}
