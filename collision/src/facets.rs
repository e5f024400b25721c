//! Features that lie at an angle: the faces of triangles and their edges, one at a time, where the mover is a ball.
//!
//! The same rules as in [`crate::lanes`]: one-sided, inclusive, a hit needs approach, entering sideways while already near is a hit.

use crate::terrain::ObjectId;
use crate::tolerance::{APPROACH, EDGE_RANK, EXACT, FACET_SLACK, GRAZE, LEAN, SAME_EDGE, SLIVER};
use nalgebra::Vector3;

pub(crate) mod rows;

/// The inside of a triangle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Facet {
    corner: Vector3<f32>,
    normal: Vector3<f32>,
    /// Inward normals of the three sides, in the plane, and how far inside the first corner is.
    sides: [(Vector3<f32>, f32); 3],
    pub(crate) world_normal: Vector3<f32>,
    /// How high it reaches in the world along the up axis.
    pub(crate) crest: f32,
    pub(crate) object: ObjectId,
}

/// A straight edge.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Segment {
    start: Vector3<f32>,
    end: Vector3<f32>,
    along: Vector3<f32>,
    length: f32,
    pub(crate) world_normal: Vector3<f32>,
    /// How high it reaches in the world along the up axis.
    pub(crate) crest: f32,
    /// Where the faces of blocks beside it look, one along each axis across it; zeros for the edge of a triangle, of which but one face is known.
    pub(crate) outward: [i8; 3],
    pub(crate) object: ObjectId,
}

/// A straight way of the ball.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Way {
    pub(crate) start: Vector3<f32>,
    pub(crate) motion: Vector3<f32>,
    pub(crate) radius: f32,
}

/// The part of a way between two times.
#[derive(Clone, Copy)]
struct Span {
    entry: f32,
    exit: f32,
}

impl Span {
    /// Keeps the part where `at + rate * t >= 0`; `None` when nothing is left.
    fn clip(self, at: f32, rate: f32) -> Option<Self> {
        let mut span = self;
        if rate > 0.0 {
            span.entry = span.entry.max(-at / rate);
        } else if rate < 0.0 {
            span.exit = span.exit.min(-at / rate);
        } else if at < 0.0 {
            return None;
        }
        (span.entry <= span.exit).then_some(span)
    }
}

impl Facet {
    /// The face of a triangle given in the squashed space; `None` when it has no area to speak of.
    pub(crate) fn new(
        [a, b, c]: [Vector3<f32>; 3],
        world_normal: Vector3<f32>,
        crest: f32,
        object: ObjectId,
    ) -> Option<Self> {
        let normal = unit_normal(a, b, c)?;
        let side = |from: Vector3<f32>, to: Vector3<f32>| {
            let inward = normal.cross(&(to - from));
            let size = inward.norm();
            let inward = inward / size;
            (inward, inward.dot(&(a - from)))
        };
        Some(Self {
            corner: a,
            normal,
            sides: [side(a, b), side(b, c), side(c, a)],
            world_normal,
            crest,
            object,
        })
    }

    /// The other face of the triangle, as [`Self::new`] would make it of `[a, c, b]`, to the bit.
    #[inline]
    pub(crate) fn turned_over(&self, [a, b, c]: [Vector3<f32>; 3]) -> Self {
        let [(ab, _), (bc, _), (ca, _)] = self.sides;
        let side = |inward: Vector3<f32>, from: Vector3<f32>| (inward, inward.dot(&(a - from)));
        Self {
            normal: -self.normal,
            sides: [side(ca, a), side(bc, c), side(ab, b)],
            world_normal: -self.world_normal,
            ..*self
        }
    }

    /// When the ball is stopped by the face's front.
    pub(crate) fn sweep(&self, way: &Way, limit: f32) -> Option<f32> {
        let approach = -self.normal.dot(&way.motion);
        let from = way.start - self.corner;
        let height = self.normal.dot(&from);
        let least = if height < way.radius + EXACT {
            GRAZE * way.motion.norm()
        } else {
            0.0
        };
        if approach <= least || height < 0.0 {
            return None;
        }
        let time = ((height - way.radius) / approach).max(0.0);
        if time > limit {
            return None;
        }
        let mut span = Span {
            entry: time,
            exit: limit,
        };
        for (inward, inside) in &self.sides {
            let at = inward.dot(&from) + inside + FACET_SLACK;
            span = span.clip(at, inward.dot(&way.motion))?;
        }
        (height - approach * span.entry >= 0.0).then_some(span.entry)
    }

