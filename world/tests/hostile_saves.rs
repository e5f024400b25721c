//! Records of hostile saves: opening takes time in proportion to their size.

use std::sync::Arc;

use fuzz_bodies::records::seal;
use world::World;
use world::save::{MemoryStore, Store, StoreChange, Table};

/// Objects of the largest extent, and the chunks of each.
const OBJECTS: u64 = 400;
const CHUNKS: u64 = 512;

fn record(number: u64) -> StoreChange {
    let key = number.to_be_bytes().to_vec();
    let (place, extent) = ([0; 24], 256_u32.to_le_bytes().repeat(3));
    let payload = [&place[..], &1_f32.to_le_bytes(), &extent].concat();
    StoreChange {
        table: Table::Objects,
        value: Some(seal(&key, &payload)),
        key,
    }
}

/// Chunks that are missing are not looked up in the list of all damage, which would take minutes.
#[test]
fn objects_without_chunks_are_told_one_by_one() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
    drop(World::create_in(store.clone(), 3));
    let records: Vec<_> = (1..=OBJECTS).map(record).collect();
    store.commit(&records).expect("memory takes all");
    let world = World::open_store(store).expect("the damage is only told");
    let missing = world.save_status().damaged.len() as u64;
    assert_eq!(missing, OBJECTS * CHUNKS);
}
