//! Fog of war: the player and the walkers uncover the map about the place where the mode was switched on.

use collision::{Cell, Position};
use world::CellBox;
use world::fog::{Fog, FogSettings, HeightField, TileSide, Unit, UnitId};

use super::{Simulation, Switch};

/// Half the sides of the map, cells.
const REACH: i32 = 128;
/// How far above and below the player heights are read, cells.
const DEPTH: i32 = 128;
/// Ticks between two updates.
const UPDATE_TICKS: u64 = 12;
/// How far a unit sees, tiles.
const SIGHT: u32 = 20;
/// How far above the cell of its middle a unit sees, cells.
const EYE: i32 = 2;
/// The most walkers that uncover the map.
const MOST_UNITS: usize = 400;

/// What has been seen of the map.
pub struct FogOfWar {
    fog: Fog,
    origin: [i32; 2],
    player: Option<UnitId>,
    units: Vec<UnitId>,
    heights: Vec<f32>,
    /// How often the heights changed.
    heights_revision: u64,
}

impl FogOfWar {
    pub(crate) fn new(world: &world::World, about: Position) -> Self {
        let low = about.cell - Cell::new(REACH, DEPTH, REACH);
        let high = about.cell + Cell::new(REACH - 1, DEPTH, REACH - 1);
        let field = HeightField::of_world(world, CellBox::new(low, high), TileSide::CELL);
        let mut fog = Fog::new(field, 1, FogSettings::default());
        let (tile, eye) = view_from(&fog, &about);
        FogOfWar {
            origin: [low.x, low.z],
            player: fog.add_unit(unit(tile, eye)),
            units: Vec::new(),
            heights: Vec::new(),
            heights_revision: 0,
            fog,
        }
    }

    /// Cell x and z of the first tile.
    pub fn origin(&self) -> [i32; 2] {
        self.origin
    }

    /// Tiles along x and z.
    pub fn size(&self) -> [usize; 2] {
        self.fog.size()
    }

    /// Alpha of the tiles, row by row: 0 seen now, 1 never seen.
    pub fn alpha(&self) -> &[f32] {
        self.fog.alpha(0)
    }

    /// Height of each tile, metres.
    pub fn heights(&self) -> &[f32] {
        &self.heights
    }

    /// Changes when the alpha or the heights do, and at no other time.
    pub fn revision(&self) -> u64 {
        self.fog.revision(0) + self.heights_revision
    }

    /// Share of the map that was ever seen, 0 to 1.
    pub fn seen_share(&self) -> f32 {
        let alpha = self.alpha();
        let seen = alpha.iter().filter(|&&alpha| alpha < 1.0).count();
        seen as f32 / alpha.len().max(1) as f32
    }

    /// Follows the world's edits and lets all units look from where they are.
    pub(crate) fn update(
        &mut self,
        world: &world::World,
        player: &Position,
        walkers: impl Iterator<Item = Position>,
    ) {
        if self.fog.heights_mut().follow(world) > 0 || self.heights.is_empty() {
            self.heights.clear();
            let heights = self.fog.heights().as_slice().iter();
            self.heights.extend(heights.map(|&height| height as f32));
            self.heights_revision += 1;
        }
        if let Some(id) = self.player {
            let (tile, eye) = view_from(&self.fog, player);
            self.fog.move_unit(id, tile, eye);
        }
        let mut count = 0;
        for position in walkers {
            let (tile, eye) = view_from(&self.fog, &position);
            match self.units.get(count) {
                Some(&id) => {
                    self.fog.move_unit(id, tile, eye);
                }
                None => self.units.extend(self.fog.add_unit(unit(tile, eye))),
            }
            count += 1;
        }
        for id in self.units.drain(count.min(self.units.len())..) {
            self.fog.remove_unit(id);
        }
        self.fog.update();
    }
}

fn unit(tile: [i32; 2], eye: i32) -> Unit {
    Unit {
        team: 0,
        tile,
        radius: SIGHT,
        eye,
    }
}

/// The tile and the height from which a character looks.
fn view_from(fog: &Fog, position: &Position) -> ([i32; 2], i32) {
    let eye = position.cell.y.saturating_add(EYE);
    (fog.heights().tile_at(position), eye)
}

impl Simulation {
    /// What has been seen, while the mode is on.
    pub fn fog(&self) -> Option<&FogOfWar> {
        self.fog.as_ref()
    }

    pub(super) fn set_fog(&mut self, switch: Switch) {
        self.fog = match switch {
            Switch::On => Some(FogOfWar::new(&self.world, self.player_position())),
            Switch::Off => None,
        };
    }

    pub(super) fn tick_fog(&mut self) {
        let due = self.ticks.is_multiple_of(UPDATE_TICKS);
        let player = self.player_position();
        let Some(fog) = &mut self.fog else {
            return;
        };
        if due || fog.heights.is_empty() {
            let bodies = &self.bodies;
            let walkers = (0..bodies.walkers.len().min(MOST_UNITS))
                .filter_map(|index| bodies.walker_position(index));
            fog.update(&self.world, &player, walkers);
        }
    }
}
