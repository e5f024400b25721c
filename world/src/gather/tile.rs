//! A few voxels around a mover as layers of bits, and the exposed faces, convex edges and convex corners among them.
//!
//! A layer of 8 x 8 voxels is one word, so that a handful of shifts finds every face, edge and corner of it at once. Faces are grown
//! into rectangles and edges into runs within the tile. Flat and concave edges never come out, so a mover cannot feel a seam.

use super::floor;
use super::kinds::{CORNERS, EDGES, FACES};
use crate::chunk::SIDE;
use crate::object::VoxelObject;
use collision::{Candidates, Cell, CellLattice, ObjectId};
use nalgebra::Vector3;
use std::ops::Range;

/// Most cells of a tile by axis.
pub(super) const SIDES: [usize; 3] = [8, 16, 8];

/// Layers that are copied side by side.
const CHUNK: usize = 4;

/// From a bit to the next along z.
const ROW: u32 = SIDES[0] as u32;

/// Where voxels lie, in metres from the corner of the base cell.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lattice {
    /// The corner of voxel zero.
    pub(super) origin: Vector3<f32>,
    /// Side of a voxel.
    pub(super) size: f32,
    pub(super) object: ObjectId,
}

impl Lattice {
    /// The terrain's own.
    pub(super) const TERRAIN: Self = Self {
        origin: Vector3::new(0.0, 0.0, 0.0),
        size: 1.0,
        object: super::TERRAIN,
    };

    /// The voxels of a free object.
    #[inline]
    pub(super) fn of(id: crate::ObjectId, object: &VoxelObject, base: Cell) -> Self {
        Self {
            origin: object.origin().relative_to(base),
            size: object.voxel_size(),
            object: super::object_number(id),
        }
    }

    /// Whether its planes lie on whole metres from the base cell.
    #[inline]
    fn is_terrain(&self) -> bool {
        self.object == super::TERRAIN
    }

    /// The same, counted from a voxel.
    #[inline]
    pub(super) fn from(&self, lowest: Vector3<i32>) -> CellLattice {
        CellLattice {
            origin: self.origin,
            size: self.size,
            lowest,
            object: self.object,
        }
    }

    #[inline]
    pub(super) fn at(&self, axis: usize, index: i32) -> f32 {
        self.origin[axis] + index as f32 * self.size
    }

    /// The corner of a voxel.
    #[inline]
    pub(super) fn corner(&self, index: Vector3<i32>) -> Vector3<f32> {
        Vector3::new(
            self.at(0, index.x),
            self.at(1, index.y),
            self.at(2, index.z),
        )
    }
}

/// Some voxels. Bit `x + 8 z` of layer `y` is set where one is solid.
pub(super) struct Tile {
    pub(super) layers: [u64; SIDES[1]],
    /// The voxel of bit 0 of layer 0.
    pub(super) lowest: Vector3<i32>,
    /// Cells by axis.
    pub(super) size: [usize; 3],
    pub(super) lattice: Lattice,
    /// Whether one may swim or climb in a brick that it was filled from.
    pub(super) has_media: bool,
    /// Whether anything was copied into it.
    is_filled: bool,
}

/// The four cells around an upright edge, as steps from the lowest of them: first the solid one. In the order of its signs along x, then z.
const AROUND: [[u32; 4]; 4] = [
    [0, 1, ROW, ROW + 1],
    [1, 0, ROW, ROW + 1],
    [ROW, 0, 1, ROW + 1],
    [ROW + 1, 0, 1, ROW],
];

/// The first bit of every row.
const COLUMN: u64 = 0x0101_0101_0101_0101;

/// Where the centre of a body can be, in metres from the corner of the base cell.
#[derive(Clone, Copy)]
pub(super) struct Centres {
    pub(super) min: Vector3<f32>,
    pub(super) max: Vector3<f32>,
}

/// Which planes between the cells of a tile a body can be in front of. What faces away from all its places is never met first: beside an
/// edge the face there is nearer.
struct Seen {
    /// Bits of the cells whose far side along x can be met from the positive, and from the negative side.
    x: [u64; 2],
    /// The same along z.
    z: [u64; 2],
    /// Layers below this can be met from above at their upper side.
    up: usize,
    /// Layers from this on can be met from below there.
    down: usize,
}

