//! Equal to brute force under any sequence of changes.
#![allow(clippy::unwrap_used)]

use proptest::prelude::*;

use super::*;

/// What a list of boxes would answer.
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

fn ask<const D: usize>(hash: &SpatialHash<D>, area: &IntegerBox<D>) -> Vec<usize> {
    let mut found = Vec::new();
    hash.query(area, &mut found);
    let mut found: Vec<usize> = found.into_iter().map(ElementId::index).collect();
    found.sort_unstable();
    found
}

#[derive(Clone, Debug)]
enum Change<const D: usize> {
    Add(IntegerBox<D>),
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
        any_box().prop_map(Change::Add),
        (any::<usize>(), any_box()).prop_map(|(i, b)| Change::Update(i, b)),
        any::<usize>().prop_map(Change::Remove),
        any_box().prop_map(Change::Query),
    ]
}

fn check_changes<const D: usize>(side: u32, changes: Vec<Change<D>>) {
    let mut hash = SpatialHash::new(side);
    let mut ids: Vec<ElementId> = Vec::new();
    let mut boxes: Vec<Option<IntegerBox<D>>> = Vec::new();
    for change in changes {
        match change {
            Change::Add(bounds) => {
                let id = hash.add(bounds);
                if id.index() == ids.len() {
                    ids.push(id);
                    boxes.push(None);
                }
                (ids[id.index()], boxes[id.index()]) = (id, Some(bounds));
            }
            Change::Update(i, bounds) if !ids.is_empty() => {
                let i = i % ids.len();
                assert_eq!(hash.update(ids[i], bounds), boxes[i].is_some());
                boxes[i] = boxes[i].map(|_| bounds);
            }
            Change::Remove(i) if !ids.is_empty() => {
                let i = i % ids.len();
                assert_eq!(hash.remove(ids[i]), boxes[i].take().is_some());
            }
            Change::Query(area) => assert_eq!(ask(&hash, &area), brute(&boxes, &area)),
            _ => {}
        }
        assert_eq!(hash.len(), boxes.iter().flatten().count());
    }
    let live: Vec<_> = hash
        .iter()
        .map(|(id, bounds)| (id.index(), bounds))
        .collect();
    let expected: Vec<_> = boxes
        .iter()
        .enumerate()
        .filter_map(|(i, b)| b.map(|b| (i, b)))
        .collect();
    assert_eq!(live, expected);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

    #[test]
    fn flat_equals_brute_force(shift in 3..8_u32, changes in prop::collection::vec(any_change::<2>(), 1..200)) {
        check_changes(1 << shift, changes);
    }

    #[test]
    fn deep_equals_brute_force(shift in 3..8_u32, changes in prop::collection::vec(any_change::<3>(), 1..100)) {
        check_changes(1 << shift, changes);
    }
}

#[test]
fn boxes_are_half_open() {
    let hash = SpatialHash::from_boxes(4, [IntegerBox::new([0, 0], [4, 4])]);
    assert_eq!(ask(&hash, &IntegerBox::new([3, 3], [4, 4])), [0]);
    assert!(ask(&hash, &IntegerBox::new([4, 0], [8, 4])).is_empty());
    assert!(ask(&hash, &IntegerBox::new([-4, 0], [0, 4])).is_empty());
}

#[test]
fn empty_boxes_meet_nothing() {
    let mut hash = SpatialHash::<2>::new(8);
    let id = hash.add(IntegerBox::new([3, 3], [3, 9]));
    let all = IntegerBox::new([i32::MIN; 2], [i32::MAX; 2]);
    assert!(ask(&hash, &all).is_empty());
    assert_eq!(hash.cells_of(id).count(), 0);
    assert!(hash.update(id, IntegerBox::new([3, 3], [4, 9])));
    assert_eq!(ask(&hash, &all), [0]);
    assert!(ask(&hash, &IntegerBox::new([3, 3], [3, 9])).is_empty());
}

#[test]
fn many_elements_share_one_cell() {
    let mut hash = SpatialHash::<3>::new(32);
    let ids: Vec<_> = (0..1000)
        .map(|i| hash.add(IntegerBox::new([i % 30, 0, 0], [i % 30 + 1, 1, 1])))
        .collect();
    assert_eq!(
        ask(&hash, &IntegerBox::new([0, 0, 0], [32, 1, 1])).len(),
        1000
    );
    for id in ids.iter().skip(1) {
        assert!(hash.remove(*id));
    }
    assert_eq!(ask(&hash, &IntegerBox::new([0, 0, 0], [32, 1, 1])), [0]);
}

#[test]
fn handles_of_removed_elements_stay_dead() {
    let mut hash = SpatialHash::<2>::new(8);
    let old = hash.add(IntegerBox::new([0, 0], [1, 1]));
    hash.remove(old);
    let new = hash.add(IntegerBox::new([5, 5], [6, 6]));
    assert_eq!(old.index(), new.index());
    assert!(!hash.remove(old) && !hash.update(old, IntegerBox::new([0, 0], [2, 2])));
    assert_eq!((hash.bounds(old), hash.len()), (None, 1));
}

#[test]
fn cells_of_an_element_are_those_it_meets() {
    let mut hash = SpatialHash::<2>::new(16);
    let id = hash.add(IntegerBox::new([-1, 15], [1, 17]));
    let mut cells: Vec<_> = hash.cells_of(id).collect();
    cells.sort_unstable();
    assert_eq!(cells, [[-16, 0], [-16, 16], [0, 0], [0, 16]]);
}

#[test]
fn huge_elements_are_kept_apart() {
    let mut hash = SpatialHash::<3>::new(8);
    let small = IntegerBox::new([0, 0, 0], [2, 2, 2]);
    let world = IntegerBox::new([i32::MIN; 3], [i32::MAX; 3]);
    let id = hash.add(world);
    assert_eq!(ask(&hash, &small), [0]);
    assert!(hash.update(id, small));
    assert!(ask(&hash, &IntegerBox::new([100, 0, 0], [102, 2, 2])).is_empty());
    assert!(hash.update(id, world) && hash.remove(id));
    assert!(ask(&hash, &world).is_empty());
}

#[test]
fn crowded_cells_that_come_and_go_equal_brute_force() {
    // Long lists move with their cells in the table; a freed slot must not keep the block of one that moved.
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
        let mut hash = SpatialHash::from_boxes(side, boxes.iter().flatten().copied());
        let ids: Vec<ElementId> = hash.iter().map(|(id, _)| id).collect();
        for step in 0..3000 {
            let moved = step * 7 % ids.len();
            boxes[moved] = Some(any(40));
            assert!(hash.update(ids[moved], boxes[moved].unwrap()));
            let area = any(60);
            assert_eq!(
                ask(&hash, &area),
                brute(&boxes, &area),
                "side {side}, step {step}"
            );
        }
    }
}
