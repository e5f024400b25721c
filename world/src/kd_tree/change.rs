//! Inserts, removes and moves single boxes.

use super::{Below, CellBox, Entry, KdTree, Kinds, LEAF_ITEMS, Link, NOWHERE, Place};

impl KdTree {
    /// Inserts an item, or moves it if it is present.
    pub fn insert(&mut self, item: u32, bounds: CellBox) {
        if self.homes.len() <= item as usize {
            self.homes.resize(item as usize + 1, NOWHERE);
        }
        if self.homes[item as usize] == NOWHERE {
            self.add(Entry { item, bounds });
        } else {
            self.shift(item, bounds);
        }
    }

    /// Removes an item. Returns false if it was not present.
    pub fn remove(&mut self, item: u32) -> bool {
        let home = self.homes.get(item as usize).copied().unwrap_or(NOWHERE);
        if home == NOWHERE {
            return false;
        }
        self.take(item, home as usize);
        true
    }

    fn add(&mut self, entry: Entry) {
        let mut link = self.root;
        let mut lopsided = None;
        while !link.is_leaf() {
            let index = link.index();
            let node = &self.nodes[index];
            let side = node.side_of(&entry.bounds).unwrap_or_else(|| {
                usize::from(self.count(node.links[0]) > self.count(node.links[1]))
            });
            let node = &mut self.nodes[index];
            node.bounds[side] = node.bounds[side].union(&entry.bounds);
            node.kinds[side] = node.kinds[side].and(Kinds::of(entry.item));
            link = node.links[side];
            self.cares[index].count += 1;
            self.cares[index].changes += 1;
            if lopsided.is_none() && self.is_lopsided(index, self.count(link) + 1) {
                lopsided = Some(index);
            }
        }
        self.len += 1;
        let index = link.index();
        if (self.leaves[index].len as usize) < LEAF_ITEMS {
            self.leaves[index].push(entry);
            self.homes[entry.item as usize] = index as u32;
        } else {
            self.split_leaf(index, entry);
        }
        if let Some(node) = lopsided {
            self.rebuild(node);
        }
    }

    /// Returns true if most of a node's items are on one side, and enough of them changed since it
    /// was built to rebuild it.
    fn is_lopsided(&self, node: usize, on_one_side: u32) -> bool {
        let care = &self.cares[node];
        on_one_side > care.count / 4 * 3 + LEAF_ITEMS as u32 && care.changes > care.count / 4
    }

    fn take(&mut self, item: u32, home: usize) {
        let leaf = &mut self.leaves[home];
        let Some(index) = leaf.find(item) else { return };
        leaf.len -= 1;
        leaf.items[index] = leaf.items[leaf.len as usize];
        leaf.boxes[index] = leaf.boxes[leaf.len as usize];
        let (place, empty) = (leaf.place, leaf.len == 0);
        self.homes[item as usize] = NOWHERE;
        self.len -= 1;
        let lopsided = self.count_down(place);
        if !empty || place == Place::ROOT {
            self.refit(home);
        } else {
            self.drop_leaf(home, place);
        }
        let dropped = empty && place != Place::ROOT;
        if let Some(node) = lopsided {
            if !(dropped && node == place.node()) {
                self.rebuild(node);
            }
        } else if place != Place::ROOT && !empty {
            self.join(place.node());
        }
    }

    /// Decrements the counts above a removed item; returns the highest node that became lopsided.
    fn count_down(&mut self, mut place: Place) -> Option<usize> {
        let mut lopsided = None;
        while place != Place::ROOT {
            let node = place.node();
            self.cares[node].count -= 1;
            self.cares[node].changes += 1;
            let other = self.count(self.nodes[node].links[1 - place.side()]);
            if self.is_lopsided(node, other) {
                lopsided = Some(node);
            }
            place = self.cares[node].place;
        }
        lopsided
    }

    /// Puts the sibling of an empty leaf in their parent's place.
    fn drop_leaf(&mut self, leaf: usize, place: Place) {
        let node = place.node();
        let sibling = self.nodes[node].links[1 - place.side()];
        let below = Below {
            bounds: self.nodes[node].bounds[1 - place.side()],
            kinds: self.nodes[node].kinds[1 - place.side()],
        };
        let above = self.cares[node].place;
        self.hang(above, sibling);
        self.free_nodes.push(node as u32);
        self.free_leaves.push(leaf as u32);
        self.refit_from(above, below);
    }

    /// Joins two nearly empty leaves into one.
    fn join(&mut self, node: usize) {
        let links = self.nodes[node].links;
        if self.cares[node].count as usize > LEAF_ITEMS / 2
            || !links.iter().all(|link| link.is_leaf())
        {
            return;
        }
        let from = self.leaves[links[1].index()];
        for index in 0..from.len as usize {
            let entry = Entry {
                item: from.items[index],
                bounds: from.boxes[index],
            };
            self.leaves[links[0].index()].push(entry);
            self.homes[entry.item as usize] = links[0].index() as u32;
        }
        self.free_leaves.push(links[1].index() as u32);
        self.free_nodes.push(node as u32);
        self.hang(self.cares[node].place, Link::leaf(links[0].index() as u32));
    }

    /// Gives a present item a new box.
    fn shift(&mut self, item: u32, bounds: CellBox) {
        let home = self.homes[item as usize] as usize;
        if self.belongs(home, &bounds) {
            let leaf = &mut self.leaves[home];
            if let Some(index) = leaf.find(item) {
                leaf.boxes[index] = bounds;
                self.refit(home);
            }
        } else {
            self.take(item, home);
            self.add(Entry { item, bounds });
        }
    }

    /// Returns true if the box belongs into the leaf by all splits above it.
    fn belongs(&self, leaf: usize, bounds: &CellBox) -> bool {
        let mut place = self.leaves[leaf].place;
        while place != Place::ROOT {
            let node = place.node();
            if self.nodes[node]
                .side_of(bounds)
                .is_some_and(|side| side != place.side())
            {
                return false;
            }
            place = self.cares[node].place;
        }
        true
    }

    /// Updates the bounds and kinds above a leaf.
    fn refit(&mut self, leaf: usize) {
        let leaf = &self.leaves[leaf];
        self.refit_from(leaf.place, leaf.below());
    }

    fn refit_from(&mut self, mut place: Place, mut below: Below) {
        while place != Place::ROOT {
            let node = &mut self.nodes[place.node()];
            if !node.note(place.side(), below) {
                return;
            }
            below = node.below();
            place = self.cares[place.node()].place;
        }
    }
}
