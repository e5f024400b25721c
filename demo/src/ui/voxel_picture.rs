//! Pictures of voxels seen from a corner, drawn without a GPU: blocks in the palette, copies on the
//! shelf. Several lie in one texture.

use std::sync::{Arc, Mutex, PoisonError};

use egui::{Color32, ColorImage, Id, Painter, Rect, TextureHandle, TextureOptions, pos2};
use engine::{TILE, Tiles, tiles_of};
use nalgebra::Vector3;
use world::{Material, MaterialTable};

/// Pictures beside each other in a texture.
const COLUMNS: usize = 16;
/// Samples of a pixel along each axis.
const SAMPLES: usize = 2;
/// Direction in which all is seen: down from a corner.
const AHEAD: Vector3<f32> = Vector3::new(-0.6, -0.53, -0.6);
/// Brightness of faces by their axis.
const LIT: [f32; 3] = [0.62, 1.0, 0.8];
/// Alpha of clear materials, at least, or they could hardly be seen.
const CLEAREST: u8 = 170;

/// Pictures of equal size in one texture.
#[derive(Debug, PartialEq)]
pub(crate) struct Atlas {
    side: usize,
    /// RGBA of one picture after the other, rows from the top.
    pictures: Vec<Vec<[u8; 4]>>,
}

/// A picture of an atlas.
#[derive(Clone, Debug)]
pub struct VoxelPicture {
    atlas: Arc<Atlas>,
    number: usize,
}

/// The faces of all materials of a table.
pub(crate) struct Skins(Vec<Tiles>);

impl Skins {
    pub(crate) fn of(table: &MaterialTable) -> Self {
        let materials = table.iter().map(|(material, _)| material);
        Skins(materials.map(|it| tiles_of(it, table)).collect())
    }

    /// Returns the colour of a face with its outside on an axis; the place in the voxel is 0 to 1.
    fn color(&self, material: Material, axis: usize, within: Vector3<f32>) -> [u8; 4] {
        let Some(tiles) = self.0.get(usize::from(material.0)) else {
            return [255, 0, 255, 255];
        };
        let (tile, x, y) = match axis {
            0 => (&tiles.side, 1.0 - within.z, 1.0 - within.y),
            1 => (&tiles.top, within.x, within.z),
            _ => (&tiles.side, within.x, 1.0 - within.y),
        };
        let texel = |part: f32| ((part * TILE as f32) as usize).min(TILE - 1);
        let [r, g, b, alpha] = tile[texel(y) * TILE + texel(x)];
        let [r, g, b] = [r, g, b].map(|part| (f32::from(part) * LIT[axis]) as u8);
        // Holes stay holes; clear materials stay visible.
        let alpha = if alpha < 40 { 0 } else { alpha.max(CLEAREST) };
        [r, g, b, alpha]
    }
}

impl Atlas {
    /// Draws a cube of each material but air.
    pub(crate) fn of_materials(table: &MaterialTable, side: usize) -> Self {
        let skins = Skins::of(table);
        let seen = table.iter().map(|(material, _)| material).skip(1);
        let pictures = seen.map(|it| draw(Vector3::repeat(1), |_| it, &skins, side));
        Atlas {
            side,
            pictures: pictures.collect(),
        }
    }

    /// Puts drawn pictures together; all have the same side.
    pub(crate) fn of(pictures: Vec<Vec<[u8; 4]>>, side: usize) -> Self {
        Atlas { side, pictures }
    }

    fn rows(&self) -> usize {
        self.pictures.len().div_ceil(COLUMNS).max(1)
    }

    fn image(&self) -> ColorImage {
        let (side, width) = (self.side, self.side * COLUMNS);
        let mut image = ColorImage::filled([width, side * self.rows()], Color32::TRANSPARENT);
        for (number, picture) in self.pictures.iter().enumerate() {
            let corner = number / COLUMNS * side * width + number % COLUMNS * side;
            for (at, [r, g, b, a]) in picture.iter().enumerate() {
                let place = corner + at / side * width + at % side;
                image.pixels[place] = Color32::from_rgba_unmultiplied(*r, *g, *b, *a);
            }
        }
        image
    }
}

