//! Who is near whom: the grid, asked in boxes.

use crate::crowd::columns::Stood;
use crate::paged_grid::{PagedGrid, SECTOR_SIDE};
use crate::position::{Cell, Position};
use nalgebra::Vector3;
use std::cmp::Ordering;

/// Grid cells are `2^CELL_BITS` metres wide: a few characters each in a crowd, and a mover's reach spans few of them.
const CELL_BITS: u32 = 1;

/// The grid cell of a position.
#[inline]
pub(crate) fn grid_cell(position: &Position) -> Vector3<i32> {
    position.cell.map(|metre| metre >> CELL_BITS)
}

/// Characters in their grid.
#[derive(Clone, Copy)]
pub(crate) struct Neighbourhood<'a> {
    pub(crate) grid: &'a PagedGrid,
    pub(crate) stood: &'a [Stood],
    /// The largest half extents of anybody, in metres.
    pub(crate) largest: Vector3<f32>,
}

impl Neighbourhood<'_> {
    /// Calls `visit` for every sector with a table: its lowest cell, its side in metres, and how many are in it.
    pub(crate) fn visit_sectors(&self, mut visit: impl FnMut(Cell, i32, u32)) {
        let side = SECTOR_SIDE << CELL_BITS;
        self.grid.visit_sectors(|sector, population| {
            visit(sector.map(|part| part.wrapping_mul(side)), side, population);
        });
    }

    /// Calls `visit` with the row of everybody whose box comes within `reach` of the box of `own`, and how far their centre is from
    /// the centre of `own`. In no order that counts.
    #[inline]
    pub(crate) fn visit(
        &self,
        own: usize,
        reach: Vector3<f32>,
        mut visit: impl FnMut(usize, &Stood, Vector3<f32>),
    ) {
        let from = &self.stood[own];
        let allowed = from.extent + reach;
        self.visit_box(&from.position, allowed, |row, other, offset| {
            if row != own {
                visit(row, other, offset);
            }
        });
    }

    /// The same for a box of half extents `extent` about any position.
    #[inline]
    pub(crate) fn visit_box(
        &self,
        center: &Position,
        extent: Vector3<f32>,
        mut visit: impl FnMut(usize, &Stood, Vector3<f32>),
    ) {
        let wide = extent + self.largest;
        let min = shifted_cell(center, -wide);
        let max = shifted_cell(center, wide);
        self.grid.visit(min, max, |row| {
            let other = &self.stood[row as usize];
            let offset = other.position.since(center);
            let meets = |axis: usize| offset[axis].abs() <= extent[axis] + other.extent[axis];
            if meets(0) && meets(2) && meets(1) {
                visit(row as usize, other, offset);
            }
        });
    }
}

/// The grid cell some metres away; stays inside `i32` at its ends.
#[inline]
fn shifted_cell(position: &Position, by: Vector3<f32>) -> Vector3<i32> {
    let axis = |i: usize| {
        // The usual `floor` is a call of the C library without SSE4, and would be the dearest part of a visit.
        let reach = position.offset[i] + by[i];
        let whole = reach as i32;
        let metres = whole.saturating_sub(i32::from(reach < whole as f32));
        position.cell[i].saturating_add(metres) >> CELL_BITS
    };
    Cell::new(axis(0), axis(1), axis(2))
}

/// An order of offsets that depends on nothing but the offsets.
#[inline]
pub(crate) fn by_place(a: &Vector3<f32>, b: &Vector3<f32>) -> Ordering {
    a.x.total_cmp(&b.x)
        .then(a.z.total_cmp(&b.z))
        .then(a.y.total_cmp(&b.y))
}
