//! Queues changes of the world for saving.

use super::World;
use crate::object::Keeping;
use crate::save::{
    MaterialNames, Notebook, Origin, SaveError, SaveStatus, Touched, materials_changes,
};
use crate::space::{BrickId, BrickPlace, Owner, WriteReport};

impl Drop for World {
    /// Passes on new materials, which may not be queued yet; dropping the saver writes the rest.
    fn drop(&mut self) {
        self.note(|_| {});
    }
}

impl World {
    /// Waits until all edits and new materials are on disk.
    pub fn flush(&self) -> Result<(), SaveError> {
        // New materials are queued together with any note, even an empty one.
        self.note(|_| {});
        match &self.source {
            Some(source) => Ok(source.saver.flush()?),
            None => Ok(()),
        }
    }

    /// Returns the state of saving; poll it and show errors to the player.
    pub fn save_status(&self) -> SaveStatus {
        let source = self.source.as_ref();
        source.map_or_else(SaveStatus::default, |source| source.saver.status())
    }

    /// Queues changes other than edits for saving.
    pub(crate) fn note(&self, write: impl FnOnce(&mut Notebook<'_>)) {
        self.keep(&WriteReport::default(), Origin::Edit, write);
    }

    /// Queues changes for saving; `write` adds to the same commit.
    pub(crate) fn keep(
        &self,
        report: &WriteReport,
        origin: Origin,
        write: impl FnOnce(&mut Notebook<'_>),
    ) {
        let Some(source) = &self.source else {
            return;
        };
        source.saver.note(|notebook| {
            if notebook.known_materials() != self.materials.len() {
                let names = MaterialNames::of(&self.materials);
                notebook.learn_materials(names, materials_changes(&self.materials));
            }
            self.keep_chunks(report, origin, notebook);
            write(notebook);
        });
    }

    /// Saves whole terrain chunks that were put into the world, and counts them as loaded.
    pub(crate) fn keep_whole(&mut self, bricks: &[BrickId]) {
        if self.source.is_none() {
            return;
        }
        self.note(|notebook| {
            for &id in bricks {
                if let Some(place) = self.brick_place(id) {
                    let voxels = self.brick(id).voxels();
                    notebook.put(Touched { place, voxels }, Origin::Edit);
                }
            }
        });
        for &id in bricks {
            self.note_loaded(self.place_of(id));
        }
    }

    /// Returns the place of a chunk, if it is saved.
    fn kept_place(&self, id: BrickId) -> Option<BrickPlace> {
        match self.owner(id) {
            Owner::Object(object) if self.object(object)?.keeping() == Keeping::Passing => None,
            _ => self.brick_place(id),
        }
    }

    fn keep_chunks(&self, report: &WriteReport, origin: Origin, notebook: &mut Notebook<'_>) {
        /// From this number of changes on, a copy of the chunk is cheaper than repeating them.
        const MANY: usize = 64;
        let many = report.changes.len() > MANY;
        let mut copied = Vec::new();
        for &id in &report.touched {
            let Some(place) = self.kept_place(id) else {
                continue;
            };
            if many || !notebook.holds(&place) {
                let voxels = self.brick(id).voxels();
                notebook.put(Touched { place, voxels }, origin);
                copied.push(id);
            }
        }
        // With many changes all chunks were copied and none is repeated.
        for change in report.changes.iter().filter(|_| !many) {
            if !copied.contains(&change.brick)
                && let Some(place) = self.kept_place(change.brick)
            {
                notebook.repeat(&place, &change.change, origin);
            }
        }
    }
}
