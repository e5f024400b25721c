//! From exposed planes to what is hit: the merged quads that meet a window, their convex borders and corners.
//!
//! Every face, edge and corner belongs to one solid voxel, and so to one brick. A border of a quad is convex
//! where the row beyond it is empty on both sides of the plane; flat and concave borders never come out, so no
//! seam can be felt. Two facing quads share an edge: the one that lies level gives it, and of two upright ones
//! the one across z. Corners come with the level quads, at whose corners they always are.

use super::floor;
use super::window::{Ground, Planes, Window, below, each_bit, each_run};
use crate::chunk::{Brick, SIDE};
use crate::surface::{CollisionQuad, Face, PlaneWindow};
use collision::{Candidates, CellFeature, Reach};
use nalgebra::Vector3;

/// Where the centre of a body can be, in metres from the corner of the base cell.
#[derive(Clone, Copy)]
pub(super) struct Centres {
    min: Vector3<f32>,
    max: Vector3<f32>,
}

impl Centres {
    #[inline]
    pub(super) fn of(reach: &Reach) -> Self {
        Self {
            min: reach.min + reach.half,
            max: reach.max - reach.half,
        }
    }

    /// The planes of a window that a body can be in front of. What faces away from all its places is never met
    /// first: beside an edge the face there is nearer.
    #[inline]
    fn seen<'a>(
        &self,
        ground: &Ground<impl Fn(Vector3<i32>) -> &'a Brick>,
        window: &Window<'_>,
    ) -> Planes {
        [0, 1, 2].map(|axis| {
            let (low, last) = (window.low[axis], window.size[axis] - 1);
            let (mut front, mut behind) = (0, 0);
            if ground.is_terrain() {
                let first = ground.lattice.lowest[axis].wrapping_add(low);
                let planes = |up_to: i32| up_to.saturating_sub(first).clamp(0, last);
                let min = floor(self.min[axis]);
                let whole = min as f32 == self.min[axis];
                front = planes(floor(self.max[axis]));
                behind = planes(min - i32::from(whole));
            } else {
                for plane in 1..=last {
                    let at = ground.at(axis, low + plane);
                    front += i32::from(at <= self.max[axis]);
                    behind += i32::from(at < self.min[axis]);
                }
            }
            [below(front), below(last) & !below(behind)]
        })
    }
}

/// The bricks whose quads are asked for: from one number of steps to another along each axis.
pub(super) type Owned = [Vector3<i32>; 2];

/// The kind of feature with these outward signs on x, y and z.
#[inline(always)]
fn kind(x: i32, y: i32, z: i32) -> CellFeature {
    static KINDS: [CellFeature; 27] = {
        let mut kinds = [CellFeature::of_signs([0; 3]); 27];
        let mut number = 0;
        while number < 27 {
            let [x, y, z] = [number % 3, number / 3 % 3, number / 9];
            kinds[number as usize] = CellFeature::of_signs([x - 1, y - 1, z - 1]);
            number += 1;
        }
        kinds
    };
    KINDS[(x + 1 + 3 * (y + 1) + 9 * (z + 1)) as usize]
}

/// A plane of no more quads is looked through.
const FEW: usize = 16;

/// The quads of a plane that meet a window of it. They come in order of their last row, so those that end
/// before the window are passed by at once.
#[inline(always)]
fn meeting(
    mut quads: &[CollisionQuad],
    face: Face,
    layer: i32,
    u: [u32; 2],
    v: [u32; 2],
) -> impl Iterator<Item = CollisionQuad> {
    if quads.len() > FEW {
        let before = |quad: &CollisionQuad| match face.axis() {
            1 => quad.last_u() < u[0],
            _ => quad.last_v() < v[0],
        };
        quads = &quads[quads.partition_point(before)..];
    }
    let window = PlaneWindow::new(face, (layer & (SIDE as i32 - 1)) as u32, u, v);
    quads
        .iter()
        .copied()
        .filter(move |quad| window.meets(*quad))
}

/// A rectangle of faces, its voxels counted from the lowest of the window: some may lie outside.
struct Rectangle {
    low: Vector3<i32>,
    high: Vector3<i32>,
}

