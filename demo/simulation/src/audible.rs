//! The noises of the world: those of feet and falls are found here after each tick; whatever else
//! makes one calls `Simulation::sound`.

use collision::{EventKind, Medium, Position};
use nalgebra::Vector3;
use world::Material;

use super::bodies::Bodies;
use super::noises::{Heard, Matter, Noise};
use super::sparks::Burst;
use super::walkers::way;
use super::{Player, Simulation};

/// Length of a player's stride, metres.
const STRIDE: f32 = 2.1;
/// Slowest fall that is heard, and the one that is as loud as any, metres a second.
const SOFT_FALL: f32 = 4.0;
const HARD_FALL: f32 = 22.0;
/// Distance at which falls of walkers are heard, metres.
const HEARS_WALKERS: f32 = 24.0;
/// Distance of a walker at which its murmur is a quarter as loud, metres.
const MURMUR_REACH: f32 = 12.0;
/// Walkers right beside the listener that make the loudest murmur.
const LOUD_CROWD: f32 = 25.0;
/// Loudness of a step.
const STEP_LOUDNESS: f32 = 0.35;
/// Loudness of a fall from which on it raises dust, and the balls of it.
const DUSTY_FALL: f32 = 0.15;
const FALL_DUST: u32 = 12;
/// Depth below the feet at which the ground of a step is read, metres.
const BELOW: f32 = 0.15;

impl Simulation {
    /// Makes a noise that is not the own player's.
    pub(super) fn sound(&mut self, noise: Noise, at: Position, loudness: f32) {
        let own = false;
        self.hear(Heard {
            noise,
            at,
            loudness,
            own,
        });
    }

    /// Makes a noise of a player's; returns false for one of a kind that was made just before.
    pub(super) fn sound_of(
        &mut self,
        player: usize,
        noise: Noise,
        at: Position,
        loudness: f32,
    ) -> bool {
        let own = self.bodies.players[player].id == self.bodies.own;
        if !own && matches!(noise, Noise::Refusal | Noise::Undo) {
            return false;
        }
        self.hear(Heard {
            noise,
            at,
            loudness,
            own,
        })
    }

    fn hear(&mut self, heard: Heard) -> bool {
        self.noises.add(heard, self.ticks)
    }

    /// Moves the noises since the last call to the end of a list.
    pub fn take_noises(&mut self, into: &mut Vec<Heard>) {
        self.noises.take(into);
    }

    /// Returns the group of a material.
    pub(super) fn matter_of(&self, material: Material) -> Matter {
        Matter::of(self.world.materials(), material)
    }

    /// Returns the loudness of the crowd at a place, 0 to 1.
    pub fn murmur_at(&self, at: &Position) -> f32 {
        let ears = (0..self.bodies.walkers.len()).filter_map(|it| self.bodies.walker_position(it));
        let heard: f32 = ears
            .map(|walker| {
                let share = way(at, &walker).norm() / MURMUR_REACH;
                1.0 / ((1.0 + share) * (1.0 + share))
            })
            .sum();
        (heard / LOUD_CROWD).min(1.0).sqrt()
    }

    /// Finds the noises of feet and falls in the tick that just ended.
    pub(super) fn tick_noises(&mut self) {
        self.sound_falls();
        for player in 0..self.bodies.players.len() {
            self.sound_splash(player);
            self.sound_steps(player);
        }
    }

    fn sound_falls(&mut self) {
        let at = self.player_position();
        for index in 0..self.bodies.crowd.events().len() {
            let event = self.bodies.crowd.events()[index];
            let player = self.bodies.player_of(event.character);
            let player = player.map(|player| &self.bodies.players[player]);
            let own = player.is_some_and(|player| player.id == self.bodies.own);
            let jumps = player.is_some_and(|player| player.wish.up > 0.5);
            let place = self.bodies.crowd.position(event.character).unwrap_or(at);
            let (noise, loudness) = match event.kind {
                EventKind::Landed { speed, .. } if speed > SOFT_FALL => (Noise::Land, speed),
                EventKind::LeftGround if jumps => (Noise::Jump, 0.0),
                _ => continue,
            };
            let loudness = (loudness - SOFT_FALL) / (HARD_FALL - SOFT_FALL);
            if own || way(&at, &place).norm() < HEARS_WALKERS {
                let told = self.hear(Heard {
                    noise,
                    at: place,
                    loudness: loudness.clamp(0.1, 1.0),
                    own,
                });
                if told && loudness > DUSTY_FALL {
                    self.raise_dust(&place);
                }
            }
        }
    }

    fn sound_splash(&mut self, player: usize) {
        let Bodies { crowd, players, .. } = &mut self.bodies;
        let Player {
            character, feet, ..
        } = &mut players[player];
        let in_liquid = crowd.medium(*character) == Some(Medium::Liquid);
        let before = std::mem::replace(&mut feet.was_in_liquid, in_liquid);
        if in_liquid && !before {
            let fall = crowd.velocity(*character).map_or(0.0, |v| -v.y);
            let loudness = (fall / HARD_FALL).clamp(0.2, 1.0);
            let at = self.place_of(player);
            self.sound_of(player, Noise::Splash, at, loudness);
        }
    }

