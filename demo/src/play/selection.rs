//! The selected box: two corners by clicks, then six handles that move its sides.

use collision::{Cell, Position};
use nalgebra::Vector3;
use simulation::MOST_COPIED;
use world::{CellBox, Ray};

/// Radius of a handle, as a share of its distance and at least, metres.
pub(super) const HANDLE_SHARE: f32 = 0.018;
pub(super) const HANDLE: f32 = 0.22;

/// A side of the box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Side {
    pub(super) axis: usize,
    /// True for the side with the larger coordinate.
    pub(super) far: bool,
}

pub(super) const SIDES: [Side; 6] = {
    let mut sides = [Side {
        axis: 0,
        far: false,
    }; 6];
    let mut number = 0;
    while number < 6 {
        sides[number] = Side {
            axis: number / 2,
            far: number % 2 == 1,
        };
        number += 1;
    }
    sides
};

/// The selection, while it is made and afterwards.
#[derive(Clone, Debug, Default)]
pub(super) struct Selection {
    /// The first corner, until the second is set.
    pub(super) first: Option<Cell>,
    /// The selected box.
    pub(super) cells: Option<CellBox>,
    /// The side that is being dragged.
    pub(super) dragged: Option<Side>,
}

/// Returns the middle of a side of a box.
pub(super) fn middle_of(cells: &CellBox, side: Side) -> Position {
    let size = cells
        .max
        .zip_map(&cells.min, |a, b| (a.wrapping_sub(b)) as f32 + 1.0);
    let mut offset = size * 0.5;
    offset[side.axis] = if side.far { size[side.axis] } else { 0.0 };
    Position::new(cells.min, Vector3::zeros()).moved(offset)
}

/// Returns the radius of a handle seen from an eye.
pub(super) fn handle_radius(handle: &Position, eye: &Position) -> f32 {
    (handle.since(eye).norm() * HANDLE_SHARE).max(HANDLE)
}

/// Returns the middles and radii of the handles of a box seen from an eye.
#[cfg(test)]
pub(crate) fn handles_of(cells: &CellBox, eye: &Position) -> Vec<(Position, f32)> {
    let middles = SIDES.map(|side| middle_of(cells, side));
    middles.map(|at| (at, handle_radius(&at, eye))).to_vec()
}

/// Returns the side whose handle a ray meets first.
pub(super) fn side_met(cells: &CellBox, ray: &Ray) -> Option<Side> {
    let met = SIDES.into_iter().filter_map(|side| {
        let handle = middle_of(cells, side);
        let way = handle.since(&ray.origin);
        let along = way.dot(&ray.direction);
        let aside = (way - ray.direction * along).norm();
        let is_met = along > 0.0 && aside < handle_radius(&handle, &ray.origin) * 1.4;
        is_met.then_some((along, side))
    });
    met.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, side)| side)
}

/// Returns the box with a side moved to the place that a ray points to along its axis.
pub(super) fn dragged(cells: &CellBox, side: Side, ray: &Ray) -> CellBox {
    let handle = middle_of(cells, side);
    let way = handle.since(&ray.origin);
    let mut axis = Vector3::zeros();
    axis[side.axis] = 1.0;
    // The point of the axis through the handle that is nearest to the ray.
    let slant = axis.dot(&ray.direction);
    let level = 1.0 - slant * slant;
    if level < 1e-3 {
        return *cells;
    }
    let along = (slant * ray.direction.dot(&way) - axis.dot(&way)) / level;
    let steps = along.round().clamp(-1e4, 1e4) as i32;
    let mut moved = *cells;
    let [low, high] = [cells.min[side.axis], cells.max[side.axis]];
    if side.far {
        moved.max[side.axis] = high
            .saturating_add(steps)
            .clamp(low, low.saturating_add(MOST_COPIED - 1));
    } else {
        moved.min[side.axis] = low
            .saturating_add(steps)
            .clamp(high.saturating_sub(MOST_COPIED - 1), high);
    }
    moved
}

/// Returns the box between two corners, cut to the longest side of a copy.
pub(super) fn between(first: Cell, second: Cell) -> CellBox {
    let reach = MOST_COPIED - 1;
    let near =
        |from: i32, to: i32| to.clamp(from.saturating_sub(reach), from.saturating_add(reach));
    let second = first.zip_map(&second, near);
    CellBox::new(first.inf(&second), first.sup(&second))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look(from: [i32; 3], at: &Position) -> Ray {
        let origin = Position::new(Cell::from(from), Vector3::repeat(0.5));
        Ray {
            direction: at.since(&origin).normalize(),
            origin,
        }
    }

    #[test]
    fn handles_are_met_and_follow_the_pointer_along_their_axis() {
        let cells = CellBox::new(Cell::new(0, 0, 0), Cell::new(4, 3, 2));
        let top = Side { axis: 1, far: true };
        let handle = middle_of(&cells, top);
        assert_eq!(handle.to_metres(), nalgebra::Point3::new(2.5, 4.0, 1.5));
        let ray = look([2, 9, 12], &handle);
        assert_eq!(side_met(&cells, &ray), Some(top));
        assert_eq!(dragged(&cells, top, &ray), cells, "nothing was dragged yet");
        let up = look([2, 9, 12], &handle.moved(Vector3::new(0.0, 3.0, 0.0)));
        assert_eq!(dragged(&cells, top, &up).max, Cell::new(4, 6, 2));
        assert_eq!(side_met(&cells, &up), None);
        // A side does not pass the one across.
        let down = look([2, 9, 12], &handle.moved(Vector3::new(0.0, -9.0, 0.0)));
        assert_eq!(dragged(&cells, top, &down).max.y, 0);
        let west = Side {
            axis: 0,
            far: false,
        };
        let far = look(
            [2, 9, 40],
            &middle_of(&cells, west).moved(Vector3::x() * -300.0),
        );
        assert_eq!(dragged(&cells, west, &far).min.x, 4 - MOST_COPIED + 1);
    }

    #[test]
    fn boxes_are_no_longer_than_a_copy() {
        let cells = between(Cell::new(5, 5, 5), Cell::new(i32::MAX, i32::MIN, 7));
        assert_eq!(cells.min, Cell::new(5, 5 - MOST_COPIED + 1, 5));
        assert_eq!(cells.max, Cell::new(5 + MOST_COPIED - 1, 5, 7));
    }
}
