//! Iterates over the changes since a revision, for renderers.

use super::slots::NONE;
use super::{BrickId, World};

/// The chunks that changed since a revision, latest first.
pub struct Changes<'a> {
    world: &'a World,
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
        if self.world.brick(id).revision() <= self.since {
            return None;
        }
        self.next = self.world.slots.older(self.next);
        Some(id)
    }
}

impl World {
    /// Returns the chunks whose voxels or surfaces changed after a revision, including loaded and
    /// removed ones (a removed one has no owner and an empty surface). Objects that only moved are
    /// excluded.
    pub fn changes_since(&self, revision: u64) -> Changes<'_> {
        Changes {
            world: self,
            next: self.slots.newest(),
            since: revision,
        }
    }
}
