//! What the mover asks of the ground it moves on. This crate owns the trait; voxel worlds, triangle soups and scenes implement it.

use crate::candidates::Candidates;
use crate::mover::Feature;
use crate::position::{Cell, Position};
use crate::tolerance::{RIM_SHARE, TOUCHING};
use bytemuck::{Pod, Zeroable};
use nalgebra::Vector3;
use std::ops::Range;

/// A revision that has come to another by a change: what was built alike has the same, so that who sleeps on it sleeps on, and what was built
/// otherwise has another.
pub(crate) fn mixed(revision: u64, change: u64) -> u64 {
    (revision ^ change)
        .wrapping_mul(0x9e37_79b9_7f4a_7c15)
        .rotate_left(31)
        .wrapping_add(change)
}

/// The revision that an object of shapes begins with.
pub(crate) fn revision_of(object: ObjectId, origin: &Position) -> u64 {
    let cells = origin.cell.iter().map(|&part| u64::from(part as u32));
    let offsets = origin.offset.iter().map(|part| u64::from(part.to_bits()));
    cells.chain(offsets).fold(u64::from(object.0), mixed)
}

/// A thing of the terrain that a character can touch, stand on or ride: a chunk, a soup, a platform.
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
    /// The number of the triangle; in a soup that was made of a model its place there.
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
    /// A voxel of a material.
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
    /// Returns whether all of a box is behind the plane.
    #[inline]
    pub(crate) fn hides(&self, min: &Vector3<f32>, max: &Vector3<f32>) -> bool {
        let farthest = |i: usize| (self.normal[i] * min[i]).max(self.normal[i] * max[i]);
        farthest(0) + farthest(1) + farthest(2) < self.distance
    }
}

/// What a move can touch. Everything is in metres from the corner of `base`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reach {
    /// The cell all lengths are measured from.
    pub base: Cell,
    /// Centre of the body before the move.
    pub start: Vector3<f32>,
    /// The longest motion of the move; what the body meets may turn it aside, within the box.
    pub motion: Vector3<f32>,
    /// Lower corner of the box that holds every place of the body during the move.
    pub min: Vector3<f32>,
    /// Upper corner of that box.
    pub max: Vector3<f32>,
    /// Half size of the box around the body: its centre stays that far inside, and what faces away from every such place need not be
    /// given. Zero where that cannot be said.
    pub half: Vector3<f32>,
}

impl Reach {
    /// A motion longer than this, in metres, has planes that follow it: most of a box about it is far from a way across.
    const LONG: f32 = 2.0;

    /// Returns whether the planes follow the motion. They then hold the straight move, and none that turns aside.
    #[inline]
    pub(crate) fn is_long(&self) -> bool {
        self.motion.norm_squared() > Self::LONG * Self::LONG
    }

    /// The six planes of the move, in pairs that face each other. The move cannot touch what is behind one of them. They are
    /// the sides of the box; for a long motion, two are across it and four along it.
    #[must_use]
    pub fn planes(&self) -> [Plane; 6] {
        let end = self.start + self.motion;
        let (low, high) = (self.start.inf(&end), self.start.sup(&end));
        // How far the body is from its way, on each side.
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

/// A box of cells, both ends inside. Cells go round at the ends of `i32`, and so may a box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Lowest cell.
    pub min: Cell,
    /// Highest cell.
    pub max: Cell,
}

impl Bounds {
    /// No box reaches farther than this from its base, in metres.
    const FARTHEST: f32 = (1 << 30) as f32;

    /// The cells that a box reaches into, and at least one more to every side. In metres from the
    /// corner of `base`.
    #[inline]
    #[must_use]
    pub fn about(base: Cell, min: Vector3<f32>, max: Vector3<f32>) -> Self {
        let near = |part: f32| part.clamp(-Self::FARTHEST, Self::FARTHEST) as i32;
        // Whole numbers are found towards zero, which is inwards half of the time.
        Self {
            min: base.zip_map(&min, |cell, part| cell.wrapping_add(near(part) - 2)),
            max: base.zip_map(&max, |cell, part| cell.wrapping_add(near(part) + 2)),
        }
    }

    /// A single cell.
    #[must_use]
    pub fn of(cell: Cell) -> Self {
        Self {
            min: cell,
            max: cell,
        }
    }

