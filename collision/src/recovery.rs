//! Getting a body out of what it overlaps: bounded, to the nearest free side, up preferred, never flung.

use crate::mover::{Around, Body, Scratch};
use crate::terrain::{Memory, Terrain};
use nalgebra::Vector3;

/// How a recovery ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rescue {
    /// Nothing overlapped.
    #[default]
    Free,
    /// It was pushed and is free now.
    Freed,
    /// It was pushed as far as one tick allows and still overlaps: call again next tick.
    OnTheWay,
    /// No free place is near: it was not moved.
    Embedded,
}

/// What a recovery did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Recovery {
    /// How far the body was pushed, in metres.
    pub pushed: Vector3<f32>,
    /// How it ended.
    pub rescue: Rescue,
}

/// Pushes `body` out of the terrain it overlaps, at most [`crate::MoverConfig::recovery_step`] in one call. Neighbours are ignored.
pub fn recover<T: Terrain + ?Sized>(
    around: &Around<'_, T>,
    body: &mut Body,
    memory: &mut Memory,
    scratch: &mut Scratch,
) -> Recovery {
    let _ = (around, body, memory, scratch);
    Recovery::default()
}
