//! The promises of a crowd, tested from outside its parts.
#![allow(clippy::unwrap_used)]

mod changes;
mod contacts;
mod gravity;
mod hostile;
mod leaving;
mod modes;
mod parting;
mod predicting;
mod pushing;
mod replay;
mod reshape;
mod riding;
mod same_bits;
mod sleep;
mod steps;
mod tracing;
mod weights;

use crate::kernels::ellipsoids::separate_within;
use crate::{
    Cell, Character, CharacterId, Contents, Crowd, Event, EventKind, Intent, Memory, Mode,
    ObjectId, Position, Reach, Shapes, SolidBox, Terrain,
};
use nalgebra::{Point3, Vector3};

pub(super) const TICK: f32 = 1.0 / 60.0;

/// Makes a floor of `size` by `size` metres at height 0 with walls of 3 m around it, and the given
/// boxes.
pub(super) fn arena(size: f64, boxes: &[[Point3<f64>; 2]]) -> Shapes {
    let point = Point3::new;
    let mut all = vec![
        [point(-1.0, -1.0, -1.0), point(size + 1.0, 0.0, size + 1.0)],
        [point(-1.0, 0.0, -1.0), point(0.0, 3.0, size + 1.0)],
        [point(size, 0.0, -1.0), point(size + 1.0, 3.0, size + 1.0)],
        [point(0.0, 0.0, -1.0), point(size, 3.0, 0.0)],
        [point(0.0, 0.0, size), point(size, 3.0, size + 1.0)],
    ];
    all.extend_from_slice(boxes);
    Shapes::from_boxes(ObjectId(1), Position::default(), &all)
}

pub(super) fn at(x: f64, y: f64, z: f64) -> Position {
    Position::from_metres(Point3::new(x, y, z))
}

/// Describes a character that stands on a floor at height 0.
pub(super) fn standing(x: f64, z: f64) -> Character {
    Character::at(at(x, 0.91, z))
}

pub(super) fn walk(x: f32, z: f32) -> Intent {
    Intent::walk(Vector3::new(x, 0.0, z))
}

pub(super) fn height(crowd: &Crowd, id: CharacterId) -> f64 {
    crowd.position(id).unwrap().to_metres().y
}

/// Returns the number of events of a kind.
pub(super) fn count(events: &[Event], kind: impl Fn(&EventKind) -> bool) -> usize {
    events.iter().filter(|event| kind(&event.kind)).count()
}

/// A deterministic source of random numbers.
pub(super) struct Dice(pub(super) u64);

impl Dice {
    pub(super) fn roll(&mut self) -> f32 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 40) as f32 / (1_u64 << 24) as f32
    }

    pub(super) fn between(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * self.roll()
    }
}

/// Returns the deepest overlap of any two characters, in metres.
pub(super) fn deepest_overlap(crowd: &Crowd) -> f32 {
    let bodies: Vec<_> = crowd.bodies().map(|(_, body)| body).collect();
    let mut deepest = f32::MIN;
    for (i, a) in bodies.iter().enumerate() {
        for b in &bodies[i + 1..] {
            if let Some(found) = separate_within(a, b, 0.1) {
                deepest = deepest.max(-found.distance);
            }
        }
    }
    deepest
}

/// Two terrains as one: ground at rest and a moving platform.
pub(super) struct Layered {
    pub(super) ground: Shapes,
    pub(super) platform: Shapes,
}

impl Terrain for Layered {
    fn revision(&self) -> u64 {
        self.ground.revision() << 32 | self.platform.revision()
    }

    fn gather(&self, reach: &Reach, memory: &mut Memory, out: &mut crate::Candidates) {
        let mut other = *memory;
        self.ground.gather(reach, &mut other, out);
        self.platform.gather(reach, &mut other, out);
        memory.revision = self.revision();
    }

    fn gather_solids(
        &self,
        base: Cell,
        min: Vector3<f32>,
        max: Vector3<f32>,
        out: &mut Vec<SolidBox>,
    ) {
        self.ground.gather_solids(base, min, max, out);
        self.platform.gather_solids(base, min, max, out);
    }

    fn contents(&self, at: &Position, memory: &Memory) -> Contents {
        self.ground.contents(at, memory)
    }

    fn carry(&self, object: ObjectId, at: &Position) -> Option<Vector3<f32>> {
        self.platform.carry(object, at)
    }
}
