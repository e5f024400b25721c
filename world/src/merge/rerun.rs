//! Merges a plane again from a changed row on, until the open rectangles equal the old ones: the
//! rectangles further down cannot have changed.
//!
//! Usually they are equal after one more row, so a single pass over the rectangles collects three
//! rows. Only otherwise are the rectangles stored and read row by row.

use super::greedy::{Open, Rect};
use super::quads::Quad;
use crate::chunk::SIDE;
use crate::material::Material;

/// Largest number of distinct materials.
const FEW: usize = 4;
/// Bits of a material number.
const BITS: usize = 2;

/// Returns the columns of a rectangle.
#[inline]
pub(super) fn mask_of(rect: &Rect) -> u32 {
    (u32::MAX >> (32 - rect.columns)) << rect.column
}

/// Returns all bits if a number is below another, else none; without a branch, since it is
/// unpredictable.
#[inline(always)]
fn if_below(number: u32, other: u32) -> u32 {
    (u64::from(number).wrapping_sub(u64::from(other)) >> 32) as u32
}

/// A rectangle before the change.
#[derive(Clone, Copy, Debug)]
struct Span {
    row: u32,
    rows: u32,
    mask: u32,
    /// Number of its material.
    number: u32,
}

impl Span {
    #[inline(always)]
    fn new(rect: &Rect, number: u32) -> Self {
        Self {
            row: rect.row,
            rows: rect.rows,
            mask: mask_of(rect),
            number,
        }
    }

    /// Returns the rectangle's columns if it reaches into a row, else none.
    #[inline(always)]
    fn mask_in(&self, row: u32) -> u32 {
        self.mask & if_below(row.wrapping_sub(self.row), self.rows)
    }
}

/// The faces of a row, the bits of their material numbers, and the first columns of rectangles.
#[derive(Clone, Copy, Default)]
struct Line {
    faces: u32,
    numbers: [u32; BITS],
    starts: u32,
}

