//! The features that a move can hit, in the squashed space of the mover, in a reused buffer.
//!
//! Every feature of a voxel world is a box that is flat on one axis (a face), two (an edge) or
//! three (a corner). Boxes are squashed when they are pushed, and lie in blocks of eight
//! (`kernels`). Slanted features (triangles, and all features under a tilted up axis) become facets
//! and segments; points are boxes in any frame.

mod cells;
mod earliest;
mod other_shape;
mod shared;
mod slanted;

pub use cells::{CellFeature, CellLattice};

use crate::body::Neighbour;
use crate::candidates::other_shape::OtherShape;
use crate::candidates::shared::SharedParts;
use crate::contact::Feature;
use crate::frame::Frame;
use crate::kernels::Way;
use crate::kernels::block::{self, Block, Ray, WIDTH};
use crate::kernels::facet::{FaceRows, Facet, WIDE};
use crate::kernels::segment::{Segment, SegmentRows, UNSHARED};
use crate::object::ObjectId;
use crate::reach::{Plane, Reach};
use crate::tolerance::{CORNER_RANK, EDGE_RANK, LEAN, LONGEST_PIECE, RIM, TOUCHING};
use bytemuck::Zeroable;
use nalgebra::Vector3;

/// The sides of a triangle that stop a mover.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sides {
    /// Only the side that its normal `(b - a) x (c - a)` points to.
    #[default]
    Front,
    /// Both.
    Both,
}

/// A triangle to be pushed, in metres from the corner of the base cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CandidateTriangle {
    /// The corners of the triangle.
    pub corners: [Vector3<f32>; 3],
    /// The sides that stop a mover.
    pub sides: Sides,
    /// A bit for each part that can stop a mover. Bit `i`: the edge from corner `i` to corner
    /// `i + 1`, convex or open; bit `3 + i`: corner `i`. Bits 6 to 11 mark in the same order the
    /// parts that are open: at the border of a surface, which can be met from behind as well.
    pub parts: u16,
    /// The object of the triangle.
    pub object: ObjectId,
}

impl CandidateTriangle {
    /// Returns the open parts, in the order of the bits of all parts.
    #[inline]
    fn open_parts(&self) -> u16 {
        self.parts >> 6
    }
}

/// The feature that a box in the blocks stands for.
#[derive(Clone, Copy, Debug)]
struct Tag {
    object: ObjectId,
    feature: Feature,
    /// Outward sign on each flat axis, 0 elsewhere.
    signs: [i8; 3],
    /// The number among the shared parts; [`UNSHARED`] for all but corners of triangles.
    shared: u32,
}

/// The layout of a box on its axes, selected by the bits of the flat ones.
struct Shape {
    /// All bits on flat axes.
    mask: [u32; 3],
    /// Length by which the box reaches beyond its ends on the other axes.
    rim: [f32; 3],
}

/// Every [`Shape`].
const SHAPES: [Shape; 8] = {
    let mut shapes = [const {
        Shape {
            mask: [0; 3],
            rim: [RIM; 3],
        }
    }; 8];
    let mut bits = 0;
    while bits < 8 {
        let mut axis = 0;
        while axis < 3 {
            if bits & (1 << axis) != 0 {
                shapes[bits].mask[axis] = u32::MAX;
                shapes[bits].rim[axis] = 0.0;
            }
            axis += 1;
        }
        bits += 1;
    }
    shapes
};

/// A box without ends: lower and upper corner.
const EVERYWHERE: [Vector3<f32>; 2] = [
    Vector3::new(f32::NEG_INFINITY, f32::NEG_INFINITY, f32::NEG_INFINITY),
    Vector3::new(f32::INFINITY, f32::INFINITY, f32::INFINITY),
];

/// The flat axes of a point.
const POINT: usize = 0b111;

/// The feature of a hit, by its place in the buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Which {
    Box(usize),
    Facet(usize),
    Segment(usize),
    Other(usize),
}

/// The earliest hit of a way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hit {
    /// Share of the motion.
    pub(crate) time: f32,
    /// Unit normal in the squashed space.
    pub(crate) normal: Vector3<f32>,
    pub(crate) which: Which,
}

