//! Passes changes of the world to the saver, grouped into commits.

use std::sync::Arc;

use super::super::codec::{MaterialNames, SavedShape};
use super::super::store::StoreChange;
use super::{DirtyBrick, Origin, State};
use crate::chunk::{RowChange, Voxels};
use crate::history::Entry;
use crate::object::{ObjectKey, ObjectShape};
use crate::space::BrickPlace;

/// A chunk to save.
pub(crate) struct Touched<'a> {
    pub(crate) place: BrickPlace,
    pub(crate) voxels: &'a Voxels,
}

/// The changes of one commit.
pub(crate) struct Notebook<'a> {
    pub(super) state: &'a mut State,
}

impl Notebook<'_> {
    /// Returns true if a copy of the chunk is queued, so that changes can be repeated on it.
    pub(crate) fn holds(&self, place: &BrickPlace) -> bool {
        let held = self.state.pending.bricks.get(place);
        held.is_some_and(Option::is_some)
    }

    /// Queues a copy of a chunk.
    pub(crate) fn put(&mut self, touched: Touched<'_>, origin: Origin) {
        let voxels = touched.voxels.clone();
        if touched.place.object.is_none() && origin != Origin::Loaded {
            self.state.remember(touched.place.chunk);
        }
        let dirty = Some(DirtyBrick { voxels, origin });
        self.state.pending.bricks.insert(touched.place, dirty);
    }

    /// Queues the place of a free object, and whether it is in the world.
    pub(crate) fn put_object(&mut self, object: ObjectKey, shape: SavedShape) {
        let next = &mut self.state.progress.next_object;
        *next = (*next).max(object.next());
        self.state.pending.objects.insert(object, Some(shape));
    }

    /// Queues the removal of a free object and its chunks.
    pub(crate) fn remove_object(&mut self, object: ObjectKey, shape: &ObjectShape) {
        self.state.pending.objects.insert(object, None);
        for chunk in shape.places() {
            let object = Some(object);
            let place = BrickPlace { object, chunk };
            self.state.pending.bricks.insert(place, None);
        }
    }

    /// Repeats a change on a queued chunk.
    pub(crate) fn repeat(&mut self, place: &BrickPlace, change: &RowChange, origin: Origin) {
        if let Some(Some(dirty)) = self.state.pending.bricks.get_mut(place) {
            dirty
                .voxels
                .fill_row(usize::from(change.row), change.mask, change.new, |_| {});
            dirty.origin = origin;
            if place.object.is_none() {
                self.state.remember(place.chunk);
            }
        }
    }

    /// Queues a history entry.
    pub(crate) fn put_entry(&mut self, entry: &Entry) {
        self.state
            .pending
            .entries
            .insert(entry.sequence, Some(entry.clone()));
    }

    /// Queues the removal of a history entry.
    pub(crate) fn remove_entry(&mut self, sequence: u64) {
        self.state.pending.entries.insert(sequence, None);
    }

    /// Queues records unchanged.
    pub(crate) fn put_records(&mut self, records: impl IntoIterator<Item = StoreChange>) {
        self.state.pending.others.extend(records);
    }

    /// Returns the number of materials that the saver knows by name.
    pub(crate) fn known_materials(&self) -> usize {
        self.state.names.len()
    }

    /// Sets the known names; `saved` writes them to the store.
    pub(crate) fn learn_materials(
        &mut self,
        names: MaterialNames,
        saved: impl IntoIterator<Item = StoreChange>,
    ) {
        self.state.names = Arc::new(names);
        self.state.pending.others.extend(saved);
    }
}
