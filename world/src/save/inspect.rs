//! Looks into a saved world without writing to it: counts, and damage.

use std::path::Path;

use super::codec::Standing;
use super::contents::{Contents, Depth};
use super::damage::{Damage, Part};
use super::error::SaveError;
use super::header::Header;
use super::pages::View;

/// What a world file holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inspection {
    /// Format, generator, seed.
    pub header: Header,
    /// Chunks that differ from the generator.
    pub chunks: usize,
    /// Their bytes, compressed.
    pub chunk_bytes: u64,
    /// Free objects in the world, without those that were removed and can come back.
    pub objects: usize,
    /// Edits that can be undone or redone.
    pub entries: usize,
    /// What is damaged.
    pub damaged: Vec<Damage>,
    /// Records that are counted but cannot be reached. While there are any the world does not open; salvage it.
    pub hidden: u64,
    /// Damaged records that were set aside before.
    pub quarantined: usize,
    /// Whether all pages are as they were written.
    pub sound: bool,
    /// Whether the file was closed in order. If not, its program was killed; it is put in order when it is opened.
    pub closed: bool,
}

/// Reads every record of a world file and checks it. The file is left as it is.
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
