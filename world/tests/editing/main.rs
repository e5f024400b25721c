//! Brushes, undo, copies and `.vox` files against brute force.
#![allow(clippy::unwrap_used)]

mod areas;
mod limits;
mod long_lines;
mod modes;
mod objects;
mod shapes;

use collision::{Cell, Position};
use nalgebra::{Point3, Vector3};
use proptest::prelude::*;
use world::clipboard::PasteMode;
use world::{
    Author, Axis, Brush, CellBox, Clipboard, Material, MaterialTable, Mode, VoxError, World,
    read_vox, write_vox,
};

use shapes::{brush, oracle};

/// Range of cells that tests compare: 32 a side about the origin, in eight chunks.
const LOW: i32 = -16;
const HIGH: i32 = 15;

fn bounds() -> CellBox {
    CellBox::new(Cell::repeat(LOW), Cell::repeat(HIGH))
}

fn ground(cell: Cell) -> Material {
    match cell.y {
        i32::MIN..-4 => Material::STONE,
        -4..0 => Material::DIRT,
        _ if (cell.x + cell.z) % 7 == 0 && cell.y < 6 => Material::WOOD,
        _ => Material::AIR,
    }
}

fn cells() -> impl Iterator<Item = Cell> {
    let side = LOW..=HIGH;
    side.clone().flat_map(move |z| {
        let side = side.clone();
        side.clone()
            .flat_map(move |y| side.clone().map(move |x| Cell::new(x, y, z)))
    })
}

fn picture(world: &World) -> Vec<Option<Material>> {
    cells().map(|cell| world.material(cell)).collect()
}

#[derive(Clone, Debug)]
enum Act {
    Edit(u32, Brush, Mode, Material),
    Undo(u32),
    Redo(u32),
}

fn act() -> impl Strategy<Value = Act> {
    let material = (1u16..6).prop_map(Material);
    prop_oneof![
        4 => (0u32..3, brush(), modes::mode(), material)
            .prop_map(|(who, brush, mode, what)| Act::Edit(who, brush, mode, what)),
        3 => (0u32..3).prop_map(Act::Undo),
        2 => (0u32..3).prop_map(Act::Redo),
    ]
}

/// The log as a plain list: the writes of each edit, and whether it is in force. Replaying all of
/// them gives the world.
type Writes = Vec<(usize, Material)>;

struct Model {
    edits: Vec<(u32, bool, Writes)>,
    base: Vec<Option<Material>>,
}

impl Model {
    fn replay(&self) -> Vec<Option<Material>> {
        let mut all = self.base.clone();
        for (_, done, writes) in &self.edits {
            if *done {
                writes
                    .iter()
                    .for_each(|&(place, material)| all[place] = Some(material));
            }
        }
        all
    }

    fn last_done(&self, who: u32) -> Option<usize> {
        self.edits.iter().rposition(|edit| edit.0 == who && edit.1)
    }

    fn undo(&mut self, who: u32) -> bool {
        let found = self.last_done(who);
        found
            .into_iter()
            .for_each(|place| self.edits[place].1 = false);
        found.is_some()
    }

