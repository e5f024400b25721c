//! Lamps near the eye, and which of them reach each cell of a coarse grid about it.

use collision::Cell;
use nalgebra::Vector3;

use super::bricks::Bricks;
use super::growing::GrowingBuffer;
use crate::{Camera, Gpu, Lamps, Light};

/// Cells of the grid along each axis, and the side of one in metres; `light.wgsl` has the same.
const CELLS: [i32; 3] = [32, 16, 32];
const CELL: i32 = 8;
/// Lamps that reach one cell.
const PER_CELL: usize = 8;
/// A byte of a cell's list that stands for no lamp.
const NO_LAMP: u8 = 255;
/// Lamps at once; numbers are bytes.
const MOST: usize = 255;

/// The grid and its lamps on the GPU.
pub(crate) struct LampGrid {
    pub(crate) lamps: GrowingBuffer,
    pub(crate) cells: GrowingBuffer,
    origin: Cell,
    count: u32,
    near: Vec<Near>,
    rows: Vec<shaders::Lamp>,
    lists: Vec<[u8; PER_CELL]>,
    current: bool,
}

struct Near {
    distance: f32,
    row: shaders::Lamp,
}

impl LampGrid {
    pub(crate) fn new(gpu: &Gpu) -> Self {
        let cells = CELLS.iter().product::<i32>() as usize;
        let storage = wgpu::BufferUsages::STORAGE;
        Self {
            lamps: GrowingBuffer::new(
                gpu,
                "lamps",
                storage,
                (MOST * size_of::<shaders::Lamp>()) as u64,
            ),
            cells: GrowingBuffer::new(gpu, "lamp cells", storage, (cells * PER_CELL) as u64),
            origin: Cell::zeros(),
            count: 0,
            near: Vec::new(),
            rows: Vec::new(),
            lists: vec![[NO_LAMP; PER_CELL]; cells],
            current: false,
        }
    }

    /// First cell of the grid.
    pub(crate) fn origin(&self) -> Cell {
        self.origin
    }

    /// Lamps in reach.
    pub(crate) fn count(&self) -> u32 {
        self.count
    }

    /// Lamps of the world have changed.
    pub(crate) fn outdate(&mut self) {
        self.current = false;
    }

    /// Follows the eye and the lights of a frame.
    pub(crate) fn update(
        &mut self,
        gpu: &Gpu,
        bricks: &Bricks,
        lights: &[Light],
        camera: &Camera,
        setting: Lamps,
    ) {
        if setting == Lamps::Off {
            self.count = 0;
            self.current = false;
            return;
        }
        let half = Cell::new(CELLS[0], CELLS[1], CELLS[2]) * (CELL / 2);
        let origin = camera
            .position
            .cell
            .map(|c| c & !(CELL - 1))
            .zip_map(&half, i32::wrapping_sub);
        if self.current && origin == self.origin && lights.is_empty() {
            return;
        }
        self.origin = origin;
        // Moving lights are gone when the frame is: do it again next time.
        self.current = lights.is_empty();
        self.gather(bricks, lights, camera);
        self.fill_cells();
        self.lamps.write(gpu, bytemuck::cast_slice(&self.rows));
        self.cells.write(gpu, self.lists.as_flattened());
    }

    fn gather(&mut self, bricks: &Bricks, lights: &[Light], camera: &Camera) {
        self.near.clear();
        let eye = relative(camera.position.cell, camera.position.offset, self.origin);
        for (row, lamp) in bricks.lamps() {
            let local = lamp.local * row.voxel + Vector3::from(row.offset);
            let at = relative(row.origin.into(), local, self.origin);
            self.consider(at, lamp.color, lamp.reach * row.voxel.max(0.5), eye);
        }
        for light in lights {
            let at = relative(light.position.cell, light.position.offset, self.origin);
            if light.reach.is_finite() {
                self.consider(at, light.color, light.reach.clamp(0.1, 64.0), eye);
            }
        }
        self.near
            .sort_unstable_by(|a, b| a.distance.total_cmp(&b.distance));
        self.near.truncate(MOST);
        self.rows.clear();
        self.rows.extend(self.near.iter().map(|near| near.row));
        self.count = self.rows.len() as u32;
    }

    fn consider(&mut self, at: Vector3<f32>, color: [f32; 3], reach: f32, eye: Vector3<f32>) {
        let inside = (0..3).all(|i| at[i] > -reach && at[i] < (CELLS[i] * CELL) as f32 + reach);
        if inside {
            let row = shaders::Lamp {
                position: at.into(),
                reach,
                color,
                unused: 0.0,
            };
            self.near.push(Near {
                distance: (at - eye).norm(),
                row,
            });
        }
    }

    /// Nearest lamps to the eye come first, so where there are too many they win.
    fn fill_cells(&mut self) {
        self.lists.fill([NO_LAMP; PER_CELL]);
        for (number, row) in self.rows.iter().enumerate() {
            let bound = |i: usize, side: f32| {
                (((row.position[i] + side * row.reach) / CELL as f32).floor() as i32)
                    .clamp(0, CELLS[i] - 1)
            };
            for z in bound(2, -1.0)..=bound(2, 1.0) {
                for y in bound(1, -1.0)..=bound(1, 1.0) {
                    for x in bound(0, -1.0)..=bound(0, 1.0) {
                        let cell = ((z * CELLS[1] + y) * CELLS[0] + x) as usize;
                        if let Some(free) =
                            self.lists[cell].iter_mut().find(|entry| **entry == NO_LAMP)
                        {
                            *free = number as u8;
                        }
                    }
                }
            }
        }
    }
}

fn relative(cell: Cell, offset: Vector3<f32>, base: Cell) -> Vector3<f32> {
    cell.zip_map(&base, |a, b| a.wrapping_sub(b) as f32) + offset
}
