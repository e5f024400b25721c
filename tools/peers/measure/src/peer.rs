//! The interface of a peer: characters of one kind on one ground, moved tick by tick.

use crate::ground::Ground;
use crate::mesh::Mesh;

/// Half the width of every character, in metres.
pub const RADIUS: f32 = 0.4;
/// Half its height, in metres.
pub const HALF_HEIGHT: f32 = 0.9;
/// Half the straight part of a capsule of that height, in metres.
pub const HALF_SEGMENT: f32 = HALF_HEIGHT - RADIUS;
/// Gravity in m/s^2.
pub const GRAVITY: f32 = 20.0;
/// Largest falling speed in m/s.
pub const FALL_LIMIT: f32 = 60.0;
/// Distance by which a standing character is put down onto falling ground, in metres, unless a
/// scene names another. Independent of the step: our snap does not grow with it, and a longer query
/// below is not free.
pub const SNAP: f32 = 0.5;
/// Cosine of the steepest walkable ground: 50 degrees.
pub const LEAST_RISE: f32 = 0.642_787_6;

/// The shape of a peer's characters, by which "inside" is judged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Body {
    Ellipsoid,
    Capsule,
    Box,
}

/// The walking rules of a character.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rules {
    /// Highest step, in metres; 0 for none.
    pub step: f32,
    /// Highest step while falling, in metres. PhysX always steps while falling, Jolt and Rapier
    /// sometimes.
    pub air_step: f32,
    /// Cosine of the steepest ground.
    pub least_rise: f32,
    /// Distance by which a standing character is put down onto falling ground, in metres. PhysX has
    /// none.
    pub snap: f32,
}

/// A character to be placed.
#[derive(Clone, Copy, Debug)]
pub struct Start {
    pub center: [f32; 3],
    pub rules: Rules,
}

impl Rules {
    /// Rules without steps.
    pub const PLAIN: Self = Self {
        step: 0.0,
        air_step: 0.0,
        least_rise: LEAST_RISE,
        snap: SNAP,
    };

    /// Returns the slope limit in radians.
    pub fn steepest(&self) -> f32 {
        self.least_rise.acos()
    }
}

/// The characters of a library on its own copy of the ground.
pub trait Peer {
    fn name(&self) -> &'static str;
    fn body(&self) -> Body {
        Body::Capsule
    }
    /// Removes all characters and places new ones in this order; returns false if one could not be
    /// made.
    #[must_use]
    fn place(&mut self, starts: &[Start]) -> bool;
    /// Moves all characters for one tick, each with a wished horizontal velocity.
    fn tick(&mut self, wishes: &[[f32; 2]], seconds: f32);
    fn center(&self, index: usize) -> [f32; 3];
    fn is_grounded(&self, index: usize) -> bool;
    /// Gives an upward speed, in m/s, to a standing character.
    fn jump(&mut self, index: usize, speed: f32);
    /// Replaces a mesh; only called for peers that walk on triangles.
    fn replace(&mut self, _slot: usize, _mesh: &Mesh) {}
    /// Follows an edit of one voxel that the ground already contains; gets the changed meshes.
    fn follow_edit(&mut self, _ground: &Ground, _cell: [i32; 3], meshes: &[(usize, Mesh)]) {
        for (slot, mesh) in meshes {
            self.replace(*slot, mesh);
        }
    }
    /// Returns a hash of the whole state, if the peer has one.
    fn state_hash(&self) -> Option<u64> {
        None
    }
}

/// The state of a character for peers whose controller only moves.
#[derive(Clone, Copy, Debug)]
pub struct Faller {
    pub center: [f32; 3],
    pub rules: Rules,
    /// Upward speed, in m/s.
    pub rise: f32,
    pub grounded: bool,
    /// True if the speed is from a jump in this tick, which gravity reduces only from the next on.
    jumps: bool,
}

impl Faller {
    pub fn at(start: &Start) -> Self {
        Self {
            center: start.center,
            rules: start.rules,
            rise: 0.0,
            grounded: false,
            jumps: false,
        }
    }

    /// Returns the highest step at present; none while it rises.
    pub fn step(&self) -> f32 {
        match (self.grounded, self.rise > 0.0) {
            (true, _) => self.rules.step,
            (false, false) => self.rules.air_step,
            (false, true) => 0.0,
        }
    }

    /// Applies gravity for one tick; returns the wished motion.
    pub fn fall(&mut self, wish: [f32; 2], seconds: f32) -> [f32; 3] {
        if !std::mem::take(&mut self.jumps) {
            self.rise = (self.rise - GRAVITY * seconds).max(-FALL_LIMIT);
        }
        [wish[0] * seconds, self.rise * seconds, wish[1] * seconds]
    }

    /// Takes over the place that the controller found.
    pub fn arrive(&mut self, center: [f32; 3], grounded: bool, seconds: f32) {
        let rose = (center[1] - self.center[1]) / seconds;
        self.center = center;
        self.grounded = grounded && self.rise <= 0.0;
        if self.grounded {
            self.rise = 0.0;
        } else if self.rise > 0.0 {
            // A ceiling ends a jump.
            self.rise = self.rise.min(rose.max(0.0));
        }
    }

    pub fn jump(&mut self, speed: f32) {
        if self.grounded {
            self.rise = speed;
            self.grounded = false;
            self.jumps = true;
        }
    }
}
