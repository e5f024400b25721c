//! Plants and boulders: oaks, birches, pines, palms, acacias, cacti and bushes.
//!
//! The ground is divided into small cells with at most one plant each. Its kind, place and height
//! depend only on the cell's hash and the ground at its root, so every chunk that it reaches into
//! draws the same plant.

use super::fields::{Fields, mix, mix_cell, octaves, share, smooth};
use super::ground::{Biome, Ground};
use super::lattice::{Lattice, MARGIN};
use crate::chunk::SIDE;
use crate::material::Material;

/// Side of a plant cell, in metres.
const CELL: i32 = 5;
/// Largest extent of a plant from its root, in metres; together with `CELL` it fits into the
/// margin.
pub(crate) const REACH: i32 = 5;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Oak,
    Birch,
    Autumn,
    Pine,
    Palm,
    Acacia,
    Cactus,
    Bush,
    Boulder,
    Dead,
}

/// A plant (or a boulder) rooted near a column.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tree {
    /// Place of the lowest voxel: relative to the column's corner, except `y`.
    x: i32,
    y: i32,
    z: i32,
    height: i32,
    kind: Kind,
    bits: u64,
}

/// Returns the plants that reach into a column, in an order that does not depend on the column.
pub(crate) fn plant(fields: &Fields, seed: u64, lattice: &Lattice) -> Vec<Tree> {
    let cell_of = |cell: i32, distance: i32| {
        (i64::from(cell) + i64::from(distance)).div_euclid(i64::from(CELL))
    };
    let range = |origin: i32| cell_of(origin, -REACH)..=cell_of(origin, SIDE as i32 - 1 + REACH);
    let mut trees = Vec::new();
    for cell_z in range(lattice.origin[1]) {
        for cell_x in range(lattice.origin[0]) {
            let bits = mix_cell(seed ^ 0x7ee5, cell_x as i32, cell_z as i32);
            let place = |cell: i64, origin: i32, share: f64| {
                (cell * i64::from(CELL) - i64::from(origin)) as i32
                    + (share * f64::from(CELL)) as i32
            };
            let x = place(cell_x, lattice.origin[0], share(bits, 0));
            let z = place(cell_z, lattice.origin[1], share(bits, 1));
            let reach = -REACH..SIDE as i32 + REACH;
            if reach.contains(&x) && reach.contains(&z) {
                trees.extend(grow(fields, lattice, x, z, mix(seed, bits)));
            }
        }
    }
    trees
}

fn grow(fields: &Fields, lattice: &Lattice, x: i32, z: i32, bits: u64) -> Option<Tree> {
    const { assert!(REACH + 3 <= MARGIN) };
    // Most cells of most landscapes are empty: cheap test first.
    if share(bits, 0) > 0.62 {
        return None;
    }
    let ground = lattice.between(x, z);
    let above = ground.height - f64::from(ground.water);
    if above < 0.7 || ground.mouths > -0.03 || ground.slope > 1.0 || ground.crag > 0.6 {
        return None;
    }
    let at = [lattice.origin[0], lattice.origin[1]].map(f64::from);
    let dense = grove(fields, at[0] + f64::from(x), at[1] + f64::from(z));
    let kind = choose(&ground, dense, above, bits)?;
    let tall = share(bits, 2);
    let height = match kind {
        Kind::Oak | Kind::Autumn => 6 + (tall * 5.0) as i32,
        Kind::Birch => 7 + (tall * 5.0) as i32,
        Kind::Pine => 9 + (tall * 11.0) as i32,
        Kind::Palm => 6 + (tall * 4.0) as i32,
        Kind::Acacia => 5 + (tall * 3.0) as i32,
        Kind::Cactus => 2 + (tall * 3.0) as i32,
        Kind::Bush => 1,
        Kind::Boulder => 1 + (tall * 2.4) as i32,
        Kind::Dead => 3 + (tall * 4.0) as i32,
    };
    Some(Tree {
        x,
        y: ground.top() + 1,
        z,
        height,
        kind,
        bits,
    })
}

/// Returns the density of trees at a place, in large patches.
fn grove(fields: &Fields, x: f64, z: f64) -> f64 {
    octaves(&fields.groves, x, z, 110.0, 2)
}

