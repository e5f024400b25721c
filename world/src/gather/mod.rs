//! The world as terrain for characters: the merged quads in reach, with their convex borders and
//! corners.
//!
//! A reach queries the tree for the chunks around it, or finds them in its character's memory; free
//! objects are queried each time, in a query that skips all chunks. Within reach, occupancy gives
//! the planes that show a face (`tile.rs`); the quads of those planes are looked up
//! (`features.rs`). Terrain that is not loaded is solid. A walker with nothing ahead takes a
//! shortcut (`look.rs`).

mod clear;
mod features;
mod look;
mod memory;
mod solids;
mod tile;
mod wide;

use crate::chunk::{Brick, SIDE};
use crate::kd_tree::CellBox;
use crate::object::{ObjectId, VoxelObject};
use crate::space::{BrickId, Found, chunk_of};
use crate::world::World;
use collision::{
    Bounds, Candidates, Cell, CellLattice, Contents, Crossing, Memory, Passage, Position, Reach,
    SolidBox, Terrain,
};
use features::{Centres, Gather, Owned};
use memory::{Near, Seen};
use nalgebra::Vector3;
use solids::Solids;
use tile::{ALL_HIT, Ground, TALL, Tile, bricks_of, each_step};

/// The number by which characters know the terrain itself.
pub const TERRAIN: collision::ObjectId = collision::ObjectId(0);

/// Returns the number by which characters know a free object.
#[must_use]
pub fn object_number(id: ObjectId) -> collision::ObjectId {
    collision::ObjectId(id.0 + 1)
}

/// Returns the free object that characters know by a number; `None` for the terrain.
#[must_use]
pub fn object_of(number: collision::ObjectId) -> Option<ObjectId> {
    number.0.checked_sub(1).map(ObjectId)
}

/// Largest offset of a reach from its base, in voxels.
const FARTHEST: f32 = (1 << 22) as f32;

/// Added to a number no larger than [`FARTHEST`], this leaves the nearest whole number in the low
/// bits.
const SHIFT: f32 = (3 << 22) as f32;

/// Rounds down to a whole number within [`FARTHEST`]; NaN gives zero. Twice as fast as the
/// conversions of the language.
#[inline]
fn floor(value: f32) -> i32 {
    let value = if value.is_nan() { 0.0 } else { value };
    let value = if value < -FARTHEST { -FARTHEST } else { value };
    let value = if value > FARTHEST { FARTHEST } else { value };
    let shifted = value + SHIFT;
    let nearest = (shifted.to_bits() as i32).wrapping_sub(SHIFT.to_bits() as i32);
    nearest - i32::from(shifted - SHIFT > value)
}

/// Rounds three numbers down, side by side.
#[inline]
fn floor_all(of: Vector3<f32>) -> Vector3<i32> {
    let [x, y, z, _] = [of.x, of.y, of.z, 0.0].map(floor);
    Vector3::new(x, y, z)
}

/// Returns the cells from `low` to `high`, counted from the base, grown by one on all sides.
#[inline]
fn cells_about(base: Cell, low: Vector3<i32>, high: Vector3<i32>) -> CellBox {
    let one = Vector3::repeat(1);
    let cell = |from: Vector3<i32>| base.zip_map(&from, i32::wrapping_add);
    CellBox::new(cell(low - one), cell(high + one))
}

/// A visitor of the voxels in reach, one window at a time.
trait Visit {
    /// Visits the voxels of a ground from `low` to `high`. Those of the owned chunks count; the
    /// others only show what is beside them.
    fn window<'a>(
        &mut self,
        ground: &Ground<impl Fn(Vector3<i32>) -> &'a Brick>,
        low: Vector3<i32>,
        high: Vector3<i32>,
        owned: &Owned,
    );

    /// Visits the cells from `low` to `high` of the base that are in chunks not loaded, without
    /// loaded ones beside them.
    fn beyond(&mut self, _low: Vector3<i32>, _high: Vector3<i32>) {}
}

/// Adds the features that a body can hit to the candidates.
struct Hit<'o> {
    centres: Centres,
    out: &'o mut Candidates,
}

