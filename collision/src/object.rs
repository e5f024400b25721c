//! Objects of the terrain and their pieces: the names of all that a character can touch.

use crate::position::Cell;
use nalgebra::Vector3;

/// A part of the terrain that a character can touch, stand on or ride: a chunk, a soup, a platform.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ObjectId(pub u32);

impl ObjectId {
    /// No object: space that is not loaded.
    pub const NONE: Self = Self(u32::MAX);
}

/// A triangle of a soup; stays valid until that triangle is removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct TriangleId(pub(crate) u32);

impl TriangleId {
    /// Returns the number of the triangle: in a soup made of a model, its place there.
    #[must_use]
    pub const fn number(self) -> u32 {
        self.0
    }
}

/// The piece of an object that a place on its surface belongs to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Piece {
    /// No smaller piece than the object is known.
    #[default]
    Whole,
    /// A voxel, by its cell in the lattice of the object.
    Voxel(Cell),
    /// A triangle.
    Triangle(TriangleId),
}

/// An object of the terrain at a place on its surface.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Touched {
    /// The piece.
    pub piece: Piece,
    /// The material of the piece, by the terrain's own numbers; 0 where it tells none.
    pub material: u32,
}

impl Touched {
    /// Makes the answer for a voxel of a material.
    #[must_use]
    pub const fn voxel(cell: Cell, material: u32) -> Self {
        Self {
            piece: Piece::Voxel(cell),
            material,
        }
    }

    /// Numbers that order pieces of one object. Of an object whose pieces are not known each side
    /// counts for one, by the normal there.
    pub(crate) fn key(&self, normal: &Vector3<f32>) -> (u8, [i32; 3]) {
        match self.piece {
            Piece::Whole => (0, normal.map(|part| (part * 1.5).round() as i32).into()),
            Piece::Voxel(cell) => (1, cell.into()),
            Piece::Triangle(id) => (2, [id.number() as i32, 0, 0]),
        }
    }
}
