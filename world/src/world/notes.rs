//! Saves and restores free objects and the history: their records in a commit.

use super::World;
use crate::history::{Change, Entry, Forgotten};
use crate::object::{Keeping, ObjectId, ObjectKey};
use crate::save::{Contents, Notebook, Origin, SavedShape, Standing, Touched};
use crate::space::BrickPlace;

/// The part of an object that goes into a commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Noted {
    /// The place, and whether it is in the world; the voxels are saved already.
    Place,
    /// The whole object.
    Voxels,
}

impl World {
    /// Saves an object that was not saved before.
    pub(crate) fn keep_object(&self, id: ObjectId) {
        let Some(object) = self.object(id) else {
            return;
        };
        self.note(|notebook| {
            self.note_object(object.key(), Noted::Voxels, notebook);
            // Earlier entries about it were not saved.
            let entries = self.history.entries();
            for entry in entries.filter(|entry| entry.concerns(object.key())) {
                self.note_entry(entry, notebook);
            }
        });
    }

    /// Saves the place of an object.
    pub(crate) fn keep_place(&self, id: ObjectId) {
        if let Some(object) = self.object(id) {
            self.note(|notebook| self.note_object(object.key(), Noted::Place, notebook));
        }
    }

    /// Removes an object from the saved world.
    pub(crate) fn forget_object(&self, id: ObjectId) {
        if let Some(object) = self.object(id) {
            self.note(|notebook| notebook.remove_object(object.key(), &object.shape()));
        }
    }

    /// Returns the keeping of an object in the world or on the shelf; `None` for any other.
    fn keeping_of(&self, object: ObjectKey) -> Option<Keeping> {
        if let Some(object) = self.object_by_key(object).and_then(|id| self.object(id)) {
            return Some(object.keeping());
        }
        Some(self.history.shelved(object)?.keeping)
    }

    /// Adds a history entry to a commit, without its changes of objects that are not saved.
    pub(crate) fn note_entry(&self, entry: &Entry, notebook: &mut Notebook<'_>) {
        let passing = |object| self.keeping_of(object) == Some(Keeping::Passing);
        if let Some(event) = entry.object() {
            return match passing(event.object) {
                true => notebook.remove_entry(entry.sequence),
                false => notebook.put_entry(entry),
            };
        }
        let kept = |change: &&Change| !change.place.object.is_some_and(passing);
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

    /// Adds new and changed entries to a commit, and removes forgotten ones.
    pub(crate) fn note_altered(
        &self,
        altered: &[u64],
        forgotten: &mut Forgotten,
        notebook: &mut Notebook<'_>,
    ) {
        self.note_forgotten(forgotten, notebook);
        for &sequence in altered {
            if let Some(entry) = self.history.entry(sequence) {
                self.note_entry(entry, notebook);
            }
        }
    }

    /// Removes forgotten entries and objects from the saved world.
    pub(crate) fn note_forgotten(&self, forgotten: &mut Forgotten, notebook: &mut Notebook<'_>) {
        for sequence in forgotten.entries.drain(..) {
            notebook.remove_entry(sequence);
        }
        for object in forgotten.objects.drain(..) {
            notebook.remove_object(object.key, &object.shape);
        }
    }

    /// Adds a kept object to a commit, from the world or the shelf.
    pub(crate) fn note_object(&self, key: ObjectKey, noted: Noted, notebook: &mut Notebook<'_>) {
        if self.keeping_of(key) != Some(Keeping::Kept) {
            return;
        }
        let object = self.object_by_key(key).and_then(|id| self.object(id));
        let history = &self.history;
        let (shape, standing) = match (object, history.shelved(key)) {
            (Some(object), _) => (object.shape(), Standing::InWorld),
            (None, Some(shelved)) => (shelved.shape, Standing::Shelved),
            (None, None) => return,
        };
        notebook.put_object(key, SavedShape { shape, standing });
        if noted == Noted::Place {
            return;
        }
        for chunk in shape.places() {
            let object = Some(key);
            let place = BrickPlace { object, chunk };
            let brick = self.brick_in(&place);
            let voxels = brick.map(|brick| self.brick(brick).voxels());
            if let Some(voxels) = voxels.or_else(|| history.shelved_voxels(&place)) {
                notebook.put(Touched { place, voxels }, Origin::Edit);
            }
        }
    }

    /// Adds a chunk of a shelved object to a commit.
    pub(crate) fn note_shelved_brick(&self, place: &BrickPlace, notebook: &mut Notebook<'_>) {
        let keeping = place.object.and_then(|object| self.keeping_of(object));
        let voxels = self.history.shelved_voxels(place);
        if let Some(voxels) = voxels.filter(|_| keeping == Some(Keeping::Kept)) {
            let place = *place;
            notebook.put(Touched { place, voxels }, Origin::History);
        }
    }

    /// Restores the saved objects in order of key. Returns the parts that contradict the history.
    pub(super) fn restore_objects(&mut self, contents: &mut Contents) -> Forgotten {
        for saved in std::mem::take(&mut contents.objects) {
            match saved.standing {
                Standing::InWorld => drop(self.space.return_object(saved.object)),
                Standing::Shelved => self.history.put_on_shelf(saved.object),
            }
        }
        self.space.reserve_keys(contents.progress.next_object);
        let mut forgotten = Forgotten::default();
        let (objects, history) = (&self.space.objects, &mut self.history);
        history.reconcile(|key| objects.holds(key), &mut forgotten);
        forgotten
    }
}
