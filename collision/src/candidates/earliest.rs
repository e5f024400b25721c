//! The earliest hit among the candidates, and the details of its feature.
//!
//! Ties go to the contact that opposes the motion most, so that neither the order nor the tiling of
//! features affects a move.

use super::*;
use crate::kernels::facet::Face;
use crate::tolerance::RIM_SLACK;
use std::cmp::Ordering;

/// The verdict on an offered hit.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Offer {
    /// A hit, the earliest or not.
    Sound,
    /// No hit.
    Unsound,
}

/// Orders two contacts at the same time by their normals: first the one that opposes the motion
/// more.
#[inline]
fn at_once(a: &Vector3<f32>, b: &Vector3<f32>, motion: &Vector3<f32>) -> Ordering {
    let against = a.dot(motion).total_cmp(&b.dot(motion));
    let parts = a.iter().zip(b.iter()).map(|(a, b)| a.total_cmp(b));
    parts.fold(against, Ordering::then)
}

/// Queries of the buffer. Points and motions are squashed.
impl Candidates {
    /// Returns the earliest hit of a moving ball. Ties go to the contact that opposes the motion
    /// most, then to the lesser normal and object, so that the order of pushing does not matter.
    #[inline]
    pub(crate) fn sweep(&self, start: Vector3<f32>, motion: Vector3<f32>) -> Option<Hit> {
        let mut best: Option<Hit> = None;
        // Faces first: corners of triangles behind them then need no look at the faces around.
        if !self.facets.is_empty() || !self.segments.is_empty() {
            self.sweep_slanted(&mut best, start, motion);
        }
        let mut ray = Ray::new(start.into(), motion.into());
        ray.limit = best.map_or(ray.limit, |hit| hit.time);
        for (number, (block, used)) in self.filled().enumerate() {
            let found = block.sweep(used, &ray);
            let mut hits = found.hits;
            while hits != 0 {
                let lane = hits.trailing_zeros() as usize;
                hits &= hits - 1;
                let time = found.times[lane];
                if time <= ray.limit {
                    let which = Which::Box(number * WIDTH + lane);
                    if self.offer(&mut best, time, which, start, motion) == Offer::Sound {
                        ray.limit = time;
                    }
                }
            }
        }
        for (number, other) in self.others.iter().enumerate() {
            let limit = best.map_or(1.0, |hit| hit.time);
            if let Some(time) = other.sweep(&self.frame, start, motion, limit) {
                self.offer(&mut best, time, Which::Other(number), start, motion);
            }
        }
        best
    }

    /// Calls `each` with every feature hit no later than `limit`, except for those that
    /// [`Self::sweep`] rejects.
    pub(crate) fn each_hit(
        &self,
        start: Vector3<f32>,
        motion: Vector3<f32>,
        limit: f32,
        mut each: impl FnMut(&Hit),
    ) {
        let mut give = |time: f32, which: Which| {
            let normal = self.normal(which, start + motion * time);
            if !self.leans_over_a_face(which, normal) {
                each(&Hit {
                    time,
                    normal,
                    which,
                });
            }
        };
        let mut ray = Ray::new(start.into(), motion.into());
        ray.limit = limit;
        for (number, (block, used)) in self.filled().enumerate() {
            for (lane, &time) in block.sweep(used, &ray).times[..used].iter().enumerate() {
                if time <= limit {
                    give(time, Which::Box(number * WIDTH + lane));
                }
            }
        }
        let way = Way::new(start.into(), motion.into(), self.frame.radius);
        for number in 0..self.facets.len() {
            let time = self.face(number).enter(&way, limit).time();
            time.inspect(|&time| give(time, Which::Facet(number)));
        }
        for (number, segment) in self.segments.iter().enumerate() {
            let radius = way.radius - EDGE_RANK;
            let time = segment.line.enter(&way, radius, limit).time();
            time.inspect(|&time| give(time, Which::Segment(number)));
        }
        for (number, other) in self.others.iter().enumerate() {
            other
                .sweep(&self.frame, start, motion, limit)
                .inspect(|&time| give(time, Which::Other(number)));
        }
    }

