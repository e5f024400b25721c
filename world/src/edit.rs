//! Editing: applies a brush in one transaction and reports the changes.
//!
//! An edit of any size merges and indexes each changed chunk once. It is saved together with its
//! undo record and undone as a whole; an edit whose record is larger than the whole history has no
//! record, and its report no sequence number. Missing chunks are loaded first; the report counts
//! voxels for which there is no chunk to load. Shapes are in [`crate::brush`], copies of regions in
//! [`crate::clipboard`].

use std::collections::{HashMap, VecDeque};
use std::mem;
use std::ops::ControlFlow;

use crate::brush::Brush;
use crate::chunk::{Brick, RowChange, SIDE, row_of};
use crate::history::{Author, Change};
use crate::kd_tree::CellBox;
use crate::material::Material;
use crate::object::ObjectId;
use crate::save::Origin;
use crate::smooth::Smoother;
use crate::space::{
    BrickId, ChunkPosition, Owner, Space, WriteReport, Writer, chunk_of, place_in_chunk,
};
use crate::world::{LoadError, World};
use collision::Cell;
use nalgebra::Vector3;
use rayon::prelude::*;

/// Largest number of chunks that one edit may reach.
pub const MOST_EDIT_CHUNKS: i64 = 32 << 10;
/// Largest number of voxels that one flood may fill.
pub const MOST_FLOODED: usize = 4 << 20;

/// The operation of a brush on its voxels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Fills the voxels that are not solid.
    Add,
    /// Empties all voxels.
    Carve,
    /// Changes the material of solid voxels.
    Paint,
    /// Changes one material to another.
    Replace(Material),
    /// Sets every voxel.
    Set,
    /// Rounds the surface: each voxel takes the majority of its neighbours. Ignores the material.
    Smooth,
}

/// Reasons for refusing an edit.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// The brush is not finite, has a negative size or leaves the world.
    #[error("the brush is invalid: give finite, positive sizes")]
    Shape,
    /// The edit reaches too many chunks.
    #[error(
        "the edit reaches {0} chunks or more, at most {MOST_EDIT_CHUNKS} are possible: divide it"
    )]
    TooLarge(i64),
    /// The world's table lacks this material.
    #[error("the world has no material {0}: add it to its table first")]
    Material(u16),
    /// The object to edit is not in the world.
    #[error("there is no such object: it was removed, or is another world's")]
    NoObject,
    /// The chunks of the edit could not be loaded.
    #[error(transparent)]
    Load(#[from] LoadError),
}

