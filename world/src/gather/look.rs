//! The short look of a walker: is there nothing ahead, and the same floor under its end? Most ticks
//! end here.
//!
//! Occupancy says that nothing is in the way. What carries the body are the merged quads that look
//! up.

use super::features::floor_cells;
use super::memory::{Near, Seen};
use super::tile::{Ground, Tile, bricks_of, each_step};
use super::{TERRAIN, cells_about, floor, floor_all, terrain_lattice};
use crate::chunk::{Brick, SIDE};
use crate::world::World;
use collision::{Crossing, Feature, Memory, ObjectId, Passage};
use nalgebra::Vector3;

/// What a crossing meets in one lattice.
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

/// What a look at the terrain found, kept in a word of the memory: all of the box is open from a
/// layer on, and of the layer below it, where it is a floor, it is known which cells carry. Zero
/// where nothing is known.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Clear(pub(super) u32);

impl Clear {
    pub(super) const NOT_KNOWN: Self = Self(0);

    /// Most cells of the floor along x and along z.
    const SIDE: i32 = 4;

    /// Everything is open from `layers` above the lowest layer on that was seen. Bit `x + SIDE z`
    /// of `floor` is set where the layer below carries; where none is, that may not have been
    /// looked at.
    fn new(layers: u32, floor: u32) -> Self {
        debug_assert!(layers > 0 && floor >> (Self::SIDE * Self::SIDE) == 0);
        Self(layers << 16 | floor)
    }
}

/// What a look at one lattice found.
struct Look {
    met: Met,
    clear: Clear,
    /// True if one may swim or climb in a brick that the box reaches into.
    has_media: bool,
}

/// See [`collision::Terrain::passage`].
#[inline(always)]
pub(super) fn passage(world: &World, crossing: &Crossing, memory: &mut Memory) -> Passage {
    // Most bodies that are on a rim and not level with the cells have sunk over it.
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

/// Answers for a way within what the last look found to be clear, if it still is.
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
    // What was seen reaches one cell farther than what was looked at.
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
    // A body that fell did not look at the floor.
    let is_known = clear.0 as u16 != 0;
    is_known.then(|| rim_or_open(rim(crossing, clear.0 & 0xffff, [cell(0), cell(2)])))
}

/// The answer for a body that terrain alone does not carry.
fn rim_or_open(rim: Option<Feature>) -> Passage {
    rim.map_or(Passage::Open, |rim| Passage::Rim(TERRAIN, rim))
}

/// The part of the rim of a floor of the terrain that bears a body at the end of its way, where the
/// floor is not below it. `cells` are those of the floor as [`Clear`] has them, and the body is
/// over one of them. `None` also where two parts are about as near.
#[inline(never)]
fn rim(crossing: &Crossing, cells: u32, [x, z]: [i32; 2]) -> Option<Feature> {
    let out = crossing.out_on_rim();
    let inside = |axis: usize| crossing.end[axis] - floor(crossing.end[axis]) as f32;
    let (part_x, part_z) = (inside(0), inside(2));
    let clearly = out.start..1.0 - out.start;
    // What is a cell lower draws no body down.
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
        // The edge of a side goes on there.
        let goes_on = carries(to_x, 0) || carries(0, to_z);
        let (x, z) = (away(part_x, to_x), away(part_z, to_z));
        far(!goes_on && carries(to_x, to_z), (x * x + z * z).sqrt())
    });
    let [edge, corner] = [edges, corners].map(|of| of.into_iter().fold(f32::INFINITY, f32::min));
    // Farther than a cell away there may be others.
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
            // What carries lies below.
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

/// Most solid voxels in the box of a crossing that are looked at one by one.
const MOST_NEAR: usize = 16;

/// Looks at the voxels from `low` to `high`, and at those below them where they carry the body at
/// its height to the bit.
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
    // All from here on must be open.
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
    // The highest come first: low down the body is narrow.
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
