//! Slabs that travel to and fro and carry the characters on them. They are laid out anew each time,
//! and not saved.

use collision::{Cell, Position};
use nalgebra::Vector3;
use world::{Material, ObjectId, World};

use super::TICK;
use super::coding::Coded;
use super::land;

/// Number of slabs.
const COUNT: u32 = 4;
/// Voxels on a side, voxels of thickness, and metres of a voxel.
const SIDE: u32 = 8;
const THICKNESS: u32 = 1;
const VOXEL: f32 = 0.5;
/// Distance from the middle to either end of the path, metres.
const REACH: f32 = 7.0;
/// Seconds of a journey there and back.
const PERIOD: f32 = 11.0;

/// One slab.
#[derive(Clone, Debug)]
struct Platform {
    id: ObjectId,
    along: Vector3<f32>,
    /// Share of the period at the start.
    phase: f32,
}

/// Every slab.
#[derive(Clone, Debug, Default)]
pub(crate) struct Platforms {
    list: Vec<Platform>,
    ticks: u64,
}

impl Platforms {
    /// Returns whether there are slabs.
    pub(crate) fn is_on(&self) -> bool {
        !self.list.is_empty()
    }

    /// Returns the slab that goes up and down.
    pub(crate) fn lift(&self) -> Option<ObjectId> {
        let mut list = self.list.iter();
        let lift = list.find(|platform| platform.along == Vector3::y());
        lift.map(|platform| platform.id)
    }

    /// Adds all that decides where they go.
    pub(super) fn write_state(&self, to: &mut Vec<u8>) {
        self.list.iter().for_each(|platform| platform.id.write(to));
        self.ticks.write(to);
    }

    /// Places slabs round a position.
    pub(crate) fn start(&mut self, world: &mut World, about: Position) {
        self.stop(world);
        self.ticks = 0;
        for index in 0..COUNT {
            let side = if index % 2 == 0 {
                Vector3::x()
            } else {
                Vector3::z()
            };
            let along = if index == 3 { Vector3::y() } else { side };
            if let Some(origin) = place_for(world, about, index)
                && let Ok(id) = world.add_passing_object(
                    origin,
                    VOXEL,
                    Vector3::new(SIDE, THICKNESS, SIDE),
                    |_| Material::PLANKS,
                )
            {
                self.list.push(Platform {
                    id,
                    along,
                    phase: index as f32 / COUNT as f32,
                });
            }
        }
    }

    /// Removes the slabs.
    pub(crate) fn stop(&mut self, world: &mut World) {
        for platform in self.list.drain(..) {
            world.remove_object(platform.id);
        }
    }

    /// Moves every slab by one tick.
    pub(crate) fn tick(&mut self, world: &mut World) {
        for platform in &self.list {
            let at = |ticks: u64| {
                smooth_to_and_fro(ticks as f32 * TICK / PERIOD + platform.phase) * REACH
            };
            let displacement = platform.along * (at(self.ticks + 1) - at(self.ticks));
            world.move_object(platform.id, displacement);
        }
        self.ticks += 1;
    }
}

/// Returns a place above the ground for slab `index`.
fn place_for(world: &World, about: Position, index: u32) -> Option<Position> {
    let [x, z] = [[12, 4], [-12, 6], [5, -14], [-8, -10]][index as usize % 4];
    let column = [about.cell.x.wrapping_add(x), about.cell.z.wrapping_add(z)];
    let ground = land::dry_ground(world, column, about.cell.y.saturating_add(64), 200)?;
    let lift = 2 + index as i32 + if index == 3 { REACH as i32 } else { 0 };
    Some(Position::new(
        Cell::new(ground.x, ground.y + lift, ground.z),
        Vector3::zeros(),
    ))
}

/// Goes from -1 to 1 and back once a turn, smoothly at the ends.
fn smooth_to_and_fro(turns: f32) -> f32 {
    let turn = turns.rem_euclid(1.0);
    let ramp = if turn < 0.5 {
        turn * 2.0
    } else {
        2.0 - turn * 2.0
    };
    let smooth = ramp * ramp * (3.0 - 2.0 * ramp);
    smooth * 2.0 - 1.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_is_closed_and_bounded() {
        for step in 0..=200 {
            let at = smooth_to_and_fro(step as f32 / 100.0);
            assert!((-1.0..=1.0).contains(&at));
        }
        assert_eq!(smooth_to_and_fro(0.25), smooth_to_and_fro(1.25));
    }
}
