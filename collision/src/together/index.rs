//! An index of the boxes and revisions of some terrains by place.
//!
//! A tree with eight boxes to a node and no links: the boxes are sorted along a space-filling
//! curve, and every eight make a node of the level above. Coordinates are relative to one of the
//! boxes, with wrapping, so that a box may lie across the ends of the cells.

use nalgebra::Vector3;

use crate::position::Cell;
use crate::terrain::{Bounds, Terrain, mixed};

/// Boxes of a node.
const WIDE: usize = 8;
/// Levels of a tree of as many parts as a `u32` can number.
const MOST_LEVELS: usize = 11;
/// Bits of a place on the curve, for each axis.
const CURVE_BITS: u32 = 10;

/// An index over the parts of a [`Together`](super::Together), kept from tick to tick to reuse its
/// memory.
#[derive(Clone, Debug, Default)]
pub struct PartIndex {
    /// The cell that all boxes are relative to.
    base: Cell,
    /// All parts with a box, along the curve.
    parts: Vec<Part>,
    /// All parts without a box.
    endless: Vec<u32>,
    /// The levels of the tree one after another, that of the parts first.
    nodes: Vec<Node>,
    /// The first node of each level.
    levels: Vec<usize>,
    /// A box around all parts.
    whole: Extent,
    /// Sums of revisions: of all parts, and of those without a box.
    revisions: u64,
    endless_revisions: u64,
}

/// A terrain in the tree.
#[derive(Clone, Copy, Debug)]
struct Part {
    extent: Extent,
    /// Its place along the curve.
    place: u32,
    number: u32,
    revision: u64,
}

/// A box of cells, both ends inside, relative to the base.
#[derive(Clone, Copy, Debug)]
struct Extent {
    min: Vector3<i32>,
    max: Vector3<i32>,
}

impl Extent {
    /// The empty box: the identity of [`Self::join`].
    const NOTHING: Self = Self {
        min: Vector3::new(i32::MAX, i32::MAX, i32::MAX),
        max: Vector3::new(i32::MIN, i32::MIN, i32::MIN),
    };

    /// Returns a box relative to a base; an axis on which it crosses the wrap of the coordinates is
    /// covered whole.
    #[inline]
    fn of(cells: &Bounds, base: Cell) -> Self {
        let mut extent = Self {
            min: cells.min.zip_map(&base, i32::wrapping_sub),
            max: cells.max.zip_map(&base, i32::wrapping_sub),
        };
        for axis in 0..3 {
            if extent.min[axis] > extent.max[axis] {
                (extent.min[axis], extent.max[axis]) = (i32::MIN, i32::MAX);
            }
        }
        extent
    }

    fn join(&self, other: &Self) -> Self {
        Self {
            min: self.min.inf(&other.min),
            max: self.max.sup(&other.max),
        }
    }

    #[inline]
    fn meets(&self, other: &Self) -> bool {
        (0..3).all(|axis| self.min[axis] <= other.max[axis] && other.min[axis] <= self.max[axis])
    }

    /// Returns the place of its middle on a curve through a box that holds it.
    fn place_in(&self, whole: &Self) -> u32 {
        let sides = whole.max.zip_map(&whole.min, |max, min| max.abs_diff(min));
        let shift = (u32::BITS - sides.max().leading_zeros()).saturating_sub(CURVE_BITS);
        (0..3).fold(0, |place, axis| {
            let (min, max) = (self.min[axis], self.max[axis]);
            let middle = min.abs_diff(whole.min[axis]) + max.abs_diff(min) / 2;
            place | spread(middle >> shift) << axis
        })
    }
}

/// Inserts two empty bits between every two bits.
fn spread(bits: u32) -> u32 {
    (0..CURVE_BITS).fold(0, |all, bit| all | (bits >> bit & 1) << (3 * bit))
}

/// Eight boxes, side by side.
#[derive(Clone, Copy, Debug)]
struct Node {
    /// A bit for each box that is in use.
    there: u32,
    min: [[i32; WIDE]; 3],
    max: [[i32; WIDE]; 3],
}

impl Node {
    fn of(boxes: impl Iterator<Item = Extent>) -> Self {
        let mut node = Self {
            there: 0,
            min: [[i32::MAX; WIDE]; 3],
            max: [[i32::MIN; WIDE]; 3],
        };
        for (lane, extent) in boxes.enumerate() {
            node.there |= 1 << lane;
            for axis in 0..3 {
                node.min[axis][lane] = extent.min[axis];
                node.max[axis][lane] = extent.max[axis];
            }
        }
        node
    }

    /// Returns a box around all of the node.
    fn whole(&self) -> Extent {
        let least = |lanes: &[i32; WIDE]| lanes.iter().fold(i32::MAX, |a, &b| a.min(b));
        let most = |lanes: &[i32; WIDE]| lanes.iter().fold(i32::MIN, |a, &b| a.max(b));
        Extent {
            min: Vector3::from(self.min.each_ref().map(least)),
            max: Vector3::from(self.max.each_ref().map(most)),
        }
    }

