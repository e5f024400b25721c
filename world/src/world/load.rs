//! Loads chunks from the store or the land.

use rayon::prelude::*;

use super::World;
use crate::chunk::Brick;
#[cfg(feature = "generate")]
use crate::generate::Generator;
use crate::kd_tree::CellBox;
use crate::land::Spawn;
use crate::save::{SaveError, StoreError};
use crate::space::{ChunkPosition, chunk_of};
use collision::Cell;

/// Largest number of chunks that one call may load.
const MOST_CHUNKS: i64 = 64 << 10;
/// Distance around the spawn within which a new world is loaded, in cells.
const FIRST_VIEW: i32 = 72;

/// Reasons for failing to load chunks.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LoadError {
    /// The box contains too many chunks.
    #[error("{0} chunks are too many at once: load at most {MOST_CHUNKS}, or stream them")]
    TooMany(i64),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Returns the chunks that intersect a box of cells.
fn chunks_in(cells: &CellBox) -> Result<Vec<ChunkPosition>, LoadError> {
    let (low, high) = (chunk_of(cells.min), chunk_of(cells.max));
    let sides = (high - low).map(|side| i64::from(side) + 1);
    let count = sides
        .iter()
        .fold(1i64, |count, &side| count.saturating_mul(side));
    if sides.iter().any(|&side| side <= 0) {
        return Ok(Vec::new());
    }
    if count > MOST_CHUNKS {
        return Err(LoadError::TooMany(count));
    }
    let mut chunks = Vec::new();
    for z in low.z..=high.z {
        for x in low.x..=high.x {
            chunks.extend((low.y..=high.y).map(|y| ChunkPosition::new(x, y, z)));
        }
    }
    Ok(chunks)
}

impl World {
    /// Returns the seed of the generator, if the world has one.
    pub fn seed(&self) -> Option<u64> {
        let land = self.source.as_ref()?.land.as_ref()?;
        Some(land.mark?.seed)
    }

    /// Returns the generator of unedited terrain, if the world is of a seed.
    #[cfg(feature = "generate")]
    pub fn generator(&self) -> Option<&Generator> {
        self.generator.as_deref()
    }

    /// Returns a good place to start, if the world has a source of chunks that names one.
    pub fn spawn(&self) -> Option<Spawn> {
        let land = self.source.as_ref()?.land.as_ref()?;
        land.chunks.start()
    }

    /// Returns the chunks that differ from the land or were ever edited, in a fixed order;
    /// none for a world without a store.
    pub fn edited_chunks(&self) -> Vec<ChunkPosition> {
        let source = self.source.as_ref();
        source.map_or_else(Vec::new, |source| source.saver.edited_chunks())
    }

    /// Loads all missing chunks that intersect a box of cells. Returns their number.
    pub fn load(&mut self, cells: &CellBox) -> Result<usize, LoadError> {
        self.load_chunks(chunks_in(cells)?)
    }

    /// Loads those of the chunks that are missing.
    pub(crate) fn load_chunks(
        &mut self,
        mut wanted: Vec<ChunkPosition>,
    ) -> Result<usize, LoadError> {
        let Some(source) = self.source.clone() else {
            return Ok(0);
        };
        wanted.retain(|&chunk| self.brick_at(chunk).is_none());
        let materials = &self.materials;
        let loaded: Result<Vec<_>, StoreError> = wanted
            .into_par_iter()
            .map(|chunk| {
                let voxels = source.voxels(chunk)?;
                Ok(voxels.map(|voxels| (chunk, Brick::new(voxels, materials))))
            })
            .collect();
        let bricks: Vec<_> = loaded?.into_iter().flatten().collect();
        let count = bricks.len();
        if count > 0 {
            let chunks: Vec<ChunkPosition> = bricks.iter().map(|(chunk, _)| *chunk).collect();
            self.space.put_bricks(bricks);
            chunks.into_iter().for_each(|chunk| self.note_loaded(chunk));
        }
        Ok(count)
    }

    pub(super) fn load_spawn(&mut self) {
        if let Some(spawn) = self.spawn() {
            let reach = Cell::new(FIRST_VIEW, 40, FIRST_VIEW);
            let at = Cell::from(spawn.cell);
            let chunks = chunks_in(&CellBox::new(at - reach, at + reach)).unwrap_or_default();
            // If the store fails for one chunk, load the others one by one; the status names the
            // failed one.
            if self.load_chunks(chunks.clone()).is_err() {
                for chunk in chunks {
                    let _ = self.load_chunks(vec![chunk]);
                }
            }
        }
    }

    pub(super) fn load_all_saved(&mut self) -> Result<(), SaveError> {
        let Some(source) = self.source.clone() else {
            return Ok(());
        };
        match self.load_chunks(source.saver.edited_chunks()) {
            Err(LoadError::Store(error)) => Err(error.into()),
            _ => Ok(()),
        }
    }
}
