//! The tree of boxes against a plain list: after any changes, every query finds the same.

use std::collections::BTreeMap;

use collision::{Cell, Plane};
use nalgebra::Vector3;
use world::kd_tree::RayBuffer;
use world::{CellBox, Frustum, KdTree};

use crate::Target;
use crate::bytes::Bytes;
use crate::campaign::noise;

/// The target.
pub const TARGET: Target = Target {
    name: "tree",
    check,
    seeds: || noise(24, 3000),
    longest: 4096,
};

/// Items in use; more changes than items make boxes move.
const ITEMS: usize = 200;
/// Queries of each kind after the changes.
const QUERIES: usize = 4;

type List = BTreeMap<u32, CellBox>;

/// Grows a tree by changes made of bytes, and asks it.
pub fn check(data: &[u8]) {
    let mut bytes = Bytes(data);
    let queries: Vec<Query> = (0..QUERIES).map(|_| Query::read(&mut bytes)).collect();
    let (tree, list) = grow(&mut bytes);
    for (item, bounds) in &list {
        assert_eq!(tree.bounds(*item), Some(*bounds));
    }
    for query in &queries {
        query.ask_for_boxes(&tree, &list);
        query.ask_for_rays(&tree, &list);
        query.ask_at_the_ends(&list);
    }
}

struct Query {
    asked: CellBox,
    frustum: Frustum,
    radius: f32,
    start: Vector3<f64>,
    direction: Vector3<f32>,
    reach: f64,
}

impl Query {
    fn read(bytes: &mut Bytes<'_>) -> Self {
        Self {
            asked: cell_box(bytes),
            frustum: frustum(bytes),
            radius: bytes.between(0.0, 300.0),
            start: bytes.within(-150.0, 150.0).cast(),
            direction: direction(bytes),
            reach: f64::from(bytes.between(0.0, 2000.0)),
        }
    }

    fn ask_for_boxes(&self, tree: &KdTree, list: &List) {
        let Self {
            asked,
            frustum,
            radius,
            ..
        } = self;
        let found = sorted(|found| tree.visit_box(asked, |item| found.push(item)));
        assert_eq!(found, matching(list, |bounds| bounds.meets(asked)));
        let found = sorted(|found| tree.visit_frustum(frustum, |item| found.push(item)));
        assert_eq!(found, matching(list, |bounds| bounds.may_meet(frustum)));
        let found = sorted(|found| tree.visit_odd_in_box(asked, |item| found.push(item)));
        let mut odd = matching(list, |bounds| bounds.meets(asked));
        odd.retain(|item| item % 2 == 1);
        assert_eq!(found, odd);
        let middle = Vector3::repeat(0.5);
        let found = sorted(|found| {
            tree.visit_sphere(frustum.base, middle, *radius, |item| found.push(item));
        });
        let centre = frustum.base.map(|c| f64::from(c) + 0.5);
        let near = |bounds: &CellBox| distance_squared(bounds, centre) as f32 <= radius * radius;
        assert_eq!(found, matching(list, near));
    }

    fn ask_for_rays(&self, tree: &KdTree, list: &List) {
        let direction = self.direction.map(f64::from);
        let mut found = Vec::new();
        let buffer = &mut RayBuffer::default();
        tree.visit_ray(
            Cell::zeros(),
            self.start,
            direction,
            self.reach,
            buffer,
            |item, distance| {
                found.push((distance, item));
                self.reach
            },
        );
        let mut by_hand: Vec<(f64, u32)> = list
            .iter()
            .filter_map(|(item, bounds)| Some((enter(bounds, self.start, direction)?, *item)))
            .filter(|(distance, _)| *distance <= self.reach)
            .collect();
        by_hand.sort_by(|a, b| a.partial_cmp(b).expect("distances are numbers"));
        assert_eq!(found, by_hand);
    }

