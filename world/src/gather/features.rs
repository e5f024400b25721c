//! From exposed planes to features: the merged quads that meet a tile, their convex borders and
//! corners.
//!
//! Every face, edge and corner belongs to one solid voxel, and so to one chunk. A border of a quad
//! is convex if the row beyond it is empty on both sides of the plane; flat and concave borders are
//! left out, so a mover feels no seam. Two quads share an edge: the level one of them gives it, and
//! of two upright ones the one across z. Corners come with the level quads, at whose corners they
//! always are.

use super::floor;
use super::tile::{
    Ground, Planes, TALL, Tile, area, below, bricks_of, columns, each_bit, each_step, rows,
};
use crate::chunk::{Brick, SIDE};
use crate::surface::{CollisionQuad, CollisionSurface, Face, PlaneWindow};
use collision::{Candidates, CellFeature, Reach};
use nalgebra::Vector3;

/// The box of places of a body's centre, in metres from the corner of the base cell.
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

    /// Returns the planes of a tile that a body can be in front of. A plane facing away from all
    /// its places is never hit first: the face beside its edge is nearer.
    #[inline(always)]
    fn seen<'a>(&self, ground: &Ground<impl Fn(Vector3<i32>) -> &'a Brick>, tile: &Tile) -> Planes {
        let along = |axis| self.seen_along(ground, tile, axis);
        [along(0), along(1), along(2)]
    }

    #[inline(always)]
    fn seen_along<'a>(
        &self,
        ground: &Ground<impl Fn(Vector3<i32>) -> &'a Brick>,
        tile: &Tile,
        axis: usize,
    ) -> [u64; 2] {
        let (low, last) = (tile.low[axis], tile.size[axis] - 1);
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

/// The first and the last chunk with quads to look up, by steps along each axis.
pub(super) type Owned = [Vector3<i32>; 2];

/// Returns the kind of feature with these outward signs on x, y and z.
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

/// A plane with at most this many quads is searched without counting faces.
const FEW: usize = 16;

/// The first and the last voxel along an axis, counted from the corner of a chunk.
type InBrick = [u32; 2];

/// The first and the last voxel along an axis, counted from the lowest voxel of a tile.
type InTile = [i32; 2];

/// Returns the quads of a plane that meet a window of it. They are ordered by their last row, so
/// those that end before the window are skipped at once.
#[inline(always)]
fn meeting(
    mut quads: &[CollisionQuad],
    face: Face,
    u: InBrick,
    v: InBrick,
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

/// The merged quads of a chunk, and the place of its corner, counted from the lowest voxel of a
/// tile.
struct Part<'a> {
    surface: &'a CollisionSurface,
    from: Vector3<i32>,
    /// The inner voxels of the tile within the chunk, counted from its corner, by axis.
    within: [InBrick; 3],
}

impl<'a> Part<'a> {
    #[inline(always)]
    fn new(surface: &'a CollisionSurface, from: Vector3<i32>, inner: [Vector3<i32>; 2]) -> Self {
        let within = |axis: usize| {
            let last = (inner[1][axis] - from[axis]).min(SIDE as i32 - 1);
            [(inner[0][axis] - from[axis]).max(0) as u32, last as u32]
        };
        Self {
            surface,
            from,
            within: [within(0), within(1), within(2)],
        }
    }
}

/// A gather under way in one tile.
pub(super) struct Gather<'g> {
    tile: &'g Tile,
    /// The planes that show a face to a body in front.
    faces: Planes,
    /// The cells whose faces across z quads cover, by side and level.
    upright: [[u64; TALL as usize + 1]; 2],
    out: &'g mut Candidates,
}

