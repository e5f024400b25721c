//! Collects all terrain of a saver, written or not, for another store.

use std::collections::HashMap;

use super::bytes::is_sound;
use super::codec::chunk_of_key;
use super::contents::Progress;
use super::error::StoreError;
use super::saver::{DirtyBrick, Notebook, Saver, Touched};
use super::store::{StoreChange, Table};
use crate::space::{BrickPlace, ChunkPosition};

/// The terrain of a store, and the chunks not written to it yet.
#[derive(Default)]
pub(crate) struct KeptTerrain {
    /// Chunks newer than their records.
    unwritten: HashMap<ChunkPosition, DirtyBrick>,
    /// Records as they are in the store: they name their materials. Damaged ones are left out.
    pub(crate) records: Vec<StoreChange>,
    /// Progress at least as high as the stamp of every record.
    pub(crate) progress: Progress,
}

impl KeptTerrain {
    pub(crate) fn of(saver: &Saver) -> Result<Self, StoreError> {
        // Queued chunks may be written meanwhile: copy them before the records, and the progress
        // after.
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

    /// Returns the chunks that have records.
    pub(crate) fn chunks(&self) -> Vec<ChunkPosition> {
        let keys = self.records.iter().map(|record| &record.key);
        keys.filter_map(|key| chunk_of_key(key)).collect()
    }

    /// Adds the unwritten chunks to a commit.
    pub(crate) fn note_unwritten(&self, notebook: &mut Notebook<'_>) {
        for (&chunk, DirtyBrick { voxels, origin }) in &self.unwritten {
            let place = BrickPlace::terrain(chunk);
            notebook.put(Touched { place, voxels }, *origin);
        }
    }
}