    /// Replaces the best hit unless the offered one is later, loses a tie, or is none.
    #[inline(always)]
    pub(super) fn offer(
        &self,
        best: &mut Option<Hit>,
        time: f32,
        which: Which,
        start: Vector3<f32>,
        motion: Vector3<f32>,
    ) -> Offer {
        let normal = self.normal(which, start + motion * time);
        if self.leans_over_a_face(which, normal) {
            return Offer::Unsound;
        }
        let hit = Hit {
            time,
            normal,
            which,
        };
        match best {
            Some(old) if old.time < time => {}
            Some(old) if old.time == time && !self.wins(&hit, old, motion) => {}
            _ => *best = Some(hit),
        }
        Offer::Sound
    }

    /// Returns whether a ball at a rim is still over one of the rim's faces. That face is nearer,
    /// so the rim is no hit: a body sunk into its skin would otherwise catch on every rim it walks
    /// off.
    #[inline]
    fn leans_over_a_face(&self, which: Which, normal: Vector3<f32>) -> bool {
        let (signs, part) = match which {
            Which::Box(number) => (&self.tags[number].signs, self.tags[number].shared),
            Which::Segment(number) => {
                let segment = &self.segments[number];
                (&segment.outward, segment.shared)
            }
            Which::Facet(_) | Which::Other(_) => return false,
        };
        if part != UNSHARED {
            return self.is_over_a_face_around(part, &normal, RIM_SLACK);
        }
        let normal = self.turned(normal);
        (0..3).any(|axis| f32::from(signs[axis]) * normal[axis] < -RIM_SLACK)
    }

    /// Returns whether a ball at an edge or a corner of triangles is over a face around it.
    #[inline]
    fn is_over_a_face_around(&self, part: u32, from: &Vector3<f32>, slack: f32) -> bool {
        let squashed = |corner| self.frame.squashed(corner);
        let part = self.shared.get(part);
        part.is_some_and(|part| part.is_over_a_face(&self.triangles, from, slack, squashed))
    }

    /// Returns a vector on the same side of every face of the grid as the world normal of a plane
    /// with normal `normal` in the squashed space. With an up axis of the grid, squashing changes
    /// no side.
    #[inline]
    fn turned(&self, normal: Vector3<f32>) -> Vector3<f32> {
        if self.frame.up_axis.is_some() {
            normal
        } else {
            self.frame.squashed(normal)
        }
    }

    /// Returns whether `new` goes before `old`, a hit at the same time.
    fn wins(&self, new: &Hit, old: &Hit, motion: Vector3<f32>) -> bool {
        let key = |hit: &Hit| {
            let detail = self.tag_of(hit.which);
            let top = self.top_of(hit.which);
            (detail.0, detail.1, top)
        };
        let (a, b) = (key(new), key(old));
        at_once(&new.normal, &old.normal, &motion)
            .then(a.0.cmp(&b.0))
            .then(a.1.cmp(&b.1))
            .then(a.2.total_cmp(&b.2))
            .is_lt()
    }

    #[inline]
    fn tag_of(&self, which: Which) -> (Feature, ObjectId) {
        match which {
            Which::Box(number) => (self.tags[number].feature, self.tags[number].object),
            Which::Facet(number) => (Feature::Face, self.facets[number].object),
            Which::Segment(number) => (Feature::Edge, self.segments[number].object),
            Which::Other(number) => (Feature::Body, self.others[number].object),
        }
    }

    /// Returns the known height of a hit feature.
    fn top_of(&self, which: Which) -> f32 {
        match which {
            Which::Box(number) => self.blocks[number / WIDTH].top[number % WIDTH],
            Which::Facet(number) => self.facets[number].crest,
            Which::Segment(number) => self.segments[number].crest,
            Which::Other(_) => 0.0,
        }
    }

    /// Returns the unit normal of the contact of a ball around `point`.
    #[inline]
    fn normal(&self, which: Which, point: Vector3<f32>) -> Vector3<f32> {
        match which {
            Which::Box(number) => self.box_normal(number, point),
            Which::Facet(number) => self.facet_rows[number / WIDE].normal(number % WIDE),
            Which::Segment(number) => self.segments[number].line.normal_at(point),
            Which::Other(number) => self.others[number].normal_at(&self.frame, point),
        }
    }

