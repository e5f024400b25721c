//! Lists of draws: runs of quads in pages, and the buffers that they are drawn from.
//!
//! A draw is one instance, whose attributes hold its first quad and its chunk. Every draw counts
//! vertices from 0, and no shader uses instance numbers, because DX12 adds no base to either.
//! Without indirect draws, the attributes of each draw are bound before it.

use world::BrickId;

use shaders::Run;

use super::growing::GrowingBuffer;
use crate::Gpu;

/// Largest number of quads in one draw: their corners have 16-bit indices.
pub(crate) const QUADS_PER_DRAW: u32 = 16_384;

/// Arguments of an indexed, indirect draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub(crate) struct Arguments {
    indices: u32,
    instances: u32,
    first_index: u32,
    base_vertex: i32,
    first_instance: u32,
}

const ARGUMENT_BYTES: u64 = size_of::<Arguments>() as u64;
const RUN_BYTES: u64 = size_of::<Run>() as u64;

/// A run of quads.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Draw {
    quads: u32,
    run: Run,
}

/// The place of removed draws of a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Gap {
    pub(crate) page: usize,
    at: usize,
}

/// Consecutive draws from one page.
#[derive(Default)]
struct Batch {
    page: usize,
    draws: Vec<Draw>,
}

/// The draws of one pass: one batch for each page, or in the order of pushes, with a new batch
/// whenever the page changes.
#[derive(Default)]
pub(crate) struct DrawList {
    /// The batches in use, followed by unused ones that keep their memory.
    all: Vec<Batch>,
    used: usize,
    keeps_order: bool,
    /// Number of each batch's first draw in the buffers.
    starts: Vec<u64>,
    quads: u64,
}

impl DrawList {
    /// Makes a list that is drawn in the order of its pushes, whatever their pages.
    pub(crate) fn in_order() -> Self {
        Self {
            keeps_order: true,
            ..Self::default()
        }
    }

    pub(crate) fn clear(&mut self, pages: usize) {
        self.used = if self.keeps_order { 0 } else { pages };
        if self.all.len() < self.used {
            self.all.resize_with(self.used, Batch::default);
        }
        for (page, batch) in self.all.iter_mut().enumerate() {
            batch.page = page;
            batch.draws.clear();
        }
        self.starts.clear();
        self.quads = 0;
    }

    #[inline]
    fn batches(&self) -> &[Batch] {
        &self.all[..self.used]
    }

    pub(crate) fn len(&self) -> usize {
        self.batches().iter().map(|batch| batch.draws.len()).sum()
    }

    pub(crate) fn quads(&self) -> u64 {
        self.quads
    }

    /// Returns the number of pages of a list with one batch per page.
    pub(crate) fn pages(&self) -> usize {
        self.used
    }

    /// Returns true if there is a draw of one of the chunks.
    pub(crate) fn any_of(&self, bricks: &[BrickId]) -> bool {
        let mut draws = self.batches().iter().flat_map(|batch| &batch.draws);
        draws.any(|draw| bricks.contains(&BrickId(draw.run.brick)))
    }

    /// Removes the draws of a chunk, keeping the order of the others.
    pub(crate) fn remove(&mut self, brick: BrickId) -> Option<Gap> {
        let mut gap = None;
        for (page, batch) in self.all[..self.used].iter_mut().enumerate() {
            let draws = &mut batch.draws;
            let Some(at) = draws.iter().position(|draw| draw.run.brick == brick.0) else {
                continue;
            };
            gap.get_or_insert(Gap { page, at });
            let of_brick = |draw: &&Draw| draw.run.brick == brick.0;
            let quads = draws.iter().filter(of_brick).map(|draw| draw.quads);
            self.quads -= u64::from(quads.sum::<u32>());
            draws.retain(|draw| draw.run.brick != brick.0);
        }
        gap
    }

    /// Moves the draws beyond the first `had` of a page to the place of removed ones.
    pub(crate) fn fill(&mut self, gap: Gap, had: usize) {
        let draws = &mut self.all[gap.page].draws;
        let added = draws.len() - had;
        draws[gap.at..].rotate_right(added);
    }

    /// Returns the number of draws on a page.
    pub(crate) fn len_of(&self, page: usize) -> usize {
        self.all[page].draws.len()
    }

