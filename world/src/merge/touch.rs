//! Changes single faces of a surface: merges only the quads of the plane that the change can reach.
//!
//! The quads of a plane tile its faces, so the faces are known without reading voxels.

use super::opaque::merge_painted;
use super::painted::Painted;
use super::planes::MergeScratch;
use super::quads::Quad;
use super::rerun::{Merged, Rerun, Wanted, mask_of};
use super::splice::{Splice, splice};
use crate::chunk::Brick;
use crate::material::Material;
use crate::surface::{CollisionQuad, Face, RenderQuad, RenderSurface, Surface};

/// One face of a voxel of a chunk: its plane, and its place on the plane's bitmap.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FacePlace {
    face: Face,
    layer: usize,
    row: u32,
    column: u32,
}

impl FacePlace {
    /// Makes the place of a voxel's face (coordinates 0 to 31).
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

/// The material of a face in each surface; `None` if the surface has no such face.
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

/// Tells if the opaque faces of a chunk are the solid ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OpaqueFaces {
    AsSolid,
    OfTheirOwn,
}

/// Updates some faces of a chunk in all its surfaces: in order of their planes, at most one per
/// plane. Returns true if anything changed.
pub(crate) fn touch_faces(
    brick: &mut Brick,
    changes: &[FaceChange],
    opaque_faces: OpaqueFaces,
    scratch: &mut MergeScratch,
) -> bool {
    let MergeScratch {
        rerun,
        splices,
        render_splices,
        collision,
        render,
        ..
    } = scratch;
    let RenderSurface {
        opaque,
        transparent,
    } = &mut brick.render;
    let solid = &mut brick.collision;
    for work in [&mut *splices, &mut *render_splices] {
        work.clear();
    }
    collision.clear();
    render.clear();
    for &FaceChange { place, now } in changes {
        let found = find_splice(solid, place, now.solid, rerun, collision);
        let twin = match (&found, opaque_faces) {
            (Some(found), OpaqueFaces::AsSolid) => {
                follow(solid, found, collision, opaque, now.opaque, render)
            }
            _ => None,
        };
        let twin = twin.or_else(|| find_splice(opaque, place, now.opaque, rerun, render));
        splices.extend(found);
        render_splices.extend(twin);
    }
    let mut changed = !(splices.is_empty() && render_splices.is_empty());
    splice(solid, splices, collision);
    splice(opaque, render_splices, render);
    if changes.iter().any(|change| change.now.clear.is_some()) || !transparent.quads.is_empty() {
        render_splices.clear();
        render.clear();
        for &FaceChange { place, now } in changes {
            render_splices.extend(find_splice(transparent, place, now.clear, rerun, render));
        }
        changed |= !render_splices.is_empty();
        splice(transparent, render_splices, render);
    }
    changed
}

/// Copies a splice of the collision surface to an opaque plane of one material, whose rectangles
/// are identical.
fn follow(
    solid: &Surface<CollisionQuad>,
    found: &Splice,
    rectangles: &[CollisionQuad],
    opaque: &Surface<RenderQuad>,
    now: Option<Material>,
    fresh: &mut Vec<RenderQuad>,
) -> Option<Splice> {
    let (face, layer) = (found.face, found.layer);
    let (theirs, ours) = (
        solid.plane_range(face, layer),
        opaque.plane_range(face, layer),
    );
    let quads = &opaque.quads[ours.clone()];
    let material = now.or_else(|| quads.first().map(|quad| quad.material()))?;
    let others = quads.iter().fold(0, |differ, quad| {
        differ | (quad.0[1] ^ u32::from(material.0))
    });
    if quads.len() != theirs.len() || others != 0 {
        return None;
    }
    let first = fresh.len();
    let packing = RenderQuad::packing(face, layer);
    for rectangle in &rectangles[found.fresh.clone()] {
        let place = rectangle.place(face.axis());
        fresh.push(RenderQuad::pack(&packing, &place, material));
    }
    let at = |index: usize| ours.start + index - theirs.start;
    Some(Splice {
        face,
        layer,
        old: at(found.old.start)..at(found.old.end),
        fresh: first..fresh.len(),
    })
}

/// Finds the quads to replace in order to set the material of a face, or remove it.
fn find_splice<Q: Quad>(
    surface: &Surface<Q>,
    place: FacePlace,
    now: Option<Material>,
    run: &mut Rerun,
    fresh: &mut Vec<Q>,
) -> Option<Splice> {
    match place.face.axis() {
        0 => set_face::<Q, 0>(surface, place, now, run, fresh),
        1 => set_face::<Q, 1>(surface, place, now, run, fresh),
        _ => set_face::<Q, 2>(surface, place, now, run, fresh),
    }
}

/// Finds the quads to replace in order to change a face that faces along an axis.
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
    // Quads are in order of their last row: those that end above the face stay.
    let kept = quads.partition_point(|quad| {
        let place = quad.place(AXIS);
        place.row + place.rows < row
    });
    let first = fresh.len();
    let wanted = Wanted { row, column, now };
    let packing = Q::packing(face, layer);
    let merged = run.merge(&quads[kept..], AXIS, wanted, |rect, material| {
        fresh.push(Q::pack(&packing, rect, material));
    });
    let begin = plane.start + kept;
    let old = match merged {
        Merged::AsBefore => return None,
        Merged::Replaced(count) => begin..begin + count,
        Merged::TooMany => {
            fresh.truncate(first);
            if made_of(quads, AXIS, row, column) == now {
                return None;
            }
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

/// Returns the material of a face of a plane, if there is a face.
#[cold]
fn made_of<Q: Quad>(quads: &[Q], axis: usize, row: u32, column: u32) -> Option<Material> {
    let holds = |quad: &&Q| {
        let place = quad.place(axis);
        (place.row..place.row + place.rows).contains(&row)
            && (place.column..place.column + place.columns).contains(&column)
    };
    quads.iter().find(holds).map(|quad| quad.material())
}

/// Merges a whole plane of many materials.
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
    merge_painted(&painted, face, layer, |quad| fresh.push(quad));
}
