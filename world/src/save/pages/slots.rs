//! The header of a redb file: which of the two commit slots is in force, and where their trees begin.

use super::tree::Root;
use super::{PageFile, page_checksum};

pub(super) const MAGIC: &[u8] = b"redb\x1a\x0a\xa9\x0d\x0a";
pub(super) const HEADER: usize = 320;
const SLOT: usize = 128;

/// One of the two commits that a file names.
#[derive(Clone, Debug)]
pub(in super::super) struct Slot {
    /// Grows with every commit.
    pub(in super::super) transaction: u64,
    /// The tree of tables; none before the first commit.
    pub(in super::super) user: Option<Root>,
    /// redb's own tables.
    pub(in super::super) system: Option<Root>,
}

/// What the first page says.
#[derive(Clone, Debug)]
pub(in super::super) struct FileHeader {
    /// Whether it bears redb's name.
    pub(in super::super) named: bool,
    /// Whether the file was closed in order.
    pub(in super::super) closed: bool,
    /// Whether the slot in force was made durable before it was named.
    pub(in super::super) two_phase: bool,
    /// The slot in force.
    pub(in super::super) primary: usize,
    /// None where the checksum does not match.
    pub(in super::super) slots: [Option<Slot>; 2],
}

impl FileHeader {
    /// Reads the header; nothing if the file is too short to have one.
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
    /// Whether nothing was ever committed.
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
