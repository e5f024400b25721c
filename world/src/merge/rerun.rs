//! The merge of a plane from one row on, until it is again what it was: rectangles further down cannot have changed.

use super::greedy::{Open, Rect};
use super::quads::Quad;
use crate::chunk::SIDE;
use crate::material::Material;

/// Materials that are told apart.
const FEW: usize = 4;
/// Bits of their numbers.
const BITS: usize = 2;

/// The columns of a rectangle.
#[inline]
pub(super) fn mask_of(rect: &Rect) -> u32 {
    (u32::MAX >> (32 - rect.columns)) << rect.column
}

/// A rectangle as it was.
#[derive(Clone, Copy, Debug)]
struct Span {
    row: u32,
    /// The row after its last.
    end: u32,
    mask: u32,
    /// Of its material.
    number: u32,
}

impl Span {
    #[inline]
    fn covers(&self, row: u32) -> bool {
        row.wrapping_sub(self.row) < self.end - self.row
    }
}

/// The faces of a row and the bits of their materials' numbers.
#[derive(Clone, Copy, Default)]
struct Line {
    faces: u32,
    numbers: [u32; BITS],
}

impl Line {
    #[inline]
    fn put(&mut self, mask: u32, number: u32) {
        self.faces |= mask;
        for (bit, word) in self.numbers.iter_mut().enumerate() {
            *word |= mask & ((number >> bit) & 1).wrapping_neg();
        }
    }

    #[inline]
    fn erase(&mut self, mask: u32) {
        self.faces &= !mask;
        self.numbers = self.numbers.map(|word| word & !mask);
    }

    #[inline]
    fn number(&self, column: u32) -> u32 {
        self.numbers
            .iter()
            .enumerate()
            .fold(0, |number, (bit, word)| {
                number | (((word >> column) & 1) << bit)
            })
    }

    /// Columns where both rows are of the same material.
    #[inline]
    fn like(&self, other: &Self) -> u32 {
        let both = self.numbers.iter().zip(other.numbers);
        !both.fold(0, |differs, (ours, theirs)| differs | (ours ^ theirs))
    }

    /// Columns that are of the same material as the next.
    #[inline]
    fn along(&self) -> u32 {
        let words = self.numbers.iter();
        !words.fold(0, |differs, word| differs | (word ^ (word >> 1)))
    }
}

/// The rectangles of a plane from some row on, to be merged again.
#[derive(Clone, Debug, Default)]
pub(super) struct Rerun {
    spans: Vec<Span>,
    materials: [Material; FEW],
    count: usize,
    /// Rows at which a rectangle begins or has ended.
    events: u64,
}

impl Rerun {
    /// Takes quads over. Whether they and one more material are few enough to be told apart.
    pub(super) fn read(&mut self, quads: &[impl Quad], more: Option<Material>) -> bool {
        self.spans.clear();
        (self.count, self.events) = (0, 0);
        for quad in quads {
            let rect = quad.place();
            let Some(number) = self.number_of(quad.material()) else {
                return false;
            };
            let end = rect.row + rect.rows;
            self.events |= (1 << rect.row) | (1 << end);
            self.spans.push(Span {
                row: rect.row,
                end,
                mask: mask_of(&rect),
                number,
            });
        }
        more.is_none_or(|material| self.number_of(material).is_some())
    }

    #[inline]
    fn number_of(&mut self, material: Material) -> Option<u32> {
        let known = self.materials[..self.count]
            .iter()
            .position(|&held| held == material);
        if known.is_none() && self.count < FEW {
            self.materials[self.count] = material;
            self.count += 1;
            return Some(self.count as u32 - 1);
        }
        known.map(|number| number as u32)
    }

    /// What a face is made of, if it is there.
    pub(super) fn material_at(&self, row: u32, column: u32) -> Option<Material> {
        let mut spans = self.spans.iter();
        spans
            .find(|span| span.covers(row) && (span.mask >> column) & 1 != 0)
            .map(|span| self.materials[span.number as usize % FEW])
    }

    /// Makes one face be of a material or not there, and merges until all is as it was. How many of the rectangles that were taken
    /// over have been replaced by those given to `emit`.
    pub(super) fn merge(
        &mut self,
        row: u32,
        column: u32,
        now: Option<Material>,
        mut emit: impl FnMut(&Rect, Material),
    ) -> usize {
        let now = now.and_then(|material| self.number_of(material));
        let (mut open, mut above) = match row.checked_sub(1) {
            Some(above) => (self.open_at(above), self.line(above)),
            None => (Open::default(), Line::default()),
        };
        let mut rest = (self.events | (0b11 << row) | (1 << SIDE)) & (u64::MAX << row);
        while rest != 0 {
            let at = rest.trailing_zeros();
            rest &= rest - 1;
            let mut line = self.line(at);
            if at == row {
                line.erase(1 << column);
                if let Some(number) = now {
                    line.put(1 << column, number);
                }
            }
            open.step(at, line.faces, line.like(&above), line.along(), |rect| {
                let number = above.number(rect.column);
                emit(rect, self.materials[number as usize % FEW]);
            });
            above = line;
            if at > row && self.is_open_alike(at, &open) {
                return self.spans.partition_point(|span| span.end <= at);
            }
        }
        self.spans.len()
    }

    /// The faces as they were in a row.
    fn line(&self, row: u32) -> Line {
        let mut line = Line::default();
        let reaching = self.spans.iter().filter(|span| span.covers(row));
        reaching.for_each(|span| line.put(span.mask, span.number));
        line
    }

    /// The rectangles as they were in a row.
    fn open_at(&self, row: u32) -> Open {
        let mut open = Open::default();
        for span in self.spans.iter().filter(|span| span.covers(row)) {
            open.faces |= span.mask;
            open.starts |= span.mask & span.mask.wrapping_neg();
            open.first_row[span.mask.trailing_zeros() as usize % SIDE] = span.row as u8;
        }
        open
    }

    /// Whether the same rectangles reached into a row that has the same faces.
    fn is_open_alike(&self, row: u32, open: &Open) -> bool {
        let mut starts = 0;
        let mut reaching = self.spans.iter().filter(|span| span.covers(row));
        let alike = reaching.all(|span| {
            starts |= span.mask & span.mask.wrapping_neg();
            let column = span.mask.trailing_zeros() as usize % SIDE;
            u32::from(open.first_row[column]) == span.row
        });
        alike && starts == open.starts
    }
}
