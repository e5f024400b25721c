//! Errors of saved worlds, with advice.

use std::path::PathBuf;

/// Errors of a store.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// There is no file.
    #[error("no world at {0}: check the path, or create one there")]
    NotFound(PathBuf),
    /// The folder for a new file does not exist.
    #[error("there is no folder for {0}: make it first, or choose another path")]
    NoFolder(PathBuf),
    /// The path is a folder, a pipe or a device.
    #[error("{0} is not a file: choose another path")]
    NotAFile(PathBuf),
    /// Another process, or another world of this one, has the file open.
    #[error("the world {0} is open elsewhere: close it there first")]
    InUse(PathBuf),
    /// The file or its folder may not be written.
    #[error("the world {0} cannot be written: change its permissions or copy it elsewhere")]
    ReadOnly(PathBuf),
    /// Another program wrote to the file while it was closed after a failed commit.
    #[error(
        "another program has written to the world {0}, so that nothing more is written there: save \
         it under another name"
    )]
    Foreign(PathBuf),
    /// The disk is full.
    #[error("the disk is full: free some space")]
    Full,
    /// The file is not a world, or damaged beyond repair by the store.
    #[error(
        "the world file is damaged ({0}): keep it as it is; `world salvage` writes what can still \
         be read of it to a new file"
    )]
    Damaged(String),
    /// Any other error of the system.
    #[error("reading or writing the world failed: {0}")]
    Io(String),
}

impl StoreError {
    /// Returns the error of a thread that ended before it was told to.
    pub(crate) fn thread_gone() -> Self {
        Self::Io("the saving thread is gone".to_owned())
    }
}

/// Errors of opening or saving a world.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SaveError {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A newer version of this program wrote the file.
    #[error(
        "the world was saved in format {found}, this program knows up to {known}: use a newer \
         program"
    )]
    NewerFormat {
        /// Format of the file.
        found: u32,
        /// Newest format that this program knows.
        known: u32,
    },
    /// The terrain was made by another version of the generator.
    #[error(
        "the world was made by generator version {found}, this program has {known}: use a matching \
         program"
    )]
    OtherGenerator {
        /// Version of the file.
        found: u32,
        /// Version of this program.
        known: u32,
    },
    /// A world with another seed exists there.
    #[error(
        "the world there has seed {found}, not {wanted}: open it without a seed, or choose another \
         path"
    )]
    OtherSeed {
        /// Seed of the file.
        found: u64,
        /// Seed that was asked for.
        wanted: u64,
    },
    /// The world has the land of a seed, not that of the application.
    #[error("the world there has the land of a seed: open it without a source of chunks")]
    Generated,
    /// The file to be salvaged has no header of a world.
    #[error("no part of a world can be read from the file: restore a copy of it")]
    NothingFound,
    /// The header is missing or malformed.
    #[error(
        "the file is not a world, or its header is damaged ({0}): restore a copy, or try `world \
         salvage`"
    )]
    Header(&'static str),
    /// A file exists in the place of the new one.
    #[error("there is a file at {0} already: choose another path")]
    Exists(PathBuf),
    /// The materials of the world do not fit into the table.
    #[error("the world's materials cannot be added: {0}")]
    Materials(#[from] crate::material::MaterialError),
}

/// Reasons for refusing saved bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
pub enum DecodeError {
    /// The checksum does not match: the bytes were altered.
    #[error("its checksum does not match")]
    Checksum,
    /// The bytes are too short or too long.
    #[error("its length is wrong")]
    Length,
    /// The bytes are malformed.
    #[error("it is malformed")]
    Malformed,
    /// The file counts this record, but does not contain it.
    #[error("it is missing")]
    Missing,
    /// The store failed to read it.
    #[error("reading it failed")]
    Unread,
    /// The name of a material is not in the table.
    #[error("it names an unknown material")]
    Material,
}
