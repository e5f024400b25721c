//! A player that a client predicts: alone, but by the very rules of a tick of the simulation, to
//! the same bits.
//!
//! Left out: all that others do to it. Blows, blasts, rides, and ground that was placed onto it are
//! put right by the state that the server sends.

use collision::{Crowd, OtherCharacter, Position, PredictError, Predicted, predict};
use nalgebra::Vector3;
use world::{Surface, World};

use crate::rules::Characters;

use super::bodies::body_settings;
use super::coding::{Coded, ReadError, Reader};
use super::wish::Feel;
use super::{Input, Player, PlayerId, Simulation, TICK, Travel, underfoot};

/// Bytes of the state beside that of the character: way of moving, surface and feel.
const MANNER: usize = 2 + 24;

/// Reasons why bytes are not the state of a player.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum PlayerBytesError {
    /// The character makes no sense.
    #[error(transparent)]
    Character(#[from] PredictError),
    /// Its way of moving makes no sense.
    #[error(transparent)]
    Manner(#[from] ReadError),
}

/// A player that a client predicts.
#[derive(Clone)]
pub struct PredictedPlayer {
    character: Predicted,
    travel: Travel,
    surface: Surface,
    feel: Feel,
    tuning: Characters,
}

impl std::fmt::Debug for PredictedPlayer {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut fields = to.debug_struct("PredictedPlayer");
        fields.field("state", self.character.state());
        fields.field("travel", &self.travel).finish_non_exhaustive()
    }
}

impl PredictedPlayer {
    /// Reads the state that [`Simulation::write_player`] wrote, under the rules of the server.
    pub fn from_bytes(bytes: &[u8], tuning: &Characters) -> Result<Self, PlayerBytesError> {
        let (character, manner) = bytes.split_at(bytes.len().saturating_sub(MANNER));
        let mut from = Reader::new(manner);
        let travel = Travel::read(&mut from)?;
        let surface = Surface::read(&mut from)?;
        let feel = Feel::read(&mut from)?;
        let settings = body_settings(tuning, surface);
        Ok(PredictedPlayer {
            character: Predicted::from_bytes(character, &settings)?,
            travel,
            surface,
            feel,
            tuning: tuning.clone(),
        })
    }

    /// Writes its state into a buffer that is cleared. A player of the server in the same state has
    /// the same bytes, by [`Simulation::write_player`].
    pub fn write(&self, to: &mut Vec<u8>) {
        self.character.save_into(to);
        write_manner(self.travel, self.surface, &self.feel, to);
    }

    /// Changes how it moves.
    pub fn set_travel(&mut self, travel: Travel) {
        self.travel = travel;
    }

    /// Moves it by one tick, among others that stand still.
    pub fn tick(&mut self, simulation: &Simulation, others: &[OtherCharacter], input: Input) {
        let world = &simulation.world;
        self.feel_ground(world);
        let (wish, state) = (input.wish(), self.character.state());
        let intent = self
            .feel
            .intend(&wish, self.travel, self.surface, state, &self.tuning);
        // Neither the rules nor an input give an intent that is refused; others that make no sense
        // are refused, and then it stays.
        let _ = simulation.props.with_land(world, |land| {
            predict(&mut self.character, land, others, &[intent], TICK)
        });
    }

    fn feel_ground(&mut self, world: &World) {
        let state = self.character.state();
        if !state.is_grounded() {
            return;
        }
        let half_height = self.tuning.half_height;
        let now = underfoot::surface_under(world, &state.position, half_height);
        if now != self.surface {
            self.surface = now;
            let settings = body_settings(&self.tuning, now);
            if let Ok(again) = Predicted::from_bytes(&self.character.save(), &settings) {
                self.character = again;
            }
        }
    }

    /// Gives its state to a player of a client's simulation.
    pub(super) fn show(&self, player: &mut Player, crowd: &mut Crowd) {
        player.travel = self.travel;
        player.surface = self.surface;
        player.feel = self.feel;
        // The player has a character, and its own bytes are sound.
        let _ = crowd.restore_character(player.character, &self.character.save());
    }

    /// Returns its centre.
    pub fn position(&self) -> Position {
        self.character.position()
    }

    /// Returns its velocity, metres a second.
    pub fn velocity(&self) -> Vector3<f32> {
        self.character.velocity()
    }

    /// Returns whether it stands on something.
    pub fn is_grounded(&self) -> bool {
        self.character.is_grounded()
    }

    /// Returns the character that it meets in another player at a place, upright or crouched.
    pub fn other_at(&self, id: PlayerId, place: Position, crouched: bool) -> OtherCharacter {
        let (build, mut body) = (self.character.build(), self.character.body());
        body.position = place;
        body.radii.along = if crouched {
            build.crouched
        } else {
            build.standing
        };
        OtherCharacter {
            id: collision::CharacterId::from_bits(u64::from(id.0) + 1),
            body,
            layers: build.layers,
            meets: build.meets,
        }
    }
}

