//! Edges and corners of triangles, each kept once with all triangles around it.
//!
//! A closed mesh gives each edge twice and each corner some five times: kept once, they are swept
//! once, and one rule sees all faces around them. They are told apart by the exact bits of their
//! ends, through a few lists by hash that a gather empties at once; a map would cost more than the
//! search.

use crate::candidates::{CandidateTriangle, Sides};
use crate::kernels::segment::Over;
use crate::object::ObjectId;
use nalgebra::Vector3;

/// The end of a list.
const NONE: u32 = u32::MAX;

/// Number of the lists. A gather in a furnished room holds some fifty parts.
const LISTS: usize = 64;

/// An edge, or a corner as an edge without length.
#[derive(Clone, Copy, Debug)]
struct Part {
    hash: u32,
    ends: [Vector3<f32>; 2],
    object: ObjectId,
    /// The last of its triangles.
    around: u32,
    /// The part before it with the same hash.
    before: u32,
}

impl Part {
    /// Returns whether the part lies between two points, in either direction.
    #[inline(always)]
    fn is_between(&self, [from, to]: &[Vector3<f32>; 2]) -> bool {
        // Iterators over the coordinates would take three times as long.
        let is_same = |a: &Vector3<f32>, b: &Vector3<f32>| a.x == b.x && a.y == b.y && a.z == b.z;
        let [start, end] = &self.ends;
        (is_same(start, to) && is_same(end, from)) || (is_same(start, from) && is_same(end, to))
    }
}

/// A triangle with an edge or a corner in reach.
#[derive(Clone, Copy, Debug)]
struct Triangle {
    /// The corners in the world.
    corners: [Vector3<f32>; 3],
    hashes: [u32; 3],
    sides: Sides,
    object: ObjectId,
    /// The normal of its face, seen by a body that stands on its edge.
    normal: Vector3<f32>,
}

/// A triangle around an edge or a corner.
#[derive(Clone, Copy, Debug)]
struct Around {
    triangle: u32,
    /// The corner of the triangle at which the part starts.
    corner: u8,
    /// The triangle before it around the same part.
    before: u32,
}

/// The parts of a gather.
#[derive(Clone, Debug)]
pub(super) struct SharedParts {
    parts: Vec<Part>,
    triangles: Vec<Triangle>,
    around: Vec<Around>,
    /// The last part of each list.
    last: [u32; LISTS],
}

impl Default for SharedParts {
    fn default() -> Self {
        Self {
            parts: Vec::new(),
            triangles: Vec::new(),
            around: Vec::new(),
            last: [NONE; LISTS],
        }
    }
}

impl SharedParts {
    #[inline]
    pub(super) fn clear(&mut self) {
        if !self.triangles.is_empty() {
            self.parts.clear();
            self.triangles.clear();
            self.around.clear();
            self.last = [NONE; LISTS];
        }
    }

    /// Adds a triangle, for the parts added from here on. `normal` is that of its face, seen by a
    /// body that stands on its edge.
    #[inline]
    pub(super) fn begin_triangle(&mut self, triangle: &CandidateTriangle, normal: Vector3<f32>) {
        self.triangles.push(Triangle {
            corners: triangle.corners,
            hashes: triangle.corners.map(|corner| hash_of(&corner)),
            sides: triangle.sides,
            object: triangle.object,
            normal,
        });
    }

    /// Adds a part of the last triangle, from a corner to the next or to itself. Returns its
    /// number, and whether no triangle before had it.
    #[inline]
    pub(super) fn add(&mut self, corner: usize, end: usize) -> (u32, bool) {
        let Some(triangle) = self.triangles.last() else {
            return (NONE, false);
        };
        let [from, to] = [corner, end].map(|at| triangle.corners[at]);
        let hash = triangle.hashes[corner].wrapping_add(triangle.hashes[end]);
        let held = self.parts.len();
        let place = self.find_or_add([from, to], hash, triangle.object);
        let last = &mut self.parts[place as usize].around;
        let before = std::mem::replace(last, self.around.len() as u32);
        self.around.push(Around {
            triangle: self.triangles.len() as u32 - 1,
            corner: corner as u8,
            before,
        });
        (place, self.parts.len() > held)
    }

    fn find_or_add(&mut self, ends: [Vector3<f32>; 2], hash: u32, object: ObjectId) -> u32 {
        let list = (hash >> (u32::BITS - LISTS.trailing_zeros())) as usize;
        let mut place = self.last[list];
        while let Some(part) = self.parts.get(place as usize) {
            if part.hash == hash && part.object == object && part.is_between(&ends) {
                return place;
            }
            place = part.before;
        }
        let place = self.parts.len() as u32;
        self.parts.push(Part {
            hash,
            ends,
            object,
            around: NONE,
            before: self.last[list],
        });
        self.last[list] = place;
        place
    }

    /// Returns the triangles around a part.
    fn around(&self, part: u32) -> impl Iterator<Item = &Around> + '_ {
        let last = self
            .parts
            .get(part as usize)
            .map_or(NONE, |part| part.around);
        let at = |place: u32| self.around.get(place as usize);
        std::iter::successors(at(last), move |around| at(around.before))
    }

    /// Returns the normals of the faces around a part.
    pub(super) fn normals_around(&self, part: u32) -> impl Iterator<Item = Vector3<f32>> + '_ {
        let triangle = |around: &Around| self.triangles[around.triangle as usize].normal;
        self.around(part).map(triangle)
    }

    /// Returns the normals of the faces around a part, and around those of other objects that lie
    /// there too.
    pub(super) fn normals_beside(&self, part: u32) -> impl Iterator<Item = Vector3<f32>> + '_ {
        let ends = self.parts.get(part as usize).map(|part| part.ends);
        let numbered = self.parts.iter().zip(0..);
        let there = numbered.filter(move |(it, _)| Some(it.ends) == ends);
        there.flat_map(|(_, number)| self.normals_around(number))
    }

    /// Returns whether a ball at a part is over a face around it, or over the backs of one-sided
    /// faces alone. `from` is its centre, measured from the nearest point of the part; `squashed`
    /// takes a corner of the world into the space of the ball.
    #[inline]
    pub(super) fn is_over_a_face(
        &self,
        part: u32,
        from: &Vector3<f32>,
        slack: f32,
        squashed: impl Fn(Vector3<f32>) -> Vector3<f32>,
    ) -> bool {
        let is_corner = |part: &Part| part.ends[0] == part.ends[1];
        let is_corner = self.parts.get(part as usize).is_some_and(is_corner);
        let (mut all, mut backs) = (0, 0);
        for around in self.around(part) {
            all += 1;
            let triangle = &self.triangles[around.triangle as usize];
            let mut corners = triangle.corners;
            corners.rotate_left(around.corner.into());
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
            backs += u32::from(is_over);
        }
        all > 0 && backs == all
    }
}

/// Returns a hash of a corner. That of a part is the sum of both ends, alike in both directions.
#[inline]
fn hash_of(corner: &Vector3<f32>) -> u32 {
    // Both zeros have the same hash.
    let [x, y, z] = [corner.x, corner.y, corner.z].map(|part| (part + 0.0).to_bits());
    let y = y.wrapping_mul(0x85eb_ca6b).rotate_left(13);
    let z = z.wrapping_mul(0xc2b2_ae35).rotate_left(7);
    (x ^ y ^ z).wrapping_mul(0x9e37_79b9)
}
