//! The generator: the same everywhere, whole, and with the landscape it promises.
#![allow(clippy::unwrap_used)]

use super::*;

fn chunk(generator: &Generator, at: [i32; 3]) -> Vec<Material> {
    let mut voxels: Box<ChunkVoxels> = vec![Material::AIR; VOLUME].try_into().unwrap();
    let column = generator.column(at[0], at[2]);
    if let Filled::Uniform(material) = generator.fill(&column, at[1], &mut voxels) {
        voxels.fill(material);
    }
    voxels.to_vec()
}

/// FNV-1a over all materials.
fn hash(hash: u64, voxels: &[Material]) -> u64 {
    voxels.iter().fold(hash, |hash, voxel| {
        (hash ^ u64::from(voxel.0)).wrapping_mul(0x100_0000_01b3)
    })
}

#[test]
fn generates_the_pinned_bits() {
    let generator = Generator::new(1);
    let mut all = 0xcbf2_9ce4_8422_2325;
    for (x, z) in [
        (0, 0),
        (7, -3),
        (-20, 31),
        (100, -240),
        (-67_108_864, 67_108_863),
    ] {
        for y in -4..6 {
            all = hash(all, &chunk(&generator, [x, y, z]));
        }
    }
    assert_eq!(format!("{all:016x}"), "732dccc4274b8d75");
}

#[test]
fn order_and_neighbours_do_not_matter() {
    let chunks: Vec<[i32; 3]> = (0..27)
        .map(|i| [i % 3 + 4, i / 3 % 3 - 1, i / 9 - 9])
        .collect();
    let forward: Vec<_> = chunks
        .iter()
        .map(|&at| chunk(&Generator::new(5), at))
        .collect();
    let generator = Generator::new(5);
    use rayon::prelude::*;
    let backward: Vec<_> = chunks
        .par_iter()
        .rev()
        .map(|&at| chunk(&generator, at))
        .collect();
    assert!(forward.iter().eq(backward.iter().rev()));
}

#[test]
fn seeds_differ() {
    assert_ne!(
        chunk(&Generator::new(1), [0, 0, 0]),
        chunk(&Generator::new(2), [0, 0, 0])
    );
}

#[test]
fn plants_are_whole_across_chunks() {
    // Every trunk that leaves a chunk at its side or top goes on in the next.
    let generator = Generator::new(3);
    for z in -3..3 {
        for x in -3..3 {
            let column = generator.column(x, z);
            let next = generator.column(x + 1, z);
            let seen = |column: &Column| {
                let mut parts = Vec::new();
                for tree in &column.trees {
                    tree.draw(|part| {
                        parts.push((
                            column.origin[0] + part.x,
                            part.y,
                            column.origin[1] + part.z,
                            part.material,
                        ));
                    });
                }
                parts.sort_unstable();
                parts
            };
            let border = (x + 1) * 32;
            let near = |parts: Vec<(i32, i32, i32, Material)>| -> Vec<_> {
                let rows = z * 32..z * 32 + 32;
                parts
                    .into_iter()
                    .filter(|part| {
                        (part.0 == border || part.0 == border - 1) && rows.contains(&part.2)
                    })
                    .collect()
            };
            assert_eq!(near(seen(&column)), near(seen(&next)));
        }
    }
}

#[test]
fn rows_above_the_top_are_air_and_far_below_is_stone() {
    let generator = Generator::new(9);
    for x in 0..6 {
        let column = generator.column(x, -x);
        let rows = column.surface_rows();
        let mut voxels: Box<ChunkVoxels> = vec![Material::AIR; VOLUME].try_into().unwrap();
        assert_eq!(
            generator.fill(&column, rows.highest + 1, &mut voxels),
            Filled::Uniform(Material::AIR)
        );
        assert_eq!(
            generator.fill(&column, -40, &mut voxels),
            Filled::Uniform(Material::STONE)
        );
        assert_eq!(
            generator.fill(&column, i32::MIN / 32, &mut voxels),
            Filled::Uniform(Material::STONE)
        );
        assert_eq!(
            generator.fill(&column, i32::MAX / 32, &mut voxels),
            Filled::Uniform(Material::AIR)
        );
    }
}

#[test]
fn spawns_on_dry_ground_in_the_open() {
    for seed in 0..12 {
        let generator = Generator::new(seed);
        let spawn = generator.spawn();
        let [x, y, z] = spawn.cell;
        let at = |y: i32| {
            let voxels = chunk(&generator, [x >> 5, y >> 5, z >> 5]);
            voxels[(((z & 31) * 32 + (y & 31)) * 32 + (x & 31)) as usize]
        };
        assert!(
            ![Material::AIR, Material::WATER].contains(&at(y - 1)),
            "seed {seed}: ground at {spawn:?}"
        );
        assert!(
            (y..y + 3).all(|y| at(y) == Material::AIR),
            "seed {seed}: room at {spawn:?}"
        );
    }
}
