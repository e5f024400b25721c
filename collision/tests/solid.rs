//! The invariant **Solid**: random moves through random voxel worlds, held against an oracle that shares no code with the mover.

use collision::scene::{soak, soak_crowds};
use world::SceneGround;

/// Moves of the test run. The soak command makes as many as it is told.
const MOVES: u64 = 10_000_000;

#[test]
fn random_moves_end_outside_of_everything_solid() {
    let report = soak(MOVES, 1, Some(&SceneGround::lend));
    assert!(report.moves >= MOVES);
    assert!(report.is_clean(), "{report:#?}");
}

/// Worlds without a merged surface: every voxel brings its own six faces, and nothing else differs.
#[test]
fn merging_changes_nothing_about_random_moves() {
    let (plain, merged) = (
        soak(20_000, 77, None),
        soak(20_000, 77, Some(&SceneGround::lend)),
    );
    assert_eq!(plain, merged);
}

#[test]
fn crowds_that_failed_once_do_not() {
    // At the edge of a slope, pressed into the line between a slope and a wall, both tilted; between a slope, an edge and a ceiling; downhill between
    // a wall and a corner; in the air, thrown up in a nook under an overhang; between two slabs, beside an edge in the plane of one. Carried into one
    // who is held up, and crowded by a third; carried into one on a head, and into one under a ceiling. In a gutter across the way that it fell
    // along; on a rim, under the edge of a ceiling. Downhill beside an edge that is all but upright; between two edges along each other;
    // touching a slanted face to the last bit.
    for seed in [
        9005,
        640_000_014,
        1056,
        1009,
        2035,
        2360,
        2139,
        2469,
        7288,
        7473,
        28_082,
        31_004,
        300_005,
        302_037,
        810_304,
    ] {
        let report = soak_crowds(1, seed, Some(&SceneGround::lend));
        assert!(report.is_clean(), "{report:#?}");
    }
}
