//! The trait through which the mover queries the ground. This crate owns it; voxel worlds, triangle
//! soups and scenes implement it.

use crate::candidates::Candidates;
use crate::mover::Feature;
use crate::position::{Cell, Position};
use crate::tolerance::{RIM_SHARE, TOUCHING};
use bytemuck::{Pod, Zeroable};
use nalgebra::Vector3;
use std::ops::Range;

/// Mixes a change into a revision, or the revision of a part into that of the whole. Terrains built
/// by the same changes get the same revision, so that characters asleep on one stay asleep on the
/// other; others get different ones.
#[must_use]
pub fn mixed(revision: u64, change: u64) -> u64 {
    (revision ^ change)
        .wrapping_mul(0x9e37_79b9_7f4a_7c15)
        .rotate_left(31)
        .wrapping_add(change)
}

/// Returns the first revision of an object of shapes.
pub(crate) fn revision_of(object: ObjectId, origin: &Position) -> u64 {
    let cells = origin.cell.iter().map(|&part| u64::from(part as u32));
    let offsets = origin.offset.iter().map(|part| u64::from(part.to_bits()));
    cells.chain(offsets).fold(u64::from(object.0), mixed)
}

/// A part of the terrain that a character can touch, stand on or ride: a chunk, a soup, a platform.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ObjectId(pub u32);

impl ObjectId {
    /// No object: space that is not loaded.
    pub const NONE: Self = Self(u32::MAX);
}

/// A triangle of a soup; stays valid until that triangle is removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct TriangleId(pub(crate) u32);

impl TriangleId {
    /// Returns the number of the triangle: in a soup made of a model, its place there.
    #[must_use]
    pub const fn number(self) -> u32 {
        self.0
    }
}

/// The piece of an object that a place on its surface belongs to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Piece {
    /// No smaller piece than the object is known.
    #[default]
    Whole,
    /// A voxel, by its cell in the lattice of the object.
    Voxel(Cell),
    /// A triangle.
    Triangle(TriangleId),
}

/// An object of the terrain at a place on its surface.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Touched {
    /// The piece.
    pub piece: Piece,
    /// The material of the piece, by the terrain's own numbers; 0 where it tells none.
    pub material: u32,
}

impl Touched {
    /// Makes the answer for a voxel of a material.
    #[must_use]
    pub const fn voxel(cell: Cell, material: u32) -> Self {
        Self {
            piece: Piece::Voxel(cell),
            material,
        }
    }

    /// Numbers that order pieces of one object. Of an object whose pieces are not known each side
    /// counts for one, by the normal there.
    pub(crate) fn key(&self, normal: &Vector3<f32>) -> (u8, [i32; 3]) {
        match self.piece {
            Piece::Whole => (0, normal.map(|part| (part * 1.5).round() as i32).into()),
            Piece::Voxel(cell) => (1, cell.into()),
            Piece::Triangle(id) => (2, [id.number() as i32, 0, 0]),
        }
    }
}

/// A half space: points `p` with `normal . p >= distance` are in front.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plane {
    /// Unit normal.
    pub normal: Vector3<f32>,
    /// Distance of the plane from the origin along the normal, in metres.
    pub distance: f32,
}

impl Plane {
    /// Returns whether a whole box is behind the plane.
    #[inline]
    pub(crate) fn hides(&self, min: &Vector3<f32>, max: &Vector3<f32>) -> bool {
        let farthest = |i: usize| (self.normal[i] * min[i]).max(self.normal[i] * max[i]);
        farthest(0) + farthest(1) + farthest(2) < self.distance
    }
}

/// The space that a move can touch, in metres from the corner of `base`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reach {
    /// The cell that all lengths are measured from.
    pub base: Cell,
    /// Centre of the body before the move.
    pub start: Vector3<f32>,
    /// The longest motion of the move; contacts may turn it aside, within the box.
    pub motion: Vector3<f32>,
    /// Lower corner of the box that holds every place of the body during the move.
    pub min: Vector3<f32>,
    /// Upper corner of that box.
    pub max: Vector3<f32>,
    /// Half size of the box around the body: the centre stays at least that far inside, and faces
    /// that no such place can see may be left out. Zero where nothing is known.
    pub half: Vector3<f32>,
}

impl Reach {
    /// Length of a motion, in metres, above which the planes follow it: most of its box is far from
    /// its path.
    const LONG: f32 = 2.0;

    /// Returns whether the planes follow the motion. They then hold the straight move, without
    /// turns.
    #[inline]
    pub(crate) fn is_long(&self) -> bool {
        self.motion.norm_squared() > Self::LONG * Self::LONG
    }

