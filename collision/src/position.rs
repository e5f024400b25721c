//! Places: an integer cell and an `f32` offset inside it, so that a place far out is as exact as
//! the origin.

use nalgebra::{Point3, Vector3};
use thiserror::Error;

/// A cell of one cubic metre. Differences wrap, so the whole range of `i32` is one torus.
pub type Cell = Vector3<i32>;

/// A place in the world: a cell and an offset inside it, each component of the offset in `[0, 1)`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "parts::Parts"))]
pub struct Position {
    /// The cell, in metres.
    pub cell: Cell,
    /// The offset inside the cell, in metres, each component in `[0, 1)`.
    pub offset: Vector3<f32>,
}

/// The fields of a position before it is checked.
#[cfg(feature = "serde")]
mod parts {
    use super::{Cell, OFFSET_OUTSIDE, Position};
    use nalgebra::Vector3;
    use thiserror::Error;

    /// The offset is not inside of the cell.
    #[derive(Debug, Error)]
    #[error("{OFFSET_OUTSIDE}")]
    pub(super) struct OffsetOutside;

    #[derive(serde::Deserialize)]
    pub(super) struct Parts {
        cell: Cell,
        offset: Vector3<f32>,
    }

    impl TryFrom<Parts> for Position {
        type Error = OffsetOutside;

        fn try_from(parts: Parts) -> Result<Self, OffsetOutside> {
            let Parts { cell, offset } = parts;
            let position = Self { cell, offset };
            position.is_sound().then_some(position).ok_or(OffsetOutside)
        }
    }
}

/// The fault of a position that did not come from a constructor.
pub(crate) const OFFSET_OUTSIDE: &str =
    "the offset of a position must be finite and inside its cell; build it with Position::new";

/// A point that is not a valid position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a point must be finite, and each coordinate from -2147483648 to below 2147483648 m")]
pub struct PositionError;

impl Default for Position {
    fn default() -> Self {
        Self {
            cell: Cell::zeros(),
            offset: Vector3::zeros(),
        }
    }
}

impl Position {
    /// Returns the position of a cell and an offset; whole metres of the offset move into the cell.
    /// A component that is not finite becomes zero.
    #[inline]
    #[must_use]
    pub fn new(cell: Cell, offset: Vector3<f32>) -> Self {
        let mut position = Self { cell, offset };
        for axis in 0..3 {
            let (whole, rest) = split(position.offset[axis]);
            position.cell[axis] = position.cell[axis].wrapping_add(whole);
            position.offset[axis] = rest;
        }
        position
    }

    /// Returns the position nearest to a point in metres. Points beyond the range of `i32` wrap; a
    /// component that is not finite becomes zero.
    #[must_use]
    pub fn from_metres(point: Point3<f64>) -> Self {
        let mut cell = Cell::zeros();
        let mut offset = Vector3::zeros();
        for axis in 0..3 {
            let value = if point[axis].is_finite() {
                point[axis]
            } else {
                0.0
            };
            let whole = value.floor();
            cell[axis] = whole.rem_euclid(4_294_967_296.0) as u32 as i32;
            offset[axis] = (value - whole) as f32;
        }
        Self::new(cell, offset)
    }

    /// Returns the position nearest to a point in metres, which must be finite and inside the
    /// world.
    pub fn try_from_metres(point: Point3<f64>) -> Result<Self, PositionError> {
        let position = Self::from_metres(point);
        // A point outside was wrapped, or set to zero.
        let is_near = (position.to_metres() - point)
            .iter()
            .all(|way| way.abs() < 1.0);
        is_near.then_some(position).ok_or(PositionError)
    }

    /// Returns this position as a point in metres, exact to the last bit of the offset.
    #[must_use]
    pub fn to_metres(&self) -> Point3<f64> {
        let axis = |i: usize| f64::from(self.cell[i]) + f64::from(self.offset[i]);
        Point3::new(axis(0), axis(1), axis(2))
    }

    /// Returns the offset of this position from the corner of `base`. Integers are subtracted
    /// first.
    #[inline]
    #[must_use]
    pub fn relative_to(&self, base: Cell) -> Vector3<f32> {
        let axis = |i: usize| self.cell[i].wrapping_sub(base[i]) as f32 + self.offset[i];
        Vector3::new(axis(0), axis(1), axis(2))
    }

    /// Returns the position `local` metres from the corner of `base`.
    #[inline]
    #[must_use]
    pub fn from_local(base: Cell, local: Vector3<f32>) -> Self {
        Self::new(base, local)
    }

    /// Returns this position moved by a displacement in metres.
    #[inline]
    #[must_use]
    pub fn moved(&self, displacement: Vector3<f32>) -> Self {
        Self::new(self.cell, self.offset + displacement)
    }

