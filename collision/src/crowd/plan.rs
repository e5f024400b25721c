//! A plan of all positions: the characters in a box are found in a few short runs of memory.
//!
//! Space is cut into columns, and a table holds the start of each column's characters in one long
//! list, in which the columns of a row follow each other. The list is made anew, by counting, for
//! each tick in which many characters move: that costs less than a query to the
//! [grid](crate::PagedGrid) for each of them. The table is as large as the crowd, whatever space
//! that is spread over, and repeats: characters in columns that share an entry are told apart by
//! their positions. Unlike the [hashes](crate::spatial_hash) it needs no bounds, holds points, and
//! wraps as space does.

use crate::box_lookup::{Bounds, SPOT_BITS, SPOTS, Spot, UNIT_BITS, units};
use crate::crowd::columns::{Stood, bits};
use crate::position::Position;
use nalgebra::Vector3;

/// Columns are `2^COLUMN_BITS` metres wide, by axis. Wider: more characters are tested; narrower:
/// more runs.
const COLUMN_BITS: [u32; 3] = [1, 6, 1];

/// Columns along a side of the smallest table, as a power of two, and of the largest. Between them
/// a table has about one entry for each character.
const SIDE_BITS: [u32; 2] = [4, 11];

/// Storeys that lie beside each other in a row of the table, as a power of two: each is shifted by
/// a part of it.
const STOREY_BITS: u32 = 2;

/// Bits of the result for a run.
const RUN_BITS: usize = SPOTS * SPOT_BITS;

/// Runs tested before the characters in them are visited.
const RUNS: usize = u64::BITS as usize / RUN_BITS;

/// Runs tested for characters in the box.
#[derive(Default)]
struct Seen {
    runs: usize,
    /// Start of each run in the list.
    first: [u32; RUNS],
    /// The characters of each run inside the box: [`RUN_BITS`] for a run.
    held: u64,
}

impl Seen {
    #[inline]
    fn note(&mut self, first: usize, held: u32) {
        self.first[self.runs % RUNS] = first as u32;
        self.held |= u64::from(held) << (self.runs % RUNS * RUN_BITS);
        self.runs += 1;
    }
}

/// The run beyond the end of the list.
const NO_SPOTS: [Spot; SPOTS] = [Spot::EMPTY; SPOTS];

/// The plan. Empty until it is [made](Self::make).
#[derive(Clone, Default)]
pub(crate) struct Plan {
    /// Columns along a side of the table, as a power of two.
    side_bits: u32,
    /// Start of each column in the list, and at its end the end of the last column.
    begins: Vec<u32>,
    /// The list. It is a little longer than the number of characters, so that [`SPOTS`] can be read
    /// anywhere.
    spots: Vec<Spot>,
    /// The entry of each row in the table, and its spot.
    rows: Vec<(u32, Spot)>,
}

impl Plan {
    /// Enters all rows at their places.
    pub(crate) fn make(&mut self, stood: &[Stood]) {
        let [least, most] = SIDE_BITS;
        let wanted = (usize::BITS - stood.len().leading_zeros()).div_ceil(2);
        self.side_bits = wanted.clamp(least, most);
        self.begins.clear();
        // Entry `n + 2` counts the characters of column `n`; then entry `n + 1` is the place for
        // the next of them, and so in the end their end.
        self.begins.resize((1 << (2 * self.side_bits)) + 2, 0);
        self.rows.clear();
        for (row, stood) in stood.iter().enumerate() {
            let at = units(&stood.position);
            let entry = self.entry(at.map(|unit| unit as u32));
            self.begins[entry + 2] += 1;
            self.rows.push((entry as u32, Spot::new(at, row as u32)));
        }
        let mut sum = 0;
        for begin in &mut self.begins {
            sum += *begin;
            *begin = sum;
        }
        self.spots.resize(stood.len() + SPOTS, Spot::default());
        for &(entry, spot) in &self.rows {
            let next = &mut self.begins[entry as usize + 1];
            self.spots[*next as usize] = spot;
            *next += 1;
        }
    }

    /// Calls `visit` with the row of each character whose centre was in the box of half extents
    /// `wide` about `center`, and maybe of some near it: each once, and without `but`.
    #[inline]
    pub(crate) fn visit(
        &self,
        center: &Position,
        wide: Vector3<f32>,
        but: usize,
        mut visit: impl FnMut(usize),
    ) {
        let bounds = Bounds::about(center, &wide, but as u32);
        let mut seen = Seen::default();
        self.visit_columns(bounds.least(), bounds.size(), |mut first, end| {
            // At least one run is tested even in an empty column: that avoids a branch.
            loop {
                if seen.runs == RUNS {
                    self.tell_early(&mut seen, &mut visit);
                }
                let there = (1_u32 << ((end - first).min(SPOTS) * SPOT_BITS)) - 1;
                let run = self.spots[first..].first_chunk().unwrap_or(&NO_SPOTS);
                seen.note(first, bounds.hold(run) & there);
                first += SPOTS;
                if first >= end {
                    break;
                }
            }
        });
        self.tell(&seen, visit);
    }

    /// Calls `visit` with the characters inside the box.
    #[inline]
    fn tell(&self, seen: &Seen, mut visit: impl FnMut(usize)) {
        for bit in bits(seen.held) {
            let (run, spot) = (bit / RUN_BITS, bit % RUN_BITS / SPOT_BITS);
            visit(self.spots[seen.first[run] as usize + spot].row());
        }
    }

