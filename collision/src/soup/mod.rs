//! Terrain of triangles: props, ramps, models. Triangles can be edited in place, and the whole soup
//! can move and turn.
//!
//! Large triangles are cut into pieces, so that the corners of a piece are never far from a body
//! that touches it, and `f32` stays exact. A soup has no inside: bodies are pushed out along its
//! faces, and it has no solids to gather.
//!
//! *Needles.* A triangle no higher than [`NEEDLE`](crate::tolerance::NEEDLE) of its longest side
//! has no face: only its edges and corners stop movers, from all sides, like a wire. So does a
//! triangle without area, down to a single point. The edges beside a needle count as free. A face
//! reaches beyond its sides by less than a millimetre, however sharp it is. Sweeps of single
//! triangles ([`crate::sweep::sweep_sphere_triangle`]) follow the same rule.
//!
//! *Cost.* A walker's tick takes some 40,000 instructions on open ground of half-metre triangles,
//! and 94,000 in a house of 4,000 while pressing against walls and furniture. About two thirds of
//! both make candidates of the triangles in reach.

mod cut;
mod edges;
mod motion;
mod touched;
mod tree;

use nalgebra::{Point3, UnitQuaternion, Vector3};
use thiserror::Error;

use self::cut::pieces_of;
use self::edges::{EdgeTable, Outline};
pub use self::motion::SoupMotion;
use self::tree::{Bounds, BoxTree};
use crate::candidates::{CandidateTriangle, Candidates, Sides};
use crate::kernels::facet::AreaVector;
use crate::obj::ObjMesh;
use crate::position::{Cell, Position};
pub use crate::terrain::TriangleId;
use crate::terrain::{
    self, Contents, Memory, ObjectId, Reach, SolidBox, Terrain, Touched, mixed, revision_of,
};
use crate::tolerance::{
    FARTHEST_FROM_ORIGIN, LONGEST_PIECE, LONGEST_TRIANGLE, MOST_ON_AN_EDGE, MOST_PIECES,
};

/// No piece.
const NONE: u32 = u32::MAX;

/// Why a triangle cannot be part of a soup.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum SoupError {
    /// A coordinate is not finite.
    #[error("a corner of the triangle is not finite: give three finite numbers")]
    NotFinite,
    /// A side is too long.
    #[error(
        "a side of the triangle is longer than {LONGEST_TRIANGLE} m: cut it up, or scale the model"
    )]
    TooLarge,
    /// The soup would have too many pieces.
    #[error(
        "triangles are kept in pieces of at most {LONGEST_PIECE} m a side, and these make more \
         than {MOST_PIECES}: leave some out, or scale the model"
    )]
    TooMany,
    /// A corner is too far from the soup's origin.
    #[error(
        "a corner lies more than {FARTHEST_FROM_ORIGIN} m from the soup's origin: move the origin"
    )]
    TooFar,
    /// The soup itself has no place.
    #[error("the soup's origin is no position: build it with Position::new")]
    Origin,
}

/// Triangles as one terrain object.
#[derive(Clone, Debug)]
pub struct TriangleSoup {
    object: ObjectId,
    frame: Cell,
    /// Place of the rest origin, in metres from the frame.
    origin: Vector3<f64>,
    turn: UnitQuaternion<f64>,
    motion: SoupMotion,
    surface_velocity: Vector3<f32>,
    /// The first piece of each triangle; `None` for a removed one.
    triangles: Vec<Option<u32>>,
    free_triangles: Vec<u32>,
    pieces: Vec<Piece>,
    /// The data of each piece that queries read.
    placed: Vec<Placed>,
    free_pieces: Vec<u32>,
    edges: EdgeTable,
    tree: BoxTree,
    /// The box around the soup when the tick began.
    before: Bounds,
    revision: u64,
}

#[derive(Clone, Copy, Debug)]
struct Piece {
    rest: Outline,
    leaf: u32,
    next: u32,
    /// The triangle of the piece.
    triangle: u32,
}

/// The place of a piece, stored apart so that a query reads few cache lines.
#[derive(Clone, Copy, Debug)]
struct Placed {
    corners: [Position; 3],
    /// The unit normal; `None` where the area is negligible.
    normal: Option<Vector3<f32>>,
    sides: Sides,
    /// A bit for each edge and corner that can stop movers, as in [`CandidateTriangle::parts`].
    parts: u16,
}