    /// Unit normal in the squashed space.
    pub(crate) fn normal(&self) -> Vector3<f32> {
        self.normal
    }

    /// How deep a ball reaches into the face from its front; negative is the gap.
    pub(crate) fn depth(&self, point: Vector3<f32>, radius: f32) -> f32 {
        let from = point - self.corner;
        let height = self.normal.dot(&from);
        let over = |(inward, inside): &(Vector3<f32>, f32)| inward.dot(&from) + inside >= 0.0;
        if height >= 0.0 && self.sides.iter().all(over) {
            radius - height
        } else {
            f32::NEG_INFINITY
        }
    }
}

impl Segment {
    /// The edge between two points of the squashed space; `None` when it has no length to speak of.
    pub(crate) fn new(
        [from, to]: [Vector3<f32>; 2],
        world_normal: Vector3<f32>,
        crest: f32,
        outward: [i8; 3],
        object: ObjectId,
    ) -> Option<Self> {
        let length = (to - from).norm();
        (length > EDGE_RANK).then(|| Self {
            start: from,
            end: to,
            along: (to - from) / length,
            length,
            world_normal,
            crest,
            outward,
            object,
        })
    }

    /// Whether another triangle has this edge, or some of it: where a long side lies along several short ones, none of them is the same as it.
    pub(crate) fn joins(&self, other: &Self) -> bool {
        let [start, end] = [other.start, other.end].map(|end| {
            let from = end - self.start;
            let at = self.along.dot(&from);
            let aside = (from - self.along * at).norm_squared();
            (aside <= SAME_EDGE * SAME_EDGE).then_some(at)
        });
        let (Some(start), Some(end)) = (start, end) else {
            return false;
        };
        start.max(end) > SAME_EDGE && start.min(end) < self.length - SAME_EDGE
    }

    /// When the ball is stopped by the edge.
    pub(crate) fn sweep(&self, way: &Way, limit: f32) -> Option<f32> {
        let radius = way.radius - EDGE_RANK;
        let from = way.start - self.start;
        let (at, rate) = (self.along.dot(&from), self.along.dot(&way.motion));
        let m = from - self.along * at;
        let d = way.motion - self.along * rate;
        let (a, b) = (d.norm_squared(), -m.dot(&d));
        let aside = self.along.dot(&from.cross(&way.motion));
        let discriminant = a * (radius * radius) - aside * aside;
        if b <= 0.0 || discriminant < 0.0 {
            return None;
        }
        let time = ((b - discriminant.sqrt()) / a).max(0.0);
        let span = Span {
            entry: time,
            exit: limit,
        };
        let span = span.clip(at, rate)?.clip(self.length - at, -rate)?;
        let approach = b - a * span.entry;
        let across = APPROACH * radius * a.sqrt();
        (approach > across.max(LEAN * radius * way.motion.norm())).then_some(span.entry)
    }

    /// Unit normal of the contact of a ball around `point`, in the squashed space.
    pub(crate) fn normal_at(&self, point: Vector3<f32>) -> Vector3<f32> {
        let from = point - self.start;
        let away = from - self.along * self.along.dot(&from);
        away / away.norm()
    }

    /// How deep a ball reaches into the edge; negative is the gap.
    pub(crate) fn depth(&self, point: Vector3<f32>, radius: f32) -> f32 {
        let from = point - self.start;
        let at = self.along.dot(&from).clamp(0.0, self.length);
        radius - EDGE_RANK - (from - self.along * at).norm()
    }
}