    /// Returns whether the offset is inside of the cell, as it is from a constructor.
    pub(crate) fn is_sound(&self) -> bool {
        self.offset.iter().all(|part| (0.0..1.0).contains(part))
    }

    /// Returns whether the two are equal to the last bit.
    #[inline]
    pub(crate) fn same_bits(&self, other: &Self) -> bool {
        self.cell == other.cell && self.offset.map(f32::to_bits) == other.offset.map(f32::to_bits)
    }

    /// Returns the displacement from `from` to here, in metres; exact for near places, rounded for
    /// far ones.
    #[inline]
    #[must_use]
    pub fn since(&self, from: &Self) -> Vector3<f32> {
        let axis = |i: usize| {
            self.cell[i].wrapping_sub(from.cell[i]) as f32 + (self.offset[i] - from.offset[i])
        };
        Vector3::new(axis(0), axis(1), axis(2))
    }
}

/// Returns the way from one cell to another, in metres.
pub(crate) fn between(from: Cell, to: Cell) -> Vector3<f32> {
    Vector3::from_fn(|axis, _| to[axis].wrapping_sub(from[axis]) as f32)
}

/// Splits metres into whole cells and a rest in `[0, 1)`. A tiny negative value rounds up to the
/// next cell; a value that is not finite becomes zero.
#[inline]
fn split(value: f32) -> (i32, f32) {
    if (0.0..1.0).contains(&value) {
        return (0, value);
    }
    let whole = whole_below(value);
    let rest = value - whole;
    if rest < 1.0 {
        (whole as i32, rest)
    } else if rest.is_nan() {
        (0, 0.0)
    } else {
        ((whole as i32).wrapping_add(1), 0.0)
    }
}

/// Returns the whole number at or below a value. `f32::floor` calls the C library where SSE4 is
/// missing.
#[inline]
pub(crate) fn whole_below(value: f32) -> f32 {
    if value.abs() >= 8_388_608.0 || value.is_nan() {
        return value;
    }
    let whole = value as i32 as f32;
    if whole > value { whole - 1.0 } else { whole }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_moves_whole_metres_into_the_cell() {
        let position = Position::new(Cell::new(1, 2, 3), Vector3::new(-0.25, 1.5, 0.5));
        assert_eq!(position.cell, Cell::new(0, 3, 3));
        assert_eq!(position.offset, Vector3::new(0.75, 0.5, 0.5));
    }

    #[test]
    fn offset_below_zero_by_less_than_a_bit_stays_in_range() {
        let position = Position::new(Cell::zeros(), Vector3::new(-1e-12, 0.0, 0.0));
        assert_eq!(position.cell.x, 0);
        assert_eq!(position.offset.x, 0.0);
    }

    #[test]
    fn cells_wrap_at_the_ends_of_the_range() {
        let position = Position::new(
            Cell::new(i32::MAX, i32::MIN, 0),
            Vector3::new(1.5, -0.5, 0.0),
        );
        assert_eq!(position.cell, Cell::new(i32::MIN, i32::MAX, 0));
        assert_eq!(position.relative_to(Cell::new(i32::MAX, 0, 0)).x, 1.5);
    }

    #[test]
    fn metres_go_there_and_back() {
        for value in [0.0, -0.25, 1234.5, -98765.125] {
            let point = Point3::new(value, -value, value * 3.0);
            assert_eq!(Position::from_metres(point).to_metres(), point);
        }
        let odd = Position::from_metres(Point3::new(f64::NAN, f64::INFINITY, 1.0));
        assert_eq!(odd.to_metres(), Point3::new(0.0, 0.0, 1.0));
    }

    #[test]
    fn an_offset_that_is_not_finite_becomes_zero() {
        let cell = Cell::new(1, 2, 3);
        for wild in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            let position = Position::new(cell, Vector3::new(0.5, wild, 0.25));
            let expected = Position::new(cell, Vector3::new(0.5, 0.0, 0.25));
            assert_eq!(position, expected);
            assert_eq!(expected.moved(Vector3::new(0.0, wild, 0.0)), expected);
        }
    }

    #[test]
    fn only_points_of_the_world_are_positions() {
        let (low, high) = (-2_147_483_648.0, 2_147_483_648.0);
        for inside in [low, low + 0.5, -0.25, 0.0, high - 1.0, high - 0.5] {
            let point = Point3::new(0.0, inside, 0.0);
            let position = Position::try_from_metres(point);
            assert_eq!(position.map(|it| it.to_metres()), Ok(point));
        }
        for outside in [low - 0.5, high, f64::MAX, f64::NAN, f64::INFINITY] {
            let point = Point3::new(0.0, 0.0, outside);
            assert!(Position::try_from_metres(point).is_err(), "{outside}");
        }
    }
}