/// Chooses the kind of plant, if any; `dense` is about -1 in clearings and 1 in thickets.
fn choose(ground: &Ground, dense: f64, above: f64, bits: u64) -> Option<Kind> {
    let (luck, pick) = (share(bits, 0), share(bits, 1));
    let grows = |chance: f64| luck < chance;
    let thicket = smooth(-0.25, 0.35, dense);
    match ground.biome() {
        _ if above < 2.8 => {
            let warm = ground.local_warmth() > 0.0 && ground.water == 0;
            (warm && grows(0.05 * thicket)).then_some(Kind::Palm)
        }
        Biome::Desert => grows(0.035).then_some(match pick {
            p if p < 0.6 => Kind::Cactus,
            p if p < 0.8 => Kind::Dead,
            _ => Kind::Boulder,
        }),
        Biome::Savanna => grows(0.05 + 0.07 * thicket).then_some(match pick {
            p if p < 0.55 => Kind::Acacia,
            p if p < 0.9 => Kind::Bush,
            _ => Kind::Boulder,
        }),
        Biome::Meadow => grows(0.03 + 0.16 * thicket * thicket).then_some(match pick {
            p if p < 0.4 => Kind::Oak,
            p if p < 0.6 => Kind::Birch,
            p if p < 0.94 => Kind::Bush,
            _ => Kind::Boulder,
        }),
        Biome::Forest => grows(0.08 + 0.5 * thicket).then_some(match pick {
            p if p < 0.5 => Kind::Oak,
            p if p < 0.72 => Kind::Birch,
            p if p < 0.72 + 0.2 * smooth(0.1, 0.5, dense) => Kind::Autumn,
            p if p < 0.97 => Kind::Bush,
            _ => Kind::Boulder,
        }),
        Biome::Taiga => grows(0.06 + 0.45 * thicket).then_some(match pick {
            p if p < 0.9 => Kind::Pine,
            p if p < 0.96 => Kind::Bush,
            _ => Kind::Boulder,
        }),
        Biome::Snow => grows(0.10 * thicket).then_some(match pick {
            p if p < 0.75 => Kind::Pine,
            _ => Kind::Boulder,
        }),
        Biome::Alpine => grows(0.05 + 0.06 * thicket).then_some(match pick {
            p if p < 0.35 => Kind::Pine,
            p if p < 0.6 => Kind::Bush,
            _ => Kind::Boulder,
        }),
    }
}

/// A voxel of a plant: relative to its column's corner, except `y`.
pub(crate) struct Part {
    pub(crate) x: i32,
    pub(crate) y: i32,
    pub(crate) z: i32,
    pub(crate) material: Material,
}

impl Tree {
    /// Returns the height at or above which the plant has no voxels.
    pub(crate) fn top(&self) -> i32 {
        self.y + self.height + 5
    }

    /// Returns true if the plant stands on or near this column.
    pub(crate) fn is_near(&self, x: i32, z: i32) -> bool {
        (self.x - x).abs() <= REACH && (self.z - z).abs() <= REACH
    }

    /// Returns the height below which the plant has no voxels.
    pub(crate) fn bottom(&self) -> i32 {
        self.y - 2
    }

    /// Visits all voxels of the plant, the trunk last so that it wins.
    pub(crate) fn draw(&self, mut put: impl FnMut(Part)) {
        let mut put_at = |x: i32, y: i32, z: i32, material: Material| {
            put(Part {
                x: self.x + x,
                y: self.y + y,
                z: self.z + z,
                material,
            });
        };
        match self.kind {
            Kind::Oak => self.round_crown(&mut put_at, Material::LEAVES, Material::WOOD),
            Kind::Autumn => self.round_crown(&mut put_at, Material::AUTUMN_LEAVES, Material::WOOD),
            Kind::Birch => self.round_crown(&mut put_at, Material::BIRCH_LEAVES, Material::BIRCH),
            Kind::Pine => self.cone(&mut put_at),
            Kind::Palm => self.palm(&mut put_at),
            Kind::Acacia => self.acacia(&mut put_at),
            Kind::Cactus => self.cactus(&mut put_at),
            Kind::Bush => ball(
                &mut put_at,
                [0, 0, 0],
                1.5,
                1.2,
                self.bits,
                Material::LEAVES,
            ),
            Kind::Boulder => {
                let radius = 0.8 + f64::from(self.height) * 0.7;
                let rock = if share(self.bits, 3) < 0.5 {
                    Material::STONE
                } else {
                    Material::MOSSY_STONE
                };
                ball(
                    &mut put_at,
                    [0, 0, 0],
                    radius,
                    radius * 0.8,
                    self.bits,
                    rock,
                );
            }
            Kind::Dead => trunk(&mut put_at, self.height, Material::WOOD),
        }
    }

