//! Iterates over the changes since a revision, for renderers.

use super::slots::NONE;
use super::{BrickId, Space};

/// The chunks that changed since a revision, latest first.
pub struct Changes<'a> {
    space: &'a Space,
    next: u32,
    since: u64,
}

impl Iterator for Changes<'_> {
    type Item = BrickId;

    fn next(&mut self) -> Option<BrickId> {
        if self.next == NONE {
            return None;
        }
        let id = BrickId(self.next);
        if self.space.brick(id).revision() <= self.since {
            return None;
        }
        self.next = self.space.slots.older(self.next);
        Some(id)
    }
}

impl Space {
    /// Returns the chunks whose voxels or surfaces changed after a revision, including loaded and
    /// removed ones (a removed one has no owner and an empty surface). Objects that only moved are
    /// excluded.
    pub fn changes_since(&self, revision: u64) -> Changes<'_> {
        Changes {
            space: self,
            next: self.slots.newest(),
            since: revision,
        }
    }
}
