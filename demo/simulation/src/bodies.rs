//! The characters of the crowd: the players, and the walkers with their minds, and their positions
//! one tick ago, between which pictures interpolate.

use collision::hit_box::Body as HitBody;
use collision::{Character, CharacterId, Crowd, Intent, Mode, Position, Terrain};
use nalgebra::Vector3;
use world::{Surface, World};

use crate::random::Random;
use crate::rules::Characters;

use super::TICK;
use super::coding::Coded;
use super::eye_lag::EyeLag;
use super::guest::ShownPlayer;
use super::land;
use super::player::{Player, PlayerId};
use super::underfoot;
use super::walkers::{Mood, Situation, Walker, spiral, way};
use super::wish::GRAVITY;

/// Distance between walkers when they appear, metres.
const SPACING: f32 = 1.5;
/// Height above a player's feet from which the search for ground begins, metres.
const SEARCH_ABOVE: i32 = 96;
/// Depth that the search for ground covers, metres.
const SEARCH_DOWN: i32 = 256;
/// The most places tried for one new walker.
const TRIES: u32 = 8;
/// Walkers that fall deeper than this below the nearest player come back, metres.
const LOST_BELOW: f32 = 160.0;

/// Acceleration of a character in the air towards its intended velocity, metres a second squared;
/// low enough that blows and blasts carry it a while.
const AIR_CONTROL: f32 = 16.0;

/// The crowd, the players and the walkers.
pub(crate) struct Bodies {
    pub(crate) crowd: Crowd,
    /// In the order of their numbers.
    pub(super) players: Vec<Player>,
    pub(crate) walkers: Vec<Walker>,
    pub(crate) mood: Mood,
    before: Vec<Position>,
    intents: Vec<(CharacterId, Intent)>,
    /// The next place of the spiral to try.
    next_place: u32,
    /// Intended number of walkers; walkers without room are added later.
    pub(super) wanted: u32,
    /// The player of this window, and the lag of its eyes.
    pub(super) own: PlayerId,
    pub(super) eye_lag: EyeLag,
    /// The other players, in the simulation of a client.
    pub(super) shown: Vec<ShownPlayer>,
}

/// A character as a picture shows it.
#[derive(Clone, Copy, Debug)]
pub struct Drawn {
    /// Centre, interpolated between two ticks.
    pub position: Position,
    /// Semi-axes, metres.
    pub radii: Vector3<f32>,
    /// Radians to the right of -z.
    pub heading: f32,
    /// Index into the palette.
    pub tint: u8,
    /// 1 just after a hit, 0 when the flash is over.
    pub flash: f32,
    /// Phase of the gait, radians.
    pub gait: f32,
    /// Level speed, metres a second; 0 in the air.
    pub pace: f32,
    /// Height of the eyes over their place in the body, metres: they lag behind steps.
    pub eye_lag: f32,
}

/// Number of ticks in which the surface under every walker is found once.
const FEEL_TICKS: u64 = 4;
/// The most walkers added at once later on.
const MOST_ADDED: usize = 200;
/// Height of a crouching character, as a share: 1.8 m fit under one voxel.
pub(super) const CROUCHED: f32 = 0.5;

/// Returns the settings of characters on a surface, from the tuning.
pub(crate) fn body_settings(tuning: &Characters, surface: Surface) -> collision::Settings {
    let mut settings = collision::Settings {
        gravity: GRAVITY,
        air_control: AIR_CONTROL,
        ..collision::Settings::default()
    };
    settings.mover.step_height = tuning.step_height;
    settings.mover.air_step = tuning.air_step;
    [settings.mover.friction, settings.mover.shrink] = underfoot::braking_on(surface, tuning);
    settings.mover = settings
        .mover
        .with_slope_limit(tuning.slope_degrees.to_radians());
    settings
}

/// Returns a character with the shape of the player and the walkers.
pub(crate) fn body(tuning: &Characters, position: Position) -> Character {
    Character::at(position)
        .with_radii(tuning.radius, tuning.half_height)
        .with_crouched(tuning.half_height * CROUCHED)
        .with_settings(body_settings(tuning, Surface::Firm))
}

