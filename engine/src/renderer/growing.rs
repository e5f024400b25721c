//! A buffer that is replaced by one of at least twice the length when its contents outgrow it.

use crate::Gpu;

pub(crate) struct GrowingBuffer {
    buffer: wgpu::Buffer,
    label: &'static str,
    usage: wgpu::BufferUsages,
}

impl GrowingBuffer {
    pub(crate) fn new(
        gpu: &Gpu,
        label: &'static str,
        usage: wgpu::BufferUsages,
        bytes: u64,
    ) -> Self {
        let usage = usage | wgpu::BufferUsages::COPY_DST;
        Self {
            buffer: create(gpu, label, usage, bytes),
            label,
            usage,
        }
    }

    pub(crate) fn buffer(&self) -> &wgpu::Buffer {
        &self.buffer
    }

    /// Makes room without keeping the contents. Returns `Yes` if the buffer was replaced, so that
    /// bind groups must be too.
    pub(crate) fn reserve(&mut self, gpu: &Gpu, bytes: u64) -> Grown {
        if bytes <= self.buffer.size() {
            return Grown::No;
        }
        self.buffer = create(gpu, self.label, self.usage, bytes.next_power_of_two());
        Grown::Yes
    }

    /// Writes from the start, making room if necessary.
    pub(crate) fn write(&mut self, gpu: &Gpu, bytes: &[u8]) -> Grown {
        let grown = self.reserve(gpu, bytes.len() as u64);
        if !bytes.is_empty() {
            gpu.write_buffer(&self.buffer, 0, bytes);
        }
        grown
    }
}

/// Tells if a buffer was replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Grown {
    Yes,
    No,
}

fn create(gpu: &Gpu, label: &'static str, usage: wgpu::BufferUsages, bytes: u64) -> wgpu::Buffer {
    gpu.device.create_buffer(&wgpu::BufferDescriptor {
        label: Some(label),
        size: bytes.max(256),
        usage,
        mapped_at_creation: false,
    })
}
