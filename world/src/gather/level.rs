//! The shortest look a walker takes: is there nothing ahead, and the same floor under its end? Most ticks of most walkers end here.

use super::seen::{Near, Seen};
use super::tile::{Lattice, SIDES, Tile};
use super::{cells_about, clipped, floor, floor_all};
use crate::chunk::SIDE;
use crate::world::{BrickId, World, chunk_of};
use collision::{Crossing, Feature, Memory, Passage};
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
    /// Nothing is in the way, and the body is borne by a rim of what would carry it.
    Rim(Feature),
}

/// What a look at the terrain of a single brick found, kept in a word of the memory: all that was seen of the box is open from a layer on, and
/// of the layer below it, where it is a floor, it is known what is solid. Zero where nothing is known.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Clear(pub(super) u32);

impl Clear {
    pub(super) const NOT_KNOWN: Self = Self(0);

    /// Most cells of the floor along x and along z.
    const SIDE: i32 = 4;

    /// `layers` up from the lowest layer of what was seen everything is open. Bit `x + SIDE z` of `floor` is set where the layer below is solid;
    /// where none is, that may not have been looked at.
    fn new(layers: u32, floor: u32) -> Self {
        debug_assert!(layers > 0 && floor >> (Self::SIDE * Self::SIDE) == 0);
        Self(layers << 16 | floor)
    }
}

/// See [`collision::Terrain::passage`].
#[inline(always)]
pub(super) fn passage(world: &World, crossing: &Crossing, memory: &mut Memory) -> Passage {
    // Most who are on a rim and not level with the cells have sunk over it.
    let half = crossing.half.y;
    if crossing.from_rim && floor(crossing.end.y - half + 0.5) as f32 + half != crossing.end.y {
        return Passage::Unknown;
    }
    seen_before(world, crossing, memory).unwrap_or_else(|| look_about(world, crossing, memory))
}

/// Answers for a way within what the last look found to be clear, if it still is.
#[inline(always)]
fn seen_before(world: &World, crossing: &Crossing, memory: &Memory) -> Option<Passage> {
    let seen = Seen::read(world, memory)?;
    if seen.clear == Clear::NOT_KNOWN || !is_as_it_was(world, &seen) {
        return None;
    }
    let base = crossing.start.cell;
    let local = |cell: i32, axis: usize| cell.wrapping_sub(base[axis]) as f32;
    let (low, high) = (&seen.cells.min, &seen.cells.max);
    // What was seen reaches one cell farther than what was looked at.
    let within = |axis: usize| {
        local(low[axis].wrapping_add(1), axis) <= crossing.min[axis]
            && crossing.max[axis] < local(high[axis], axis)
    };
    if !(within(0) && within(2) && crossing.max.y < local(high.y, 1)) {
        return None;
    }
    let open = local(low.y.wrapping_add((seen.clear.0 >> 16) as i32), 1);
    let end = crossing.end;
    if !crossing.stands {
        return (open <= crossing.min.y).then_some(Passage::Open);
    }
    if open + crossing.half.y != end.y {
        return None;
    }
    let cell = |axis: usize| floor(end[axis] - local(low[axis].wrapping_add(1), axis));
    let bit = cell(0) + Clear::SIDE * cell(2);
    let carries = seen.clear.0.wrapping_shr(bit as u32) & 1 != 0;
    if carries {
        return Some(Passage::Level(super::TERRAIN));
    }
    // Who fell did not look at the floor.
    let is_known = seen.clear.0 as u16 != 0;
    is_known.then(|| seen_beside(crossing, &seen, [cell(0), cell(2)]))
}

/// What is told of a body whose end is over a cell of what was seen that does not carry it: apart, so that the way of all others stays short.
#[inline(never)]
fn seen_beside(crossing: &Crossing, seen: &Seen, [x, z]: [i32; 2]) -> Passage {
    let side = 0..Clear::SIDE;
    rim_or_open(rim(crossing, |to_x, to_z| {
        let (x, z) = (x + to_x, z + to_z);
        let is_seen = side.contains(&x) && side.contains(&z);
        is_seen && seen.clear.0 >> (x + Clear::SIDE * z) & 1 != 0
    }))
}