impl Gather<'_> {
    /// Adds all features that a body with its centre in `centres` can hit to `out`.
    #[inline(never)]
    pub(super) fn run<'a>(
        ground: &Ground<impl Fn(Vector3<i32>) -> &'a Brick>,
        tile: &Tile,
        owned: &Owned,
        centres: &Centres,
        out: &mut Candidates,
    ) {
        if tile.is_empty() {
            return;
        }
        let faces = tile.faces(&centres.seen(ground, tile));
        if faces == Planes::default() {
            return;
        }
        let [low, high] = tile.inner.map(|voxel| voxel + tile.low);
        let [first, last] = bricks_of(low, high);
        let steps = [first.sup(&owned[0]), last.inf(&owned[1])];
        if (steps[1] - steps[0]).min() < 0 {
            return;
        }
        let mut gather = Gather {
            tile,
            faces,
            upright: [[0; TALL as usize + 1]; 2],
            out,
        };
        each_step(steps, |step| {
            if let Some(surface) = ground.surface(step) {
                let part = &Part::new(surface, step * SIDE as i32 - tile.low, tile.inner);
                gather.across::<0>(part);
                gather.across::<1>(part);
                gather.across::<2>(part);
            }
        });
        if faces[0] != [0; 2] {
            gather.upright_borders::<0>();
            gather.upright_borders::<1>();
        }
        out.place_cells(&ground.lattice);
    }

    /// Adds the quads of a chunk on the planes across an axis.
    #[inline(always)]
    fn across<const AXIS: usize>(&mut self, part: &Part<'_>) {
        let [front, back] = self.faces[AXIS];
        let [first, last] = part.within[AXIS].map(|voxel| voxel as i32 + part.from[AXIS]);
        let inside = below(last + 1) & !below(first);
        each_bit(front & inside, |plane| self.plane::<AXIS, 0>(part, plane));
        each_bit(back & inside >> 1, |plane| {
            self.plane::<AXIS, 1>(part, plane)
        });
    }

    /// Adds the quads of a chunk on one plane; `BACK` is 0 for quads facing the positive way, 1 for
    /// others.
    #[inline(never)]
    fn plane<const AXIS: usize, const BACK: i32>(&mut self, part: &Part<'_>, plane: i32) {
        let (u, v) = ((AXIS + 1) % 3, (AXIS + 2) % 3);
        let face = Face::ALL[2 * AXIS + 1 - BACK as usize];
        let (from, inner) = (part.from, self.tile.inner);
        let [in_u, in_v] = [part.within[u], part.within[v]];
        let layer = plane + BACK - from[AXIS];
        let quads = part.surface.plane(face, layer as usize);
        // Quads tile the exposed faces: once those in the tile are covered, no quad can follow.
        let mut uncovered = u32::MAX;
        if quads.len() > FEW {
            let [in_u, in_v] = [
                in_u.map(|at| at as i32 + from[u]),
                in_v.map(|at| at as i32 + from[v]),
            ];
            uncovered = self.shown::<AXIS, BACK>(plane, in_u, in_v);
        }
        let mut cover = 0;
        for quad in meeting(quads, face, in_u, in_v) {
            let along_u = [quad.u(), quad.last_u()].map(|at| at as i32 + from[u]);
            let along_v = [quad.v(), quad.last_v()].map(|at| at as i32 + from[v]);
            let within = |along: InTile, axis: usize| {
                [along[0].max(inner[0][axis]), along[1].min(inner[1][axis])]
            };
            let (here_u, here_v) = (within(along_u, u), within(along_v, v));
            // The first tile that a quad reaches into gives its face.
            let mut is_given = self.is_first(along_u, u) && self.is_first(along_v, v);
            // A quad that covers a whole side, as of a chunk not loaded, is given if any face of it
            // shows.
            if quad.is_whole_side() {
                is_given = self.shown::<AXIS, BACK>(plane, here_u, here_v) != 0;
            }
            if is_given {
                let signs = [0, 1, 2].map(|axis| if axis == AXIS { 1 - 2 * BACK } else { 0 });
                let corner = |end: usize| {
                    let mut at = [plane + 1; 3];
                    (at[u], at[v]) = (along_u[end] + end as i32, along_v[end] + end as i32);
                    at
                };
                self.note(kind(signs[0], signs[1], signs[2]), corner(0), corner(1));
            }
            if AXIS == 1 {
                cover |= area(here_v, here_u);
            }
            if AXIS == 2 {
                let row = area(here_u, [plane + BACK; 2]);
                for level in
                    &mut self.upright[BACK as usize][here_v[0] as usize..=here_v[1] as usize]
                {
                    *level |= row;
                }
            }
            uncovered -= ((here_u[1] + 1 - here_u[0]) * (here_v[1] + 1 - here_v[0])) as u32;
            if uncovered == 0 {
                break;
            }
        }
        if AXIS == 1 {
            self.level_borders::<BACK>(plane, cover);
        }
    }

    /// Returns whether this tile is the first along an axis to hold part of a range.
    #[inline(always)]
    fn is_first(&self, along: InTile, axis: usize) -> bool {
        let first = self.tile.inner[0][axis];
        first == 0 || along[0] >= first
    }

    /// Notes a feature between two points, counted from the lowest voxel of the tile.
    #[inline(always)]
    fn note(&mut self, kind: CellFeature, from: [i32; 3], to: [i32; 3]) {
        let low = self.tile.low;
        let place = |at: [i32; 3]| [0, 1, 2].map(|axis| (at[axis] + low[axis]) as u8);
        self.out.note_cells(kind.between(place(from), place(to)));
    }

    /// Counts the exposed faces in a part of a plane, given along the two axes after its own.
    #[inline(never)]
    fn shown<const AXIS: usize, const BACK: i32>(
        &self,
        plane: i32,
        in_u: InTile,
        in_v: InTile,
    ) -> u32 {
        let (solid, before) = (plane + BACK, plane + 1 - BACK);
        let levels = &self.tile.levels;
        let count = |[first, last]: InTile, here: u64, to_before: i32| -> u32 {
            let levels = &levels[first as usize..=last as usize];
            let faces = |level: &u64| (level & !shifted(*level, to_before) & here).count_ones();
            levels.iter().map(faces).sum()
        };
        match AXIS {
            0 => count(in_u, area([solid; 2], in_v), before - solid),
            1 => {
                let [solid, before] = [solid, before].map(|level| levels[level as usize]);
                (solid & !before & area(in_v, in_u)).count_ones()
            }
            _ => count(in_v, area(in_u, [solid; 2]), 8 * (before - solid)),
        }
    }

    /// Adds the convex edges and corners around the covered faces of a level plane.
    #[inline(always)]
    fn level_borders<const BACK: i32>(&mut self, plane: i32, cover: u64) {
        let (tile, up, y) = (self.tile, 1 - 2 * BACK, plane + 1);
        let [solid, before] =
            [plane + BACK, plane + 1 - BACK].map(|level| tile.levels[level as usize]);
        let faces = cover & solid & !before;
        let open = !(solid | before);
        let [[right, left], _, [behind, before]] = self.faces;
        let left = faces & open << 1 & columns(left << 1);
        let right = faces & open >> 1 & columns(right);
        let before = faces & open << 8 & rows(before << 1);
        let behind = faces & open >> 8 & rows(behind);
        for (sign, beside, mut rim) in [(-1, open << 8, before), (1, open >> 8, behind)] {
            for (x_sign, ends) in [
                (-1, rim & left & beside << 1),
                (1, rim & right & beside >> 1),
            ] {
                each_bit(ends, |bit| {
                    let [x, z] = [bit & 7, bit >> 3];
                    let at = [x + i32::from(x_sign > 0), y, z + i32::from(sign > 0)];
                    self.note(kind(x_sign, up, sign), at, at);
                });
            }
            while rim != 0 {
                let bit = rim.trailing_zeros() as i32;
                let [x, z] = [bit & 7, bit >> 3];
                let long = (!(rim >> bit)).trailing_zeros().min(8 - x as u32) as i32;
                rim &= !(below(long) << bit);
                let z = z + i32::from(sign > 0);
                self.note(kind(0, up, sign), [x, y, z], [x + long, y, z]);
            }
        }
        for (sign, mut rim) in [(-1, left), (1, right)] {
            while rim != 0 {
                let bit = rim.trailing_zeros();
                let ([x, z], mut end) = ([bit as i32 & 7, bit as i32 >> 3], bit);
                while rim.unbounded_shr(end) & 1 != 0 {
                    rim &= !(1 << end);
                    end += 8;
                }
                let x = x + i32::from(sign > 0);
                self.note(kind(sign, up, 0), [x, y, z], [x, y, end as i32 >> 3]);
            }
        }
    }

    /// Adds the upright convex edges beside the covered faces of the planes across z.
    #[inline(always)]
    fn upright_borders<const BACK: i32>(&mut self) {
        if self.faces[2][BACK as usize] == 0 {
            return;
        }
        let tile = self.tile;
        let (z_sign, back) = (1 - 2 * BACK, BACK as usize);
        let [[right, left], ..] = self.faces;
        let seen = [columns(left << 1), columns(right)];
        let (mut borders, mut begun) = ([0; 2], [[0_u8; 64]; 2]);
        for y in 0..=tile.size.y {
            let mut here = [0; 2];
            // Quads cover nothing above the highest level.
            let cover = self.upright[back][y as usize];
            if cover != 0 {
                let level = tile.levels[y as usize];
                let before = shifted(level, 8 * z_sign);
                let (faces, open) = (cover & level & !before, !(level | before));
                here = [faces & open << 1 & seen[0], faces & open >> 1 & seen[1]];
            }
            if here == borders {
                continue;
            }
            for (side, begun) in begun.iter_mut().enumerate() {
                each_bit(borders[side] & !here[side], |bit| {
                    let [x, z] = [(bit & 7) + side as i32, (bit >> 3) + 1 - BACK];
                    let from = [x, i32::from(begun[bit as usize]), z];
                    self.note(kind(2 * side as i32 - 1, 0, z_sign), from, [x, y, z]);
                });
                each_bit(here[side] & !borders[side], |bit| {
                    begun[bit as usize] = y as u8
                });
            }
            borders = here;
        }
    }
}

