//! Lists of draws: runs of quads in pages, and the buffer that indirect draws read them from.

use world::BrickId;

use super::growing::GrowingBuffer;
use crate::Gpu;

/// Most quads in one draw: their corners are numbered in sixteen bits.
pub(crate) const QUADS_PER_DRAW: u32 = 16_384;

/// Arguments of an indexed, indirect draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub(crate) struct Arguments {
    indices: u32,
    instances: u32,
    first_index: u32,
    base_vertex: i32,
    brick: u32,
}

const ARGUMENT_BYTES: u64 = size_of::<Arguments>() as u64;

/// Where the draws of a brick were removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Gap {
    pub(crate) page: usize,
    at: usize,
}

/// Draws of one pass, by page.
#[derive(Default)]
pub(crate) struct DrawList {
    pages: Vec<Vec<Arguments>>,
    /// Where each page's arguments begin in the indirect buffer.
    offsets: Vec<u64>,
    quads: u64,
}

impl DrawList {
    pub(crate) fn clear(&mut self, pages: usize) {
        self.pages.resize_with(pages, Vec::new);
        self.pages.iter_mut().for_each(Vec::clear);
        self.offsets.clear();
        self.quads = 0;
    }

    pub(crate) fn len(&self) -> usize {
        self.pages.iter().map(Vec::len).sum()
    }

    pub(crate) fn quads(&self) -> u64 {
        self.quads
    }

    pub(crate) fn pages(&self) -> usize {
        self.pages.len()
    }

    /// Whether there is a draw of one of the bricks.
    pub(crate) fn any_of(&self, bricks: &[BrickId]) -> bool {
        let mut draws = self.pages.iter().flatten();
        draws.any(|draw| bricks.contains(&BrickId(draw.brick)))
    }

    /// Removes the draws of a brick, keeping the order of the others.
    pub(crate) fn remove(&mut self, brick: BrickId) -> Option<Gap> {
        let mut gap = None;
        for (page, draws) in self.pages.iter_mut().enumerate() {
            let Some(at) = draws.iter().position(|draw| draw.brick == brick.0) else {
                continue;
            };
            gap.get_or_insert(Gap { page, at });
            let of_brick = |draw: &&Arguments| draw.brick == brick.0;
            let quads = draws.iter().filter(of_brick).map(|draw| draw.indices / 6);
            self.quads -= u64::from(quads.sum::<u32>());
            draws.retain(|draw| draw.brick != brick.0);
        }
        gap
    }

    /// Moves what was pushed since a page had so many draws to where others were removed.
    pub(crate) fn fill(&mut self, gap: Gap, had: usize) {
        let draws = &mut self.pages[gap.page];
        let added = draws.len() - had;
        draws[gap.at..].rotate_right(added);
    }

    /// How many draws there are on a page.
    pub(crate) fn len_of(&self, page: usize) -> usize {
        self.pages[page].len()
    }

    /// Adds a run of quads, as several draws if it is too long for one.
    #[inline]
    pub(crate) fn push(&mut self, page: u32, first_quad: u32, quads: u32, brick: BrickId) {
        self.quads += u64::from(quads);
        let draws = &mut self.pages[page as usize];
        let (mut first, mut left) = (first_quad, quads);
        while left > 0 {
            let part = left.min(QUADS_PER_DRAW);
            draws.push(Arguments {
                indices: part * 6,
                instances: 1,
                first_index: 0,
                base_vertex: (first * 4) as i32,
                brick: brick.0,
            });
            first += part;
            left -= part;
        }
    }

    /// Last draws first.
    pub(crate) fn reverse(&mut self) {
        self.pages.iter_mut().for_each(|draws| draws.reverse());
    }

