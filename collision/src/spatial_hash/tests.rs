//! The hash against brute force after any sequence of changes.
#![allow(clippy::unwrap_used)]

use proptest::prelude::*;

use super::*;

/// Returns the boxes of a list that meet an area.
fn brute<const D: usize>(boxes: &[Option<IntegerBox<D>>], area: &IntegerBox<D>) -> Vec<usize> {
    let meets = |b: &IntegerBox<D>| {
        (0..D).all(|a| {
            let (low, high) = (b.min[a].max(area.min[a]), b.max[a].min(area.max[a]));
            i64::from(low) < i64::from(high)
        })
    };
    (0..boxes.len())
        .filter(|&i| boxes[i].as_ref().is_some_and(meets))
        .collect()
}

fn ask<const D: usize>(hash: &SpatialHash<D, usize>, area: &IntegerBox<D>) -> Vec<usize> {
    let mut found = Vec::new();
    hash.query(area, &mut found);
    found.sort_unstable();
    found
}

/// Makes a hash of boxes identified by their numbers.
fn numbered<const D: usize>(
    side: u32,
    boxes: impl IntoIterator<Item = IntegerBox<D>>,
) -> SpatialHash<D, usize> {
    SpatialHash::from_elements(side, boxes.into_iter().enumerate())
}

/// Elements that are added and removed.
const ELEMENTS: usize = 40;

#[derive(Clone, Debug)]
enum Change<const D: usize> {
    Add(usize, IntegerBox<D>),
    Update(usize, IntegerBox<D>),
    Remove(usize),
    Query(IntegerBox<D>),
}

fn any_box<const D: usize>() -> impl Strategy<Value = IntegerBox<D>> {
    let coordinate = prop_oneof![8 => -40..40_i32, 1 => Just(i32::MIN), 1 => Just(i32::MAX)];
    let side = prop_oneof![9 => 0..12_i32, 1 => 0..300_i32];
    (prop::array::uniform(coordinate), prop::array::uniform(side)).prop_map(
        |(min, side): ([i32; D], [i32; D])| {
            IntegerBox::new(min, std::array::from_fn(|a| min[a].saturating_add(side[a])))
        },
    )
}

fn any_change<const D: usize>() -> impl Strategy<Value = Change<D>> {
    prop_oneof![
        (0..ELEMENTS, any_box()).prop_map(|(i, b)| Change::Add(i, b)),
        (0..ELEMENTS, any_box()).prop_map(|(i, b)| Change::Update(i, b)),
        (0..ELEMENTS).prop_map(Change::Remove),
        any_box().prop_map(Change::Query),
    ]
}

fn check_changes<const D: usize>(side: u32, changes: Vec<Change<D>>) {
    let mut hash = SpatialHash::new(side);
    let mut boxes: Vec<Option<IntegerBox<D>>> = vec![None; ELEMENTS];
    for change in changes {
        match change {
            Change::Add(i, bounds) => {
                assert_eq!(hash.add(i, bounds), boxes[i].is_none());
                boxes[i] = boxes[i].or(Some(bounds));
            }
            Change::Update(i, bounds) => {
                hash.update(i, bounds);
                boxes[i] = Some(bounds);
            }
            Change::Remove(i) => assert_eq!(hash.remove(&i), boxes[i].take().is_some()),
            Change::Query(area) => assert_eq!(ask(&hash, &area), brute(&boxes, &area)),
        }
        assert_eq!(hash.len(), boxes.iter().flatten().count());
    }
    let all = IntegerBox::new([i32::MIN; D], [i32::MAX; D]);
    assert_eq!(ask(&hash, &all), brute(&boxes, &all));
    let mut live: Vec<_> = hash.iter().map(|(&i, bounds)| (i, bounds)).collect();
    live.sort_unstable_by_key(|&(i, _)| i);
    let expected: Vec<_> = boxes
        .iter()
        .enumerate()
        .filter_map(|(i, b)| b.map(|b| (i, b)))
        .collect();
    assert_eq!(live, expected);
    for i in 0..ELEMENTS {
        assert_eq!(
            (hash.bounds(&i), hash.contains(&i)),
            (boxes[i], boxes[i].is_some())
        );
        hash.remove(&i);
    }
    assert!(hash.is_empty() && ask(&hash, &all).is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(300)
    })]

    #[test]
    fn flat_equals_brute_force(
        shift in 3..8_u32,
        changes in prop::collection::vec(any_change::<2>(), 1..200),
    ) {
        check_changes(1 << shift, changes);
    }

    #[test]
    fn deep_equals_brute_force(
        shift in 3..8_u32,
        changes in prop::collection::vec(any_change::<3>(), 1..100),
    ) {
        check_changes(1 << shift, changes);
    }
}

#[test]
fn boxes_are_half_open() {
    let hash = numbered(4, [IntegerBox::new([0, 0], [4, 4])]);
    assert_eq!(ask(&hash, &IntegerBox::new([3, 3], [4, 4])), [0]);
    assert!(ask(&hash, &IntegerBox::new([4, 0], [8, 4])).is_empty());
    assert!(ask(&hash, &IntegerBox::new([-4, 0], [0, 4])).is_empty());
}

#[test]
fn empty_boxes_meet_nothing() {
    let mut hash = numbered(8, [IntegerBox::new([3, 3], [3, 9])]);
    let all = IntegerBox::new([i32::MIN; 2], [i32::MAX; 2]);
    assert!(ask(&hash, &all).is_empty());
    assert_eq!(hash.cells_of(&0).count(), 0);
    hash.update(0, IntegerBox::new([3, 3], [4, 9]));
    assert_eq!(ask(&hash, &all), [0]);
    assert!(ask(&hash, &IntegerBox::new([3, 3], [3, 9])).is_empty());
}

