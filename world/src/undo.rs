//! Undo and redo in the world, and edits that add or remove a whole free object.
//!
//! The log (see [`crate::history`]) decides what to restore; this module applies it to voxels,
//! objects and the archive, each edit in one commit.

use std::collections::HashSet;
use std::mem;

use crate::chunk::Voxels;
use crate::clipboard::Clipboard;
use crate::edit::EditReport;
use crate::history::{
    Author, Change, Entry, Forgotten, History, ObjectEvent, ObjectStep, Restoration,
};
use crate::material::Material;
use crate::object::{Keeping, ObjectError, ObjectId, ObjectKey, Shelved, VoxelObject};
use crate::save::Origin;
use crate::space::{BrickPlace, ChunkPosition};
use crate::world::{LoadError, Noted, World};
use collision::Position;
use nalgebra::Vector3;

/// An object added by an edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AddedObject {
    /// The object.
    pub id: ObjectId,
    /// Sequence number of the edit in the undo history; `None` if the history has no room for it.
    pub sequence: Option<u64>,
}

impl World {
    /// Adds an object like [`World::add_object`], but as an edit that the author may undo.
    pub fn add_object_as(
        &mut self,
        author: Author,
        origin: Position,
        voxel_size: f32,
        extent: Vector3<u32>,
        material: impl FnMut(Vector3<u32>) -> Material,
    ) -> Result<AddedObject, ObjectError> {
        let id = self.add_passing_object(origin, voxel_size, extent, material)?;
        self.space.mark_keeping(id, Keeping::Kept);
        let object = self.object(id).map(VoxelObject::key);
        let step = ObjectStep::Added;
        let event = object.map(|object| ObjectEvent { object, step });
        let sequence = event.and_then(|event| self.record_object(author, event, None));
        Ok(AddedObject { id, sequence })
    }

    /// Makes a free object from a copy, as an edit.
    pub fn paste_object(
        &mut self,
        author: Author,
        clipboard: &Clipboard,
        origin: Position,
        voxel_size: f32,
    ) -> Result<AddedObject, ObjectError> {
        let extent = clipboard.size();
        self.add_object_as(author, origin, voxel_size, extent, |at| clipboard.get(at))
    }

    /// Removes an object as an edit. Undo restores its key, place and voxels; its id may change.
    pub fn remove_object_as(&mut self, author: Author, id: ObjectId) -> EditReport {
        let mut report = EditReport::default();
        if let Some(shelved) = self.space.take_object(id) {
            let event = ObjectEvent {
                object: shelved.key,
                step: ObjectStep::Removed,
            };
            report.gone = Some(id);
            report.sequence = self.record_object(author, event, Some(shelved));
        }
        report
    }

    /// Adds a step to the author's history that changes nothing in the world, and returns its
    /// number. The application does what it stands for, and takes that back or makes it again when
    /// [`World::undo`] or [`World::redo`] reports the number.
    pub fn record_step_as(&mut self, author: Author) -> Option<u64> {
        let mut forgotten = Forgotten::default();
        let entry = self.history.record_step(author, &mut forgotten);
        let sequence = entry.map(|entry| entry.sequence);
        let altered: Vec<u64> = sequence.into_iter().collect();
        self.note(|notebook| self.note_altered(&altered, &mut forgotten, notebook));
        sequence
    }

    /// Takes the author's last edit back; nothing if there is none.
    pub fn undo(&mut self, author: Author) -> Option<EditReport> {
        if let Err(error) = self.load_rows(&chunks_of(self.history().next_undo(author)?)) {
            return Some(EditReport::refuse(error));
        }
        let mut restoration = self.history.undo(author)?;
        if let Some(object) = restoration.object {
            return Some(self.settle_object(object, &restoration));
        }
        // In reverse, because a voxel may have been written twice.
        restoration.writes.reverse();
        // A voxel that was changed without the history keeps its material.
        Some(self.restore(&restoration, |voxels, change| Change {
            mask: change.mask & voxels.holding(usize::from(change.row), change.new),
            old: change.new,
            new: change.old,
            ..*change
        }))
    }

    /// Redoes the author's edit that was undone last; returns `None` if there is none.
    pub fn redo(&mut self, author: Author) -> Option<EditReport> {
        if let Err(error) = self.load_rows(&chunks_of(self.history().next_redo(author)?)) {
            return Some(EditReport::refuse(error));
        }
        let restoration = self.history.redo(author)?;
        if let Some(object) = restoration.object {
            return Some(self.settle_object(object, &restoration));
        }
        let writes = restoration.writes.iter();
        let found: Vec<Change> = writes.flat_map(|change| self.found(change)).collect();
        self.history.amend(restoration.sequence, &found);
        Some(self.restore(&restoration, |_, change| *change))
    }

    /// Returns the edits that can be undone or redone.
    pub fn history(&self) -> &History {
        &self.history
    }

    /// Limits the memory of the history, in bytes; drops the oldest edits first.
    pub fn set_history_budget(&mut self, bytes: usize) {
        let mut forgotten = Forgotten::default();
        self.history.set_budget(bytes, &mut forgotten);
        self.note(|notebook| self.note_forgotten(&mut forgotten, notebook));
    }

