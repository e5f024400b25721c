//! Computes the light of one piece of a chunk: skylight that falls straight down and spreads from
//! there, and lamps.
//!
//! Light reaches 15 m, less than a chunk, so a piece depends only on the 27 chunks around it and on
//! those above them, and is computed without its old state.

use std::ops::Range;

use collision::Cell;
use nalgebra::Vector3;
use world::{ChunkPosition, World};

use super::flood::{Flood, REACH, RowSpan, SPAN};

/// Voxels along a chunk.
pub(super) const SIDE: usize = 32;
/// Opaque voxels of a chunk: word `z * SIDE + y`, bit x.
pub(super) type Bits = [u32; SIDE * SIDE];
/// Index of the chunk's first voxel in the bits and rows of a flood.
const FIRST: usize = REACH + 1;
/// Largest number of lamps that light one piece; the nearest win. If there are more and one is
/// removed, its replacement appears only where other light changes.
const MOST_LAMPS: usize = 96;
/// Chunks above a piece that may shade it.
pub(super) const ROOF_BRICKS: i32 = 64;
/// The brightest lamplight that a word can hold.
const BRIGHTEST: f32 = 16.0;

/// A lamp and its place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct LampAt {
    pub(super) cell: Cell,
    /// Metres inside the cell.
    pub(super) offset: Vector3<f32>,
    pub(super) color: [f32; 3],
    /// Reach in metres, at most [`REACH`].
    pub(super) reach: f32,
}

/// Slices of a chunk along z: first and end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Slices {
    pub(super) first: usize,
    pub(super) end: usize,
}

impl Slices {
    pub(super) const ALL: Self = Self {
        first: 0,
        end: SIDE,
    };

    pub(super) fn with(self, other: Self) -> Self {
        Self {
            first: self.first.min(other.first),
            end: self.end.max(other.end),
        }
    }

    /// Returns their range in the words of a chunk.
    pub(super) fn words(self) -> std::ops::Range<usize> {
        self.first * SIDE * SIDE..self.end * SIDE * SIDE
    }
}

/// A box of voxels of a chunk, whole along x.
struct Part {
    y: Range<usize>,
    z: Range<usize>,
}

impl Part {
    /// Returns the part of some slices that lies in some rows of a flood.
    fn of(slices: Slices, rows: &RowSpan) -> Self {
        let local = |[first, last]: [usize; 2], low: usize, end: usize| {
            first.saturating_sub(FIRST).max(low)..(last + 1).saturating_sub(FIRST).min(end)
        };
        Self {
            y: local(rows.y, 0, SIDE),
            z: local(rows.z, slices.first, slices.end),
        }
    }
}

/// Buffers for computing light, reused from piece to piece.
pub(super) struct Solver {
    flood: Flood,
    /// Steps from open sky by row and voxel of the chunk, counted from 1; 0 without skylight.
    levels: Vec<u8>,
    lamplight: Vec<[f32; 3]>,
    /// Numbers of lamps in reach, with their distance from the middle in half voxels.
    near: Vec<(i32, usize)>,
    /// Light of a chunk in the form that shaders read, x fastest, then y.
    pub(super) words: Vec<u32>,
}

/// The 27 chunks around one, and the height of the world.
struct Surroundings<'a> {
    bricks: [&'a Bits; 27],
    chunk: ChunkPosition,
    highest: i32,
    world: &'a World,
}

impl Solver {
    pub(super) fn new() -> Self {
        let voxels = SIDE * SIDE * SIDE;
        Self {
            flood: Flood::new(),
            levels: vec![0; voxels],
            lamplight: vec![[0.0; 3]; voxels],
            near: Vec::with_capacity(MOST_LAMPS),
            words: vec![0; voxels],
        }
    }

    /// Computes the light of some slices of a chunk into `words`. `highest` is the topmost chunk.
    pub(super) fn solve(
        &mut self,
        world: &World,
        chunk: ChunkPosition,
        slices: Slices,
        lamps: &[LampAt],
        highest: i32,
    ) {
        let around = Surroundings::of(world, chunk, highest);
        let span = RowSpan {
            y: [1, SIDE + 2 * REACH],
            z: [slices.first + 1, slices.end + 2 * REACH],
        };
        self.gather(&around, &span);
        self.spread_sky(&around, slices, &span);
        self.find_lamps(chunk, lamps);
        if !self.near.is_empty() {
            self.lamplight.fill([0.0; 3]);
        }
        for number in 0..self.near.len() {
            let lamp = &lamps[self.near[number].1];
            self.spread_lamp(chunk, lamp, slices, &span);
        }
        self.pack(slices);
    }

    /// Returns the number of lamps that lit the last piece.
    pub(super) fn lamps(&self) -> usize {
        self.near.len()
    }

