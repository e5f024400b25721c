//! Reads and writes whole files: of bounded size, completely or not at all, without replacing
//! unasked.
//!
//! Saved worlds are not here: their store reads and writes parts.

use std::fs::{File, Metadata, OpenOptions};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

/// Longest chain of links followed from a name to a file; a longer one is a circle.
const MOST_LINKS: u32 = 32;

/// Treatment of an existing file that is not empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existing {
    /// Keeps it and refuses the write.
    Keep,
    /// Replaces it.
    Replace,
}

/// A file could not be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// The system refused to read.
    #[error("cannot read {path}: {source}")]
    Read {
        /// The file.
        path: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
    /// The system refused to write.
    #[error("cannot write {path}: {source}")]
    Write {
        /// The file.
        path: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
    /// A folder; when reading, also a pipe or a device.
    #[error("{0} is not a file: choose another path")]
    NotAFile(PathBuf),
    /// The file is longer than the reader allows.
    #[error("{path} is too long: at most {most} bytes are read")]
    TooLong {
        /// The file.
        path: PathBuf,
        /// Largest number of bytes.
        most: u64,
    },
    /// The file exists and was to be kept.
    #[error("{0} is there already: choose another name, or ask for it to be replaced")]
    Exists(PathBuf),
}

impl FileError {
    fn writing(path: &Path, source: io::Error) -> Self {
        let path = path.to_owned();
        Self::Write { path, source }
    }
}

/// Returns true for a folder, a pipe or a device.
pub(crate) fn is_no_file(path: &Path) -> bool {
    path.metadata().is_ok_and(|data| !data.is_file())
}

/// Reads a regular file of at most `most` bytes.
pub fn read(path: &Path, most: u64) -> Result<Vec<u8>, FileError> {
    // Opening a pipe would wait for a writer.
    if is_no_file(path) {
        return Err(FileError::NotAFile(path.to_owned()));
    }
    let failed = |source| FileError::Read {
        path: path.to_owned(),
        source,
    };
    let file = File::open(path).map_err(failed)?;
    let mut bytes = Vec::new();
    let mut length = file.metadata().map_err(failed)?.len();
    if length <= most {
        // The file may grow while it is read.
        let mut file = file.take(most.saturating_add(1));
        length = file.read_to_end(&mut bytes).map_err(failed)? as u64;
    }
    if length > most {
        let path = path.to_owned();
        return Err(FileError::TooLong { path, most });
    }
    Ok(bytes)
}

/// Writes a file, making its folder if necessary. Writes beside the place and renames, so that
/// either the old or the new file is whole. Follows links and keeps permissions; writes directly to
/// a pipe or a device.
pub fn write(path: &Path, bytes: &[u8], existing: Existing) -> Result<(), FileError> {
    let written = match place_of(path, existing)? {
        Place::File(place) => place.write(bytes),
        Place::Stream => {
            let stream = OpenOptions::new().write(true).open(path);
            stream.and_then(|mut stream| stream.write_all(bytes))
        }
    };
    written.map_err(|error| FileError::writing(path, error))
}

/// Checks, before long work begins, that a file can be written. Makes its folder if necessary.
pub fn check(path: &Path, existing: Existing) -> Result<(), FileError> {
    match place_of(path, existing)? {
        Place::File(place) => place.begin().map(drop),
        Place::Stream => Ok(()),
    }
    .map_err(|error| FileError::writing(path, error))
}

/// The target of a write.
enum Place {
    /// A pipe or a device.
    Stream,
    File(FilePlace),
}

struct FilePlace {
    target: PathBuf,
    /// Metadata of the file to replace.
    old: Option<Metadata>,
}

fn place_of(path: &Path, existing: Existing) -> Result<Place, FileError> {
    let failed = |error| FileError::writing(path, error);
    let target = follow_links(path).map_err(failed)?;
    let old = match target.metadata() {
        Ok(data) if data.is_dir() => return Err(FileError::NotAFile(path.to_owned())),
        Ok(data) if !data.is_file() => return Ok(Place::Stream),
        Ok(data) if existing == Existing::Keep && data.len() > 0 => {
            return Err(FileError::Exists(path.to_owned()));
        }
        Ok(data) if data.permissions().readonly() => {
            return Err(failed(ErrorKind::PermissionDenied.into()));
        }
        Ok(data) => Some(data),
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) => return Err(failed(error)),
    };
    Ok(Place::File(FilePlace { target, old }))
}

/// Follows a chain of links to its end. The last name need not exist.
fn follow_links(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        let Ok(next) = path.read_link() else {
            return Ok(path);
        };
        path = folder_of(&path).join(next);
    }
    Err(io::Error::other("its links lead in a circle"))
}

fn folder_of(path: &Path) -> &Path {
    let folder = path.parent();
    let folder = folder.filter(|folder| !folder.as_os_str().is_empty());
    folder.unwrap_or(Path::new("."))
}

/// Writes the name of a new file to the disk. Not every system can open a folder; the file itself
/// is on the disk by now.
pub(crate) fn keep_name(path: &Path) {
    let synced = File::open(folder_of(path)).and_then(|folder| folder.sync_all());
    #[cfg(test)]
    if synced.is_ok() {
        crate::save::failing_disk::note_named(path);
    }
    let _ = synced;
}

