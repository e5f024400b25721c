//! A tree of boxes over numbered items, edited in place.
//!
//! Built balanced; an insertion goes where the boxes grow least, a removal lifts the sibling. When edits have made it much deeper than a
//! balanced tree it is built again, so that a query never needs more stack than [`DEEPEST`].

use nalgebra::Vector3;

/// Depth at which the tree is built again. The stack of a query holds one node for each level.
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
    fn join(&self, other: &Self) -> Self {
        Self {
            min: self.min.inf(&other.min),
            max: self.max.sup(&other.max),
        }
    }

    fn meets(&self, other: &Self) -> bool {
        (0..3).all(|axis| self.min[axis] <= other.max[axis] && other.min[axis] <= self.max[axis])
    }

    fn half_surface(&self) -> f32 {
        let side = self.max - self.min;
        side.x * side.y + side.y * side.z + side.z * side.x
    }

    fn middle(&self, axis: usize) -> f32 {
        0.5 * (self.min[axis] + self.max[axis])
    }
}

#[derive(Clone, Copy, Debug)]
struct Node {
    bounds: Bounds,
    parent: u32,
    /// Both [`NONE`] in a leaf.
    children: [u32; 2],
    item: u32,
    height: u32,
}

impl Node {
    fn leaf(item: u32, bounds: Bounds) -> Self {
        Self {
            bounds,
            parent: NONE,
            children: [NONE; 2],
            item,
            height: 0,
        }
    }

    fn is_leaf(&self) -> bool {
        self.children[0] == NONE
    }
}

/// The tree.
#[derive(Clone, Debug)]
pub(super) struct BoxTree {
    nodes: Vec<Node>,
    free: Vec<u32>,
    root: u32,
}

impl Default for BoxTree {
    fn default() -> Self {
        Self {
            nodes: Vec::new(),
            free: Vec::new(),
            root: NONE,
        }
    }
}

impl BoxTree {
    /// Inserts an item and returns the leaf that stands for it until it is removed.
    pub(super) fn insert(&mut self, item: u32, bounds: Bounds) -> u32 {
        let leaf = self.allocate(Node::leaf(item, bounds));
        if self.root == NONE {
            self.root = leaf;
            return leaf;
        }
        let sibling = self.best_sibling(&bounds);
        let parent = self.nodes[sibling as usize].parent;
        let joint = self.allocate(Node {
            children: [sibling, leaf],
            parent,
            ..Node::leaf(NONE, bounds)
        });
        self.nodes[sibling as usize].parent = joint;
        self.nodes[leaf as usize].parent = joint;
        self.replace_child(parent, sibling, joint);
        self.refit_from(joint);
        if self.nodes[self.root as usize].height as usize >= DEEPEST {
            self.rebuild();
        }
        leaf
    }

    /// Notes an item that is to be part of the tree when it is [built](Self::build_all), and returns its leaf. For a tree that is empty otherwise.
    pub(super) fn note(&mut self, item: u32, bounds: Bounds) -> u32 {
        self.allocate(Node::leaf(item, bounds))
    }

    /// Builds the tree of all that was noted.
    pub(super) fn build_all(&mut self) {
        let mut leaves: Vec<u32> = (0..self.nodes.len() as u32).collect();
        self.root = self.build(&mut leaves);
        if self.root != NONE {
            self.nodes[self.root as usize].parent = NONE;
        }
    }

    /// Removes a leaf that [`Self::insert`] returned.
    pub(super) fn remove(&mut self, leaf: u32) {
        let parent = self.nodes[leaf as usize].parent;
        self.free.push(leaf);
        if parent == NONE {
            self.root = NONE;
            return;
        }
        let Node {
            children,
            parent: above,
            ..
        } = self.nodes[parent as usize];
        let sibling = children[usize::from(children[0] == leaf)];
        self.nodes[sibling as usize].parent = above;
        self.replace_child(above, parent, sibling);
        self.free.push(parent);
        if above != NONE {
            self.refit_from(above);
        }
    }

    /// Gives every leaf new bounds, keeping the shape of the tree.
    pub(super) fn refit_all(&mut self, bounds_of: impl Fn(u32) -> Bounds) {
        let Some(order) = self.top_down() else { return };
        for &index in order.iter().rev() {
            let node = self.nodes[index as usize];
            let bounds = if node.is_leaf() {
                bounds_of(node.item)
            } else {
                let [a, b] = node.children.map(|child| self.nodes[child as usize].bounds);
                a.join(&b)
            };
            self.nodes[index as usize].bounds = bounds;
        }
    }

    /// Calls `visit` with every item whose box meets `bounds`.
    pub(super) fn query(&self, bounds: &Bounds, mut visit: impl FnMut(u32)) {
        let mut stack = [NONE; DEEPEST + 1];
        let mut height = usize::from(self.root != NONE);
        stack[0] = self.root;
        while height > 0 {
            height -= 1;
            let node = &self.nodes[stack[height] as usize];
            if !node.bounds.meets(bounds) {
                continue;
            }
            if node.is_leaf() {
                visit(node.item);
            } else {
                stack[height..height + 2].copy_from_slice(&node.children);
                height += 2;
            }
        }
    }

