//! What changed since a revision: how a renderer keeps up.

use super::slots::NONE;
use super::{BrickId, World};

/// Bricks that changed, the latest first.
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
    /// The bricks whose voxels or surfaces changed after a revision, loaded and removed ones included (a removed one
    /// has no owner and an empty surface). Objects that only moved are not among them.
    pub fn changes_since(&self, revision: u64) -> Changes<'_> {
        Changes {
            world: self,
            next: self.slots.newest(),
            since: revision,
        }
    }
}
