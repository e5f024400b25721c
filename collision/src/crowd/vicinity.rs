//! Characters near each other: box queries to the grid or a plan.

use crate::box_lookup::Surroundings;
use crate::crowd::columns::Stood;
use crate::crowd::plan::Plan;
use crate::paged_grid::{PagedGrid, SECTOR_SIDE};
use crate::position::{Cell, Position, whole_below};
use crate::tolerance::{DRIFT, REACH_MARGIN, WIDEST_SKIN};
use nalgebra::Vector3;
use std::cmp::Ordering;

/// Grid cells are `2^CELL_BITS` metres wide, by axis: a few characters each in a crowd, and the
/// reach of one spans few of them. They are higher than wide: in the air some characters are always
/// fast, and the reach of others has to cover those that may fall on them.
const CELL_BITS: [u32; 3] = [1, 3, 1];

/// Distance of a push that wakes a sleeping character, in metres: the longest push, and the reach
/// of a sleeping character.
pub(crate) const WAKE_REACH: f32 = 0.75;

const _: () = assert!(2.0 * WIDEST_SKIN + REACH_MARGIN + DRIFT < WAKE_REACH);

/// Returns the grid cell of a position.
#[inline]
pub(crate) fn grid_cell(position: &Position) -> Vector3<i32> {
    cell_of(position.cell)
}

/// Returns the grid cell of a cell of space.
#[inline]
fn cell_of(metres: Cell) -> Vector3<i32> {
    Vector3::from_fn(|axis, _| metres[axis] >> CELL_BITS[axis])
}

/// Characters in their grid, and maybe on a plan.
#[derive(Clone, Copy)]
pub(crate) struct Neighbourhood<'a> {
    pub(crate) grid: &'a PagedGrid,
    pub(crate) stood: &'a [Stood],
    /// The largest half extents of any character, in metres.
    pub(crate) largest: Vector3<f32>,
    /// A plan, if one was made, and the farthest that any character may have moved or grown since,
    /// by axis, in metres. Queries use it instead of the grid.
    pub(crate) plan: Option<(&'a Plan, Vector3<f32>)>,
}

