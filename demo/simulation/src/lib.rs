//! Everything that moves and changes, at a fixed 60 ticks a second, without a window: tests drive
//! it as the window does.
//!
//! One tick: platforms, then intents, then the crowd, then balls, blows, pick-ups and fog. Pictures
//! interpolate positions between two ticks. Commands of guests pass the [`Guard`].

mod audible;
mod bodies;
mod bytes;
mod cannon;
pub mod coding;
mod command;
mod demand;
mod edited;
mod editing;
mod eye_lag;
mod fighting;
mod fog;
mod guard;
mod guest;
mod gun;
mod hand;
mod input;
mod joined;
mod land;
#[cfg(test)]
mod level_ground;
mod loose;
mod melee;
mod noises;
mod own;
mod pickups;
mod platforms;
mod player;
mod players;
mod predicted;
mod prop_model;
mod prop_steps;
mod props;
mod random;
mod recording;
mod region;
mod rules;
mod scenery;
mod shooting;
mod shot;
mod sparks;
mod state_hash;
mod symmetry;
mod trigonometry;
mod underfoot;
mod walkers;
mod wish;

use collision::{Crowd, MoverConfig, Position};
use nalgebra::Vector3;
use world::{EditReport, Surface, World};

pub use bodies::{Drawn, blend};
pub use cannon::{BALL_RADIUS, Ball, Cannon, TARGET_RADIUS, Target};
pub use command::{BRUSH_SIZES, BrushMode, BrushShape, Command, Joins, RegionWork, Stroke, Switch};
pub use editing::{
    MOST_COPIED, PastStroke, PastWork, apply_stroke, load_for_stroke, solid_voxels, stroke_cells,
};
pub use fog::FogOfWar;
pub use guard::{Guard, Limits, Refusal, Role};
pub use guest::OtherPlayer;
pub use gun::{BARREL, Gun};
pub use input::{Input, InputError};
pub use land::{clear_distance, dry_ground, lift_out, standing_in, start_of};
pub use loose::{Loose, LooseKind};
pub use melee::{Blow, Fighter, Melee, Struck};
pub use noises::{Heard, Matter, Noise};
pub use pickups::{Pickups, Zone};
pub use player::{JoinError, MOST_PLAYERS, Player, PlayerId};
pub use predicted::{PlayerBytesError, PredictedPlayer};
pub use prop_model::{PropError, PropModel, SHIPPED_COUNT, TURNS, angle_of_turn, shipped};
pub use props::{Prop, PropHit, PropId, Props, Stand};
pub use random::Random;
pub use recording::{Recording, RecordingError, Start};
pub use rules::{Characters, FogChoice, FogTile, SightLine, limit};
pub use shot::CannonShot;
pub use sparks::{Spark, SparkShape, Sparks};
pub use state_hash::hash_of;
pub use symmetry::{AXES, Symmetry};
pub use walkers::Mood;
pub use wish::{Travel, Wish};

use bodies::Bodies;
use edited::Edited;
use joined::Joined;
use noises::Noises;
use platforms::Platforms;
use recording::Log;
use walkers::spiral;

/// The most walkers.
pub const MOST_WALKERS: u32 = 10_000;
/// Length of a tick, seconds.
pub const TICK: f32 = 1.0 / 60.0;

/// The world and everything in it.
pub struct Simulation {
    /// The terrain and its free objects.
    pub world: World,
    /// Shape and movement of characters.
    tuning: Characters,
    bodies: Bodies,
    platforms: Platforms,
    cannon: Cannon,
    melee: Melee,
    sparks: Sparks,
    noises: Noises,
    pickups: Pickups,
    props: Props,
    fog: Option<FogOfWar>,
    fog_choice: FogChoice,
    random: Random,
    ticks: u64,
    /// Start of new players.
    home: Position,
    /// The edits that belong to the one before.
    joined: Joined,
    /// Parts of the world that could not be read, in words.
    notices: Vec<String>,
    edited: Edited,
    /// All that came in since the recording began.
    log: Option<Log>,
}

