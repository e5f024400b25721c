//! The units and their pictures.

use super::rows::Rows;
use super::sight::words_of;

/// A viewer on the map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unit {
    /// The team that shares its sight.
    pub team: usize,
    /// The tile it stands on, and looks from the middle of.
    pub tile: [i32; 2],
    /// Sight radius, in tiles, at most [`super::MOST_RADIUS`].
    pub radius: u32,
    /// Height of its eyes. Higher tiles are obstacles, or, in a world, solid voxels at this height.
    /// A unit always sees its own tile.
    pub eye: i32,
}

/// Names a unit until it is removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UnitId {
    index: u32,
    generation: u32,
}

/// The place from which a picture was taken.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen {
    pub(super) tile: [i32; 2],
    pub(super) radius: i32,
}

pub(super) struct Entry {
    pub(super) unit: Unit,
    generation: u32,
    live: bool,
    waits: bool,
    /// Set while `picture` is counted.
    pub(super) seen: Option<Seen>,
    pub(super) picture: Box<[u64]>,
}

#[derive(Default)]
pub(super) struct Units {
    entries: Vec<Entry>,
    free: Vec<u32>,
}

impl Units {
    pub(super) fn add(&mut self, unit: Unit) -> UnitId {
        let words = words_of(unit.radius as i32);
        let index = self.free.pop().unwrap_or(self.entries.len() as u32);
        let fresh = |generation| Entry {
            unit,
            generation,
            live: true,
            waits: true,
            seen: None,
            picture: vec![0; words].into_boxed_slice(),
        };
        match self.entries.get_mut(index as usize) {
            Some(entry) => *entry = fresh(entry.generation),
            None => self.entries.push(fresh(0)),
        }
        UnitId {
            index,
            generation: self.entries[index as usize].generation,
        }
    }

    pub(super) fn get(&self, id: UnitId) -> Option<Unit> {
        let entry = self.entries.get(id.index as usize)?;
        (entry.live && entry.generation == id.generation).then_some(entry.unit)
    }

    pub(super) fn move_to(&mut self, id: UnitId, tile: [i32; 2], eye: i32) -> bool {
        let Some(entry) = self.live_mut(id) else {
            return false;
        };
        entry.waits |= (entry.unit.tile, entry.unit.eye) != (tile, eye);
        (entry.unit.tile, entry.unit.eye) = (tile, eye);
        true
    }

    /// Removes a unit; the caller subtracts its picture if it is counted.
    pub(super) fn remove(&mut self, id: UnitId) -> Option<Removed> {
        let entry = self.live_mut(id)?;
        entry.live = false;
        entry.waits = false;
        entry.generation = entry.generation.wrapping_add(1);
        let removed = Removed {
            unit: entry.unit,
            seen: entry.seen.take(),
            picture: std::mem::take(&mut entry.picture),
        };
        self.free.push(id.index);
        Some(removed)
    }

    /// Returns the units that must look again, and marks them as done.
    pub(super) fn waiting(&mut self) -> impl Iterator<Item = &mut Entry> {
        self.entries
            .iter_mut()
            .filter_map(|entry| std::mem::take(&mut entry.waits).then_some(entry))
    }

    /// Makes all units look again.
    pub(super) fn mark_all(&mut self) {
        self.entries.iter_mut().for_each(|it| it.waits = it.live);
    }

    /// Makes units look again if a tile in their square was edited or `other` selects them.
    pub(super) fn mark_edited(
        &mut self,
        rows: Rows,
        edited: &[u64],
        other: impl Fn(&Unit) -> bool,
    ) {
        for entry in self
            .entries
            .iter_mut()
            .filter(|entry| entry.live && !entry.waits)
        {
            let Some(seen) = entry.seen else {
                continue;
            };
            let side = 2 * seen.radius + 1;
            let [x, z] = [seen.tile[0] - seen.radius, seen.tile[1] - seen.radius];
            entry.waits = (z..z + side).any(|z| rows.read(edited, x, z, side as u32) != 0)
                || other(&entry.unit);
        }
    }

    fn live_mut(&mut self, id: UnitId) -> Option<&mut Entry> {
        self.entries
            .get_mut(id.index as usize)
            .filter(|entry| entry.live && entry.generation == id.generation)
    }
}

/// The remains of a removed unit.
pub(super) struct Removed {
    pub(super) unit: Unit,
    pub(super) seen: Option<Seen>,
    pub(super) picture: Box<[u64]>,
}
