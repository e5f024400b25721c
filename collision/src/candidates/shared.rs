//! Edges and corners of triangles, each kept once.
//!
//! A closed mesh gives each edge twice and each corner some five times: kept once, they are swept
//! once. They are told apart by the exact bits of their ends, through a few lists by hash that a
//! gather empties at once; a map would cost more than the search. The triangles around a part are
//! looked for among all in reach when a sweep hits it, and one rule sees all of them.

use crate::candidates::{CandidateTriangle, Sides};
use crate::kernels::segment::Over;
use crate::object::ObjectId;
use nalgebra::Vector3;

/// The end of a list.
const NONE: u32 = u32::MAX;

/// Number of the lists. A gather in a furnished room holds some thirty parts.
const LISTS: usize = 64;

/// An edge, or a corner as an edge without length.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    hash: u32,
    ends: [Vector3<f32>; 2],
    object: ObjectId,
    /// The part before it with the same hash.
    before: u32,
}

impl Part {
    /// Returns whether the part lies between two points, in either direction.
    #[inline(always)]
    fn is_between(&self, [from, to]: &[Vector3<f32>; 2]) -> bool {
        let [start, end] = &self.ends;
        (is_same(start, to) && is_same(end, from)) || (is_same(start, from) && is_same(end, to))
    }

    /// Returns the corner of a triangle at which the part starts, if it is one of its edges or
    /// corners.
    #[inline(always)]
    fn start_in(&self, triangle: &CandidateTriangle) -> Option<usize> {
        let at = |end: &Vector3<f32>| {
            let corners = &triangle.corners;
            (0..3).find(|&corner| is_same(&corners[corner], end))
        };
        let [from, to] = [at(&self.ends[0])?, at(&self.ends[1])?];
        Some(if from.abs_diff(to) == 2 {
            2
        } else {
            from.min(to)
        })
    }

    /// Returns the triangles around the part.
    pub(super) fn around<'a>(
        &self,
        triangles: &'a [CandidateTriangle],
    ) -> impl Iterator<Item = Around<'a>> + use<'a> {
        let part = *self;
        triangles.iter().filter_map(move |triangle| {
            let start = part.start_in(triangle)?;
            Some(Around { triangle, start })
        })
    }

    /// Returns whether a ball at the part is over a face around it, or over the backs of one-sided
    /// faces alone. The backs of a closed surface are over all that they enclose. `from` is the
    /// centre, measured from the nearest point of the part; `squashed` takes a corner of the world
    /// into the space of the ball.
    #[inline]
    pub(super) fn is_over_a_face(
        &self,
        triangles: &[CandidateTriangle],
        from: &Vector3<f32>,
        slack: f32,
        squashed: impl Fn(Vector3<f32>) -> Vector3<f32>,
    ) -> bool {
        let is_corner = is_same(&self.ends[0], &self.ends[1]);
        let (mut all, mut backs) = (0, 0);
        let own = |around: &Around<'_>| around.triangle.object == self.object;
        for around in self.around(triangles).filter(own) {
            all += 1;
            let triangle = around.triangle;
            let mut corners = triangle.corners;
            corners.rotate_left(around.start);
            let Some(over) = Over::of(&corners.map(&squashed)) else {
                continue;
            };
            let is_over = match is_corner {
                true => over.holds_from_corner(from, slack),
                false => over.holds_from_edge(from, slack),
            };
            if is_over && (triangle.sides == Sides::Both || !over.is_behind(from, slack)) {
                return true;
            }
            let part = around.start + if is_corner { 3 } else { 0 };
            let is_enclosed = triangle.sides == Sides::Front
                && triangle.open_parts() & (1 << part) == 0
                && over.is_behind(from, 0.0);
            backs += u32::from(is_over || is_enclosed);
        }
        all > 0 && backs == all
    }
}

/// A triangle around an edge or a corner.
#[derive(Clone, Copy, Debug)]
pub(super) struct Around<'a> {
    pub(super) triangle: &'a CandidateTriangle,
    /// The corner of the triangle at which the part starts.
    start: usize,
}

/// The parts of a gather.
#[derive(Clone, Debug)]
pub(super) struct SharedParts {
    parts: Vec<Part>,
    /// The last part of each list.
    last: [u32; LISTS],
}

impl Default for SharedParts {
    fn default() -> Self {
        Self {
            parts: Vec::new(),
            last: [NONE; LISTS],
        }
    }
}

impl SharedParts {
    #[inline]
    pub(super) fn clear(&mut self) {
        if !self.parts.is_empty() {
            self.parts.clear();
            self.last = [NONE; LISTS];
        }
    }

    /// Returns a part by its number.
    #[inline]
    pub(super) fn get(&self, part: u32) -> Option<&Part> {
        self.parts.get(part as usize)
    }

    /// Adds a part between two points, of these hashes. Returns its number, and whether it is new.
    #[inline]
    pub(super) fn add(
        &mut self,
        ends: [Vector3<f32>; 2],
        hashes: [u32; 2],
        object: ObjectId,
    ) -> (u32, bool) {
        // Alike in both directions.
        let hash = hashes[0].wrapping_add(hashes[1]);
        let list = (hash >> (u32::BITS - LISTS.trailing_zeros())) as usize;
        let mut place = self.last[list];
        while let Some(part) = self.get(place) {
            if part.hash == hash && part.object == object && part.is_between(&ends) {
                return (place, false);
            }
            place = part.before;
        }
        let place = self.parts.len() as u32;
        self.parts.push(Part {
            hash,
            ends,
            object,
            before: self.last[list],
        });
        self.last[list] = place;
        (place, true)
    }
}

/// Returns whether two points are equal. Iterators over the coordinates would take three times as
/// long, and walls along the axes share coordinates: no branch is foreseen well.
#[inline(always)]
fn is_same(a: &Vector3<f32>, b: &Vector3<f32>) -> bool {
    (a.x == b.x) & (a.y == b.y) & (a.z == b.z)
}

/// Returns a hash of a corner.
#[inline]
pub(super) fn hash_of(corner: &Vector3<f32>) -> u32 {
    // Both zeros have the same hash.
    let [x, y, z] = [corner.x, corner.y, corner.z].map(|part| (part + 0.0).to_bits());
    let y = y.wrapping_mul(0x85eb_ca6b).rotate_left(13);
    let z = z.wrapping_mul(0xc2b2_ae35).rotate_left(7);
    (x ^ y ^ z).wrapping_mul(0x9e37_79b9)
}