#[test]
fn many_elements_share_one_cell() {
    let boxes = (0..1000).map(|i| IntegerBox::new([i % 30, 0, 0], [i % 30 + 1, 1, 1]));
    let mut hash = numbered(32, boxes);
    assert_eq!(
        ask(&hash, &IntegerBox::new([0, 0, 0], [32, 1, 1])).len(),
        1000
    );
    for element in 1..1000 {
        assert!(hash.remove(&element));
    }
    assert_eq!(ask(&hash, &IntegerBox::new([0, 0, 0], [32, 1, 1])), [0]);
}

#[test]
fn elements_carry_data_and_are_there_once() {
    /// Compares by its name alone.
    #[derive(Clone, Debug)]
    struct Sign {
        name: &'static str,
        text: &'static str,
    }
    impl PartialEq for Sign {
        fn eq(&self, other: &Self) -> bool {
            self.name == other.name
        }
    }
    impl Eq for Sign {}
    impl std::hash::Hash for Sign {
        fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
            self.name.hash(state);
        }
    }
    let sign = |name, text| Sign { name, text };
    let here = IntegerBox::new([0, 0], [2, 2]);
    let there = IntegerBox::new([90, 0], [92, 2]);
    let mut hash = SpatialHash::new(8);
    assert!(hash.add(sign("gate", "closed"), here) && !hash.add(sign("gate", "open"), there));
    hash.update(sign("pond", "deep"), there);
    let texts = |area: &IntegerBox<2>| {
        let mut found = Vec::new();
        hash.visit(area, |sign| found.push(sign.text));
        found
    };
    assert_eq!(
        (hash.len(), texts(&here), texts(&there)),
        (2, vec!["closed"], vec!["deep"])
    );
}

/// Boxes of a few units in a square, and elsewhere.
fn clusters() -> Vec<IntegerBox<2>> {
    let at = |i: i32| [i * 37 % 300, i * 53 % 300];
    let near = (0..1000).map(at);
    let far = (0..40).map(|i| at(i).map(|c| c + 1_000_000));
    near.chain(far)
        .map(|min| IntegerBox::new(min, min.map(|c| c + 5)))
        .collect()
}

#[test]
fn wide_queries_equal_brute_force() {
    let boxes = clusters();
    let hash = numbered(8, boxes.iter().copied());
    let boxes: Vec<_> = boxes.into_iter().map(Some).collect();
    for step in 0..200_i32 {
        let side = 1 << (step % 25);
        let min = [step * 97 % 900 - 400, step * 61 % 700 - 300].map(|c| c * (1 + step % 5 * 900));
        let area = IntegerBox::new(min, min.map(|c| c + side));
        assert_eq!(ask(&hash, &area), brute(&boxes, &area), "{area:?}");
    }
}

#[test]
fn wide_queries_look_into_occupied_blocks_only() {
    let hash = numbered(8, clusters());
    let looked = |min: [i32; 2], side: i32| {
        let area = IntegerBox::new(min, min.map(|c| c + side));
        hash.cells.blocks_looked_at(&area.cells(3))
    };
    // 160 x 160 cells far from all boxes, and a million by a million around the far ones.
    assert!(
        looked([5_000, 5_000], 1280) <= 4,
        "{}",
        looked([5_000, 5_000], 1280)
    );
    let wide = looked([900_000, 900_000], 8_000_000);
    let cells = 40 * 4 + 60 * 11;
    assert!(wide <= cells, "{wide}");
}

#[test]
fn cells_of_an_element_are_those_it_meets() {
    let hash = numbered(16, [IntegerBox::new([-1, 15], [1, 17])]);
    let mut cells: Vec<_> = hash.cells_of(&0).collect();
    cells.sort_unstable();
    assert_eq!(cells, [[-16, 0], [-16, 16], [0, 0], [0, 16]]);
}

#[test]
fn huge_elements_are_kept_apart() {
    let mut hash = SpatialHash::<3, usize>::new(8);
    let small = IntegerBox::new([0, 0, 0], [2, 2, 2]);
    let world = IntegerBox::new([i32::MIN; 3], [i32::MAX; 3]);
    assert!(hash.add(0, world));
    assert_eq!(ask(&hash, &small), [0]);
    hash.update(0, small);
    assert!(ask(&hash, &IntegerBox::new([100, 0, 0], [102, 2, 2])).is_empty());
    hash.update(0, world);
    assert!(hash.remove(&0));
    assert!(ask(&hash, &world).is_empty());
}

#[test]
fn crowded_cells_that_come_and_go_equal_brute_force() {
    // Long lists move with their cells in the table; a freed slot must not keep the block of a list
    // that moved.
    let mut state = 9_u64;
    let mut below = |count: i32| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((state >> 33) as i32).rem_euclid(count)
    };
    let mut any = |size: i32| {
        let min = [below(600) - 300, below(600) - 300];
        IntegerBox::new(min, [min[0] + below(size), min[1] + below(size)])
    };
    for side in [8, 32, 128] {
        let mut boxes: Vec<Option<IntegerBox<2>>> = (0..1000).map(|_| Some(any(40))).collect();
        let mut hash = numbered(side, boxes.iter().flatten().copied());
        for step in 0..3000 {
            let moved = step * 7 % boxes.len();
            boxes[moved] = Some(any(40));
            hash.update(moved, boxes[moved].unwrap());
            let area = any(60);
            assert_eq!(
                ask(&hash, &area),
                brute(&boxes, &area),
                "side {side}, step {step}"
            );
        }
    }
}