/// Shifts the bits of a level down by `by` places, or up for negative ones.
#[inline(always)]
fn shifted(level: u64, by: i32) -> u64 {
    if by < 0 { level << -by } else { level >> by }
}

/// Returns the voxels of a small layer from `low` on that carry a body on top: bit `x + 4 z`.
pub(super) fn floor_cells<'a>(
    ground: &Ground<impl Fn(Vector3<i32>) -> &'a Brick>,
    low: Vector3<i32>,
    size: [i32; 2],
) -> u32 {
    const FACE: Face = Face::PositiveY;
    let inner = [Vector3::zeros(), Vector3::new(size[0] - 1, 0, size[1] - 1)];
    let mut cells = 0;
    each_step(bricks_of(low, low + inner[1]), |step| {
        let Some(surface) = ground.surface(step) else {
            return;
        };
        let layer = (low.y & (SIDE as i32 - 1)) as usize;
        let part = Part::new(surface, step * SIDE as i32 - low, inner);
        let [in_x, _, in_z] = part.within;
        for quad in meeting(surface.plane(FACE, layer), FACE, in_z, in_x) {
            let first = |at: u32, within: InBrick, from: i32| at.max(within[0]) as i32 + from;
            let last = |at: u32, within: InBrick, from: i32| at.min(within[1]) as i32 + from;
            let [x, _, z] = [part.from.x, 0, part.from.z];
            let xs = [first(quad.v(), in_x, x), last(quad.last_v(), in_x, x)];
            let zs = [first(quad.u(), in_z, z), last(quad.last_u(), in_z, z)];
            cells |= area(xs, zs);
        }
    });
    // From eight bits a row to four.
    let cells = (cells | cells >> 4) & 0x00ff_00ff;
    (cells | cells >> 8) as u32 & 0xffff
}