/// Known properties of a hit feature.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Detail {
    pub(crate) feature: Feature,
    pub(crate) object: ObjectId,
    /// Unit world normal of the face, or of the most upward face beside the edge or corner.
    pub(crate) face_normal: Vector3<f32>,
    /// True if no other face beside the feature can be more upward. Edges and corners of triangles
    /// may have faces beside them that are out of reach.
    pub(crate) is_uppermost: bool,
    /// Height of the solid there along the up axis, if known.
    pub(crate) top: Option<f32>,
    /// Highest point of the triangle's face or edge along the up axis; the solid may end lower.
    pub(crate) crest: Option<f32>,
    /// The plane of a face that is normal to a world axis.
    pub(crate) plane: Option<AxisPlane>,
}

/// A plane normal to a world axis.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AxisPlane {
    pub(crate) axis: usize,
    pub(crate) sign: f32,
    pub(crate) at: f32,
}

/// A reused buffer of features in reach.
#[derive(Clone, Debug, Default)]
pub struct Candidates {
    frame: Frame,
    /// The box of places of the mover's centre: lower and upper corner.
    centres: [Vector3<f32>; 2],
    /// The planes of a long move. Features behind one of them are left out.
    planes: Option<[Plane; 6]>,
    blocks: Vec<Block>,
    /// One for each box. Blocks beyond the last tag hold old contents.
    tags: Vec<Tag>,
    /// Features noted but not yet placed.
    cells: Vec<CellFeature>,
    /// The edges and corners of triangles.
    shared: SharedParts,
    facets: Vec<Facet>,
    segments: Vec<Segment>,
    /// The faces of the facets; rows beyond the last facet hold old contents.
    facet_rows: Vec<FaceRows>,
    /// Copies of the segments for sweeps, as above.
    segment_rows: Vec<SegmentRows>,
    /// Neighbours of another shape than the mover's.
    others: Vec<OtherShape>,
    triangles: Vec<CandidateTriangle>,
    /// True if the buffer holds more than level faces in an upright frame.
    uneven: bool,
    /// True if edges and corners of boxes are left out.
    faces_only: bool,
    /// True if the caller needs triangles only.
    triangles_only: bool,
}

impl Candidates {
    /// The bits of all edges and corners of a triangle, all of them open.
    pub const ALL_PARTS: u16 = 0b1111_1111_1111;

    /// Empties the buffer for a mover of this frame.
    #[inline]
    pub(crate) fn begin(&mut self, frame: &Frame) {
        self.frame = *frame;
        self.tags.clear();
        self.cells.clear();
        self.shared.clear();
        self.facets.clear();
        self.segments.clear();
        self.others.clear();
        self.triangles.clear();
        self.uneven = frame.up_axis.is_none();
        self.faces_only = false;
        self.triangles_only = false;
        self.centres = EVERYWHERE;
        self.planes = None;
    }

    /// Empties the buffer for a caller that needs faces and triangles only.
    pub(crate) fn begin_faces(&mut self, frame: &Frame) {
        self.begin(frame);
        self.faces_only = true;
    }

    /// Empties the buffer for a caller that needs triangles only.
    pub(crate) fn begin_triangles(&mut self, frame: &Frame) {
        self.begin_faces(frame);
        self.triangles_only = true;
    }

    /// Returns whether the caller needs triangles only. Terrain with a volume answers such a caller
    /// through [`Terrain::gather_solids`](crate::Terrain::gather_solids).
    #[inline]
    #[must_use]
    pub fn wants_triangles_only(&self) -> bool {
        self.triangles_only
    }

    /// Empties the buffer for a mover that stays within a reach. Features that face away from all
    /// its places are left out: no hit comes from them, as the face beside such an edge is nearer.
    #[inline]
    pub(crate) fn begin_within(&mut self, frame: &Frame, reach: &Reach) {
        self.begin(frame);
        self.centres = [reach.min + reach.half, reach.max - reach.half];
        self.planes = reach.is_long().then(|| reach.planes());
    }

    /// Keeps all features pushed from here on.
    #[cfg(test)]
    pub(crate) fn take_all(&mut self) {
        self.centres = EVERYWHERE;
        self.planes = None;
    }

