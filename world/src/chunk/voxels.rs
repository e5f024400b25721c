//! The materials of a chunk: 64 blocks, each uniform, with a palette, or raw, as its content
//! requires.

use super::block::{BLOCK_ROWS, BLOCKS, Block, bits_for, words_of};
use super::{Bits, ROWS, SIDE, VOLUME, row_of};
use crate::material::Material;

/// Voxels of one row that changed from one material to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowChange {
    /// Number of the row, `z * 32 + y`.
    pub row: u16,
    /// The voxels of the row, bit `x`.
    pub mask: u32,
    /// Material before the change.
    pub old: Material,
    /// Material after the change.
    pub new: Material,
}

/// The materials of 32 x 32 x 32 voxels.
#[derive(Clone, Debug)]
pub struct Voxels {
    uniform: Material,
    blocks: Option<Box<Blocks>>,
}

#[derive(Clone, Debug)]
struct Blocks {
    headers: [Block; BLOCKS],
    words: Vec<u32>,
    /// Words that no block uses any more.
    waste: usize,
}

const fn block_of(row: usize) -> usize {
    ((row >> 7) << 3) | ((row >> 2) & 7)
}

const fn row_in_block(row: usize) -> usize {
    (((row >> 5) & 3) << 2) | (row & 3)
}

const fn row_of_block(block: usize, inner: usize) -> usize {
    row_of(
        (block & 7) * 4 + (inner & 3),
        (block >> 3) * 4 + (inner >> 2),
    )
}

impl Default for Voxels {
    fn default() -> Self {
        Self::uniform(Material::AIR)
    }
}

impl PartialEq for Voxels {
    /// Compares the voxels, independent of their storage.
    fn eq(&self, other: &Self) -> bool {
        let (mut ours, mut theirs) = ([Material::AIR; SIDE], [Material::AIR; SIDE]);
        (0..ROWS).all(|row| {
            self.read_row(row, &mut ours);
            other.read_row(row, &mut theirs);
            ours == theirs
        })
    }
}

impl Voxels {
    /// Returns voxels of one material.
    pub fn uniform(material: Material) -> Self {
        Self {
            uniform: material,
            blocks: None,
        }
    }

    /// Makes voxels by calling `material` for each, coordinates 0 to 31.
    pub fn from_fn(mut material: impl FnMut(usize, usize, usize) -> Material) -> Self {
        let mut all = vec![Material::AIR; VOLUME];
        for (index, place) in all.iter_mut().enumerate() {
            *place = material(index % SIDE, index / SIDE % SIDE, index / ROWS);
        }
        Self::from_rows(&all)
    }

    /// Makes voxels from 32^3 materials, x fastest, then y, then z; missing ones are air.
    pub fn from_rows(materials: &[Material]) -> Self {
        let mut voxels = Self::default();
        let mut row = [Material::AIR; SIDE];
        let blocks = voxels.blocks_mut();
        let mut cells = [Material::AIR; SIDE * BLOCK_ROWS];
        for block in 0..BLOCKS {
            for inner in 0..BLOCK_ROWS {
                let start = row_of_block(block, inner) * SIDE;
                let given = materials
                    .get(start..(start + SIDE).min(materials.len()))
                    .unwrap_or(&[]);
                row.fill(Material::AIR);
                row[..given.len()].copy_from_slice(given);
                cells[inner * SIDE..][..SIDE].copy_from_slice(&row);
            }
            blocks.pack(block, &cells);
        }
        voxels.settle();
        voxels
    }

    /// Returns the material if all voxels are stored as one.
    pub fn as_uniform(&self) -> Option<Material> {
        self.blocks.is_none().then_some(self.uniform)
    }

    /// Returns the material of one voxel. Coordinates are taken modulo 32.
    #[inline]
    pub fn get(&self, x: usize, y: usize, z: usize) -> Material {
        self.at(row_of(y & 31, z & 31), x & 31)
    }

    /// Returns the material of one voxel of a row.
    #[inline]
    pub(crate) fn at(&self, row: usize, x: usize) -> Material {
        let Some(blocks) = &self.blocks else {
            return self.uniform;
        };
        let block = blocks.headers[block_of(row)];
        if block.bits == 0 {
            return block.material;
        }
        block.entry(
            &blocks.words,
            block.index(&blocks.words, row_in_block(row), x),
        )
    }

