//! The tiles that each tile of a circle hides, computed once for each radius.

use super::planes::Above;

/// The test for obstacles between a unit and a tile. None of the three sees through a closed wall,
/// even a diagonal one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum LineTest {
    /// By direction: an obstacle hides the tiles that are farther away and in nearly its direction
    /// (the dot product of the two unit vectors is above 0.9).
    ///
    /// Alone, this test would look between two obstacles at adjacent sides of the unit, which are
    /// farther apart than that. So a unit sees only tiles that a path of adjacent free tiles within
    /// its circle reaches.
    Directions,
    /// By stepping from the unit to the tile, one axis at a time: no tile on the way is an
    /// obstacle. Sight need not be mutual.
    #[default]
    Stepping,
    /// Exactly: the line between the two middles neither crosses nor touches the square of an
    /// obstacle. Sight between two units of one height is mutual.
    Exact,
}

impl LineTest {
    /// Returns whether an obstacle at `obstacle` hides `target`, both relative to the eye.
    pub(super) fn hides(self, obstacle: [i32; 2], target: [i32; 2]) -> bool {
        if obstacle == [0, 0] || obstacle == target {
            return false;
        }
        match self {
            Self::Directions => hides_by_direction(obstacle, target),
            Self::Stepping => hides_by_stepping(obstacle, target),
            Self::Exact => hides_exactly(obstacle, target),
        }
    }
}

fn dot(a: [i32; 2], b: [i32; 2]) -> i32 {
    a[0] * b[0] + a[1] * b[1]
}

fn cross(a: [i32; 2], b: [i32; 2]) -> i32 {
    a[0] * b[1] - a[1] * b[0]
}

/// Nearer, and `o . t > 0.9 |o| |t|`. Equality is impossible: the sine would be irrational.
fn hides_by_direction(obstacle: [i32; 2], target: [i32; 2]) -> bool {
    let (along, far) = (dot(obstacle, target), dot(target, target));
    let near = dot(obstacle, obstacle);
    along > 0 && near < far && 100 * along * along > 81 * near * far
}

/// Tests for a tile on the way: after `a` steps along the longer axis it holds the tiles from
/// `ceil(a s)` to `ceil((a + 1) s)` along the shorter, where `s` is the slope. A step aside is due
/// while fewer than `(a + 1) s` were made. Of equal axes, x is the shorter.
fn hides_by_stepping(obstacle: [i32; 2], target: [i32; 2]) -> bool {
    let long = usize::from(target[1].abs() >= target[0].abs());
    let (length, side) = (target[long].abs(), target[1 - long].abs());
    let step = obstacle[long] * target[long].signum();
    let sign = if target[1 - long] < 0 { -1 } else { 1 };
    let aside = obstacle[1 - long] * sign;
    let due = |steps: i32| (steps * side + length - 1) / length;
    (0..length).contains(&step) && (due(step)..=due(step + 1)).contains(&aside)
}

/// Tests that the square's corners lie on both sides of the line or on it, and the square between
/// the ends.
fn hides_exactly(obstacle: [i32; 2], target: [i32; 2]) -> bool {
    let between = (0..2).all(|axis| {
        let (low, high) = (target[axis].min(0), target[axis].max(0));
        (low..=high).contains(&obstacle[axis])
    });
    between && 2 * cross(obstacle, target).abs() <= target[0].abs() + target[1].abs()
}

/// The tiles hidden by one tile of the circle: words of a bitmap from `first` on.
#[derive(Clone, Copy, Debug, Default)]
struct Shadow {
    first: u32,
    count: u32,
    /// Start of the words among those of all shadows.
    start: u32,
}

/// The circle of one radius as a bitmap, row after row without gaps, and the shadow of each of its
/// tiles.
pub(super) struct SightTable {
    radius: i32,
    /// Words of a bitmap.
    words: usize,
    /// True if a visible tile must be reached as well.
    reached_only: bool,
    circle: Vec<u64>,
    /// By row: the tiles of the circle that hide others.
    casters: Vec<u64>,
    /// By row: those of them that hide nothing beyond the tiles hidden by their two neighbours
    /// toward the middle.
    covered: Vec<u64>,
    /// By bit.
    shadows: Vec<Shadow>,
    shadow_words: Vec<u64>,
}

