//! What stands in the way of what, for every two tiles of a circle, worked out once for each radius.

use super::planes::Above;

/// How an obstacle on the way from a unit to a tile is found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum LineTest {
    /// By direction: a nearer obstacle hides a tile when the dot products of their directions say that its
    /// middle lies within half a tile of the ray.
    Directions,
    /// By stepping tile by tile along the line. A tile may see another that does not see it.
    #[default]
    Stepping,
    /// Exactly: the line between the two middles crosses the inside of an obstacle's square. Touching a corner
    /// does not count. Two units of one height see each other or neither does.
    Exact,
}

impl LineTest {
    /// Whether an obstacle at `obstacle` hides `target`, both relative to the eye.
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

/// Nearer, in front, and off the ray by less than half a tile: `|o|^2 - (o . t)^2 / |t|^2 < 1/4`.
fn hides_by_direction(obstacle: [i32; 2], target: [i32; 2]) -> bool {
    let (along, far) = (dot(obstacle, target), dot(target, target));
    let near = dot(obstacle, obstacle);
    along > 0 && near < far && 4 * (near * far - along * along) < far
}

/// One tile for each step along the longer axis, rounded to the nearest, halves away from the axis.
fn hides_by_stepping(obstacle: [i32; 2], target: [i32; 2]) -> bool {
    let long = usize::from(target[1].abs() > target[0].abs());
    let (length, side) = (target[long].abs(), target[1 - long].abs());
    let step = obstacle[long] * target[long].signum();
    if step <= 0 || step >= length {
        return false;
    }
    let aside = (2 * step * side + length) / (2 * length);
    obstacle[1 - long] == aside * target[1 - long].signum()
}

/// The square's corners lie on both sides of the line, and the square between the ends.
fn hides_exactly(obstacle: [i32; 2], target: [i32; 2]) -> bool {
    let between = (0..2).all(|axis| {
        let (low, high) = (target[axis].min(0), target[axis].max(0));
        (low..=high).contains(&obstacle[axis])
    });
    between && 2 * cross(obstacle, target).abs() < target[0].abs() + target[1].abs()
}

/// The circle of one radius as a bitmap, row after row without gaps, and the shadow of each of its tiles.
pub(super) struct SightTable {
    radius: i32,
    /// Words of a bitmap.
    words: usize,
    circle: Vec<u64>,
    /// Tiles of the circle with any shadow in it.
    casters: Vec<u64>,
    /// Where the shadow of a tile begins, by bit.
    shadow_of: Vec<u32>,
    shadows: Vec<u64>,
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
        let mut table = Self {
            radius,
            words,
            circle: vec![0; words],
            casters: vec![0; words],
            shadow_of: vec![0; words * 64],
            shadows: Vec::new(),
        };
        for &tile in &tiles {
            let bit = bit_of(tile);
            table.circle[bit / 64] |= 1 << (bit % 64);
            let mut shadow = vec![0_u64; words];
            for &target in tiles
                .iter()
                .filter(|&&target| line_test.hides(tile, target))
            {
                let hidden = bit_of(target);
                shadow[hidden / 64] |= 1 << (hidden % 64);
            }
            if shadow.iter().any(|&word| word != 0) {
                table.casters[bit / 64] |= 1 << (bit % 64);
                table.shadow_of[bit] = table.shadows.len() as u32;
                table.shadows.extend(shadow);
            }
        }
        table
    }

    /// Writes into `picture` what is seen from the middle of `tile`.
    pub(super) fn look(&self, tile: [i32; 2], above: &Above<'_>, picture: &mut [u64]) {
        // Radii of 8 (the usual) and less get code of their own for their few words.
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
        let mut high = [0_u64; W];
        let mut inside = [0_u64; W];
        let edge = x < radius
            || z < radius
            || x + radius >= above.rows.width
            || z + radius >= above.rows.height;
        for row in 0..side {
            let bits = above
                .rows
                .read(above.bits, x - radius, z - radius + row, side as u32);
            put(&mut high[..words], (row * side) as usize, bits);
            if edge {
                let bits = inside_row(above, x - radius, z - radius + row, side);
                put(&mut inside[..words], (row * side) as usize, bits);
            }
        }
        let mut hidden = high;
        for word in 0..words {
            let mut casters = high[word] & self.casters[word];
            while casters != 0 {
                let bit = word * 64 + casters.trailing_zeros() as usize;
                casters &= casters - 1;
                let start = self.shadow_of[bit] as usize;
                let shadow = &self.shadows[start..start + words];
                for (hidden, shadow) in hidden.iter_mut().zip(shadow) {
                    *hidden |= shadow;
                }
            }
        }
        for word in 0..words {
            let within = if edge {
                self.circle[word] & inside[word]
            } else {
                self.circle[word]
            };
            picture[word] = within & !hidden[word];
        }
    }
}

/// Words of a picture of the largest radius.
const MOST_WORDS: usize = words_of(super::MOST_RADIUS as i32);

/// Words of a picture of some radius.
pub(super) const fn words_of(radius: i32) -> usize {
    let side = 2 * radius as usize + 1;
    (side * side).div_ceil(64)
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

/// Which tiles of a row lie on the map.
fn inside_row(above: &Above<'_>, x: i32, z: i32, side: i32) -> u64 {
    if z < 0 || z >= above.rows.height {
        return 0;
    }
    let (first, last) = (-x.min(0), (above.rows.width - x).min(side));
    let upto = |count: i32| (1_u64 << count.max(0)) - 1;
    upto(last) & !upto(first)
}

/// Calls `each` with every row of a picture that has tiles: its place from the top, and its bits.
#[inline]
pub(super) fn for_each_row(picture: &[u64], radius: i32, mut each: impl FnMut(i32, u64)) {
    let side = 2 * radius + 1;
    for row in 0..side {
        let bit = (row * side) as usize;
        let low = u128::from(picture[bit / 64]);
        let high = picture
            .get(bit / 64 + 1)
            .map_or(0, |&word| u128::from(word));
        let bits = (((high << 64) | low) >> (bit % 64)) as u64 & ((1 << side) - 1);
        if bits != 0 {
            each(row, bits);
        }
    }
}
