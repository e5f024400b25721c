//! For each eye level in use, the bitmap of all obstacle tiles at this level, made once and kept up
//! to date.
//!
//! On a map without voxels those are the tiles higher than the level. In a world they are the tiles
//! with a solid voxel at the level: a roof above the eyes is not in the way, and a door in a wall
//! is open.

use super::heights::HeightField;
use super::rows::{MARGIN, Rows};
use crate::world::World;

/// Most levels kept at a time; the least recently used makes room. All memory is allocated at the
/// start.
const MOST_PLANES: usize = 64;

struct Plane {
    level: i32,
    /// Time of the last use; 0 for an empty plane.
    used: u64,
    bits: Vec<u64>,
}

impl Plane {
    /// Reads the voxels of a column of chunks, and reports the changed tiles, 32 at a time.
    fn read(
        &mut self,
        rows: Rows,
        heights: &HeightField,
        world: &World,
        column: [i32; 2],
        mut changed: impl FnMut([i32; 2], u64),
    ) {
        heights.visit_level(world, self.level, column, |[x, z], solid| {
            let tiles = rows.write_32(&mut self.bits, x, z, solid);
            if tiles != 0 {
                changed([x, z], tiles);
            }
        });
    }
}

pub(super) struct Planes {
    rows: Rows,
    planes: Vec<Plane>,
    clock: u64,
    /// Set while the planes are made of voxels.
    of_voxels: bool,
    /// The tiles that changed in any plane when the world was last followed.
    edited: Vec<u64>,
}

/// A bitmap of the obstacle tiles at one level.
pub(super) struct Above<'a> {
    pub(super) rows: Rows,
    pub(super) bits: &'a [u64],
}

impl Planes {
    pub(super) fn new(rows: Rows) -> Self {
        let plane = || Plane {
            level: 0,
            used: 0,
            bits: vec![0; rows.words()],
        };
        Self {
            rows,
            planes: (0..MOST_PLANES).map(|_| plane()).collect(),
            clock: 0,
            of_voxels: false,
            edited: vec![0; rows.words()],
        }
    }

    /// Clears the planes if they were made from another source; returns whether they were.
    pub(super) fn begin(&mut self, world: Option<&World>) -> bool {
        let is_other = world.is_some() != self.of_voxels;
        if is_other {
            self.of_voxels = world.is_some();
            self.planes.iter_mut().for_each(|plane| plane.used = 0);
        }
        is_other
    }

    /// Returns whether there is a plane of a level.
    pub(super) fn holds(&self, level: i32) -> bool {
        let mut planes = self.planes.iter();
        planes.any(|plane| plane.used > 0 && plane.level == level)
    }

    /// Returns the obstacle tiles at `level`.
    pub(super) fn above(
        &mut self,
        level: i32,
        heights: &HeightField,
        world: Option<&World>,
    ) -> Above<'_> {
        self.clock += 1;
        // Units are many and levels few: the search starts at the level's home slot.
        let home = level.rem_euclid(MOST_PLANES as i32) as usize;
        let at = (0..MOST_PLANES)
            .map(|step| (home + step) % MOST_PLANES)
            .find(|&at| self.planes[at].used > 0 && self.planes[at].level == level);
        let at = at.unwrap_or_else(|| self.make(level, home, heights, world));
        let plane = &mut self.planes[at];
        plane.used = self.clock;
        Above {
            rows: self.rows,
            bits: &plane.bits,
        }
    }

    #[cold]
    fn make(
        &mut self,
        level: i32,
        home: usize,
        heights: &HeightField,
        world: Option<&World>,
    ) -> usize {
        let order = |step: &usize| (home + step) % MOST_PLANES;
        let at = (0..MOST_PLANES)
            .map(|step| order(&step))
            .min_by_key(|&at| self.planes[at].used)
            .unwrap_or(home);
        let plane = &mut self.planes[at];
        plane.level = level;
        plane.bits.fill(0);
        if let Some(world) = world {
            for column in heights.all_columns() {
                plane.read(self.rows, heights, world, column, |_, _| {});
            }
            return at;
        }
        let width = self.rows.width as usize;
        for (z, row) in heights.as_slice().chunks(width.max(1)).enumerate() {
            for (x, height) in row.iter().enumerate() {
                let place = x + MARGIN as usize;
                plane.bits[z * self.rows.stride + place / 64] |=
                    u64::from(*height > level) << (place % 64);
            }
        }
        at
    }

    /// Updates every plane from the changed voxels, and records the tiles that changed in any.
    pub(super) fn follow_world(&mut self, heights: &HeightField, world: &World) {
        let rows = self.rows;
        self.edited.fill(0);
        for plane in self.planes.iter_mut().filter(|plane| plane.used > 0) {
            for &column in heights.stale() {
                plane.read(rows, heights, world, column, |[x, z], tiles| {
                    rows.mark(&mut self.edited, x, z, tiles);
                });
            }
        }
    }

    /// Returns the tiles that changed in any plane when the world was last followed.
    pub(super) fn edited(&self) -> &[u64] {
        &self.edited
    }

    /// Updates every plane from the edited tiles.
    pub(super) fn follow(&mut self, heights: &HeightField) {
        for (index, &edited) in heights.edited().iter().enumerate() {
            let mut rest = edited;
            while rest != 0 {
                let bit = rest.trailing_zeros();
                rest &= rest - 1;
                let x = (index % self.rows.stride * 64) as i32 + bit as i32 - MARGIN;
                let Some(height) = heights.get([x, (index / self.rows.stride) as i32]) else {
                    continue;
                };
                for plane in self.planes.iter_mut().filter(|plane| plane.used > 0) {
                    let word = &mut plane.bits[index];
                    *word = (*word & !(1 << bit)) | (u64::from(height > plane.level) << bit);
                }
            }
        }
    }
}
