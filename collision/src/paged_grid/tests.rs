//! The paged grid against brute force.
#![allow(clippy::unwrap_used)]

use super::*;
use proptest::prelude::*;
use std::collections::BTreeMap;

#[derive(Clone, Debug)]
enum Step {
    Place(u32, Vector3<i32>),
    Remove(u32),
    Visit(Vector3<i32>, Vector3<i32>),
    ReleaseSpare,
    Renumber(Vec<u32>),
}

/// Near the origin, near both ends of `i32`, and anywhere: grids tend to fail at sector borders and
/// on overflow.
fn coordinate() -> impl Strategy<Value = i32> {
    prop_oneof![
        4 => -20..20_i32,
        1 => (i32::MAX - 20)..=i32::MAX,
        1 => i32::MIN..(i32::MIN + 20),
        1 => any::<i32>(),
    ]
}

fn cell() -> impl Strategy<Value = Vector3<i32>> {
    [coordinate(), coordinate(), coordinate()].prop_map(Vector3::from)
}

const ELEMENTS: u32 = 40;

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (0..ELEMENTS, cell()).prop_map(|(element, cell)| Step::Place(element, cell)),
        2 => (0..ELEMENTS).prop_map(Step::Remove),
        2 => (cell(), cell()).prop_map(|(a, b)| Step::Visit(a.inf(&b), a.sup(&b))),
        1 => Just(Step::ReleaseSpare),
        1 => Just((0..ELEMENTS).collect::<Vec<_>>()).prop_shuffle().prop_map(Step::Renumber),
    ]
}

fn inside(cell: &Vector3<i32>, min: &Vector3<i32>, max: &Vector3<i32>) -> bool {
    (0..3).all(|axis| (min[axis]..=max[axis]).contains(&cell[axis]))
}

fn visited(grid: &PagedGrid, min: Vector3<i32>, max: Vector3<i32>) -> Vec<u32> {
    let mut found = Vec::new();
    grid.visit(min, max, |element| found.push(element));
    found.sort_unstable();
    found
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn grid_equals_brute_force(steps in prop::collection::vec(step(), 1..120)) {
        let mut grid = PagedGrid::new();
        let mut model: BTreeMap<u32, Vector3<i32>> = BTreeMap::new();
        for step in steps {
            match step {
                Step::Place(element, cell) => {
                    grid.place(element, cell);
                    model.insert(element, cell);
                }
                Step::Remove(element) => {
                    prop_assert_eq!(grid.remove(element), model.remove(&element).is_some());
                }
                Step::Visit(min, max) => {
                    let expected: Vec<u32> = model
                        .iter()
                        .filter(|(_, cell)| inside(cell, &min, &max))
                        .map(|(&element, _)| element)
                        .collect();
                    prop_assert_eq!(visited(&grid, min, max), expected);
                }
                Step::ReleaseSpare => grid.release_spare(),
                Step::Renumber(numbers) => {
                    grid.renumber(&numbers);
                    let renamed = model.into_iter();
                    model = renamed.map(|(old, cell)| (numbers[old as usize], cell)).collect();
                }
            }
            prop_assert_eq!(grid.len(), model.len());
            let sectors: std::collections::BTreeSet<[i32; 3]> =
                model.values().map(|cell| cell.map(sector_of).into()).collect();
            prop_assert_eq!(grid.sectors(), sectors.len());
        }
        for element in 0..40 {
            prop_assert_eq!(grid.cell_of(element), model.get(&element).copied());
        }
    }
}

#[test]
fn whole_space_can_be_visited() {
    let mut grid = PagedGrid::new();
    grid.place(3, Vector3::repeat(i32::MIN));
    grid.place(5, Vector3::repeat(i32::MAX));
    let all = visited(&grid, Vector3::repeat(i32::MIN), Vector3::repeat(i32::MAX));
    assert_eq!(all, [3, 5]);
}

#[test]
fn reversed_box_holds_nothing() {
    let mut grid = PagedGrid::new();
    grid.place(0, Vector3::zeros());
    assert!(visited(&grid, Vector3::repeat(100), Vector3::repeat(-100)).is_empty());
    assert!(visited(&grid, Vector3::new(2, 0, 0), Vector3::new(1, 5, 5)).is_empty());
}

#[test]
fn sectors_come_and_go_with_their_elements() {
    let mut grid = PagedGrid::new();
    grid.place(0, Vector3::new(0, 0, 0));
    grid.place(1, Vector3::new(7, 7, 7));
    assert_eq!(grid.sectors(), 1);
    grid.place(1, Vector3::new(8, 7, 7));
    assert_eq!(grid.sectors(), 2);
    grid.place(1, Vector3::new(7, 0, 0));
    assert_eq!(grid.sectors(), 1);
    grid.clear();
    assert_eq!((grid.sectors(), grid.len()), (0, 0));
}

#[test]
fn readers_on_many_threads_see_the_same() {
    let mut grid = PagedGrid::new();
    for element in 0..1000_u32 {
        let at = element as i32;
        grid.place(element, Vector3::new(at % 31 - 15, at % 7, at % 29 - 14));
    }
    let (min, max) = (Vector3::new(-9, 1, -9), Vector3::new(9, 5, 9));
    let alone = visited(&grid, min, max);
    std::thread::scope(|scope| {
        for reader in [(); 4].map(|()| scope.spawn(|| visited(&grid, min, max))) {
            assert_eq!(reader.join().unwrap(), alone);
        }
    });
}
