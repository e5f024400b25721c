//! The voxels in reach as rows of bits, several in a word, and the planes between them that show a face.
//!
//! A few word operations say which cells of which planes are exposed, can be seen by the mover, and lie in
//! reach. Most gathers end there; only for the planes that are left are merged quads looked up.

use super::TERRAIN;
use crate::chunk::{Brick, SIDE};
use crate::surface::CollisionSurface;
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

    /// The merged quads of the brick so many steps from brick zero, if they can be hit.
    #[inline(always)]
    pub(super) fn surface(&self, step: Vector3<i32>) -> Option<&'a CollisionSurface> {
        let place = (step.x & 1) + 2 * (step.y & 1) + 4 * (step.z & 1);
        (self.hit >> place & 1 != 0).then(|| (self.brick)(step).collision_surface())
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

/// Rows that are copied side by side.
const LANES: usize = 4;

/// Calls `look` with a window of the voxels from `low` to `high` of a ground, unless all bricks there are empty. Few
/// windows are large, and clearing memory for the largest would take longer than the look at a small one.
#[inline(always)]
pub(super) fn with_window<'a, R: Default>(
    low: Vector3<i32>,
    high: Vector3<i32>,
    brick: &impl Fn(Vector3<i32>) -> &'a Brick,
    look: impl FnOnce(&mut Window<'_>) -> R,
) -> R {
    const FEW: usize = 16;
    const SOME: usize = 128;
    const ALL: usize = (MOST as usize).next_multiple_of(LANES) * MOST as usize;
    let size = high - low + Vector3::repeat(1);
    // At least one bit between two rows stays free.
    let pitch = match size.x {
        ..=7 => 3,
        8..=15 => 4,
        16..=31 => 5,
        _ => 6,
    };
    let stride = (size.y as usize).next_multiple_of(LANES);
    let count = stride * (((size.z as usize - 1) >> (6 - pitch)) + 1);
    let (mut few, mut some, mut all);
    let words = if count <= FEW {
        few = [0; FEW];
        &mut few[..count]
    } else if count <= SOME {
        some = [0; SOME];
        &mut some[..count]
    } else {
        all = [0; ALL];
        &mut all[..count.min(ALL)]
    };
    let mut window = Window {
        words,
        stride,
        pitch,
        low,
        size,
    };
    if window.fill(brick) {
        look(&mut window)
    } else {
        R::default()
    }
}

/// By axis and side (seen from its positive, from its negative side): a bit for each plane between two
/// layers of a window. Plane `i` lies above layer `i`.
pub(super) type Planes = [[u64; 2]; 3];

/// Calls `each` with the steps from one brick to another, both inside. Most often they are the same.
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

/// The bricks that some voxels lie in.
#[inline(always)]
pub(super) fn bricks_of(low: Vector3<i32>, high: Vector3<i32>) -> [Vector3<i32>; 2] {
    [low, high].map(|voxel| voxel.map(|part| part >> 5))
}

/// Whether a voxel of a brick is solid from `low` to `high`, which are counted from its corner and may lie outside.
#[inline(always)]
pub(super) fn is_taken(brick: &Brick, low: Vector3<i32>, high: Vector3<i32>) -> bool {
    let (low, high) = (
        low.map(|part| part.max(0)),
        high.map(|part| part.min(SIDE as i32 - 1)),
    );
    if brick.is_vacant() || low.y > high.y {
        return false;
    }
    let mut rows = 0;
    for z in low.z..=high.z {
        let first = (z * SIDE as i32 + low.y) as usize;
        for row in &brick.occupancy()[first..=first + (high.y - low.y) as usize] {
            rows |= row;
        }
    }
    u64::from(rows) & below(high.x + 1) & !below(low.x) != 0
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

/// The occupancy of a box of voxels. Most are small: so many rows along x as fit are kept in one word, those that
/// are next to each other along z.
pub(super) struct Window<'r> {
    /// One for each y, lowest first, and some for whole lanes, which nobody reads; then those of the next rows along z.
    words: &'r mut [u64],
    /// Words from the rows of some z to the next.
    stride: usize,
    /// Two to this power are the bits from a row to the next.
    pub(super) pitch: u32,
    /// The lowest voxel.
    pub(super) low: Vector3<i32>,
    /// Voxels along each axis.
    pub(super) size: Vector3<i32>,
}