    fn sound_steps(&mut self, player: usize) {
        let Bodies { crowd, players, .. } = &mut self.bodies;
        let walker = &mut players[player];
        if !crowd.is_grounded(walker.character) {
            return;
        }
        walker.feet.walked += walker.stride(crowd);
        if walker.feet.walked < STRIDE {
            return;
        }
        walker.feet.walked = 0.0;
        let (feet, ground) = self.ground_below(&self.place_of(player));
        if self.world.materials().is_solid(ground) {
            let noise = Noise::Step(self.matter_of(ground));
            self.sound_of(player, noise, feet, STEP_LOUDNESS);
        }
    }

    /// Returns the place and the material under a character.
    fn ground_below(&self, character: &Position) -> (Position, Material) {
        let down = self.tuning.half_height + BELOW;
        let feet = character.moved(Vector3::y() * -down);
        (
            feet,
            self.world.material(feet.cell).unwrap_or(Material::AIR),
        )
    }

    /// Raises the dust of the ground under a character.
    fn raise_dust(&mut self, character: &Position) {
        let (feet, ground) = self.ground_below(character);
        if self.world.materials().is_solid(ground) {
            let [r, g, b, _] = self.world.materials().info(ground).colour;
            let dust = Burst::dust(feet.moved(Vector3::y() * BELOW * 2.0), [r, g, b], FALL_DUST);
            self.sparks.burst(&dust);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::level_ground::on_level_ground;
    use crate::{Blow, BrushMode, BrushShape, CannonShot, Command, Joins, PlayerId, Stroke, Wish};
    use collision::Cell;

    fn stroke(mode: BrushMode, center: Cell) -> Command {
        Command::Edit(Stroke {
            center,
            shape: BrushShape::Voxel,
            size: 1,
            mode,
            material: Material::PLANKS,
            joins: Joins::Nothing,
        })
    }

    /// Returns the noises that a command makes within some ticks.
    fn noises_of(simulation: &mut Simulation, command: &Command, ticks: u32) -> Vec<Noise> {
        let mut heard = Vec::new();
        simulation.take_noises(&mut heard);
        heard.clear();
        simulation.apply(PlayerId::FIRST, command);
        (0..ticks).for_each(|_| simulation.tick(&Wish::default().alone()));
        simulation.take_noises(&mut heard);
        heard.iter().map(|it| it.noise).collect()
    }

    #[test]
    fn every_command_that_changes_something_is_heard() {
        let mut simulation = on_level_ground(0);
        (0..60).for_each(|_| simulation.tick(&Wish::default().alone()));
        let ground = Cell::new(9, -1, 9);
        let shot = CannonShot {
            direction: Vector3::new(0.0, 0.3, -1.0),
            speed: 20.0,
        };
        let cases = [
            (stroke(BrushMode::Carve, ground), Noise::Dig(Matter::Stone)),
            (stroke(BrushMode::Carve, ground), Noise::Refusal),
            (stroke(BrushMode::Place, ground), Noise::Place(Matter::Wood)),
            (Command::Undo, Noise::Undo),
            (Command::Redo, Noise::Undo),
            (Command::Strike(Blow::Swing), Noise::Swing),
        ];
        for (command, noise) in cases {
            let heard = noises_of(&mut simulation, &command, 5);
            assert_eq!(heard, [noise], "{command:?}");
        }
        let fired = noises_of(&mut simulation, &Command::Fire(shot), 300);
        assert_eq!(fired, [Noise::Cannon, Noise::Blast]);
    }

    #[test]
    fn a_walk_is_a_row_of_steps_and_a_jump_has_two_ends() {
        let mut simulation = on_level_ground(0);
        (0..60).for_each(|_| simulation.tick(&Wish::default().alone()));
        let ahead = Wish {
            forward: 1.0,
            ..Wish::default()
        };
        let mut heard = Vec::new();
        simulation.take_noises(&mut heard);
        heard.clear();
        (0..240).for_each(|_| simulation.tick(&ahead.alone()));
        simulation.take_noises(&mut heard);
        // Four seconds at 5 m/s are 20 m.
        assert!((7..=10).contains(&heard.len()), "{}", heard.len());
        assert!(
            heard
                .iter()
                .all(|it| it.noise == Noise::Step(Matter::Stone))
        );
        heard.clear();
        let jump = Wish {
            up: 1.0,
            ..Wish::default()
        };
        (0..30).for_each(|_| simulation.tick(&Wish::default().alone()));
        (0..5).for_each(|_| simulation.tick(&jump.alone()));
        (0..90).for_each(|_| simulation.tick(&Wish::default().alone()));
        simulation.take_noises(&mut heard);
        let kinds: Vec<_> = heard.iter().map(|it| it.noise).collect();
        assert_eq!(kinds, [Noise::Jump, Noise::Land]);
        assert!(heard.iter().all(|it| it.own));
    }

    #[test]
    fn a_crowd_murmurs_the_louder_the_nearer_it_is() {
        let simulation = on_level_ground(40);
        let here = simulation.player_position();
        let loud = simulation.murmur_at(&here);
        let far = simulation.murmur_at(&here.moved(Vector3::x() * 200.0));
        assert!(loud > 0.3 && loud <= 1.0, "{loud}");
        assert!(far < loud * 0.4, "{far}");
        assert_eq!(on_level_ground(0).murmur_at(&here), 0.0);
    }
}