    /// Returns the material of one voxel, and all voxels of its block's row with the same material.
    #[inline]
    pub(crate) fn alike(&self, row: usize, x: usize) -> (Material, u32) {
        let Some(blocks) = &self.blocks else {
            return (self.uniform, u32::MAX);
        };
        let block = blocks.headers[block_of(row)];
        if block.bits == 0 {
            return (block.material, u32::MAX);
        }
        let inner = row_in_block(row);
        let index = block.index(&blocks.words, inner, x);
        (
            block.entry(&blocks.words, index),
            block.matching(&blocks.words, inner, index),
        )
    }

    /// Returns the voxels of a row with this material.
    #[inline]
    pub(crate) fn holding(&self, row: usize, material: Material) -> u32 {
        let all = |same: bool| if same { u32::MAX } else { 0 };
        let Some(blocks) = &self.blocks else {
            return all(self.uniform == material);
        };
        let block = blocks.headers[block_of(row)];
        if block.bits == 0 {
            return all(block.material == material);
        }
        match block.find(&blocks.words, material) {
            Some(index) => block.matching(&blocks.words, row_in_block(row), index),
            None => 0,
        }
    }

    /// Copies a row (`z * 32 + y`).
    pub fn read_row(&self, row: usize, out: &mut [Material; SIDE]) {
        let mut rest = u32::MAX;
        while rest != 0 {
            let (material, mask) = self.alike(row % ROWS, rest.trailing_zeros() as usize);
            let mut mask = mask & rest;
            rest &= !mask;
            while mask != 0 {
                out[mask.trailing_zeros() as usize] = material;
                mask &= mask - 1;
            }
        }
    }

    /// Copies all voxels, x fastest, then y, then z.
    pub fn read_all(&self, out: &mut Vec<Material>) {
        out.clear();
        let mut row = [Material::AIR; SIDE];
        for index in 0..ROWS {
            self.read_row(index, &mut row);
            out.extend_from_slice(&row);
        }
    }

    /// Sets one voxel. Coordinates are taken modulo 32.
    pub fn set(&mut self, x: usize, y: usize, z: usize, material: Material) {
        self.fill_row(row_of(y & 31, z & 31), 1 << (x & 31), material, |_| {});
    }

    /// Sets the voxels of the mask in one row and reports those that changed.
    pub fn fill_row(
        &mut self,
        row: usize,
        mask: u32,
        material: Material,
        mut changed: impl FnMut(RowChange),
    ) {
        let mut rest = mask;
        let mut any = 0;
        while rest != 0 {
            let (old, alike) = self.alike(row, rest.trailing_zeros() as usize);
            let mask = alike & rest;
            rest &= !mask;
            if old != material {
                any |= mask;
                changed(RowChange {
                    row: row as u16,
                    mask,
                    old,
                    new: material,
                });
            }
        }
        if any != 0 {
            self.blocks_mut()
                .store(block_of(row), row_in_block(row), any, material);
        }
    }

    /// Computes a bit for each voxel: set if its material passes.
    pub fn bits_where(&self, pass: impl Fn(Material) -> bool, out: &mut Bits) {
        let Some(blocks) = &self.blocks else {
            out.fill(if pass(self.uniform) { u32::MAX } else { 0 });
            return;
        };
        for (index, block) in blocks.headers.iter().enumerate() {
            for inner in 0..BLOCK_ROWS {
                let row = row_of_block(index, inner);
                out[row] = if block.bits == 0 {
                    if pass(block.material) { u32::MAX } else { 0 }
                } else if block.is_raw() {
                    (0..SIDE).fold(0, |bits, x| bits | (u32::from(pass(self.at(row, x))) << x))
                } else {
                    (0..u32::from(block.used))
                        .filter(|&entry| pass(block.entry(&blocks.words, entry)))
                        .fold(0, |bits, entry| {
                            bits | block.matching(&blocks.words, inner, entry)
                        })
                };
            }
        }
    }

    /// Returns true if any voxel's material passes. May return true for a material that was just
    /// overwritten.
    pub fn may_hold(&self, pass: impl Fn(Material) -> bool) -> bool {
        let Some(blocks) = &self.blocks else {
            return pass(self.uniform);
        };
        blocks.headers.iter().any(|block| match block.bits {
            0 => pass(block.material),
            _ if block.is_raw() => true,
            _ => (0..u32::from(block.used)).any(|entry| pass(block.entry(&blocks.words, entry))),
        })
    }

