//! The edits of the run: edit `n` follows from `n`, so that the world after any number of them is
//! known.

use std::collections::HashMap;

use collision::Cell;
use world::Material;

/// Edits a second.
pub(crate) const RATE: u64 = 1_000;
/// Radius of the circle in which the edited area moves, and half its side, in metres.
const CIRCLE: f64 = 30.0;
const HALF: u64 = 40;
/// Rows below and above the start.
const ROWS: [i32; 2] = [-8, 12];
/// Every so many edits is a box of this side.
const BOX_EVERY: u64 = 64;
const BOX: i32 = 3;

pub(crate) fn mix(mut bits: u64) -> u64 {
    for _ in 0..2 {
        bits = (bits ^ (bits >> 31)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
    bits ^ (bits >> 29)
}

/// An edit: all cells of a box get a material.
pub(crate) struct Edit {
    min: Cell,
    side: i32,
    pub(crate) material: Material,
}

impl Edit {
    pub(crate) fn cells(&self) -> impl Iterator<Item = Cell> {
        let (min, side) = (self.min, self.side);
        (0..side * side * side)
            .map(move |at| min + Cell::new(at % side, at / side % side, at / (side * side)))
    }
}

/// Returns edit `number` about the start.
pub(crate) fn edit(number: u64, start: Cell) -> Edit {
    let bits = mix(number + 1);
    let angle = number as f64 / RATE as f64 * 0.05;
    let part = |shift: u32, most: u64| ((bits >> shift & 0xffff) % most) as i32;
    let middle = [angle.cos(), angle.sin()].map(|share| (CIRCLE * share) as i32 - HALF as i32);
    let rows = (ROWS[1] - ROWS[0]) as u64;
    let min = Cell::new(
        middle[0] + part(0, 2 * HALF),
        ROWS[0] + part(16, rows),
        middle[1] + part(32, 2 * HALF),
    );
    let materials = [
        Material::AIR,
        Material::AIR,
        Material::STONE,
        Material::BRICK,
    ];
    Edit {
        min: start + min,
        side: if number.is_multiple_of(BOX_EVERY) {
            BOX
        } else {
            1
        },
        material: materials[(bits >> 60 & 3) as usize],
    }
}

/// The cells of the first `number` edits, as the last of them left them.
pub(crate) struct Model {
    pub(crate) number: u64,
    cells: HashMap<[i32; 3], Material>,
    start: Cell,
}

impl Model {
    pub(crate) fn after(number: u64, start: Cell) -> Self {
        let mut model = Model {
            number: 0,
            cells: HashMap::new(),
            start,
        };
        (0..number).for_each(|_| model.step());
        model
    }

    /// Makes the next edit.
    pub(crate) fn step(&mut self) {
        let edit = edit(self.number, self.start);
        for cell in edit.cells() {
            self.cells.insert(cell.into(), edit.material);
        }
        self.number += 1;
    }

    /// Returns the first cell that differs.
    pub(crate) fn differs(&self, material: impl Fn(Cell) -> Option<Material>) -> Option<Cell> {
        let mut cells = self.cells.iter();
        let found = cells.find(|(cell, wanted)| material(Cell::from(**cell)) != Some(**wanted));
        found.map(|(cell, _)| Cell::from(*cell))
    }
}
