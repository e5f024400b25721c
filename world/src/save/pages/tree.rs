//! B-tree pages, and a walk through a tree that accepts only pages with the right checksum.

use std::collections::HashSet;
use std::ops::Range;

use super::{Budget, LONGEST, PAGE, PageFile, PageNumber, Span, page_checksum};

const LEAF: u8 = 1;
const BRANCH: u8 = 2;
/// Largest depth of a tree.
const DEPTH: usize = 64;

fn u16_at(bytes: &[u8], at: usize) -> Option<usize> {
    let part = bytes.get(at..at + 2)?;
    Some(usize::from(u16::from_le_bytes(part.try_into().ok()?)))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<usize> {
    let part = bytes.get(at..at + 4)?;
    Some(u32::from_le_bytes(part.try_into().ok()?) as usize)
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?))
}

fn u128_at(bytes: &[u8], at: usize) -> Option<u128> {
    Some(u128::from_le_bytes(
        bytes.get(at..at + 16)?.try_into().ok()?,
    ))
}

/// A page number and the checksum of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) struct Link {
    page: PageNumber,
    checksum: u128,
}

/// The root of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) struct Root {
    pub(in super::super) link: Link,
    /// Number of records in the tree.
    pub(in super::super) count: u64,
}

impl Root {
    pub(super) fn decode(bytes: &[u8]) -> Option<Self> {
        let (page, checksum) = (PageNumber(u64_at(bytes, 0)?), u128_at(bytes, 8)?);
        let link = Link { page, checksum };
        let count = u64_at(bytes, 24)?;
        Some(Self { link, count })
    }
}

/// The widths of keys and values if constant; `None` if pages list the ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in super::super) struct Widths {
    pub(in super::super) key: Option<usize>,
    pub(in super::super) value: Option<usize>,
}

/// An entry of the tree of tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) struct TableEntry {
    /// `None` for an empty table.
    pub(in super::super) root: Option<Root>,
    pub(in super::super) widths: Widths,
    pub(in super::super) count: u64,
}

impl TableEntry {
    pub(in super::super) fn decode(bytes: &[u8]) -> Option<Self> {
        let root = match *bytes.get(9)? {
            0 => None,
            _ => Some(Root::decode(bytes.get(10..42)?)?),
        };
        let width = |at: usize| match *bytes.get(at)? {
            0 => Some(None),
            _ => Some(Some(u32_at(bytes, at + 1)?)),
        };
        let (key, value) = (width(42)?, width(47)?);
        // Only tables with one value for each key; the others are redb's own.
        (bytes[0] == 3).then_some(Self {
            root,
            widths: Widths { key, value },
            count: u64_at(bytes, 1)?,
        })
    }
}

/// A page of records. Each is read independently: an altered end damages it and the next record,
/// but no others.
pub(in super::super) struct Leaf<'a> {
    bytes: &'a [u8],
    count: usize,
    widths: Widths,
}

/// The ranges of a record in its page.
pub(in super::super) struct Place {
    pub(in super::super) key: Range<usize>,
    pub(in super::super) value: Range<usize>,
}

impl<'a> Leaf<'a> {
    /// Interprets bytes as a leaf if they look like one.
    pub(in super::super) fn of(bytes: &'a [u8], widths: Widths) -> Option<Self> {
        let count = u16_at(bytes, 2)?;
        let sound = bytes[0] == LEAF && count > 0;
        sound.then_some(Self {
            bytes,
            count,
            widths,
        })
    }

    pub(in super::super) fn count(&self) -> usize {
        self.count
    }

    /// Returns the length of the page's header and lists of ends.
    pub(in super::super) fn directory(&self) -> usize {
        let lists = [self.widths.key, self.widths.value];
        4 + 4 * self.count * lists.iter().filter(|width| width.is_none()).count()
    }

    fn key_end(&self, index: usize) -> Option<usize> {
        match self.widths.key {
            None => u32_at(self.bytes, 4 + 4 * index),
            Some(width) => width.checked_mul(index + 1)?.checked_add(self.directory()),
        }
    }

