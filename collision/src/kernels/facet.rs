//! A ball against the front of a triangle's face, without its rim.

use super::{Found, Met, Span, Way, dot, found, load, put};
use crate::lanes::{Lane, Wide};
use crate::terrain::ObjectId;
use crate::tolerance::{EXACT, FACET_SLACK, GRAZE, SLIVER};
use nalgebra::Vector3;

/// So many lie side by side.
pub(crate) const WIDE: usize = 4;

/// The inside of a triangle, or of several side by side.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Face<T> {
    corner: [T; 3],
    normal: [T; 3],
    /// Inward normals of the three sides, in the plane.
    sides: [[T; 3]; 3],
    /// How far inside of each the first corner is.
    inside: [T; 3],
}

/// Four faces. What is told of a lane that none was put into does not count.
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
    }

    /// What of the first `used` the ball is stopped by, no later than a limit.
    #[inline]
    pub(crate) fn sweep(&self, used: usize, way: &Way, limit: f32) -> Found<WIDE> {
        found(used, |first| self.faces::<Wide>(first).enter(way, limit))
    }

    #[inline(always)]
    fn faces<L: Lane>(&self, first: usize) -> Face<L> {
        Face {
            corner: load(&self.corner, first),
            normal: load(&self.normal, first),
            sides: [0, 1, 2].map(|side| load(&self.sides[side], first)),
            inside: load(&self.inside, first),
        }
    }
}

impl<L: Lane> Face<L> {
    /// When the ball is stopped by the front, no later than a limit.
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
        // Most are far, or face away.
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
        let in_front = zero.is_within(height - approach * span.entry);
        Met {
            time: span.entry,
            hit: in_front & span.is_some(),
        }
    }
}

/// A face and what it belongs to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Facet {
    pub(crate) face: Face<f32>,
    pub(crate) world_normal: Vector3<f32>,
    /// How high it reaches in the world along the up axis.
    pub(crate) crest: f32,
    pub(crate) object: ObjectId,
}

impl Facet {
    /// The face of a triangle given in the squashed space; `None` when it has no area to speak of.
    pub(crate) fn new(
        corners: [Vector3<f32>; 3],
        world_normal: Vector3<f32>,
        crest: f32,
        object: ObjectId,
    ) -> Option<Self> {
        Some(Self {
            face: Face::new(corners)?,
            world_normal,
            crest,
            object,
        })
    }

    /// The other face of the triangle, as [`Self::new`] would make it of `[a, c, b]`, to the bit.
    #[inline]
    pub(crate) fn turned_over(&self, corners: [Vector3<f32>; 3]) -> Self {
        Self {
            face: self.face.turned_over(corners),
            world_normal: -self.world_normal,
            ..*self
        }
    }
}

impl Face<f32> {
    /// The face of a triangle; `None` when it has no area to speak of.
    pub(crate) fn new([a, b, c]: [Vector3<f32>; 3]) -> Option<Self> {
        let normal = unit_normal(a, b, c)?;
        let ends = [(a, b), (b, c), (c, a)];
        let sides = ends.map(|(from, to)| {
            let inward = normal.cross(&(to - from));
            inward / inward.norm()
        });
        Some(Self {
            corner: a.into(),
            normal: normal.into(),
            sides: sides.map(Into::into),
            inside: [0, 1, 2].map(|side| sides[side].dot(&(a - ends[side].0))),
        })
    }

    /// The back of the triangle, as [`Self::new`] would make it of `[a, c, b]`, to the bit.
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

    /// Unit normal.
    pub(crate) fn normal(&self) -> Vector3<f32> {
        self.normal.into()
    }

    /// How high a point is over the plane.
    pub(crate) fn height(&self, point: &Vector3<f32>) -> f32 {
        self.normal().dot(&(point - Vector3::from(self.corner)))
    }

