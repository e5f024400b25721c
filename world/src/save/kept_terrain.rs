//! All terrain that a saver keeps, written or not, for another store.

use std::collections::HashMap;

use super::bytes::is_sound;
use super::codec::chunk_of_key;
use super::contents::Progress;
use super::error::StoreError;
use super::saver::{DirtyBrick, Notebook, Saver, Touched};
use super::store::{StoreChange, Table};
use crate::world::{BrickPlace, ChunkPosition};

/// The terrain of a store, with what is not written to it yet.
#[derive(Default)]
pub(super) struct KeptTerrain {
    /// Newer than the records.
    unwritten: HashMap<ChunkPosition, DirtyBrick>,
    /// As they are written: a record names its materials. Damaged ones are left where they are.
    pub(super) records: Vec<StoreChange>,
    /// No record's stamp is above it.
    pub(super) progress: Progress,
}

impl KeptTerrain {
    pub(super) fn of(saver: &Saver) -> Result<Self, StoreError> {
        // What waits may be written meanwhile: it is copied before the records, and progress after them.
        let unwritten = saver.unwritten();
        let mut records = Vec::new();
        saver.store().visit(Table::Chunks, &mut |key, sealed| {
            if is_sound(key, sealed) {
                let (table, key, value) = (Table::Chunks, key.to_vec(), Some(sealed.to_vec()));
                records.push(StoreChange { table, key, value });
            }
        })?;
        let progress = saver.progress();
        Ok(Self {
            unwritten,
            records,
            progress,
        })
    }

    /// The chunks that have records.
    pub(super) fn chunks(&self) -> Vec<ChunkPosition> {
        let keys = self.records.iter().map(|record| &record.key);
        keys.filter_map(|key| chunk_of_key(key)).collect()
    }

    /// Puts what was not written into a commit.
    pub(super) fn note_unwritten(&self, notebook: &mut Notebook<'_>) {
        for (&chunk, DirtyBrick { voxels, origin }) in &self.unwritten {
            let place = BrickPlace::terrain(chunk);
            notebook.put(Touched { place, voxels }, *origin);
        }
    }
}