    /// Calls `visit` before all runs were tested, to make room for more.
    #[cold]
    fn tell_early(&self, seen: &mut Seen, visit: &mut dyn FnMut(usize)) {
        self.tell(seen, visit);
        *seen = Seen::default();
    }

    /// Calls `visit` with the start and end of each part of the list that is in the columns of a
    /// box.
    #[inline]
    fn visit_columns(&self, least: [u32; 3], size: [u32; 3], mut visit: impl FnMut(usize, usize)) {
        let side = 1_u32 << self.side_bits;
        let count = |axis: usize| {
            let bits = UNIT_BITS + COLUMN_BITS[axis];
            let inside = least[axis] & ((1 << bits) - 1);
            (inside.saturating_add(size[axis]) >> bits) + 1
        };
        let columns = [count(0), count(1), count(2)];
        let mut visit_entries = |from: usize, to: usize| {
            visit(self.begins[from] as usize, self.begins[to] as usize);
        };
        // In a larger box columns of several storeys may share an entry: then a whole row is
        // tested, once.
        let apart = columns[0] <= side >> STOREY_BITS && columns[1] <= 1 << STOREY_BITS;
        for z in 0..columns[2].min(side) {
            let z = least[2].wrapping_add(z << (UNIT_BITS + COLUMN_BITS[2]));
            let edge = self.entry_of_row(z) + side as usize;
            if !apart {
                visit_entries(edge - side as usize, edge);
                continue;
            }
            for y in 0..columns[1] {
                let y = least[1].wrapping_add(y << (UNIT_BITS + COLUMN_BITS[1]));
                let from = self.entry([least[0], y, z]);
                let to = from + columns[0] as usize;
                visit_entries(from, to.min(edge));
                if to > edge {
                    visit_entries(edge - side as usize, to - side as usize);
                }
            }
        }
    }

    /// Returns the start, in the table, of the row of columns that holds a spot.
    #[inline]
    fn entry_of_row(&self, z: u32) -> usize {
        let mask = (1 << self.side_bits) - 1;
        ((z >> (UNIT_BITS + COLUMN_BITS[2]) & mask) << self.side_bits) as usize
    }

    /// Returns the entry of the column that a spot is in.
    #[inline]
    fn entry(&self, [x, y, z]: [u32; 3]) -> usize {
        let mask = (1_u32 << self.side_bits) - 1;
        let storey = (y >> (UNIT_BITS + COLUMN_BITS[1])) << (self.side_bits - STOREY_BITS);
        let place = (x >> (UNIT_BITS + COLUMN_BITS[0])).wrapping_add(storey) & mask;
        self.entry_of_row(z) + place as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::character::{Character, State};
    use crate::mover::test_terrain::Dice;
    use crate::position::Cell;

    fn stood(position: Position) -> Stood {
        Stood::new(&Character::at(position).build, &State::at(position))
    }

    /// Compares a plan of `count` characters in a box of half extents `spread` about `middle` with
    /// brute force.
    fn compare(seed: u64, count: usize, middle: Cell, spread: Vector3<f32>, reach: f32) {
        let mut dice = Dice(seed);
        let mut somewhere = || {
            let away = dice.vector().component_mul(&spread);
            Position::new(middle, away)
        };
        let all: Vec<Stood> = (0..count).map(|_| stood(somewhere())).collect();
        let mut plan = Plan::default();
        plan.make(&all);
        let mut met = 0;
        for _ in 0..100 {
            let center = somewhere();
            let wide = Vector3::new(reach, reach * 2.0, reach);
            let mut found = Vec::new();
            plan.visit(&center, wide, usize::MAX, |row| found.push(row));
            found.sort_unstable();
            let once = found.windows(2).all(|pair| pair[0] != pair[1]);
            assert!(once, "{found:?}");
            if let Some(&but) = found.get(found.len() / 2) {
                let mut others = Vec::new();
                plan.visit(&center, wide, but, |row| others.push(row));
                others.sort_unstable();
                let expected = found.iter().copied().filter(|&row| row != but);
                assert!(others.iter().copied().eq(expected), "{but}: {others:?}");
            }
            for (row, other) in all.iter().enumerate() {
                let off = other.position.since(&center).abs();
                let beyond = off.zip_map(&wide, |off, wide| off - wide).max();
                let told = found.binary_search(&row).is_ok();
                assert!(told || beyond > 0.0, "{row} at {off} of {wide}");
                assert!(!told || beyond < 0.01, "{row} at {off} of {wide}");
                met += usize::from(told);
            }
        }
        assert!(count == 0 || met > 10, "{met} met");
    }

    #[test]
    fn finds_all_in_a_box_each_once() {
        let ends = Cell::new(i32::MAX, i32::MIN, i32::MAX - 3);
        for (seed, middle) in [Cell::zeros(), Cell::new(-7, 1000, 123_456), ends]
            .into_iter()
            .enumerate()
        {
            let seed = seed as u64;
            compare(seed, 0, middle, Vector3::repeat(1.0), 1.0);
            compare(seed, 40, middle, Vector3::new(6.0, 2.0, 6.0), 1.5);
            // Many columns share an entry.
            compare(seed, 300, middle, Vector3::new(500.0, 300.0, 500.0), 100.0);
            compare(seed, 300, middle, Vector3::new(20.0, 400.0, 20.0), 20.0);
            compare(seed, 3000, middle, Vector3::new(60.0, 10.0, 60.0), 2.0);
            // All at one place.
            compare(seed, 100, middle, Vector3::repeat(0.01), 0.1);
            compare(seed, 200, middle, Vector3::repeat(30_000.0), 1.0e9);
        }
    }
}