impl Seen {
    #[inline]
    fn new(tile: &Tile, centres: &Centres) -> Self {
        let [nx, ny, nz] = tile.size;
        let cut = |axis| {
            let (lowest, size) = (tile.lowest[axis], tile.size[axis]);
            Cut::new(&tile.lattice, lowest, size, centres, axis)
        };
        let (x, y, z) = (cut(0), cut(1), cut(2));
        let (in_x, in_z) = (field(nx - 1, nz), field(nx, nz - 1));
        let rows = |count: usize| (1_u64 << (count as u32 * ROW)) - 1;
        let columns = |count: usize| ((1_u64 << count) - 1) * COLUMN;
        debug_assert!(y.above < ny && y.below < ny);
        Self {
            x: [in_x & columns(x.above), in_x & !columns(x.below)],
            z: [in_z & rows(z.above), in_z & !rows(z.below)],
            up: y.above,
            down: y.below,
        }
    }
}

/// How many planes between some cells along an axis a body can be above, and how many it is always above.
pub(super) struct Cut {
    pub(super) above: usize,
    pub(super) below: usize,
}

impl Cut {
    #[inline(always)]
    pub(super) fn new(
        lattice: &Lattice,
        lowest: i32,
        size: usize,
        centres: &Centres,
        axis: usize,
    ) -> Self {
        let last = size as i32 - 1;
        if lattice.is_terrain() {
            let planes = |up_to: i32| (up_to - lowest).clamp(0, last) as usize;
            let min = floor(centres.min[axis]);
            let whole = min as f32 == centres.min[axis];
            return Self {
                above: planes(floor(centres.max[axis])),
                below: planes(min - i32::from(whole)),
            };
        }
        let mut cut = Self { above: 0, below: 0 };
        for index in 1..=last {
            let plane = lattice.at(axis, lowest + index);
            cut.above += usize::from(plane <= centres.max[axis]);
            cut.below += usize::from(plane < centres.min[axis]);
        }
        cut
    }
}

/// Cells of a tile from its lowest; it has few.
#[inline(always)]
fn cells(at: [usize; 3]) -> [u8; 3] {
    at.map(|part| part as u8)
}

/// The bits of so many cells along x and z.
#[inline]
fn field(wide: usize, deep: usize) -> u64 {
    let row = 0xff_u64 >> (SIDES[0] - wide);
    let rows = if deep == SIDES[2] {
        u64::MAX
    } else {
        (1 << (deep as u32 * ROW)) - 1
    };
    row * (rows & COLUMN)
}

impl Tile {
    #[inline]
    pub(super) fn new(lowest: Vector3<i32>, size: [usize; 3], lattice: Lattice) -> Self {
        Self {
            layers: [0; SIDES[1]],
            lowest,
            size,
            lattice,
            has_media: false,
            is_filled: false,
        }
    }

    /// Copies a box of a brick's occupancy: `size` cells from `low` of the brick to `place` of the tile.
    #[inline]
    pub(super) fn copy(
        &mut self,
        bits: &[u32; SIDE * SIDE],
        low: Vector3<i32>,
        place: Vector3<i32>,
        size: Vector3<i32>,
    ) {
        self.is_filled = true;
        let keep = 0xff_u32 >> (SIDES[0] as i32 - size.x);
        let first = |z: i32| ((low.z + z) * SIDE as i32 + low.y) as usize;
        let (to, mut high) = (place.y as usize, size.y as usize);
        // Layers above the last are never looked at: where nothing else will be there, so many are copied that loops are as long each time.
        let rounded = high.next_multiple_of(CHUNK);
        let fits = first(size.z - 1) + rounded <= bits.len() && to + rounded <= SIDES[1];
        if fits && to + high == self.size[1] {
            high = rounded;
        }
        for z in 0..size.z {
            let shift = (place.z + z) as u32 * ROW + place.x as u32;
            let rows = &bits[first(z)..first(z) + high];
            let (rows, last_rows) = rows.as_chunks::<CHUNK>();
            let layers = &mut self.layers[to..to + high];
            let (layers, last_layers) = layers.as_chunks_mut::<CHUNK>();
            let put = |layer: &mut u64, row: &u32| {
                *layer |= u64::from(row >> low.x & keep) << shift;
            };
            for (layers, rows) in layers.iter_mut().zip(rows) {
                for (layer, row) in layers.iter_mut().zip(rows) {
                    put(layer, row);
                }
            }
            for (layer, row) in last_layers.iter_mut().zip(last_rows) {
                put(layer, row);
            }
        }
    }

