//! Procedural detail textures: each covers four metres and repeats without a seam. Grey 0.5 leaves
//! a material's colour unchanged; alpha is the coverage of a material with holes, or the grass that
//! hangs over a side.

/// Texels along a texture.
pub(crate) const SIDE: usize = 128;
/// Texels per metre.
pub(crate) const PER_METRE: usize = 32;
/// Number of mip levels, down to one texel.
pub(crate) const LEVELS: u32 = 8;

/// The number of a texture's layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
#[allow(missing_docs)]
pub(crate) enum Detail {
    Speckle,
    Grass,
    GrassSide,
    Dirt,
    Stone,
    Sand,
    Snow,
    Bark,
    Rings,
    Leaves,
    Ladder,
    Planks,
    Bricks,
    Gravel,
    Layers,
    Columns,
    Metal,
    Pane,
    Ice,
    Lava,
    Lamp,
}

impl Detail {
    pub(crate) const ALL: [Self; 21] = [
        Self::Speckle,
        Self::Grass,
        Self::GrassSide,
        Self::Dirt,
        Self::Stone,
        Self::Sand,
        Self::Snow,
        Self::Bark,
        Self::Rings,
        Self::Leaves,
        Self::Ladder,
        Self::Planks,
        Self::Bricks,
        Self::Gravel,
        Self::Layers,
        Self::Columns,
        Self::Metal,
        Self::Pane,
        Self::Ice,
        Self::Lava,
        Self::Lamp,
    ];
}

/// A texel: brightness about 1, a tint and an alpha.
#[derive(Clone, Copy)]
struct Texel {
    bright: f32,
    tint: [f32; 3],
    alpha: f32,
}

fn grey(bright: f32) -> Texel {
    Texel {
        bright,
        tint: [1.0; 3],
        alpha: 1.0,
    }
}

impl Texel {
    fn tinted(self, tint: [f32; 3]) -> Self {
        Self { tint, ..self }
    }

    fn holed(self, alpha: f32) -> Self {
        Self { alpha, ..self }
    }

    fn bytes(self) -> [u8; 4] {
        let channel = |tint: f32| (self.bright * tint * 0.5 * 255.0 + 0.5).clamp(0.0, 255.0) as u8;
        let [r, g, b] = self.tint.map(channel);
        [r, g, b, (self.alpha * 255.0 + 0.5).clamp(0.0, 255.0) as u8]
    }
}

/// Returns one texel of a texture, its largest level.
pub(crate) fn texel_bytes(detail: Detail, x: usize, y: usize) -> [u8; 4] {
    texel(detail, x, y).bytes()
}

/// Returns the bytes of one texture with all its mip levels, largest first.
pub(crate) fn texture(detail: Detail) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(SIDE * SIDE * 4 * 4 / 3 + 4);
    for y in 0..SIDE {
        for x in 0..SIDE {
            bytes.extend_from_slice(&texel(detail, x, y).bytes());
        }
    }
    let (mut start, mut side) = (0, SIDE);
    while side > 1 {
        let next = bytes.len();
        for y in 0..side / 2 {
            for x in 0..side / 2 {
                let at = |dx: usize, dy: usize| start + ((y * 2 + dy) * side + x * 2 + dx) * 4;
                for channel in 0..4 {
                    let sum: u32 = [at(0, 0), at(1, 0), at(0, 1), at(1, 1)]
                        .iter()
                        .map(|&texel| u32::from(bytes[texel + channel]))
                        .sum();
                    bytes.push(((sum + 2) / 4) as u8);
                }
            }
        }
        (start, side) = (next, side / 2);
    }
    bytes
}