impl FilePlace {
    /// Makes a new file beside the place, with the permissions of the old one.
    fn begin(&self) -> io::Result<Fresh> {
        if self.target.file_name().is_none() {
            return Err(ErrorKind::IsADirectory.into());
        }
        let folder = folder_of(&self.target);
        std::fs::create_dir_all(folder)?;
        let random = RandomState::new().hash_one(std::process::id());
        let path = folder.join(format!(".{random:016x}.new"));
        let file = OpenOptions::new().write(true).create_new(true).open(&path);
        let fresh = Fresh { file: file?, path };
        if let Some(old) = &self.old {
            fresh.file.set_permissions(old.permissions())?;
        }
        Ok(fresh)
    }

    fn write(&self, bytes: &[u8]) -> io::Result<()> {
        let mut fresh = self.begin()?;
        fresh.file.write_all(bytes)?;
        fresh.file.sync_all()?;
        std::fs::rename(&fresh.path, &self.target)?;
        keep_name(&self.target);
        Ok(())
    }
}

/// A file under a temporary name; deleted on drop unless it was renamed.
struct Fresh {
    file: File,
    path: PathBuf,
}

impl Drop for Fresh {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    /// A folder deleted at the end of its test.
    struct Scratch(PathBuf);

    impl Scratch {
        fn new(name: &str) -> Self {
            let name = format!("files-{}-{name}", std::process::id());
            let path = std::env::temp_dir().join(name);
            let _ = std::fs::remove_dir_all(&path);
            std::fs::create_dir_all(&path).unwrap();
            Self(path)
        }

        fn names(&self) -> Vec<String> {
            let entries = std::fs::read_dir(&self.0).unwrap();
            let name = |entry: std::fs::DirEntry| entry.file_name().into_string().unwrap();
            let mut names: Vec<String> = entries.map(|entry| name(entry.unwrap())).collect();
            names.sort();
            names
        }
    }

    impl Drop for Scratch {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn a_file_is_kept_unless_it_is_to_be_replaced_or_empty() {
        let scratch = Scratch::new("keep");
        let path = scratch.0.join("deeper/a");
        write(&path, b"", Existing::Keep).unwrap();
        write(&path, b"one", Existing::Keep).unwrap();
        for refused in [
            write(&path, b"two", Existing::Keep),
            check(&path, Existing::Keep),
        ] {
            assert!(matches!(refused, Err(FileError::Exists(_))), "{refused:?}");
        }
        assert_eq!(read(&path, 3).unwrap(), b"one");
        write(&path, b"two", Existing::Replace).unwrap();
        assert_eq!(read(&path, 3).unwrap(), b"two");
    }

    #[test]
    fn what_cannot_be_written_leaves_nothing_behind() {
        let scratch = Scratch::new("nothing");
        let folder = scratch.0.join("folder");
        std::fs::create_dir(&folder).unwrap();
        let refused = write(&folder, b"one", Existing::Replace);
        assert!(matches!(refused, Err(FileError::NotAFile(_))));
        for odd in [".", "..", "/", "folder/..", ""] {
            let odd = scratch.0.join(odd);
            assert!(write(&odd, b"one", Existing::Replace).is_err(), "{odd:?}");
        }
        let locked = scratch.0.join("locked");
        std::fs::write(&locked, "old").unwrap();
        let mut permissions = locked.metadata().unwrap().permissions();
        permissions.set_readonly(true);
        std::fs::set_permissions(&locked, permissions).unwrap();
        assert!(write(&locked, b"new", Existing::Replace).is_err());
        assert_eq!(std::fs::read(&locked).unwrap(), b"old");
        check(&scratch.0.join("free"), Existing::Keep).unwrap();
        assert_eq!(scratch.names(), ["folder", "locked"]);
    }

    #[test]
    fn no_more_is_read_than_is_taken() {
        let scratch = Scratch::new("long");
        let path = scratch.0.join("huge");
        let file = File::create(&path).unwrap();
        file.set_len(1 << 40).unwrap();
        let refused = read(&path, 1 << 20);
        assert!(matches!(refused, Err(FileError::TooLong { .. })));
        file.set_len(1 << 20).unwrap();
        assert_eq!(read(&path, 1 << 20).unwrap().len(), 1 << 20);
        assert!(matches!(read(&scratch.0, 1), Err(FileError::NotAFile(_))));
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_and_circles_end() {
        use std::os::unix::fs::symlink;
        let scratch = Scratch::new("links");
        let place = |name: &str| scratch.0.join(name);
        symlink("b", place("a")).unwrap();
        symlink("c", place("b")).unwrap();
        write(&place("a"), b"one", Existing::Keep).unwrap();
        assert!(place("a").is_symlink() && place("b").is_symlink());
        assert_eq!(std::fs::read(place("c")).unwrap(), b"one");
        symlink("round", place("round")).unwrap();
        assert!(write(&place("round"), b"one", Existing::Replace).is_err());
        assert_eq!(scratch.names(), ["a", "b", "c", "round"]);
    }

    #[cfg(unix)]
    #[test]
    fn a_device_is_written_to_and_never_read() {
        let null = Path::new("/dev/null");
        write(null, b"one", Existing::Keep).unwrap();
        assert!(!null.metadata().unwrap().is_file());
        assert!(matches!(read(null, 1), Err(FileError::NotAFile(_))));
        let full = write(Path::new("/dev/full"), b"one", Existing::Replace);
        assert!(matches!(full, Err(FileError::Write { .. })));
    }
}