impl Line {
    #[inline(always)]
    fn put<Q: Quad>(&mut self, mask: u32, number: u32) {
        self.faces |= mask;
        if Q::HAS_MATERIAL {
            for (bit, word) in self.numbers.iter_mut().enumerate() {
                *word |= mask & ((number >> bit) & 1).wrapping_neg();
            }
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

    /// Returns the columns in which the two rows differ in material.
    #[inline]
    fn down(&self, above: &Self) -> u32 {
        let both = self.numbers.iter().zip(above.numbers);
        both.fold(0, |differs, (ours, theirs)| differs | (ours ^ theirs))
    }

    /// Returns the columns that differ in material from the column before.
    #[inline]
    fn across(&self) -> u32 {
        let words = self.numbers.iter();
        words.fold(0, |differs, word| differs | (word ^ (word << 1)))
    }
}

/// The rows above, at and below a change.
struct Near {
    before: Line,
    here: Line,
    behind: Line,
    /// First rows of the rectangles in the row above, by first column; rectangles that do not reach
    /// there are written behind the last column.
    begun: [u8; 2 * SIDE],
    /// First columns of the rectangles in the row below that begin in the changed row, and in the
    /// row below.
    begun_here: u32,
    begun_behind: u32,
    /// Number of rectangles that end above the row below.
    ended: usize,
}

/// A face and its new material, or `None` to remove it.
#[derive(Clone, Copy)]
pub(super) struct Wanted {
    pub(super) row: u32,
    pub(super) column: u32,
    pub(super) now: Option<Material>,
}

/// The result of a merge.
pub(super) enum Merged {
    /// The face was like that already.
    AsBefore,
    /// This many of the given rectangles were replaced.
    Replaced(usize),
    /// There are too many materials.
    TooMany,
}

/// Reusable buffers for merging a part of a plane again.
#[derive(Clone, Debug, Default)]
pub(super) struct Rerun {
    spans: Vec<Span>,
    materials: [Material; FEW],
    count: usize,
    /// Rows at which a rectangle begins or has ended.
    events: u64,
}

impl Rerun {
    /// Changes one face and merges until the open rectangles equal the old ones. The quads are
    /// those of the plane that do not end above the face.
    #[inline(always)]
    pub(super) fn merge<Q: Quad>(
        &mut self,
        quads: &[Q],
        axis: usize,
        wanted: Wanted,
        mut emit: impl FnMut(&Rect, Material),
    ) -> Merged {
        self.count = 0;
        // A surface without materials reports the same one for all quads.
        if !Q::HAS_MATERIAL {
            self.materials[0] = Material::AIR;
        }
        let Wanted { row, column, now } = wanted;
        let Some(near) = self.near(quads, axis, row) else {
            return Merged::TooMany;
        };
        if self.material_in(&near.here, column) == now {
            return Merged::AsBefore;
        }
        let mut here = near.here;
        here.erase(1 << column);
        if let Some(material) = now {
            let Some(number) = self.number_of::<Q>(material) else {
                return Merged::TooMany;
            };
            here.put::<Q>(1 << column, number);
        }
        let mut open = Open {
            faces: near.before.faces,
            starts: near.before.starts,
            first_row: near.begun,
        };
        let begun_here = self.step(&mut open, row, &here, &near.before, &mut emit);
        let begun_behind = self.step(&mut open, row + 1, &near.behind, &here, &mut emit);
        // Rectangles that begin above the change are identified by their first column.
        let alike = near.behind.starts == open.starts
            && near.begun_behind == begun_behind
            && near.begun_here == begun_here & open.starts & !begun_behind;
        if alike {
            return Merged::Replaced(near.ended);
        }
        if !self.keep(quads, axis) {
            return Merged::TooMany;
        }
        Merged::Replaced(self.merge_rest::<Q>(row + 2, open, near.behind, emit))
    }

    /// Advances to a row; returns the first columns of rectangles that begin there.
    #[inline(always)]
    fn step(
        &self,
        open: &mut Open,
        row: u32,
        line: &Line,
        above: &Line,
        emit: &mut impl FnMut(&Rect, Material),
    ) -> u32 {
        open.step(row, line.faces, line.down(above), line.across(), |rect| {
            let number = above.number(rect.column);
            emit(rect, self.materials[number as usize % FEW]);
        })
    }

    /// Collects the rows around a row; `None` if there are too many materials.
    #[inline(always)]
    fn near<Q: Quad>(&mut self, quads: &[Q], axis: usize, row: u32) -> Option<Near> {
        let mut near = Near {
            before: Line::default(),
            here: Line::default(),
            behind: Line::default(),
            begun: [0; 2 * SIDE],
            begun_here: 0,
            begun_behind: 0,
            ended: 0,
        };
        for quad in quads {
            let rect = quad.place(axis);
            if rect.row > row + 1 {
                continue;
            }
            let number = self.number_of::<Q>(quad.material())?;
            let span = Span::new(&rect, number);
            near.ended += usize::from(rect.row + rect.rows <= row + 1);
            // Rectangles that begin above the change all reach into the row above: none ends there.
            let above = if_below(rect.row, row);
            let begins = [row, row + 1].map(|at| if_below(rect.row ^ at, 1));
            let first = span.mask & span.mask.wrapping_neg();
            near.before.put::<Q>(span.mask & above, number);
            near.before.starts |= first & above;
            let column = (rect.column & above) | (SIDE as u32 & !above);
            near.begun[column as usize % (2 * SIDE)] = rect.row as u8;
            near.here.put::<Q>(span.mask_in(row), number);
            let behind = span.mask_in(row + 1);
            near.behind.put::<Q>(behind, number);
            near.behind.starts |= first & behind;
            near.begun_here |= first & behind & begins[0];
            near.begun_behind |= first & behind & begins[1];
        }
        Some(near)
    }

    #[inline(always)]
    fn number_of<Q: Quad>(&mut self, material: Material) -> Option<u32> {
        if !Q::HAS_MATERIAL {
            return Some(0);
        }
        let held = |number: usize| u32::from(self.materials[number] == material) << number;
        let known = (0..FEW).map(held).sum::<u32>() & !(u32::MAX << self.count);
        if known == 0 {
            let place = self.materials.get_mut(self.count)?;
            *place = material;
            self.count += 1;
            return Some(self.count as u32 - 1);
        }
        Some(known.trailing_zeros())
    }

    /// Returns the material of a face in a row, if there is a face.
    #[inline]
    fn material_in(&self, line: &Line, column: u32) -> Option<Material> {
        ((line.faces >> column) & 1 != 0)
            .then(|| self.materials[line.number(column) as usize % FEW])
    }

    /// Stores the rectangles. Returns false if there are too many materials.
    fn keep<Q: Quad>(&mut self, quads: &[Q], axis: usize) -> bool {
        self.spans.clear();
        self.events = 1 << SIDE;
        for quad in quads {
            let rect = quad.place(axis);
            let Some(number) = self.number_of::<Q>(quad.material()) else {
                return false;
            };
            self.events |= (1 << rect.row) | (1 << (rect.row + rect.rows));
            self.spans.push(Span::new(&rect, number));
        }
        true
    }

    /// Merges from a row on, which lies below `above`, until the open rectangles equal the old
    /// ones. Returns the number of replaced rectangles.
    fn merge_rest<Q: Quad>(
        &mut self,
        row: u32,
        mut open: Open,
        mut above: Line,
        mut emit: impl FnMut(&Rect, Material),
    ) -> usize {
        let mut rest = self.events & (u64::MAX << row);
        while rest != 0 {
            let at = rest.trailing_zeros();
            rest &= rest - 1;
            let line = self.line::<Q>(at);
            self.step(&mut open, at, &line, &above, &mut emit);
            above = line;
            if line.starts == open.starts && self.is_open_alike(at, &open) {
                let ended = |span: &Span| span.row + span.rows <= at;
                return self.spans.partition_point(ended);
            }
        }
        self.spans.len()
    }

    /// Returns the old faces of a row.
    fn line<Q: Quad>(&self, row: u32) -> Line {
        let mut line = Line::default();
        for span in &self.spans {
            let mask = span.mask_in(row);
            line.put::<Q>(mask, span.number);
            line.starts |= mask & mask.wrapping_neg();
        }
        line
    }

    /// Returns true if the open rectangles began in the same rows as the old ones in the same
    /// columns.
    fn is_open_alike(&self, row: u32, open: &Open) -> bool {
        self.spans.iter().all(|span| {
            let column = span.mask.trailing_zeros() as usize % SIDE;
            span.mask_in(row) == 0 || u32::from(open.first_row[column]) == span.row
        })
    }
}
