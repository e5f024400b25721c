//! What lies at an angle: triangles, and the faces and edges of boxes where the up axis is tilted.

use super::*;
use crate::kernels::Found;

impl Candidates {
    /// Adds a triangle with all its edges and corners.
    pub fn push_triangle(
        &mut self,
        a: Vector3<f32>,
        b: Vector3<f32>,
        c: Vector3<f32>,
        sides: Sides,
        object: ObjectId,
    ) {
        self.push_triangle_parts(CandidateTriangle {
            corners: [a, b, c],
            sides,
            parts: Self::ALL_PARTS,
            object,
        });
    }

    /// Adds a triangle of which only some edges and corners take part (a mesh that knows its convex edges).
    pub fn push_triangle_parts(&mut self, triangle: CandidateTriangle) {
        let corners = &triangle.corners;
        if self.cut_off(|plane| corners.iter().all(|at| plane.hides(at, at))) {
            return;
        }
        self.triangles.push(triangle);
        self.uneven = true;
        let [a, b, c] = triangle.corners;
        let normal = unit_normal(a, b, c);
        if let Some(normal) = normal {
            self.push_facet([a, b, c], normal, triangle.sides, triangle.object);
        }
        let beside = self.facing_up(normal.unwrap_or(self.frame.up), triangle.sides);
        for corner in 0..3 {
            let (from, to) = (triangle.corners[corner], triangle.corners[(corner + 1) % 3]);
            if triangle.parts & (1 << corner) != 0 && self.reaches(&from, &to) {
                let back = self.backs_of(&triangle, corner).map(|[edge, _]| edge);
                let held = self.segments.len();
                self.push_segment([from, to], beside, [0; 3], triangle.object);
                if let Some(segment) = self.segments.get_mut(held) {
                    segment.back = back;
                }
            }
            if triangle.parts & (8 << corner) != 0 && self.reaches(&from, &from) {
                self.besides.push((self.tags.len(), beside));
                if let Some([_, back]) = self.backs_of(&triangle, corner) {
                    self.backs.push((self.tags.len(), back));
                }
                let at = [from, from];
                self.push_round(Feature::Corner, POINT, [0; 3], at, triangle.object);
            }
        }
    }

    /// The backs of an edge of a triangle and of the corner where it begins, if it is one-sided.
    fn backs_of(&self, triangle: &CandidateTriangle, corner: usize) -> Option<[Back; 2]> {
        if triangle.sides == Sides::Both {
            return None;
        }
        let from_corner = [0, 1, 2].map(|after| triangle.corners[(corner + after) % 3]);
        Back::of(&from_corner.map(|corner| self.frame.squashed(corner)))
    }

    pub(super) fn push_tilted_face(
        &mut self,
        axis: usize,
        sign: f32,
        min: Vector3<f32>,
        max: Vector3<f32>,
        object: ObjectId,
    ) {
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        let near = self.near(u, [min, max]);
        let Some([min, max]) = near.and_then(|ends| self.near(v, ends)) else {
            return;
        };
        let (mut b, mut d) = (min, min);
        b[u] = max[u];
        d[v] = max[v];
        if sign < 0.0 {
            std::mem::swap(&mut b, &mut d);
        }
        let mut normal = Vector3::zeros();
        normal[axis] = sign;
        self.push_facet([min, b, max], normal, Sides::Front, object);
        self.push_facet([min, max, d], normal, Sides::Front, object);
    }

    /// The part along an axis of something long that can be reached: its far ends would round it away. `None` if nothing of it can.
    pub(super) fn near(
        &self,
        axis: usize,
        [mut min, mut max]: [Vector3<f32>; 2],
    ) -> Option<[Vector3<f32>; 2]> {
        let piece = LONGEST_PIECE as f32;
        if max[axis] - min[axis] > piece {
            min[axis] = min[axis].max(self.centres[0][axis] - 0.5 * piece);
            max[axis] = max[axis].min(self.centres[1][axis] + 0.5 * piece);
        }
        (min[axis] <= max[axis]).then_some([min, max])
    }