/// What is told of terrain alone that carries nobody.
fn rim_or_open(rim: Option<Feature>) -> Passage {
    rim.map_or(Passage::Open, |rim| Passage::Rim(super::TERRAIN, rim))
}

/// The part of the rim of a floor of the terrain that bears a body at the end of its way, when it is not over the floor. It is asked which cells of the
/// floor are solid, one or none away from that below the body. `None` also where that could be two parts.
#[inline]
fn rim(crossing: &Crossing, is_solid: impl Fn(i32, i32) -> bool) -> Option<Feature> {
    let out = crossing.out_on_rim();
    let inside = |axis: usize| crossing.end[axis] - floor(crossing.end[axis]) as f32;
    let (x, z) = (inside(0), inside(2));
    let clearly = out.start..1.0 - out.start;
    // What is a cell lower draws nobody down.
    if !(clearly.contains(&x) && clearly.contains(&z) && crossing.snap < clearly.end) {
        return None;
    }
    let away = |part: f32, step: i32| if step < 0 { part } else { 1.0 - part };
    let far = |solid: bool, away: f32| if solid { away } else { f32::INFINITY };
    let sides = [(-1, 0), (1, 0), (0, -1), (0, 1)].map(|(to_x, to_z)| {
        let (part, step) = if to_z == 0 { (x, to_x) } else { (z, to_z) };
        far(is_solid(to_x, to_z), away(part, step))
    });
    let edge = sides.into_iter().fold(f32::INFINITY, f32::min);
    let corners = [(-1, -1), (1, -1), (-1, 1), (1, 1)].map(|(to_x, to_z)| {
        // The edge of a side goes on there.
        let beside = is_solid(to_x, 0) || is_solid(0, to_z);
        let (x, z) = (away(x, to_x), away(z, to_z));
        far(!beside && is_solid(to_x, to_z), (x * x + z * z).sqrt())
    });
    let corner = corners.into_iter().fold(f32::INFINITY, f32::min);
    // Farther than a cell away there may be others.
    let bears = out.start..out.end.min(1.0);
    let is_clear = (edge - corner).abs() > out.start && bears.contains(&edge.min(corner));
    let feature = if edge < corner {
        Feature::Edge
    } else {
        Feature::Corner
    };
    is_clear.then_some(feature)
}

/// Whether nothing has changed in the bricks of a memory, and no object came there.
#[inline]
fn is_as_it_was(world: &World, seen: &Seen) -> bool {
    seen.revision == world.revision
        || (world.surroundings.is_empty()
            && ![seen.brick, seen.below]
                .iter()
                .any(|&brick| seen.is_older(world, brick)))
}

