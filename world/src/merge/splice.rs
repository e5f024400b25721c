//! Replaces quads of several planes of a surface in place; every quad moves at most once.

use crate::chunk::SIDE;
use crate::surface::{Face, Starts, Surface};
use std::ops::Range;

/// Room for quads added when an edit makes a surface grow, so that the next edits need no
/// allocation.
pub(super) const SPARE: usize = 48;

/// A replacement of quads of one plane.
#[derive(Clone, Debug)]
pub(super) struct Splice {
    pub(super) face: Face,
    pub(super) layer: usize,
    /// Range in the old quads of the surface.
    pub(super) old: Range<usize>,
    /// Range in the new quads.
    pub(super) fresh: Range<usize>,
}

impl Splice {
    fn growth(&self) -> isize {
        self.fresh.len() as isize - self.old.len() as isize
    }
}

/// Replaces quads. The splices are in order of their planes, at most one per plane.
pub(super) fn splice<Q: Copy>(surface: &mut Surface<Q>, splices: &[Splice], fresh: &[Q]) {
    if splices.is_empty() {
        return;
    }
    let Surface { quads, starts } = surface;
    let starts = starts.get_or_insert_with(Box::default);
    let old_length = quads.len();
    let growth: isize = splices.iter().map(Splice::growth).sum();
    let length = old_length.wrapping_add_signed(growth);
    if length > quads.capacity() {
        quads.reserve_exact(length - old_length + SPARE);
    }
    if growth > 0
        && let Some(&any) = fresh.first()
    {
        quads.resize(length, any);
    }
    // Quads after a splice move left in order, right in reverse order, so that none is overwritten
    // before it moves.
    let after = |at: usize| {
        let next = splices
            .get(at + 1)
            .map_or(old_length, |next| next.old.start);
        splices[at].old.end..next
    };
    let mut shift = 0;
    for (at, splice) in splices.iter().enumerate() {
        shift += splice.growth();
        if shift < 0 {
            let rest = after(at);
            quads.copy_within(rest.clone(), rest.start.wrapping_add_signed(shift));
        }
    }
    for (at, splice) in splices.iter().enumerate().rev() {
        if shift > 0 {
            let rest = after(at);
            quads.copy_within(rest.clone(), rest.start.wrapping_add_signed(shift));
        }
        shift -= splice.growth();
        let begin = splice.old.start.wrapping_add_signed(shift);
        let places = quads[begin..].iter_mut().zip(&fresh[splice.fresh.clone()]);
        places.for_each(|(place, &new)| *place = new);
    }
    quads.truncate(length);
    for splice in splices.iter().filter(|splice| splice.growth() != 0) {
        starts.grow(splice);
    }
}

impl Starts {
    /// Moves the starts after a splice. Updates all of them, vectorised and without branches.
    fn grow(&mut self, splice: &Splice) {
        const LAYERS: [u16; SIDE + 1] = {
            let mut layers = [0; SIDE + 1];
            let mut layer = 0;
            while layer < layers.len() {
                layers[layer] = layer as u16;
                layer += 1;
            }
            layers
        };
        let (face, growth) = (splice.face as usize, splice.growth());
        let (layer, wide) = (splice.layer as u16, growth as u16);
        for (start, at) in self.layers[face].iter_mut().zip(LAYERS) {
            *start = start.wrapping_add(if at > layer { wide } else { 0 });
        }
        for (at, start) in self.faces.iter_mut().enumerate() {
            let growth = if at > face { growth as u32 } else { 0 };
            *start = start.wrapping_add(growth);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(512))]

        #[test]
        fn splices_leave_what_vectors_would(
            planes in prop::collection::vec((0_usize..5, 0_usize..5, 0_usize..5), 1..9),
        ) {
            // A plane holds some quads; the first few are replaced by others.
            let mut surface = Surface { quads: Vec::new(), starts: Some(Box::default()) };
            let (mut splices, mut fresh, mut wanted) = (Vec::new(), Vec::new(), Vec::new());
            for (layer, &(held, replaced, new)) in planes.iter().enumerate() {
                let begin = surface.quads.len();
                surface.quads.extend((0..held).map(|at| (layer, at)));
                let old = begin..begin + replaced.min(held);
                let first = fresh.len();
                fresh.extend((0..new).map(|at| (layer, 100 + at)));
                wanted.extend_from_slice(&fresh[first..]);
                wanted.extend_from_slice(&surface.quads[old.end..]);
                let face = Face::PositiveX;
                if let Some(starts) = &mut surface.starts {
                    let end = surface.quads.len();
                    starts.layers[face as usize][layer + 1..].fill(end as u16);
                    starts.faces[face as usize + 1..].fill(end as u32);
                }
                splices.push(Splice { face, layer, old, fresh: first..fresh.len() });
            }
            splice(&mut surface, &splices, &fresh);
            prop_assert_eq!(&surface.quads, &wanted);
            for layer in 0..planes.len() {
                let quads = surface.plane(Face::PositiveX, layer);
                prop_assert!(quads.iter().all(|quad| quad.0 == layer));
            }
        }
    }
}
