//! Boxes in space, found by box, sphere, frustum and ray.
//!
//! Boxes are whole cells and items are numbers; what they stand for is the caller's business.

mod bounds;

pub use bounds::CellBox;

use collision::{Cell, Plane};
use nalgebra::Vector3;

/// Six half spaces; a point is inside when it is in front of all. Metres from the corner of `base`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frustum {
    /// The cell all lengths are measured from.
    pub base: Cell,
    /// The planes, normals inwards.
    pub planes: [Plane; 6],
}

/// A tree of boxes with a number each.
#[derive(Clone, Debug, Default)]
pub struct KdTree {
    items: Vec<(u32, CellBox)>,
}

impl KdTree {
    /// An empty tree.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an item, or moves it if it is there.
    pub fn insert(&mut self, item: u32, bounds: CellBox) {
        match self.items.iter_mut().find(|(held, _)| *held == item) {
            Some(place) => place.1 = bounds,
            None => self.items.push((item, bounds)),
        }
    }

    /// Takes an item out. Whether it was there.
    pub fn remove(&mut self, item: u32) -> bool {
        let before = self.items.len();
        self.items.retain(|(held, _)| *held != item);
        self.items.len() != before
    }

    /// How many items there are.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Visits the items whose boxes meet a box.
    pub fn visit_box(&self, bounds: &CellBox, mut visit: impl FnMut(u32)) {
        for (item, held) in &self.items {
            if held.meets(bounds) {
                visit(*item);
            }
        }
    }

    /// Visits the items whose boxes are not wholly behind one of the planes.
    pub fn visit_frustum(&self, frustum: &Frustum, mut visit: impl FnMut(u32)) {
        for (item, held) in &self.items {
            if held.may_meet(frustum) {
                visit(*item);
            }
        }
    }

    /// Visits items along a ray, nearest first: item and the distance at which the ray enters the box, in lengths of
    /// `direction`. The visitor returns the distance up to which it still wants to see boxes.
    pub fn visit_ray(
        &self,
        base: Cell,
        start: Vector3<f64>,
        direction: Vector3<f64>,
        reach: f64,
        mut visit: impl FnMut(u32, f64) -> f64,
    ) {
        let mut hits: Vec<(f64, u32)> = self
            .items
            .iter()
            .filter_map(|(item, held)| Some((held.cast(base, start, direction)?, *item)))
            .filter(|(distance, _)| *distance <= reach)
            .collect();
        hits.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let mut reach = reach;
        for (distance, item) in hits {
            if distance > reach {
                break;
            }
            reach = visit(item, distance).min(reach);
        }
    }
}
