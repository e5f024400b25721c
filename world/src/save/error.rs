//! What can go wrong with a saved world, and what to do about it.

use std::path::PathBuf;

/// A store could not do what was asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// There is no file.
    #[error("no world at {0}: check the path, or create one there")]
    NotFound(PathBuf),
    /// The folder in which a file is to be made is not there.
    #[error("there is no folder for {0}: make it first, or choose another path")]
    NoFolder(PathBuf),
    /// What is there is a folder, a pipe or a device.
    #[error("{0} is not a file: choose another path")]
    NotAFile(PathBuf),
    /// Another process, or another world of this one, has the file open.
    #[error("the world {0} is open elsewhere: close it there first")]
    InUse(PathBuf),
    /// The file or its folder may not be written.
    #[error("the world {0} cannot be written: change its permissions or copy it elsewhere")]
    ReadOnly(PathBuf),
    /// Another program wrote to the file while it was closed after a commit that failed.
    #[error(
        "another program has written to the world {0}, so that nothing more is written there: save it under another name"
    )]
    Foreign(PathBuf),
    /// No space is left.
    #[error("the disk is full: free some space")]
    Full,
    /// The file is not a world, or broken beyond what the store can mend.
    #[error(
        "the world file is damaged ({0}): keep it as it is; `world salvage` writes what can still be read of it to a new file"
    )]
    Damaged(String),
    /// Anything else the system reported.
    #[error("reading or writing the world failed: {0}")]
    Io(String),
}

/// A world could not be opened or saved.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SaveError {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The file was written by a later version of this program.
    #[error(
        "the world was saved in format {found}, this program knows up to {known}: use a newer program"
    )]
    NewerFormat {
        /// The format of the file.
        found: u32,
        /// The newest format that is understood.
        known: u32,
    },
    /// The terrain was made by a generator that this program does not have.
    #[error(
        "the world was made by generator version {found}, this program has {known}: use a matching program"
    )]
    OtherGenerator {
        /// The version of the file.
        found: u32,
        /// The version of this program.
        known: u32,
    },
    /// A world with another seed is there already.
    #[error(
        "the world there has seed {found}, not {wanted}: open it without a seed, or choose another path"
    )]
    OtherSeed {
        /// The seed of the file.
        found: u64,
        /// The seed asked for.
        wanted: u64,
    },
    /// A file that was to be salvaged holds no header of a world.
    #[error("nothing of a world can be read in the file: restore a copy of it")]
    NothingFound,
    /// The file opens, but its header is missing or makes no sense.
    #[error(
        "the file is not a world, or its header is damaged ({0}): restore a copy, or try `world salvage`"
    )]
    Header(&'static str),
    /// A new file was to be written where there is one.
    #[error("there is a file at {0} already: choose another path")]
    Exists(PathBuf),
    /// The materials the world uses do not fit into the table.
    #[error("the world's materials cannot be added: {0}")]
    Materials(#[from] crate::material::MaterialError),
}

/// Why saved bytes were refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// The checksum does not match: the bytes were altered.
    #[error("its checksum does not match")]
    Checksum,
    /// The bytes end too early or go on too long.
    #[error("it is cut off or too long")]
    Length,
    /// The bytes make no sense.
    #[error("it is malformed")]
    Malformed,
    /// The file counts it, but has nothing in its place.
    #[error("it is not where it should be")]
    Missing,
    /// The store failed when it was asked for it.
    #[error("the disk did not give it")]
    Unread,
    /// A material's name is not in the table.
    #[error("it names an unknown material")]
    Material,
}