    fn redo(&mut self, who: u32) -> bool {
        let from = self.last_done(who).map_or(0, |place| place + 1);
        let found = self.edits[from..]
            .iter()
            .position(|edit| edit.0 == who && !edit.1);
        found
            .into_iter()
            .for_each(|place| self.edits[from + place].1 = true);
        found.is_some()
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn brushes_equal_brute_force(brush in brush()) {
        let reach = brush.bounds().unwrap();
        for cell in cells() {
            let (inside, slack) = oracle(&brush, cell);
            if slack > 1e-4 {
                prop_assert_eq!(brush.contains(cell), inside, "{:?}", cell);
            }
            prop_assert!(!brush.contains(cell) || reach.contains(cell));
        }
        let mut rows = 0;
        brush.visit_chunk(Cell::zeros(), |_, mask| rows += mask.count_ones());
        let chunk = (0..32 * 32 * 32).map(|at| Cell::new(at % 32, at / 32 % 32, at / 1024));
        prop_assert_eq!(rows as usize, chunk.filter(|&cell| brush.contains(cell)).count());
    }

    #[test]
    fn undo_takes_an_edit_out_as_if_it_had_never_been(acts in prop::collection::vec(act(), 1..14)) {
        let mut world = World::from_voxels(bounds(), ground);
        let mut model = Model { edits: Vec::new(), base: picture(&world) };
        for act in acts {
            match act {
                Act::Edit(who, brush, mode, what) => {
                    let before = picture(&world);
                    let report = world.edit_as(Author(who), &brush, mode, what);
                    let after = picture(&world);
                    let pairs = before.iter().zip(&after).enumerate();
                    let changed = pairs.filter(|(_, (a, b))| a != b);
                    let writes = changed.map(|(place, (_, new))| (place, new.unwrap()));
                    let writes: Vec<_> = writes.collect();
                    // Others may lie beyond the compared cells.
                    prop_assert!(report.voxels as usize >= writes.len());
                    prop_assert_eq!(report.sequence.is_some(), report.voxels > 0);
                    if report.voxels > 0 {
                        model.edits.retain(|edit| edit.0 != who || edit.1);
                        model.edits.push((who, true, writes));
                    }
                }
                Act::Undo(who) => {
                    let report = world.undo(Author(who));
                    prop_assert_eq!(report.is_some(), model.undo(who));
                }
                Act::Redo(who) => {
                    let report = world.redo(Author(who));
                    prop_assert_eq!(report.is_some(), model.redo(who));
                }
            }
            prop_assert!(picture(&world) == model.replay());
        }
    }

    #[test]
    fn cells_written_again_and_again_count_once(
        writes in prop::collection::vec(
            (-3i32..3, 0i32..2, prop::sample::select(vec![0u16, 1, 2])),
            1..24,
        ),
    ) {
        let mut world = World::from_voxels(bounds(), ground);
        let before = picture(&world);
        let report = world.transact(Author(1), |writer| {
            for &(x, y, what) in &writes {
                writer.set(Cell::new(x, y, 0), Material(what));
            }
        });
        let after = picture(&world);
        let changed = before.iter().zip(&after).filter(|(old, new)| old != new).count();
        prop_assert_eq!(report.voxels as usize, changed);
        prop_assert_eq!(report.chunks.is_empty(), changed == 0);
        let named = world.history().entries().flat_map(|entry| entry.changes());
        let named: usize = named.map(|change| change.mask.count_ones() as usize).sum();
        prop_assert_eq!(named, changed);
        prop_assert_eq!(world.undo(Author(1)).is_some(), changed > 0);
        prop_assert!(picture(&world) == before);
        prop_assert_eq!(world.redo(Author(1)).is_some(), changed > 0);
        prop_assert!(picture(&world) == after);
    }

    #[test]
    fn copies_turn_and_come_back(
        size in [1u32..9, 1u32..9, 1u32..9],
        seed: u64,
        at in [-40i32..20, -40..20, -40..20],
    ) {
        let pick = |at: Vector3<u32>| {
            Material((seed.rotate_left(at.x + at.y * 5 + at.z * 13) % 5) as u16)
        };
        let copy = Clipboard::from_fn(Vector3::from(size), pick).unwrap();
        for axis in [Axis::X, Axis::Y, Axis::Z] {
            let turned = copy.rotated(axis);
            prop_assert_eq!(&turned.rotated(axis).rotated(axis).rotated(axis), &copy);
            prop_assert_eq!(&copy.mirrored(axis).mirrored(axis), &copy);
        }
        let about_y = copy.rotated(Axis::Y);
        // Seen from above, x turns to -z: the voxel at (0, y, 0) moves to (0, y, last x).
        prop_assert_eq!(about_y.get(Vector3::new(0, 0, size[0] - 1)), copy.get(Vector3::zeros()));
        let bounds = CellBox::new(Cell::repeat(-64), Cell::repeat(63));
        let mut world = World::from_voxels(bounds, ground);
        let at = Cell::from(at);
        let last = at + Cell::from(size.map(|side| side as i32 - 1));
        let before = world.copy(&CellBox::new(at, last)).unwrap();
        world.paste(Author(1), &copy, at, PasteMode::All);
        let there = CellBox::new(at, at + Cell::from(size.map(|side| side as i32 - 1)));
        prop_assert_eq!(&world.copy(&there).unwrap(), &copy);
        world.undo(Author(1));
        prop_assert_eq!(world.copy(&there).unwrap(), before);
    }

    #[test]
    fn vox_files_come_back(size in [1u32..40, 1u32..20, 1u32..40], seed: u64) {
        let mut materials = MaterialTable::standard();
        let pick = |at: Vector3<u32>| {
            Material((seed.rotate_left(at.x * 3 + at.y * 5 + at.z * 11) % 7) as u16)
        };
        let copy = Clipboard::from_fn(Vector3::from(size), pick).unwrap();
        let bytes = write_vox(&copy, &materials).unwrap();
        let known = materials.len();
        let models = read_vox(&bytes, &mut materials).unwrap();
        prop_assert_eq!(known, materials.len());
        prop_assert_eq!(models.len(), 1);
        prop_assert_eq!(&models[0].voxels, &copy);
        prop_assert_eq!(models[0].at, Cell::zeros());
    }

    #[test]
    fn hostile_vox_files_are_refused_calmly(
        place: prop::sample::Index,
        bytes in prop::collection::vec(any::<u8>(), 1..24),
        cut: prop::sample::Index,
    ) {
        let stripes = |at: Vector3<u32>| Material((at.x % 3) as u16);
        let copy = Clipboard::from_fn(Vector3::new(5, 6, 7), stripes).unwrap();
        let mut file = write_vox(&copy, &MaterialTable::standard()).unwrap();
        let at = place.index(file.len());
        for (old, new) in file[at..].iter_mut().zip(&bytes) {
            *old = *new;
        }
        let _ = read_vox(&file, &mut MaterialTable::standard());
        file.truncate(cut.index(file.len()));
        prop_assert!(read_vox(&file, &mut MaterialTable::standard()).is_err());
    }
}

#[test]
fn vox_parts_beyond_the_largest_model_fit_together() {
    let mut materials = MaterialTable::standard();
    let pick = |at: Vector3<u32>| Material(((at.x * 7 + at.y * 3 + at.z) % 5) as u16);
    let copy = Clipboard::from_fn(Vector3::new(300, 3, 270), pick).unwrap();
    let models = read_vox(&write_vox(&copy, &materials).unwrap(), &mut materials).unwrap();
    assert_eq!(models.len(), 4);
    let mut whole = Clipboard::from_fn(copy.size(), |_| Material::AIR).unwrap();
    for model in models {
        let size = model.voxels.size();
        for index in 0..size.product() {
            let at = Vector3::new(
                index % size.x,
                index / size.x % size.y,
                index / (size.x * size.y),
            );
            whole.set(at + model.at.map(|part| part as u32), model.voxels.get(at));
        }
    }
    assert_eq!(whole, copy);
}

/// Makes a chunk of a `.vox` file.
fn chunk(id: &[u8; 4], content: &[u8], children: &[u8]) -> Vec<u8> {
    let mut bytes = id.to_vec();
    bytes.extend((content.len() as u32).to_le_bytes());
    bytes.extend((children.len() as u32).to_le_bytes());
    [bytes, content.to_vec(), children.to_vec()].concat()
}

fn file(children: &[u8]) -> Vec<u8> {
    [b"VOX \x96\0\0\0".to_vec(), chunk(b"MAIN", &[], children)].concat()
}

fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// Makes one model of one cell, with this many voxels.
fn dot(voxels: u8) -> Vec<u8> {
    let mut content = words(&[u32::from(voxels)]);
    content.extend([0, 0, 0, 1].repeat(usize::from(voxels)));
    let size = chunk(b"SIZE", &words(&[1, 1, 1]), &[]);
    [size, chunk(b"XYZI", &content, &[])].concat()
}

#[test]
fn vox_models_that_are_fuller_or_more_often_there_than_can_be_are_refused() {
    let read = |children: &[u8]| read_vox(&file(children), &mut MaterialTable::standard());
    assert!(read(&dot(1)).is_ok());
    assert!(read(&dot(2)).is_err());
    let root = chunk(b"nTRN", &words(&[0, 0, 1, u32::MAX, 0, 1, 0]), &[]);
    let often = |times: usize| {
        let mut group = words(&[1, 0, times as u32]);
        group.extend(words(&[2]).repeat(times));
        let shape = chunk(b"nSHP", &words(&[2, 0, 1, 0, 0]), &[]);
        let group = chunk(b"nGRP", &group, &[]);
        [dot(1), root.clone(), group, shape].concat()
    };
    assert_eq!(read(&often(3)).unwrap().len(), 3);
    assert!(read(&often(70_000)).is_err());
    assert!(read(&dot(1).repeat(70_000)).is_err());
}

#[test]
fn what_was_written_past_the_history_comes_back_from_under_a_later_edit() {
    let cell = Cell::zeros();
    let mut world = World::from_voxels(CellBox::new(cell, cell), |_| Material::AIR);
    let brush = Brush::voxel(cell);
    world.edit_as(Author(1), &brush, Mode::Set, Material::STONE);
    world.write(|writer| writer.set(cell, Material::GOLD));
    world.edit_as(Author(2), &brush, Mode::Set, Material::BRICK);
    world.undo(Author(1));
    world.undo(Author(2));
    assert_eq!(world.material(cell), Some(Material::GOLD));
}

#[test]
fn lines_to_nowhere_and_planes_of_negative_depth_are_refused() {
    let mut world = World::from_voxels(bounds(), |_| Material::STONE);
    let at = Position::default();
    let nowhere = Position {
        offset: Vector3::new(f32::NAN, 0.0, 0.0),
        ..at
    };
    for brush in [
        Brush::line(at, nowhere, 2.0),
        Brush::plane(at, Vector3::y(), 4.0, -1.0),
    ] {
        let report = world.edit(&brush, Mode::Carve, Material::AIR);
        assert!(report.refused.is_some(), "{brush:?}");
    }
}

/// Makes a node that moves another along x.
fn moves(number: u32, child: u32, x: &[u8; 1]) -> Vec<u8> {
    let mut content = words(&[number, 0, child, u32::MAX, 0, 1, 1, 2]);
    content.extend(b"_t");
    content.extend(words(&[5]));
    content.extend([x, &b" 0 0"[..]].concat());
    chunk(b"nTRN", &content, &[])
}

#[test]
fn nodes_of_a_vox_scene_are_known_by_their_numbers() {
    let read = |children: &[u8]| read_vox(&file(children), &mut MaterialTable::standard());
    let shape = |number: u32, models: &[u32]| {
        let mut content = words(&[number, 0, models.len() as u32]);
        models
            .iter()
            .for_each(|&model| content.extend(words(&[model, 0])));
        chunk(b"nSHP", &content, &[])
    };
    let group = chunk(b"nGRP", &words(&[1, 0, 2, 2, 4]), &[]);
    let nodes = [
        moves(0, 1, b"0"),
        group,
        moves(2, 3, b"3"),
        // The second model is a later frame of an animation.
        shape(3, &[0, 0]),
        moves(4, 5, b"7"),
        shape(5, &[0]),
    ];
    let places = |order: [usize; 6]| {
        let scene = order.map(|node| nodes[node].clone()).concat();
        let found = read(&[dot(1), scene].concat()).unwrap();
        let mut places: Vec<i32> = found.iter().map(|model| model.at.x).collect();
        places.sort_unstable();
        places
    };
    assert_eq!(places([0, 1, 2, 3, 4, 5]), [3, 7]);
    assert_eq!(places([5, 3, 4, 1, 0, 2]), [3, 7]);
    // A truncated node, and two nodes of one number.
    let torn = chunk(b"nTRN", &words(&[2, 0]), &[]);
    for bad in [&torn, &nodes[2]] {
        let scene = [nodes.concat(), bad.clone()].concat();
        assert!(read(&[dot(1), scene].concat()).is_err());
    }
}

#[test]
fn vox_palettes_may_be_shorter_than_256_colours() {
    let read = |palette: &[u8]| {
        let mut materials = MaterialTable::standard();
        let palette = chunk(b"RGBA", palette, &[]);
        let models = read_vox(&file(&[dot(1), palette].concat()), &mut materials);
        models.map(|models| {
            let material = models[0].voxels.get(Vector3::zeros());
            materials.info(material).colour
        })
    };
    let colours = [9, 8, 7, 255, 1, 2, 3, 255];
    assert_eq!(read(&colours), Ok([9, 8, 7, 255]));
    // A voxel of a missing colour becomes stone.
    assert!(read(&[]).is_ok());
    assert!(read(&colours[..7]).is_err(), "a colour is cut off");
    assert!(read(&[1; 1028]).is_err(), "more than 256");
}

#[test]
fn groups_of_a_vox_scene_that_are_shared_by_groups_are_bounded_by_the_file() {
    let scene = |levels: u32| {
        let mut nodes = moves(0, 1, b"0");
        // Each group contains the next one twice.
        for level in 0..levels {
            let group = 1 + 3 * level;
            nodes.extend(chunk(
                b"nGRP",
                &words(&[group, 0, 2, group + 1, group + 2]),
                &[],
            ));
            nodes.extend(moves(group + 1, group + 3, b"0"));
            nodes.extend(moves(group + 2, group + 3, b"9"));
        }
        nodes.extend(chunk(b"nSHP", &words(&[1 + 3 * levels, 0, 1, 0, 0]), &[]));
        [dot(1), nodes].concat()
    };
    let read = |levels| read_vox(&file(&scene(levels)), &mut MaterialTable::standard());
    assert_eq!(read(6).map(|models| models.len()), Ok(64));
    assert!(scene(15).len() < 4000);
    assert!(matches!(read(15), Err(VoxError::TooLarge)));
}

#[test]
fn a_flood_is_told_in_the_same_order_every_time() {
    let flood = || {
        let mut world = World::from_voxels(bounds(), |_| Material::AIR);
        let report = world.flood_fill(Author(1), Cell::zeros(), Material::WATER, usize::MAX);
        assert_eq!(report.chunks.len(), 8);
        report
    };
    assert_eq!(flood(), flood());
}

#[test]
fn nested_and_boastful_vox_files_are_refused() {
    let mut nested = chunk(b"PACK", &[], &[]);
    for _ in 0..2_000 {
        nested = chunk(b"PACK", &[], &nested);
    }
    let huge = [
        chunk(b"SIZE", &[255; 12], &[]),
        chunk(b"XYZI", &[255; 4], &[]),
    ]
    .concat();
    let many = [
        chunk(b"SIZE", &[4, 0, 0, 0, 4, 0, 0, 0, 4, 0, 0, 0], &[]),
        chunk(b"XYZI", &[255, 255, 255, 63, 0, 0, 0, 1], &[]),
    ]
    .concat();
    for children in [nested, huge, many] {
        assert!(read_vox(&file(&children), &mut MaterialTable::standard()).is_err());
    }
    assert!(read_vox(b"", &mut MaterialTable::standard()).is_err());
}

#[test]
fn smoothing_rounds_a_spike_and_fills_a_pit() {
    let mut world = World::from_voxels(bounds(), |cell| {
        if cell.y < 0 {
            Material::STONE
        } else {
            Material::AIR
        }
    });
    world.set_voxel(Cell::new(3, 0, 3), Material::STONE);
    world.set_voxel(Cell::new(-5, -1, 3), Material::AIR);
    let brush = Brush::sphere(Position::from_metres(Point3::new(0.0, 0.0, 3.0)), 9.0);
    world.edit(&brush, Mode::Smooth, Material::AIR);
    assert_eq!(world.material(Cell::new(3, 0, 3)), Some(Material::AIR));
    assert_eq!(world.material(Cell::new(-5, -1, 3)), Some(Material::STONE));
}

#[test]
fn floods_stay_within_their_walls() {
    let room = |cell: Cell| cell.iter().all(|part| (-6..=6).contains(part));
    let wall = |cell: Cell| cell.iter().all(|part| (-7..=7).contains(part)) && !room(cell);
    let mut world = World::from_voxels(bounds(), |cell| {
        if wall(cell) {
            Material::BRICK
        } else {
            Material::AIR
        }
    });
    let report = world.flood_fill(Author(1), Cell::zeros(), Material::WATER, 1 << 20);
    assert_eq!((report.voxels, report.limited), (13 * 13 * 13, false));
    for cell in cells() {
        assert_eq!(world.material(cell) == Some(Material::WATER), room(cell));
    }
    let limited = world.flood_fill(Author(1), Cell::repeat(20), Material::LAVA, 100);
    assert_eq!((limited.voxels, limited.limited), (100, true));
}

#[test]
fn edits_without_place_say_so() {
    let mut world = World::from_voxels(bounds(), ground);
    let before = picture(&world);
    for radius in [f32::NAN, f32::INFINITY, -1.0, 1e30, 5e5] {
        let brush = Brush::sphere(Position::from_metres(Point3::origin()), radius);
        assert!(
            world
                .edit(&brush, Mode::Carve, Material::AIR)
                .refused
                .is_some(),
            "{radius}"
        );
    }
    assert!(picture(&world) == before);
    // Half inside the loaded chunks: existing voxels change, the rest is counted.
    let brush = Brush::cells(Cell::new(30, 0, 0), Cell::new(33, 0, 0));
    let report = world.edit(&brush, Mode::Set, Material::LAMP);
    assert_eq!((report.voxels, report.missed), (2, 2));
    let forgetful = &mut world;
    forgetful.set_history_budget(0);
    assert!(forgetful.undo(Author::default()).is_none());
}
