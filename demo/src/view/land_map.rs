//! The picture of the minimap: the land from above about a place, shaded by its slopes. The engine
//! lays the fog of war over it.
//!
//! A few columns of chunks are read for each picture, and again after a change in them, so that no
//! picture waits for the map.

use std::collections::HashMap;

use collision::{Cell, Position};
use engine::Color;
use nalgebra::Vector3;
use simulation::{FogOfWar, Simulation};
use world::{BrickId, Material, Owner, World};

use crate::ui::MinimapFacts;

use super::colors;

/// Pixels on a side, and metres of a pixel.
const SIDE: usize = 112;
const METRES: i32 = 2;
/// Rows of chunks that are read, from the lowest to the highest.
const ROWS: std::ops::RangeInclusive<i32> = -6..=9;
/// Columns of chunks read for one picture.
const COLUMNS_A_PICTURE: usize = 3;
/// Columns kept in memory; beyond that, all are read anew.
const MOST_COLUMNS: usize = 4096;
/// The most walkers that are marked.
const MOST_WALKERS: usize = 1000;
/// Colour of land that is not loaded.
const UNKNOWN: [u8; 3] = [28, 32, 40];

/// One column of chunks from above.
#[derive(Clone)]
struct Column {
    /// Colour and height of each tile, x fastest.
    tiles: Vec<([u8; 3], i32)>,
    /// True if it changed since it was read.
    stale: bool,
}

/// Tiles along a side of a column.
const TILES: usize = 32 / METRES as usize;

/// The land read so far.
#[derive(Default)]
pub(crate) struct LandMap {
    columns: HashMap<[i32; 2], Column>,
    /// The column of each chunk, to find it when the chunk is removed.
    homes: HashMap<BrickId, [i32; 2]>,
    revision: u64,
    generation: u64,
    /// Middle, and number of changes, of the last drawn map.
    drawn: Option<([i32; 2], u64)>,
    changes: u64,
}

/// The contents of the map.
pub(crate) struct MapView<'a> {
    pub(crate) world: &'a World,
    /// Changes with the world.
    pub(crate) generation: u64,
    pub(crate) fog: Option<&'a FogOfWar>,
    pub(crate) player: Position,
    pub(crate) yaw: f32,
}

impl LandMap {
    /// Updates the map and writes it into the facts.
    pub(crate) fn update(&mut self, view: &MapView<'_>, facts: &mut MinimapFacts) {
        if self.generation != view.generation || self.columns.len() > MOST_COLUMNS {
            *self = LandMap {
                generation: view.generation,
                changes: self.changes + 1,
                revision: view.world.revision(),
                ..LandMap::default()
            };
        }
        self.forget_changed(view.world);
        let middle = view.player.cell.map(|c| c.div_euclid(METRES));
        let low = [
            middle.x.wrapping_sub(SIDE as i32 / 2),
            middle.z.wrapping_sub(SIDE as i32 / 2),
        ];
        self.read_missing(view.world, middle);
        if self.drawn != Some((low, self.changes)) {
            self.drawn = Some((low, self.changes));
            self.draw(low, facts);
        }
        let cells = view.player.cell - Cell::new(low[0], 0, low[1]) * METRES;
        let at = |cell: i32, offset: f32| (cell as f32 + offset) / METRES as f32;
        facts.player = [
            at(cells.x, view.player.offset.x),
            at(cells.z, view.player.offset.z),
        ];
        facts.fog = view.fog.map(|fog| fog_place(fog, low));
        facts.yaw = view.yaw;
        facts.metres_a_pixel = METRES as f32;
    }

    /// Marks targets, pick-ups and the first thousand walkers.
    pub(crate) fn mark_all(&self, simulation: &Simulation, facts: &mut MinimapFacts) {
        for target in simulation.cannon().targets() {
            self.mark(&target.position, colors::TARGET, facts);
        }
        for pickup in simulation.pickups().waiting() {
            self.mark(&pickup.position, colors::PICKUP, facts);
        }
        for drawn in simulation.seen_walkers(1.0).take(MOST_WALKERS) {
            self.mark(
                &drawn.position,
                colors::skin(drawn.tint, drawn.flash),
                facts,
            );
        }
    }