impl TriangleSoup {
    /// Makes a soup without triangles, with coordinates from `origin`. It takes no triangles if
    /// that is not finite.
    pub fn new(object: ObjectId, origin: Position) -> Self {
        Self {
            object,
            frame: origin.cell,
            origin: origin.offset.cast(),
            turn: UnitQuaternion::identity(),
            motion: SoupMotion::default(),
            surface_velocity: Vector3::zeros(),
            triangles: Vec::new(),
            free_triangles: Vec::new(),
            pieces: Vec::new(),
            placed: Vec::new(),
            free_pieces: Vec::new(),
            edges: EdgeTable::default(),
            tree: BoxTree::default(),
            before: Bounds::NOTHING,
            revision: revision_of(object, &origin),
        }
    }

    /// Makes a soup of all triangles of a model, with the model's numbers.
    pub fn from_obj(
        object: ObjectId,
        origin: Position,
        mesh: &ObjMesh,
        sides: Sides,
    ) -> Result<Self, SoupError> {
        let mut soup = Self::new(object, origin);
        for triangle in 0..mesh.triangles.len() {
            soup.add(mesh.corners(triangle), sides, BoxTree::note)?;
        }
        soup.tree.build_all();
        for (piece, leaf) in soup.tree.leaves() {
            soup.pieces[piece as usize].leaf = leaf;
        }
        for piece in 0..soup.pieces.len() {
            soup.mark(piece as u32);
        }
        soup.shrink();
        Ok(soup)
    }

    /// Frees the capacity reserved for more triangles.
    fn shrink(&mut self) {
        self.triangles.shrink_to_fit();
        self.pieces.shrink_to_fit();
        self.placed.shrink_to_fit();
        self.edges.shrink();
    }

    /// Adds a triangle, corners in metres from the origin in the soup's own (unturned) frame.
    pub fn insert(
        &mut self,
        corners: [Point3<f64>; 3],
        sides: Sides,
    ) -> Result<TriangleId, SoupError> {
        let (id, pieces) = self.add(corners, sides, BoxTree::insert)?;
        self.mark_around(&pieces);
        Ok(id)
    }

    /// Adds a triangle without marking its edges and those beside them.
    fn add(
        &mut self,
        corners: [Point3<f64>; 3],
        sides: Sides,
        put: fn(&mut BoxTree, u32, Bounds) -> u32,
    ) -> Result<(TriangleId, Vec<u32>), SoupError> {
        let outlines = pieces_of(&corners, sides)?;
        self.check_room(outlines.len())?;
        Ok(self.add_pieces(&corners, &outlines, sides, put))
    }

    /// Adds a triangle already cut, for which there is room.
    fn add_pieces(
        &mut self,
        corners: &[Point3<f64>; 3],
        outlines: &[Outline],
        sides: Sides,
        put: fn(&mut BoxTree, u32, Bounds) -> u32,
    ) -> (TriangleId, Vec<u32>) {
        let mut first = NONE;
        let mut pieces = Vec::new();
        for &outline in outlines {
            first = self.insert_piece(outline, first, put);
            pieces.push(first);
        }
        for part in corners.iter().flat_map(|corner| corner.iter()) {
            self.revision = mixed(self.revision, part.to_bits());
        }
        self.revision = mixed(self.revision, sides as u64);
        (self.name_triangle(first), pieces)
    }

    /// Returns an error if there is no room for `more` pieces, in memory or in the world.
    fn check_room(&self, more: usize) -> Result<(), SoupError> {
        let mut origin = self.origin.iter();
        if !origin.all(|part| part.abs() <= FARTHEST_FROM_ORIGIN) {
            Err(SoupError::Origin)
        } else if self.pieces.len() - self.free_pieces.len() + more > MOST_PIECES {
            Err(SoupError::TooMany)
        } else {
            Ok(())
        }
    }

    /// Returns the number of pieces of a triangle.
    fn pieces_in(&self, triangle: TriangleId) -> usize {
        let some = |piece: u32| (piece != NONE).then_some(piece);
        let first = self.triangles.get(triangle.0 as usize).copied().flatten();
        let next = |&piece: &u32| some(self.pieces[piece as usize].next);
        std::iter::successors(first.and_then(some), next).count()
    }

