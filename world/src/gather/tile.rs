//! A few voxels around a mover as rows of bits, and the exposed faces, convex edges and convex corners among them.
//!
//! Faces are grown into rectangles and edges into runs by bit operations, within reach of the mover only: measured, that costs less
//! than looking for the rectangles of the whole brick that come near, and needs nothing but occupancy. Flat and concave
//! edges never come out, so a mover cannot feel a seam.

use collision::{Candidates, ObjectId};
use nalgebra::Vector3;

/// Most cells of a tile by axis.
pub(super) const SIDES: [usize; 3] = [32, 16, 8];

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
    fn at(&self, axis: usize, index: i32) -> f32 {
        self.origin[axis] + index as f32 * self.size
    }

    /// The corner of a voxel.
    pub(super) fn corner(&self, index: Vector3<i32>) -> Vector3<f32> {
        Vector3::new(
            self.at(0, index.x),
            self.at(1, index.y),
            self.at(2, index.z),
        )
    }
}

/// Some voxels. Bit `x` of row `z * 16 + y` is set where one is solid.
pub(super) struct Tile {
    pub(super) rows: [u32; SIDES[1] * SIDES[2]],
    /// The voxel of bit 0 of row 0.
    pub(super) lowest: Vector3<i32>,
    /// Cells by axis.
    pub(super) size: [usize; 3],
    pub(super) lattice: Lattice,
}

/// The two axes across an axis, in order, and the signs of the four quarters around an edge.
const QUARTERS: [[f32; 2]; 4] = [[1.0, 1.0], [-1.0, 1.0], [1.0, -1.0], [-1.0, -1.0]];

/// Which of four rows of cells around an edge is the only solid one; in the order of [`QUARTERS`]: the cell below on both axes first.
fn alone(a: u32, b: u32, c: u32, d: u32) -> [u32; 4] {
    let (none_ab, none_cd) = (!(a | b), !(c | d));
    [
        a & !b & none_cd,
        b & !a & none_cd,
        c & !d & none_ab,
        d & !c & none_ab,
    ]
}

impl Tile {
    pub(super) fn new(lowest: Vector3<i32>, size: [usize; 3], lattice: Lattice) -> Self {
        Self {
            rows: [0; SIDES[1] * SIDES[2]],
            lowest,
            size,
            lattice,
        }
    }

    #[inline]
    fn row(&self, y: usize, z: usize) -> u32 {
        self.rows[z * SIDES[1] + y]
    }

    /// All cells of a row.
    #[inline]
    fn width(&self) -> u32 {
        u32::MAX >> (32 - self.size[0])
    }

    /// Puts everything a body could hit into `out`.
    pub(super) fn gather(&self, out: &mut Candidates) {
        let [_, ny, nz] = self.size;
        let (mut level, mut some, full) = (true, 0, self.width());
        for y in 0..ny {
            let (mut any, mut all) = (0, full);
            for z in 0..nz {
                any |= self.row(y, z);
                all &= self.row(y, z);
            }
            level &= any == 0 || all == full;
            some |= any;
        }
        if some == 0 {
            return;
        }
        if level {
            return self.gather_level(out);
        }
        self.gather_faces_y(out);
        self.gather_faces_z(out);
        self.gather_faces_x(out);
        self.gather_edges_x(out);
        self.gather_edges_y(out);
        self.gather_edges_z(out);
        self.gather_corners(out);
    }

    /// Nothing but whole layers: one rectangle where a solid one meets an empty one.
    fn gather_level(&self, out: &mut Candidates) {
        let [nx, ny, nz] = self.size;
        for y in 0..ny - 1 {
            let (below, above) = (self.row(y, 0) != 0, self.row(y + 1, 0) != 0);
            if below != above {
                let sign = if below { 1.0 } else { -1.0 };
                self.push_face(1, sign, [0, y + 1, 0], [nx, y + 1, nz], out);
            }
        }
    }

    fn gather_faces_y(&self, out: &mut Candidates) {
        let [_, ny, nz] = self.size;
        for y in 0..ny - 1 {
            let (mut up, mut down, mut some) = ([0; SIDES[2]], [0; SIDES[2]], 0);
            for z in 0..nz {
                let (below, above) = (self.row(y, z), self.row(y + 1, z));
                up[z] = below & !above;
                down[z] = above & !below;
                some |= below ^ above;
            }
            if some == 0 {
                continue;
            }
            for (sign, masks) in [(1.0, &mut up), (-1.0, &mut down)] {
                rectangles(&mut masks[..nz], |x, z, wide, deep| {
                    self.push_face(1, sign, [x, y + 1, z], [x + wide, y + 1, z + deep], out);
                });
            }
        }
    }

