//! The world as terrain for characters: occupancy in reach becomes faces, edges and corners.
//!
//! A move asks for a box of a few voxels. Its brick is found again through the character's memory, neighbours through the brick's own
//! table, so that the index is asked for free objects only. Terrain that is not loaded is solid.

mod handful;
mod kinds;
mod level;
mod seen;
mod tile;
mod wide;

use crate::chunk::SIDE;
use crate::kd_tree::CellBox;
use crate::object::{ObjectId, VoxelObject};
use crate::world::{BrickId, Found, Owner, World, chunk_of};
use collision::{
    Bounds, Candidates, Cell, Contents, Crossing, Memory, Passage, Position, Reach, SolidBox,
    Terrain,
};
use handful::Handful;
use level::Clear;
use nalgebra::Vector3;
use seen::{Near, Seen};
use tile::{Centres, Lattice, SIDES, Tile};

/// The number by which characters know the terrain itself.
pub const TERRAIN: collision::ObjectId = collision::ObjectId(0);

/// The number by which characters know a free object.
#[must_use]
pub fn object_number(id: ObjectId) -> collision::ObjectId {
    collision::ObjectId(id.0 + 1)
}

/// The free object that characters know by a number; `None` for the terrain.
#[must_use]
pub fn object_of(number: collision::ObjectId) -> Option<ObjectId> {
    number.0.checked_sub(1).map(ObjectId)
}

/// No reach spans more voxels than this from its base.
const FARTHEST: f32 = (1 << 22) as f32;

/// Added to a number no larger than [`FARTHEST`] it leaves the nearest whole number in the low bits.
const SHIFT: f32 = (3 << 22) as f32;

/// The whole number at or below, within [`FARTHEST`]; what is not a number is zero. The conversions of the language take twice as long.
#[inline]
fn floor(value: f32) -> i32 {
    let value = if value.is_nan() { 0.0 } else { value };
    let value = if value < -FARTHEST { -FARTHEST } else { value };
    let value = if value > FARTHEST { FARTHEST } else { value };
    let shifted = value + SHIFT;
    let nearest = (shifted.to_bits() as i32).wrapping_sub(SHIFT.to_bits() as i32);
    nearest - i32::from(shifted - SHIFT > value)
}

/// The same of three numbers, side by side.
#[inline]
fn floor_all(of: Vector3<f32>) -> Vector3<i32> {
    let [x, y, z, _] = [of.x, of.y, of.z, 0.0].map(floor);
    Vector3::new(x, y, z)
}

/// All cells from `low` to `high` of a base, and those around them.
#[inline]
fn cells_about(base: Cell, low: Vector3<i32>, high: Vector3<i32>) -> CellBox {
    let one = Vector3::repeat(1);
    let cell = |from: Vector3<i32>| base.zip_map(&from, i32::wrapping_add);
    CellBox::new(cell(low - one), cell(high + one))
}

/// A range of voxels, both ends inside.
#[derive(Clone, Copy)]
struct Range {
    low: Vector3<i32>,
    high: Vector3<i32>,
}

impl Range {
    /// The tiles of the range: each holds the first cells of the next one as well, so that no feature between two is lost.
    /// A range turned inside out has none.
    fn tiles(self, lattice: Lattice, mut each: impl FnMut(&mut Tile)) {
        if (0..3).any(|axis| self.low[axis] > self.high[axis]) {
            return;
        }
        let step = SIDES.map(|side| side as i32 - 1);
        let mut z = self.low.z;
        loop {
            let mut y = self.low.y;
            loop {
                let mut x = self.low.x;
                loop {
                    let low = Vector3::new(x, y, z);
                    let size = [0, 1, 2]
                        .map(|axis| ((self.high[axis] - low[axis]).min(step[axis]) + 1) as usize);
                    each(&mut Tile::new(low, size, lattice));
                    x += step[0];
                    if x >= self.high.x {
                        break;
                    }
                }
                y += step[1];
                if y >= self.high.y {
                    break;
                }
            }
            z += step[2];
            if z >= self.high.z {
                break;
            }
        }
    }
}