/// Computes a texel. Rows count from the top: `y` grows downwards on the sides of a voxel.
fn texel(detail: Detail, x: usize, y: usize) -> Texel {
    let salt = detail as u32;
    // In blocks of two by two texels: coarse enough to look like voxel art, fine enough for four
    // metres.
    let block = |size: usize| hash(x / size, y / size, salt);
    let fine = block(2) - 0.5;
    let (cx, cy) = (x / 2, y / 2);
    let soft = |period: usize, seed: u32| noise(cx, cy, SIDE / 2, period, salt * 7 + seed) - 0.5;
    match detail {
        Detail::Speckle => grey(1.0 + fine * 0.16 + soft(8, 1) * 0.14),
        Detail::Grass => {
            let tuft = hash(cx, cy, 3);
            let blade = if tuft > 0.82 {
                0.17
            } else if tuft < 0.16 {
                -0.17
            } else {
                0.0
            };
            let dry = (soft(16, 2) + soft(8, 9) * 0.5).max(0.0);
            grey(1.0 + fine * 0.12 + blade + soft(8, 1) * 0.2).tinted([
                1.0 + dry * 0.35,
                1.0 + dry * 0.08,
                1.0 - dry * 0.2,
            ])
        }
        Detail::GrassSide => grass_side(x, y, fine, soft(8, 1)),
        Detail::Dirt => {
            let pebble = hash(cx, cy, 5);
            let spot = if pebble > 0.93 {
                0.28
            } else if pebble < 0.10 {
                -0.22
            } else {
                0.0
            };
            grey(1.0 + fine * 0.16 + spot + soft(8, 1) * 0.22)
        }
        Detail::Stone => stone(cx, cy, fine, soft(16, 1) + soft(8, 2) * 0.6),
        Detail::Sand => grey(1.0 + fine * 0.09 + ripples(cx, cy, 12.0, 0.05) + soft(16, 1) * 0.08),
        Detail::Snow => {
            let sparkle = if hash(x, y, 11) > 0.992 { 0.1 } else { 0.0 };
            grey(1.0 + fine * 0.03 + soft(16, 1) * 0.07 + sparkle).tinted([0.985, 0.995, 1.01])
        }
        Detail::Bark => {
            let groove = noise(cx * 4, cy / 2, SIDE * 2, 8, 21);
            grey(0.78 + groove * 0.44 + fine * 0.12)
        }
        Detail::Rings => rings(x, y, fine),
        Detail::Leaves => {
            let clump = noise(cx, cy, SIDE / 2, 8, 31);
            let leaf = hash(cx, cy, 33);
            let gap = leaf < 0.2 + 0.14 * clump;
            let bright = if gap {
                0.66 + leaf * 0.4
            } else {
                0.86 + leaf * 0.26 + clump * 0.14
            };
            let yellow = if leaf > 0.9 { 0.25 } else { clump * 0.12 };
            grey(bright).holed(f32::from(u8::from(!gap))).tinted([
                1.0 + yellow,
                1.0 + yellow * 0.3,
                0.88,
            ])
        }
        Detail::Ladder => ladder(x % PER_METRE, y % PER_METRE, fine),
        Detail::Planks => planks(x, y, fine),
        Detail::Bricks => bricks(x, y, fine),
        Detail::Gravel => cobbles(cx, cy, fine, 5),
        Detail::Layers => {
            let wobble = (noise(cx, 0, SIDE / 2, 16, 41) * 2.0) as usize;
            let band = hash(0, (cy + wobble) / 3 % (SIDE / 6), 43) - 0.5;
            grey(1.0 + band * 0.26 + fine * 0.10)
        }
        Detail::Columns => {
            let seam = if cx % 8 == 0 { -0.28 } else { 0.0 };
            let lift = hash(cx / 8, 0, 51) - 0.5;
            grey(1.0 + seam + lift * 0.22 + fine * 0.12 + soft(16, 2) * 0.14)
        }
        Detail::Metal => {
            let (mx, my) = (x % PER_METRE, y % PER_METRE);
            let edge = mx == 0 || my == 0 || mx == PER_METRE - 1 || my == PER_METRE - 1;
            let brushed = hash(x / 8, y, 61) - 0.5;
            grey(if edge { 0.74 } else { 1.0 + brushed * 0.10 })
        }
        Detail::Pane => {
            let (mx, my) = (x % PER_METRE, y % PER_METRE);
            let gleam = if (mx + my) % PER_METRE < 3 { 1.12 } else { 1.0 };
            grey(gleam)
        }
        Detail::Ice => {
            let crack = (noise(cx, cy, SIDE / 2, 8, 71) - 0.5).abs();
            grey(if crack < 0.025 {
                1.2
            } else {
                1.0 + soft(16, 3) * 0.2
            })
        }
        Detail::Lava => {
            let crust = noise(cx, cy, SIDE / 2, 8, 81) * 0.6 + noise(cx, cy, SIDE / 2, 4, 82) * 0.4;
            let heat = ((crust - 0.38) * 4.0).clamp(0.0, 1.0);
            grey(0.25 + heat * 1.3).tinted([1.0, 0.55 + heat * 0.7, 0.4 + heat * 0.6])
        }
        Detail::Lamp => {
            let (mx, my) = (x % PER_METRE, y % PER_METRE);
            let from_edge = mx.min(my).min(PER_METRE - 1 - mx).min(PER_METRE - 1 - my);
            grey(if from_edge < 3 {
                0.42
            } else {
                1.05 + (from_edge as f32 / 16.0) * 0.5
            })
        }
    }
}

