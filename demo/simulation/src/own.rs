//! The player of this window: its camera, its panels and its save ask for the place, the look and
//! the way of moving of this one.

use collision::{CharacterId, Medium, Position};
use nalgebra::Vector3;
use world::CellBox;

use super::bodies::upright;
use super::{Drawn, EYE_SHARE, Player, PlayerId, Simulation, Travel, land};

impl Simulation {
    /// Puts a player back to a place of an earlier session, or above it where it has become narrow.
    pub fn return_player(&mut self, id: PlayerId, to: Position, travel: Travel) {
        let Ok(player) = self.bodies.index(id) else {
            return;
        };
        let [low, high] = [-2, 2].map(|step| to.cell.map(|part| part.saturating_add(step)));
        // Land that cannot be read stays solid.
        let _ = self.world.load(&CellBox::new(low, high));
        let half_height = self.tuning.half_height;
        let feet = to.moved(Vector3::y() * -half_height).cell;
        if land::room_above(&self.world, feet, half_height * 2.0) == Some(feet) {
            self.bodies.teleport_player(player, to);
        } else {
            self.teleport(player, land::standing_in(feet, 0.0));
        }
        self.bodies.players[player].travel = travel;
    }

    /// Returns the number of the player of this window.
    pub fn own_id(&self) -> PlayerId {
        self.bodies.own
    }

    /// Returns the player of this window, unless it left.
    pub fn own(&self) -> Option<&Player> {
        self.bodies.own()
    }

    /// Returns the own player's centre.
    pub fn player_position(&self) -> Position {
        self.own()
            .map_or(self.home, |own| self.bodies.position_of(own))
    }

    /// Returns the position of the own player's eyes.
    pub fn eye(&self) -> Position {
        self.player_position()
            .moved(Vector3::y() * self.eye_height())
    }

    /// Returns the height of the eyes above the own player's centre, metres.
    pub fn eye_height(&self) -> f32 {
        let standing = self.tuning.half_height;
        let drawn = self.own().map(|own| self.drawn(own, 1.0));
        drawn.map_or(standing, |drawn| drawn.radii.y) * EYE_SHARE
    }

    /// Returns the unit vector of the own player's line of sight.
    pub fn sight(&self) -> Vector3<f32> {
        self.own().map_or_else(|| -Vector3::z(), Player::sight)
    }

    /// Returns how the own player moves.
    pub fn travel(&self) -> Travel {
        self.own().map_or(Travel::Fly, Player::travel)
    }

    /// Returns how the own player moves, in a word.
    pub fn travel_words(&self) -> &'static str {
        let (crowd, own) = (&self.bodies.crowd, self.player_id());
        match (self.travel(), crowd.medium(own)) {
            (Travel::Fly, _) => "flying",
            (_, Some(Medium::Liquid)) => "swimming",
            (_, Some(Medium::Ladder)) => "climbing",
            _ if crowd.is_crouched(own) => "crouching",
            _ if self.is_grounded() => "walking",
            _ => "falling",
        }
    }

    /// Returns whether the own player stands on something.
    pub fn is_grounded(&self) -> bool {
        self.bodies.crowd.is_grounded(self.player_id())
    }

    /// Returns the own player as a picture between two ticks shows it.
    pub fn drawn_player(&self, between: f32) -> Option<Drawn> {
        self.own().map(|own| self.drawn(own, between))
    }

    /// Returns every player but the own one as a picture between two ticks shows it.
    pub fn drawn_others(&self, between: f32) -> impl Iterator<Item = Drawn> + '_ {
        self.drawn_by_id(between).map(|(_, drawn)| drawn)
    }

    /// Returns every player but the own one with its number, as a picture between two ticks shows
    /// it.
    pub fn drawn_by_id(&self, between: f32) -> impl Iterator<Item = (PlayerId, Drawn)> + '_ {
        let others = self.players().iter();
        let others = others.filter(|player| player.id != self.bodies.own);
        let here = others.map(move |player| (player.id, self.drawn(player, between)));
        here.chain(self.bodies.drawn_shown(upright(&self.tuning), between))
    }

    /// Returns the own player's character.
    pub fn player_id(&self) -> CharacterId {
        self.own().map_or(CharacterId::NONE, Player::character)
    }
}