/// A gather under way in one window.
pub(super) struct Gather<'g, 'r, F> {
    ground: &'g Ground<F>,
    window: &'g Window<'r>,
    owned: &'g Owned,
    seen: Planes,
    out: &'g mut Candidates,
}

impl<'a, F: Fn(Vector3<i32>) -> &'a Brick> Gather<'_, '_, F> {
    /// Puts everything a body with its centre in `centres` could hit into `out`.
    #[inline(never)]
    pub(super) fn run(
        ground: &Ground<F>,
        window: &Window<'_>,
        owned: &Owned,
        centres: &Centres,
        out: &mut Candidates,
    ) {
        let seen = centres.seen(ground, window);
        let faces = window.faces(&seen);
        if faces == Planes::default() {
            return;
        }
        let mut gather = Gather {
            ground,
            window,
            owned,
            seen,
            out,
        };
        gather.across::<0>(faces[0]);
        gather.across::<1>(faces[1]);
        gather.across::<2>(faces[2]);
        out.place_cells(&ground.lattice);
    }

    /// The quads on some planes across an axis. Each axis has code of its own.
    fn across<const AXIS: usize>(&mut self, faces: [u64; 2]) {
        let [front, back] = faces;
        each_bit(front, |plane| self.plane::<AXIS>(0, plane));
        each_bit(back, |plane| self.plane::<AXIS>(1, plane));
    }

    /// The quads on one plane; `side` is 0 for those that face the positive way, 1 for the others.
    #[inline(never)]
    fn plane<const AXIS: usize>(&mut self, side: i32, plane: i32) {
        let (u, v) = ((AXIS + 1) % 3, (AXIS + 2) % 3);
        let (low, size) = (self.window.low, self.window.size);
        let face = Face::ALL[2 * AXIS + 1 - side as usize];
        let solid = low[AXIS] + plane + side;
        let [first, last] = *self.owned;
        let along = solid >> 5;
        if !(first[AXIS]..=last[AXIS]).contains(&along) {
            return;
        }
        let part = |axis: usize, step: i32| {
            let from = low[axis] - step * SIDE as i32;
            let to = from + size[axis] - 1;
            [from.max(0) as u32, to.min(SIDE as i32 - 1) as u32]
        };
        for v_step in first[v]..=last[v] {
            for u_step in first[u]..=last[u] {
                let mut step = Vector3::zeros();
                (step[AXIS], step[u], step[v]) = (along, u_step, v_step);
                let from = step * SIDE as i32;
                let quads = self.ground.plane(step, face, solid);
                let (in_u, in_v) = (part(u, u_step), part(v, v_step));
                // Quads tile the faces that show: once all of those in the window are covered, no more can follow.
                let mut uncovered = u32::MAX;
                if quads.len() > FEW {
                    let mut ends = [from - low; 2];
                    for (end, which) in ends.iter_mut().zip([0, 1]) {
                        end[AXIS] = plane + side;
                        end[u] += in_u[which] as i32;
                        end[v] += in_v[which] as i32;
                    }
                    uncovered = self.shown(AXIS, side, ends);
                }
                for quad in meeting(quads, face, solid, in_u, in_v) {
                    let (mut first, mut last) = (from, from);
                    (first[AXIS], last[AXIS]) = (solid, solid);
                    first[u] += quad.u() as i32;
                    first[v] += quad.v() as i32;
                    last[u] += quad.last_u() as i32;
                    last[v] += quad.last_v() as i32;
                    let rectangle = Rectangle {
                        low: first - low,
                        high: last - low,
                    };
                    if quad.is_whole_side() && !self.shows(AXIS, side, &rectangle) {
                        continue;
                    }
                    self.face::<AXIS>(side, first, last);
                    match AXIS {
                        1 => self.level_borders(side, &rectangle),
                        2 => self.upright_borders(side, &rectangle),
                        _ => {}
                    }
                    let wide = quad.last_u().min(in_u[1]) + 1 - quad.u().max(in_u[0]);
                    let high = quad.last_v().min(in_v[1]) + 1 - quad.v().max(in_v[0]);
                    uncovered -= wide * high;
                    if uncovered == 0 {
                        break;
                    }
                }
            }
        }
    }

