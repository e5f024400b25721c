//! Loose objects that fly, bounce and come to rest: pick-ups that are thrown or dropped, and
//! debris.

use collision::hit_box::{Attack, HitBox};
use collision::spatial_hash::IntegerBox;
use collision::{CharacterId, Position, Scratch, Terrain};
use nalgebra::Vector3;

use super::TICK;
use super::bodies::Bodies;
use super::cannon::{MissileHit, sweep_sphere};
use super::coding::Coded;
use super::player::PlayerId;
use super::wish::GRAVITY;

/// Share of the normal speed that a bounce returns, and of the tangential speed that it keeps.
const BOUNCE: f32 = 0.4;
const GLIDE: f32 = 0.7;
/// Speed after a bounce off level ground below which an object comes to rest, metres a second.
const STILL: f32 = 1.0;
/// Cosine of the steepest ground on which objects rest.
const LEVEL: f32 = 0.6;
/// Gap between objects and terrain, and depth of the search for ground below, metres.
const GAP: f32 = 0.005;
const GROUND: f32 = 0.1;
/// Number of ticks in which every object at rest looks for its ground once.
const LOOK_TICKS: u32 = 32;
/// Ticks before a thrown object can be picked up.
const READY_TICKS: u32 = 30;

/// The kind of a loose object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LooseKind {
    /// An object to pick up.
    Pickup,
    /// A piece of the land, removed after a while.
    Debris,
}

/// A loose object.
#[derive(Clone, Debug)]
pub struct Loose {
    /// Kind.
    pub kind: LooseKind,
    /// Position now.
    pub position: Position,
    /// Position one tick ago.
    pub before: Position,
    /// Radius, metres.
    pub radius: f32,
    /// sRGB colour.
    pub color: [u8; 3],
    /// Place to which a pick-up returns.
    pub(super) home: Option<Position>,
    velocity: Vector3<f32>,
    rests: bool,
    age: u32,
    /// Ticks until removal; `None` for objects that stay.
    pub(super) lives: Option<u32>,
    /// Hit box in flight, of objects that a player threw at something.
    missile: Option<(PlayerId, Attack)>,
}

impl Loose {
    /// Returns an object in flight.
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

    /// Lets the object strike the characters that it flies into until it lies still, except its
    /// thrower.
    pub(super) fn thrown_by(self, player: PlayerId, thrower: CharacterId) -> Self {
        let shape = HitBox::of_circle([0.0; 3], self.radius, self.radius);
        let mut attack = Attack::new(self.position, shape, u16::MAX);
        attack.spare(thrower);
        Loose {
            missile: Some((player, attack)),
            ..self
        }
    }

    /// Strikes the characters on the motion of this tick, and bounces off them.
    pub(super) fn strike(&mut self, bodies: &Bodies, hits: &mut Vec<MissileHit>) {
        let Some((by, attack)) = &mut self.missile else {
            return;
        };
        let by = *by;
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
            by,
            velocity,
        }));
    }

    /// Lays the object to rest where it is.
    pub(super) fn resting(self) -> Self {
        Loose {
            home: Some(self.position),
            rests: true,
            age: READY_TICKS,
            ..self
        }
    }

    /// Adds all that decides what it does next.
    pub(super) fn write_state(&self, to: &mut Vec<u8>) {
        to.extend([self.kind as u8, u8::from(self.rests)]);
        self.position.write(to);
        self.velocity.write(to);
        self.age.write(to);
        self.lives.unwrap_or(0).write(to);
    }

    /// Returns whether it can be picked up.
    pub(super) fn is_ready(&self) -> bool {
        self.kind == LooseKind::Pickup && self.age >= READY_TICKS
    }

    /// Returns the cells that it touches.
    pub(super) fn bounds(&self) -> IntegerBox<3> {
        let reach = Vector3::repeat(self.radius);
        let low = self.position.moved(-reach).cell;
        let high = self.position.moved(reach).cell.add_scalar(1);
        IntegerBox::new(low.into(), high.into())
    }

    /// Gives it a velocity.
    pub(super) fn push(&mut self, velocity: Vector3<f32>) {
        self.velocity = velocity;
        self.rests = false;
    }

    /// Moves it by one tick and returns whether it moved. At rest, it costs next to nothing.
    pub(super) fn tick<T: Terrain + ?Sized>(
        &mut self,
        number: u32,
        scratch: &mut Scratch,
        land: &T,
    ) -> bool {
        self.before = self.position;
        self.age = self.age.saturating_add(1);
        if self.rests {
            // Objects laid out at the start stay in the air.
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

    /// Returns whether its lifetime is over.
    pub(super) fn is_over(&self) -> bool {
        self.lives.is_some_and(|ticks| self.age >= ticks)
    }
}
