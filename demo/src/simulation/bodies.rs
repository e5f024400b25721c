//! The characters of the crowd: the player and the walkers, with their minds, and their positions
//! one tick ago, between which pictures interpolate.

use collision::hit_box::Body as HitBody;
use collision::{Character, CharacterId, Crowd, Intent, Mode, Position, Terrain};
use nalgebra::Vector3;
use world::{Surface, World};

use crate::random::Random;
use crate::settings::Characters;

use super::TICK;
use super::eye_lag::EyeLag;
use super::land;
use super::underfoot;
use super::walkers::{Mood, Situation, Walker, spiral, way};
use super::wish::GRAVITY;

/// Distance between walkers when they appear, metres.
const SPACING: f32 = 1.5;
/// Height above the player's feet from which the search for ground begins, metres.
const SEARCH_ABOVE: i32 = 96;
/// Depth that the search for ground covers, metres.
const SEARCH_DOWN: i32 = 256;
/// The most places tried for one new walker.
const TRIES: u32 = 8;
/// Walkers that fall deeper than this below the player come back, metres.
const LOST_BELOW: f32 = 160.0;

/// Acceleration of a character in the air towards its intended velocity, metres a second squared;
/// low enough that blows and blasts carry it a while.
const AIR_CONTROL: f32 = 16.0;

/// The crowd, the player and the walkers.
pub(crate) struct Bodies {
    pub(crate) crowd: Crowd,
    pub(crate) player: CharacterId,
    pub(crate) walkers: Vec<Walker>,
    pub(crate) mood: Mood,
    before: Vec<Position>,
    player_before: Position,
    intents: Vec<(CharacterId, Intent)>,
    /// The next place of the spiral to try.
    next_place: u32,
    /// Intended number of walkers; walkers without room are added later.
    wanted: u32,
    /// Surface under the player.
    pub(crate) surface: Surface,
    /// Phase of the player's gait, radians.
    gait: f32,
    eye_lag: EyeLag,
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
const CROUCHED: f32 = 0.5;

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
    /// Returns a crowd that holds the player alone.
    pub(crate) fn new(tuning: &Characters, position: Position) -> Self {
        let mut crowd = Crowd::new();
        let player = crowd.add(body(tuning, position).with_mode(Mode::Fly));
        Bodies {
            crowd,
            player,
            walkers: Vec::new(),
            mood: Mood::Wander,
            before: Vec::new(),
            player_before: position,
            intents: Vec::new(),
            next_place: 0,
            wanted: 0,
            surface: Surface::Firm,
            gait: 0.0,
            eye_lag: EyeLag::default(),
        }
    }

    /// Returns the player's centre.
    pub(crate) fn player_position(&self) -> Position {
        self.position(self.player)
    }

    fn position(&self, id: CharacterId) -> Position {
        self.crowd.position(id).unwrap_or(self.player_before)
    }

