//! Files of older formats open as the same world and continue in the present format.
#![allow(clippy::unwrap_used)]

use std::path::Path;

use collision::{Cell, Position};
use nalgebra::Vector3;
use redb::{Database, TableDefinition};

use super::tests::Scratch;
use super::*;
use crate::history::Author;
use crate::kd_tree::CellBox;
use crate::material::Material;
use crate::world::World;

/// Records written by a program of format 3; formats 1 and 2 had the same records, format 1 without
/// custom materials.
const UP_TO_3: &str = include_str!("format_3.txt");
/// Records written by a program of format 4.
const OF_4: &str = include_str!("format_4.txt");

/// Version of the generator of those programs.
const GENERATOR_THEN: u32 = 1;

const MIDDLE: Cell = Cell::new(16, 3216, 16);
const ABOVE: Cell = Cell::new(16, 3248, 16);
/// Place of the undone edit.
const UNDONE: Cell = Cell::new(16, 3222, 16);
const GOLD: Cell = Cell::new(16, 3240, 16);

type Record = (String, Vec<u8>, Vec<u8>);

fn bytes_of(hex: &str) -> Vec<u8> {
    let byte = |at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap();
    (0..hex.len()).step_by(2).map(byte).collect()
}

fn header(format: u32) -> Record {
    let mut bytes = b"VOXWORLD".to_vec();
    bytes.extend(format.to_le_bytes());
    bytes.extend(GENERATOR_THEN.to_le_bytes());
    bytes.extend(7u64.to_le_bytes());
    bytes.extend(super::bytes::checksum(b"world", &bytes).to_le_bytes());
    ("header".to_owned(), b"world".to_vec(), bytes)
}

fn records(format: u32) -> Vec<Record> {
    let text = if format < 4 { UP_TO_3 } else { OF_4 };
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let split = |line: &str| {
        let parts: Vec<&str> = line.split(' ').collect();
        let table = parts[0].replace('-', " ");
        (table, bytes_of(parts[1]), bytes_of(parts[2]))
    };
    let own = |(_, key, value): &Record| {
        let names_own = value.windows(5).any(|part| part == b"amber");
        key == b"materials" || names_own
    };
    let all = lines.map(split).filter(|record| format > 1 || !own(record));
    let header = (format < 4).then(|| header(format));
    all.chain(header).collect()
}

/// Writes a file as a program of that format did.
fn write_file(path: &Path, format: u32) {
    let database = Database::create(path).unwrap();
    let transaction = database.begin_write().unwrap();
    let records = records(format);
    let tables = Table::ALL.into_iter();
    for name in tables
        .filter(|table| table.since() <= format.max(3))
        .map(Table::name)
    {
        let mut of_table = records.iter().filter(|(table, ..)| table == name);
        // Up to format 2 a table existed only once it held something.
        if format < 3 && of_table.clone().next().is_none() {
            continue;
        }
        let definition: TableDefinition<&[u8], &[u8]> = TableDefinition::new(name);
        let mut table = transaction.open_table(definition).unwrap();
        of_table.all(|(_, key, value)| table.insert(&key[..], &value[..]).is_ok());
    }
    transaction.commit().unwrap();
}

/// Counts the cells of a ball that hold a material, and the cells of the ball, without using a
/// brush.
fn count(world: &mut World, middle: Cell, radius: i32, name: &str) -> (usize, usize) {
    let reach = Cell::repeat(8);
    let cells = CellBox::new(middle - reach, middle + reach);
    world.load(&cells).unwrap();
    let material = world.materials().by_name(name);
    let (mut found, mut wanted) = (0, 0);
    for z in -8..=8 {
        for y in -8..=8 {
            for x in -8..=8 {
                let inside = x * x + y * y + z * z <= radius * radius;
                let held = world.material(middle + Cell::new(x, y, z));
                assert_eq!(held == material, inside && material.is_some());
                found += usize::from(held == material);
                wanted += usize::from(inside);
            }
        }
    }
    (found, wanted)
}

#[test]
fn files_of_every_older_format_open_as_the_same_world() {
    for format in 1..FORMAT {
        let file = Scratch::new(&format!("format-{format}"));
        write_file(&file.0, format);
        let mut world = World::open(&file.0).unwrap();
        assert_eq!(world.seed(), Some(7), "format {format}");
        assert_eq!(count(&mut world, MIDDLE, 3, "lamp"), (123, 123));
        if format > 1 {
            assert_eq!(count(&mut world, ABOVE, 2, "amber"), (33, 33));
            let own = world.material(ABOVE).unwrap();
            assert_eq!(world.materials().info(own).light, 9);
        }
        assert_eq!(world.save_status().damaged, []);
        assert_eq!(world.undo(Author::default()).unwrap().voxels, 123);
        drop(world);

        let inspection = inspect(&file.0).unwrap();
        assert_eq!(inspection.header.format, FORMAT);
        assert!(inspection.sound && inspection.damaged.is_empty());
        assert_eq!(inspection.entries, [2, 3, 3, 4][format as usize - 1]);

        // The history continues: edits undone before and after migrating are redone in order.
        let mut world = World::open(&file.0).unwrap();
        world.load(&CellBox::new(MIDDLE, ABOVE)).unwrap();
        assert_eq!(world.material(MIDDLE), Some(Material::AIR));
        assert_eq!(world.redo(Author::default()).unwrap().voxels, 123);
        assert_eq!(world.redo(Author::default()).unwrap().voxels, 7);
        assert_eq!(world.material(UNDONE), Some(Material::STONE));
        let undone = world.undo(Author(2)).map(|report| report.voxels);
        assert_eq!(undone, (format > 1).then_some(33), "format {format}");
        assert_eq!(world.material(ABOVE), Some(Material::AIR));
    }
}

#[test]
fn objects_of_format_4_come_back_with_what_was_done_in_them() {
    let file = Scratch::new("format-4-objects");
    write_file(&file.0, 4);
    let mut world = World::open(&file.0).unwrap();
    let origin = Position::new(Cell::new(40, 3220, 16), Vector3::new(0.25, 0.5, 0.75));
    let objects: Vec<_> = world.objects().map(|(id, _)| id).collect();
    assert_eq!(objects.len(), 1, "the other was removed");
    let object = world.object(objects[0]).unwrap();
    assert_eq!(
        (object.extent(), object.voxel_size()),
        (Vector3::new(40, 3, 5), 0.5)
    );
    assert_eq!(*object.origin(), origin.moved(Vector3::new(1.5, 0.0, 0.0)));
    let last = object.brick_at(Cell::x()).unwrap();
    let voxel = |world: &World| world.brick(last).material(7, 2, 4);
    assert_eq!(Some(voxel(&world)), world.materials().by_name("amber"));
    world.load(&CellBox::new(GOLD, GOLD)).unwrap();
    assert_eq!(world.material(GOLD), Some(Material::GOLD));
    let undone = world.undo(Author(3)).unwrap();
    assert_eq!((undone.voxels, undone.missed), (2, 1));
    assert_eq!(voxel(&world), Material((39 * 7 + 2 * 3 + 4) % 5));
    // The object can be removed by an edit, and returns with its history.
    assert_eq!(
        world.remove_object_as(Author(3), objects[0]).gone,
        Some(objects[0])
    );
    drop(world);
    let mut world = World::open(&file.0).unwrap();
    assert_eq!(world.objects().count(), 0);
    assert_eq!(world.undo(Author(3)).unwrap().objects.len(), 1);
    assert_eq!(world.save_status().damaged, []);
}
