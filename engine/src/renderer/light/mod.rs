//! Light in the air around the eye: for each voxel the skylight that reaches it, and the light of
//! lamps.
//!
//! A window of chunks follows the eye. A change in the world, or of a lamp, outdates the slices
//! that its light can reach; [`piece::Solver`] recomputes them and writes them to the buffer that
//! shaders read. Without changes nothing is done. Outside the window everything counts as open.
//!
//! The method is the flood fill of block games, with rows of bits instead of queues. Free objects
//! give no shade here, but their lamps give light.

mod flood;
mod piece;

use collision::Cell;
use world::{BrickId, ChunkPosition, Owner, World};

use self::flood::REACH;
use self::piece::{Bits, LampAt, ROOF_BRICKS, SIDE, Slices, Solver, bits_at};
use super::bricks::{Bricks, Uploaded};
use crate::{Camera, Gpu, Light};
use nalgebra::Vector3;

/// Chunks of the window along each axis, powers of two; the same as in `air.wgsl`.
const WINDOW: [i32; 3] = [8, 4, 8];
const BRICKS: usize = (WINDOW[0] * WINDOW[1] * WINDOW[2]) as usize;
/// Metres that the eye may leave the middle of the window before the window follows.
const SLACK: i32 = 24;
/// Pieces computed for one picture, except for the first picture of a world.
const PIECES: usize = 4;
/// Lamps that cost as much as one piece without lamps.
const LAMPS_A_PIECE: usize = 4;
/// Bytes of a chunk's light.
const BRICK_BYTES: u64 = (SIDE * SIDE * SIDE * 4) as u64;

/// A chunk of the window.
#[derive(Clone)]
struct Place {
    chunk: ChunkPosition,
    id: Option<BrickId>,
    /// Opaque voxels that the light was computed with.
    bits: Box<Bits>,
    /// Slices whose light is outdated.
    stale: Option<Slices>,
    /// True if the buffer holds light of this chunk.
    ready: bool,
}

/// A box of cells relative to the lowest of the window: first and end along each axis.
#[derive(Clone, Copy)]
struct Region {
    low: Vector3<i32>,
    end: Vector3<i32>,
}

/// The window and its light on the GPU.
pub(crate) struct LightMap {
    buffer: wgpu::Buffer,
    places: Vec<Place>,
    /// Lowest chunk of the window; `None` before the first picture of a world.
    base: Option<ChunkPosition>,
    /// Topmost chunk that was ever loaded.
    highest: Option<i32>,
    lamps: Vec<LampAt>,
    lamps_before: Vec<LampAt>,
    lights: Vec<Light>,
    queue: Vec<(bool, i32, usize)>,
    solver: Solver,
    pieces: u32,
}