impl SightTable {
    pub(super) fn new(radius: i32, line_test: LineTest) -> Self {
        let side = 2 * radius + 1;
        let words = words_of(radius);
        let tiles: Vec<[i32; 2]> = (-radius..=radius)
            .flat_map(|z| (-radius..=radius).map(move |x| [x, z]))
            .filter(|&tile| dot(tile, tile) <= radius * radius)
            .collect();
        let bit_of = |[x, z]: [i32; 2]| ((z + radius) * side + x + radius) as usize;
        let shadow_of = |tile: [i32; 2]| {
            let mut shadow = vec![0_u64; words];
            for &target in &tiles {
                if line_test.hides(tile, target) {
                    set(&mut shadow, bit_of(target));
                }
            }
            shadow
        };
        let mut table = Self {
            radius,
            words,
            reached_only: line_test == LineTest::Directions,
            circle: vec![0; words],
            casters: vec![0; side as usize],
            covered: vec![0; side as usize],
            shadows: vec![Shadow::default(); words * 64],
            shadow_words: Vec::new(),
        };
        for &tile in &tiles {
            set(&mut table.circle, bit_of(tile));
            let shadow = shadow_of(tile);
            let (row, bit) = ((tile[1] + radius) as usize, tile[0] + radius);
            table.casters[row] |= u64::from(shadow.iter().any(|&word| word != 0)) << bit;
            table.shadows[bit_of(tile)] = table.keep(&shadow);
        }
        for &tile in &tiles {
            let (row, bit) = ((tile[1] + radius) as usize, tile[0] + radius);
            table.covered[row] |= u64::from(table.is_covered(tile, bit_of)) << bit;
        }
        table
    }

    /// Stores a shadow; for a large circle, without the empty words at its ends.
    fn keep(&mut self, shadow: &[u64]) -> Shadow {
        let start = self.shadow_words.len() as u32;
        if self.words <= MOST_WORDS_OF_SMALL {
            self.shadow_words.extend(shadow);
            return Shadow {
                first: 0,
                count: shadow.len() as u32,
                start,
            };
        }
        let Some(first) = shadow.iter().position(|&word| word != 0) else {
            return Shadow::default();
        };
        let last = shadow.iter().rposition(|&word| word != 0).unwrap_or(first);
        self.shadow_words.extend(&shadow[first..=last]);
        Shadow {
            first: first as u32,
            count: (last - first) as u32 + 1,
            start,
        }
    }

    /// Returns whether the neighbours toward the middle along x and z (on an axis there is one)
    /// together hide all that a tile hides.
    fn is_covered(&self, tile: [i32; 2], bit_of: impl Fn([i32; 2]) -> usize) -> bool {
        let [x, z] = tile;
        let neighbours = [[x - x.signum(), z], [x, z - z.signum()]];
        if neighbours.contains(&[0, 0]) {
            return false;
        }
        let hidden = |tile: [i32; 2], word: u32| {
            let shadow = &self.shadows[bit_of(tile)];
            let place = word.wrapping_sub(shadow.first);
            if place < shadow.count {
                self.shadow_words[(shadow.start + place) as usize]
            } else {
                0
            }
        };
        let by_neighbours = |word| {
            let others = neighbours.iter().filter(|&&other| other != tile);
            others.fold(0, |bits, &other| bits | hidden(other, word))
        };
        (0..self.words as u32).all(|word| hidden(tile, word) & !by_neighbours(word) == 0)
    }

