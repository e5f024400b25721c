//! Exact overlap tests of an ellipsoid, with or without its skin, against solid boxes, triangles
//! and other bodies, and tests of straight ways out.

use crate::around::Spans;
use crate::body::{Body, Neighbour};
use crate::candidates::{CandidateTriangle, Sides};
use crate::frame::Frame;
use crate::kernels::ellipsoids::separate;
use crate::kernels::facet::AreaVector;
use crate::position::Position;
use crate::terrain::{ObjectId, SolidBox};
use crate::tolerance::{CLOSEST_ROUNDS, FACET_SLACK, OVERLAP_SLACK, PLAINLY, SEAL, VALID_DEPTH};
use nalgebra::Vector3;

/// The surroundings of a body, in metres from the body's cell.
pub(super) struct Room<'a> {
    pub(super) body: Body,
    /// The squashed space of the body, with or without its skin.
    pub(super) frame: Frame,
    pub(super) solids: &'a [SolidBox],
    pub(super) triangles: &'a [CandidateTriangle],
    pub(super) others: &'a [Neighbour],
    /// Tolerated depth where the body is a ball: [`VALID_DEPTH`] in the world.
    slack: f32,
    /// The solids sorted by place; `None` where only few places are tested.
    spans: Option<&'a Spans>,
}

/// The overlap of a body with a solid.
#[derive(Clone, Copy, Debug)]
pub(super) struct Overlap {
    /// Depth in metres where the body is a ball.
    pub(super) depth: f32,
    /// Unit direction out where the body is a ball; zero where the centre lies inside.
    pub(super) away: Vector3<f32>,
}

impl Overlap {
    /// Returns the deeper of two overlaps; of equal ones, by direction, so that the order has no
    /// effect. The nearest cell of a solid and the one beside it are equally deep but for rounding:
    /// the nearest lies straight ahead on more axes, as the solid does in one piece.
    fn deeper(self, other: Self) -> Self {
        let key = |overlap: &Self| {
            let aside = overlap.away.iter().filter(|&&part| part != 0.0).count();
            [
                overlap.depth,
                -(aside as f32),
                overlap.away.y,
                overlap.away.x,
                overlap.away.z,
            ]
        };
        let order = key(&self)
            .into_iter()
            .zip(key(&other))
            .map(|(a, b)| a.total_cmp(&b))
            .find(|order| order.is_ne());
        if order.is_some_and(std::cmp::Ordering::is_lt) {
            other
        } else {
            self
        }
    }
}

impl<'a> Room<'a> {
    pub(super) fn new(
        body: &Body,
        skin: f32,
        solids: &'a [SolidBox],
        triangles: &'a [CandidateTriangle],
        others: &'a [Neighbour],
    ) -> Self {
        let frame = Frame::of(body, skin);
        Self {
            body: *body,
            slack: VALID_DEPTH * frame.squash.min(1.0),
            frame,
            solids,
            triangles,
            others,
            spans: None,
        }
    }

    /// Returns this room with its solids sorted, for many tests.
    pub(super) fn with_spans(self, spans: &'a Spans) -> Self {
        let spans = Some(spans);
        Self { spans, ..self }
    }

    /// Returns this room for the body with another skin.
    pub(super) fn with_skin(&self, skin: f32) -> Self {
        let room = Self::new(&self.body, skin, self.solids, self.triangles, self.others);
        Self {
            spans: self.spans,
            ..room
        }
    }

    /// Returns whether `is` holds for a solid that may reach into a box. It tests all solids that
    /// do, and some others.
    fn any_solid(
        &self,
        low: Vector3<f32>,
        high: Vector3<f32>,
        mut is: impl FnMut(&SolidBox) -> bool,
    ) -> bool {
        match self.spans {
            Some(spans) => spans.any(low, high, |number| is(&self.solids[number])),
            None => self.solids.iter().any(is),
        }
    }

    /// Calls `each` with the solids that overlap the body at a place.
    pub(super) fn each_reached(&self, at: Vector3<f32>, mut each: impl FnMut(&SolidBox)) {
        let half = self.frame.half;
        self.any_solid(at - half, at + half, |solid| {
            if self.reaches_into(at, solid) {
                each(solid);
            }
            false
        });
    }

