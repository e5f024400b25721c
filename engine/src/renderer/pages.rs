//! Quads of all chunks in a few large buffers.

use super::allocator::{Allocator, Range};
use crate::Gpu;

/// Bytes of a packed quad.
pub(crate) const QUAD_BYTES: u64 = 8;
/// Size of the first page; small, so that a small world starts at once.
const FIRST_PAGE_BYTES: u64 = 16 << 20;
/// Size of later pages; the adapter's limit may be lower.
const PAGE_BYTES: u64 = 64 << 20;

/// A run of quads in a page.
#[derive(Clone, Copy, Debug)]
pub(crate) struct QuadRun {
    pub(crate) page: u32,
    range: Range,
}

impl QuadRun {
    /// Returns the number of the first quad in the page.
    pub(crate) fn first(&self) -> u32 {
        self.range.start
    }
}

struct Page {
    buffer: wgpu::Buffer,
    allocator: Allocator,
}

/// All pages; none before the first quad.
#[derive(Default)]
pub(crate) struct Pages {
    pages: Vec<Page>,
}

impl Pages {
    pub(crate) fn len(&self) -> usize {
        self.pages.len()
    }

    pub(crate) fn buffer(&self, page: usize) -> &wgpu::Buffer {
        &self.pages[page].buffer
    }

    /// Returns the bytes of all pages.
    pub(crate) fn bytes(&self) -> u64 {
        self.pages.iter().map(|page| page.buffer.size()).sum()
    }

    /// Returns the bytes of quads in use.
    pub(crate) fn used_bytes(&self) -> u64 {
        self.pages
            .iter()
            .map(|page| u64::from(page.allocator.used()) * QUAD_BYTES)
            .sum()
    }

    /// Allocates room for quads, adding a page if necessary.
    pub(crate) fn allocate(&mut self, gpu: &Gpu, quads: u32) -> QuadRun {
        // With spare room, so that most edits stay in place.
        let wanted = quads + quads / 8 + 16;
        for (page, entry) in self.pages.iter_mut().enumerate() {
            if let Some(range) = entry.allocator.allocate(wanted) {
                return QuadRun {
                    page: page as u32,
                    range,
                };
            }
        }
        self.pages.push(new_page(gpu, self.pages.len()));
        let page = self.pages.len() - 1;
        match self.pages[page].allocator.allocate(wanted) {
            Some(range) => QuadRun {
                page: page as u32,
                range,
            },
            None => unreachable!("a page holds more than the 196,608 quads of a brick"),
        }
    }

    /// Returns the old run if it has room, or else another run.
    pub(crate) fn replace(
        &mut self,
        gpu: &Gpu,
        old: Option<QuadRun>,
        quads: u32,
    ) -> Option<QuadRun> {
        match old {
            Some(run) if quads > 0 && quads <= run.range.length => return Some(run),
            Some(run) => self.free(run),
            None => {}
        }
        (quads > 0).then(|| self.allocate(gpu, quads))
    }

    pub(crate) fn free(&mut self, run: QuadRun) {
        self.pages[run.page as usize].allocator.free(run.range);
    }

    pub(crate) fn write(&self, gpu: &Gpu, run: QuadRun, skip: u32, bytes: &[u8]) {
        if !bytes.is_empty() {
            let offset = u64::from(run.range.start + skip) * QUAD_BYTES;
            gpu.write_buffer(&self.pages[run.page as usize].buffer, offset, bytes);
        }
    }
}

fn new_page(gpu: &Gpu, number: usize) -> Page {
    let wanted = if number == 0 {
        FIRST_PAGE_BYTES
    } else {
        PAGE_BYTES
    };
    let bytes = wanted.min(gpu.capabilities.storage_binding) / 256 * 256;
    let buffer = gpu.device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("quads"),
        size: bytes,
        usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    Page {
        buffer,
        allocator: Allocator::new((bytes / QUAD_BYTES) as u32),
    }
}
