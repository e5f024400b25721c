//! Facets and segments, four at a time: by the same rules, to the same bits.
//!
//! The number of each is next to those of three others, and what is reckoned takes no branch, so that the compiler does it for all four at
//! once. Only `+ - * / sqrt` and comparisons.

use crate::facets::{Facet, Segment, Way};
use crate::lanes::{greater, lesser};
use crate::tolerance::{APPROACH, EDGE_RANK, EXACT, FACET_SLACK, GRAZE, LEAN};
use nalgebra::Vector3;

/// So many lie side by side.
pub(crate) const WIDE: usize = 4;

/// One number of each.
type Row = [f32; WIDE];

/// A vector of each.
type Rows = [Row; 3];

/// Four facets. What is told of a lane that none was put into does not count.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FacetRows {
    corner: Rows,
    normal: Rows,
    sides: [Rows; 3],
    inside: [Row; 3],
}

/// Four segments. What is told of a lane that none was put into does not count.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SegmentRows {
    start: Rows,
    along: Rows,
    length: Row,
}

/// What is hit of four.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Found {
    /// When, as a share of the motion, where it is.
    pub(crate) times: Row,
    /// A bit for each.
    pub(crate) hits: u32,
}

/// A way, and what all that is swept along it has in common.
pub(crate) struct Sweep {
    way: Way,
    length: f32,
}

impl Sweep {
    pub(crate) fn new(way: Way) -> Self {
        let length = way.motion.norm();
        Self { way, length }
    }
}

/// Writes a vector into a lane.
#[inline]
fn put(rows: &mut Rows, lane: usize, vector: &Vector3<f32>) {
    for axis in 0..3 {
        rows[axis][lane] = vector[axis];
    }
}

/// The vector of a lane.
#[inline(always)]
fn get(rows: &Rows, lane: usize) -> Vector3<f32> {
    Vector3::new(rows[0][lane], rows[1][lane], rows[2][lane])
}

#[inline(always)]
fn dot(a: &Vector3<f32>, b: &Vector3<f32>) -> f32 {
    (a.x * b.x + a.y * b.y) + a.z * b.z
}

/// The part of a way between two times, and whether anything is left of it.
#[derive(Clone, Copy)]
struct Part {
    entry: f32,
    exit: f32,
    is_left: bool,
}

impl Part {
    #[inline(always)]
    fn new(entry: f32, exit: f32) -> Self {
        Self {
            entry,
            exit,
            is_left: true,
        }
    }

    /// Keeps what is of it where `at + rate * t >= 0`.
    #[inline(always)]
    fn clipped(self, at: f32, rate: f32) -> Self {
        let time = -at / rate;
        let (enters, leaves) = (rate > 0.0, rate < 0.0);
        let later = greater(time, self.entry);
        let sooner = lesser(time, self.exit);
        Self {
            entry: if enters { later } else { self.entry },
            exit: if leaves { sooner } else { self.exit },
            is_left: self.is_left & (enters | leaves | (at >= 0.0)),
        }
    }

    #[inline(always)]
    fn is_some(self) -> bool {
        self.is_left & (self.entry <= self.exit)
    }
}

impl FacetRows {
    /// Puts a facet into a lane.
    #[inline]
    pub(crate) fn put(&mut self, lane: usize, facet: &Facet) {
        put(&mut self.corner, lane, &facet.corner);
        put(&mut self.normal, lane, &facet.normal);
        for (side, (inward, inside)) in facet.sides.iter().enumerate() {
            put(&mut self.sides[side], lane, inward);
            self.inside[side][lane] = *inside;
        }
    }

    /// What the ball is stopped by, no later than a limit.
    #[inline]
    pub(crate) fn sweep(&self, sweep: &Sweep, limit: f32) -> Found {
        let Way {
            start,
            motion,
            radius,
        } = sweep.way;
        let (graze, touching) = (GRAZE * sweep.length, radius + EXACT);
        let [mut times, mut approaches, mut heights] = [[0.0; WIDE]; 3];
        let mut reached = 0_u32;
        for lane in 0..WIDE {
            let normal = get(&self.normal, lane);
            let approach = -dot(&normal, &motion);
            let height = dot(&normal, &(start - get(&self.corner, lane)));
            let least = if height < touching { graze } else { 0.0 };
            let time = greater((height - radius) / approach, 0.0);
            let counts = (approach > least) & (height >= 0.0) & (time <= limit);
            reached |= u32::from(counts) << lane;
            (approaches[lane], heights[lane]) = (approach, height);
            times[lane] = if counts { time } else { f32::INFINITY };
        }
        // Most are far, or face away.
        if reached == 0 {
            return Found::default();
        }
        let mut hits = 0;
        for lane in 0..WIDE {
            let from = start - get(&self.corner, lane);
            let mut part = Part::new(times[lane], limit);
            for side in 0..3 {
                let inward = get(&self.sides[side], lane);
                let at = (dot(&inward, &from) + self.inside[side][lane]) + FACET_SLACK;
                part = part.clipped(at, dot(&inward, &motion));
            }
            let in_front = heights[lane] - approaches[lane] * part.entry >= 0.0;
            times[lane] = part.entry;
            hits |= u32::from(in_front & part.is_some()) << lane;
        }
        Found { times, hits }
    }
}

