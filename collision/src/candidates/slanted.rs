//! Slanted features: triangles, and the faces and edges of boxes under a tilted up axis.

use super::*;
use crate::candidates::shared::hash_of;
use crate::kernels::Found;
use crate::kernels::facet::{Face, unit_normal};
use crate::lanes::{Lane, Wide};

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

    /// Adds a triangle with only some edges and corners, as from a mesh that knows its convex
    /// edges.
    pub fn push_triangle_parts(&mut self, triangle: CandidateTriangle) {
        let [a, b, c] = triangle.corners;
        self.push_triangle_of(triangle, unit_normal(a, b, c));
    }

    /// Adds a triangle with a known unit normal; `None` where its area is negligible.
    pub(crate) fn push_triangle_of(
        &mut self,
        triangle: CandidateTriangle,
        normal: Option<Vector3<f32>>,
    ) {
        let corners = &triangle.corners;
        if self.cut_off(|plane| corners.iter().all(|at| plane.hides(at, at))) {
            return;
        }
        self.triangles.push(triangle);
        self.uneven = true;
        if self.triangles_only {
            return;
        }
        let touched = self.touched(corners);
        if touched.others & Touched::WHOLE == 0 {
            return;
        }
        let Some(seen) = self.seen_of_plane(&corners[0], normal.as_ref()) else {
            return;
        };
        let faces = [seen[0], seen[1] && triangle.sides == Sides::Both];
        let faces_away = faces == [false; 2];
        if let Some(normal) = normal
            && !faces_away
        {
            self.push_facet(*corners, normal, faces, triangle.object);
        }
        // Behind all faces around it, no part stops a mover: only an open one can be met there.
        let parts = match faces_away {
            true => triangle.parts & triangle.open_parts(),
            false => triangle.parts,
        };
        let parts = u32::from(parts);
        let (edges, tips) = (parts & touched.others, parts >> 3 & touched.corners);
        if (edges | tips) & 0b111 != 0 {
            self.push_parts_of(&triangle, edges, tips);
        }
    }

    /// Adds edges and corners of a triangle, a bit each.
    fn push_parts_of(&mut self, triangle: &CandidateTriangle, edges: u32, tips: u32) {
        let corners = &triangle.corners;
        let hashes = [0, 1, 2].map(|corner| hash_of(&corners[corner]));
        let ends = |corner: usize, end: usize| [corners[corner], corners[end]];
        let hashes = |corner: usize, end: usize| [hashes[corner], hashes[end]];
        for corner in 0..3 {
            if edges & (1 << corner) != 0 {
                let end = if corner == 2 { 0 } else { corner + 1 };
                self.push_edge_of(triangle.object, ends(corner, end), hashes(corner, end));
            }
            if tips & (1 << corner) != 0 {
                self.push_corner_of(
                    triangle.object,
                    ends(corner, corner),
                    hashes(corner, corner),
                );
            }
        }
    }

    fn push_edge_of(&mut self, object: ObjectId, ends: [Vector3<f32>; 2], hashes: [u32; 2]) {
        if ends[0] == ends[1] {
            return;
        }
        let (part, is_new) = self.shared.add(ends, hashes, object);
        if is_new {
            // In one direction, whichever triangle brings the edge.
            let [from, to] = ends.map(<[f32; 3]>::from);
            let ends = if to < from { [ends[1], ends[0]] } else { ends };
            let number = self.segments.len();
            self.push_segment(ends, self.frame.up, [0; 3], object);
            // An edge with a negligible length has no segment.
            if let Some(segment) = self.segments.get_mut(number) {
                segment.shared = part;
            }
        }
    }

    fn push_corner_of(&mut self, object: ObjectId, ends: [Vector3<f32>; 2], hashes: [u32; 2]) {
        let (part, is_new) = self.shared.add(ends, hashes, object);
        if is_new {
            self.push_round(Feature::Corner, POINT, [0; 3], ends, object);
            if let Some(tag) = self.tags.last_mut() {
                tag.shared = part;
            }
        }
    }

    /// Returns the normal of a triangle's face, seen by a body that stands on its edge.
    pub(super) fn facing_up(&self, triangle: &CandidateTriangle) -> Vector3<f32> {
        let [a, b, c] = triangle.corners;
        let normal = unit_normal(a, b, c).unwrap_or(self.frame.up);
        if triangle.sides == Sides::Both && normal.dot(&self.frame.up) < 0.0 {
            -normal
        } else {
            normal
        }
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
        if self.can_be_before(&min, &normal) {
            self.push_facet([min, b, max], normal, [true, false], object);
            self.push_facet([min, max, d], normal, [true, false], object);
        }
    }

    /// Shortens a long box along an axis to the part that can be reached: far ends would cost
    /// precision. `None` if no part can be reached.
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

    /// Adds the front of a triangle, its back, or both.
    fn push_facet(
        &mut self,
        corners: [Vector3<f32>; 3],
        normal: Vector3<f32>,
        [front, back]: [bool; 2],
        object: ObjectId,
    ) {
        let squashed = corners.map(|corner| self.frame.squashed(corner));
        let Some(face) = Face::new(squashed) else {
            return;
        };
        let crest = self.highest(&corners);
        let facet = |world_normal: Vector3<f32>| Facet {
            world_normal,
            crest,
            object,
        };
        if front {
            self.hold_facet(facet(normal), &face);
        }
        if back {
            self.hold_facet(facet(-normal), &face.turned_over(squashed));
        }
    }

    /// Returns the parts of a triangle that the mover can touch, tested by boxes around the whole,
    /// its edges and its corners. The test is tighter than the box of the mover, which is round.
    #[inline(always)]
    fn touched(&self, corners: &[Vector3<f32>; 3]) -> Touched {
        // Under a tilted up axis, the box of the centres is that of the whole mover.
        let most = match self.frame.up_axis {
            Some(_) => self.frame.radius * self.frame.radius,
            None => 0.0,
        };
        let (mut near_corners, mut near_others) = (0, 0);
        for first in (0..4).step_by(Wide::LANES) {
            let [of_corners, of_others] = self.gaps::<Wide>(corners, first);
            let near = |gap: Wide| Wide::bits(gap.is_within(Wide::splat(most))) << first;
            near_corners |= near(of_corners);
            near_others |= near(of_others);
        }
        Touched {
            corners: near_corners,
            others: near_others,
        }
    }

    /// Returns the squares of the gaps between the box of the centres and the boxes around the
    /// corners, then around the edges and the whole, in the squashed space.
    #[inline(always)]
    fn gaps<L: Lane>(&self, [a, b, c]: &[Vector3<f32>; 3], first: usize) -> [L; 2] {
        let ([low, high], scale) = (&self.centres, &self.frame.scale);
        let mut squares = [L::splat(0.0); 2];
        for axis in 0..3 {
            let (a, b, c) = (a[axis], b[axis], c[axis]);
            let row = |row: [f32; 4]| L::load(&row, first);
            // The last lane is the whole.
            let [from, to, third] = [row([a, b, c, a]), row([b, c, a, b]), row([a, b, c, c])];
            let (least, most) = (
                from.lesser(to).lesser(third),
                from.greater(to).greater(third),
            );
            let ends = [[from, from], [least, most]];
            for (square, [least, most]) in squares.iter_mut().zip(ends) {
                let (below, above) = (L::splat(low[axis]) - most, least - L::splat(high[axis]));
                let gap = below.greater(above).greater(L::splat(0.0)) * L::splat(scale[axis]);
                *square = *square + gap * gap;
            }
        }
        squares
    }

    /// Returns whether the mover can be before the plane of a triangle through a point, and whether
    /// it can be behind it. `None` for a plane out of reach. Rounding stays below the margin of a
    /// reach.
    #[inline(always)]
    fn seen_of_plane(
        &self,
        point: &Vector3<f32>,
        normal: Option<&Vector3<f32>>,
    ) -> Option<[bool; 2]> {
        let Some(normal) = normal else {
            return Some([true; 2]);
        };
        let [low, high] = self.centres.map(|end| end - point);
        let height = normal.dot(&(low + high));
        let spread = normal.abs().dot(&(high - low));
        let gap = 0.5 * (height.abs() - spread);
        let reach = normal.component_mul(&self.frame.half).norm_squared();
        let is_off = gap > 0.0 && gap * gap > reach;
        if is_off && self.frame.up_axis.is_some() {
            return None;
        }
        // Unbounded centres give NaN here, which counts as both sides.
        let (only_behind, only_before) = (height + spread < 0.0, height - spread > 0.0);
        Some([!only_behind, !only_before])
    }

    /// Returns whether the mover can be before a plane through a point.
    #[inline]
    fn can_be_before(&self, point: &Vector3<f32>, normal: &Vector3<f32>) -> bool {
        let axis = |axis: usize| {
            let end = &self.centres[usize::from(normal[axis] > 0.0)];
            // A plane along an axis is no farther for unbounded centres.
            if normal[axis] == 0.0 {
                0.0
            } else {
                normal[axis] * (end[axis] - point[axis])
            }
        };
        axis(0) + axis(1) + axis(2) >= 0.0
    }

    pub(super) fn push_segment(
        &mut self,
        ends: [Vector3<f32>; 2],
        normal: Vector3<f32>,
        outward: [i8; 3],
        object: ObjectId,
    ) {
        let crest = self.highest(&ends);
        let ends = ends.map(|end| self.frame.squashed(end));
        if let Some(segment) = Segment::new(ends, normal, crest, outward, object) {
            self.hold_segment(segment);
        }
    }

    /// Returns the height of the highest point along the up axis.
    #[inline(always)]
    fn highest(&self, points: &[Vector3<f32>]) -> f32 {
        let up = &self.frame.up;
        let height = |point: &Vector3<f32>| match self.frame.up_axis {
            Some(axis) => point[axis] * up[axis],
            None => point.dot(up),
        };
        let heights = points.iter().map(height);
        heights.fold(f32::NEG_INFINITY, Lane::greater)
    }

    #[inline]
    fn hold_facet(&mut self, facet: Facet, face: &Face<f32>) {
        let number = self.facets.len();
        lane_of(&mut self.facet_rows, number).put(number % WIDE, face);
        self.facets.push(facet);
    }

    fn hold_segment(&mut self, segment: Segment) {
        let number = self.segments.len();
        lane_of(&mut self.segment_rows, number).put(number % WIDE, &segment.line);
        self.segments.push(segment);
    }

    /// Continues a sweep with all facets and segments.
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
            if found.hits != 0 {
                limit = offer(first, Which::Facet, found);
            }
        }
        let held = self.segments.len();
        for (number, rows) in self.segment_rows[..held.div_ceil(WIDE)].iter().enumerate() {
            let first = number * WIDE;
            let found = rows.sweep(held - first, &way, limit);
            if found.hits != 0 {
                limit = offer(first, Which::Segment, found);
            }
        }
    }
}

