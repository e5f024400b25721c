//! The header of a redb file: the commit slot in force, and the roots of the trees.

use super::tree::Root;
use super::{PageFile, page_checksum};

pub(super) const MAGIC: &[u8] = b"redb\x1a\x0a\xa9\x0d\x0a";
pub(super) const HEADER: usize = 320;
const SLOT: usize = 128;

/// One of the two commits that a file names.
#[derive(Clone, Debug)]
pub(in super::super) struct Slot {
    /// Number of the transaction; grows with every commit.
    pub(in super::super) transaction: u64,
    /// Root of the tree of tables; `None` before the first commit.
    pub(in super::super) user: Option<Root>,
    /// Root of redb's own tables.
    pub(in super::super) system: Option<Root>,
}

/// The contents of the first page.
#[derive(Clone, Debug)]
pub(in super::super) struct FileHeader {
    /// True if the magic number is there.
    pub(in super::super) named: bool,
    /// True if the file was closed properly.
    pub(in super::super) closed: bool,
    /// True if the slot in force was durable before it was put in force.
    pub(in super::super) two_phase: bool,
    /// Index of the slot in force.
    pub(in super::super) primary: usize,
    /// The slots; `None` if a checksum does not match.
    pub(in super::super) slots: [Option<Slot>; 2],
}

impl FileHeader {
    /// Reads the header; `None` if the file is too short.
    pub(in super::super) fn read(file: &PageFile) -> Option<Self> {
        let bytes = file.read(0..HEADER as u64)?;
        let slot = |index: usize| Slot::decode(&bytes[64 + SLOT * index..][..SLOT]);
        let flags = bytes[MAGIC.len()];
        Some(Self {
            named: bytes.starts_with(MAGIC),
            closed: flags & 2 == 0,
            two_phase: flags & 4 != 0,
            primary: usize::from(flags & 1),
            slots: [slot(0), slot(1)],
        })
    }
}

impl Slot {
    /// Returns true if nothing was ever committed.
    pub(super) fn is_bare(&self) -> bool {
        self.user.is_none() && self.system.is_none()
    }

    fn decode(bytes: &[u8]) -> Option<Self> {
        let (body, sum) = bytes.split_at(SLOT - 16);
        let sum = u128::from_le_bytes(sum.try_into().ok()?);
        if sum != page_checksum(body) || body[0] != 3 {
            return None;
        }
        let root = |there: u8, at: usize| (there != 0).then(|| Root::decode(&body[at..])).flatten();
        Some(Self {
            transaction: u64::from_le_bytes(body[104..112].try_into().ok()?),
            user: root(body[1], 8),
            system: root(body[2], 40),
        })
    }
}