impl Bodies {
    /// Returns a crowd that holds the first player alone.
    pub(crate) fn new(tuning: &Characters, position: Position) -> Self {
        let mut crowd = Crowd::new();
        let character = crowd.add(body(tuning, position).with_mode(Mode::Fly));
        Bodies {
            crowd,
            players: vec![Player::new(PlayerId::FIRST, character, position)],
            walkers: Vec::new(),
            mood: Mood::Wander,
            before: Vec::new(),
            intents: Vec::new(),
            next_place: 0,
            wanted: 0,
            own: PlayerId::FIRST,
            eye_lag: EyeLag::default(),
            shown: Vec::new(),
        }
    }

    /// Adds or removes walkers up to a count, about a position. Walkers for which the land has no
    /// room are added later.
    pub(crate) fn set_count(
        &mut self,
        count: u32,
        about: Position,
        world: &World,
        tuning: &Characters,
        random: &mut Random,
    ) {
        self.wanted = count;
        while self.walkers.len() > count as usize {
            if let Some(walker) = self.walkers.pop() {
                self.crowd.remove(walker.id);
                self.before.pop();
            }
        }
        self.next_place = self.walkers.len() as u32;
        while self.walkers.len() < count as usize {
            let Some(position) = self.find_place(world, about, tuning) else {
                return;
            };
            self.add_walker(position, tuning, random);
        }
    }

    fn add_walker(&mut self, position: Position, tuning: &Characters, random: &mut Random) {
        if let Ok(id) = self.crowd.try_add(body(tuning, position)) {
            self.walkers.push(Walker::new(id, random));
            self.before.push(position);
        }
    }

    /// Adds some of the missing walkers about one of the players, the next one at each turn, since
    /// land may be loaded by now, and places may be free.
    pub(crate) fn add_missing(
        &mut self,
        turn: u64,
        world: &World,
        tuning: &Characters,
        random: &mut Random,
    ) {
        let Some(whose) = turn.checked_rem(self.players.len() as u64) else {
            return;
        };
        let about = self.position_of(&self.players[whose as usize]);
        let missing = (self.wanted as usize).saturating_sub(self.walkers.len());
        let places = u64::from(self.wanted) * 2;
        for _ in 0..missing.min(MOST_ADDED) {
            let place = random.below(places) as u32;
            if let Some(position) = self.place(world, about, tuning, place) {
                self.add_walker(position, tuning, random);
            }
        }
    }

    /// Returns the next dry place of the spiral about a position.
    fn find_place(
        &mut self,
        world: &World,
        about: Position,
        tuning: &Characters,
    ) -> Option<Position> {
        for _ in 0..TRIES * 8 {
            let place = self.place(world, about, tuning, self.next_place);
            self.next_place += 1;
            if place.is_some() {
                return place;
            }
        }
        None
    }

    /// Returns a place of the spiral, if it is dry land.
    fn place(
        &self,
        world: &World,
        about: Position,
        tuning: &Characters,
        number: u32,
    ) -> Option<Position> {
        let [x, z] = spiral(number, SPACING.max(tuning.radius * 3.0));
        let spot = about.moved(Vector3::new(x, 0.0, z)).cell;
        let top = about.cell.y.saturating_add(SEARCH_ABOVE);
        let feet = land::dry_ground(world, [spot.x, spot.z], top, SEARCH_DOWN)?;
        Some(land::standing_in(feet, tuning.half_height))
    }

    /// Gives every character the shape and the limits of the tuning; standing ones keep their feet
    /// in place.
    pub(crate) fn tune(&mut self, tuning: &Characters) {
        for index in 0..self.players.len() {
            self.remake_player(index, tuning);
        }
        for index in 0..self.walkers.len() {
            let Walker { id, surface, .. } = self.walkers[index];
            let id = self.remade(id, tuning, surface);
            self.walkers[index].id = id;
        }
    }

    fn remake_player(&mut self, index: usize, tuning: &Characters) {
        let Player {
            character, surface, ..
        } = self.players[index];
        self.players[index].character = self.remade(character, tuning, surface);
    }

    /// Changes the build of a character, and returns its new id.
    fn remade(&mut self, id: CharacterId, tuning: &Characters, surface: Surface) -> CharacterId {
        let (Some(build), Some(state)) = (self.crowd.build(id), self.crowd.state(id)) else {
            return id;
        };
        if (build.across, build.standing) == (tuning.radius, tuning.half_height) {
            // Settings from sliders are finite; a crowd that is full of different settings keeps
            // the old ones.
            let _ = self.crowd.set_settings(id, &body_settings(tuning, surface));
            return id;
        }
        let lift = tuning.half_height - build.standing;
        let moved = state.position.moved(Vector3::y() * lift);
        let again = body(tuning, moved)
            .with_settings(body_settings(tuning, surface))
            .with_mode(state.mode)
            .with_velocity(state.velocity);
        match self.crowd.try_add(again) {
            Ok(fresh) => {
                self.crowd.remove(id);
                fresh
            }
            Err(_) => id,
        }
    }