    fn gather(&mut self, around: &Surroundings<'_>, span: &RowSpan) {
        let used = ((1_u64 << (SIDE + 2 * REACH)) - 1) << 1;
        let open = &mut self.flood.open;
        open.fill(0);
        span.each(|row| {
            open[row] = !around.row(row % SPAN, row / SPAN) & used;
        });
    }

    /// Lights the voxels under the open sky and spreads from them through open voxels.
    fn spread_sky(&mut self, around: &Surroundings<'_>, slices: Slices, span: &RowSpan) {
        self.flood.darken();
        let mut shaded = false;
        for z in span.z[0]..=span.z[1] {
            let mut cover = around.roof(span.y[1], z);
            for y in (span.y[0]..=span.y[1]).rev() {
                let row = z * SPAN + y;
                let open = self.flood.open[row];
                cover |= !open;
                self.flood.lit[row] = open & !cover;
                shaded |= open & cover != 0;
            }
        }
        self.levels.fill(0);
        let part = Part::of(slices, span);
        note(&mut self.levels, &part, 1, |row| self.flood.lit[row]);
        for step in 0..REACH {
            if !shaded || !self.flood.spread(step, span) {
                break;
            }
            let level = step as u8 + 2;
            note(&mut self.levels, &part, level, |row| self.flood.fresh(row));
        }
    }

    /// Finds the lamps that may reach the chunk, nearest first.
    fn find_lamps(&mut self, chunk: ChunkPosition, lamps: &[LampAt]) {
        self.near.clear();
        for (number, lamp) in lamps.iter().enumerate() {
            let at = local_cell(chunk, lamp.cell);
            let beyond = at.map(|c| (-c).max(c - (SIDE as i32 - 1)).max(0)).max();
            if beyond as f32 <= lamp.reach {
                let distance = at.map(|c| (2 * c + 1 - SIDE as i32).abs()).max();
                self.near.push((distance, number));
            }
        }
        self.near.sort_unstable();
        self.near.truncate(MOST_LAMPS);
    }

    fn spread_lamp(&mut self, chunk: ChunkPosition, lamp: &LampAt, slices: Slices, span: &RowSpan) {
        let cell = local_cell(chunk, lamp.cell);
        let [x, y, z] = cell.map(|c| c + FIRST as i32).into();
        let within = |at: i32, [first, last]: [usize; 2]| {
            let at = usize::try_from(at).ok()?;
            (first..=last).contains(&at).then_some(at)
        };
        let bits = [1, SIDE + 2 * REACH];
        let (Some(x), Some(y), Some(z)) = (within(x, bits), within(y, span.y), within(z, span.z))
        else {
            return;
        };
        self.flood.darken();
        self.flood.lit[z * SPAN + y] = 1 << x;
        let at = cell.cast::<f32>() + lamp.offset;
        let part = |rows: &RowSpan| Part::of(slices, rows);
        let own = part(&span.about(y, z, 0));
        self.shine(lamp, at, 0, &own, |flood, row| flood.lit[row]);
        for step in 0..lamp.reach.ceil() as usize {
            let rows = span.about(y, z, step + 1);
            if !self.flood.spread(step, &rows) {
                break;
            }
            self.shine(lamp, at, step + 1, &part(&rows), Flood::fresh);
        }
    }

    /// Adds a lamp's light to the voxels that it reached in this number of steps.
    fn shine(
        &mut self,
        lamp: &LampAt,
        at: Vector3<f32>,
        steps: usize,
        part: &Part,
        reached: impl Fn(&Flood, usize) -> u64,
    ) {
        let (flood, lamplight) = (&self.flood, &mut self.lamplight);
        each_voxel(
            part,
            |row| reached(flood, row),
            |voxel, [x, y, z]| {
                let centre = Vector3::new(x as f32, y as f32, z as f32) + Vector3::repeat(0.5);
                let straight = (centre - at).norm();
                let share = falloff(straight, steps as f32, lamp.reach);
                for (sum, color) in lamplight[voxel].iter_mut().zip(lamp.color) {
                    *sum += color * share;
                }
            },
        );
    }

    fn pack(&mut self, slices: Slices) {
        let lit = !self.near.is_empty();
        let open = &self.flood.open;
        for z in slices.first..slices.end {
            for y in 0..SIDE {
                let start = (z * SIDE + y) * SIDE;
                let open = (open[row_of(y, z)] >> FIRST) as u32;
                for x in 0..SIDE {
                    let sky = SKY[usize::from(self.levels[start + x])];
                    let sky = if open >> x & 1 == 1 { sky } else { 0 };
                    let lamp = if lit {
                        packed(self.lamplight[start + x])
                    } else {
                        0
                    };
                    self.words[start + x] = u32::from(sky) << 24 | lamp;
                }
            }
        }
    }
}