/// Looks at all that is in the box of a crossing.
fn look_about(world: &World, crossing: &Crossing, memory: &mut Memory) -> Passage {
    let (low, high) = (floor_all(crossing.min), floor_all(crossing.max));
    let bricks = Seen::read(world, memory).map(|seen| [seen.brick, seen.below]);
    let [mut brick, mut below] = bricks.unwrap_or([BrickId::NOT_LOADED; 2]);
    let mut clear = Clear::NOT_KNOWN;
    let base = crossing.start.cell;
    // Whether it may begin in something to swim or climb in.
    let mut has_media = false;
    let found = match look_in_brick(world, crossing, low, high, [&mut brick, &mut below]) {
        Some((found, floor)) => {
            has_media = world.slots.get(brick).brick.has_media;
            // The next way may begin elsewhere.
            if !has_media {
                clear = floor;
            }
            found
        }
        None => look(crossing, low, high, Lattice::TERRAIN, |tile| {
            brick = world.fill_terrain(tile, base, brick);
            has_media |= tile.has_media;
            below = brick;
        }),
    };
    let mut ground = (found == Found::Floor).then_some(super::TERRAIN);
    let mut rim = match found {
        Found::Rim(feature) => Some(feature),
        _ => None,
    };
    let mut open = found != Found::Blocked;
    let cells = cells_about(base, low, high);
    let mut near = Near::default();
    if open {
        world.each_object(&cells, |id, object| {
            near.note(id);
            clear = Clear::NOT_KNOWN;
            rim = None;
            let lattice = Lattice::of(id, object, base);
            let voxel = |at: Vector3<f32>| ((at - lattice.origin) / lattice.size).map(floor);
            let (low, high) = (voxel(crossing.min), voxel(crossing.max));
            // What carries lies below.
            if clipped(object, low - Vector3::y(), high).is_none() {
                return;
            }
            let fill = |tile: &mut Tile| {
                world.fill_object(tile, object);
                has_media |= tile.has_media;
            };
            match look(crossing, low, high, lattice, fill) {
                Found::Blocked => open = false,
                Found::Open | Found::Rim(_) => {}
                Found::Floor => {
                    ground = Some(ground.map_or(lattice.object, |other| other.min(lattice.object)));
                }
            }
        });
    }
    let is_in_media = || {
        let contents = world.contents_by(&crossing.start, brick);
        contents.liquid || contents.climbable
    };
    if !open || (has_media && is_in_media()) {
        return Passage::Unknown;
    }
    let seen = Seen {
        revision: world.revision,
        cells,
        brick,
        below,
        near,
        clear,
    };
    seen.write(world, memory);
    ground.map_or_else(|| rim_or_open(rim), Passage::Level)
}

/// The same as [`look`] for terrain of a single brick, read in place; `None` where it is not a single one. The layer that carries the body may lie
/// in the one below: many a floor ends where a brick does. Also what is known about it then.
#[inline]
fn look_in_brick(
    world: &World,
    crossing: &Crossing,
    low: Vector3<i32>,
    high: Vector3<i32>,
    [brick, below]: [&mut BrickId; 2],
) -> Option<(Found, Clear)> {
    let end = crossing.end;
    let top = floor(end.y - crossing.half.y + 0.5);
    let carries = crossing.stands && top as f32 + crossing.half.y == end.y;
    // All from here on must be open.
    let first = Vector3::new(low.x, if carries { top } else { low.y }, low.z);
    let lowest = crossing.start.cell.zip_map(&first, i32::wrapping_add);
    let inside = lowest.map(|part| part & (SIDE as i32 - 1));
    let size = high - first;
    let last = inside + size;
    let beyond = |part: Vector3<i32>| (part.x | part.y | part.z) as u32 >= SIDE as u32;
    if beyond(size) || beyond(last) {
        return None;
    }
    *brick = world.brick_near(chunk_of(lowest), *brick);
    *below = if carries && inside.y == 0 {
        let under = Vector3::new(lowest.x, lowest.y.wrapping_sub(1), lowest.z);
        world.brick_near(chunk_of(under), *below)
    } else {
        *brick
    };
    let [bits, bits_below] = [*brick, *below].map(|id| world.slots.get(id).brick.occupancy());
    let row = |y: i32, z: i32| (z * SIDE as i32 + y) as usize;
    let floor_row = |z: i32| row((inside.y - 1) & (SIDE as i32 - 1), z);
    let keep = u32::MAX >> (SIDE as i32 - 1 - size.x);
    let (mut solid, mut carrying) = (0, 0);
    for z in inside.z..=last.z {
        for row in &bits[row(inside.y, z)..=row(last.y, z)] {
            solid |= row;
        }
        if carries {
            let shift = Clear::SIDE * (z - inside.z);
            carrying |= (bits_below[floor_row(z)] >> inside.x & keep).wrapping_shl(shift as u32);
        }
    }
    let is_empty = solid >> inside.x & keep == 0;
    if !is_empty {
        let mut asking = Asking::new(crossing, &Lattice::TERRAIN);
        let rows = (0..=size.y).rev();
        for (y, z) in rows.flat_map(|y| (0..=size.z).map(move |z| (y, z))) {
            let row = bits[row(inside.y + y, inside.z + z)] >> inside.x & keep;
            for x in ones(u64::from(row)) {
                if asking.touches(first + Vector3::new(x as i32, y, z)) {
                    return Some((Found::Blocked, Clear::NOT_KNOWN));
                }
            }
        }
    }
    let (x, z) = (floor(end.x) - low.x, floor(end.z) - low.z);
    let is_floor = |to_x: i32, to_z: i32| {
        let (x, z) = (x + to_x, z + to_z);
        let within = (0..=size.x).contains(&x) && (0..=size.z).contains(&z);
        within && bits_below[floor_row(inside.z + z)] >> (inside.x + x) & 1 != 0
    };
    let found = found_on(crossing, carries, is_floor);
    let layers = first.y + 1 - low.y;
    let fits = size.x.max(size.z) < Clear::SIDE && (1..SIDE as i32).contains(&layers);
    let clear = if fits && is_empty {
        Clear::new(layers as u32, carrying)
    } else {
        Clear::NOT_KNOWN
    };
    Some((found, clear))
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
    let level = (end.y - crossing.half.y - lattice.origin.y) / lattice.size;
    let top = floor(level + 0.5);
    let carries = crossing.stands && lattice.at(1, top) + crossing.half.y == end.y;
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
    let mut asking = Asking::new(crossing, &tile.lattice);
    for y in (usize::from(carries)..tile.size[1]).rev() {
        // Most are: nothing of what its voxels have in common needs to be reckoned for such a layer.
        if tile.layers[y] == 0 {
            continue;
        }
        for bit in ones(tile.layers[y]) {
            if asking.touches(tile.voxel(bit, y)) {
                return Found::Blocked;
            }
        }
    }
    let voxel = |axis: usize| floor((end[axis] - lattice.origin[axis]) / lattice.size) - low[axis];
    let (x, z) = (voxel(0), voxel(2));
    let is_floor = |to_x: i32, to_z: i32| {
        let (x, z) = (x + to_x, z + to_z);
        let within = (0..size.x).contains(&x) && (0..size.z).contains(&z);
        within && tile.layers[0] >> (x + z * SIDES[0] as i32) & 1 != 0
    };
    if lattice.object == super::TERRAIN {
        found_on(crossing, carries, is_floor)
    } else if carries && is_floor(0, 0) {
        Found::Floor
    } else {
        Found::Open
    }
}

