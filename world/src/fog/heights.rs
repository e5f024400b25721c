//! The height of every tile of the map, taken from the voxels and kept up to date.

use std::collections::HashMap;

use collision::Position;
use nalgebra::Vector3;

use crate::kd_tree::CellBox;
use crate::space::{BrickId, Owner, chunk_of};
use crate::world::World;

use super::rows::Rows;

/// Most tiles along an axis of a map that follows a world.
const MOST_TILES: i64 = 1 << 14;

/// Side of a tile: a cell, or a whole part of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TileSide {
    per_cell: i32,
}

impl TileSide {
    /// One tile for each cell: 1 m on terrain.
    pub const CELL: Self = Self { per_cell: 1 };
    /// Two tiles along a cell: 0.5 m on terrain.
    pub const HALF: Self = Self { per_cell: 2 };

    /// Makes tiles with `parts` along a cell, clamped to 1 to 32.
    pub fn parts_of_cell(parts: u32) -> Self {
        let per_cell = parts.clamp(1, 32) as i32;
        Self { per_cell }
    }

    /// Returns the 32 tiles number `part` of 32 cells.
    fn widened(self, cells: u32, part: i32) -> u32 {
        if self.per_cell == 1 || cells == 0 || cells == u32::MAX {
            return cells;
        }
        let of_tile = |tile: i32| (cells >> ((part * 32 + tile) / self.per_cell) & 1) << tile;
        (0..32).fold(0, |tiles, tile| tiles | of_tile(tile))
    }

    /// Returns the side in cells, which on terrain are metres.
    pub fn cells(self) -> f32 {
        1.0 / self.per_cell as f32
    }
}

/// The heights of a grid of tiles, each that of the highest solid voxel there, and the set of
/// edited tiles.
#[derive(Clone, Debug)]
pub struct HeightField {
    /// The cells of the map: tiles lie along x and z, heights between the lowest and highest y.
    bounds: CellBox,
    side: TileSide,
    size: [usize; 2],
    heights: Vec<i32>,
    edited: Vec<u64>,
    edits: usize,
    /// Revision of the world that was followed last.
    revision: Option<u64>,
    /// The column of chunks in which each brick was last found.
    columns: Vec<Option<[i32; 2]>>,
    /// The heights of the chunks last found in each column of chunks, the highest first.
    stacks: HashMap<[i32; 2], Vec<i32>>,
    /// The columns of chunks that an update must read, kept for its memory.
    changed: Vec<[i32; 2]>,
    /// The columns of chunks whose voxels changed since the edits were last cleared.
    stale: Vec<[i32; 2]>,
}

impl HeightField {
    /// Makes a level map of `size` tiles along x and z, without a world.
    pub fn flat(size: [usize; 2], height: i32) -> Self {
        let last = Vector3::new(size[0] as i32 - 1, i32::MAX, size[1] as i32 - 1);
        let bounds = CellBox::new(Vector3::new(0, i32::MIN, 0), last);
        let mut field = Self::empty(bounds, TileSide::CELL, size);
        field.heights.fill(height);
        field
    }

    /// Returns the heights of a world within `bounds`, at most 16,384 tiles along each axis. A
    /// column that has no solid voxels or is not loaded is as low as the bounds.
    pub fn of_world(world: &World, bounds: CellBox, side: TileSide) -> Self {
        let along = |axis: usize| {
            let cells = i64::from(bounds.max[axis]) - i64::from(bounds.min[axis]) + 1;
            (cells * i64::from(side.per_cell)).clamp(0, MOST_TILES) as usize
        };
        let mut field = Self::empty(bounds, side, [along(0), along(2)]);
        field.heights.fill(bounds.min.y);
        field.follow(world);
        field.clear_edits();
        field
    }

    fn empty(bounds: CellBox, side: TileSide, size: [usize; 2]) -> Self {
        let words = Rows::over(size).words();
        Self {
            bounds,
            side,
            size,
            heights: vec![0; size[0] * size[1]],
            edited: vec![0; words],
            edits: 0,
            revision: None,
            columns: Vec::new(),
            stacks: HashMap::new(),
            changed: Vec::new(),
            stale: Vec::new(),
        }
    }

    /// Returns the number of tiles along x and z.
    pub fn size(&self) -> [usize; 2] {
        self.size
    }

    /// Returns the side of a tile.
    pub fn tile_side(&self) -> TileSide {
        self.side
    }