impl<'a> Surroundings<'a> {
    fn of(world: &'a World, chunk: ChunkPosition, highest: i32) -> Self {
        let bricks = std::array::from_fn(|index| {
            let index = index as i32;
            let step = Vector3::new(index % 3 - 1, index / 3 % 3 - 1, index / 9 - 1);
            bits_at(world, chunk.zip_map(&step, i32::wrapping_add))
        });
        Self {
            bricks,
            chunk,
            highest,
            world,
        }
    }

    /// Returns a row of opaque voxels.
    #[inline]
    fn row(&self, y: usize, z: usize) -> u64 {
        let (y, z) = (y + SIDE - FIRST, z + SIDE - FIRST);
        let first = y / SIDE * 3 + z / SIDE * 9;
        let word = z % SIDE * SIDE + y % SIDE;
        let bricks = self.bricks[first..first + 3].iter().enumerate();
        let row = bricks.fold(0, |row, (x, bits)| {
            row | u128::from(bits[word]) << (x * SIDE)
        });
        (row >> (SIDE - FIRST)) as u64
    }

    /// Returns the voxels of a row that have an opaque voxel above.
    fn roof(&self, y: usize, z: usize) -> u64 {
        let (above, z) = (y + 1 + SIDE - FIRST, z + SIDE - FIRST);
        let (level, first) = ((above / SIDE) as i32 - 1, above % SIDE);
        let mut roof = 0_u128;
        let levels = self.highest.wrapping_sub(self.chunk.y);
        for step in level..=levels.clamp(level - 1, ROOF_BRICKS) {
            let from = if step == level { first } else { 0 };
            for x in 0..3 {
                let place = Vector3::new(x - 1, step, (z / SIDE) as i32 - 1);
                let chunk = self.chunk.zip_map(&place, i32::wrapping_add);
                let bits = bits_at(self.world, chunk);
                let column = &bits[z % SIDE * SIDE..][..SIDE];
                let covered = column[from..].iter().fold(0, |all, word| all | word);
                roof |= u128::from(covered) << (x as usize * SIDE);
            }
        }
        (roof >> (SIDE - FIRST)) as u64
    }
}

/// Returns the opaque voxels of a chunk; none if it is not loaded.
pub(super) fn bits_at(world: &World, chunk: ChunkPosition) -> &Bits {
    match world.brick_at(chunk) {
        Some(id) => world.brick(id).opaque_bits(),
        None => &[0; SIDE * SIDE],
    }
}

/// Returns the row of a flood that holds a row of the chunk.
fn row_of(y: usize, z: usize) -> usize {
    (z + FIRST) * SPAN + y + FIRST
}

/// Returns a cell relative to the first of a chunk.
fn local_cell(chunk: ChunkPosition, cell: Cell) -> Vector3<i32> {
    cell.zip_map(&chunk, |c, chunk| {
        c.wrapping_sub(chunk.wrapping_mul(SIDE as i32))
    })
}

/// Calls `visit` for each voxel of a part of the chunk whose bit is set, with its number and place.
#[inline]
fn each_voxel(part: &Part, bits: impl Fn(usize) -> u64, mut visit: impl FnMut(usize, [usize; 3])) {
    for z in part.z.clone() {
        for y in part.y.clone() {
            let mut left = (bits(row_of(y, z)) >> FIRST) as u32;
            while left != 0 {
                let x = left.trailing_zeros() as usize;
                left &= left - 1;
                visit((z * SIDE + y) * SIDE + x, [x, y, z]);
            }
        }
    }
}

fn note(levels: &mut [u8], part: &Part, level: u8, bits: impl Fn(usize) -> u64) {
    each_voxel(part, bits, |voxel, _| levels[voxel] = level);
}

/// Codes of skylight by level: 0 means solid, so an unlit voxel has 1.
const SKY: [u8; REACH + 2] = {
    let mut codes = [1; REACH + 2];
    let mut level = 1;
    while level < codes.len() {
        let left = 1.0 - (level as f32 - 1.0) / (REACH as f32 + 1.0);
        codes[level] = 1 + (254.0 * left * left + 0.5) as u8;
        level += 1;
    }
    codes
};

/// Returns the remaining fraction of a lamp's light: by straight distance, and less if the path is
/// longer.
fn falloff(straight: f32, steps: f32, reach: f32) -> f32 {
    let detour = (steps - straight * 1.15 - 1.0).max(0.0);
    let distance = straight + 1.5 * detour;
    let fade = (1.0 - distance / reach).max(0.0);
    fade * fade * 1.8 / (0.35 + 0.12 * distance * distance)
}

/// Packs a colour into three bytes, as square roots.
fn packed(color: [f32; 3]) -> u32 {
    if color == [0.0; 3] {
        return 0;
    }
    let byte = |part: f32| ((part / BRIGHTEST).max(0.0).sqrt().min(1.0) * 255.0 + 0.5) as u32;
    byte(color[0]) | byte(color[1]) << 8 | byte(color[2]) << 16
}