    /// Returns whether the body at a place overlaps neither solids nor triangles.
    pub(super) fn is_free(&self, at: Vector3<f32>) -> bool {
        let half = self.frame.half;
        if self.any_solid(at - half, at + half, |solid| self.reaches_into(at, solid)) {
            return false;
        }
        let blocks = |triangle| self.in_triangle(at, triangle).depth > self.slack;
        !self.triangles.iter().any(blocks)
    }

    /// Returns whether a box overlaps the body at a place.
    pub(super) fn reaches_into(&self, at: Vector3<f32>, solid: &SolidBox) -> bool {
        let half = &self.frame.half;
        let near = |axis: usize| {
            solid.min[axis] < at[axis] + half[axis] && solid.max[axis] > at[axis] - half[axis]
        };
        near(0)
            && near(1)
            && near(2)
            && !self.is_plainly_off(at, solid)
            && self.in_box(at, solid).depth > self.slack
    }

    /// Returns whether a tilted body is out of reach, by more than rounding, of the plane through
    /// the nearest point of a box in the world: the box lies behind that plane. Much cheaper than
    /// the distance to the box.
    fn is_plainly_off(&self, at: Vector3<f32>, solid: &SolidBox) -> bool {
        if self.frame.up_axis.is_some() {
            return false;
        }
        let to_box = at.sup(&solid.min).inf(&solid.max) - at;
        let reach = self.frame.unsquashed(to_box).norm() * self.frame.radius;
        to_box.norm_squared() > reach * PLAINLY
    }

    /// Appends the objects that overlap the body.
    pub(super) fn holders(&self, at: Vector3<f32>, out: &mut Vec<ObjectId>) {
        self.each_reached(at, |solid| out.push(solid.object));
        let triangles = self.triangles.iter();
        let triangles = triangles.filter(|part| self.in_triangle(at, part).depth > self.slack);
        out.extend(triangles.map(|triangle| triangle.object));
    }

    /// Returns the deepest overlap at a place; `None` where it is free.
    pub(super) fn deepest(&self, at: Vector3<f32>) -> Option<Overlap> {
        let triangles = self.triangles.iter();
        let triangles = triangles.map(|triangle| self.in_triangle(at, triangle));
        let mut deepest = triangles.reduce(Overlap::deeper);
        self.each_reached(at, |solid| {
            let overlap = self.in_box(at, solid);
            deepest = Some(deepest.map_or(overlap, |deepest| deepest.deeper(overlap)));
        });
        deepest.filter(|overlap| overlap.depth > self.slack)
    }

    fn in_box(&self, at: Vector3<f32>, solid: &SolidBox) -> Overlap {
        self.overlap(self.nearest(at, solid) - at)
    }

    /// A triangle has no inside; from behind, a one-sided one is not there, unless it is a needle.
    fn in_triangle(&self, at: Vector3<f32>, triangle: &CandidateTriangle) -> Overlap {
        let [a, b, c] = triangle.corners.map(|corner| corner - at);
        let is_behind = || (b - a).cross(&(c - a)).dot(&a) >= 0.0 && has_face(&[a, b, c]);
        if triangle.sides == Sides::Front && is_behind() {
            return Overlap {
                depth: f32::NEG_INFINITY,
                away: Vector3::zeros(),
            };
        }
        let corners = [a, b, c].map(|corner| self.frame.squashed(corner));
        self.squashed_overlap(closest_to_origin(&corners))
    }

    fn overlap(&self, nearest: Vector3<f32>) -> Overlap {
        self.squashed_overlap(self.frame.squashed(nearest))
    }

    fn squashed_overlap(&self, nearest: Vector3<f32>) -> Overlap {
        let distance = nearest.norm();
        let away = if distance > 0.0 {
            nearest / -distance
        } else {
            Vector3::zeros()
        };
        Overlap {
            depth: self.frame.radius - distance,
            away,
        }
    }

    /// Returns the point of a box that is nearest to the centre where the body is a ball.
    pub(super) fn nearest(&self, at: Vector3<f32>, solid: &SolidBox) -> Vector3<f32> {
        let mut point = at.sup(&solid.min).inf(&solid.max);
        if self.frame.up_axis.is_some() || point == at {
            return point;
        }
        // Tilted: solve one coordinate at a time, each exactly, until they settle.
        let up = self.frame.up;
        let stretch = self.frame.squash * self.frame.squash - 1.0;
        for _ in 0..CLOSEST_ROUNDS {
            let before = point;
            for axis in 0..3 {
                let off = point - at;
                let rest = up.dot(&off) - up[axis] * off[axis];
                let best = -stretch * up[axis] * rest / (1.0 + stretch * up[axis] * up[axis]);
                point[axis] = (at[axis] + best).max(solid.min[axis]).min(solid.max[axis]);
            }
            if point == before {
                break;
            }
        }
        point
    }

