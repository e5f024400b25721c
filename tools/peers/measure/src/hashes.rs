//! Small moving boxes: our spatial hash against `flat_spatial` and parry's BVH on the same work, in
//! two and three dimensions.

use crate::contest::{Contestant, Count, hold};
use crate::random::Random;
use crate::row::Row;
use collision::spatial_hash::{IntegerBox, SpatialHash};
use flat_spatial::aabbgrid::AABBGridHandle;
use flat_spatial::{AABB, AABBGrid};
use parry3d::bounding_volume::Aabb;
use parry3d::math::Vector;
use parry3d::partitioning::{Bvh, BvhBuildStrategy, BvhWorkspace};

const ELEMENTS: usize = 10_000;
/// Side of a cell: a few times the typical box, for both hashes.
const CELL: i32 = 32;
/// Subtracted from the upper sides where a library counts touching as intersecting; our boxes are
/// half-open.
const APART: f32 = 0.5;

/// Makes boxes of 4 to 11 units in a square or cube about the origin.
fn boxes<const D: usize>(random: &mut Random, side: i32) -> Vec<IntegerBox<D>> {
    (0..ELEMENTS)
        .map(|_| {
            let min: [i32; D] = std::array::from_fn(|_| random.below(side) - side / 2);
            let length = 4 + random.below(8);
            IntegerBox::new(min, min.map(|at| at + length))
        })
        .collect()
}

/// A flat box in the form of `flat_spatial`.
#[derive(Clone, Copy)]
struct Flat {
    low: [f32; 2],
    high: [f32; 2],
}

impl AABB for Flat {
    type V2 = [f32; 2];

    fn ll(&self) -> [f32; 2] {
        self.low
    }

    fn ur(&self) -> [f32; 2] {
        self.high
    }
}

fn flat(one: &IntegerBox<2>) -> Flat {
    Flat {
        low: one.min.map(|value| value as f32),
        high: one.max.map(|value| value as f32 - APART),
    }
}

/// Converts a box for parry, flat in two dimensions.
fn for_parry<const D: usize>(one: &IntegerBox<D>) -> Aabb {
    let (mut low, mut high) = ([0.0; 3], [0.0; 3]);
    for axis in 0..D {
        low[axis] = one.min[axis] as f32;
        high[axis] = one.max[axis] as f32 - APART;
    }
    Aabb::new(Vector::from(low), Vector::from(high))
}

fn parry_tree<const D: usize>(all: &[IntegerBox<D>]) -> Bvh {
    let leaves: Vec<Aabb> = all.iter().map(for_parry).collect();
    Bvh::from_leaves(BvhBuildStrategy::Binned, &leaves)
}

fn flat_grid(all: &[IntegerBox<2>]) -> (AABBGrid<u32, Flat>, Vec<AABBGridHandle>) {
    let mut grid = AABBGrid::new(CELL);
    let handles = all.iter().zip(0..);
    let handles = handles.map(|(one, number)| grid.insert(flat(one), number));
    let handles = handles.collect();
    (grid, handles)
}

const NANOSECONDS: Count = Count {
    unit: "ns",
    a_second: 1e9,
    items: ELEMENTS,
    rounds: 100,
};

pub fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    rows.extend(queries_2d());
    rows.extend(updates_2d());
    rows.extend(queries_3d());
    rows.extend(updates_3d());
    rows.extend(ticks_2d());
    rows.extend(ticks_3d());
    rows
}

fn ours_asks<'a, const D: usize>(
    all: &[IntegerBox<D>],
    areas: &'a [IntegerBox<D>],
) -> Contestant<'a> {
    let hash = SpatialHash::from_elements(CELL as u32, (0_u32..).zip(all.iter().copied()));
    let mut found = Vec::with_capacity(64);
    Contestant::new("ours", move || {
        let ask = |area| {
            hash.query(area, &mut found);
            found.len()
        };
        areas.iter().map(ask).sum()
    })
}

fn parry_asks<'a, const D: usize>(
    all: &[IntegerBox<D>],
    areas: &'a [IntegerBox<D>],
) -> Contestant<'a> {
    let tree = parry_tree(all);
    let mut found = Vec::with_capacity(64);
    Contestant::new("parry Bvh", move || {
        let ask = |area| {
            found.clear();
            found.extend(tree.intersect_aabb(&for_parry(area)));
            found.len()
        };
        areas.iter().map(ask).sum()
    })
}

fn queries_2d() -> Vec<Row> {
    let mut random = Random::new(1);
    let (all, areas) = (boxes(&mut random, 1600), boxes(&mut random, 1600));
    let (grid, _) = flat_grid(&all);
    let mut found = Vec::with_capacity(64);
    let contestants = vec![
        ours_asks(&all, &areas),
        // Its visitor panics if a query lies in one empty cell, so the iterator is used.
        Contestant::new("flat_spatial", || {
            let ask = |area| {
                found.clear();
                found.extend(grid.query(flat(area)).map(|(handle, _, _)| handle));
                found.len()
            };
            areas.iter().map(ask).sum()
        }),
        parry_asks(&all, &areas),
    ];
    hold("hash.query", NANOSECONDS, contestants)
}

fn queries_3d() -> Vec<Row> {
    let mut random = Random::new(2);
    let (all, areas) = (boxes::<3>(&mut random, 400), boxes::<3>(&mut random, 400));
    let contestants = vec![ours_asks(&all, &areas), parry_asks(&all, &areas)];
    hold("hash.query.3d", NANOSECONDS, contestants)
}

/// Boxes that move there and back by up to two units per axis.
struct Wanderers<const D: usize> {
    places: Vec<IntegerBox<D>>,
    steps: Vec<[i32; D]>,
    turn: i32,
}

