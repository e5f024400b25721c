//! Taking rectangles off a plane: along a row first, then over the rows below.
//!
//! Rectangles are followed from row to row, all of a row at once: those that the next row covers go on, the others end,
//! and what is not covered yet begins new ones. Rows that are like the one above need not be looked at, so the work is
//! that of the rectangles and not of the faces. Rectangles come in order of their last row, then of their column.

use crate::chunk::SIDE;

/// A rectangle of a plane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rect {
    pub(super) row: u32,
    pub(super) column: u32,
    pub(super) rows: u32,
    pub(super) columns: u32,
}

/// The faces of a plane and what they are made of. Rows are 0 to 31.
pub(super) trait Plane {
    /// What faces must share to grow together.
    type Key: Copy;
    /// Which faces of a row are there.
    fn faces(&self, row: usize) -> u32;
    /// Bit `c`: columns `c` and `c + 1` share their key. Bits where a face is missing may be anything.
    fn along(&self, row: usize) -> u32;
    /// The columns that share their key with the row above; anything for row 0 or where a face is missing.
    fn down(&self, row: usize) -> u32;
    /// The key of a face.
    fn key(&self, row: usize, column: u32) -> Self::Key;
}

/// Whether a row must be looked at: faces come or go, or change their key.
#[inline(always)]
pub(super) fn turns(faces: u32, above: u32, differs: u32) -> bool {
    (faces ^ above) | (above & differs) != 0
}

/// The rows of a plane that must be looked at.
#[inline]
pub(super) fn turns_of(plane: &impl Plane) -> u32 {
    let mut above = 0;
    (0..SIDE).fold(0, |found, row| {
        let faces = plane.faces(row);
        let turned = turns(faces, above, !plane.down(row));
        above = faces;
        found | (u32::from(turned) << row)
    })
}

/// Takes all rectangles. `turns` has a bit for each row that must be looked at.
#[inline(always)]
pub(super) fn take_rectangles<P: Plane>(
    plane: &P,
    turns: u32,
    mut emit: impl FnMut(&Rect, P::Key),
) {
    if turns == 0 {
        return;
    }
    let mut rest = u64::from(turns) | (1 << SIDE);
    let (mut active, mut starts) = (0_u32, 0_u32);
    let mut first_row = [0_u8; SIDE];
    while rest != 0 {
        let row = rest.trailing_zeros();
        rest &= rest - 1;
        let (inner, inside) = (row as usize % SIDE, u32::from(row < 32).wrapping_neg());
        let faces = plane.faces(inner) & inside;
        let mut lost = active & !(faces & plane.down(inner));
        while lost != 0 {
            let upto = u32::MAX >> (31 - lost.trailing_zeros());
            let column = 31 - (starts & upto).leading_zeros();
            let others = u64::from(!active | (starts & !upto)) | (1 << SIDE);
            let end = (others >> column).trailing_zeros() + column;
            let mask = ((1_u64 << end) - (1_u64 << column)) as u32;
            let begin = u32::from(first_row[column as usize % SIDE]);
            let rect = Rect {
                row: begin,
                column,
                rows: row - begin,
                columns: end - column,
            };
            emit(&rect, plane.key(begin as usize % SIDE, column));
            active &= !mask;
            starts &= !mask;
            lost &= !mask;
        }
        let fresh = faces & !active;
        let mut begun = fresh & !((fresh & plane.along(inner)) << 1);
        starts |= begun;
        active = faces;
        while begun != 0 {
            first_row[begun.trailing_zeros() as usize % SIDE] = row as u8;
            begun &= begun - 1;
        }
    }
}
