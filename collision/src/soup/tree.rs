//! A tree of boxes over numbered items, edited in place.
//!
//! The tree is built by surface area and number. An insertion takes the place that adds least
//! surface; a removal lifts the sibling. On the way back up, nodes exchange children where that
//! shrinks them, so that near items end up together in any order of insertion. If edits make the
//! tree much deeper than a balanced one, it is rebuilt, so a query needs a stack of at most
//! [`DEEPEST`].

use nalgebra::Vector3;

/// Depth at which the tree is rebuilt. The stack of a query holds one node for each level.
const DEEPEST: usize = 64;
/// No node.
const NONE: u32 = u32::MAX;

/// An axis-aligned box in metres from the tree's own frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Bounds {
    pub(super) min: Vector3<f32>,
    pub(super) max: Vector3<f32>,
}

impl Bounds {
    /// The empty box: joined with any box, the result is that box.
    pub(super) const NOTHING: Self = Self {
        min: Vector3::new(f32::INFINITY, f32::INFINITY, f32::INFINITY),
        max: Vector3::new(-f32::INFINITY, -f32::INFINITY, -f32::INFINITY),
    };

    pub(super) fn join(&self, other: &Self) -> Self {
        Self {
            min: self.min.inf(&other.min),
            max: self.max.sup(&other.max),
        }
    }

    fn meets(&self, other: &Self) -> bool {
        let along =
            |axis: usize| (self.min[axis] <= other.max[axis]) & (other.min[axis] <= self.max[axis]);
        along(0) & along(1) & along(2)
    }

    fn half_surface(&self) -> f32 {
        let side = self.max - self.min;
        side.x * side.y + side.y * side.z + side.z * side.x
    }

    fn middle(&self, axis: usize) -> f32 {
        0.5 * (self.min[axis] + self.max[axis])
    }
}

/// The part of a node that queries read: half a cache line.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
struct Node {
    bounds: Bounds,
    /// The children; for a leaf [`NONE`] and its item.
    children: [u32; 2],
}

impl Node {
    fn leaf(item: u32, bounds: Bounds) -> Self {
        Self {
            bounds,
            children: [NONE, item],
        }
    }

    fn is_leaf(&self) -> bool {
        self.children[0] == NONE
    }

    /// Returns the item of a leaf.
    fn item(&self) -> u32 {
        self.children[1]
    }
}

/// The part of a node that only edits read.
#[derive(Clone, Copy, Debug)]
struct Link {
    parent: u32,
    height: u32,
}

impl Link {
    const ROOT: Self = Self {
        parent: NONE,
        height: 0,
    };
}

/// The tree.
#[derive(Clone, Debug)]
pub(super) struct BoxTree {
    nodes: Vec<Node>,
    /// One for each node.
    links: Vec<Link>,
    free: Vec<u32>,
    /// Buffer for refitting all leaves, kept to avoid allocation.
    order: Vec<u32>,
    root: u32,
}

impl Default for BoxTree {
    fn default() -> Self {
        Self {
            nodes: Vec::new(),
            links: Vec::new(),
            free: Vec::new(),
            order: Vec::new(),
            root: NONE,
        }
    }
}

impl BoxTree {
    /// Returns the box around all items.
    pub(super) fn bounds(&self) -> Bounds {
        let root = self.nodes.get(self.root as usize);
        root.map_or(Bounds::NOTHING, |root| root.bounds)
    }

    /// Inserts an item and returns its leaf, valid until the removal.
    pub(super) fn insert(&mut self, item: u32, bounds: Bounds) -> u32 {
        let leaf = self.allocate(Node::leaf(item, bounds));
        if self.root == NONE {
            self.root = leaf;
            return leaf;
        }
        let sibling = self.best_sibling(&bounds);
        let parent = self.links[sibling as usize].parent;
        let children = [sibling, leaf];
        let joint = self.allocate(Node { bounds, children });
        self.links[joint as usize].parent = parent;
        self.links[sibling as usize].parent = joint;
        self.links[leaf as usize].parent = joint;
        self.replace_child(parent, sibling, joint);
        self.refit_from(joint);
        self.keep_shallow();
        leaf
    }

    /// Notes an item for [`Self::build_all`], and returns its leaf until then. Only for a tree that
    /// is empty otherwise.
    pub(super) fn note(&mut self, item: u32, bounds: Bounds) -> u32 {
        self.allocate(Node::leaf(item, bounds))
    }