impl Visit for Hit<'_> {
    #[inline]
    fn window<'a>(
        &mut self,
        ground: &Ground<impl Fn(Vector3<i32>) -> &'a Brick>,
        low: Vector3<i32>,
        high: Vector3<i32>,
        owned: &Owned,
    ) {
        Tile::each(low, high, &ground.brick, |tile| {
            Gather::run(ground, tile, owned, &self.centres, self.out);
        });
    }
}

/// Returns whether a box of voxels fits one window.
#[inline]
fn is_one_window(low: Vector3<i32>, high: Vector3<i32>) -> bool {
    (high - low).max() < TALL
}

impl World {
    /// Shows a visitor the terrain and then the free objects in a box. Returns the memory of the
    /// query.
    #[inline]
    fn visit_reach(
        &self,
        base: Cell,
        [min, max]: [Vector3<f32>; 2],
        seen: Option<&Seen>,
        visitor: &mut impl Visit,
    ) -> Seen {
        let (low, high) = (floor_all(min), floor_all(max));
        let cells = cells_about(base, low, high);
        let block = self.block_about(&cells, seen);
        // A box turned inside out is empty.
        let mut near = Near::default();
        if (0..3).all(|axis| low[axis] <= high[axis]) {
            match &block {
                Some(block) => {
                    let lattice = terrain_lattice(block.lowest(base));
                    let [low, high] = [low, high].map(|cell| cell - lattice.lowest);
                    let ground = Ground {
                        lattice,
                        brick: |step| self.brick(block.brick(step)),
                        hit: block.hit(),
                    };
                    visitor.window(&ground, low, high, &bricks_of(low, high));
                }
                None => self.visit_wide(base, low, high, visitor),
            }
            self.each_object(&cells, |id, object| {
                near.note(id);
                self.visit_object(id, object, base, [min, max], visitor);
            });
        }
        match &block {
            Some(block) => Seen::in_block(self, block, &cells, near),
            None => Seen::in_box(self, &cells, near),
        }
    }

    /// Shows a visitor the part of a free object in a box.
    #[inline]
    fn visit_object(
        &self,
        id: ObjectId,
        object: &VoxelObject,
        base: Cell,
        corners: [Vector3<f32>; 2],
        visitor: &mut impl Visit,
    ) {
        let ground = self.ground_of(id, object, base, Vector3::zeros());
        let [low, high] = corners.map(|at| voxel_of(&ground, at));
        let Some([low, high]) = clipped(object, low, high) else {
            return;
        };
        let [first, last] = bricks_of(low, high);
        if is_one_window(low, high) {
            let (ground, from) = (self.ground_of(id, object, base, first), first * SIDE as i32);
            visitor.window(
                &ground,
                low - from,
                high - from,
                &[Vector3::zeros(), last - first],
            );
            return;
        }
        let one = Vector3::repeat(1);
        each_step([first, last], |place| {
            let ground = self.ground_of(id, object, base, place);
            let from = place * SIDE as i32;
            let low = (low - from).sup(&-one);
            let high = (high - from).inf(&(one * SIDE as i32));
            visitor.window(&ground, low, high, &[Vector3::zeros(); 2]);
        });
    }

