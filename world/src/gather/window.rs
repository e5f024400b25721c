//! The voxels in reach as rows of bits, and the planes between them that show a face.
//!
//! A few word operations say which cells of which planes are exposed, can be seen by the mover, and lie in
//! reach. Most gathers end there; only for the planes that are left are merged quads looked up.

use super::TERRAIN;
use crate::chunk::{Brick, SIDE};
use crate::surface::{CollisionQuad, Face};
use collision::CellLattice;
use nalgebra::Vector3;

/// Most voxels of a window along each axis: a brick, and one layer of its neighbours on both sides.
pub(super) const MOST: i32 = SIDE as i32 + 2;

/// Voxels of one lattice, brick by brick, counted from the corner of brick zero: terrain about a block of
/// chunks, or a free object.
pub(super) struct Ground<F> {
    /// Where the voxels lie. Its lowest is the corner of brick zero.
    pub(super) lattice: CellLattice,
    /// The brick so many steps from brick zero.
    pub(super) brick: F,
    /// A bit for each brick whose quads can be hit, by steps of 0 or 1 along x, y and z.
    pub(super) hit: u8,
}

/// All bricks can be hit.
pub(super) const ALL_HIT: u8 = u8::MAX;

impl<'a, F: Fn(Vector3<i32>) -> &'a Brick> Ground<F> {
    /// Where the plane below a voxel lies along an axis, in metres from the base cell.
    #[inline]
    pub(super) fn at(&self, axis: usize, index: i32) -> f32 {
        let index = self.lattice.lowest[axis].wrapping_add(index);
        self.lattice.origin[axis] + index as f32 * self.lattice.size
    }

    /// The quads of the brick so many steps from brick zero that face one way in one layer.
    #[inline(always)]
    pub(super) fn plane(&self, step: Vector3<i32>, face: Face, layer: i32) -> &'a [CollisionQuad] {
        let place = (step.x & 1) + 2 * (step.y & 1) + 4 * (step.z & 1);
        if self.hit >> place & 1 == 0 {
            return &[];
        }
        let surface = (self.brick)(step).collision_surface();
        surface.plane(face, (layer & (SIDE as i32 - 1)) as usize)
    }

    /// The lower corner of a voxel.
    #[inline]
    pub(super) fn corner(&self, voxel: Vector3<i32>) -> Vector3<f32> {
        Vector3::from_fn(|axis, _| self.at(axis, voxel[axis]))
    }

    /// Whether its planes lie on whole metres from the base cell.
    #[inline]
    pub(super) fn is_terrain(&self) -> bool {
        self.lattice.object == TERRAIN
    }
}

/// Calls `look` with memory for the rows of a window, all zero. Few windows are large, and clearing memory
/// for the largest would take longer than the look at a small one.
#[inline(always)]
pub(super) fn with_rows<R>(count: i32, look: impl FnOnce(&mut [u64]) -> R) -> R {
    const FEW: usize = 48;
    const SOME: usize = 256;
    const ALL: usize = (MOST * MOST) as usize;
    let (mut few, mut some, mut all);
    let count = count as usize;
    let rows = if count <= FEW {
        few = [0; FEW];
        &mut few[..count]
    } else if count <= SOME {
        some = [0; SOME];
        &mut some[..count]
    } else {
        all = [0; ALL];
        &mut all[..count.min(ALL)]
    };
    look(rows)
}

/// By axis and side (seen from its positive, from its negative side): a bit for each plane between two
/// layers of a window. Plane `i` lies above layer `i`.
pub(super) type Planes = [[u64; 2]; 3];

/// Whether no voxel from `low` to `high` of a ground is solid, told without a copy of their rows.
#[inline]
pub(super) fn is_open<'a>(
    low: Vector3<i32>,
    high: Vector3<i32>,
    brick: &impl Fn(Vector3<i32>) -> &'a Brick,
) -> bool {
    let (first, last) = (low.map(|part| part >> 5), high.map(|part| part >> 5));
    let mut taken = 0;
    for z in first.z..=last.z {
        for y in first.y..=last.y {
            for x in first.x..=last.x {
                let step = Vector3::new(x, y, z);
                let brick = brick(step);
                if brick.is_vacant() {
                    continue;
                }
                let from = (low - step * SIDE as i32).map(|part| part.max(0));
                let to = (high - step * SIDE as i32).map(|part| part.min(SIDE as i32 - 1));
                let mut rows = 0;
                for z in from.z..=to.z {
                    let slab = &brick.occupancy()[z as usize * SIDE..][..SIDE];
                    for row in &slab[from.y as usize..=to.y as usize] {
                        rows |= row;
                    }
                }
                taken |= u64::from(rows) & below(to.x + 1) & !below(from.x);
            }
        }
    }
    taken == 0
}

/// All bits below one.
#[inline(always)]
pub(super) fn below(bit: i32) -> u64 {
    (1_u64 << bit).wrapping_sub(1)
}

/// Calls `each` with the places of the bits.
#[inline(always)]
pub(super) fn each_bit(mut bits: u64, mut each: impl FnMut(i32)) {
    while bits != 0 {
        each(bits.trailing_zeros() as i32);
        bits &= bits - 1;
    }
}

/// Calls `each` with the first place of every run of bits, and the place behind its last.
#[inline(always)]
pub(super) fn each_run(mut bits: u64, mut each: impl FnMut(i32, i32)) {
    while bits != 0 {
        let first = bits.trailing_zeros() as i32;
        let end = first + (!(bits >> first)).trailing_zeros() as i32;
        each(first, end);
        bits &= !below(end);
    }
}