impl World {
    /// The brick of a chunk; the hint is tried first.
    #[inline]
    fn brick_near(&self, chunk: Vector3<i32>, hint: BrickId) -> BrickId {
        let slot = self.slots.get(hint);
        if slot.place == chunk && slot.owner == Owner::Terrain {
            return hint;
        }
        self.brick_at(chunk).unwrap_or(BrickId::NOT_LOADED)
    }

    /// Fills a tile of terrain whose voxel zero is cell `base`. Returns the brick of its lowest cell.
    fn fill_terrain(&self, tile: &mut Tile, base: Cell, hint: BrickId) -> BrickId {
        let low = base.zip_map(&tile.lowest, i32::wrapping_add);
        let chunk = chunk_of(low);
        let inside = low.map(|part| part & (SIDE as i32 - 1));
        let first = self.brick_near(chunk, hint);
        self.fill_from(tile, inside, |step| {
            if step == Vector3::zeros() {
                first
            } else if first == BrickId::NOT_LOADED {
                let chunk = chunk.zip_map(&step, i32::wrapping_add);
                self.brick_at(chunk).unwrap_or(first)
            } else {
                self.beside(first, step)
            }
        });
        first
    }

    #[inline]
    fn beside(&self, brick: BrickId, step: Vector3<i32>) -> BrickId {
        let index = (step.x + 1) + 3 * (step.y + 1) + 9 * (step.z + 1);
        self.slots.get(brick).around[index as usize]
    }

    /// Copies occupancy into a tile whose lowest cell is at `inside` of the first of up to eight bricks.
    #[inline]
    fn fill_from(
        &self,
        tile: &mut Tile,
        inside: Vector3<i32>,
        brick: impl Fn(Vector3<i32>) -> BrickId,
    ) {
        let size = Vector3::from(tile.size.map(|cells| cells as i32));
        let last = inside + size - Vector3::repeat(1);
        if (last.x | last.y | last.z) < SIDE as i32 {
            let brick = &self.slots.get(brick(Vector3::zeros())).brick;
            tile.has_media |= brick.has_media;
            if !brick.solid.is_empty() {
                tile.copy(brick.occupancy(), inside, Vector3::zeros(), size);
            }
            return;
        }
        let last = last.map(|part| part >> 5);
        for bz in 0..=last.z {
            for by in 0..=last.y {
                for bx in 0..=last.x {
                    let step = Vector3::new(bx, by, bz);
                    let brick = &self.slots.get(brick(step)).brick;
                    let from = inside - step * SIDE as i32;
                    let low = from.map(|part| part.max(0));
                    let high = (from + size).map(|part| part.min(SIDE as i32));
                    tile.has_media |= brick.has_media;
                    if !brick.solid.is_empty() {
                        tile.copy(brick.occupancy(), low, low - from, high - low);
                    }
                }
            }
        }
    }

    /// Fills a tile of a free object.
    fn fill_object(&self, tile: &mut Tile, object: &VoxelObject) {
        let side = SIDE as i32;
        let chunk = tile.lowest.map(|part| part >> 5);
        let inside = tile.lowest - chunk * side;
        self.fill_from(tile, inside, |step| {
            object.brick_at(chunk + step).unwrap_or(BrickId::OUTSIDE)
        });
    }

    /// Calls `each` with the free objects whose boxes meet a box of cells.
    #[inline]
    fn each_object(&self, cells: &CellBox, mut each: impl FnMut(ObjectId, &VoxelObject)) {
        if self.surroundings.is_empty() {
            return;
        }
        if let Some(few) = self.surroundings.near(*cells) {
            for id in few {
                if let Some(object) = self.object(id) {
                    each(id, object);
                }
            }
            return;
        }
        self.visit_box(cells, |found| {
            if let Found::Object(id) = found
                && let Some(object) = self.object(id)
            {
                each(id, object);
            }
        });
    }

