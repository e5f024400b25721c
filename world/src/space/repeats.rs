//! Joins several writes of a batch to one cell: only the first and the last state count.

use super::{BrickChange, BrickId, WriteReport};
use crate::chunk::{RowChange, SIDE};

impl WriteReport {
    /// Joins all changes of a cell into one, or none. Afterwards the changes are in order of chunk
    /// and row, unless no row has more than one.
    pub(crate) fn join_repeats(&mut self) {
        if self.changes.len() < 2 {
            return;
        }
        let key = |change: &BrickChange| (change.brick, change.change.row);
        // The sort is stable: changes of a row stay in the order of the writes.
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

/// Appends the net change of one row, with voxels of equal old and new material together.
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