    /// Builds the tree of all noted items; their [leaves](Self::leaves) change.
    pub(super) fn build_all(&mut self) {
        let mut leaves: Vec<u32> = (0..self.nodes.len() as u32).collect();
        if !leaves.is_empty() {
            self.root = self.build(&mut leaves);
            self.links[self.root as usize].parent = NONE;
            self.lay_out();
        }
    }

    /// Numbers all nodes anew, so that siblings lie beside each other and their subtrees nearby.
    fn lay_out(&mut self) {
        let root = self.root as usize;
        let count = self.nodes.len();
        let (mut nodes, mut links) = (Vec::with_capacity(count), Vec::with_capacity(count));
        nodes.push(self.nodes[root]);
        links.push(self.links[root]);
        let mut waiting = vec![0_u32];
        while let Some(index) = waiting.pop() {
            let node = nodes[index as usize];
            if node.is_leaf() {
                continue;
            }
            let first = nodes.len() as u32;
            for child in node.children {
                nodes.push(self.nodes[child as usize]);
                links.push(Link {
                    parent: index,
                    ..self.links[child as usize]
                });
            }
            nodes[index as usize].children = [first, first + 1];
            waiting.extend([first + 1, first]);
        }
        self.links = links;
        self.nodes = nodes;
        self.free.clear();
        self.root = 0;
    }

    /// Returns all items with their leaves.
    pub(super) fn leaves(&self) -> impl Iterator<Item = (u32, u32)> {
        let leaves = self.nodes.iter().zip(0..);
        leaves.filter_map(|(node, index)| node.is_leaf().then_some((node.item(), index)))
    }

    /// Removes the leaf of an item.
    pub(super) fn remove(&mut self, leaf: u32) {
        let parent = self.links[leaf as usize].parent;
        self.free.push(leaf);
        if parent == NONE {
            self.root = NONE;
            return;
        }
        let children = self.nodes[parent as usize].children;
        let above = self.links[parent as usize].parent;
        let sibling = children[usize::from(children[0] == leaf)];
        self.links[sibling as usize].parent = above;
        self.replace_child(above, parent, sibling);
        self.free.push(parent);
        if above != NONE {
            self.refit_from(above);
            self.keep_shallow();
        }
    }

    /// Gives every leaf new bounds; the shape of the tree stays.
    pub(super) fn refit_all(&mut self, bounds_of: impl Fn(u32) -> Bounds) {
        let mut order = std::mem::take(&mut self.order);
        self.top_down(&mut order);
        for &index in order.iter().rev() {
            let node = self.nodes[index as usize];
            let bounds = if node.is_leaf() {
                bounds_of(node.item())
            } else {
                let [a, b] = node.children.map(|child| self.nodes[child as usize].bounds);
                a.join(&b)
            };
            self.nodes[index as usize].bounds = bounds;
        }
        self.order = order;
    }

    /// Calls `visit` with every item whose box meets `bounds`. It tests both children of a node
    /// before entering either, so that distant memory is read in pairs.
    pub(super) fn query(&self, bounds: &Bounds, mut visit: impl FnMut(u32)) {
        let mut stack = [NONE; DEEPEST + 1];
        let mut height = 0;
        let mut look = |index: u32, stack: &mut [u32], height: &mut usize| {
            let node = &self.nodes[index as usize];
            if !node.bounds.meets(bounds) {
                // The node is outside.
            } else if node.is_leaf() {
                visit(node.item());
            } else {
                stack[*height] = index;
                *height += 1;
            }
        };
        if self.root != NONE {
            look(self.root, &mut stack, &mut height);
        }
        while height > 0 {
            height -= 1;
            for child in self.nodes[stack[height] as usize].children {
                look(child, &mut stack, &mut height);
            }
        }
    }

    fn allocate(&mut self, node: Node) -> u32 {
        if let Some(index) = self.free.pop() {
            self.nodes[index as usize] = node;
            self.links[index as usize] = Link::ROOT;
            return index;
        }
        self.nodes.push(node);
        self.links.push(Link::ROOT);
        self.nodes.len() as u32 - 1
    }

    fn replace_child(&mut self, parent: u32, old: u32, new: u32) {
        if parent == NONE {
            self.root = new;
            return;
        }
        let children = &mut self.nodes[parent as usize].children;
        children[usize::from(children[1] == old)] = new;
    }

    /// Updates the bounds and heights of a node and of all above it, and exchanges children where
    /// that helps.
    fn refit_from(&mut self, mut index: u32) {
        while index != NONE {
            self.rotate(index);
            self.refit(index);
            index = self.links[index as usize].parent;
        }
    }

