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

/// Draws from one page, one after another.
#[derive(Default)]
struct Run {
    page: usize,
    draws: Vec<Arguments>,
}

/// Draws of one pass: a run a page, or in the order they were pushed, a run wherever the page changes.
#[derive(Default)]
pub(crate) struct DrawList {
    /// Those in use, and behind them some that keep their memory.
    all: Vec<Run>,
    used: usize,
    keeps_order: bool,
    /// Where the arguments of each run begin in the indirect buffer.
    offsets: Vec<u64>,
    quads: u64,
}

impl DrawList {
    /// One that is drawn in the order of its pushes, whatever page they are on.
    pub(crate) fn in_order() -> Self {
        Self {
            keeps_order: true,
            ..Self::default()
        }
    }

    pub(crate) fn clear(&mut self, pages: usize) {
        self.used = if self.keeps_order { 0 } else { pages };
        if self.all.len() < self.used {
            self.all.resize_with(self.used, Run::default);
        }
        for (page, run) in self.all.iter_mut().enumerate() {
            run.page = page;
            run.draws.clear();
        }
        self.offsets.clear();
        self.quads = 0;
    }

    #[inline]
    fn runs(&self) -> &[Run] {
        &self.all[..self.used]
    }

    pub(crate) fn len(&self) -> usize {
        self.runs().iter().map(|run| run.draws.len()).sum()
    }

    pub(crate) fn quads(&self) -> u64 {
        self.quads
    }

    /// Of a list that has a run a page.
    pub(crate) fn pages(&self) -> usize {
        self.used
    }

    /// Whether there is a draw of one of the bricks.
    pub(crate) fn any_of(&self, bricks: &[BrickId]) -> bool {
        let mut draws = self.runs().iter().flat_map(|run| &run.draws);
        draws.any(|draw| bricks.contains(&BrickId(draw.brick)))
    }

    /// Removes the draws of a brick, keeping the order of the others.
    pub(crate) fn remove(&mut self, brick: BrickId) -> Option<Gap> {
        let mut gap = None;
        for (page, run) in self.all[..self.used].iter_mut().enumerate() {
            let draws = &mut run.draws;
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
        let draws = &mut self.all[gap.page].draws;
        let added = draws.len() - had;
        draws[gap.at..].rotate_right(added);
    }

    /// How many draws there are on a page.
    pub(crate) fn len_of(&self, page: usize) -> usize {
        self.all[page].draws.len()
    }

    /// Where a draw from a page is put.
    #[inline]
    fn run_on(&mut self, page: usize) -> &mut Vec<Arguments> {
        if !self.keeps_order {
            return &mut self.all[page].draws;
        }
        if self.runs().last().is_none_or(|last| last.page != page) {
            if self.used == self.all.len() {
                self.all.push(Run::default());
            }
            self.all[self.used].page = page;
            self.used += 1;
        }
        &mut self.all[self.used - 1].draws
    }

    /// Adds a run of quads, as several draws if it is too long for one.
    #[inline]
    pub(crate) fn push(&mut self, page: u32, first_quad: u32, quads: u32, brick: BrickId) {
        self.quads += u64::from(quads);
        let draws = self.run_on(page as usize);
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
        let runs = &mut self.all[..self.used];
        if self.keeps_order {
            runs.reverse();
        }
        runs.iter_mut().for_each(|run| run.draws.reverse());
    }

    /// Draws all: `bind` is called with the page's number before those of a run.
    pub(crate) fn record(
        &self,
        pass: &mut wgpu::RenderPass<'_>,
        indirect: Option<&wgpu::Buffer>,
        mut bind: impl FnMut(&mut wgpu::RenderPass<'_>, usize),
    ) {
        for (number, run) in self.runs().iter().enumerate() {
            let draws = &run.draws;
            if draws.is_empty() {
                continue;
            }
            bind(pass, run.page);
            match indirect {
                Some(buffer) => {
                    pass.multi_draw_indexed_indirect(
                        buffer,
                        self.offsets[number],
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
            for run in &list.all[..list.used] {
                list.offsets.push(bytes);
                bytes += run.draws.len() as u64 * ARGUMENT_BYTES;
            }
        }
        let Some(size) = wgpu::BufferSize::new(bytes) else {
            return;
        };
        // Nothing names the buffer but the draws of this picture.
        let _ = self.buffer.reserve(gpu, bytes);
        if let Some(mut view) = gpu.queue.write_buffer_with(self.buffer.buffer(), 0, size) {
            let mut start = 0;
            for run in lists.iter().flat_map(|list| list.runs()) {
                let bytes: &[u8] = bytemuck::cast_slice(&run.draws);
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
        let parts: Vec<_> = list.all[1]
            .draws
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
    fn last_is_drawn_first_whatever_page_it_is_on() {
        let mut list = DrawList::in_order();
        for _ in 0..2 {
            list.clear(3);
            for (page, first) in [(0, 10), (0, 20), (2, 30), (0, 40), (1, 50)] {
                list.push(page, first, 5, BrickId(first));
            }
            list.reverse();
            let runs = list.runs().iter();
            let all = runs.flat_map(|run| run.draws.iter().map(|draw| (run.page, draw.brick)));
            let all: Vec<_> = all.collect();
            assert_eq!(all, [(1, 50), (0, 40), (2, 30), (0, 20), (0, 10)]);
            assert_eq!((list.len(), list.quads()), (5, 25));
        }
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
            let draws = list.all[0].draws.iter();
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
