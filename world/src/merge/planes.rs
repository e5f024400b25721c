//! Sets of planes, and the replacement of the quads of some planes.

use super::bulk::Bulk;
use super::clear::Clear;
use super::indexed::Indexed;
use super::layers::Layers;
use super::painted::Painted;
use super::rerun::Rerun;
use super::splice::{SPARE, Splice};
use crate::chunk::SIDE;
use crate::surface::{CollisionQuad, Face, RenderQuad, Starts, Surface};
use bytemuck::Pod;

/// A set of planes of a chunk: bit `layer` for each direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PlaneSet {
    /// Layers by the number of the direction.
    pub layers: [u32; 6],
}

impl PlaneSet {
    /// All 192 planes.
    pub const ALL: Self = Self {
        layers: [u32::MAX; 6],
    };

    /// Returns true if the set is empty.
    pub fn is_empty(&self) -> bool {
        self.layers == [0; 6]
    }

    /// Returns the number of planes in the set.
    pub fn len(&self) -> u32 {
        self.layers.iter().map(|layers| layers.count_ones()).sum()
    }

    pub(crate) fn add(&mut self, other: &Self) {
        for (ours, theirs) in self.layers.iter_mut().zip(other.layers) {
            *ours |= theirs;
        }
    }
}

/// Reusable buffers of merging.
#[derive(Clone, Debug, Default)]
pub struct MergeScratch {
    pub(super) collision: Vec<CollisionQuad>,
    pub(super) render: Vec<RenderQuad>,
    pub(super) bulk: Box<Bulk>,
    pub(super) indexed: Box<Indexed>,
    pub(super) painted: Box<Painted>,
    pub(super) rerun: Rerun,
    pub(super) splices: Vec<Splice>,
    pub(super) render_splices: Vec<Splice>,
    pub(super) solid: Box<Layers>,
    pub(super) opaque: Box<Layers>,
    pub(super) clear: Box<Clear>,
}

/// Replaces the quads of the planes in the set. For each, `merge` gets the old quads and appends
/// the new ones.
pub(super) fn replace_planes<Q: Copy>(
    surface: &mut Surface<Q>,
    planes: &PlaneSet,
    fresh: &mut Vec<Q>,
    mut merge: impl FnMut(Face, usize, &[Q], &mut Vec<Q>),
) {
    let Some(first) = first_plane(planes) else {
        return;
    };
    fresh.clear();
    let mut starts = surface.starts.take().unwrap_or_default();
    let kept = starts.faces[first.0 as usize] + u32::from(starts.layers[first.0 as usize][first.1]);
    let kept = kept as usize;
    let mut skip = first.1;
    for &face in &Face::ALL[first.0 as usize..] {
        let old_base = starts.faces[face as usize] as usize;
        let old = starts.layers[face as usize];
        let base = if skip > 0 {
            old_base
        } else {
            kept + fresh.len()
        };
        starts.faces[face as usize] = base as u32;
        let layers = &mut starts.layers[face as usize];
        let touched = planes.layers[face as usize];
        let mut layer = skip;
        while layer < SIDE {
            let next = ((touched >> layer).trailing_zeros() as usize + layer).min(SIDE);
            let moved = ((kept + fresh.len() - base) as u16).wrapping_sub(old[layer]);
            for (place, old) in layers[layer..next].iter_mut().zip(&old[layer..next]) {
                *place = old.wrapping_add(moved);
            }
            let same = old_base + usize::from(old[layer])..old_base + usize::from(old[next]);
            fresh.extend_from_slice(&surface.quads[same]);
            if next == SIDE {
                break;
            }
            layers[next] = (kept + fresh.len() - base) as u16;
            let old = old_base + usize::from(old[next])..old_base + usize::from(old[next + 1]);
            merge(face, next, &surface.quads[old], fresh);
            layer = next + 1;
        }
        layers[SIDE] = (kept + fresh.len() - base) as u16;
        skip = 0;
    }
    starts.faces[6] = (kept + fresh.len()) as u32;
    surface.quads.truncate(kept);
    let room = surface.quads.capacity() - kept;
    if fresh.len() > room {
        surface
            .quads
            .reserve_exact(fresh.len() + if room == 0 { 0 } else { SPARE });
    }
    surface.quads.extend_from_slice(fresh);
    surface.starts = (!surface.quads.is_empty() || room > 0).then_some(starts);
}

/// Largest number of faces in a plane.
pub(super) const ROOM: usize = SIDE * SIDE;

/// Builds a surface from all its planes. For each, `merge` writes the quads and returns their
/// number.
pub(super) fn rebuild_planes<Q: Pod>(
    surface: &mut Surface<Q>,
    fresh: &mut Vec<Q>,
    mut merge: impl FnMut(Face, usize, &mut [Q; ROOM]) -> usize,
) {
    let mut starts = Starts::default();
    let mut count = 0;
    for face in Face::ALL {
        let base = count;
        starts.faces[face as usize] = base as u32;
        for layer in 0..SIDE {
            if fresh.len() < count + ROOM {
                fresh.resize(2 * (count + ROOM), Q::zeroed());
            }
            if let Some(room) = fresh[count..].first_chunk_mut() {
                count += merge(face, layer, room);
            }
            starts.layers[face as usize][layer + 1] = (count - base) as u16;
        }
    }
    starts.faces[6] = count as u32;
    surface.quads.clear();
    surface.quads.reserve_exact(count);
    surface.quads.extend_from_slice(&fresh[..count]);
    if let Some(held) = &mut surface.starts {
        **held = starts;
    } else if count > 0 {
        surface.starts = Some(Box::new(starts));
    }
}

fn first_plane(planes: &PlaneSet) -> Option<(Face, usize)> {
    Face::ALL.into_iter().find_map(|face| {
        let layers = planes.layers[face as usize];
        (layers != 0).then_some((face, layers.trailing_zeros() as usize))
    })
}
