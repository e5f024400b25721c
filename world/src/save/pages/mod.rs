//! Reads the pages of a redb file without redb: for files that redb refuses, and for reading
//! without writing.
//!
//! Layout of redb's file format 3: pages of 4 KiB, first the header, then data in pages of
//! power-of-two sizes; B-trees whose links contain the XXH3 of their targets. Nothing read is
//! trusted: lengths are checked against the file, circles of links end, and the work is bounded by
//! the file's length.

mod commit;
mod half_created;
mod slots;
mod span;
mod tree;
mod view;

use std::ops::{Bound, Range};
use std::path::Path;
use std::sync::OnceLock;

use redb::StorageBackend;

use super::disk::{Backend, backend, io_error, refuse_others};
use super::error::StoreError;

pub(super) use commit::{Commit, walking};
pub(crate) use half_created::remove_half_created;
pub(super) use slots::{FileHeader, Slot};
pub(super) use span::Span;
pub(super) use tree::{Leaf, Root, Step, TableEntry, Torn, Walk, Widths};
pub(crate) use view::View;

/// Size of the smallest page, in bytes.
pub(super) const PAGE: u64 = 4096;
/// Pages of a region.
const REGION_PAGES: u64 = 1 << 20;
/// Largest number of doublings of a page.
const MOST_ORDER: u64 = 20;
/// Longest record, and so page, that is read, in bytes.
const LONGEST: u64 = 256 << 20;

/// A file of pages, locked against writers.
pub(super) struct PageFile {
    backend: Backend,
    length: u64,
    /// The first error of the system.
    failed: OnceLock<std::io::Error>,
}

impl PageFile {
    /// Opens a file for reading.
    pub(super) fn open(path: &Path) -> Result<Self, StoreError> {
        let io = |error: std::io::Error| match error.kind() {
            std::io::ErrorKind::PermissionDenied => StoreError::Io(error.to_string()),
            _ => io_error(path, &error),
        };
        // Opening a pipe would block.
        refuse_others(path)?;
        let file = std::fs::File::open(path).map_err(io)?;
        let data = file.metadata().map_err(io)?;
        let backend = backend(path, file).map_err(|error| StoreError::Io(error.to_string()))?;
        // On systems without locks, other programs do without them too.
        if let Ok(false) = backend.try_lock_shared_range(Bound::Unbounded, Bound::Unbounded) {
            return Err(StoreError::InUse(path.to_owned()));
        }
        Ok(Self {
            backend,
            length: data.len(),
            failed: OnceLock::new(),
        })
    }

    /// Returns the length of the file, in bytes.
    pub(super) fn length(&self) -> u64 {
        self.length
    }

    /// Reads bytes of the file; `None` if it is shorter or cannot be read.
    pub(super) fn read(&self, range: Range<u64>) -> Option<Vec<u8>> {
        let length = range.end.checked_sub(range.start)?;
        if range.end > self.length || length > LONGEST {
            return None;
        }
        let mut bytes = vec![0; length as usize];
        let read = self.backend.read(range.start, &mut bytes);
        match read {
            Ok(()) => Some(bytes),
            Err(error) => {
                // Later errors of a failing disk tell no more.
                let _ = self.failed.set(error);
                None
            }
        }
    }

    /// Returns an error if any bytes could not be read: they are not known to be damaged.
    pub(super) fn check(&self, path: &Path) -> Result<(), StoreError> {
        self.failed
            .get()
            .map_or(Ok(()), |error| Err(io_error(path, error)))
    }
}

impl Drop for PageFile {
    fn drop(&mut self) {
        // If unlocking fails, the lock ends when the file is closed.
        let _ = self.backend.close();
    }
}

/// The number of a page in a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct PageNumber(pub(super) u64);

impl PageNumber {
    /// Returns the page's range in the file; `None` for an invalid number.
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

/// Number of bytes that may still be read. Pages of a hostile file may overlap and would be read
/// repeatedly.
pub(super) struct Budget(u64);

impl Budget {
    /// Returns a budget for reading a file `times` times.
    pub(super) fn of(file: &PageFile, times: u64) -> Self {
        Self(file.length.saturating_mul(times).saturating_add(1 << 20))
    }

    /// Takes the cost of a read; returns false if the budget is exceeded.
    pub(super) fn take(&mut self, bytes: u64) -> bool {
        let rest = self.0.checked_sub(bytes);
        self.0 = rest.unwrap_or(0);
        rest.is_some()
    }
}

/// Returns the checksum that links contain.
fn page_checksum(bytes: &[u8]) -> u128 {
    twox_hash::XxHash3_128::oneshot(bytes)
}