    /// Visits the materials that may be present, some repeatedly, until `visit` returns false.
    /// Returns true if it never did.
    pub(crate) fn all_materials(&self, mut visit: impl FnMut(Material) -> bool) -> bool {
        let Some(blocks) = &self.blocks else {
            return visit(self.uniform);
        };
        let mut last = None;
        blocks.headers.iter().all(|block| match block.bits {
            0 if last == Some(block.material) => true,
            0 => {
                last = Some(block.material);
                visit(block.material)
            }
            _ if block.is_raw() => false,
            _ => (0..u32::from(block.used)).all(|entry| visit(block.entry(&blocks.words, entry))),
        })
    }

    /// Writes the number of each voxel's material into bit planes. Skips raw blocks.
    pub(crate) fn number(&self, planes: &mut [Bits], number: impl Fn(Material) -> usize) {
        let Some(blocks) = &self.blocks else {
            let all = number(self.uniform);
            for (bit, plane) in planes.iter_mut().enumerate() {
                plane.fill(((all >> bit) as u32 & 1).wrapping_neg());
            }
            return;
        };
        for (index, block) in blocks.headers.iter().enumerate() {
            if block.is_raw() {
                continue;
            }
            // Entry by entry, unless the block is uniform.
            let mut masks = [u32::MAX; BLOCK_ROWS];
            let mut words = [[0; BLOCK_ROWS]; 4];
            for entry in 0..u32::from(block.used.max(1)) {
                let number = number(block.entry(&blocks.words, entry));
                if number != 0 && block.bits > 0 {
                    masks = block.matching_all(&blocks.words, entry);
                }
                for (bit, words) in words[..planes.len()].iter_mut().enumerate() {
                    let set = ((number >> bit) as u32 & 1).wrapping_neg();
                    for (word, mask) in words.iter_mut().zip(masks) {
                        *word |= mask & set;
                    }
                }
            }
            for (plane, words) in planes.iter_mut().zip(&words) {
                for (four, words) in words.as_chunks::<4>().0.iter().enumerate() {
                    let row = row_of_block(index, four * 4);
                    plane[row..row + 4].copy_from_slice(words);
                }
            }
        }
    }

    /// Renames materials, for example when a save's ids differ from the table's.
    pub fn map(&mut self, mut rename: impl FnMut(Material) -> Material) {
        let mut all = Vec::with_capacity(VOLUME);
        self.read_all(&mut all);
        for material in &mut all {
            *material = rename(*material);
        }
        *self = Self::from_rows(&all);
    }

    /// Stores every block with as few bits as its content needs and drops unused words.
    pub fn compact(&mut self) {
        if self.blocks.is_some() {
            let mut all = Vec::with_capacity(VOLUME);
            self.read_all(&mut all);
            *self = Self::from_rows(&all);
        }
    }

    /// Returns the bytes on the heap.
    pub fn heap_bytes(&self) -> usize {
        self.blocks.as_ref().map_or(0, |blocks| {
            size_of::<Blocks>() + blocks.words.capacity() * 4
        })
    }

    /// Stores the block of a row as uniform if it has become so.
    pub(crate) fn tidy_row(&mut self, row: usize) {
        if let Some(blocks) = &mut self.blocks {
            blocks.tidy(block_of(row));
        }
    }

    fn blocks_mut(&mut self) -> &mut Blocks {
        let uniform = self.uniform;
        self.blocks.get_or_insert_with(|| {
            Box::new(Blocks {
                headers: [Block::uniform(uniform); BLOCKS],
                words: Vec::new(),
                waste: 0,
            })
        })
    }

    /// Becomes uniform if every block is, and frees unused memory.
    fn settle(&mut self) {
        let Some(blocks) = &mut self.blocks else {
            return;
        };
        let first = blocks.headers[0];
        if first.bits == 0 && blocks.headers.iter().all(|&block| block == first) {
            self.uniform = first.material;
            self.blocks = None;
        } else {
            blocks.words.shrink_to_fit();
        }
    }
}

/// Returns the voxels of a row with this material.
#[inline]
fn mask_where(cells: &[Material; SIDE], material: Material) -> u32 {
    (0..SIDE).fold(0, |mask, x| mask | (u32::from(cells[x] == material) << x))
}

