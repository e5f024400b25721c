//! Asking the tree: nothing is changed and nothing allocated.

use super::bounds::{ALL_PLANES, FarFrustum};
use super::{CellBox, DEPTH, Frustum, KdTree, Kinds, Leaf, Link, Node};
use collision::Cell;
use nalgebra::Vector3;

/// Memory that ray queries use again.
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
    /// Subtrees go before items at the same distance, items by number: the order is the same however the tree grew.
    fn key(&self) -> (u64, u64) {
        let what = match self.what {
            Opened::Below(_) => 0,
            Opened::Item(item) => 1 + u64::from(item),
        };
        (self.distance.to_bits(), what)
    }
}

/// What came of following a ray.
struct Visited {
    /// How far boxes are still wanted.
    reach: f64,
    /// The key of the last item that was visited.
    last: (u64, u64),
}

/// Before the keys of all items.
const NOTHING_VISITED: (u64, u64) = (0, 0);

/// A ray in metres from the corner of `base`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct LocalRay {
    pub(crate) base: Cell,
    pub(crate) start: Vector3<f64>,
    pub(crate) direction: Vector3<f64>,
}

impl KdTree {
    /// Visits leaves below the sides of nodes that pass.
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

    /// Visits the items whose boxes meet a box.
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

    /// Visits the items with odd numbers whose boxes meet a box. Where there are few this costs less than a visit of all.
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

    /// Visits the items whose boxes come within a distance (metres) of a point, given in metres from the corner of `base`.
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

    /// As [`KdTree::visit_frustum`], the subtrees on the eye's side of each split first: front to back, as far as
    /// boxes do not straddle splits.
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
                // What straddles an end is in several images.
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
        // Planes that have all of a subtree in front of them are not asked about what is in it.
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

    /// Visits items along a ray, nearest first, equal distances by number, what lies beyond the ends of the cells last: the item, and the distance at which the ray enters
    /// its box, in lengths of `direction`. The visitor returns the distance up to which it still wants to see boxes.
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
        // How far each image was followed: what comes no later in its order was visited.
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

/// What is further than this from an eye beyond the ends of the cells is not seen, metres.
pub(super) const FARTHEST_VIEW: f64 = (1 << 20) as f64;

/// Once round all cells, metres.
const ROUND: f64 = (1_u64 << 32) as f64;

/// Places to look from at most: there are two ends, near or not, along each axis.
const IMAGES: usize = 8;

/// Whether an end of the cells is within reach along an axis.
#[inline]
fn is_near(part: i32, reach: f64) -> bool {
    f64::from(part).abs() + reach >= ROUND / 2.0
}

/// The ends of the cells meet, and a tree knows nothing of it: whoever looks beyond an end looks in at the other one too. Gives
/// how far off to look, first nowhere else.
#[inline]
pub(super) fn images(base: Cell, reach: f64) -> impl Iterator<Item = Vector3<f64>> {
    let other = base.map(|part| {
        if is_near(part, reach) {
            -ROUND * f64::from(part.signum())
        } else {
            0.0
        }
    });
    let is_beyond = |image: usize, axis: usize| image >> axis & 1 == 1;
    (0..IMAGES)
        .filter(move |&image| (0..3).all(|axis| !is_beyond(image, axis) || other[axis] != 0.0))
        .map(move |image| {
            Vector3::from_fn(|axis, _| {
                if is_beyond(image, axis) {
                    other[axis]
                } else {
                    0.0
                }
            })
        })
}

/// A heap with the nearest on top.
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
