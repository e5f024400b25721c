//! Cells that one batch writes several times: what counts is what they were before and what they are now.

use super::{BrickChange, BrickId, WriteReport};
use crate::chunk::{RowChange, SIDE};

impl WriteReport {
    /// Makes of several changes of a cell one, or none. Changes come in order of their bricks and rows afterwards, unless no
    /// row has more than one.
    pub(crate) fn join_repeats(&mut self) {
        if self.changes.len() < 2 {
            return;
        }
        let key = |change: &BrickChange| (change.brick, change.change.row);
        // The sort is stable: changes of a row stay in the order in which they were made.
        self.changes.sort_by_key(key);
        if !self.changes.chunk_by(same_row).any(has_repeats) {
            return;
        }
        let mut joined = Vec::with_capacity(self.changes.len());
        for changes in self.changes.chunk_by(same_row) {
            if has_repeats(changes) {
                join(changes, &mut joined);
            } else {
                joined.extend_from_slice(changes);
            }
        }
        let voxels = joined.iter().map(|change| change.change.mask.count_ones());
        self.voxels = voxels.map(u64::from).sum();
        let changed = |&brick: &BrickId| joined.binary_search_by_key(&brick, |change| change.brick);
        self.touched.retain(|brick| changed(brick).is_ok());
        self.changes = joined;
    }
}

fn same_row(one: &BrickChange, other: &BrickChange) -> bool {
    (one.brick, one.change.row) == (other.brick, other.change.row)
}

fn has_repeats(changes: &[BrickChange]) -> bool {
    let mut seen = 0;
    changes.iter().any(|change| {
        let mask = change.change.mask;
        let repeats = seen & mask != 0;
        seen |= mask;
        repeats
    })
}

/// The net change of one row: voxels that went the same way stay together.
fn join(changes: &[BrickChange], joined: &mut Vec<BrickChange>) {
    let begin = joined.len();
    for column in 0..SIDE {
        let bit = 1 << column;
        let mut own = changes
            .iter()
            .filter(|change| change.change.mask & bit != 0);
        let Some(first) = own.next() else {
            continue;
        };
        let (old, new) = (
            first.change.old,
            own.next_back().unwrap_or(first).change.new,
        );
        if old == new {
            continue;
        }
        let alike = joined[begin..]
            .iter_mut()
            .find(|change| (change.change.old, change.change.new) == (old, new));
        match alike {
            Some(change) => change.change.mask |= bit,
            None => joined.push(BrickChange {
                brick: first.brick,
                change: RowChange {
                    mask: bit,
                    old,
                    new,
                    ..first.change
                },
            }),
        }
    }
}