impl LightMap {
    pub(crate) fn new(gpu: &Gpu) -> Self {
        let all = BRICKS as u64 * BRICK_BYTES;
        let fits = gpu.capabilities.storage_binding >= all;
        let place = Place {
            chunk: ChunkPosition::zeros(),
            id: None,
            bits: Box::new([0; SIDE * SIDE]),
            stale: None,
            ready: false,
        };
        Self {
            buffer: gpu.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("light"),
                size: if fits { all } else { 256 },
                usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            }),
            places: if fits {
                vec![place; BRICKS]
            } else {
                Vec::new()
            },
            base: None,
            highest: None,
            lamps: Vec::new(),
            lamps_before: Vec::new(),
            lights: Vec::new(),
            queue: Vec::with_capacity(BRICKS),
            solver: Solver::new(),
            pieces: 0,
        }
    }

    pub(crate) fn buffer(&self) -> &wgpu::Buffer {
        &self.buffer
    }

    /// Returns the lowest cell of the window; `None` if there is no light to read.
    pub(crate) fn origin(&self) -> Option<Cell> {
        Some(self.base?.map(|c| c.wrapping_mul(SIDE as i32)))
    }

    /// Returns a bit for each chunk whose light can be read, in the order of the buffer.
    pub(crate) fn ready(&self) -> [[u32; 4]; 2] {
        let mut bits = [[0; 4]; 2];
        for (number, place) in self.places.iter().enumerate() {
            bits[number / 128][number / 32 % 4] |= u32::from(place.ready) << (number % 32);
        }
        bits
    }

    /// Returns the number of pieces that the last picture computed.
    pub(crate) fn pieces(&self) -> u32 {
        self.pieces
    }

    /// Follows the eye, the world and the lights of a frame.
    pub(crate) fn update(
        &mut self,
        gpu: &Gpu,
        world: Option<&World>,
        bricks: &Bricks,
        uploaded: &Uploaded,
        lights: &[Light],
        camera: &Camera,
    ) {
        let Some(world) = world.filter(|_| !self.places.is_empty()) else {
            (self.base, self.pieces) = (None, 0);
            return;
        };
        let most = self.follow(world, bricks, uploaded, lights, camera.position.cell);
        let buffer = self.buffer.clone();
        self.relight(
            world,
            camera.position.cell,
            most,
            |number, slices, words| {
                write(gpu, &buffer, number, slices, words);
            },
        );
    }

    /// Marks outdated light, and returns the number of pieces that may be computed at once.
    fn follow(
        &mut self,
        world: &World,
        bricks: &Bricks,
        uploaded: &Uploaded,
        lights: &[Light],
        eye: Cell,
    ) -> usize {
        if uploaded.forgot {
            (self.base, self.highest) = (None, None);
        }
        for &id in bricks.changed() {
            if world.owner(id) == Owner::Terrain {
                let top = world.place_of(id).y;
                self.highest = Some(self.highest.map_or(top, |highest| highest.max(top)));
            }
        }
        let first = self.base.is_none();
        // Before the window moves; new chunks of the window are read afterwards.
        for &id in bricks.changed() {
            self.follow_brick(world, id);
        }
        let moved = self.follow_eye(world, eye);
        if moved || uploaded.lamps || lights != self.lights {
            self.follow_lamps(bricks, lights);
        }
        if first { usize::MAX } else { PIECES }
    }

    /// Moves the window if the eye is far from its middle. Returns true if it moved.
    fn follow_eye(&mut self, world: &World, eye: Cell) -> bool {
        let half = Vector3::from(WINDOW) / 2;
        let beside = |base: ChunkPosition| {
            let middle = base.zip_map(&half, |c, half| c.wrapping_add(half) << 5);
            let apart = eye.zip_map(&middle, i32::wrapping_sub);
            apart.map(i32::saturating_abs).max()
        };
        if self.base.is_some_and(|base| beside(base) <= SLACK) {
            return false;
        }
        let nearest = eye.map(|c| c.wrapping_add(SIDE as i32 / 2) >> 5);
        let base = nearest.zip_map(&half, i32::wrapping_sub).map(wrapped);
        let anew = self.base.replace(base).is_none();
        for number in 0..BRICKS {
            let chunk = chunk_in(base, number);
            if anew || self.places[number].chunk != chunk {
                let place = &mut self.places[number];
                (place.chunk, place.ready) = (chunk, false);
                place.stale = Some(Slices::ALL);
                place.follow(world);
            }
        }
        true
    }

    /// Marks the space that a new, changed or removed chunk can light or shade.
    fn follow_brick(&mut self, world: &World, id: BrickId) {
        let Some(base) = self.base else { return };
        let chunk = match world.owner(id) {
            Owner::Object(_) => return,
            Owner::Terrain => world.place_of(id),
            // Only its number is left.
            Owner::Unused => match self.places.iter().find(|place| place.id == Some(id)) {
                Some(place) => place.chunk,
                None => return,
            },
        };
        let at = chunk.zip_map(&base, i32::wrapping_sub).map(wrapped);
        if !is_inside(at) {
            return self.mark_outside(world, chunk, at);
        }
        if let Some(change) = self.places[slot(at, self.base)].follow(world) {
            self.mark_change(at, change);
        }
    }

    /// Marks everything for a chunk beside or above the window: its bits are not kept, so all of it
    /// counts as changed.
    fn mark_outside(&mut self, world: &World, chunk: ChunkPosition, at: Vector3<i32>) {
        let beside = [0, 2].map(|axis| (-1..=WINDOW[axis]).contains(&at[axis]));
        let shades = |bits: &Bits| bits.iter().any(|&word| word != 0);
        let near = match at.y {
            y if beside != [true; 2] || y < -1 => false,
            y if y <= WINDOW[1] => true,
            y => y <= WINDOW[1] + ROOF_BRICKS && shades(bits_at(world, chunk)),
        };
        if !near {
            return;
        }
        let mut region = Region::of_brick(at);
        region.low.y = 0;
        self.mark(region.grown());
    }

    /// Marks the space that light from a change can reach, including that from the open column
    /// below it.
    fn mark_change(&mut self, at: Vector3<i32>, change: Change) {
        let corner = at * SIDE as i32;
        let mut columns = change.columns;
        let mut bottom = corner.y + change.low.y;
        for y in (0..bottom).rev() {
            let below = Vector3::new(at.x, y / SIDE as i32, at.z);
            let bits = &self.places[slot(below, self.base)].bits;
            let mut any = 0;
            for (z, column) in columns.iter_mut().enumerate() {
                *column &= !bits[z * SIDE + y as usize % SIDE];
                any |= *column;
            }
            if any == 0 {
                break;
            }
            bottom = y;
        }
        let mut region = Region {
            low: corner + change.low,
            end: corner + change.end,
        };
        region.low.y = bottom;
        self.mark(region.grown());
    }

    fn mark(&mut self, region: Region) {
        let side = SIDE as i32;
        let low = region.low.map(|c| c.max(0));
        let end = region
            .end
            .zip_map(&Vector3::from(WINDOW), |c, bricks| c.min(bricks * side));
        if (0..3).any(|axis| low[axis] >= end[axis]) {
            return;
        }
        let (first, last) = (low / side, end.map(|c| (c - 1) / side));
        for z in first.z..=last.z {
            let within = |at: i32| (at - z * side).clamp(0, side) as usize;
            let slices = Slices {
                first: within(low.z),
                end: within(end.z),
            };
            for y in first.y..=last.y {
                for x in first.x..=last.x {
                    let number = slot(Vector3::new(x, y, z), self.base);
                    let stale = &mut self.places[number].stale;
                    *stale = Some(stale.map_or(slices, |stale| stale.with(slices)));
                }
            }
        }
    }

    /// Lists the lamps that reach the window, and marks the space that added or removed lamps
    /// light.
    fn follow_lamps(&mut self, bricks: &Bricks, lights: &[Light]) {
        let Some(origin) = self.origin() else { return };
        self.lights.clear();
        self.lights.extend_from_slice(lights);
        std::mem::swap(&mut self.lamps, &mut self.lamps_before);
        self.lamps.clear();
        let lamps = &mut self.lamps;
        let mut add = |cell: Cell, metres: Vector3<f32>, color, reach: f32| {
            let whole = metres.map(f32::floor);
            let lamp = LampAt {
                cell: cell.zip_map(&whole, |c, by| c.wrapping_add(by as i32)),
                offset: metres - whole,
                color,
                reach: reach.clamp(0.5, REACH as f32),
            };
            let region = Region::of_cell(lamp.cell.zip_map(&origin, i32::wrapping_sub)).grown();
            let size = Vector3::from(WINDOW) * SIDE as i32;
            if (0..3).all(|axis| region.end[axis] > 0 && region.low[axis] < size[axis]) {
                lamps.push(lamp);
            }
        };
        for (row, lamp) in bricks.lamps() {
            let metres = lamp.local * row.voxel + Vector3::from(row.offset);
            add(
                row.origin.into(),
                metres,
                lamp.color,
                lamp.reach * row.voxel.max(0.5),
            );
        }
        for light in lights.iter().filter(|light| light.reach.is_finite()) {
            add(
                light.position.cell,
                light.position.offset,
                light.color,
                light.reach,
            );
        }
        self.lamps.sort_unstable_by(compare);
        let (now, before) = (
            std::mem::take(&mut self.lamps),
            std::mem::take(&mut self.lamps_before),
        );
        for (some, others) in [(&now, &before), (&before, &now)] {
            for lamp in some {
                if others
                    .binary_search_by(|other| compare(other, lamp))
                    .is_err()
                {
                    let at = lamp.cell.zip_map(&origin, i32::wrapping_sub);
                    self.mark(Region::of_cell(at).grown());
                }
            }
        }
        (self.lamps, self.lamps_before) = (now, before);
    }

    /// Computes outdated light: first where there was light before, then nearest to the eye.
    fn relight(
        &mut self,
        world: &World,
        eye: Cell,
        most: usize,
        mut put: impl FnMut(usize, Slices, &[u32]),
    ) {
        self.queue.clear();
        for (number, place) in self.places.iter().enumerate() {
            if place.stale.is_some() {
                let middle = place.chunk.map(|c| c.wrapping_mul(32).wrapping_add(16));
                let beside = eye
                    .zip_map(&middle, i32::wrapping_sub)
                    .map(|c| c.saturating_abs());
                self.queue.push((!place.ready, beside.max(), number));
            }
        }
        self.queue.sort_unstable();
        let highest = self.highest.unwrap_or(i32::MIN);
        let mut cost = 0;
        self.pieces = 0;
        for queued in 0..self.queue.len() {
            if cost >= most {
                break;
            }
            let number = self.queue[queued].2;
            let place = &mut self.places[number];
            let stale = place.stale.take().filter(|_| place.ready);
            let slices = stale.unwrap_or(Slices::ALL);
            place.ready = true;
            self.solver
                .solve(world, place.chunk, slices, &self.lamps, highest);
            put(number, slices, &self.solver.words);
            cost += 1 + self.solver.lamps() / LAMPS_A_PIECE;
            self.pieces += 1;
        }
    }
}