    /// Adds a mark, if it is on the map.
    fn mark(&self, at: &Position, color: Color, facts: &mut MinimapFacts) {
        let Some((low, _)) = self.drawn else {
            return;
        };
        let cell = |axis: usize, low: i32| {
            let cells = at.cell[axis].wrapping_sub(low.wrapping_mul(METRES));
            (cells as f32 + at.offset[axis]) / METRES as f32
        };
        let place = [cell(0, low[0]), cell(2, low[1])];
        if place.iter().all(|c| (0.0..SIDE as f32).contains(c)) {
            let [r, g, b, _] = color.0;
            facts.dots.push((place, [r, g, b]));
        }
    }

    fn forget_changed(&mut self, world: &World) {
        for brick in world.changes_since(self.revision) {
            let home = self.homes.remove(&brick);
            let is_terrain = world.owner(brick) == Owner::Terrain;
            let place = is_terrain.then(|| world.place_of(brick));
            for place in home
                .into_iter()
                .chain(place.map(|place| [place.x, place.z]))
            {
                if let Some(column) = self.columns.get_mut(&place) {
                    column.stale = true;
                }
            }
        }
        self.revision = world.revision();
    }

    /// Reads the nearest missing columns.
    fn read_missing(&mut self, world: &World, middle: Vector3<i32>) {
        let chunk = [middle.x, middle.z].map(|c| c.div_euclid(TILES as i32));
        let reach = (SIDE / TILES / 2 + 1) as i32;
        let mut left = COLUMNS_A_PICTURE;
        for ring in 0..=reach {
            for z in -ring..=ring {
                for x in -ring..=ring {
                    if x.abs().max(z.abs()) != ring || left == 0 {
                        continue;
                    }
                    let place = [chunk[0] + x, chunk[1] + z];
                    let is_known = self.columns.get(&place).is_some_and(|known| !known.stale);
                    if !is_known && self.read(world, place) {
                        left -= 1;
                    }
                }
            }
        }
    }

    /// Reads a column from the top down; returns false when nothing of it is loaded.
    fn read(&mut self, world: &World, place: [i32; 2]) -> bool {
        let mut tiles = vec![(UNKNOWN, i32::MIN); TILES * TILES];
        let mut loaded = false;
        for row in ROWS.rev() {
            let Some(id) = world.brick_at(Vector3::new(place[0], row, place[1])) else {
                continue;
            };
            loaded = true;
            self.homes.insert(id, place);
            let brick = world.brick(id);
            if brick.voxels().as_uniform() == Some(Material::AIR) {
                continue;
            }
            for (index, tile) in tiles.iter_mut().enumerate() {
                if tile.1 != i32::MIN {
                    continue;
                }
                let (x, z) = (
                    index % TILES * METRES as usize,
                    index / TILES * METRES as usize,
                );
                let bits = |y: usize| {
                    let word = z * 32 + y;
                    (brick.opaque_bits()[word] | brick.clear_bits()[word]) >> x & 1 == 1
                };
                if let Some(y) = (0..32).rev().find(|&y| bits(y)) {
                    let info = world.materials().info(brick.material(x, y, z));
                    let [r, g, b, _] = info.colour;
                    *tile = ([r, g, b], row * 32 + y as i32);
                }
            }
        }
        let stale = false;
        let before = self.columns.remove(&place);
        self.changes += u64::from(loaded || before.is_some());
        if loaded {
            self.columns.insert(place, Column { tiles, stale });
        }
        loaded
    }

    fn tile(&self, x: i32, z: i32) -> Option<([u8; 3], i32)> {
        let side = TILES as i32;
        let column = self
            .columns
            .get(&[x.div_euclid(side), z.div_euclid(side)])?;
        let place = z.rem_euclid(side) * side + x.rem_euclid(side);
        Some(column.tiles[place as usize])
    }

