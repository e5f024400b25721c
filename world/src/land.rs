//! The source of terrain that was never edited: the generator, or land of an application's own.
//!
//! ```
//! use std::sync::Arc;
//!
//! use collision::{Cell, Position};
//! use world::land::{ChunkColumn, ChunkSource, SurfaceRows};
//! use world::{Material, MaterialTable, StreamSettings, Viewer, Voxels, World};
//!
//! /// Endless stone with a ridge every 64 metres.
//! struct Ridges;
//!
//! /// One column of it.
//! struct Column(i32);
//!
//! fn height(x: i32) -> i32 {
//!     20 - (x.rem_euclid(64) - 32).abs()
//! }
//!
//! impl ChunkSource for Ridges {
//!     fn chunk_column(&self, x: i32, _z: i32) -> Box<dyn ChunkColumn + '_> {
//!         Box::new(Column(x))
//!     }
//! }
//!
//! impl ChunkColumn for Column {
//!     fn surface_rows(&self) -> SurfaceRows {
//!         // Heights are -12 to 20.
//!         SurfaceRows { lowest: -1, highest: 0 }
//!     }
//!
//!     fn voxels(&mut self, row: i32) -> Voxels {
//!         Voxels::from_fn(|x, y, _| {
//!             let (x, y) = (self.0 * 32 + x as i32, row * 32 + y as i32);
//!             if y < height(x) { Material::STONE } else { Material::AIR }
//!         })
//!     }
//! }
//!
//! let mut world = World::from_source(MaterialTable::standard(), Arc::new(Ridges));
//! let far_out = Cell::new(1_000_000, 8, 0);
//! let position = Position::new(far_out, [0.5; 3].into());
//! let viewer = Viewer { position, look: [0.0; 3].into(), reach: 64.0 };
//! world.stream_wholly(&[viewer], &StreamSettings::default());
//! let ridge = Cell::new(64 * 15_625 + 32, 19, 0);
//! assert_eq!(world.material(ridge), Some(Material::STONE));
//! assert_eq!(world.material(ridge + Cell::y()), Some(Material::AIR));
//! ```

use crate::chunk::Voxels;

/// Makes terrain that was never edited, for streaming.
///
/// The same place always gives the same voxels, on any thread: chunks are unloaded and made again.
pub trait ChunkSource: Send + Sync {
    /// Begins the column of chunks `(x, z)`. Work that does not depend on height is done here.
    fn chunk_column(&self, x: i32, z: i32) -> Box<dyn ChunkColumn + '_>;

    /// Returns a good place to start. The chunks about it are loaded first.
    fn start(&self) -> Option<Spawn> {
        None
    }
}

/// One column of a [`ChunkSource`].
pub trait ChunkColumn {
    /// Returns the rows of chunks that are loaded however high or low a viewer is.
    fn surface_rows(&self) -> SurfaceRows;

    /// Makes the chunk at a height, in chunks. Materials that the world does not know become air.
    fn voxels(&mut self, row: i32) -> Voxels;
}

/// The rows of chunks that contain a column's surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SurfaceRows {
    /// The lowest chunk that the open sky may reach.
    pub lowest: i32,
    /// The chunk of the lowest air above everything; it must be loaded to show the faces below it.
    pub highest: i32,
}

/// A place to stand and a direction of view.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spawn {
    /// Cell whose floor is the ground.
    pub cell: [i32; 3],
    /// Direction of the best view: horizontal, of length 1.
    pub towards: [f64; 2],
}
