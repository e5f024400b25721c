//! Free objects that an edit keeps out of the world: they lie on a shelf, and what is undone in them is undone there.

use std::collections::BTreeSet;

use super::{Author, Change, Content, Entry, Forgotten, History, ObjectEvent};
use crate::chunk::Voxels;
use crate::object::{Keeping, ObjectKey};
use crate::world::{BrickPlace, ObjectShape};

/// A free object that is not in the world and may come back.
#[derive(Clone, Debug)]
pub(crate) struct Shelved {
    pub(crate) key: ObjectKey,
    pub(crate) keeping: Keeping,
    pub(crate) shape: ObjectShape,
    /// For each of its places.
    pub(crate) bricks: Vec<Voxels>,
}

impl Shelved {
    fn bytes(&self) -> usize {
        let heap: usize = self.bricks.iter().map(Voxels::heap_bytes).sum();
        size_of::<Self>() + self.bricks.capacity() * size_of::<Voxels>() + heap
    }
}

impl History {
    /// Adds what was done to an object as a whole; one that left the world is shelved.
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

    /// Whether an entry keeps an object out of the world.
    pub(crate) fn withholds(&self, object: ObjectKey) -> bool {
        let mut withheld = self.entries.iter().filter_map(Entry::withheld);
        withheld.any(|other| other == object)
    }

    /// The objects on the shelf, in order of their keys.
    pub(crate) fn shelf(&self) -> impl Iterator<Item = &Shelved> {
        self.shelf.values()
    }

    pub(crate) fn shelved(&self, object: ObjectKey) -> Option<&Shelved> {
        self.shelf.get(&object)
    }

    /// The voxels of a brick on the shelf.
    pub(crate) fn shelved_voxels(&self, place: &BrickPlace) -> Option<&Voxels> {
        let shelved = self.shelved(place.object?)?;
        shelved.bricks.get(shelved.shape.index_of(place.chunk)?)
    }

    /// Puts an object that was taken out of the world on the shelf, which may be too much for the budget.
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

    /// Makes a change in an object on the shelf.
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

    /// An object will never come back: it leaves the shelf, and what was done to it as a whole is forgotten.
    pub(crate) fn lose(&mut self, object: ObjectKey, forgotten: &mut Forgotten) {
        forgotten.objects.extend(self.unshelve(object));
        self.forget(forgotten, |entry| {
            entry.object().is_some_and(|event| event.object == object)
        });
    }

    /// After a world was read: where the log and what was found do not fit, what is found stays so, and the log forgets what was
    /// done to those objects as a whole.
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
