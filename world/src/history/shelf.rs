//! The shelf: free objects that an entry keeps out of the world. Edits in them are undone there.

use std::collections::BTreeSet;

use super::{Author, Change, Content, Entry, Forgotten, History, ObjectEvent};
use crate::chunk::Voxels;
use crate::object::{ObjectKey, Shelved};
use crate::space::BrickPlace;

impl History {
    /// Appends the addition or removal of an object; a removed object is shelved.
    pub(crate) fn record_object(
        &mut self,
        author: Author,
        event: ObjectEvent,
        shelved: Option<Shelved>,
        forgotten: &mut Forgotten,
    ) -> Option<&Entry> {
        if let Some(shelved) = shelved {
            self.put_on_shelf(shelved);
        }
        self.append(author, Content::Object(event), forgotten)
    }

    /// Returns true if an entry keeps an object out of the world.
    pub(crate) fn withholds(&self, object: ObjectKey) -> bool {
        let mut withheld = self.entries.iter().filter_map(Entry::withheld);
        withheld.any(|other| other == object)
    }

    /// Returns the objects on the shelf in order of key.
    #[cfg(feature = "save")]
    pub(crate) fn shelf(&self) -> impl Iterator<Item = &Shelved> {
        self.shelf.values()
    }

    pub(crate) fn shelved(&self, object: ObjectKey) -> Option<&Shelved> {
        self.shelf.get(&object)
    }

    /// Returns the voxels of a chunk of a shelved object.
    pub(crate) fn shelved_voxels(&self, place: &BrickPlace) -> Option<&Voxels> {
        let shelved = self.shelved(place.object?)?;
        shelved.bricks.get(shelved.shape.index_of(place.chunk)?)
    }

    /// Shelves an object, then forgets entries if the budget is exceeded.
    pub(crate) fn shelve(&mut self, shelved: Shelved, forgotten: &mut Forgotten) {
        self.put_on_shelf(shelved);
        self.shrink(forgotten);
    }

    pub(crate) fn put_on_shelf(&mut self, shelved: Shelved) {
        self.bytes += shelved.bytes();
        self.shelf.insert(shelved.key, shelved);
    }

    /// Takes an object from the shelf.
    pub(crate) fn unshelve(&mut self, object: ObjectKey) -> Option<Shelved> {
        let shelved = self.shelf.remove(&object)?;
        self.bytes -= shelved.bytes();
        Some(shelved)
    }

    /// Applies a change to a shelved object.
    pub(crate) fn write_shelved(&mut self, change: &Change) {
        let object = change.place.object;
        let Some(shelved) = object.and_then(|object| self.shelf.get_mut(&object)) else {
            return;
        };
        let index = shelved.shape.index_of(change.place.chunk);
        if let Some(voxels) = index.and_then(|index| shelved.bricks.get_mut(index)) {
            let row = usize::from(change.row);
            self.bytes -= voxels.heap_bytes();
            voxels.fill_row(row, change.mask, change.new, |_| {});
            voxels.tidy_row(row);
            self.bytes += voxels.heap_bytes();
        }
    }

    /// Removes an object for good: drops it from the shelf, and all entries that add or remove it.
    pub(crate) fn lose(&mut self, object: ObjectKey, forgotten: &mut Forgotten) {
        forgotten.objects.extend(self.unshelve(object));
        self.forget(forgotten, |entry| {
            entry.object().is_some_and(|event| event.object == object)
        });
    }

    /// Repairs a log that was read with its world: if the log and the presence of an object
    /// disagree, the object stays as it was found, and the log forgets the entries that add or
    /// remove it.
    pub(crate) fn reconcile(
        &mut self,
        present: impl Fn(ObjectKey) -> bool,
        forgotten: &mut Forgotten,
    ) {
        let events = self.entries.iter().filter_map(Entry::object);
        let named = events.map(|event| event.object);
        let named: BTreeSet<ObjectKey> = named.chain(self.shelf.keys().copied()).collect();
        let withheld = self.entries.iter().filter_map(Entry::withheld);
        let withheld: BTreeSet<ObjectKey> = withheld.collect();
        for object in named {
            let fits = if self.shelf.contains_key(&object) {
                withheld.contains(&object)
            } else {
                present(object) && !withheld.contains(&object)
            };
            if !fits {
                self.lose(object, forgotten);
            }
        }
    }
}
