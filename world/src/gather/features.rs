//! From exposed planes to what is hit: the merged quads that meet a window, their convex borders and corners.
//!
//! Every face, edge and corner belongs to one solid voxel, and so to one brick. A border of a quad is convex
//! where the row beyond it is empty on both sides of the plane; flat and concave borders never come out, so no
//! seam can be felt. Two facing quads share an edge: the one that lies level gives it, and of two upright ones
//! the one across z. Corners come with the level quads, at whose corners they always are.

use super::floor;
use super::window::{
    Ground, MOST, Planes, Window, below, bricks_of, each_bit, each_run, each_step,
};
use crate::chunk::{Brick, SIDE};
use crate::surface::{CollisionQuad, CollisionSurface, Face, PlaneWindow};
use collision::{Candidates, CellFeature, Reach};
use nalgebra::Vector3;
use std::mem;
use std::ops::RangeInclusive;

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
    #[inline(always)]
    fn seen<'a>(
        &self,
        ground: &Ground<impl Fn(Vector3<i32>) -> &'a Brick>,
        window: &Window<'_>,
    ) -> Planes {
        let along = |axis| self.seen_along(ground, window, axis);
        [along(0), along(1), along(2)]
    }

    #[inline(always)]
    fn seen_along<'a>(
        &self,
        ground: &Ground<impl Fn(Vector3<i32>) -> &'a Brick>,
        window: &Window<'_>,
        axis: usize,
    ) -> [u64; 2] {
        let (low, last) = (window.low[axis], window.size[axis] - 1);
        let (min, max) = (self.min[axis], self.max[axis]);
        let first = ground.lattice.lowest[axis].wrapping_add(low);
        let planes = |up_to: i32| up_to.saturating_sub(first).clamp(0, last);
        if ground.is_terrain() {
            let lowest = floor(min);
            let behind = planes(lowest - i32::from(lowest as f32 == min));
            return [below(planes(floor(max))), below(last) & !below(behind)];
        }
        let (origin, size) = (ground.lattice.origin[axis], ground.lattice.size);
        let guess = |at: f32| planes(floor((at - origin) / size));
        let at = |plane: i32| ground.at(axis, low + plane);
        let (mut front, mut behind) = (guess(max), guess(min));
        // Rounding may put both one off.
        front += i32::from(front < last && at(front + 1) <= max);
        front -= i32::from(front > 0 && at(front) > max);
        behind += i32::from(behind < last && at(behind + 1) < min);
        behind -= i32::from(behind > 0 && at(behind) >= min);
        [below(front), below(last) & !below(behind)]
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

/// The first and the last voxel of a window along an axis.
type Span = [u32; 2];

/// The quads of a plane that meet a window of it. They come in order of their last row, so those that end
/// before the window are passed by at once.
#[inline(always)]
fn meeting(
    mut quads: &[CollisionQuad],
    face: Face,
    u: Span,
    v: Span,
) -> impl Iterator<Item = CollisionQuad> {
    if quads.len() > FEW {
        let before = |quad: &CollisionQuad| match face.axis() {
            1 => quad.last_u() < u[0],
            _ => quad.last_v() < v[0],
        };
        quads = &quads[quads.partition_point(before)..];
    }
    let window = PlaneWindow::new(u, v);
    quads
        .iter()
        .copied()
        .filter(move |quad| window.meets(*quad))
}

/// The bits from one voxel to another, which may lie outside of a window of so many.
#[inline(always)]
fn bits(first: i32, last: i32, size: i32) -> u64 {
    below((last + 1).min(size)) & !below(first.max(0))
}

/// A brick's merged quads, and where its corner is, counted from the lowest voxel of a window.
struct Part<'a> {
    surface: &'a CollisionSurface,
    from: Vector3<i32>,
}

impl Part<'_> {
    /// The voxels of the brick that lie in a window of so many, along an axis.
    #[inline(always)]
    fn within(&self, size: i32, axis: usize) -> Span {
        let last = (size - 1 - self.from[axis]).min(SIDE as i32 - 1);
        [(-self.from[axis]).max(0) as u32, last as u32]
    }
}

/// A gather under way in one window.
pub(super) struct Gather<'g, 'r> {
    window: &'g Window<'r>,
    /// The planes that show a face a body can be in front of.
    faces: Planes,
    /// The cells of a plane that quads cover; none between two planes.
    cover: Cover,
    /// Words of the level faces with a convex border to the left and to the right.
    beside: [[u64; 2]; MOST as usize],
    out: &'g mut Candidates,
}

