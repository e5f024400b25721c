//! The minds of the walkers: wander, follow or rush. They only choose intents; characters belong to
//! `collision`.

use collision::{CharacterId, Intent, Position};
use nalgebra::Vector3;
use world::Surface;

use crate::random::Random;
use crate::trigonometry::{angle_of, sin_cos};

use super::coding::Coded;
use super::melee::Blow;
use super::wish::jump_speed;

/// The mood of the walkers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mood {
    /// They go their own ways.
    #[default]
    Wander,
    /// They come to the nearest player and keep a polite distance.
    Follow,
    /// They run at the nearest player.
    Rush,
}

impl Mood {
    /// Returns the next mood.
    pub fn next(self) -> Self {
        match self {
            Mood::Wander => Mood::Follow,
            Mood::Follow => Mood::Rush,
            Mood::Rush => Mood::Wander,
        }
    }

    /// Returns the mood in a word.
    pub fn words(self) -> &'static str {
        match self {
            Mood::Wander => "wander",
            Mood::Follow => "follow",
            Mood::Rush => "rush",
        }
    }
}

/// Ticks for which a hit is shown.
pub(crate) const FLASH_TICKS: u8 = 24;
/// Distance that followers keep from a player, metres.
const POLITE_DISTANCE: f32 = 4.0;
/// Distance from a player at which they strike, metres.
const STRIKE_REACH: f32 = 1.6;
/// Ticks for which a walker is angry after a hit.
const ANGER_TICKS: u32 = 60 * 8;
/// Height of their jumps, metres.
const HOP: f32 = 1.3;

/// The mind of a walker.
#[derive(Clone, Debug)]
pub(crate) struct Walker {
    pub(crate) id: CharacterId,
    /// Radians to the right of -z.
    pub(crate) heading: f32,
    /// Ticks until it chooses again.
    patience: u16,
    pace: f32,
    stuck: u8,
    /// Ticks for which a hit is still shown.
    pub(crate) flash: u8,
    /// Index into the palette.
    pub(crate) tint: u8,
    /// Surface under it.
    pub(crate) surface: Surface,
    /// Phase of its gait, radians.
    pub(crate) gait: f32,
    /// Number of pick-ups that it carries.
    pub(crate) carries: u8,
    /// True if it strikes in this tick.
    pub(crate) strikes: bool,
    /// Ticks until it can strike again, and ticks for which it is angry.
    rest: u32,
    anger: u32,
}

impl Walker {
    pub(crate) fn new(id: CharacterId, random: &mut Random) -> Self {
        Walker {
            id,
            heading: random.between(0.0, std::f32::consts::TAU),
            patience: random.below(200) as u16,
            pace: random.between(1.2, 2.4),
            stuck: 0,
            flash: 0,
            tint: random.below(256) as u8,
            surface: Surface::Firm,
            gait: 0.0,
            carries: 0,
            strikes: false,
            rest: 0,
            anger: 0,
        }
    }

    /// Adds all that decides what it does next.
    pub(super) fn write_state(&self, to: &mut Vec<u8>) {
        self.id.to_bits().write(to);
        self.heading.write(to);
        self.patience.write(to);
        self.pace.write(to);
        to.extend([self.stuck, self.surface as u8, self.carries]);
        self.rest.write(to);
        self.anger.write(to);
    }

    /// Returns its intent for this tick.
    pub(crate) fn think(&mut self, situation: &Situation, random: &mut Random) -> Intent {
        self.flash = self.flash.saturating_sub(1);
        let situation = &self.feelings(situation);
        self.consider_striking(situation);
        let speed = self.choose(situation, random);
        let (sin, cos) = sin_cos(self.heading);
        let velocity = Vector3::new(sin, 0.0, -cos) * speed;
        let blocked = speed > 0.5 && situation.speed < speed * 0.3;
        self.stuck = if blocked {
            self.stuck.saturating_add(1)
        } else {
            0
        };
        let hops = self.stuck > 12 && situation.grounded;
        let jump = if hops { jump_speed(HOP) } else { 0.0 };
        if self.stuck > 40 {
            self.heading += random.between(1.5, 4.5);
            (self.stuck, self.patience) = (0, 90);
        }
        Intent::walk(velocity).jumping(jump)
    }