    #[inline]
    fn box_normal(&self, number: usize, point: Vector3<f32>) -> Vector3<f32> {
        let tag = &self.tags[number];
        if tag.feature == Feature::Face {
            return Vector3::from(tag.signs.map(f32::from));
        }
        let (block, lane) = (&self.blocks[number / WIDTH], number % WIDTH);
        let part = |axis: usize| {
            let away = point[axis] - block.min[axis][lane];
            f32::from_bits(away.to_bits() & block.flat[axis][lane])
        };
        let away = Vector3::new(part(0), part(1), part(2));
        away / away.norm()
    }

    /// Returns the details of a hit feature.
    #[inline]
    pub(crate) fn detail(&self, hit: &Hit) -> Detail {
        let (feature, object) = self.tag_of(hit.which);
        let mut detail = Detail {
            feature,
            object,
            face_normal: Vector3::zeros(),
            is_uppermost: true,
            top: None,
            crest: None,
            plane: None,
        };
        match hit.which {
            Which::Facet(number) => {
                detail.face_normal = self.facets[number].world_normal;
                detail.crest = Some(self.facets[number].crest);
            }
            Which::Segment(number) => {
                let segment = &self.segments[number];
                let near = |other: &&Segment| other.may_join(segment) && other.joins(segment);
                let all = self.segments.iter().filter(near);
                detail.face_normal =
                    self.most_upright(all.flat_map(|other| self.normals_of(other)));
                detail.is_uppermost = segment.outward != [0; 3];
                detail.crest = Some(segment.crest);
            }
            Which::Other(_) => detail.face_normal = self.frame.world_normal(hit.normal),
            Which::Box(number) => self.box_detail(number, hit, &mut detail),
        }
        detail
    }

    #[inline]
    fn box_detail(&self, number: usize, hit: &Hit, detail: &mut Detail) {
        let tag = &self.tags[number];
        detail.face_normal = if tag.feature == Feature::Body {
            self.frame.world_normal(hit.normal)
        } else if tag.signs == [0; 3] {
            detail.is_uppermost = false;
            self.most_upright(self.normals_around(tag.shared))
        } else {
            detail.top = Some(self.blocks[number / WIDTH].top[number % WIDTH]);
            self.most_upward(tag.signs)
        };
        if tag.feature == Feature::Face {
            let axis = tag.signs.iter().position(|&sign| sign != 0).unwrap_or(0);
            detail.plane = Some(AxisPlane {
                axis,
                sign: f32::from(tag.signs[axis]),
                at: self.blocks[number / WIDTH].plane[number % WIDTH],
            });
        }
    }

