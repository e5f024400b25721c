//! Builds a tree, or a part of one, from all its boxes at once.

use super::{Below, CellBox, Entry, KdTree, LEAF_ITEMS, Link, NOWHERE, Node, Place};

/// Items in a newly built leaf; the rest is room for insertions.
const BUILT_ITEMS: usize = 6;

impl KdTree {
    /// Builds a tree of these items. An item that occurs twice keeps its last box.
    pub fn build(items: impl IntoIterator<Item = (u32, CellBox)>) -> Self {
        let mut tree = Self::new();
        for (item, bounds) in items {
            if tree.homes.len() <= item as usize {
                tree.homes.resize(item as usize + 1, NOWHERE);
            }
            let entry = Entry { item, bounds };
            let home = &mut tree.homes[item as usize];
            if *home == NOWHERE {
                *home = tree.scratch.len() as u32;
                tree.scratch.push(entry);
            } else {
                tree.scratch[*home as usize] = entry;
            }
        }
        tree.len = tree.scratch.len();
        tree.free_leaves.push(tree.root.index() as u32);
        let mut entries = std::mem::take(&mut tree.scratch);
        let (root, _) = tree.build_part(&mut entries);
        tree.hang(Place::ROOT, root);
        entries.clear();
        tree.scratch = entries;
        tree
    }

    /// Rebuilds a subtree.
    pub(super) fn rebuild(&mut self, node: usize) {
        let place = self.cares[node].place;
        let mut entries = std::mem::take(&mut self.scratch);
        self.dissolve(Link::node(node as u32), &mut entries);
        let (link, _) = self.build_part(&mut entries);
        self.hang(place, link);
        entries.clear();
        self.scratch = entries;
    }

    /// Frees a subtree and appends its items.
    fn dissolve(&mut self, link: Link, entries: &mut Vec<Entry>) {
        if link.is_leaf() {
            let leaf = &self.leaves[link.index()];
            for index in 0..leaf.len as usize {
                entries.push(Entry {
                    item: leaf.items[index],
                    bounds: leaf.boxes[index],
                });
            }
            self.free_leaves.push(link.index() as u32);
        } else {
            for below in self.nodes[link.index()].links {
                self.dissolve(below, entries);
            }
            self.free_nodes.push(link.index() as u32);
        }
    }

    /// Builds a subtree that is not linked to a parent yet.
    pub(super) fn build_part(&mut self, entries: &mut [Entry]) -> (Link, Below) {
        if entries.len() <= BUILT_ITEMS {
            let index = self.new_leaf();
            let leaf = &mut self.leaves[index as usize];
            for &entry in entries.iter() {
                leaf.push(entry);
                self.homes[entry.item as usize] = index;
            }
            return (Link::leaf(index), leaf.below());
        }
        let cut = cut(entries);
        let (low, high) = entries.split_at_mut(cut.low);
        let (low_link, low_below) = self.build_part(low);
        let (high_link, high_below) = self.build_part(high);
        let node = Node {
            bounds: [low_below.bounds, high_below.bounds],
            links: [low_link, high_link],
            axis: cut.axis,
            kinds: [low_below.kinds, high_below.kinds],
            split: cut.split,
        };
        let index = self.new_node(node);
        self.cares[index as usize].count = (low.len() + high.len()) as u32;
        self.hang(Place::new(index as usize, 0), low_link);
        self.hang(Place::new(index as usize, 1), high_link);
        (Link::node(index), node.below())
    }

    /// Splits a full leaf to take one more item.
    pub(super) fn split_leaf(&mut self, leaf: usize, entry: Entry) {
        let full = self.leaves[leaf];
        let mut entries = [entry; LEAF_ITEMS + 1];
        for (index, place) in entries[..LEAF_ITEMS].iter_mut().enumerate() {
            *place = Entry {
                item: full.items[index],
                bounds: full.boxes[index],
            };
        }
        self.free_leaves.push(leaf as u32);
        let (link, _) = self.build_part(&mut entries);
        self.hang(full.place, link);
    }
}

struct Cut {
    axis: u16,
    split: i32,
    /// Number of entries on the low side; they come first.
    low: usize,
}

/// Partitions the entries at the median of the axis along which their centres spread most.
fn cut(entries: &mut [Entry]) -> Cut {
    let half = entries.len() / 2;
    let spread = |axis: usize| {
        let (low, high) = entries
            .iter()
            .fold((i32::MAX, i32::MIN), |(low, high), entry| {
                let centre = entry.bounds.centre(axis);
                (low.min(centre), high.max(centre))
            });
        i64::from(high) - i64::from(low)
    };
    let spreads = [spread(0), spread(1), spread(2)];
    let axis = (0..3).fold(0, |best, axis| {
        if spreads[axis] > spreads[best] {
            axis
        } else {
            best
        }
    });
    if spreads[axis] == 0 {
        return Cut {
            axis: 3,
            split: 0,
            low: half,
        };
    }
    entries.select_nth_unstable_by_key(half, |entry| (entry.bounds.centre(axis), entry.item));
    let middle = entries[half].bounds.centre(axis);
    let below = entries
        .iter()
        .filter(|entry| entry.bounds.centre(axis) < middle)
        .count();
    let upto = entries
        .iter()
        .filter(|entry| entry.bounds.centre(axis) <= middle)
        .count();
    let (split, low) = if below > 0 && half - below <= upto.abs_diff(half) || upto == entries.len()
    {
        (middle, below)
    } else {
        (middle + 1, upto)
    };
    entries.sort_unstable_by_key(|entry| (entry.bounds.centre(axis) >= split, entry.item));
    Cut {
        axis: axis as u16,
        split,
        low,
    }
}
