//! The solids and the contents of space.

use crate::object::ObjectId;
use nalgebra::Vector3;

/// The contents of the space at a point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Contents {
    /// True if this place is loaded. Unloaded space is solid.
    pub loaded: bool,
    /// True if characters collide here.
    pub solid: bool,
    /// True if characters can swim here.
    pub liquid: bool,
    /// True if characters can climb here.
    pub climbable: bool,
}

/// A solid box of terrain, in metres from the corner of the queried cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolidBox {
    /// Lower corner.
    pub min: Vector3<f32>,
    /// Upper corner.
    pub max: Vector3<f32>,
    /// Side of the cells that the box is composed of, in metres; infinite for a single piece.
    pub grain: f32,
    /// The object it belongs to.
    pub object: ObjectId,
}
