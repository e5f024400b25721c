//! The shortest look a walker takes: is there nothing ahead, and the same floor under its end? Most ticks of most walkers end here.

use super::tile::{Lattice, SIDES, Tile};
use super::{Seen, floor, hint, object_range};
use crate::chunk::SIDE;
use crate::kd_tree::CellBox;
use crate::world::{BrickId, World, chunk_of};
use collision::{Crossing, Memory, Passage};
use nalgebra::Vector3;

/// What a crossing meets in one lattice.
#[derive(Clone, Copy, PartialEq)]
enum Found {
    /// Something is in the way, or it cannot be told here.
    Blocked,
    /// Nothing is in the way.
    Open,
    /// Nothing is in the way, and it carries the body at its end.
    Floor,
}

/// See [`collision::Terrain::passage`].
pub(super) fn passage(world: &World, crossing: &Crossing, memory: &mut Memory) -> Passage {
    let (low, high) = (crossing.min.map(floor), crossing.max.map(floor));
    let mut brick = hint(memory);
    let found = look_in_brick(world, crossing, low, high, &mut brick).unwrap_or_else(|| {
        look(crossing, low, high, Lattice::TERRAIN, |tile| {
            brick = world.fill_terrain(tile, crossing.base, brick);
        })
    });
    let mut ground = (found == Found::Floor).then_some(super::TERRAIN);
    let mut open = found != Found::Blocked;
    let one = Vector3::repeat(1);
    let cell = |from: Vector3<i32>| crossing.base.zip_map(&from, i32::wrapping_add);
    let cells = CellBox::new(cell(low - one), cell(high + one));
    let mut objects = 0;
    if open {
        world.each_object(&cells, |id, object| {
            let lattice = Lattice::of(id, object, crossing.base);
            let below = Vector3::new(0.0, lattice.size, 0.0);
            if object_range(object, &lattice, crossing.min - below, crossing.max).is_none() {
                return;
            }
            objects += 1;
            let voxel = |at: Vector3<f32>| ((at - lattice.origin) / lattice.size).map(floor);
            let (low, high) = (voxel(crossing.min), voxel(crossing.max));
            let fill = |tile: &mut Tile| world.fill_object(tile, object);
            match look(crossing, low, high, lattice, fill) {
                Found::Blocked => open = false,
                Found::Open => {}
                Found::Floor => {
                    ground = Some(ground.map_or(lattice.object, |other| other.min(lattice.object)));
                }
            }
        });
    }
    if !open {
        return Passage::Unknown;
    }
    let seen = Seen {
        cells,
        brick,
        objects,
    };
    seen.write(world, memory);
    ground.map_or(Passage::Open, Passage::Level)
}

/// The same as [`look`] for terrain of a single brick, read in place; `None` where it is not a single one.
#[inline]
fn look_in_brick(
    world: &World,
    crossing: &Crossing,
    low: Vector3<i32>,
    high: Vector3<i32>,
    brick: &mut BrickId,
) -> Option<Found> {
    let end = crossing.end;
    let top = floor(end.y - crossing.half + 0.5);
    let carries = crossing.stands && top as f32 + crossing.half == end.y;
    let first = if carries { top - 1 } else { low.y };
    let base = crossing.base;
    let lowest = Vector3::new(
        base.x.wrapping_add(low.x),
        base.y.wrapping_add(first),
        base.z.wrapping_add(low.z),
    );
    let inside = lowest.map(|part| part & (SIDE as i32 - 1));
    let last = inside + Vector3::new(high.x - low.x, high.y - first, high.z - low.z);
    if (last.x | last.y | last.z) >= SIDE as i32 {
        return None;
    }
    *brick = world.brick_near(chunk_of(lowest), *brick);
    let bits = world.slots.get(*brick).brick.occupancy();
    let keep = (u32::MAX >> (SIDE as i32 - 1 - (last.x - inside.x))) << inside.x;
    let layers = inside.y + i32::from(carries)..last.y + 1;
    let mut solid = 0;
    for z in inside.z..=last.z {
        let row = |y: i32| (z * SIDE as i32 + y) as usize;
        for row in &bits[row(layers.start)..row(layers.end)] {
            solid |= row;
        }
    }
    if solid & keep != 0 {
        return Some(Found::Blocked);
    }
    let (x, z) = (
        floor(end.x) - low.x + inside.x,
        floor(end.z) - low.z + inside.z,
    );
    let within = (inside.x..=last.x).contains(&x) && (inside.z..=last.z).contains(&z);
    let floor = carries && within && bits[(z * SIDE as i32 + inside.y) as usize] >> x & 1 != 0;
    Some(if floor { Found::Floor } else { Found::Open })
}

/// Looks at the voxels from `low` to `high`, and at those below them where they carry the body at its height to the bit.
#[inline]
fn look(
    crossing: &Crossing,
    mut low: Vector3<i32>,
    high: Vector3<i32>,
    lattice: Lattice,
    fill: impl FnOnce(&mut Tile),
) -> Found {
    let end = crossing.end;
    let level = (end.y - crossing.half - lattice.origin.y) / lattice.size;
    let top = floor(level + 0.5);
    let carries = crossing.stands && lattice.at(1, top) + crossing.half == end.y;
    if carries {
        low.y = top - 1;
    }
    let size = (high - low).map(|cells| cells + 1);
    if (0..3).any(|axis| size[axis] as usize > SIDES[axis]) {
        return Found::Blocked;
    }
    let mut tile = Tile::new(
        low,
        [size.x as usize, size.y as usize, size.z as usize],
        lattice,
    );
    fill(&mut tile);
    let first = usize::from(carries);
    if tile.layers[first..].iter().any(|&layer| layer != 0) {
        return Found::Blocked;
    }
    let voxel = |axis: usize| floor((end[axis] - lattice.origin[axis]) / lattice.size) - low[axis];
    let (x, z) = (voxel(0), voxel(2));
    let within = (0..size.x).contains(&x) && (0..size.z).contains(&z);
    if carries && within && tile.layers[0] >> (x + z * SIDES[0] as i32) & 1 != 0 {
        Found::Floor
    } else {
        Found::Open
    }
}
