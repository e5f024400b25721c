//! The terrain generator: makes continents, mountains, cliffs, rivers, lakes, caves and forests
//! from a seed.
//!
//! A chunk is a pure function of seed and position, independent of order, neighbours and threads.
//! The bits are the same on every machine because only `+ - * /`, square roots and comparisons are
//! used. A column of chunks is computed once ([`Generator::column`]) and filled at as many heights
//! as needed ([`Generator::fill`]). Streaming is in [`crate::stream`], saving in [`crate::save`].

mod column;
mod fields;
mod ground;
mod lakes;
mod lattice;
mod patches;
mod perlin;
mod shape;
mod slice;
mod solid;
mod spawn;
mod trees;

use crate::chunk::{SIDE, VOLUME, Voxels};
use crate::land::{ChunkColumn, ChunkSource, Spawn, SurfaceRows};
use crate::material::Material;
use crate::space::ChunkPosition;

use column::Borders;
pub use column::Column;

#[cfg(test)]
pub(crate) use fields::mix;
use fields::{Fields, mix_cell, share};
use slice::Slice;
use solid::{CaveRow, Caves, Crags, OVERHEAD};

/// Incremented whenever a seed would give different voxels. A world stores the version it was made
/// with, and keeps its land: all versions up to this one are known.
pub const GENERATOR_VERSION: u32 = 2;
/// The first version whose materials meet in patches, not voxel by voxel.
const FIRST_WITH_PATCHES: u32 = 2;

/// Below this depth under the surface all rock is plain stone.
const ROCK_DEPTH: i16 = 20;
const SOIL_DEPTH: i16 = 3;
/// Caves below this height are filled with lava.
const LAVA_LEVEL: i32 = -108;

/// The materials of a chunk: index `(z * 32 + y) * 32 + x`.
pub type ChunkVoxels = [Material; VOLUME];

/// Reusable memory for filling chunks.
pub struct Buffer {
    voxels: Box<ChunkVoxels>,
}

impl Default for Buffer {
    fn default() -> Self {
        Self {
            voxels: Box::new([Material::AIR; VOLUME]),
        }
    }
}

/// The result of [`Generator::fill`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Filled {
    /// All voxels have this material; the buffer was not written.
    Uniform(Material),
    /// The buffer holds the voxels.
    Mixed,
}

/// A column that streaming asks for, with the memory of its chunks.
struct Streamed<'a> {
    generator: &'a Generator,
    column: Column,
    buffer: Buffer,
}

impl ChunkSource for Generator {
    fn chunk_column(&self, x: i32, z: i32) -> Box<dyn ChunkColumn + '_> {
        Box::new(Streamed {
            generator: self,
            column: self.column(x, z),
            buffer: Buffer::default(),
        })
    }

    fn start(&self) -> Option<Spawn> {
        Some(self.spawn())
    }
}

impl ChunkColumn for Streamed<'_> {
    fn surface_rows(&self) -> SurfaceRows {
        self.column.surface_rows()
    }

    fn voxels(&mut self, row: i32) -> Voxels {
        let (column, buffer) = (&self.column, &mut self.buffer);
        self.generator.voxels_of(column, row, buffer)
    }
}

/// Generates the terrain of one seed.
pub struct Generator {
    seed: u64,
    version: u32,
    fields: Fields,
}

impl Generator {
    /// Returns the generator of a seed.
    pub fn new(seed: u64) -> Self {
        Self::of_version(seed, GENERATOR_VERSION)
    }

    /// Returns the generator of a seed as it was in a version.
    pub fn of_version(seed: u64, version: u32) -> Self {
        Self {
            seed,
            version,
            fields: Fields::new(seed),
        }
    }

    /// Returns its version.
    pub fn version(&self) -> u32 {
        self.version
    }

    /// Returns the seed.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// Computes the parts of the column of chunks `(x, z)` that do not depend on height.
    pub fn column(&self, x: i32, z: i32) -> Column {
        let borders = match self.version {
            ..FIRST_WITH_PATCHES => Borders::Speckled,
            _ => Borders::Patched,
        };
        Column::new(&self.fields, self.seed, [x, z], borders)
    }

