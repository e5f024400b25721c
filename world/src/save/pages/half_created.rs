//! Files that were hardly begun: redb sets the length of a file first and writes its magic number
//! last, and refuses a file without it.

use std::fs::OpenOptions;
use std::path::Path;

use super::super::disk::io_error;
use super::super::error::StoreError;
use super::slots::{HEADER, MAGIC};
use super::{FileHeader, PageFile};

/// Upper limit of a new file's length, in bytes; redb makes it a little more than half of this.
const LONGEST: u64 = 2 << 20;

/// Empties a file whose program was killed before the magic number was written. A file that holds
/// anything stays unchanged.
pub(crate) fn remove_half_created(path: &Path) -> Result<(), StoreError> {
    // While it is open here, no other program writes to it.
    let file = PageFile::open(path)?;
    if is_hardly_begun(&file) {
        let emptied = OpenOptions::new().write(true).open(path);
        let emptied = emptied.and_then(|file| file.set_len(0));
        emptied.map_err(|error| io_error(path, &error))?;
    }
    Ok(())
}

fn is_hardly_begun(file: &PageFile) -> bool {
    if file.length() > LONGEST {
        return false;
    }
    let Some(bytes) = file.read(0..file.length()) else {
        return false;
    };
    let is_zero = |part: &[u8]| part.iter().all(|&byte| byte == 0);
    let unnamed = bytes.get(..MAGIC.len()).is_some_and(is_zero);
    let header = FileHeader::read(file);
    let bare = header.is_some_and(|header| {
        let slots = header.slots.iter();
        slots.flatten().filter(|slot| slot.is_bare()).count() == header.slots.len()
    });
    is_zero(&bytes) || unnamed && bare && bytes.get(HEADER..).is_some_and(is_zero)
}