    /// Returns a free object as a ground, counted from the corner of the chunk at `place`.
    #[inline]
    fn ground_of<'a>(
        &'a self,
        id: ObjectId,
        object: &'a VoxelObject,
        base: Cell,
        place: Vector3<i32>,
    ) -> Ground<impl Fn(Vector3<i32>) -> &'a Brick> {
        let lattice = CellLattice {
            origin: object.origin().relative_to(base),
            size: object.voxel_size(),
            lowest: place * SIDE as i32,
            object: object_number(id),
        };
        let brick = move |step| {
            let brick = object.brick_at(place + step).unwrap_or(BrickId::OUTSIDE);
            self.brick(brick)
        };
        Ground {
            lattice,
            brick,
            hit: ALL_HIT,
        }
    }

    /// Calls `each` with the free objects whose boxes meet a box of cells.
    #[inline]
    fn each_object(&self, cells: &CellBox, mut each: impl FnMut(ObjectId, &VoxelObject)) {
        if self.objects.is_empty() {
            return;
        }
        self.index.visit_odd_in_box(&cells.without_ends(), |key| {
            if let Found::Object(id) = Found::from_key(key)
                && let Some(object) = self.object(id)
            {
                each(id, object);
            }
        });
    }

    /// Returns the contents of a point; the memory may know its chunk. Overlapping things all add
    /// their traits, so their order does not matter.
    #[inline]
    fn contents_by(&self, at: &Position, seen: Option<&Seen>) -> Contents {
        let brick = self.brick_near(chunk_of(at.cell), seen);
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

    /// Returns whether a point is outside all liquids and climbable materials.
    fn is_open(&self, at: &Position, seen: Option<&Seen>) -> bool {
        let contents = self.contents_by(at, seen);
        !contents.liquid && !contents.climbable
    }

    /// Adds a voxel to the contents of a point. Its solidity is one bit; its material needs a fetch
    /// from memory.
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

/// Returns the terrain's lattice, counted from a cell.
#[inline]
fn terrain_lattice(lowest: Vector3<i32>) -> CellLattice {
    CellLattice {
        origin: Vector3::zeros(),
        size: 1.0,
        lowest,
        object: TERRAIN,
    }
}

/// Returns the voxel of a ground that holds a point, in metres from the base cell.
#[inline]
fn voxel_of<'a>(
    ground: &Ground<impl Fn(Vector3<i32>) -> &'a Brick>,
    at: Vector3<f32>,
) -> Vector3<i32> {
    floor_all((at - ground.lattice.origin) / ground.lattice.size)
}

/// Returns the voxel of an object's lattice that holds a point; it may be outside the object.
#[inline]
fn voxel_at(object: &VoxelObject, at: &Position) -> Vector3<i32> {
    (at.since(object.origin()) / object.voxel_size()).map(floor)
}

/// Returns the part of a range of voxels within an object grown by one empty voxel on all sides.
#[inline]
fn clipped(
    object: &VoxelObject,
    low: Vector3<i32>,
    high: Vector3<i32>,
) -> Option<[Vector3<i32>; 2]> {
    let extent = object.extent().map(|voxels| voxels as i32);
    let low = low.map(|part| part.max(-1));
    let high = high.zip_map(&extent, i32::min);
    let met = (0..3).all(|axis| low[axis] <= high[axis] && low[axis] <= extent[axis]);
    met.then_some([low, high])
}

impl Terrain for World {
    fn revision(&self) -> u64 {
        memory::stamp(self)
    }

    fn unchanged(&self, memory: &Memory) -> bool {
        Seen::read(self, memory).is_some_and(|seen| seen.is_so(self))
    }

    fn gather(&self, reach: &Reach, memory: &mut Memory, out: &mut Candidates) {
        if out.wants_triangles_only() {
            return;
        }
        let seen = Seen::read(self, memory);
        let centres = Centres::of(reach);
        let corners = [reach.min, reach.max];
        let hit = &mut Hit { centres, out };
        let seen = self.visit_reach(reach.base, corners, seen.as_ref(), hit);
        seen.write(self, memory);
    }

    fn seen(&self, memory: &Memory) -> Option<Bounds> {
        let CellBox { min, max } = Seen::read(self, memory)?.cells();
        Some(Bounds { min, max })
    }

    fn gather_solids(
        &self,
        base: Cell,
        min: Vector3<f32>,
        max: Vector3<f32>,
        out: &mut Vec<SolidBox>,
    ) {
        self.visit_reach(base, [min, max], None, &mut Solids(out));
    }

    fn contents(&self, at: &Position, memory: &Memory) -> Contents {
        self.contents_by(at, Seen::read(self, memory).as_ref())
    }

    #[inline(always)]
    fn passage(&self, crossing: &Crossing, memory: &mut Memory) -> Passage {
        look::passage(self, crossing, memory)
    }

    fn moves_near(&self, base: Cell, min: Vector3<f32>, max: Vector3<f32>) -> bool {
        let mut moves = false;
        let cells = cells_about(base, floor_all(min), floor_all(max));
        self.each_object(&cells, |_, object| {
            moves |= object.displacement() != Vector3::zeros();
        });
        moves
    }

    fn touched(
        &self,
        object: collision::ObjectId,
        at: &Position,
        normal: &Vector3<f32>,
    ) -> Option<collision::Touched> {
        self.touched_at(object, at, normal)
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
mod look_tests;
#[cfg(test)]
mod memory_tests;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod used_tests;
#[cfg(test)]
mod wide_tests;
