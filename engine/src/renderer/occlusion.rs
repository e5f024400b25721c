//! The bits of opaque voxels, from which shaders compute ambient occlusion.
//!
//! The 32^3 bits of a chunk take 4 KB, those of a uniform chunk nothing. A table holds the place of
//! the bits of each chunk and its 26 neighbours, so that a change shows across borders although
//! only its own chunk is uploaded. When there is no more room for bits, chunks are drawn without
//! occlusion.

use world::{BrickId, Owner, World};

use super::growing::{GrowingBuffer, Grown};
use crate::Gpu;

/// Bytes of a chunk's bits.
const BRICK_BYTES: u64 = 4096;
/// Initial number of slots.
const FIRST_SLOTS: u32 = 256;
/// Slot with all bits clear; also used for unknown chunks.
const EMPTY: u32 = 0;
/// Slot with all bits set.
const FULL: u32 = 1;
/// Entries of a chunk in the table; the shader has the same number.
const AROUND: usize = 27;

/// The slots of a chunk and its neighbours.
type Neighbours = [u32; AROUND];

/// The bits of all chunks on the GPU.
pub(crate) struct OcclusionBits {
    bits: wgpu::Buffer,
    slots: u32,
    used: u32,
    free: Vec<u32>,
    /// The slot of each chunk.
    slot_of: Vec<u32>,
    around: Vec<Neighbours>,
    table: GrowingBuffer,
    /// Rows of the table that differ from the GPU's.
    stale: std::ops::Range<usize>,
    rebind: bool,
}

impl OcclusionBits {
    pub(crate) fn new(gpu: &Gpu) -> Self {
        let bits = create(gpu, FIRST_SLOTS);
        let full = [u32::MAX; BRICK_BYTES as usize / 4];
        let at = u64::from(FULL) * BRICK_BYTES;
        gpu.write_buffer(&bits, at, bytemuck::cast_slice(&full));
        Self {
            bits,
            slots: FIRST_SLOTS,
            used: FULL + 1,
            free: Vec::new(),
            slot_of: Vec::new(),
            around: Vec::new(),
            table: GrowingBuffer::new(
                gpu,
                "bricks about bricks",
                wgpu::BufferUsages::STORAGE,
                4096,
            ),
            stale: 0..0,
            rebind: false,
        }
    }

    pub(crate) fn bits(&self) -> &wgpu::Buffer {
        &self.bits
    }

    pub(crate) fn table(&self) -> &wgpu::Buffer {
        self.table.buffer()
    }

    /// Drops all chunks.
    pub(crate) fn forget(&mut self) {
        self.free.clear();
        self.slot_of.clear();
        self.around.clear();
        self.used = FULL + 1;
        self.stale = 0..0;
    }

    /// Follows a chunk that changed, came or went. Returns the number of uploaded bytes.
    pub(crate) fn follow(&mut self, gpu: &Gpu, world: &World, id: BrickId) -> u64 {
        let index = id.0 as usize;
        if self.slot_of.len() <= index {
            // The GPU may hold older rows there.
            self.mark(self.around.len()..index + 1);
            self.slot_of.resize(index + 1, EMPTY);
            self.around.resize(index + 1, [EMPTY; AROUND]);
        }
        let bits = world.brick(id).opaque_bits();
        let gone = world.owner(id) == Owner::Unused;
        let old = self.slot_of[index];
        let slot = if gone || bits.iter().all(|&word| word == 0) {
            EMPTY
        } else if bits.iter().all(|&word| word == u32::MAX) {
            FULL
        } else if old > FULL {
            old
        } else {
            self.claim(gpu)
        };
        if old > FULL && slot != old {
            self.free.push(old);
        }
        self.slot_of[index] = slot;
        self.tell_neighbours(world, id);
        if slot <= FULL {
            return 0;
        }
        gpu.write_buffer(
            &self.bits,
            u64::from(slot) * BRICK_BYTES,
            bytemuck::cast_slice(bits),
        );
        BRICK_BYTES
    }

    /// Updates the entries between a chunk and its neighbours. The neighbours of a removed chunk
    /// may have another chunk there.
    fn tell_neighbours(&mut self, world: &World, id: BrickId) {
        for (place, &there) in world.bricks_around(id).iter().enumerate() {
            self.write_entry(id.0 as usize, place, self.slot(there));
            // The first two ids stand for missing chunks.
            if there.0 > 1 && (there.0 as usize) < self.around.len() {
                let opposite = AROUND - 1 - place;
                let back = world.bricks_around(there)[opposite];
                self.write_entry(there.0 as usize, opposite, self.slot(back));
            }
        }
    }

    fn slot(&self, id: BrickId) -> u32 {
        self.slot_of.get(id.0 as usize).copied().unwrap_or(EMPTY)
    }

    fn write_entry(&mut self, brick: usize, place: usize, slot: u32) {
        let entry = &mut self.around[brick][place];
        if *entry != slot {
            *entry = slot;
            self.mark(brick..brick + 1);
        }
    }

    fn mark(&mut self, rows: std::ops::Range<usize>) {
        self.stale = if self.stale.is_empty() {
            rows
        } else {
            self.stale.start.min(rows.start)..self.stale.end.max(rows.end)
        };
    }

    /// Uploads the changed rows of the table. Returns true if bind groups must be replaced.
    pub(crate) fn finish(&mut self, gpu: &Gpu) -> bool {
        let bytes: &[u8] = bytemuck::cast_slice(&self.around);
        if bytes.len() as u64 > self.table.buffer().size() {
            self.rebind |= self.table.write(gpu, bytes) == Grown::Yes;
        } else if !self.stale.is_empty() {
            let row = size_of::<Neighbours>();
            let stale = self.stale.start * row..self.stale.end * row;
            gpu.write_buffer(self.table.buffer(), stale.start as u64, &bytes[stale]);
        }
        self.stale = 0..0;
        std::mem::take(&mut self.rebind)
    }

    /// Returns a slot for a chunk's bits, or [`EMPTY`] if there is none.
    fn claim(&mut self, gpu: &Gpu) -> u32 {
        if let Some(slot) = self.free.pop() {
            return slot;
        }
        if self.used == self.slots && !self.grow(gpu) {
            return EMPTY;
        }
        self.used += 1;
        self.used - 1
    }

    /// Doubles the buffer, keeping its contents. Returns false if it cannot grow.
    fn grow(&mut self, gpu: &Gpu) -> bool {
        let most = (gpu.capabilities.storage_binding / BRICK_BYTES).min(u64::from(u32::MAX));
        let slots = (self.slots * 2).min(most as u32);
        if slots <= self.slots {
            return false;
        }
        let bits = create(gpu, slots);
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        encoder.copy_buffer_to_buffer(&self.bits, 0, &bits, 0, self.bits.size());
        gpu.queue.submit([encoder.finish()]);
        self.bits = bits;
        self.slots = slots;
        self.rebind = true;
        true
    }
}

fn create(gpu: &Gpu, slots: u32) -> wgpu::Buffer {
    gpu.device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("opaque voxels"),
        size: u64::from(slots) * BRICK_BYTES,
        usage: wgpu::BufferUsages::STORAGE
            | wgpu::BufferUsages::COPY_DST
            | wgpu::BufferUsages::COPY_SRC,
        mapped_at_creation: false,
    })
}