    /// Notes the face between two voxels of the ground.
    #[inline(always)]
    fn face<const AXIS: usize>(&mut self, side: i32, first: Vector3<i32>, last: Vector3<i32>) {
        let (mut from, mut to) = (first, last.add_scalar(1));
        from[AXIS] += 1 - side;
        to[AXIS] = from[AXIS];
        let mut signs = [0; 3];
        signs[AXIS] = 1 - 2 * side;
        let kind = kind(signs[0], signs[1], signs[2]);
        let [from, to]: [[i32; 3]; 2] = [from.into(), to.into()];
        let corner = |at: [i32; 3]| at.map(|part| part as u8);
        self.out.note_cells(kind.between(corner(from), corner(to)));
    }

    /// Notes an edge or a corner between two points, counted from the lowest voxel of the window.
    #[inline(always)]
    fn note(&mut self, kind: CellFeature, from: [i32; 3], to: [i32; 3]) {
        let low = self.window.low;
        let place = |at: [i32; 3]| [0, 1, 2].map(|axis| (at[axis] + low[axis]) as u8);
        self.out.note_cells(kind.between(place(from), place(to)));
    }

    /// Whether a face of a rectangle shows in the window. All faces of a quad do, but for the sides of what is
    /// not loaded, which are told as a whole.
    #[cold]
    fn shows(&self, axis: usize, side: i32, rectangle: &Rectangle) -> bool {
        let low = rectangle.low.map(|part| part.max(0));
        let high = rectangle.high.inf(&self.window.size.add_scalar(-1));
        self.shown(axis, side, [low, high]) > 0
    }

    /// How many faces of a rectangle show.
    #[inline]
    fn shown(&self, axis: usize, side: i32, [low, high]: [Vector3<i32>; 2]) -> u32 {
        let columns = below(high.x + 1) & !below(low.x);
        let to_open = |part: usize| if part == axis { 1 - 2 * side } else { 0 };
        let mut count = 0;
        for z in low.z..=high.z {
            for y in low.y..=high.y {
                let beyond = self.window.row(y + to_open(1), z + to_open(2));
                let beyond = match to_open(0) {
                    -1 => beyond << 1,
                    shift => beyond >> shift,
                };
                count += (self.window.row(y, z) & !beyond & columns).count_ones();
            }
        }
        count
    }

    /// The convex edges and corners around a level rectangle.
    #[inline(always)]
    fn level_borders(&mut self, side: i32, rectangle: &Rectangle) {
        let (window, size) = (self.window, self.window.size);
        let (y, [x0, z0], [x1, z1]) = (
            rectangle.low.y,
            [rectangle.low.x, rectangle.low.z],
            [rectangle.high.x, rectangle.high.z],
        );
        let (open, up) = (y + 1 - 2 * side, 1 - 2 * side);
        let taken = |z: i32| window.row(y, z) | window.row(open, z);
        // The bits of its voxels within the window along x and z; beyond each end, and whether the face there can be seen.
        let span =
            |first: i32, last: i32, size: i32| below((last + 1).min(size)) & !below(first.max(0));
        let (in_x, in_z) = (span(x0, x1, size.x), span(z0, z1, size.z));
        let ends = |axis: usize, first: i32, last: i32, size: i32| {
            let before = first > 0 && self.seen[axis][1] >> (first - 1) & 1 != 0;
            let after = last + 1 < size && self.seen[axis][0] >> last & 1 != 0;
            [(before, first, first - 1, -1), (after, last, last + 1, 1)]
        };
        let (x_ends, z_ends) = (ends(0, x0, x1, size.x), ends(2, z0, z1, size.z));
        // Most lie beyond the window on all sides.
        if ![x_ends, z_ends].as_flattened().iter().any(|end| end.0) {
            return;
        }
        // The convex parts of the borders along x, then along z.
        let mut along_x = [0; 2];
        for (convex, (is_seen, _, beyond, _)) in along_x.iter_mut().zip(z_ends) {
            if is_seen {
                *convex = in_x & !taken(beyond);
            }
        }
        let mut along_z = [0; 2];
        for (convex, (is_seen, _, beyond, _)) in along_z.iter_mut().zip(x_ends) {
            if is_seen {
                each_bit(in_z, |z| *convex |= (!taken(z) >> beyond & 1) << z);
            }
        }
        let at = y + 1 - side;
        for (convex, (_, z, _, sign)) in along_x.into_iter().zip(z_ends) {
            let z = z + i32::from(sign > 0);
            each_run(convex, |first, end| {
                self.note(kind(0, up, sign), [first, at, z], [end, at, z]);
            });
        }
        for (convex, (_, x, _, sign)) in along_z.into_iter().zip(x_ends) {
            let x = x + i32::from(sign > 0);
            each_run(convex, |first, end| {
                self.note(kind(sign, up, 0), [x, at, first], [x, at, end]);
            });
        }
        for (convex_z, (_, x, beyond_x, x_sign)) in along_z.into_iter().zip(x_ends) {
            for (convex_x, (_, z, beyond_z, z_sign)) in along_x.into_iter().zip(z_ends) {
                let both = convex_x.unbounded_shr(x as u32) & convex_z.unbounded_shr(z as u32) & 1;
                if both != 0 && taken(beyond_z) >> beyond_x & 1 == 0 {
                    let point = [x + i32::from(x_sign > 0), at, z + i32::from(z_sign > 0)];
                    self.note(kind(x_sign, up, z_sign), point, point);
                }
            }
        }
    }

