//! The damaged parts of a saved world.

use std::fmt;

use super::error::DecodeError;
use crate::object::ObjectKey;
use crate::space::ChunkPosition;

/// A part of a saved world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    /// A terrain chunk: it is generated anew, or missing if the store cannot read it.
    Chunk(ChunkPosition),
    /// An edit of the undo history: its changes stay but cannot be undone.
    Edit(u64),
    /// A free object: it is lost.
    Object(ObjectKey),
    /// A chunk of a free object: it is empty.
    ObjectChunk(ObjectKey, ChunkPosition),
    /// The header or the list of materials: the second copy is used, or it is rewritten.
    Header,
    /// Bytes kept for the application: they are lost.
    Kept,
    /// A record of unknown kind: its contents are lost.
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Damage {
    /// The part.
    pub part: Part,
    /// The reason.
    pub error: DecodeError,
}
