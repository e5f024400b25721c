//! Fog of war: the own player and every second walker uncover the map, which follows the player and
//! is kept with the world. The other walkers are strangers, drawn only where the map is seen now.

mod memory;

use collision::{Cell, Position};
use nalgebra::Vector3;
use world::fog::{
    Fog, FogSettings, FogStage, HeightField, LineTest, Sight, TileSide, Unit, UnitId,
};
use world::{CellBox, World};

use crate::rules::{FogChoice, SightLine};

use super::{Drawn, EYE_SHARE, Simulation, Switch};
use memory::{FogMemory, Tiles};

/// Half the side of the map, cells.
const REACH: i32 = 128;
/// Distance of the player from the middle at which the map follows, cells.
const SLACK: i32 = 16;
/// Height above and below the player in which heights are read, cells.
const DEPTH: i32 = 128;
/// Ticks between two updates.
const UPDATE_TICKS: u64 = 12;
/// Ticks between two saves of the map into the world.
const KEEP_TICKS: u64 = 300;
/// The most walkers that uncover the map.
const MOST_UNITS: usize = 400;
/// One in this many walkers uncovers the map.
const SCOUTS: usize = 2;

/// The seen part of the map.
pub struct FogOfWar {
    fog: Fog,
    origin: [i32; 2],
    choice: FogChoice,
    player: Option<UnitId>,
    units: Vec<UnitId>,
    heights: Vec<f32>,
    /// Sum of the revisions of the maps before.
    revisions_before: u64,
    /// Number of changes of the heights.
    heights_revision: u64,
    /// Memory of seen tiles, on the map and beyond.
    memory: FogMemory,
}

fn line_test(line: SightLine) -> LineTest {
    match line {
        SightLine::Directions => LineTest::Directions,
        SightLine::Stepping => LineTest::Stepping,
        SightLine::Exact => LineTest::Exact,
    }
}

impl FogOfWar {
    /// Returns a map about a position, with the tiles that the world remembers.
    pub fn new(world: &World, about: &Position, choice: &FogChoice) -> Self {
        Self::with_memory(world, about, choice, FogMemory::kept_in(world))
    }

    fn with_memory(world: &World, about: &Position, choice: &FogChoice, memory: FogMemory) -> Self {
        let side = TileSide::parts_of_cell(choice.tile.per_metre());
        let step = |from: i32, by: i32| from.saturating_add(by);
        let low = about.cell.zip_map(&Cell::new(-REACH, -DEPTH, -REACH), step);
        let last = Cell::new(REACH - 1, DEPTH, REACH - 1);
        let high = about.cell.zip_map(&last, step);
        let field = HeightField::of_world(world, CellBox::new(low, high), side);
        let settings = FogSettings {
            line_test: line_test(choice.line),
            ..FogSettings::default()
        };
        let mut fog = Fog::new(field, 1, settings);
        let (tile, eye) = view_from(&fog, about);
        let player = fog.add_unit(unit(tile, eye, choice.radius));
        let mut map = FogOfWar {
            player,
            origin: [low.x, low.z],
            choice: choice.clone(),
            units: Vec::new(),
            heights: Vec::new(),
            revisions_before: 0,
            heights_revision: 0,
            memory,
            fog,
        };
        let seen = map.memory.seen_in(&map.tiles());
        map.fog.recall(0, seen);
        map
    }

    fn tiles(&self) -> Tiles {
        Tiles {
            origin: self.origin,
            size: self.fog.size(),
            per_cell: self.choice.tile.per_metre(),
        }
    }

    /// Returns cell x and z of the first tile.
    pub fn origin(&self) -> [i32; 2] {
        self.origin
    }

    /// Returns the number of tiles along x and z.
    pub fn size(&self) -> [usize; 2] {
        self.fog.size()
    }

    /// Returns the side of a tile, metres.
    pub fn tile_side(&self) -> f32 {
        self.fog.heights().tile_side().cells()
    }

    /// Returns the alpha of the tiles, row by row: 0 seen now, 1 never seen.
    pub fn alpha(&self) -> &[f32] {
        self.fog.alpha(0)
    }

    /// Returns the height of each tile, metres.
    pub fn heights(&self) -> &[f32] {
        &self.heights
    }

    /// Returns a number that changes exactly when the alpha, the heights or the place of the map
    /// do.
    pub fn revision(&self) -> u64 {
        self.revisions_before + self.fog.revision(0) + self.heights_revision
    }

    /// Returns the share of the map that was ever seen, 0 to 1.
    pub fn seen_share(&self) -> f32 {
        let alpha = self.alpha();
        let seen = alpha.iter().filter(|&&alpha| alpha < 1.0).count();
        seen as f32 / alpha.len().max(1) as f32
    }

