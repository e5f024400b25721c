//! The voxels in reach as words of bits, and the planes between them that show a face.
//!
//! A tile is 8 x 8 voxels of any height, with a word for each level. A few word operations find the
//! planes that are exposed, face the mover, and lie in reach. Most gathers end there; merged quads
//! are looked up for the remaining planes only. A wider reach is split into tiles.

use super::TERRAIN;
use crate::chunk::{Brick, SIDE};
use crate::surface::CollisionSurface;
use collision::CellLattice;
use nalgebra::Vector3;

/// Most voxels of a tile along x and along z.
pub(super) const WIDE: i32 = 8;

/// Most voxels of a tile along y: a chunk, and one layer of its neighbours on both sides.
pub(super) const TALL: i32 = SIDE as i32 + 2;

/// Levels of a tile, and one more that is copied along with the highest.
const LEVELS: usize = TALL as usize + 1;

/// A bit for each of two levels that are copied side by side.
const PAIR: u64 = 1 | 1 << 32;

/// The lowest bit of each row along x.
const EVERY: u64 = 0x0101_0101_0101_0101;

/// Voxels of one lattice, chunk by chunk, counted from the corner of chunk zero: terrain around a
/// block of chunks, or a free object.
pub(super) struct Ground<F> {
    /// The place of the voxels. The lowest is the corner of chunk zero.
    pub(super) lattice: CellLattice,
    /// Returns the brick of the chunk at some steps from chunk zero.
    pub(super) brick: F,
    /// A bit for each chunk with quads that can be hit, by steps of 0 or 1 along x, y and z.
    pub(super) hit: u8,
}

/// The bits of all chunks.
pub(super) const ALL_HIT: u8 = u8::MAX;

impl<'a, F: Fn(Vector3<i32>) -> &'a Brick> Ground<F> {
    /// Returns the height of the plane below a voxel along an axis, in metres from the base cell.
    #[inline]
    pub(super) fn at(&self, axis: usize, index: i32) -> f32 {
        let index = self.lattice.lowest[axis].wrapping_add(index);
        self.lattice.origin[axis] + index as f32 * self.lattice.size
    }

    /// Returns the merged quads of the chunk at some steps from chunk zero, if they can be hit.
    #[inline(always)]
    pub(super) fn surface(&self, step: Vector3<i32>) -> Option<&'a CollisionSurface> {
        let place = (step.x & 1) + 2 * (step.y & 1) + 4 * (step.z & 1);
        (self.hit >> place & 1 != 0).then(|| (self.brick)(step).collision_surface())
    }

    /// Returns the lower corner of a voxel.
    #[inline]
    pub(super) fn corner(&self, voxel: Vector3<i32>) -> Vector3<f32> {
        Vector3::from_fn(|axis, _| self.at(axis, voxel[axis]))
    }

    /// Returns whether the planes lie on whole metres from the base cell.
    #[inline]
    pub(super) fn is_terrain(&self) -> bool {
        self.lattice.object == TERRAIN
    }
}

/// A bit for each plane between two layers of a tile, by axis and side (seen from the positive,
/// from the negative side). Plane `i` lies above layer `i`.
pub(super) type Planes = [[u64; 2]; 3];

/// Calls `each` with every step from `first` to `last`. Most often the two are equal.
#[inline(always)]
pub(super) fn each_step([first, last]: [Vector3<i32>; 2], mut each: impl FnMut(Vector3<i32>)) {
    let mut step = first;
    loop {
        each(step);
        if step == last {
            return;
        }
        step.x += 1;
        if step.x > last.x {
            step = Vector3::new(first.x, step.y + 1, step.z);
        }
        if step.y > last.y {
            step = Vector3::new(first.x, first.y, step.z + 1);
        }
        if step.z > last.z {
            return;
        }
    }
}

/// Returns the first and the last chunk of a range of voxels.
#[inline(always)]
pub(super) fn bricks_of(low: Vector3<i32>, high: Vector3<i32>) -> [Vector3<i32>; 2] {
    [low, high].map(|voxel| voxel.map(|part| part >> 5))
}

/// Returns all bits below one.
#[inline(always)]
pub(super) fn below(bit: i32) -> u64 {
    (1_u64 << bit).wrapping_sub(1)
}

/// Returns the voxels of a level within ranges along x and z, all from 0 to 7.
#[inline(always)]
pub(super) fn area([x, last_x]: [i32; 2], [z, last_z]: [i32; 2]) -> u64 {
    let row = 0xff_u64 << x & 0xff >> (7 - last_x);
    (row * EVERY) & u64::MAX << (8 * z) & u64::MAX >> (8 * (7 - last_z))
}

