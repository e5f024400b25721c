//! The players: the character, the input and the way of moving of each, and the state of its tools
//! that belongs to the game. Cameras and panels belong to the window, which asks for its own
//! player.

use collision::{CharacterId, Crowd, Intent, Position};
use nalgebra::Vector3;
use world::{Author, Surface};

use crate::rules::Characters;

use super::TICK;
use super::coding::Coded;
use super::hand::Hand;
use super::input::Input;
use super::melee::Fighter;
use super::noises::Feet;
use super::underfoot;
use super::wish::{Feel, Travel, Wish};

/// The most players.
pub const MOST_PLAYERS: usize = 1024;

/// The number of a player, which stays the same while others join and leave. Its edits are those of
/// the author of the same number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PlayerId(pub u16);

impl PlayerId {
    /// The player that every simulation begins with: the one of a game for one.
    pub const FIRST: Self = PlayerId(0);

    /// Returns the author of its edits.
    pub fn author(self) -> Author {
        Author(self.0.into())
    }
}

/// Reasons why a player cannot join.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum JoinError {
    /// The number belongs to a player.
    #[error("player {} is here already", .0.0)]
    Taken(PlayerId),
    /// There are too many players.
    #[error("there are {MOST_PLAYERS} players already: one of them has to leave first")]
    Full,
    /// The crowd refuses the character.
    #[error(transparent)]
    Character(#[from] collision::CharacterError),
}

/// A player.
#[derive(Clone, Debug)]
pub struct Player {
    pub(super) id: PlayerId,
    pub(super) character: CharacterId,
    /// Position one tick ago.
    pub(super) before: Position,
    pub(super) travel: Travel,
    pub(super) feel: Feel,
    pub(super) input: Input,
    /// The wish that the input stands for.
    pub(super) wish: Wish,
    /// Surface under its feet.
    pub(super) surface: Surface,
    /// Phase of its gait, radians.
    pub(super) gait: f32,
    pub(super) fighter: Fighter,
    pub(super) hand: Hand,
    pub(super) feet: Feet,
    /// Number of pick-ups that it has.
    pub(super) pickups: u32,
}

impl Player {
    pub(super) fn new(id: PlayerId, character: CharacterId, at: Position) -> Self {
        Player {
            id,
            character,
            before: at,
            travel: Travel::default(),
            feel: Feel::default(),
            input: Input::default(),
            wish: Wish::default(),
            surface: Surface::Firm,
            gait: 0.0,
            fighter: Fighter::default(),
            hand: Hand::default(),
            feet: Feet::default(),
            pickups: 0,
        }
    }

    /// Returns its number.
    pub fn id(&self) -> PlayerId {
        self.id
    }

    /// Returns its character.
    pub fn character(&self) -> CharacterId {
        self.character
    }

    /// Returns its way of moving.
    pub fn travel(&self) -> Travel {
        self.travel
    }

    /// Returns the last input.
    pub fn input(&self) -> Input {
        self.input
    }

    /// Returns the number of pick-ups that it has.
    pub fn pickups(&self) -> u32 {
        self.pickups
    }

    /// Returns its hits and its wounds.
    pub fn fighter(&self) -> &Fighter {
        &self.fighter
    }

    /// Returns the unit vector of its line of sight.
    pub fn sight(&self) -> Vector3<f32> {
        self.wish.sight()
    }

    /// Takes the input of the next ticks.
    pub(super) fn take(&mut self, input: Input) {
        self.input = input;
        self.wish = input.wish();
    }

    /// Returns the intent of its character for this tick.
    pub(super) fn intend(&mut self, crowd: &Crowd, tuning: &Characters) -> Intent {
        let (wish, surface) = (&self.wish, self.surface);
        match crowd.state(self.character) {
            Some(state) => self.feel.intend(wish, self.travel, surface, state, tuning),
            // Every player has a character.
            None => Intent::default(),
        }
    }

    /// Throws it: on foot as a ballistic leap, in the air as a shove that fades.
    pub(super) fn shove(&mut self, crowd: &mut Crowd, velocity: Vector3<f32>) {
        match self.travel {
            Travel::Fly => self.feel.shove(velocity),
            Travel::Walk => {
                self.feel.carry(velocity);
                // A player has a character and the velocity is limited, so this cannot fail.
                let _ = crowd.launch(self.character, velocity.cap_magnitude(60.0));
            }
        }
    }

    /// Adds all that decides what it does next.
    pub(super) fn write_state(&self, to: &mut Vec<u8>) {
        self.id.write(to);
        self.character.to_bits().write(to);
        self.travel.write(to);
        self.feel.write_state(to);
        self.input.write(to);
        self.surface.write(to);
        self.fighter.write_state(to);
        self.hand.write_state(to);
        self.pickups.write(to);
    }

    /// Remembers where it is before a tick, and goes on with its gait.
    pub(super) fn remember(&mut self, crowd: &Crowd) {
        self.before = crowd.position(self.character).unwrap_or(self.before);
        let velocity = crowd.velocity(self.character);
        let velocity = velocity.filter(|_| crowd.is_grounded(self.character));
        let pace = velocity.map_or(0.0, |velocity| velocity.xz().norm());
        self.gait = underfoot::gait_after(self.gait, pace);
    }

    /// Returns the level way of a tick, metres.
    pub(super) fn stride(&self, crowd: &Crowd) -> f32 {
        let velocity = crowd.velocity(self.character).unwrap_or_default();
        velocity.xz().norm() * TICK
    }
}

impl Wish {
    /// Returns the inputs of a tick with the first player alone.
    pub fn alone(&self) -> [(PlayerId, Input); 1] {
        [(PlayerId::FIRST, Input::of(self))]
    }
}