impl VoxelPicture {
    /// Returns a picture of an atlas.
    pub(crate) fn of(atlas: &Arc<Atlas>, number: usize) -> Self {
        let atlas = Arc::clone(atlas);
        VoxelPicture { atlas, number }
    }

    /// Paints the picture.
    pub(super) fn paint(&self, painter: &Painter, rect: Rect) {
        let texture = texture(painter.ctx(), &self.atlas);
        let size = [COLUMNS as f32, self.atlas.rows() as f32];
        let at = [self.number % COLUMNS, self.number / COLUMNS];
        let low = pos2(at[0] as f32 / size[0], at[1] as f32 / size[1]);
        let high = pos2((at[0] + 1) as f32 / size[0], (at[1] + 1) as f32 / size[1]);
        let part = Rect::from_min_max(low, high);
        painter.image(texture, rect, part, Color32::WHITE);
    }
}

/// An atlas and its texture on the card.
type Shown = (Arc<Atlas>, TextureHandle);

/// The textures of the atlases in use.
#[derive(Clone, Default)]
struct Loaded(Arc<Mutex<Vec<Shown>>>);

/// Returns the texture of an atlas, and forgets those of atlases that nothing else holds.
fn texture(context: &egui::Context, atlas: &Arc<Atlas>) -> egui::TextureId {
    let place = Id::unique("voxel pictures");
    let loaded: Loaded =
        context.data_mut(|data| data.get_temp_mut_or_default::<Loaded>(place).clone());
    let mut list = loaded.0.lock().unwrap_or_else(PoisonError::into_inner);
    list.retain(|(known, _)| Arc::strong_count(known) > 1);
    if let Some((_, handle)) = list.iter().find(|(known, _)| Arc::ptr_eq(known, atlas)) {
        return handle.id();
    }
    let handle = context.load_texture("voxels", atlas.image(), TextureOptions::LINEAR);
    let id = handle.id();
    list.push((Arc::clone(atlas), handle));
    id
}

/// Draws a box of voxels from a corner, as large as it fits.
pub(crate) fn draw(
    size: Vector3<u32>,
    material: impl Fn(Vector3<u32>) -> Material,
    skins: &Skins,
    side: usize,
) -> Vec<[u8; 4]> {
    let sides = size.cast::<f32>();
    let right = AHEAD.cross(&Vector3::y()).normalize();
    let up = right.cross(&AHEAD).normalize();
    let corner = |i: usize| {
        let part = |axis: usize| if i >> axis & 1 == 1 { sides[axis] } else { 0.0 };
        Vector3::new(part(0), part(1), part(2)) - sides * 0.5
    };
    let reach = |axis: &Vector3<f32>| (0..8).map(|i| corner(i).dot(axis)).fold(0.0, f32::max);
    let scale = 2.0 * reach(&right).max(reach(&up)) / side as f32;
    let sample = |x: usize, y: usize| {
        let place = |at: usize| (at as f32 + 0.5) / SAMPLES as f32 - side as f32 * 0.5;
        let through = sides * 0.5 + right * (place(x) * scale) - up * (place(y) * scale);
        let back = sides.sum();
        look(through - AHEAD.normalize() * back, size, &material, skins)
    };
    let pixels = (0..side * side).map(|at| {
        let (x, y) = (at % side * SAMPLES, at / side * SAMPLES);
        let parts = (0..SAMPLES * SAMPLES).map(|i| sample(x + i % SAMPLES, y + i / SAMPLES));
        mean(parts)
    });
    pixels.collect()
}

