//! A ball against the front of a triangle's face, without its rim.

use super::{Found, Met, Span, Way, dot, found, load, put};
use crate::lanes::{Lane, Wide};
use crate::object::ObjectId;
use crate::tolerance::{EXACT, FACET_SLACK, GRAZE, NEEDLE, SHARP};
use nalgebra::Vector3;

#[cfg(test)]
#[path = "facet_tests.rs"]
mod tests;

/// Faces side by side.
pub(crate) const WIDE: usize = 4;

/// The inside of a triangle, or of several side by side.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Face<T> {
    corner: [T; 3],
    normal: [T; 3],
    /// Inward normals of the three sides, in the plane.
    sides: [[T; 3]; 3],
    /// Distances of the first corner from the three sides.
    inside: [T; 3],
    /// The direction of the longest side of a sharp triangle; zero for others.
    along: [T; 3],
    /// Distances of the first corner from the ends along that side, with a slack; infinite for
    /// others.
    ends: [T; 2],
}

/// Four faces. The result of a lane without a face is meaningless.
pub(crate) type FaceRows = Face<[f32; WIDE]>;

impl FaceRows {
    /// Puts a face into a lane.
    #[inline]
    pub(crate) fn put(&mut self, lane: usize, face: &Face<f32>) {
        put(&mut self.corner, lane, &face.corner);
        put(&mut self.normal, lane, &face.normal);
        for side in 0..3 {
            put(&mut self.sides[side], lane, &face.sides[side]);
            self.inside[side][lane] = face.inside[side];
        }
        put(&mut self.along, lane, &face.along);
        for end in 0..2 {
            self.ends[end][lane] = face.ends[end];
        }
    }

    /// Returns the face in a lane.
    #[inline]
    pub(crate) fn get(&self, lane: usize) -> Face<f32> {
        self.faces(lane)
    }

    /// Returns the unit normal of the face in a lane.
    #[inline]
    pub(crate) fn normal(&self, lane: usize) -> Vector3<f32> {
        load(&self.normal, lane).into()
    }

    /// Sweeps a ball past the first `used` faces, no later than a limit.
    #[inline]
    pub(crate) fn sweep(&self, used: usize, way: &Way, limit: f32) -> Found<WIDE> {
        found(used, |first| self.faces::<Wide>(first).enter(way, limit))
    }

    /// Returns the depth of a ball in the first `used` faces, from their fronts; infinitely little
    /// beside them.
    #[inline]
    pub(crate) fn depth(&self, used: usize, point: &Vector3<f32>, radius: f32) -> f32 {
        let mut depths = [f32::NEG_INFINITY; WIDE];
        for first in (0..WIDE).step_by(Wide::LANES) {
            let faces = self.faces::<Wide>(first);
            faces.depth(point, radius).store(&mut depths, first);
        }
        let used = depths.iter().take(used);
        used.copied().fold(f32::NEG_INFINITY, f32::max)
    }

    #[inline(always)]
    fn faces<L: Lane>(&self, first: usize) -> Face<L> {
        Face {
            corner: load(&self.corner, first),
            normal: load(&self.normal, first),
            sides: [0, 1, 2].map(|side| load(&self.sides[side], first)),
            inside: load(&self.inside, first),
            along: load(&self.along, first),
            ends: [0, 1].map(|end| L::load(&self.ends[end], first)),
        }
    }
}