    /// Adds or removes walkers up to a count. Walkers for which the land has no room are added
    /// later.
    pub(crate) fn set_count(
        &mut self,
        count: u32,
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
        let about = self.player_position();
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

    /// Adds some of the missing walkers, since land may be loaded by now, and places may be free.
    pub(crate) fn add_missing(&mut self, world: &World, tuning: &Characters, random: &mut Random) {
        let about = self.player_position();
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
        self.player = self.remade(self.player, tuning, self.surface);
        for index in 0..self.walkers.len() {
            let Walker { id, surface, .. } = self.walkers[index];
            let id = self.remade(id, tuning, surface);
            self.walkers[index].id = id;
        }
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

    /// Finds the surface under the player every tick, and under the walkers by turns. In the air
    /// the last one is kept.
    pub(crate) fn feel_ground(&mut self, world: &World, tuning: &Characters, tick: u64) {
        let surface = self.surface_of(world, self.player, tuning, self.surface);
        if surface != self.surface {
            self.surface = surface;
            self.player = self.remade(self.player, tuning, surface);
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

    /// Returns the index of the walker with this character; the player has none.
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
    pub(crate) fn tick<T: Terrain>(&mut self, land: &T, player: Intent, random: &mut Random) {
        self.remember();
        let at = self.player_position();
        self.gait = underfoot::gait_after(self.gait, self.pace(self.player));
        self.intents.clear();
        self.intents.push((self.player, player));
        for walker in &mut self.walkers {
            let Some(position) = self.crowd.position(walker.id) else {
                continue;
            };
            let velocity = self.crowd.velocity(walker.id).unwrap_or_default();
            let situation = Situation {
                mood: self.mood,
                to_player: way(&position, &at),
                grounded: self.crowd.is_grounded(walker.id),
                speed: velocity.xz().norm(),
            };
            walker.gait = underfoot::gait_after(walker.gait, situation.speed);
            let mut intent = walker.think(&situation, random);
            intent.velocity = underfoot::led_on(walker.surface, velocity, intent.velocity);
            self.intents.push((walker.id, intent));
        }
        // The player always exists, but as another character once its shape has changed.
        let _ = self.crowd.watch(self.player);
        self.crowd.trace_gathers(Some(self.player));
        self.crowd.tick(land, &self.intents, TICK);
        self.eye_lag.step(self.crowd.lift_of(self.player));
    }

    fn remember(&mut self) {
        self.player_before = self.player_position();
        for (walker, before) in self.walkers.iter().zip(&mut self.before) {
            *before = self.crowd.position(walker.id).unwrap_or(*before);
        }
    }

    /// Brings walkers back that fell out of the loaded land.
    pub(crate) fn rescue_lost(&mut self, world: &World, tuning: &Characters) {
        let at = self.player_position();
        for index in 0..self.walkers.len() {
            let id = self.walkers[index].id;
            let position = self.position(id);
            let lost = way(&at, &position);
            let is_lost = lost.y < -LOST_BELOW || world.material(position.cell).is_none();
            if !is_lost {
                continue;
            }
            self.next_place = index as u32;
            if let Some(place) = self.find_place(world, at, tuning) {
                // The position was found by the search and the walker exists, so this cannot fail.
                let _ = self.crowd.teleport(id, place);
                self.before[index] = place;
            }
        }
    }

    /// Moves the characters for which there is a new place.
    pub(crate) fn lift(&mut self, place: impl Fn(&Position) -> Option<Position>) {
        if let Some(to) = place(&self.player_position()) {
            self.teleport_player(to);
        }
        for index in 0..self.walkers.len() {
            let id = self.walkers[index].id;
            if let Some(to) = place(&self.position(id)) {
                // The walker exists, and the place was found in the world.
                let _ = self.crowd.teleport(id, to);
                self.before[index] = to;
            }
        }
    }

    /// Moves the player to a position at once.
    pub(crate) fn teleport_player(&mut self, to: Position) {
        // The player always exists; a position that is not sound changes nothing.
        let _ = self.crowd.teleport(self.player, to);
        self.player_before = self.player_position();
        self.eye_lag = EyeLag::default();
    }

    /// Returns the player as a picture between two ticks shows it.
    pub(crate) fn drawn_player(&self, between: f32, heading: f32, tuning: &Characters) -> Drawn {
        let now = self.player_position();
        Drawn {
            position: blend(&self.player_before, &now, between),
            radii: self.radii(self.player).unwrap_or_else(|| upright(tuning)),
            heading,
            tint: 0,
            flash: 0.0,
            gait: self.gait,
            pace: self.pace(self.player),
            eye_lag: self.eye_lag.between(between),
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

    /// Returns the level speed of a character that stands; 0 in the air.
    fn pace(&self, id: CharacterId) -> f32 {
        let velocity = self.crowd.velocity(id);
        let velocity = velocity.filter(|_| self.crowd.is_grounded(id));
        velocity.map_or(0.0, |velocity| velocity.xz().norm())
    }

    fn radii(&self, id: CharacterId) -> Option<Vector3<f32>> {
        let build = self.crowd.build(id)?;
        let along = if self.crowd.is_crouched(id) {
            build.crouched
        } else {
            build.standing
        };
        Some(Vector3::new(build.across, along, build.across))
    }
}

fn upright(tuning: &Characters) -> Vector3<f32> {
    Vector3::new(tuning.radius, tuning.half_height, tuning.radius)
}

/// Interpolates between two positions; far apart counts as a jump, which returns the later one.
pub(crate) fn blend(before: &Position, now: &Position, between: f32) -> Position {
    let motion = way(before, now);
    if motion.norm_squared() > 400.0 {
        *now
    } else {
        before.moved(motion * between)
    }
}