impl Window<'_> {
    /// Copies from all bricks that it reaches into. Whether any of them holds something.
    #[inline(always)]
    fn fill<'a>(&mut self, brick: &impl Fn(Vector3<i32>) -> &'a Brick) -> bool {
        let mut holds = false;
        let high = self.low + self.size.add_scalar(-1);
        each_step(bricks_of(self.low, high), |step| {
            let brick = brick(step);
            if !brick.is_vacant() {
                holds = true;
                self.copy(brick, self.low - step * SIDE as i32);
            }
        });
        holds
    }

    /// Copies the part of a brick in which the window begins at `from`.
    #[inline(always)]
    fn copy(&mut self, brick: &Brick, from: Vector3<i32>) {
        let bits = brick.occupancy();
        let low = from.map(|part| part.max(0));
        let high = (from + self.size).map(|part| part.min(SIDE as i32));
        let keep = below(high.x - low.x);
        let (up, mut count) = ((low.y - from.y) as usize, (high.y - low.y) as usize);
        // Whole lanes where no other brick is above: what else is in them does not matter.
        let rounded = count.next_multiple_of(LANES);
        let end = (high.z as usize - 1) * SIDE + low.y as usize + rounded;
        if high.y == from.y + self.size.y && up + rounded <= self.stride && end <= bits.len() {
            count = rounded;
        }
        for z in low.z..high.z {
            let (first_word, bit) = self.place(z - from.z);
            let (to, shift) = (first_word + up, bit + (low.x - from.x) as u32);
            let first = (z * SIDE as i32 + low.y) as usize;
            let (words, last_words) = self.words[to..to + count].as_chunks_mut::<LANES>();
            let (bits, last_bits) = bits[first..first + count].as_chunks::<LANES>();
            let put =
                |word: &mut u64, bits: u32| *word |= (u64::from(bits >> low.x) & keep) << shift;
            for (words, bits) in words.iter_mut().zip(bits) {
                for (word, bits) in words.iter_mut().zip(bits) {
                    put(word, *bits);
                }
            }
            for (word, bits) in last_words.iter_mut().zip(last_bits) {
                put(word, *bits);
            }
        }
    }

    /// Bits from a row to the next.
    #[inline(always)]
    pub(super) fn step(&self) -> u32 {
        1 << self.pitch
    }

    /// Two to this power are the rows of a word.
    #[inline(always)]
    pub(super) fn rows_log(&self) -> u32 {
        6 - self.pitch
    }

    /// The rows of a layer that are in one word.
    #[inline(always)]
    pub(super) fn word(&self, y: i32, group: i32) -> u64 {
        self.words[group as usize * self.stride + y as usize]
    }

    /// Whether there is a word with these rows.
    #[inline(always)]
    pub(super) fn has_group(&self, group: i32) -> bool {
        group >= 0 && group << self.rows_log() < self.size.z
    }

    /// The first bit of every row of a word.
    #[inline(always)]
    pub(super) fn every_row(&self) -> u64 {
        u64::MAX / (u64::MAX >> (64 - self.step()))
    }

    /// The first bits of some rows of a word.
    #[inline(always)]
    pub(super) fn rows_at(&self, rows: u64) -> u64 {
        let mut bits = 0;
        each_bit(rows, |row| bits |= 1 << (row << self.pitch));
        bits
    }

    /// All bits of those rows of a word that are among some rows of the window.
    #[inline(always)]
    pub(super) fn rows_of(&self, rows: u64, group: i32) -> u64 {
        let here = rows >> (group << self.rows_log()) & below(1 << self.rows_log());
        self.rows_at(here)
            .wrapping_mul(u64::MAX >> (64 - self.step()))
    }

    /// The word that holds the lowest row of a z, and its first bit there.
    #[inline(always)]
    fn place(&self, z: i32) -> (usize, u32) {
        let rows = self.rows_log();
        let (group, within) = (z as usize >> rows, z as u32 & ((1 << rows) - 1));
        (group * self.stride, within << self.pitch)
    }

    /// One row. Both numbers are counted from the lowest voxel.
    #[inline(always)]
    pub(super) fn row(&self, y: i32, z: i32) -> u64 {
        let (first, bit) = self.place(z);
        self.words[first + y as usize] >> bit & below(self.size.x)
    }

    /// Which of some planes show a face, to either side.
    #[inline]
    pub(super) fn faces(&self, seen: &Planes) -> Planes {
        let (high, step) = (self.size.y as usize, self.step());
        let (mut right, mut left) = (0, 0);
        let mut faces = [[0; 2]; 3];
        let mut groups = self.words.chunks_exact(self.stride).peekable();
        let mut z = 0;
        while let Some(words) = groups.next() {
            // Behind the last word is no plane that counts.
            let next = groups.peek().unwrap_or(&words);
            let (mut fore, mut back) = (0, 0);
            for y in 0..high {
                let (word, above) = (words[y], words[(y + 1).min(high - 1)]);
                right |= word & !(word >> 1);
                left |= word >> 1 & !word;
                faces[1][0] |= u64::from(word & !above != 0) << y;
                faces[1][1] |= u64::from(above & !word != 0) << y;
                let behind = word.unbounded_shr(step) | next[y].unbounded_shl(64 - step);
                fore |= word & !behind;
                back |= behind & !word;
            }
            let row = u64::MAX >> (64 - step);
            for bit in (0..64).step_by(step as usize) {
                faces[2][0] |= u64::from(fore >> bit & row != 0) << z;
                faces[2][1] |= u64::from(back >> bit & row != 0) << z;
                z += 1;
            }
        }
        for half in (self.pitch..6).rev() {
            right |= right >> (1 << half);
            left |= left >> (1 << half);
        }
        faces[0] = [right, left];
        for (faces, seen) in faces.as_flattened_mut().iter_mut().zip(seen.as_flattened()) {
            *faces &= seen;
        }
        faces
    }

    /// Calls `each` with the solid voxels from the top down, until it says `true`. Whether it did.
    #[inline]
    pub(super) fn any_solid(&self, mut each: impl FnMut(Vector3<i32>) -> bool) -> bool {
        let rows = self.rows_log();
        for y in (0..self.size.y).rev() {
            for (group, words) in (0..).zip(self.words.chunks_exact(self.stride)) {
                let mut word = words[y as usize];
                while word != 0 {
                    let bit = word.trailing_zeros() as i32;
                    word &= word - 1;
                    let x = bit & ((1 << self.pitch) - 1);
                    let z = (group << rows) + (bit >> self.pitch);
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
                        let (first, bit) = self.place(z);
                        self.words[first + y as usize] &= !(run << bit);
                    }
                    let from = Vector3::new(x, y, z);
                    each(self.low + from, self.low + Vector3::new(right, end, behind));
                }
            }
            y = end;
        }
    }
}