/// The difference between a chunk's old and new opaque voxels.
struct Change {
    /// First and end along each axis.
    low: Vector3<i32>,
    end: Vector3<i32>,
    /// Columns with a difference: bit x of word z.
    columns: [u32; SIDE],
}

impl Place {
    /// Takes over the voxels of its chunk, and returns the difference.
    fn follow(&mut self, world: &World) -> Option<Change> {
        let id = world.brick_at(self.chunk);
        let bits = bits_at(world, self.chunk);
        self.id = id;
        let mut change = Change {
            low: Vector3::repeat(SIDE as i32),
            end: Vector3::zeros(),
            columns: [0; SIDE],
        };
        let mut across = 0;
        for (word, (known, &bits)) in self.bits.iter_mut().zip(bits).enumerate() {
            let differs = *known ^ bits;
            *known = bits;
            if differs != 0 {
                let (y, z) = ((word % SIDE) as i32, (word / SIDE) as i32);
                change.columns[z as usize] |= differs;
                across |= differs;
                (change.low.y, change.end.y) = (change.low.y.min(y), change.end.y.max(y + 1));
                (change.low.z, change.end.z) = (change.low.z.min(z), change.end.z.max(z + 1));
            }
        }
        change.low.x = across.trailing_zeros() as i32;
        change.end.x = 32 - across.leading_zeros() as i32;
        (across != 0).then_some(change)
    }
}