    /// Removes a triangle. Returns whether it was there.
    pub fn remove(&mut self, triangle: TriangleId) -> bool {
        let Some(first) = self
            .triangles
            .get_mut(triangle.0 as usize)
            .and_then(Option::take)
        else {
            return false;
        };
        self.free_triangles.push(triangle.0);
        let mut index = first;
        while index != NONE {
            let piece = self.pieces[index as usize];
            self.remove_piece(index);
            index = piece.next;
        }
        self.revision = mixed(self.revision, u64::from(triangle.0));
        true
    }

    /// Replaces a triangle; the id may be reused. An error changes nothing.
    pub fn replace(
        &mut self,
        triangle: TriangleId,
        corners: [Point3<f64>; 3],
        sides: Sides,
    ) -> Result<TriangleId, SoupError> {
        let outlines = pieces_of(&corners, sides)?;
        let more = outlines.len().saturating_sub(self.pieces_in(triangle));
        self.check_room(more)?;
        self.remove(triangle);
        let (id, pieces) = self.add_pieces(&corners, &outlines, sides, BoxTree::insert);
        self.mark_around(&pieces);
        Ok(id)
    }

    /// Returns the ids of all triangles, ascending.
    pub fn triangle_ids(&self) -> impl Iterator<Item = TriangleId> + '_ {
        let numbered = self.triangles.iter().zip(0..);
        numbered
            .filter(|(first, _)| first.is_some())
            .map(|(_, id)| TriangleId(id))
    }

    /// Returns the present corners of all triangles; large ones come in pieces.
    pub fn placed_triangles(&self) -> impl Iterator<Item = [Position; 3]> + '_ {
        self.live().map(|placed| placed.corners)
    }

    /// Sets the velocity of the surface, in metres a second, as of a conveyor belt: it carries
    /// characters while the object stays, and wakes only those on it. A velocity that is not finite
    /// counts as zero.
    pub fn set_surface_velocity(&mut self, velocity: Vector3<f32>) {
        let sound = velocity.iter().all(|part| part.is_finite());
        let velocity = if sound { velocity } else { Vector3::zeros() };
        if velocity != self.surface_velocity {
            for part in &velocity {
                self.revision = mixed(self.revision, u64::from(part.to_bits()) | 2 << 32);
            }
            self.surface_velocity = velocity;
        }
    }

    /// Begins a tick in which the soup moves as a whole. It is a tick at rest for a motion that
    /// changes nothing, is not finite, has a turn that is no unit quaternion, or leads farther than
    /// [`FARTHEST_FROM_ORIGIN`] from the soup's first place.
    pub fn advance(&mut self, motion: &SoupMotion) {
        let moved = self.origin + self.carry_from(motion, self.origin);
        let sound = motion.is_sound() && moved.amax() <= FARTHEST_FROM_ORIGIN;
        let motion = if sound {
            *motion
        } else {
            SoupMotion::default()
        };
        let at_rest = motion.is_identity();
        self.before = self.tree.bounds();
        if !at_rest {
            self.origin = moved;
            self.turn =
                UnitQuaternion::new_normalize(motion.turn.into_inner() * self.turn.into_inner());
            self.place_all();
        }
        if !at_rest || !self.motion.is_identity() {
            let parts = motion.turn.coords.iter().chain(motion.shift.iter());
            let pivot = motion.pivot;
            let cell = pivot.cell.iter().map(|&part| u64::from(part as u32));
            let offset = pivot.offset.iter().map(|part| u64::from(part.to_bits()));
            for part in parts.map(|part| part.to_bits()).chain(cell).chain(offset) {
                self.revision = mixed(self.revision, part);
            }
        }
        self.motion = motion;
    }

    /// Returns all pieces in use.
    fn live(&self) -> impl Iterator<Item = &Placed> + '_ {
        let pieces = self.pieces.iter().zip(&self.placed);
        pieces.filter_map(|(piece, placed)| (piece.leaf != NONE).then_some(placed))
    }

    /// Returns how far a motion carries a point, in metres from the frame.
    fn carry_from(&self, motion: &SoupMotion, point: Vector3<f64>) -> Vector3<f64> {
        if motion.turn == UnitQuaternion::identity() {
            return motion.shift;
        }
        let arm = point - self.local(&motion.pivot);
        motion.turn * arm - arm + motion.shift
    }

    fn local(&self, position: &Position) -> Vector3<f64> {
        Vector3::from_fn(|axis, _| {
            let cells = position.cell[axis].wrapping_sub(self.frame[axis]);
            f64::from(cells) + f64::from(position.offset[axis])
        })
    }

    /// Returns the place of a corner that is turned already.
    fn place(&self, turned: Vector3<f64>) -> Position {
        let local = self.origin + turned;
        let whole = local.map(f64::floor);
        let cell = Cell::from_fn(|axis, _| self.frame[axis].wrapping_add(whole[axis] as i32));
        Position::new(cell, (local - whole).cast())
    }

    fn placed_at(&self, rest: &Outline, parts: u16) -> Placed {
        let turned = rest.corners.map(|corner| self.turn * corner);
        Placed {
            corners: turned.map(|corner| self.place(corner)),
            normal: AreaVector::between(turned).unit(),
            sides: rest.sides,
            parts,
        }
    }

    fn place_all(&mut self) {
        for index in 0..self.pieces.len() {
            if self.pieces[index].leaf != NONE {
                let rest = self.pieces[index].rest;
                let placed = self.placed_at(&rest, self.placed[index].parts);
                self.placed[index] = placed;
            }
        }
        let (placed, frame) = (&self.placed, self.frame);
        self.tree
            .refit_all(|item| bounds_of(&placed[item as usize].corners, frame));
    }

    fn name_triangle(&mut self, first: u32) -> TriangleId {
        let id = self.free_triangles.pop().unwrap_or_else(|| {
            self.triangles.push(None);
            self.triangles.len() as u32 - 1
        });
        self.triangles[id as usize] = Some(first);
        let mut piece = first;
        while let Some(named) = self.pieces.get_mut(piece as usize) {
            named.triangle = id;
            piece = named.next;
        }
        TriangleId(id)
    }

    fn insert_piece(
        &mut self,
        rest: Outline,
        next: u32,
        put: fn(&mut BoxTree, u32, Bounds) -> u32,
    ) -> u32 {
        let placed = self.placed_at(&rest, Candidates::ALL_PARTS);
        let piece = Piece {
            rest,
            leaf: NONE,
            next,
            triangle: NONE,
        };
        let index = match self.free_pieces.pop() {
            Some(index) => {
                self.pieces[index as usize] = piece;
                self.placed[index as usize] = placed;
                index
            }
            None => {
                self.pieces.push(piece);
                self.placed.push(placed);
                self.pieces.len() as u32 - 1
            }
        };
        let bounds = bounds_of(&placed.corners, self.frame);
        self.pieces[index as usize].leaf = put(&mut self.tree, index, bounds);
        self.edges.insert(index, &rest);
        index
    }

    fn remove_piece(&mut self, index: u32) {
        let piece = self.pieces[index as usize];
        self.tree.remove(piece.leaf);
        self.pieces[index as usize].leaf = NONE;
        self.free_pieces.push(index);
        self.edges.remove(index, &piece.rest);
        let mut beside = Vec::new();
        for edge in 0..3 {
            let sharers = self.sharers(&piece.rest, edge, MOST_ON_AN_EDGE);
            // An edge shared by too many pieces was and is free.
            beside.extend(sharers.into_iter().flatten());
        }
        self.mark_around(&beside);
    }

    /// Marks anew the edges and corners that can stop movers, for these pieces and those beside
    /// them.
    fn mark_around(&mut self, pieces: &[u32]) {
        for &index in pieces {
            let rest = self.pieces[index as usize].rest;
            self.mark(index);
            for edge in 0..3 {
                // An edge shared by one piece more than the limit is free, as are all with more.
                let sharers = self.sharers(&rest, edge, MOST_ON_AN_EDGE + 1);
                for other in sharers.into_iter().flatten() {
                    self.mark(other);
                }
            }
        }
    }

    /// Returns the pieces that share an edge, unless they are more than `most`.
    fn sharers(&self, outline: &Outline, edge: usize, most: usize) -> Option<Vec<u32>> {
        let rest = |piece: u32| self.pieces[piece as usize].rest;
        let sharers = self.edges.sharers(outline, edge, rest);
        let sharers: Vec<u32> = sharers.take(most + 1).collect();
        (sharers.len() <= most).then_some(sharers)
    }

    /// Returns a box in the frame of the tree, from one measured from the corner of `base`.
    fn bounds_from(&self, base: Cell, min: Vector3<f32>, max: Vector3<f32>) -> Bounds {
        let shift = Vector3::from_fn(|axis, _| base[axis].wrapping_sub(self.frame[axis]) as f32);
        let (min, max) = (min + shift, max + shift);
        Bounds {
            min: min - rounding(&min),
            max: max + rounding(&max),
        }
    }

    fn mark(&mut self, index: u32) {
        let rest = self.pieces[index as usize].rest;
        let edges = self
            .edges
            .edges_of(index, &rest, |other| self.pieces[other as usize].rest);
        let parts = edges.active_parts() | edges.open_parts() << 6;
        self.placed[index as usize].parts = parts;
    }
}