    /// Finds a place to start: dry, level ground with a view; always the same for a seed.
    pub fn spawn(&self) -> Spawn {
        spawn::find(self)
    }

    /// Returns the height of the land in metres at a point, before crags, caves and trees.
    pub fn height(&self, x: i32, z: i32) -> f64 {
        let side = SIDE as i32;
        let column = self.column(x.div_euclid(side), z.div_euclid(side));
        column
            .lattice
            .between(x.rem_euclid(side), z.rem_euclid(side))
            .height
    }

    /// Fills the chunk at height `y` (in chunks) of a column.
    pub fn fill(&self, column: &Column, y: i32, voxels: &mut ChunkVoxels) -> Filled {
        let bottom = y.wrapping_mul(SIDE as i32);
        if bottom >= column.top {
            return Filled::Uniform(Material::AIR);
        }
        let caves = Caves::new(&self.fields, column, bottom);
        let deep =
            i64::from(bottom) + SIDE as i64 + i64::from(ROCK_DEPTH) < i64::from(column.bottom);
        if deep && caves.is_none() {
            return Filled::Uniform(Material::STONE);
        }
        if deep {
            voxels.fill(Material::STONE);
        } else {
            self.fill_land(column, bottom, voxels);
        }
        if let Some(caves) = caves {
            self.hollow(column, bottom, &caves, voxels);
        }
        for tree in &column.trees {
            if tree.bottom() < bottom.saturating_add(SIDE as i32) && tree.top() >= bottom {
                draw(tree, bottom, voxels);
            }
        }
        Filled::Mixed
    }

    /// Generates one chunk.
    pub fn voxels(&self, chunk: ChunkPosition) -> Voxels {
        let column = self.column(chunk.x, chunk.z);
        self.voxels_of(&column, chunk.y, &mut Buffer::default())
    }

    /// Generates the chunk at height `y` (in chunks) of a column.
    pub fn voxels_of(&self, column: &Column, y: i32, buffer: &mut Buffer) -> Voxels {
        match self.fill(column, y, &mut buffer.voxels) {
            Filled::Uniform(material) => Voxels::uniform(material),
            Filled::Mixed => Voxels::from_rows(&buffer.voxels[..]),
        }
    }

    fn fill_land(&self, column: &Column, bottom: i32, voxels: &mut ChunkVoxels) {
        let plain = column.smooth
            || i64::from(bottom) + (SIDE + OVERHEAD) as i64 <= i64::from(column.bottom);
        let crags = (!plain).then(|| Crags::new(&self.fields, column, bottom));
        for z in 0..SIDE {
            let layer = &mut voxels[z * SIDE * SIDE..][..SIDE * SIDE];
            match &crags {
                Some(crags) => fill_craggy(column, crags, bottom, z, layer),
                None => fill_plain(column, bottom, z, layer),
            }
        }
    }

    fn hollow(&self, column: &Column, bottom: i32, caves: &Caves, voxels: &mut ChunkVoxels) {
        caves.rows(|y, z, row| {
            let height = bottom + y as i32;
            let filling = if height < LAVA_LEVEL {
                Material::LAVA
            } else {
                Material::AIR
            };
            let line = &mut voxels[(z * SIDE + y) * SIDE..][..SIDE];
            for (x, voxel) in line.iter_mut().enumerate() {
                let is_rock =
                    *voxel != Material::AIR && *voxel != Material::WATER && *voxel != Material::ICE;
                if is_rock && row.open >> x & 1 != 0 {
                    *voxel = filling;
                }
            }
            self.dress_walls(column, height, z, row, line);
        });
    }