    fn value_end(&self, index: usize) -> Option<usize> {
        let list = if self.widths.key.is_none() {
            4 * self.count
        } else {
            0
        };
        match self.widths.value {
            None => u32_at(self.bytes, 4 + list + 4 * index),
            Some(width) => {
                let length = width.checked_mul(index + 1)?;
                length.checked_add(self.key_end(self.count - 1)?)
            }
        }
    }

    /// Returns the end of the last record, which may lie beyond the bytes at hand.
    pub(in super::super) fn end(&self) -> Option<usize> {
        self.value_end(self.count - 1)
    }

    /// Returns the place of a record; its value may lie beyond the bytes at hand.
    pub(in super::super) fn place(&self, index: usize) -> Option<Place> {
        let before = index.checked_sub(1);
        let key = match before {
            None => self.directory(),
            Some(before) => self.key_end(before)?,
        };
        let value = match before {
            None => self.key_end(self.count - 1)?,
            Some(before) => self.value_end(before)?,
        };
        let (key, value) = (key..self.key_end(index)?, value..self.value_end(index)?);
        let sound = self.directory() <= key.start && key.start <= key.end;
        (sound && key.end <= value.start && value.start <= value.end)
            .then_some(Place { key, value })
    }

    /// Returns the leaf if all its records are in order and do not overlap.
    fn whole(self) -> Option<Self> {
        let mut at = None;
        for index in 0..self.count {
            let place = self.place(index)?;
            let key = self.bytes(place.key)?;
            self.bytes(place.value)?;
            let ascends = at.replace(key).is_none_or(|before| before < key);
            ascends.then_some(())?;
        }
        Some(self)
    }

    /// Returns the records within the bytes at hand.
    pub(in super::super) fn records(&self) -> impl Iterator<Item = (&'a [u8], &'a [u8])> {
        let place = |index| self.place(index);
        let places = (0..self.count).filter_map(place);
        places.filter_map(|place| Some((self.bytes(place.key)?, self.bytes(place.value)?)))
    }

    pub(in super::super) fn bytes(&self, range: Range<usize>) -> Option<&'a [u8]> {
        self.bytes.get(range)
    }
}

/// A page of links.
struct Branch<'a> {
    bytes: &'a [u8],
    keys: usize,
    width: Option<usize>,
}

impl<'a> Branch<'a> {
    fn of(bytes: &'a [u8], width: Option<usize>) -> Option<Self> {
        let keys = u16_at(bytes, 2)?;
        let sound = bytes[0] == BRANCH && keys > 0;
        sound.then_some(Self { bytes, keys, width })
    }

    fn lists_end(&self) -> usize {
        let ends = if self.width.is_none() {
            4 * self.keys
        } else {
            0
        };
        8 + 24 * (self.keys + 1) + ends
    }

    fn key_end(&self, index: usize) -> Option<usize> {
        match self.width {
            None => u32_at(self.bytes, 8 + 24 * (self.keys + 1) + 4 * index),
            Some(width) => width.checked_mul(index + 1)?.checked_add(self.lists_end()),
        }
    }

    /// Returns the routing key at an index; `None` before the first child and after the last.
    fn key(&self, index: Option<usize>) -> Option<&'a [u8]> {
        let index = index.filter(|&index| index < self.keys)?;
        let start = match index.checked_sub(1) {
            None => self.lists_end(),
            Some(before) => self.key_end(before)?,
        };
        self.bytes.get(start..self.key_end(index)?)
    }

    fn child(&self, index: usize) -> Option<Link> {
        let page = u64_at(self.bytes, 8 + 16 * (self.keys + 1) + 8 * index)?;
        Some(Link {
            page: PageNumber(page),
            checksum: u128_at(self.bytes, 8 + 16 * index)?,
        })
    }
}

