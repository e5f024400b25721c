//! Everything that moves and changes, at a fixed 60 ticks a second, without a window: tests drive
//! it as the window does.
//!
//! One tick: platforms, then intents, then the crowd, then balls, blows, pick-ups and fog. Pictures
//! interpolate positions between two ticks.

mod audible;
mod bodies;
mod cannon;
mod command;
mod editing;
mod eye_lag;
mod fighting;
mod fog;
mod gun;
mod joined;
mod land;
#[cfg(test)]
mod level_ground;
mod loose;
mod melee;
mod noises;
mod pickups;
mod platforms;
mod player;
mod prop_steps;
mod props;
mod region;
mod shooting;
mod sparks;
mod symmetry;
mod underfoot;
mod walkers;
mod wish;

use collision::{CharacterId, Crowd, Medium, MoverConfig, Position};
use nalgebra::Vector3;
use world::{Surface, World};

pub use bodies::Drawn;
pub(crate) use bodies::blend;
pub use cannon::{BALL_RADIUS, Ball, Cannon, TARGET_RADIUS, Target};
pub use command::{BRUSH_SIZES, BrushMode, BrushShape, Command, Joins, RegionWork, Stroke, Switch};
pub use editing::{MOST_COPIED, stroke_cells};
pub use fog::FogOfWar;
pub use gun::{BARREL, CannonShot, Gun};
pub(crate) use land::{clear_distance, dry_ground, lift_out, standing_in};
pub use loose::{Loose, LooseKind};
pub use melee::{Blow, Melee, Struck};
pub use noises::{Heard, Matter, Noise};
pub use pickups::{Pickups, Zone};
pub use props::{Prop, PropHit, PropId, Props, Stand};
pub use sparks::{Spark, SparkShape, Sparks};
pub(crate) use symmetry::{AXES, Symmetry};
pub use walkers::Mood;
pub use wish::{Travel, Wish};

use crate::random::Random;
use crate::settings::{Characters, FogChoice};

use audible::Feet;
use bodies::Bodies;
use editing::Editing;
use noises::Noises;
use platforms::Platforms;
use player::Player;

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
    player: Player,
    platforms: Platforms,
    cannon: Cannon,
    melee: Melee,
    sparks: Sparks,
    noises: Noises,
    feet: Feet,
    pickups: Pickups,
    props: Props,
    fog: Option<FogOfWar>,
    fog_choice: FogChoice,
    random: Random,
    ticks: u64,
    /// Start of the player.
    home: Position,
    editing: Editing,
    /// Parts of the world that could not be read, in words.
    notices: Vec<String>,
}

/// Height of the eyes above the player's centre, as a share of the half height.
const EYE_SHARE: f32 = 0.75;
/// Ticks between two searches for lost walkers.
const RESCUE_TICKS: u64 = 60;

impl Simulation {
    /// Returns a world with the player alone, at its home.
    pub fn new(world: World, home: Position, tuning: &Characters) -> Self {
        let (props, prop_errors) = Props::kept_in(&world);
        let notices = prop_errors.iter().map(ToString::to_string).collect();
        Simulation {
            bodies: Bodies::new(tuning, home),
            tuning: tuning.clone(),
            player: Player::default(),
            platforms: Platforms::default(),
            cannon: Cannon::default(),
            melee: Melee::default(),
            sparks: Sparks::default(),
            noises: Noises::default(),
            feet: Feet::default(),
            pickups: Pickups::default(),
            props,
            notices,
            fog: None,
            fog_choice: FogChoice::default(),
            random: Random::new(1),
            editing: Editing::of(&world),
            ticks: 0,
            home,
            world,
        }
    }

    /// Moves everything by one tick.
    pub fn tick(&mut self, wish: &Wish) {
        self.player.wish = wish.sound();
        self.platforms.tick(&mut self.world);
        self.bodies
            .feel_ground(&self.world, &self.tuning, self.ticks);
        let intent = self.player.intend(&self.bodies, &self.tuning);
        let (bodies, random) = (&mut self.bodies, &mut self.random);
        self.props
            .with_land(&self.world, |land| bodies.tick(land, intent, random));
        if self.ticks.is_multiple_of(RESCUE_TICKS) {
            self.bodies.rescue_lost(&self.world, &self.tuning);
            self.bodies
                .add_missing(&self.world, &self.tuning, &mut self.random);
        }
        self.tick_cannon();
        self.tick_fights();
        self.sparks.tick();
        self.tick_pickups();
        self.tick_fog();
        self.tick_noises();
        self.ticks += 1;
    }

    /// Applies a command between two ticks.
    pub fn apply(&mut self, command: &Command) {
        match command {
            Command::Edit(stroke) => self.edit(stroke),
            Command::Undo => self.undo(),
            Command::Redo => self.redo(),
            Command::GoToStroke(count) => self.go_to_stroke(*count),
            Command::Copy { from, to } => self.copy(*from, *to),
            Command::Paste(at) => self.paste(*at),
            Command::PlaceModel(at) => self.place_model(at),
            Command::TakeModel(model) => self.take_model(*model),
            Command::EditModel(model, stroke) => self.edit_model(*model, stroke),
            Command::PlaceProp { model, stand } => self.place_prop(model, *stand),
            Command::MoveProp { prop, stand } => self.move_prop(*prop, *stand),
            Command::TakeProp(prop) => self.take_prop(*prop),
            Command::Work(cells, work) => self.work(cells, *work),
            Command::TurnCopy(axis) => self.change_copy(|copy| copy.rotated(*axis)),
            Command::MirrorCopy(axis) => self.change_copy(|copy| copy.mirrored(*axis)),
            Command::Travel(travel) => self.set_travel(*travel),
            Command::Teleport(to) => self.teleport(*to),
            Command::Spawn => self.spawn(),
            Command::SetCrowd(count) => self.set_crowd(*count),
            Command::SetMood(mood) => self.bodies.mood = *mood,
            Command::SetPlatforms(Switch::On) => {
                let about = self.player_position();
                self.platforms.start(&mut self.world, about);
                self.pickups.ride(&self.world, self.platforms.lift());
            }
            Command::SetPlatforms(Switch::Off) => {
                self.platforms.stop(&mut self.world);
                self.pickups.get_off();
            }
            Command::ThrowPickup => self.throw_pickup(),
            Command::SetFog(switch) => self.set_fog(*switch),
            Command::TuneFog(choice) => self.tune_fog(choice),
            Command::ScatterTargets(count) => self.scatter_targets((*count).min(500)),
            Command::Fire(shot) => self.fire(shot),
            Command::Strike(blow) => {
                self.strike(*blow);
            }
            Command::Tune(tuning) => self.tune(tuning),
        }
    }

