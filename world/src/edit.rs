//! Editing: a brush, what to do with it, and one transaction that says what it touched.
//!
//! Whatever its size, an edit is one merge and one index update a brick, can be undone as a whole, and is saved together
//! with its undo record. Chunks that are not loaded are loaded first; where there are none, the report counts what was
//! missed. Not here: shapes (see [`crate::brush`]), copies of regions (see [`crate::clipboard`]).

use std::collections::{HashMap, VecDeque};
use std::mem;
use std::ops::ControlFlow;

use crate::brush::Brush;
use crate::chunk::{ROWS, RowChange, SIDE, row_of};
use crate::history::{Author, Change};
use crate::kd_tree::CellBox;
use crate::material::Material;
use crate::object::ObjectId;
use crate::save::{LoadError, Origin};
use crate::world::{
    BrickId, ChunkPosition, Owner, World, WriteReport, Writer, chunk_of, place_in_chunk,
};
use collision::Cell;
use nalgebra::Vector3;

/// Chunks that one edit may reach.
pub const MOST_EDIT_CHUNKS: i64 = 32 << 10;
/// Voxels that one flood may fill.
pub const MOST_FLOODED: usize = 4 << 20;

/// What a brush does to the voxels it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Fills what is not solid.
    Add,
    /// Empties everything.
    Carve,
    /// Changes the material of what is solid.
    Paint,
    /// Changes one material to another.
    Replace(Material),
    /// Sets every voxel.
    Set,
    /// Rounds the surface: each voxel goes with the majority about it. The material is not used.
    Smooth,
}

/// Why an edit did nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// The brush is not finite, has a negative size or leaves the world.
    #[error("the brush has no place in the world: give finite, positive sizes")]
    Shape,
    /// The edit reaches too far.
    #[error(
        "the edit reaches {0} chunks or more, at most {MOST_EDIT_CHUNKS} are possible: divide it"
    )]
    TooLarge(i64),
    /// The chunks it needs could not be loaded.
    #[error(transparent)]
    Load(#[from] LoadError),
}

/// What an edit did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EditReport {
    /// Voxels that became something else.
    pub voxels: u64,
    /// Voxels that could not be written: nothing is there to be loaded.
    pub missed: u64,
    /// Chunks that changed.
    pub chunks: Vec<ChunkPosition>,
    /// Free objects that changed or came.
    pub objects: Vec<ObjectId>,
    /// The free object that left the world.
    pub gone: Option<ObjectId>,
    /// Its number in the undo history, if it changed anything.
    pub sequence: Option<u64>,
    /// A limit was reached before the edit was complete.
    pub limited: bool,
    /// Why nothing was done.
    pub refused: Option<EditError>,
}

impl EditReport {
    pub(crate) fn refuse(error: impl Into<EditError>) -> Self {
        Self {
            refused: Some(error.into()),
            ..Self::default()
        }
    }
}

impl World {
    /// Edits the terrain as the default author.
    pub fn edit(&mut self, brush: &Brush, mode: Mode, material: Material) -> EditReport {
        self.edit_as(Author::default(), brush, mode, material)
    }

    /// Edits the terrain; the author may undo it.
    pub fn edit_as(
        &mut self,
        author: Author,
        brush: &Brush,
        mode: Mode,
        material: Material,
    ) -> EditReport {
        // Smoothing looks one voxel further than it writes.
        let about = if mode == Mode::Smooth { 1 } else { 0 };
        if let Err(error) = self.load_for_brush(brush, about) {
            return EditReport::refuse(error);
        }
        let smoothed = (mode == Mode::Smooth).then(|| self.smoothed(brush));
        self.transact_once(author, |writer| {
            if let Some(writes) = smoothed {
                for (chunk, row, mask, material) in writes {
                    writer.fill_chunk_row(chunk, row, mask, material);
                }
                return;
            }
            each_chunk(brush, |chunk| {
                brush.visit_chunk(chunk, |row, mask| {
                    write_row(writer, chunk, row, mask, mode, material);
                });
            });
        })
    }

    /// Sets one voxel as the default author.
    pub fn set_voxel(&mut self, cell: Cell, material: Material) -> EditReport {
        self.edit(&Brush::voxel(cell), Mode::Set, material)
    }

    /// Changes the connected region of one material that a cell belongs to, by faces, as far as it is loaded.
    pub fn flood_fill(
        &mut self,
        author: Author,
        start: Cell,
        material: Material,
        limit: usize,
    ) -> EditReport {
        let limit = limit.min(MOST_FLOODED);
        if let Err(error) = self.load_for_edit(&CellBox::new(start, start)) {
            return EditReport::refuse(error);
        }
        let Some(old) = self.material(start).filter(|&old| old != material) else {
            return EditReport::default();
        };
        let mut limited = false;
        let region = self.flood(start, old, limit, &mut limited);
        // A map has no order that two runs have in common.
        let mut region: Vec<_> = region.into_iter().collect();
        region.sort_unstable_by_key(|((chunk, row), _)| (chunk.z, chunk.y, chunk.x, *row));
        let mut report = self.transact_once(author, |writer| {
            for (row, mask) in &region {
                writer.fill_chunk_row(row.0, row.1, *mask, material);
            }
        });
        report.limited = limited;
        report
    }

