//! The terrain of a world: the store for edited chunks, else the land.

use std::sync::Arc;

use super::codec::MaterialNames;
use super::contents::Contents;
use super::error::StoreError;
use super::land::Land;
use super::saver::Saver;
use super::store::Store;
use crate::chunk::Voxels;
use crate::material::MaterialTable;
use crate::space::ChunkPosition;

/// The source of chunks: the store for edited ones, else the land. Cheap to clone, for loading
/// threads.
#[derive(Clone)]
pub(crate) struct Source {
    pub(crate) land: Option<Land>,
    pub(crate) saver: Arc<Saver>,
}

impl Source {
    /// Starts saving to a store that has these contents.
    pub(crate) fn new(
        store: Arc<dyn Store>,
        land: Option<Land>,
        materials: &MaterialTable,
        contents: &mut Contents,
    ) -> Self {
        let names = MaterialNames::of(materials);
        let saver = Arc::new(Saver::new(store, land.clone(), names, contents));
        Self { land, saver }
    }

    /// Returns the saved voxels of a chunk, if it was edited.
    pub(crate) fn saved(&self, chunk: ChunkPosition) -> Result<Option<Voxels>, StoreError> {
        self.saver.read(chunk)
    }

    /// Returns the rows of a column that were ever edited.
    pub(crate) fn edited_rows(&self, x: i32, z: i32) -> Vec<i32> {
        self.saver.edited_rows(x, z)
    }

    /// Returns the voxels of a chunk; `None` if it was never edited and there is no land.
    pub(crate) fn voxels(&self, chunk: ChunkPosition) -> Result<Option<Voxels>, StoreError> {
        let saved = self.saved(chunk)?;
        Ok(saved.or_else(|| Some(self.land.as_ref()?.voxels(chunk))))
    }
}