    /// How deep a ball reaches into the face from its front; negative is the gap.
    pub(crate) fn depth(&self, point: Vector3<f32>, radius: f32) -> f32 {
        let from = point - Vector3::from(self.corner);
        let height = self.height(&point);
        let over = |side: usize| Vector3::from(self.sides[side]).dot(&from) + self.inside[side];
        if height >= 0.0 && (0..3).all(|side| over(side) >= 0.0) {
            radius - height
        } else {
            f32::NEG_INFINITY
        }
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
    use crate::kernels::segment::{Segment, SegmentRows};
    use crate::mover::trial::Dice;
    use crate::tolerance::EDGE_RANK;
    use nalgebra::{Rotation3, Unit};

    #[test]
    fn face_turned_over_is_the_face_of_the_corners_in_the_other_order() {
        let mut dice = Dice(11);
        let object = ObjectId(3);
        let bits = |facet: &Facet| {
            let Face {
                corner,
                normal,
                sides,
                inside,
            } = facet.face;
            // Of nothing the sign does not count.
            let inside = inside.map(|inside| inside + 0.0);
            let whole = [corner, normal, facet.world_normal.into(), inside];
            let parts = whole.into_iter().chain(sides).flatten();
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
            let mut rows = FaceRows::default();
            (0..WIDE).for_each(|lane| rows.put(lane, &facet.face));
            let normal = facet.face.normal();
            let along = turn * Vector3::new(0.2 * dice.signed(), 0.0, 0.2);
            let sweep = |height: f32, lean: f32| {
                let motion = along - normal * (lean * along.norm());
                let way = Way::new((normal * height).into(), motion.into(), 0.41);
                let one = facet.face.enter(&way, 1.0).time();
                let four = rows.sweep(WIDE, &way, 1.0);
                assert_eq!(one.is_some(), four.hits & 1 != 0);
                one
            };
            let height = facet.face.height(&(normal * 0.41));
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

    /// A vector of parts that are often zero or the same as another's.
    fn coarse(dice: &mut Dice) -> Vector3<f32> {
        let fine = dice.bits().is_multiple_of(3);
        let part = |value: f32| {
            if fine {
                value
            } else {
                (value * 4.0).round() / 4.0
            }
        };
        dice.vector().map(|value| part(value * 2.0))
    }

    #[test]
    fn four_at_a_time_equal_one_at_a_time_to_the_bit() {
        let mut dice = Dice(21);
        let (mut facets_hit, mut segments_hit, mut missed) = (0, 0, 0);
        for _ in 0..40_000 {
            let (mut facets, mut facet_rows) = (Vec::new(), FaceRows::default());
            let (mut segments, mut segment_rows) = (Vec::new(), SegmentRows::default());
            for lane in 0..WIDE {
                let [a, b, c] = [(); 3].map(|()| coarse(&mut dice));
                let up = Vector3::y();
                let facet = Facet::new([a, b, c], up, 0.0, ObjectId(1));
                facets.push(facet.inspect(|facet| facet_rows.put(lane, &facet.face)));
                let segment = Segment::new([a, b], up, 0.0, [0; 3], ObjectId(1));
                segments.push(segment.inspect(|segment| segment_rows.put(lane, &segment.line)));
            }
            let (start, motion) = (
                coarse(&mut dice),
                coarse(&mut dice) * [1.0, 0.01][dice.bits() as usize % 2],
            );
            let radius = [0.41, 1.0][dice.bits() as usize % 2];
            let way = Way::new(start.into(), motion.into(), radius);
            if motion == Vector3::zeros() {
                continue;
            }
            let limit = [1.0, 0.25, 0.0][dice.bits() as usize % 3];
            let (of_facets, of_segments) = (
                facet_rows.sweep(WIDE, &way, limit),
                segment_rows.sweep(WIDE, &way, limit),
            );
            let told = |found: &Found<WIDE>, lane: usize| {
                let hit = found.hits >> lane & 1 != 0;
                hit.then(|| found.times[lane].to_bits())
            };
            let bits = |time: Option<f32>| time.map(f32::to_bits);
            for lane in 0..WIDE {
                if let Some(facet) = &facets[lane] {
                    let one = bits(facet.face.enter(&way, limit).time());
                    assert_eq!(told(&of_facets, lane), one, "{way:?} {facet:?}");
                    facets_hit += u32::from(one.is_some());
                    missed += u32::from(one.is_none());
                }
                if let Some(segment) = &segments[lane] {
                    let one = bits(
                        segment
                            .line
                            .enter(&way, way.radius - EDGE_RANK, limit)
                            .time(),
                    );
                    assert_eq!(told(&of_segments, lane), one, "{way:?} {segment:?}");
                    segments_hit += u32::from(one.is_some());
                    missed += u32::from(one.is_none());
                }
            }
        }
        let enough = facets_hit > 2_000 && segments_hit > 2_000 && missed > 20_000;
        assert!(enough, "{facets_hit} {segments_hit} {missed}");
    }
}