impl Gather<'_, '_> {
    /// Puts everything a body with its centre in `centres` could hit into `out`.
    #[inline(never)]
    pub(super) fn run<'a>(
        ground: &Ground<impl Fn(Vector3<i32>) -> &'a Brick>,
        window: &Window<'_>,
        owned: &Owned,
        centres: &Centres,
        out: &mut Candidates,
    ) {
        let faces = window.faces(&centres.seen(ground, window));
        if faces == Planes::default() {
            return;
        }
        let mut gather = Gather {
            window,
            faces,
            cover: Cover::default(),
            beside: [[0; 2]; MOST as usize],
            out,
        };
        each_step(*owned, |step| {
            if let Some(surface) = ground.surface(step) {
                let from = step * SIDE as i32 - window.low;
                let part = &Part { surface, from };
                gather.across::<0>(part);
                gather.across::<1>(part);
                gather.across::<2>(part);
            }
        });
        out.place_cells(&ground.lattice);
    }

    /// The quads of a brick on the planes across an axis.
    #[inline(always)]
    fn across<const AXIS: usize>(&mut self, part: &Part<'_>) {
        let (u, v) = ((AXIS + 1) % 3, (AXIS + 2) % 3);
        let size = self.window.size;
        let spans = [part.within(size[u], u), part.within(size[v], v)];
        let [front, back] = self.faces[AXIS];
        let inside = |side: i32| {
            let first = part.from[AXIS] - side;
            bits(first, first + SIDE as i32 - 1, MOST)
        };
        each_bit(front & inside(0), |plane| {
            self.plane::<AXIS, 0>(part, plane, spans)
        });
        each_bit(back & inside(1), |plane| {
            self.plane::<AXIS, 1>(part, plane, spans)
        });
    }

    /// The quads of a brick on one plane; `BACK` is 0 for those that face the positive way, 1 for the others.
    #[inline(never)]
    fn plane<const AXIS: usize, const BACK: i32>(
        &mut self,
        part: &Part<'_>,
        plane: i32,
        [in_u, in_v]: [Span; 2],
    ) {
        let (u, v) = ((AXIS + 1) % 3, (AXIS + 2) % 3);
        let face = Face::ALL[2 * AXIS + 1 - BACK as usize];
        let (from, size) = (part.from, self.window.size);
        let layer = plane + BACK - from[AXIS];
        let quads = part.surface.plane(face, layer as usize);
        // Quads tile the faces that show: once all of those in the window are covered, no more can follow.
        let mut uncovered = u32::MAX;
        if quads.len() > FEW {
            let part = [(u, in_u), (v, in_v)]
                .map(|(axis, span)| span.map(|voxel| voxel as i32 + from[axis]));
            uncovered = self.shown::<AXIS, BACK>(plane, part);
        }
        let has_borders = match AXIS {
            0 => false,
            1 => true,
            _ => self.faces[0] != [0; 2],
        };
        for quad in meeting(quads, face, in_u, in_v) {
            let [along_u, along_v] = [
                [quad.u() as i32 + from[u], quad.last_u() as i32 + from[u]],
                [quad.v() as i32 + from[v], quad.last_v() as i32 + from[v]],
            ];
            // The sides of what is not loaded are told as a whole.
            if quad.is_whole_side() && self.shown::<AXIS, BACK>(plane, [along_u, along_v]) == 0 {
                continue;
            }
            let signs = [0, 1, 2].map(|axis| if axis == AXIS { 1 - 2 * BACK } else { 0 });
            let corner = |end: usize| {
                let mut at = [plane + 1; 3];
                (at[u], at[v]) = (along_u[end] + end as i32, along_v[end] + end as i32);
                at
            };
            self.note(kind(signs[0], signs[1], signs[2]), corner(0), corner(1));
            if has_borders {
                let [along_x, rows] = match AXIS {
                    1 => [along_v, along_u],
                    _ => [along_u, along_v],
                };
                let along_x = bits(along_x[0], along_x[1], size.x);
                let last = if AXIS == 1 { size.z } else { size.y } - 1;
                self.cover.add(
                    self.window,
                    AXIS == 1,
                    along_x,
                    [rows[0].max(0), rows[1].min(last)],
                );
            }
            let wide = quad.last_u().min(in_u[1]) + 1 - quad.u().max(in_u[0]);
            let high = quad.last_v().min(in_v[1]) + 1 - quad.v().max(in_v[0]);
            uncovered -= wide * high;
            if uncovered == 0 {
                break;
            }
        }
        if has_borders && AXIS == 1 {
            self.level_borders::<BACK>(plane);
        }
        if has_borders && AXIS == 2 {
            self.upright_borders::<BACK>(plane);
        }
    }

    /// Notes what lies between two points, counted from the lowest voxel of the window.
    #[inline(always)]
    fn note(&mut self, kind: CellFeature, from: [i32; 3], to: [i32; 3]) {
        let low = self.window.low;
        let place = |at: [i32; 3]| [0, 1, 2].map(|axis| (at[axis] + low[axis]) as u8);
        self.out.note_cells(kind.between(place(from), place(to)));
    }

    /// Counts the faces that show in a part of a plane, which is given along the two axes after its own.
    #[inline(never)]
    fn shown<const AXIS: usize, const BACK: i32>(&self, plane: i32, part: [[i32; 2]; 2]) -> u32 {
        let size = self.window.size;
        let clipped = |which: usize| {
            let last = size[(AXIS + 1 + which) % 3] - 1;
            part[which][0].max(0)..=part[which][1].min(last)
        };
        let (solid, before) = (plane + BACK, plane + 1 - BACK);
        let mut count = 0;
        match AXIS {
            0 => {
                for z in clipped(1) {
                    for y in clipped(0) {
                        let row = self.window.row(y, z);
                        count += (row >> solid & !(row >> before) & 1) as u32;
                    }
                }
            }
            1 => {
                let along_x = bits(part[1][0], part[1][1], size.x);
                for z in clipped(0) {
                    let faces = self.window.row(solid, z) & !self.window.row(before, z);
                    count += (faces & along_x).count_ones();
                }
            }
            _ => {
                let along_x = bits(part[0][0], part[0][1], size.x);
                for y in clipped(1) {
                    let faces = self.window.row(y, solid) & !self.window.row(y, before);
                    count += (faces & along_x).count_ones();
                }
            }
        }
        count
    }

    /// The convex edges and corners around the covered faces of a level plane.
    #[inline(always)]
    fn level_borders<const BACK: i32>(&mut self, plane: i32) {
        let up = 1 - 2 * BACK;
        let window = self.window;
        let (step, y) = (window.step(), plane + 1);
        let open = |group: i32| {
            let [solid, before] =
                [plane + BACK, plane + 1 - BACK].map(|layer| window.word(layer, group));
            [solid & !before, !(solid | before)]
        };
        let from_left = (self.faces[0][1] << 1).wrapping_mul(window.every_row());
        let from_right = self.faces[0][0].wrapping_mul(window.every_row());
        let groups = self.cover.taken();
        for group in groups.clone() {
            let [faces, is_open] = open(group);
            let faces = faces & self.cover.take(group);
            let first_z = group << window.rows_log();
            // The open cells in the next words, as far as the window goes.
            let beyond = |group: i32| match window.has_group(group) {
                true => open(group)[1],
                false => 0,
            };
            let before = is_open.unbounded_shl(step) | beyond(group - 1).unbounded_shr(64 - step);
            let behind = is_open.unbounded_shr(step) | beyond(group + 1).unbounded_shl(64 - step);
            let left = faces & is_open << 1 & from_left;
            let right = faces & is_open >> 1 & from_right;
            let to_before = faces & before & window.rows_of(self.faces[2][1] << 1, group);
            let to_behind = faces & behind & window.rows_of(self.faces[2][0], group);
            self.beside[group as usize] = [left, right];
            if left | right | to_before | to_behind == 0 {
                continue;
            }
            let at = |bit: i32| {
                let within = bit & (step as i32 - 1);
                [within, y, first_z + (bit >> window.pitch)]
            };
            for (z_sign, rim, open) in [(-1, to_before, before), (1, to_behind, behind)] {
                let z_side = i32::from(z_sign > 0);
                each_run(rim, |first, end| {
                    let ([x, y, z], long) = (at(first), end - first);
                    let (from, to) = ([x, y, z + z_side], [x + long, y, z + z_side]);
                    self.note(kind(0, up, z_sign), from, to);
                });
                for (x_sign, ends) in [(-1, rim & left & open << 1), (1, rim & right & open >> 1)] {
                    each_bit(ends, |bit| {
                        let [x, y, z] = at(bit);
                        let corner = [x + i32::from(x_sign > 0), y, z + z_side];
                        self.note(kind(x_sign, up, z_sign), corner, corner);
                    });
                }
            }
        }
        for group in groups.clone() {
            for (which, x_sign) in [(0, -1), (1, 1)] {
                let beside = |group: i32| self.beside[group as usize][which];
                let rim = beside(group);
                if rim == 0 {
                    continue;
                }
                let last = match groups.contains(&(group - 1)) {
                    true => beside(group - 1).unbounded_shr(64 - step),
                    false => 0,
                };
                let mut begins = rim & !(rim.unbounded_shl(step) | last);
                while begins != 0 {
                    let bit = begins.trailing_zeros() as i32;
                    begins &= begins - 1;
                    let (mut of, mut rest, mut long) = (group, rim >> bit, 0);
                    let x = bit & (step as i32 - 1);
                    let z = (group << window.rows_log()) + (bit >> window.pitch);
                    while rest & 1 != 0 {
                        (long, rest) = (long + 1, rest.unbounded_shr(step));
                        if (z + long) >> window.rows_log() != of {
                            of += 1;
                            if !groups.contains(&of) {
                                break;
                            }
                            rest = self.beside[of as usize][which] >> x;
                        }
                    }
                    let x = x + i32::from(x_sign > 0);
                    self.note(kind(x_sign, up, 0), [x, y, z], [x, y, z + long]);
                }
            }
        }
    }

    /// The upright convex edges beside the covered faces of a plane across z.
    #[inline(always)]
    fn upright_borders<const BACK: i32>(&mut self, plane: i32) {
        let window = self.window;
        let z_sign = 1 - 2 * BACK;
        let (from_left, from_right) = (self.faces[0][1] << 1, self.faces[0][0]);
        let (mut borders, mut begun) = ([0; 2], [[0_u8; MOST as usize]; 2]);
        let rows = self.cover.taken();
        for y in *rows.start()..=rows.end() + 1 {
            let mut here = [0; 2];
            if rows.contains(&y) {
                let solid = window.row(y, plane + BACK);
                let before = window.row(y, plane + 1 - BACK);
                let faces = self.cover.take(y) & solid & !before;
                let is_open = !(solid | before);
                here = [
                    faces & is_open << 1 & from_left,
                    faces & is_open >> 1 & from_right,
                ];
            }
            if here == borders {
                continue;
            }
            for (which, x_sign) in [(0, -1), (1, 1)] {
                let (right, begun) = (which as i32, &mut begun[which]);
                each_bit(borders[which] & !here[which], |x| {
                    let from = [x + right, i32::from(begun[x as usize]), plane + 1];
                    self.note(kind(x_sign, 0, z_sign), from, [x + right, y, plane + 1]);
                });
                each_bit(here[which] & !borders[which], |x| {
                    begun[x as usize] = y as u8
                });
            }
            borders = here;
        }
    }
}

