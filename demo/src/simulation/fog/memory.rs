//! What was ever seen of the fog of war, wherever that is: a bit for each tile, in squares, kept
//! with the world.

use std::collections::BTreeMap;

use world::World;

/// Tiles along a side of a square: the bits of a word.
const SIDE: i32 = 64;
/// The most squares that are remembered, of 512 bytes each.
const MOST_SQUARES: usize = 1 << 15;
/// What the world keeps a square under, followed by its place.
const NAME: &str = "fog ";

/// One square of tiles; bit `x` of word `z` is a tile.
#[derive(Clone, Debug)]
struct Square {
    rows: [u64; SIDE as usize],
    /// Whether the world keeps another state of it, or none.
    changed: bool,
}

/// All squares of which anything was seen.
#[derive(Clone, Debug, Default)]
pub(super) struct FogMemory {
    squares: BTreeMap<[i32; 2], Square>,
}

impl FogMemory {
    /// What a world keeps. What makes no sense there was never seen.
    pub(super) fn kept_in(world: &World) -> Self {
        let mut memory = FogMemory::default();
        for name in world.kept_names() {
            let place = name.strip_prefix(NAME).and_then(parse);
            let bytes = world.kept_bytes(name).unwrap_or_default();
            if let (Some(place), Some(rows)) = (place, rows_of(bytes)) {
                let changed = false;
                memory.squares.insert(place, Square { rows, changed });
            }
        }
        memory
    }

    /// Has the world keep every square that changed since.
    pub(super) fn keep_in(&mut self, world: &mut World) {
        for (place, square) in &mut self.squares {
            if std::mem::take(&mut square.changed) {
                let [x, z] = place;
                let bytes: Vec<u8> = square
                    .rows
                    .iter()
                    .flat_map(|row| row.to_le_bytes())
                    .collect();
                // The name is short and the bytes are few.
                let _ = world.keep_bytes(&format!("{NAME}{x} {z}"), &bytes);
            }
        }
    }

    /// Remembers all tiles of a map that were ever seen.
    pub(super) fn remember(&mut self, alpha: &[f32], origin: [i32; 2], size: [usize; 2]) {
        for (z, row) in (0..).zip(alpha.chunks(size[0].max(1))) {
            let z = i32::wrapping_add(origin[1], z);
            for (x, &alpha) in (0..).zip(row) {
                if alpha < 1.0 {
                    self.set([i32::wrapping_add(origin[0], x), z]);
                }
            }
        }
    }

    fn set(&mut self, tile: [i32; 2]) {
        let place = tile.map(|part| part.div_euclid(SIDE));
        let [x, z] = tile.map(|part| part.rem_euclid(SIDE));
        if !self.squares.contains_key(&place) && self.squares.len() >= MOST_SQUARES {
            return;
        }
        let square = self.squares.entry(place).or_insert(Square {
            rows: [0; SIDE as usize],
            changed: true,
        });
        let bit = 1 << x;
        square.changed |= square.rows[z as usize] & bit == 0;
        square.rows[z as usize] |= bit;
    }

    fn holds(&self, tile: [i32; 2]) -> bool {
        let place = tile.map(|part| part.div_euclid(SIDE));
        let [x, z] = tile.map(|part| part.rem_euclid(SIDE));
        let square = self.squares.get(&place);
        square.is_some_and(|square| square.rows[z as usize] >> x & 1 == 1)
    }

    /// The tiles of a map that were ever seen, counted from its first.
    pub(super) fn seen_in(
        &self,
        origin: [i32; 2],
        size: [usize; 2],
    ) -> impl Iterator<Item = [i32; 2]> + '_ {
        let [width, depth] = size.map(|side| side as i32);
        let tiles = (0..depth).flat_map(move |z| (0..width).map(move |x| [x, z]));
        tiles.filter(move |[x, z]| {
            self.holds([origin[0].wrapping_add(*x), origin[1].wrapping_add(*z)])
        })
    }
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

    #[test]
    fn squares_come_back_from_a_world_and_nonsense_does_not() {
        let origin = [-70, 120];
        let mut alpha = vec![1.0; 80 * 40];
        alpha[3 * 80 + 5] = 0.0;
        alpha[39 * 80 + 79] = 0.65;
        let mut memory = FogMemory::default();
        memory.remember(&alpha, origin, [80, 40]);
        let mut world = World::default();
        world.keep_bytes("fog 1 x", &[0; 512]).unwrap();
        world.keep_bytes("fog 1 1", &[0xff; 511]).unwrap();
        memory.keep_in(&mut world);
        let again = FogMemory::kept_in(&world);
        let seen: Vec<_> = again.seen_in(origin, [80, 40]).collect();
        assert_eq!(seen, [[5, 3], [79, 39]]);
        assert!(again.squares.values().all(|square| !square.changed));
    }
}