    fn push_facet(
        &mut self,
        corners: [Vector3<f32>; 3],
        normal: Vector3<f32>,
        sides: Sides,
        object: ObjectId,
    ) {
        let [front, back] = self.sides_seen(&corners[0], &normal);
        let back = back && sides == Sides::Both;
        if !(front || back) {
            return;
        }
        let squashed = corners.map(|corner| self.frame.squashed(corner));
        let crest = highest(&corners, &self.frame.up);
        let Some(facet) = Facet::new(squashed, normal, crest, object) else {
            return;
        };
        if front {
            self.hold_facet(facet);
        }
        if back {
            self.hold_facet(facet.turned_over(squashed));
        }
    }

    /// Whether the mover can touch the box about two points.
    #[inline]
    fn reaches(&self, a: &Vector3<f32>, b: &Vector3<f32>) -> bool {
        let [min, max] = &self.reach;
        let meets = |axis: usize| {
            let below = (a[axis] < min[axis]) & (b[axis] < min[axis]);
            let above = (a[axis] > max[axis]) & (b[axis] > max[axis]);
            !(below | above)
        };
        meets(0) & meets(1) & meets(2)
    }

    /// Whether the mover can be before a plane through a point, and whether it can be behind it.
    #[inline]
    fn sides_seen(&self, point: &Vector3<f32>, normal: &Vector3<f32>) -> [bool; 2] {
        let [min, max] = &self.centres;
        let farthest = |ends: [&Vector3<f32>; 2]| {
            let axis = |axis: usize| {
                let end = ends[usize::from(normal[axis] > 0.0)];
                // Where it may be anywhere, a plane along an axis is no farther for that.
                if normal[axis] == 0.0 {
                    0.0
                } else {
                    normal[axis] * (end[axis] - point[axis])
                }
            };
            axis(0) + axis(1) + axis(2)
        };
        [farthest([min, max]) >= 0.0, farthest([max, min]) <= 0.0]
    }

    pub(super) fn push_segment(
        &mut self,
        ends: [Vector3<f32>; 2],
        normal: Vector3<f32>,
        outward: [i8; 3],
        object: ObjectId,
    ) {
        let crest = highest(&ends, &self.frame.up);
        let ends = ends.map(|end| self.frame.squashed(end));
        if let Some(segment) = Segment::new(ends, normal, crest, outward, object) {
            self.hold_segment(segment);
        }
    }

    fn hold_facet(&mut self, facet: Facet) {
        let number = self.facets.len();
        lane_of(&mut self.facet_rows, number).put(number % WIDE, &facet.face);
        self.facets.push(facet);
    }

    fn hold_segment(&mut self, segment: Segment) {
        let number = self.segments.len();
        lane_of(&mut self.segment_rows, number).put(number % WIDE, &segment.line);
        self.segments.push(segment);
    }

    /// The normal of a triangle's face as a body that stands on its edge has it.
    fn facing_up(&self, normal: Vector3<f32>, sides: Sides) -> Vector3<f32> {
        if sides == Sides::Both && normal.dot(&self.frame.up) < 0.0 {
            -normal
        } else {
            normal
        }
    }

    /// Goes on with a sweep among all of them.
    pub(super) fn sweep_slanted(
        &self,
        best: &mut Option<Hit>,
        start: Vector3<f32>,
        motion: Vector3<f32>,
    ) {
        let radius = self.frame.radius;
        let way = Way::new(start.into(), motion.into(), radius);
        let mut limit = best.map_or(1.0, |hit| hit.time);
        let mut offer = |first: usize, which: fn(usize) -> Which, found: Found<WIDE>| {
            let Found { times, mut hits } = found;
            while hits != 0 {
                let lane = hits.trailing_zeros() as usize;
                hits &= hits - 1;
                let (of, time) = (first + lane, times[lane]);
                if best.is_none_or(|best| time <= best.time) {
                    self.offer(best, time, which(of), start, motion);
                }
            }
            best.map_or(1.0, |hit| hit.time)
        };
        let held = self.facets.len();
        for (number, rows) in self.facet_rows[..held.div_ceil(WIDE)].iter().enumerate() {
            let first = number * WIDE;
            let found = rows.sweep(held - first, &way, limit);
            limit = offer(first, Which::Facet, found);
        }
        let held = self.segments.len();
        for (number, rows) in self.segment_rows[..held.div_ceil(WIDE)].iter().enumerate() {
            let first = number * WIDE;
            let found = rows.sweep(held - first, &way, limit);
            limit = offer(first, Which::Segment, found);
        }
    }
}

