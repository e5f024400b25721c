//! One chunk of 32 x 32 x 32 voxels: its materials, solid voxels and two surfaces.

mod block;
mod brick;
mod voxels;

pub use brick::Brick;
pub use voxels::{RowChange, Voxels};

/// Voxels along one side of a chunk.
pub const SIDE: usize = 32;
/// Rows of 32 voxels in a chunk.
pub const ROWS: usize = SIDE * SIDE;
/// Voxels in a chunk.
pub const VOLUME: usize = SIDE * ROWS;

/// One bit for each voxel: word `z * 32 + y`, bit `x`.
pub type Bits = [u32; ROWS];

/// Returns the word of [`Bits`] that holds the voxels of this row.
pub const fn row_of(y: usize, z: usize) -> usize {
    z * SIDE + y
}

pub(crate) static NO_BITS: Bits = [0; ROWS];
pub(crate) static ALL_BITS: Bits = [u32::MAX; ROWS];
