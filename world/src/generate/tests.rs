//! Tests the generator: reproducible, seamless, and with the promised landscape.
#![allow(clippy::unwrap_used)]

use super::ground::{Ground, Layers};
use super::*;

fn chunk(generator: &Generator, at: [i32; 3]) -> Vec<Material> {
    let mut voxels: Box<ChunkVoxels> = vec![Material::AIR; VOLUME].try_into().unwrap();
    let column = generator.column(at[0], at[2]);
    if let Filled::Uniform(material) = generator.fill(&column, at[1], &mut voxels) {
        voxels.fill(material);
    }
    voxels.to_vec()
}

/// Hashes all materials with FNV-1a.
fn hash(hash: u64, voxels: &[Material]) -> u64 {
    voxels.iter().fold(hash, |hash, voxel| {
        (hash ^ u64::from(voxel.0)).wrapping_mul(0x100_0000_01b3)
    })
}

#[test]
fn generates_the_pinned_bits() {
    let pinned = [(1, "732dccc4274b8d75"), (2, "4d8469fe7f1a91d4")];
    for (version, bits) in pinned {
        assert_eq!(bits_of(version), bits, "version {version}");
    }
    assert_eq!(pinned.len(), GENERATOR_VERSION as usize);
}

/// Hashes chunks here and there, as a version of the generator makes them.
fn bits_of(version: u32) -> String {
    let generator = Generator::of_version(1, version);
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
    format!("{all:016x}")
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
    // Every trunk that leaves a chunk at its side or top continues in the next chunk.
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
                            column.lattice.origin[0] + part.x,
                            part.y,
                            column.lattice.origin[1] + part.z,
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

/// The highest solid voxel over a place, and the number of air voxels below it, down to twice a
/// cave's depth.
struct Place {
    top: i32,
    material: Material,
    under_water: bool,
    hollow: usize,
}

/// Returns every eighth place of a column.
fn places(generator: &Generator, x: i32, z: i32) -> Vec<Place> {
    const DEEP: i32 = 3;
    let rows = generator.column(x, z).surface_rows();
    let chunks: Vec<Vec<Material>> = (rows.lowest - DEEP..=rows.highest)
        .map(|y| chunk(generator, [x, y, z]))
        .collect();
    let high = chunks.len() as i32 * 32;
    let at =
        |x: i32, y: i32, z: i32| chunks[(y / 32) as usize][((z * 32 + y % 32) * 32 + x) as usize];
    let open = |material: Material| material == Material::AIR || material == Material::WATER;
    let each = (0..16).map(|place| (place % 4 * 8, place / 4 * 8));
    each.map(|(x, z)| {
        let top = (0..high).rev().find(|&y| !open(at(x, y, z))).unwrap();
        let under = at(x, top + 1, z);
        Place {
            top: top + (rows.lowest - DEEP) * 32,
            material: at(x, top, z),
            under_water: under == Material::WATER,
            hollow: (0..top).filter(|&y| at(x, y, z) == Material::AIR).count(),
        }
    })
    .collect()
}

/// Finds seas, land, beaches, cliffs, forests and caves for every seed over a wide area.
#[test]
fn landscape_has_what_it_promises() {
    for seed in [1, 2, 3] {
        let generator = Generator::new(seed);
        let lattice = (0..400).map(|i| (i % 20 * 37 - 370, i / 20 * 37 - 370));
        let columns: Vec<Vec<Place>> = lattice.map(|(x, z)| places(&generator, x, z)).collect();
        let all = || columns.iter().flatten();
        let share = |of: &dyn Fn(&&Place) -> bool, that: &dyn Fn(&&Place) -> bool| {
            let of: Vec<&Place> = all().filter(of).collect();
            assert!(of.len() > 20, "seed {seed}: {} places", of.len());
            of.iter().filter(|place| that(place)).count() as f64 / of.len() as f64
        };
        let sandy = |place: &&Place| {
            [Material::SAND, Material::RED_SAND, Material::GRAVEL].contains(&place.material)
        };
        let leaves = [
            Material::LEAVES,
            Material::BIRCH_LEAVES,
            Material::PINE_LEAVES,
            Material::AUTUMN_LEAVES,
        ];
        let wooded =
            |columns: &Vec<Place>| columns.iter().any(|place| leaves.contains(&place.material));
        let steep = |column: &&Vec<Place>| {
            let tops = || column.iter().map(|place| place.top);
            tops().max().unwrap() - tops().min().unwrap() >= 16
        };
        let sea = share(&|_| true, &|place| place.under_water);
        let beach = share(&|p| !p.under_water && (0..3).contains(&p.top), &sandy);
        let inland = share(&|p| (20..60).contains(&p.top), &sandy);
        let hollow = share(&|_| true, &|place| place.hollow > 3);
        let cliffs = columns.iter().filter(steep).count();
        let forests = columns.iter().filter(|column| wooded(column)).count();
        assert!((0.1..0.6).contains(&sea), "seed {seed}: sea {sea}");
        assert!(
            beach > 0.4 && beach > 2.0 * inland,
            "seed {seed}: beaches {beach}, inland {inland}"
        );
        assert!((0.2..0.9).contains(&hollow), "seed {seed}: caves {hollow}");
        assert!(cliffs > 40, "seed {seed}: {cliffs} cliffs");
        assert!(
            (40..300).contains(&forests),
            "seed {seed}: {forests} forests"
        );
    }
}

/// In any climate snow begins at one height, lower where it is colder.
#[test]
fn snow_begins_at_a_line() {
    let begins = |warmth: f64| {
        let snowy = |height: &i32| {
            let ground = Ground {
                height: f64::from(*height),
                slope: 0.2,
                crag: 0.0,
                warmth,
                moisture: 0.1,
                mouths: 0.0,
                mountains: 0.0,
                terraced: 0.0,
                water: i32::MIN,
            };
            Layers::of(&ground, 0.5).skin == Material::SNOW
        };
        let line = (0..400).find(snowy).unwrap();
        assert!((line..400).all(|height| snowy(&height)), "{warmth}: {line}");
        line
    };
    let lines = [0.6, 0.4, 0.2, 0.0, -0.2, -0.4].map(begins);
    assert!(
        lines.is_sorted_by(|warmer, colder| warmer > colder),
        "{lines:?}"
    );
    assert!(lines[0] < 160 && lines[5] > 20, "{lines:?}");
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
