//! What a peer is: characters of one kind on one ground, moved tick by tick.

use crate::ground::Ground;
use crate::mesh::Mesh;

/// Half the width of every character, in metres.
pub const RADIUS: f32 = 0.4;
/// Half its height.
pub const HALF_HEIGHT: f32 = 0.9;
/// Half the straight part of a capsule of that height.
pub const HALF_SEGMENT: f32 = HALF_HEIGHT - RADIUS;
/// In metres a second squared.
pub const GRAVITY: f32 = 20.0;
/// In metres a second.
pub const FALL_LIMIT: f32 = 60.0;
/// How far somebody who stood is put down onto falling ground, in metres, where a scene names nothing else. Whatever the step: ours is
/// no further put down for a higher one, and a longer look down is not free.
pub const SNAP: f32 = 0.5;
/// Cosine of the steepest ground that is walked on: 50 degrees.
pub const LEAST_RISE: f32 = 0.642_787_6;

/// What shape a peer gives its characters: it decides how "inside" is judged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Body {
    Ellipsoid,
    Capsule,
    Box,
}

/// How everybody walks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rules {
    /// Highest step, in metres; 0 for none.
    pub step: f32,
    /// The same while falling. PhysX always steps then, Jolt and Rapier as they see fit.
    pub air_step: f32,
    /// Cosine of the steepest ground.
    pub least_rise: f32,
    /// How far somebody who stood is put down onto falling ground, in metres. PhysX has none.
    pub snap: f32,
}

/// Somebody who is to be placed.
#[derive(Clone, Copy, Debug)]
pub struct Start {
    pub center: [f32; 3],
    pub rules: Rules,
}

impl Rules {
    /// No steps at all.
    pub const PLAIN: Self = Self {
        step: 0.0,
        air_step: 0.0,
        least_rise: LEAST_RISE,
        snap: SNAP,
    };

    /// The slope limit in radians.
    pub fn steepest(&self) -> f32 {
        self.least_rise.acos()
    }
}

/// A library's characters on its own copy of the ground.
pub trait Peer {
    fn name(&self) -> &'static str;
    fn body(&self) -> Body {
        Body::Capsule
    }
    /// Takes away everybody and puts new characters in the order they come; false when one could not be made.
    #[must_use]
    fn place(&mut self, starts: &[Start]) -> bool;
    /// Moves everybody for one tick with a wished horizontal velocity each.
    fn tick(&mut self, wishes: &[[f32; 2]], seconds: f32);
    fn center(&self, index: usize) -> [f32; 3];
    fn is_grounded(&self, index: usize) -> bool;
    /// Gives an upward speed, in metres a second, to somebody who stands.
    fn jump(&mut self, index: usize, speed: f32);
    /// Puts a new mesh in the place of an old one; only asked of those who walk on triangles.
    fn replace(&mut self, _slot: usize, _mesh: &Mesh) {}
    /// Follows an edit of one voxel, which the ground has already taken; the meshes that it changes come ready made.
    fn follow_edit(&mut self, _ground: &Ground, _cell: [i32; 3], meshes: &[(usize, Mesh)]) {
        for (slot, mesh) in meshes {
            self.replace(*slot, mesh);
        }
    }
    /// A hash of all there is, where the peer has one.
    fn state_hash(&self) -> Option<u64> {
        None
    }
}

/// What peers whose controller only moves keep of a character.
#[derive(Clone, Copy, Debug)]
pub struct Faller {
    pub center: [f32; 3],
    pub rules: Rules,
    /// Upward speed, in metres a second.
    pub rise: f32,
    pub grounded: bool,
    /// Whether the speed is that of a jump of this tick, which gravity takes from only in the next.
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

    /// The highest step that it takes now; none while it rises.
    pub fn step(&self) -> f32 {
        match (self.grounded, self.rise > 0.0) {
            (true, _) => self.rules.step,
            (false, false) => self.rules.air_step,
            (false, true) => 0.0,
        }
    }

    /// Gravity of one tick; the result is the wished motion.
    pub fn fall(&mut self, wish: [f32; 2], seconds: f32) -> [f32; 3] {
        if !std::mem::take(&mut self.jumps) {
            self.rise = (self.rise - GRAVITY * seconds).max(-FALL_LIMIT);
        }
        [wish[0] * seconds, self.rise * seconds, wish[1] * seconds]
    }

    /// Takes the place that the controller found.
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