    /// Finds the surface under the players every tick, and under the walkers by turns. In the air
    /// the last one is kept.
    pub(crate) fn feel_ground(&mut self, world: &World, tuning: &Characters, tick: u64) {
        for index in 0..self.players.len() {
            let Player {
                character, surface, ..
            } = self.players[index];
            let now = self.surface_of(world, character, tuning, surface);
            if now != surface {
                self.players[index].surface = now;
                self.remake_player(index, tuning);
            }
        }
        let first = (tick % FEEL_TICKS) as usize;
        for index in (first..self.walkers.len()).step_by(FEEL_TICKS as usize) {
            let Walker { id, surface, .. } = self.walkers[index];
            let now = self.surface_of(world, id, tuning, surface);
            if now != surface {
                self.walkers[index].surface = now;
                self.walkers[index].id = self.remade(id, tuning, now);
            }
        }
    }

    fn surface_of(
        &self,
        world: &World,
        id: CharacterId,
        tuning: &Characters,
        before: Surface,
    ) -> Surface {
        let position = self.crowd.position(id);
        match position.filter(|_| self.crowd.is_grounded(id)) {
            Some(position) => underfoot::surface_under(world, &position, tuning.half_height),
            None => before,
        }
    }

    /// Throws a walker after a blow or a blast, and makes it flash.
    pub(crate) fn throw(&mut self, index: usize, velocity: Vector3<f32>) {
        let walker = &mut self.walkers[index];
        walker.flash = super::walkers::FLASH_TICKS;
        // A walker that is gone is not thrown.
        let _ = self.crowd.launch(walker.id, velocity.cap_magnitude(60.0));
    }

    /// Returns the index of the walker with this character; players have none.
    pub(crate) fn walker_of(&self, id: CharacterId) -> Option<usize> {
        self.walkers.iter().position(|walker| walker.id == id)
    }

    /// Returns the outline of a character for attacks: every fourth walker is square.
    pub(crate) fn hit_body(&self, id: CharacterId) -> HitBody {
        match self.walker_of(id) {
            Some(index) if self.walkers[index].tint.is_multiple_of(4) => HitBody::Square,
            _ => HitBody::Round,
        }
    }

    /// Returns the walkers that strike in this tick, each with its direction of view.
    pub(crate) fn strikers(&self) -> Vec<(CharacterId, Vector3<f32>)> {
        let strikers = self.walkers.iter().filter(|walker| walker.strikes);
        strikers.map(|it| (it.id, it.level())).collect()
    }

    /// Returns the position of a walker.
    pub(crate) fn walker_position(&self, index: usize) -> Option<Position> {
        self.crowd.position(self.walkers.get(index)?.id)
    }

    /// Moves the whole crowd by one tick.
    pub(crate) fn tick<T: Terrain>(&mut self, land: &T, tuning: &Characters, random: &mut Random) {
        self.remember();
        self.intents.clear();
        for player in &mut self.players {
            let intent = player.intend(&self.crowd, tuning);
            self.intents.push((player.character, intent));
        }
        for index in 0..self.walkers.len() {
            self.consider(index, random);
        }
        let own = self.own().map(|player| player.character);
        if let Some(own) = own {
            // The own player has a character, but another one once its shape has changed.
            let _ = self.crowd.watch(own);
            self.crowd.trace_gathers(Some(own));
        }
        self.crowd.tick(land, &self.intents, TICK);
        let lift = own.map_or(0.0, |own| self.crowd.lift_of(own));
        self.eye_lag.step(lift);
    }

    /// Adds the intent of a walker.
    fn consider(&mut self, index: usize, random: &mut Random) {
        let Walker { id, surface, .. } = self.walkers[index];
        let Some(position) = self.crowd.position(id) else {
            return;
        };
        let velocity = self.crowd.velocity(id).unwrap_or_default();
        let hunts = self.mood != Mood::Wander || self.walkers[index].is_angry();
        let player = hunts.then(|| self.nearest_player(&position)).flatten();
        let situation = Situation {
            mood: self.mood,
            to_player: player.map(|player| way(&position, &player)),
            grounded: self.crowd.is_grounded(id),
            speed: velocity.xz().norm(),
        };
        let walker = &mut self.walkers[index];
        walker.gait = underfoot::gait_after(walker.gait, situation.speed);
        let mut intent = walker.think(&situation, random);
        intent.velocity = underfoot::led_on(surface, velocity, intent.velocity);
        self.intents.push((id, intent));
    }