impl Region {
    fn of_brick(at: Vector3<i32>) -> Self {
        let low = at * SIDE as i32;
        let end = low + Vector3::repeat(SIDE as i32);
        Self { low, end }
    }

    fn of_cell(low: Vector3<i32>) -> Self {
        let end = low.map(|c| c.saturating_add(1));
        Self { low, end }
    }

    /// Returns the region extended by the reach of light.
    fn grown(self) -> Self {
        let reach = REACH as i32;
        Self {
            low: self.low.map(|c| c.saturating_sub(reach)),
            end: self.end.map(|c| c.saturating_add(reach)),
        }
    }
}

/// Uploads some slices of a chunk's light.
fn write(gpu: &Gpu, buffer: &wgpu::Buffer, number: usize, slices: Slices, words: &[u32]) {
    let words = &words[slices.words()];
    let start = number as u64 * BRICK_BYTES + slices.words().start as u64 * 4;
    gpu.write_buffer(buffer, start, bytemuck::cast_slice(words));
}

/// Wraps a chunk coordinate onto the torus of cells: 27 bits per axis.
fn wrapped(chunk: i32) -> i32 {
    (chunk << 5) >> 5
}

/// Returns the chunk for a part of the buffer: chunks that enter the window take the parts of those
/// that leave.
fn chunk_in(base: ChunkPosition, number: usize) -> ChunkPosition {
    let number = number as i32;
    let [wide, high, deep] = WINDOW;
    let part = Vector3::new(number % wide, number / wide % high, number / (wide * high));
    let size = Vector3::new(wide, high, deep);
    let step = part
        .zip_map(&base, i32::wrapping_sub)
        .zip_map(&size, |c, side| c & (side - 1));
    base.zip_map(&step, i32::wrapping_add).map(wrapped)
}

/// Returns the part of the buffer for a chunk, counted from the lowest of the window.
fn slot(at: Vector3<i32>, base: Option<ChunkPosition>) -> usize {
    let chunk = base.unwrap_or_default().zip_map(&at, i32::wrapping_add);
    let part = chunk.zip_map(&Vector3::from(WINDOW), |c, side| c & (side - 1));
    ((part.z * WINDOW[1] + part.y) * WINDOW[0] + part.x) as usize
}

/// Returns true if a chunk, counted from the lowest of the window, is in the window.
fn is_inside(at: Vector3<i32>) -> bool {
    (0..3).all(|axis| (0..WINDOW[axis]).contains(&at[axis]))
}

fn compare(a: &LampAt, b: &LampAt) -> std::cmp::Ordering {
    let key = |lamp: &LampAt| {
        let [x, y, z] = lamp.cell.into();
        let [u, v, w] = lamp.offset.map(f32::to_bits).into();
        (
            [x, y, z],
            [u, v, w],
            lamp.color.map(f32::to_bits),
            lamp.reach.to_bits(),
        )
    };
    key(a).cmp(&key(b))
}

#[cfg(test)]
mod tests;
