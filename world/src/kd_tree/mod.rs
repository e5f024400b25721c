//! Boxes in space, queried by box, sphere, frustum and ray.
//!
//! A KD-tree over the centres of the boxes. Nodes also store the bounds of their contents, so that
//! boxes across a split are stored once. A subtree is rebuilt when it has become lopsided, which
//! takes many changes. Queries only read; any number may run at once. Boxes are whole cells, items
//! small numbers with a meaning only to the caller. Even and odd numbers are two kinds that can be
//! queried separately: the query skips all subtrees without the kind.

mod bounds;
mod build;
mod change;
mod images;
mod query;

pub use bounds::{CellBox, Frustum};
pub use query::RayBuffer;

/// The index of a node or a leaf.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Link(u32);

impl Link {
    const LEAF: u32 = 1 << 31;

    fn node(index: u32) -> Self {
        Self(index)
    }

    fn leaf(index: u32) -> Self {
        Self(index | Self::LEAF)
    }

    #[inline]
    fn is_leaf(self) -> bool {
        self.0 & Self::LEAF != 0
    }

    #[inline]
    fn index(self) -> usize {
        (self.0 & !Self::LEAF) as usize
    }
}

/// The parent of a link: a node and its side, or the root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place(u32);

impl Place {
    const ROOT: Self = Self(u32::MAX);

    fn new(node: usize, side: usize) -> Self {
        Self((node as u32) << 1 | side as u32)
    }

    fn node(self) -> usize {
        (self.0 >> 1) as usize
    }

    fn side(self) -> usize {
        (self.0 & 1) as usize
    }
}

/// The set of kinds: bit 0 for even numbers, bit 1 for odd ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Kinds(u8);

impl Kinds {
    #[inline]
    fn of(item: u32) -> Self {
        Self(1 << (item & 1))
    }

    #[inline]
    fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    #[inline]
    fn meet(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

/// Bounds and kinds of the items below a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Below {
    bounds: CellBox,
    kinds: Kinds,
}

/// A split: two subtrees and the bounds of each, in one cache line.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
struct Node {
    bounds: [CellBox; 2],
    links: [Link; 2],
    /// Axis of the split; 3 if no axis can separate the boxes.
    axis: u16,
    /// Kinds of items on each side.
    kinds: [Kinds; 2],
    /// Centres from this coordinate on belong to side 1.
    split: i32,
}

/// The data of a node that only changes need.
#[derive(Clone, Copy, Debug)]
struct Care {
    place: Place,
    /// Number of items below.
    count: u32,
    /// Insertions and removals since the node was built.
    changes: u32,
}

/// Largest number of items in a leaf.
const LEAF_ITEMS: usize = 8;
/// The home of an item that is not in the tree.
const NOWHERE: u32 = u32::MAX;
/// Upper limit of a tree's depth: nodes are balanced by weight, and equal centres add only a few
/// lopsided levels.
const DEPTH: usize = 128;

#[derive(Clone, Copy, Debug)]
struct Leaf {
    boxes: [CellBox; LEAF_ITEMS],
    items: [u32; LEAF_ITEMS],
    len: u32,
    place: Place,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    item: u32,
    bounds: CellBox,
}

/// A tree of numbered boxes. Its memory grows with the largest number.
#[derive(Clone, Debug)]
pub struct KdTree {
    root: Link,
    nodes: Vec<Node>,
    cares: Vec<Care>,
    leaves: Vec<Leaf>,
    free_nodes: Vec<u32>,
    free_leaves: Vec<u32>,
    /// The leaf of each item.
    homes: Vec<u32>,
    len: usize,
    scratch: Vec<Entry>,
}

impl Default for KdTree {
    fn default() -> Self {
        Self::new()
    }
}

impl KdTree {
    /// Returns an empty tree.
    pub fn new() -> Self {
        let mut tree = Self {
            root: Link::leaf(0),
            nodes: Vec::new(),
            cares: Vec::new(),
            leaves: Vec::new(),
            free_nodes: Vec::new(),
            free_leaves: Vec::new(),
            homes: Vec::new(),
            len: 0,
            scratch: Vec::new(),
        };
        tree.root = Link::leaf(tree.new_leaf());
        tree
    }