    /// Returns the six planes of the move, in pairs that face each other. The move cannot touch
    /// anything behind one of them. They are the sides of the box; for a long motion, two are
    /// across it and four along it.
    #[must_use]
    pub fn planes(&self) -> [Plane; 6] {
        let end = self.start + self.motion;
        let (low, high) = (self.start.inf(&end), self.start.sup(&end));
        // Extent of the body beyond its path, on each axis.
        let pad = (low - self.min).sup(&(self.max - high));
        let along = self.motion.try_normalize(0.0).filter(|_| self.is_long());
        let Some(along) = along else {
            let plane = |side: usize| {
                let mut normal = Vector3::zeros();
                let axis = side / 2;
                let (sign, at) = match side % 2 {
                    0 => (1.0, self.min[axis]),
                    _ => (-1.0, -self.max[axis]),
                };
                normal[axis] = sign;
                Plane {
                    normal,
                    distance: at,
                }
            };
            return [0, 1, 2, 3, 4, 5].map(plane);
        };
        let mut helper = Vector3::zeros();
        helper[along.iamin()] = 1.0;
        let side = along.cross(&helper).normalize();
        let rise = side.cross(&along);
        let plane = |normal: Vector3<f32>, at: Vector3<f32>| Plane {
            normal,
            distance: normal.dot(&at) - normal.abs().dot(&pad),
        };
        [
            plane(along, self.start),
            plane(-along, end),
            plane(side, self.start),
            plane(-side, self.start),
            plane(rise, self.start),
            plane(-rise, self.start),
        ]
    }
}

/// A box of cells, both ends inside. Cells wrap at the ends of `i32`, and so may a box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Lowest cell.
    pub min: Cell,
    /// Highest cell.
    pub max: Cell,
}

impl Bounds {
    /// Farthest reach of a box from its base, in metres.
    const FARTHEST: f32 = (1 << 30) as f32;

    /// Returns the cells that a box reaches into, and at least one more on every side. Lengths in
    /// metres from the corner of `base`.
    #[inline]
    #[must_use]
    pub fn about(base: Cell, min: Vector3<f32>, max: Vector3<f32>) -> Self {
        let near = |part: f32| part.clamp(-Self::FARTHEST, Self::FARTHEST) as i32;
        // `as` rounds towards zero, which is inwards on one side.
        Self {
            min: base.zip_map(&min, |cell, part| cell.wrapping_add(near(part) - 2)),
            max: base.zip_map(&max, |cell, part| cell.wrapping_add(near(part) + 2)),
        }
    }

    /// Returns the box of a single cell.
    #[must_use]
    pub fn of(cell: Cell) -> Self {
        Self {
            min: cell,
            max: cell,
        }
    }

    /// Returns the box with `by` more cells on every side.
    #[must_use]
    pub fn grown(&self, by: i32) -> Self {
        Self {
            min: self.min.map(|part| part.wrapping_sub(by)),
            max: self.max.map(|part| part.wrapping_add(by)),
        }
    }
}

/// A small record that a character keeps between ticks so that a terrain finds its neighbourhood
/// again. Plain bytes; a terrain may use `words` freely and must accept any content (a restored or
/// foreign memory is as good as an empty one).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Memory {
    /// Revision of the terrain at the last query.
    pub revision: u64,
    /// Revisions of further terrains, where several are layered.
    pub others: u64,
    /// Free for the terrain's own use.
    pub words: [u32; 12],
}

impl Memory {
    /// Stores a revision and, in the first six words, the box of cells that was queried: enough for
    /// a terrain of one object.
    pub fn note(&mut self, revision: u64, cells: Bounds) {
        self.revision = revision;
        for axis in 0..3 {
            self.words[axis] = cells.min[axis] as u32;
            self.words[axis + 3] = cells.max[axis] as u32;
        }
    }

    /// Returns the box stored by [`Self::note`].
    #[must_use]
    pub fn noted(&self) -> Bounds {
        let cell = |first: usize| Cell::from_fn(|axis, _| self.words[first + axis] as i32);
        Bounds {
            min: cell(0),
            max: cell(3),
        }
    }
}

/// A straight path of a body whose up axis is +y, or several paths from one place. Lengths are in
/// metres from the corner of the cell of `start`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crossing {
    /// Centre of the body at the start.
    pub start: Position,
    /// Lower corner of the box that holds the body, skin included, along its path.
    pub min: Vector3<f32>,
    /// Upper corner of that box.
    pub max: Vector3<f32>,
    /// Centre of the body at the end.
    pub end: Vector3<f32>,
    /// Half extents of the body, skin included: the centre stays at least that far inside the box.
    pub half: Vector3<f32>,
    /// True for a standing body: its path is level, and ground that it touches to the bit is
    /// outside of the box. For a falling body the ground is inside.
    pub stands: bool,
    /// True for a body that starts on a rim: it may have sunk over that, and then touches no ground
    /// to the bit.
    pub from_rim: bool,
    /// Farthest that a standing body may be out over a rim, as a share of its half extent across.
    pub ledge: f32,
    /// Farthest that the ground may lie below a body on a rim and draw it down, in metres.
    pub snap: f32,
}