/// The rows that hold a number of a list.
fn lane_of<R: Default>(rows: &mut Vec<R>, number: usize) -> &mut R {
    let place = number / WIDE;
    if place == rows.len() {
        rows.push(R::default());
    }
    &mut rows[place]
}

/// How high the highest of some points is along an axis.
fn highest(points: &[Vector3<f32>], up: &Vector3<f32>) -> f32 {
    let heights = points.iter().map(|point| point.dot(up));
    heights.fold(f32::NEG_INFINITY, f32::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mover::Radii;
    use crate::mover::trial::Dice;
    use crate::position::Cell;
    use crate::tolerance::REACH_MARGIN;

    #[test]
    fn tilted_body_sunk_over_a_face_does_not_catch_on_its_rim() {
        let up = Vector3::new(0.036_395_85, 0.360_503_17, 0.932_047_7).normalize();
        let frame = Frame::new(Radii::new(0.4, 0.9), up, 0.01);
        let mut candidates = Candidates::default();
        candidates.begin(&frame);
        // Solid below y = 0 where x is more than 0.
        let ends = [-3.0, 3.0].map(|z| Vector3::new(0.0, 0.0, z));
        candidates.push_edge(2, [-1.0, 1.0], ends[0], ends[1], ObjectId(1));
        let sweep = |from: Vector3<f32>, along: Vector3<f32>| {
            candidates.sweep(frame.squashed(from), frame.squashed(along))
        };
        let along = Vector3::x() * 0.6;
        for sunk in [1e-3, 1e-4, 1e-5] {
            let over = Vector3::new(0.3, frame.half.y - sunk, 0.0);
            assert!(sweep(over, -along).is_none(), "{sunk}");
        }
        let beside = Vector3::new(-0.6, 0.5 * frame.half.y, 0.0);
        assert!(sweep(beside, along).is_some());
    }

    #[test]
    fn what_is_left_out_is_never_met() {
        let mut dice = Dice(31);
        let ups = [Vector3::y(), Vector3::new(0.48, 0.8, 0.36)];
        let (mut hits, mut held, mut of) = (0, 0, 0);
        for round in 0..4_000 {
            let frame = Frame::new(Radii::new(0.4, 0.9), ups[round % 2], 0.01);
            let middle = dice.vector();
            let wide = dice.vector().abs() * [0.05, 0.3][round / 2 % 2];
            let (min, max) = (middle - wide, middle + wide);
            let grown = frame.half + Vector3::repeat(REACH_MARGIN);
            let reach = Reach {
                base: Cell::zeros(),
                start: middle,
                motion: wide,
                min: min - grown,
                max: max + grown,
                half: frame.inset(),
            };
            let [mut all, mut within] = [Candidates::default(), Candidates::default()];
            all.begin(&frame);
            within.begin_within(&frame, &reach);
            for _ in 0..12 {
                let at = middle + dice.vector();
                let corners = [(); 3].map(|()| at + dice.vector() * 0.5);
                for candidates in [&mut all, &mut within] {
                    candidates.push_triangle_parts(CandidateTriangle {
                        corners,
                        sides: [Sides::Front, Sides::Both][round / 4 % 2],
                        parts: Candidates::ALL_PARTS,
                        object: ObjectId(1),
                    });
                }
            }
            (held, of) = (held + within.len(), of + all.len());
            for _ in 0..8 {
                let mut place = || middle + dice.vector().component_mul(&wide);
                let (from, to) = (place(), place());
                let (start, motion) = (frame.squashed(from), frame.squashed(to - from));
                let [one, other] = [&all, &within].map(|candidates| {
                    let hit = candidates.sweep(start, motion);
                    hit.map(|hit| (hit.time.to_bits(), hit.normal, candidates.detail(&hit)))
                });
                let told = |hit: &Option<(u32, Vector3<f32>, Detail)>| format!("{hit:?}");
                assert_eq!(told(&one), told(&other), "{from} to {to} by {round}");
                assert_eq!(all.depth(start, -0.01), within.depth(start, -0.01));
                hits += u32::from(one.is_some());
            }
        }
        assert!(hits > 4_000 && held * 3 < of * 2, "{hits}, {held} of {of}");
    }
}