impl<L: Lane> Face<L> {
    /// Returns the time at which the front stops the ball, no later than a limit.
    #[inline(always)]
    pub(crate) fn enter(&self, way: &Way, limit: f32) -> Met<L> {
        let (zero, radius, limit) = (L::splat(0.0), L::splat(way.radius), L::splat(limit));
        let motion = way.motion.map(L::splat);
        let from = way.from(&self.corner);
        let (approach, height) = (-dot(&self.normal, &motion), dot(&self.normal, &from));
        let touches = height.is_below(L::splat(way.radius + EXACT));
        let least = L::select(touches, L::splat(GRAZE * way.length), zero);
        let entry = ((height - radius) / approach).greater(zero);
        let counts = least.is_below(approach) & zero.is_within(height) & entry.is_within(limit);
        // Most faces are far, or face away.
        if L::bits(counts) == 0 {
            return Met::nothing();
        }
        let mut span = Span {
            entry,
            exit: limit,
            is_left: counts,
        };
        for (inward, inside) in self.sides.iter().zip(self.inside) {
            let at = (dot(inward, &from) + inside) + L::splat(FACET_SLACK);
            span = span.clipped(at, dot(inward, &motion));
        }
        // Few are left.
        if L::bits(span.is_some()) == 0 {
            return Met::nothing();
        }
        let (at, rate) = (dot(&self.along, &from), dot(&self.along, &motion));
        let [start, end] = self.ends;
        let span = span.clipped(start + at, rate).clipped(end - at, -rate);
        let in_front = zero.is_within(height - approach * span.entry);
        Met {
            time: span.entry,
            hit: in_front & span.is_some(),
        }
    }

    /// Returns the depth of a ball in the face from its front; negative is the gap, and negative
    /// infinity beside it.
    #[inline(always)]
    pub(crate) fn depth(&self, point: &Vector3<f32>, radius: f32) -> L {
        let zero = L::splat(0.0);
        let from = [0, 1, 2].map(|axis| L::splat(point[axis]) - self.corner[axis]);
        let height = dot(&self.normal, &from);
        let over = |side: usize| dot(&self.sides[side], &from) + self.inside[side];
        let over = [over(0), over(1), over(2)].map(|over| zero.is_within(over));
        let is_over = zero.is_within(height) & over[0] & over[1] & over[2];
        L::select(
            is_over,
            L::splat(radius) - height,
            L::splat(f32::NEG_INFINITY),
        )
    }
}

/// The place of a face in the world.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Facet {
    pub(crate) world_normal: Vector3<f32>,
    /// Highest point in the world along the up axis.
    pub(crate) crest: f32,
    pub(crate) object: ObjectId,
}

impl Face<f32> {
    /// Makes the face of a triangle; `None` where its area is negligible.
    #[inline(always)]
    pub(crate) fn new([a, b, c]: [Vector3<f32>; 3]) -> Option<Self> {
        let area = AreaVector::of(a, b, c);
        let normal = area.unit()?;
        // The sides beside each other, so that the machine takes them at once.
        let rows = |of: [Vector3<f32>; 4]| [0, 1, 2].map(|axis| of.map(|corner| corner[axis]));
        let (from, to, n) = (rows([a, b, c, a]), rows([b, c, a, b]), normal);
        let from_first = |axis: usize| from[axis].map(|part| a[axis] - part);
        let along = [0, 1, 2].map(|axis| less(to[axis], from[axis]));
        let minor = |i: usize, j: usize| less(times(along[j], n[i]), times(along[i], n[j]));
        let inward = [minor(1, 2), minor(2, 0), minor(0, 1)];
        let length = summed(inward, inward).map(f32::sqrt);
        let tips = Tips::of(&area, [a, b, c], length);
        let unit = inward.map(|row| [0, 1, 2, 3].map(|side| row[side] / length[side]));
        let inside = summed(unit, [0, 1, 2].map(from_first));
        Some(Self {
            corner: a.into(),
            normal: normal.into(),
            sides: [0, 1, 2].map(|side| unit.map(|row| row[side])),
            inside: [inside[0], inside[1], inside[2]],
            along: tips.along.into(),
            ends: tips.ends,
        })
    }

    /// Returns the back of the triangle: to the bit, the face that [`Self::new`] makes of `[a, c,
    /// b]`.
    #[inline]
    pub(crate) fn turned_over(&self, [a, b, c]: [Vector3<f32>; 3]) -> Self {
        let [ab, bc, ca] = self.sides;
        let (sides, ends) = ([ca, bc, ab], [a, c, b]);
        let inside = |side: usize| Vector3::from(sides[side]).dot(&(a - ends[side]));
        Self {
            normal: self.normal.map(|part| -part),
            sides,
            inside: [0, 1, 2].map(inside),
            ..*self
        }
    }

