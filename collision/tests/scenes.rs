//! Runs the regression scenes, on plain voxels.

#[test]
fn every_scene_passes() {
    let faults = collision_scenes::failing();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
