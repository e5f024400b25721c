//! The map from sector to page: an open-addressing table with linear probing.
//!
//! Removal shifts later entries back, so there are no tombstones and lookups stay short. Never
//! iterated: the simulation must not depend on the order of a hash table.

use nalgebra::Vector3;

const EMPTY: u32 = u32::MAX;
const FIRST_CAPACITY: usize = 16;

/// A map from sector coordinates to page numbers.
#[derive(Clone, Debug, Default)]
pub(super) struct Directory {
    entries: Vec<Entry>,
    used: usize,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    sector: Vector3<i32>,
    page: u32,
}

impl Directory {
    /// Returns the page of a sector, if it has one.
    #[inline]
    pub(super) fn find(&self, sector: Vector3<i32>) -> Option<u32> {
        if self.entries.is_empty() {
            return None;
        }
        let entry = self.entries[self.slot(sector)];
        (entry.page != EMPTY).then_some(entry.page)
    }

    /// Sets the page of a sector, new or known.
    pub(super) fn insert(&mut self, sector: Vector3<i32>, page: u32) {
        if (self.used + 1) * 2 > self.entries.len() {
            self.grow();
        }
        let slot = self.slot(sector);
        self.used += usize::from(self.entries[slot].page == EMPTY);
        self.entries[slot] = Entry { sector, page };
    }

    /// Removes a sector.
    pub(super) fn remove(&mut self, sector: Vector3<i32>) {
        let mask = self.entries.len() - 1;
        let mut hole = self.slot(sector);
        if self.entries[hole].page == EMPTY {
            return;
        }
        self.used -= 1;
        let mut probe = (hole + 1) & mask;
        while self.entries[probe].page != EMPTY {
            let home = hash(self.entries[probe].sector) & mask;
            // The entry may fill the hole unless its home lies cyclically after the hole.
            if (probe.wrapping_sub(home) & mask) >= (probe.wrapping_sub(hole) & mask) {
                self.entries[hole] = self.entries[probe];
                hole = probe;
            }
            probe = (probe + 1) & mask;
        }
        self.entries[hole].page = EMPTY;
    }

    /// Returns the slot that holds the sector, or the empty one for it.
    #[inline]
    fn slot(&self, sector: Vector3<i32>) -> usize {
        let mask = self.entries.len() - 1;
        let mut slot = hash(sector) & mask;
        while self.entries[slot].page != EMPTY && self.entries[slot].sector != sector {
            slot = (slot + 1) & mask;
        }
        slot
    }

    fn grow(&mut self) {
        let empty = Entry {
            sector: Vector3::zeros(),
            page: EMPTY,
        };
        let capacity = (self.entries.len() * 2).max(FIRST_CAPACITY);
        let old = std::mem::replace(&mut self.entries, vec![empty; capacity]);
        for entry in old.into_iter().filter(|entry| entry.page != EMPTY) {
            let slot = self.slot(entry.sector);
            self.entries[slot] = entry;
        }
    }
}

#[inline]
fn hash(sector: Vector3<i32>) -> usize {
    let mut bits = (sector.x as u32 as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bits ^= (sector.y as u32 as u64).wrapping_mul(0xc2b2_ae3d_27d4_eb4f);
    bits ^= (sector.z as u32 as u64).wrapping_mul(0x1656_67b1_9e37_79f9);
    (bits ^ (bits >> 32)) as usize
}