/// Earth with an uneven fringe of grass at the top of each metre.
fn grass_side(x: usize, y: usize, fine: f32, soft: f32) -> Texel {
    let from_top = y % PER_METRE / 2;
    let fringe = 2 + (hash(x / 2, 0, 13) * 3.6) as usize;
    if from_top < fringe {
        let edge = if from_top + 1 == fringe { -0.18 } else { 0.0 };
        return grey(0.97 + fine * 0.2 + edge).holed(1.0);
    }
    let shade = if from_top == fringe { -0.25 } else { 0.0 };
    let pebble = if hash(x / 2, y / 2, 5) > 0.93 {
        0.25
    } else {
        0.0
    };
    grey(1.0 + fine * 0.18 + soft * 0.2 + shade + pebble).holed(0.0)
}

fn stone(cx: usize, cy: usize, fine: f32, soft: f32) -> Texel {
    let crack = (noise(cx, cy, SIDE / 2, 8, 17) - 0.5).abs()
        + (noise(cx, cy, SIDE / 2, 4, 18) - 0.5).abs() * 0.25;
    let line = if crack < 0.03 { -0.2 } else { 0.0 };
    let warm = soft * 0.10;
    grey(1.0 + fine * 0.12 + soft * 0.24 + line).tinted([1.0 + warm, 1.0, 1.0 - warm])
}

fn ripples(cx: usize, cy: usize, waves: f32, strength: f32) -> f32 {
    let turn = std::f32::consts::TAU / (SIDE / 2) as f32;
    let bend = (cx as f32 * turn * 2.0).sin() * 1.2;
    (cy as f32 * turn * waves + bend).sin() * strength
}

fn rings(x: usize, y: usize, fine: f32) -> Texel {
    let middle = PER_METRE as f32 / 2.0;
    let from = |at: usize| (at % PER_METRE) as f32 + 0.5 - middle;
    let distance = from(x).abs().max(from(y).abs());
    if distance > middle - 3.0 {
        return grey(0.72 + fine * 0.12);
    }
    let ring = if (distance as usize / 2).is_multiple_of(2) {
        0.12
    } else {
        -0.06
    };
    grey(1.55 + ring + fine * 0.08).tinted([1.06, 1.0, 0.86])
}

fn ladder(mx: usize, my: usize, fine: f32) -> Texel {
    let rail = (4..8).contains(&mx) || (24..28).contains(&mx);
    let rung = my % 8 < 3 && (4..28).contains(&mx);
    let solid = rail || rung;
    grey(if rail { 0.9 } else { 1.1 } + fine * 0.16).holed(if solid { 1.0 } else { 0.0 })
}

