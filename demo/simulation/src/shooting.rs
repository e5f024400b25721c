//! The cannon in the world: firing, and the effect of a landing on land, targets and characters.

use collision::{Position, Scratch};
use nalgebra::Vector3;
use world::Material;

use super::cannon::{self, BALL_RADIUS, BLAST, CRATER, Landing, Met};
use super::noises::{Matter, Noise};
use super::sparks::{Burst, FALL, SparkShape};
use super::walkers::way;
use super::{BARREL, CannonShot, Player, Simulation};

/// Speed of the shove right beside a landing, metres a second.
const BLAST_SPEED: f32 = 14.0;
/// Highest speed with which a ball shoves a character along its path, and upwards, metres a second.
const BALL_SHOVE: f32 = 18.0;
const BALL_LIFT: f32 = 5.0;

impl Simulation {
    /// Fires a ball from the muzzle of a player's cannon.
    pub(super) fn fire(&mut self, player: usize, shot: &CannonShot) {
        let (from, velocity) = self.muzzle(&self.bodies.players[player], shot);
        let Player { id, character, .. } = self.bodies.players[player];
        self.cannon.fire(id, from, velocity, character);
        self.effect(from, 6, 3.0, [255, 214, 140]);
        self.sparks.burst(&Burst::smoke(from));
        self.sound_of(player, Noise::Cannon, from, 1.0);
    }

    /// Computes the path of a shot of the own player.
    pub fn preview_shot(&self, shot: &CannonShot, path: &mut Vec<Position>) {
        path.clear();
        let Some(own) = self.own() else {
            return;
        };
        let (from, velocity) = self.muzzle(own, shot);
        self.props.with_land(&self.world, |land| {
            cannon::preview(land, from, velocity, path)
        });
    }

    /// Puts new targets on the land about a player.
    pub(super) fn scatter_targets(&mut self, player: usize, count: u32) {
        let about = self.place_of(player);
        self.cannon
            .scatter(&self.world, about, count, &mut self.random);
    }

    fn muzzle(&self, player: &Player, shot: &CannonShot) -> (Position, Vector3<f32>) {
        let velocity = shot.velocity();
        let barrel = velocity.try_normalize(0.0).unwrap_or_else(Vector3::y) * BARREL;
        // Sweeps from the middle of the character, where a ball has room, over the axle to the
        // muzzle, so that a ball never begins in a wall.
        let mut scratch = Scratch::default();
        let mut from = self.bodies.position_of(player);
        for motion in [self.axle_of(player).since(&from), barrel] {
            let hit = self.props.with_land(&self.world, |land| {
                cannon::sweep_ball(&mut scratch, land, &from, motion)
            });
            from = hit.map_or_else(|| from.moved(motion), |hit| hit.center);
        }
        (from, velocity)
    }

    /// Moves the balls in the air by one tick.
    pub(super) fn tick_cannon(&mut self) {
        if self.cannon.balls().is_empty() {
            return;
        }
        let bodies = &self.bodies;
        let cannon = &mut self.cannon;
        let body_of = |id| bodies.hit_body(id);
        let landings = self.props.with_land(&self.world, |land| {
            cannon.tick(land, &bodies.crowd, body_of).to_vec()
        });
        for index in 0..self.cannon.hits().len() {
            let hit = self.cannon.hits()[index];
            let shove = hit.velocity.cap_magnitude(BALL_SHOVE);
            self.hit_by_missile(&hit, Vector3::new(shove.x, BALL_LIFT, shove.z));
        }
        for landing in &landings {
            self.land(landing);
        }
    }

    fn land(&mut self, landing: &Landing) {
        match landing.met {
            Met::Ground => {
                let color = self.color_below(landing);
                self.crater(landing.by, landing.at, CRATER);
                self.scatter_debris(landing.at, color);
                self.effect(landing.at, 40, 9.0, [222, 190, 150]);
                let dust = Burst::dust(landing.at, color, 24);
                self.sparks.burst(&dust);
            }
            Met::Prop => self.effect(landing.at, 24, 6.0, [206, 200, 190]),
            Met::Target(_) => self.effect(landing.at, 60, 8.0, [255, 96, 72]),
        }
        let noise = match landing.met {
            Met::Ground => Noise::Blast,
            Met::Prop => Noise::Dig(Matter::Stone),
            Met::Target(_) => Noise::Shatter,
        };
        self.sound(noise, landing.at, 1.0);
        self.blast(landing.at);
    }

    /// Returns the colour of the ground where a ball landed.
    fn color_below(&self, landing: &Landing) -> [u8; 3] {
        let ahead = landing.velocity.try_normalize(0.0).unwrap_or_default();
        let into = landing.at.moved(ahead * (BALL_RADIUS * 2.0)).cell;
        let table = self.world.materials();
        let material = self.world.material(into);
        let material = material.filter(|&material| table.is_solid(material));
        let [r, g, b, _] = table.info(material.unwrap_or(Material::STONE)).colour;
        [r, g, b]
    }

    /// Shoves the characters near a landing.
    fn blast(&mut self, at: Position) {
        let mut near = Vec::new();
        let crowd = &self.bodies.crowd;
        crowd.overlap_box(&at, Vector3::repeat(BLAST), u16::MAX, &mut near);
        for id in near {
            let walker = self.bodies.walker_of(id);
            let position = self.bodies.crowd.position(id);
            let shove = position.and_then(|position| shove_from(&at, &position));
            if let (Some(walker), Some(shove)) = (walker, shove) {
                self.bodies.throw(walker, shove);
            }
        }
        for player in 0..self.bodies.players.len() {
            if let Some(shove) = shove_from(&at, &self.place_of(player)) {
                self.shove_player(player, shove);
            }
        }
    }

    pub(super) fn effect(&mut self, at: Position, count: u32, speed: f32, color: [u8; 3]) {
        let burst = Burst {
            at,
            count,
            speed,
            size: 0.14,
            fall: FALL,
            color,
            shape: SparkShape::Ball,
        };
        self.sparks.burst(&burst);
    }
}

/// Returns the shove of a landing, weaker with distance; `None` beyond its reach.
fn shove_from(at: &Position, position: &Position) -> Option<Vector3<f32>> {
    let away = way(at, position);
    let distance = away.norm();
    if distance >= BLAST {
        return None;
    }
    let strength = BLAST_SPEED * (1.0 - distance / BLAST);
    let outwards = away.try_normalize(1.0e-3).unwrap_or_else(Vector3::y);
    Some(Vector3::new(
        outwards.x * strength,
        (outwards.y.abs() + 0.5) * strength * 0.6,
        outwards.z * strength,
    ))
}