    /// Returns the tile below or above a position, which may lie off the map.
    pub fn tile_at(&self, position: &Position) -> [i32; 2] {
        let parts = self.side.per_cell;
        let part = |offset: f32| ((offset * parts as f32) as i32).clamp(0, parts - 1);
        let [x, z] = self.tile_of(position.cell);
        [
            x.saturating_add(part(position.offset.x)),
            z.saturating_add(part(position.offset.z)),
        ]
    }

    /// Returns the first tile, along both axes, of a cell's column; it may lie off the map.
    pub fn tile_of(&self, cell: Vector3<i32>) -> [i32; 2] {
        let along = |axis: usize| {
            let cells = cell[axis].saturating_sub(self.bounds.min[axis]);
            cells.saturating_mul(self.side.per_cell)
        };
        [along(0), along(2)]
    }

    /// Returns the height of a tile: the first free cell above its ground. `None` off the map.
    pub fn get(&self, tile: [i32; 2]) -> Option<i32> {
        Some(self.heights[self.index(tile)?])
    }

    /// Returns all heights, row by row.
    pub fn as_slice(&self) -> &[i32] {
        &self.heights
    }

    /// Sets the height of a tile. A tile off the map or an equal height is no edit.
    pub fn set(&mut self, tile: [i32; 2], height: i32) {
        let Some(index) = self.index(tile) else {
            return;
        };
        if std::mem::replace(&mut self.heights[index], height) != height {
            let (word, bit) = self.rows().place(tile);
            self.edited[word] |= 1 << bit;
            self.edits += 1;
        }
    }

    /// Takes over the changes of the world since the last time; returns the number of changed
    /// tiles.
    ///
    /// Only the columns of chunks that changed are read again.
    pub fn follow(&mut self, world: &World) -> usize {
        let before = self.edits;
        let revision = self.revision.replace(world.revision());
        match revision {
            Some(revision) if revision == world.revision() => {}
            Some(revision) => self.follow_changes(world, revision),
            None => self.read_all(world),
        }
        self.edits - before
    }

    fn follow_changes(&mut self, world: &World, revision: u64) {
        let mut changed = std::mem::take(&mut self.changed);
        for brick in world.changes_since(revision) {
            // The chunk may have been removed, or its number given to another.
            let before = self.columns.get_mut(brick.0 as usize);
            changed.extend(before.and_then(Option::take));
            if world.owner(brick) == Owner::Terrain {
                changed.extend(self.remember(brick, world.place_of(brick)));
            }
        }
        changed.sort_unstable();
        changed.dedup();
        self.stale.extend(&changed);
        self.stale.sort_unstable();
        self.stale.dedup();
        for column in changed.drain(..) {
            self.read_column(world, column);
        }
        self.changed = changed;
    }

    fn read_all(&mut self, world: &World) {
        for (chunk, id) in world.loaded_chunks() {
            self.remember(id, chunk);
        }
        self.stale.extend(self.all_columns());
        for column in self.all_columns() {
            self.read_column(world, column);
        }
    }

    /// Returns all columns of chunks within the map.
    pub(super) fn all_columns(&self) -> impl Iterator<Item = [i32; 2]> + use<> {
        let parts = self.side.per_cell as usize;
        let chunks = |low: i32, tiles: usize| {
            let last = i64::from(low) + tiles.div_ceil(parts) as i64 - 1;
            low >> 5..=(last >> 5) as i32
        };
        let along_x = chunks(self.bounds.min.x, self.size[0]);
        let along_z = chunks(self.bounds.min.z, self.size[1]);
        along_z.flat_map(move |z| along_x.clone().map(move |x| [x, z]))
    }

    /// Reads the tiles above one column of chunks, from the top down, and forgets removed chunks.
    fn read_column(&mut self, world: &World, column: [i32; 2]) {
        let [x, z] = column;
        let mut open = [u32::MAX; 32];
        let stack = self.stacks.get_mut(&column);
        let mut stack = stack.map(std::mem::take).unwrap_or_default();
        stack.retain(|&y| {
            let chunk = Vector3::new(x, y, z);
            let brick = world.brick_at(chunk).map(|id| world.brick(id));
            if let Some(brick) = brick.filter(|brick| !brick.is_vacant() && open != [0; 32]) {
                self.read_brick(brick.occupancy(), chunk, &mut open);
            }
            brick.is_some()
        });
        if stack.is_empty() {
            self.stacks.remove(&column);
        } else if let Some(place) = self.stacks.get_mut(&column) {
            *place = stack;
        }
        for (row, open) in open.iter().enumerate() {
            self.set_row(x, z, row, *open, self.bounds.min.y);
        }
    }