impl Blocks {
    /// Stores the 512 materials of a block anew.
    fn pack(&mut self, index: usize, cells: &[Material; SIDE * BLOCK_ROWS]) {
        let first = cells[0];
        self.release(index);
        self.headers[index] = Block::uniform(first);
        // A fold has no early exit, so the comparison is vectorised.
        if cells.iter().fold(true, |all, &cell| all & (cell == first)) {
            return;
        }
        let mut palette = [Material::AIR; 128];
        let mut used = 0;
        let mut fits = true;
        let mut last = None;
        for &cell in cells {
            if last == Some(cell) || palette[..used].contains(&cell) {
                last = Some(cell);
            } else if used < palette.len() {
                palette[used] = cell;
                used += 1;
            } else {
                fits = false;
                break;
            }
        }
        let block = self.claim(bits_for(if fits { used } else { usize::MAX >> 1 }));
        if block.is_raw() {
            self.headers[index] = block;
            for (place, &cell) in cells.iter().enumerate() {
                let (row, mask) = (place / SIDE, 1 << (place % SIDE));
                block.store(&mut self.words, row, mask, u32::from(cell.0));
            }
            return;
        }
        let used = used as u8;
        self.headers[index] = Block { used, ..block };
        for (entry, &material) in (0..u32::from(used)).zip(&palette) {
            block.set_entry(&mut self.words, entry, material);
            for (row, cells) in cells.as_chunks::<SIDE>().0.iter().enumerate() {
                let mask = mask_where(cells, material);
                if entry != 0 && mask != 0 {
                    block.store(&mut self.words, row, mask, entry);
                }
            }
        }
    }

    /// Writes the material to the voxels of the mask.
    fn store(&mut self, index: usize, inner: usize, mask: u32, material: Material) {
        let entry = self.entry_for(index, material);
        self.headers[index].store(&mut self.words, inner, mask, entry);
    }

    /// Returns the palette index of a material, adding it if necessary.
    fn entry_for(&mut self, index: usize, material: Material) -> u32 {
        loop {
            let block = self.headers[index];
            if let Some(entry) = block.find(&self.words, material) {
                return entry;
            }
            let free = if block.bits == 0 {
                None
            } else if usize::from(block.used) < block.capacity() {
                self.headers[index].used += 1;
                Some(u32::from(block.used))
            } else {
                block.dead_entry(&self.words)
            };
            match free {
                Some(entry) => {
                    block.set_entry(&mut self.words, entry, material);
                    return entry;
                }
                None => self.widen(index),
            }
        }
    }

    fn widen(&mut self, index: usize) {
        let block = self.claim(self.headers[index].next_width());
        let old = self.headers[index];
        let block = Block {
            used: old.used.max(1),
            ..block
        };
        if old.bits == 0 {
            block.set_entry(&mut self.words, 0, old.material);
        } else if block.is_raw() {
            for inner in 0..BLOCK_ROWS {
                for x in 0..SIDE {
                    let material = old.entry(&self.words, old.index(&self.words, inner, x));
                    block.store(&mut self.words, inner, 1 << x, u32::from(material.0));
                }
            }
        } else {
            for entry in 0..u32::from(old.used) {
                let material = old.entry(&self.words, entry);
                block.set_entry(&mut self.words, entry, material);
                for inner in 0..BLOCK_ROWS {
                    let mask = old.matching(&self.words, inner, entry);
                    block.store(&mut self.words, inner, mask, entry);
                }
            }
        }
        self.release(index);
        self.headers[index] = block;
    }

    /// Appends a zeroed block to the words.
    fn claim(&mut self, bits: u8) -> Block {
        if self.waste > 128 + self.words.len() / 2 {
            self.defragment();
        }
        let start = self.words.len();
        self.words.resize(start + words_of(bits), 0);
        Block {
            start: start as u32,
            material: Material::AIR,
            bits,
            used: 0,
        }
    }

    /// Frees the words of a block.
    fn release(&mut self, index: usize) {
        let block = self.headers[index];
        if block.start as usize + block.size() == self.words.len() {
            self.words.truncate(block.start as usize);
        } else {
            self.waste += block.size();
        }
    }

    fn tidy(&mut self, index: usize) {
        let block = self.headers[index];
        if block.bits == 0 {
            return;
        }
        if let Some(entry) = block.only_index(&self.words) {
            let material = block.entry(&self.words, entry);
            self.release(index);
            self.headers[index] = Block::uniform(material);
        }
    }

    /// Moves the blocks together, keeping their order.
    fn defragment(&mut self) {
        let mut order: [usize; BLOCKS] = std::array::from_fn(|index| index);
        order.sort_unstable_by_key(|&index| self.headers[index].start);
        let mut end = 0;
        for index in order {
            let block = &mut self.headers[index];
            if block.bits != 0 {
                let (start, size) = (block.start as usize, block.size());
                self.words.copy_within(start..start + size, end);
                block.start = end as u32;
                end += size;
            }
        }
        self.words.truncate(end);
        self.waste = 0;
    }
}
