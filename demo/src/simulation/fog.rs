//! Fog of war: the player and the walkers uncover the map about the place where the mode was switched on.

use collision::{Cell, Position};
use world::CellBox;
use world::fog::{BlurSettings, Fog, FogPicture, FogSettings, HeightField, Unit, UnitId};

use super::{Simulation, Switch, TICK};

/// Half the sides of the map, cells.
const REACH: i32 = 128;
/// How far above and below the player heights are read, cells.
const DEPTH: i32 = 128;
/// Ticks between two updates.
const UPDATE_TICKS: u64 = 12;
/// How far a unit sees, tiles.
const SIGHT: u32 = 20;
/// How far above its feet a unit's eyes are, cells.
const EYE: i32 = 2;
/// The most walkers that uncover the map.
const MOST_UNITS: usize = 400;

/// What has been seen of the map.
pub struct FogOfWar {
    fog: Fog,
    picture: FogPicture,
    origin: [i32; 2],
    player: Option<UnitId>,
    units: Vec<UnitId>,
    heights: Vec<f32>,
    revision: u64,
}

impl FogOfWar {
    pub(crate) fn new(world: &world::World, about: Position) -> Self {
        let low = about.cell - Cell::new(REACH, DEPTH, REACH);
        let high = about.cell + Cell::new(REACH - 1, DEPTH, REACH - 1);
        let field = HeightField::of_world(world, CellBox::new(low, high));
        let size = field.size();
        let mut fog = Fog::new(field, 1, FogSettings::default());
        let player = fog.add_unit(unit(tile(low, &about)));
        FogOfWar {
            picture: FogPicture::new(size, BlurSettings::default()),
            origin: [low.x, low.z],
            player,
            units: Vec::new(),
            heights: Vec::new(),
            revision: 1,
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

    /// What is to be drawn, row by row: 0 seen now, 1 never seen.
    pub fn shown(&self) -> &[f32] {
        self.picture.shown()
    }

    /// Alpha of the tiles as they are, without blur.
    pub fn alpha(&self) -> &[f32] {
        self.fog.alpha(0)
    }

    /// Height of each tile, metres.
    pub fn heights(&self) -> &[f32] {
        &self.heights
    }

    /// Changes whenever what is to be drawn does.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Share of the map that was ever seen, 0 to 1.
    pub fn seen_share(&self) -> f32 {
        let alpha = self.alpha();
        let seen = alpha.iter().filter(|&&alpha| alpha < 1.0).count();
        seen as f32 / alpha.len().max(1) as f32
    }

    fn tile(&self, position: &Position) -> [i32; 2] {
        [
            position.cell.x.wrapping_sub(self.origin[0]),
            position.cell.z.wrapping_sub(self.origin[1]),
        ]
    }

    fn update(&mut self, world: &world::World, player: &Position, walkers: &[Position]) {
        if self.fog.heights_mut().follow(world) > 0 || self.heights.is_empty() {
            self.heights = self
                .fog
                .heights()
                .as_slice()
                .iter()
                .map(|&height| height as f32)
                .collect();
        }
        if let Some(id) = self.player {
            let at = self.tile(player);
            self.fog.move_unit(id, at);
        }
        while self.units.len() > walkers.len() {
            if let Some(id) = self.units.pop() {
                self.fog.remove_unit(id);
            }
        }
        for (index, position) in walkers.iter().enumerate() {
            let at = self.tile(position);
            match self.units.get(index) {
                Some(&id) => {
                    self.fog.move_unit(id, at);
                }
                None => self.units.extend(self.fog.add_unit(unit(at))),
            }
        }
        self.fog.update();
        self.picture.take(self.fog.alpha(0), self.fog.heights());
    }
}

fn unit(tile: [i32; 2]) -> Unit {
    Unit {
        team: 0,
        tile,
        radius: SIGHT,
        eye: EYE,
    }
}

fn tile(low: Cell, position: &Position) -> [i32; 2] {
    [position.cell.x - low.x, position.cell.z - low.z]
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
        let walkers: Vec<Position> = if due && self.fog.is_some() {
            let places = (0..self.bodies.walkers.len().min(MOST_UNITS))
                .filter_map(|index| self.bodies.walker_position(index));
            places.collect()
        } else {
            Vec::new()
        };
        let Some(fog) = &mut self.fog else {
            return;
        };
        if due || fog.heights.is_empty() {
            fog.update(&self.world, &player, &walkers);
        }
        fog.picture.advance(TICK);
        fog.revision += 1;
    }
}