    /// The convex upright edges beside a rectangle across z.
    #[inline(always)]
    fn upright_borders(&mut self, side: i32, rectangle: &Rectangle) {
        let (window, size) = (self.window, self.window.size);
        let (z, sign) = (rectangle.low.z, 1 - 2 * side);
        let open = z + sign;
        let in_y = below((rectangle.high.y + 1).min(size.y)) & !below(rectangle.low.y.max(0));
        for x_sign in [-1, 1] {
            let (x, plane) = match x_sign {
                -1 => (rectangle.low.x, rectangle.low.x - 1),
                _ => (rectangle.high.x + 1, rectangle.high.x),
            };
            let beyond = if x_sign < 0 { x - 1 } else { x };
            let is_inside = 0 <= plane && plane + 1 < size.x;
            if !is_inside || self.seen[0][usize::from(x_sign < 0)] >> plane & 1 == 0 {
                continue;
            }
            let mut convex = 0;
            each_bit(in_y, |y| {
                let taken = window.row(y, z) | window.row(y, open);
                convex |= (!taken >> beyond & 1) << y;
            });
            let at = z + 1 - side;
            each_run(convex, |first, end| {
                self.note(kind(x_sign, 0, sign), [x, first, at], [x, end, at]);
            });
        }
    }
}

/// Which of a few voxels of a layer, from `low` on, carry a body from below: bit `x + 4 z`.
pub(super) fn floor_cells<'a>(
    ground: &Ground<impl Fn(Vector3<i32>) -> &'a Brick>,
    low: Vector3<i32>,
    size: [i32; 2],
) -> u32 {
    const FACE: Face = Face::PositiveY;
    let row = below(size[0]) as u32;
    let all = (0..size[1]).fold(0, |all, z| all | row << (4 * z));
    let mut cells = 0;
    let last = [low.x + size[0] - 1, low.z + size[1] - 1];
    for z_step in low.z >> 5..=last[1] >> 5 {
        for x_step in low.x >> 5..=last[0] >> 5 {
            let quads = ground.plane(Vector3::new(x_step, low.y >> 5, z_step), FACE, low.y);
            let [x, z] = [low.x - x_step * SIDE as i32, low.z - z_step * SIDE as i32];
            let part = |from: i32, size: i32| {
                let last = from + size - 1;
                [from.max(0) as u32, last.min(SIDE as i32 - 1) as u32]
            };
            for quad in meeting(quads, FACE, low.y, part(z, size[1]), part(x, size[0])) {
                let span = |first: u32, last: u32, from: i32, size: i32| {
                    below((last as i32 + 1 - from).min(size)) & !below((first as i32 - from).max(0))
                };
                let row = span(quad.v(), quad.last_v(), x, size[0]) as u32;
                each_bit(span(quad.u(), quad.last_u(), z, size[1]), |z| {
                    cells |= row << (4 * z);
                });
                if cells == all {
                    return cells;
                }
            }
        }
    }
    cells
}