    /// Returns a bit for each box that meets another box.
    #[inline]
    fn meeting(&self, other: &Extent) -> u32 {
        let mut meets = [true; WIDE];
        for axis in 0..3 {
            for (lane, meets) in meets.iter_mut().enumerate() {
                *meets &= (self.min[axis][lane] <= other.max[axis])
                    & (other.min[axis] <= self.max[axis][lane]);
            }
        }
        let bits = (0..WIDE).fold(0, |bits, lane| bits | u32::from(meets[lane]) << lane);
        bits & self.there
    }
}

impl Default for Extent {
    fn default() -> Self {
        Self::NOTHING
    }
}

impl PartIndex {
    /// Reads all parts but the first anew.
    pub(super) fn refresh(&mut self, parts: &[&dyn Terrain]) {
        self.read(parts);
        self.sort();
        self.build();
    }

    fn read(&mut self, parts: &[&dyn Terrain]) {
        self.parts.clear();
        self.endless.clear();
        (self.revisions, self.endless_revisions) = (0, 0);
        for (number, part) in (0..).zip(parts).skip(1) {
            let revision = mixed(part.revision(), 1);
            self.revisions = self.revisions.wrapping_add(revision);
            let Some(bounds) = part.bounds() else {
                self.endless.push(number);
                self.endless_revisions = self.endless_revisions.wrapping_add(revision);
                continue;
            };
            if self.parts.is_empty() {
                self.base = bounds.min;
            }
            self.parts.push(Part {
                extent: Extent::of(&bounds, self.base),
                place: 0,
                number,
                revision,
            });
        }
    }

    fn sort(&mut self) {
        let extents = self.parts.iter().map(|part| part.extent);
        self.whole = extents.fold(Extent::NOTHING, |all, one| all.join(&one));
        for part in &mut self.parts {
            part.place = part.extent.place_in(&self.whole);
        }
        self.parts
            .sort_unstable_by_key(|part| (part.place, part.number));
    }

    fn build(&mut self) {
        self.nodes.clear();
        self.levels.clear();
        self.levels.push(0);
        for eight in self.parts.chunks(WIDE) {
            let extents = eight.iter().map(|part| part.extent);
            self.nodes.push(Node::of(extents));
        }
        let mut below = 0..self.nodes.len();
        while below.len() > 1 {
            let begin = self.nodes.len();
            self.levels.push(begin);
            for first in below.clone().step_by(WIDE) {
                let last = (first + WIDE).min(below.end);
                let node = Node::of(self.nodes[first..last].iter().map(Node::whole));
                self.nodes.push(node);
            }
            below = begin..self.nodes.len();
        }
    }

    /// Returns the numbers of the parts after the first that have no box.
    pub(super) fn endless(&self) -> impl Iterator<Item = usize> + '_ {
        self.endless.iter().map(|&number| number as usize)
    }

    /// Returns the first result of `find`, called with the numbers of the parts whose boxes meet
    /// another box.
    #[inline]
    pub(super) fn find<R>(
        &self,
        cells: &Bounds,
        mut find: impl FnMut(usize) -> Option<R>,
    ) -> Option<R> {
        let extent = self.extent_near(cells)?;
        self.find_part(&extent, |part| find(part.number as usize))
    }

    /// Returns whether any part after the first may reach into a box.
    #[inline]
    pub(super) fn is_near(&self, cells: &Bounds) -> bool {
        !self.endless.is_empty() || self.find(cells, |_| Some(())).is_some()
    }

    /// Returns the sum of the revisions of the parts after the first, which does not depend on
    /// their order.
    pub(super) fn revisions(&self) -> u64 {
        self.revisions
    }

    /// Returns the sum of the revisions of the parts that may reach into a box.
    #[inline]
    pub(super) fn revisions_near(&self, cells: &Bounds) -> u64 {
        let mut sum = self.endless_revisions;
        if let Some(extent) = self.extent_near(cells) {
            let _ = self.find_part(&extent, |part| {
                sum = sum.wrapping_add(part.revision);
                None::<()>
            });
        }
        sum
    }

    /// Returns a box relative to the base, unless it is far from all parts.
    #[inline]
    fn extent_near(&self, cells: &Bounds) -> Option<Extent> {
        let extent = Extent::of(cells, self.base);
        (!self.parts.is_empty() && extent.meets(&self.whole)).then_some(extent)
    }

    fn find_part<R>(&self, extent: &Extent, mut find: impl FnMut(&Part) -> Option<R>) -> Option<R> {
        let top = self.levels.len() - 1;
        let node = |level: usize, index: usize| {
            let bits = self.nodes[self.levels[level] + index].meeting(extent);
            (index, bits)
        };
        // For each level, a node and the bits of its boxes still to be visited.
        let mut open = [(0, 0); MOST_LEVELS];
        let mut level = top;
        open[level] = node(level, 0);
        loop {
            let (index, bits) = &mut open[level];
            if *bits == 0 {
                if level == top {
                    return None;
                }
                level += 1;
                continue;
            }
            let below = *index * WIDE + bits.trailing_zeros() as usize;
            *bits &= *bits - 1;
            if level > 0 {
                level -= 1;
                open[level] = node(level, below);
            } else if let Some(found) = find(&self.parts[below]) {
                return Some(found);
            }
        }
    }
}
