//! The tree of boxes against a plain list.
#![allow(clippy::unwrap_used)]

use collision::Plane;
use nalgebra::Vector3;
use proptest::prelude::*;
use std::collections::BTreeMap;
use world::kd_tree::RayBuffer;
use world::{CellBox, Frustum, KdTree};

type Cell = Vector3<i32>;

#[derive(Clone, Debug)]
enum Change {
    Insert(u32, CellBox),
    Remove(u32),
}

fn cell_box() -> impl Strategy<Value = CellBox> {
    let place = || prop_oneof![3 => -200..200i32, 1 => Just(7), 1 => -3_000_000..3_000_000i32];
    let size = || prop_oneof![Just(31), 0..5i32, 0..100i32];
    ([place(), place(), place()], [size(), size(), size()]).prop_map(|(min, size)| {
        let min = Cell::from(min);
        CellBox::new(min, min + Cell::from(size))
    })
}

fn chunk_box() -> impl Strategy<Value = CellBox> {
    [-6..6i32, -2..2i32, -6..6i32].prop_map(|chunk| {
        let min = Cell::from(chunk) * 32;
        CellBox::new(min, min.add_scalar(31))
    })
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        3 => (0..300u32, prop_oneof![cell_box(), chunk_box()])
            .prop_map(|(item, bounds)| Change::Insert(item, bounds)),
        1 => (0..300u32).prop_map(Change::Remove),
    ]
}

fn direction() -> impl Strategy<Value = Vector3<f32>> {
    let part = || prop_oneof![-1.0..1.0f32, Just(0.0), Just(1.0)];
    [part(), part(), part()]
        .prop_map(Vector3::from)
        .prop_filter("a direction", |direction| direction.norm() > 0.01)
        .prop_map(|direction| direction.normalize())
}

fn frustum() -> impl Strategy<Value = Frustum> {
    let plane =
        || (direction(), -150.0..50.0f32).prop_map(|(normal, distance)| Plane { normal, distance });
    let planes = [plane(), plane(), plane(), plane(), plane(), plane()];
    ([-100..100i32, -100..100i32, -100..100i32], planes).prop_map(|(base, planes)| Frustum {
        base: Cell::from(base),
        planes,
    })
}

type List = BTreeMap<u32, CellBox>;

fn grow(built: usize, changes: &[Change]) -> (KdTree, List) {
    let mut list = List::new();
    let (first, rest) = changes.split_at(built.min(changes.len()));
    let mut start = Vec::new();
    for change in first {
        if let Change::Insert(item, bounds) = change {
            start.push((*item, *bounds));
            list.insert(*item, *bounds);
        }
    }
    let mut tree = KdTree::build(start);
    for change in rest {
        match change {
            Change::Insert(item, bounds) => {
                tree.insert(*item, *bounds);
                list.insert(*item, *bounds);
            }
            Change::Remove(item) => assert_eq!(tree.remove(*item), list.remove(item).is_some()),
        }
    }
    assert_eq!(tree.len(), list.len());
    (tree, list)
}

fn changes() -> impl Strategy<Value = Vec<Change>> {
    proptest::collection::vec(change(), 0..700)
}

fn sorted(visit: impl FnOnce(&mut Vec<u32>)) -> Vec<u32> {
    let mut found = Vec::new();
    visit(&mut found);
    found.sort_unstable();
    found
}

fn matching(list: &List, pass: impl Fn(&CellBox) -> bool) -> Vec<u32> {
    list.iter()
        .filter(|(_, bounds)| pass(bounds))
        .map(|(item, _)| *item)
        .collect()
}

