//! Blows and missiles in the world: their hit boxes find characters in the paged grid of the crowd
//! and throw them.

use collision::hit_box::Attack;
use collision::{CharacterId, Position};
use nalgebra::Vector3;

use super::cannon::MissileHit;
use super::melee::{self, Blow, Struck};
use super::noises::Noise;
use super::walkers::way;
use super::{Player, Simulation};

/// Share of the strength of a blow that moves a player.
const SPARED: f32 = 0.8;

impl Simulation {
    /// Lets a player strike, unless its last blow is too recent. Returns how many characters were
    /// hit at once.
    pub(super) fn strike(&mut self, player: usize, blow: Blow) -> Option<u32> {
        let Player {
            character,
            wish,
            fighter,
            ..
        } = &mut self.bodies.players[player];
        if !fighter.is_ready() {
            return None;
        }
        fighter.begin_rest(blow);
        let (character, level) = (*character, wish.level());
        Some(self.begin_blow(character, blow, level))
    }

    /// Moves active blows by one tick, and begins those of the walkers.
    pub(super) fn tick_fights(&mut self) {
        let mut struck = std::mem::take(&mut self.melee.struck);
        for blow in &mut struck {
            if blow.goes_on() {
                self.hit_with(blow);
            }
        }
        self.melee.struck.splice(0..0, struck);
        for (striker, level) in self.bodies.strikers() {
            self.begin_blow(striker, Blow::Punch, level);
        }
        self.melee.tick();
        for player in &mut self.bodies.players {
            player.fighter.tick();
        }
    }

    fn begin_blow(&mut self, striker: CharacterId, blow: Blow, level: Vector3<f32>) -> u32 {
        let position = self.bodies.crowd.position(striker);
        let Some(at) = position.filter(|_| self.melee.has_room()) else {
            return 0;
        };
        self.sound(Noise::Swing, at, 0.5);
        let mut attack = Attack::new(at, melee::shape_of(blow, level), u16::MAX);
        attack.spare(striker);
        let mut struck = Struck::new(attack, striker, blow);
        self.hit_with(&mut struck);
        let hits = struck.hits;
        self.melee.struck.push(struck);
        hits
    }

    /// Moves a blow to its striker and hits the characters that it meets for the first time.
    /// Walkers cannot hit each other.
    fn hit_with(&mut self, struck: &mut Struck) {
        let Some(at) = self.bodies.crowd.position(struck.striker) else {
            return;
        };
        let mut found = Vec::new();
        let bodies = &self.bodies;
        let body_of = |id| bodies.hit_body(id);
        struck
            .attack
            .move_to(&bodies.crowd, at, body_of, &mut found);
        let striker = self.bodies.player_of(struck.striker);
        for id in found {
            let target = self.bodies.player_of(id);
            let is_wanted = striker.is_some() || target.is_some();
            if is_wanted && self.wound(id, self.thrown_by(&at, id, struck.blow)) {
                struck.hits += 1;
                let players = &mut self.bodies.players;
                if let Some(striker) = striker {
                    players[striker].fighter.hits += 1;
                }
                if let Some(target) = target {
                    players[target].fighter.taken += 1;
                }
            }
        }
    }

    /// Throws a character that a missile struck.
    pub(super) fn hit_by_missile(&mut self, hit: &MissileHit, thrown: Vector3<f32>) {
        if self.wound(hit.character, thrown)
            && let Ok(thrower) = self.bodies.index(hit.by)
        {
            self.bodies.players[thrower].fighter.hits += 1;
        }
    }

    /// Returns the velocity at which a blow from a position throws a character.
    fn thrown_by(&self, from: &Position, id: CharacterId, blow: Blow) -> Vector3<f32> {
        let position = self.bodies.crowd.position(id);
        let away = position.map_or_else(Vector3::zeros, |position| way(from, &position));
        let level = Vector3::new(away.x, 0.0, away.z)
            .try_normalize(1.0e-3)
            .unwrap_or_else(Vector3::x);
        let [outwards, upwards] = blow.strength();
        level * outwards + Vector3::y() * upwards
    }

