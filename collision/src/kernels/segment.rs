//! A ball against a straight edge at any angle, without its ends.

use super::{Found, Met, Round, Span, Way, cross, dot, found, less, load, put};
use crate::kernels::facet::{WIDE, unit_normal};
use crate::lanes::{Lane, Wide};
use crate::object::ObjectId;
use crate::tolerance::{APPROACH, EDGE_RANK, LEAN, SAME_EDGE};
use nalgebra::Vector3;

/// A straight edge, or several side by side.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Line<T> {
    start: [T; 3],
    /// Unit vector to the end.
    along: [T; 3],
    length: T,
}

/// Four edges. The result of a lane without an edge is meaningless.
pub(crate) type SegmentRows = Line<[f32; WIDE]>;

impl SegmentRows {
    /// Puts an edge into a lane.
    #[inline]
    pub(crate) fn put(&mut self, lane: usize, line: &Line<f32>) {
        put(&mut self.start, lane, &line.start);
        put(&mut self.along, lane, &line.along);
        self.length[lane] = line.length;
    }

    /// Sweeps a ball past the first `used` edges, no later than a limit.
    #[inline]
    pub(crate) fn sweep(&self, used: usize, way: &Way, limit: f32) -> Found<WIDE> {
        let radius = way.radius - EDGE_RANK;
        found(used, |first| {
            self.lines::<Wide>(first).enter(way, radius, limit)
        })
    }

    /// Returns the depths of a ball in the first `used` edges; negative is the gap.
    #[inline]
    pub(crate) fn depths(&self, used: usize, point: &Vector3<f32>, radius: f32) -> [f32; WIDE] {
        let mut depths = [f32::NEG_INFINITY; WIDE];
        for first in (0..WIDE).step_by(Wide::LANES) {
            let lines = self.lines::<Wide>(first);
            lines.depth(point, radius).store(&mut depths, first);
        }
        for depth in depths.iter_mut().skip(used) {
            *depth = f32::NEG_INFINITY;
        }
        depths
    }

    #[inline(always)]
    fn lines<L: Lane>(&self, first: usize) -> Line<L> {
        Line {
            start: load(&self.start, first),
            along: load(&self.along, first),
            length: L::load(&self.length, first),
        }
    }
}

impl<L: Lane> Line<L> {
    /// Returns the time at which the edge stops a ball of `radius`, no later than a limit.
    #[inline(always)]
    pub(crate) fn enter(&self, way: &Way, radius: f32, limit: f32) -> Met<L> {
        let (zero, along) = (L::splat(0.0), &self.along);
        let motion = way.motion.map(L::splat);
        let from = way.from(&self.start);
        let (at, rate) = (dot(along, &from), dot(along, &motion));
        let (m, d) = (less(&from, along, at), less(&motion, along, rate));
        let aside = dot(along, &cross(&from, &motion));
        let a = dot(&d, &d);
        let round = Round {
            a,
            b: -dot(&m, &d),
            discriminant: a * L::splat(radius * radius) - aside * aside,
        };
        let counts = zero.is_below(round.b) & zero.is_within(round.discriminant);
        // Most edges are far, or lie behind.
        if L::bits(counts) == 0 {
            return Met::nothing();
        }
        let span = Span {
            entry: round.touch().greater(zero),
            exit: L::splat(limit),
            is_left: counts,
        };
        let span = span.clipped(at, rate).clipped(self.length - at, -rate);
        let across = L::splat(APPROACH * radius) * a.sqrt();
        let least = across.greater(L::splat(LEAN * radius * way.length));
        let approaches = least.is_below(round.approach(span.entry));
        Met {
            time: span.entry,
            hit: approaches & span.is_some(),
        }
    }

    /// Returns the depth of a ball in the edge; negative is the gap.
    #[inline(always)]
    pub(crate) fn depth(&self, point: &Vector3<f32>, radius: f32) -> L {
        let from = [0, 1, 2].map(|axis| L::splat(point[axis]) - self.start[axis]);
        let at = dot(&self.along, &from);
        let at = at.greater(L::splat(0.0)).lesser(self.length);
        let aside = less(&from, &self.along, at);
        L::splat(radius - EDGE_RANK) - dot(&aside, &aside).sqrt()
    }
}

/// The directions over a triangle from its first edge and its first corner. A ball there is nearer
/// to the face, or to another edge. All in the squashed space.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Over {
    /// The direction out of the front of the face.
    front: Vector3<f32>,
    from_edge: Vector3<f32>,
    from_corner: [Vector3<f32>; 2],
}

