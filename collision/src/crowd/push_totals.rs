//! The pushes of each character by others in this tick, over all rounds.

use crate::crowd::columns::{BLOCK, bits};
use nalgebra::Vector3;

/// The pushes of one character.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Pushed {
    /// From where the first round found it to where the last one left it, in metres.
    pub(crate) way: Vector3<f32>,
    /// The row that pressed hardest in the round that moved it farthest.
    pub(crate) by: u32,
    farthest: f32,
}

/// The pushes of all characters.
#[derive(Clone, Default)]
pub(crate) struct Pushes {
    rows: Vec<Pushed>,
    /// A bit for each row with pushes in this tick.
    noted: Vec<u64>,
}

impl Pushes {
    /// Makes room for a number of blocks.
    pub(crate) fn prepare(&mut self, blocks: usize) {
        self.noted.resize(blocks, 0);
        self.rows.resize(blocks * BLOCK, Pushed::default());
    }

    /// Adds the displacement of a character in a round, and the one that pressed on it hardest. Of
    /// two equally long rounds the first counts, which does not depend on the order of insertion.
    pub(crate) fn note(&mut self, row: usize, way: Vector3<f32>, by: u32) {
        let (word, bit) = (&mut self.noted[row / BLOCK], 1 << (row % BLOCK));
        let pushed = &mut self.rows[row];
        if *word & bit == 0 {
            *word |= bit;
            *pushed = Pushed::default();
        }
        pushed.way += way;
        let distance = way.norm();
        if distance > pushed.farthest {
            (pushed.farthest, pushed.by) = (distance, by);
        }
    }

    /// Calls `visit` with every row that was pushed, and forgets it.
    pub(crate) fn drain(&mut self, mut visit: impl FnMut(usize, &Pushed)) {
        for (index, word) in self.noted.iter_mut().enumerate() {
            for place in bits(std::mem::take(word)) {
                let row = index * BLOCK + place;
                visit(row, &self.rows[row]);
            }
        }
    }
}