    /// Returns whether the centre, on a straight way, soon leaves the solids it starts in and
    /// enters no others: no body passes through a wall, even when a block is placed in front of it.
    pub(super) fn is_open_way(&self, from: Vector3<f32>, way: Vector3<f32>) -> bool {
        let length = way.norm();
        let seal = SEAL / length;
        // A solid that begins beyond the body's own surface was there when the body was free, so it
        // is a wall.
        let bare = Frame::of(&self.body, 0.0);
        let surface = bare.radius / bare.squashed(way).norm() + seal;
        let to = from + way;
        let aside = Vector3::repeat(SEAL);
        let (low, high) = (from.inf(&to) - aside, from.sup(&to) + aside);
        // Share of the way through solids that it begins in, one box after another.
        let mut left = 0.0_f32;
        loop {
            let mut farthest = left;
            self.any_solid(low, high, |solid| {
                let crossed = in_cells_begun_by(surface, from, way, solid);
                if let Some([_, leave]) = crossed.filter(|[enter, _]| *enter <= left + seal) {
                    farthest = farthest.max(leave);
                }
                false
            });
            if farthest <= left {
                break;
            }
            left = farthest;
        }
        let enters = |solid: &SolidBox| {
            let inside = shares_inside(from, way, solid);
            inside.is_some_and(|[_, leave]| leave > left + seal)
        };
        left * length <= self.body.radii.longest() + SEAL
            && !self.any_solid(low, high, enters)
            && !self
                .triangles
                .iter()
                .any(|triangle| passes(from, way, triangle))
    }

    /// Returns whether another body occupies the place at the end of a way.
    pub(super) fn is_taken(&self, way: Vector3<f32>) -> bool {
        let position = self.body.position;
        let moved = Body {
            position: Position::from_local(position.cell, position.offset + way),
            ..self.body
        };
        let stands_in = |other: &Neighbour| separate(&moved, &other.body).distance < -OVERLAP_SLACK;
        self.others.iter().any(stands_in)
    }
}

/// Returns the shares of a way between which its point is inside a box.
fn shares_inside(from: Vector3<f32>, way: Vector3<f32>, solid: &SolidBox) -> Option<[f32; 2]> {
    let (mut enter, mut leave) = (0.0_f32, 1.0_f32);
    for axis in 0..3 {
        let (low, high) = (solid.min[axis] - from[axis], solid.max[axis] - from[axis]);
        if way[axis] == 0.0 {
            if low > 0.0 || high < 0.0 {
                return None;
            }
            continue;
        }
        let (a, b) = (low / way[axis], high / way[axis]);
        enter = enter.max(a.min(b));
        leave = leave.min(a.max(b));
    }
    (enter <= leave).then_some([enter, leave])
}

/// Returns whether a point is in a box or on its surface.
pub(super) fn holds(solid: &SolidBox, at: Vector3<f32>) -> bool {
    (0..3).all(|axis| solid.min[axis] <= at[axis] && at[axis] <= solid.max[axis])
}

/// Returns whether a way begins outside of a box and ends in it or beyond.
pub(super) fn goes_into(from: Vector3<f32>, way: Vector3<f32>, solid: &SolidBox) -> bool {
    let inside = shares_inside(from, way, solid);
    inside.is_some_and(|[enter, _]| enter > 0.0)
}