/// A page whose checksum does not match.
pub(in super::super) enum Torn<'a> {
    /// Its records can still be told apart.
    Leaf(Leaf<'a>),
    /// It is unreadable.
    Page,
}

/// One step of a walk.
pub(in super::super) enum Step<'a> {
    /// A record, and the offset of its value in the file.
    Record(&'a [u8], &'a [u8], u64),
    /// A range of keys whose page is damaged, so that nothing is certain about them.
    Hole(Span, Torn<'a>),
}

/// A walk through a tree, in order of key.
pub(in super::super) struct Walk<'a> {
    pub(in super::super) file: &'a PageFile,
    pub(in super::super) widths: Widths,
    pub(in super::super) budget: &'a mut Budget,
    /// Tells if a range of keys is to be visited.
    pub(in super::super) wanted: &'a dyn Fn(&Span) -> bool,
    pub(in super::super) each: &'a mut dyn FnMut(Step<'_>),
}

impl Walk<'_> {
    /// Walks from a root.
    pub(in super::super) fn run(mut self, root: &Root) {
        let mut seen = HashSet::new();
        self.page(root.link, Span::all(), 0, &mut seen);
    }

    /// Reads the bytes of a page that its checksum covers.
    fn load(&mut self, link: Link) -> Option<Vec<u8>> {
        let extent = link.page.extent()?;
        let first = self
            .file
            .read(extent.start..extent.start.checked_add(PAGE)?)?;
        let end_of = |bytes: &[u8]| match bytes[0] {
            LEAF => Leaf::of(bytes, self.widths)?.end(),
            _ => {
                let branch = Branch::of(bytes, self.widths.key)?;
                branch.key_end(branch.keys - 1)
            }
        };
        // If the lists are longer than the first page, more must be read to find the end.
        let end = match end_of(&first) {
            Some(end) => end,
            None => {
                let most = extent
                    .end
                    .min(extent.start + (1 << 20))
                    .min(self.file.length());
                end_of(&self.file.read(extent.start..most)?)?
            }
        } as u64;
        let within = end <= extent.end - extent.start && end <= LONGEST;
        if !within || !self.budget.take(end.max(PAGE)) {
            return None;
        }
        match first.get(..end as usize) {
            Some(part) => Some(part.to_vec()),
            None => self.file.read(extent.start..extent.start + end),
        }
    }

    fn page(&mut self, link: Link, span: Span, depth: usize, seen: &mut HashSet<PageNumber>) {
        let fresh = depth < DEPTH && seen.insert(link.page);
        let Some(bytes) = fresh.then(|| self.load(link)).flatten() else {
            return (self.each)(Step::Hole(span, Torn::Page));
        };
        if page_checksum(&bytes) != link.checksum {
            let leaf = Leaf::of(&bytes, self.widths).and_then(Leaf::whole);
            return (self.each)(Step::Hole(span, leaf.map_or(Torn::Page, Torn::Leaf)));
        }
        let start = link.page.extent().map_or(0, |extent| extent.start);
        if let Some(leaf) = Leaf::of(&bytes, self.widths) {
            for index in 0..leaf.count() {
                let Some(place) = leaf.place(index) else {
                    continue;
                };
                let at = start + place.value.start as u64;
                let (key, value) = (leaf.bytes(place.key), leaf.bytes(place.value));
                if let (Some(key), Some(value)) = (key, value) {
                    (self.each)(Step::Record(key, value, at));
                }
            }
        } else if let Some(branch) = Branch::of(&bytes, self.widths.key) {
            for index in 0..=branch.keys {
                let (low, high) = (branch.key(index.checked_sub(1)), branch.key(Some(index)));
                let Some(part) = span.child(low, high).filter(|part| (self.wanted)(part)) else {
                    continue;
                };
                match branch.child(index) {
                    Some(child) => self.page(child, part, depth + 1, seen),
                    None => (self.each)(Step::Hole(part, Torn::Page)),
                }
            }
        }
    }
}