/// Height of the eyes above a player's centre, as a share of the half height.
const EYE_SHARE: f32 = 0.75;
/// Ticks between two searches for lost walkers.
const RESCUE_TICKS: u64 = 60;
/// Places tried for a new player, and their distance, metres.
const JOIN_PLACES: u32 = 256;
const JOIN_SPACING: f32 = 1.5;

impl Simulation {
    /// Returns a world with the first player alone, at its home.
    pub fn new(world: World, home: Position, tuning: &Characters) -> Self {
        let (props, prop_errors) = Props::kept_in(&world);
        let notices = prop_errors.iter().map(ToString::to_string).collect();
        Simulation {
            bodies: Bodies::new(tuning, home),
            tuning: tuning.clone(),
            platforms: Platforms::default(),
            cannon: Cannon::default(),
            melee: Melee::default(),
            sparks: Sparks::default(),
            noises: Noises::default(),
            pickups: Pickups::default(),
            props,
            notices,
            edited: Edited::default(),
            log: None,
            fog: None,
            fog_choice: FogChoice::default(),
            random: Random::new(1),
            joined: Joined::kept_in(&world),
            ticks: 0,
            home,
            world,
        }
    }

    /// Moves everything by one tick. A player without a new input goes on with its last one; inputs
    /// of players that are not here are dropped.
    pub fn tick(&mut self, inputs: &[(PlayerId, Input)]) {
        self.note(|log| log.tick(inputs));
        for &(id, input) in inputs {
            if let Ok(player) = self.bodies.index(id) {
                self.bodies.players[player].take(input);
            }
        }
        self.platforms.tick(&mut self.world);
        self.bodies
            .feel_ground(&self.world, &self.tuning, self.ticks);
        let (bodies, tuning, random) = (&mut self.bodies, &self.tuning, &mut self.random);
        self.props
            .with_land(&self.world, |land| bodies.tick(land, tuning, random));
        if self.ticks.is_multiple_of(RESCUE_TICKS) {
            self.bodies.rescue_lost(&self.world, &self.tuning);
            let turn = self.ticks / RESCUE_TICKS;
            self.bodies
                .add_missing(turn, &self.world, &self.tuning, &mut self.random);
        }
        self.tick_cannon();
        self.tick_fights();
        self.sparks.tick();
        self.tick_pickups();
        self.tick_fog();
        self.tick_noises();
        self.ticks += 1;
    }

    /// Adds a player at the start, beside those that are there.
    pub fn join(&mut self, id: PlayerId) -> Result<(), JoinError> {
        self.note(|log| log.join(id));
        let at = self.free_place(&self.home).unwrap_or(self.home);
        self.bodies.join(id, at, &self.tuning)
    }

    /// Moves a player beside another one; returns false if one of them is not here.
    pub fn bring(&mut self, guest: PlayerId, host: PlayerId) -> bool {
        let (Ok(guest), Ok(host)) = (self.bodies.index(guest), self.bodies.index(host)) else {
            return false;
        };
        let about = self.place_of(host);
        if let Some(there) = self.free_place(&about) {
            self.teleport(guest, there);
        }
        true
    }

    /// Returns a place about another one with room for a player beside the others, or at least with
    /// room.
    fn free_place(&self, about: &Position) -> Option<Position> {
        let half_height = self.tuning.half_height;
        let around = (0..JOIN_PLACES).map(|place| spiral(place, JOIN_SPACING));
        let spots = std::iter::once([0.0; 2]).chain(around);
        let mut places = spots.filter_map(|[x, z]| {
            let feet = about.moved(Vector3::new(x, -half_height, z)).cell;
            let feet = land::room_above(&self.world, feet, half_height * 2.0)?;
            Some(land::standing_in(feet, half_height))
        });
        let first = places.next()?;
        let mut places = std::iter::once(first).chain(places);
        let free = places.find(|place| self.bodies.is_free(place, &self.tuning));
        Some(free.unwrap_or(first))
    }

