//! Saving: only what differs from the generator, in the background, several times a second.
//!
//! A world file holds a header (format, generator, seed, materials), chunks and undo history; every record is compressed
//! and carries a checksum. Reading order: [`Store`] (what keeps bytes), `codec` (how chunks become bytes), `saver` (when
//! they are written), `archive` (how a world uses all of it).
//! Killed at any moment, a world loses at most the last quarter of a second; a damaged chunk is set aside and made anew.

mod archive;
mod bytes;
mod codec;
mod disk;
mod error;
mod header;
mod inspect;
mod saver;
mod store;

pub use archive::LoadError;
pub(crate) use archive::{Archive, Source};
pub use codec::{MaterialNames, chunk_key, chunk_of_key, decode_chunk, encode_chunk};
pub use disk::DiskStore;
pub use error::{DecodeError, SaveError, StoreError};
pub use header::{FORMAT, GeneratorMark, Header};
pub use inspect::{Inspection, inspect};
pub(crate) use saver::Origin;
pub use saver::{Damage, SaveStatus};
pub use store::{MemoryStore, Store, StoreChange, Table};

#[cfg(test)]
mod tests;