    /// Draws of one page: `bind` is called with the page's number before them.
    pub(crate) fn record(
        &self,
        pass: &mut wgpu::RenderPass<'_>,
        indirect: Option<&wgpu::Buffer>,
        mut bind: impl FnMut(&mut wgpu::RenderPass<'_>, usize),
    ) {
        for (page, draws) in self.pages.iter().enumerate() {
            if draws.is_empty() {
                continue;
            }
            bind(pass, page);
            match indirect {
                Some(buffer) => {
                    pass.multi_draw_indexed_indirect(
                        buffer,
                        self.offsets[page],
                        draws.len() as u32,
                    );
                }
                None => {
                    for draw in draws {
                        pass.draw_indexed(
                            0..draw.indices,
                            draw.base_vertex,
                            draw.brick..draw.brick + 1,
                        );
                    }
                }
            }
        }
    }
}

/// A buffer with the arguments of some lists.
pub(crate) struct Indirect {
    buffer: GrowingBuffer,
}

impl Indirect {
    pub(crate) fn new(gpu: &Gpu) -> Self {
        Self {
            buffer: GrowingBuffer::new(gpu, "draws", wgpu::BufferUsages::INDIRECT, 16 << 10),
        }
    }

    /// Uploads the arguments of lists, which then know where they begin.
    pub(crate) fn upload(&mut self, gpu: &Gpu, mut lists: [&mut DrawList; 2]) {
        let mut bytes = 0;
        for list in &mut lists {
            list.offsets.clear();
            for draws in &list.pages {
                list.offsets.push(bytes);
                bytes += draws.len() as u64 * ARGUMENT_BYTES;
            }
        }
        let Some(size) = wgpu::BufferSize::new(bytes) else {
            return;
        };
        // Nothing names the buffer but the draws of this picture.
        let _ = self.buffer.reserve(gpu, bytes);
        if let Some(mut view) = gpu.queue.write_buffer_with(self.buffer.buffer(), 0, size) {
            let mut start = 0;
            for draws in lists.iter().flat_map(|list| &list.pages) {
                let bytes: &[u8] = bytemuck::cast_slice(draws);
                view.slice(start..start + bytes.len())
                    .copy_from_slice(bytes);
                start += bytes.len();
            }
        }
    }

    pub(crate) fn buffer(&self) -> &wgpu::Buffer {
        self.buffer.buffer()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_too_long_for_sixteen_bits_becomes_several_draws() {
        let mut list = DrawList::default();
        list.clear(2);
        list.push(1, 100, 2 * QUADS_PER_DRAW + 5, BrickId(7));
        let parts: Vec<_> = list.pages[1]
            .iter()
            .map(|draw| (draw.base_vertex / 4, draw.indices / 6, draw.brick))
            .collect();
        assert_eq!(
            parts,
            [(100, 16_384, 7), (16_484, 16_384, 7), (32_868, 5, 7)]
        );
        assert_eq!((list.len(), list.quads()), (3, 32_773));
    }

    #[test]
    fn draws_of_a_brick_are_replaced_and_the_others_stay_in_order() {
        let mut list = DrawList::default();
        list.clear(1);
        for (brick, first) in [(1, 0), (2, 10), (2, 30), (3, 40), (1, 50)] {
            list.push(0, first, 5, BrickId(brick));
        }
        assert!(list.any_of(&[BrickId(3)]) && !list.any_of(&[BrickId(4)]));
        let firsts = |list: &DrawList| -> Vec<_> {
            let draws = list.pages[0].iter();
            draws.map(|draw| draw.base_vertex / 4).collect()
        };
        assert_eq!(list.remove(BrickId(9)), None);
        let gap = list.remove(BrickId(2)).expect("brick 2 has draws");
        assert_eq!((firsts(&list), list.quads()), (vec![0, 40, 50], 15));
        let had = list.len_of(0);
        list.push(0, 60, 5, BrickId(2));
        list.push(0, 70, 5, BrickId(2));
        list.fill(gap, had);
        assert_eq!(firsts(&list), [0, 60, 70, 40, 50]);
    }
}
