//! The players among the characters of the crowd: coming and going, places and pictures.

use collision::{CharacterId, Mode, Position};

use crate::rules::Characters;

use super::bodies::{Bodies, Drawn, blend, body, upright};
use super::eye_lag::EyeLag;
use super::player::{JoinError, MOST_PLAYERS, Player, PlayerId};
use super::walkers::way;

impl Bodies {
    /// Adds a player.
    pub(super) fn join(
        &mut self,
        id: PlayerId,
        at: Position,
        tuning: &Characters,
    ) -> Result<(), JoinError> {
        let Err(index) = self.index(id) else {
            return Err(JoinError::Taken(id));
        };
        if self.players.len() >= MOST_PLAYERS {
            return Err(JoinError::Full);
        }
        let character = self.crowd.try_add(body(tuning, at).with_mode(Mode::Fly))?;
        self.players.insert(index, Player::new(id, character, at));
        Ok(())
    }

    /// Returns whether a character at a place touches no player. Walkers step aside.
    pub(super) fn is_free(&self, at: &Position, tuning: &Characters) -> bool {
        let apart = tuning.radius.max(tuning.half_height) * 2.0;
        let places = self.players.iter().map(|player| self.position_of(player));
        let mut ways = places.map(|place| way(at, &place));
        ways.all(|way| way.norm() > apart)
    }

    /// Removes a player; returns false if it was gone.
    pub(super) fn leave(&mut self, id: PlayerId) -> bool {
        let Ok(index) = self.index(id) else {
            return false;
        };
        let player = self.players.remove(index);
        self.crowd.remove(player.character)
    }

    /// Returns the index of a player, or the one at which it belongs.
    pub(super) fn index(&self, id: PlayerId) -> Result<usize, usize> {
        self.players.binary_search_by_key(&id, |player| player.id)
    }

    /// Returns the index of the player with this character; walkers have none.
    pub(super) fn player_of(&self, id: CharacterId) -> Option<usize> {
        self.players
            .iter()
            .position(|player| player.character == id)
    }

    /// Returns the player of this window, unless it left.
    pub(super) fn own(&self) -> Option<&Player> {
        let index = self.index(self.own).ok()?;
        self.players.get(index)
    }

    /// Returns the centre of a player.
    pub(super) fn position_of(&self, player: &Player) -> Position {
        let position = self.crowd.position(player.character);
        position.unwrap_or(player.before)
    }

    /// Returns the centre of the player that is nearest to a position.
    pub(super) fn nearest_player(&self, at: &Position) -> Option<Position> {
        let places = self.players.iter().map(|player| self.position_of(player));
        places.min_by(|a, b| {
            let [a, b] = [a, b].map(|place| way(at, place).norm_squared());
            a.total_cmp(&b)
        })
    }

    /// Moves a player to a position at once.
    pub(super) fn teleport_player(&mut self, index: usize, to: Position) {
        let player = &self.players[index];
        // A player has a character; a position that is not sound changes nothing.
        let _ = self.crowd.teleport(player.character, to);
        let is_own = player.id == self.own;
        self.players[index].before = self.position_of(player);
        if is_own {
            self.eye_lag = EyeLag::default();
        }
    }

    /// Returns a player as a picture between two ticks shows it.
    pub(super) fn drawn_player(&self, player: &Player, between: f32, tuning: &Characters) -> Drawn {
        let now = self.position_of(player);
        let is_own = player.id == self.own;
        Drawn {
            position: blend(&player.before, &now, between),
            radii: self
                .radii(player.character)
                .unwrap_or_else(|| upright(tuning)),
            heading: player.wish.yaw,
            tint: player.id.0 as u8,
            flash: player.fighter.hurt(),
            gait: player.gait,
            pace: self.pace(player.character),
            eye_lag: if is_own {
                self.eye_lag.between(between)
            } else {
                0.0
            },
        }
    }
}
