//! Records of saved worlds, behind sound checksums: any are refused with a reason, or give a world
//! that can be edited, undone and opened again.

use std::sync::Arc;

use collision::Cell;
use world::save::{
    Damage, DecodeError, DiskStore, MaterialNames, MemoryStore, Store, StoreChange, Table,
    decode_chunk,
};
use world::{Author, Material, MaterialTable, World};

use crate::Target;
use crate::bytes::Bytes;
use crate::saved::{self, Scratch};

/// The target.
pub const TARGET: Target = Target {
    name: "records",
    check,
    seeds,
    longest: 65_536,
};

/// Most records of a store.
const MOST: usize = 256;
/// Bit of a record's length, set if its stamp follows.
const STAMPED: u32 = 1 << 31;
/// Most bytes of a payload.
const LONGEST: usize = 1 << 16;

/// The forms of a record.
const RAW: u8 = 0;
const SEALED: u8 = 1;
const SUMMED: u8 = 2;

/// Opens a store whose records are made of bytes.
pub fn check(data: &[u8]) {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
    let changes = read(&mut Bytes(data));
    let names = MaterialNames::of(&MaterialTable::standard());
    for change in &changes {
        let _voxels = decode_chunk(&change.key, change.value.as_deref().unwrap_or(&[]), &names);
    }
    store.commit(&changes).expect("memory takes all");
    let Ok(mut world) = World::open_store(store.clone()) else {
        return;
    };
    for author in [Author::default(), Author(1), Author(2)] {
        while world.undo(author).is_some() {}
        while world.redo(author).is_some() {}
    }
    let chunk = world.loaded_chunks().map(|(chunk, _)| chunk).next();
    if let Some(chunk) = chunk {
        let cell = chunk.map(|part| part.wrapping_mul(32)) + Cell::repeat(1);
        world.set_voxel(cell, Material::LAMP);
        assert_eq!(world.material(cell), Some(Material::LAMP));
    }
    world.flush().expect("memory takes all");
    drop(world);
    let again = World::open_store(store).expect("what was opened opens again");
    // Damaged records are set aside; missing ones stay missing.
    let damaged = again.save_status().damaged;
    let is_missing = |damage: &Damage| damage.error == DecodeError::Missing;
    assert!(damaged.iter().all(is_missing), "not set aside: {damaged:?}");
}

fn read(bytes: &mut Bytes<'_>) -> Vec<StoreChange> {
    let mut changes = Vec::new();
    while !bytes.is_empty() && changes.len() < MOST {
        let (form, table) = (bytes.below(3) as u8, bytes.one_of(&Table::ALL));
        let count = usize::from(bytes.byte());
        let key = bytes.take(count).to_vec();
        let count = usize::from(bytes.short());
        let payload = bytes.take(count);
        let value = Some(match form {
            SEALED => seal(&key, payload),
            SUMMED => [payload, &checksum(&key, payload).to_le_bytes()].concat(),
            _ => payload.to_vec(),
        });
        changes.push(StoreChange { table, key, value });
    }
    changes
}

/// Writes records in the form that [`read`] reads.
fn write(changes: &[StoreChange]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for StoreChange { table, key, value } in changes {
        let value = value.as_deref().unwrap_or(&[]);
        let (form, payload) = match unsealed(key, value) {
            Some(payload) => (SEALED, payload),
            None => match value.split_last_chunk::<8>() {
                Some((rest, sum)) if checksum(key, rest).to_le_bytes() == *sum => {
                    (SUMMED, rest.to_vec())
                }
                _ => (RAW, value.to_vec()),
            },
        };
        let index = Table::ALL
            .iter()
            .position(|other| other == table)
            .unwrap_or(0);
        bytes.extend_from_slice(&[form, index as u8, key.len() as u8]);
        bytes.extend_from_slice(key);
        bytes.extend_from_slice(&(payload.len() as u16).to_le_bytes());
        bytes.extend_from_slice(&payload);
    }
    bytes
}

/// Packs a payload: checksum, length, stamp, compressed payload.
pub fn seal(key: &[u8], payload: &[u8]) -> Vec<u8> {
    let length = (payload.len() as u32 | STAMPED).to_le_bytes();
    let stamp = 1_u64.to_le_bytes();
    let rest = [&length[..], &stamp, &lz4_flex::compress(payload)].concat();
    [&checksum(key, &rest).to_le_bytes()[..], &rest].concat()
}

/// Returns the payload of a sealed record.
fn unsealed(key: &[u8], sealed: &[u8]) -> Option<Vec<u8>> {
    let (sum, rest) = sealed.split_first_chunk::<8>()?;
    let (length, packed) = rest.split_first_chunk::<4>()?;
    let length = u32::from_le_bytes(*length);
    let packed = if length & STAMPED == 0 {
        packed
    } else {
        packed.get(8..)?
    };
    let sound = *sum == checksum(key, rest).to_le_bytes();
    let length = (length & !STAMPED) as usize;
    let payload = sound.then(|| lz4_flex::decompress(packed, length.min(LONGEST)))?;
    payload.ok()
}

/// Returns the checksum of a record (FNV-1a by 8 bytes, then scrambled).
fn checksum(key: &[u8], value: &[u8]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325 ^ (key.len() as u64) << 32 ^ value.len() as u64;
    for bytes in [key, value].into_iter().flat_map(|part| part.chunks(8)) {
        let mut word = [0; 8];
        word[..bytes.len()].copy_from_slice(bytes);
        hash = (hash ^ u64::from_le_bytes(word)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        hash ^= hash >> 29;
    }
    hash
}

fn seeds() -> Vec<Vec<u8>> {
    let file = Scratch::new();
    saved::save(&file.0);
    let store = DiskStore::open(&file.0).expect("it was saved");
    let mut changes = Vec::new();
    for table in Table::ALL {
        let visited = store.visit(table, &mut |key, value| {
            let (key, value) = (key.to_vec(), Some(value.to_vec()));
            changes.push(StoreChange { table, key, value });
        });
        visited.expect("it is sound");
    }
    let seed = write(&changes);
    let sealed = changes.iter().filter(|change| {
        change
            .value
            .as_ref()
            .is_some_and(|value| unsealed(&change.key, value).is_some())
    });
    assert!(sealed.count() > 10, "the form of records has changed");
    let few: Vec<StoreChange> = changes
        .into_iter()
        .filter(|change| change.table != Table::Chunks)
        .collect();
    vec![seed, write(&few)]
}