    /// Places ore and crystals in cave walls. Deep rock elsewhere stays uniform, to save memory.
    fn dress_walls(
        &self,
        column: &Column,
        height: i32,
        z: usize,
        row: CaveRow,
        line: &mut [Material],
    ) {
        let mut walls = row.wall;
        while walls != 0 {
            let x = walls.trailing_zeros() as usize;
            walls &= walls - 1;
            if line[x] != Material::STONE {
                continue;
            }
            let at = [
                column.lattice.origin[0].wrapping_add(x as i32),
                column.lattice.origin[1].wrapping_add(z as i32),
            ];
            // Veins are clumps of two voxels a side.
            let clump = mix_cell(
                self.seed ^ 0x0e5 ^ ((height >> 1) as u64) << 20,
                at[0] >> 1,
                at[1] >> 1,
            );
            line[x] = match share(clump, 0) {
                luck if luck < 0.012 && height < 0 => Material::CRYSTAL,
                luck if luck < 0.035 => Material::COAL,
                luck if luck < 0.05 && height < -20 => Material::IRON,
                luck if luck < 0.056 && height < -50 => Material::GOLD,
                _ if height < -84 => Material::BASALT,
                _ => Material::STONE,
            };
        }
    }
}

impl Column {
    /// Returns the rows of chunks that contain the surface.
    pub fn surface_rows(&self) -> SurfaceRows {
        let side = SIDE as i32;
        SurfaceRows {
            lowest: (self.bottom - 2).div_euclid(side),
            highest: self.top.div_euclid(side),
        }
    }
}

/// Fills a slice of land without crags, by depth below the top.
fn fill_plain(column: &Column, bottom: i32, z: usize, layer: &mut [Material]) {
    let slice = Slice::of(column, bottom, z);
    let (lowest, highest) = slice.range();
    for (line, height) in layer.as_chunks_mut().0.iter_mut().zip(0..) {
        // Most rows lie wholly above or far below the surface.
        if height > highest {
            line.fill(Material::AIR);
        } else if height < lowest - ROCK_DEPTH {
            line.fill(Material::STONE);
        } else {
            let depth = slice.depth(height);
            slice.paint(&depth, height, line);
        }
    }
}

/// Fills a slice of land with crags: these decide which voxels are solid; the depth below open air
/// decides their material.
fn fill_craggy(column: &Column, crags: &Crags, bottom: i32, z: usize, layer: &mut [Material]) {
    let slice = Slice::of(column, bottom, z);
    let heights = crags.heights(&column.ground.height, z);
    let (mut depth, mut solid) = ([SOIL_DEPTH; SIDE], [0; SIDE]);
    let lines = layer.as_chunks_mut().0;
    for y in (0..SIDE + OVERHEAD).rev() {
        crags.row(&heights, bottom, y, &mut solid);
        for (depth, &solid) in depth.iter_mut().zip(&solid) {
            let deeper = (*depth + 1).min(SOIL_DEPTH + 1);
            *depth = if solid != 0 { deeper } else { -1 };
        }
        if let Some(line) = lines.get_mut(y) {
            slice.paint(&depth, y as i16, line);
        }
    }
}

/// Draws the part of a plant in the chunk: crowns only in open voxels, trunks also through crowns.
fn draw(tree: &trees::Tree, bottom: i32, voxels: &mut ChunkVoxels) {
    let side = SIDE as i32;
    tree.draw(|part| {
        let y = part.y - bottom;
        let inside = |value: i32| (0..side).contains(&value);
        if !(inside(part.x) && inside(y) && inside(part.z)) {
            return;
        }
        let voxel = &mut voxels[((part.z * side + y) * side + part.x) as usize];
        let is_trunk = matches!(
            part.material,
            Material::WOOD | Material::BIRCH | Material::CACTUS
        );
        let is_crown = matches!(
            *voxel,
            Material::LEAVES
                | Material::AUTUMN_LEAVES
                | Material::BIRCH_LEAVES
                | Material::PINE_LEAVES
                | Material::DRY_LEAVES
        );
        let is_earth = matches!(
            *voxel,
            Material::DIRT | Material::GRASS | Material::LUSH_GRASS | Material::MOSS
        );
        if *voxel == Material::AIR || (is_trunk && (is_crown || is_earth)) {
            *voxel = part.material;
        }
    });
}

#[cfg(test)]
mod tests;
