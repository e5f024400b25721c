//! The memory of the fog of war, which has no bounds: a bit for each half metre, in squares, kept
//! with the world. A map of larger tiles sets all bits of a tile, and remembers the tiles of which
//! all are set.

use std::collections::BTreeMap;

use world::World;

/// Bits along a cell.
const PER_CELL: i64 = 2;
/// Bits along a side of a square: those of a word.
const SIDE: i64 = 64;
/// The most remembered squares, of 512 bytes each.
const MOST_SQUARES: usize = 1 << 15;
/// Prefix of the name under which the world keeps a square; its place follows.
const NAME: &str = "fog half ";
/// The prefix in older worlds, whose squares had a bit for each cell.
const OLD_NAME: &str = "fog ";

/// The tiles of a map.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tiles {
    /// Cell x and z of the first tile.
    pub(super) origin: [i32; 2],
    /// The number of tiles along x and z.
    pub(super) size: [usize; 2],
    /// The number of tiles along a cell: 1 or 2.
    pub(super) per_cell: u32,
}

impl Tiles {
    /// Returns the bits along a tile.
    fn bits(&self) -> i64 {
        PER_CELL / i64::from(self.per_cell)
    }

    /// Returns the first bit.
    fn first(&self) -> [i64; 2] {
        self.origin.map(|cell| i64::from(cell) * PER_CELL)
    }

    /// Returns the places of the first and the last square along an axis.
    fn squares(&self, axis: usize) -> std::ops::RangeInclusive<i32> {
        let first = self.first()[axis];
        let last = first + self.size[axis] as i64 * self.bits() - 1;
        first.div_euclid(SIDE) as i32..=last.div_euclid(SIDE) as i32
    }
}

/// One square; bit `x` of word `z` is half a metre of land.
#[derive(Clone, Debug)]
struct Square {
    rows: [u64; SIDE as usize],
    /// True if it differs from the state that the world keeps.
    changed: bool,
}

/// All squares with seen bits.
#[derive(Clone, Debug, Default)]
pub(super) struct FogMemory {
    squares: BTreeMap<[i32; 2], Square>,
    /// Names of squares of an older world that are in `squares` now.
    taken_over: Vec<String>,
}

impl FogMemory {
    /// Reads the squares that a world keeps, without the invalid ones.
    pub(super) fn kept_in(world: &World) -> Self {
        let mut memory = FogMemory::default();
        for name in world.kept_names() {
            let rows = world.kept_bytes(name).and_then(rows_of);
            let place = name.strip_prefix(NAME).and_then(parse);
            let old_place = name.strip_prefix(OLD_NAME).and_then(parse);
            match (place, old_place, rows) {
                (Some(place), _, Some(rows)) => memory.fill(place, &rows, false),
                (_, Some(place), Some(rows)) => memory.take_over(name, place, &rows),
                _ => {}
            }
        }
        memory
    }

    /// Converts a square of cells into the four squares at its place.
    fn take_over(&mut self, name: &str, place: [i32; 2], old: &[u64; SIDE as usize]) {
        for [x, z] in [[0, 0], [1, 0], [0, 1], [1, 1]] {
            let rows = std::array::from_fn(|row| twice(old[z * 32 + row / 2] >> (x * 32)));
            let [x, z] = [x, z].map(|part| part as i32);
            // Places beyond the range of cells hold no land.
            let along = |axis: usize, part| place[axis].saturating_mul(2).saturating_add(part);
            self.fill([along(0, x), along(1, z)], &rows, true);
        }
        self.taken_over.push(name.to_owned());
    }

    /// Adds the set bits to a square.
    fn fill(&mut self, place: [i32; 2], rows: &[u64; SIDE as usize], changes: bool) {
        if rows.iter().all(|&row| row == 0) || !self.has_room_for(place) {
            return;
        }
        let square = self.squares.entry(place).or_insert(Square {
            rows: [0; SIDE as usize],
            changed: changes,
        });
        for (row, more) in square.rows.iter_mut().zip(rows) {
            square.changed |= changes && more & !*row != 0;
            *row |= more;
        }
    }

    fn has_room_for(&self, place: [i32; 2]) -> bool {
        self.squares.len() < MOST_SQUARES || self.squares.contains_key(&place)
    }

    /// Stores every changed square in the world.
    pub(super) fn keep_in(&mut self, world: &mut World) {
        for (place, square) in &mut self.squares {
            if std::mem::take(&mut square.changed) {
                let [x, z] = place;
                let bytes: Vec<u8> = square
                    .rows
                    .iter()
                    .flat_map(|row| row.to_le_bytes())
                    .collect();
                // The name is short and the bytes are few, so this cannot fail.
                let _ = world.keep_bytes(&format!("{NAME}{x} {z}"), &bytes);
            }
        }
        for name in self.taken_over.drain(..) {
            world.forget_bytes(&name);
        }
    }

    /// Remembers all tiles of a map that were ever seen.
    pub(super) fn remember(&mut self, alpha: &[f32], tiles: &Tiles) {
        let [first_x, first_z] = tiles.first();
        let bits = tiles.bits();
        let [width, depth] = tiles.size.map(|side| side as i64);
        for place_z in tiles.squares(1) {
            for place_x in tiles.squares(0) {
                let (x, z) = (i64::from(place_x) * SIDE, i64::from(place_z) * SIDE);
                let rows = std::array::from_fn(|row| {
                    let tile_z = (z + row as i64 - first_z).div_euclid(bits);
                    if !(0..depth).contains(&tile_z) {
                        return 0;
                    }
                    let of_row = &alpha[(tile_z * width) as usize..][..width as usize];
                    (0..SIDE).fold(0, |word, bit| {
                        let tile = (x + bit - first_x).div_euclid(bits);
                        let alpha = usize::try_from(tile).ok().and_then(|tile| of_row.get(tile));
                        word | u64::from(alpha.is_some_and(|&alpha| alpha < 1.0)) << bit
                    })
                });
                self.fill([place_x, place_z], &rows, true);
            }
        }
    }

