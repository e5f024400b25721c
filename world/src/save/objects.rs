//! How free objects go to the store and come back: where they are, and their bricks.

use super::contents::Contents;
use super::saver::{Notebook, Origin, Touched};
use crate::object::{Keeping, ObjectId};
use crate::world::{BrickPlace, World};

impl World {
    /// Saves an object that was not saved before.
    pub(crate) fn keep_object(&self, id: ObjectId) {
        self.note(|notebook| self.note_object(id, notebook));
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
