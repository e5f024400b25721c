//! What can go wrong in a command, in words for the person who typed it, and the exit code of each.

use std::path::{Path, PathBuf};

/// Why a command ended without doing its work.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// An argument parsed but makes no sense here.
    #[error("{0}")]
    Usage(String),
    /// A file could not be read or written.
    #[error("{action} {path}: {source}", path = path.display())]
    File {
        /// What was tried, such as `cannot write`.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A file was read but what it holds is not usable.
    #[error("{path}: {reason}", path = path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// What is wrong with it and what to do.
        reason: String,
    },
    /// No window or no graphics adapter.
    #[error("{0}")]
    Graphics(String),
    /// The command ran and its verdict is no: a scene failed, a save is damaged.
    #[error("{0}")]
    Failed(String),
}

impl Error {
    /// The exit code: 1 a verdict of no, 2 wrong arguments, 3 files, 4 graphics.
    pub fn exit_code(&self) -> u8 {
        match self {
            Error::Failed(_) => 1,
            Error::Usage(_) => 2,
            Error::File { .. } | Error::Content { .. } => 3,
            Error::Graphics(_) => 4,
        }
    }

    /// A failed attempt to read `path`.
    pub fn reading(path: &Path, source: std::io::Error) -> Self {
        Error::File {
            action: "cannot read",
            path: path.to_path_buf(),
            source,
        }
    }

    /// A failed attempt to write `path`.
    pub fn writing(path: &Path, source: std::io::Error) -> Self {
        Error::File {
            action: "cannot write",
            path: path.to_path_buf(),
            source,
        }
    }
}
