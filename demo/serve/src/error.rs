//! The errors of the server, in words for its owner.

use net::quic::LinkError;

use crate::folders::FolderError;

/// Reasons for a server not to run.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// There is no folder for the world.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// The world cannot be used.
    #[error("{0}")]
    World(String),
    /// The network cannot be used.
    #[error(transparent)]
    Link(#[from] LinkError),
    /// The bots of a measurement do not work.
    #[error("the bots do not work: {0}")]
    Bots(String),
    /// The system does not tell when the server is to stop.
    #[error("the signals of the system cannot be heard: {0}")]
    Signals(String),
}

impl ServeError {
    /// Returns the exit code: 2 wrong arguments, 3 files, 5 the network, 1 others.
    pub fn exit_code(&self) -> u8 {
        match self {
            ServeError::Folder(FolderError::NoHome) => 2,
            ServeError::Folder(_) | ServeError::World(_) => 3,
            ServeError::Link(_) | ServeError::Bots(_) => 5,
            ServeError::Signals(_) => 1,
        }
    }
}
