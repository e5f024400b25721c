//! Voxels are read as they were written, however they are stored.
#![allow(clippy::unwrap_used)]

use proptest::prelude::*;
use world::{Material, Voxels};

/// Hashes a seed: deterministic noise for tests.
fn mix(seed: u64) -> u64 {
    let mut x = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

#[derive(Clone, Debug)]
struct Fill {
    row: usize,
    mask: u32,
    material: u16,
}

fn fill(materials: u16) -> impl Strategy<Value = Fill> {
    let rows = prop_oneof![0usize..1024, 0usize..8];
    let masks = prop_oneof![
        any::<u32>(),
        (0u32..32).prop_map(|x| 1 << x),
        Just(u32::MAX)
    ];
    (rows, masks, 0..materials).prop_map(|(row, mask, material)| Fill {
        row,
        mask,
        material,
    })
}

fn fills() -> impl Strategy<Value = Vec<Fill>> {
    prop_oneof![Just(2u16), Just(5), Just(17), Just(150), Just(3000)]
        .prop_flat_map(|materials| proptest::collection::vec(fill(materials), 1..600))
}

fn read(voxels: &Voxels) -> Vec<Material> {
    let mut all = Vec::new();
    voxels.read_all(&mut all);
    all
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(256)
    })]

    #[test]
    fn fills_equal_a_plain_array(start in 0u16..3, fills in fills()) {
        let mut voxels = Voxels::uniform(Material(start));
        let mut plain = vec![Material(start); 32 * 32 * 32];
        for fill in &fills {
            let mut changed = 0;
            voxels.fill_row(fill.row, fill.mask, Material(fill.material), |change| {
                assert_eq!(change.mask & changed, 0, "a voxel changed twice");
                changed |= change.mask;
                assert!((0..32).filter(|x| change.mask >> x & 1 != 0)
                    .all(|x| plain[fill.row * 32 + x] == change.old), "wrong old material");
            });
            for x in 0..32 {
                if fill.mask >> x & 1 != 0 {
                    let differs = plain[fill.row * 32 + x].0 != fill.material;
                    assert_eq!(changed >> x & 1 != 0, differs);
                    plain[fill.row * 32 + x] = Material(fill.material);
                }
            }
        }
        prop_assert!(read(&voxels) == plain);
        let fresh = Voxels::from_rows(&plain);
        prop_assert!(read(&fresh) == plain);
        prop_assert!(fresh == voxels);
        let before = voxels.heap_bytes();
        voxels.compact();
        prop_assert!(read(&voxels) == plain);
        prop_assert!(voxels.heap_bytes() <= before);
        prop_assert_eq!(voxels.heap_bytes(), fresh.heap_bytes());
    }
}

#[test]
fn uniform_takes_no_memory() {
    let mut voxels = Voxels::uniform(Material::STONE);
    assert_eq!(voxels.heap_bytes(), 0);
    voxels.set(3, 4, 5, Material::DIRT);
    assert!(voxels.heap_bytes() > 0);
    voxels.set(3, 4, 5, Material::STONE);
    voxels.compact();
    assert_eq!(voxels.as_uniform(), Some(Material::STONE));
}

#[test]
fn every_material_at_once_is_stored_raw() {
    let voxels = Voxels::from_fn(|x, y, z| Material((x + 32 * y + 1024 * z) as u16));
    assert_eq!(voxels.get(31, 31, 31), Material(32767));
    assert_eq!(voxels.get(7, 1, 2), Material(7 + 32 + 2048));
}

#[test]
fn much_writing_does_not_grow() {
    let mut voxels = Voxels::uniform(Material::AIR);
    let mut largest = 0;
    for step in 0..200_000u64 {
        let at = mix(step);
        let material = Material((mix(at) % 5) as u16);
        voxels.set(
            at as usize & 31,
            (at >> 8) as usize & 31,
            (at >> 16) as usize & 31,
            material,
        );
        largest = largest.max(voxels.heap_bytes());
    }
    assert!(largest < 64 * 1024, "{largest}");
}