/// The parts of a triangle that can be touched, a bit each.
struct Touched {
    corners: u32,
    /// The edges, each with the number of its first corner, then the whole.
    others: u32,
}

impl Touched {
    const WHOLE: u32 = 1 << 3;
}

/// Returns the rows that hold the element `number` of a list.
fn lane_of<R: Default>(rows: &mut Vec<R>, number: usize) -> &mut R {
    let place = number / WIDE;
    if place == rows.len() {
        rows.push(R::default());
    }
    &mut rows[place]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mover::Radii;
    use crate::mover::test_terrain::Dice;
    use crate::position::Cell;
    use crate::tolerance::REACH_MARGIN;

    /// Checks that a body a little deep in ground at height 0 goes off over the rim or tip ahead,
    /// and that one below it is stopped.
    fn check_rim(candidates: &Candidates, place: Vector3<f32>, off: Vector3<f32>) {
        let frame = &candidates.frame;
        let sweep = |from: Vector3<f32>, along: Vector3<f32>| {
            candidates.sweep(frame.squashed(from), frame.squashed(along))
        };
        for sunk in [1e-3, 1e-4, 1e-5] {
            let over = place + Vector3::y() * (frame.half.y - sunk);
            assert!(sweep(over, off).is_none(), "{sunk}");
        }
        let beside = place + off * 1.5 + Vector3::y() * (0.5 * frame.half.y);
        assert!(sweep(beside, -off).is_some());
    }

    #[test]
    fn tilted_body_sunk_over_a_face_does_not_catch_on_its_rim() {
        let up = Vector3::new(0.036_395_85, 0.360_503_17, 0.932_047_7).normalize();
        let mut candidates = Candidates::default();
        candidates.begin(&Frame::new(Radii::new(0.4, 0.9), up, 0.01));
        // Solid fills y < 0 for x > 0.
        let ends = [-3.0, 3.0].map(|z| Vector3::new(0.0, 0.0, z));
        candidates.push_edge(2, [-1.0, 1.0], ends[0], ends[1], ObjectId(1));
        check_rim(&candidates, Vector3::x() * 0.3, Vector3::x() * -0.6);
    }

    #[test]
    fn body_sunk_over_a_triangle_does_not_catch_on_its_rim_nor_its_tip() {
        for sides in [Sides::Front, Sides::Both] {
            let mut candidates = Candidates::default();
            candidates.begin(&Frame::new(Radii::new(0.4, 0.9), Vector3::y(), 0.01));
            // A free edge lies at x = 0, the face beyond it, and its tip at x = 3.
            let [a, b, c] = [[0.0, 0.0, -3.0], [0.0, 0.0, 3.0], [3.0, 0.0, 0.0]].map(Vector3::from);
            candidates.push_triangle(a, b, c, sides, ObjectId(1));
            check_rim(&candidates, Vector3::x() * 0.3, Vector3::x() * -0.6);
            check_rim(&candidates, Vector3::x() * 2.7, Vector3::x() * 0.6);
        }
    }

    #[test]
    fn body_sunk_over_one_face_of_a_shared_edge_does_not_catch_on_it() {
        let [a, b] = [[0.0, 0.0, -3.0], [0.0, 0.0, 3.0]].map(Vector3::from);
        let [ahead, below] = [[3.0, 0.0, 0.0], [0.0, -3.0, 0.0]].map(Vector3::from);
        for sides in [Sides::Front, Sides::Both] {
            let mut candidates = Candidates::default();
            candidates.begin(&Frame::new(Radii::new(0.4, 0.9), Vector3::y(), 0.01));
            candidates.push_triangle(a, b, ahead, sides, ObjectId(1));
            candidates.push_triangle(b, a, below, sides, ObjectId(1));
            // The five edges and four corners of both.
            assert_eq!((candidates.segments.len(), candidates.tags.len()), (5, 4));
            check_rim(&candidates, Vector3::x() * 0.3, Vector3::x() * -0.6);
        }
    }

    /// Returns the triangles of a closed tetrahedron, their fronts outward.
    fn tetrahedron(corners: [Vector3<f32>; 4]) -> [[Vector3<f32>; 3]; 4] {
        let middle = corners.iter().sum::<Vector3<f32>>() / 4.0;
        [[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]].map(|face| {
            let [a, b, c] = face.map(|corner| corners[corner]);
            let is_outward = (b - a).cross(&(c - a)).dot(&(a - middle)) > 0.0;
            if is_outward { [a, b, c] } else { [a, c, b] }
        })
    }

    /// Checks on random sweeps that a buffer without limits and one that leaves out what no place
    /// of the mover can meet tell the same. `push` adds the same random triangles to both. Returns
    /// the number of sweeps that hit something.
    fn check_left_out(
        mut push: impl FnMut(&mut Dice, usize, Vector3<f32>, &mut [Candidates; 2]),
    ) -> u32 {
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
            let mut both = [Candidates::default(), Candidates::default()];
            both[0].begin(&frame);
            both[1].begin_within(&frame, &reach);
            push(&mut dice, round, middle, &mut both);
            let [all, within] = &both;
            (held, of) = (held + within.len(), of + all.len());
            for _ in 0..8 {
                let mut place = || middle + dice.vector().component_mul(&wide);
                let (from, to) = (place(), place());
                let (start, motion) = (frame.squashed(from), frame.squashed(to - from));
                let [one, other] = [all, within].map(|candidates| {
                    let hit = candidates.sweep(start, motion);
                    hit.map(|hit| (hit.time.to_bits(), hit.normal, candidates.detail(&hit)))
                });
                let told = |hit: &Option<(u32, Vector3<f32>, Detail)>| format!("{hit:?}");
                assert_eq!(told(&one), told(&other), "{from} to {to} by {round}");
                assert_eq!(all.depth(start, -0.01), within.depth(start, -0.01));
                hits += u32::from(one.is_some());
            }
        }
        assert!(held * 3 < of * 2, "{held} of {of}");
        hits
    }

    #[test]
    fn what_is_left_out_of_single_triangles_is_never_met() {
        let hits = check_left_out(|dice, round, middle, both| {
            for _ in 0..12 {
                let at = middle + dice.vector();
                let corners = [(); 3].map(|()| at + dice.vector() * 0.5);
                for candidates in &mut *both {
                    candidates.push_triangle_parts(CandidateTriangle {
                        corners,
                        sides: [Sides::Front, Sides::Both][round / 4 % 2],
                        parts: Candidates::ALL_PARTS,
                        object: ObjectId(1),
                    });
                }
            }
        });
        assert!(hits > 4_000, "{hits}");
    }

    #[test]
    fn what_is_left_out_of_closed_solids_is_never_met() {
        let hits = check_left_out(|dice, _, middle, both| {
            for object in 0..4 {
                let at = middle + dice.vector();
                let corners = [(); 4].map(|()| at + dice.vector() * 0.6);
                for corners in tetrahedron(corners) {
                    for candidates in &mut *both {
                        candidates.push_triangle_parts(CandidateTriangle {
                            corners,
                            sides: Sides::Front,
                            parts: 0b111_111,
                            object: ObjectId(object),
                        });
                    }
                }
            }
        });
        assert!(hits > 4_000, "{hits}");
    }
}
