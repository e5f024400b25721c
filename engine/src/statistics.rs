//! Counts and times of the last picture.

/// Time of one pass.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PassTime {
    /// Name of the pass.
    pub name: &'static str,
    /// Milliseconds; GPU times are a few pictures old.
    pub milliseconds: f32,
}

/// Counts and times of the last picture.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Statistics {
    /// CPU milliseconds to find changes and upload them.
    pub upload_milliseconds: f32,
    /// CPU milliseconds to cull and record.
    pub record_milliseconds: f32,
    /// CPU milliseconds from the start of a picture to its submission.
    pub total_milliseconds: f32,
    /// GPU time of each pass; empty if the adapter has no timestamps.
    pub passes: Vec<PassTime>,
    /// CPU time to record each pass.
    pub recording: Vec<PassTime>,
    /// Chunks in view.
    pub bricks: u32,
    /// Draws of all passes but that of panels.
    pub draws: u32,
    /// Quads of terrain in view.
    pub quads: u64,
    /// Shadow maps drawn, of three.
    pub shadow_maps: u32,
    /// Chunks uploaded for this picture.
    pub uploaded_bricks: u32,
    /// Bytes uploaded for this picture.
    pub uploaded_bytes: u64,
    /// Bytes written to the GPU for this picture, panels aside.
    pub written_bytes: u64,
    /// Bytes of targets that the passes load and store, panels aside.
    pub target_bytes: u64,
    /// Size of the scene, before it is scaled to that of the picture.
    pub scene_size: [u32; 2],
    /// Pieces of chunks whose light was recomputed for this picture.
    pub relit_pieces: u32,
    /// CPU milliseconds to take over the fog of war of this picture, its upload included.
    pub fog_milliseconds: f32,
    /// Bytes of all quad pages.
    pub page_bytes: u64,
    /// Bytes of quads in use.
    pub quad_bytes: u64,
    /// Passes over the samples of the picture.
    pub sample_passes: u32,
    /// Characters and other bodies in view.
    pub characters: u32,
    /// Models in view.
    pub models: u32,
}

impl Statistics {
    /// Returns the sum of the GPU times.
    #[must_use]
    pub fn gpu_milliseconds(&self) -> f32 {
        self.passes.iter().map(|pass| pass.milliseconds).sum()
    }
}