    /// Writes into `picture` the tiles seen from the middle of `tile`.
    pub(super) fn look(&self, tile: [i32; 2], above: &Above<'_>, picture: &mut [u64]) {
        // Small radii, up to the usual 8, get code of their own for their few words.
        match self.words {
            1 => self.look_in::<1>(tile, above, picture),
            2 => self.look_in::<2>(tile, above, picture),
            3 => self.look_in::<3>(tile, above, picture),
            4 => self.look_in::<4>(tile, above, picture),
            5 => self.look_in::<5>(tile, above, picture),
            _ => self.look_in::<{ MOST_WORDS }>(tile, above, picture),
        }
    }

    fn look_in<const W: usize>(&self, [x, z]: [i32; 2], above: &Above<'_>, picture: &mut [u64]) {
        let words = self.words.min(W);
        let (radius, side) = (self.radius, 2 * self.radius + 1);
        let (low_x, low_z) = (x - radius, z - radius);
        let read = |row: i32| above.rows.read(above.bits, low_x, low_z + row, side as u32);
        // Tiles off the map, obstacles and their shadows.
        let mut hidden = [0_u64; W];
        let middle = read(radius);
        let own = 1 << radius;
        self.hide_row(&mut hidden, radius, middle & !own, u64::MAX);
        for way in [-1, 1] {
            let mut nearer = middle;
            for step in 1..=radius {
                let row = radius + way * step;
                let bits = read(row);
                self.hide_row(&mut hidden, row, bits, nearer);
                nearer = bits;
            }
        }
        for (word, picture) in picture[..words].iter_mut().enumerate() {
            *picture = self.circle[word] & !hidden[word];
        }
        let [far_x, far_z] = [x + radius, z + radius];
        if low_x < 0 || low_z < 0 || far_x >= above.rows.width || far_z >= above.rows.height {
            let inside = |row| inside_row(above, low_x, low_z + row, side);
            self.keep_rows(picture, inside);
        }
        if self.reached_only {
            let mut free = [0; MOST_ROWS];
            for (row, free) in (0..side).zip(&mut free) {
                let inside = inside_row(above, low_x, low_z + row, side);
                *free = row_of(&self.circle, radius, row) & inside & !read(row);
            }
            free[radius as usize] |= own;
            let reached = reach(&free, radius as usize, own);
            self.keep_rows(picture, |row| reached[row as usize]);
        }
    }

    /// Keeps of each row of a picture the tiles that `kept` marks.
    fn keep_rows(&self, picture: &mut [u64], kept: impl Fn(i32) -> u64) {
        let side = 2 * self.radius + 1;
        let mut left = [0; MOST_WORDS];
        for row in 0..side {
            let bits = row_of(picture, self.radius, row) & kept(row);
            put(&mut left, (row * side) as usize, bits);
        }
        picture.copy_from_slice(&left[..picture.len()]);
    }

    /// Hides the obstacles of a row and their shadows. Obstacles on the row `nearer` to the middle,
    /// together with those on their own row, may cover them.
    #[inline]
    fn hide_row<const W: usize>(
        &self,
        hidden: &mut [u64; W],
        row: i32,
        obstacles: u64,
        nearer: u64,
    ) {
        let radius = self.radius;
        put(hidden, (row * (2 * radius + 1)) as usize, obstacles);
        let right = u64::MAX << (radius + 1);
        let left = (1 << radius) - 1;
        let beside = (obstacles << 1 & right) | (obstacles >> 1 & left) | 1 << radius;
        let covered = self.covered[row as usize] & beside & nearer;
        let mut casters = obstacles & self.casters[row as usize] & !covered;
        while casters != 0 {
            let bit = (row * (2 * radius + 1)) as usize + casters.trailing_zeros() as usize;
            casters &= casters - 1;
            let shadow = &self.shadows[bit];
            if W <= MOST_WORDS_OF_SMALL {
                let words = &self.shadow_words[shadow.start as usize..][..W];
                for (hidden, shadow) in hidden.iter_mut().zip(words) {
                    *hidden |= shadow;
                }
                continue;
            }
            let (first, count) = (shadow.first as usize, shadow.count as usize);
            let words = &self.shadow_words[shadow.start as usize..][..count];
            for (hidden, shadow) in hidden[first..first + count].iter_mut().zip(words) {
                *hidden |= shadow;
            }
        }
    }
}

