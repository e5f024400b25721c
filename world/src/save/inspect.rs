//! Looks into a saved world without opening it for play: counts, and damage.

use std::path::Path;

use super::codec::{
    MaterialNames, brick_of_key, chunk_of_key, decode_chunk, decode_entry, decode_shape,
};
use super::damage::{Damage, Part};
use super::disk::DiskStore;
use super::error::{DecodeError, SaveError};
use super::header::{Header, restore_materials};
use super::store::{Store, Table};
use crate::material::MaterialTable;
use crate::object::ObjectKey;

/// What a world file holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inspection {
    /// Format, generator, seed.
    pub header: Header,
    /// Chunks that differ from the generator.
    pub chunks: usize,
    /// Their bytes, compressed.
    pub chunk_bytes: u64,
    /// Free objects.
    pub objects: usize,
    /// Edits that can be undone or redone.
    pub entries: usize,
    /// What is damaged.
    pub damaged: Vec<Damage>,
    /// Damaged records that were set aside before.
    pub quarantined: usize,
    /// Whether the file's own structure is sound.
    pub sound: bool,
}

/// Reads every record of a world file and checks it.
pub fn inspect(path: impl AsRef<Path>) -> Result<Inspection, SaveError> {
    let mut store = DiskStore::open(path)?;
    let sound = store.check()?;
    let (header, _) = Header::read(&store)?.ok_or(SaveError::Header("it has none"))?;
    let mut materials = MaterialTable::standard();
    restore_materials(&store, &mut materials)?;
    let names = MaterialNames::of(&materials);
    let mut found = Inspection {
        header,
        chunks: 0,
        chunk_bytes: 0,
        objects: 0,
        entries: 0,
        damaged: Vec::new(),
        quarantined: 0,
        sound,
    };
    let mut blame = |part: Part, error: DecodeError| found.damaged.push(Damage { part, error });
    let (mut objects, mut entries) = (0, 0);
    store.visit(Table::Chunks, &mut |key, sealed| {
        found.chunks += 1;
        found.chunk_bytes += sealed.len() as u64;
        if let Err(error) = decode_chunk(key, sealed, &names) {
            blame(chunk_of_key(key).map_or(Part::Stray, Part::Chunk), error);
        }
    })?;
    store.visit(Table::History, &mut |key, sealed| {
        entries += 1;
        match key.try_into().map(u64::from_be_bytes) {
            Err(_) => blame(Part::Stray, DecodeError::Malformed),
            Ok(sequence) => {
                if let Err(error) = decode_entry(sequence, sealed, &names) {
                    blame(Part::Edit(sequence), error);
                }
            }
        }
    })?;
    store.visit(Table::Objects, &mut |key, sealed| {
        objects += 1;
        let object = key.try_into().ok().map(u64::from_be_bytes);
        let object = object.and_then(ObjectKey::from_number);
        if let Err(error) = decode_shape(key, sealed) {
            blame(object.map_or(Part::Stray, Part::Object), error);
        }
    })?;
    store.visit(Table::ObjectChunks, &mut |key, sealed| {
        if let Err(error) = decode_chunk(key, sealed, &names) {
            let brick = |(object, at)| Part::ObjectChunk(object, at);
            blame(brick_of_key(key).map_or(Part::Stray, brick), error);
        }
    })?;
    store.visit(Table::Quarantine, &mut |_, _| found.quarantined += 1)?;
    (found.objects, found.entries) = (objects, entries);
    Ok(found)
}
