//! Runs every regression scene on a world.
#![allow(clippy::unwrap_used)]

use collision_scenes::{WorldGround, catalogue, run};
use rayon::prelude::*;

/// Merged quads give the same bits as single faces: merging cannot be felt. Plain voxels gave the
/// pinned hashes, as the tests of `collision-scenes` check.
#[test]
fn every_scene_passes_on_a_world_with_the_same_bits() {
    let faults: Vec<String> = catalogue()
        .par_iter()
        .filter_map(|listed| {
            let scene = listed.load()?.unwrap();
            let world = run(&scene, Some(&WorldGround::lend));
            let unpinned = scene.hash.is_none().then_some("no hash is pinned");
            let why = world.why();
            let fault = unpinned.or((!world.passed()).then_some(why.as_str()));
            fault.map(|fault| format!("{}: {fault}", listed.name))
        })
        .collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
