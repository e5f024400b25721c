//! Records of hostile saves: small ones that stand for many chunks.

use std::sync::Arc;

use fuzz_bodies::{records::seal, saved};
use world::World;
use world::save::{DiskStore, MemoryStore, Part, Store, StoreChange, Table};

/// Removed objects of the largest extent, and the chunks of each.
const OBJECTS: u64 = 400;
const CHUNKS: usize = 512;
/// Number of the first.
const FIRST: u64 = 100;

fn record(number: u64) -> StoreChange {
    let key = number.to_be_bytes().to_vec();
    let (place, extent) = ([0; 24], 256_u32.to_le_bytes().repeat(3));
    let payload = [&place[..], &1_f32.to_le_bytes(), &extent, &[1]].concat();
    StoreChange {
        table: Table::Objects,
        value: Some(seal(&key, &payload)),
        key,
    }
}

/// Returns the header of a world without a generator.
fn header() -> Vec<StoreChange> {
    let path = std::env::temp_dir().join(format!("hostile-{}.world", std::process::id()));
    saved::save(&path);
    let store = DiskStore::open(&path).expect("it was saved");
    let mut header = Vec::new();
    let visited = store.visit(Table::Header, &mut |key, value| {
        header.push(StoreChange {
            table: Table::Header,
            key: key.to_vec(),
            value: Some(value.to_vec()),
        });
    });
    visited.expect("it is sound");
    drop(store);
    std::fs::remove_file(&path).expect("it is closed");
    header
}

/// Each missing chunk is told, once.
#[test]
fn objects_without_chunks_are_told_one_by_one() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
    let records = header()
        .into_iter()
        .chain((FIRST..FIRST + OBJECTS).map(record));
    let records: Vec<_> = records.collect();
    store.commit(&records).expect("memory takes all");
    let world = World::open_store(store).expect("the damage is only told");
    let damaged = world.save_status().damaged;
    let of_them = damaged
        .iter()
        .filter(|damage| matches!(damage.part, Part::ObjectChunk(key, _) if key.number() >= FIRST));
    assert_eq!(of_them.count(), OBJECTS as usize * CHUNKS);
}