fn bounds_of(corners: &[Position; 3], frame: Cell) -> Bounds {
    let [a, b, c] = corners.map(|corner| corner.relative_to(frame));
    let (min, max) = (a.inf(&b).inf(&c), a.sup(&b).sup(&c));
    let slack = rounding(&min).sup(&rounding(&max));
    Bounds {
        min: min - slack,
        max: max + slack,
    }
}

/// Returns more than the rounding of a sum of two numbers of this size.
fn rounding(value: &Vector3<f32>) -> Vector3<f32> {
    value.abs() * (4.0 * f32::EPSILON)
}

impl Terrain for TriangleSoup {
    fn revision(&self) -> u64 {
        self.revision
    }

    fn gather(&self, reach: &Reach, memory: &mut Memory, out: &mut Candidates) {
        let cells = terrain::Bounds::about(reach.base, reach.min, reach.max);
        memory.note(self.revision, cells);
        let bounds = self.bounds_from(reach.base, reach.min, reach.max);
        self.tree.query(&bounds, |item| {
            let placed = &self.placed[item as usize];
            let triangle = CandidateTriangle {
                corners: placed.corners.map(|corner| corner.relative_to(reach.base)),
                sides: placed.sides,
                parts: placed.parts,
                object: self.object,
            };
            out.push_triangle_of(triangle, placed.normal);
        });
    }

