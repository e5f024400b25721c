//! A record of the land that edits changed, for limits and for clients: strokes, undone ones,
//! pastes and craters alike.

use world::{ChunkPosition, EditReport};

use super::Simulation;

/// The land that edits changed.
#[derive(Clone, Debug, Default)]
pub(super) struct Edited {
    /// Number of voxels that edits changed since the start.
    voxels: u64,
    /// The changed chunks that were not taken yet, once there is a watch.
    chunks: Option<Vec<ChunkPosition>>,
}

impl Simulation {
    /// Records the chunks of all edits from now on; the caller takes them after every tick.
    pub fn watch_edits(&mut self) {
        self.edited.chunks.get_or_insert_default();
    }

    /// Moves the chunks of terrain that were edited since the last call into a list, each once. The
    /// list stays empty without a watch.
    pub fn take_edited(&mut self, into: &mut Vec<ChunkPosition>) {
        into.clear();
        into.extend(
            self.edited
                .chunks
                .iter_mut()
                .flat_map(|chunks| chunks.drain(..)),
        );
        into.sort_unstable_by_key(|chunk| [chunk.x, chunk.y, chunk.z]);
        into.dedup();
    }

    /// Returns the number of voxels that edits changed since the start.
    pub fn voxels_edited(&self) -> u64 {
        self.edited.voxels
    }

    /// Adds an edit to the record.
    pub(super) fn note_edit(&mut self, report: &EditReport) {
        self.edited.voxels += report.voxels;
        if let Some(chunks) = &mut self.edited.chunks {
            chunks.extend(&report.chunks);
        }
    }
}