/// The cells of a plane that quads cover: as words of a window, or as rows along x. All from the first to the last are so.
struct Cover {
    words: [u64; MOST as usize],
    first: i32,
    last: i32,
}

impl Default for Cover {
    fn default() -> Self {
        Self {
            words: [0; MOST as usize],
            first: MOST,
            last: -1,
        }
    }
}

impl Cover {
    /// The words from the first to the last that are set, of which none is said to be from now on.
    #[inline(always)]
    fn taken(&mut self) -> RangeInclusive<i32> {
        mem::replace(&mut self.first, MOST)..=mem::replace(&mut self.last, -1)
    }

    /// A word, which is empty after that.
    #[inline(always)]
    fn take(&mut self, which: i32) -> u64 {
        mem::take(&mut self.words[which as usize])
    }

    /// Adds some bits in some rows.
    #[inline(always)]
    fn add(&mut self, window: &Window<'_>, is_level: bool, along_x: u64, [first, last]: [i32; 2]) {
        if !is_level {
            for row in &mut self.words[first as usize..=last as usize] {
                *row |= along_x;
            }
            self.first = self.first.min(first);
            self.last = self.last.max(last);
            return;
        }
        let log = window.rows_log();
        for group in first >> log..=last >> log {
            let rows = bits(first - (group << log), last - (group << log), 1 << log);
            self.words[group as usize] |= along_x.wrapping_mul(window.rows_at(rows));
        }
        self.first = self.first.min(first >> log);
        self.last = self.last.max(last >> log);
    }
}