    fn draw(&self, low: [i32; 2], facts: &mut MinimapFacts) {
        facts.side = SIDE;
        facts.pixels.clear();
        facts.revision += 1;
        for z in 0..SIDE as i32 {
            for x in 0..SIDE as i32 {
                let (tile_x, tile_z) = (low[0].wrapping_add(x), low[1].wrapping_add(z));
                facts.pixels.push(self.pixel(tile_x, tile_z));
            }
        }
    }

    /// Returns a tile's colour, brighter on slopes that face north-west.
    fn pixel(&self, x: i32, z: i32) -> [u8; 3] {
        let Some((color, height)) = self.tile(x, z) else {
            return UNKNOWN;
        };
        let behind = self.tile(x - 1, z - 1).map_or(height, |(_, height)| height);
        let rise = height.saturating_sub(behind).clamp(-3, 3) as f32;
        let shade = 0.92 + rise * 0.11;
        color.map(|c| (f32::from(c) * shade).clamp(0.0, 255.0) as u8)
    }
}

/// Returns the corners of the map of the fog of war, pixels.
fn fog_place(fog: &FogOfWar, low: [i32; 2]) -> [[f32; 2]; 2] {
    let origin = fog.origin();
    let sides = fog.size().map(|tiles| tiles as f32 * fog.tile_side());
    let start = [0, 1].map(|axis: usize| {
        let cells = origin[axis].wrapping_sub(low[axis].wrapping_mul(METRES));
        cells as f32 / METRES as f32
    });
    let end = [0, 1].map(|axis: usize| start[axis] + sides[axis] / METRES as f32);
    [start, end]
}

#[cfg(test)]
mod tests {
    use super::*;
    use simulation::FogChoice;
    use world::{CellBox, MaterialTable};

    fn view(world: &World) -> MapView<'_> {
        MapView {
            world,
            generation: 1,
            fog: None,
            player: Position::new(Cell::new(33, 5, 33), Vector3::repeat(0.5)),
            yaw: 0.0,
        }
    }

    #[test]
    fn the_map_shows_the_land_and_follows_edits() {
        let stone = MaterialTable::standard().info(Material::STONE).colour;
        let bounds = CellBox::new(Cell::new(0, 0, 0), Cell::new(63, 31, 63));
        let mut world = World::from_voxels(bounds, |cell| {
            if cell.y < 4 {
                Material::STONE
            } else {
                Material::AIR
            }
        });
        let (mut map, mut facts) = (LandMap::default(), MinimapFacts::default());
        for _ in 0..4 {
            map.update(&view(&world), &mut facts);
        }
        let middle = SIDE / 2 * SIDE + SIDE / 2;
        let ratio = f32::from(facts.pixels[middle][0]) / f32::from(stone[0]);
        assert!((0.85..1.0).contains(&ratio), "level stone: {ratio}");
        assert_eq!(facts.pixels[0], UNKNOWN, "beyond the land");
        assert!(
            (facts.player[0] - 56.75).abs() < 1.0e-4,
            "{:?}",
            facts.player
        );

        let before = facts.revision;
        map.update(&view(&world), &mut facts);
        assert_eq!(facts.revision, before, "nothing changed");
        let bright = facts.pixels.clone();
        let about = Position::new(Cell::new(1, 5, 1), Vector3::zeros());
        let fog = FogOfWar::new(&world, &about, &FogChoice::default());
        let dark = MapView {
            fog: Some(&fog),
            ..view(&world)
        };
        map.update(&dark, &mut facts);
        assert_eq!(facts.pixels, bright, "the fog lies over the picture");
        // Two metres a pixel; the player's pixel of the middle is 16, that of the fog's 0.
        assert_eq!(facts.fog, Some([[-23.5, -23.5], [104.5, 104.5]]));
        map.update(&view(&world), &mut facts);
        assert_eq!(facts.fog, None, "and goes with it");
        world.set_voxel(Cell::new(32, 9, 32), Material::WATER);
        map.update(&view(&world), &mut facts);
        assert!(facts.revision > before);
        assert!(
            facts.pixels[middle][2] > facts.pixels[middle][0],
            "water is blue"
        );
    }
}