    /// Returns the batch for a draw from a page.
    #[inline]
    fn batch_on(&mut self, page: usize) -> &mut Vec<Draw> {
        if !self.keeps_order {
            return &mut self.all[page].draws;
        }
        if self.batches().last().is_none_or(|last| last.page != page) {
            if self.used == self.all.len() {
                self.all.push(Batch::default());
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
        let draws = self.batch_on(page as usize);
        let (mut first, mut left) = (first_quad, quads);
        while left > 0 {
            let part = left.min(QUADS_PER_DRAW);
            draws.push(Draw {
                quads: part,
                run: Run {
                    first: first * 4,
                    brick: brick.0,
                },
            });
            first += part;
            left -= part;
        }
    }

    /// Reverses the order of the draws.
    pub(crate) fn reverse(&mut self) {
        let batches = &mut self.all[..self.used];
        if self.keeps_order {
            batches.reverse();
        }
        batches.iter_mut().for_each(|batch| batch.draws.reverse());
    }

    /// Records all draws; calls `bind` with the page's number before each batch.
    pub(crate) fn record(
        &self,
        pass: &mut wgpu::RenderPass<'_>,
        buffers: &DrawBuffers,
        mut bind: impl FnMut(&mut wgpu::RenderPass<'_>, usize),
    ) {
        let runs = buffers.runs.buffer();
        for (batch, &start) in self.batches().iter().zip(&self.starts) {
            let draws = &batch.draws;
            if draws.is_empty() {
                continue;
            }
            bind(pass, batch.page);
            if let Some(arguments) = &buffers.arguments {
                let (first, count) = (start * ARGUMENT_BYTES, draws.len() as u32);
                pass.set_vertex_buffer(0, runs.slice(..));
                pass.multi_draw_indexed_indirect(arguments.buffer(), first, count);
                continue;
            }
            for (number, draw) in (start..).zip(draws) {
                let own = number * RUN_BYTES..(number + 1) * RUN_BYTES;
                pass.set_vertex_buffer(0, runs.slice(own));
                pass.draw_indexed(0..draw.quads * 6, 0, 0..1);
            }
        }
    }
}

/// Buffers with the draws of some lists.
pub(crate) struct DrawBuffers {
    /// One instance per draw.
    runs: GrowingBuffer,
    /// Arguments of indirect draws, if the adapter supports them.
    arguments: Option<GrowingBuffer>,
    staged_runs: Vec<Run>,
    staged_arguments: Vec<Arguments>,
}

impl DrawBuffers {
    pub(crate) fn new(gpu: &Gpu) -> Self {
        let buffer = |label, usage| GrowingBuffer::new(gpu, label, usage, 16 << 10);
        Self {
            runs: buffer("runs", wgpu::BufferUsages::VERTEX),
            arguments: (gpu.capabilities.indirect)
                .then(|| buffer("draws", wgpu::BufferUsages::INDIRECT)),
            staged_runs: Vec::new(),
            staged_arguments: Vec::new(),
        }
    }

    /// Uploads the draws of lists and sets their starts in the buffers.
    pub(crate) fn upload(&mut self, gpu: &Gpu, lists: [&mut DrawList; 2]) {
        self.staged_runs.clear();
        self.staged_arguments.clear();
        for list in lists {
            list.starts.clear();
            for batch in &list.all[..list.used] {
                list.starts.push(self.staged_runs.len() as u64);
                let first = self.staged_runs.len() as u32;
                self.staged_runs
                    .extend(batch.draws.iter().map(|draw| draw.run));
                if self.arguments.is_some() {
                    let arguments = (first..).zip(&batch.draws).map(arguments_of);
                    self.staged_arguments.extend(arguments);
                }
            }
        }
        // The buffers are in no bind group.
        let _ = self
            .runs
            .write(gpu, bytemuck::cast_slice(&self.staged_runs));
        if let Some(arguments) = &mut self.arguments {
            let _ = arguments.write(gpu, bytemuck::cast_slice(&self.staged_arguments));
        }
    }
}

fn arguments_of((number, draw): (u32, &Draw)) -> Arguments {
    Arguments {
        indices: draw.quads * 6,
        instances: 1,
        first_index: 0,
        base_vertex: 0,
        first_instance: number,
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
            .map(|draw| (draw.run.first / 4, draw.quads, draw.run.brick))
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
            let batches = list.batches().iter();
            let all = batches.flat_map(|batch| {
                let draws = batch.draws.iter();
                draws.map(|draw| (batch.page, draw.run.brick))
            });
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
            draws.map(|draw| draw.run.first / 4).collect()
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