    /// Calls `each` with tiles of everything that reaches into a box, the objects after the terrain. Returns what was seen.
    fn each_tile(
        &self,
        base: Cell,
        min: Vector3<f32>,
        max: Vector3<f32>,
        hint: BrickId,
        mut each: impl FnMut(&mut Tile),
    ) -> Seen {
        let (low, high) = (floor_all(min), floor_all(max));
        let lattice = Lattice::TERRAIN;
        let mut brick = hint;
        Range { low, high }.tiles(lattice, |tile| {
            brick = self.fill_terrain(tile, base, brick);
            each(tile);
        });
        let cells = cells_about(base, low, high);
        let mut near = Near::default();
        self.each_object_tile(base, min, max, &cells, &mut near, each);
        self.seen(cells, brick, near)
    }

    /// The part of the objects in that. Notes all whose boxes meet the cells.
    #[inline]
    fn each_object_tile(
        &self,
        base: Cell,
        min: Vector3<f32>,
        max: Vector3<f32>,
        cells: &CellBox,
        near: &mut Near,
        mut each: impl FnMut(&mut Tile),
    ) {
        self.each_object(cells, |id, object| {
            near.note(id);
            let lattice = Lattice::of(id, object, base);
            if let Some(range) = object_range(object, &lattice, min, max) {
                range.tiles(lattice, |tile| {
                    self.fill_object(tile, object);
                    each(tile);
                });
            }
        });
    }

    /// What was seen just now.
    #[inline]
    fn seen(&self, cells: CellBox, brick: BrickId, near: Near) -> Seen {
        Seen {
            revision: self.revision,
            cells,
            brick,
            below: brick,
            near,
            clear: Clear::NOT_KNOWN,
        }
    }

    /// Gathers what is in reach where that is a handful of voxels in a single brick, and no free object near.
    fn gather_handful(
        &self,
        reach: &Reach,
        centres: &Centres,
        hint: BrickId,
        out: &mut Candidates,
    ) -> Option<Seen> {
        let (low, high) = (floor_all(reach.min), floor_all(reach.max));
        let span = high - low;
        let lowest = reach.base.zip_map(&low, i32::wrapping_add);
        let inside = lowest.map(|part| part & (SIDE as i32 - 1));
        if !Handful::fits(inside, span) {
            return None;
        }
        let cells = cells_about(reach.base, low, high);
        let mut alone = true;
        self.each_object(&cells, |_, _| alone = false);
        if !alone {
            return None;
        }
        let brick = self.brick_near(chunk_of(lowest), hint);
        let bits = self.slots.get(brick).brick.occupancy();
        Handful::new(bits, inside, span, low).gather(centres, out);
        Some(self.seen(cells, brick, Near::default()))
    }

    /// What fills a point; the hint may be the brick it is in. All that is there adds its traits,
    /// so that no order shows.
    #[inline]
    fn contents_by(&self, at: &Position, hint: BrickId) -> Contents {
        let brick = self.brick_near(chunk_of(at.cell), hint);
        let mut contents = Contents {
            loaded: brick != BrickId::NOT_LOADED,
            ..Contents::default()
        };
        self.mix_in(&mut contents, brick, at.cell);
        self.each_object(&CellBox::new(at.cell, at.cell), |_, object| {
            let voxel = voxel_at(object, at);
            if let Some(brick) = object.brick_at(voxel.map(|part| part >> 5)) {
                self.mix_in(&mut contents, brick, voxel);
            }
        });
        contents
    }

    /// Adds a brick's voxel to what fills a point. A bit tells whether it is solid; a material has
    /// to be fetched from memory.
    #[inline]
    fn mix_in(&self, contents: &mut Contents, brick: BrickId, voxel: Vector3<i32>) {
        let [x, y, z] = voxel.map(|part| (part & 31) as usize).into();
        let brick = &self.slots.get(brick).brick;
        contents.solid |= brick.occupancy()[z * SIDE + y] >> x & 1 != 0;
        if brick.has_media && contents.loaded {
            let material = brick.material(x, y, z);
            contents.liquid |= self.materials().is_liquid(material);
            contents.climbable |= self.materials().is_climbable(material);
        }
    }
}