    /// Returns whether `is_behind` is true for one of the planes of a long move. Shorter moves have
    /// no planes here.
    #[inline]
    pub(crate) fn cut_off(&self, is_behind: impl FnMut(&Plane) -> bool) -> bool {
        let planes = self.planes.as_ref();
        planes.is_some_and(|planes| planes.iter().any(is_behind))
    }

    /// Returns whether the `sign` side of a plane across `axis` faces away from every place of the
    /// mover.
    #[inline]
    fn faces_away(&self, axis: usize, sign: i8, plane: f32) -> bool {
        let [min, max] = &self.centres;
        (sign > 0 && plane > max[axis]) || (sign < 0 && plane < min[axis])
    }

    /// Returns the number of features in the buffer.
    #[must_use]
    pub fn len(&self) -> usize {
        self.tags.len() + self.facets.len() + self.segments.len() + self.others.len()
    }

    /// Returns whether the buffer is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds a face: a rectangle normal to `axis`, seen from its `sign` side (+1 or -1). `min` and
    /// `max` agree on `axis`.
    #[inline]
    pub fn push_face(
        &mut self,
        axis: usize,
        sign: f32,
        min: Vector3<f32>,
        max: Vector3<f32>,
        object: ObjectId,
    ) {
        if self.frame.up_axis.is_none() {
            return self.push_tilted_face(axis, sign, min, max, object);
        }
        let mut signs = [0; 3];
        signs[axis] = sign as i8;
        if self.faces_away(axis, sign as i8, min[axis]) {
            return;
        }
        self.uneven |= self.frame.up_axis != Some(axis);
        let (block, lane) = self.push_box(1 << axis, self.frame.radius, min, max);
        block.approach[lane] = 0.0;
        block.sign[lane] = sign;
        block.plane[lane] = min[axis];
        self.push_tag(Feature::Face, signs, object);
    }

    /// Adds a convex edge along `axis`. The solid lies away from `signs` on the other two axes
    /// (`(axis + 1) % 3`, then `(axis + 2) % 3`).
    #[inline]
    pub fn push_edge(
        &mut self,
        axis: usize,
        signs: [f32; 2],
        min: Vector3<f32>,
        max: Vector3<f32>,
        object: ObjectId,
    ) {
        let mut outward = [0; 3];
        outward[(axis + 1) % 3] = signs[0] as i8;
        outward[(axis + 2) % 3] = signs[1] as i8;
        if self.faces_only || (0..3).any(|axis| self.faces_away(axis, outward[axis], min[axis])) {
            return;
        }
        if self.frame.up_axis.is_none() {
            let normal = self.most_upward(outward);
            if let Some(ends) = self.near(axis, [min, max]) {
                self.push_segment(ends, normal, outward, object);
            }
        } else {
            let flat = POINT & !(1 << axis);
            self.push_round(Feature::Edge, flat, outward, [min, max], object);
        }
    }

    /// Adds a convex corner whose solid lies away from `signs`.
    #[inline]
    pub fn push_corner(&mut self, signs: Vector3<f32>, point: Vector3<f32>, object: ObjectId) {
        let signs = [signs.x as i8, signs.y as i8, signs.z as i8];
        if self.faces_only || (0..3).any(|axis| self.faces_away(axis, signs[axis], point[axis])) {
            return;
        }
        self.push_round(Feature::Corner, POINT, signs, [point, point], object);
    }

    /// Returns whether no feature in the buffer can stop a level motion.
    #[inline]
    pub(crate) fn only_level_faces(&self) -> bool {
        !self.uneven
    }

    /// Drops triangles from a buffer that holds triangles only.
    pub(crate) fn retain_triangles(&mut self, keep: impl FnMut(&CandidateTriangle) -> bool) {
        self.triangles.retain(keep);
    }

    /// Returns the triangles in the buffer, as they were pushed.
    #[must_use]
    pub fn triangles(&self) -> &[CandidateTriangle] {
        &self.triangles
    }

    /// Calls `visit` with the lower and upper corner of every face, edge, corner and body, in
    /// metres from the base cell. [`Self::triangles`] holds the triangles.
    pub fn visit(&self, mut visit: impl FnMut(Feature, [Vector3<f32>; 2])) {
        for (index, tag) in self.tags.iter().enumerate() {
            let (block, lane) = (&self.blocks[index / WIDTH], index % WIDTH);
            let corner = |of: &[[f32; WIDTH]; 3]| {
                self.frame
                    .unsquashed(Vector3::from_fn(|axis, _| of[axis][lane]))
            };
            visit(tag.feature, [corner(&block.min), corner(&block.max)]);
        }
        for other in &self.others {
            visit(Feature::Body, [other.centre, other.centre]);
        }
    }