    fn seen(&self, memory: &Memory) -> Option<terrain::Bounds> {
        Some(memory.noted())
    }

    fn gather_solids(
        &self,
        _base: Cell,
        _min: Vector3<f32>,
        _max: Vector3<f32>,
        _out: &mut Vec<SolidBox>,
    ) {
    }

    fn contents(&self, _at: &Position, _memory: &Memory) -> Contents {
        Contents {
            loaded: true,
            ..Contents::default()
        }
    }

    fn moves_near(&self, base: Cell, min: Vector3<f32>, max: Vector3<f32>) -> bool {
        let mut near = false;
        if !self.motion.is_identity() {
            let bounds = self.bounds_from(base, min, max);
            self.tree.query(&bounds, |_| near = true);
        }
        near
    }

    fn has_moving_surfaces(&self) -> bool {
        self.surface_velocity != Vector3::zeros()
    }

    fn surface_velocity(&self, _object: ObjectId, _at: &Position) -> Vector3<f32> {
        self.surface_velocity
    }

    fn turn(&self, _object: ObjectId, _at: &Position) -> Vector3<f32> {
        self.motion.turn.scaled_axis().cast()
    }

    fn touched(&self, object: ObjectId, at: &Position, _: &Vector3<f32>) -> Option<Touched> {
        (object == self.object).then(|| self.touched_at(at))
    }

    fn carry(&self, object: ObjectId, at: &Position) -> Option<Vector3<f32>> {
        (object == self.object).then(|| self.carry_from(&self.motion, self.local(at)).cast())
    }

    fn bounds(&self) -> Option<terrain::Bounds> {
        let Bounds { min, max } = self.tree.bounds().join(&self.before);
        let is_empty = min.x > max.x;
        let cells = || terrain::Bounds::about(self.frame, min, max);
        Some(if is_empty {
            terrain::Bounds::of(self.frame)
        } else {
            cells()
        })
    }
}

#[cfg(test)]
mod tests;