impl Over {
    /// Returns the directions over a triangle; `None` for one without area.
    pub(crate) fn of(corners: &[Vector3<f32>; 3]) -> Option<Self> {
        let front = unit_normal(corners[0], corners[1], corners[2])?;
        let unit = |way: Vector3<f32>| way.try_normalize(0.0);
        let (next, last) = (
            unit(corners[1] - corners[0])?,
            unit(corners[2] - corners[0])?,
        );
        Some(Self {
            front,
            from_edge: front.cross(&next),
            from_corner: [next, last],
        })
    }

    /// Returns whether a ball is over the face. `from` is its centre, measured from the nearest
    /// point of the edge.
    pub(crate) fn holds_from_edge(&self, from: &Vector3<f32>, slack: f32) -> bool {
        self.from_edge.dot(from) > slack
    }

    /// Like [`Self::holds_from_edge`], of a centre measured from the corner.
    pub(crate) fn holds_from_corner(&self, from: &Vector3<f32>, slack: f32) -> bool {
        self.from_corner.iter().any(|over| over.dot(from) > slack)
    }

    /// Returns whether a centre is behind the face.
    pub(crate) fn is_behind(&self, from: &Vector3<f32>, slack: f32) -> bool {
        self.front.dot(from) < -slack
    }
}

/// The number of an edge or a corner that belongs to no triangle.
pub(crate) const UNSHARED: u32 = u32::MAX;

/// An edge and its place in the world.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Segment {
    pub(crate) line: Line<f32>,
    end: Vector3<f32>,
    /// The normal of the most upward face beside the edge of a box.
    pub(crate) world_normal: Vector3<f32>,
    /// Highest point in the world along the up axis.
    pub(crate) crest: f32,
    /// Outward signs of the two block faces beside it, by axis; zeros for the edge of a
    /// triangle.
    pub(crate) outward: [i8; 3],
    /// The number among the shared parts of triangles, or [`UNSHARED`].
    pub(crate) shared: u32,
    pub(crate) object: ObjectId,
}

impl Segment {
    /// Makes the edge between two points of the squashed space; `None` where its length is
    /// negligible.
    pub(crate) fn new(
        [from, to]: [Vector3<f32>; 2],
        world_normal: Vector3<f32>,
        crest: f32,
        outward: [i8; 3],
        object: ObjectId,
    ) -> Option<Self> {
        let line = Line::new([from, to])?;
        (line.length > EDGE_RANK).then_some(Self {
            line,
            end: to,
            world_normal,
            crest,
            outward,
            shared: UNSHARED,
            object,
        })
    }

    /// Tells whether the lines of two edges are about parallel, or the other is short.
    #[inline]
    pub(crate) fn may_join(&self, other: &Self) -> bool {
        let aside = cross(&self.line.along, &other.line.along);
        // The ends of the other are no farther apart across the line of this one.
        let apart = dot(&aside, &aside) * (other.line.length * other.line.length);
        apart <= (4.0 * SAME_EDGE) * (4.0 * SAME_EDGE)
    }

    /// Returns whether an edge of another triangle overlaps this one. A long side may lie along
    /// several short ones.
    pub(crate) fn joins(&self, other: &Self) -> bool {
        let [start, end] = [other.line.start.into(), other.end].map(|end| {
            let (start, along) = (self.line.start(), self.line.along());
            let from: Vector3<f32> = end - start;
            let at = along.dot(&from);
            let aside = (from - along * at).norm_squared();
            (aside <= SAME_EDGE * SAME_EDGE).then_some(at)
        });
        let (Some(start), Some(end)) = (start, end) else {
            return false;
        };
        start.max(end) > SAME_EDGE && start.min(end) < self.line.length - SAME_EDGE
    }
}

impl Line<f32> {
    /// Makes the edge between two points; `None` where it has no length.
    pub(crate) fn new([from, to]: [Vector3<f32>; 2]) -> Option<Self> {
        let length = (to - from).norm();
        (length > 0.0).then(|| Self {
            start: from.into(),
            along: ((to - from) / length).into(),
            length,
        })
    }

    fn start(&self) -> Vector3<f32> {
        self.start.into()
    }

    /// Returns the unit vector to the end.
    pub(crate) fn along(&self) -> Vector3<f32> {
        self.along.into()
    }

    /// Returns the offset from the nearest point of the endless line to a point.
    pub(crate) fn aside(&self, point: &Vector3<f32>) -> Vector3<f32> {
        let (from, along) = (point - self.start(), self.along());
        from - along * along.dot(&from)
    }

    /// Returns the unit normal of the contact of a ball around `point`.
    pub(crate) fn normal_at(&self, point: Vector3<f32>) -> Vector3<f32> {
        let away = self.aside(&point);
        away / away.norm()
    }

    /// Returns whether a point lies beside the edge, and not beyond its ends.
    pub(crate) fn is_beside(&self, point: &Vector3<f32>) -> bool {
        let at = self.along().dot(&(point - self.start()));
        (0.0..=self.length).contains(&at)
    }
}