/// Which of a few voxels of a layer, from `low` on, carry a body from below: bit `x + 4 z`.
pub(super) fn floor_cells<'a>(
    ground: &Ground<impl Fn(Vector3<i32>) -> &'a Brick>,
    low: Vector3<i32>,
    size: [i32; 2],
) -> u32 {
    const FACE: Face = Face::PositiveY;
    let last = low + Vector3::new(size[0] - 1, 0, size[1] - 1);
    let mut cells = 0;
    each_step(bricks_of(low, last), |step| {
        let Some(surface) = ground.surface(step) else {
            return;
        };
        let layer = (low.y & (SIDE as i32 - 1)) as usize;
        let part = Part {
            surface,
            from: step * SIDE as i32 - low,
        };
        let (in_z, in_x) = (part.within(size[1], 2), part.within(size[0], 0));
        for quad in meeting(surface.plane(FACE, layer), FACE, in_z, in_x) {
            let span = |first: u32, last: u32, axis: usize, size: i32| {
                bits(
                    first as i32 + part.from[axis],
                    last as i32 + part.from[axis],
                    size,
                )
            };
            let row = span(quad.v(), quad.last_v(), 0, size[0]) as u32;
            each_bit(span(quad.u(), quad.last_u(), 2, size[1]), |z| {
                cells |= row << (4 * z);
            });
        }
    });
    cells
}