    fn round_crown(
        &self,
        put: &mut impl FnMut(i32, i32, i32, Material),
        leaves: Material,
        wood: Material,
    ) {
        let wide = if wood == Material::BIRCH {
            2.1
        } else {
            2.6 + 0.9 * share(self.bits, 3)
        };
        let tall = if wood == Material::BIRCH { 3.4 } else { 2.6 };
        ball(put, [0, self.height, 0], wide, tall, self.bits, leaves);
        if wide > 2.9 {
            // Large oaks have a second, lower crown on one side.
            let side = if self.bits & 1 == 0 { 2 } else { -2 };
            let (x, z) = if self.bits & 2 == 0 {
                (side, 0)
            } else {
                (0, side)
            };
            ball(
                put,
                [x, self.height - 2, z],
                2.2,
                1.7,
                self.bits ^ 0x55,
                leaves,
            );
        }
        trunk(put, self.height + 1, wood);
    }

    fn cone(&self, put: &mut impl FnMut(i32, i32, i32, Material)) {
        let bare = 2 + (self.bits & 1) as i32;
        let layers = self.height + 2 - bare;
        for layer in 0..layers {
            let share_down = f64::from(layers - 1 - layer) / f64::from(layers);
            // Branches grow in tiers: wide at the bottom of a tier, narrow above.
            let tier = if layer % 2 == 0 { 0.9 } else { -0.1 };
            let radius = 0.4 + 3.3 * share_down + tier * share_down.min(0.8);
            disc(put, bare + layer, radius, self.bits, Material::PINE_LEAVES);
        }
        trunk(put, self.height - 1, Material::WOOD);
    }

    fn palm(&self, put: &mut impl FnMut(i32, i32, i32, Material)) {
        let lean = if self.bits & 4 == 0 { 1 } else { -1 };
        let (mut x, y) = (0, self.height);
        for height in 0..=self.height {
            x = if height > self.height / 2 { lean } else { 0 };
            put(x, height, 0, Material::WOOD);
        }
        for (along, across) in [
            (1, 0),
            (-1, 0),
            (0, 1),
            (0, -1),
            (1, 1),
            (-1, 1),
            (1, -1),
            (-1, -1),
        ] {
            let length = if along != 0 && across != 0 { 2 } else { 3 };
            for step in 1..=length {
                let droop = i32::from(step == length);
                put(
                    x + along * step,
                    y + 1 - droop,
                    across * step,
                    Material::LEAVES,
                );
            }
        }
        put(x, y + 1, 0, Material::LEAVES);
    }

    fn acacia(&self, put: &mut impl FnMut(i32, i32, i32, Material)) {
        disc(put, self.height, 4.2, self.bits, Material::DRY_LEAVES);
        disc(put, self.height + 1, 2.6, self.bits, Material::DRY_LEAVES);
        trunk(put, self.height, Material::WOOD);
    }

    fn cactus(&self, put: &mut impl FnMut(i32, i32, i32, Material)) {
        trunk(put, self.height, Material::CACTUS);
        if self.height > 3 {
            put(1, 2, 0, Material::CACTUS);
            put(1, 3, 0, Material::CACTUS);
        }
    }
}

fn trunk(put: &mut impl FnMut(i32, i32, i32, Material), height: i32, wood: Material) {
    // One voxel into the ground, so that no trunk hovers over a slope.
    for y in -1..height {
        put(0, y, 0, wood);
    }
}

/// Draws a ragged ellipsoid.
fn ball(
    put: &mut impl FnMut(i32, i32, i32, Material),
    center: [i32; 3],
    wide: f64,
    tall: f64,
    bits: u64,
    material: Material,
) {
    let (reach, up) = (wide.ceil() as i32, tall.ceil() as i32);
    for y in -up..=up {
        for z in -reach..=reach {
            for x in -reach..=reach {
                let [along, rise, across] = [x, y, z].map(f64::from);
                let square =
                    (along * along + across * across) / (wide * wide) + rise * rise / (tall * tall);
                if square <= 1.0 - ragged(bits, x, y, z) {
                    put(center[0] + x, center[1] + y, center[2] + z, material);
                }
            }
        }
    }
}

fn disc(
    put: &mut impl FnMut(i32, i32, i32, Material),
    y: i32,
    radius: f64,
    bits: u64,
    material: Material,
) {
    let reach = radius.ceil() as i32;
    for z in -reach..=reach {
        for x in -reach..=reach {
            let square = f64::from(x * x + z * z) / (radius * radius);
            if square <= 1.0 - ragged(bits, x, y, z) {
                put(x, y, z, material);
            }
        }
    }
}

/// Returns a small seeded number that frays the rim of crowns.
fn ragged(bits: u64, x: i32, y: i32, z: i32) -> f64 {
    let place = (x + 16) as u64 | ((y + 64) as u64) << 8 | ((z + 16) as u64) << 16;
    share(mix(bits, place), 0) * 0.3
}
