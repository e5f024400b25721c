//! Spatial hash, hash grid and hit boxes among 10,000 elements each.

use std::hint::black_box;

use collision::hash_grid::{GridId, HashGrid, Span};
use collision::hit_box::{HitBox, Strike};
use collision::spatial_hash::{IntegerBox, SpatialHash};
use collision::{Character, Crowd, Position};
use nalgebra::Point3;

use super::super::{Figure, in_units, time_runs};
use super::scatter::Scatter;

const ELEMENTS: usize = 10_000;
/// Side of a cell of the spatial hash: a few times the most common box.
const CELL: u32 = 32;
const RUNS: usize = 200;

/// Returns boxes of 4 to 11 units in a square where one cell of 32 holds about four of them.
fn boxes<const D: usize>(scatter: &mut Scatter, world: u32) -> Vec<IntegerBox<D>> {
    (0..ELEMENTS)
        .map(|_| {
            let min: [i32; D] = std::array::from_fn(|_| scatter.below(world) - world as i32 / 2);
            let side = 4 + scatter.below(8);
            IntegerBox::new(min, min.map(|at| at + side))
        })
        .collect()
}

fn query<const D: usize>(name: &str, world: u32) -> Figure {
    let mut scatter = Scatter::new(1);
    let hash = SpatialHash::from_elements(CELL, (0_u32..).zip(boxes::<D>(&mut scatter, world)));
    let areas = boxes::<D>(&mut scatter, world);
    let mut found = Vec::with_capacity(64);
    let times = time_runs(RUNS, || {
        for area in &areas {
            hash.query(area, &mut found);
            black_box(&found);
        }
    });
    Figure::from_samples(name, "ns", in_units(&times, 1e-9, ELEMENTS))
}

fn update<const D: usize>(name: &str, world: u32) -> Figure {
    let mut scatter = Scatter::new(2);
    let mut places = boxes::<D>(&mut scatter, world);
    let mut hash = SpatialHash::from_elements(CELL, (0_u32..).zip(places.iter().copied()));
    let steps: Vec<[i32; D]> = (0..ELEMENTS)
        .map(|_| std::array::from_fn(|_| scatter.below(5) - 2))
        .collect();
    let mut turn = 0;
    let times = time_runs(RUNS, || {
        // There and back, so that the scene does not change.
        let way = if turn % 2 == 0 { 1 } else { -1 };
        turn += 1;
        for ((id, place), step) in (0_u32..).zip(&mut places).zip(&steps) {
            for axis in 0..D {
                place.min[axis] += way * step[axis];
                place.max[axis] += way * step[axis];
            }
            hash.update(id, *place);
        }
    });
    Figure::from_samples(name, "ns", in_units(&times, 1e-9, ELEMENTS))
}

/// Measures queries of 160 x 160 cells far from all elements.
pub(super) fn hash_query_wide(name: &str) -> Figure {
    const AREAS: usize = 1000;
    let mut scatter = Scatter::new(7);
    let hash = SpatialHash::from_elements(CELL, (0_u32..).zip(boxes::<2>(&mut scatter, 1600)));
    let side = 160 * CELL as i32;
    let areas: Vec<IntegerBox<2>> = (0..AREAS)
        .map(|_| {
            let min = [0; 2].map(|_: i32| 20_000 + scatter.below(1 << 20));
            IntegerBox::new(min, min.map(|at| at + side))
        })
        .collect();
    let mut found = Vec::with_capacity(64);
    let times = time_runs(RUNS, || {
        for area in &areas {
            hash.query(area, &mut found);
            black_box(&found);
        }
    });
    Figure::from_samples(name, "ns", in_units(&times, 1e-9, AREAS))
}

pub(super) fn hash_query(name: &str) -> Figure {
    query::<2>(name, 1600)
}

pub(super) fn hash_update(name: &str) -> Figure {
    update::<2>(name, 1600)
}

pub(super) fn hash_query_deep(name: &str) -> Figure {
    query::<3>(name, 400)
}

pub(super) fn hash_update_deep(name: &str) -> Figure {
    update::<3>(name, 400)
}

/// Measures a tick: all objects are entered, and the colliders of each queried.
pub(super) fn grid_refill(name: &str) -> Figure {
    let mut scatter = Scatter::new(3);
    let mut grid = HashGrid::<2>::new(Span::new([0.0; 2], [500.0; 2]), 5.0);
    let spans: Vec<Span<2>> = (0..ELEMENTS)
        .map(|_| Span::about([scatter.upto(500.0), scatter.upto(500.0)], [0.5, 0.5]))
        .collect();
    let times = time_runs(RUNS, || {
        grid.refill(spans.iter().copied());
        let mut pairs = 0;
        for index in 0..ELEMENTS as u32 {
            grid.visit_colliders(GridId::Moving(index), |_| pairs += 1);
        }
        black_box(pairs);
    });
    Figure::from_samples(name, "ms", in_units(&times, 1e-3, 1))
}

/// Measures swings of a box by random characters of a crowd as dense as that of `crowd.walk.10000`.
pub(super) fn hit_swing(name: &str) -> Figure {
    let mut scatter = Scatter::new(4);
    let mut crowd = Crowd::new();
    let mut place = || {
        let metre = |share: f32| f64::from(share);
        Position::from_metres(Point3::new(
            metre(scatter.upto(256.0)),
            0.9,
            metre(scatter.upto(256.0)),
        ))
    };
    for _ in 0..ELEMENTS {
        crowd.add(Character::at(place()).with_radii(0.4, 0.9));
    }
    let shape = HitBox::of_box([0.9, 0.2, 0.0], [0.6, 0.4, 0.5]);
    let swings: Vec<Strike> = (0..1000)
        .map(|_| Strike {
            origin: place(),
            shape,
            layers: u16::MAX,
        })
        .collect();
    let mut hits = Vec::with_capacity(ELEMENTS);
    let times = time_runs(RUNS, || {
        crowd.strike_all(&swings, &mut hits);
        black_box(&hits);
    });
    Figure::from_samples(name, "us", in_units(&times, 1e-6, swings.len()))
}
