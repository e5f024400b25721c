//! Loose things that fly, bounce and come to rest: pick-ups that are thrown or dropped, and debris.

use collision::hit_box::{Attack, HitBox};
use collision::spatial_hash::IntegerBox;
use collision::{CharacterId, Position, Scratch, Terrain};
use nalgebra::Vector3;

use super::TICK;
use super::bodies::Bodies;
use super::cannon::{MissileHit, sweep_sphere};
use super::wish::GRAVITY;

/// Share of the speed into a surface that comes back, and of that along it which is kept.
const BOUNCE: f32 = 0.4;
const GLIDE: f32 = 0.7;
/// What is slower after a bounce off level ground lies still, metres a second.
const STILL: f32 = 1.0;
/// Cosine of the steepest ground that things lie on.
const LEVEL: f32 = 0.6;
/// How far things keep from what they touch, and how far below there is still ground, metres.
const GAP: f32 = 0.005;
const GROUND: f32 = 0.1;
/// Ticks in which every thing at rest looks once whether there is still ground.
const LOOK_TICKS: u32 = 32;
/// Ticks before a thing that was thrown can be picked up.
const READY_TICKS: u32 = 30;

/// What a loose thing is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LooseKind {
    /// Can be picked up.
    Pickup,
    /// A piece of the land; gone after a while.
    Debris,
}

/// One loose thing.
#[derive(Clone, Debug)]
pub struct Loose {
    /// What it is.
    pub kind: LooseKind,
    /// Where it is.
    pub position: Position,
    /// Where it was a tick ago.
    pub before: Position,
    /// Metres.
    pub radius: f32,
    /// sRGB.
    pub color: [u8; 3],
    /// Where a pick-up lies that comes back there.
    pub(super) home: Option<Position>,
    velocity: Vector3<f32>,
    rests: bool,
    age: u32,
    /// Ticks after which it is gone; nothing while it stays.
    pub(super) lives: Option<u32>,
    /// Its hit box while it flies, where it was thrown at something.
    missile: Option<Attack>,
}

impl Loose {
    /// A thing that flies off.
    pub(super) fn thrown(
        kind: LooseKind,
        position: Position,
        velocity: Vector3<f32>,
        radius: f32,
        color: [u8; 3],
    ) -> Self {
        Loose {
            kind,
            position,
            before: position,
            radius,
            color,
            home: None,
            velocity,
            rests: false,
            age: 0,
            lives: None,
            missile: None,
        }
    }

    /// A thing that strikes the characters it flies into until it lies still, and spares its
    /// thrower.
    pub(super) fn thrown_by(self, thrower: CharacterId) -> Self {
        let shape = HitBox::of_circle([0.0; 3], self.radius, self.radius);
        let mut attack = Attack::new(self.position, shape, u16::MAX);
        attack.spare(thrower);
        Loose {
            missile: Some(attack),
            ..self
        }
    }

    /// Strikes the characters on the way that it went in this tick, and bounces off them.
    pub(super) fn strike(&mut self, bodies: &Bodies, hits: &mut Vec<MissileHit>) {
        let Some(attack) = &mut self.missile else {
            return;
        };
        let mut found = Vec::new();
        let body_of = |id| bodies.hit_body(id);
        attack.move_to(&bodies.crowd, self.position, body_of, &mut found);
        if self.rests {
            self.missile = None;
        }
        let velocity = self.velocity;
        if !found.is_empty() {
            self.push(velocity * -BOUNCE);
        }
        hits.extend(found.into_iter().map(|character| MissileHit {
            character,
            velocity,
        }));
    }

    /// A thing that lies where it is.
    pub(super) fn resting(self) -> Self {
        Loose {
            home: Some(self.position),
            rests: true,
            age: READY_TICKS,
            ..self
        }
    }

    /// Whether it can be picked up.
    pub(super) fn is_ready(&self) -> bool {
        self.kind == LooseKind::Pickup && self.age >= READY_TICKS
    }

    /// The cells it is in.
    pub(super) fn bounds(&self) -> IntegerBox<3> {
        let reach = Vector3::repeat(self.radius);
        let low = self.position.moved(-reach).cell;
        let high = self.position.moved(reach).cell.add_scalar(1);
        IntegerBox::new(low.into(), high.into())
    }

    /// Pushes it.
    pub(super) fn push(&mut self, velocity: Vector3<f32>) {
        self.velocity = velocity;
        self.rests = false;
    }

    /// One tick; whether it moved. Things that lie still cost next to nothing.
    pub(super) fn tick<T: Terrain + ?Sized>(
        &mut self,
        number: u32,
        scratch: &mut Scratch,
        land: &T,
    ) -> bool {
        self.before = self.position;
        self.age = self.age.saturating_add(1);
        if self.rests {
            // What lies about from the beginning keeps its place in the air.
            let looks =
                self.home.is_none() && self.age.wrapping_add(number).is_multiple_of(LOOK_TICKS);
            let down = Vector3::y() * -GROUND;
            let falls =
                looks && sweep_sphere(scratch, land, &self.position, self.radius, down).is_none();
            self.rests = !falls;
            return false;
        }
        self.velocity.y -= GRAVITY * TICK;
        let motion = self.velocity * TICK;
        match sweep_sphere(scratch, land, &self.position, self.radius, motion) {
            None => self.position = self.position.moved(motion),
            Some(hit) => {
                self.position = hit.center.moved(hit.normal * GAP);
                let into = hit.normal * self.velocity.dot(&hit.normal).min(0.0);
                self.velocity = (self.velocity - into) * GLIDE - into * BOUNCE;
                let is_level = hit.normal.y > LEVEL;
                self.rests = is_level && self.velocity.norm_squared() < STILL * STILL;
            }
        }
        true
    }

    /// Whether its time is over.
    pub(super) fn is_over(&self) -> bool {
        self.lives.is_some_and(|ticks| self.age >= ticks)
    }
}
