//! The invariant **Solid**: random moves through random voxel worlds, compared with an oracle that
//! shares no code with the mover.

use collision::scene::{soak, soak_crowds};
use grounds::SceneGround;

/// Moves of the test run. The soak example makes as many as its argument.
const MOVES: u64 = 10_000_000;

#[test]
fn random_moves_end_outside_of_everything_solid() {
    let report = soak(MOVES, 1, Some(&SceneGround::lend));
    assert!(report.moves >= MOVES);
    assert!(report.is_clean(), "{report:#?}");
}

/// A world without a merged surface gives every voxel its own six faces; all else is the same.
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
    // Situations of these seeds. At the edge of a slope; pressed into the line between a slope and
    // a wall, both tilted; between a slope, an edge and a ceiling; downhill between a wall and a
    // corner; in the air, thrown up in a nook under an overhang; between two slabs, beside an edge
    // in the plane of one. Carried into a character that is held up, and crowded by a third;
    // carried into a character on a head, and into one under a ceiling. In a gutter across the path
    // of the fall; on a rim, under the edge of a ceiling. Downhill beside a nearly upright edge;
    // between two edges along each other; in contact with a slanted face to the last bit.
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
