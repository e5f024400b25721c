//! Taking rectangles off a plane: along a row first, then over the rows below.
//!
//! Rectangles are followed from row to row, all of a row at once: those that the next row covers go on, the others end,
//! and what is not covered yet begins new ones. Rows that are like the one above need not be looked at, so the work is
//! that of the rectangles and not of the faces. Rectangles come in order of their last row, then of their column.

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

/// The faces of a plane and where what they are made of changes. Rows are 0 to 31.
pub(super) trait Plane {
    /// Which faces of a row are there.
    fn faces(&self, row: usize) -> u32;
    /// The columns that must not grow together with the column before; anything for column 0 or where a face is missing.
    fn across(&self, row: usize) -> u32;
    /// The columns that must not grow together with the row above; anything for row 0 or where a face is missing.
    fn down(&self, row: usize) -> u32;
}

/// Whether a row must be looked at: faces come or go, or change what they are made of.
#[inline(always)]
pub(super) fn turns(faces: u32, above: u32, down: u32) -> bool {
    (faces ^ above) | (above & down) != 0
}

/// The rows of a plane that must be looked at.
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

/// Rectangles that reach into a row, and the row each began at, by its first column.
pub(super) struct Open {
    /// The faces they take up: all of the row.
    pub(super) faces: u32,
    /// Their first columns.
    pub(super) starts: u32,
    /// By column; what lies behind the last column belongs to no rectangle.
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
    /// Goes on to a row of these faces: `down` are those that differ from the row above, `across` from the column before. Gives
    /// what ends, and returns the first columns of what begins.
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

    /// Gives the rectangles that have one of these faces; returns all their faces.
    #[inline(always)]
    fn end(&self, row: u32, mut lost: u32, mut emit: impl FnMut(&Rect)) -> u32 {
        // There is always a stop behind the last column.
        let stops = u64::from(self.starts) | !u64::from(self.faces);
        let mut ended = 0_u64;
        while let Some(face) = NonZeroU32::new(lost) {
            let behind = (u64::MAX - 1) << face.trailing_zeros();
            // At or before a face there is the start of its rectangle.
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
            // From the column up to the stop.
            ended = ended.wrapping_sub(unseen).wrapping_sub(1 << column);
            lost &= unseen as u32;
        }
        ended as u32
    }

    /// How many begin in a row is hard to foresee, but mostly they are two at most: those are noted without a branch, behind the
    /// last column where they are fewer.
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

/// Takes all rectangles. `turns` has a bit for each row that must be looked at.
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
