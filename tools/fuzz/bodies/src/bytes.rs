//! Reads numbers from arbitrary bytes. Bytes that have run out read as zeros.

use collision::{Cell, Position};
use nalgebra::Vector3;

/// Numbers that often cause faults.
const ODD: [f32; 24] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    f32::NAN,
    f32::INFINITY,
    f32::NEG_INFINITY,
    f32::MAX,
    f32::MIN,
    f32::MIN_POSITIVE,
    1e-45,
    -1e-45,
    1e-39,
    1e-30,
    1e-7,
    1e-4,
    1e4,
    8_388_608.0,
    16_777_217.0,
    2_147_483_600.0,
    -2_147_483_600.0,
    1e18,
    -1e20,
];

/// Integers that often cause faults.
const ODD_CELLS: [i32; 8] = [
    i32::MIN,
    i32::MIN + 1,
    i32::MAX - 1,
    i32::MAX,
    0,
    -1,
    31,
    32,
];

/// Bytes, read from the front.
#[derive(Clone, Debug)]
pub struct Bytes<'a>(pub &'a [u8]);

impl<'a> Bytes<'a> {
    /// Returns whether all bytes are read.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Takes up to `count` bytes.
    pub fn take(&mut self, count: usize) -> &'a [u8] {
        let (taken, rest) = self.0.split_at(count.min(self.0.len()));
        self.0 = rest;
        taken
    }

    fn array<const N: usize>(&mut self) -> [u8; N] {
        let taken = self.take(N);
        let mut array = [0; N];
        array[..taken.len()].copy_from_slice(taken);
        array
    }

    /// Reads a byte.
    pub fn byte(&mut self) -> u8 {
        self.array::<1>()[0]
    }

    /// Reads 16 bits.
    pub fn short(&mut self) -> u16 {
        u16::from_le_bytes(self.array())
    }

    /// Reads 32 bits.
    pub fn word(&mut self) -> u32 {
        u32::from_le_bytes(self.array())
    }

    /// Reads 64 bits.
    pub fn long(&mut self) -> u64 {
        u64::from_le_bytes(self.array())
    }

    /// Reads a whole number below `limit`, at most 256 different ones.
    pub fn below(&mut self, limit: usize) -> usize {
        usize::from(self.byte()) % limit.max(1)
    }

    /// Reads one of a list.
    pub fn one_of<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }

    /// Reads a yes or no; yes once in `rarity`.
    pub fn once_in(&mut self, rarity: usize) -> bool {
        self.below(rarity) == 1
    }

    /// Reads a number of a range, in 65,536 steps.
    pub fn between(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * (f32::from(self.short()) / 65_536.0)
    }

    /// Reads a vector whose parts are in a range.
    pub fn within(&mut self, low: f32, high: f32) -> Vector3<f32> {
        Vector3::from_fn(|_, _| self.between(low, high))
    }

    /// Reads any number: half of them are harmless, within 64 of zero.
    pub fn number(&mut self) -> f32 {
        match self.byte() {
            0..128 => self.between(-64.0, 64.0),
            128..160 => f32::from_bits(self.word()),
            other => ODD[usize::from(other) % ODD.len()],
        }
    }

    /// Reads a vector of any numbers.
    pub fn numbers(&mut self) -> Vector3<f32> {
        Vector3::from_fn(|_, _| self.number())
    }

    /// Reads any whole number, half of them within 64 of zero.
    pub fn whole(&mut self) -> i32 {
        match self.byte() {
            0..128 => i32::from(self.byte()) - 64,
            128..160 => self.word() as i32,
            other => ODD_CELLS[usize::from(other) % ODD_CELLS.len()],
        }
    }

    /// Reads any cell.
    pub fn cell(&mut self) -> Cell {
        Cell::from_fn(|_, _| self.whole())
    }

    /// Reads any place, invalid ones included.
    pub fn position(&mut self) -> Position {
        Position {
            cell: self.cell(),
            offset: self.numbers(),
        }
    }

    /// Reads a place about the origin.
    pub fn place(&mut self, low: f32, high: f32) -> Position {
        Position::new(Cell::zeros(), self.within(low, high))
    }
}

/// Returns whether a place is one that the libraries may hand out.
pub fn is_sound(place: &Position) -> bool {
    place.offset.iter().all(|part| (0.0..1.0).contains(part))
}

/// Returns whether all parts are finite.
pub fn is_finite(vector: &Vector3<f32>) -> bool {
    vector.iter().all(|part| part.is_finite())
}