impl Neighbourhood<'_> {
    /// Calls `visit` for every sector with a table: its lowest cell, its sides in metres, and the
    /// number of its characters.
    pub(crate) fn visit_sectors(&self, mut visit: impl FnMut(Cell, Vector3<i32>, u32)) {
        let sides = Vector3::from(CELL_BITS.map(|bits| SECTOR_SIDE << bits));
        self.grid.visit_sectors(|sector, population| {
            let lowest = sector.zip_map(&sides, i32::wrapping_mul);
            visit(lowest, sides, population);
        });
    }

    /// Calls `visit` with the row of every other character whose box comes within `reach` of the
    /// box of `own`, and the offset of its centre from that of `own`. The order is arbitrary.
    #[inline]
    pub(crate) fn visit(
        &self,
        own: usize,
        reach: Vector3<f32>,
        visit: impl FnMut(usize, &Stood, Vector3<f32>),
    ) {
        let from = &self.stood[own];
        let allowed = from.extent + reach;
        self.visit_others(&from.position, allowed, own, visit);
    }

    /// Calls `visit` with the rows of all of them, and maybe of some that are a little farther.
    #[inline]
    pub(crate) fn visit_rows(&self, own: usize, reach: Vector3<f32>, mut visit: impl FnMut(usize)) {
        let from = &self.stood[own];
        let wide = self.wide(from.extent + reach);
        match self.plan {
            Some((plan, drift)) => plan.visit(&from.position, wide + drift, own, visit),
            None => self.visit_cells(own, wide, &mut visit),
        }
    }

    /// Visits the rows near one by the grid. Never inlined: it serves ticks in which few move.
    #[inline(never)]
    fn visit_cells(&self, own: usize, wide: Vector3<f32>, visit: &mut dyn FnMut(usize)) {
        self.ask_grid(&self.stood[own].position, wide, |row| {
            if row as usize != own {
                visit(row as usize);
            }
        });
    }

    /// Returns the half extents of a box that holds the centres of all characters whose boxes meet
    /// one of half extents `extent`.
    #[inline]
    fn wide(&self, extent: Vector3<f32>) -> Vector3<f32> {
        extent + self.largest
    }

    /// Calls `visit` for every character whose box meets the box of half extents `extent` about a
    /// position.
    #[inline]
    pub(crate) fn visit_box(
        &self,
        center: &Position,
        extent: Vector3<f32>,
        visit: impl FnMut(usize, &Stood, Vector3<f32>),
    ) {
        self.visit_others(center, extent, usize::MAX, visit);
    }

    /// Visits like [`Self::visit_box`], without the row `but`.
    #[inline]
    fn visit_others(
        &self,
        center: &Position,
        extent: Vector3<f32>,
        but: usize,
        mut visit: impl FnMut(usize, &Stood, Vector3<f32>),
    ) {
        let wide = self.wide(extent);
        let around = Surroundings::new(center, extent);
        let mut consider = |row: usize| {
            let other = &self.stood[row];
            if around.meets(&other.position, &other.extent) {
                visit(row, other, other.position.since(center));
            }
        };
        match self.plan {
            Some((plan, drift)) => plan.visit(center, wide + drift, but, consider),
            None => self.ask_grid(center, wide, |row| {
                if row as usize != but {
                    consider(row as usize);
                }
            }),
        }
    }

    /// Calls `visit` with the characters in all grid cells that a box touches.
    fn ask_grid(&self, center: &Position, wide: Vector3<f32>, visit: impl FnMut(u32)) {
        let (min, max) = (shifted(center, -wide), shifted(center, wide));
        if min.wraps || max.wraps {
            self.visit_around(min.metres, max.metres, wide, visit);
        } else {
            let cells = [min.metres, max.metres].map(cell_of);
            self.grid.visit(cells[0], cells[1], visit);
        }
    }

    /// Visits a box across the ends of `i32` in parts: it continues from the opposite end.
    #[cold]
    fn visit_around(&self, min: Cell, max: Cell, wide: Vector3<f32>, mut visit: impl FnMut(u32)) {
        let all = [i32::MIN, i32::MAX];
        let parts = |axis: usize| {
            let (low, high) = (min[axis], max[axis]);
            if wide[axis] >= WHOLE_SPACE {
                [Some(all), None]
            } else if low <= high {
                [Some([low, high]), None]
            } else {
                [Some([low, all[1]]), Some([all[0], high])]
            }
        };
        for x in parts(0).into_iter().flatten() {
            for y in parts(1).into_iter().flatten() {
                for z in parts(2).into_iter().flatten() {
                    let cells = [0, 1].map(|end| Cell::new(x[end], y[end], z[end]));
                    let cells = cells.map(cell_of);
                    self.grid.visit(cells[0], cells[1], &mut visit);
                }
            }
        }
    }
}

/// Half a box of this many metres reaches around all of space, in metres.
const WHOLE_SPACE: f32 = 1.0e9;

/// The cell that holds a point beside a position.
struct Shifted {
    metres: Cell,
    /// True if it lies beyond an end of `i32`, and so wraps.
    wraps: bool,
}

/// Returns the cell at an offset in metres from a position.
#[inline]
fn shifted(position: &Position, by: Vector3<f32>) -> Shifted {
    let mut shifted = Shifted {
        metres: position.cell,
        wraps: false,
    };
    for axis in 0..3 {
        let metres = whole_below(position.offset[axis] + by[axis]) as i32;
        let (cell, wraps) = position.cell[axis].overflowing_add(metres);
        shifted.metres[axis] = cell;
        shifted.wraps |= wraps;
    }
    shifted
}

/// Orders offsets by their components alone.
#[inline]
pub(crate) fn by_place(a: &Vector3<f32>, b: &Vector3<f32>) -> Ordering {
    a.x.total_cmp(&b.x)
        .then(a.z.total_cmp(&b.z))
        .then(a.y.total_cmp(&b.y))
}
