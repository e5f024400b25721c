//! The effect of the surface under a character: friction of its slides, and grip and pace of its
//! walk.
//!
//! The mover brakes slides along walls and slopes by friction and shrink. A character that walks on
//! a level floor slides along nothing, so there its acceleration and speed follow the surface.

use std::f32::consts::TAU;

use collision::Position;
use nalgebra::Vector3;
use world::{Surface, World};

use crate::rules::Characters;

use super::TICK;

/// Depth below the feet at which the surface is read, metres.
const BELOW: f32 = 0.15;
/// Acceleration of a walker on firm ground, metres a second squared.
const WALKER_ACCELERATION: f32 = 60.0;

/// Way of two steps, metres.
const TWO_STEPS: f32 = 2.6;

/// Returns the phase of a gait after one tick at a level speed, radians.
pub(crate) fn gait_after(phase: f32, speed: f32) -> f32 {
    (phase + speed * TICK / TWO_STEPS * TAU) % TAU
}

/// The walk of a character on a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Hold {
    /// Share of its acceleration.
    pub(crate) grip: f32,
    /// Share of its speed.
    pub(crate) pace: f32,
}

impl Default for Hold {
    fn default() -> Self {
        hold_on(Surface::Firm)
    }
}

/// Returns the walk of a character on a surface.
pub(crate) fn hold_on(surface: Surface) -> Hold {
    let (grip, pace) = match surface {
        Surface::Firm => (1.0, 1.0),
        Surface::Slippery => (0.05, 1.0),
        Surface::Sticky => (0.6, 0.4),
    };
    Hold { grip, pace }
}

/// Returns friction and shrink of slides on a surface.
pub(crate) fn braking_on(surface: Surface, tuning: &Characters) -> [f32; 2] {
    match surface {
        Surface::Firm => [tuning.friction, tuning.shrink],
        Surface::Slippery => [0.0, 0.0],
        Surface::Sticky => [tuning.friction.max(0.7), tuning.shrink.max(0.5)],
    }
}

/// Returns the surface under a standing character.
pub(crate) fn surface_under(world: &World, center: &Position, half_height: f32) -> Surface {
    let below = center.moved(Vector3::y() * -(half_height + BELOW)).cell;
    let table = world.materials();
    let material = world.material(below);
    let material = material.filter(|&material| table.is_solid(material));
    material.map_or(Surface::Firm, |material| table.info(material).surface)
}

/// Returns the velocity of a walker after one tick towards `wanted`, starting from `now`.
pub(crate) fn led_on(surface: Surface, now: Vector3<f32>, wanted: Vector3<f32>) -> Vector3<f32> {
    let Hold { grip, pace } = hold_on(surface);
    if surface == Surface::Firm {
        return wanted;
    }
    let now = Vector3::new(now.x, 0.0, now.z);
    now + (wanted * pace - now).cap_magnitude(WALKER_ACCELERATION * grip * TICK)
}

#[cfg(test)]
mod tests {
    use collision::Cell;
    use world::{CellBox, Material};

    use super::*;
    use crate::{Command, PlayerId, Simulation, Travel, Wish, standing_in};

    /// Level ground of a material, with a wall of stone along z = -6, and the player on foot.
    fn on_floor(material: Material, tuning: &Characters) -> Simulation {
        let bounds = CellBox::new(Cell::new(-96, -8, -96), Cell::new(95, 31, 95));
        let world = World::from_voxels(bounds, |cell| match (cell.y, cell.z) {
            (..0, _) => material,
            (0..4, ..-6) => Material::STONE,
            _ => Material::AIR,
        });
        let home = standing_in(Cell::zeros(), tuning.half_height);
        let mut simulation = Simulation::new(world, home, tuning);
        simulation.apply(PlayerId::FIRST, &Command::Travel(Travel::Walk));
        (0..30).for_each(|_| simulation.tick(&Wish::default().alone()));
        simulation
    }

    fn along(yaw: f32) -> Wish {
        Wish {
            yaw,
            forward: 1.0,
            ..Wish::default()
        }
    }

    /// Returns the length of the path of some ticks, metres.
    fn way(simulation: &mut Simulation, wish: &Wish, ticks: u32) -> f32 {
        let before = simulation.player_position();
        (0..ticks).for_each(|_| simulation.tick(&wish.alone()));
        simulation.player_position().since(&before).xz().norm()
    }

    #[test]
    fn ice_lets_feet_slide_on_and_mud_holds_them() {
        let tuning = Characters::default();
        let full = tuning.walk_speed;
        let east = along(std::f32::consts::FRAC_PI_2);
        let walked = |material| {
            let mut simulation = on_floor(material, &tuning);
            way(&mut simulation, &east, 180);
            let second = way(&mut simulation, &east, 60);
            let rest = way(&mut simulation, &Wish::default(), 120);
            (second, rest)
        };
        let (stone, stone_rest) = walked(Material::STONE);
        let (ice, ice_rest) = walked(Material::ICE);
        let (mud, mud_rest) = walked(Material::MUD);
        assert!((stone - full).abs() < 0.1 && stone_rest < 0.5);
        // At 3 m/s^2 it takes v^2 / 2a = 4.2 m to stop.
        assert!((ice - full).abs() < 0.3, "{ice}");
        assert!((2.5..6.0).contains(&ice_rest), "{ice_rest}");
        assert!((mud - full * 0.4).abs() < 0.2, "{mud}");
        assert!(mud_rest < 0.5, "{mud_rest}");
    }

    #[test]
    fn friction_and_shrink_brake_a_slide_along_a_wall() {
        let slide = |friction: f32, shrink: f32| {
            let tuning = Characters {
                friction,
                shrink,
                ..Characters::default()
            };
            let mut simulation = on_floor(Material::STONE, &tuning);
            // To the north-east, up to the wall and along it.
            let wish = along(std::f32::consts::FRAC_PI_4);
            way(&mut simulation, &wish, 180);
            way(&mut simulation, &wish, 60)
        };
        let free = slide(0.0, 0.0);
        assert!(free > 1.0, "{free}");
        assert!(slide(0.6, 0.0) < free * 0.7);
        assert!(slide(0.0, 1.0) < free * 0.9);
    }
}