    /// Returns the tiles of a map that were ever seen, counted from its first.
    pub(super) fn seen_in(&self, tiles: &Tiles) -> Vec<[i32; 2]> {
        let [first_x, first_z] = tiles.first();
        let bits = tiles.bits();
        let [width, depth] = tiles.size.map(|side| side as i64);
        // Number of set bits of each tile.
        let mut counts = vec![0_u8; (width * depth) as usize];
        for place_z in tiles.squares(1) {
            for place_x in tiles.squares(0) {
                let Some(square) = self.squares.get(&[place_x, place_z]) else {
                    continue;
                };
                for (row, &word) in (0..).zip(&square.rows) {
                    let tile_z = (i64::from(place_z) * SIDE + row - first_z).div_euclid(bits);
                    let mut rest = word;
                    while rest != 0 && (0..depth).contains(&tile_z) {
                        let bit = i64::from(rest.trailing_zeros());
                        rest &= rest - 1;
                        let tile_x = (i64::from(place_x) * SIDE + bit - first_x).div_euclid(bits);
                        if (0..width).contains(&tile_x) {
                            counts[(tile_z * width + tile_x) as usize] += 1;
                        }
                    }
                }
            }
        }
        let all = (bits * bits) as u8;
        let whole = (0..).zip(counts).filter(|&(_, count)| count == all);
        whole
            .map(|(index, _): (i64, u8)| [index % width, index / width].map(|part| part as i32))
            .collect()
    }
}

/// Doubles every bit of the lower half.
fn twice(word: u64) -> u64 {
    (0..SIDE).fold(0, |bits, bit| bits | (word >> (bit / 2) & 1) << bit)
}

fn parse(place: &str) -> Option<[i32; 2]> {
    let (x, z) = place.split_once(' ')?;
    Some([x.parse().ok()?, z.parse().ok()?])
}

fn rows_of(bytes: &[u8]) -> Option<[u64; SIDE as usize]> {
    let (rows, rest) = bytes.as_chunks::<8>();
    if !rest.is_empty() {
        return None;
    }
    let rows: Vec<u64> = rows.iter().map(|row| u64::from_le_bytes(*row)).collect();
    rows.try_into().ok()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn tiles(origin: [i32; 2], size: [usize; 2], per_cell: u32) -> Tiles {
        Tiles {
            origin,
            size,
            per_cell,
        }
    }

    #[test]
    fn squares_come_back_from_a_world_and_nonsense_does_not() {
        for per_cell in [1, 2] {
            let tiles = tiles([-70, 120], [80, 40], per_cell);
            let mut alpha = vec![1.0; 80 * 40];
            alpha[3 * 80 + 5] = 0.0;
            alpha[39 * 80 + 79] = 0.65;
            let mut memory = FogMemory::default();
            memory.remember(&alpha, &tiles);
            let mut world = World::default();
            world.keep_bytes("fog half 1 x", &[0xff; 512]).unwrap();
            world.keep_bytes("fog half 1 1", &[0xff; 511]).unwrap();
            world.keep_bytes("fog 1 1", &[0xff; 511]).unwrap();
            memory.keep_in(&mut world);
            let again = FogMemory::kept_in(&world);
            assert_eq!(again.seen_in(&tiles), [[5, 3], [79, 39]]);
            assert!(again.squares.values().all(|square| !square.changed));
        }
    }

    #[test]
    fn maps_of_both_sides_remember_the_same_land() {
        let (coarse, fine) = (tiles([-3, 5], [40, 30], 1), tiles([-3, 5], [80, 60], 2));
        let mut alpha = vec![1.0; 40 * 30];
        alpha[7 * 40 + 11] = 0.0;
        let mut memory = FogMemory::default();
        memory.remember(&alpha, &coarse);
        assert_eq!(memory.seen_in(&coarse), [[11, 7]]);
        let expected = [[22, 14], [23, 14], [22, 15], [23, 15]];
        assert_eq!(memory.seen_in(&fine), expected);
        // Three quarters of a cell do not show as a seen cell, but are not lost either.
        let mut alpha = vec![1.0; 80 * 60];
        for [x, z] in [[30, 20], [31, 20], [30, 21]] {
            alpha[z * 80 + x] = 0.65;
        }
        memory.remember(&alpha, &fine);
        assert_eq!(memory.seen_in(&coarse), [[11, 7]]);
        memory.remember(&vec![1.0; 40 * 30], &coarse);
        assert_eq!(memory.seen_in(&fine).len(), 7);
    }

    #[test]
    fn squares_of_an_older_world_are_taken_over() {
        let mut world = World::default();
        let mut old = [0_u8; 512];
        // Bit 40 of row 3, and bit 0 of row 63, of the square that begins at -64, 0.
        old[3 * 8 + 5] = 1;
        old[63 * 8] = 1;
        world.keep_bytes("fog -1 0", &old).unwrap();
        let tiles = tiles([-70, -10], [100, 100], 1);
        let expected = [[46, 13], [6, 73]];
        let mut memory = FogMemory::kept_in(&world);
        assert_eq!(memory.seen_in(&tiles), expected);
        memory.keep_in(&mut world);
        assert_eq!(world.kept_bytes("fog -1 0"), None);
        assert_eq!(FogMemory::kept_in(&world).seen_in(&tiles), expected);
    }
}
