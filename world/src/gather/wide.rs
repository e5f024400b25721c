//! Boxes so wide that they hold more chunks than are loaded: of their tiles only those are looked at that something loaded reaches into. All
//! between them is solid and without a surface, and told in a few large pieces.

use super::seen::{Near, Seen};
use super::tile::{Centres, Lattice, SIDES, Tile};
use super::{Range, cells_about, floor_all, push_solids};
use crate::chunk::SIDE;
use crate::world::{BrickId, World};
use collision::{Candidates, Cell, Reach, SolidBox};
use nalgebra::Vector3;

/// A box no longer than this along any axis, in metres, has few tiles, however little is loaded.
const FEW: f32 = 128.0;

/// Whether a box may have many tiles. So may one that is no number.
#[inline]
pub(super) fn is_wide(min: &Vector3<f32>, max: &Vector3<f32>) -> bool {
    let few = |axis: usize| max[axis] - min[axis] <= FEW;
    !(few(0) & few(1) & few(2))
}

/// A tile by its number along each axis.
type Place = Vector3<i32>;

/// A part of a wide box.
enum Part<'a> {
    /// A tile.
    Tile(&'a mut Tile),
    /// Cells that are not loaded.
    Rest(Range),
}

/// The cells of such a part.
enum Cells {
    /// Those of a tile of which something is loaded.
    Tile(Range),
    /// Those of several of which nothing is.
    Rest(Range),
}

impl Range {
    /// From a tile's first cell to the next one's along an axis.
    fn step(axis: usize) -> i32 {
        SIDES[axis] as i32 - 1
    }

    /// How many tiles there are along an axis.
    fn count(self, axis: usize) -> i32 {
        let span = self.high[axis] - self.low[axis];
        ((span + Self::step(axis) - 1) / Self::step(axis)).max(1)
    }

    /// The part that some tiles have along an axis.
    fn along(self, axis: usize, first: i32, last: i32) -> Self {
        let mut part = self;
        let step = Self::step(axis);
        part.low[axis] = self.low[axis] + first * step;
        part.high[axis] = (self.low[axis] + (last + 1) * step).min(self.high[axis]);
        part
    }

    /// The first and the last tile along an axis that have any of some cells, counted from the lowest one.
    fn tiles_with(self, axis: usize, first: i32, last: i32) -> [i32; 2] {
        let step = Self::step(axis);
        let before = (first.max(0) - 1).div_euclid(step).max(0);
        [before, (last / step).min(self.count(axis) - 1)]
    }

    /// Takes the range apart along an axis and those before it: into the tiles of these places, which are sorted by z, y and x, and the rest. Along
    /// the axes after it there is one tile.
    fn parts(self, axis: usize, places: &[Place], each: &mut dyn FnMut(Cells)) {
        let mut next = 0;
        for group in places.chunk_by(|a, b| a[axis] == b[axis]) {
            let here = group[0][axis];
            if next < here {
                each(Cells::Rest(self.along(axis, next, here - 1)));
            }
            let part = self.along(axis, here, here);
            match axis.checked_sub(1) {
                Some(axis) => part.parts(axis, group, each),
                None => each(Cells::Tile(part)),
            }
            next = here + 1;
        }
        let last = self.count(axis) - 1;
        if next <= last {
            each(Cells::Rest(self.along(axis, next, last)));
        }
    }
}

impl World {
    /// Puts everything in a wide reach that a body could hit into `out`.
    #[cold]
    pub(super) fn gather_wide(
        &self,
        reach: &Reach,
        centres: &Centres,
        hint: BrickId,
        out: &mut Candidates,
    ) -> Seen {
        let (base, min, max) = (reach.base, reach.min, reach.max);
        self.each_part(base, min, max, hint, &mut |part| {
            // What is not loaded has no surface.
            if let Part::Tile(tile) = part {
                tile.gather(centres, out);
            }
        })
    }

    /// Puts everything solid in a wide box into `out`.
    #[cold]
    pub(super) fn gather_wide_solids(
        &self,
        base: Cell,
        min: Vector3<f32>,
        max: Vector3<f32>,
        out: &mut Vec<SolidBox>,
    ) {
        let lattice = Lattice::TERRAIN;
        self.each_part(
            base,
            min,
            max,
            BrickId::NOT_LOADED,
            &mut |part| match part {
                Part::Tile(tile) => push_solids(tile, out),
                Part::Rest(range) => out.push(SolidBox {
                    min: lattice.corner(range.low),
                    max: lattice.corner(range.high.add_scalar(1)),
                    grain: lattice.size,
                    object: lattice.object,
                }),
            },
        );
    }

    /// Calls `each` with everything that reaches into a wide box, the objects after the terrain. Returns what was seen.
    fn each_part(
        &self,
        base: Cell,
        min: Vector3<f32>,
        max: Vector3<f32>,
        hint: BrickId,
        each: &mut dyn FnMut(Part<'_>),
    ) -> Seen {
        let (low, high) = (floor_all(min), floor_all(max));
        let range = Range { low, high };
        let Some(places) = self.loaded_tiles(base, range) else {
            return self.each_tile(base, min, max, hint, |tile| each(Part::Tile(tile)));
        };
        let mut brick = hint;
        range.parts(2, &places, &mut |cells| match cells {
            Cells::Rest(range) => each(Part::Rest(range)),
            Cells::Tile(Range { low, high }) => {
                let size = (high - low).map(|last| last as usize + 1);
                let tile = &mut Tile::new(low, size.into(), Lattice::TERRAIN);
                brick = self.fill_terrain(tile, base, brick);
                each(Part::Tile(tile));
            }
        });
        let mut near = Near::default();
        let cells = cells_about(base, low, high);
        self.each_object_tile(base, min, max, &cells, &mut near, |tile| {
            each(Part::Tile(tile));
        });
        self.seen(cells, brick, near)
    }

    /// The tiles of a range that have cells of loaded chunks, by z, y and x; `None` where the range holds no more chunks than are loaded.
    fn loaded_tiles(&self, base: Cell, range: Range) -> Option<Vec<Place>> {
        let span = range.high - range.low;
        if span.min() < 0 {
            return None;
        }
        let chunks = span.map(|cells| i64::from(cells / SIDE as i32) + 1);
        if chunks.product() <= self.slots.loaded() as i64 {
            return None;
        }
        let lowest = base.zip_map(&range.low, i32::wrapping_add);
        let mut places = Vec::new();
        for (chunk, _) in self.loaded_chunks() {
            let corner = chunk.map(|part| part.wrapping_mul(SIDE as i32));
            let first = corner.zip_map(&lowest, i32::wrapping_sub);
            let last = first.map(|part| part.saturating_add(SIDE as i32 - 1));
            if (0..3).any(|axis| last[axis] < 0 || first[axis] > span[axis]) {
                continue;
            }
            let [x, y, z] = [0, 1, 2].map(|axis| {
                let [first, last] = range.tiles_with(axis, first[axis], last[axis]);
                first..=last
            });
            for z in z {
                for y in y.clone() {
                    places.extend(x.clone().map(|x| Place::new(x, y, z)));
                }
            }
        }
        places.sort_unstable_by_key(|place| (place.z, place.y, place.x));
        places.dedup();
        Some(places)
    }
}