fn write_manner(travel: Travel, surface: Surface, feel: &Feel, to: &mut Vec<u8>) {
    travel.write(to);
    surface.write(to);
    feel.write_state(to);
}

impl Simulation {
    /// Writes all that decides what a player does next into a buffer that is cleared, for a client
    /// that predicts it. Returns false and leaves the buffer empty if there is no such player.
    pub fn write_player(&self, id: PlayerId, to: &mut Vec<u8>) -> bool {
        to.clear();
        let Ok(index) = self.bodies.index(id) else {
            return false;
        };
        let Player {
            character,
            travel,
            surface,
            feel,
            ..
        } = &self.bodies.players[index];
        let is_there = self.bodies.crowd.save_character_into(*character, to);
        if is_there {
            write_manner(*travel, *surface, feel, to);
        }
        is_there
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use collision::Cell;
    use world::{CellBox, Material};

    use super::*;
    use crate::random::Random;
    use crate::{Command, Wish, standing_in};

    /// Returns a plain with pillars, ice and mud, and the first player on foot.
    fn rough_ground() -> Simulation {
        let bounds = CellBox::new(Cell::new(-64, -8, -64), Cell::new(63, 63, 63));
        let world = World::from_voxels(bounds, |cell| {
            let pillar = cell.x.rem_euclid(7) == 3 && cell.z.rem_euclid(5) == 3;
            match cell.y {
                ..-1 => Material::STONE,
                -1 if cell.x.rem_euclid(23) < 8 => Material::ICE,
                -1 => Material::STONE,
                0 | 1 if pillar => Material::STONE,
                2 if pillar && cell.x > 20 => Material::STONE,
                _ => Material::AIR,
            }
        });
        let tuning = Characters::default();
        let home = standing_in(Cell::zeros(), tuning.half_height);
        let mut simulation = Simulation::new(world, home, &tuning);
        simulation.apply(PlayerId::FIRST, &Command::Travel(Travel::Walk));
        simulation
    }

    fn predicted_of(simulation: &Simulation) -> PredictedPlayer {
        let mut bytes = Vec::new();
        assert!(simulation.write_player(PlayerId::FIRST, &mut bytes));
        PredictedPlayer::from_bytes(&bytes, &Characters::default()).unwrap()
    }

    #[test]
    fn a_predicted_player_has_the_bits_of_the_simulated_one() {
        let mut simulation = rough_ground();
        let mut predicted = predicted_of(&simulation);
        let mut random = Random::new(3);
        let (mut wish, mut ours, mut theirs) = (Wish::default(), Vec::new(), Vec::new());
        let mut on_ice = 0;
        for tick in 0..6000 {
            if tick % 25 == 0 {
                wish = Wish {
                    yaw: random.between(0.0, 6.0),
                    forward: random.between(-0.2, 1.0),
                    right: random.between(-0.5, 0.5),
                    up: [0.0, 0.0, 1.0, -1.0][random.below(4) as usize],
                    sprint: random.once_in(2),
                    ..wish
                };
            }
            if tick % 700 == 0 {
                let travel = [Travel::Walk, Travel::Fly][tick / 700 % 2];
                simulation.apply(PlayerId::FIRST, &Command::Travel(travel));
                predicted.set_travel(travel);
            }
            predicted.tick(&simulation, &[], Input::of(&wish));
            simulation.tick(&wish.alone());
            simulation.write_player(PlayerId::FIRST, &mut theirs);
            predicted.write(&mut ours);
            assert_eq!(ours, theirs, "tick {tick}");
            on_ice += u32::from(predicted.surface == Surface::Slippery);
        }
        assert!(on_ice > 300, "{on_ice}");
    }

    #[test]
    fn every_damaged_state_is_refused_or_is_one_that_can_be_played() {
        let simulation = rough_ground();
        let mut bytes = Vec::new();
        simulation.write_player(PlayerId::FIRST, &mut bytes);
        let (rules, mut again) = (Characters::default(), Vec::new());
        for at in 0..bytes.len() {
            for change in [0x01, 0x40, 0xff] {
                let mut damaged = bytes.clone();
                damaged[at] ^= change;
                if let Ok(mut predicted) = PredictedPlayer::from_bytes(&damaged, &rules) {
                    predicted.write(&mut again);
                    let kept = PredictedPlayer::from_bytes(&again, &rules).unwrap();
                    kept.write(&mut damaged);
                    assert_eq!(again, damaged);
                    predicted.tick(&simulation, &[], Input::default());
                }
            }
            assert!(PredictedPlayer::from_bytes(&bytes[..at], &rules).is_err());
        }
        assert!(!simulation.write_player(PlayerId(9), &mut again) && again.is_empty());
    }
}
