//! Runs the regression scenes, on plain voxels.

use collision_scenes::catalogue;
use rayon::prelude::*;

/// The scene that takes minutes; the tests of `world` run it, once.
const LONG: &str = "random_edit_soak";

#[test]
fn every_scene_passes() {
    let faults: Vec<String> = catalogue()
        .par_iter()
        .filter(|listed| listed.name != LONG)
        .map(|listed| listed.run(None))
        .filter(|verdict| !verdict.passed())
        .map(|verdict| format!("{}: {}", verdict.name, verdict.why()))
        .collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