/// Returns the entry of a ray into a box, cutting it with the three slabs in turn.
fn enter(bounds: &CellBox, start: Vector3<f64>, direction: Vector3<f64>) -> Option<f64> {
    let mut range = (0.0, f64::INFINITY);
    for axis in 0..3 {
        let (low, high) = (
            f64::from(bounds.min[axis]),
            f64::from(bounds.max[axis]) + 1.0,
        );
        if direction[axis] == 0.0 {
            if !(low..=high).contains(&start[axis]) {
                return None;
            }
            continue;
        }
        let one = (low - start[axis]) / direction[axis];
        let two = (high - start[axis]) / direction[axis];
        range = (
            f64::max(range.0, one.min(two)),
            f64::min(range.1, one.max(two)),
        );
    }
    (range.0 <= range.1).then_some(range.0)
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(256)
    })]

    #[test]
    fn queries_find_what_a_list_finds(
        built in 0..500usize,
        changes in changes(),
        asked in cell_box(),
        frustum in frustum(),
        radius in 0.0..300.0f32,
    ) {
        let (tree, list) = grow(built, &changes);
        for (item, bounds) in &list {
            prop_assert_eq!(tree.bounds(*item), Some(*bounds));
        }
        let found = sorted(|found| tree.visit_box(&asked, |item| found.push(item)));
        prop_assert_eq!(found, matching(&list, |bounds| bounds.meets(&asked)));
        let found = sorted(|found| tree.visit_frustum(&frustum, |item| found.push(item)));
        prop_assert_eq!(found, matching(&list, |bounds| bounds.may_meet(&frustum)));
        let found = sorted(|found| tree.visit_odd_in_box(&asked, |item| found.push(item)));
        let mut odd = matching(&list, |bounds| bounds.meets(&asked));
        odd.retain(|item| item % 2 == 1);
        prop_assert_eq!(found, odd);
        let middle = Vector3::repeat(0.5);
        let found = sorted(|found| {
            tree.visit_sphere(frustum.base, middle, radius, |item| found.push(item));
        });
        let centre = frustum.base.map(|c| f64::from(c) + 0.5);
        prop_assert_eq!(found, matching(&list, |bounds| {
            let gap = centre.zip_zip_map(&bounds.min, &bounds.max, |c, low, high| {
                (f64::from(low) - c).max(c - f64::from(high) - 1.0).max(0.0)
            });
            gap.norm_squared() as f32 <= radius * radius
        }));
    }

    #[test]
    fn rays_find_boxes_in_order(
        built in 0..500usize,
        changes in changes(),
        start in [-300.0..300.0f64, -300.0..300.0f64, -300.0..300.0f64],
        direction in direction(),
        reach in 0.0..2000.0f64,
    ) {
        let (tree, list) = grow(built, &changes);
        let (start, direction) = (Vector3::from(start), direction.map(f64::from));
        let mut found = Vec::new();
        let buffer = &mut RayBuffer::default();
        tree.visit_ray(Cell::zeros(), start, direction, reach, buffer, |item, distance| {
            found.push((distance, item));
            reach
        });
        let mut by_hand: Vec<(f64, u32)> = list
            .iter()
            .filter_map(|(item, bounds)| Some((enter(bounds, start, direction)?, *item)))
            .filter(|(distance, _)| *distance <= reach)
            .collect();
        by_hand.sort_by(|a, b| a.partial_cmp(b).unwrap());
        prop_assert_eq!(found, by_hand);
    }
}

#[test]
fn streaming_keeps_the_tree_shallow() {
    let mut tree = KdTree::new();
    let item = |x: i32, z: i32| (x.rem_euclid(64) * 64 + z) as u32;
    for x in 0..1000 {
        for z in 0..64 {
            if x >= 60 {
                tree.remove(item(x - 60, z));
            }
            let min = Cell::new(x * 32, 0, z * 32);
            tree.insert(item(x, z), CellBox::new(min, min.add_scalar(31)));
        }
    }
    assert_eq!(tree.len(), 60 * 64);
    assert!(tree.depth() <= 20, "{}", tree.depth());
}

#[test]
fn moving_boxes_keep_the_tree_shallow() {
    let mut tree = KdTree::new();
    let place = |item: u32, tick: i32| {
        let (item, spread) = (item as i32, 5_000 / (1 + tick % 50));
        // All boxes move to one place and apart again, each on its own path.
        let part = |by: i32| item.wrapping_mul(by).rem_euclid(2 * spread) - spread + tick;
        let min = Cell::new(part(7919), part(104_729) / 8, part(1_299_709));
        CellBox::new(min, min.add_scalar(2 + item % 5))
    };
    for tick in 0..200 {
        for item in 0..3_000 {
            tree.insert(item, place(item, tick));
        }
        assert!(tree.depth() <= 24, "tick {tick}: {}", tree.depth());
    }
    assert_eq!(tree.len(), 3_000);
}