    /// The voxel of a bit of a layer.
    #[inline]
    pub(super) fn voxel(&self, bit: u32, y: usize) -> Vector3<i32> {
        self.lowest + Vector3::new((bit % ROW) as i32, y as i32, (bit / ROW) as i32)
    }

    /// Puts everything a body with its centre in `centres` could hit into `out`.
    pub(super) fn gather(&mut self, centres: &Centres, out: &mut Candidates) {
        if !self.is_filled {
            return;
        }
        let [nx, ny, nz] = self.size;
        self.clear_above();
        let layers = &self.layers[..ny];
        // Which layers have something that looks up out of them, or down onto them; which have sides: those that are full or empty, below and
        // above the ground, have none. All is asked before anything is told apart: what comes of it cannot be guessed.
        let full = field(nx, nz);
        let (mut up, mut down, mut sided) = (0_u32, 0_u32, 0_u32);
        let mut above = layers[ny - 1];
        for (y, &layer) in layers.iter().enumerate().rev() {
            up |= u32::from(layer & !above != 0) << y;
            down |= u32::from(above & !layer != 0) << y;
            sided |= u32::from((layer != 0) & (layer != full)) << y;
            above = layer;
        }
        if sided | up | down == 0 {
            return;
        }
        let seen = Seen::new(self, centres);
        each_place(up & ((1 << seen.up) - 1), |y| {
            let (below, above) = (layers[y], layers[y + 1]);
            self.gather_level(y, 0, below & !above, !(below | above), &seen, out);
        });
        each_place(down & (u32::MAX << seen.down), |y| {
            let (below, above) = (layers[y], layers[y + 1]);
            self.gather_level(y, 1, above & !below, !(below | above), &seen, out);
        });
        if sided != 0 {
            let (first, end) = (sided.trailing_zeros(), u32::BITS - sided.leading_zeros());
            self.gather_sides(first as usize..end as usize, &seen, out);
        }
        out.place_cells(&self.lattice.from(self.lowest));
    }

    /// Empties what was copied above the last layer, as far as the next chunk may reach.
    #[inline]
    fn clear_above(&mut self) {
        for above in 0..CHUNK - 1 {
            if let Some(layer) = self.layers.get_mut(self.size[1] + above) {
                *layer = 0;
            }
        }
    }

    /// What looks up (`down` is 0) or down (1) between layer `y` and the next: level faces, level edges, corners. `lone` is solid on the inner
    /// side only, `open` on neither.
    fn gather_level(
        &self,
        y: usize,
        down: usize,
        lone: u64,
        open: u64,
        seen: &Seen,
        out: &mut Candidates,
    ) {
        rectangles(lone, |x, z, wide, deep| {
            let (from, to) = ([x, y + 1, z], [x + wide, y + 1, z + deep]);
            out.note_cells(FACES[2 + down].between(cells(from), cells(to)));
        });
        let rims = [
            lone & (open >> ROW) & seen.z[0],
            (lone >> ROW) & open & seen.z[1],
            lone & (open >> 1) & seen.x[0],
            (lone >> 1) & open & seen.x[1],
        ];
        each_place(some_of(&rims), |side| {
            let (rim, other) = (rims[side], side % 2);
            if side < 2 {
                each_run(rim, rim & (rim >> 1), &ALONG_X, |x, z, wide| {
                    let (from, to) = ([x, y + 1, z + 1], [x + wide, y + 1, z + 1]);
                    out.note_cells(EDGES[down + 2 * other].between(cells(from), cells(to)));
                });
                let open_x = open & (open >> ROW);
                let ends = [rim & (open_x >> 1), (rim >> 1) & open_x];
                for right in 0..2 {
                    each_bit(ends[right] & seen.x[right], |x, z| {
                        let (kind, at) = (down + 2 * other + 4 * right, [x + 1, y + 1, z + 1]);
                        out.note_cells(CORNERS[kind].between(cells(at), cells(at)));
                    });
                }
            } else {
                each_run(rim, rim & (rim >> ROW), &ALONG_Z, |x, z, deep| {
                    let (from, to) = ([x + 1, y + 1, z], [x + 1, y + 1, z + deep]);
                    out.note_cells(EDGES[8 + other + 2 * down].between(cells(from), cells(to)));
                });
            }
        });
    }