    /// The box with so many cells more to every side.
    #[must_use]
    pub fn grown(&self, by: i32) -> Self {
        Self {
            min: self.min.map(|part| part.wrapping_sub(by)),
            max: self.max.map(|part| part.wrapping_add(by)),
        }
    }
}

/// A small record a character keeps between ticks so that a terrain finds its neighbourhood again. Plain bytes; a terrain may use
/// `words` as it likes and must accept any content (a restored or foreign memory is as good as an empty one).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Memory {
    /// Revision of the terrain when it was last asked.
    pub revision: u64,
    /// Revisions of further terrains, when several are layered.
    pub others: u64,
    /// The terrain's own notes.
    pub words: [u32; 12],
}

impl Memory {
    /// Notes a revision, and in the first six words the box of cells that was seen: enough for a
    /// terrain that is one object.
    pub fn note(&mut self, revision: u64, cells: Bounds) {
        self.revision = revision;
        for axis in 0..3 {
            self.words[axis] = cells.min[axis] as u32;
            self.words[axis + 3] = cells.max[axis] as u32;
        }
    }

    /// The box that [`Self::note`] put down.
    #[must_use]
    pub fn noted(&self) -> Bounds {
        let cell = |first: usize| Cell::from_fn(|axis, _| self.words[first + axis] as i32);
        Bounds {
            min: cell(0),
            max: cell(3),
        }
    }
}

/// A straight way of a body whose up axis is +y, or several from one place. Lengths are in metres from the corner of the cell it begins in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crossing {
    /// Centre of the body at the beginning.
    pub start: Position,
    /// Lower corner of the box that holds the body, skin included, on its way.
    pub min: Vector3<f32>,
    /// Upper corner of that box.
    pub max: Vector3<f32>,
    /// Centre of the body at the end.
    pub end: Vector3<f32>,
    /// Half extents of the body, skin included: its centre stays that far inside the box.
    pub half: Vector3<f32>,
    /// Whether it stands: then the way is level, and what the body stands on, to the bit, is not in the box. For who falls it is.
    pub stands: bool,
    /// Whether it begins on a rim: it may have sunk over that, and then stands on nothing to the bit.
    pub from_rim: bool,
    /// How far out over a rim a body that stands may be, as a share of its half extent to the side.
    pub ledge: f32,
    /// How far below it ground draws a body down that stands on a rim, in metres.
    pub snap: f32,
}

impl Crossing {
    /// Whether the body may touch a solid box somewhere in its own: it is round, and does not fill it.
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

    /// How far out from a rim that is as high as its foot, in metres, a body is borne by it, and stays as high: farther out it would not be
    /// borne, or lies the rim deeper in the body than that is drawn down; nearer, it is all but on the face. Empty where there is no such place.
    #[inline]
    #[must_use]
    pub fn out_on_rim(&self) -> Range<f32> {
        let (across, along) = (self.half.x, self.half.y);
        let left = (1.0 - (self.snap - 2.0 * TOUCHING) / along).max(0.0);
        let out = (1.0 - left * left).max(0.0).sqrt().min(self.ledge);
        across * (4.0 * TOUCHING / along).sqrt()..across * (out - RIM_SHARE)
    }
}

/// What a short look along a [`Crossing`] finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passage {
    /// Something solid may be in the way, or the body begins in something to swim or climb in.
    Unknown,
    /// Nothing in the box is solid that the body [touches](Crossing::touches).
    Open,
    /// The same, and at the end the body stands, to the bit, on the inside of a face of this object that looks up.
    Level(ObjectId),
    /// The same as open, and at the end the body stands [so far out](Crossing::out_on_rim) over this part of an object, an edge or a corner of a
    /// face that looks up, as high as that to the bit. Nothing else is as near, and there is no ground below it down to the snap.
    Rim(ObjectId, Feature),
}

/// What fills the space at a point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Contents {
    /// Whether the terrain knows this place at all. What is not loaded is solid.
    pub loaded: bool,
    /// Whether bodies collide with what is here.
    pub solid: bool,
    /// Whether one can swim here.
    pub liquid: bool,
    /// Whether one can climb here.
    pub climbable: bool,
}

/// A solid box of terrain, in metres from the corner of the cell it was asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolidBox {
    /// Lower corner.
    pub min: Vector3<f32>,
    /// Upper corner.
    pub max: Vector3<f32>,
    /// Side of the cells that it is put together from, in metres; infinite where it is one piece.
    pub grain: f32,
    /// What it belongs to.
    pub object: ObjectId,
}

