//! Every mode cell by cell, for brushes of every shape.

use std::collections::BTreeMap;

use collision::Cell;
use nalgebra::Vector3;
use proptest::prelude::*;
use world::{Author, CellBox, Material, Mode, World};

use crate::shapes::{brush, oracle};

/// Side of the loaded region about the origin; no brush reaches beyond it.
const SIDE: i32 = 64;

/// Makes blobs of several materials, solid and not.
pub(crate) fn blob(seed: u64, cell: Cell) -> Material {
    let coarse = cell.map(|part| i64::from(part.div_euclid(3)));
    let bits = coarse.dot(&Vector3::new(73_856_093, 19_349_663, 83_492_791)) as u64;
    let bits = (bits ^ seed).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
    let all = [
        Material::AIR,
        Material::AIR,
        Material::WATER,
        Material::STONE,
        Material::DIRT,
        Material::GRASS,
    ];
    all[bits as usize % all.len()]
}

/// Makes any of the modes.
pub(crate) fn mode() -> impl Strategy<Value = Mode> {
    prop_oneof![
        Just(Mode::Add),
        Just(Mode::Carve),
        Just(Mode::Paint),
        Just(Mode::Set),
        Just(Mode::Smooth),
        Just(Mode::Replace(Material::DIRT)),
        Just(Mode::Replace(Material::WATER)),
    ]
}

fn is_solid(material: Material) -> bool {
    material != Material::AIR && material != Material::WATER
}

/// Returns the most frequent material that passes; of equals the lowest id.
fn commonest(near: &[Material], pass: impl Fn(Material) -> bool) -> Material {
    let mut counts: BTreeMap<Material, i32> = BTreeMap::new();
    for &material in near.iter().filter(|&&material| pass(material)) {
        *counts.entry(material).or_default() += 1;
    }
    let best = counts.values().max().copied();
    let mut of_those = counts.into_iter().filter(|(_, count)| Some(*count) == best);
    of_those.next().unwrap().0
}

/// Returns the new material of a voxel of the brush.
pub(crate) fn becomes(
    mode: Mode,
    what: Material,
    was: Material,
    near: impl FnOnce() -> Vec<Material>,
) -> Material {
    match mode {
        Mode::Carve => Material::AIR,
        Mode::Set => what,
        Mode::Add if !is_solid(was) => what,
        Mode::Paint if is_solid(was) => what,
        Mode::Replace(from) if was == from => what,
        Mode::Smooth => {
            let near = near();
            let solid = near.iter().filter(|&&material| is_solid(material)).count();
            match (is_solid(was), 2 * solid > near.len()) {
                (false, true) => commonest(&near, is_solid),
                (true, false) => commonest(&near, |material| !is_solid(material)),
                _ => was,
            }
        }
        _ => was,
    }
}

pub(crate) fn about(cell: Cell) -> impl Iterator<Item = Cell> {
    let steps = -1..=1;
    let all = steps.clone().flat_map(move |x| {
        let steps = steps.clone();
        steps
            .clone()
            .flat_map(move |y| steps.clone().map(move |z| Cell::new(x, y, z)))
    });
    all.map(move |step| cell + step)
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(512)
    })]

    #[test]
    fn every_mode_does_to_each_voxel_what_it_says(
        brush in brush(),
        mode in mode(),
        what in 1u16..6,
        seed: u64,
    ) {
        let what = Material(what);
        let half = SIDE / 2;
        let bounds = CellBox::new(Cell::repeat(-half), Cell::repeat(half - 1));
        let mut world = World::from_voxels(bounds, |cell| blob(seed, cell));
        let report = world.edit_as(Author(1), &brush, mode, what);
        prop_assert_eq!((report.missed, &report.refused), (0, &None));
        let reach = brush.bounds().unwrap();
        let mut changed = 0;
        // The range includes one cell more on all sides.
        for z in reach.min.z - 1..=reach.max.z + 1 {
            for y in reach.min.y - 1..=reach.max.y + 1 {
                for x in reach.min.x - 1..=reach.max.x + 1 {
                    let cell = Cell::new(x, y, z);
                    let (was, is) = (blob(seed, cell), world.material(cell).unwrap());
                    changed += u64::from(was != is);
                    let (mut inside, slack) = oracle(&brush, cell);
                    if slack <= 1e-4 {
                        inside = brush.contains(cell);
                    }
                    let near = || about(cell).map(|cell| blob(seed, cell)).collect();
                    let wanted = if inside { becomes(mode, what, was, near) } else { was };
                    prop_assert_eq!(is, wanted, "{:?} was {:?}", cell, was);
                }
            }
        }
        // The equal count shows that nothing changed farther away.
        prop_assert_eq!(report.voxels, changed);
        prop_assert_eq!(report.sequence.is_some(), changed > 0);
    }
}
