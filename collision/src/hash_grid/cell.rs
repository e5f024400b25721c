//! One layer of the grid: the list of objects of every cell, and the objects' boxes.
//!
//! A list begins with a few places in the cell itself, one cache line in all; a longer one
//! continues in blocks of a pool that never shrinks, so that a layer which is cleared and filled
//! every tick stops allocating.

use super::span::{Cells, Span};

/// Objects stored in a cell or block itself.
const PLACES: usize = 6;
const NONE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct Block {
    len: u32,
    /// The block with the rest of the list. Only the first block of a list has free places.
    next: u32,
    objects: [u32; PLACES],
}

impl Block {
    const EMPTY: Self = Self {
        len: 0,
        next: NONE,
        objects: [0; PLACES],
    };
}

#[derive(Clone, Debug)]
pub(super) struct Layer<const D: usize> {
    pub(super) spans: Vec<Span<D>>,
    cells: Vec<Block>,
    /// Full blocks that hold the rest of long lists.
    blocks: Vec<Block>,
    free_blocks: Vec<u32>,
}

impl<const D: usize> Layer<D> {
    pub(super) fn new(cells: usize) -> Self {
        Self {
            spans: Vec::new(),
            cells: vec![Block::EMPTY; cells],
            blocks: Vec::new(),
            free_blocks: Vec::new(),
        }
    }

    pub(super) fn clear(&mut self, cells: &Cells<D>) {
        if self.spans.len() * 8 > self.cells.len() {
            self.cells.fill(Block::EMPTY);
        } else {
            for span in &self.spans {
                let touched = cells.touched(span);
                touched.for_each(|cell| self.cells[touched.index(cell)] = Block::EMPTY);
            }
        }
        self.spans.clear();
        self.blocks.clear();
        self.free_blocks.clear();
    }

    /// Adds the object whose box was just stored.
    #[inline]
    pub(super) fn enter(&mut self, cells: &Cells<D>, object: u32) {
        let touched = cells.touched(&self.spans[object as usize]);
        if touched.is_single() {
            return self.push(touched.index(&touched.low), object);
        }
        touched.for_each(|cell| self.push(touched.index(cell), object));
    }

    #[inline]
    fn push(&mut self, cell: usize, object: u32) {
        let list = &mut self.cells[cell];
        let len = list.len as usize;
        if len < PLACES {
            list.objects[len] = object;
            list.len += 1;
        } else {
            self.push_block(cell, object);
        }
    }

    /// Moves a full list's first block to the pool and starts a new one.
    #[cold]
    fn push_block(&mut self, cell: usize, object: u32) {
        let full = self.cells[cell];
        let place = match self.free_blocks.pop() {
            Some(place) => {
                self.blocks[place as usize] = full;
                place
            }
            None => {
                self.blocks.push(full);
                self.blocks.len() as u32 - 1
            }
        };
        let list = &mut self.cells[cell];
        *list = Block {
            len: 1,
            next: place,
            objects: [0; PLACES],
        };
        list.objects[0] = object;
    }

    pub(super) fn remove(&mut self, cells: &Cells<D>, object: u32) -> bool {
        let Some(span) = self.spans.get_mut(object as usize) else {
            return false;
        };
        if span.is_removed() {
            return false;
        }
        let touched = cells.touched(span);
        *span = Span::REMOVED;
        touched.for_each(|cell| self.take_out(touched.index(cell), object));
        true
    }

    /// Removes an object; the last one of the list's first block takes its place.
    fn take_out(&mut self, cell: usize, object: u32) {
        let Some(last) = self.pop(cell) else {
            return;
        };
        if last == object {
            return;
        }
        let mut block = &mut self.cells[cell];
        loop {
            let len = block.len as usize;
            if let Some(place) = block.objects[..len]
                .iter()
                .position(|&other| other == object)
            {
                block.objects[place] = last;
                return;
            }
            let next = block.next as usize;
            match self.blocks.get_mut(next) {
                Some(rest) => block = rest,
                None => return,
            }
        }
    }

    fn pop(&mut self, cell: usize) -> Option<u32> {
        let list = &mut self.cells[cell];
        if list.len == 0 {
            return None;
        }
        list.len -= 1;
        let last = list.objects[list.len as usize];
        if list.len == 0 && list.next != NONE {
            let place = list.next;
            *list = self.blocks[place as usize];
            self.free_blocks.push(place);
        }
        Some(last)
    }

    /// Calls `visit` once for each object of the touched cells whose box meets `span`.
    #[inline]
    pub(super) fn visit(&self, cells: &Cells<D>, span: &Span<D>, mut visit: impl FnMut(u32)) {
        if self.spans.is_empty() {
            return;
        }
        let touched = cells.touched(span);
        if touched.is_single() {
            return self.visit_cell(touched.index(&touched.low), span, |object, _| visit(object));
        }
        touched.for_each(|cell| {
            self.visit_cell(touched.index(cell), span, |object, other| {
                if touched.first_shared(&cells.touched(other)) == *cell {
                    visit(object);
                }
            });
        });
    }

    #[inline]
    fn visit_cell(&self, cell: usize, span: &Span<D>, mut visit: impl FnMut(u32, &Span<D>)) {
        let mut block = &self.cells[cell];
        loop {
            for &object in &block.objects[..(block.len as usize).min(PLACES)] {
                let other = &self.spans[object as usize];
                if other.meets(span) {
                    visit(object, other);
                }
            }
            if block.next == NONE {
                return;
            }
            block = &self.blocks[block.next as usize];
        }
    }
}