/// Most words of a picture with code of its own.
const MOST_WORDS_OF_SMALL: usize = 5;
/// Rows of a picture of the largest radius.
const MOST_ROWS: usize = 2 * super::MOST_RADIUS as usize + 1;
/// Words of a picture of the largest radius.
const MOST_WORDS: usize = words_of(super::MOST_RADIUS as i32);

/// Words of a picture of some radius.
pub(super) const fn words_of(radius: i32) -> usize {
    let side = 2 * radius as usize + 1;
    (side * side).div_ceil(64)
}

fn set(words: &mut [u64], bit: usize) {
    words[bit / 64] |= 1 << (bit % 64);
}

#[inline]
fn put(words: &mut [u64], bit: usize, bits: u64) {
    let pair = u128::from(bits) << (bit % 64);
    words[bit / 64] |= pair as u64;
    let carried = (pair >> 64) as u64;
    if carried != 0 {
        words[bit / 64 + 1] |= carried;
    }
}

/// Returns the tiles of a row on the map.
fn inside_row(above: &Above<'_>, x: i32, z: i32, side: i32) -> u64 {
    if z < 0 || z >= above.rows.height {
        return 0;
    }
    let (first, last) = (-x.min(0), (above.rows.width - x).min(side));
    let upto = |count: i32| (1_u64 << count.max(0)) - 1;
    upto(last) & !upto(first)
}

/// Returns the free tiles that paths of adjacent free tiles reach from `start` on a row.
fn reach(free: &[u64; MOST_ROWS], row: usize, start: u64) -> [u64; MOST_ROWS] {
    let mut reached = [0; MOST_ROWS];
    reached[row] = start;
    loop {
        let before = reached;
        for row in 0..MOST_ROWS - 1 {
            reached[row + 1] = fill_runs(free[row + 1], reached[row + 1] | reached[row]);
        }
        for row in (0..MOST_ROWS - 1).rev() {
            reached[row] = fill_runs(free[row], reached[row] | reached[row + 1]);
        }
        if reached == before {
            return reached;
        }
    }
}

/// Returns the runs of free bits that hold any of the seeds.
fn fill_runs(free: u64, seeds: u64) -> u64 {
    let upward = |free: u64, seeds: u64| free & (!free.wrapping_add(seeds) | seeds);
    let seeds = free & seeds;
    let downward = upward(free.reverse_bits(), seeds.reverse_bits());
    upward(free, seeds) | downward.reverse_bits()
}

/// Returns the bits of one row of a picture.
#[inline]
fn row_of(picture: &[u64], radius: i32, row: i32) -> u64 {
    let side = 2 * radius + 1;
    let bit = (row * side) as usize;
    let high = picture.get(bit / 64 + 1).copied().unwrap_or(0);
    let pair = (u128::from(high) << 64) | u128::from(picture[bit / 64]);
    (pair >> (bit % 64)) as u64 & ((1 << side) - 1)
}

/// Calls `each` with every row of a picture that has tiles: its place from the top, and its bits.
#[inline]
pub(super) fn for_each_row(picture: &[u64], radius: i32, mut each: impl FnMut(i32, u64)) {
    for row in 0..2 * radius + 1 {
        let bits = row_of(picture, radius, row);
        if bits != 0 {
            each(row, bits);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_with_seeds_are_filled_whole() {
        let free = 0b0111_0110_0111_1001;
        assert_eq!(
            fill_runs(free, 0b0010_0000_0010_0100),
            0b0111_0000_0111_1000
        );
        assert_eq!(
            fill_runs(free, 0b0101_0000_1000_0000),
            0b0111_0000_0000_0000
        );
        assert_eq!(fill_runs(u64::MAX, 1 << 40), u64::MAX);
    }
}