    /// Computes the bounds and the height of an inner node from its children.
    fn refit(&mut self, index: u32) {
        let children = self.nodes[index as usize].children;
        let [a, b] = children.map(|child| self.nodes[child as usize].bounds);
        self.nodes[index as usize].bounds = a.join(&b);
        self.links[index as usize].height = self.height_above(children);
    }

    /// Returns the height of a node with these children.
    fn height_above(&self, children: [u32; 2]) -> u32 {
        let [a, b] = children.map(|child| self.links[child as usize].height);
        1 + a.max(b)
    }

    /// Exchanges a child of a node for a grandchild on the other side, if that shrinks the other
    /// child; of all exchanges, makes the one that shrinks most. Near items thus end up together in
    /// any order of insertion.
    fn rotate(&mut self, index: u32) {
        let children = self.nodes[index as usize].children;
        let size = |node: u32| self.nodes[node as usize].bounds.half_surface();
        let with = |a: u32, b: u32| {
            let [a, b] = [a, b].map(|node| &self.nodes[node as usize].bounds);
            a.join(b).half_surface()
        };
        let mut best = (0.0, None);
        for [near, other] in [children, [children[1], children[0]]] {
            let node = &self.nodes[other as usize];
            if node.is_leaf() {
                continue;
            }
            let [a, b] = node.children;
            for (goes, stays) in [(a, b), (b, a)] {
                let gain = size(other) - with(near, stays);
                if gain > best.0 {
                    best = (gain, Some((near, other, goes)));
                }
            }
        }
        let (_, Some((near, other, goes))) = best else {
            return;
        };
        self.replace_child(index, near, goes);
        self.replace_child(other, goes, near);
        self.links[goes as usize].parent = index;
        self.links[near as usize].parent = other;
        self.refit(other);
    }

    /// Returns the node beside which a leaf with these bounds adds least surface to the tree, or
    /// nearly: descends to the better side while that can beat the best so far.
    fn best_sibling(&self, bounds: &Bounds) -> u32 {
        let own = bounds.half_surface();
        let size = |index: u32| self.nodes[index as usize].bounds.half_surface();
        let with = |index: u32| {
            self.nodes[index as usize]
                .bounds
                .join(bounds)
                .half_surface()
        };
        let mut index = self.root;
        let (mut best, mut least) = (index, with(index));
        // Growth of all nodes above.
        let mut above = 0.0;
        while !self.nodes[index as usize].is_leaf() {
            above += with(index) - size(index);
            let mut next = (f32::INFINITY, index);
            for child in self.nodes[index as usize].children {
                let cost = above + with(child);
                if cost < least {
                    (best, least) = (child, cost);
                }
                let bound = cost + (own - size(child)).min(0.0);
                if !self.nodes[child as usize].is_leaf() && bound < next.0 {
                    next = (bound, child);
                }
            }
            if next.0 >= least {
                break;
            }
            index = next.1;
        }
        best
    }

    /// Lists all nodes in use, parents before children.
    fn top_down(&self, order: &mut Vec<u32>) {
        order.clear();
        order.extend((self.root != NONE).then_some(self.root));
        let mut next = 0;
        while let Some(&index) = order.get(next) {
            let node = &self.nodes[index as usize];
            if !node.is_leaf() {
                order.extend(node.children);
            }
            next += 1;
        }
    }

    /// Rebuilds the tree if edits made it too deep; exchanges, also those after a removal, may
    /// raise it.
    fn keep_shallow(&mut self) {
        if self.links[self.root as usize].height as usize >= DEEPEST {
            self.rebuild();
        }
    }

    /// Rebuilds the inner nodes; leaves keep their numbers.
    fn rebuild(&mut self) {
        let mut order = Vec::new();
        self.top_down(&mut order);
        let (mut leaves, inner): (Vec<u32>, Vec<u32>) = order
            .into_iter()
            .partition(|&index| self.nodes[index as usize].is_leaf());
        self.free.extend(inner);
        self.root = self.build(&mut leaves);
        self.links[self.root as usize].parent = NONE;
    }

    /// Builds the nodes above some leaves.
    fn build(&mut self, leaves: &mut [u32]) -> u32 {
        self.build_within(leaves, DEEPEST / 2)
    }