    /// Compares the scene at the ends of the coordinates with the same one about the origin: more
    /// boxes may be found there, but never fewer.
    fn ask_at_the_ends(&self, list: &List) {
        let near = |bounds: &CellBox| bounds.min.amax() < 400 && bounds.max.amax() < 400;
        let boxes: Vec<CellBox> = list.values().copied().filter(near).collect();
        let there = KdTree::build((0..).zip(boxes.iter().map(pushed)));
        let here = KdTree::build((0..).zip(boxes.iter().copied()));
        let found = sorted(|found| there.visit_box(&pushed(&self.asked), |item| found.push(item)));
        let right = sorted(|found| here.visit_box(&self.asked, |item| found.push(item)));
        if self.asked.min.amax() < 400 && self.asked.max.amax() < 400 {
            check_holds(&found, &right);
        }
        let far = Frustum {
            base: self.frustum.base.map(|part| part.wrapping_add(i32::MAX)),
            planes: self.frustum.planes,
        };
        let found = sorted(|found| there.visit_frustum(&far, |item| found.push(item)));
        let inside = (0..)
            .zip(&boxes)
            .filter(|(_, bounds)| holds_some_of(&self.frustum, bounds));
        check_holds(&found, &inside.map(|(item, _)| item).collect::<Vec<_>>());
        let centre = self.start.cast::<f32>();
        let ball = |tree: &KdTree, base: Cell| {
            sorted(|found| {
                tree.visit_sphere(base, centre, self.radius.min(150.0), |item| {
                    found.push(item)
                })
            })
        };
        check_holds(
            &ball(&there, Cell::repeat(i32::MAX)),
            &ball(&here, Cell::zeros()),
        );
        let mut buffer = RayBuffer::default();
        let direction = self.direction.cast::<f64>();
        let mut ray = |tree: &KdTree, base: Cell| {
            sorted(|found| {
                tree.visit_ray(
                    base,
                    self.start,
                    direction,
                    400.0,
                    &mut buffer,
                    |item, _| {
                        found.push(item);
                        400.0
                    },
                );
            })
        };
        let found = ray(&there, Cell::repeat(i32::MAX));
        check_holds(&found, &ray(&here, Cell::zeros()));
    }
}

/// Checks that sorted items are listed once, and include some others.
fn check_holds(found: &[u32], right: &[u32]) {
    assert!(found.windows(2).all(|pair| pair[0] < pair[1]), "{found:?}");
    assert!(
        right.iter().all(|item| found.contains(item)),
        "{found:?} lacks some of {right:?}"
    );
}

fn grow(bytes: &mut Bytes<'_>) -> (KdTree, List) {
    let mut list = List::new();
    let mut start = Vec::new();
    for item in 0..bytes.below(ITEMS) as u32 {
        let bounds = cell_box(bytes);
        start.push((item, bounds));
        list.insert(item, bounds);
    }
    let mut tree = KdTree::build(start);
    while !bytes.is_empty() {
        let item = bytes.below(ITEMS) as u32;
        if bytes.once_in(4) {
            assert_eq!(tree.remove(item), list.remove(&item).is_some());
        } else {
            let bounds = cell_box(bytes);
            tree.insert(item, bounds);
            list.insert(item, bounds);
        }
    }
    assert_eq!(tree.len(), list.len());
    (tree, list)
}

/// Reads a box: often of a chunk, sometimes far out.
fn cell_box(bytes: &mut Bytes<'_>) -> CellBox {
    let kind = bytes.below(8);
    let min = match kind {
        0..3 => Cell::from_fn(|_, _| i32::from(bytes.byte() % 13) - 6) * 32,
        3 => Cell::repeat(7),
        4 => Cell::from_fn(|_, _| (bytes.word() % 6_000_000) as i32 - 3_000_000),
        _ => Cell::from_fn(|_, _| i32::from(bytes.short() % 400) - 200),
    };
    let size = match kind {
        0..3 => Cell::repeat(31),
        _ => Cell::from_fn(|_, _| i32::from(bytes.byte() % 100)),
    };
    CellBox::new(min, min + size)
}

fn direction(bytes: &mut Bytes<'_>) -> Vector3<f32> {
    let way = Vector3::from_fn(|_, _| match bytes.below(4) {
        0 => 0.0,
        1 => 1.0,
        _ => bytes.between(-1.0, 1.0),
    });
    way.try_normalize(0.01).unwrap_or(Vector3::x())
}

fn frustum(bytes: &mut Bytes<'_>) -> Frustum {
    Frustum {
        base: Cell::from_fn(|_, _| i32::from(bytes.byte() % 200) - 100),
        planes: [(); 6].map(|()| Plane {
            normal: direction(bytes),
            distance: bytes.between(-150.0, 50.0),
        }),
    }
}

fn sorted(visit: impl FnOnce(&mut Vec<u32>)) -> Vec<u32> {
    let mut found = Vec::new();
    visit(&mut found);
    found.sort_unstable();
    found
}

fn matching(list: &List, pass: impl Fn(&CellBox) -> bool) -> Vec<u32> {
    let found = list.iter().filter(|(_, bounds)| pass(bounds));
    found.map(|(item, _)| *item).collect()
}

fn distance_squared(bounds: &CellBox, centre: Vector3<f64>) -> f64 {
    let gap = centre.zip_zip_map(&bounds.min, &bounds.max, |c, low, high| {
        (f64::from(low) - c).max(c - f64::from(high) - 1.0).max(0.0)
    });
    gap.norm_squared()
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