    fn gather_faces_z(&self, out: &mut Candidates) {
        let [_, ny, nz] = self.size;
        for z in 0..nz - 1 {
            let (mut near, mut far, mut some) = ([0; SIDES[1]], [0; SIDES[1]], 0);
            for y in 0..ny {
                let (below, above) = (self.row(y, z), self.row(y, z + 1));
                near[y] = below & !above;
                far[y] = above & !below;
                some |= below ^ above;
            }
            if some == 0 {
                continue;
            }
            for (sign, masks) in [(1.0, &mut near), (-1.0, &mut far)] {
                rectangles(&mut masks[..ny], |x, y, wide, high| {
                    self.push_face(2, sign, [x, y, z + 1], [x + wide, y + high, z + 1], out);
                });
            }
        }
    }

    fn gather_faces_x(&self, out: &mut Candidates) {
        let [_, ny, nz] = self.size;
        let inner = self.width() >> 1;
        let (mut right, mut left) = (0, 0);
        for z in 0..nz {
            for y in 0..ny {
                let row = self.row(y, z);
                right |= row & !(row >> 1);
                left |= !row & (row >> 1);
            }
        }
        for (sign, planes) in [(1.0, right & inner), (-1.0, left & inner)] {
            let flip = if sign > 0.0 { 0 } else { u32::MAX };
            for x in bits(planes) {
                let mut masks = [0; SIDES[2]];
                for (z, mask) in masks[..nz].iter_mut().enumerate() {
                    for y in 0..ny {
                        let row = self.row(y, z) ^ flip;
                        *mask |= ((row & !(row >> 1)) >> x & 1) << y;
                    }
                }
                rectangles(&mut masks[..nz], |y, z, high, deep| {
                    self.push_face(0, sign, [x + 1, y, z], [x + 1, y + high, z + deep], out);
                });
            }
        }
    }

    fn gather_edges_x(&self, out: &mut Candidates) {
        let [_, ny, nz] = self.size;
        for z in 0..nz - 1 {
            for y in 0..ny - 1 {
                let (a, b) = (self.row(y, z), self.row(y + 1, z));
                let (c, d) = (self.row(y, z + 1), self.row(y + 1, z + 1));
                if (a | b | c | d) == 0 || (a & b) == self.width() {
                    continue;
                }
                for (quarter, mask) in alone(a, b, c, d).into_iter().enumerate() {
                    rectangles(&mut [mask], |x, _, wide, _| {
                        let (from, to) = ([x, y + 1, z + 1], [x + wide, y + 1, z + 1]);
                        self.push_edge(0, QUARTERS[quarter], from, to, out);
                    });
                }
            }
        }
    }

    fn gather_edges_y(&self, out: &mut Candidates) {
        let [_, ny, nz] = self.size;
        let inner = self.width() >> 1;
        for z in 0..nz - 1 {
            let (mut masks, mut some) = ([[0; SIDES[1]]; 4], 0);
            for y in 0..ny {
                let (a, c) = (self.row(y, z), self.row(y, z + 1));
                // The axes across y are z, then x: the second cell is the next in z.
                for (quarter, mask) in alone(a, c, a >> 1, c >> 1).into_iter().enumerate() {
                    masks[quarter][y] = mask & inner;
                    some |= mask & inner;
                }
            }
            if some == 0 {
                continue;
            }
            for (quarter, masks) in masks.iter_mut().enumerate() {
                runs(&mut masks[..ny], |x, y, high| {
                    let (from, to) = ([x + 1, y, z + 1], [x + 1, y + high, z + 1]);
                    self.push_edge(1, QUARTERS[quarter], from, to, out);
                });
            }
        }
    }

    fn gather_edges_z(&self, out: &mut Candidates) {
        let [_, ny, nz] = self.size;
        let inner = self.width() >> 1;
        for y in 0..ny - 1 {
            let (mut masks, mut some) = ([[0; SIDES[2]]; 4], 0);
            for z in 0..nz {
                let (a, c) = (self.row(y, z), self.row(y + 1, z));
                for (quarter, mask) in alone(a, a >> 1, c, c >> 1).into_iter().enumerate() {
                    masks[quarter][z] = mask & inner;
                    some |= mask & inner;
                }
            }
            if some == 0 {
                continue;
            }
            for (quarter, masks) in masks.iter_mut().enumerate() {
                runs(&mut masks[..nz], |x, z, deep| {
                    let (from, to) = ([x + 1, y + 1, z], [x + 1, y + 1, z + deep]);
                    self.push_edge(2, QUARTERS[quarter], from, to, out);
                });
            }
        }
    }

