//! The simulation of a client in a shared world: nothing in it moves by itself. Its player is where
//! its client predicts it, and the others are where they were seen.

use collision::Position;
use nalgebra::Vector3;

use super::bodies::{Bodies, CROUCHED, Drawn, blend};
use super::walkers::way;
use super::{Input, PlayerId, PredictedPlayer, Simulation, TICK, underfoot};

/// Share of an error of a shown place that is made up in a tick.
const MADE_UP: f32 = 0.2;
/// An error that is made up at once, metres.
const JUMP: f32 = 3.0;

/// Another player of a shared world, as its client knows it.
#[derive(Clone, Copy, Debug)]
pub struct OtherPlayer {
    /// Its number.
    pub id: PlayerId,
    /// Its centre.
    pub place: Position,
    /// Its velocity, metres a second.
    pub velocity: Vector3<f32>,
    /// Radians to the right of -z.
    pub heading: f32,
    /// True if it crouches.
    pub crouched: bool,
}

/// Another player as pictures show it: it glides to where it was seen.
#[derive(Clone, Debug)]
pub(super) struct ShownPlayer {
    other: OtherPlayer,
    before: Position,
    now: Position,
    gait: f32,
}

impl ShownPlayer {
    fn new(other: OtherPlayer) -> Self {
        ShownPlayer {
            before: other.place,
            now: other.place,
            gait: 0.0,
            other,
        }
    }

    fn tick(&mut self, other: OtherPlayer) {
        self.other = other;
        self.before = self.now;
        let ahead = self.now.moved(other.velocity * TICK);
        let error = way(&ahead, &other.place);
        self.now = match error.norm() > JUMP {
            true => other.place,
            false => ahead.moved(error * MADE_UP),
        };
        self.gait = underfoot::gait_after(self.gait, self.pace());
    }

    /// Returns its level speed; falls and flights have no gait.
    fn pace(&self) -> f32 {
        let velocity = self.other.velocity;
        let is_level = velocity.y.abs() < 0.5 * velocity.xz().norm();
        if is_level { velocity.xz().norm() } else { 0.0 }
    }

    fn drawn(&self, radii: Vector3<f32>, between: f32) -> Drawn {
        let height = if self.other.crouched { CROUCHED } else { 1.0 };
        Drawn {
            position: blend(&self.before, &self.now, between),
            radii: radii.component_mul(&Vector3::new(1.0, height, 1.0)),
            heading: self.other.heading,
            tint: self.other.id.0 as u8,
            flash: 0.0,
            gait: self.gait,
            pace: self.pace(),
            eye_lag: 0.0,
        }
    }
}

impl Bodies {
    pub(super) fn drawn_shown(
        &self,
        radii: Vector3<f32>,
        between: f32,
    ) -> impl Iterator<Item = (PlayerId, Drawn)> + '_ {
        let shown = self.shown.iter();
        shown.map(move |it| (it.other.id, it.drawn(radii, between)))
    }

    fn show(&mut self, others: impl Iterator<Item = OtherPlayer>) {
        let mut before = std::mem::take(&mut self.shown);
        for other in others {
            let known = before.iter().position(|it| it.other.id == other.id);
            let mut shown = match known {
                Some(index) => before.swap_remove(index),
                None => ShownPlayer::new(other),
            };
            shown.tick(other);
            self.shown.push(shown);
        }
    }
}

impl Simulation {
    /// Gives the own player the number that it has at a server.
    pub fn set_own_id(&mut self, id: PlayerId) {
        if let Ok(own) = self.bodies.index(self.bodies.own) {
            self.bodies.players[own].id = id;
            self.bodies.players.sort_by_key(|player| player.id);
            self.bodies.own = id;
        }
    }

    /// Goes on by one tick of a client: the own player takes its predicted state, and the others
    /// glide to where they are taken to be. Nothing else moves.
    pub fn follow(
        &mut self,
        predicted: &PredictedPlayer,
        input: Input,
        others: impl Iterator<Item = OtherPlayer>,
    ) {
        if let Ok(own) = self.bodies.index(self.bodies.own) {
            let was_grounded = self.is_grounded();
            let Bodies { crowd, players, .. } = &mut self.bodies;
            let player = &mut players[own];
            player.remember(crowd);
            player.take(input);
            predicted.show(player, crowd);
            let before = player.before;
            let way = way(&before, &self.bodies.position_of(&self.bodies.players[own]));
            let is_step = was_grounded && predicted.is_grounded() && way.norm() < JUMP;
            let lift = way.y - predicted.velocity().y * TICK;
            self.bodies.eye_lag.step(if is_step { lift } else { 0.0 });
        }
        self.bodies.show(others);
        self.sparks.tick();
        self.tick_noises();
        self.ticks += 1;
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::level_ground::on_level_ground;
    use crate::{Characters, Wish};

    #[test]
    fn a_client_shows_its_player_as_the_server_has_it() {
        let tuning = Characters::default();
        let [mut server, mut client] = [0; 2].map(on_level_ground);
        client.set_own_id(PlayerId(7));
        let mut state = Vec::new();
        let ahead = Input::of(&Wish {
            forward: 1.0,
            ..Wish::default()
        });
        for _ in 0..120 {
            server.tick(&[(PlayerId::FIRST, ahead)]);
            server.write_player(PlayerId::FIRST, &mut state);
            let predicted = PredictedPlayer::from_bytes(&state, &tuning).unwrap();
            client.follow(&predicted, ahead, std::iter::empty());
        }
        let [ours, theirs] = [&client, &server].map(|it| it.drawn_player(0.5).unwrap());
        assert_eq!(ours.position, theirs.position);
        assert!((ours.pace, ours.gait) == (theirs.pace, theirs.gait) && ours.pace > 2.0);
        assert_eq!(client.travel_words(), "walking");
        assert_eq!(client.own_id(), PlayerId(7));
    }

    #[test]
    fn others_glide_to_where_they_are_seen_and_go() {
        let (tuning, mut client) = (Characters::default(), on_level_ground(0));
        let home = client.player_position();
        let mut state = Vec::new();
        client.write_player(PlayerId::FIRST, &mut state);
        let predicted = PredictedPlayer::from_bytes(&state, &tuning).unwrap();
        let mut other = OtherPlayer {
            id: PlayerId(3),
            place: home.moved(Vector3::x() * 2.0),
            velocity: Vector3::zeros(),
            heading: 1.0,
            crouched: false,
        };
        let place = |client: &Simulation| client.drawn_others(1.0).next().unwrap().position;
        client.follow(&predicted, Input::default(), [other].into_iter());
        assert_eq!(place(&client), other.place);
        other.place = home.moved(Vector3::x() * 3.0);
        client.follow(&predicted, Input::default(), [other].into_iter());
        let on_the_way = place(&client).since(&home).x;
        assert!((2.1..2.9).contains(&on_the_way), "{on_the_way}");
        for _ in 0..60 {
            client.follow(&predicted, Input::default(), [other].into_iter());
        }
        assert!(place(&client).since(&other.place).norm() < 0.01);
        client.follow(&predicted, Input::default(), std::iter::empty());
        assert_eq!(client.drawn_others(1.0).count(), 0);
    }
}