/// The result of an edit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EditReport {
    /// Number of voxels that changed.
    pub voxels: u64,
    /// Number of voxels that could not be written: no chunk can be loaded there, or the world lacks
    /// the material.
    pub missed: u64,
    /// Terrain chunks that changed.
    pub chunks: Vec<ChunkPosition>,
    /// Free objects that changed or were added.
    pub objects: Vec<ObjectId>,
    /// The free object that was removed.
    pub gone: Option<ObjectId>,
    /// Sequence number in the undo history. `None` if the edit changed nothing, or if its record
    /// alone is larger than the history, so that it cannot be undone; the history is kept then.
    pub sequence: Option<u64>,
    /// True if a limit stopped the edit before it was complete.
    pub limited: bool,
    /// The reason if nothing was done.
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
        if let Err(error) = self.check(mode, material) {
            return EditReport::refuse(error);
        }
        // Smoothing reads one voxel beyond those that it writes.
        let about = if mode == Mode::Smooth { 1 } else { 0 };
        if let Err(error) = self.load_for_brush(brush, about) {
            return EditReport::refuse(error);
        }
        let places = |visit: &mut dyn FnMut(ChunkPosition)| {
            let _ = brush.visit_chunks(0, |chunk| {
                visit(chunk);
                ControlFlow::Continue(())
            });
        };
        // Writes to missing chunks go to `OUTSIDE` and count as missed.
        let brick = |space: &Space, place| space.brick_at(place).unwrap_or(BrickId::OUTSIDE);
        self.edit_bricks(author, brush, mode, material, places, brick)
    }

    /// Edits a free object; the author may undo it. The brush is in the voxel coordinates of the
    /// object: its lowest voxel is cell zero, and
    /// [`VoxelObject::to_voxels`](crate::VoxelObject::to_voxels) converts from the world.
    pub fn edit_object_as(
        &mut self,
        author: Author,
        object: ObjectId,
        brush: &Brush,
        mode: Mode,
        material: Material,
    ) -> EditReport {
        if let Err(error) = self.check(mode, material) {
            return EditReport::refuse(error);
        }
        let Some(bounds) = brush.bounds() else {
            return EditReport::refuse(EditError::Shape);
        };
        let Some(edited) = self.object(object) else {
            return EditReport::refuse(EditError::NoObject);
        };
        let last = edited.extent_in_bricks().map(|bricks| bricks as i32 - 1);
        let low = chunk_of(bounds.min).sup(&Vector3::zeros());
        let high = chunk_of(bounds.max).inf(&last);
        let places = |visit: &mut dyn FnMut(ChunkPosition)| {
            for z in low.z..=high.z {
                for y in low.y..=high.y {
                    (low.x..=high.x).for_each(|x| visit(ChunkPosition::new(x, y, z)));
                }
            }
        };
        let brick = |space: &Space, place| {
            let object = space.object(object);
            let brick = object.and_then(|object| object.brick_at(place));
            brick.unwrap_or(BrickId::OUTSIDE)
        };
        self.edit_bricks(author, brush, mode, material, places, brick)
    }

    /// Edits the chunks at the places that a brush reaches.
    fn edit_bricks(
        &mut self,
        author: Author,
        brush: &Brush,
        mode: Mode,
        material: Material,
        places: impl Fn(&mut dyn FnMut(ChunkPosition)),
        brick: impl Fn(&Space, ChunkPosition) -> BrickId + Sync,
    ) -> EditReport {
        if mode == Mode::Smooth {
            let mut reached = Vec::new();
            places(&mut |place| reached.push((brick(self, place), place)));
            let smoothed = self.smoothed(&reached, brush);
            return self.transact_once(author, |writer| {
                for (brick, row, mask, material) in smoothed {
                    writer.fill_row(brick, row, mask, material);
                }
            });
        }
        self.transact_once(author, |writer| {
            places(&mut |place| {
                let brick = brick(writer.space(), place);
                brush.visit_chunk(place, |row, mask| {
                    let there = writer.space().brick(brick);
                    let (material, mask) = wanted(there, row, mask, mode, material);
                    writer.fill_row(brick, row, mask, material);
                });
            });
        })
    }

    /// Returns an error if the mode writes a material that the table lacks.
    fn check(&self, mode: Mode, material: Material) -> Result<(), EditError> {
        let writes = !matches!(mode, Mode::Carve | Mode::Smooth);
        match self.materials().known(material) {
            None if writes => Err(EditError::Material(material.0)),
            _ => Ok(()),
        }
    }

    /// Sets one voxel as the default author.
    pub fn set_voxel(&mut self, cell: Cell, material: Material) -> EditReport {
        self.edit(&Brush::voxel(cell), Mode::Set, material)
    }

    /// Changes the region of one material connected to a cell through faces, within loaded chunks.
    pub fn flood_fill(
        &mut self,
        author: Author,
        start: Cell,
        material: Material,
        limit: usize,
    ) -> EditReport {
        if let Err(error) = self.check(Mode::Set, material) {
            return EditReport::refuse(error);
        }
        let limit = limit.min(MOST_FLOODED);
        if let Err(error) = self.load_for_edit(&CellBox::new(start, start)) {
            return EditReport::refuse(error);
        }
        let Some(old) = self.material(start).filter(|&old| old != material) else {
            return EditReport::default();
        };
        let mut limited = false;
        let region = self.flood(start, old, limit, &mut limited);
        // Sorted, because the order of the map differs from run to run.
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

    /// Returns the region as masks by chunk and row.
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

    /// Applies any writes to terrain and objects as one transaction: they are undone, saved and
    /// reported together. If a cell is written several times, only its first and last state count.
    /// The chunks are not known in advance: writes to chunks that are not loaded are dropped and
    /// counted as [missed](EditReport::missed). Call [`load`](World::load) first.
    pub fn transact(&mut self, author: Author, writes: impl FnOnce(&mut Writer<'_>)) -> EditReport {
        let mut report = mem::take(&mut self.report);
        self.space.apply(&mut report, writes);
        report.join_repeats();
        self.record(author, report)
    }

    /// Applies writes that name no cell twice as one transaction.
    pub(crate) fn transact_once(
        &mut self,
        author: Author,
        writes: impl FnOnce(&mut Writer<'_>),
    ) -> EditReport {
        let mut report = mem::take(&mut self.report);
        self.space.apply(&mut report, writes);
        self.record(author, report)
    }

    /// Records the writes as an entry of the history and queues them for saving.
    fn record(&mut self, author: Author, report: WriteReport) -> EditReport {
        let mut forgotten = mem::take(&mut self.forgotten);
        let mut history = mem::take(&mut self.history);
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
        self.history = history;
        // A world without an archive needs no list of forgotten entries.
        forgotten.clear();
        self.forgotten = forgotten;
        let result = EditReport {
            sequence,
            ..self.told(&report)
        };
        self.report = report;
        result
    }

    /// Loads the chunks within `about` cells of a brush.
    fn load_for_brush(&mut self, brush: &Brush, about: i32) -> Result<(), EditError> {
        let bounds = brush.bounds().ok_or(EditError::Shape)?;
        // A shape is at least half as long as its bounding box and reaches as many chunks, so one
        // that is too long is refused without counting.
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
                Owner::Unused => {}
            }
        }
        told
    }

    /// Returns the changes that smoothing makes to the brush's voxels.
    fn smoothed(
        &self,
        bricks: &[(BrickId, ChunkPosition)],
        brush: &Brush,
    ) -> Vec<(BrickId, usize, u32, Material)> {
        let smooth = |&(brick, place): &(BrickId, ChunkPosition)| {
            let (smoother, mut writes) = (Smoother::new(self, brick), Vec::new());
            brush.visit_chunk(place, |row, mask| {
                smoother.row(row, mask, |voxels, material| {
                    writes.push((brick, row, voxels, material));
                });
            });
            writes
        };
        bricks.par_iter().flat_map_iter(smooth).collect()
    }
}

/// Returns the material that a mode other than smoothing writes to voxels of a row, and the mask of
/// the voxels it writes to.
fn wanted(brick: &Brick, row: usize, mask: u32, mode: Mode, material: Material) -> (Material, u32) {
    let solid = brick.occupancy()[row];
    match mode {
        Mode::Carve => (Material::AIR, mask),
        Mode::Set => (material, mask),
        Mode::Replace(from) => (material, mask & brick.voxels.holding(row, from)),
        Mode::Add => (material, mask & !solid),
        Mode::Paint => (material, mask & solid),
        Mode::Smooth => (material, 0),
    }
}