    /// Returns the tile above or below a position, counted from the first; it may lie off the map.
    pub fn tile_at(&self, at: &Position) -> [i32; 2] {
        self.fog.heights().tile_at(at)
    }

    /// Returns whether a position is seen now.
    pub fn sees(&self, at: &Position) -> bool {
        self.fog.sight(0, self.tile_at(at)) == Sight::Now
    }

    /// Moves the map, or changes its settings. Seen tiles are remembered.
    fn renew(&mut self, world: &World, about: &Position, choice: &FogChoice) {
        self.remember();
        let memory = std::mem::take(&mut self.memory);
        let revision = self.revision();
        *self = Self::with_memory(world, about, choice, memory);
        self.revisions_before = revision + 1;
    }

    fn remember(&mut self) {
        let tiles = self.tiles();
        self.memory.remember(self.fog.alpha(0), &tiles);
    }

    /// Stores all seen tiles in the world.
    fn keep_in(&mut self, world: &mut World) {
        self.remember();
        self.memory.keep_in(world);
    }

    fn follow(&mut self, world: &World, player: &Position) {
        let middle = self.origin.map(|low| low.saturating_add(REACH));
        let away = [player.cell.x, player.cell.z];
        let is_far = (0..2).any(|axis| away[axis].abs_diff(middle[axis]) > SLACK as u32);
        if is_far {
            let choice = self.choice.clone();
            self.renew(world, player, &choice);
        }
    }

    /// Follows the player and the world's edits, and updates the sight of all units from their
    /// eyes.
    pub(crate) fn update(
        &mut self,
        world: &World,
        player: &Position,
        scouts: impl Iterator<Item = Position>,
    ) {
        self.update_in_stages(world, player, scouts, |_| ());
    }

    /// Updates, and calls `ended` at the end of each stage.
    pub fn update_in_stages(
        &mut self,
        world: &World,
        player: &Position,
        scouts: impl Iterator<Item = Position>,
        ended: impl FnMut(FogStage),
    ) {
        self.follow(world, player);
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
        for position in scouts {
            let (tile, eye) = view_from(&self.fog, &position);
            match self.units.get(count) {
                Some(&id) => {
                    self.fog.move_unit(id, tile, eye);
                }
                None => {
                    let unit = unit(tile, eye, self.choice.radius);
                    self.units.extend(self.fog.add_unit(unit));
                }
            }
            count += 1;
        }
        for id in self.units.drain(count.min(self.units.len())..) {
            self.fog.remove_unit(id);
        }
        self.fog.update_in_stages(world, ended);
    }
}

fn unit(tile: [i32; 2], eye: i32, radius: u32) -> Unit {
    Unit {
        team: 0,
        tile,
        radius,
        eye,
    }
}

/// Returns the tile and the height of an eye.
fn view_from(fog: &Fog, eye: &Position) -> ([i32; 2], i32) {
    (fog.heights().tile_at(eye), eye.cell.y)
}

impl Simulation {
    /// Returns the map, while the fog of war is on.
    pub fn fog(&self) -> Option<&FogOfWar> {
        self.fog.as_ref()
    }

