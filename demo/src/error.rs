//! What can go wrong in a command, in words for the person who typed it, and the exit code of each.

use std::fmt::Display;
use std::path::Path;

use world::files::FileError;

/// Why a command ended without doing its work.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// An argument parsed but makes no sense here.
    #[error("{0}")]
    Usage(String),
    /// A file could not be read or written.
    #[error(transparent)]
    File(FileError),
    /// The stream that a command prints to.
    #[error("cannot write to the output: {0}")]
    Output(std::io::Error),
    /// The reader of the output went away, which it need not be told.
    #[error("the output is not read to its end")]
    Unread,
    /// A file was read but what it holds is not usable; what is wrong with it and what to do.
    #[error("{0}")]
    Content(String),
    /// No window or no graphics adapter.
    #[error("{0}")]
    Graphics(String),
    /// The command ran and its verdict is no: a scene failed, a save is damaged.
    #[error("{0}")]
    Failed(String),
}

impl Error {
    /// The exit code: 1 a verdict of no, 2 wrong arguments, 3 files, 4 graphics; 141 as of programs that a closed pipe ends.
    pub fn exit_code(&self) -> u8 {
        match self {
            Error::Failed(_) => 1,
            Error::Usage(_) => 2,
            Error::File(_) | Error::Content(_) | Error::Output(_) => 3,
            Error::Graphics(_) => 4,
            Error::Unread => 141,
        }
    }

    /// A file whose content is not usable.
    pub fn content(path: &Path, reason: impl Display) -> Self {
        Error::Content(format!("{}: {reason}", path.display()))
    }

    /// A failed attempt to write `path`.
    pub fn writing(path: &Path, source: std::io::Error) -> Self {
        let path = path.to_path_buf();
        Error::File(FileError::Write { path, source })
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
