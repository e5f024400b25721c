//! The shortcut of a walker: nothing ahead, and the same floor under the end of the way. Most ticks
//! end here.
//!
//! Occupancy shows that the way is free. The merged quads that face up carry the body.

use super::clear::Clear;
use super::features::floor_cells;
use super::memory::{Near, Seen};
use super::tile::{Ground, Tile, bricks_of, each_step};
use super::{TERRAIN, cells_about, floor, floor_all, terrain_lattice};
use crate::chunk::{Brick, SIDE};
use crate::world::World;
use collision::{Crossing, Feature, Memory, ObjectId, Passage};
use nalgebra::Vector3;

/// The result of a look at one lattice.
#[derive(Clone, Copy, PartialEq)]
enum Met {
    /// Something may be in the way.
    Something,
    /// Nothing is in the way.
    Nothing,
    /// Nothing is in the way, and a face carries the body at its end.
    Floor,
    /// Nothing is in the way, and the rim of a face bears the body at its end.
    Rim(Feature),
}

/// All findings of a look at one lattice.
struct Look {
    met: Met,
    clear: Clear,
    /// True if the box reaches into a chunk with liquids or climbable materials.
    has_media: bool,
}

/// Answers [`collision::Terrain::passage`].
#[inline(always)]
pub(super) fn passage(world: &World, crossing: &Crossing, memory: &mut Memory) -> Passage {
    // A body on a rim and off the level of the cells has probably sunk over it.
    let half = crossing.half.y;
    if crossing.from_rim && floor(crossing.end.y - half + 0.5) as f32 + half != crossing.end.y {
        return Passage::Unknown;
    }
    let seen = Seen::read(world, memory);
    let known = seen
        .as_ref()
        .and_then(|seen| seen_before(world, crossing, seen));
    known.unwrap_or_else(|| look_about(world, crossing, seen.as_ref(), memory))
}

/// Answers from the clear space of the last look, if that still holds.
#[inline(always)]
pub(super) fn seen_before(world: &World, crossing: &Crossing, seen: &Seen) -> Option<Passage> {
    let clear = seen.clear();
    let is_so = || world.objects.is_empty() && seen.is_terrain_so(world);
    if clear == Clear::NOT_KNOWN || !(seen.revision == world.revision || is_so()) {
        return None;
    }
    let (base, cells) = (crossing.start.cell, seen.cells());
    let local = |cell: i32, axis: usize| cell.wrapping_sub(base[axis]) as f32;
    let (low, high) = (&cells.min, &cells.max);
    // The memory holds one cell more on each side than the query.
    let within = |axis: usize| {
        local(low[axis].wrapping_add(1), axis) <= crossing.min[axis]
            && crossing.max[axis] < local(high[axis], axis)
    };
    if !(within(0) && within(2) && crossing.max.y < local(high.y, 1)) {
        return None;
    }
    let open = local(low.y.wrapping_add((clear.0 >> 16) as i32), 1);
    let end = crossing.end;
    if !crossing.stands {
        return (open <= crossing.min.y).then_some(Passage::Open);
    }
    if open + crossing.half.y != end.y {
        return None;
    }
    let cell = |axis: usize| floor(end[axis] - local(low[axis].wrapping_add(1), axis));
    let bit = cell(0) + Clear::SIDE * cell(2);
    if clear.0.wrapping_shr(bit as u32) & 1 != 0 {
        return Some(Passage::Level(TERRAIN));
    }
    // The look of a falling body skipped the floor.
    let is_known = clear.0 as u16 != 0;
    is_known.then(|| rim_or_open(rim(crossing, clear.0 & 0xffff, [cell(0), cell(2)])))
}

/// Returns the answer for a body that stands on terrain's rim or on nothing.
fn rim_or_open(rim: Option<Feature>) -> Passage {
    rim.map_or(Passage::Open, |rim| Passage::Rim(TERRAIN, rim))
}