/// The occupancy of a box of voxels: of row `y + z * size.y`, bit `x` is set where one is solid.
pub(super) struct Window<'r> {
    rows: &'r mut [u64],
    /// The lowest voxel.
    pub(super) low: Vector3<i32>,
    /// Voxels along each axis.
    pub(super) size: Vector3<i32>,
}

impl<'r> Window<'r> {
    /// The voxels from `low` to `high` of a ground. There must be a row, all zero, for each.
    #[inline]
    pub(super) fn new<'a>(
        rows: &'r mut [u64],
        low: Vector3<i32>,
        high: Vector3<i32>,
        brick: &impl Fn(Vector3<i32>) -> &'a Brick,
    ) -> Self {
        let size = high - low + Vector3::repeat(1);
        let mut window = Self { rows, low, size };
        let (first, last) = (low.map(|part| part >> 5), high.map(|part| part >> 5));
        for z in first.z..=last.z {
            for y in first.y..=last.y {
                for x in first.x..=last.x {
                    let step = Vector3::new(x, y, z);
                    window.copy(brick(step), low - step * SIDE as i32);
                }
            }
        }
        window
    }

    /// Copies the part of a brick in which the window begins at `from`.
    #[inline]
    fn copy(&mut self, brick: &Brick, from: Vector3<i32>) {
        if brick.is_vacant() {
            return;
        }
        let bits = brick.occupancy();
        let low = from.map(|part| part.max(0));
        let high = (from + self.size).map(|part| part.min(SIDE as i32));
        let (keep, shift) = (below(high.x - low.x), low.x - from.x);
        for z in low.z..high.z {
            let to = ((z - from.z) * self.size.y + low.y - from.y) as usize;
            let first = (z * SIDE as i32 + low.y) as usize;
            let count = (high.y - low.y) as usize;
            let rows = &mut self.rows[to..to + count];
            for (row, bits) in rows.iter_mut().zip(&bits[first..first + count]) {
                *row |= (u64::from(*bits) >> low.x & keep) << shift;
            }
        }
    }

    /// One row. Both numbers are counted from the lowest voxel.
    #[inline(always)]
    pub(super) fn row(&self, y: i32, z: i32) -> u64 {
        self.rows[(z * self.size.y + y) as usize]
    }

    /// The rows of a slab of equal z.
    #[inline(always)]
    fn slab(&self, z: i32) -> &[u64] {
        let high = self.size.y as usize;
        &self.rows[z as usize * high..][..high]
    }

    /// Which of some planes show a face, to either side.
    #[inline]
    pub(super) fn faces(&self, seen: &Planes) -> Planes {
        let mut faces = [[0; 2]; 3];
        for z in 0..self.size.z {
            let slab = self.slab(z);
            let (mut right, mut left) = (0, 0);
            for &row in slab {
                right |= row & !(row >> 1);
                left |= row >> 1 & !row;
            }
            faces[0][0] |= right;
            faces[0][1] |= left;
            for (y, rows) in slab.windows(2).enumerate() {
                faces[1][0] |= u64::from(rows[0] & !rows[1] != 0) << y;
                faces[1][1] |= u64::from(rows[1] & !rows[0] != 0) << y;
            }
            if z + 1 < self.size.z {
                let (mut fore, mut back) = (0, 0);
                for (row, next) in slab.iter().zip(self.slab(z + 1)) {
                    fore |= row & !next;
                    back |= next & !row;
                }
                faces[2][0] |= u64::from(fore != 0) << z;
                faces[2][1] |= u64::from(back != 0) << z;
            }
        }
        for (faces, seen) in faces.as_flattened_mut().iter_mut().zip(seen.as_flattened()) {
            *faces &= seen;
        }
        faces
    }

    /// Calls `each` with the solid voxels from the top down, until it says `true`. Whether it did.
    #[inline]
    pub(super) fn any_solid(&self, mut each: impl FnMut(Vector3<i32>) -> bool) -> bool {
        for y in (0..self.size.y).rev() {
            for z in 0..self.size.z {
                let mut row = self.row(y, z);
                while row != 0 {
                    let x = row.trailing_zeros() as i32;
                    row &= row - 1;
                    if each(self.low + Vector3::new(x, y, z)) {
                        return true;
                    }
                }
            }
        }
        false
    }

    /// Takes everything solid apart into boxes: calls `each` with the lowest voxel of every one, and the one
    /// behind its highest.
    pub(super) fn take_solids(&mut self, mut each: impl FnMut(Vector3<i32>, Vector3<i32>)) {
        let (high, deep) = (self.size.y, self.size.z);
        let mut y = 0;
        while y < high {
            let is_like = |other: i32| (0..deep).all(|z| self.row(other, z) == self.row(y, z));
            let end = (y + 1..high).find(|&other| !is_like(other)).unwrap_or(high);
            for z in 0..deep {
                while self.row(y, z) != 0 {
                    let row = self.row(y, z);
                    let x = row.trailing_zeros() as i32;
                    let right = x + (!(row >> x)).trailing_zeros() as i32;
                    let run = below(right) & !below(x);
                    let behind = (z..deep)
                        .find(|&z| self.row(y, z) & run != run)
                        .unwrap_or(deep);
                    for z in z..behind {
                        self.rows[(z * high + y) as usize] &= !run;
                    }
                    let from = Vector3::new(x, y, z);
                    each(self.low + from, self.low + Vector3::new(right, end, behind));
                }
            }
            y = end;
        }
    }
}
