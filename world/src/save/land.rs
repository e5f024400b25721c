//! The land of a world: the source of its chunks that were never edited.

use std::sync::Arc;

use super::header::GeneratorMark;
use crate::chunk::Voxels;
use crate::land::ChunkSource;
use crate::space::ChunkPosition;

/// The land of a world: terrain that was never edited.
#[derive(Clone)]
pub(crate) struct Land {
    pub(crate) chunks: Arc<dyn ChunkSource>,
    /// The mark of this crate's generator; `None` for land of the application's own.
    pub(crate) mark: Option<GeneratorMark>,
}

impl Land {
    /// Returns land of the application's own.
    pub(crate) fn own(chunks: Arc<dyn ChunkSource>) -> Self {
        Self { chunks, mark: None }
    }

    /// Makes a chunk.
    pub(crate) fn voxels(&self, chunk: ChunkPosition) -> Voxels {
        let mut column = self.chunks.chunk_column(chunk.x, chunk.z);
        column.voxels(chunk.y)
    }
}
