//! The errors of commands, in words for the user, with their exit codes.

use std::fmt::Display;
use std::path::Path;

use serve::ServeError;
use serve::folders::FolderError;
use world::files::FileError;

use crate::guest::GuestError;

/// Reasons for a command to end without doing its work.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// An argument parsed but is invalid here.
    #[error("{0}")]
    Usage(String),
    /// A file could not be read or written.
    #[error(transparent)]
    File(FileError),
    /// Writing to the standard output failed.
    #[error("cannot write to the output: {0}")]
    Output(std::io::Error),
    /// The reader of the output has gone away; no message is printed.
    #[error("the output is not read to its end")]
    Unread,
    /// A file was read but is not usable; the text names the fault and the remedy.
    #[error("{0}")]
    Content(String),
    /// There is no window or no graphics adapter.
    #[error("{0}")]
    Graphics(String),
    /// A server cannot be joined, or an address cannot be served.
    #[error("{0}")]
    Network(String),
    /// The command ran with a negative verdict: a scene failed, a save is damaged.
    #[error("{0}")]
    Failed(String),
}

impl Error {
    /// Returns the exit code: 1 a negative verdict, 2 wrong arguments, 3 files, 4 graphics, 5 the
    /// network, 141 a closed pipe.
    pub fn exit_code(&self) -> u8 {
        match self {
            Error::Failed(_) => 1,
            Error::Usage(_) => 2,
            Error::File(_) | Error::Content(_) | Error::Output(_) => 3,
            Error::Graphics(_) => 4,
            Error::Network(_) => 5,
            Error::Unread => 141,
        }
    }

    /// Returns the error of a file that is not usable.
    pub fn content(path: &Path, reason: impl Display) -> Self {
        Error::Content(format!("{}: {reason}", path.display()))
    }

    /// Returns the error of a failed attempt to read `path`.
    pub fn reading(path: &Path, source: std::io::Error) -> Self {
        let path = path.to_path_buf();
        Error::File(FileError::Read { path, source })
    }

    /// Returns the error of a failed attempt to write `path`.
    pub fn writing(path: &Path, source: std::io::Error) -> Self {
        let path = path.to_path_buf();
        Error::File(FileError::Write { path, source })
    }
}

impl From<GuestError> for Error {
    fn from(error: GuestError) -> Self {
        Error::Network(error.to_string())
    }
}

impl From<FolderError> for Error {
    fn from(error: FolderError) -> Self {
        match error {
            FolderError::NoHome => Error::Usage(error.to_string()),
            FolderError::File(error) => Error::File(error),
        }
    }
}

impl From<ServeError> for Error {
    fn from(error: ServeError) -> Self {
        match error {
            ServeError::Folder(error) => error.into(),
            ServeError::World(words) => Error::Content(words),
            ServeError::Link(_) | ServeError::Bots(_) => Error::Network(error.to_string()),
            ServeError::Signals(_) => Error::Failed(error.to_string()),
        }
    }
}

impl From<FileError> for Error {
    fn from(error: FileError) -> Self {
        match error {
            FileError::Exists(path) => Error::Usage(format!(
                "{} is there already: choose another name, or replace it with --force",
                path.display()
            )),
            other => Error::File(other),
        }
    }
}