/// The ground characters move on. All methods are called from many threads at once and must answer the same for the same question
/// while a tick runs.
pub trait Terrain: Sync {
    /// A number that changes whenever anything about the terrain changes or moves.
    fn revision(&self) -> u64;

    /// Whether all that `memory` has seen is still so. May say `false` without need, never `true`.
    fn unchanged(&self, memory: &Memory) -> bool {
        memory.revision == self.revision()
    }

    /// Puts all features inside `reach` that a body could hit from outside into `out`: exposed faces, convex edges, convex corners,
    /// triangles. Never flat or concave edges. What is not loaded counts as solid. A terrain
    /// without triangles may leave at once where [`Candidates::wants_triangles_only`].
    fn gather(&self, reach: &Reach, memory: &mut Memory, out: &mut Candidates);

    /// A box that holds all that `memory` has seen. `None` where the terrain does not tell: then a
    /// change anywhere may concern it.
    fn seen(&self, memory: &Memory) -> Option<Bounds> {
        let _ = memory;
        None
    }

    /// Appends the solid volumes that reach into a box (metres from the corner of `base`). What is not loaded counts as solid.
    fn gather_solids(
        &self,
        base: Cell,
        min: Vector3<f32>,
        max: Vector3<f32>,
        out: &mut Vec<SolidBox>,
    );

    /// Whether a body can simply go its way, and where it stands then: of several objects on the one with the least number. [`Passage::Unknown`] without need
    /// only costs time. With any other answer `memory` must be as [`Self::gather`] would leave it for a box that holds this one.
    fn passage(&self, crossing: &Crossing, memory: &mut Memory) -> Passage {
        let _ = (crossing, memory);
        Passage::Unknown
    }

    /// What fills the space at a place. `memory` is of a character near by, or empty; it may help
    /// to find the place, and changes no answer.
    fn contents(&self, at: &Position, memory: &Memory) -> Contents;

    /// Whether anything in a box from the corner of `base` may have moved in this tick. May say so without need, never the other way.
    fn moves_near(&self, base: Cell, min: Vector3<f32>, max: Vector3<f32>) -> bool {
        let _ = (base, min, max);
        true
    }

    /// Whether some surface moves in its place, as of a conveyor belt. [`Self::surface_velocity`] is
    /// asked in every tick then, though no revision changed. A surface that starts, stops or moves
    /// otherwise must change the revision: characters that sleep on it are not looked at before.
    fn has_moving_surfaces(&self) -> bool {
        false
    }

    /// The velocity of a surface that moves in its place, in metres a second, at a place on `object`.
    fn surface_velocity(&self, object: ObjectId, at: &Position) -> Vector3<f32> {
        let _ = (object, at);
        Vector3::zeros()
    }

    /// The turn of an object in this tick, as an axis whose length is the angle in radians. It turns
    /// nobody; [`Crowd::ground_turn`](crate::Crowd::ground_turn) tells it to the caller.
    fn turn(&self, object: ObjectId, at: &Position) -> Vector3<f32> {
        let _ = (object, at);
        Vector3::zeros()
    }

    /// How far something that rides on `object` at `at` is carried in this tick, in metres. `None`
    /// where the terrain has no such object. It is asked only where [`Self::revision`] changed: an
    /// object that moves changes it in every tick.
    fn carry(&self, object: ObjectId, at: &Position) -> Option<Vector3<f32>> {
        let _ = (object, at);
        None
    }

    /// The piece of `object` at a place on its surface, and its material. `normal` is the unit
    /// normal there, away from the object. `None` where the terrain has no such object, or knows no
    /// pieces. It is asked of the [contacts](crate::CharacterContact) of watched characters alone.
    fn touched(&self, object: ObjectId, at: &Position, normal: &Vector3<f32>) -> Option<Touched> {
        let _ = (object, at, normal);
        None
    }

    /// A box that holds all of the terrain, where it is and where it was when the tick began.
    /// `None` where it has no end.
    fn bounds(&self) -> Option<Bounds> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mover::trial::Dice;

    /// The least value of `x^2 + y^2 + z^2`, in shares of the radii, from points all over a box to points all along a way.
    fn nearest(
        way: [Vector3<f64>; 2],
        radii: Vector3<f64>,
        min: Vector3<f64>,
        max: Vector3<f64>,
    ) -> f64 {
        let mut least = f64::INFINITY;
        for step in 0..=64 {
            let centre = way[0].lerp(&way[1], f64::from(step) / 64.0);
            // The nearest point of a box is the nearest along each axis.
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
            // Between the points of a way it may be nearer.
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