    /// Records the place of a chunk, and returns its column; `None` out of bounds.
    fn remember(&mut self, id: BrickId, chunk: Vector3<i32>) -> Option<[i32; 2]> {
        let (low, high) = (chunk_of(self.bounds.min), chunk_of(self.bounds.max));
        if (0..3).any(|axis| !(low[axis]..=high[axis]).contains(&chunk[axis])) {
            return None;
        }
        let column = [chunk.x, chunk.z];
        let stack = self.stacks.entry(column).or_default();
        let place = stack.partition_point(|&y| y > chunk.y);
        if stack.get(place) != Some(&chunk.y) {
            stack.insert(place, chunk.y);
        }
        let index = id.0 as usize;
        if self.columns.len() <= index {
            self.columns.resize(index + 1, None);
        }
        self.columns[index] = Some(column);
        Some(column)
    }

    fn read_brick(&mut self, occupancy: &[u32], chunk: Vector3<i32>, open: &mut [u32; 32]) {
        for (row, open) in open.iter_mut().enumerate() {
            for layer in (0..32).rev() {
                let y = chunk.y * 32 + layer as i32;
                let found = occupancy[row * 32 + layer] & *open;
                if found != 0 && (self.bounds.min.y..=self.bounds.max.y).contains(&y) {
                    self.set_row(chunk.x, chunk.z, row, found, y.saturating_add(1));
                    *open &= !found;
                }
            }
        }
    }

    fn set_row(&mut self, chunk_x: i32, chunk_z: i32, row: usize, mut cells: u32, height: i32) {
        while cells != 0 {
            let x = chunk_x * 32 + cells.trailing_zeros() as i32;
            cells &= cells - 1;
            self.set_cell(Vector3::new(x, 0, chunk_z * 32 + row as i32), height);
        }
    }

    /// Sets all tiles of a cell's column.
    fn set_cell(&mut self, cell: Vector3<i32>, height: i32) {
        let [x, z] = self.tile_of(cell);
        for aside in 0..self.side.per_cell {
            for along in 0..self.side.per_cell {
                self.set([x.saturating_add(along), z.saturating_add(aside)], height);
            }
        }
    }

    fn rows(&self) -> Rows {
        Rows::over(self.size)
    }

    fn index(&self, [x, z]: [i32; 2]) -> Option<usize> {
        let inside = x >= 0 && z >= 0 && (x as usize) < self.size[0] && (z as usize) < self.size[1];
        inside.then(|| z as usize * self.size[0] + x as usize)
    }

    pub(super) fn has_edits(&self) -> bool {
        self.edits > 0
    }

    pub(super) fn clear_edits(&mut self) {
        if self.has_edits() {
            self.edited.fill(0);
            self.edits = 0;
        }
        self.stale.clear();
    }

    /// Returns the columns of chunks whose voxels changed since the edits were last cleared.
    pub(super) fn stale(&self) -> &[[i32; 2]] {
        &self.stale
    }

    /// Calls `each` with the tiles above the voxels of one level in a column of chunks, 32 at a
    /// time: the place of the first, and those above solid voxels.
    pub(super) fn visit_level(
        &self,
        world: &World,
        level: i32,
        [x, z]: [i32; 2],
        mut each: impl FnMut([i32; 2], u32),
    ) {
        let is_read = (self.bounds.min.y..=self.bounds.max.y).contains(&level);
        let brick = world.brick_at(Vector3::new(x, level >> 5, z));
        let brick = brick.map(|id| world.brick(id));
        let brick = brick.filter(|brick| is_read && !brick.is_vacant());
        for row in 0..32 {
            let solid = brick.map_or(0, |brick| {
                brick.occupancy()[row * 32 + (level & 31) as usize]
            });
            let [first_x, first_z] = self.tile_of(Vector3::new(x * 32, 0, z * 32 + row as i32));
            for aside in 0..self.side.per_cell {
                for part in 0..self.side.per_cell {
                    let tile = [
                        first_x.saturating_add(part * 32),
                        first_z.saturating_add(aside),
                    ];
                    each(tile, self.side.widened(solid, part));
                }
            }
        }
    }

    /// Returns the bitmap of tiles edited since the edits were last cleared.
    pub(super) fn edited(&self) -> &[u64] {
        &self.edited
    }
}