/// Returns the part of a floor's rim that bears a body at the end of its way, beside the floor.
/// `cells` are the carrying cells, as in [`Clear`]; `[x, z]` is the cell below the body. `None`
/// also if two parts are about equally near.
#[inline(never)]
fn rim(crossing: &Crossing, cells: u32, [x, z]: [i32; 2]) -> Option<Feature> {
    let out = crossing.out_on_rim();
    let inside = |axis: usize| crossing.end[axis] - floor(crossing.end[axis]) as f32;
    let (part_x, part_z) = (inside(0), inside(2));
    let clearly = out.start..1.0 - out.start;
    // A floor one cell lower is beyond the snap.
    let is_clear = clearly.contains(&part_x) && clearly.contains(&part_z);
    if !is_clear || crossing.snap >= clearly.end {
        return None;
    }
    let side = 0..Clear::SIDE;
    let carries = |to_x: i32, to_z: i32| {
        let (x, z) = (x + to_x, z + to_z);
        side.contains(&x) && side.contains(&z) && cells >> (x + Clear::SIDE * z) & 1 != 0
    };
    let away = |part: f32, step: i32| if step < 0 { part } else { 1.0 - part };
    let far = |is_there: bool, away: f32| if is_there { away } else { f32::INFINITY };
    let edges = [(-1, 0), (1, 0), (0, -1), (0, 1)].map(|(to_x, to_z)| {
        let part = if to_z == 0 { part_x } else { part_z };
        far(carries(to_x, to_z), away(part, to_x + to_z))
    });
    let corners = [(-1, -1), (1, -1), (-1, 1), (1, 1)].map(|(to_x, to_z)| {
        // The edge of the side continues there.
        let goes_on = carries(to_x, 0) || carries(0, to_z);
        let (x, z) = (away(part_x, to_x), away(part_z, to_z));
        far(!goes_on && carries(to_x, to_z), (x * x + z * z).sqrt())
    });
    let [edge, corner] = [edges, corners].map(|of| of.into_iter().fold(f32::INFINITY, f32::min));
    // Beyond one cell there may be other parts.
    let bears = out.start..out.end.min(1.0);
    let is_clear = (edge - corner).abs() > out.start && bears.contains(&edge.min(corner));
    is_clear.then_some(if edge < corner {
        Feature::Edge
    } else {
        Feature::Corner
    })
}

/// Looks at all that is in the box of a crossing.
fn look_about(
    world: &World,
    crossing: &Crossing,
    seen: Option<&Seen>,
    memory: &mut Memory,
) -> Passage {
    let (low, high) = (floor_all(crossing.min), floor_all(crossing.max));
    let base = crossing.start.cell;
    let cells = cells_about(base, low, high);
    let Some(block) = world.block_about(&cells, seen) else {
        return Passage::Unknown;
    };
    let lattice = terrain_lattice(block.lowest(base));
    let ground = Ground {
        lattice,
        brick: |step| world.brick(block.brick(step)),
        hit: block.hit(),
    };
    let Look {
        met,
        mut clear,
        mut has_media,
    } = look(
        crossing,
        &ground,
        low - lattice.lowest,
        high - lattice.lowest,
    );
    // The next way may begin elsewhere.
    if has_media {
        clear = Clear::NOT_KNOWN;
    }
    let mut floor_of = (met == Met::Floor).then_some(TERRAIN);
    let mut rim_of = match met {
        Met::Rim(feature) => Some(feature),
        _ => None,
    };
    let mut is_open = met != Met::Something;
    let mut near = Near::default();
    if is_open {
        world.each_object(&cells, |id, object| {
            near.note(id);
            clear = Clear::NOT_KNOWN;
            rim_of = None;
            let ground = world.ground_of(id, object, base, Vector3::zeros());
            let [low, high] = [crossing.min, crossing.max].map(|at| super::voxel_of(&ground, at));
            // The carrying voxels lie below.
            if super::clipped(object, low - Vector3::y(), high).is_none() {
                return;
            }
            let found = look(crossing, &ground, low, high);
            has_media |= found.has_media;
            match found.met {
                Met::Something => is_open = false,
                Met::Nothing | Met::Rim(_) => {}
                Met::Floor => floor_of = Some(least(floor_of, ground.lattice.object)),
            }
        });
    }
    if !is_open || (has_media && !world.is_open(&crossing.start, seen)) {
        return Passage::Unknown;
    }
    let seen = Seen::in_block(world, &block, &cells, near).with_clear(clear);
    seen.write(world, memory);
    floor_of.map_or_else(|| rim_or_open(rim_of), Passage::Level)
}

