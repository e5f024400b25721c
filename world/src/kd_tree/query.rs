//! Queries of the tree: they change nothing and allocate nothing.

use super::bounds::{ALL_PLANES, FarFrustum, LocalRay};
use super::images::{FARTHEST_VIEW, IMAGES, images};
use super::{CellBox, DEPTH, Frustum, KdTree, Kinds, Leaf, Link, Node};
use collision::Cell;
use nalgebra::Vector3;

/// Reusable memory of ray queries.
#[derive(Clone, Debug, Default)]
pub struct RayBuffer {
    open: Vec<Open>,
}

/// A subtree or an item, and the distance at which the ray enters its box.
#[derive(Clone, Copy, Debug)]
struct Open {
    distance: f64,
    what: Opened,
}

#[derive(Clone, Copy, Debug)]
enum Opened {
    Item(u32),
    Below(Link),
}

impl Open {
    /// Orders by distance, then subtrees before items, then items by number, so that the order does
    /// not depend on the shape of the tree.
    fn key(&self) -> (u64, u64) {
        let what = match self.what {
            Opened::Below(_) => 0,
            Opened::Item(item) => 1 + u64::from(item),
        };
        (self.distance.to_bits(), what)
    }
}

/// The result of following a ray.
struct Visited {
    /// Distance up to which boxes are still wanted.
    reach: f64,
    /// Key of the last visited item.
    last: (u64, u64),
}

/// A key before those of all items.
const NOTHING_VISITED: (u64, u64) = (0, 0);

impl KdTree {
    /// Visits the leaves below the sides of nodes that pass.
    #[inline]
    fn descend(&self, pass: impl Fn(&Node, usize) -> bool, mut visit: impl FnMut(&Leaf)) {
        let mut stack = [self.root; DEPTH];
        let mut top = 1;
        while top > 0 {
            top -= 1;
            let mut link = stack[top];
            while !link.is_leaf() {
                let node = &self.nodes[link.index()];
                match [pass(node, 0), pass(node, 1)] {
                    [true, true] => {
                        stack[top] = node.links[1];
                        top += 1;
                        link = node.links[0];
                    }
                    [true, false] => link = node.links[0],
                    [false, true] => link = node.links[1],
                    [false, false] => break,
                }
            }
            if link.is_leaf() {
                visit(&self.leaves[link.index()]);
            }
        }
    }

    /// Visits the items whose boxes intersect a box.
    #[inline]
    pub fn visit_box(&self, bounds: &CellBox, mut visit: impl FnMut(u32)) {
        self.descend(
            |node, side| node.bounds[side].meets(bounds),
            |leaf| {
                for index in 0..leaf.len as usize {
                    if leaf.boxes[index].meets(bounds) {
                        visit(leaf.items[index]);
                    }
                }
            },
        );
    }

    /// Visits the items with odd numbers whose boxes intersect a box; cheaper than visiting all if
    /// there are few.
    #[inline]
    pub fn visit_odd_in_box(&self, bounds: &CellBox, mut visit: impl FnMut(u32)) {
        let odd = Kinds::of(1);
        self.descend(
            |node, side| node.kinds[side].meet(odd) && node.bounds[side].meets(bounds),
            |leaf| {
                for index in 0..leaf.len as usize {
                    let item = leaf.items[index];
                    if Kinds::of(item).meet(odd) && leaf.boxes[index].meets(bounds) {
                        visit(item);
                    }
                }
            },
        );
    }

    /// Visits the items whose boxes are within a distance (in metres) of a point, which is given in
    /// metres from the corner of `base`.
    pub fn visit_sphere(
        &self,
        base: Cell,
        centre: Vector3<f32>,
        radius: f32,
        mut visit: impl FnMut(u32),
    ) {
        let reach = f64::from(centre.amax()) + f64::from(radius);
        let near = |held: &CellBox| {
            images(base, reach).any(|off| {
                let base = base.map(f64::from) + off;
                held.distance_squared(base, centre) <= radius * radius
            })
        };
        self.descend(
            |node, side| near(&node.bounds[side]),
            |leaf| {
                for index in 0..leaf.len as usize {
                    if near(&leaf.boxes[index]) {
                        visit(leaf.items[index]);
                    }
                }
            },
        );
    }

    /// Visits the items whose boxes are not wholly behind one of the planes.
    pub fn visit_frustum(&self, frustum: &Frustum, visit: impl FnMut(u32)) {
        self.visit_frustum_from(frustum, frustum.base, visit);
    }

    /// Visits like [`KdTree::visit_frustum`], at each split the side of the eye first: front to
    /// back, except for boxes across splits.
    pub fn visit_frustum_from(&self, frustum: &Frustum, eye: Cell, mut visit: impl FnMut(u32)) {
        let images = || images(frustum.base, FARTHEST_VIEW);
        let far = |off: Vector3<f64>| FarFrustum {
            base: frustum.base.map(f64::from) + off,
            planes: &frustum.planes,
        };
        let (eye, here) = (eye.map(f64::from), far(Vector3::zeros()));
        self.visit_far_frustum(&here, eye, |item, _| visit(item));
        for (image, off) in images().enumerate().skip(1) {
            self.visit_far_frustum(&far(off), eye + off, |item, bounds| {
                // An item across an end is in several images; visit it once.
                let mut before = images().take(image);
                if !before.any(|off| bounds.meets_planes(&far(off), ALL_PLANES).is_some()) {
                    visit(item);
                }
            });
        }
    }