    /// Returns whether it runs at players, whatever its mood.
    pub(crate) fn is_angry(&self) -> bool {
        self.anger > 0
    }

    /// Makes it run at the nearest player for a while, and strike.
    pub(crate) fn make_angry(&mut self) {
        self.anger = ANGER_TICKS;
        (self.patience, self.rest) = (0, FLASH_TICKS.into());
    }

    /// Returns the unit vector of its heading.
    pub(crate) fn level(&self) -> Vector3<f32> {
        let (sin, cos) = sin_cos(self.heading);
        Vector3::new(sin, 0.0, -cos)
    }

    /// Returns the situation with the mood that anger gives it.
    fn feelings(&mut self, situation: &Situation) -> Situation {
        let is_angry = self.anger > 0;
        self.anger = self.anger.saturating_sub(1);
        Situation {
            mood: if is_angry { Mood::Rush } else { situation.mood },
            ..*situation
        }
    }

    /// Decides to strike when it rushes and a player is near.
    fn consider_striking(&mut self, situation: &Situation) {
        self.rest = self.rest.saturating_sub(1);
        self.strikes = false;
        let Some(away) = situation.to_player else {
            return;
        };
        let is_near = away.xz().norm() < STRIKE_REACH && away.y.abs() < STRIKE_REACH;
        self.strikes = situation.mood == Mood::Rush && is_near && self.rest == 0;
        if self.strikes {
            self.turn_to(away);
            self.rest = Blow::Punch.rest_ticks();
        }
    }

    /// Turns towards its goal and returns its speed.
    fn choose(&mut self, situation: &Situation, random: &mut Random) -> f32 {
        self.patience = self.patience.saturating_sub(1);
        match (situation.mood, situation.to_player) {
            (Mood::Wander, _) | (_, None) => {
                if self.patience == 0 {
                    self.heading += random.between(-1.4, 1.4);
                    self.patience = 60 + random.below(240) as u16;
                    self.pace = if random.once_in(5) {
                        0.0
                    } else {
                        random.between(1.2, 2.4)
                    };
                }
                self.pace
            }
            (Mood::Follow | Mood::Rush, Some(to_player)) => {
                if self.patience == 0 {
                    self.turn_to(to_player);
                }
                let distance = to_player.xz().norm();
                let near = if situation.mood == Mood::Follow {
                    POLITE_DISTANCE
                } else {
                    0.5
                };
                let full = if situation.mood == Mood::Follow {
                    3.2
                } else {
                    6.0
                };
                if distance > near { full } else { 0.0 }
            }
        }
    }

    fn turn_to(&mut self, direction: Vector3<f32>) {
        if direction.xz().norm_squared() > 0.01 {
            self.heading = angle_of(-direction.z, direction.x);
        }
        self.patience = 6;
    }
}

/// The facts that a walker decides by.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Situation {
    pub(crate) mood: Mood,
    /// The way to the nearest player, for those that hunt one.
    pub(crate) to_player: Option<Vector3<f32>>,
    pub(crate) grounded: bool,
    /// Its speed in the last tick, metres a second.
    pub(crate) speed: f32,
}

/// Returns where walker `index` appears: on a spiral of even density, from the inside out.
pub(crate) fn spiral(index: u32, spacing: f32) -> [f32; 2] {
    let angle = index as f32 * 2.399_963_2;
    let distance = spacing * (index as f32 + 4.0).sqrt();
    let (sin, cos) = sin_cos(angle);
    [cos * distance, sin * distance]
}

/// Returns the vector from one position to another, metres.
pub(crate) fn way(from: &Position, to: &Position) -> Vector3<f32> {
    to.since(from)
}