    fn allocate(&mut self, node: Node) -> u32 {
        if let Some(index) = self.free.pop() {
            self.nodes[index as usize] = node;
            return index;
        }
        self.nodes.push(node);
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

    fn refit_from(&mut self, mut index: u32) {
        while index != NONE {
            let [a, b] = self.nodes[index as usize]
                .children
                .map(|child| self.nodes[child as usize]);
            let node = &mut self.nodes[index as usize];
            node.bounds = a.bounds.join(&b.bounds);
            node.height = 1 + a.height.max(b.height);
            index = node.parent;
        }
    }

    fn best_sibling(&self, bounds: &Bounds) -> u32 {
        let mut index = self.root;
        loop {
            let node = &self.nodes[index as usize];
            if node.is_leaf() {
                return index;
            }
            let growth = |child: u32| {
                let before = &self.nodes[child as usize].bounds;
                before.join(bounds).half_surface() - before.half_surface()
            };
            let [a, b] = node.children;
            index = if growth(b) < growth(a) { b } else { a };
        }
    }

    /// All nodes in use, parents before children; `None` for an empty tree.
    fn top_down(&self) -> Option<Vec<u32>> {
        let mut order = vec![(self.root != NONE).then_some(self.root)?];
        let mut next = 0;
        while let Some(&index) = order.get(next) {
            let node = &self.nodes[index as usize];
            if !node.is_leaf() {
                order.extend(node.children);
            }
            next += 1;
        }
        Some(order)
    }

    /// Builds the inner nodes again, halving the leaves by the middle of the longest side; leaves keep their numbers.
    pub(super) fn rebuild(&mut self) {
        let Some(order) = self.top_down() else { return };
        let (mut leaves, inner): (Vec<u32>, Vec<u32>) = order
            .into_iter()
            .partition(|&index| self.nodes[index as usize].is_leaf());
        self.free.extend(inner);
        self.root = self.build(&mut leaves);
        self.nodes[self.root as usize].parent = NONE;
    }

    fn build(&mut self, leaves: &mut [u32]) -> u32 {
        if let [leaf] = *leaves {
            return leaf;
        }
        let boxes = leaves.iter().map(|&leaf| self.nodes[leaf as usize].bounds);
        let Some(whole) = boxes.reduce(|a, b| a.join(&b)) else {
            return NONE;
        };
        let axis = (whole.max - whole.min).imax();
        let half = leaves.len() / 2;
        let key = |leaf: &u32| self.nodes[*leaf as usize].bounds.middle(axis);
        leaves.select_nth_unstable_by(half, |a, b| key(a).total_cmp(&key(b)).then(a.cmp(b)));
        let (low, high) = leaves.split_at_mut(half);
        let children = [self.build(low), self.build(high)];
        let height = 1 + children
            .map(|child| self.nodes[child as usize].height)
            .into_iter()
            .max()
            .unwrap_or(0);
        let index = self.allocate(Node {
            children,
            height,
            ..Node::leaf(NONE, whole)
        });
        for child in children {
            self.nodes[child as usize].parent = index;
        }
        index
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Random;

    fn random_box(random: &mut Random) -> Bounds {
        let min = Vector3::from_fn(|_, _| random.between(-50.0, 50.0) as f32);
        let max = min + Vector3::from_fn(|_, _| random.between(0.0, 5.0) as f32);
        Bounds { min, max }
    }

    #[test]
    fn query_finds_what_a_scan_finds_after_any_edits() {
        let mut random = Random::new(1);
        let mut tree = BoxTree::default();
        let mut items: Vec<Option<(u32, Bounds)>> = Vec::new();
        for step in 0..3000_u32 {
            let bounds = random_box(&mut random);
            items.push(Some((tree.insert(step, bounds), bounds)));
            let victim = random.below(2 * items.len());
            if let Some((leaf, _)) = items.get_mut(victim).and_then(Option::take) {
                tree.remove(leaf);
            }
            let wanted = random_box(&mut random);
            let mut found = Vec::new();
            tree.query(&wanted, |item| found.push(item));
            found.sort_unstable();
            let live = items
                .iter()
                .enumerate()
                .filter_map(|(item, entry)| Some((item, (*entry)?.1)));
            let scan: Vec<u32> = live
                .filter(|(_, bounds)| bounds.meets(&wanted))
                .map(|(item, _)| item as u32)
                .collect();
            assert_eq!(found, scan, "step {step}");
        }
    }

    #[test]
    fn insert_in_sorted_order_stays_within_the_stack() {
        let mut tree = BoxTree::default();
        for step in 0..20_000_u32 {
            let min = Vector3::repeat(step as f32);
            tree.insert(step, Bounds { min, max: min });
        }
        let mut count = 0;
        tree.query(
            &Bounds {
                min: Vector3::repeat(-1.0),
                max: Vector3::repeat(1e9),
            },
            |_| count += 1,
        );
        assert_eq!(count, 20_000);
    }
}