impl Crossing {
    /// Returns whether the body may touch a solid box somewhere along its path: being round, it
    /// does not fill its own box.
    #[inline]
    #[must_use]
    pub fn touches(&self, min: &Vector3<f32>, max: &Vector3<f32>) -> bool {
        let share = |axis: usize| {
            let half = self.half[axis];
            let above = min[axis] - (self.max[axis] - half);
            let below = (self.min[axis] + half) - max[axis];
            above.max(below).max(0.0) / half
        };
        let (x, y, z) = (share(0), share(1), share(2));
        x * x + y * y + z * z <= 1.0
    }

    /// Returns the distances, in metres, at which a body may stand out from a rim level with its
    /// foot and keep its height. Farther out the rim does not support it, or lies deeper in the
    /// body than the snap; nearer, the body is all but on the face. Empty where there is no such
    /// distance.
    #[inline]
    #[must_use]
    pub fn out_on_rim(&self) -> Range<f32> {
        let (across, along) = (self.half.x, self.half.y);
        let left = (1.0 - (self.snap - 2.0 * TOUCHING) / along).max(0.0);
        let out = (1.0 - left * left).max(0.0).sqrt().min(self.ledge);
        across * (4.0 * TOUCHING / along).sqrt()..across * (out - RIM_SHARE)
    }
}

/// The result of [`Terrain::passage`] along a [`Crossing`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passage {
    /// A solid may be in the way, or the body starts in liquid or on something climbable.
    Unknown,
    /// No solid in the box that the body [touches](Crossing::touches).
    Open,
    /// Open, and at the end the body stands, to the bit, on the inside of an upward face of this
    /// object.
    Level(ObjectId),
    /// Open, and at the end the body stands [out over](Crossing::out_on_rim) this edge or corner of
    /// an upward face of an object, level with it to the bit. No other feature is as near, and
    /// there is no ground below the body within the snap.
    Rim(ObjectId, Feature),
}

/// The contents of the space at a point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Contents {
    /// True if this place is loaded. Unloaded space is solid.
    pub loaded: bool,
    /// True if characters collide here.
    pub solid: bool,
    /// True if characters can swim here.
    pub liquid: bool,
    /// True if characters can climb here.
    pub climbable: bool,
}

/// A solid box of terrain, in metres from the corner of the queried cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolidBox {
    /// Lower corner.
    pub min: Vector3<f32>,
    /// Upper corner.
    pub max: Vector3<f32>,
    /// Side of the cells that the box is composed of, in metres; infinite for a single piece.
    pub grain: f32,
    /// The object it belongs to.
    pub object: ObjectId,
}

/// The ground that characters move on. All methods are called from many threads at once and must
/// give the same answer to the same query during a tick.
pub trait Terrain: Sync {
    /// Returns a number that changes whenever the terrain changes or moves.
    fn revision(&self) -> u64;

    /// Returns whether everything that `memory` has seen is unchanged. May return `false`
    /// needlessly, never `true` wrongly.
    fn unchanged(&self, memory: &Memory) -> bool {
        memory.revision == self.revision()
    }

    /// Adds to `out` all features inside `reach` that a body could hit from outside: exposed faces,
    /// convex edges, convex corners, triangles. Never flat or concave edges. Unloaded space counts
    /// as solid. A terrain without triangles may return at once where
    /// [`Candidates::wants_triangles_only`].
    fn gather(&self, reach: &Reach, memory: &mut Memory, out: &mut Candidates);

    /// Returns a box that holds everything `memory` has seen. `None` where the terrain cannot tell:
    /// then a change anywhere may concern it.
    fn seen(&self, memory: &Memory) -> Option<Bounds> {
        let _ = memory;
        None
    }

    /// Appends the solid volumes that reach into a box (metres from the corner of `base`). Unloaded
    /// space counts as solid.
    fn gather_solids(
        &self,
        base: Cell,
        min: Vector3<f32>,
        max: Vector3<f32>,
        out: &mut Vec<SolidBox>,
    );

    /// Returns whether the path of a body is free, and the object or rim it stands on at the end:
    /// of several objects the one with the least number. A needless [`Passage::Unknown`] only costs
    /// time. With any other answer `memory` must be as [`Self::gather`] would leave it for a box
    /// that holds this one.
    fn passage(&self, crossing: &Crossing, memory: &mut Memory) -> Passage {
        let _ = (crossing, memory);
        Passage::Unknown
    }