    /// Builds the nodes above some leaves: at most `levels` levels cut by cost, and those of a
    /// balanced tree below them.
    fn build_within(&mut self, leaves: &mut [u32], levels: usize) -> u32 {
        if let [leaf] = *leaves {
            return leaf;
        }
        // Parents precede their children: a query reads memory forward.
        let index = self.allocate(Node::leaf(NONE, Bounds::NOTHING));
        let boxes = leaves.iter().map(|&leaf| self.nodes[leaf as usize].bounds);
        let bounds = boxes.fold(Bounds::NOTHING, |a, b| a.join(&b));
        let cut = if levels > 0 {
            self.best_cut(leaves)
        } else {
            None
        };
        let half = match cut {
            Some(cut) => self.parted(leaves, &cut),
            None => self.halved(leaves, &bounds),
        };
        let (low, high) = leaves.split_at_mut(half);
        let below = levels.saturating_sub(1);
        let children = [
            self.build_within(low, below),
            self.build_within(high, below),
        ];
        self.nodes[index as usize] = Node { bounds, children };
        self.links[index as usize].height = self.height_above(children);
        for child in children {
            self.links[child as usize].parent = index;
        }
        index
    }

    /// Sorts leaves into two halves along the longest side; returns the start of the second.
    fn halved(&self, leaves: &mut [u32], whole: &Bounds) -> usize {
        let axis = (whole.max - whole.min).imax();
        let half = leaves.len() / 2;
        let key = |leaf: &u32| self.nodes[*leaf as usize].bounds.middle(axis);
        leaves.select_nth_unstable_by(half, |a, b| key(a).total_cmp(&key(b)).then(a.cmp(b)));
        half
    }

    /// Sorts leaves into those before and those behind a cut; returns the start of the second part.
    fn parted(&self, leaves: &mut [u32], cut: &Cut) -> usize {
        let is_before = |leaf: u32| cut.slot(&self.nodes[leaf as usize].bounds) < cut.first_behind;
        leaves.sort_by_key(|&leaf| !is_before(leaf));
        leaves.partition_point(|&leaf| is_before(leaf))
    }

    /// Returns the cut between leaves with the least query cost, by surface and number of both
    /// sides. `None` if all leaves are in one place.
    fn best_cut(&self, leaves: &[u32]) -> Option<Cut> {
        let bounds = |leaf: &u32| self.nodes[*leaf as usize].bounds;
        let middles = leaves.iter().map(|leaf| {
            let middle = Vector3::from_fn(|axis, _| bounds(leaf).middle(axis));
            Bounds {
                min: middle,
                max: middle,
            }
        });
        let middles = middles.fold(Bounds::NOTHING, |a, b| a.join(&b));
        let mut best: Option<(f32, Cut)> = None;
        for axis in 0..3 {
            let (from, length) = (middles.min[axis], middles.max[axis] - middles.min[axis]);
            if length <= 0.0 {
                continue;
            }
            let scale = SLOTS as f32 / length;
            let mut cut = Cut {
                axis,
                from,
                scale,
                first_behind: 0,
            };
            let mut slots = [(Bounds::NOTHING, 0_u32); SLOTS];
            for leaf in leaves {
                let slot = &mut slots[cut.slot(&bounds(leaf))];
                *slot = (slot.0.join(&bounds(leaf)), slot.1 + 1);
            }
            for first_behind in 1..SLOTS {
                let (before, behind) = slots.split_at(first_behind);
                let cost = cost_of(before) + cost_of(behind);
                if best.as_ref().is_none_or(|(least, _)| cost < *least) {
                    cut.first_behind = first_behind;
                    best = Some((cost, cut));
                }
            }
        }
        best.map(|(_, cut)| cut)
    }
}

/// The number of places along an axis at which a node may be cut, plus one.
const SLOTS: usize = 12;

/// A cut between the leaves below a node.
#[derive(Clone, Copy)]
struct Cut {
    axis: usize,
    /// The lowest middle of a leaf.
    from: f32,
    /// Slots a metre.
    scale: f32,
    first_behind: usize,
}

impl Cut {
    fn slot(&self, bounds: &Bounds) -> usize {
        let along = (bounds.middle(self.axis) - self.from) * self.scale;
        (along as usize).min(SLOTS - 1)
    }
}

/// Returns the query cost of the leaves in some slots: their number times the surface of the box
/// around them.
fn cost_of(slots: &[(Bounds, u32)]) -> f32 {
    let both = |a: (Bounds, u32), b: &(Bounds, u32)| (a.0.join(&b.0), a.1 + b.1);
    let (bounds, count) = slots.iter().fold((Bounds::NOTHING, 0), both);
    if count == 0 {
        0.0
    } else {
        bounds.half_surface() * count as f32
    }
}

#[cfg(test)]
mod tests;
