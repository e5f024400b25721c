//! The invariant **Solid**: random moves through random voxel worlds, compared with an oracle that
//! shares no code with the mover.

use collision_scenes::{WorldGround, soak, soak_crowds};

/// Moves of the test run. The soak example makes as many as its argument.
const MOVES: u64 = 10_000_000;

#[test]
fn random_moves_end_outside_of_everything_solid() {
    let report = soak(MOVES, 1, Some(&WorldGround::lend));
    assert!(report.moves >= MOVES);
    assert!(report.is_clean(), "{report:#?}");
}

/// A world without a merged surface gives every voxel its own six faces; all else is the same.
#[test]
fn merging_changes_nothing_about_random_moves() {
    let (plain, merged) = (
        soak(20_000, 77, None),
        soak(20_000, 77, Some(&WorldGround::lend)),
    );
    assert_eq!(plain, merged);
    let (plain, merged) = (
        soak_crowds(20_000, 77, None),
        soak_crowds(20_000, 77, Some(&WorldGround::lend)),
    );
    assert_eq!(plain, merged);
}