    fn gather_corners(&self, out: &mut Candidates) {
        let [_, ny, nz] = self.size;
        let inner = self.width() >> 1;
        for z in 0..nz - 1 {
            for y in 0..ny - 1 {
                let rows = [
                    self.row(y, z),
                    self.row(y + 1, z),
                    self.row(y, z + 1),
                    self.row(y + 1, z + 1),
                ];
                let some = rows[0] | rows[1] | rows[2] | rows[3];
                if some == 0 {
                    continue;
                }
                let singles = alone(rows[0], rows[1], rows[2], rows[3]);
                for (quarter, single) in singles.into_iter().enumerate() {
                    for (sign, ends) in
                        [(1.0, single & !(some >> 1)), (-1.0, (single >> 1) & !some)]
                    {
                        for x in bits(ends & inner) {
                            let [sy, sz] = QUARTERS[quarter];
                            let at = self.point([x + 1, y + 1, z + 1]);
                            out.push_corner(Vector3::new(sign, sy, sz), at, self.lattice.object);
                        }
                    }
                }
            }
        }
    }

    #[inline]
    fn point(&self, at: [usize; 3]) -> Vector3<f32> {
        self.lattice
            .corner(self.lowest + Vector3::new(at[0] as i32, at[1] as i32, at[2] as i32))
    }

    #[inline]
    fn push_face(
        &self,
        axis: usize,
        sign: f32,
        from: [usize; 3],
        to: [usize; 3],
        out: &mut Candidates,
    ) {
        let (from, to) = (self.point(from), self.point(to));
        out.push_face(axis, sign, from, to, self.lattice.object);
    }

    #[inline]
    fn push_edge(
        &self,
        axis: usize,
        signs: [f32; 2],
        from: [usize; 3],
        to: [usize; 3],
        out: &mut Candidates,
    ) {
        let (from, to) = (self.point(from), self.point(to));
        out.push_edge(axis, signs, from, to, self.lattice.object);
    }

    /// Calls `each` with the two corners of boxes that fill everything solid.
    pub(super) fn solids(&self, mut each: impl FnMut(Vector3<f32>, Vector3<f32>)) {
        let [_, ny, nz] = self.size;
        for z in 0..nz {
            let mut masks = [0; SIDES[1]];
            for (y, mask) in masks[..ny].iter_mut().enumerate() {
                *mask = self.row(y, z);
            }
            rectangles(&mut masks[..ny], |x, y, wide, high| {
                each(
                    self.point([x, y, z]),
                    self.point([x + wide, y + high, z + 1]),
                );
            });
        }
    }
}

/// The numbers of the bits that are set.
fn bits(mut mask: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = mask.trailing_zeros();
        mask &= mask.wrapping_sub(1);
        (bit < 32).then_some(bit as usize)
    })
}

/// Takes rows of bits apart into rectangles: first bit, first row, bits, rows.
fn rectangles(rows: &mut [u32], mut each: impl FnMut(usize, usize, usize, usize)) {
    for first in 0..rows.len() {
        while rows[first] != 0 {
            let bit = rows[first].trailing_zeros();
            let wide = (!(rows[first] >> bit)).trailing_zeros().min(32 - bit);
            let mask = (u32::MAX >> (32 - wide)) << bit;
            let mut last = first;
            while last < rows.len() && rows[last] & mask == mask {
                rows[last] &= !mask;
                last += 1;
            }
            each(bit as usize, first, wide as usize, last - first);
        }
    }
}

/// Takes rows of bits apart into runs across the rows: bit, first row, rows.
fn runs(rows: &mut [u32], mut each: impl FnMut(usize, usize, usize)) {
    for first in 0..rows.len() {
        while rows[first] != 0 {
            let bit = rows[first].trailing_zeros();
            let mut last = first;
            while last < rows.len() && rows[last] >> bit & 1 != 0 {
                rows[last] &= !(1 << bit);
                last += 1;
            }
            each(bit as usize, first, last - first);
        }
    }
}
