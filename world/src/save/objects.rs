//! How free objects go to the store and come back: where they are, and their bricks.

use super::contents::Contents;
use super::saver::{Notebook, Origin, Touched};
use crate::history::{Change, Entry};
use crate::object::{Keeping, ObjectId};
use crate::world::{BrickPlace, World};

impl World {
    /// Saves an object that was not saved before.
    pub(crate) fn keep_object(&self, id: ObjectId) {
        self.note(|notebook| {
            self.note_object(id, notebook);
            // What was done to it before was not saved.
            let key = self.object(id).map(|object| object.key());
            for entry in self.archive.history.entries() {
                if entry
                    .changes()
                    .iter()
                    .any(|change| change.place.object == key && key.is_some())
                {
                    self.note_entry(entry, notebook);
                }
            }
        });
    }

    /// Saves where an object is.
    pub(crate) fn keep_place(&self, id: ObjectId) {
        if let Some(object) = self.object(id) {
            self.note(|notebook| notebook.put_object(object.key(), object.shape()));
        }
    }

    /// Takes an object out of what is saved.
    pub(crate) fn forget_object(&self, id: ObjectId) {
        if let Some(object) = self.object(id) {
            self.note(|notebook| notebook.remove_object(object.key(), &object.shape()));
        }
    }

    /// Puts a history entry into a commit, without what it did to objects that are not saved.
    pub(crate) fn note_entry(&self, entry: &Entry, notebook: &mut Notebook<'_>) {
        let kept = |change: &&Change| {
            let id = change.place.object.and_then(|key| self.object_by_key(key));
            let object = id.and_then(|id| self.object(id));
            object.is_none_or(|object| object.keeping() == Keeping::Kept)
        };
        if entry.changes().iter().all(|change| kept(&change)) {
            return notebook.put_entry(entry);
        }
        let changes: Vec<Change> = entry.changes().iter().filter(kept).copied().collect();
        if changes.is_empty() {
            notebook.remove_entry(entry.sequence);
        } else {
            let entry = Entry::new(entry.sequence, entry.author, entry.state, changes);
            notebook.put_entry(&entry);
        }
    }

    /// Puts all of a kept object into a commit.
    pub(super) fn note_object(&self, id: ObjectId, notebook: &mut Notebook<'_>) {
        let Some(object) = self.object(id) else {
            return;
        };
        if object.keeping() == Keeping::Passing {
            return;
        }
        notebook.put_object(object.key(), object.shape());
        for &brick in object.bricks() {
            let place = BrickPlace {
                object: Some(object.key()),
                chunk: self.place_of(brick),
            };
            let voxels = self.brick(brick).voxels();
            notebook.put(Touched { place, voxels }, Origin::Edit);
        }
    }

    /// Puts the saved objects back, in order of their keys.
    pub(super) fn restore_objects(&mut self, contents: &mut Contents) {
        for saved in std::mem::take(&mut contents.objects) {
            let id = self.insert_object(saved.key, &saved.shape, saved.bricks);
            self.mark_kept(id);
        }
        self.reserve_keys(contents.progress.next_object);
    }
}