    fn remember(&mut self) {
        for player in &mut self.players {
            player.remember(&self.crowd);
        }
        for (walker, before) in self.walkers.iter().zip(&mut self.before) {
            *before = self.crowd.position(walker.id).unwrap_or(*before);
        }
    }

    /// Brings walkers back that fell out of the loaded land.
    pub(crate) fn rescue_lost(&mut self, world: &World, tuning: &Characters) {
        for index in 0..self.walkers.len() {
            let id = self.walkers[index].id;
            let Some(position) = self.crowd.position(id) else {
                continue;
            };
            let Some(about) = self.nearest_player(&position) else {
                return;
            };
            let lost = way(&about, &position);
            let is_lost = lost.y < -LOST_BELOW || world.material(position.cell).is_none();
            if !is_lost {
                continue;
            }
            self.next_place = index as u32;
            if let Some(place) = self.find_place(world, about, tuning) {
                // The position was found by the search and the walker exists, so this cannot fail.
                let _ = self.crowd.teleport(id, place);
                self.before[index] = place;
            }
        }
    }

    /// Moves the characters for which there is a new place.
    pub(crate) fn lift(&mut self, place: impl Fn(&Position) -> Option<Position>) {
        for index in 0..self.players.len() {
            if let Some(to) = place(&self.position_of(&self.players[index])) {
                self.teleport_player(index, to);
            }
        }
        for index in 0..self.walkers.len() {
            let id = self.walkers[index].id;
            let Some(at) = self.crowd.position(id) else {
                continue;
            };
            if let Some(to) = place(&at) {
                // The walker exists, and the place was found in the world.
                let _ = self.crowd.teleport(id, to);
                self.before[index] = to;
            }
        }
    }

    /// Returns every walker as a picture between two ticks shows it.
    pub(crate) fn drawn_walkers(&self, between: f32) -> impl Iterator<Item = Drawn> + '_ {
        self.walkers
            .iter()
            .zip(&self.before)
            .filter_map(move |(walker, before)| {
                let now = self.crowd.position(walker.id)?;
                Some(Drawn {
                    position: blend(before, &now, between),
                    radii: self.radii(walker.id)?,
                    heading: walker.heading,
                    tint: walker.tint,
                    flash: f32::from(walker.flash) / f32::from(super::walkers::FLASH_TICKS),
                    gait: walker.gait,
                    pace: self.pace(walker.id),
                    eye_lag: 0.0,
                })
            })
    }

    /// Adds all that decides what the characters do next.
    pub(super) fn write_state(&self, to: &mut Vec<u8>) {
        self.crowd.state_hash().write(to);
        self.players
            .iter()
            .for_each(|player| player.write_state(to));
        self.walkers
            .iter()
            .for_each(|walker| walker.write_state(to));
        self.mood.write(to);
        self.wanted.write(to);
        self.next_place.write(to);
    }

    /// Returns the level speed of a character that stands; 0 in the air.
    pub(super) fn pace(&self, id: CharacterId) -> f32 {
        let velocity = self.crowd.velocity(id);
        let velocity = velocity.filter(|_| self.crowd.is_grounded(id));
        velocity.map_or(0.0, |velocity| velocity.xz().norm())
    }

    pub(super) fn radii(&self, id: CharacterId) -> Option<Vector3<f32>> {
        let build = self.crowd.build(id)?;
        let along = if self.crowd.is_crouched(id) {
            build.crouched
        } else {
            build.standing
        };
        Some(Vector3::new(build.across, along, build.across))
    }
}

pub(super) fn upright(tuning: &Characters) -> Vector3<f32> {
    Vector3::new(tuning.radius, tuning.half_height, tuning.radius)
}

/// Interpolates between two positions; far apart counts as a jump, which returns the later one.
pub fn blend(before: &Position, now: &Position, between: f32) -> Position {
    let motion = way(before, now);
    if motion.norm_squared() > 400.0 {
        *now
    } else {
        before.moved(motion * between)
    }
}
