//! A small hand-made world and a GPU for these tests: an island with hills, a lake, trees, a hut
//! with lamps, and stairs.

#![allow(dead_code, unreachable_pub, clippy::unwrap_used)]

use collision::{Cell, Position};
use engine::{Camera, Frame, Gpu, GpuError, GpuOptions, GraphicsSettings, Renderer, ShadowQuality};
use nalgebra::{Point3, Vector3};
use world::{CellBox, Material, World};

/// Size of golden pictures: small, so that the software driver is quick.
pub const SIZE: [u32; 2] = [320, 180];

/// Opens the software driver, which is the same on every machine.
pub fn gpu() -> Gpu {
    match Gpu::offscreen(GpuOptions::Reference) {
        Ok(gpu) => gpu,
        Err(error @ GpuError::NoAdapter { .. }) => {
            panic!("these tests need the software Vulkan driver: {error}")
        }
        Err(error) => panic!("{error}"),
    }
}

/// Returns settings that the software driver draws quickly.
pub fn settings() -> GraphicsSettings {
    GraphicsSettings {
        view_distance: 160.0,
        shadows: ShadowQuality::Low,
        ..GraphicsSettings::default()
    }
}

pub fn position(x: f64, y: f64, z: f64) -> Position {
    Position::from_metres(Point3::new(x, y, z))
}

/// Returns a camera at a point, looking at another.
pub fn look(from: [f64; 3], to: [f64; 3]) -> Camera {
    let [dx, dy, dz] = [to[0] - from[0], to[1] - from[1], to[2] - from[2]];
    let yaw = dx.atan2(-dz);
    let pitch = dy.atan2(dx.hypot(dz));
    Camera::new(
        position(from[0], from[1], from[2]),
        yaw as f32,
        pitch as f32,
    )
}

/// Returns the height of the ground, in metres.
fn height(x: i32, z: i32) -> i32 {
    let (fx, fz) = (f64::from(x), f64::from(z));
    let waves = (fx * 0.071).sin() * 3.0
        + (fz * 0.053 + 1.0).cos() * 4.0
        + (fx * 0.031 + fz * 0.047).sin() * 5.0;
    let rough = (fx * 0.23 + (fz * 0.19).sin() * 2.0).sin() * 1.2;
    let hill = 22.0 * (-((fx - 92.0).powi(2) + (fz - 30.0).powi(2)) / 700.0).exp();
    let lake = -11.0 * (-((fx - 40.0).powi(2) + (fz - 78.0).powi(2)) / 420.0).exp();
    (14.0 + waves + rough + hill + lake) as i32
}

const WATER: i32 = 10;

fn ground(cell: Cell) -> Material {
    let top = height(cell.x, cell.z);
    let steep =
        (height(cell.x + 1, cell.z) - top).abs() + (height(cell.x, cell.z + 1) - top).abs() > 3;
    match top - cell.y {
        ..0 if cell.y <= WATER => Material::WATER,
        ..0 => Material::AIR,
        0 if top > 36 => Material::SNOW,
        0..=2 if top <= WATER + 1 => Material::SAND,
        0 | 1 if steep || top > 31 => Material::STONE,
        0 => Material::GRASS,
        1..=3 => Material::DIRT,
        _ => Material::STONE,
    }
}

fn tree(cell: Cell) -> Option<Material> {
    let (tile_x, tile_z) = (cell.x.div_euclid(11), cell.z.div_euclid(11));
    let scatter = (tile_x * 7919 + tile_z * 104_729).rem_euclid(97);
    if scatter % 3 != 0 || (tile_x == 2 && tile_z == 4) {
        return None;
    }
    let (x, z) = (
        tile_x * 11 + 4 + scatter % 4,
        tile_z * 11 + 4 + scatter / 7 % 4,
    );
    let root = height(x, z);
    if !(WATER + 2..30).contains(&root) {
        return None;
    }
    let (dx, dy, dz) = (cell.x - x, cell.y - root, cell.z - z);
    let trunk = 4 + scatter % 3;
    if dx == 0 && dz == 0 && (1..=trunk).contains(&dy) {
        return Some(Material::WOOD);
    }
    let round = dx * dx + dz * dz + (dy - trunk - 1) * (dy - trunk - 1) * 5 / 4;
    (round <= 8 && dy > 2).then_some(Material::LEAVES)
}

fn hut(cell: Cell) -> Option<Material> {
    let base = height(28, 48) + 1;
    let at = cell - Cell::new(24, base, 44);
    let inside =
        |low: [i32; 3], high: [i32; 3]| (0..3).all(|i| (low[i]..=high[i]).contains(&at[i]));
    if !inside([-1, -4, -1], [9, 8, 8]) {
        return None;
    }
    if at.y < 0 {
        return Some(Material::BRICK);
    }
    let roof = 4 + (4 - (at.z - 4).abs()).max(0);
    if at.y == roof && (-1..=9).contains(&at.x) {
        return Some(Material::PLANKS);
    }
    let wall = at.x == 0 || at.x == 8 || at.z == 0 || at.z == 7;
    if at == Cell::new(4, 3, 6) || at == Cell::new(1, 2, 8) || at == Cell::new(7, 2, 8) {
        return Some(Material::LAMP);
    }
    if !inside([0, 0, 0], [8, 7, 7]) || at.y >= roof {
        return Some(Material::AIR);
    }
    if !wall {
        return Some(Material::AIR);
    }
    if at.z == 7 && (3..=5).contains(&at.x) && at.y < 3 {
        return Some(Material::AIR);
    }
    let window = (at.y == 1 || at.y == 2)
        && ((at.z == 7 && (at.x == 1 || at.x == 7)) || (at.x == 8 && (3..=4).contains(&at.z)));
    Some(if window {
        Material::GLASS
    } else if at.y == 0 {
        Material::BRICK
    } else {
        Material::PLANKS
    })
}

pub fn island() -> World {
    let bounds = CellBox::new(Cell::zeros(), Cell::new(127, 63, 127));
    World::from_voxels(bounds, |cell| {
        hut(cell)
            .or_else(|| tree(cell))
            .unwrap_or_else(|| ground(cell))
    })
}

/// Returns the place of the hut's door.
pub fn door() -> [f64; 3] {
    [28.5, f64::from(height(28, 48)) + 2.0, 52.5]
}

/// Returns the height of the ground under a point, in metres.
pub fn ground_at(x: i32, z: i32) -> f64 {
    f64::from(height(x, z) + 1)
}

pub fn overview() -> Camera {
    look([14.0, 33.0, 112.0], [58.0, 14.0, 48.0])
}

/// Returns a frame of the world at mid-morning.
pub fn frame<'a>(world: &'a World, camera: Camera) -> Frame<'a> {
    let mut frame = Frame::new(camera, settings());
    frame.world = Some(world);
    frame
}

pub fn renderer(gpu: &Gpu) -> Renderer {
    Renderer::offscreen(gpu)
}

pub fn radii() -> Vector3<f32> {
    Vector3::new(0.4, 0.9, 0.4)
}
