//! Symmetry of the brush: strokes are repeated across planes through one cell.

use collision::Cell;
use serde::{Deserialize, Serialize};

use super::{Joins, Stroke};

/// The axes that planes can stand across.
pub const AXES: [usize; 2] = [0, 2];

/// The planes of symmetry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Symmetry {
    /// The cell through whose middle the planes go.
    pub about: [i32; 3],
    /// True for planes that stand across x and across z.
    pub across: [bool; 2],
}

impl Symmetry {
    /// Returns whether there is any mirror.
    pub fn is_on(&self) -> bool {
        self.across.contains(&true)
    }

    fn mirrored(&self, cell: Cell, axis: usize) -> Cell {
        let mut mirrored = cell;
        mirrored[axis] = self.about[axis]
            .wrapping_mul(2)
            .wrapping_sub(mirrored[axis]);
        mirrored
    }

    /// Adds the mirror images of cells, but for those that lie in a plane.
    fn extend(&self, cells: &mut Vec<Cell>) {
        for (axis, _) in AXES.into_iter().zip(self.across).filter(|(_, on)| *on) {
            for index in 0..cells.len() {
                let mirrored = self.mirrored(cells[index], axis);
                if mirrored != cells[index] {
                    cells.push(mirrored);
                }
            }
        }
    }

    /// Returns a stroke and its mirror images, which join it.
    pub fn images(&self, stroke: &Stroke) -> Vec<Stroke> {
        let mut centers = vec![stroke.center];
        self.extend(&mut centers);
        let images = centers.into_iter().enumerate();
        let joins = |index| {
            if index == 0 {
                stroke.joins
            } else {
                Joins::Before
            }
        };
        images
            .map(|(index, center)| Stroke {
                center,
                joins: joins(index),
                ..*stroke
            })
            .collect()
    }

    /// Adds the mirror images of cells about a centre; none twice, as far as the brush reaches over
    /// a plane.
    pub fn extend_ghost(&self, center: Cell, reach: u32, ghost: &mut Vec<Cell>) {
        self.extend(ghost);
        let crosses = |axis: usize| center[axis].abs_diff(self.about[axis]) <= reach;
        if self.is_on() && AXES.into_iter().any(crosses) {
            ghost.sort_unstable_by_key(|cell| (cell.x, cell.y, cell.z));
            ghost.dedup();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn about(across: [bool; 2]) -> Symmetry {
        Symmetry {
            about: [10, 0, -4],
            across,
        }
    }

    #[test]
    fn strokes_are_repeated_across_each_plane_once() {
        let images = |across, cell: [i32; 3]| {
            let mut cells = vec![Cell::from(cell)];
            about(across).extend(&mut cells);
            cells.into_iter().map(<[i32; 3]>::from).collect::<Vec<_>>()
        };
        assert_eq!(images([false, false], [12, 3, 5]), [[12, 3, 5]]);
        assert_eq!(images([true, false], [12, 3, 5]), [[12, 3, 5], [8, 3, 5]]);
        assert_eq!(
            images([true, true], [12, 3, 5]),
            [[12, 3, 5], [8, 3, 5], [12, 3, -13], [8, 3, -13]]
        );
        assert_eq!(images([true, true], [10, 3, -4]), [[10, 3, -4]], "in both");
        assert_eq!(
            images([true, true], [10, 3, -3]),
            [[10, 3, -3], [10, 3, -5]]
        );
    }

    #[test]
    fn a_ghost_over_a_plane_has_no_cell_twice() {
        let mut ghost: Vec<Cell> = (8..=11).map(|x| Cell::new(x, 0, 7)).collect();
        about([true, false]).extend_ghost(Cell::new(9, 0, 7), 2, &mut ghost);
        let seen: Vec<i32> = ghost.iter().map(|cell| cell.x).collect();
        assert_eq!(seen, [8, 9, 10, 11, 12]);
    }
}
