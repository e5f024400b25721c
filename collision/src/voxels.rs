//! Terrain from any rule for the solid cells: voxels in any form.
//!
//! Every query reads the cells in reach anew: its cost grows with the number of cells in the box of
//! a move, so this terrain suits bodies of a few metres. Nothing is merged and nothing is kept;
//! voxels may change between ticks as long as the revision changes too. Worlds of many voxels that
//! are kept for characters belong to the `world` crate, which is faster.
//!
//! ```
//! use collision::{Cell, Character, Crowd, Intent, Position, VoxelTerrain, Voxels};
//! use nalgebra::{Point3, Vector3};
//!
//! /// A floor of 5 x 5 voxels and what lies upon it.
//! struct Grid([u8; 50]);
//!
//! impl Voxels for Grid {
//!     fn revision(&self) -> u64 {
//!         0
//!     }
//!
//!     fn is_solid(&self, cell: Cell) -> bool {
//!         let is_inside = |part: i32, side: i32| (0..side).contains(&part);
//!         let inside = is_inside(cell.x, 5) && is_inside(cell.y, 2) && is_inside(cell.z, 5);
//!         inside && self.0[(cell.x + 5 * cell.z + 25 * cell.y) as usize] != 0
//!     }
//! }
//!
//! let mut bytes = [0; 50];
//! bytes[..25].fill(1);
//! bytes[25 + 14] = 1;
//! let terrain = VoxelTerrain::new(Grid(bytes));
//! let mut crowd = Crowd::new();
//! let place = Position::from_metres(Point3::new(0.5, 1.92, 2.5));
//! let id = crowd.add(Character::at(place));
//! for _ in 0..120 {
//!     let east = Intent::walk(Vector3::new(3.0, 0.0, 0.0));
//!     crowd.tick(&terrain, &[(id, east)], 1.0 / 60.0);
//! }
//! // It stands on the floor, before the voxel upon that.
//! let place = crowd.position(id).unwrap().to_metres();
//! assert!(crowd.is_grounded(id) && (3.58..3.6).contains(&place.x), "{place}");
//! ```

use nalgebra::Vector3;

use crate::candidates::Candidates;
use crate::exposed::SolidCell;
use crate::position::{Cell, Position};
use crate::terrain::{
    Bounds, Contents, Crossing, Memory, ObjectId, Passage, Reach, SolidBox, Terrain, Touched,
};
use crate::tolerance::BEHIND_SURFACE;

/// Cells of one cubic metre that are solid or not. All methods are called from many threads at
/// once, and must return the same for the same cell during a tick.
pub trait Voxels: Sync {
    /// Returns a number that changes whenever another method's result does.
    fn revision(&self) -> u64;

    /// Returns whether characters collide with a cell.
    fn is_solid(&self, cell: Cell) -> bool;

    /// Returns whether characters can swim in a cell.
    fn is_liquid(&self, cell: Cell) -> bool {
        let _ = cell;
        false
    }

    /// Returns whether characters can climb in a cell.
    fn is_climbable(&self, cell: Cell) -> bool {
        let _ = cell;
        false
    }

    /// Returns the number of the material of a solid cell, for the contacts of characters.
    fn material(&self, cell: Cell) -> u32 {
        let _ = cell;
        0
    }

    /// Tells whether a cell is known. One that is not is solid, whatever else is said of it.
    fn is_loaded(&self, cell: Cell) -> bool {
        let _ = cell;
        true
    }
}

/// Cells that never change.
impl<F: Fn(Cell) -> bool + Sync> Voxels for F {
    fn revision(&self) -> u64 {
        0
    }

    fn is_solid(&self, cell: Cell) -> bool {
        self(cell)
    }
}

/// Voxels as terrain.
#[derive(Clone, Copy, Debug)]
pub struct VoxelTerrain<V> {
    object: ObjectId,
    /// The voxels; they may be changed between ticks.
    pub voxels: V,
}

/// Cells across a tile: one word for each layer, one bit for each cell.
const TILE: i32 = 8;

/// The cells from `low` upwards, up to [`TILE`] on each axis, as bits `x + 8 y` of a word for each
/// `z`. Cells beyond count as solid: the borders between two tiles belong to the next tile, which
/// begins with the last cells of the one before.
struct Tile {
    low: Vector3<i32>,
    solid: [u64; TILE as usize],
}

