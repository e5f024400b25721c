//! The acts of the other process: act `n` follows from `n` and from the possible acts.

use collision::{Cell, Position};
use nalgebra::Vector3;
use world::{Author, Brush, Material, World};

/// Extent of objects: two chunks in a row.
pub(crate) const EXTENT: Vector3<u32> = Vector3::new(34, 2, 2);
const MOST_OBJECTS: usize = 4;

pub(crate) fn mix(mut bits: u64) -> u64 {
    for _ in 0..2 {
        bits = (bits ^ (bits >> 31)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
    bits ^ (bits >> 29)
}

/// The possible acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Situation {
    pub(crate) objects: usize,
    /// Indexed by author.
    pub(crate) undo: [bool; 2],
    pub(crate) redo: [bool; 2],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Act {
    Ball,
    Add,
    /// Changes voxels of the n-th object in the order of keys, and of the ground, as one edit.
    Draw(usize),
    Move(usize),
    Remove(usize),
    Undo,
    Redo,
}

/// Returns the author of an act, 0 or 1.
pub(crate) fn who(number: u64) -> u32 {
    (mix(number + 1) >> 50 & 1) as u32
}

pub(crate) fn act(number: u64, now: &Situation) -> Act {
    let bits = mix(number + 1) >> 52;
    let (by, which) = (who(number) as usize, bits as usize % now.objects.max(1));
    match bits % 13 {
        0 | 1 if now.objects < MOST_OBJECTS => Act::Add,
        2 | 3 if now.objects > 0 => Act::Draw(which),
        4 | 5 if now.objects > 0 => Act::Move(which),
        6 if now.objects > 0 => Act::Remove(which),
        7 | 8 if now.redo[by] => Act::Redo,
        7..=9 if now.undo[by] => Act::Undo,
        _ => Act::Ball,
    }
}

pub(crate) struct Ball {
    pub(crate) cell: Cell,
    pub(crate) radius: i32,
}

pub(crate) fn ball(number: u64) -> Ball {
    let bits = mix(number + 1);
    let part = |shift: u32, side: u64| ((bits >> shift & 0xffff) % side) as i32;
    let cell = Cell::new(part(0, 96), 4 + part(16, 28), part(32, 64));
    let radius = if number.is_multiple_of(5) { 3 } else { 0 };
    Ball { cell, radius }
}

pub(crate) fn material(number: u64) -> Material {
    Material(20 + (number % 16) as u16)
}

/// Returns a cell of the ground that [`Act::Draw`] changes too.
pub(crate) fn drawn_cell(number: u64) -> Cell {
    Cell::new((number % 96) as i32, 0, (number % 64) as i32)
}

/// Returns the voxels of an object that [`Act::Draw`] changes.
pub(crate) fn drawn(number: u64) -> [Cell; 3] {
    [0, 17, 40].map(|step| Cell::new(((number + step) % 34) as i32, (number % 2) as i32, 1))
}

/// Returns the first material of an object's voxel.
pub(crate) fn pattern(number: u64, at: Vector3<u32>) -> Material {
    Material(((u64::from(at.x * 7 + at.y * 3 + at.z) + number) % 5) as u16)
}

pub(crate) fn origin(number: u64) -> Position {
    let cell = Cell::new((number % 90) as i32, 40, -(number as i32));
    Position::new(cell, Vector3::new(0.25, 0.5, 0.75))
}

pub(crate) fn way(number: u64) -> Vector3<f32> {
    Vector3::new(1.5, (number % 7) as f32 * 0.25, -0.5)
}

pub(crate) fn situation(world: &World) -> Situation {
    let history = world.history();
    Situation {
        objects: world.objects().count(),
        undo: [0, 1].map(|who| history.next_undo(Author(who)).is_some()),
        redo: [0, 1].map(|who| history.next_redo(Author(who)).is_some()),
    }
}

/// Does act `number` in the world.
pub(crate) fn apply(world: &mut World, number: u64) {
    let mut objects: Vec<_> = world
        .objects()
        .map(|(id, object)| (object.key(), id))
        .collect();
    objects.sort_unstable();
    let author = Author(who(number));
    match act(number, &situation(world)) {
        Act::Ball => write_ball(world, author, number),
        Act::Add => drop(
            world
                .add_object_as(author, origin(number), 0.5, EXTENT, |at| {
                    pattern(number, at)
                })
                .unwrap(),
        ),
        Act::Draw(which) => drop(world.transact(author, |writer| {
            writer.set(drawn_cell(number), material(number));
            for voxel in drawn(number) {
                writer.set_in_object(objects[which].1, voxel, material(number));
            }
        })),
        Act::Move(which) => assert!(world.move_object(objects[which].1, way(number))),
        Act::Remove(which) => drop(world.remove_object_as(author, objects[which].1)),
        Act::Undo => drop(world.undo(author).unwrap()),
        Act::Redo => drop(world.redo(author).unwrap()),
    }
}

fn write_ball(world: &mut World, author: Author, number: u64) {
    let Ball { cell, radius } = ball(number);
    let middle = Position::new(cell, Vector3::repeat(0.5));
    let brush = Brush::sphere(middle, radius as f32);
    let chunks = brush.chunks().unwrap();
    world.transact(author, |writer| {
        for z in chunks.min.z..=chunks.max.z {
            for y in chunks.min.y..=chunks.max.y {
                for x in chunks.min.x..=chunks.max.x {
                    let chunk = Cell::new(x, y, z);
                    brush.visit_chunk(chunk, |row, mask| {
                        writer.fill_chunk_row(chunk, row, mask, material(number));
                    });
                }
            }
        }
    });
}