    /// Returns the contents of the space at a place. `memory` belongs to a character near by, or is
    /// empty; it may help to find the place, and changes no answer.
    fn contents(&self, at: &Position, memory: &Memory) -> Contents;

    /// Returns whether anything in a box from the corner of `base` may have moved in this tick. May
    /// return `true` needlessly, never `false` wrongly.
    fn moves_near(&self, base: Cell, min: Vector3<f32>, max: Vector3<f32>) -> bool {
        let _ = (base, min, max);
        true
    }

    /// Returns whether some surface moves in its place, as of a conveyor belt. If so,
    /// [`Self::surface_velocity`] is queried in every tick, though no revision changed. A surface
    /// that starts, stops or changes its velocity must change the revision: characters that sleep
    /// on it do not notice otherwise.
    fn has_moving_surfaces(&self) -> bool {
        false
    }

    /// Returns the velocity, in metres a second, of a surface that moves in its place, at a place
    /// on `object`.
    fn surface_velocity(&self, object: ObjectId, at: &Position) -> Vector3<f32> {
        let _ = (object, at);
        Vector3::zeros()
    }

    /// Returns the turn of an object in this tick, as an axis whose length is the angle in radians.
    /// It turns no character; [`Crowd::ground_turn`](crate::Crowd::ground_turn) hands it to the
    /// caller.
    fn turn(&self, object: ObjectId, at: &Position) -> Vector3<f32> {
        let _ = (object, at);
        Vector3::zeros()
    }

    /// Returns how far `object` carries a rider at `at` in this tick, in metres. `None` where the
    /// terrain has no such object. Called only where [`Self::revision`] changed: a moving object
    /// changes it in every tick.
    fn carry(&self, object: ObjectId, at: &Position) -> Option<Vector3<f32>> {
        let _ = (object, at);
        None
    }

    /// Returns the piece of `object` at a place on its surface, and its material. `normal` is the
    /// unit normal there, away from the object. `None` where the terrain has no such object, or
    /// knows no pieces. It is asked of the [contacts](crate::CharacterContact) of watched
    /// characters alone.
    fn touched(&self, object: ObjectId, at: &Position, normal: &Vector3<f32>) -> Option<Touched> {
        let _ = (object, at, normal);
        None
    }

    /// Returns a box around all of the terrain, at its present place and at that when the tick
    /// began. `None` where it has no end.
    fn bounds(&self) -> Option<Bounds> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mover::test_terrain::Dice;

    /// Returns the least `x^2 + y^2 + z^2`, in shares of the radii, between points all over a box
    /// and points all along a path.
    fn nearest(
        way: [Vector3<f64>; 2],
        radii: Vector3<f64>,
        min: Vector3<f64>,
        max: Vector3<f64>,
    ) -> f64 {
        let mut least = f64::INFINITY;
        for step in 0..=64 {
            let centre = way[0].lerp(&way[1], f64::from(step) / 64.0);
            // The nearest point of a box is the nearest one along each axis.
            let near = centre.sup(&min).inf(&max);
            least = least.min((near - centre).component_div(&radii).norm_squared());
        }
        least
    }

    #[test]
    fn crossing_touches_what_the_round_body_touches() {
        let mut dice = Dice(8);
        let (mut touched, mut passed) = (0, 0);
        for _ in 0..40_000 {
            let half = Vector3::new(0.41, 0.91, 0.41);
            let start = Vector3::repeat(0.5) + dice.vector() * 0.5;
            let mut motion = Vector3::zeros();
            motion[(dice.bits() % 3) as usize] = dice.signed();
            let end = start + motion;
            let crossing = Crossing {
                start: Position::new(Cell::new(5, -7, 9), start),
                min: start.inf(&end) - half,
                max: start.sup(&end) + half,
                end,
                half,
                stands: motion.y == 0.0,
                from_rim: false,
                ledge: 0.0,
                snap: 0.0,
            };
            let min = start + dice.vector() * 1.5;
            let max = min + dice.vector().abs() * 0.5;
            let way = [start.cast(), end.cast()];
            let squared = nearest(way, half.cast(), min.cast(), max.cast());
            let touches = crossing.touches(&min, &max);
            // Between the sampled points it may be nearer.
            if squared < 1.0 - 1e-5 {
                assert!(touches, "{crossing:?} {min} {max}");
            } else if squared > 1.02 {
                assert!(!touches, "{crossing:?} {min} {max}");
            }
            touched += u32::from(touches);
            let in_box = (0..3).all(|i| min[i] <= crossing.max[i] && crossing.min[i] <= max[i]);
            passed += u32::from(in_box && !touches);
        }
        assert!(touched > 3000 && passed > 1000, "{touched} {passed}");
    }
}
