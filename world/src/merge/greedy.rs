//! Divides the faces of a plane into rectangles: as wide as possible, then over the rows below.
//!
//! A pass over the rows handles all rectangles of a row at once: those that the next row covers
//! continue, the others end, and uncovered faces begin new ones. Rows identical to the one above
//! are skipped, so the work grows with the rectangles and not with the faces. Rectangles are
//! emitted in order of their last row, then column.

use crate::chunk::SIDE;
use std::num::NonZeroU32;

/// A rectangle of a plane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rect {
    pub(super) row: u32,
    pub(super) column: u32,
    pub(super) rows: u32,
    pub(super) columns: u32,
}

/// The faces of a plane and the borders between their materials. Rows are 0 to 31.
pub(super) trait Plane {
    /// Returns the faces of a row.
    fn faces(&self, row: usize) -> u32;
    /// Returns the columns that must not be merged with the column before; any bit for column 0 or
    /// without a face.
    fn across(&self, row: usize) -> u32;
    /// Returns the columns that must not be merged with the row above; any bit for row 0 or without
    /// a face.
    fn down(&self, row: usize) -> u32;
}

/// Returns true if a row must be processed: faces begin, end, or change material.
#[inline(always)]
pub(super) fn turns(faces: u32, above: u32, down: u32) -> bool {
    (faces ^ above) | (above & down) != 0
}

/// Returns the rows of a plane that must be processed.
#[inline]
pub(super) fn turns_of(plane: &impl Plane) -> u32 {
    let mut above = 0;
    (0..SIDE).fold(0, |found, row| {
        let faces = plane.faces(row);
        let turned = turns(faces, above, plane.down(row));
        above = faces;
        found | (u32::from(turned) << row)
    })
}

/// The rectangles that reach into a row, with their first rows by first column.
pub(super) struct Open {
    /// Faces covered by the rectangles: all of the row.
    pub(super) faces: u32,
    /// First columns of the rectangles.
    pub(super) starts: u32,
    /// First row by first column; entries behind the last column belong to no rectangle.
    pub(super) first_row: [u8; 2 * SIDE],
}

impl Default for Open {
    #[inline(always)]
    fn default() -> Self {
        Self {
            faces: 0,
            starts: 0,
            first_row: [0; 2 * SIDE],
        }
    }
}

impl Open {
    /// Advances to a row with these faces. `down` are those that differ from the row above,
    /// `across` those from the column before. Emits the rectangles that end; returns the first
    /// columns of those that begin.
    #[inline(always)]
    pub(super) fn step(
        &mut self,
        row: u32,
        faces: u32,
        down: u32,
        across: u32,
        mut emit: impl FnMut(&Rect),
    ) -> u32 {
        let lost = self.faces & (!faces | down);
        let ended = self.end(row, lost, &mut emit);
        let fresh = faces & !(self.faces & !ended);
        let begun = fresh & (!(fresh << 1) | across);
        self.starts &= !ended;
        self.starts |= begun;
        self.faces = faces;
        self.note_first_row(row as u8, begun);
        begun
    }

    /// Emits the rectangles that have one of these faces; returns all their faces.
    #[inline(always)]
    fn end(&self, row: u32, mut lost: u32, mut emit: impl FnMut(&Rect)) -> u32 {
        // The bit behind the last column is always a stop.
        let stops = u64::from(self.starts) | !u64::from(self.faces);
        let mut ended = 0_u64;
        while let Some(face) = NonZeroU32::new(lost) {
            let behind = (u64::MAX - 1) << face.trailing_zeros();
            // The start of a rectangle is at or before each of its faces.
            let column = ((self.starts & !(behind as u32)) | 1).ilog2();
            let stop = (stops & behind).trailing_zeros();
            let begin = u32::from(self.first_row[column as usize % (2 * SIDE)]);
            emit(&Rect {
                row: begin,
                column,
                rows: row - begin,
                columns: stop - column,
            });
            let unseen = u64::MAX << stop;
            // Adds the bits from the column up to the stop.
            ended = ended.wrapping_sub(unseen).wrapping_sub(1 << column);
            lost &= unseen as u32;
        }
        ended as u32
    }

    /// The number of rectangles that begin in a row is hard to predict, but rarely more than two:
    /// two are written without a branch, unused ones behind the last column.
    #[inline(always)]
    fn note_first_row(&mut self, row: u8, begun: u32) {
        const NONE: u64 = 1 << SIDE;
        let mut rest = u64::from(begun) | NONE;
        for _ in 0..2 {
            self.first_row[rest.trailing_zeros() as usize % (2 * SIDE)] = row;
            rest = (rest & (rest - 1)) | NONE;
        }
        while rest != NONE {
            self.first_row[rest.trailing_zeros() as usize % (2 * SIDE)] = row;
            rest &= rest - 1;
        }
    }
}

/// Emits all rectangles. `turns` has a bit for each row that must be processed.
#[inline(always)]
pub(super) fn take_rectangles(plane: &impl Plane, turns: u32, mut emit: impl FnMut(&Rect)) {
    if turns == 0 {
        return;
    }
    let mut open = Open::default();
    let mut rest = turns;
    while let Some(next) = NonZeroU32::new(rest) {
        let row = next.trailing_zeros() as usize % SIDE;
        rest &= rest - 1;
        let (faces, down, across) = (plane.faces(row), plane.down(row), plane.across(row));
        open.step(row as u32, faces, down, across, &mut emit);
    }
    open.step(SIDE as u32, 0, 0, 0, emit);
}
