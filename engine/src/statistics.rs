//! What the last picture cost.

/// Time of one pass.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PassTime {
    /// Name of the pass.
    pub name: &'static str,
    /// Milliseconds; those of the GPU are a few pictures old.
    pub milliseconds: f32,
}

/// Counts and times of the last picture.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Statistics {
    /// CPU milliseconds to find what changed and upload it.
    pub upload_milliseconds: f32,
    /// CPU milliseconds to cull and record.
    pub record_milliseconds: f32,
    /// CPU milliseconds from the start of a picture to its submission.
    pub total_milliseconds: f32,
    /// Time of each pass on the GPU; empty where the adapter has no timestamps.
    pub passes: Vec<PassTime>,
    /// CPU time to record each pass.
    pub recording: Vec<PassTime>,
    /// Bricks in view.
    pub bricks: u32,
    /// Draws recorded for terrain.
    pub draws: u32,
    /// Quads in those draws.
    pub quads: u64,
    /// Shadow maps drawn anew, of three.
    pub shadow_maps: u32,
    /// Bricks uploaded for this picture.
    pub uploaded_bricks: u32,
    /// Bytes uploaded for this picture.
    pub uploaded_bytes: u64,
    /// Pieces of bricks whose light was worked out anew for this picture.
    pub relit_pieces: u32,
    /// Bytes of all quad pages.
    pub page_bytes: u64,
    /// Bytes of quads in use.
    pub quad_bytes: u64,
    /// Passes over the samples of the picture.
    pub sample_passes: u32,
    /// Characters and other bodies that the eye sees.
    pub characters: u32,
}

impl Statistics {
    /// Sum of the GPU times.
    #[must_use]
    pub fn gpu_milliseconds(&self) -> f32 {
        self.passes.iter().map(|pass| pass.milliseconds).sum()
    }
}