    /// Returns the unit normal.
    pub(crate) fn normal(&self) -> Vector3<f32> {
        self.normal.into()
    }

    /// Returns the height of a point over the plane.
    pub(crate) fn height(&self, point: &Vector3<f32>) -> f32 {
        self.normal().dot(&(point - Vector3::from(self.corner)))
    }
}

/// The ends at which the face of a triangle is cut off along its longest side.
struct Tips {
    along: Vector3<f32>,
    ends: [f32; 2],
}

impl Tips {
    const NONE: Self = Self {
        along: Vector3::new(0.0, 0.0, 0.0),
        ends: [f32::INFINITY; 2],
    };

    /// Computes the tips of a triangle from the lengths of its sides.
    #[inline(always)]
    fn of(area: &AreaVector, corners: [Vector3<f32>; 3], lengths: [f32; 4]) -> Self {
        let sharp = area.scale * f64::from(SHARP);
        if area.vector.norm_squared() > sharp * sharp {
            return Self::NONE;
        }
        let longest = (1..3).fold(0, |longest, side| {
            if lengths[side] > lengths[longest] {
                side
            } else {
                longest
            }
        });
        let (from, to) = (corners[longest], corners[(longest + 1) % 3]);
        let along = (to - from) / (to - from).norm();
        let start = FACET_SLACK - along.dot(&(from - corners[0]));
        let end = FACET_SLACK + along.dot(&(to - corners[0]));
        Self {
            along,
            ends: [start, end],
        }
    }
}

fn less(a: [f32; 4], b: [f32; 4]) -> [f32; 4] {
    [0, 1, 2, 3].map(|lane| a[lane] - b[lane])
}

fn times(a: [f32; 4], by: f32) -> [f32; 4] {
    a.map(|part| part * by)
}

/// Returns the dot products of vectors side by side.
fn summed(a: [[f32; 4]; 3], b: [[f32; 4]; 3]) -> [f32; 4] {
    [0, 1, 2, 3]
        .map(|lane| (a[0][lane] * b[0][lane] + a[1][lane] * b[1][lane]) + a[2][lane] * b[2][lane])
}

/// Twice the area of a triangle along its normal, judged degenerate relative to its own size.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AreaVector {
    pub(crate) vector: Vector3<f64>,
    /// Square of the longest side.
    scale: f64,
}

impl AreaVector {
    #[inline(always)]
    pub(crate) fn of(a: Vector3<f32>, b: Vector3<f32>, c: Vector3<f32>) -> Self {
        // The terms of a product of long sides nearly cancel: in `f32`, rounding would tilt the
        // plane by a millimetre over the length of a sliver.
        Self::between([a, b, c].map(|corner| corner.cast::<f64>()))
    }

    #[inline(always)]
    pub(crate) fn between([a, b, c]: [Vector3<f64>; 3]) -> Self {
        let (ab, ac) = (b - a, c - a);
        // `f64::max` would take three times as long.
        let greater = |a: f64, b: f64| if a > b { a } else { b };
        let squares = [ab, ac, c - b].map(|side| side.norm_squared());
        Self {
            vector: ab.cross(&ac),
            scale: greater(greater(squares[0], squares[1]), squares[2]),
        }
    }

    /// Returns the unit normal; `None` without area.
    #[inline(always)]
    pub(crate) fn unit(&self) -> Option<Vector3<f32>> {
        let size = self.vector.norm();
        (size > self.scale * NEEDLE).then(|| (self.vector / size).cast())
    }
}

/// Returns the unit normal of a triangle, judged degenerate relative to its own size.
#[inline(always)]
pub(crate) fn unit_normal(
    a: Vector3<f32>,
    b: Vector3<f32>,
    c: Vector3<f32>,
) -> Option<Vector3<f32>> {
    AreaVector::of(a, b, c).unit()
}