/// Adds everything solid of a tile.
#[inline(always)]
fn push_solids(tile: &Tile, out: &mut Vec<SolidBox>) {
    tile.solids(|min, max| {
        out.push(SolidBox {
            min,
            max,
            grain: tile.lattice.size,
            object: tile.lattice.object,
        });
    });
}

/// The voxel of an object's lattice that a point lies in; the object may not reach there.
#[inline]
fn voxel_at(object: &VoxelObject, at: &Position) -> Vector3<i32> {
    (at.since(object.origin()) / object.voxel_size()).map(floor)
}

/// The voxels of an object in a box, one empty one beyond its sides; `None` when it is out of reach.
fn object_range(
    object: &VoxelObject,
    lattice: &Lattice,
    min: Vector3<f32>,
    max: Vector3<f32>,
) -> Option<Range> {
    let index = |at: Vector3<f32>| ((at - lattice.origin) / lattice.size).map(floor);
    clipped(object, index(min), index(max))
}

/// The part of a range of voxels that an object reaches, with one empty one beyond its sides.
#[inline]
fn clipped(object: &VoxelObject, low: Vector3<i32>, high: Vector3<i32>) -> Option<Range> {
    let extent = object.extent().map(|voxels| voxels as i32);
    let low = low.map(|part| part.max(-1));
    let high = high.zip_map(&extent, i32::min);
    let met = (0..3).all(|axis| low[axis] <= high[axis] && low[axis] <= extent[axis]);
    met.then_some(Range { low, high })
}

impl Terrain for World {
    fn revision(&self) -> u64 {
        seen::stamp(self)
    }

    fn unchanged(&self, memory: &Memory) -> bool {
        Seen::read(self, memory).is_some_and(|seen| seen.is_so(self))
    }

    fn gather(&self, reach: &Reach, memory: &mut Memory, out: &mut Candidates) {
        if out.wants_triangles_only() {
            return;
        }
        let centres = Centres {
            min: reach.min + reach.half,
            max: reach.max - reach.half,
        };
        let hint = seen::hint(self, memory);
        let seen = self
            .gather_handful(reach, &centres, hint, out)
            .unwrap_or_else(|| {
                if wide::is_wide(&reach.min, &reach.max) {
                    return self.gather_wide(reach, &centres, hint, out);
                }
                self.each_tile(reach.base, reach.min, reach.max, hint, |tile| {
                    tile.gather(&centres, out);
                })
            });
        seen.write(self, memory);
    }

    fn seen(&self, memory: &Memory) -> Option<Bounds> {
        let CellBox { min, max } = Seen::read(self, memory)?.cells;
        Some(Bounds { min, max })
    }

    fn gather_solids(
        &self,
        base: Cell,
        min: Vector3<f32>,
        max: Vector3<f32>,
        out: &mut Vec<SolidBox>,
    ) {
        if wide::is_wide(&min, &max) {
            return self.gather_wide_solids(base, min, max, out);
        }
        self.each_tile(base, min, max, BrickId::NOT_LOADED, |tile| {
            push_solids(tile, out);
        });
    }

    fn contents(&self, at: &Position, memory: &Memory) -> Contents {
        self.contents_by(at, seen::hint(self, memory))
    }

    #[inline(always)]
    fn passage(&self, crossing: &Crossing, memory: &mut Memory) -> Passage {
        level::passage(self, crossing, memory)
    }

    fn moves_near(&self, base: Cell, min: Vector3<f32>, max: Vector3<f32>) -> bool {
        let mut moves = false;
        let cells = cells_about(base, floor_all(min), floor_all(max));
        self.each_object(&cells, |_, object| {
            moves |= object.displacement() != Vector3::zeros();
        });
        moves
    }

    fn carry(&self, object: collision::ObjectId, _at: &Position) -> Option<Vector3<f32>> {
        match object_of(object) {
            Some(id) => self.object(id).map(VoxelObject::displacement),
            None => Some(Vector3::zeros()),
        }
    }
}

#[cfg(test)]
mod contents_tests;
#[cfg(test)]
mod memory_tests;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod wide_tests;