/// What is found where nothing is in the way. Asks for the cells of a floor, so many away from that below the end, if there is one.
#[inline]
fn found_on(crossing: &Crossing, carries: bool, is_floor: impl Fn(i32, i32) -> bool) -> Found {
    if !carries {
        Found::Open
    } else if is_floor(0, 0) {
        Found::Floor
    } else {
        found_beside(crossing, is_floor)
    }
}

/// The same where the cell below the end is no floor: apart, so that the look of all others stays short.
#[inline(never)]
fn found_beside(crossing: &Crossing, is_floor: impl Fn(i32, i32) -> bool) -> Found {
    rim(crossing, is_floor).map_or(Found::Open, Found::Rim)
}

/// Most solid voxels in the box of a crossing that are looked at one by one.
const MOST_NEAR: usize = 16;

/// Asks of solid voxels, one by one, whether a body touches them. The highest should come first, as they are likeliest to: low down it is narrow.
struct Asking<'a> {
    crossing: &'a Crossing,
    lattice: &'a Lattice,
    asked: usize,
}

impl<'a> Asking<'a> {
    #[inline]
    fn new(crossing: &'a Crossing, lattice: &'a Lattice) -> Self {
        Self {
            crossing,
            lattice,
            asked: 0,
        }
    }

    /// Whether the next one is touched, or one too many.
    #[inline]
    fn touches(&mut self, low: Vector3<i32>) -> bool {
        let high = low.map(|part| part + 1);
        self.asked += 1;
        let (min, max) = (self.lattice.corner(low), self.lattice.corner(high));
        self.asked > MOST_NEAR || self.crossing.touches(&min, &max)
    }
}

