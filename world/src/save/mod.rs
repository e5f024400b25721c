//! Saving: only differences from the generator, in the background, several times a second.
//!
//! A world file holds a header (format, generator, seed, materials), chunks and undo history; every
//! record is compressed and has a checksum. Reading order: [`Store`] (keeps bytes), `codec`
//! (encodes chunks), `saver` (writes in the background), `contents` (reads a store), `source`
//! (loads chunks). Nothing here knows a world: [`crate::world`] opens, saves and copies one.
//!
//! ```
//! use collision::{Cell, Position};
//! use world::{Author, Brush, Material, Mode, Ray, World};
//!
//! let path = std::env::temp_dir().join(format!("doc-{}.world", std::process::id()));
//! # let _ = std::fs::remove_file(&path);
//! let mut world = World::create(&path, 7)?;
//! let spawn = Cell::from(world.spawn().expect("it is generated").cell);
//! let center = Position::new(spawn, [0.5; 3].into());
//! let report = world.edit(&Brush::sphere(center, 4.0), Mode::Carve, Material::AIR);
//! assert!(report.refused.is_none() && report.voxels > 0);
//!
//! let ray = Ray { origin: center, direction: [0.0, -1.0, 0.0].into() };
//! let hit = world.cast_ray(&ray, 50.0).expect("there is ground");
//! world.set_voxel(hit.voxel, Material::LAMP);
//! world.flush()?;
//! drop(world);
//!
//! let mut world = World::open(&path)?;
//! assert_eq!(world.material(hit.voxel), Some(Material::LAMP));
//! world.undo(Author::default());
//! assert_eq!(world.material(hit.voxel), Some(hit.material));
//! # drop(world);
//! # std::fs::remove_file(&path).ok();
//! # Ok::<(), world::SaveError>(())
//! ```
//!
//! A world killed at any moment loses at most the last quarter of a second; a damaged chunk is set
//! aside and generated anew. Opening takes at most 256 bytes of memory for each of the file, and
//! 64 MB, apart from the chunks of objects and of the spawn that come into the world.

mod bytes;
mod codec;
mod contents;
mod damage;
#[cfg(feature = "save")]
mod disk;
mod error;
mod header;
#[cfg(feature = "save")]
mod inspect;
mod kept_bytes;
#[cfg(feature = "save")]
mod kept_terrain;
mod land;
#[cfg(feature = "save")]
mod new_file;
#[cfg(feature = "save")]
mod pages;
#[cfg(feature = "save")]
mod salvage;
mod saver;
mod source;
mod store;

pub use codec::{MaterialNames, chunk_key, chunk_of_key, decode_chunk, encode_chunk};
pub(crate) use codec::{SavedShape, Standing};
pub(crate) use contents::Contents;
pub use damage::{Damage, Part};
#[cfg(feature = "save")]
pub use disk::DiskStore;
pub use error::{DecodeError, SaveError, StoreError};
pub use header::{FORMAT, GeneratorMark, Header, materials_bytes, read_materials};
pub(crate) use header::{head, materials_changes};
#[cfg(feature = "save")]
pub use inspect::{Inspection, inspect};
pub use kept_bytes::{KeepError, MOST_KEPT};
pub(crate) use kept_bytes::{check_kept, kept_change};
#[cfg(feature = "save")]
pub(crate) use kept_terrain::KeptTerrain;
pub(crate) use land::Land;
#[cfg(feature = "save")]
pub(crate) use new_file::{LaterFile, begin_file, is_empty};
#[cfg(feature = "save")]
pub(crate) use pages::{View, remove_half_created};
#[cfg(feature = "save")]
pub use salvage::{Basis, OldPart, Salvage, Saved, salvage};
pub use saver::SaveStatus;
pub(crate) use saver::{Notebook, Origin, Touched};
pub(crate) use source::Source;
pub use store::{MemoryStore, Store, StoreChange, Table};

#[cfg(test)]
mod damage_tests;
#[cfg(test)]
pub(crate) mod failing_disk;
#[cfg(test)]
mod failing_disk_tests;
#[cfg(test)]
mod fault_tests;
#[cfg(test)]
mod migration_tests;
#[cfg(test)]
mod object_history_tests;
#[cfg(test)]
mod object_tests;
#[cfg(test)]
mod record_tests;
#[cfg(test)]
mod tests;