    /// Throws a character that was hit; returns false when it is gone.
    fn wound(&mut self, id: CharacterId, thrown: Vector3<f32>) -> bool {
        let Some(position) = self.bodies.crowd.position(id) else {
            return false;
        };
        if let Some(player) = self.bodies.player_of(id) {
            self.shove_player(player, thrown * SPARED);
            self.bodies.players[player].fighter.wound();
            self.effect(position, 8, 3.0, [220, 60, 48]);
            self.sound_of(player, Noise::Hurt, position, 0.9);
            return true;
        }
        let Some(walker) = self.bodies.walker_of(id) else {
            return false;
        };
        self.bodies.throw(walker, thrown);
        self.bodies.walkers[walker].make_angry();
        self.drop_carried(walker);
        self.effect(position, 8, 4.0, [255, 236, 190]);
        self.sound(Noise::Hit, position, 0.9);
        true
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use collision::hit_box::Body;

    use super::*;
    use crate::level_ground::on_level_ground;
    use crate::{Command, Mood, PlayerId, Wish};

    fn put(simulation: &mut Simulation, walker: usize, away: [f32; 2]) {
        let id = simulation.bodies.walkers[walker].id;
        let at = simulation.player_position();
        let at = at.moved(Vector3::new(away[0], 0.0, away[1]));
        simulation.bodies.crowd.teleport(id, at).unwrap();
    }

    #[test]
    fn walkers_that_are_hit_strike_back_and_the_hit_shows() {
        let mut simulation = on_level_ground(1);
        simulation.tick(&Wish::default().alone());
        put(&mut simulation, 0, [0.0, -1.6]);
        assert_eq!(simulation.strike(0, Blow::Swing), Some(1));
        let shown = simulation.drawn_walkers(1.0).next().unwrap();
        assert!(shown.flash > 0.9, "the hit shows on the walker");
        assert_eq!(simulation.players()[0].fighter().taken, 0);
        let mut hurt = 0.0_f32;
        for _ in 0..600 {
            simulation.tick(&Wish::default().alone());
            hurt = hurt.max(simulation.drawn_player(1.0).unwrap().flash);
        }
        assert!(
            simulation.players()[0].fighter().taken > 0,
            "it never struck back"
        );
        assert!(hurt > 0.9, "the hit shows on the player");
    }

    #[test]
    fn walkers_that_wander_unharmed_do_not_strike() {
        let mut simulation = on_level_ground(30);
        simulation.apply(PlayerId::FIRST, &Command::SetMood(Mood::Wander));
        (0..600).for_each(|_| simulation.tick(&Wish::default().alone()));
        assert_eq!(simulation.players()[0].fighter().taken, 0);
        assert!(simulation.melee().struck().is_empty());
    }

    #[test]
    fn a_swing_hits_each_once_while_it_lasts() {
        let mut simulation = on_level_ground(1);
        simulation.tick(&Wish::default().alone());
        put(&mut simulation, 0, [0.0, -1.6]);
        assert_eq!(simulation.strike(0, Blow::Spin), Some(1));
        for _ in 0..20 {
            put(&mut simulation, 0, [0.0, -1.6]);
            simulation.tick(&Wish::default().alone());
        }
        assert_eq!(simulation.players()[0].fighter().hits, 1);
        // A walker that enters the shape while it lasts is hit then.
        let mut simulation = on_level_ground(1);
        simulation.tick(&Wish::default().alone());
        put(&mut simulation, 0, [0.0, -9.0]);
        assert_eq!(simulation.strike(0, Blow::Spin), Some(0));
        put(&mut simulation, 0, [0.0, -1.6]);
        simulation.tick(&Wish::default().alone());
        assert_eq!(simulation.players()[0].fighter().hits, 1);
    }

    #[test]
    fn boxes_and_circles_both_walk_about() {
        let simulation = on_level_ground(60);
        let bodies = &simulation.bodies;
        let square = bodies
            .walkers
            .iter()
            .filter(|walker| bodies.hit_body(walker.id) == Body::Square);
        let square = square.count();
        assert!((5..30).contains(&square), "{square} of 60 are square");
        assert_eq!(bodies.hit_body(bodies.players[0].character), Body::Round);
    }
}
