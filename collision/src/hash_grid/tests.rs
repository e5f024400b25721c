//! The grid against a comparison of every pair.
#![allow(clippy::unwrap_used)]

use proptest::prelude::*;

use super::*;

fn any_span<const D: usize>() -> impl Strategy<Value = Span<D>> {
    let at = prop_oneof![9 => -10.0..110.0_f32, 1 => -1e9..1e9_f32];
    let size = prop_oneof![9 => 0.0..4.0_f32, 1 => 0.0..60.0_f32];
    (prop::array::uniform(at), prop::array::uniform(size)).prop_map(
        |(min, size): ([f32; D], [f32; D])| {
            Span::new(min, std::array::from_fn(|a| min[a] + size[a]))
        },
    )
}

fn ask<const D: usize>(grid: &HashGrid<D>, span: &Span<D>) -> Vec<GridId> {
    let mut found = Vec::new();
    grid.visit(span, |id| found.push(id));
    found.sort_unstable();
    found
}

fn check_all_pairs<const D: usize>(
    still: &[Span<D>],
    moving: &[Span<D>],
    removed: &[usize],
    side: f32,
) {
    let mut grid = HashGrid::new(Span::new([0.0; D], [100.0; D]), side);
    let mut expected: Vec<(GridId, Span<D>)> = still
        .iter()
        .map(|span| (grid.insert_still(*span), *span))
        .collect();
    for _ in 0..2 {
        // The second filling must not depend on the first.
        grid.refill(moving.iter().rev().copied());
    }
    let ids = (0..moving.len() as u32).map(GridId::Moving);
    expected.extend(ids.zip(moving.iter().rev().copied()));
    for at in removed.iter().take(expected.len()) {
        let (id, _) = expected.remove(at % expected.len());
        assert!(grid.remove(id) && !grid.remove(id) && grid.span(id).is_none());
    }
    for (id, span) in &expected {
        let meets: Vec<GridId> = expected
            .iter()
            .filter(|(_, other)| other.meets(span))
            .map(|(id, _)| *id)
            .collect();
        assert_eq!(ask(&grid, span), meets);
        let mut others = Vec::new();
        grid.visit_colliders(*id, |other| others.push(other));
        assert_eq!(others.len() + 1, meets.len());
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(200)
    })]

    #[test]
    fn flat_equals_all_pairs(
        still in prop::collection::vec(any_span::<2>(), 1..40),
        moving in prop::collection::vec(any_span::<2>(), 1..40),
        removed in prop::collection::vec(any::<usize>(), 0..20),
        side in 1.0..40.0_f32,
    ) {
        check_all_pairs(&still, &moving, &removed, side);
    }

    #[test]
    fn deep_equals_all_pairs(
        still in prop::collection::vec(any_span::<3>(), 1..40),
        moving in prop::collection::vec(any_span::<3>(), 1..40),
        removed in prop::collection::vec(any::<usize>(), 0..20),
        side in 4.0..40.0_f32,
    ) {
        check_all_pairs(&still, &moving, &removed, side);
    }
}

#[test]
fn many_objects_in_one_cell_are_all_found_and_removed() {
    let mut grid = HashGrid::<2>::new(Span::new([0.0; 2], [10.0; 2]), 10.0);
    let ids: Vec<GridId> = (0..100)
        .map(|_| grid.insert_still(Span::new([1.0; 2], [2.0; 2])))
        .collect();
    for (count, id) in ids.iter().enumerate() {
        assert_eq!(
            ask(&grid, &Span::new([0.0; 2], [9.0; 2])).len(),
            100 - count
        );
        assert!(grid.remove(*id));
    }
    assert_eq!(grid.insert_still(Span::new([1.0; 2], [2.0; 2])), ids[99]);
}

#[test]
fn fitted_cells_are_five_times_the_largest_object() {
    let small = (0..20).map(|i| Span::new([i as f32 * 10.0, 0.0], [i as f32 * 10.0 + 1.0, 1.0]));
    let large = (0..3).map(|i| Span::new([0.0, i as f32 * 50.0], [40.0, i as f32 * 50.0 + 40.0]));
    let objects: Vec<Span<2>> = small.chain(large).collect();
    let grid = HashGrid::fitted(&objects);
    assert_eq!(grid.cell_side(), 200.0);
    assert_eq!(grid.bounds(), Span::new([0.0, 0.0], [191.0, 140.0]));
    assert_eq!(ask(&grid, &Span::new([-1e9; 2], [1e9; 2])).len(), 23);
}

#[test]
fn no_object_of_a_fitted_grid_touches_more_than_four_cells() {
    for place in 0..200 {
        let at = [place as f32 * 1.37 % 90.0, place as f32 * 2.11 % 90.0];
        let large = Span::new(at, [at[0] + 10.0, at[1] + 4.0]);
        let small = (0..300).map(|i| {
            let center = [i as f32 * 3.7 % 400.0, i as f32 * 1.9 % 400.0];
            Span::about(center, [0.1 + (i % 7) as f32 * 0.1; 2])
        });
        let objects: Vec<Span<2>> = small.chain([large]).collect();
        let grid = HashGrid::fitted(&objects);
        for span in &objects {
            let mut cells = 0;
            grid.cells.touched(span).for_each(|_| cells += 1);
            assert!(cells <= 4, "{span:?} touches {cells}");
        }
    }
}

#[test]
fn fitted_to_nothing_works() {
    let mut grid = HashGrid::<3>::fitted(&[]);
    let id = grid.insert_still(Span::new([500.0; 3], [501.0; 3]));
    assert_eq!(ask(&grid, &Span::new([500.5; 3], [600.0; 3])), [id]);
}

#[test]
fn too_many_cells_become_larger() {
    let grid = HashGrid::<3>::new(Span::new([0.0; 3], [1e6; 3]), 0.01);
    assert!(grid.cell_side() > 1e3);
}

#[test]
fn not_a_number_meets_nothing() {
    let mut grid = HashGrid::<2>::new(Span::new([0.0; 2], [10.0; 2]), 2.0);
    grid.insert_still(Span::new([f32::NAN; 2], [1.0; 2]));
    assert!(ask(&grid, &Span::new([-1e9; 2], [1e9; 2])).is_empty());
    assert!(ask(&grid, &Span::new([f32::NAN; 2], [1e9; 2])).is_empty());
}

#[test]
fn huge_objects_fit() {
    let grid = HashGrid::<2>::fitted(&[Span::new([-1e38; 2], [1e38; 2])]);
    assert!(grid.cell_side() > 0.0);
}

#[test]
fn nan_object_can_be_removed() {
    let mut grid = HashGrid::<2>::new(Span::new([0.0; 2], [10.0; 2]), 1.0);
    let id = grid.insert_still(Span::new([f32::NAN; 2], [f32::NAN; 2]));
    assert!(grid.remove(id));
    assert!(!grid.remove(id));
}