    fn set_travel(&mut self, travel: Travel) {
        self.player.travel = travel;
    }

    fn set_crowd(&mut self, count: u32) {
        self.bodies.set_count(
            count.min(MOST_WALKERS),
            &self.world,
            &self.tuning,
            &mut self.random,
        );
    }

    fn tune(&mut self, tuning: &Characters) {
        if *tuning != self.tuning {
            self.tuning = tuning.clone();
            self.bodies.tune(tuning);
        }
    }

    /// Lifts a player that is stuck in the ground out of it, and brings any other one back to the
    /// start.
    fn spawn(&mut self) {
        let at = self.player_position();
        let is_stuck = land::is_solid(&self.world, at.cell);
        self.teleport(if is_stuck { at } else { self.home });
    }

    /// Moves the player upwards to the next place with room; without one, the player stays.
    fn teleport(&mut self, to: Position) {
        let height = self.tuning.half_height * 2.0;
        if let Some(feet) = land::room_above(&self.world, to.cell, height) {
            self.bodies
                .teleport_player(land::standing_in(feet, self.tuning.half_height));
            self.player.feel.stop();
        }
    }

    /// Puts the player back to a place of an earlier session, or above it where it has become
    /// narrow.
    pub fn return_player(&mut self, to: Position, travel: Travel) {
        let half_height = self.tuning.half_height;
        let feet = to.moved(Vector3::y() * -half_height).cell;
        if land::room_above(&self.world, feet, half_height * 2.0) == Some(feet) {
            self.bodies.teleport_player(to);
        } else {
            self.teleport(land::standing_in(feet, 0.0));
        }
        self.set_travel(travel);
    }

    /// Throws the player: on foot as a ballistic leap, in the air as a shove that fades.
    fn shove_player(&mut self, velocity: Vector3<f32>) {
        match self.player.travel {
            Travel::Fly => self.player.feel.shove(velocity),
            Travel::Walk => {
                self.player.feel.carry(velocity);
                // The player always exists and the velocity is limited, so this cannot fail.
                let _ = self
                    .bodies
                    .crowd
                    .launch(self.bodies.player, velocity.cap_magnitude(60.0));
            }
        }
    }

    /// Returns the player's centre.
    pub fn player_position(&self) -> Position {
        self.bodies.player_position()
    }

    /// Returns the position of the player's eyes.
    pub fn eye(&self) -> Position {
        self.player_position()
            .moved(Vector3::y() * self.eye_height())
    }

    /// Returns whether a cell is solid and cannot be seen through.
    pub fn is_solid_at(&self, cell: collision::Cell) -> bool {
        let table = self.world.materials();
        let material = self.world.material(cell);
        material.is_some_and(|material| table.is_solid(material) && table.is_opaque(material))
    }

    /// Returns the height of the eyes above the player's centre, metres.
    pub fn eye_height(&self) -> f32 {
        self.drawn_player(1.0).radii.y * EYE_SHARE
    }

    /// Returns the unit vector of the player's line of sight.
    pub fn sight(&self) -> Vector3<f32> {
        self.player.wish.sight()
    }

    /// Returns how characters slide and step.
    pub fn mover_config(&self) -> MoverConfig {
        bodies::body_settings(&self.tuning, Surface::Firm).mover
    }

    /// Returns how the player moves.
    pub fn travel(&self) -> Travel {
        self.player.travel
    }

    /// Returns how the player moves, in a word.
    pub fn travel_words(&self) -> &'static str {
        let crowd = &self.bodies.crowd;
        match (self.player.travel, crowd.medium(self.bodies.player)) {
            (Travel::Fly, _) => "flying",
            (_, Some(Medium::Liquid)) => "swimming",
            (_, Some(Medium::Ladder)) => "climbing",
            _ if crowd.is_crouched(self.bodies.player) => "crouching",
            _ if self.is_grounded() => "walking",
            _ => "falling",
        }
    }

    /// Returns whether the player stands on something.
    pub fn is_grounded(&self) -> bool {
        self.bodies.crowd.is_grounded(self.bodies.player)
    }

    /// Returns the player as a picture between two ticks shows it.
    pub fn drawn_player(&self, between: f32) -> Drawn {
        let drawn = self
            .bodies
            .drawn_player(between, self.player.wish.yaw, &self.tuning);
        Drawn {
            flash: self.melee.hurt(),
            ..drawn
        }
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

    /// Returns the seconds since the start.
    pub fn seconds(&self) -> f32 {
        self.ticks as f32 * TICK
    }

    /// Returns the ticks since the start.
    pub fn ticks(&self) -> u64 {
        self.ticks
    }

    /// Returns the start of the player.
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

    /// Returns the player's character.
    pub fn player_id(&self) -> CharacterId {
        self.bodies.player
    }
}