    /// Removes a player, after the rest of its stroke; returns false if it was gone.
    pub fn leave(&mut self, id: PlayerId) -> bool {
        self.note(|log| log.leave(id));
        if let Ok(player) = self.bodies.index(id) {
            self.finish_strokes_of(player);
        }
        self.bodies.leave(id)
    }

    /// Applies a command of a player between two ticks; commands of players that are not here are
    /// dropped. Returns the report of a stroke or a piece, and an empty one for other commands.
    pub fn apply(&mut self, by: PlayerId, command: &Command) -> EditReport {
        let Ok(player) = self.bodies.index(by) else {
            return EditReport::default();
        };
        self.note(|log| log.command(by, command));
        match command {
            Command::Edit(stroke) => return self.edit(player, stroke),
            Command::PlacePiece { voxels, at, joins } => {
                return self.place_piece(player, voxels, *at, *joins);
            }
            Command::Undo => self.undo(player),
            Command::Redo => self.redo(player),
            Command::GoOn => self.go_on(player),
            Command::GoToStroke(count) => self.go_to_stroke(player, *count),
            Command::Copy { from, to } => self.copy(player, *from, *to),
            Command::Paste(at) => self.paste(player, *at),
            Command::PlaceModel(at) => self.place_model(player, at),
            Command::TakeModel(model) => self.take_model(player, *model),
            Command::EditModel(model, stroke) => self.edit_model(player, *model, stroke),
            Command::PlaceProp { model, stand } => self.place_prop(player, model, *stand),
            Command::MoveProp { prop, stand } => self.move_prop(player, *prop, *stand),
            Command::TakeProp(prop) => self.take_prop(player, *prop),
            Command::Work(cells, work) => self.work(player, cells, *work),
            Command::TakeInHand(copy) => self.take_in_hand(player, copy.clone()),
            Command::TurnCopy(axis) => self.change_copy(player, |copy| copy.rotated(*axis)),
            Command::MirrorCopy(axis) => self.change_copy(player, |copy| copy.mirrored(*axis)),
            Command::Travel(travel) => self.bodies.players[player].travel = *travel,
            Command::Teleport(to) => self.teleport(player, *to),
            Command::Spawn => self.spawn(player),
            Command::SetCrowd(count) => self.set_crowd(player, *count),
            Command::SetMood(mood) => self.bodies.mood = *mood,
            Command::SetPlatforms(Switch::On) => {
                let about = self.place_of(player);
                self.platforms.start(&mut self.world, about);
                self.pickups.ride(&self.world, self.platforms.lift());
            }
            Command::SetPlatforms(Switch::Off) => {
                self.platforms.stop(&mut self.world);
                self.pickups.get_off();
            }
            Command::ThrowPickup => self.throw_pickup(player),
            Command::SetFog(switch) => self.set_fog(*switch),
            Command::TuneFog(choice) => self.tune_fog(choice),
            Command::ScatterTargets(count) => self.scatter_targets(player, (*count).min(500)),
            Command::Fire(shot) => self.fire(player, shot),
            Command::Strike(blow) => {
                self.strike(player, *blow);
            }
            Command::Tune(tuning) => self.tune(tuning),
        }
        EditReport::default()
    }

    fn set_crowd(&mut self, player: usize, count: u32) {
        let about = self.place_of(player);
        self.bodies.set_count(
            count.min(MOST_WALKERS),
            about,
            &self.world,
            &self.tuning,
            &mut self.random,
        );
    }

    fn tune(&mut self, tuning: &Characters) {
        let tuning = &tuning.clone().within_limits();
        if *tuning != self.tuning {
            self.tuning = tuning.clone();
            self.bodies.tune(tuning);
        }
    }