    /// Upright faces and edges of some layers, as high as they go.
    fn gather_sides(&self, among: Range<usize>, seen: &Seen, out: &mut Candidates) {
        // Whole chunks: what is beyond has no sides.
        let count = among.len().next_multiple_of(CHUNK);
        let first = among.start.min(SIDES[1] - count);
        let (layers, _) = self.layers[first..first + count].as_chunks::<CHUNK>();
        let mut faces = [0; 4];
        for &layer in layers.as_flattened() {
            let (x, z) = (layer >> 1, layer >> ROW);
            faces[0] |= layer & !x;
            faces[1] |= x & !layer;
            faces[2] |= layer & !z;
            faces[3] |= z & !layer;
        }
        let seen_from = [seen.x[0], seen.x[1], seen.z[0], seen.z[1]];
        for (faces, seen) in faces.iter_mut().zip(seen_from) {
            *faces &= seen;
        }
        let sides = some_of(&faces);
        let mut exposed = [[0; CHUNK]; SIDES[1] / CHUNK];
        each_place(sides, |side| {
            let axis = side & 2;
            let kind = FACES[2 * axis + side % 2];
            let (across, along) = [(1, &ALONG_Z), (ROW, &ALONG_X)][side / 2];
            let flip = [0, u64::MAX][side % 2];
            let mut differ = 0;
            for (exposed, layers) in exposed.iter_mut().zip(layers) {
                for (exposed, layer) in exposed.iter_mut().zip(layers) {
                    let solid = layer ^ flip;
                    let faces = solid & !(solid >> across) & seen_from[side];
                    differ |= faces ^ (faces >> along.step);
                    *exposed = faces;
                }
            }
            let joined = faces[side] & !differ;
            each_run(faces[side], joined, along, |x, z, long| {
                let mut from = [x, 0, z];
                from[axis] += 1;
                let mut to = from;
                to[2 - axis] += long;
                each_stack(&exposed[..layers.len()], x, z, |y, high| {
                    (from[1], to[1]) = (first + y, first + y + high);
                    out.note_cells(kind.between(cells(from), cells(to)));
                });
            });
        });
        // Between two sides that are exposed.
        let (x, z) = (sides & 3, sides >> 2);
        let quarters = (x * (z & 1)) | ((x * (z >> 1)) << 2);
        each_place(quarters, |quarter| {
            let [solid, one, two, three] = AROUND[quarter];
            let (right, back) = (quarter & 1, quarter >> 1);
            let inner = seen.x[right] & seen.z[back];
            let mut posts = 0;
            for (exposed, layers) in exposed.iter_mut().zip(layers) {
                for (exposed, layer) in exposed.iter_mut().zip(layers) {
                    let taken = (layer >> one) | (layer >> two) | (layer >> three);
                    *exposed = (layer >> solid) & !taken & inner;
                    posts |= *exposed;
                }
            }
            each_bit(posts, |x, z| {
                each_stack(&exposed[..layers.len()], x, z, |y, high| {
                    let at = |y: usize| cells([x + 1, first + y, z + 1]);
                    out.note_cells(EDGES[4 + back + 2 * right].between(at(y), at(y + high)));
                });
            });
        });
    }

    #[inline]
    fn point(&self, at: [usize; 3]) -> Vector3<f32> {
        self.lattice
            .corner(self.lowest + Vector3::new(at[0] as i32, at[1] as i32, at[2] as i32))
    }