    /// Returns the walkers to be drawn: in the fog of war only those where it is lifted.
    pub fn seen_walkers(&self, between: f32) -> impl Iterator<Item = Drawn> + '_ {
        let walkers = self.bodies.drawn_walkers(between);
        let is_seen = |at: &Position| self.fog.as_ref().is_none_or(|fog| fog.sees(at));
        walkers.filter(move |drawn| is_seen(&drawn.position))
    }

    /// Stores the seen tiles in the world.
    pub fn keep_fog(&mut self) {
        if let Some(fog) = &mut self.fog {
            fog.keep_in(&mut self.world);
        }
    }

    pub(super) fn set_fog(&mut self, switch: Switch) {
        self.keep_fog();
        let about = self.eye();
        self.fog = match switch {
            Switch::On => Some(FogOfWar::new(&self.world, &about, &self.fog_choice)),
            Switch::Off => None,
        };
    }

    pub(super) fn tune_fog(&mut self, choice: &FogChoice) {
        let choice = &choice.clone().within_limits();
        if *choice == self.fog_choice {
            return;
        }
        self.fog_choice = choice.clone();
        let about = self.eye();
        if let Some(fog) = &mut self.fog {
            fog.renew(&self.world, &about, choice);
        }
    }

    pub(super) fn tick_fog(&mut self) {
        let due = self.ticks.is_multiple_of(UPDATE_TICKS);
        let player = self.eye();
        let lift = Vector3::y() * (self.tuning.half_height * EYE_SHARE);
        if let Some(fog) = &mut self.fog
            && (due || fog.heights.is_empty())
        {
            let bodies = &self.bodies;
            let scouts = (0..bodies.walkers.len()).step_by(SCOUTS).take(MOST_UNITS);
            let positions = scouts.filter_map(|index| bodies.walker_position(index));
            let scouts = positions.map(|position| position.moved(lift));
            fog.update(&self.world, &player, scouts);
        }
        if self.ticks % KEEP_TICKS == KEEP_TICKS - 1 {
            self.keep_fog();
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::sync::Arc;

    use world::save::{MemoryStore, Store};
    use world::{Brick, Material, Voxels};

    use super::*;
    use crate::rules::{Characters, FogTile};
    use crate::{Command, PlayerId, Wish, standing_in};

    /// Level ground over a strip 640 m long, saved in a store.
    fn strip(store: &Arc<dyn Store>) -> World {
        let mut world = World::create_in(store.clone(), 11).unwrap();
        let floor = Voxels::from_fn(|_, y, _| match y {
            0..4 => Material::STONE,
            _ => Material::AIR,
        });
        let bricks: Vec<_> = (-4..20)
            .flat_map(|x| (-4..4).map(move |z| Cell::new(x, 40, z)))
            .map(|chunk| (chunk, Brick::new(floor.clone(), world.materials())))
            .collect();
        world.insert_bricks(bricks);
        world
    }

    fn at(x: i32) -> Position {
        let tuning = Characters::default();
        standing_in(Cell::new(x, 1284, 0), tuning.half_height)
    }

    fn simulation(store: &Arc<dyn Store>) -> Simulation {
        let mut simulation = Simulation::new(strip(store), at(0), &Characters::default());
        simulation.apply(PlayerId::FIRST, &Command::SetFog(Switch::On));
        simulation.tick(&Wish::default().alone());
        simulation
    }

    fn alpha_at(simulation: &Simulation, x: i32) -> f32 {
        let fog = simulation.fog().unwrap();
        let [width, _] = fog.size();
        let tile = fog
            .tile_at(&at(x))
            .map(|part| usize::try_from(part).unwrap());
        fog.alpha()[tile[1] * width + tile[0]]
    }

    fn go_to(simulation: &mut Simulation, x: i32) {
        simulation.bodies.teleport_player(0, at(x));
        (0..UPDATE_TICKS).for_each(|_| simulation.tick(&Wish::default().alone()));
    }

    #[test]
    fn the_map_follows_the_player_and_remembers_what_it_left() {
        let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
        let mut simulation = simulation(&store);
        assert_eq!(alpha_at(&simulation, 0), 0.0);
        let mut revision = simulation.fog().unwrap().revision();
        for x in (40..=520).step_by(40) {
            go_to(&mut simulation, x);
            assert_eq!(alpha_at(&simulation, x), 0.0, "at {x}");
            assert!(simulation.fog().unwrap().revision() > revision);
            revision = simulation.fog().unwrap().revision();
        }
        go_to(&mut simulation, 60);
        assert!((0.5..=0.8).contains(&alpha_at(&simulation, 0)));
        assert_eq!(alpha_at(&simulation, -40), 1.0);
        // Nothing moves, so the revision stays and nothing is uploaded.
        let revision = simulation.fog().unwrap().revision();
        (0..60).for_each(|_| simulation.tick(&Wish::default().alone()));
        assert_eq!(simulation.fog().unwrap().revision(), revision);
    }

    #[test]
    fn what_was_seen_is_kept_with_the_world() {
        let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
        let mut first = simulation(&store);
        go_to(&mut first, 300);
        first.keep_fog();
        first.world.flush().unwrap();
        drop(first);
        let world = World::open_store(store).unwrap();
        let mut again = Simulation::new(world, at(60), &Characters::default());
        again.apply(PlayerId::FIRST, &Command::SetFog(Switch::On));
        assert!((0.5..=0.8).contains(&alpha_at(&again, 0)));
        assert_eq!(alpha_at(&again, -40), 1.0);
    }

    #[test]
    fn the_chosen_radius_is_how_far_is_seen() {
        let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
        let mut simulation = simulation(&store);
        for (radius, line) in [
            (9, SightLine::Exact),
            (17, SightLine::Directions),
            (12, SightLine::Stepping),
        ] {
            simulation.apply(
                PlayerId::FIRST,
                &Command::TuneFog(FogChoice {
                    line,
                    radius,
                    ..FogChoice::default()
                }),
            );
            go_to(&mut simulation, 0);
            let last = radius as i32;
            assert_eq!(alpha_at(&simulation, last - 1), 0.0, "{line:?}");
            assert!(alpha_at(&simulation, last + 1) > 0.0, "{line:?}");
        }
    }

    fn tune(simulation: &mut Simulation, tile: FogTile) {
        let choice = FogChoice {
            tile,
            ..FogChoice::default()
        };
        simulation.apply(PlayerId::FIRST, &Command::TuneFog(choice));
        simulation.tick(&Wish::default().alone());
    }

    #[test]
    fn what_was_seen_stays_so_when_the_side_of_a_tile_changes() {
        let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
        let mut simulation = simulation(&store);
        go_to(&mut simulation, 60);
        let check = |simulation: &Simulation| {
            assert_eq!(alpha_at(simulation, 60), 0.0);
            assert!((0.5..=0.8).contains(&alpha_at(simulation, 0)));
            assert!((0.5..=0.8).contains(&alpha_at(simulation, 19)));
            assert_eq!(alpha_at(simulation, -40), 1.0);
            assert_eq!(alpha_at(simulation, 30), 1.0);
        };
        check(&simulation);
        let revision = simulation.fog().unwrap().revision();
        tune(&mut simulation, FogTile::HalfMetre);
        let fog = simulation.fog().unwrap();
        assert_eq!((fog.tile_side(), fog.size()), (0.5, [512, 512]));
        assert!(fog.revision() > revision);
        assert_eq!(fog.heights().len(), 512 * 512);
        check(&simulation);
        // The same number of small tiles reaches half as far.
        assert_eq!(alpha_at(&simulation, 69), 0.0);
        assert!(alpha_at(&simulation, 71) > 0.0);
        simulation.keep_fog();
        simulation.world.flush().unwrap();
        drop(simulation);
        let world = World::open_store(store.clone()).unwrap();
        let mut again = Simulation::new(world, at(60), &Characters::default());
        again.apply(PlayerId::FIRST, &Command::SetFog(Switch::On));
        again.tick(&Wish::default().alone());
        check(&again);
        assert_eq!(again.fog().unwrap().tile_side(), 1.0);
    }

    #[test]
    fn the_player_in_a_house_sees_the_room_and_out_of_the_door() {
        let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
        let mut simulation = simulation(&store);
        let (low, high) = (Cell::new(-4, 1284, -4), Cell::new(4, 1287, 4));
        // A house three metres high inside, with a door of two to the east.
        simulation.world.write(|writer| {
            for x in low.x..=high.x {
                for y in low.y..=high.y {
                    for z in low.z..=high.z {
                        let is_wall = x.abs() == 4 || z.abs() == 4 || y == high.y;
                        let is_door = x == 4 && z == 0 && y < low.y + 2;
                        if is_wall && !is_door {
                            writer.set(Cell::new(x, y, z), Material::STONE);
                        }
                    }
                }
            }
        });
        let fresh = FogChoice {
            radius: 19,
            ..FogChoice::default()
        };
        simulation.fog = None;
        simulation.fog_choice = fresh;
        simulation
            .world
            .kept_names()
            .for_each(|name| assert!(!name.starts_with("fog")));
        simulation.apply(PlayerId::FIRST, &Command::SetFog(Switch::On));
        (0..UPDATE_TICKS).for_each(|_| simulation.tick(&Wish::default().alone()));
        for x in -3..=3 {
            assert_eq!(alpha_at(&simulation, x), 0.0, "in the room at {x}");
        }
        for x in 4..=15 {
            assert_eq!(alpha_at(&simulation, x), 0.0, "out of the door at {x}");
        }
        for x in -15..=-4 {
            assert_eq!(alpha_at(&simulation, x), 1.0, "beyond the wall at {x}");
        }
    }

    #[test]
    fn walkers_in_the_fog_are_not_drawn() {
        let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
        let mut simulation = simulation(&store);
        let radius = FogChoice::default().radius as f32;
        simulation.apply(PlayerId::FIRST, &Command::SetCrowd(2));
        let stranger = simulation.bodies.walkers[1].id;
        let scout = simulation.bodies.walkers[0].id;
        let mut put = |id, x: f32| {
            let place = at(0).moved(Vector3::new(x, 0.0, 0.0));
            simulation.bodies.crowd.teleport(id, place).unwrap();
            (0..UPDATE_TICKS).for_each(|_| simulation.tick(&Wish::default().alone()));
            simulation.seen_walkers(1.0).count()
        };
        put(scout, -4.0);
        assert_eq!(put(stranger, radius - 5.0), 2);
        assert_eq!(put(stranger, radius + 30.0), 1);
        // The scout finds the map again.
        assert_eq!(put(scout, radius + 24.0), 2);
    }
}