    /// The region, as masks by chunk and row.
    fn flood(
        &self,
        start: Cell,
        old: Material,
        limit: usize,
        limited: &mut bool,
    ) -> HashMap<(ChunkPosition, usize), u32> {
        let mut region: HashMap<(ChunkPosition, usize), u32> = HashMap::new();
        let mut open = VecDeque::from([start]);
        let mut count = 0;
        while let Some(cell) = open.pop_front() {
            if self.material(cell) != Some(old) {
                continue;
            }
            let place = place_in_chunk(cell);
            let mask = region
                .entry((chunk_of(cell), row_of(place.y, place.z)))
                .or_default();
            if *mask >> place.x & 1 != 0 {
                continue;
            }
            if count == limit {
                *limited = true;
                break;
            }
            *mask |= 1 << place.x;
            count += 1;
            for axis in 0..3 {
                for step in [-1, 1] {
                    let mut next = cell;
                    next[axis] = next[axis].wrapping_add(step);
                    open.push_back(next);
                }
            }
        }
        region
    }

    /// Any writes to terrain and objects as one transaction: undone, saved and reported together. Of a cell that is written
    /// several times only what it was and what it is in the end counts.
    pub fn transact(&mut self, author: Author, writes: impl FnOnce(&mut Writer<'_>)) -> EditReport {
        let mut report = mem::take(&mut self.archive.report);
        self.apply(&mut report, writes);
        report.join_repeats();
        self.record(author, report)
    }

    /// The same for writes that name no cell twice.
    pub(crate) fn transact_once(
        &mut self,
        author: Author,
        writes: impl FnOnce(&mut Writer<'_>),
    ) -> EditReport {
        let mut report = mem::take(&mut self.archive.report);
        self.apply(&mut report, writes);
        self.record(author, report)
    }

    /// Makes of what was written an entry of the history, and has it saved.
    fn record(&mut self, author: Author, report: WriteReport) -> EditReport {
        let mut forgotten = mem::take(&mut self.archive.forgotten);
        let mut history = mem::take(&mut self.archive.history);
        let changes = report
            .changes
            .iter()
            .filter_map(|change| self.logged(change.brick, &change.change));
        let entry = history.record(author, changes, &mut forgotten);
        self.keep(&report, Origin::Edit, |notebook| {
            self.note_forgotten(&mut forgotten, notebook);
            if let Some(entry) = entry {
                self.note_entry(entry, notebook);
            }
        });
        let sequence = entry.map(|entry| entry.sequence);
        self.archive.history = history;
        // A world that is kept nowhere has nobody to tell.
        forgotten.clear();
        self.archive.forgotten = forgotten;
        let result = EditReport {
            sequence,
            ..self.told(&report)
        };
        self.archive.report = report;
        result
    }

    /// Loads the chunks that a brush reaches, and so many cells about it.
    fn load_for_brush(&mut self, brush: &Brush, about: i32) -> Result<(), EditError> {
        let bounds = brush.bounds().ok_or(EditError::Shape)?;
        // A shape is at least half as long as the box about it, and reaches as many chunks: of one this long they need not be counted.
        let longest = (bounds.max.map(i64::from) - bounds.min.map(i64::from)).max() / SIDE as i64;
        if longest / 2 > MOST_EDIT_CHUNKS {
            return Err(EditError::TooLarge(longest / 2));
        }
        let (mut count, mut missing) = (0, Vec::new());
        let counted = brush.visit_chunks(about, |chunk| {
            count += 1;
            if count > MOST_EDIT_CHUNKS {
                return ControlFlow::Break(());
            }
            if self.brick_at(chunk).is_none() {
                missing.push(chunk);
            }
            ControlFlow::Continue(())
        });
        if counted.is_break() {
            return Err(EditError::TooLarge(count));
        }
        Ok(self.load_chunks(missing).map(|_| ())?)
    }

    /// Loads the chunks of an edit.
    pub(crate) fn load_for_edit(&mut self, cells: &CellBox) -> Result<(), EditError> {
        let (low, high) = (chunk_of(cells.min), chunk_of(cells.max));
        let sides = (high - low).map(|side| i64::from(side) + 1);
        let count = sides
            .iter()
            .fold(1i64, |count, &side| count.saturating_mul(side));
        if count > MOST_EDIT_CHUNKS {
            return Err(EditError::TooLarge(count));
        }
        Ok(self.load(cells).map(|_| ())?)
    }

    fn logged(&self, brick: BrickId, change: &RowChange) -> Option<Change> {
        Some(Change {
            place: self.brick_place(brick)?,
            row: change.row,
            mask: change.mask,
            old: change.old,
            new: change.new,
        })
    }

    pub(crate) fn told(&self, report: &WriteReport) -> EditReport {
        let mut told = EditReport {
            voxels: report.voxels,
            missed: report.missed,
            ..EditReport::default()
        };
        for &id in &report.touched {
            match self.owner(id) {
                Owner::Terrain => told.chunks.push(self.place_of(id)),
                Owner::Object(object) if told.objects.contains(&object) => {}
                Owner::Object(object) => told.objects.push(object),
                Owner::Nobody => {}
            }
        }
        told
    }

    /// Rows to write so that every voxel of the brush goes with the majority of the 27 about it.
    fn smoothed(&self, brush: &Brush) -> Vec<(ChunkPosition, usize, u32, Material)> {
        let mut writes = Vec::new();
        each_chunk(brush, |chunk| {
            brush.visit_chunk(chunk, |row, mask| {
                self.smooth_row(chunk, row, mask, &mut writes);
            });
        });
        writes
    }

    fn smooth_row(
        &self,
        chunk: ChunkPosition,
        row: usize,
        mut mask: u32,
        writes: &mut Vec<(ChunkPosition, usize, u32, Material)>,
    ) {
        while mask != 0 {
            let x = mask.trailing_zeros() as usize;
            mask &= mask - 1;
            let cell = chunk * 32 + Cell::new(x as i32, (row % SIDE) as i32, (row / SIDE) as i32);
            if let Some(material) = self.majority(cell) {
                writes.push((chunk, row, 1 << x, material));
            }
        }
    }

    /// What a voxel becomes by the 27 about it, if it changes.
    fn majority(&self, cell: Cell) -> Option<Material> {
        let here = self.material(cell)?;
        let (mut solid, mut filled) = (Tally::default(), 0);
        let mut open = Tally::default();
        for index in 0..27 {
            let step = Vector3::new(index % 3 - 1, index / 3 % 3 - 1, index / 9 - 1);
            let near = self
                .material(cell.zip_map(&step, i32::wrapping_add))
                .unwrap_or(here);
            if self.materials().is_solid(near) {
                filled += 1;
                solid.add(near);
            } else {
                open.add(near);
            }
        }
        let was_solid = self.materials().is_solid(here);
        match (was_solid, filled >= 14) {
            (false, true) => solid.most(),
            (true, false) => open.most(),
            _ => None,
        }
    }
}

/// Visits all chunks that a brush reaches.
fn each_chunk(brush: &Brush, mut visit: impl FnMut(ChunkPosition)) {
    let _ = brush.visit_chunks(0, |chunk| {
        visit(chunk);
        ControlFlow::Continue(())
    });
}

/// Counts materials; there are never more than 27.
#[derive(Default)]
struct Tally {
    counts: [(Material, u8); 27],
    used: usize,
}

impl Tally {
    fn add(&mut self, material: Material) {
        match self.counts[..self.used]
            .iter_mut()
            .find(|(known, _)| *known == material)
        {
            Some((_, count)) => *count += 1,
            None => {
                self.counts[self.used] = (material, 1);
                self.used += 1;
            }
        }
    }

    /// The commonest; of several the lowest id.
    fn most(&self) -> Option<Material> {
        let counts = self.counts[..self.used].iter();
        let best = counts.min_by_key(|(material, count)| (u8::MAX - count, material.0));
        best.map(|(material, _)| *material)
    }
}

/// The voxels of a row that hold a material.
fn holding(writer: &Writer<'_>, chunk: ChunkPosition, row: usize, material: Material) -> u32 {
    let world = writer.world();
    let brick = world.brick_at(chunk);
    brick.map_or(0, |brick| world.brick(brick).voxels.holding(row, material))
}

fn write_row(
    writer: &mut Writer<'_>,
    chunk: ChunkPosition,
    row: usize,
    mask: u32,
    mode: Mode,
    material: Material,
) {
    debug_assert!(row < ROWS);
    let (to, held) = match mode {
        Mode::Carve => (Material::AIR, mask),
        Mode::Set => (material, mask),
        Mode::Replace(from) => (material, mask & holding(writer, chunk, row, from)),
        Mode::Add => (material, mask & !solid_row(writer, chunk, row)),
        Mode::Paint => (material, mask & solid_row(writer, chunk, row)),
        Mode::Smooth => return,
    };
    writer.fill_chunk_row(chunk, row, held, to);
}

/// The solid voxels of a row; none where nothing is loaded, so that the write counts as missed.
fn solid_row(writer: &Writer<'_>, chunk: ChunkPosition, row: usize) -> u32 {
    let world = writer.world();
    world
        .brick_at(chunk)
        .map_or(0, |brick| world.brick(brick).occupancy()[row])
}