impl SegmentRows {
    /// Puts a segment into a lane.
    #[inline]
    pub(crate) fn put(&mut self, lane: usize, segment: &Segment) {
        put(&mut self.start, lane, &segment.start);
        put(&mut self.along, lane, &segment.along);
        self.length[lane] = segment.length;
    }

    /// What the ball is stopped by, no later than a limit.
    #[inline]
    pub(crate) fn sweep(&self, sweep: &Sweep, limit: f32) -> Found {
        let Way { start, motion, .. } = sweep.way;
        let radius = sweep.way.radius - EDGE_RANK;
        let lean = LEAN * radius * sweep.length;
        let [mut speeds, mut nears, mut discriminants] = [[0.0; WIDE]; 3];
        let [mut ats, mut rates, mut times] = [[0.0; WIDE]; 3];
        let mut reached = 0_u32;
        for lane in 0..WIDE {
            let along = get(&self.along, lane);
            let from = start - get(&self.start, lane);
            let (at, rate) = (dot(&along, &from), dot(&along, &motion));
            let m = from - along * at;
            let d = motion - along * rate;
            let (a, b) = (dot(&d, &d), -dot(&m, &d));
            let aside = dot(&along, &from.cross(&motion));
            let discriminant = a * (radius * radius) - aside * aside;
            let counts = (b > 0.0) & (discriminant >= 0.0);
            reached |= u32::from(counts) << lane;
            (speeds[lane], nears[lane], discriminants[lane]) = (a, b, discriminant);
            (ats[lane], rates[lane]) = (at, rate);
        }
        // Most are far, or lie behind.
        if reached == 0 {
            return Found::default();
        }
        let mut hits = 0;
        for lane in 0..WIDE {
            let (a, b, discriminant) = (speeds[lane], nears[lane], discriminants[lane]);
            let (at, rate) = (ats[lane], rates[lane]);
            let part = Part::new(greater((b - discriminant.sqrt()) / a, 0.0), limit)
                .clipped(at, rate)
                .clipped(self.length[lane] - at, -rate);
            let approach = b - a * part.entry;
            let across = APPROACH * radius * a.sqrt();
            let meets = (b > 0.0) & (discriminant >= 0.0) & (approach > greater(across, lean));
            times[lane] = part.entry;
            hits |= u32::from(meets & part.is_some()) << lane;
        }
        Found { times, hits }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mover::trial::Dice;
    use crate::terrain::ObjectId;

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
            let (mut facets, mut facet_rows) = (Vec::new(), FacetRows::default());
            let (mut segments, mut segment_rows) = (Vec::new(), SegmentRows::default());
            for lane in 0..WIDE {
                let [a, b, c] = [(); 3].map(|()| coarse(&mut dice));
                let up = Vector3::y();
                let facet = Facet::new([a, b, c], up, 0.0, ObjectId(1));
                facets.push(facet.inspect(|facet| facet_rows.put(lane, facet)));
                let segment = Segment::new([a, b], up, 0.0, [0; 3], ObjectId(1));
                segments.push(segment.inspect(|segment| segment_rows.put(lane, segment)));
            }
            let way = Way {
                start: coarse(&mut dice),
                motion: coarse(&mut dice) * [1.0, 0.01][dice.bits() as usize % 2],
                radius: [0.41, 1.0][dice.bits() as usize % 2],
            };
            if way.motion == Vector3::zeros() {
                continue;
            }
            let limit = [1.0, 0.25, 0.0][dice.bits() as usize % 3];
            let sweep = Sweep::new(way);
            let (of_facets, of_segments) = (
                facet_rows.sweep(&sweep, limit),
                segment_rows.sweep(&sweep, limit),
            );
            let told = |found: &Found, lane: usize| {
                let hit = found.hits >> lane & 1 != 0;
                // Of nothing the sign does not count.
                hit.then(|| (found.times[lane] + 0.0).to_bits())
            };
            let bits = |time: Option<f32>| time.map(|time| (time + 0.0).to_bits());
            for lane in 0..WIDE {
                if let Some(facet) = &facets[lane] {
                    let one = bits(facet.sweep(&way, limit));
                    assert_eq!(told(&of_facets, lane), one, "{way:?} {facet:?}");
                    facets_hit += u32::from(one.is_some());
                    missed += u32::from(one.is_none());
                }
                if let Some(segment) = &segments[lane] {
                    let one = bits(segment.sweep(&way, limit));
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
