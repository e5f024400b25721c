//! Streams terrain into the world.

use super::World;
use crate::space::ChunkPosition;
use crate::stream::{StreamReport, StreamSettings, Viewer};

impl World {
    /// Loads and unloads terrain around viewers; to be called every tick or frame.
    pub fn stream(&mut self, viewers: &[Viewer], settings: &StreamSettings) -> StreamReport {
        match &self.source {
            Some(source) if source.land.is_some() => {
                let streamer = self.streamer.get_or_insert_default();
                streamer.step(&mut self.space, source, viewers, settings)
            }
            _ => StreamReport::default(),
        }
    }

    /// Streams like [`World::stream`], but waits until all that the viewers want is loaded.
    pub fn stream_wholly(&mut self, viewers: &[Viewer], settings: &StreamSettings) -> StreamReport {
        let mut total = StreamReport::default();
        loop {
            let report = self.stream(viewers, settings);
            total = StreamReport {
                loaded: total.loaded + report.loaded,
                unloaded: total.unloaded + report.unloaded,
                ..report
            };
            if report.waiting == 0 {
                return total;
            }
            if report.loaded == 0
                && let Some(streamer) = &mut self.streamer
            {
                streamer.work_or_wait();
            }
        }
    }

    /// Counts a chunk that was loaded by other means.
    pub(super) fn note_loaded(&mut self, chunk: ChunkPosition) {
        let streamer = self.streamer.get_or_insert_default();
        streamer.note_loaded(&self.space, chunk);
    }

    /// Stops counting a chunk that was unloaded by other means.
    pub(super) fn note_unloaded(&mut self, chunk: ChunkPosition) {
        if let Some(streamer) = &mut self.streamer {
            streamer.forget(chunk);
        }
    }
}