fn planks(x: usize, y: usize, fine: f32) -> Texel {
    let board = y / 8;
    let shift = (hash(board, 0, 23) * 4.0) as usize * 16;
    let along = (x + shift) % SIDE;
    let seam = y.is_multiple_of(8) || along.is_multiple_of(64);
    let tone = hash(board, along / 64, 25) - 0.5;
    let grain = noise(x, y * 4, SIDE * 4, 16, 27) - 0.5;
    grey(if seam {
        0.62
    } else {
        1.0 + tone * 0.22 + grain * 0.16 + fine * 0.06
    })
}

fn bricks(x: usize, y: usize, fine: f32) -> Texel {
    let row = y / 8;
    let along = (x + (row % 2) * 8) % SIDE;
    if y.is_multiple_of(8) || along.is_multiple_of(16) {
        return grey(1.18 + fine * 0.1).tinted([0.92, 1.12, 1.16]);
    }
    let tone = hash(row, along / 16, 29) - 0.5;
    grey(0.98 + tone * 0.3 + fine * 0.14)
}

/// Rounded stones: the nearest of jittered points.
fn cobbles(cx: usize, cy: usize, fine: f32, cell: usize) -> Texel {
    let side = SIDE / 2;
    let cells = side / cell + usize::from(!side.is_multiple_of(cell));
    let size = side as f32 / cells as f32;
    let (px, py) = (cx as f32 / size, cy as f32 / size);
    let (mut first, mut second, mut owner) = (f32::MAX, f32::MAX, 0.0);
    for dy in 0..3 {
        for dx in 0..3 {
            let (gx, gy) = (px as usize + dx + cells - 1, py as usize + dy + cells - 1);
            let (wx, wy) = (gx % cells, gy % cells);
            let point = |g: usize, seed| (g as f32 - cells as f32) + hash(wx, wy, seed);
            let distance = (point(gx, 91) - px).hypot(point(gy, 92) - py);
            if distance < first {
                (second, first, owner) = (first, distance, hash(wx, wy, 93));
            } else {
                second = second.min(distance);
            }
        }
    }
    let gap = if second - first < 0.12 { -0.35 } else { 0.0 };
    grey(1.0 + (owner - 0.5) * 0.36 + gap + fine * 0.1)
}

/// Returns 0 to 1 for a cell of a lattice.
fn hash(x: usize, y: usize, salt: u32) -> f32 {
    let mut h = (x as u32).wrapping_mul(0x8da6_b343)
        ^ (y as u32).wrapping_mul(0xd816_3841)
        ^ salt.wrapping_mul(0xcb1a_b31f);
    h ^= h >> 15;
    h = h.wrapping_mul(0x2c1b_3c6d);
    h ^= h >> 12;
    h = h.wrapping_mul(0x297a_2d39);
    h ^= h >> 15;
    (h & 0xffff) as f32 / 65535.0
}

/// Smooth noise with a lattice point every `period` texels, repeating after `side`.
fn noise(x: usize, y: usize, side: usize, period: usize, salt: u32) -> f32 {
    let cells = (side / period).max(1);
    let smooth = |t: f32| t * t * (3.0 - 2.0 * t);
    let (tx, ty) = (
        (x % period) as f32 / period as f32,
        (y % period) as f32 / period as f32,
    );
    let at =
        |dx: usize, dy: usize| hash((x / period + dx) % cells, (y / period + dy) % cells, salt);
    let mix = |a: f32, b: f32, t: f32| a + (b - a) * smooth(t);
    mix(mix(at(0, 0), at(1, 0), tx), mix(at(0, 1), at(1, 1), tx), ty)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layers_are_numbered_in_order_and_keep_the_colour_on_average() {
        for (layer, detail) in Detail::ALL.into_iter().enumerate() {
            assert_eq!(detail as usize, layer);
            let bytes = texture(detail);
            let levels: usize = (0..LEVELS).map(|level| (SIDE >> level).pow(2) * 4).sum();
            assert_eq!(bytes.len(), levels);
            let green = bytes[bytes.len() - 3];
            assert!(
                (70..210).contains(&green),
                "{detail:?} is {green} on average"
            );
        }
    }
}
