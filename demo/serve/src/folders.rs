//! The folder for worlds, and the names of worlds in it.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use world::World;
use world::files::FileError;
use world::save::{SaveError, StoreError};

use crate::ServeError;

/// Extension of saved worlds.
pub const KIND: &str = "voxels";

/// Reasons why there is no path for a world.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// The system names no folder of the user.
    #[error(
        "there is no folder for worlds, because HOME is not set: set it, or name a world with its \
         folder, such as ./my.voxels"
    )]
    NoHome,
    /// A folder cannot be made or found.
    #[error(transparent)]
    File(#[from] FileError),
}

impl FolderError {
    fn writing(path: &Path, source: std::io::Error) -> Self {
        let path = path.to_path_buf();
        FolderError::File(FileError::Write { path, source })
    }
}

/// Returns the sandbox's folder for one kind of files of the user: on Linux in the folder that a
/// variable names, or in one of the home folder.
pub fn user_folder(variable: &str, in_home: &str) -> Option<PathBuf> {
    let folder = |name: &str| {
        std::env::var_os(name)
            .map(PathBuf::from)
            .filter(|p| p.is_absolute())
    };
    let home = || folder("HOME").or_else(|| folder("USERPROFILE"));
    let base = if cfg!(windows) {
        folder("APPDATA")
    } else if cfg!(target_os = "macos") {
        home().map(|h| h.join("Library/Application Support"))
    } else {
        folder(variable).or_else(|| home().map(|h| h.join(in_home)))
    };
    base.map(|base| base.join("voxel-sandbox"))
}

/// Returns the folder for worlds that are named without one.
pub fn worlds_folder() -> Result<PathBuf, FolderError> {
    user_folder("XDG_DATA_HOME", ".local/share").ok_or(FolderError::NoHome)
}

/// Resolves a typed path: a bare name that does not exist here goes into the folder for worlds.
pub fn world_path(typed: &Path) -> Result<PathBuf, FolderError> {
    let is_bare = typed.file_name() == Some(typed.as_os_str());
    if !is_bare || typed.exists() {
        // The next start may be in another folder.
        return std::path::absolute(typed).map_err(|error| FolderError::writing(typed, error));
    }
    let named = worlds_folder()?.join(typed);
    Ok(match named.extension() {
        None if !named.exists() => named.with_extension(KIND),
        _ => named,
    })
}

/// Makes the folder of a file, if it is not there.
pub fn make_folder(path: &Path) -> Result<(), FolderError> {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    folder.map_or(Ok(()), |folder| {
        std::fs::create_dir_all(folder).map_err(|error| FolderError::writing(folder, error))
    })
}

/// Returns the error of a save in words that name the file.
pub fn words_of_save(path: &Path, error: &SaveError) -> String {
    use StoreError::{Foreign, InUse, NoFolder, NotAFile, NotFound, ReadOnly};
    match error {
        // These errors name the file themselves.
        SaveError::Exists(_)
        | SaveError::Store(
            Foreign(_) | InUse(_) | NoFolder(_) | NotAFile(_) | NotFound(_) | ReadOnly(_),
        ) => error.to_string(),
        _ => format!("{}: {error}", path.display()),
    }
}

/// Saves all unsaved changes of an open world, or the whole of it if its file was deleted.
/// Returns whether it was.
pub fn finish(world: &World, path: &Path) -> Result<bool, ServeError> {
    let told = |error: SaveError| ServeError::World(words_of_save(path, &error));
    world.flush().map_err(told)?;
    let is_gone = path
        .symlink_metadata()
        .is_err_and(|error| error.kind() == ErrorKind::NotFound);
    if is_gone {
        // The open file still holds everything.
        make_folder(path)?;
        world.backup(path).map_err(told)?;
    }
    Ok(is_gone)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn a_world_is_found_again_from_another_folder() {
        for typed in ["./a.voxels", "saves/a.voxels", "a"] {
            let path = world_path(Path::new(typed)).unwrap();
            assert!(path.is_absolute(), "{}", path.display());
        }
    }
}