/// The places of the bits that are set.
#[inline]
fn ones(word: u64) -> impl Iterator<Item = u32> {
    let some = |word: u64| (word != 0).then_some(word);
    std::iter::successors(some(word), move |left| some(left & (left - 1))).map(u64::trailing_zeros)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::super::tests::{Dice, scattered, stone};
    use super::*;
    use crate::chunk::Brick;
    use crate::kd_tree::CellBox;
    use crate::material::Material;
    use crate::object::ObjectId;
    use collision::{Cell, Position};

    const HALF: Vector3<f32> = Vector3::new(0.41, 0.91, 0.41);

    /// Heights of floors, in metres: inside of a brick, and between two.
    const FLOORS: [i32; 2] = [3, 0];

    /// A way along the floor, or down.
    fn crossing(start: Position, way: Vector3<f32>) -> Crossing {
        let (at, end) = (start.offset, start.offset + way);
        let margin = Vector3::new(1e-3, if way.y < 0.0 { 1e-3 } else { 0.0 }, 1e-3);
        Crossing {
            start,
            min: at.inf(&end) - HALF - margin,
            max: at.sup(&end) + HALF + Vector3::repeat(1e-3),
            end,
            half: HALF,
            stands: way.y == 0.0,
            from_rim: false,
            ledge: 0.99,
            snap: 0.5,
        }
    }

    /// A floor with holes, blocks on it, and a small object.
    fn ground(seed: u64, floor: i32) -> (World, ObjectId) {
        let bounds = CellBox::new(Cell::new(-32, -32, -32), Cell::new(31, 31, 31));
        let mut world = World::from_voxels(bounds, |cell| {
            let odd = scattered(seed, 0.02, cell);
            stone(if cell.y < floor { !odd } else { odd })
        });
        let far = Position::from_metres([0.0, 20.0, 0.0].into());
        let object = small_object(&mut world, far);
        (world, object)
    }

    fn small_object(world: &mut World, at: Position) -> ObjectId {
        let object = world.add_object(at, 0.5, Vector3::repeat(2), |_| Material::STONE);
        object.unwrap()
    }

    /// Does something to the world at a cell near a walker, or far away.
    fn disturb(world: &mut World, object: &mut ObjectId, near: Cell, dice: &mut Dice) {
        let palette = [
            Material::AIR,
            Material::STONE,
            Material::WATER,
            Material::LADDER,
        ];
        let material = palette[dice.bits() as usize % 4];
        let to = Position::new(near, Vector3::repeat(0.25));
        match (dice.bits() % 3, world.object(*object)) {
            (0, Some(found)) => {
                let step = to.since(found.origin());
                world.move_object(*object, step);
            }
            (0, None) => *object = small_object(world, to),
            (1, _) => {
                world.remove_object(*object);
            }
            _ => {
                world.write(|writer| {
                    writer.set(near, material);
                });
            }
        }
    }

    #[test]
    fn who_begins_in_a_ladder_of_an_object_does_not_simply_go() {
        let mut world = World::from_voxels(
            CellBox::new(Cell::new(-32, -32, -32), Cell::new(31, 31, 31)),
            |cell| stone(cell.y < 3),
        );
        let start = Position::new(Cell::new(0, 3, 0), Vector3::new(0.5, HALF.y, 0.5));
        let crossing = crossing(start, Vector3::new(0.05, 0.0, 0.0));
        let look = |world: &World| passage(world, &crossing, &mut Memory::default());
        assert_eq!(look(&world), Passage::Level(super::super::TERRAIN));
        let corner = Position::new(Cell::new(0, 3, 0), Vector3::zeros());
        let ladder = world.add_object(corner, 0.25, Vector3::repeat(4), |_| Material::LADDER);
        assert_eq!(look(&world), Passage::Unknown);
        // Beside it nothing is in the way.
        let beside = Position::new(Cell::new(-1, 3, 0), Vector3::zeros());
        world.move_object(ladder.unwrap(), beside.since(&corner));
        assert_eq!(look(&world), Passage::Level(super::super::TERRAIN));
    }

    #[test]
    fn floor_that_is_loaded_later_is_not_remembered() {
        let bounds = CellBox::new(Cell::zeros(), Cell::repeat(31));
        let mut world = World::from_voxels(bounds, |_| Material::AIR);
        let start = Position::new(Cell::new(8, 0, 8), Vector3::new(0.5, HALF.y, 0.5));
        let crossing = crossing(start, Vector3::new(0.05, 0.0, 0.0));
        let mut memory = Memory::default();
        // What is not loaded is solid.
        let before = passage(&world, &crossing, &mut memory);
        assert_eq!(before, Passage::Level(super::super::TERRAIN));
        world.insert_brick(Cell::new(0, -1, 0), Brick::default());
        assert_eq!(passage(&world, &crossing, &mut memory), Passage::Open);
    }

    #[test]
    fn what_the_round_body_does_not_touch_is_in_nobodys_way() {
        let bounds = CellBox::new(Cell::new(-32, -32, -32), Cell::new(31, 31, 31));
        for floor in FLOORS {
            let world = World::from_voxels(bounds, |cell| {
                stone(cell.y < floor || (cell.x > 0 && cell.z > 0))
            });
            let look = |aside: f32| {
                let start =
                    Position::new(Cell::new(0, floor, 0), Vector3::new(aside, HALF.y, aside));
                let way = Vector3::new(0.01, 0.0, -0.01);
                passage(&world, &crossing(start, way), &mut Memory::default())
            };
            // So far from the edge of the block that the box alone reaches into it, and nearer.
            assert_eq!(look(0.69), Passage::Level(super::super::TERRAIN));
            assert_eq!(look(0.73), Passage::Unknown);
        }
    }

    #[test]
    fn what_is_remembered_answers_as_a_fresh_look_does() {
        let (mut known, mut answered) = ([[0; 2]; 2], 0);
        for seed in 0..40 {
            let mut dice = Dice(seed);
            let floor = FLOORS[seed as usize % 2];
            let grounds = [ground(seed, floor), ground(seed + 1000, floor)];
            let mut objects = grounds.each_ref().map(|(_, object)| *object);
            let mut worlds = grounds.map(|(world, _)| world);
            let mut here = 0;
            let mut memory = Memory::default();
            let mut start = Position::new(Cell::new(0, floor, 0), Vector3::new(0.5, HALF.y, 0.5));
            let mut way = Vector3::zeros();
            for step in 0..1000 {
                if dice.bits().is_multiple_of(16) {
                    way = Vector3::new(dice.signed(), 0.0, dice.signed()) * 0.15;
                }
                way.y = if step % 32 < 4 { -0.05 } else { 0.0 };
                let above = Vector3::y() * if way.y < 0.0 { 0.5 } else { 0.0 };
                let crossing = crossing(start.moved(above), way);
                let world = &worlds[here];
                let fresh = passage(world, &crossing, &mut Memory::default());
                let remembered = seen_before(world, &crossing, &memory);
                known[usize::from(crossing.stands)][seed as usize % 2] +=
                    u32::from(remembered.is_some());
                answered += u32::from(fresh != Passage::Unknown);
                assert_eq!(
                    passage(world, &crossing, &mut memory),
                    fresh,
                    "{crossing:?}"
                );
                match fresh {
                    Passage::Level(_) | Passage::Rim(..) => {
                        start = Position::from_local(start.cell, crossing.end);
                    }
                    _ => way = -way,
                }
                if dice.bits().is_multiple_of(24) {
                    let aside = dice.vector() * 2.0;
                    let far = if dice.bits().is_multiple_of(4) {
                        12.0
                    } else {
                        1.0
                    };
                    let near = start.moved(aside * far).cell;
                    disturb(&mut worlds[here], &mut objects[here], near, &mut dice);
                }
                if dice.bits().is_multiple_of(128) {
                    here = 1 - here;
                }
            }
        }
        let of: u32 = known.iter().flatten().sum();
        let each = known.iter().flatten().all(|&known| known > 100);
        assert!(of * 4 > answered && each, "{known:?} of {answered}");
    }
}