impl<const D: usize> Wanderers<D> {
    fn new(side: i32) -> Self {
        let mut random = Random::new(3);
        Self {
            places: boxes(&mut random, side),
            steps: (0..ELEMENTS)
                .map(|_| std::array::from_fn(|_| random.below(5) - 2))
                .collect(),
            turn: 1,
        }
    }

    fn go(&mut self, mut take: impl FnMut(usize, &IntegerBox<D>)) -> usize {
        let way = self.turn;
        self.turn = -way;
        for (number, (place, step)) in self.places.iter_mut().zip(&self.steps).enumerate() {
            for (axis, step) in step.iter().enumerate() {
                place.min[axis] += way * step;
                place.max[axis] += way * step;
            }
            take(number, place);
        }
        ELEMENTS
    }
}

fn ours_follows<'a, const D: usize>(side: i32) -> Contestant<'a> {
    let mut all = Wanderers::<D>::new(side);
    let places = all.places.iter().copied();
    let mut hash = SpatialHash::from_elements(CELL as u32, (0_usize..).zip(places));
    Contestant::new("ours", move || {
        all.go(|number, place| {
            hash.update(number, *place);
        })
    })
}

fn parry_follows<'a, const D: usize>(side: i32) -> Contestant<'a> {
    let mut all = Wanderers::<D>::new(side);
    let mut tree = parry_tree(&all.places);
    let mut workspace = BvhWorkspace::default();
    // Its bulk update: leaves first, then all nodes above them at once.
    Contestant::new("parry Bvh", move || {
        let moved = all.go(|number, place| {
            tree.insert_or_update_partially(for_parry(place), number as u32, 0.0);
        });
        tree.refit(&mut workspace);
        moved
    })
}

fn updates_2d() -> Vec<Row> {
    let mut all = Wanderers::<2>::new(1600);
    let (mut grid, handles) = flat_grid(&all.places);
    let contestants = vec![
        ours_follows::<2>(1600),
        Contestant::new("flat_spatial", || {
            all.go(|number, place| grid.set_aabb(handles[number], flat(place)))
        }),
        parry_follows::<2>(1600),
    ];
    hold("hash.update", NANOSECONDS, contestants)
}

fn updates_3d() -> Vec<Row> {
    let contestants = vec![ours_follows::<3>(400), parry_follows::<3>(400)];
    hold("hash.update.3d", NANOSECONDS, contestants)
}

/// Boxes that keep moving by their step and turn at the border of the world, so that none returns
/// to its old place soon.
struct Walkers<const D: usize> {
    side: i32,
    places: Vec<IntegerBox<D>>,
    steps: Vec<[i32; D]>,
}

impl<const D: usize> Walkers<D> {
    fn new(side: i32) -> Self {
        let Wanderers { places, steps, .. } = Wanderers::new(side);
        Self {
            side,
            places,
            steps,
        }
    }

    fn walk(&mut self) {
        for (place, step) in self.places.iter_mut().zip(&mut self.steps) {
            for (axis, step) in step.iter_mut().enumerate() {
                if (place.min[axis] + *step).abs() > self.side / 2 {
                    *step = -*step;
                }
                place.min[axis] += *step;
                place.max[axis] += *step;
            }
        }
    }
}

fn ours_ticks<'a, const D: usize>(side: i32) -> Contestant<'a> {
    let mut all = Walkers::<D>::new(side);
    let places = all.places.iter().copied();
    let mut hash = SpatialHash::from_elements(CELL as u32, (0_u32..).zip(places));
    let mut found = Vec::with_capacity(64);
    Contestant::new("ours", move || {
        all.walk();
        for (id, place) in (0_u32..).zip(&all.places) {
            hash.update(id, *place);
        }
        let ask = |area| {
            hash.query(area, &mut found);
            found.len()
        };
        all.places.iter().map(ask).sum()
    })
}

fn parry_ticks<'a, const D: usize>(side: i32) -> Contestant<'a> {
    let mut all = Walkers::<D>::new(side);
    let mut tree = parry_tree(&all.places);
    let mut workspace = BvhWorkspace::default();
    let mut found = Vec::with_capacity(64);
    Contestant::new("parry Bvh", move || {
        all.walk();
        for (place, number) in all.places.iter().zip(0..) {
            tree.insert_or_update_partially(for_parry(place), number, 0.0);
        }
        tree.refit(&mut workspace);
        // The maintenance that its documentation asks for if leaves do not return.
        tree.optimize_incremental(&mut workspace);
        let ask = |area| {
            found.clear();
            found.extend(tree.intersect_aabb(&for_parry(area)));
            found.len()
        };
        all.places.iter().map(ask).sum()
    })
}

/// Moves all boxes, then queries the neighbours of each.
fn ticks_2d() -> Vec<Row> {
    let mut all = Walkers::<2>::new(1600);
    let (mut grid, handles) = flat_grid(&all.places);
    let mut found = Vec::with_capacity(64);
    let contestants = vec![
        ours_ticks::<2>(1600),
        Contestant::new("flat_spatial", || {
            all.walk();
            for (place, handle) in all.places.iter().zip(&handles) {
                grid.set_aabb(*handle, flat(place));
            }
            let ask = |area| {
                found.clear();
                found.extend(grid.query(flat(area)).map(|(handle, _, _)| handle));
                found.len()
            };
            all.places.iter().map(ask).sum()
        }),
        parry_ticks::<2>(1600),
    ];
    hold("hash.tick", NANOSECONDS, contestants)
}

fn ticks_3d() -> Vec<Row> {
    let contestants = vec![ours_ticks::<3>(400), parry_ticks::<3>(400)];
    hold("hash.tick.3d", NANOSECONDS, contestants)
}