    /// Lifts a player that is stuck in the ground out of it, and brings any other one back to the
    /// start.
    fn spawn(&mut self, player: usize) {
        let at = self.place_of(player);
        let is_stuck = land::is_solid(&self.world, at.cell);
        self.teleport(player, if is_stuck { at } else { self.home });
    }

    /// Moves a player upwards to the next place with room; without one, the player stays.
    fn teleport(&mut self, player: usize, to: Position) {
        let height = self.tuning.half_height * 2.0;
        if let Some(feet) = land::room_above(&self.world, to.cell, height) {
            let to = land::standing_in(feet, self.tuning.half_height);
            self.bodies.teleport_player(player, to);
            self.bodies.players[player].feel.stop();
        }
    }

    /// Throws a player.
    fn shove_player(&mut self, player: usize, velocity: Vector3<f32>) {
        let Bodies { crowd, players, .. } = &mut self.bodies;
        players[player].shove(crowd, velocity);
    }

    /// Returns every player, in the order of their numbers.
    pub fn players(&self) -> &[Player] {
        &self.bodies.players
    }

    /// Returns the centre of a player.
    fn place_of(&self, player: usize) -> Position {
        self.bodies.position_of(&self.bodies.players[player])
    }

    /// Returns the position of a player's eyes.
    fn eye_of(&self, player: usize) -> Position {
        let height = self.drawn(&self.bodies.players[player], 1.0).radii.y * EYE_SHARE;
        self.place_of(player).moved(Vector3::y() * height)
    }

    /// Returns whether a cell is solid and cannot be seen through.
    pub fn is_solid_at(&self, cell: collision::Cell) -> bool {
        let table = self.world.materials();
        let material = self.world.material(cell);
        material.is_some_and(|material| table.is_solid(material) && table.is_opaque(material))
    }

    /// Returns how characters slide and step.
    pub fn mover_config(&self) -> MoverConfig {
        bodies::body_settings(&self.tuning, Surface::Firm).mover
    }

    /// Returns a player as a picture between two ticks shows it.
    pub fn drawn(&self, player: &Player, between: f32) -> Drawn {
        self.bodies.drawn_player(player, between, &self.tuning)
    }

    /// Returns every walker as a picture between two ticks shows it.
    pub fn drawn_walkers(&self, between: f32) -> impl Iterator<Item = Drawn> + '_ {
        self.bodies.drawn_walkers(between)
    }

    /// Returns the number of walkers.
    pub fn walkers(&self) -> u32 {
        self.bodies.walkers.len() as u32
    }

    /// Returns the mood of the walkers.
    pub fn mood(&self) -> Mood {
        self.bodies.mood
    }

    /// Returns whether there are moving platforms.
    pub fn has_platforms(&self) -> bool {
        self.platforms.is_on()
    }

    /// Returns the shape and the movement of characters.
    pub fn tuning(&self) -> &Characters {
        &self.tuning
    }

    /// Returns the seconds since the start.
    pub fn seconds(&self) -> f32 {
        self.ticks as f32 * TICK
    }

    /// Returns the ticks since the start.
    pub fn ticks(&self) -> u64 {
        self.ticks
    }

    /// Returns the start of new players.
    pub fn home(&self) -> Position {
        self.home
    }

    /// Takes the messages about parts of the world that could not be read.
    pub fn take_notices(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notices)
    }

    /// Returns balls and targets.
    pub fn cannon(&self) -> &Cannon {
        &self.cannon
    }

    /// Returns blows.
    pub fn melee(&self) -> &Melee {
        &self.melee
    }

    /// Returns sparks.
    pub fn sparks(&self) -> &Sparks {
        &self.sparks
    }

    /// Returns pick-ups and trigger zones.
    pub fn pickups(&self) -> &Pickups {
        &self.pickups
    }

    /// Returns the crowd, for overlays and figures.
    pub fn crowd(&self) -> &Crowd {
        &self.bodies.crowd
    }
}
