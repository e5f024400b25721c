//! The faces of one voxel of each material as small pictures, coloured like the terrain's, for
//! lists of materials. Variation from place to place is left out, and so is light.

use world::{Material, MaterialTable};

use super::details::{PER_METRE, texel_bytes};
use super::materials::{Drawn, drawn_as, dress_of, earth_of, has_turf, linear};

/// Side of a picture of a face, texels.
pub const TILE: usize = PER_METRE;
/// Weights of red, green and blue, and the share of a colour that is kept, as in `surface.wgsl`.
const GREY: [f32; 3] = [0.25, 0.6, 0.15];
const KEPT: f32 = 0.87;

/// The top and the sides of a voxel of one material, sRGB with alpha, rows from the top.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tiles {
    /// Its top.
    pub top: Vec<[u8; 4]>,
    /// Each of its upright sides.
    pub side: Vec<[u8; 4]>,
}

/// Returns the faces of a voxel of a material.
#[must_use]
pub fn tiles_of(material: Material, table: &MaterialTable) -> Tiles {
    let info = table.info(material);
    let dress = dress_of(&info.name);
    let (color, earth) = (linear(info.colour), linear(earth_of(info, table)));
    let has_holes = drawn_as(info) == Drawn::WithHoles;
    let turf = has_turf(&info.name);
    let face = |detail, is_side: bool| {
        let texels = (0..TILE * TILE).map(|at| texel_bytes(detail, at % TILE, at / TILE));
        let texels = texels.map(|texel| texel.map(|part| f32::from(part) / 255.0));
        let colored = texels.map(|[r, g, b, alpha]| {
            let grass = if is_side && turf { alpha } else { 1.0 };
            let mut base = [0, 1, 2].map(|part| earth[part] + (color[part] - earth[part]) * grass);
            for (part, texel) in base.iter_mut().zip([r, g, b]) {
                *part *= 1.0 + (texel * 2.0 - 1.0) * dress.contrast;
            }
            let grey: f32 = base
                .iter()
                .zip(GREY)
                .map(|(part, weight)| part * weight)
                .sum();
            let [r, g, b] = base.map(|part| srgb(grey + (part - grey) * KEPT));
            let alpha = if has_holes { alpha } else { color[3] };
            [r, g, b, (alpha * 255.0 + 0.5) as u8]
        });
        colored.collect()
    };
    Tiles {
        top: face(dress.top, false),
        side: face(dress.side, true),
    }
}

/// Converts linear light to sRGB.
fn srgb(value: f32) -> u8 {
    let value = value.clamp(0.0, 1.0);
    let curved = if value <= 0.003_130_8 {
        value * 12.92
    } else {
        1.055 * value.powf(1.0 / 2.4) - 0.055
    };
    (curved * 255.0 + 0.5) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mean(tile: &[[u8; 4]]) -> [f32; 4] {
        let mut sum = [0.0; 4];
        for texel in tile {
            for (sum, part) in sum.iter_mut().zip(texel) {
                *sum += f32::from(*part) / tile.len() as f32;
            }
        }
        sum
    }

    #[test]
    fn faces_keep_the_colour_of_their_material() {
        let table = MaterialTable::standard();
        for (material, info) in table.iter().skip(1) {
            let tiles = tiles_of(material, &table);
            assert_eq!((tiles.top.len(), tiles.side.len()), (1024, 1024));
            for (part, wanted) in mean(&tiles.top).into_iter().zip(info.colour).take(3) {
                let apart = (part - f32::from(wanted)).abs();
                assert!(apart < 56.0, "{}: {part} instead of {wanted}", info.name);
            }
        }
    }

    #[test]
    fn grass_hangs_over_earth_and_glass_is_clear() {
        let table = MaterialTable::standard();
        let [grass, glass] = [Material::GRASS, Material::GLASS].map(|it| tiles_of(it, &table));
        let [above, below] = [&grass.side[..TILE * 2], &grass.side[TILE * 20..]].map(mean);
        assert!(
            above[1] > above[0] && below[0] > below[1],
            "{above:?} {below:?}"
        );
        assert!(mean(&glass.top)[3] < 250.0);
    }
}
