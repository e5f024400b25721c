//! Looks into a saved world without opening it for play: counts, and damage.

use std::path::Path;

use super::codec::{MaterialNames, chunk_of_key, decode_chunk, decode_entry};
use super::disk::DiskStore;
use super::error::SaveError;
use super::header::{Header, restore_materials};
use super::saver::Damage;
use super::store::{Store, Table};
use crate::material::MaterialTable;

/// What a world file holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inspection {
    /// Format, generator, seed.
    pub header: Header,
    /// Chunks that differ from the generator.
    pub chunks: usize,
    /// Their bytes, compressed.
    pub chunk_bytes: u64,
    /// Edits that can be undone or redone.
    pub entries: usize,
    /// Edits whose record is damaged.
    pub damaged_entries: usize,
    /// Chunks whose record is damaged: they will be generated anew.
    pub damaged: Vec<Damage>,
    /// Records with keys that are no chunk's.
    pub strays: usize,
    /// Damaged chunks that were set aside before.
    pub quarantined: usize,
    /// Whether the file's own structure is sound.
    pub sound: bool,
}

/// Reads every record of a world file and checks it.
pub fn inspect(path: impl AsRef<Path>) -> Result<Inspection, SaveError> {
    let mut store = DiskStore::open(path)?;
    let sound = store.check()?;
    let header = Header::read(&store)?.ok_or(SaveError::Header("it has none"))?;
    let mut materials = MaterialTable::standard();
    restore_materials(&store, &mut materials)?;
    let names = MaterialNames::of(&materials);
    let mut found = Inspection {
        header,
        chunks: 0,
        chunk_bytes: 0,
        entries: 0,
        damaged_entries: 0,
        damaged: Vec::new(),
        strays: 0,
        quarantined: 0,
        sound,
    };
    store.visit(Table::Chunks, &mut |key, sealed| {
        found.chunks += 1;
        found.chunk_bytes += sealed.len() as u64;
        match (chunk_of_key(key), decode_chunk(key, sealed, &names)) {
            (None, _) => found.strays += 1,
            (Some(chunk), Err(error)) => found.damaged.push(Damage { chunk, error }),
            (Some(_), Ok(_)) => {}
        }
    })?;
    store.visit(Table::History, &mut |key, sealed| {
        let sequence = key.try_into().map(u64::from_be_bytes).ok();
        match sequence.map(|sequence| decode_entry(sequence, sealed, &names)) {
            Some(Ok(_)) => found.entries += 1,
            _ => found.damaged_entries += 1,
        }
    })?;
    store.visit(Table::Quarantine, &mut |_, _| found.quarantined += 1)?;
    Ok(found)
}