    /// Adds another body; one of the mover's own shape is a ball in the squashed space.
    #[inline]
    pub(crate) fn push_neighbour(&mut self, other: &Neighbour, centre: Vector3<f32>, skin: f32) {
        self.uneven = true;
        let object = ObjectId(other.id);
        if !self.frame.is_alike(&other.body, skin) {
            let other = OtherShape::new(&self.frame, &other.body, skin, centre, object);
            self.others.push(other);
            return;
        }
        let radius = 2.0 * self.frame.radius;
        let (block, lane) = self.push_box(POINT, radius, centre, centre);
        block.approach[lane] = LEAN * radius;
        block.sign[lane] = 0.0;
        self.push_tag(Feature::Body, [0; 3], object);
    }

    /// Adds an edge or a corner.
    fn push_round(
        &mut self,
        feature: Feature,
        flat: usize,
        signs: [i8; 3],
        ends: [Vector3<f32>; 2],
        object: ObjectId,
    ) {
        let rank = if feature == Feature::Edge {
            EDGE_RANK
        } else {
            CORNER_RANK
        };
        let radius = self.frame.radius - rank;
        self.uneven = true;
        let (block, lane) = self.push_box(flat, radius, ends[0], ends[1]);
        block.approach[lane] = LEAN * radius;
        block.sign[lane] = 0.0;
        self.push_tag(feature, signs, object);
    }

    /// Writes a box into the next lane, except for its approach and sign.
    #[inline]
    fn push_box(
        &mut self,
        flat: usize,
        radius: f32,
        min: Vector3<f32>,
        max: Vector3<f32>,
    ) -> (&mut Block, usize) {
        let (number, lane) = (self.tags.len() / WIDTH, self.tags.len() % WIDTH);
        if number == self.blocks.len() {
            self.blocks.push(Block::zeroed());
        }
        let (low, high) = (self.frame.squashed(min), self.frame.squashed(max));
        let Shape { mask, rim } = &SHAPES[flat];
        let block = &mut self.blocks[number];
        let mut write = |axis: usize| {
            block.min[axis][lane] = low[axis] - rim[axis];
            block.max[axis][lane] = high[axis] + rim[axis];
            block.flat[axis][lane] = mask[axis];
        };
        write(0);
        write(1);
        write(2);
        block.radius[lane] = radius;
        let up = &self.frame.up;
        block.top[lane] = match self.frame.up_axis {
            Some(axis) => (max[axis] * up[axis]).max(min[axis] * up[axis]),
            None => max.dot(up).max(min.dot(up)),
        };
        (block, lane)
    }

    #[inline]
    fn push_tag(&mut self, feature: Feature, signs: [i8; 3], object: ObjectId) {
        self.tags.push(Tag {
            object,
            feature,
            signs,
            shared: UNSHARED,
        });
    }

    /// Returns the blocks in use, each with the number of its lanes in use.
    #[inline]
    fn filled(&self) -> impl Iterator<Item = (&Block, usize)> {
        let used = self.tags.len();
        let blocks = self.blocks.iter().take(used.div_ceil(WIDTH));
        blocks
            .enumerate()
            .map(move |(number, block)| (block, (used - number * WIDTH).min(WIDTH)))
    }

    /// Returns the most upward of the world axes that `signs` point along.
    #[inline]
    fn most_upward(&self, signs: [i8; 3]) -> Vector3<f32> {
        // No branches: they would be mispredicted, as the axis changes from hit to hit.
        let (mut most, mut rise) = (0, f32::NEG_INFINITY);
        for axis in 0..3 {
            let along = f32::from(signs[axis]) * self.frame.up[axis];
            let higher = (signs[axis] != 0) & (along > rise);
            rise = if higher { along } else { rise };
            most = if higher { axis } else { most };
        }
        let part = |axis: usize| f32::from(signs[axis] * i8::from(axis == most));
        Vector3::new(part(0), part(1), part(2))
    }
}