/// The unit normal of a triangle, judged degenerate relative to its own size.
pub(crate) fn unit_normal(
    a: Vector3<f32>,
    b: Vector3<f32>,
    c: Vector3<f32>,
) -> Option<Vector3<f32>> {
    // The parts of a product of long sides all but cancel: rounded, they would tilt the plane by a millimetre over a sliver's length.
    let [a, b, c] = [a, b, c].map(|corner| corner.cast::<f64>());
    let (ab, ac) = (b - a, c - a);
    let normal = ab.cross(&ac);
    let size = normal.norm();
    let scale = ab.norm_squared().max(ac.norm_squared());
    (size > scale * f64::from(SLIVER)).then(|| (normal / size).cast())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::mover::trial::Dice;
    use nalgebra::{Rotation3, Unit};

    #[test]
    fn face_turned_over_is_the_face_of_the_corners_in_the_other_order() {
        let mut dice = Dice(11);
        let object = ObjectId(3);
        let bits = |facet: &Facet| {
            let sides = facet.sides.iter().flat_map(|(inward, inside)| {
                // Of nothing the sign does not count.
                inward.iter().copied().chain([inside + 0.0])
            });
            let whole = [facet.corner, facet.normal, facet.world_normal];
            let parts = whole.iter().flatten().copied().chain(sides);
            parts.map(f32::to_bits).collect::<Vec<_>>()
        };
        for round in 0..2000 {
            let scale = [0.01, 1.0, 50.0][round % 3];
            let [a, b, c] = [0; 3].map(|_| dice.vector() * scale + dice.vector());
            let normal = dice.vector().normalize();
            let Some(front) = Facet::new([a, b, c], normal, 1.0, object) else {
                continue;
            };
            let back = Facet::new([a, c, b], -normal, 1.0, object).unwrap();
            assert_eq!(bits(&front.turned_over([a, b, c])), bits(&back));
        }
    }

    #[test]
    fn face_of_a_long_sliver_lies_through_its_corners() {
        let mut dice = Dice(7);
        let mut slivers = 0;
        for _ in 0..2000 {
            let axis = Unit::new_normalize(dice.vector());
            let turn = Rotation3::from_axis_angle(&axis, 3.0 * dice.signed());
            let (length, wide) = (20.0 + 10.0 * dice.signed(), 0.05 + 0.045 * dice.signed());
            let corners = [
                Vector3::new(-length, 0.0, 0.0),
                Vector3::new(length, 0.0, 0.0),
                Vector3::new(0.9 * length * dice.signed(), 0.0, wide),
            ];
            let corners = corners.map(|corner| turn * corner + dice.vector());
            let normal = unit_normal(corners[0], corners[1], corners[2]).unwrap();
            assert!((normal.norm() - 1.0).abs() < 1e-6);
            for corner in corners {
                let off = normal.cast::<f64>().dot(&(corner - corners[0]).cast());
                assert!(off.abs() < 2e-5, "{off} m off, {wide} m wide");
            }
            slivers += u32::from(wide < 0.01);
        }
        assert!(slivers > 20);
    }

    #[test]
    fn ball_that_touches_a_face_to_the_last_bit_goes_along_it() {
        let corners = [[-3.0, 0.0, -3.0], [-3.0, 0.0, 5.0], [5.0, 0.0, -3.0]];
        let (mut dice, mut exact) = (Dice(5), 0);
        for _ in 0..2000 {
            let axis = Unit::new_normalize(dice.vector());
            let turn = Rotation3::from_axis_angle(&axis, 3.0 * dice.signed());
            let corners = corners.map(|corner| turn * Vector3::from(corner));
            let facet = Facet::new(corners, turn * Vector3::y(), 0.0, ObjectId(1)).unwrap();
            let mut rows = rows::FacetRows::default();
            (0..rows::WIDE).for_each(|lane| rows.put(lane, &facet));
            let along = turn * Vector3::new(0.2 * dice.signed(), 0.0, 0.2);
            let sweep = |height: f32, lean: f32| {
                let way = Way {
                    start: facet.normal * height,
                    motion: along - facet.normal * (lean * along.norm()),
                    radius: 0.41,
                };
                let sweep = rows::Sweep::new(way);
                let (one, four) = (facet.sweep(&way, 1.0), rows.sweep(&sweep, 1.0));
                assert_eq!(one.is_some(), four.hits & 1 != 0);
                one
            };
            let height = facet.normal.dot(&(facet.normal * 0.41 - facet.corner));
            exact += u32::from(height >= 0.41);
            // Leant in by rounding alone, wherever rounding puts the ball.
            assert_eq!(sweep(0.41, 3e-7), None);
            assert_eq!(sweep(0.41 + 1e-7, 3e-7), None);
            // What leads in, or to it from afar, is stopped.
            assert!(sweep(0.41, 1e-4).is_some_and(|time| time < 0.1));
            assert!(sweep(0.42, 0.2).is_some_and(|time| (0.1..0.5).contains(&time)));
        }
        assert!(exact > 200, "{exact}");
    }
}