#[test]
fn boxes_in_one_place_are_told_apart_by_number() {
    let mut tree = KdTree::new();
    let bounds = CellBox::new(Cell::zeros(), Cell::repeat(3));
    for item in 0..1000 {
        tree.insert(item, bounds);
    }
    assert!(tree.depth() <= 20, "{}", tree.depth());
    let mut found = 0;
    tree.visit_box(&bounds, |_| found += 1);
    assert_eq!(found, 1000);
    for item in 0..999 {
        assert!(tree.remove(item));
    }
    assert_eq!((tree.len(), tree.depth()), (1, 0));
}

/// Makes a box about an end of the cell coordinates; the coordinates wrap around.
fn end_box() -> impl Strategy<Value = CellBox> {
    let place = || prop_oneof![-200..200i32, -40..40i32];
    ([place(), place(), place()], [0..60i32, 0..60, 0..60]).prop_map(|(min, size)| {
        let min = Cell::from(min);
        CellBox::new(min, min + Cell::from(size))
    })
}

/// Returns true if one of some points of a box is inside a frustum, with a millimetre to spare.
fn holds_some_of(frustum: &Frustum, bounds: &CellBox) -> bool {
    let size = (bounds.max - bounds.min).add_scalar(1).cast::<f32>();
    (0..125).any(|index| {
        let share = Vector3::new(index % 5, index / 5 % 5, index / 25).cast::<f32>() / 4.0;
        let at = (bounds.min - frustum.base).cast::<f32>() + size.component_mul(&share);
        let inside = |plane: &Plane| plane.normal.dot(&at) >= plane.distance + 0.001;
        frustum.planes.iter().all(inside)
    })
}

/// Returns the box moved to the ends of the coordinates, in the form that a tree may hold.
fn pushed(bounds: &CellBox) -> CellBox {
    let push = |cell: Cell| cell.map(|part| part.wrapping_add(i32::MAX));
    CellBox::new(push(bounds.min), push(bounds.max)).without_ends()
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(256)
    })]

    #[test]
    fn the_ends_of_the_cells_meet(
        boxes in proptest::collection::vec(end_box(), 0..60),
        asked in end_box(),
        frustum in frustum(),
        from in [-150.0..150.0f64, -150.0..150.0f64, -150.0..150.0f64],
        direction in direction(),
        radius in 0.0..150.0f32,
    ) {
        // The same scene about the origin gives the boxes that must be found; at the ends more are
        // allowed, but never fewer.
        let tree = KdTree::build((0..).zip(boxes.iter().map(pushed)));
        let at_origin = KdTree::build((0..).zip(boxes.iter().copied()));
        let compare = |there: Vec<u32>, here: Vec<u32>| {
            let once = there.windows(2).all(|pair| pair[0] < pair[1]);
            once && here.iter().all(|item| there.contains(item))
        };
        let there = sorted(|found| tree.visit_box(&pushed(&asked), |item| found.push(item)));
        let here = sorted(|found| at_origin.visit_box(&asked, |item| found.push(item)));
        prop_assert!(compare(there, here));
        let far = Frustum {
            base: frustum.base.map(|part| part.wrapping_add(i32::MAX)),
            planes: frustum.planes,
        };
        let there = sorted(|found| tree.visit_frustum(&far, |item| found.push(item)));
        let here = (0..).zip(&boxes).filter(|(_, bounds)| holds_some_of(&frustum, bounds));
        let here: Vec<u32> = here.map(|(item, _)| item).collect();
        prop_assert!(here.iter().all(|&item| pushed(&boxes[item as usize]).may_meet(&far)));
        prop_assert!(compare(there, here));
        let centre = Vector3::from(from).cast::<f32>();
        let ball = |tree: &KdTree, base: Cell| {
            sorted(|found| tree.visit_sphere(base, centre, radius, |item| found.push(item)))
        };
        let (there, here) = (ball(&tree, Cell::repeat(i32::MAX)), ball(&at_origin, Cell::zeros()));
        prop_assert!(compare(there, here));
        let mut buffer = RayBuffer::default();
        let (start, direction) = (Vector3::from(from), direction.cast::<f64>());
        let mut ray = |tree: &KdTree, base: Cell| {
            sorted(|found| {
                tree.visit_ray(base, start, direction, 400.0, &mut buffer, |item, _| {
                    found.push(item);
                    400.0
                });
            })
        };
        let (there, here) = (ray(&tree, Cell::repeat(i32::MAX)), ray(&at_origin, Cell::zeros()));
        prop_assert!(compare(there, here));
    }
}
