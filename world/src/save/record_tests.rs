//! Records of chunks come back from their bytes, and bytes that were altered are refused.
#![allow(clippy::unwrap_used)]

use proptest::prelude::*;

use super::codec::MaterialNames;
use super::*;
use crate::chunk::{VOLUME, Voxels};
use crate::material::{Material, MaterialInfo, MaterialTable};
use crate::space::ChunkPosition;

fn voxels() -> impl Strategy<Value = Voxels> {
    let boxes = prop::collection::vec(
        (0u16..40, 0usize..32, 0usize..32, 0usize..32, 1usize..20),
        0..12,
    );
    boxes.prop_map(|boxes| {
        let mut voxels = Voxels::uniform(Material::STONE);
        for (material, x, y, z, side) in boxes {
            for z in z..(z + side).min(32) {
                for y in y..(y + side).min(32) {
                    for x in x..(x + side).min(32) {
                        voxels.set(x, y, z, Material(material % 36));
                    }
                }
            }
        }
        voxels
    })
}

#[test]
fn a_chunk_of_nothing_but_different_materials_comes_back() {
    for length in [30, 255] {
        let mut table = MaterialTable::standard();
        let first = table.len() as u16;
        for number in 0..VOLUME {
            let name = format!("{number:0length$}");
            table.add(MaterialInfo::solid(&name, [1; 3])).unwrap();
        }
        let names = MaterialNames::of(&table);
        let voxels = Voxels::from_fn(|x, y, z| Material(first + (x + 32 * (y + 32 * z)) as u16));
        let bytes = encode_chunk(b"key", &voxels, &names);
        assert!(
            decode_chunk(b"key", &bytes, &names) == Ok(voxels),
            "{length}"
        );
    }
}

#[test]
fn the_last_material_of_a_full_table_is_saved() {
    let mut table = MaterialTable::standard();
    for number in table.len()..1 << 16 {
        let info = MaterialInfo::solid(&number.to_string(), [1; 3]);
        table.add(info).unwrap();
    }
    let names = MaterialNames::of(&table);
    let voxels = Voxels::uniform(Material(u16::MAX));
    let bytes = encode_chunk(b"key", &voxels, &names);
    assert!(decode_chunk(b"key", &bytes, &names) == Ok(voxels));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn chunks_come_back_from_bytes(voxels in voxels(), x: i32, y: i32, z: i32) {
        let names = MaterialNames::of(&MaterialTable::standard());
        // Any chunk of the world.
        let chunk = ChunkPosition::new(x, y, z) / 32;
        let key = chunk_key(chunk);
        prop_assert_eq!(chunk_of_key(&key), Some(chunk));
        let bytes = encode_chunk(&key, &voxels, &names);
        prop_assert!(decode_chunk(&key, &bytes, &names).unwrap() == voxels);
        let other = chunk_key(chunk.add_scalar(1));
        prop_assert_eq!(decode_chunk(&other, &bytes, &names), Err(DecodeError::Checksum));
    }

    #[test]
    fn altered_bytes_are_refused(
        voxels in voxels(),
        place: prop::sample::Index,
        flip in 1u8..,
        cut: prop::sample::Index,
    ) {
        let names = MaterialNames::of(&MaterialTable::standard());
        let mut bytes = encode_chunk(b"key", &voxels, &names);
        let cut = cut.index(bytes.len());
        prop_assert!(decode_chunk(b"key", &bytes[..cut], &names).is_err());
        let place = place.index(bytes.len());
        bytes[place] ^= flip;
        prop_assert!(decode_chunk(b"key", &bytes, &names).is_err());
    }

    #[test]
    fn any_payload_is_read_without_panic(
        payload in prop::collection::vec(any::<u8>(), 0..600),
        count in 0u16..4,
    ) {
        let names = MaterialNames::of(&MaterialTable::standard());
        let mut hostile = count.to_le_bytes().to_vec();
        (0..count).for_each(|_| super::bytes::put_name(&mut hostile, "stone"));
        hostile.extend(&payload);
        let _ = decode_chunk(b"key", &super::bytes::seal(b"key", &hostile, 1), &names);
        let entry = super::bytes::seal(&9u64.to_be_bytes(), &payload, 1);
        let _ = super::codec::decode_entry(9, &entry, &names);
    }

    #[test]
    fn keys_sort_by_place(a: (i32, i32), b: (i32, i32)) {
        let key = |place: (i32, i32)| chunk_key(ChunkPosition::new(place.1, 0, place.0));
        prop_assert_eq!(a.cmp(&b), key(a).cmp(&key(b)));
    }
}
