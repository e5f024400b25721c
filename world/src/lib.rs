//! Editable voxels and the data derived from them.
//!
//! *In scope*: materials, chunks of 32^3 voxels, their merged surfaces, the index over them, free
//! voxel objects, picking, terrain, editing, undo, saving, sight. *Out of scope*: windows, GPUs,
//! the movement of characters.
//!
//! Words: a *chunk* is a cube of 32^3 voxels, of the terrain or of a free object; the type
//! [`Brick`] stores one. A *row* is the 32 voxels of a chunk along x. A *column* is the terrain
//! chunks above one another. A *medium* is a liquid or a climbable material.
//!
//! Reading order, from the ground up: [`material`], [`chunk`] (one chunk), [`surface`] and
//! [`merge`] (the surfaces made from it), [`kd_tree`], [`object`], [`space`] (the chunks and
//! objects in memory); [`land`], [`generate`], [`history`], [`files`], [`save`] and [`stream`]
//! (which know no world); [`world`] (a space that is saved and streamed; the only way to change
//! voxels); [`pick`], [`gather`] (the queries of a mover), [`fog`] (sight); [`brush`], [`edit`],
//! [`clipboard`] and [`undo`] (changes); [`vox`].
//!
//! Features, all on by default: `generate` (worlds of a seed), `save` (worlds in files), `vox`
//! (models of MagicaVoxel).

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod background;
pub mod brush;
pub mod chunk;
pub mod clipboard;
pub mod edit;
pub mod files;
pub mod fog;
pub mod gather;
#[cfg(feature = "generate")]
pub mod generate;
pub mod history;
pub mod kd_tree;
pub mod land;
pub mod material;
pub mod merge;
pub mod object;
pub mod pick;
pub mod save;
mod smooth;
pub mod space;
pub mod stream;
pub mod surface;
mod touched;
pub mod undo;
#[cfg(feature = "vox")]
pub mod vox;
pub mod world;

pub use brush::{Axis, Brush};
pub use chunk::{Bits, Brick, RowChange, Voxels};
pub use clipboard::{Clipboard, CopyError, PasteMode};
pub use edit::{EditError, EditReport, Mode};
pub use history::{Author, History};
pub use kd_tree::{CellBox, Frustum, KdTree};
pub use land::{ChunkColumn, ChunkSource};
pub use material::{Look, Material, MaterialInfo, MaterialTable, Surface};
pub use object::{Keeping, MAX_EXTENT, ObjectError, ObjectId, ObjectKey, VoxelObject};
pub use pick::{Pick, Ray};
pub use save::{KeepError, SaveError, SaveStatus};
pub use space::{
    BrickChange, BrickId, BrickPlace, ChunkPosition, Found, Owner, Space, WriteReport, Writer,
};
pub use stream::{StreamReport, StreamSettings, Viewer};
pub use surface::{CollisionQuad, CollisionSurface, Face, RenderQuad, RenderSurface};
pub use undo::AddedObject;
#[cfg(feature = "vox")]
pub use vox::{PlacedModel, VoxError, read_vox, write_vox};
#[cfg(feature = "save")]
pub use world::Backup;
pub use world::{LoadError, World};