    /// Drops the entries that add or remove an object which was removed without undo.
    pub(crate) fn forget_steps(&mut self, object: ObjectKey) {
        let mut forgotten = Forgotten::default();
        self.history.lose(object, &mut forgotten);
        if !forgotten.is_empty() {
            self.note(|notebook| self.note_forgotten(&mut forgotten, notebook));
        }
    }

    fn record_object(
        &mut self,
        author: Author,
        event: ObjectEvent,
        shelved: Option<Shelved>,
    ) -> Option<u64> {
        let mut forgotten = Forgotten::default();
        let history = &mut self.history;
        let entry = history.record_object(author, event, shelved, &mut forgotten);
        let sequence = entry.map(|entry| entry.sequence);
        let altered: Vec<u64> = sequence.into_iter().collect();
        let all = match event.step {
            ObjectStep::Added => Noted::Voxels,
            ObjectStep::Removed => Noted::Place,
        };
        self.note(|notebook| {
            self.note_object(event.object, all, notebook);
            self.note_altered(&altered, &mut forgotten, notebook);
        });
        sequence
    }

    /// Adds or removes an object, as the history demands after an undo or redo.
    fn settle_object(&mut self, object: ObjectKey, restoration: &Restoration) -> EditReport {
        let sequence = Some(restoration.sequence);
        let mut report = EditReport {
            sequence,
            ..EditReport::default()
        };
        let mut forgotten = Forgotten::default();
        match (self.object_by_key(object), self.history().withholds(object)) {
            (Some(id), true) => {
                report.gone = Some(id);
                if let Some(shelved) = self.space.take_object(id) {
                    self.history.shelve(shelved, &mut forgotten);
                }
            }
            (None, false) => {
                let shelved = self.history.unshelve(object);
                let back = shelved.map(|shelved| self.space.return_object(shelved));
                report.objects.extend(back);
            }
            // Another entry also keeps it out, or it was removed without undo.
            _ => {}
        }
        self.note(|notebook| {
            self.note_object(object, Noted::Place, notebook);
            self.note_altered(&restoration.altered, &mut forgotten, notebook);
        });
        report
    }

    /// Writes a restoration to the world or to shelved objects. `write` turns a logged change into
    /// the write for these voxels.
    fn restore(
        &mut self,
        restoration: &Restoration,
        write: impl Fn(&Voxels, &Change) -> Change,
    ) -> EditReport {
        let history = &mut self.history;
        let mut shelved: HashSet<BrickPlace> = HashSet::new();
        for change in &restoration.writes {
            if let Some(voxels) = history.shelved_voxels(&change.place) {
                let change = write(voxels, change);
                history.write_shelved(&change);
                shelved.insert(change.place);
            }
        }
        let mut report = mem::take(&mut self.report);
        self.space.apply(&mut report, |writer| {
            for change in &restoration.writes {
                if shelved.contains(&change.place) {
                    continue;
                }
                let space = writer.space();
                let brick = space.brick_in(&change.place);
                let change = brick.map_or(*change, |id| write(&space.brick(id).voxels, change));
                let row = usize::from(change.row);
                writer.fill_place_row(&change.place, row, change.mask, change.new);
            }
        });
        let mut forgotten = Forgotten::default();
        self.history.shrink(&mut forgotten);
        self.keep(&report, Origin::History, |notebook| {
            for place in &shelved {
                self.note_shelved_brick(place, notebook);
            }
            self.note_altered(&restoration.altered, &mut forgotten, notebook);
        });
        let sequence = Some(restoration.sequence);
        let result = EditReport {
            sequence,
            ..self.told(&report)
        };
        self.report = report;
        result
    }

    fn load_rows(&mut self, chunks: &[ChunkPosition]) -> Result<(), LoadError> {
        self.load_chunks(chunks.to_vec()).map(|_| ())
    }

    /// Returns the present materials of a change's voxels, as `old`.
    fn found(&self, change: &Change) -> Vec<Change> {
        let mut found = Vec::new();
        let brick = self.brick_in(&change.place);
        let voxels = brick.map(|brick| &self.brick(brick).voxels);
        let shelved = || self.history().shelved_voxels(&change.place);
        let Some(voxels) = voxels.or_else(shelved) else {
            return found;
        };
        let mut rest = change.mask;
        while rest != 0 {
            let x = rest.trailing_zeros() as usize;
            let (old, alike) = voxels.alike(usize::from(change.row), x);
            found.push(Change {
                mask: alike & rest,
                old,
                ..*change
            });
            rest &= !alike;
        }
        found
    }
}

/// Returns the terrain chunks that an entry of the history changed.
fn chunks_of(entry: &Entry) -> Vec<ChunkPosition> {
    let places = entry.changes().iter().map(|change| change.place);
    let mut chunks: Vec<ChunkPosition> = places
        .filter(|place| place.object.is_none())
        .map(|place| place.chunk)
        .collect();
    chunks.sort_unstable_by_key(|chunk| (chunk.z, chunk.x, chunk.y));
    chunks.dedup();
    chunks
}
