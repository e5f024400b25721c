//! Places of cells and numbers of chunks.

use collision::Cell;
use nalgebra::Vector3;

/// The place of a terrain chunk: the lowest cell of chunk `c` is `32 c`.
pub type ChunkPosition = Vector3<i32>;

/// The number of a chunk. Numbers of removed chunks are used again, always with a newer revision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BrickId(pub u32);

impl BrickId {
    /// Stands for terrain that is not loaded: solid, without quads inside.
    pub const NOT_LOADED: Self = Self(0);
    /// Stands for the space beside a free object: empty.
    pub const OUTSIDE: Self = Self(1);
}

/// Returns the chunk that a cell belongs to.
#[inline]
pub fn chunk_of(cell: Cell) -> ChunkPosition {
    cell.map(|c| c >> 5)
}

/// Returns the coordinates of a cell within its chunk.
#[inline]
pub fn place_in_chunk(cell: Cell) -> Vector3<usize> {
    cell.map(|c| (c & 31) as usize)
}