    /// Returns the number of items.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns true if there are no items.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the box of an item.
    pub fn bounds(&self, item: u32) -> Option<CellBox> {
        let home = self
            .homes
            .get(item as usize)
            .copied()
            .filter(|&home| home != NOWHERE)?;
        let leaf = &self.leaves[home as usize];
        leaf.find(item).map(|index| leaf.boxes[index])
    }

    /// Returns the number of levels below the root.
    pub fn depth(&self) -> usize {
        let mut deepest = 0;
        let mut open = vec![(self.root, 0)];
        while let Some((link, depth)) = open.pop() {
            deepest = deepest.max(depth);
            if !link.is_leaf() {
                open.extend(self.nodes[link.index()].links.map(|link| (link, depth + 1)));
            }
        }
        deepest
    }

    /// Calls `visit` with the bounds and the depth of every cell of the tree.
    pub fn visit_cells(&self, mut visit: impl FnMut(&CellBox, usize)) {
        let mut open = vec![(self.root, 0)];
        while let Some((link, depth)) = open.pop() {
            if link.is_leaf() {
                continue;
            }
            let node = &self.nodes[link.index()];
            for (bounds, link) in node.bounds.iter().zip(node.links) {
                visit(bounds, depth + 1);
                open.push((link, depth + 1));
            }
        }
    }

    fn new_leaf(&mut self) -> u32 {
        let leaf = Leaf {
            boxes: [CellBox::NOTHING; LEAF_ITEMS],
            items: [NOWHERE; LEAF_ITEMS],
            len: 0,
            place: Place::ROOT,
        };
        match self.free_leaves.pop() {
            Some(index) => {
                self.leaves[index as usize] = leaf;
                index
            }
            None => {
                self.leaves.push(leaf);
                (self.leaves.len() - 1) as u32
            }
        }
    }

    fn new_node(&mut self, node: Node) -> u32 {
        let care = Care {
            place: Place::ROOT,
            count: 0,
            changes: 0,
        };
        match self.free_nodes.pop() {
            Some(index) => {
                self.nodes[index as usize] = node;
                self.cares[index as usize] = care;
                index
            }
            None => {
                self.nodes.push(node);
                self.cares.push(care);
                (self.nodes.len() - 1) as u32
            }
        }
    }

    fn count(&self, link: Link) -> u32 {
        if link.is_leaf() {
            self.leaves[link.index()].len
        } else {
            self.cares[link.index()].count
        }
    }

    /// Links a subtree to a parent.
    fn hang(&mut self, place: Place, link: Link) {
        if link.is_leaf() {
            self.leaves[link.index()].place = place;
        } else {
            self.cares[link.index()].place = place;
        }
        if place == Place::ROOT {
            self.root = link;
        } else {
            self.nodes[place.node()].links[place.side()] = link;
        }
    }
}

impl Leaf {
    fn find(&self, item: u32) -> Option<usize> {
        self.items[..self.len as usize]
            .iter()
            .position(|&held| held == item)
    }

    fn push(&mut self, entry: Entry) {
        self.boxes[self.len as usize] = entry.bounds;
        self.items[self.len as usize] = entry.item;
        self.len += 1;
    }

    fn below(&self) -> Below {
        let held = self.items.iter().zip(&self.boxes).take(self.len as usize);
        let nothing = Below {
            bounds: CellBox::NOTHING,
            kinds: Kinds::default(),
        };
        held.fold(nothing, |all, (&item, bounds)| Below {
            bounds: all.bounds.union(bounds),
            kinds: all.kinds.and(Kinds::of(item)),
        })
    }
}

impl Node {
    /// Returns the side that a box belongs to; `None` if either will do.
    #[inline]
    fn side_of(&self, bounds: &CellBox) -> Option<usize> {
        (self.axis < 3).then(|| usize::from(bounds.centre(self.axis as usize) >= self.split))
    }

    fn below(&self) -> Below {
        Below {
            bounds: self.bounds[0].union(&self.bounds[1]),
            kinds: self.kinds[0].and(self.kinds[1]),
        }
    }

    /// Sets the bounds and kinds of a side. Returns true if they changed.
    fn note(&mut self, side: usize, below: Below) -> bool {
        let same = self.bounds[side] == below.bounds && self.kinds[side] == below.kinds;
        self.bounds[side] = below.bounds;
        self.kinds[side] = below.kinds;
        !same
    }
}