/// Returns the shares of a way inside a box, up to the first border between its cells after the
/// share `surface`, so that the result does not depend on how cells are merged into boxes. `None`
/// for a box entered later than `surface`.
fn in_cells_begun_by(
    surface: f32,
    from: Vector3<f32>,
    way: Vector3<f32>,
    solid: &SolidBox,
) -> Option<[f32; 2]> {
    let [enter, leave] = shares_inside(from, way, solid)?;
    if enter > surface {
        return None;
    }
    if solid.grain.is_infinite() {
        return Some([enter, leave]);
    }
    let next_cell = |axis: usize| {
        let cells = (from[axis] + way[axis] * surface - solid.min[axis]) / solid.grain;
        let line = if way[axis] > 0.0 {
            cells.floor() + 1.0
        } else {
            cells.ceil() - 1.0
        };
        (solid.min[axis] + line * solid.grain - from[axis]) / way[axis]
    };
    let axes = (0..3).filter(|&axis| way[axis] != 0.0);
    Some([enter, axes.map(next_cell).fold(leave, f32::min)])
}

/// Returns whether a way leads through a triangle: from its front or, where both sides block, from
/// either.
pub(super) fn passes(from: Vector3<f32>, way: Vector3<f32>, triangle: &CandidateTriangle) -> bool {
    let [a, b, c] = triangle.corners.map(|corner| corner - from);
    let normal = (b - a).cross(&(c - a));
    let (height, fall) = (-normal.dot(&a), normal.dot(&way));
    let (before, after) = (height, height + fall);
    let through = match triangle.sides {
        Sides::Front => before >= 0.0 && after < 0.0,
        Sides::Both => (before >= 0.0) != (after >= 0.0),
    };
    if !through || !has_face(&[a, b, c]) {
        return false;
    }
    let at = way * (-height / fall);
    // Two triangles that share an edge leave no gap between them.
    let size = normal.norm();
    let within = |from: Vector3<f32>, to: Vector3<f32>| {
        let edge = to - from;
        edge.cross(&(at - from)).dot(&normal) >= -FACET_SLACK * edge.norm() * size
    };
    within(a, b) && within(b, c) && within(c, a)
}

/// Returns the point of a triangle nearest to a place.
pub(super) fn nearest_of_triangle(at: Vector3<f32>, triangle: &CandidateTriangle) -> Vector3<f32> {
    at + closest_to_origin(&triangle.corners.map(|corner| corner - at))
}

/// Returns whether a triangle is no needle.
fn has_face([a, b, c]: &[Vector3<f32>; 3]) -> bool {
    AreaVector::of(*a, *b, *c).unit().is_some()
}

/// Returns the point of a triangle nearest to the origin.
pub(crate) fn closest_to_origin(corners: &[Vector3<f32>; 3]) -> Vector3<f32> {
    let [a, b, c] = *corners;
    let normal = (b - a).cross(&(c - a));
    let square = normal.norm_squared();
    if square > 0.0 && has_face(corners) {
        let foot = normal * (normal.dot(&a) / square);
        let side = |from: Vector3<f32>, to: Vector3<f32>| {
            (to - from).cross(&(foot - from)).dot(&normal) >= 0.0
        };
        if side(a, b) && side(b, c) && side(c, a) {
            return foot;
        }
    }
    let rim = [(a, b), (b, c), (c, a)].map(|(from, to)| closest_of_segment(from, to));
    let nearer = |best: Vector3<f32>, next: Vector3<f32>| {
        if next.norm_squared() < best.norm_squared() {
            next
        } else {
            best
        }
    };
    rim.into_iter().reduce(nearer).unwrap_or(a)
}

