//! The pages of a redb file, read without redb: for files that redb refuses, and for looking at files without writing.
//!
//! Layout as in redb's design document, file format 3: pages of 4 KiB, the first of them the header, then data in powers
//! of two of a page; B-trees whose links carry the XXH3 of what they point to. Nothing that is read is trusted: lengths
//! are held against the file, links that lead in circles end, and the work is bounded by the length of the file.

mod begun;
mod commit;
mod slots;
mod span;
mod tree;
mod view;

use std::ops::{Bound, Range};
use std::path::Path;

use redb::StorageBackend;
use redb::backends::FileBackend;

use super::disk::{io_error, refuse_others};
use super::error::StoreError;

pub(super) use begun::clear_hardly_begun;
pub(super) use commit::{Commit, walking};
pub(super) use slots::{FileHeader, Slot};
pub(super) use span::Span;
pub(super) use tree::{Leaf, Root, Step, TableEntry, Torn, Walk, Widths};
pub(super) use view::View;

/// Bytes of the smallest page.
pub(super) const PAGE: u64 = 4096;
/// Pages of a region.
const REGION_PAGES: u64 = 1 << 20;
/// Pages are at most so many doublings large.
const MOST_ORDER: u64 = 20;
/// No record, and so no page, longer than this is read, bytes.
const LONGEST: u64 = 256 << 20;

/// A file of pages, locked against whoever would write to it.
pub(super) struct PageFile {
    backend: FileBackend,
    length: u64,
}

impl PageFile {
    /// Opens a file for reading.
    pub(super) fn open(path: &Path) -> Result<Self, StoreError> {
        let io = |error: std::io::Error| match error.kind() {
            std::io::ErrorKind::PermissionDenied => StoreError::Io(error.to_string()),
            _ => io_error(path, &error),
        };
        // A pipe would be waited for.
        refuse_others(path)?;
        let file = std::fs::File::open(path).map_err(io)?;
        let data = file.metadata().map_err(io)?;
        let backend = FileBackend::new(file).map_err(|error| StoreError::Io(error.to_string()))?;
        // Where there are no locks, all others go without them as well.
        if let Ok(false) = backend.try_lock_shared_range(Bound::Unbounded, Bound::Unbounded) {
            return Err(StoreError::InUse(path.to_owned()));
        }
        let length = data.len();
        Ok(Self { backend, length })
    }

    /// How long the file is, bytes.
    pub(super) fn length(&self) -> u64 {
        self.length
    }

    /// Bytes of the file; nothing if it is shorter, or the disk does not give them.
    pub(super) fn read(&self, range: Range<u64>) -> Option<Vec<u8>> {
        let length = range.end.checked_sub(range.start)?;
        if range.end > self.length || length > LONGEST {
            return None;
        }
        let mut bytes = vec![0; length as usize];
        self.backend.read(range.start, &mut bytes).ok()?;
        Some(bytes)
    }
}

impl Drop for PageFile {
    fn drop(&mut self) {
        // A lock that cannot be given back goes with the file.
        let _ = self.backend.close();
    }
}

/// A page by its number, as links name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct PageNumber(pub(super) u64);

impl PageNumber {
    /// Where it lies in the file; nothing for a number that no page has.
    pub(super) fn extent(self) -> Option<Range<u64>> {
        let order = self.0 >> 59;
        if order > MOST_ORDER {
            return None;
        }
        let index = (self.0 & (0xf_ffff >> order)) << order;
        let region = self.0 >> 20 & 0xf_ffff;
        let start = PAGE * (1 + region * REGION_PAGES + index);
        Some(start..start + (PAGE << order))
    }
}

/// How many bytes may still be looked at. Pages of a sound file do not overlap; those of a hostile one may, and would be read
/// over and over.
pub(super) struct Budget(u64);

impl Budget {
    /// Enough to look so many times at all of a file.
    pub(super) fn of(file: &PageFile, times: u64) -> Self {
        Self(file.length.saturating_mul(times).saturating_add(1 << 20))
    }

    /// Takes what a look costs; whether there was enough.
    pub(super) fn take(&mut self, bytes: u64) -> bool {
        let rest = self.0.checked_sub(bytes);
        self.0 = rest.unwrap_or(0);
        rest.is_some()
    }
}

/// The checksum that links carry.
fn page_checksum(bytes: &[u8]) -> u128 {
    twox_hash::XxHash3_128::oneshot(bytes)
}
