//! For each eye level in use, the bitmap of all tiles above it: made once, kept true under edits.

use super::heights::HeightField;
use super::rows::{MARGIN, Rows};

/// Levels kept at a time; the one unused for longest makes room. All memory is taken at the start.
const MOST_PLANES: usize = 64;

struct Plane {
    level: i32,
    /// When it was last asked for; 0 when it holds nothing.
    used: u64,
    bits: Vec<u64>,
}

pub(super) struct Planes {
    rows: Rows,
    planes: Vec<Plane>,
    clock: u64,
}

/// A bitmap of tiles above a level.
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
        }
    }

    /// The tiles higher than `level`.
    pub(super) fn above(&mut self, level: i32, heights: &HeightField) -> Above<'_> {
        self.clock += 1;
        // Units are many and levels few: start where this level was put, or would be.
        let home = level.rem_euclid(MOST_PLANES as i32) as usize;
        let at = (0..MOST_PLANES)
            .map(|step| (home + step) % MOST_PLANES)
            .find(|&at| self.planes[at].used > 0 && self.planes[at].level == level);
        let at = at.unwrap_or_else(|| self.make(level, home, heights));
        let plane = &mut self.planes[at];
        plane.used = self.clock;
        Above {
            rows: self.rows,
            bits: &plane.bits,
        }
    }

    #[cold]
    fn make(&mut self, level: i32, home: usize, heights: &HeightField) -> usize {
        let order = |step: &usize| (home + step) % MOST_PLANES;
        let at = (0..MOST_PLANES)
            .map(|step| order(&step))
            .min_by_key(|&at| self.planes[at].used)
            .unwrap_or(home);
        let plane = &mut self.planes[at];
        plane.level = level;
        plane.bits.fill(0);
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

    /// Brings every plane up to date with the edited tiles.
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