/// Returns all voxels of a level at the x of the given bits.
#[inline(always)]
pub(super) fn columns(bits: u64) -> u64 {
    (bits & 0xff) * EVERY
}

/// Returns all voxels of a level at the z of the given bits.
#[inline(always)]
pub(super) fn rows(bits: u64) -> u64 {
    let apart = columns(bits) & 0x8040_2010_0804_0201;
    ((apart + 0x7f * EVERY) >> 7 & EVERY) * 0xff
}

/// Calls `each` with the places of the bits.
#[inline(always)]
pub(super) fn each_bit(mut bits: u64, mut each: impl FnMut(i32)) {
    while bits != 0 {
        each(bits.trailing_zeros() as i32);
        bits &= bits - 1;
    }
}

/// The occupancy of a box of voxels: bit `x + 8 z` of a word for each y, lowest first.
pub(super) struct Tile {
    /// A word for each level. Words above the highest level hold arbitrary bits.
    pub(super) levels: [u64; LEVELS],
    /// The lowest voxel.
    pub(super) low: Vector3<i32>,
    /// Voxels along each axis.
    pub(super) size: Vector3<i32>,
    /// The voxels whose faces belong to this tile, first and last, counted from the lowest. Those
    /// around them belong to other tiles.
    pub(super) inner: [Vector3<i32>; 2],
}

