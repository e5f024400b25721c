//! Inspects a saved world without writing to it: counts and damage.

use std::path::Path;

use super::codec::Standing;
use super::contents::{Contents, Depth};
use super::damage::{Damage, Part};
use super::error::SaveError;
use super::header::Header;
use super::pages::View;

/// The contents of a world file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inspection {
    /// Format, generator and seed.
    pub header: Header,
    /// Chunks that differ from the generator.
    pub chunks: usize,
    /// Compressed size of these chunks, in bytes.
    pub chunk_bytes: u64,
    /// Free objects in the world; removed ones that can be restored are not counted.
    pub objects: usize,
    /// Edits that can be undone or redone.
    pub entries: usize,
    /// Damaged parts.
    pub damaged: Vec<Damage>,
    /// Records that are counted but cannot be reached. If there are any, the world does not open,
    /// but can be salvaged.
    pub hidden: u64,
    /// Damaged records that were set aside earlier.
    pub quarantined: usize,
    /// True if all checksums of pages match.
    pub sound: bool,
    /// True if the file was closed properly. Otherwise its program was killed; opening repairs the
    /// file.
    pub closed: bool,
}

/// Reads and checks every record of a world file, without changing it.
pub fn inspect(path: impl AsRef<Path>) -> Result<Inspection, SaveError> {
    let view = View::open(path.as_ref())?;
    let contents = Contents::survey(&view, Depth::Voxels)?;
    let refused = |chunk: &Damage| matches!(chunk.part, Part::Chunk(_));
    let damaged: Vec<Damage> = contents.bad.into_iter().map(|bad| bad.damage).collect();
    Ok(Inspection {
        header: contents.header,
        chunks: contents.chunks.len() + damaged.iter().filter(|damage| refused(damage)).count(),
        chunk_bytes: contents.chunk_bytes,
        objects: contents
            .objects
            .iter()
            .filter(|saved| saved.standing == Standing::InWorld)
            .count(),
        entries: contents.entries.len(),
        damaged,
        hidden: contents.hidden,
        quarantined: contents.quarantined,
        sound: view.is_sound(),
        closed: view.is_closed(),
    })
}
