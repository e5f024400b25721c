//! What of a saved world could not be read, and why.

use std::fmt;

use super::error::DecodeError;
use crate::object::ObjectKey;
use crate::world::ChunkPosition;

/// A part of a saved world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// A chunk of terrain: it is generated anew, or stays a hole where the store fails to give it.
    Chunk(ChunkPosition),
    /// An edit of the undo history: what it did stays, but cannot be taken back.
    Edit(u64),
    /// A free object: it is gone.
    Object(ObjectKey),
    /// A brick of a free object: it is empty.
    ObjectChunk(ObjectKey, ChunkPosition),
    /// The header, or the list of materials: its second copy was used, or is written again.
    Header,
    /// Bytes that the application kept with the world: they are gone.
    Kept,
    /// A record of which nobody can say what it was: what it held is gone.
    Stray,
}

impl fmt::Display for Part {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Chunk(at) => write!(out, "chunk {} {} {}", at.x, at.y, at.z),
            Self::Edit(sequence) => write!(out, "edit {sequence} of the undo history"),
            Self::Object(key) => write!(out, "object {}", key.number()),
            Self::ObjectChunk(key, at) => {
                let [x, y, z] = [at.x, at.y, at.z];
                write!(out, "brick {x} {y} {z} of object {}", key.number())
            }
            Self::Header => write!(out, "the header"),
            Self::Kept => write!(out, "what the program kept with the world"),
            Self::Stray => write!(out, "a record without a name"),
        }
    }
}

/// A part that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// Which.
    pub part: Part,
    /// Why.
    pub error: DecodeError,
}