impl Tile {
    /// Copies the voxels from `low` to `high`, which fit into a tile.
    #[inline(always)]
    pub(super) fn new<'a>(
        low: Vector3<i32>,
        high: Vector3<i32>,
        brick: &impl Fn(Vector3<i32>) -> &'a Brick,
    ) -> Self {
        let mut tile = Self {
            levels: [0; LEVELS],
            low,
            size: (high - low).add_scalar(1),
            inner: [Vector3::zeros(), high - low],
        };
        each_step(bricks_of(low, high), |step| {
            let brick = brick(step);
            if !brick.is_vacant() {
                tile.copy(brick, low - step * SIDE as i32);
            }
        });
        tile
    }

    /// Splits the voxels from `low` to `high`, at most [`TALL`] along y, into tiles that overlap by
    /// a voxel on each side.
    #[inline(always)]
    pub(super) fn each<'a>(
        low: Vector3<i32>,
        high: Vector3<i32>,
        brick: &impl Fn(Vector3<i32>) -> &'a Brick,
        mut each: impl FnMut(&Self),
    ) {
        if Self::fits(low, high) {
            return each(&Self::new(low, high, brick));
        }
        let one = Vector3::new(1, 0, 1);
        let step = WIDE - 2;
        let long = Vector3::new(step - 1, high.y - low.y, step - 1);
        for z in (low.z..=high.z).step_by(step as usize) {
            for x in (low.x..=high.x).step_by(step as usize) {
                let first = Vector3::new(x, low.y, z);
                let last = (first + long).inf(&high);
                let from = (first - one).sup(&low);
                let mut tile = Self::new(from, (last + one).inf(&high), brick);
                tile.inner = [first - from, last - from];
                each(&tile);
            }
        }
    }

    /// Returns whether one tile holds the voxels from `low` to `high`.
    #[inline(always)]
    pub(super) fn fits(low: Vector3<i32>, high: Vector3<i32>) -> bool {
        let long = high - low;
        long.x < WIDE && long.y < TALL && long.z < WIDE
    }

    /// Copies the part of a chunk in which the tile begins at `from`.
    #[inline(never)]
    fn copy(&mut self, brick: &Brick, from: Vector3<i32>) {
        let low = from.map(|part| part.max(0));
        let high = (from + self.size).map(|part| part.min(SIDE as i32));
        let (keep, shift) = (below(high.x - low.x) * PAIR, low.x - from.x);
        let bits = brick.occupancy();
        // Four rows along z of a level and the next, a level in each half of the word.
        let rows = |y: i32, from_z: i32| {
            let mut pair = 0;
            for z in low.z.max(from_z)..high.z.min(from_z + 4) {
                let row = (z * SIDE as i32 + y) as usize;
                if let Some(&[one, next]) = bits.get(row..).and_then(|rows| rows.first_chunk()) {
                    let rows = u64::from(one) | u64::from(next) << 32;
                    pair |= (rows >> low.x & keep) << (shift + 8 * (z - from_z));
                }
            }
            pair
        };
        let mut next = low.y;
        while next < high.y {
            // Levels above the tile are ignored, and copying one twice does no harm.
            let y = next.min(SIDE as i32 - 2);
            let [fore, back] = [rows(y, from.z), rows(y, from.z + 4)];
            let level = (y - from.y) as usize;
            if let Some(level) = self.levels.get_mut(level) {
                *level |= fore & u64::from(u32::MAX) | back << 32;
            }
            if let Some(level) = self.levels.get_mut(level.wrapping_add(1)) {
                *level |= fore >> 32 | back >> 32 << 32;
            }
            next += 2;
        }
    }

    /// Returns whether the tile is empty.
    #[inline(always)]
    pub(super) fn is_empty(&self) -> bool {
        let levels = &self.levels[..self.size.y as usize];
        levels.iter().fold(0, |all, level| all | level) == 0
    }

    /// Returns the planes of `seen` that show a face of an inner voxel, to either side.
    #[inline(always)]
    pub(super) fn faces(&self, seen: &Planes) -> Planes {
        let inner = self.inner();
        let [
            mut right,
            mut left,
            mut behind,
            mut before,
            mut up,
            mut down,
        ] = [0_u64; 6];
        for y in 0..self.size.y as usize {
            let (level, above) = (self.levels[y], self.levels[y + 1]);
            let solid = level & inner;
            right |= solid & !(level >> 1);
            left |= solid & !(level << 1);
            behind |= solid & !(level >> 8);
            before |= solid & !(level << 8);
            up |= u64::from(solid & !above != 0) << y;
            down |= u64::from(above & inner & !level != 0) << y;
        }
        let along_x = |bits: u64| {
            let bits = bits | bits >> 32;
            let bits = bits | bits >> 16;
            (bits | bits >> 8) & 0xff
        };
        let along_z = |bits: u64| {
            let bits = bits | bits >> 4;
            let bits = bits | bits >> 2;
            ((bits | bits >> 1) & EVERY).wrapping_mul(0x0102_0408_1020_4080) >> 56
        };
        let [
            [seen_right, seen_left],
            [seen_up, seen_down],
            [seen_behind, seen_before],
        ] = *seen;
        [
            [along_x(right) & seen_right, along_x(left) >> 1 & seen_left],
            [up & seen_up, down & seen_down],
            [
                along_z(behind) & seen_behind,
                along_z(before) >> 1 & seen_before,
            ],
        ]
    }

    /// Returns the inner voxels of a level.
    #[inline(always)]
    pub(super) fn inner(&self) -> u64 {
        let [first, last] = self.inner;
        area([first.x, last.x], [first.z, last.z])
    }

    /// Calls `each` with the solid voxels from the top down, until it returns `true`. Returns
    /// whether it did.
    #[inline]
    pub(super) fn any_solid(&self, mut each: impl FnMut(Vector3<i32>) -> bool) -> bool {
        for y in (0..self.size.y).rev() {
            let mut level = self.levels[y as usize];
            while level != 0 {
                let bit = level.trailing_zeros() as i32;
                level &= level - 1;
                if each(self.low + Vector3::new(bit & 7, y, bit >> 3)) {
                    return true;
                }
            }
        }
        false
    }

    /// Splits the inner solid voxels into boxes; calls `each` with the lowest voxel of every box,
    /// and the one behind its highest.
    pub(super) fn take_solids(&self, mut each: impl FnMut(Vector3<i32>, Vector3<i32>)) {
        let inner = self.inner();
        let levels = &self.levels[..self.size.y as usize];
        let mut y = 0;
        for like in levels.chunk_by(|a, b| a & inner == b & inner) {
            let mut level = like[0] & inner;
            while level != 0 {
                let bit = level.trailing_zeros() as i32;
                let (x, z) = (bit & 7, bit >> 3);
                let row = level >> (8 * z) & 0xff;
                let right = x + (!(row >> x)).trailing_zeros() as i32;
                let run = below(right) & !below(x);
                let is_run = |z: i32| level >> (8 * z) & run == run;
                let behind = (z..WIDE).find(|&z| !is_run(z)).unwrap_or(WIDE);
                level &= !area([x, right - 1], [z, behind - 1]);
                let to = Vector3::new(right, y + like.len() as i32, behind);
                each(self.low + Vector3::new(x, y, z), self.low + to);
            }
            y += like.len() as i32;
        }
    }
}