    /// Calls `each` with the two corners of boxes that fill everything solid.
    #[inline(always)]
    pub(super) fn solids(&self, mut each: impl FnMut(Vector3<f32>, Vector3<f32>)) {
        let ny = self.size[1];
        let mut y = 0;
        while y < ny {
            let layer = self.layers[y];
            let same = self.layers[y..ny].iter().take_while(|&&l| l == layer);
            let high = same.count();
            rectangles(layer, |x, z, wide, deep| {
                each(
                    self.point([x, y, z]),
                    self.point([x + wide, y + high, z + deep]),
                );
            });
            y += high;
        }
    }
}

/// Calls `each` with x and z of every bit.
#[inline]
fn each_bit(mut mask: u64, mut each: impl FnMut(usize, usize)) {
    while mask != 0 {
        let bit = mask.trailing_zeros();
        mask &= mask - 1;
        each((bit % ROW) as usize, (bit / ROW) as usize);
    }
}

/// Calls `each` with the places of the bits.
#[inline]
pub(super) fn each_place(mut bits: u32, mut each: impl FnMut(usize)) {
    while bits != 0 {
        each(bits.trailing_zeros() as usize);
        bits &= bits - 1;
    }
}

/// A bit for each mask that is not empty.
#[inline(always)]
pub(super) fn some_of<const N: usize>(masks: &[u64; N]) -> u32 {
    let mut some = 0;
    for (place, &mask) in masks.iter().enumerate() {
        some |= u32::from(mask != 0) << place;
    }
    some
}

/// Takes a layer apart into rectangles: lowest x and z, cells along x and z. Nothing in it is told apart by branches but where it ends.
#[inline]
fn rectangles(mut mask: u64, mut each: impl FnMut(usize, usize, usize, usize)) {
    while mask != 0 {
        let bit = mask.trailing_zeros();
        let (x, z) = (bit % ROW, bit / ROW);
        let left = mask >> bit;
        let wide = (!(left & (0xff >> x))).trailing_zeros();
        let whole = ((1 << wide) - 1) * COLUMN;
        let deep = (whole & !left).trailing_zeros() / ROW;
        mask &= !((whole & u64::MAX >> (u64::BITS - deep * ROW)) << bit);
        each(x as usize, z as usize, wide as usize, deep as usize);
    }
}

/// How runs of cells lie in a layer.
struct Along {
    /// From a bit to the next of a run: a power of two.
    step: u32,
    /// The bits of a run from bit 0, as long as it can be.
    line: u64,
    /// Where a run ends at the latest.
    ends: u64,
}

const ALONG_X: Along = Along {
    step: 1,
    line: 0xff,
    ends: COLUMN << (ROW - 1),
};
const ALONG_Z: Along = Along {
    step: ROW,
    line: COLUMN,
    ends: 0,
};

/// Calls `each` with the lowest x and z of every run, and its length. `joined`: bits whose next is of the same run.
#[inline]
fn each_run(mut mask: u64, joined: u64, along: &Along, mut each: impl FnMut(usize, usize, usize)) {
    let joined = joined & !along.ends;
    while mask != 0 {
        let bit = mask.trailing_zeros();
        let last = (!(joined >> bit) & along.line).trailing_zeros();
        mask &= !((along.line & u64::MAX >> (u64::BITS - 1 - last)) << bit);
        each(
            (bit % ROW) as usize,
            (bit / ROW) as usize,
            (last >> along.step.trailing_zeros()) as usize + 1,
        );
    }
}

/// Calls `each` with the lowest layer of everything that stands in a column, and how high it is.
#[inline]
fn each_stack(layers: &[[u64; CHUNK]], x: usize, z: usize, mut each: impl FnMut(usize, usize)) {
    let bit = x as u32 + z as u32 * ROW;
    let mut stack = 0_u32;
    for (chunk, layers) in layers.iter().enumerate() {
        for (y, layer) in layers.iter().enumerate() {
            stack |= ((layer >> bit & 1) as u32) << (chunk * CHUNK + y);
        }
    }
    while stack != 0 {
        let y = stack.trailing_zeros();
        each(y as usize, (!(stack >> y)).trailing_zeros() as usize);
        // The carry takes the lowest away.
        stack &= stack + (1 << y);
    }
}
