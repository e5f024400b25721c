//! The world: the voxels in memory, saved, streamed and undone.
//!
//! [`World`] reads like its [`Space`]. Every change of voxels and objects goes through its own
//! functions, so that each is saved.

#[cfg(feature = "save")]
mod copy;
mod keep;
mod kept_bytes;
mod load;
mod notes;
mod objects;
mod open;
#[cfg(feature = "save")]
mod open_file;
mod stream;

#[cfg(feature = "save")]
pub use copy::Backup;
pub use load::LoadError;
pub(crate) use notes::Noted;
#[cfg(all(test, feature = "save"))]
pub(crate) use {copy::Copying, open_file::look_first};

use std::collections::BTreeMap;
use std::ops::Deref;
#[cfg(feature = "generate")]
use std::sync::Arc;

use crate::chunk::{Brick, Voxels};
#[cfg(feature = "generate")]
use crate::generate::Generator;
use crate::history::{Forgotten, History};
use crate::kd_tree::CellBox;
use crate::material::{Material, MaterialTable};
use crate::save::{Origin, Source};
use crate::space::{BrickId, ChunkPosition, Space, WriteReport, Writer, chunk_of};
use crate::stream::Streamer;
use collision::Cell;

/// Voxels with their surfaces and index, the history of their edits, and the store that keeps them.
pub struct World {
    pub(crate) space: Space,
    // Declared before the source, so that jobs end before the store is closed.
    streamer: Option<Box<Streamer>>,
    source: Option<Source>,
    #[cfg(feature = "generate")]
    generator: Option<Arc<Generator>>,
    pub(crate) history: History,
    /// Bytes kept for the application, by name.
    kept: BTreeMap<String, Vec<u8>>,
    // Memory that edits use again.
    pub(crate) report: WriteReport,
    pub(crate) forgotten: Forgotten,
}

impl Default for World {
    fn default() -> Self {
        Self::new(MaterialTable::standard())
    }
}

impl Deref for World {
    type Target = Space;

    #[inline]
    fn deref(&self) -> &Space {
        &self.space
    }
}

impl World {
    /// Returns a world without any loaded chunk.
    pub fn new(materials: MaterialTable) -> Self {
        Self {
            space: Space::new(materials),
            streamer: None,
            source: None,
            #[cfg(feature = "generate")]
            generator: None,
            history: History::default(),
            kept: BTreeMap::new(),
            report: WriteReport::default(),
            forgotten: Forgotten::default(),
        }
    }

    /// Makes a world of the chunks that intersect the bounds; voxels outside the bounds are air.
    pub fn from_voxels(bounds: CellBox, mut material: impl FnMut(Cell) -> Material) -> Self {
        let mut world = Self::default();
        let (low, high) = (chunk_of(bounds.min), chunk_of(bounds.max));
        let mut bricks = Vec::new();
        for z in low.z..=high.z {
            for y in low.y..=high.y {
                for x in low.x..=high.x {
                    let chunk = ChunkPosition::new(x, y, z);
                    let voxels = Voxels::from_fn(|x, y, z| {
                        let cell = chunk * 32 + Cell::new(x as i32, y as i32, z as i32);
                        if bounds.contains(cell) {
                            material(cell)
                        } else {
                            Material::AIR
                        }
                    });
                    bricks.push((chunk, Brick::new(voxels, world.materials())));
                }
            }
        }
        world.insert_bricks(bricks);
        world
    }

    /// Returns a number that grows with every change or movement.
    // Also here, so that it comes before the method of that name of a terrain.
    #[inline]
    pub fn revision(&self) -> u64 {
        self.space.revision()
    }

    /// Returns the materials, for adding new ones. The meaning of ids in use must not change. The
    /// table is saved with the next edit, by [`World::flush`], or when the world is dropped.
    pub fn materials_mut(&mut self) -> &mut MaterialTable {
        &mut self.space.materials
    }

    /// Changes many voxels, then updates all surfaces and the index.
    pub fn write(&mut self, writes: impl FnOnce(&mut Writer<'_>)) -> WriteReport {
        let mut report = WriteReport::default();
        self.write_into(&mut report, writes);
        report
    }

    /// Writes like [`World::write`], reusing the memory of a report.
    pub fn write_into(&mut self, report: &mut WriteReport, writes: impl FnOnce(&mut Writer<'_>)) {
        self.space.apply(report, writes);
        if !report.changes.is_empty() {
            self.keep(report, Origin::Edit, |_| {});
        }
    }

    /// Puts one terrain chunk into the world; see [`World::insert_bricks`].
    pub fn insert_brick(&mut self, chunk: ChunkPosition, brick: Brick) -> BrickId {
        self.insert_bricks([(chunk, brick)]);
        self.brick_at(chunk).unwrap_or(BrickId::NOT_LOADED)
    }

    /// Puts terrain chunks into the world, replacing those there, and merges each once. They are
    /// saved as by [`World::write`], but cannot be undone. Their materials must be of this world's
    /// table; unknown ones become air.
    pub fn insert_bricks(&mut self, bricks: impl IntoIterator<Item = (ChunkPosition, Brick)>) {
        let bricks = bricks.into_iter();
        let bricks: Vec<_> = bricks
            .map(|(chunk, brick)| (chunk, self.as_known(brick)))
            .collect();
        let ids = self.space.put_bricks(bricks);
        self.keep_whole(&ids);
    }

    /// Unloads a terrain chunk and returns it. Generated terrain streams back while a viewer wants
    /// it; otherwise only [`World::load`] restores saved chunks, and without a store the chunk is
    /// lost.
    pub fn remove_brick(&mut self, chunk: ChunkPosition) -> Option<Brick> {
        let brick = self.space.take_brick(chunk)?;
        self.note_unloaded(chunk);
        Some(brick)
    }
}