/// Returns the mean of some colours, weighed by their alpha.
fn mean(parts: impl Iterator<Item = [u8; 4]>) -> [u8; 4] {
    let (mut sum, mut count) = ([0_u32; 4], 0);
    for part in parts {
        let alpha = u32::from(part[3]);
        for channel in 0..3 {
            sum[channel] += u32::from(part[channel]) * alpha;
        }
        sum[3] += alpha;
        count += 1;
    }
    let color = |channel: usize| (sum[channel] / sum[3].max(1)) as u8;
    [color(0), color(1), color(2), (sum[3] / count.max(1)) as u8]
}

/// Returns the colour of the first voxel on a ray; clear where there is none.
fn look(
    origin: Vector3<f32>,
    size: Vector3<u32>,
    material: &impl Fn(Vector3<u32>) -> Material,
    skins: &Skins,
) -> [u8; 4] {
    let way = AHEAD.normalize();
    let sides = size.cast::<f32>();
    // All parts of the way are negative: the ray enters through the far sides.
    let enter = (0..3).map(|axis| (sides[axis] - origin[axis]) / way[axis]);
    let (mut axis, mut along) = (0, f32::NEG_INFINITY);
    for (place, distance) in enter.enumerate() {
        if distance > along {
            (axis, along) = (place, distance);
        }
    }
    let mut at = origin + way * along;
    let mut cell = at.map(|part| part.floor() as i32);
    cell[axis] = size[axis] as i32 - 1;
    while (0..3).all(|i| (0..size[i] as i32).contains(&cell[i])) {
        let place = cell.map(|part| part as u32);
        let found = material(place);
        if found != Material::AIR {
            let within = (at - place.cast::<f32>()).map(|part| part.clamp(0.0, 1.0));
            let color = skins.color(found, axis, within);
            if color[3] > 0 {
                return color;
            }
        }
        let next = |i: usize| (cell[i] as f32 - origin[i]) / way[i];
        for i in 0..3 {
            if next(i) < next(axis) || i == 0 {
                axis = i;
            }
        }
        at = origin + way * next(axis);
        cell[axis] -= 1;
    }
    [0; 4]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cube_shows_three_faces_and_nothing_at_the_corners() {
        let table = MaterialTable::standard();
        let atlas = Atlas::of_materials(&table, 48);
        assert_eq!(atlas.pictures.len() + 1, table.len());
        let sand = &atlas.pictures[usize::from(Material::SAND.0) - 1];
        let at = |x: usize, y: usize| sand[y * 48 + x];
        assert_eq!(at(0, 0)[3], 0);
        assert_eq!(at(47, 47)[3], 0);
        let light = |pixel: [u8; 4]| pixel[..3].iter().map(|&part| u32::from(part)).sum::<u32>();
        let [top, left, right] = [at(24, 12), at(14, 32), at(34, 32)];
        assert!([top, left, right].iter().all(|pixel| pixel[3] == 255));
        assert!(light(top) > light(left) + 60 && light(left) > light(right) + 40);
    }

    #[test]
    fn voxels_hide_those_behind_them() {
        let table = MaterialTable::standard();
        let skins = Skins::of(&table);
        let size = Vector3::new(3, 3, 3);
        let full = draw(size, |_| Material::SNOW, &skins, 32);
        // A core that the outer voxels hide changes nothing.
        let cored = |at: Vector3<u32>| match at == Vector3::repeat(1) {
            true => Material::LAVA,
            false => Material::SNOW,
        };
        assert_eq!(draw(size, cored, &skins, 32), full);
        let floor = |at: Vector3<u32>| match at.y {
            0 => Material::SNOW,
            _ => Material::AIR,
        };
        let seen = |pixels: &[[u8; 4]]| pixels.iter().filter(|pixel| pixel[3] > 0).count();
        let flat = draw(size, floor, &skins, 32);
        assert!(seen(&flat) > 100 && seen(&flat) < seen(&full));
    }
}
