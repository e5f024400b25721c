//! A short campaign against every target, the same in each run. The variable `FUZZ_RUNS` makes it
//! longer: the number of damaged inputs of each target.

use fuzz_bodies::{Target, campaign};

/// Runs a campaign of some inputs, or of as many as the environment asks for.
fn run(target: &Target, runs: usize) {
    let asked = std::env::var("FUZZ_RUNS").ok();
    let runs = asked.and_then(|runs| runs.parse().ok()).unwrap_or(runs);
    campaign::run(target, runs);
}

/// Targets whose campaigns are `world/tests/surfaces.rs` and `world/tests/kd_tree.rs`.
const IN_OTHER_TESTS: [&str; 2] = ["merge", "tree"];

macro_rules! campaigns {
    ($($name:ident: $runs:expr),* $(,)?) => {$(
        #[test]
        fn $name() {
            run(&fuzz_bodies::$name::TARGET, $runs);
        }
    )*

    #[test]
    fn every_target_has_a_campaign() {
        let others = IN_OTHER_TESTS.iter().copied();
        let mut names: Vec<_> = others.chain([$(stringify!($name)),*]).collect();
        names.sort_unstable();
        assert_eq!(names, fuzz_bodies::TARGETS.map(|target| target.name));
    }};
}

campaigns! {
    crowds: 400,
    files: 60,
    gather: 400,
    obj: 20_000,
    packets: 20_000,
    records: 500,
    scenes: 2_000,
    slides: 4_000,
    snapshots: 20_000,
    sweeps: 40_000,
    vox: 4_000,
}