    /// Returns the normals of the faces known beside an edge.
    fn normals_of(&self, segment: &Segment) -> impl Iterator<Item = Vector3<f32>> + '_ {
        let of_box = (segment.shared == UNSHARED).then_some(segment.world_normal);
        self.normals_around(segment.shared).chain(of_box)
    }

    /// Returns the normals of the faces around an edge or a corner of triangles.
    fn normals_around(&self, part: u32) -> impl Iterator<Item = Vector3<f32>> + '_ {
        let part = self.shared.get(part).into_iter();
        let around = part.flat_map(|part| part.around(&self.triangles));
        around.map(|around| self.facing_up(around.triangle))
    }

    /// Returns the most upward of the normals beside an edge or corner that several triangles
    /// share, in any order.
    fn most_upright(&self, normals: impl Iterator<Item = Vector3<f32>>) -> Vector3<f32> {
        let up = self.frame.up;
        let order = |a: &Vector3<f32>, b: &Vector3<f32>| {
            let key = |normal: &Vector3<f32>| [normal.dot(&up), normal.x, normal.y, normal.z];
            let (a, b) = (key(a), key(b));
            let parts = a.iter().zip(&b).map(|(a, b)| a.total_cmp(b));
            parts.fold(Ordering::Equal, Ordering::then)
        };
        normals.max_by(order).unwrap_or(up)
    }

    /// Returns whether a level face or its rim lies between two heights along the up axis, within
    /// the sides of the box of a body at `at` (not squashed). `None` if a triangle may lie there,
    /// and in a tilted frame.
    pub(crate) fn floor_between(&self, at: Vector3<f32>, low: f32, high: f32) -> Option<bool> {
        let axis = self.frame.up_axis?;
        let (sign, half) = (self.frame.up[axis], self.frame.half);
        let beside = |min: &Vector3<f32>, max: &Vector3<f32>| {
            [(axis + 1) % 3, (axis + 2) % 3].into_iter().all(|side| {
                min[side] <= at[side] + half[side] && at[side] - half[side] <= max[side]
            })
        };
        let may_be_there = |triangle: &CandidateTriangle| {
            let [a, b, c] = &triangle.corners;
            let (min, max) = (a.inf(b).inf(c), a.sup(b).sup(c));
            let (one, other) = (sign * min[axis], sign * max[axis]);
            one.min(other) <= high && low <= one.max(other) && beside(&min, &max)
        };
        if self.triangles.iter().any(may_be_there) {
            return None;
        }
        let mut tags = self.tags.iter().enumerate();
        Some(tags.any(|(number, tag)| {
            let (block, lane) = (&self.blocks[number / WIDTH], number % WIDTH);
            let end = |of: &[[f32; WIDTH]; 3]| Vector3::from_fn(|side, _| of[side][lane]);
            let looks_up = f32::from(tag.signs[axis]) == sign;
            looks_up
                && (low..=high).contains(&block.top[lane])
                && beside(&end(&block.min), &end(&block.max))
        }))
    }

    /// Returns the object of the level face that a body at `at` (not squashed) stands on to the
    /// bit; the least of several. `None` also if another face is so near that only a sweep can
    /// tell.
    #[inline]
    pub(crate) fn floor_at(&self, at: Vector3<f32>) -> Option<ObjectId> {
        let axis = self.frame.up_axis?;
        let (sign, half) = (self.frame.up[axis], self.frame.half[axis]);
        let point = self.frame.squashed(at);
        let mut floor: Option<ObjectId> = None;
        for (number, (block, used)) in self.filled().enumerate() {
            // Filters with a wider margin; an exact test of the few faces left follows.
            let mut near = block::near(&block.plane, at[axis] - sign * half, 2.0 * TOUCHING);
            near &= (1 << used) - 1;
            while near != 0 {
                let lane = near.trailing_zeros() as usize;
                near &= near - 1;
                let tag = &self.tags[number * WIDTH + lane];
                let within = |side: usize| {
                    block.min[side][lane] <= point[side] && point[side] <= block.max[side][lane]
                };
                let looks_up = tag.feature == Feature::Face && f32::from(tag.signs[axis]) == sign;
                if !looks_up || !within((axis + 1) % 3) || !within((axis + 2) % 3) {
                    continue;
                }
                let level = block.plane[lane] + sign * half;
                if level == at[axis] {
                    floor = Some(floor.map_or(tag.object, |other| other.min(tag.object)));
                } else if (level - at[axis]).abs() <= TOUCHING {
                    return None;
                }
            }
        }
        floor
    }

    /// Removes a feature for the rest of the move.
    pub(crate) fn ignore(&mut self, which: Which) {
        match which {
            Which::Box(number) => {
                let (block, lane) = (&mut self.blocks[number / WIDTH], number % WIDTH);
                for axis in 0..3 {
                    block.flat[axis][lane] = 0;
                }
                block.radius[lane] = 0.0;
                block.min[0][lane] = f32::INFINITY;
                block.max[0][lane] = f32::INFINITY;
            }
            Which::Facet(number) => {
                self.facets.remove(number);
                for of in number..self.facets.len() {
                    let next = self.face(of + 1);
                    self.facet_rows[of / WIDE].put(of % WIDE, &next);
                }
            }
            Which::Segment(number) => {
                self.segments.remove(number);
                for (of, segment) in self.segments.iter().enumerate().skip(number) {
                    self.segment_rows[of / WIDE].put(of % WIDE, &segment.line);
                }
            }
            Which::Other(number) => {
                self.others.remove(number);
            }
        }
    }

    /// Returns whether an edge or a corner faces away from `point`: a face beside it is nearer, and
    /// may be left out.
    #[inline]
    fn is_behind(&self, number: usize, point: &Vector3<f32>) -> bool {
        let (block, lane) = (&self.blocks[number / WIDTH], number % WIDTH);
        let from = Vector3::from_fn(|axis, _| point[axis] - block.min[axis][lane]);
        let part = self.tags[number].shared;
        if part != UNSHARED {
            return self.is_over_a_face_around(part, &from, 0.0);
        }
        let away = self.turned(from);
        let signs = &self.tags[number].signs;
        (0..3).any(|axis| f32::from(signs[axis]) * away[axis] < 0.0)
    }

    /// Returns how deep a ball at `point` is in any feature, in metres, or `least` if it is no
    /// deeper.
    #[inline]
    pub(crate) fn depth(&self, point: Vector3<f32>, least: f32) -> f32 {
        self.in_others(
            point,
            self.in_facets(point, self.deepest(point, least, |_| true)),
        )
    }

    /// Returns how deep a ball at `point` is in terrain, neighbours aside, or `least`.
    #[inline]
    pub(crate) fn depth_in_terrain(&self, point: Vector3<f32>, least: f32) -> f32 {
        self.in_facets(
            point,
            self.deepest(point, least, |tag| tag.feature != Feature::Body),
        )
    }

    /// Returns how deep a ball at `point` is in neighbours, terrain aside, or `least`.
    pub(crate) fn depth_in_others(&self, point: Vector3<f32>, least: f32) -> f32 {
        let alike = self.deepest(point, least, |tag| tag.feature == Feature::Body);
        self.in_others(point, alike)
    }

    #[inline]
    fn in_others(&self, point: Vector3<f32>, least: f32) -> f32 {
        let depths = self.others.iter();
        depths
            .map(|other| other.depth(&self.frame, point))
            .fold(least, f32::max)
    }

    #[inline]
    fn in_facets(&self, point: Vector3<f32>, least: f32) -> f32 {
        let (radius, mut deepest) = (self.frame.radius, least);
        let held = self.facets.len();
        for (number, rows) in self.facet_rows[..held.div_ceil(WIDE)].iter().enumerate() {
            deepest = deepest.max(rows.depth(held - number * WIDE, &point, radius));
        }
        let held = self.segments.len();
        for (number, rows) in self.segment_rows[..held.div_ceil(WIDE)].iter().enumerate() {
            let first = number * WIDE;
            let depths = rows.depths(held - first, &point, radius);
            for (lane, depth) in depths.into_iter().enumerate() {
                if depth > deepest && !self.is_over_a_face_beside(first + lane, &point) {
                    deepest = depth;
                }
            }
        }
        deepest
    }

    /// Returns whether a ball beside an edge is over a face around it.
    fn is_over_a_face_beside(&self, segment: usize, point: &Vector3<f32>) -> bool {
        let segment = &self.segments[segment];
        self.is_over_a_face_around(segment.shared, &segment.line.aside(point), 0.0)
    }

    /// Returns the face of a facet.
    #[inline]
    pub(super) fn face(&self, number: usize) -> Face<f32> {
        self.facet_rows[number / WIDE].get(number % WIDE)
    }

    #[inline]
    fn deepest(&self, point: Vector3<f32>, least: f32, counts: impl Fn(&Tag) -> bool) -> f32 {
        let mut deepest = least;
        for (number, (block, used)) in self.filled().enumerate() {
            for (lane, &depth) in block::depth(block, point.into())[..used].iter().enumerate() {
                let of = number * WIDTH + lane;
                if depth > deepest && counts(&self.tags[of]) && !self.is_behind(of, &point) {
                    deepest = depth;
                }
            }
        }
        deepest
    }

    /// Calls `each` with every face: its axis, its sign and its two corners. Only for a frame that
    /// squashes nothing.
    pub(crate) fn each_face(&self, mut each: impl FnMut(usize, f32, Vector3<f32>, Vector3<f32>)) {
        for (number, tag) in self.tags.iter().enumerate() {
            let Some(axis) = tag.signs.iter().position(|&sign| sign != 0) else {
                continue;
            };
            if tag.feature == Feature::Face {
                let (block, lane) = (&self.blocks[number / WIDTH], number % WIDTH);
                let corner = |of: &[[f32; WIDTH]; 3]| Vector3::from_fn(|i, _| of[i][lane]);
                let sign = f32::from(tag.signs[axis]);
                each(axis, sign, corner(&block.min), corner(&block.max));
            }
        }
    }
}