    fn visit_far_frustum(
        &self,
        frustum: &FarFrustum<'_>,
        eye: Vector3<f64>,
        mut visit: impl FnMut(u32, &CellBox),
    ) {
        // Planes that have a whole subtree in front of them are not tested below it.
        let mut stack = [(self.root, ALL_PLANES); DEPTH];
        let mut top = 1;
        while top > 0 {
            top -= 1;
            let (link, planes) = stack[top];
            if link.is_leaf() {
                let leaf = &self.leaves[link.index()];
                for index in 0..leaf.len as usize {
                    let held = &leaf.boxes[index];
                    if held.meets_planes(frustum, planes).is_some() {
                        visit(leaf.items[index], held);
                    }
                }
                continue;
            }
            let node = &self.nodes[link.index()];
            let split = f64::from(node.split);
            let near = usize::from(node.axis < 3 && eye[node.axis as usize] >= split);
            for side in [1 - near, near] {
                if let Some(planes) = node.bounds[side].meets_planes(frustum, planes) {
                    stack[top] = (node.links[side], planes);
                    top += 1;
                }
            }
        }
    }

    /// Visits items along a ray, nearest first, at equal distance by number; items beyond the ends
    /// of the cell coordinates come last. `visit` gets the item and the distance at which the ray
    /// enters its box, in lengths of `direction`, and returns the distance up to which it wants
    /// more boxes.
    pub fn visit_ray(
        &self,
        base: Cell,
        start: Vector3<f64>,
        direction: Vector3<f64>,
        reach: f64,
        buffer: &mut RayBuffer,
        mut visit: impl FnMut(u32, f64) -> f64,
    ) {
        let mut reach = reach;
        let length = direction.amax() * reach + start.amax();
        let images = || images(base, length);
        let far = |off: Vector3<f64>| LocalRay {
            base,
            start: start + off,
            direction,
        };
        // The last key visited in each image; items up to that key were visited before.
        let mut followed = [NOTHING_VISITED; IMAGES];
        for (image, off) in images().enumerate() {
            let was_visited = |bounds: &CellBox, item: u32| {
                let mut before = images().zip(followed).take(image);
                let what = Opened::Item(item);
                before.any(|(off, last)| {
                    let distance = bounds.cast(&far(off));
                    distance.is_some_and(|distance| Open { distance, what }.key() <= last)
                })
            };
            let skip = |bounds: &CellBox, item: u32| image > 0 && was_visited(bounds, item);
            let visited = self.visit_ray_image(&far(off), reach, buffer, skip, &mut visit);
            (reach, followed[image]) = (visited.reach, visited.last);
        }
    }

    fn visit_ray_image(
        &self,
        ray: &LocalRay,
        mut reach: f64,
        buffer: &mut RayBuffer,
        skip: impl Fn(&CellBox, u32) -> bool,
        visit: &mut impl FnMut(u32, f64) -> f64,
    ) -> Visited {
        let mut last = NOTHING_VISITED;
        let open = &mut buffer.open;
        open.clear();
        push(
            open,
            Open {
                distance: 0.0,
                what: Opened::Below(self.root),
            },
        );
        while let Some(next) = pop(open) {
            if next.distance > reach {
                break;
            }
            let mut offer = |bounds: &CellBox, what: Opened| {
                if let Some(distance) = bounds.cast(ray).filter(|&distance| distance <= reach) {
                    push(open, Open { distance, what });
                }
            };
            match next.what {
                Opened::Item(item) => {
                    reach = visit(item, next.distance).min(reach);
                    last = next.key();
                }
                Opened::Below(link) if link.is_leaf() => {
                    let leaf = &self.leaves[link.index()];
                    for index in 0..leaf.len as usize {
                        let (bounds, item) = (&leaf.boxes[index], leaf.items[index]);
                        if !skip(bounds, item) {
                            offer(bounds, Opened::Item(item));
                        }
                    }
                }
                Opened::Below(link) => {
                    let node = &self.nodes[link.index()];
                    for side in 0..2 {
                        offer(&node.bounds[side], Opened::Below(node.links[side]));
                    }
                }
            }
        }
        Visited { reach, last }
    }
}

/// Pushes onto a heap with the nearest on top.
fn push(heap: &mut Vec<Open>, open: Open) {
    let mut at = heap.len();
    heap.push(open);
    while at > 0 && heap[at].key() < heap[(at - 1) / 2].key() {
        heap.swap(at, (at - 1) / 2);
        at = (at - 1) / 2;
    }
}

fn pop(heap: &mut Vec<Open>) -> Option<Open> {
    if heap.is_empty() {
        return None;
    }
    let top = heap.swap_remove(0);
    let mut at = 0;
    loop {
        let least = [2 * at + 1, 2 * at + 2]
            .into_iter()
            .filter(|&child| child < heap.len())
            .fold(at, |least, child| {
                if heap[child].key() < heap[least].key() {
                    child
                } else {
                    least
                }
            });
        if least == at {
            return Some(top);
        }
        heap.swap(at, least);
        at = least;
    }
}