fn least(one: Option<ObjectId>, other: ObjectId) -> ObjectId {
    one.map_or(other, |one| one.min(other))
}

/// Most solid voxels in the box of a crossing that are tested one by one.
const MOST_NEAR: usize = 16;

/// Looks at the voxels from `low` to `high`, and at those below if they would carry the body at its
/// height to the bit.
#[inline]
fn look<'a>(
    crossing: &Crossing,
    ground: &Ground<impl Fn(Vector3<i32>) -> &'a Brick>,
    low: Vector3<i32>,
    high: Vector3<i32>,
) -> Look {
    let (end, lattice) = (crossing.end, &ground.lattice);
    let level = (end.y - crossing.half.y - lattice.origin.y) / lattice.size;
    let top = floor(level + 0.5).wrapping_sub(lattice.lowest.y);
    let carries = crossing.stands && ground.at(1, top) + crossing.half.y == end.y;
    // All layers from here up must be open.
    let first = Vector3::new(low.x, if carries { top } else { low.y }, low.z);
    let size = high - first + Vector3::repeat(1);
    let mut look = Look {
        met: Met::Something,
        clear: Clear::NOT_KNOWN,
        has_media: false,
    };
    if size.min() < 1 || !Tile::fits(first, high) {
        return look;
    }
    each_step(bricks_of(low, high), |step| {
        look.has_media |= (ground.brick)(step).has_media;
    });
    let tile = Tile::new(first, high, &ground.brick);
    // Highest voxels first: the body is narrow at its foot.
    let mut asked = 0;
    let is_touched = tile.any_solid(|voxel: Vector3<i32>| {
        asked += 1;
        let (min, max) = (ground.corner(voxel), ground.corner(voxel.add_scalar(1)));
        asked > MOST_NEAR || crossing.touches(&min, &max)
    });
    if is_touched {
        return look;
    }
    let is_empty = asked == 0;
    look.met = Met::Nothing;
    let fits = size.x <= Clear::SIDE && size.z <= Clear::SIDE;
    let mut floor_bits = 0;
    if carries {
        let under = |axis: usize| {
            let voxel = floor((end[axis] - lattice.origin[axis]) / lattice.size);
            voxel.wrapping_sub(lattice.lowest[axis])
        };
        let (x, z) = (under(0), under(2));
        let is_floor = if fits {
            floor_bits = floor_cells(ground, first - Vector3::y(), [size.x, size.z]);
            floor_bits >> (x - low.x + Clear::SIDE * (z - low.z)) & 1 != 0
        } else {
            floor_cells(ground, Vector3::new(x, top - 1, z), [1, 1]) != 0
        };
        if is_floor {
            look.met = Met::Floor;
        } else if fits && is_empty && ground.is_terrain() {
            let rim = rim(crossing, floor_bits, [x - low.x, z - low.z]);
            look.met = rim.map_or(Met::Nothing, Met::Rim);
        }
    }
    let layers = first.y + 1 - low.y;
    if fits && is_empty && (1..SIDE as i32).contains(&layers) {
        look.clear = Clear::new(layers as u32, floor_bits);
    }
    look
}