fn closest_of_segment(from: Vector3<f32>, to: Vector3<f32>) -> Vector3<f32> {
    let along = to - from;
    let square = along.norm_squared();
    if square == 0.0 {
        return from;
    }
    from + along * (-from.dot(&along) / square).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mover::Radii;
    use crate::mover::test_terrain::Dice;

    const SIDE: i32 = 4;

    /// Returns solid cells as boxes of one cell each, and merged into runs along x.
    fn cells_and_runs(dice: &mut Dice) -> [Vec<SolidBox>; 2] {
        let (mut cells, mut runs) = (Vec::new(), Vec::new());
        let solid = |x: [i32; 2], y: i32, z: i32, grain: f32| SolidBox {
            min: Vector3::new(x[0], y, z).cast(),
            max: Vector3::new(x[1], y + 1, z + 1).cast(),
            grain,
            object: ObjectId(0),
        };
        for (y, z) in (0..SIDE).flat_map(|y| (0..SIDE).map(move |z| (y, z))) {
            let row: Vec<bool> = (0..SIDE).map(|_| dice.share() < 0.4).collect();
            let mut x = 0;
            while x < SIDE {
                let long = row[x as usize..].iter().take_while(|&&full| full).count() as i32;
                for cell in x..x + long {
                    cells.push(solid([cell, cell + 1], y, z, f32::INFINITY));
                }
                if long > 0 {
                    runs.push(solid([x, x + long], y, z, 1.0));
                }
                x += long.max(1);
            }
        }
        [cells, runs]
    }

    fn body() -> Body {
        Body {
            position: Position::default(),
            radii: Radii::new(0.4, 0.9),
            up: Vector3::y(),
        }
    }

    #[test]
    fn deepest_overlap_is_the_same_however_cells_are_put_together() {
        let mut dice = Dice(6);
        let mut reached = 0;
        for _ in 0..40_000 {
            let [cells, runs] = cells_and_runs(&mut dice);
            // Often so near a line between cells that the neighbour is as deep but for rounding.
            let at = Vector3::from_fn(|_, _| {
                let part = dice.share() * SIDE as f32;
                let near = [0.0, 1e-9, 1e-7, 1e-5, 1e-4][dice.bits() as usize % 5];
                [part, part.round() + near * dice.signed()][dice.bits() as usize % 2]
            });
            let deepest = |solids: &[SolidBox]| {
                let overlap = Room::new(&body(), 0.01, solids, &[], &[]).deepest(at)?;
                let away = overlap.away.map(|part| (part + 0.0).to_bits());
                Some((overlap.depth.to_bits(), away))
            };
            let alike = deepest(&cells);
            assert_eq!(alike, deepest(&runs), "{at}");
            reached += u32::from(alike.is_some());
        }
        assert!(reached > 20_000, "{reached}");
    }

    #[test]
    fn solids_answer_the_same_when_they_are_sorted() {
        let mut dice = Dice(7);
        let mut spans = Spans::default();
        let (mut free, mut open, mut off) = (0, 0, 0);
        for case in 0..10_000 {
            let [_, runs] = cells_and_runs(&mut dice);
            spans.sort(&runs, Vector3::zeros(), Vector3::repeat(SIDE as f32));
            let mut body = body();
            if case % 2 == 0 {
                body.up = Vector3::from_fn(|_, _| dice.signed()).normalize();
            }
            let from = Vector3::from_fn(|_, _| dice.share() * SIDE as f32);
            let way = Vector3::from_fn(|_, _| dice.signed() * 2.0);
            let answers = |room: &Room<'_>| {
                let overlap = room.deepest(from);
                let deepest = overlap.map(|overlap| (overlap.depth.to_bits(), overlap.away));
                let open = room.is_open_way(from, way);
                (room.is_free(from), deepest, open)
            };
            let room = Room::new(&body, 0.01, &runs, &[], &[]);
            let told = answers(&room);
            for solid in runs.iter().filter(|solid| room.is_plainly_off(from, solid)) {
                assert!(room.in_box(from, solid).depth < 0.0, "{from} {solid:?}");
                off += 1;
            }
            assert_eq!(answers(&room.with_spans(&spans)), told, "{from} {way}");
            free += u32::from(told.0);
            open += u32::from(told.2);
        }
        assert!(
            free > 200 && open > 500 && off > 20_000,
            "{free} {open} {off}"
        );
    }

    #[test]
    fn way_out_is_open_however_cells_are_put_together() {
        let mut dice = Dice(5);
        let mut open = [0; 2];
        for _ in 0..40_000 {
            let [cells, runs] = cells_and_runs(&mut dice);
            let from = Vector3::from_fn(|_, _| dice.share() * SIDE as f32);
            // Often through or nearly through an edge, where several cells are entered at once.
            let mut to = from + Vector3::from_fn(|_, _| dice.signed() * 2.0);
            if dice.share() < 0.5 {
                let edge = from.map(f32::round) + Vector3::from_fn(|_, _| dice.signed() * 2e-3);
                to = from + (edge - from) * (1.0 + dice.share());
            }
            let is_open = |solids: &[SolidBox]| {
                Room::new(&body(), 0.01, solids, &[], &[]).is_open_way(from, to - from)
            };
            let alike = is_open(&cells);
            assert_eq!(alike, is_open(&runs), "{from} {to}");
            open[usize::from(alike)] += 1;
        }
        assert!(open.iter().all(|&times| times > 4_000), "{open:?}");
    }
}