impl Tile {
    fn is_solid(&self, cell: Vector3<i32>) -> bool {
        let outside = cell.iter().any(|part| !(0..TILE).contains(part));
        outside || self.solid[cell.z as usize] >> (cell.x + TILE * cell.y) & 1 != 0
    }
}

impl<V: Voxels> VoxelTerrain<V> {
    /// Makes terrain of voxels, as the object of number 0.
    pub const fn new(voxels: V) -> Self {
        Self::numbered(ObjectId(0), voxels)
    }

    /// Makes terrain of voxels as an object of another number, for a terrain of several parts.
    pub const fn numbered(object: ObjectId, voxels: V) -> Self {
        Self { object, voxels }
    }

    /// Returns whether the cell `step` away from `base` blocks.
    #[inline]
    fn blocks(&self, base: Cell, step: Vector3<i32>) -> bool {
        let cell = base.zip_map(&step, i32::wrapping_add);
        !self.voxels.is_loaded(cell) || self.voxels.is_solid(cell)
    }

    /// Calls `each` with the solid cells between two corners, both inside, highest first, until it
    /// returns a result. Relative to `base`.
    fn find_solid<R>(
        &self,
        base: Cell,
        [low, high]: [Vector3<i32>; 2],
        mut each: impl FnMut(Vector3<i32>) -> Option<R>,
    ) -> Option<R> {
        for y in (low.y..=high.y).rev() {
            for z in low.z..=high.z {
                for x in low.x..=high.x {
                    let cell = Vector3::new(x, y, z);
                    if self.blocks(base, cell)
                        && let Some(found) = each(cell)
                    {
                        return Some(found);
                    }
                }
            }
        }
        None
    }

    /// Gathers the features between the cells of a tile that begins at `low`.
    fn gather_tile(&self, base: Cell, low: Vector3<i32>, high: Vector3<i32>, out: &mut Candidates) {
        let mut tile = Tile {
            low,
            solid: [u64::MAX; TILE as usize],
        };
        let size = (high - low).map(|cells| cells.min(TILE - 1) + 1);
        let (mut filled, mut open) = (false, false);
        for z in 0..size.z {
            for y in 0..size.y {
                for x in 0..size.x {
                    let blocks = self.blocks(base, low + Vector3::new(x, y, z));
                    tile.solid[z as usize] ^= u64::from(!blocks) << (x + TILE * y);
                    (filled, open) = (filled | blocks, open | !blocks);
                }
            }
        }
        if !(filled && open) {
            return;
        }
        for z in 0..size.z {
            for y in 0..size.y {
                for x in 0..size.x {
                    self.gather_cell(&tile, Vector3::new(x, y, z), out);
                }
            }
        }
    }

    fn gather_cell(&self, tile: &Tile, cell: Vector3<i32>, out: &mut Candidates) {
        if tile.is_solid(cell) {
            let [min, max] = corners(tile.low + cell);
            let solid = SolidCell {
                corners: [min, max],
                object: self.object,
                is_solid: |step| tile.is_solid(cell + step),
            };
            solid.gather(out);
        }
    }
}

/// Returns the lower and upper corner of a cell, in metres from the cell it is relative to.
fn corners(cell: Vector3<i32>) -> [Vector3<f32>; 2] {
    [cell.cast(), cell.map(|part| part + 1).cast()]
}

/// Returns the cells that hold the corners of a box.
fn cells_of(min: &Vector3<f32>, max: &Vector3<f32>) -> [Vector3<i32>; 2] {
    [min, max].map(|corner| corner.map(|part| part.floor() as i32))
}

impl<V: Voxels> Terrain for VoxelTerrain<V> {
    fn revision(&self) -> u64 {
        self.voxels.revision()
    }

    fn gather(&self, reach: &Reach, memory: &mut Memory, out: &mut Candidates) {
        let cells = Bounds::about(reach.base, reach.min, reach.max);
        memory.note(self.revision(), cells);
        if out.wants_triangles_only() {
            return;
        }
        let [low, high] = cells_of(&reach.min, &reach.max);
        let firsts = |axis: usize| {
            let last = (high[axis] - 1).max(low[axis]);
            (low[axis]..=last).step_by(TILE as usize - 1)
        };
        for z in firsts(2) {
            for y in firsts(1) {
                for x in firsts(0) {
                    self.gather_tile(reach.base, Vector3::new(x, y, z), high, out);
                }
            }
        }
    }

    fn seen(&self, memory: &Memory) -> Option<Bounds> {
        Some(memory.noted())
    }

    fn gather_solids(
        &self,
        base: Cell,
        min: Vector3<f32>,
        max: Vector3<f32>,
        out: &mut Vec<SolidBox>,
    ) {
        let _ = self.find_solid(base, cells_of(&min, &max), |cell| {
            let [min, max] = corners(cell);
            out.push(SolidBox {
                min,
                max,
                grain: 1.0,
                object: self.object,
            });
            None::<()>
        });
    }

    fn passage(&self, crossing: &Crossing, memory: &mut Memory) -> Passage {
        let base = crossing.start.cell;
        let contents = self.contents(&crossing.start, memory);
        if contents.liquid || contents.climbable {
            return Passage::Unknown;
        }
        let [mut low, high] = cells_of(&crossing.min, &crossing.max);
        let (end, foot) = (crossing.end, crossing.end.y - crossing.half.y);
        let top = (foot + 0.5).floor();
        // Exact to the bit, as a sweep leaves it.
        let is_level = crossing.stands && top + crossing.half.y == end.y;
        if is_level {
            low.y = top as i32;
        }
        let touched = self.find_solid(base, [low, high], |cell| {
            let [min, max] = corners(cell);
            crossing.touches(&min, &max).then_some(())
        });
        if touched.is_some() {
            return Passage::Unknown;
        }
        let cells = Bounds::about(base, crossing.min, crossing.max);
        memory.note(self.revision(), cells);
        let below = Vector3::new(end.x.floor() as i32, top as i32 - 1, end.z.floor() as i32);
        if is_level && self.blocks(base, below) {
            Passage::Level(self.object)
        } else {
            Passage::Open
        }
    }

    fn contents(&self, at: &Position, _memory: &Memory) -> Contents {
        let loaded = self.voxels.is_loaded(at.cell);
        Contents {
            loaded,
            solid: !loaded || self.voxels.is_solid(at.cell),
            liquid: loaded && self.voxels.is_liquid(at.cell),
            climbable: loaded && self.voxels.is_climbable(at.cell),
        }
    }

    fn moves_near(&self, _base: Cell, _min: Vector3<f32>, _max: Vector3<f32>) -> bool {
        false
    }

    fn touched(&self, object: ObjectId, at: &Position, normal: &Vector3<f32>) -> Option<Touched> {
        let inside = Vector3::repeat(BEHIND_SURFACE);
        let below = at.offset - normal * BEHIND_SURFACE;
        let solid = |min: Vector3<f32>, max: Vector3<f32>| {
            self.find_solid(at.cell, cells_of(&min, &max), Some)
        };
        // Rounding may put a place at the rim of a voxel beside it.
        let step = solid(below, below).or_else(|| solid(below - inside, below + inside))?;
        let cell = at.cell.zip_map(&step, i32::wrapping_add);
        let is_own = object == self.object;
        is_own.then(|| Touched::voxel(cell, self.voxels.material(cell)))
    }

    fn carry(&self, object: ObjectId, _at: &Position) -> Option<Vector3<f32>> {
        (object == self.object).then(Vector3::zeros)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Character, Crowd};
    use nalgebra::Point3;

    #[test]
    fn closure_is_terrain_enough_to_stand_on() {
        let terrain = VoxelTerrain::new(|cell: Cell| cell.y < 3);
        let mut crowd = Crowd::new();
        let start = Position::from_metres(Point3::new(0.5, 5.0, 0.5));
        let id = crowd.add(Character::at(start));
        for _ in 0..120 {
            crowd.tick(&terrain, &[], 1.0 / 60.0);
        }
        let height = crowd.position(id).map(|place| place.to_metres().y);
        let stands = height.is_some_and(|height| (height - 3.91).abs() < 1e-3);
        assert!(crowd.is_grounded(id) && stands, "{height:?}");
    }
}
